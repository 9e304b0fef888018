"""The published studies, rerun small; ``benchmarks/`` runs them whole."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import ragstats as rs
from ragstats.evaluation.coverage import simulate_coverage

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def load(name):
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


study = load("sampling_study")
table = load("coverage_table")


@pytest.fixture(scope="module")
def scores():
    return rs.datasets.load_retrieval(systems=["bm25", "tfidf"])


@pytest.mark.parametrize("documents", [20, 80])
@pytest.mark.parametrize("outcome", list(study.OUTCOMES))
def test_sampling_study(scores, outcome, documents):
    """Every number of the study, within four standard errors of the difference."""
    shares, others = study.rerun(
        outcome, documents, scores=scores, replications=400, n_boot=199, seed=1
    )
    assert len(shares) == 30
    assert len(others) == 16
    for cells in (shares, others):
        assert np.isfinite(cells[["published", "found", "allowed"]]).all().all()
        assert study.disagreements(cells).empty, study.disagreements(cells).to_string()


def test_a_wrong_number_would_be_seen(scores):
    shares, _ = study.rerun(
        "bm25 doc_hit_at_1", 20, scores=scores, replications=400, n_boot=19, seed=1
    )
    iid = (shares["method"] == "Wald iid") & (shares["quantity"] == "coverage")
    shares.loc[iid, "published"] = 0.95
    assert len(study.disagreements(shares)) >= 1


def test_what_the_source_text_warns_of(scores):
    """iid Wald near .54 on the document-level outcome with 20 documents, CR2 near .93."""
    result = simulate_coverage(
        scores[scores["system"] == "bm25"], score="doc_hit_at_1", doc="doc_id", documents=20,
        estimand="micro", methods=["iid", "cr2"], replications=2000, seed=3,
    )  # fmt: skip
    cover = result.table.set_index("method")["coverage"]
    assert cover["iid"] == pytest.approx(0.54, abs=0.045)  # four standard errors of .011
    assert cover["cr2"] == pytest.approx(0.93, abs=0.023)  # and of .0057


def test_coverage_of_eight_documents():
    """Every cell of the table, at 1,000 replications and four standard errors."""
    cells = table.coverage_table(1000, 199, 1)
    assert len(cells) == 35
    judged = {cell: v for cell, v in cells.items() if cell[0] not in table.NOT_JUDGED}
    assert len(judged) == 32
    for cell, (published, found, allowed) in judged.items():
        assert abs(found - published) <= allowed, (cell, published, found, allowed)
