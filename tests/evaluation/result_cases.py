"""One of every kind of result of an evaluation, on forty shipped pages."""

import numpy as np
import pytest

import ragstats as rs

BOTH = {"score": "hit_at_1", "system": "system", "doc": "doc_id", "query": "query_id"}
ONE = {"score": "hit_at_1", "doc": "doc_id"}


@pytest.fixture(scope="module")
def scores():
    rows = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    pages = rows["doc_id"].unique()[:40]
    rows = rows[rows["doc_id"].isin(pages)]
    return rows.assign(band=np.where(rows["doc_id"].isin(pages[:15]), "large", "small"))


def bm25(scores):
    return scores[scores["system"] == "bm25"]


def table(scores):
    return rs.documents(bm25(scores), **ONE, keep=["band"])


def comparison(scores, **options):
    return rs.compare(scores, **BOTH, estimand="micro", **options)


RESULTS = {
    "documents": table,
    "documents by system": lambda d: rs.documents(d, **ONE, by="system"),
    "micro": lambda d: table(d).micro(),
    "macro": lambda d: table(d).macro(population=1300),
    "interval": lambda d: table(d).micro().interval(),
    "diagnostics": lambda d: table(d).diagnostics(),
    "recommendation": lambda d: rs.recommend(table(d).micro()),
    "compare": comparison,
    "compare with covariates": lambda d: comparison(d, covariates="np.log(chunk_words)"),
    "differences": lambda d: comparison(d).differences,
    "leaderboard": lambda d: comparison(d).leaderboard(),
    "joint test": lambda d: comparison(d).joint_test(),
    "pair": lambda d: comparison(d).diagnostics("tfidf", "bm25"),
    "scores": lambda d: rs.compare_scores(
        d, scores=["hit_at_1", "rr"], estimand="micro", **{k: BOTH[k] for k in BOTH if k != "score"}
    ),
    "bootstrap": lambda d: table(d).bootstrap(estimand="micro", n_boot=99, seed=1),
    "wild": lambda d: rs.wild_bootstrap(table(d).micro(), "Intercept = 0", n_boot=99, seed=1),
    "plan": lambda d: rs.plan_documents(
        table(d), halfwidth=0.05, population=1300, estimand="macro"
    ),
    "plan of a comparison": lambda d: rs.plan_comparison(comparison(d), halfwidth=0.05),
    "components": lambda d: rs.variance_components(bm25(d), **ONE, query="query_id"),
    "coverage": lambda d: rs.simulate_coverage(
        bm25(d), **ONE, documents=9, estimand="micro", replications=20, methods=["cr2"], seed=1
    ),
    "ratio": lambda d: rs.ratio_mean(
        table(d), strata="band", population={"large": 130, "small": 1170}
    ),
    "design": lambda d: rs.SurveyDesign(bm25(d), ids=["doc_id"], strata="band").mean("hit_at_1"),
}  # fmt: skip
