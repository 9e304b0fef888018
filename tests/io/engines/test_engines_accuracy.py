"""Digits: sums of products keep what a factorization of the rows keeps."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from engine_data import largest_difference

import ragstats as rs
from ragstats.exceptions import DataError
from ragstats.io.engines import unit
from ragstats.models.streamed import streamed_ols

#: NIST StRD, Longley: certified estimates, standard errors of the i.i.d. model left aside.
LONGLEY = [
    -3482258.63459582, 15.0618722713733, -0.358191792925910e-1, -2.02022980381683,
    -1.03322686717359, -0.511041056535807e-1, 1829.15146461355,
]  # fmt: skip


@pytest.mark.parametrize("n_chunks", [1, 3])
def test_longley_keeps_eleven_digits(n_chunks):
    data = sm.datasets.longley.load_pandas().data.rename(columns=str.lower)
    data["group"] = np.arange(len(data)) // 2
    chunks = [data] if n_chunks == 1 else [data[:3], data[3:9], data[9:]]
    formula = "totemp ~ gnpdefl + gnp + unemp + armed + pop + year"
    fitted = streamed_ols(formula, iter(chunks), groups="group").fit(df="K-1")
    digits = -np.log10(np.abs(fitted.params.to_numpy() / LONGLEY - 1))
    assert digits.min() > 11
    assert abs(fitted.rsquared / 0.995479004577296 - 1) < 1e-12


def test_a_first_chunk_far_from_the_rest_costs_few_digits():
    rng = np.random.default_rng(5)
    n = 20_000
    data = pd.DataFrame({"x": rng.normal(size=n) + 1e6, "doc": rng.integers(0, 50, n)})
    data.loc[:99, "x"] = rng.normal(size=100) - 1e6
    data["y"] = 1e-3 * data["x"] + rng.normal(size=n)
    fitted = streamed_ols("y ~ x", iter([data[:100], data[100:]]), groups="doc").fit()
    expected = rs.ols("y ~ x", data, groups="doc").fit()
    for name in ("params", "bse", "df_inference"):
        assert largest_difference(getattr(fitted, name), getattr(expected, name)) < 1e-9


@pytest.mark.parametrize("constant", [True, False])
def test_a_column_that_is_constant_in_the_first_chunk(constant):
    rng = np.random.default_rng(6)
    data = pd.DataFrame({"x": rng.normal(size=900), "doc": rng.integers(0, 30, 900)})
    data.loc[:299, "x"] = 7.0
    data["y"] = data["x"] + rng.normal(size=900)
    formula = "y ~ x" if constant else "y ~ 0 + x"
    fitted = streamed_ols(formula, iter([data[:300], data[300:]]), groups="doc").fit()
    expected = rs.ols(formula, data, groups="doc").fit()
    assert largest_difference(fitted.bse, expected.bse) < 1e-10
    assert largest_difference(fitted.params, expected.params) < 1e-10


def test_time_stamps_are_no_combination_of_the_constant():
    rng = np.random.default_rng(7)
    data = pd.DataFrame({"t": 1.7e9 + rng.uniform(0, 1e3, 3000), "doc": rng.integers(0, 40, 3000)})
    data["system"] = rng.choice(["a", "b"], 3000)
    data["y"] = 1e-3 * (data["t"] - 1.7e9) + rng.normal(size=3000)
    formula = "y ~ system * t"
    with pytest.warns(rs.RagstatsWarning, match="close to collinear"):
        fitted = streamed_ols(formula, [data], groups="doc").fit()
    expected = rs.ols("y ~ system * I(t - 1.7e9)", data, groups="doc").fit()
    assert fitted.params["t"] == pytest.approx(expected.params.iloc[2], rel=1e-9)
    assert fitted.bse["t"] == pytest.approx(expected.bse.iloc[2], rel=1e-9)


def test_collinear_columns_are_named(rows):
    with pytest.raises(DataError, match=r"column 'I\(2 \* x \+ z\)' is a combination of earlier"):
        streamed_ols("y ~ x + z + I(2 * x + z)", [rows], groups="doc")
    flat = rows.assign(x=0.0)
    with pytest.raises(DataError, match="column 'x' is 0 in every row"):
        streamed_ols("y ~ x", [flat], groups="doc")


def test_scores_that_do_not_vary_have_no_standard_error(rows):
    same = rows.assign(y=0.7)
    with pytest.warns(rs.RagstatsWarning, match="do not vary"):
        fitted = streamed_ols("y ~ system", [same], groups="doc").fit()
    assert (fitted.bse == 0).all()
    assert fitted.params["Intercept"] == 0.7


def test_an_exact_fit_is_exact(rows):
    exact = rows.assign(y=2 + 3 * rows["x"])
    with pytest.warns(rs.RagstatsWarning, match="do not vary"):
        fitted = streamed_ols("y ~ x", [exact], groups="doc").fit()
    assert (fitted.bse == 0).all()
    assert fitted.params.to_numpy() == pytest.approx([2, 3], rel=1e-12)


def test_a_document_that_alone_identifies_a_coefficient(rows):
    """A leverage of 1, with weights that are constant in documents, and that are not."""
    alone = rows.dropna().assign(only=lambda t: t["doc"] == "d000")
    for options in ({}, {"estimand": "macro"}, {"estimand": "macro", "by": "system"}):
        with pytest.warns(rs.RagstatsWarning):
            fitted = streamed_ols("y ~ system + only", [alone], groups="doc", **options).fit()
        with pytest.warns(rs.RagstatsWarning):
            expected = rs.ols("y ~ system + only", alone, groups="doc", **options).fit()
        assert fitted.reasons == expected.reasons
        for name in ("params", "bse", "df_inference"):
            assert largest_difference(getattr(fitted, name), getattr(expected, name)) < 1e-9


def test_units_are_values_and_powers_of_two():
    """So that sums of 0/1 scores are whole numbers, and sums of equal scores 0."""
    assert unit(np.array([0.0, 1.0, 1.0, 0.0, 1.0])) == (1.0, 0.5)
    assert unit(np.full(9, 0.7)) == (0.7, 1.0)
    shift, scale = unit(np.array([1.0, 2.0, 4.0, 9.0]))
    assert shift in (1.0, 2.0, 4.0, 9.0)
    assert np.log2(scale) % 1 == 0
