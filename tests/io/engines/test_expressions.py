"""Expressions of formulas, computed by an engine as NumPy computes them."""

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pytest

from ragstats.io.expressions import Scope, translate

VALUES = pd.DataFrame(
    {
        "x": [1e-12, 0.3, 1.0, 7.5, 300.0],
        "n": [1, 2, 3, 4, 5],
        "flag": [True, False, True, True, False],
        "text": list("abcab"),
    }
)
NAMES = {"np": np, "log": np.log, "half": np.float64(0.5), "two": 2}
KNOWN = [
    "x", "n", "x + 1", "1 - x", "x * n", "-x", "+x", "x / n", "2 / x", "x / 2", "x ** 2", "x**3 + n",
    "I(x * n) + half", "np.log(x)", "log(x)", "np.log1p(x)", "np.log2(x)", "np.log10(n)",
    "np.sqrt(x)", "np.exp(-x)", "np.square(x - 3)", "np.abs(x - 3)", "abs(x - 3)", "x * flag",
    "np.log(np.sqrt(x) + two ** 2)", "(x - 2) / half", "x * (1 / 4 + 2 * 3 - 1)",
]  # fmt: skip
UNKNOWN = [
    "x // 2", "x % 2", "np.sin(x)", "x ** 0.5", "x ** -1", "x / 0", "flag + flag", "text + text",
    "np.log(text)", "nobody", "np.nothing(x)", "x if n else x", "x.mean()", "np.log(x, n)", "x[0]",
    "'a'", "1 < x < 2", "text < 'b'", "np.log", "half(x)", "I()",
]  # fmt: skip


def computed(code):
    frame = nw.from_native(VALUES, eager_only=True)
    translated = translate(code, Scope(frame.schema, NAMES))
    assert translated is not None
    return frame.select(translated.value.alias("v"))["v"].to_numpy(), translated


@pytest.mark.parametrize("code", KNOWN)
def test_values_are_those_of_numpy(code):
    names = {**NAMES, **{c: VALUES[c].to_numpy() for c in VALUES}, "I": lambda v: v}
    expected = np.asarray(eval(code, names), float)
    assert computed(code)[0] == pytest.approx(expected, rel=1e-14, abs=0)


@pytest.mark.parametrize(
    ("code", "expected"),
    [("x > 1", [False, False, False, True, True]), ("text == 'a'", [True, False, False, True, False]),
     ("x <= n", [True, True, True, False, False]), ("text != 'a'", [False, True, True, False, True]),
     ("flag", VALUES["flag"].tolist())],
)  # fmt: skip
def test_comparisons_are_boolean(code, expected):
    values, translated = computed(code)
    assert values.tolist() == expected
    assert translated.kind == "boolean"


@pytest.mark.parametrize("code", UNKNOWN)
def test_what_is_not_in_the_tables_is_left_to_patsy(code):
    schema = nw.from_native(VALUES, eager_only=True).schema
    assert translate(code, Scope(schema, NAMES)) is None


@pytest.mark.parametrize(
    ("code", "undefined", "infinite"),
    [("np.log(x)", 2, 1), ("np.log1p(x - 1)", 2, 1), ("np.sqrt(x)", 2, 0), ("np.exp(x)", 0, 1),
     ("n / x", 1, 0), ("x / n", 0, 1), ("n / n", 1, 0), ("1 / n", 0, 1), ("0 / n", 1, 0)],
)  # fmt: skip
def test_outside_of_their_domain(code, undefined, infinite):
    rows = pd.DataFrame({"x": [-3.0, -1.0, 0.0, 2.0, 1000.0], "n": [1, 2, 0, 4, 5]})
    if code == "x / n":
        rows["x"] = 1.0
    frame = nw.from_native(rows, eager_only=True)
    translated = translate(code, Scope(frame.schema, NAMES))
    for flags, expected in ((translated.undefined, undefined), (translated.infinite, infinite)):
        assert sum(int(frame.select(f.alias("f"))["f"].sum()) for f in flags) == expected
    values = frame.select(translated.value.alias("v"))["v"].to_numpy()
    assert np.isnan(values.astype(float)).sum() == undefined + infinite


def test_dates_are_left_to_patsy():
    frame = nw.from_native(pd.DataFrame({"day": pd.to_datetime(["2024-01-01"])}), eager_only=True)
    assert translate("day", Scope(frame.schema)) is None
