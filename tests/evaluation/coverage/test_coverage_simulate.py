"""`simulate_coverage` as a user calls it: counting, designs, seeds, errors."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import ragstats as rs
from ragstats.evaluation.coverage import METHODS, simulate_coverage
from ragstats.evaluation.coverage.methods import Limits
from ragstats.evaluation.coverage.tally import tally
from ragstats.exceptions import DataError


@pytest.fixture(scope="module")
def scores():
    return rs.datasets.load_retrieval(systems="bm25")


@pytest.fixture(scope="module")
def table(scores):
    banded = scores.assign(band=np.where(scores["doc_chunks"] > 28, "large", "small"))
    return rs.documents(banded, doc="doc_id", score="doc_hit_at_1", keep=["band"])


@pytest.fixture(scope="module")
def small():
    """Six documents of one query, one of them answered."""
    frame = pd.DataFrame({"doc": range(6), "n": 1, "s": [1, 0, 0, 0, 0, 0]})
    return rs.DocumentTable.from_frame(frame, doc="doc", binary=True)


def cell(result, method, column, estimand="micro"):
    rows = result.table.set_index(["estimand", "method"])
    return rows.loc[(estimand, method), column]


# --- counting --------------------------------------------------------------------------------


def test_degenerate_samples_are_misses_by_default(small):
    """Two of six documents: 10 of 15 samples have no variation; the others have [-5.9, 6.9]."""
    result = simulate_coverage(
        small, documents=2, estimand="micro", methods=["cr2", "korn-graubard"], seed=1,
        replications=3000,
    )  # fmt: skip
    unavailable = cell(result, "cr2", "unavailable")
    # Four standard errors of a share of 2/3 in 3,000.
    assert unavailable == pytest.approx(2 / 3, abs=4 * np.sqrt(2 / 9 / 3000))
    assert cell(result, "cr2", "coverage") == pytest.approx(1 - unavailable)
    assert cell(result, "cr2", "below") == cell(result, "cr2", "above") == 0
    assert cell(result, "cr2", "median_width") == pytest.approx(2 * 12.7062 * 0.5, rel=1e-4)
    assert cell(result, "korn-graubard", "unavailable") == 0
    assert cell(result, "korn-graubard", "coverage") == 1
    assert result.estimators["flat"].iloc[0] == unavailable


def test_degenerate_samples_can_be_left_out(small):
    result = simulate_coverage(
        small, documents=2, estimand="micro", methods="cr2", seed=1, replications=3000,
        degenerate="skip",
    )  # fmt: skip
    assert cell(result, "cr2", "coverage") == 1
    assert cell(result, "cr2", "unavailable") == pytest.approx(2 / 3, abs=0.04)


def test_degenerate_samples_can_be_the_estimate_alone(small):
    result = simulate_coverage(
        small, documents=2, estimand="micro", methods="cr2", seed=1, replications=3000,
        degenerate="zero-width",
    )  # fmt: skip
    unavailable = cell(result, "cr2", "unavailable")
    assert cell(result, "cr2", "below") == unavailable  # all of them are at 0, the truth is 1/6
    assert cell(result, "cr2", "coverage") == pytest.approx(1 - unavailable)
    assert cell(result, "cr2", "median_width") == 0


def test_tally_counts_by_rule():
    nan = np.nan
    limits = Limits(
        np.array([0.0, 2, -3, 1, nan, 0.5]),
        np.array([2.0, 3, 0, 1, nan, 0.5]),
        np.array([True, True, True, False, False, False]),
    )
    miss, zero, skip = (tally(limits, 1.0, rule) for rule in ("miss", "zero-width", "skip"))
    assert (miss.coverage, miss.below, miss.above) == pytest.approx((1 / 6, 1 / 6, 1 / 6))
    assert (zero.coverage, zero.below, zero.above) == pytest.approx((2 / 6, 2 / 6, 1 / 6))
    assert (skip.coverage, skip.below, skip.above) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert miss.unavailable == zero.unavailable == skip.unavailable == 0.5
    assert (miss.median_width, zero.median_width, skip.median_width) == (2, 1, 2)
    assert miss.mc_error == pytest.approx(np.sqrt(5 / 36 / 6))
    assert np.isnan(tally(limits, 1.0, "miss", width=False).median_width)
    none = Limits(np.array([nan]), np.array([nan]), np.array([False]))
    assert tally(none, 1.0, "miss").coverage == 0
    assert np.isnan(tally(none, 1.0, "skip").coverage)


def test_shares_add_up(scores):
    result = simulate_coverage(
        scores, score="hit_at_1", doc="doc_id", documents=5, estimand=["micro", "macro"], seed=2,
        replications=300, n_boot=99, methods="all",
    )  # fmt: skip
    table = result.table
    total = table["coverage"] + table["below"] + table["above"] + table["unavailable"]
    assert total.to_numpy() == pytest.approx(np.ones(len(table)))
    micro = [row.name for row in METHODS.values() if "srs" in row.designs]
    assert table.loc[table["estimand"] == "micro", "method"].tolist() == micro
    assert table.loc[table["method"] == "wild", "median_width"].isna().all()
    assert (table["median_width"].dropna() > 0).all()
    error = np.sqrt(table["coverage"] * (1 - table["coverage"]) / 300)
    assert table["mc_error"].to_numpy() == pytest.approx(error.to_numpy())
    # 2/2^5 is above .05: five documents' signs never reject.
    assert (table.loc[table["method"] == "wild", "coverage"] > 0.9).all()
    assert any("wild never rejects" in note for note in result.notes)


def test_estimators(scores):
    result = simulate_coverage(
        scores, score="doc_hit_at_1", doc="doc_id", documents=20, estimand=["macro", "micro"],
        methods="cr2", seed=1, replications=600,
    )  # fmt: skip
    found = result.estimators.set_index("estimand")
    assert found.index.tolist() == ["macro", "micro"]
    assert found.loc["micro", "truth"] == pytest.approx(scores["doc_hit_at_1"].mean())
    assert found.loc["macro", "truth"] == pytest.approx(
        scores.groupby("doc_id")["doc_hit_at_1"].mean().mean()
    )
    assert found.loc["macro", "mean_df"] == pytest.approx(19)
    assert 4 < found.loc["micro", "mean_df"] < 8
    # The macro mean of a simple random sample is unbiased.
    assert abs(found.loc["macro", "bias"]) < 4 * found.loc["macro", "bias_mc_error"]


# --- designs ---------------------------------------------------------------------------------


def test_a_census_knows_the_truth(small):
    frame = pd.DataFrame({"doc": range(9), "n": range(1, 10), "s": [1, 0, 3, 1, 2, 0, 7, 2, 4]})
    table = rs.DocumentTable.from_frame(frame, doc="doc", binary=True)
    options = {"documents": 9, "estimand": ["micro", "macro"], "seed": 1, "replications": 50}
    plain = simulate_coverage(table, n_boot=99, **options)
    assert (plain.table["coverage"] == 1).all()
    assert any("a census: draw fewer documents, or replace=True" in note for note in plain.notes)
    assert plain.estimators["rmse"].max() < 1e-15
    exact = simulate_coverage(table, methods=["cr1", "cr2", "cr3"], fpc=True, **options)
    assert (exact.table["coverage"] == 1).all()
    assert (exact.table["unavailable"] == 0).all()
    assert exact.table["median_width"].max() == 0


def test_finite_correction_narrows_by_its_root(table):
    options = {"documents": 325, "estimand": "micro", "seed": 1, "replications": 100}
    plain = simulate_coverage(table, methods=["cr2", "iid"], **options)
    exact = simulate_coverage(table, methods=["cr2", "iid"], fpc=True, **options)
    ratio = cell(exact, "cr2", "median_width") / cell(plain, "cr2", "median_width")
    assert ratio == pytest.approx(np.sqrt(0.75), rel=1e-12)
    assert cell(exact, "iid", "median_width") == cell(plain, "iid", "median_width")
    assert any("K/M = 25%" in note for note in plain.notes)


def test_strata_by_size_pay(table):
    """20 documents of which 10 among the large ones: the source text's remedy by design."""
    options = {"documents": 20, "estimand": ["micro", "macro"], "seed": 1, "replications": 500}
    simple = simulate_coverage(table, methods="cr2", **options)
    halves = simulate_coverage(
        table, design="stratified", strata="band", allocation={"large": 10, "small": 10},
        methods=["survey", "bootstrap-t", "percentile"], n_boot=99, **options,
    )  # fmt: skip
    micro = [r.estimators.set_index("estimand").loc["micro"] for r in (halves, simple)]
    assert micro[0]["rmse"] < 0.8 * micro[1]["rmse"]
    assert cell(halves, "survey", "median_width") < 0.8 * cell(simple, "cr2", "median_width")
    assert micro[0]["mean_df"] == 18
    assert "K = 10 + 10 of M = 1,300 documents by stratum" in halves.summary()
    for row in halves.estimators.itertuples():
        assert abs(row.bias) < 4 * row.bias_mc_error + 0.01  # a ratio is nearly unbiased


