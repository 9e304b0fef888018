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
        with pytest.raises(DataError, match="groups='doc': 1 missing ids in 48 rows"):
            mean("y", data, groups="doc")
