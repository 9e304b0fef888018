"""Comparisons: paired differences and system-indicator regressions are the same analysis."""

import numpy as np
import pandas as pd
import pytest

import ragstats as rs


def balanced(seed=0, n_documents=9, systems=("a", "b", "c")):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, n_documents)
    rows = []
    for document, size in enumerate(sizes):
        level = rng.normal()
        for query in range(size):
            for j, system in enumerate(systems):
                rows.append(
                    (f"d{document}", f"d{document}q{query}", system, level + rng.normal(j / 5))
                )
    return pd.DataFrame(rows, columns=["doc", "query", "system", "score"])


OPTIONS = {"score": "score", "system": "system", "doc": "doc", "query": "query"}
# The two ways are the same algebra in another order: rounding only.
IDENTITY = {"rel": 1e-10}


@pytest.mark.parametrize("estimand", ["micro", "macro"])
@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR2", "CR3"])
def test_pairs_stacked_and_regression_agree(estimand, cov_type):
    rows = balanced()
    paired = rs.compare(rows, estimand=estimand, cov_type=cov_type, baseline="a", **OPTIONS)
    stacked = rs.compare(
        rows, estimand=estimand, cov_type=cov_type, baseline="a", unmatched="stacked", **OPTIONS
    )
    by = {"by": "system"} if estimand == "macro" else {}
    model = rs.ols("score ~ system", rows, groups="doc", estimand=estimand, **by)
    fitted = model.fit(cov_type=cov_type)
    for pair in paired.pairs:
        term = f"system[T.{pair[0]}]"
        regression = (fitted.params[term], fitted.bse[term], fitted.df_inference[term])
        for c in (paired, stacked):
            row = c.differences.loc[pair]
            assert (row["estimate"], row["se"], row["df"]) == pytest.approx(regression, **IDENTITY)
    joint, wald = paired.joint_test(), fitted.wald_test("system[T.b] = 0, system[T.c] = 0")
    assert joint.statistic == pytest.approx(float(wald.statistic), **IDENTITY)
    assert joint.df_denom == pytest.approx(float(wald.df_denom), **IDENTITY)


def test_unbalanced_macro_keeps_the_closed_form():
    # Every document has both systems, on different queries: sd(r_B - r_A)/√K with K - 1 df.
    rng = np.random.default_rng(5)
    rows = balanced(seed=5, systems=("a", "b"))
    keep = (rng.random(len(rows)) < 0.7) | ~rows.duplicated(["doc", "system"])
    rows = rows[keep]
    c = rs.compare(rows, estimand="macro", baseline="a", unmatched="stacked", **OPTIONS)
    rates = rows.groupby(["doc", "system"])["score"].mean().unstack()
    difference = rates["b"] - rates["a"]
    row = c.differences.loc[("b", "a")]
    assert row["estimate"] == pytest.approx(difference.mean(), **IDENTITY)
    assert row["se"] == pytest.approx(difference.std(ddof=1) / np.sqrt(len(difference)), **IDENTITY)
    assert row["df"] == pytest.approx(len(difference) - 1, **IDENTITY)


def test_unmatched_queries_follow_the_rule():
    rows = balanced(systems=("a", "b"))
    rows.loc[rows.index[[1, 6]], "score"] = np.nan  # row 1 is of b, row 6 of a
    with pytest.raises(rs.DataError, match="2 queries have a score of only one of 'b' and 'a'"):
        rs.compare(rows, estimand="micro", **OPTIONS)
    pairwise = rs.compare(rows, estimand="micro", unmatched="pairwise", **OPTIONS)
    complete = rows[rows.groupby("query")["score"].transform("count") == 2]
    expected = rs.compare(complete, estimand="micro", **OPTIONS)
    got, want = pairwise.differences.loc[("b", "a")], expected.differences.loc[("b", "a")]
    assert got[["estimate", "se", "df"]].tolist() == want[["estimate", "se", "df"]].tolist()
    assert pairwise.scores.unscored == {"a": 1, "b": 1}
    stacked = rs.compare(rows, estimand="micro", unmatched="stacked", **OPTIONS)
    fitted = rs.ols("score ~ system", rows, groups="doc").fit()
    row = stacked.differences.loc[("b", "a")]
    assert row["se"] == pytest.approx(fitted.bse["system[T.b]"], **IDENTITY)
    assert row["df"] == pytest.approx(fitted.df_inference["system[T.b]"], **IDENTITY)