def test_proportional_allocation_is_the_default(table):
    result = simulate_coverage(
        table, documents=20, design="stratified", strata="band", estimand="micro",
        methods="survey", replications=50, seed=1,
    )  # fmt: skip
    assert result.plan.allocation == (2, 18)


def test_two_stages(scores):
    options = {
        "score": "doc_hit_at_1", "doc": "doc_id", "documents": 20, "estimand": ["micro", "macro"],
        "seed": 1, "replications": 400, "n_boot": 99,
    }  # fmt: skip
    two = {"design": "two-stage", "methods": "all", **options}
    few = simulate_coverage(scores, queries_per_document=3, **two)
    every = simulate_coverage(scores, queries_per_document=548, **two)
    simple = simulate_coverage(scores, methods=["cr1", "cr2"], **options)
    for estimand in ("micro", "macro"):
        truth = few.estimators.set_index("estimand").loc[estimand]
        assert truth["rmse"] > simple.estimators.set_index("estimand").loc[estimand, "rmse"]
        assert abs(truth["bias"]) < 4 * truth["bias_mc_error"] + 0.03  # the ratio's own bias
        # All queries of each document: simple random sampling again, sample by sample.
        assert cell(every, "cr2", "coverage", estimand) == cell(simple, "cr2", "coverage", estimand)
        assert cell(every, "survey", "unavailable", estimand) == 0
    assert cell(every, "cr1", "median_width") == pytest.approx(cell(simple, "cr1", "median_width"))
    assert "3 queries of each" in " ".join(few.summary().split())
    assert set(few.table["method"]) >= {"cr2", "survey", "wild", "korn-graubard", "bca"}
    corrected = simulate_coverage(
        scores, design="two-stage", queries_per_document=3, fpc=True, methods=["survey"], **options
    )
    width = cell(corrected, "survey", "median_width", "macro")
    assert width == pytest.approx(cell(few, "survey", "median_width", "macro"), rel=0.02)


