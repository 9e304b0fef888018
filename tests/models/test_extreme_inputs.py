"""Scales, types and shapes that must not pass in silence."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

import ragstats as rs
from ragstats.exceptions import DataError


def frame():
    rng = np.random.default_rng(4)
    rows = pd.DataFrame({"doc": np.repeat(list("abcdefgh"), 6), "x": rng.normal(size=48)})
    return rows.assign(y=rng.normal(size=48) + rows["x"], w=rng.uniform(1, 2, 48))


@pytest.mark.parametrize("working", ["identity", "inverse_var"])
@pytest.mark.parametrize("power", [-200, -100, 100, 200])
def test_the_scale_of_the_weights_changes_nothing(working, power):
    data = frame()
    plain = rs.wls("y ~ x", data, groups="doc", weights="w", working=working).fit()
    scaled = data.assign(w=data["w"] * 10.0**power)
    fit = rs.wls("y ~ x", scaled, groups="doc", weights="w", working=working).fit()
    # 10^power is not a power of two: the weights themselves are rounded
    for name in ("params", "bse", "df_inference"):
        assert_allclose(getattr(fit, name), getattr(plain, name), rtol=1e-11)


@pytest.mark.parametrize("df", ["satterthwaite", "IK"])
@pytest.mark.parametrize("power", [-100, 100])
def test_the_unit_of_a_covariate_changes_no_df(df, power):
    data = frame()
    plain = rs.ols("y ~ x", data, groups="doc").fit(df=df)
    scaled = data.assign(x=data["x"] * 10.0**power)
    fit = rs.ols("y ~ x", scaled, groups="doc").fit(df=df)
    assert_allclose(fit.df_inference, plain.df_inference, rtol=1e-11)
    assert_allclose(fit.tvalues, plain.tvalues, rtol=1e-11)


DAYS = pd.Series(pd.date_range("2026-01-01", periods=4).repeat(12))
TIMES = {
    "datetime": DAYS,
    "duration": DAYS - DAYS[0],
    "with a zone": DAYS.dt.tz_localize("UTC"),
    "objects": DAYS.dt.date,
    "arrow": DAYS.astype(pd.ArrowDtype(pa.timestamp("us"))),
}


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("term", ["day", 'Q("day")', "x:day"])
def test_times_are_not_made_into_one_level_each(kind, term):
    data = frame().assign(day=TIMES[kind])
    with pytest.raises(
        ValueError, match=r"column 'day' of dtype .* holds times, not numbers; .*C\(day\)"
    ):
        rs.ols(f"y ~ {term}", data, groups="doc")
    assert len(rs.ols("y ~ C(day)", data, groups="doc").fit().params) == 4


def test_true_is_not_the_document_1():
    ids = np.array([True, 1, 0, 2, 3, "a"] * 8, dtype=object)
    with pytest.raises(DataError, match="document ids are booleans and int, str; True and 1"):
        rs.OLS(frame()["y"], np.ones(48), groups=ids)
    two = rs.OLS(frame()["y"], np.ones(48), groups=np.array([True, False] * 24, dtype=object))
    assert two.fit().n_groups == 2


def test_part_of_a_table_comes_back_without_wrong_labels():
    results = rs.ols("y ~ x", frame(), groups="doc").fit()
    assert_allclose(results.conf_int(cols=[1]), results.conf_int().iloc[[1]], rtol=0)
    both = results.cov_params()
    assert float(results.cov_params(r_matrix=[0, 1])) == both.loc["x", "x"]
    assert_allclose(results.cov_params(r_matrix=np.array([[1, 1]])), [[both.to_numpy().sum()]])


def test_an_empty_hypothesis_is_none():
    results = rs.ols("y ~ x", frame(), groups="doc").fit()
    with pytest.raises(ValueError, match=r"r_matrix=' ' is not a hypothesis; .*'x = 0'"):
        results.wald_test(" ")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"y": 1, "doc": "a"}, "data is a dict and no table: holds one value per column"),
        ({"y": [1, 2], "doc": ["a"]}, "data is a dict and no table: All arrays must be"),
    ],
)
def test_a_dict_that_is_no_table(data, message):
    with pytest.raises(ValueError, match=message):
        rs.ols("y ~ 1", data, groups="doc")


def test_missing_ids_are_told_under_the_name_of_the_argument():
    data = frame()
    data.loc[3, "doc"] = None
    for mean in (rs.micro_mean, rs.macro_mean):
        with pytest.raises(DataError, match="groups='doc': 1 missing id in 48 rows"):
            mean("y", data, groups="doc")


# ---- what a formula makes of a column -------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "uint32", "int64"])
def test_whole_numbers_of_a_formula_do_not_wrap(dtype):
    rng = np.random.default_rng(1)
    k = rng.integers(0, 120, 48).astype(dtype) * (10**8 if dtype == "int64" else 1)
    data = frame().assign(
        k=k, m=np.roll(k, 1), k_float=k.astype(float), m_float=np.roll(k, 1) * 1.0
    )
    for term in ("I(k - m)", "I(k * k)"):
        whole = rs.ols(f"y ~ {term}", data, groups="doc").fit()
        floats = term.replace("k", "k_float").replace("m", "m_float")
        real = rs.ols(f"y ~ {floats}", data, groups="doc").fit()
        assert_allclose(whole.params, real.params, rtol=1e-12)


def test_ids_beyond_the_whole_numbers_of_floats_stay_apart():
    data = frame().assign(k=2**60 + np.tile([0, 1, 2], 16))
    assert len(rs.ols("y ~ C(k)", data, groups="doc").fit().params) == 3


def test_a_comparison_with_a_missing_value_is_missing():
    data = frame()
    data.loc[[1, 5, 30], "x"] = np.nan
    results = rs.ols("y ~ I(x > 0)", data, groups="doc").fit()
    complete = rs.ols("y ~ I(x > 0)", data.dropna(), groups="doc").fit()
    assert results.nobs == 45
    assert_allclose(results.bse, complete.bse, rtol=0)
    filled = rs.ols("y ~ np.where(np.isnan(x), 0, x)", data, groups="doc").fit()
    assert filled.nobs == 48  # the formula says itself what a missing value is


def test_predictions_for_the_rows_of_the_fit_with_a_level_that_none_has():
    levels = pd.Categorical(np.tile(["a", "b"], 24), categories=["a", "unused", "b"])
    data = frame().assign(level=levels)
    results = rs.ols("y ~ level + x", data, groups="doc").fit()
    assert_allclose(results.predict(data), results.fittedvalues, rtol=1e-13)


@pytest.mark.parametrize("size", [1e160, 1e-160])
def test_covariates_whose_squares_leave_the_range_are_refused(size):
    data = frame().assign(x=lambda t: t["x"] * size)
    with pytest.raises(DataError, match=r"exog: column 1 is of size .e.160 .* change the unit"):
        rs.ols("y ~ x", data, groups="doc")


@pytest.mark.parametrize("design", [np.empty((48, 0)), np.zeros((48, 2))])
def test_a_design_without_columns(design):
    with pytest.raises(DataError, match="exog: no column is left"):
        rs.OLS(frame()["y"], design, groups=frame()["doc"])


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR1p", "CR1S", "CR2", "CR3"])
def test_ik_df_of_equal_documents_are_their_number_minus_1(cov_type):
    results = rs.ols("y ~ 1", frame(), groups="doc").fit(cov_type=cov_type, df="IK")
    assert_allclose(results.df_inference, 7, rtol=1e-12)


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR2", "CR3"])
def test_ik_df_against_the_definition(cov_type):
    """``(tr P)²/‖P‖²`` of P = G'ΩG with N × N matrices (Imbens and Kolesár, 2016, eq. 10)."""
    data = frame().iloc[np.r_[0:20, 25:48]]
    results = rs.ols("y ~ x", data, groups="doc").fit(cov_type=cov_type, df="IK")
    x = np.column_stack([np.ones(len(data)), data["x"]])
    bread = np.linalg.inv(x.T @ x)
    maker = np.eye(len(x)) - x @ bread @ x.T
    residuals = maker @ data["y"].to_numpy()
    same = data["doc"].to_numpy()[:, None] == data["doc"].to_numpy()
    pairs = same.sum() - len(x)
    rho = (residuals @ same @ residuals - residuals @ residuals) / pairs
    omega = max(residuals @ residuals / len(x) - rho, 0) * np.eye(len(x)) + rho * same
    power = {"CR2": 0.5, "CR3": 1.0}.get(cov_type, 0.0)
    columns = []
    for doc in data["doc"].unique():
        rows = (data["doc"] == doc).to_numpy()
        values, vectors = np.linalg.eigh(maker[np.ix_(rows, rows)])
        root = vectors @ (values[:, None] ** -power * vectors.T)
        columns.append(maker[:, rows] @ root @ x[rows] @ bread[:, 1])
    g = np.array(columns).T
    p = g.T @ omega @ g
    assert_allclose(results.df_inference["x"], np.trace(p) ** 2 / np.sum(p * p), rtol=1e-10)
