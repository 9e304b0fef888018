"""Correct digits on NIST's certified data, where a careless least squares loses most of them."""

import numpy as np
import pytest
from nist_strd import read_filip, read_longley, read_wampler

from ragstats.core.estimate import least_squares
from ragstats.core.moments import ClusterMoments
from ragstats.exceptions import DataError

# Digits of the coefficients and of their standard deviations. The condition of the scaled design
# takes its share of 16: 4e4 (Longley), 5e9 (Filip), 2e3 (Wampler), where the residuals of Wampler4
# and 5 take more. Each is one digit below what is reached, for other builds of BLAS.
DIGITS = {
    "Longley": (read_longley, 10.5, 11.0),
    "Filip": (read_filip, 7.0, 7.0),
    "Wampler1": (lambda: read_wampler(1), 8.0, 15.0),
    "Wampler2": (lambda: read_wampler(2), 11.5, 15.0),
    "Wampler3": (lambda: read_wampler(3), 8.0, 12.5),
    "Wampler4": (lambda: read_wampler(4), 7.5, 12.5),
    "Wampler5": (lambda: read_wampler(5), 5.5, 12.5),
}


def digits(found, certified):
    """The number of correct digits of the worst value; of an exact 0, the decimals."""
    error = np.abs(found - certified)
    size = np.where(certified == 0, 1.0, np.abs(certified))
    return -np.log10(np.maximum(error / size, 1e-16)).min()


def pairs_of_rows(n_rows):
    """Documents of two rows: their number is of no concern to coefficients."""
    return np.arange(n_rows) // 2, np.arange((n_rows + 1) // 2)


@pytest.mark.parametrize("name", DIGITS)
def test_certified_coefficients_and_deviations(name):
    read, coefficient_digits, deviation_digits = DIGITS[name]
    data = read()
    n, p = data.design.shape
    fit = least_squares(data.design, data.outcome, *pairs_of_rows(n))
    squares = fit.moments.square.sum()
    deviations = np.sqrt(squares / (n - p) * (fit.basis.transform**2).sum(axis=1))
    assert fit.basis.aliased.size == 0
    assert digits(fit.coefficients, data.coefficients) > coefficient_digits
    assert digits(deviations, data.deviations) > deviation_digits
    assert digits(squares, data.residual_squares) > deviation_digits


def test_every_column_counts_once_in_the_alias_check():
    """Filip's polynomial is a hard design, not a collinear one; its double column is."""
    data = read_filip()
    doubled = np.column_stack([data.design, 3.0 * data.design[:, 4]])
    fit = least_squares(doubled, data.outcome, *pairs_of_rows(len(doubled)))
    np.testing.assert_array_equal(fit.basis.aliased, [11])
    assert digits(fit.coefficients, data.coefficients) > 7.0


def test_raw_moments_square_the_condition():
    """So Longley keeps about 7 digits, and Filip is refused rather than answered wrongly."""
    data = read_longley()
    codes, ids = pairs_of_rows(len(data.outcome))
    raw = ClusterMoments.from_rows(data.design, data.outcome, codes, ids).standardized()
    assert digits(raw.origin, data.coefficients) > 6.0
    filip = read_filip()
    codes, ids = pairs_of_rows(len(filip.outcome))
    with pytest.raises(DataError, match="collinear"):
        ClusterMoments.from_rows(filip.design, filip.outcome, codes, ids).standardized()


def test_centred_and_scaled_moments_keep_what_rows_keep():
    """What a stream does: centre and scale by guesses from the first chunk, and undo at the end."""
    data = read_longley()
    codes, ids = pairs_of_rows(len(data.outcome))
    centre, scale = data.design[:6].mean(axis=0), data.design[:6].std(axis=0)
    centre[0], scale[0] = 0.0, 1.0
    rows = (data.design - centre) / scale
    moments = ClusterMoments.from_rows(rows, data.outcome - 6.5e4, codes, ids).standardized()
    slopes = moments.origin / scale
    slopes[0] = moments.origin[0] + 6.5e4 - slopes[1:] @ centre[1:]
    assert digits(slopes, data.coefficients) > 9.5


@pytest.mark.parametrize("unit", [1e-120, 1e-60, 1e60, 1e120])
def test_columns_of_extreme_units(unit):
    """Squares of such columns underflow or overflow; their norms must not."""
    data = read_longley()
    codes, ids = pairs_of_rows(len(data.outcome))
    units = np.array([1, unit, 1, 1, 1 / unit, 1, 1])
    fit = least_squares(data.design * units, data.outcome, codes, ids)
    assert digits(fit.coefficients * units, data.coefficients) > 10.0