def test_with_replacement(small):
    result = simulate_coverage(
        small, documents=12, estimand="macro", methods="cr2", replace=True, replications=50, seed=1
    )
    assert "with replacement" in result.summary()


def test_paired_differences():
    scores = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    result = simulate_coverage(
        scores, score="hit_at_1", doc="doc_id", system="system", query="query_id",
        baseline="tfidf", documents=10, estimand="micro", replications=60, n_boot=99, seed=1,
    )  # fmt: skip
    assert result.label == "hit_at_1, bm25 - tfidf"
    c = rs.compare(
        scores, score="hit_at_1", system="system", doc="doc_id", query="query_id",
        baseline="tfidf", estimand="micro",
    )  # fmt: skip
    truth = c.differences["estimate"].iloc[0]
    assert result.estimators["truth"].iloc[0] == pytest.approx(truth)
    assert "korn-graubard" not in set(result.table["method"])
    assert any("korn-graubard is left out" in note for note in result.notes)


# --- random numbers, processes, progress -----------------------------------------------------


def test_same_numbers_whatever_the_processes(table):
    options = {
        "documents": 8, "estimand": ["micro", "macro"], "replications": 500, "n_boot": 49,
        "seed": 11,
    }  # fmt: skip
    one = simulate_coverage(table, **options)
    two = simulate_coverage(table, n_jobs=2, **options)
    pd.testing.assert_frame_equal(one.table, two.table, check_exact=True)
    pd.testing.assert_frame_equal(one.estimators, two.estimators, check_exact=True)


