"""Documents that other programs took from the wrong place: shape, order, missing ids, leftovers."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from known_inputs import (
    RTOL,
    assert_same,
    assert_says,
    design,
    expected,
    row,
    systems,
    twelve,
    unscored,
)
from numpy.testing import assert_allclose

import ragstats as rs

BINOMIAL = sm.families.Binomial()

# ---- B01: rows dropped, groups not -----------------------------------------------------------


ROUTES = ["column", "series", "array", "list", "polars", "pyarrow", "arrays", "statsmodels, column",
          "statsmodels, series", "statsmodels, all rows", "statsmodels, kept rows",
          "statsmodels, kept series", "statsmodels arrays"]  # fmt: skip


def _fits_of_unscored():
    frame = unscored()
    series, kept = frame["doc"], frame["score"].notna().to_numpy()
    fitted = smf.ols("score ~ len", frame).fit()
    plain = sm.OLS(frame["score"], design(frame, "len"), missing="drop").fit()
    return {
        "column": rs.ols("score ~ len", frame, groups="doc").fit(),
        "series": rs.ols("score ~ len", frame, groups=series).fit(),
        "array": rs.ols("score ~ len", frame, groups=series.to_numpy()).fit(),
        "list": rs.ols("score ~ len", frame, groups=series.tolist()).fit(),
        "polars": rs.ols("score ~ len", pl.from_pandas(frame), groups="doc").fit(),
        "pyarrow": rs.ols("score ~ len", pa.Table.from_pandas(frame), groups="doc").fit(),
        "arrays": rs.OLS(frame["score"], design(frame, "len"), groups=series).fit(),
        "statsmodels, column": rs.cluster_robust(fitted, groups="doc"),
        "statsmodels, series": rs.cluster_robust(fitted, groups=series),
        "statsmodels, all rows": rs.cluster_robust(fitted, groups=series.to_numpy()),
        "statsmodels, kept rows": rs.cluster_robust(fitted, groups=series.to_numpy()[kept]),
        "statsmodels, kept series": rs.cluster_robust(fitted, groups=series[kept]),
        "statsmodels arrays": rs.cluster_robust(plain, groups=series),
    }


@pytest.mark.parametrize("route", ROUTES)
def test_b01_rows_dropped_groups_not(route):
    results, right = _fits_of_unscored()[route], expected("B01")
    assert_says(row(results, "len"), right["len"])
    assert (results.nobs, results.n_groups, results.n_dropped) == (right["n"], right["G"], 2)
    assert abs(results.bse["len"] - right["wrong_truncated_se"]) > 0.005
    assert "2 of 12" in str(results.summary())


def test_b01_rows_dropped_groups_not_in_a_glm_with_weights():
    frame = unscored().assign(w=np.arange(1.0, 13), lost=lambda d: d["score"].isna())
    complete = frame[~frame["lost"]]
    options = {"family": BINOMIAL, "var_weights": "w", "offset": "len"}
    # offset = a column that is complete: only the outcome is missing
    with_missing = rs.glm("score ~ len", frame, groups="doc", **options).fit()
    assert_same(with_missing, rs.glm("score ~ len", complete, groups="doc", **options).fit())
    assert with_missing.n_dropped == 2


def test_b01_rows_dropped_groups_not_by_a_transformed_covariate():
    frame = twelve()
    frame.loc[4, "len"] = np.nan
    results = rs.ols("score ~ np.log(len)", frame, groups=frame["doc"]).fit()
    assert_same(results, rs.ols("score ~ np.log(len)", frame.dropna(), groups="doc").fit())
    assert results.model._design.dropped == {"missing len": 1}
    with np.errstate(invalid="ignore"):  # the logarithm of a negative number is NaN: also dropped
        fewer = rs.ols("score ~ np.log(len - 1.5)", frame, groups="doc").fit()
    assert fewer.model._design.dropped == {"missing len": 1, "undefined in the formula": 1}


def test_b01_rows_dropped_groups_not_raised_when_asked():
    with pytest.raises(rs.DataError, match="2 rows with missing score under missing='raise'"):
        rs.ols("score ~ len", unscored(), groups="doc", missing="raise")
    frame = unscored()
    with pytest.raises(rs.DataError, match="2 rows with missing outcome under missing='raise'"):
        rs.OLS(frame["score"], design(frame, "len"), groups=frame["doc"], missing="raise")


def test_b01_rows_dropped_groups_not_with_a_subset():
    frame, right = unscored(), expected("B01")
    more = pd.concat([frame.assign(use=True), frame.assign(use=False, score=9.0)])
    more.index = range(24)
    for groups in ("doc", more["doc"], more["doc"].to_numpy()):
        results = rs.ols("score ~ len", more, groups=groups, subset=more["use"]).fit()
        assert_says(row(results, "len"), right["len"])


# ---- B02: groups shape -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "groups",
    [
        lambda d: d[["doc"]],
        lambda d: d["doc"].to_numpy().reshape(-1, 1),
        lambda d: ["doc"],
        lambda d: d["doc"].tolist(),
        lambda d: tuple(d["doc"]),
        lambda d: pd.Index(d["doc"]),
        lambda d: d["doc"].array,
        lambda d: pl.Series(d["doc"]),
        lambda d: pa.array(d["doc"]),
        lambda d: pa.chunked_array([d["doc"][:5], d["doc"][5:]]),
        lambda d: pd.Categorical(d["doc"]),
        lambda d: d["doc"].map({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}).to_numpy(np.int8),
        lambda d: d["doc"].map(lambda x: (x, "de")),
        lambda d: [f"{x}.pdf".encode() for x in d["doc"]],
    ],
    ids=["frame", "column vector", "list of a name", "list", "tuple", "Index", "array", "polars",
         "arrow", "chunked", "Categorical", "int8", "tuples", "bytes"],
)  # fmt: skip
def test_b02_groups_shape(groups):
    frame = twelve()
    results = rs.ols("score ~ len", frame, groups=groups(frame)).fit()
    assert_says(row(results, "len"), expected("B02")["len"])


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (lambda d: d[["doc", "len", "score"]], r"groups=.*\(shape \(12, 3\)\) names 3 columns"),
        (lambda d: d[["doc", "len"]].to_numpy(), r"groups=.*\(shape \(12, 2\)\) names 2 columns"),
        (lambda d: ["doc", "len"], r"groups=\['doc', 'len'\] names 2 columns"),
        (lambda d: d["doc"].to_numpy()[:11], "groups has 11 values and the data have 12 rows"),
        (lambda d: np.zeros((12, 1, 1)), r"groups=.*shape \(12, 1, 1\)"),
        (lambda d: 7, "groups=7 is neither a column name nor one value per row"),
        (lambda d: "document", "groups='document' is not a column of the data .did you mean 'doc'"),
        (lambda d: d["doc"][:11], "groups: 1 of the 12 rows of the data are not in its index"),
    ],
    ids=["three columns", "matrix", "two names", "short", "cube", "scalar", "misspelt", "series"],
)
def test_b02_groups_shape_that_is_wrong(groups, message):
    frame = twelve()
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        rs.ols("score ~ len", frame, groups=groups(frame))
    assert "\n" not in str(caught.value)
    if not isinstance(groups(frame), str):
        fitted = smf.ols("score ~ len", frame).fit()
        with pytest.raises((ValueError, TypeError), match="groups"):
            rs.cluster_robust(fitted, groups=groups(frame))


def test_b02_groups_shape_two_columns_names_the_ways_out():
    frame = twelve()
    with pytest.raises(ValueError, match=r"join them into one key .* or cluster by the coarser"):
        rs.ols("score ~ len", frame, groups=frame[["doc", "len"]])
    twice = pd.concat([frame, frame[["doc"]]], axis=1)
    with pytest.raises(ValueError, match="names 2 columns of the data"):
        rs.ols("score ~ len", twice, groups="doc")
    key = frame["doc"] + frame["len"].astype(str)
    assert rs.ols("score ~ len", frame, groups=key).fit().n_groups == 12


def test_b02_groups_shape_of_arrays_and_glm():
    frame, right = twelve(), expected("B02")["len"]
    exog = design(frame, "len").to_numpy()
    for groups in (frame[["doc"]], frame["doc"].to_numpy()[:, None], frame["doc"].tolist()):
        model = rs.GLM(frame["score"].to_numpy(), exog, groups=groups)
        results = model.fit()  # Gaussian: the least squares fit
        assert_says(row(results, "x1"), right)
    with pytest.raises(ValueError, match="groups='doc' names a column, and the data are arrays"):
        rs.OLS(frame["score"].to_numpy(), exog, groups="doc")


def test_b02_groups_shape_integer_column_names():
    frame = twelve().rename(columns={"doc": 0})
    assert_says(row(rs.ols("score ~ len", frame, groups=0).fit(), "len"), expected("B02")["len"])


# ---- B03: cluster argument in the wrong place -------------------------------------------------


@pytest.mark.parametrize("name", ["cluster", "clusters", "cov_kwds", "group", "vcov"])
def test_b03_cluster_argument_in_the_wrong_place(name):
    with pytest.raises(TypeError, match=f"{name}= is not an argument; .* groups=, as in rs.ols"):
        rs.ols("score ~ len", twelve(), **{name: "doc"})


@pytest.mark.parametrize("name", ["groups", "cluster", "cov_kwds"])
def test_b03_cluster_argument_in_the_wrong_place_given_to_fit(name):
    frame = twelve()
    models = [
        rs.ols("score ~ len", frame, groups="doc"),
        rs.wls("score ~ len", frame, groups="doc", weights="len"),
        rs.glm("score ~ len", frame, groups="doc", family=BINOMIAL),
    ]
    for model in models:
        with pytest.raises(TypeError, match=rf"fit\(\) got {name}=: the documents belong to the"):
            model.fit(**{name: frame["doc"]})


def test_b03_cluster_argument_in_the_wrong_place_or_nowhere():
    frame = twelve()
    exog = design(frame, "len")
    fitted = sm.OLS(frame["score"], exog).fit()
    calls = [
        lambda **k: rs.ols("score ~ len", frame, **k),
        lambda **k: rs.wls("score ~ len", frame, weights="len", **k),
        lambda **k: rs.glm("score ~ len", frame, family=BINOMIAL, **k),
        lambda **k: rs.OLS(frame["score"], exog, **k),
        lambda **k: rs.WLS(frame["score"], exog, weights=frame["len"], **k),
        lambda **k: rs.GLM(frame["score"], exog, family=BINOMIAL, **k),
        lambda **k: rs.cluster_robust(fitted, **k),
    ]
    for call in calls:
        for missing in ({}, {"groups": None}):
            with pytest.raises(TypeError, match="groups is missing: the document of each row"):
                call(**missing)
        with pytest.raises(TypeError, match=r"are given by position|is not an argument"):
            call(groups="doc", clusterz=1)


def test_b03_cluster_argument_in_the_wrong_place_by_position():
    frame = twelve()
    with pytest.raises(TypeError, match="only formula and data are given by position"):
        rs.ols("score ~ len", frame, frame["doc"])
    with pytest.raises(TypeError, match="only result are given by position"):
        rs.cluster_robust(smf.ols("score ~ len", frame).fit(), frame["doc"])


def test_b03_cluster_argument_in_the_wrong_place_options_of_fit():
    with pytest.raises(TypeError, match="cov_type= belongs to fit"):
        rs.ols("score ~ len", twelve(), groups="doc", cov_type="CR1")
    model = rs.ols("score ~ len", twelve(), groups="doc")
    with pytest.raises(TypeError, match=r"no argument cov_typ= .did you mean 'cov_type'"):
        model.fit(cov_typ="CR1")
    with pytest.raises(ValueError, match=r"cov_type='cluster' is ambiguous: .* 'CR1S' here"):
        model.fit(cov_type="cluster")
    with pytest.raises(ValueError, match=r"df='satterthwait' is unknown .did you mean"):
        model.fit(df="satterthwait")


# ---- B11: index order ---------------------------------------------------------------------------


def test_b11_index_order():
    frame, right = twelve(), expected("B11")
    results = rs.ols("score ~ len", frame, groups=frame["doc"].iloc[::-1]).fit()
    assert_says(row(results, "len"), right["right"])
    assert abs(results.bse["len"] - right["wrong_positional"]["se"]) > 0.02


@pytest.mark.parametrize(
    "permutation", [np.arange(12)[::-1], np.random.default_rng(3).permutation(12)]
)
def test_b11_index_order_of_any_route(permutation):
    frame, right = twelve(), expected("B11")["right"]
    shuffled = frame["doc"].iloc[permutation]
    exog = design(frame, "len")
    routes = [
        rs.OLS(frame["score"], exog, groups=shuffled),
        rs.OLS(frame["score"], exog.to_numpy(), groups=shuffled),  # the outcome has the index
        rs.ols("score ~ len", frame.iloc[permutation[::-1]], groups=shuffled),
        rs.ols("score ~ len", frame.set_axis(list("ABCDEFGHIJKL")), groups=pd.Series(
            list("aaabbccccdee"), list("ABCDEFGHIJKL")).iloc[permutation]),
    ]  # fmt: skip
    for model in routes:
        results = model.fit()
        assert_says(row(results, results.params.index[1]), right)
    for fitted in (smf.ols("score ~ len", frame).fit(), sm.OLS(frame["score"], exog).fit()):
        assert_says(row(rs.cluster_robust(fitted, groups=shuffled), "len"), right)


def test_b11_index_order_of_weights_and_offsets():
    frame = twelve().assign(w=np.arange(1.0, 13))
    reversed_weights = frame["w"].iloc[::-1]
    first = rs.wls("score ~ len", frame, groups="doc", weights="w").fit()
    assert_same(first, rs.wls("score ~ len", frame, groups="doc", weights=reversed_weights).fit())
    options = {"family": BINOMIAL, "groups": "doc"}
    first = rs.glm("score ~ 1", frame, offset="len", **options).fit()
    second = rs.glm("score ~ 1", frame, offset=frame["len"].iloc[::-1], **options).fit()
    assert_same(first, second)


def test_b11_index_order_with_duplicate_labels():
    frame = twelve().set_axis([0, 1, 2] * 4)
    results = rs.ols("score ~ len", frame, groups=frame["doc"]).fit()  # the same index: as it is
    assert_says(row(results, "len"), expected("B11")["right"])
    assert_says(
        row(rs.ols("score ~ len", frame, groups="doc").fit(), "len"), expected("B11")["right"]
    )
    with pytest.raises(ValueError, match="groups: a Series is aligned by index, but its index has"):
        rs.ols("score ~ len", frame, groups=frame["doc"].iloc[::-1])
    lost = frame.assign(score=frame["score"].where(frame["score"] > 0))
    kept = rs.ols("score ~ len", lost, groups="doc").fit()
    assert_same(kept, rs.ols("score ~ len", lost.dropna(), groups="doc").fit())


def test_b11_index_order_of_arrays_is_asked_for():
    frame = twelve().sample(frac=1, random_state=1)
    y, x = frame["score"].to_numpy(), design(frame, "len").to_numpy()
    with pytest.raises(
        ValueError, match=r"groups is a Series with an index .* pass groups.to_numpy"
    ):
        rs.OLS(y, x, groups=frame["doc"])  # by its labels or by its order? they differ
    results = rs.OLS(y, x, groups=frame["doc"].to_numpy()).fit()
    assert_says(row(results, "x1"), expected("B11")["right"])
    assert_same(results, rs.OLS(y, x, groups=frame["doc"].reset_index(drop=True)).fit())
    with pytest.raises(ValueError, match="groups is a Series with an index"):
        rs.cluster_robust(sm.OLS(y, x).fit(), groups=frame["doc"])


# ---- B17: missing cluster id --------------------------------------------------------------------


def _with_missing_ids(dtype):
    frame = twelve()
    if dtype in ("float", "Int64"):
        frame["doc"] = frame["doc"].map({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}).astype(dtype)
    elif dtype == "datetime64[ns]":
        frame["doc"] = pd.to_datetime("2024-01-0" + frame["doc"].map(ord).sub(96).astype(str))
    elif dtype == "arrow dictionary":
        frame["doc"] = frame["doc"].astype(pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))
    else:
        frame["doc"] = frame["doc"].astype(dtype)
    frame.loc[[3, 8], "doc"] = None
    return frame


MISSING_DTYPES = [object, "str", "string", "string[pyarrow]", "category", "float", "Int64",
                  "datetime64[ns]", pd.ArrowDtype(pa.string()), "arrow dictionary"]  # fmt: skip


@pytest.mark.parametrize("dtype", MISSING_DTYPES, ids=str)
def test_b17_missing_cluster_id(dtype):
    frame = _with_missing_ids(dtype)
    with pytest.raises(rs.DataError, match="groups: 2 missing document ids in 12 rows"):
        rs.ols("score ~ len", frame, groups="doc")
    complete = frame.dropna()
    right = expected("B17")["len"]
    results = rs.ols("score ~ len", complete, groups="doc").fit()
    assert_says(row(results, "len"), right)
    assert (results.nobs, results.n_groups) == (right["n"], right["G"])


def test_b17_missing_cluster_id_elsewhere():
    frame = _with_missing_ids("str")
    exog = design(frame, "len")
    fitted = smf.ols("score ~ len", frame).fit()
    calls = [
        lambda: rs.wls("score ~ len", frame, groups="doc", weights="len"),
        lambda: rs.glm("score ~ len", frame, groups="doc", family=BINOMIAL),
        lambda: rs.OLS(frame["score"], exog, groups=frame["doc"]),
        lambda: rs.cluster_robust(fitted, groups="doc"),
        lambda: rs.ols("score ~ len", pl.from_pandas(frame), groups="doc"),
        lambda: rs.ols("score ~ len", pa.Table.from_pandas(frame), groups="doc"),
    ]
    for call in calls:
        with pytest.raises(rs.DataError, match="groups: 2 missing document ids in 12 rows"):
            call()
    for mean in (rs.micro_mean, rs.macro_mean):
        with pytest.raises(rs.DataError, match="2 missing"):
            mean("score", frame, groups="doc")


def test_b17_missing_cluster_id_only_in_rows_that_are_dropped_anyway():
    frame = _with_missing_ids("str")
    frame.loc[[3, 8], "score"] = np.nan
    assert_says(
        row(rs.ols("score ~ len", frame, groups="doc").fit(), "len"), expected("B17")["len"]
    )


# ---- B19: one cluster ---------------------------------------------------------------------------

ONE_DOCUMENT = "1 document, at least 2 needed"


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR1S", "CR2", "CR3"])
@pytest.mark.parametrize("groups", [np.zeros(12), ["x"] * 12, pd.Categorical(["x"] * 12)])
def test_b19_one_cluster(cov_type, groups):
    with pytest.raises(rs.DataError, match=f"groups: {ONE_DOCUMENT}"):
        rs.ols("score ~ len", twelve(), groups=groups).fit(cov_type=cov_type)


def test_b19_one_cluster_in_other_models():
    frame = twelve().assign(one="manual.pdf")
    exog = design(frame, "len")
    calls = [
        lambda: rs.ols("score ~ len", frame, groups="one", estimand="macro"),
        lambda: rs.wls("score ~ len", frame, groups="one", weights="len"),
        lambda: rs.glm("score ~ len", frame, groups="one", family=BINOMIAL),
        lambda: rs.OLS(frame["score"], exog, groups=frame["one"]),
        lambda: rs.cluster_robust(smf.ols("score ~ len", frame).fit(), groups="one"),
        lambda: rs.micro_mean("score", frame, groups="one"),
        lambda: rs.macro_mean("score", frame, groups="one"),
    ]
    for call in calls:
        with pytest.raises(rs.DataError, match=ONE_DOCUMENT):
            call()


def test_b19_one_cluster_that_is_left_when_rows_are_dropped():
    frame = twelve()
    frame.loc[frame["doc"] != "c", "score"] = np.nan
    with pytest.raises(rs.DataError, match=f"groups: {ONE_DOCUMENT}"):
        rs.ols("score ~ len", frame, groups="doc")


# ---- B24: unused cluster categories -------------------------------------------------------------


def _filtered():
    frame = twelve()
    frame["doc"] = frame["doc"].astype("category")
    return frame[frame["doc"].isin(["a", "b", "c"])]


def test_b24_unused_cluster_categories():
    frame, right = _filtered(), expected("B24")["cat"]
    results = rs.ols("score ~ 1", frame, groups="doc").fit()
    assert_says(row(results, "Intercept"), right["CR2"])
    assert results.n_groups == right["G"]
    cr1 = rs.ols("score ~ 1", frame, groups=frame["doc"]).fit(cov_type="CR1")
    assert_allclose(cr1.bse["Intercept"], right["CR1_3"], rtol=RTOL)
    assert abs(cr1.bse["Intercept"] - right["CR1_5"]) > 0.005


def test_b24_unused_cluster_categories_in_means():
    frame, right = _filtered(), expected("B24")["cat"]
    micro = rs.micro_mean("score", frame, groups="doc")
    macro = rs.macro_mean("score", frame, groups="doc")
    assert_allclose(micro.se, right["CR2"]["se"], rtol=RTOL)
    assert_allclose(micro.df, right["CR2"]["df"], rtol=RTOL)
    assert_allclose(macro.estimate, right["macro"], rtol=RTOL)
    assert micro.documents.n_documents == macro.documents.n_documents == 3


@pytest.mark.parametrize("levels", [list("abcde"), list("edcba"), list("abcdexyz")])
def test_b24_unused_cluster_categories_by_other_routes(levels):
    frame, right = _filtered(), expected("B24")["cat"]["CR2"]
    categories = pd.Categorical(frame["doc"].astype(str), categories=levels, ordered=True)
    fitted = smf.ols("score ~ 1", frame).fit()
    for results in (
        rs.OLS(frame["score"], np.ones(9), groups=categories).fit(),
        rs.GLM(frame["score"], np.ones(9), groups=categories).fit(),
        rs.cluster_robust(fitted, groups=categories),
        rs.cluster_robust(fitted, groups=pd.Series(categories, frame.index)),
    ):
        assert_says(row(results, results.params.index[0]), right)
        assert results.n_groups == 3


def test_b24_unused_cluster_categories_of_a_covariate():
    frame = systems()
    frame["sys"] = frame["sys"].astype(pd.CategoricalDtype(list("ABCD")))
    results = rs.ols("score ~ sys", frame, groups="doc").fit()  # D never occurs: no column for it
    assert_same(results, rs.ols("score ~ sys", systems(), groups="doc").fit())
    without_a = rs.ols("score ~ sys", frame[frame["sys"] != "A"], groups="doc").fit()
    assert list(without_a.params.index) == ["Intercept", "sys[T.C]"]  # B is the reference
    assert list(without_a.t_test_pairwise("sys").result_frame.index) == ["C-B"]
