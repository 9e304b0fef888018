"""What a recommendation says is what the studies found, for about as many documents."""

import inspect
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ragstats as rs
from ragstats.commands.coverage import coverage_command
from ragstats.evaluation.evidence import EIGHT, PAGES, TIED, TIES, nearest_study, percent

ROOT = Path(__file__).parents[2]
STUDY = pd.read_csv(ROOT / "tests" / "oracles" / "retrieval" / "sampling_study.csv")
BOOTSTRAPS = ["percentile boot", "bootstrap-t"]


@pytest.mark.parametrize("k", [20, 80])
def test_the_ranges_are_those_of_the_sampling_study(k):
    rows = STUDY[STUDY["K"] == k]
    for method, ranges in PAGES.items():
        coverage = rows.loc[rows["method"] == method, "coverage"]
        assert len(coverage) == 4
        assert ranges[k] == (coverage.min(), coverage.max())
    tied = rows[rows["outcome"].str.startswith("bm25-tfidf")]
    for name, methods in (("bootstraps", BOOTSTRAPS), ("t", ["CR2 t(df)", "t(K-1)"])):
        coverage = tied.loc[tied["method"].isin(methods), "coverage"]
        assert TIED[name][k] == (coverage.min(), coverage.max())


@pytest.mark.parametrize(("score", "share"), [("doc_hit_at_1", TIES[0]), ("hit_at_1", TIES[1])])
def test_the_shares_of_ties_are_those_of_the_shipped_pages(score, share):
    scores = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    c = rs.compare(scores, score=score, system="system", doc="doc_id", query="query_id",
                   estimand="micro")  # fmt: skip
    assert round(c.diagnostics("tfidf", "bm25").share_tied, 2) == share


def test_the_shares_are_those_of_eight_documents():
    table = ROOT / "docs" / "_data" / "eight_documents_coverage.csv"
    if not table.exists():
        pytest.skip("no docs beside the tests")
    found = pd.read_csv(table).set_index(["rule", "column"])["coverage"]
    for method, shares in EIGHT.items():
        for scores, share in shares.items():
            assert share == found[method, scores]
    assert set(EIGHT["wild"]) == set(found["wild"].index)


def test_ranges_in_words():
    assert percent(0.9325, 0.954) == "93-95 %"
    assert percent(0.8835, 0.8835) == "88 %"
    # the geometric mean of 20 and 80 is 40
    assert [nearest_study(PAGES, k) for k in (2, 39, 41, 1300)] == [20, 20, 80, 80]


def mean_of(documents, estimand="micro"):
    rng = np.random.default_rng(1)
    rows = pd.DataFrame({"doc": np.repeat(np.arange(documents), 2), "y": rng.random(2 * documents)})
    table = rs.documents(rows, doc="doc", score="y")
    return table.micro() if estimand == "micro" else table.macro()


def test_the_reason_is_of_the_study_with_about_as_many_documents():
    said = {k: rs.recommend(mean_of(k)).reasons for k in (30, 200)}
    assert said[30] == (
        "CR2 with its own df covered 93-95 % in samples of 20 of the shipped pages, CR1 83-89 %",
    )
    assert said[200] == (
        "CR2 with its own df covered 92-95 % in samples of 80 of the shipped pages, CR1 88-93 %",
    )
    assert (
        "t(K-1) covered 94-96 % in samples of 80" in rs.recommend(mean_of(200, "macro")).reasons[0]
    )


def test_the_wild_bootstrap_is_not_praised_near_a_bound():
    few = rs.recommend(mean_of(8))
    assert few.reasons[1].endswith(
        "with eight very unequal documents the restricted wild bootstrap covered 94-96 % away from"
        " a bound, and 88 % for 0/1 scores of mean .92"
    )


@pytest.mark.parametrize(("tied", "cautions"), [(30, 0), (48, 0), (60, 1)])
def test_the_share_of_ties_is_said_from_a_third_on(tied, cautions):
    y = np.r_[np.zeros(tied), np.resize([1.0, -1.0], 100 - tied)]
    advice = rs.recommend(
        rs.micro_mean("y", pd.DataFrame({"y": y, "doc": range(100)}), groups="doc")
    )
    said = [r for r in advice.reasons if r.startswith(f"{tied}% of the documents are tied: ")]
    assert len(said) == (tied > 100 / 3)
    assert len(advice.cautions) == cautions
    assert advice.method == "t"


def test_it_prints_in_80_columns_and_the_check_can_be_copied():
    mean = mean_of(8)
    advice = rs.recommend(mean)
    lines = str(advice).splitlines()
    assert max(map(len, lines)) <= 80
    call = "\n".join(lines[lines.index("check it on your own corpus:") + 1 :])
    assert " ".join(call.split()) == advice.check
    assert eval(call.strip(), {"rs": rs, "mean": mean}).replications == 1000


def test_the_command_line_has_the_defaults_of_the_library():
    library = inspect.signature(rs.simulate_coverage).parameters
    command = inspect.signature(coverage_command).parameters
    for name in ("replications", "methods", "n_boot", "alpha", "fpc", "design", "unmatched"):
        assert command[name].default == library[name].default