def test_seeds(table):
    options = {"documents": 8, "estimand": "micro", "methods": "cr2", "replications": 40}
    first, again, other = (simulate_coverage(table, seed=s, **options) for s in (1, 1, 2))
    pd.testing.assert_frame_equal(first.table, again.table)
    assert first.estimators["bias"].iloc[0] != other.estimators["bias"].iloc[0]
    fresh = simulate_coverage(table, **options)
    stated = int(re.search(r"seed=(\d+)", fresh.seed).group(1))
    repeated = simulate_coverage(table, seed=stated, **options)
    pd.testing.assert_frame_equal(fresh.table, repeated.table)
    given = [simulate_coverage(table, seed=np.random.default_rng(3), **options) for _ in range(2)]
    pd.testing.assert_frame_equal(given[0].table, given[1].table)
    assert given[0].seed == "a Generator that was given"


def test_methods_do_not_change_the_samples(table):
    options = {"documents": 8, "estimand": "micro", "replications": 40, "seed": 1, "n_boot": 49}
    alone = simulate_coverage(table, methods="cr2", **options)
    beside = simulate_coverage(table, methods=["percentile", "t", "cr2"], **options)
    assert cell(alone, "cr2", "coverage") == cell(beside, "cr2", "coverage")
    assert beside.table["method"].tolist() == ["percentile", "cr2"]
    pd.testing.assert_frame_equal(alone.estimators, beside.estimators)


