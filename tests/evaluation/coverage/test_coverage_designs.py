"""Drawing: every design draws what it says."""

import numpy as np
import pandas as pd
import pytest

import ragstats as rs
from ragstats.evaluation.coverage.designs import Plan, draw, proportional, without_replacement
from ragstats.evaluation.coverage.population import population_of

SIZES = np.array([1, 2, 2, 5, 9, 14])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    doc = np.repeat(np.arange(6), SIZES)
    frame = pd.DataFrame({"doc": doc, "y": rng.random(len(doc))})
    frame["band"] = np.where(SIZES[doc] > 4, "large", "small")
    return frame.sample(frac=1, random_state=1)


def test_population_is_one_row_per_document(rows):
    found = population_of(rows, score="y", doc="doc", strata="band", rows=True)
    assert found.n.tolist() == SIZES.tolist()
    assert found.s == pytest.approx(rows.groupby("doc")["y"].sum().to_numpy())
    assert found.names == ("large", "small")
    assert found.strata.tolist() == [1, 1, 1, 0, 0, 0]
    assert found.truth("micro") == pytest.approx(rows["y"].mean())
    assert found.truth("macro") == pytest.approx(rows.groupby("doc")["y"].mean().mean())
    assert found.kind == "unit"
    for d in range(6):
        part = found.rows.values[found.rows.first[d] :][: SIZES[d]]
        assert sorted(part) == sorted(rows.loc[rows["doc"] == d, "y"])


def test_srs_draws_different_documents(rows):
    found = population_of(rows, score="y", doc="doc")
    sample = draw(Plan("srs", 3), found, np.random.default_rng(1), 4000)
    sums = np.sort(np.round(sample.s, 9), axis=1)
    assert (np.diff(sums, axis=1) > 0).all()
    share = (np.abs(sample.s[:, :, None] - found.s) < 1e-12).any(axis=1).mean(axis=0)
    # Each document is in half of the samples; four standard errors of 4,000.
    assert share == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(4000))
    again = draw(Plan("srs", 10, replace=True), found, np.random.default_rng(1), 5)
    assert again.n.shape == (5, 10)


def test_strata_are_drawn_as_allocated(rows):
    found = population_of(rows, score="y", doc="doc", strata="band")
    plan = Plan("stratified", 4, correct=True, allocation=(2, 2))
    sample = draw(plan, found, np.random.default_rng(1), 200)
    assert (sample.n[:, :2] > 4).all()
    assert (sample.n[:, 2:] < 4).all()
    assert sample.weight.tolist() == [1.5] * 4
    assert sample.remaining == pytest.approx([1 / 3] * 4)


def test_queries_are_drawn_within_documents(rows):
    found = population_of(rows, score="y", doc="doc", rows=True)
    sample = draw(Plan("two-stage", 6, queries=3), found, np.random.default_rng(1), 500)
    assert np.sort(sample.size, axis=1).tolist() == [SIZES.tolist()] * 500
    assert (sample.n == np.minimum(sample.size, 3)).all()
    whole = sample.size <= 3
    by_size = {float(n): s for n, s in zip(found.n, found.s, strict=True) if n in (1, 14)}
    assert sample.s[sample.size == 1] == pytest.approx(by_size[1.0])
    # The mean of three of fourteen scores is unbiased for the mean of the document.
    few = sample.s[sample.size == 14] / 3
    error = few.std() / np.sqrt(len(few))
    assert few.mean() == pytest.approx(by_size[14.0] / 14, abs=4 * error)
    assert few.std() > 0
    assert whole.sum() == 1500
    assert (sample.ss <= sample.n + 1e-12).all()


def test_two_stage_of_all_queries_is_simple_sampling(rows):
    found = population_of(rows, score="y", doc="doc", rows=True)
    staged = draw(Plan("two-stage", 4, queries=14), found, np.random.default_rng(1), 50)
    simple = draw(Plan("srs", 4), found, np.random.default_rng(1), 50)
    assert (staged.n == simple.n).all()
    assert (staged.s == simple.s).all()