def test_all_pairs_and_a_baseline():
    rows = balanced()
    every = rs.compare(rows, estimand="micro", **OPTIONS)
    assert every.pairs == (("b", "a"), ("c", "a"), ("c", "b"))
    some = rs.compare(rows, estimand="micro", baseline="c", **OPTIONS)
    assert some.pairs == (("a", "c"), ("b", "c"))
    assert some.differences.loc[("a", "c"), "estimate"] == pytest.approx(
        -every.differences.loc[("c", "a"), "estimate"], **IDENTITY
    )


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"baseline": "d"}, "baseline='d' has 0 scored queries; systems with scores: a, b, c"),
        ({}, {"estimand": "mean"}, "estimand='mean' is unknown.*'micro', 'macro'"),
        ({}, {"unmatched": "drop"}, "unmatched='drop' is unknown"),
        ({}, {"cov_type": "CR4"}, "cov_type='CR4' is unknown"),
        ({}, {"system": "sys"}, "system='sys' is not a column.*did you mean 'system'"),
        ({"system": "a"}, {"query": None}, "has one system"),
    ],
)
def test_bad_input_is_one_line(change, options, message):
    rows = balanced().assign(**change)
    with pytest.raises(ValueError, match=message) as caught:
        rs.compare(rows, **{"estimand": "micro", **OPTIONS, **options})
    assert "\n" not in str(caught.value)


def test_a_repeated_query_is_refused():
    rows = balanced()
    with pytest.raises(rs.DataError, match="1 row repeats a query of the same system"):
        rs.compare(pd.concat([rows, rows.iloc[[4]]]), estimand="micro", **OPTIONS)


def test_a_query_of_two_documents_is_refused_with_the_ways_out():
    rows = balanced().assign(query=lambda t: t["query"].str.replace(r"^d\d+", "", regex=True))
    with pytest.raises(rs.DataError, match=r"belong to several documents.*rs.linked_documents"):
        rs.compare(rows, estimand="micro", **OPTIONS)


def test_a_system_without_scores_is_named():
    rows = balanced()
    rows.loc[rows["system"] == "c", "score"] = np.nan
    with pytest.raises(
        rs.DataError, match=r"system='c' has 0 scored queries \(\d+ rows, none scored"
    ):
        rs.compare(rows, estimand="micro", **OPTIONS)


def test_census_and_population():
    rows = balanced(systems=("a", "b"))
    k = rows["doc"].nunique()
    plain = rs.compare(rows, estimand="macro", **OPTIONS).differences.iloc[0]
    half = rs.compare(rows, estimand="macro", population=2 * k, **OPTIONS).differences.iloc[0]
    assert half["se"] == pytest.approx(plain["se"] * np.sqrt(0.5), **IDENTITY)
    with pytest.raises(ValueError, match=f"at least the {k} that are here"):
        rs.compare(rows, estimand="macro", population=k - 1, **OPTIONS)


def test_a_census_is_known_and_says_so():
    rows = balanced()
    with pytest.warns(rs.RagstatsWarning, match="every document of the population is here"):
        c = rs.compare(rows, estimand="macro", population=rows["doc"].nunique(), **OPTIONS)
    assert (c.differences["se"] == 0).all()
    assert c.joint_test().reason.startswith("every document of the population is here")


def test_a_pair_that_meets_in_one_document_is_nan_with_the_reason():
    rows = balanced()
    rows = rows[(rows["system"] != "c") | (rows["doc"] == "d1")]
    c = rs.compare(rows, estimand="micro", unmatched="pairwise", **OPTIONS)
    row = c.differences.loc[("c", "a")]
    inside = rows[rows["doc"] == "d1"].groupby("system")["score"].mean()
    assert row["estimate"] == pytest.approx(inside["c"] - inside["a"], **IDENTITY)
    assert np.isnan(row["se"])
    assert "rests on 1 document ('d1')" in c.summary()
    assert np.isfinite(c.differences.loc[("b", "a"), "se"])


def test_what_one_system_alone_has_is_counted():
    rows = balanced(systems=("a", "b"))
    rows.loc[rows.index[[1, 6]], "score"] = np.nan
    text = rs.compare(rows, estimand="micro", unmatched="pairwise", **OPTIONS).summary()
    said = "2 queries answered by only one system of a pair are"
    assert f"{said} left out of the differences (the means keep them): b - a 2;" in " ".join(
        text.split()
    )
    assert "2 rows without a score: " in text
    text = rs.compare(rows, estimand="micro", unmatched="stacked", **OPTIONS).summary()
    assert f"{said} kept: b - a 2;" in " ".join(text.split())


