"""Functions of all rows have no value in a batch: they are refused by name, and functions of single
rows are not."""

import numpy as np
import pandas as pd
import patsy
import pytest

import ragstats as rs
from ragstats.models.streamed import streamed_ols


def demean(values):
    return values - np.mean(values)


def draws(values):
    return np.random.default_rng().normal(size=len(values))


def doubled(values):
    return [2 * value for value in values]


ENV = patsy.EvalEnvironment([{"np": np, "pd": pd, "demean": demean, "draws": draws,
                              "doubled": doubled}])  # fmt: skip

OF_ALL_ROWS = [
    "I(x - x.mean())",
    "x.rank()",
    "I(x / x.std())",
    "I(x - np.mean(x))",
    "np.cumsum(x)",
    "x.shift(1)",
    "I(x > x.median())",
    "demean(x)",
    "draws(x)",
    "pd.qcut(x, 3, labels=False)",
    "C(pd.qcut(x, 3, labels=['a', 'b', 'c']))",
    "np.arange(len(x))",
    "center(x - x.mean())",
]
OF_SINGLE_ROWS = [
    "np.arctan2(x, 1)",
    "x.clip(-1, 1)",
    "x.fillna(0)",
    "center(x)",
    "standardize(x)",
    "bs(x, df=4)",
    "system.str.upper()",
    "C(system.str.upper())",
    "C(x.round() > 0, Sum)",
    "doubled(x)",
    "np.where(x > 0, x, 0)",
]


def made(n=400):
    rng = np.random.default_rng(1)
    doc, x = np.arange(n) // 4, rng.normal(size=n)
    system = rng.choice(["a", "b"], n)
    return pd.DataFrame({"doc": doc, "x": x, "system": system, "y": x + rng.normal(size=n)})


def sources(frame):
    moved = frame.assign(x=frame["x"] + 5, doc=frame["doc"] + 1000)
    yield "list", [frame, moved]
    yield "iterator", iter([frame, moved])
    yield "rows", [frame[i : i + 1] for i in range(len(frame))]


@pytest.mark.parametrize("term", OF_ALL_ROWS)
def test_a_function_of_all_rows_is_refused_by_name(term):
    shown = patsy.ModelDesc.from_formula(f"y ~ {term}").rhs_termlist[1].name()
    for name, source in sources(made()):
        if name != "list" and ("qcut" in term or "center" in term):
            continue  # undefined in a batch of one row; refused for other reasons
        with pytest.raises(ValueError, match="depends on other rows than its own") as caught:
            streamed_ols(f"y ~ {term}", source, groups="doc", env=ENV)
        assert str(caught.value).startswith(f"formula: {shown} depends"), name
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("term", OF_SINGLE_ROWS)
def test_a_function_of_single_rows_is_what_it_is_in_memory(term):
    frame = made()
    if not any(part in term for part in ("bs", "center", "standardize", ">")):
        frame.loc[5, "x"] = np.nan
    cut = [frame[:1], frame[1:1], frame[1:150], frame[150:]]
    streamed = streamed_ols(f"y ~ {term}", cut, groups="doc", env=ENV).fit()
    whole = rs.ols(f"y ~ {term}", frame, groups="doc").fit()
    assert streamed.nobs == whole.nobs
    np.testing.assert_allclose(streamed.params, whole.params, rtol=1e-8, atol=1e-10)


def test_batches_that_are_constant_in_themselves_are_compared_with_each_other():
    """x - mean(x) is 0 in either batch, and ±2.5 in all rows."""
    frame = made()
    batches = [frame.assign(x=0.0), frame.assign(x=5.0)]
    with pytest.raises(ValueError, match=r"I\(x - x.mean\(\)\) depends on other rows"):
        streamed_ols("y ~ I(x - x.mean())", batches, groups="doc", env=ENV)


def test_an_outcome_of_all_rows_is_refused():
    frame = made()
    with pytest.raises(ValueError, match=r"y.rank\(\) depends on other rows"):
        streamed_ols("y.rank() ~ x", [frame, frame], groups="doc", env=ENV)