def test_progress_is_told(table, capsys):
    told = []
    simulate_coverage(
        table, documents=3, estimand="micro", methods="cr2", replications=450, seed=1,
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    assert told == [(200, 450), (400, 450), (450, 450)]
    simulate_coverage(table, documents=3, estimand="micro", methods="cr2", replications=9, seed=1)
    assert capsys.readouterr() == ("", "")


# --- telling ---------------------------------------------------------------------------------


def test_summary_fits_eighty_columns(table):
    result = simulate_coverage(
        table, documents=2, estimand=["micro", "macro"], replications=60, n_boot=49, seed=1
    )
    text = result.summary()
    assert max(map(len, text.split("\n"))) <= 80
    for part in ("Coverage of nominal 95% intervals", "60 samples of K = 2 of M = 1,300", "seed=1",
                 "micro: truth 0.5326", "t(K-1) of the rates", "of samples do not vary",
                 "Unavailable intervals count as misses"):  # fmt: skip
        assert part in " ".join(text.split())
    for row in result.table.itertuples():
        line = next(
            part for part in text.split(f"\n{row.estimand}: ")[1].split("\n")
            if part.startswith(f"  {row.method} ")
        )  # fmt: skip
        shown = "1.00" if round(row.coverage, 3) >= 1 else f"{row.coverage:.3f}"[1:]
        assert line[45:].split()[0] == shown


def test_to_dict_is_json(table):
    result = simulate_coverage(
        table, documents=3, estimand="micro", replications=30, n_boot=49, seed=1, methods="all"
    )
    stored = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert stored["design"]["documents"] == 3
    assert stored["population"] == 1300
    assert [row["method"] for row in stored["table"]] == result.table["method"].tolist()
    wild = next(row for row in stored["table"] if row["method"] == "wild")
    assert wild["median_width"] is None


def test_plot_shows_every_method(table):
    result = simulate_coverage(
        table,
        documents=2,
        estimand=["micro", "macro"],
        replications=60,
        n_boot=49,
        seed=1,
        methods="all",
    )
    figure = result.plot()
    left, right = figure.axes
    assert len(left.get_yticklabels()) == len(result.table)
    assert "misses" in right.get_xlabel()
    legend = [text.get_text() for text in right.get_legend().get_texts()]
    assert legend == ["below", "above", "unavailable"]
    widths = [bar.get_width() for bar in right.containers[0]]
    assert widths == pytest.approx(result.table["below"].tolist())
    figure.canvas.draw()


def test_any_frame_is_read(scores):
    polars = pytest.importorskip("polars")
    options = {
        "score": "hit_at_1", "doc": "doc_id", "documents": 5, "estimand": "micro",
        "methods": "cr2", "replications": 20, "seed": 1,
    }  # fmt: skip
    known = simulate_coverage(scores, **options)
    found = simulate_coverage(polars.from_pandas(scores), **options)
    pd.testing.assert_frame_equal(known.table, found.table)


# --- errors ----------------------------------------------------------------------------------

BASE = {"documents": 3, "estimand": "micro", "replications": 5, "methods": "cr2"}


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"documents": 7}, DataError, "documents=7: the data have 6; draw fewer, or replace=True"),
        ({"documents": 1}, ValueError, "documents=1: give a whole number of at least 2"),
        ({"documents": 2.5}, ValueError, "documents=2.5: give a whole number"),
        ({"replications": 0}, ValueError, "replications=0: give a whole number of at least 1"),
        ({"estimand": "mikro"}, ValueError, "estimand='mikro' is unknown (did you mean 'micro'?)"),
        ({"estimand": []}, ValueError, "estimand=[] is empty"),
        (
            {"methods": "percentil"},
            ValueError,
            "methods='percentil' is unknown (did you mean 'perc",
        ),
        ({"methods": ["cr2", "koln"]}, ValueError, "methods='koln' is unknown"),
        ({"methods": []}, ValueError, "methods=[] is empty"),
        ({"methods": "cr1", "estimand": "macro"}, ValueError, "methods='cr1' is about the micro"),
        ({"methods": "survey"}, ValueError, "methods='survey' is not defined for design='srs'"),
        ({"alpha": 1.5}, ValueError, "alpha=1.5"),
        ({"n_boot": 0}, ValueError, "n_boot=0"),
        ({"n_jobs": 0}, ValueError, "n_jobs=0"),
        ({"seed": "one"}, ValueError, "seed='one'"),
        ({"degenerate": "mis"}, ValueError, "degenerate='mis' is unknown (did you mean 'miss'?)"),
        (
            {"design": "stratum"},
            ValueError,
            "design='stratum' is unknown (did you mean 'stratified",
        ),
        ({"design": "stratified"}, ValueError, "strata is missing or has one value"),
        ({"design": "two-stage"}, ValueError, "data has one row per document; design='two-stage'"),
        ({"strata": "bad"}, ValueError, "strata='bad' is not a column"),
        ({"strata": "band"}, ValueError, "strata= and allocation= are for design='stratified'"),
        (
            {"queries_per_document": 2},
            ValueError,
            "queries_per_document= is for design='two-stage'",
        ),
        ({"fpc": True, "replace": True}, ValueError, "fpc=True with replace=True"),
        ({"score": "y"}, ValueError, "score='y' is for rows"),
        ({"systems": ["a", "b"]}, ValueError, "systems=['a', 'b']: name one system"),
        ({"unmatched": "stacked"}, ValueError, "unmatched='stacked' is unknown"),
    ],
)
def test_wrong_arguments(options, error, said):
    frame = pd.DataFrame({"doc": range(6), "n": 2, "s": [1, 0, 2, 0, 1, 0], "band": list("aabbbb")})
    table = rs.DocumentTable.from_frame(frame, doc="doc", binary=True, keep=["band"])
    with pytest.raises(error) as raised:
        simulate_coverage(table, **{**BASE, **options})
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("allocation", "options", "said"),
    [
        ({"a": 2}, {}, "allocation has no number for stratum 'b'"),
        ({"a": 2, "c": 2}, {}, "allocation names 'c', no stratum; strata: a, b"),
        ({"a": 2, "b": 2}, {"documents": 5}, "allocation sums to 4, and documents=5"),
        ({"a": 3, "b": 1}, {"documents": 4}, "allocation: 3 documents of stratum 'a', which has 2"),
        ({"a": 2, "b": 1}, {}, "allocation: one document of stratum 'b' has no variance"),
        ({"a": 2, "b": 0.5}, {}, "allocation['b']=0.5: give a whole number of at least 1"),
        ("neyman", {}, "allocation='neyman': give 'proportional', or the number of documents"),
    ],
)
def test_wrong_allocations(allocation, options, said):
    frame = pd.DataFrame({"doc": range(6), "n": 2, "s": [1, 0, 2, 0, 1, 0], "band": list("aabbbb")})
    table = rs.DocumentTable.from_frame(frame, doc="doc", binary=True, keep=["band"])
    known = {**BASE, "design": "stratified", "strata": "band", "methods": "survey"}
    with pytest.raises((ValueError, TypeError)) as raised:
        simulate_coverage(table, allocation=allocation, **{**known, **options})
    assert said in str(raised.value)


