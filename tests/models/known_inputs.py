"""The small inputs on which other programs failed or were silently wrong, and the right numbers.

``known_inputs.json`` has one entry for each public fault: what went wrong, what is right, and
what R clubSandwich answers (or the closed form, where R has none).
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

CASES = {
    case["id"]: case
    for case in json.loads(Path(__file__).with_name("known_inputs.json").read_text("utf-8"))
}

# R printed its numbers with 16 digits; both programs work in double precision on well-scaled data.
RTOL = 1e-8


def expected(identity):
    """Return the stored numbers of the case whose id starts with ``identity``."""
    return next(c["expect"] for i, c in CASES.items() if i.startswith(identity))


def twelve():
    """Return twelve scored rows in five documents, with one covariate."""
    return pd.DataFrame(
        {
            "score": [0.9, 0.8, 0.4, 0.5, 0.7, 0.2, 0.1, 0.3, 1.0, 0.6, 0.6, 0.0],
            "len": [3.0, 5, 2, 4, 6, 1, 2, 7, 5, 4, 3, 2],
            "doc": list("aaabbccccdee"),
        }
    )


def unscored():
    """Return the twelve rows, two of them without a score."""
    frame = twelve()
    frame.loc[[2, 7], "score"] = np.nan
    return frame


def systems(*, complete=False):
    """Return three systems on six queries of four documents; B lacks one query and C two."""
    frame = pd.DataFrame(
        {
            "q": [1, 2, 3, 4, 5, 6] * 3,
            "doc": list("pppqrs") * 3,
            "sys": list("A" * 6 + "B" * 6 + "C" * 6),
            "score": [0.9, 0.4, 0.6, 0.3, 0.8, 0.5, 0.7, 0.6, 0.2,
                      0.4, 0.9, 0.1, 1.0, 0.5, 0.7, 0.6, 0.8, 0.9],
        }
    )  # fmt: skip
    return frame if complete else frame.drop(index=[9, 16, 17]).reset_index(drop=True)


def hits():
    """Return ten rows of hits in five documents, with how often each row was seen."""
    return pd.DataFrame(
        {
            "hit": [1, 0, 1, 1, 0, 0, 1, 0, 1, 0],
            "len": [3.0, 5, 2, 4, 6, 1, 2, 7, 5, 4],
            "doc": list("aabbccddee"),
            "fw": [2, 1, 3, 1, 2, 2, 1, 1, 2, 3],
        }
    )


def design(frame, *columns):
    """Return a labelled design with a constant."""
    return frame[list(columns)].astype(float).assign(const=1.0)[["const", *columns]]


def row(results, name):
    """Return what a fit says about one coefficient, by every public route to it."""
    interval = results.conf_int().loc[name]
    return {
        "est": results.params[name],
        "se": results.bse[name],
        "df": results.df_inference[name],
        "t": results.tvalues[name],
        "p": results.pvalues[name],
        "ci": [interval[0], interval[1]],
    }


def contrast(test):
    """Return what a t test of one contrast says."""
    return {
        "est": np.ravel(test.effect)[0],
        "se": np.ravel(test.sd)[0],
        "df": np.ravel(test.df_denom)[0],
        "t": np.ravel(test.tvalue)[0],
        "p": np.ravel(test.pvalue)[0],
        "ci": list(test.conf_int()[0]),
    }


def assert_says(got, right, rtol=RTOL):
    """Compare every stored number with what was got."""
    for name, value in right.items():
        if name in got:
            assert_allclose(got[name], value, rtol=rtol, err_msg=name)


def assert_same(first, second, rtol=1e-10):
    """Compare two fits: estimates, SE, df, p and intervals of every coefficient.

    The same rows reach the same arithmetic, in another order at most.
    """
    assert list(first.params.index) == list(second.params.index)
    for name in ("params", "bse", "df_inference", "pvalues"):
        assert_allclose(getattr(first, name), getattr(second, name), rtol=rtol, err_msg=name)
    assert_allclose(first.conf_int(), second.conf_int(), rtol=rtol)
