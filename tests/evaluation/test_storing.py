"""Every result of an evaluation can be pickled and copied, and says the same afterwards."""

import copy
import pickle
from dataclasses import astuple

import pandas as pd
import pytest
from result_cases import RESULTS, comparison
from result_cases import scores as scores  # the fixture

from ragstats.core.adjustment import ADJUSTMENTS
from ragstats.core.dof import DF_RULES


def said(result):
    """All that a result says, in one text."""
    if isinstance(result, pd.DataFrame):
        return result.to_string(float_format=repr)
    told = [getattr(result, name)() for name in ("summary", "to_dict") if hasattr(result, name)]
    return "\n".join(map(str, told)) or repr(result)


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_travels(scores, name):
    result = RESULTS[name](scores)
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert type(again) is type(result)
        assert said(again) == said(result)


@pytest.mark.parametrize("cov_type", ADJUSTMENTS)
@pytest.mark.parametrize("df", DF_RULES)
def test_a_comparison_travels_with_any_covariance_and_df(scores, cov_type, df):
    c = comparison(scores, cov_type=cov_type, df=df)
    again = pickle.loads(pickle.dumps(c))
    pd.testing.assert_frame_equal(again.differences, c.differences, check_exact=True)
    joint, expected = astuple(again.joint_test()), astuple(c.joint_test())
    # arrays come back in another layout, and sums of 40 documents in another order
    assert joint[:-1] == pytest.approx(expected[:-1], rel=1e-12, nan_ok=True)
    assert joint[-1] == expected[-1]
