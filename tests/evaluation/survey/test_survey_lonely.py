"""Strata of one sampled unit: R's numbers under each rule (tests/oracles/survey_lonely)."""

import json

import numpy as np
import pandas as pd
import pytest
from survey_cases import ROOT

from ragstats.evaluation.survey import SurveyDesign
from ragstats.evaluation.survey.linearized import LONELY

STORED = json.loads((ROOT / "tests/oracles/survey_lonely/lonely.json").read_text(encoding="utf-8"))
DESIGNS = STORED["designs"]
RULES = [rule for rule in LONELY if rule != "error"]
GLM_NAMES = {"(Intercept)": "Intercept", "gt": "g[T.t]", "x": "x"}
ESTIMATORS = {
    "mean": lambda d: d.mean(["y", "x"]),
    "total": lambda d: d.total(["y", "x"]),
    "ratio": lambda d: d.ratio("y", "x"),
    "domain": lambda d: d.domain("g", "y"),
    "glm": lambda d: d.glm("y ~ x + g").coefficients,
}
RTOL = 1e-9  # sums in another order


def design(name, lonely):
    stored = DESIGNS[name]
    data = pd.DataFrame(stored["data"])
    columns = {key: stored.get(key) for key in ("ids", "strata", "fpc", "weights")}
    return SurveyDesign(data, lonely=lonely, **columns)


def floats(values):
    return np.array(np.atleast_1d(values), float)


def average_is_nan(name):
    return "NaN" in DESIGNS[name]["rules"]["average"]["mean"]["vcov"]


@pytest.mark.parametrize("key", ESTIMATORS)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", DESIGNS)
def test_each_rule_is_rs(name, rule, key):
    if rule == "average" and average_is_nan(name):
        with pytest.raises(ValueError, match="lonely='average' has no stratum to average over"):
            design(name, rule)
        return
    result, want = ESTIMATORS[key](design(name, rule)), DESIGNS[name]["rules"][rule][key]
    order = list(range(len(result.names)))
    if key == "glm":
        order = [result.names.index(GLM_NAMES[n]) for n in want["names"]]
        assert set(result.dfs) == {want["df"]}
    if key == "domain":
        assert list(result.names) == want["names"]
    np.testing.assert_allclose(result.values[order], floats(want["estimate"]), rtol=RTOL)
    v = floats(want["vcov"]).reshape(len(order), -1)
    scale = np.sqrt(np.outer(np.diagonal(v), np.diagonal(v)))
    assert (np.abs(result.covariance[np.ix_(order, order)] - v) <= RTOL * scale).all()


@pytest.mark.parametrize("name", DESIGNS)
def test_weights_and_df_are_rs(name):
    d = design(name, "certainty")
    np.testing.assert_allclose(d.weights, floats(DESIGNS[name]["row_weights"]), rtol=1e-14)
    assert d.df == DESIGNS[name]["degf"]


@pytest.mark.parametrize(
    ("name", "stratum"),
    [
        ("one_fpc", "h='c'"),
        ("one_weights", "h='c'"),
        ("census_and_lonely", "h='b'"),
        ("two_stage", "h='b', doc='d05'"),
        ("strata_both", "h='a', doc='d01', kind='first'"),
    ],
)
def test_error_names_the_stratum_that_r_stops_at(name, stratum):
    assert "has only one PSU" in DESIGNS[name]["rules"]["fail"]["mean"]["error"]
    with pytest.raises(ValueError, match="has one sampled unit at stage") as info:
        design(name, "error")
    assert str(info.value).startswith(f"stratum {stratum}")
    assert "\n" not in str(info.value)


def test_the_rule_is_said_in_the_notes():
    for rule in RULES:
        notes = design("one_fpc", rule).mean("y").notes
        assert any("strata of one unit (1 at stage 1)" in n for n in notes)
        assert any(LONELY[rule].meaning in n for n in notes)


def test_a_single_unit_that_is_all_there_is_needs_no_rule():
    data = pd.DataFrame(
        {"doc": list("aabc"), "h": list("xxxy"), "M": [5, 5, 5, 1], "y": [1, 0, 1, 1]}
    )
    result = SurveyDesign(data, ids="doc", strata="h", fpc="M").mean("y")
    assert result.se > 0
    assert not any("strata of one unit" in n for n in result.notes)


def test_all_strata_lonely_leaves_no_interval():
    data = pd.DataFrame({"doc": list("ab"), "h": list("xy"), "y": [1.0, 0.0]})
    result = SurveyDesign(data, ids="doc", strata="h", lonely="adjust").mean("y")
    assert result.se > 0
    assert result.df == 0
    assert np.isnan(result.conf_int()).all()
    assert np.isnan(result.pvalue)
    assert any("no degrees of freedom" in n for n in result.notes)


def test_certainty_everywhere_is_no_variation_and_no_knowledge():
    data = pd.DataFrame({"doc": list("ab"), "h": list("xy"), "y": [1.0, 0.0]})
    with pytest.warns(UserWarning, match="do not vary"):
        result = SurveyDesign(data, ids="doc", strata="h", lonely="certainty").mean("y")
    assert result.se == 0
    assert np.isnan(result.conf_int()).all()