def test_left_out_queries_are_one_note_however_many_pairs():
    rows = balanced()
    rows.loc[rows.index[0], "score"] = np.nan  # one query of one of three systems: two pairs
    text = " ".join(
        rs.compare(rows, estimand="micro", unmatched="pairwise", **OPTIONS).summary().split()
    )
    assert text.count("answered by only one system") == 1
    assert text.count("1 query answered by only one system of a pair is left out") == 1


def test_a_missing_covariate_is_refused():
    rows = balanced(systems=("a", "b")).assign(length=1.0)
    rows["length"] = np.arange(len(rows), dtype=float)
    rows.loc[rows.index[3], "length"] = np.nan
    with pytest.raises(rs.DataError, match="covariates='length': 1 rows with missing length"):
        rs.compare(rows, estimand="micro", covariates="length", **OPTIONS)


# ---- the figure ------------------------------------------------------------------------------


def test_the_figure_has_every_difference_with_its_interval():
    c = rs.compare(balanced(), estimand="micro", **OPTIONS)
    figure = c.plot(alpha=0.1)
    (ax,) = figure.axes
    table = c.table(0.1)
    drawn = [line.get_xdata() for line in ax.get_lines() if len(set(line.get_ydata())) == 1]
    limits = [tuple(x) for x in drawn if len(x) == 2 and list(x) != [0, 1]]
    assert limits == list(zip(table["low"], table["high"], strict=True))
    assert [x[0] for x in drawn if len(x) == 1] == table["estimate"].tolist()
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names == [f"{a} − {b}" for a, b in table.index]
    assert ax.get_xlabel() == "difference in score, 90% interval"


def test_a_difference_without_an_interval_is_a_hollow_mark():
    rows = pd.DataFrame({"system": list("AABB"), "doc": list("xyyz"), "query": [1, 2, 2, 3],
                         "y": [0.0, 1.0, 0.0, 1.0]})  # fmt: skip
    c = rs.compare(rows, score="y", system="system", doc="doc", query="query", estimand="micro",
                   unmatched="pairwise")  # fmt: skip
    assert np.isnan(c.differences["low"].iloc[0])
    marks = [line for line in c.plot().axes[0].get_lines() if len(line.get_xdata()) == 1]
    assert [(m.get_xdata()[0], m.get_markerfacecolor()) for m in marks] == [(-1.0, "none")]


# ---- the text --------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 20, 60, 200])
def test_the_summary_fits_80_columns_with_names_of_any_length(length):
    names = [f"{'x' * length}-{i}" for i in range(3)]
    rows = balanced(systems=names)
    rows["other"] = np.sin(np.arange(len(rows)))
    rows.loc[0, "score"] = np.nan
    c = rs.compare(rows, estimand="micro", unmatched="pairwise", **OPTIONS)
    several = rs.compare_scores(
        rows, scores=["score", "other"], estimand="micro", unmatched="pairwise",
        system="system", doc="doc", query="query",
    )  # fmt: skip
    for text in (c.summary(), several.summary()):
        assert max(map(len, text.splitlines())) <= 80
        whole = "".join(text.split())
        assert all(f"{a}-{b}" in whole for a, b in c.pairs)
        assert f"{c.differences['estimate'].iloc[0]:.4f}" in whole


@pytest.mark.parametrize("estimand", ["micro", "macro"])
def test_covariates_that_cancel_in_the_pairs_are_said_to_change_nothing(estimand):
    rows = balanced()
    rng = np.random.default_rng(1)
    words = dict(zip(rows["query"].unique(), rng.random(rows["query"].nunique()), strict=True))
    rows = rows.assign(words=rows["query"].map(words), turn=rng.random(len(rows)))
    plain = rs.compare(rows, estimand=estimand, **OPTIONS)
    same = rs.compare(rows, estimand=estimand, covariates="words", **OPTIONS)
    other = rs.compare(rows, estimand=estimand, covariates="words + turn", **OPTIONS)
    one = plain.differences[["estimate", "se", "df"]].to_numpy()
    # The covariate is orthogonal to every difference of a document: rounding only.
    np.testing.assert_allclose(same.differences[["estimate", "se", "df"]], one, rtol=1e-9)
    assert "they cancel in the differences" in " ".join(same.summary().split())
    assert same.notes
    assert np.abs(other.differences["estimate"] - plain.differences["estimate"]).max() > 1e-3
    assert other.notes == plain.notes == ()
    unbalanced = rs.compare(
        rows.iloc[1:], estimand=estimand, covariates="words", unmatched="stacked", **OPTIONS
    )
    assert unbalanced.notes == ()
