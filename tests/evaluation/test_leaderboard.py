"""Leaderboards, equivalence, covariates, several scores, linked documents, repeated judgements."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import ragstats as rs
from ragstats.evaluation.leaderboard import letter_groups

OPTIONS = {"system": "system", "doc": "doc_id", "query": "query_id", "estimand": "micro"}
# The same sums in another order: rounding only.
SAME = {"rel": 1e-10}


@pytest.fixture(scope="module")
def scores():
    return rs.datasets.load_retrieval()


@pytest.fixture(scope="module")
def comparison(scores):
    return rs.compare(scores, score="hit_at_1", baseline="bm25", **OPTIONS)


def test_leaderboard_is_made_of_means_and_pairs(comparison, scores):
    board = comparison.leaderboard()
    assert board.index.tolist() == ["hybrid", "bm25", "tfidf", "dense"]
    means = {
        s: rs.micro_mean("hit_at_1", scores[scores["system"] == s], groups="doc_id")
        for s in board.index
    }
    for name, row in board.iterrows():
        mean = means[name]
        assert (row["estimate"], row["se"]) == pytest.approx((mean.estimate, mean.se), **SAME)
        half = stats.t.isf(0.05 / 2 / 4, mean.df) * mean.se  # Bonferroni over four systems
        assert row["high_simultaneous"] - row["estimate"] == pytest.approx(half, rel=1e-9)
    every = rs.compare(scores, score="hit_at_1", **OPTIONS).differences
    holm = multipletests(every["p"], method="holm")[1]
    to_best = dict(zip(every.index, holm, strict=True))
    assert board.loc["bm25", "p_to_best"] == pytest.approx(to_best[("hybrid", "bm25")], rel=1e-8)
    assert board["group"].tolist() == ["a", "b", "c", "d"]


def test_a_leaderboard_prints_in_80_columns_and_gives_plain_frames(comparison):
    board = comparison.leaderboard()
    lines = str(board).splitlines()
    assert max(map(len, lines)) <= 80
    assert repr(board) == str(board) == board.summary()
    assert " ".join(lines[:3]).startswith("Micro means of 'hit_at_1' over all scored queries")
    cells = next(line for line in lines if line.startswith("bm25")).split()
    row = board.loc["bm25"]
    wanted = [f"{row[c]:.4f}" for c in ("estimate", "se", "low", "high")]
    assert cells[1:] == [*wanted, f"{row['p_to_best']:.2g}", "b"]
    for part in (board[["estimate"]], board.iloc[:2], board.copy(), board.rename(columns=str)):
        assert type(part) is pd.DataFrame
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(board)), board)


def test_a_leaderboard_can_be_drawn(comparison):
    pytest.importorskip("matplotlib", reason="the extra 'report' is not installed")
    board = comparison.leaderboard(alpha=0.1)
    (ax,) = board.plot().axes
    marks = [line for line in ax.get_lines() if len(line.get_xdata()) == 1]
    assert [m.get_xdata()[0] for m in marks] == board["estimate"].tolist()  # from the top
    bars = [line.get_xdata() for line in ax.get_lines() if len(line.get_xdata()) == 2]
    np.testing.assert_array_equal(bars, board[["low", "high"]])
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names == [f"{s}  {g}" for s, g in board["group"].items()]
    assert "90% interval" in ax.get_xlabel()


def test_letters_share_iff_not_different():
    rng = np.random.default_rng(0)
    names = list("uvwxyz")
    for _ in range(50):
        p = {pair: rng.random() for pair in itertools.combinations(names, 2)}
        both = {**p, **{(b, a): v for (a, b), v in p.items()}}
        letters = letter_groups(names, both, 0.5)
        for (a, b), value in p.items():
            assert bool(set(letters[a]) & set(letters[b])) == (value > 0.5)


def test_equivalence_is_two_one_sided_tests(comparison):
    margin = 0.02
    table = comparison.equivalence(margin)
    for pair, row in table.iterrows():
        e = comparison.estimates[pair]
        above = stats.t.sf((e.estimate + margin) / e.se, e.df)
        below = stats.t.cdf((e.estimate - margin) / e.se, e.df)
        assert row["p_noninferior"] == pytest.approx(above, rel=1e-12)
        assert row["p_equivalent"] == pytest.approx(max(above, below), rel=1e-12)
        inside = -margin < row["low"] and row["high"] < margin
        assert inside == (row["p_equivalent"] < 0.05)
    with pytest.raises(ValueError, match=r"margin=-1.*positive difference"):
        comparison.equivalence(-1)


@pytest.mark.parametrize("estimand", ["micro", "macro"])
def test_covariates_are_the_regression(scores, estimand):
    scores = scores[scores["doc_id"].isin(scores["doc_id"].unique()[::5])]  # 260 documents
    options = {**OPTIONS, "estimand": estimand}
    c = rs.compare(scores, score="rr", covariates="C(section)", baseline="bm25", **options)
    by = {"by": "system"} if estimand == "macro" else {}
    r = rs.ols(
        "rr ~ C(system) + C(section)", scores, groups="doc_id", estimand=estimand, **by
    ).fit()
    for name in ("dense", "hybrid", "tfidf"):
        row = c.differences.loc[(name, "bm25")]
        term = f"C(system)[T.{name}]"
        assert (row["estimate"], row["se"], row["df"]) == pytest.approx(
            (r.params[term], r.bse[term], r.df_inference[term]), **SAME
        )
    joint = r.wald_test_terms().table.loc["C(system)"]
    assert c.joint_test().statistic == pytest.approx(joint["statistic"], rel=1e-8)
    with pytest.raises(rs.DataError, match="are combinations of the systems"):
        rs.compare(scores.assign(copy=scores["system"]), score="rr",
                   covariates="0 + C(copy)", baseline="bm25", **OPTIONS)  # fmt: skip


def test_several_scores_share_one_correction(scores):
    names = ["hit_at_1", "hit_at_5", "rr"]
    c = rs.compare_scores(scores, scores=names, baseline="bm25", **OPTIONS)
    table = c.differences
    assert len(table) == 9
    assert table["p_adjusted"].to_numpy() == pytest.approx(
        multipletests(table["p"], method="holm")[1], rel=1e-12
    )
    with pytest.raises(TypeError, match="scores='rr': give a list"):
        rs.compare_scores(scores, scores="rr", **OPTIONS)


def test_pair_diagnostics(comparison, scores):
    found = comparison.diagnostics("tfidf", "bm25")
    rates = scores.groupby(["doc_id", "system"])["hit_at_1"].mean().unstack()
    assert found.correlation == pytest.approx(rates["tfidf"].corr(rates["bm25"]), rel=1e-10)
    difference = rates["tfidf"] - rates["bm25"]
    assert found.interaction == pytest.approx(difference.std(ddof=1), rel=1e-10)
    assert found.share_tied == pytest.approx((difference == 0).mean(), rel=1e-12)
    means = [
        rs.micro_mean("hit_at_1", scores[scores["system"] == s], groups="doc_id").se
        for s in ("tfidf", "bm25")
    ]
    paired = comparison.differences.loc[("tfidf", "bm25"), "se"]
    assert found.gain == pytest.approx(paired / np.hypot(*means), rel=1e-10)


def test_documents_that_share_queries_are_one_cluster():
    rows = pd.DataFrame(
        {"doc": list("aabbccdd"), "query": [1, 2, 2, 3, 4, 5, 6, 7]}, index=range(10, 18)
    )
    linked = rs.linked_documents(rows, doc="doc", query="query")
    assert linked.tolist() == ["a", "a", "a", "a", "c", "c", "d", "d"]
    assert linked.index.equals(rows.index)
    rows["score"] = [0.1, 0.4, 0.2, 0.9, 0.3, 0.5, 0.7, 0.2]
    by_cluster = rs.ols("score ~ 1", rows, groups=linked, estimand="macro", unit="doc").fit()
    # Macro over documents, clustered by component: the mean of four document means.
    assert by_cluster.params.iloc[0] == pytest.approx(rows.groupby("doc")["score"].mean().mean())
    assert by_cluster.n_groups == 3
    with pytest.raises(rs.DataError, match="all linked by shared queries"):
        rs.linked_documents(rows.assign(query=1), doc="doc", query="query")


def test_repeated_judgements_need_no_special_case():
    rng = np.random.default_rng(1)
    documents = np.repeat(np.arange(8), rng.integers(2, 7, 8))
    rows = pd.DataFrame(
        {
            "doc": np.repeat(documents, 6),
            "query": np.repeat(np.arange(len(documents)), 6),
            "system": np.tile(list("aaabbb"), len(documents)),
        }
    )
    rows["score"] = rng.normal(size=len(rows)) + rng.normal(size=8)[rows["doc"]]
    judged = rs.compare(rows, score="score", system="system", doc="doc", estimand="micro")
    averaged = rows.groupby(["doc", "query", "system"], as_index=False)["score"].mean()
    once = rs.compare(averaged, score="score", system="system", doc="doc", query="query",
                      estimand="micro")  # fmt: skip
    # Three judgements of each answer, or their mean: the documents' totals are the same, times 3.
    assert judged.estimates[("b", "a")].estimate == pytest.approx(
        once.estimates[("b", "a")].estimate, **SAME
    )
    assert judged.estimates[("b", "a")].se == pytest.approx(once.estimates[("b", "a")].se, **SAME)
    assert judged.estimates[("b", "a")].df == pytest.approx(once.estimates[("b", "a")].df, **SAME)