def test_one_document_taken_with_certainty():
    frame = pd.DataFrame({"doc": range(6), "n": 2, "s": [1, 0, 2, 0, 1, 0], "band": list("abbbbb")})
    table = rs.DocumentTable.from_frame(frame, doc="doc", binary=True, keep=["band"])
    options = {
        "documents": 4, "estimand": "micro", "replications": 30, "design": "stratified",
        "strata": "band", "allocation": {"a": 1, "b": 3}, "seed": 1, "methods": "all",
    }  # fmt: skip
    with pytest.raises(DataError, match="or fpc=True, for the stratum has one"):
        simulate_coverage(table, **options)
    result = simulate_coverage(table, fpc=True, **options)
    assert any("bootstrap-t is left out: it cannot resample" in note for note in result.notes)
    assert cell(result, "survey", "unavailable") < 1
    assert result.estimators["mean_df"].iloc[0] == 2


@pytest.mark.parametrize(
    ("values", "methods", "said"),
    [
        ([0.5, 0.0, 1.0, 0.2], "korn-graubard", "is for 0/1 scores, and these are not"),
        ([1.5, 0.0, 1.0, 0.2], "logit", "is for scores in [0, 1], and these are outside"),
        ([1.5, 0.0, 1.0, 0.2], "clip", "is for scores in [0, 1]"),
    ],
)
def test_scores_of_the_wrong_kind(values, methods, said):
    frame = pd.DataFrame({"doc": range(4), "y": values})
    with pytest.raises(DataError) as raised:
        simulate_coverage(
            frame, score="y", doc="doc", documents=2, estimand="micro", methods=methods
        )
    assert said in str(raised.value)


def test_unknown_squares(small):
    frame = pd.DataFrame({"doc": range(6), "n": 2, "s": [1, 0, 2, 0, 1, 0]})
    table = rs.DocumentTable.from_frame(frame, doc="doc")
    with pytest.raises(DataError, match="'iid' needs the sums of squares, which are unknown"):
        simulate_coverage(table, **{**BASE, "methods": "iid"})
    result = simulate_coverage(table, **{**BASE, "methods": "closed-form"})
    assert set(result.table["method"]) == {"cr2", "cr3", "cr1", "logit", "clip"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"score": None}, "score is missing"),
        ({"doc": None}, "doc is missing"),
        ({"doc": "docs"}, "doc='docs' is not a column of the data (did you mean 'doc'?)"),
        ({"baseline": "a"}, "baseline='a' needs system="),
        ({"system": "who"}, "systems is missing: there are 3, a, b, c"),
        ({"system": "who", "baseline": "a", "query": "q"}, "leaves 2 systems, b, c; name one pair"),
        ({"system": "who", "baseline": "d", "query": "q"}, "baseline='d' and another system are"),
        ({"system": "who", "systems": ["a", "b"], "baseline": "a"}, "query is missing"),
        (
            {"system": "who", "systems": ["a", "c"], "baseline": "a", "query": "q"},
            "unmatched: 1 que",
        ),
        ({"strata": "none"}, "strata='none' is not a column"),
        ({"design": "two-stage"}, "queries_per_document is missing"),
        (
            {"design": "two-stage", "queries_per_document": 1, "fpc": True},
            "one query shows no vari",
        ),
    ],
)
def test_wrong_rows(options, said):
    frame = pd.DataFrame(
        {"doc": list("xxyyzz") * 3, "q": list(range(6)) * 3, "who": np.repeat(list("abc"), 6)}
    )
    frame["y"] = np.arange(18) % 2
    frame = frame.iloc[:-1]  # c lacks one query
    known = {"score": "y", "doc": "doc", **BASE, "documents": 2}
    with pytest.raises((ValueError, TypeError)) as raised:
        simulate_coverage(frame, **{**known, **options})
    assert said in str(raised.value)


def test_unmatched_queries_may_be_left_out():
    frame = pd.DataFrame(
        {"doc": list("xxyyzz") * 2, "q": list(range(6)) * 2, "who": np.repeat(list("ab"), 6)}
    )
    frame["y"] = [0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 0]
    result = simulate_coverage(
        frame.iloc[:-1], score="y", doc="doc", system="who", query="q", baseline="a",
        unmatched="pairwise", **BASE,
    )  # fmt: skip
    assert "1 query answered by only one of the two systems left out" in result.notes