def test_without_replacement_is_uniform():
    sizes = np.full(20000, 5)
    drawn = without_replacement(np.random.default_rng(1), sizes, 2)
    assert (drawn[:, 0] != drawn[:, 1]).all()
    pairs = np.sort(drawn, axis=1) @ [5, 1]
    counts = np.unique(pairs, return_counts=True)[1]
    assert len(counts) == 10
    # 2,000 of each pair expected; four standard errors.
    assert (np.abs(counts - 2000) < 4 * np.sqrt(2000 * 0.9)).all()
    assert without_replacement(np.random.default_rng(1), np.array([3]), 3).tolist()[0] != [0, 0, 0]
    assert sorted(without_replacement(np.random.default_rng(2), np.array([3]), 3)[0]) == [0, 1, 2]


@pytest.mark.parametrize(
    ("sizes", "k", "expected"),
    [
        ([130, 1170], 20, (2, 18)),
        ([100, 100, 100], 10, (4, 3, 3)),
        ([2, 998], 10, (2, 8)),
        ([1, 50, 49], 11, (1, 5, 5)),
        ([5, 5], 10, (5, 5)),
    ],
)
def test_proportional(sizes, k, expected):
    assert proportional(np.array(sizes), k) == expected


def test_proportional_with_replacement_may_pass_the_stratum():
    assert proportional(np.array([2, 2]), 10, replace=True) == (5, 5)


def test_too_few_for_two_in_each():
    with pytest.raises(ValueError, match="3 strata need 6 at least, two each"):
        proportional(np.array([9, 9, 9]), 5)


def test_systems_are_chosen_and_paired():
    scores = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    options = {"score": "hit_at_1", "doc": "doc_id", "system": "system", "query": "query_id"}
    one = population_of(scores, systems="bm25", **options)
    pair = population_of(scores, baseline="tfidf", rows=True, **options)
    other = population_of(scores, systems="tfidf", **options)
    assert one.label == "hit_at_1, bm25"
    assert pair.label == "hit_at_1, bm25 - tfidf"
    assert pair.s == pytest.approx(one.s - other.s)
    assert pair.paired
    assert pair.kind == "any"
    assert one.kind == "binary"
    assert len(pair.rows.values) == 18869
    table = rs.documents(scores, doc="doc_id", score="hit_at_1", by="system")
    assert population_of(table, score=None, doc=None, systems="bm25").s == pytest.approx(one.s)
    c = rs.compare(scores, estimand="micro", **options)
    differences = c.scores.differences("bm25", "tfidf")
    assert population_of(differences, score=None, doc=None).s == pytest.approx(pair.s)


def test_strata_of_pairs_come_from_the_rows():
    scores = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    scores["band"] = np.where(scores["doc_chunks"] > 28, "large", "small")
    found = population_of(
        scores, score="rr", doc="doc_id", system="system", query="query_id", baseline="bm25",
        strata="band",
    )  # fmt: skip
    assert found.names == ("large", "small")
    assert ((found.n > 28) == (found.strata == 0)).all()


def test_unscored_rows_and_categories(rows):
    frame = rows.assign(doc=pd.Categorical(rows["doc"].map("d{}".format)))
    frame.loc[frame.index[:3], "y"] = np.nan
    found = population_of(frame, score="y", doc="doc", rows=True)
    assert found.n.sum() == SIZES.sum() - 3
    assert len(found.rows.values) == SIZES.sum() - 3
    assert found.notes == ("3 rows without a score are not in the population",)
    kept = frame.dropna()
    for d, first, n in zip(sorted(kept["doc"].unique()), found.rows.first, found.n, strict=True):
        part = found.rows.values[first : first + int(n)]
        assert sorted(part) == sorted(kept.loc[kept["doc"] == d, "y"])
