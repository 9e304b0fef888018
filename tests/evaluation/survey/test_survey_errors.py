"""Each wrong argument is answered by one line that names it."""

import numpy as np
import pandas as pd
import pytest

from ragstats.evaluation.survey import SurveyDesign


@pytest.fixture
def data():
    return pd.DataFrame(
        {
            "doc": list("aabbccdd"),
            "chunk": [1, 2] * 4,
            "size": ["small"] * 4 + ["large"] * 4,
            "M": [20] * 4 + [4] * 4,
            "Md": [5] * 8,
            "w": [1.0] * 8,
            "hit": [1, 0, 1, 1, 0, 0, 1, 0],
            "system": list("ABABABAB"),
        }
    )


BASE = {"ids": "doc", "strata": "size", "fpc": "M"}


@pytest.mark.parametrize(
    ("kwds", "error", "message"),
    [
        (
            {"ids": "docs"},
            ValueError,
            r"ids='docs' is not a column of the data .did you mean 'doc'",
        ),
        ({"ids": []}, TypeError, r"ids=\[\]: give a column name or a list of column names"),
        ({"ids": 3}, TypeError, "ids=3: give a column name"),
        ({"ids": ["doc", "doc"], "fpc": None}, ValueError, "names a column twice"),
        ({"strata": "sise"}, ValueError, r"strata='sise' is not a column .*did you mean 'size'"),
        ({"strata": 3}, TypeError, "strata=3: give a column name, or a list"),
        ({"strata": ["size", None]}, ValueError, "strata has 2 columns and ids 1"),
        ({"fpc": "N"}, ValueError, "fpc='N' is not a column"),
        ({"fpc": ["M", "Md"]}, ValueError, "fpc has 2 columns and ids 1"),
        ({"fpc": "size"}, ValueError, "fpc='size' has dtype"),
        ({"weights": "v"}, ValueError, "weights='v' is not a column"),
        ({"weights": 3}, TypeError, "weights=3: give a column name"),
        ({"lonely": "fail"}, ValueError, "lonely='fail' is unknown.*use one of 'error', 'adjust'"),
    ],
)
def test_arguments(data, kwds, error, message):
    with pytest.raises(error, match=message) as info:
        SurveyDesign(data, **{**BASE, **kwds})
    assert "\n" not in str(info.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"doc": [None, *"abbccdd"]}, "ids='doc' has 1 missing; every row needs a label"),
        ({"size": [np.nan, "small", *["x"] * 6]}, "strata='size' has 1 missing"),
        ({"M": [np.nan] + [20] * 7}, "fpc='M' has 1 missing; every row needs a number"),
        ({"M": [0] * 8}, "fpc='M' has the value 0; give sampling fractions"),
        ({"M": [-2.0] * 8}, "fpc='M' has the value -2"),
        (
            {"M": [20, 20, 20, 21, *[4] * 4]},
            "varies within a stratum: 20 and 21 in stratum size='small'",
        ),
        ({"M": [1] * 4 + [4] * 4}, "population 1 in stratum size='small', but 2 units of 'doc'"),
        (
            {"M": [0.5] * 4 + [4] * 4},
            r"mixes sampling fractions \(0.5\) and population sizes \(4\)",
        ),
        ({"M": [np.inf] * 8}, "has infinite populations: give weights="),
        ({"w": [-1.0] + [1.0] * 7}, "weights='w' has 1 negative or infinite values"),
        ({"w": [np.inf] + [1.0] * 7}, "weights='w' has 1 negative or infinite values"),
        ({"w": [np.nan] + [1.0] * 7}, "weights='w' has 1 missing"),
        ({"w": 0.0}, "weights='w' is 0 in every row"),
        (
            {"doc": list("aaaaccdd")},
            r"stratum size='small' has one sampled unit at stage 1 \(doc='a'\)",
        ),
    ],
)
def test_columns_of_the_design(data, change, message):
    changed = data.assign(**change)
    kwds = {**BASE, "weights": "w"} if "w" in change else BASE
    with pytest.raises(ValueError, match=message) as info:
        SurveyDesign(changed, **kwds)
    assert "\n" not in str(info.value)


def test_fpc_without_strata_says_so(data):
    with pytest.raises(ValueError, match=r"population 3 in the design \(no strata\), but 4 units"):
        SurveyDesign(data.assign(M=3), ids="doc", fpc="M")


def test_one_document(data):
    with pytest.raises(
        ValueError, match=r"the design has 1 unit \(doc='a'\), at least 2 are needed"
    ):
        SurveyDesign(data.assign(doc="a"), ids="doc")


def test_second_stage_population_below_the_sample(data):
    with pytest.raises(ValueError, match=r"gives population 1\.5 in stratum size='large', doc='d'"):
        SurveyDesign(
            data.assign(Md=[5] * 6 + [1.5] * 2),
            ids=["doc", "chunk"],
            strata="size",
            fpc=["M", "Md"],
        )


@pytest.mark.parametrize("frame", [None, [1, 2], {"doc": [1]}])
def test_data_must_be_a_frame(frame):
    with pytest.raises(TypeError, match=r"data is a builtins\.\w+; give a pandas.DataFrame"):
        SurveyDesign(frame, ids="doc")


def test_data_must_have_rows(data):
    with pytest.raises(ValueError, match="data has no rows"):
        SurveyDesign(data.iloc[:0], ids="doc")


def test_a_column_name_that_occurs_twice(data):
    twice = pd.concat([data, data[["hit"]]], axis=1)
    with pytest.raises(ValueError, match="y='hit' names 2 columns"):
        SurveyDesign(twice, ids="doc").mean("hit")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d: d.mean("hits"), ValueError, r"y='hits' is not a column .*did you mean 'hit'"),
        (lambda d: d.mean(3), TypeError, "y=3: give a column name"),
        (
            lambda d: d.mean("system"),
            ValueError,
            "y='system' has dtype .*give a column of real numbers",
        ),
        (lambda d: d.mean("holes"), ValueError, "2 of 8 rows have no value of 'holes'; score them"),
        (lambda d: d.mean("empty", missing="drop"), ValueError, "no row has a value of 'empty'"),
        (lambda d: d.mean("endless"), ValueError, "column 'endless' has 1 infinite value;"),
        (lambda d: d.mean("hit", missing="omit"), ValueError, "missing='omit' is unknown"),
        (lambda d: d.mean(["hit", "holes"]), ValueError, "no value of 'hit', 'holes'"),
        (lambda d: d.ratio("hit", ["w"]), TypeError, r"x=\['w'\]: give one column name"),
        (lambda d: d.ratio("hit", "z"), ValueError, "x='z' is not a column"),
        (lambda d: d.total("holes"), ValueError, "2 of 8 rows have no value of 'holes'"),
        (lambda d: d.domain("system", ["hit"]), TypeError, r"y=\['hit'\]: give one column name"),
        (lambda d: d.domain("sys", "hit"), ValueError, "by='sys' is not a column"),
        (
            lambda d: d.domain("gaps", "hit"),
            ValueError,
            "1 of 8 rows have no value of 'gaps', 'hit'",
        ),
        (lambda d: d.domain("none", "hit"), ValueError, "by=.'none'. has no level"),
        (
            lambda d: d.mean("hit").conf_int(1.5),
            ValueError,
            "alpha=1.5: give a number between 0 and 1",
        ),
        (lambda d: d.mean("hit").test(0, "less"), ValueError, "alternative='less' is unknown"),
        (lambda d: d.mean("hit").contrast([1, 2]), ValueError, "weights has 2 numbers; give 1"),
        (lambda d: d.mean("hit").contrast({"x": 1}), ValueError, "contrast name='x' is unknown"),
        (lambda d: d.mean("hit").contrast([0.0]), ValueError, "finite numbers that are not all 0"),
    ],
)
def test_estimators(data, call, error, message):
    holes = data["hit"].where(data.index > 1, np.nan)
    more = data.assign(
        holes=holes,
        empty=np.nan,
        endless=[np.inf] + [1.0] * 7,
        gaps=["x"] * 7 + [None],
        none=None,
    )
    design = SurveyDesign(more, **BASE)
    with pytest.raises(error, match=message) as info:
        call(design)
    assert "\n" not in str(info.value)


def test_a_ratio_over_nothing_is_nan_with_a_reason(data):
    result = SurveyDesign(data.assign(zero=0.0), **BASE).ratio("hit", "zero")
    assert np.isnan([result.estimate, result.se, result.df, *result.conf_int()]).all()
    assert any("its denominator is 0" in n for n in result.notes)
