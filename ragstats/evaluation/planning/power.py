"""Power of the t test of a mean or a paired difference, and what can be detected with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize, special, stats

from ragstats.checks import one_of
from ragstats.core.segments import Floats


def power_of(shift: Any, df: Any, alpha: float, alternative: str = "two-sided") -> Floats:
    """Return the probability that a t test rejects "the difference is 0".

    Parameters
    ----------
    shift : float or ndarray
        The true difference over its standard error (the noncentrality).
    df : float or ndarray
        Degrees of freedom; ``numpy.inf`` is the normal test.
    alpha : float
        The level.
    alternative : {"two-sided", "larger", "smaller"}
        A two-sided test also rejects on the wrong side; that counts, as in statsmodels.

    Returns
    -------
    ndarray
        Probabilities.

    Raises
    ------
    ValueError
        If ``alternative`` is unknown.

    References
    ----------
    Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences, 2nd ed. Section 2.5.

    Examples
    --------
    >>> float(power_of(2.8, 30, 0.05).round(4)), float(power_of(2.8, float("inf"), 0.05).round(4))
    (0.7732, 0.7996)
    """
    one_of("alternative", alternative, POWERS)
    return POWERS[alternative](np.asarray(shift, float), np.asarray(df, float), alpha)


def detectable_shift(power: float, df: float, alpha: float, alternative: str) -> float:
    """Return the shift above 0 (below, for "smaller") with a given power, which exceeds alpha."""
    sign = -1.0 if alternative == "smaller" else 1.0

    def lacks(shift: float) -> float:
        return float(power_of(sign * shift, df, alpha, alternative)) - power

    high = 4.0
    while lacks(high) < 0:
        high *= 2
    return sign * float(optimize.brentq(lacks, 0.0, high, xtol=1e-13, rtol=1e-13))


def _two_sided(shift: Floats, df: Floats, alpha: float) -> Floats:
    size, critical = np.abs(shift), np.asarray(stats.t.isf(alpha / 2, df))
    return _above(critical, df, size) + _below(-critical, df, size)


def _larger(shift: Floats, df: Floats, alpha: float) -> Floats:
    critical = np.asarray(stats.t.isf(alpha, df))
    up = _above(critical, df, np.maximum(shift, 0.0))
    down = _below(-critical, df, np.maximum(-shift, 0.0))
    return np.where(shift >= 0, up, down)


def _smaller(shift: Floats, df: Floats, alpha: float) -> Floats:
    return _larger(-shift, df, alpha)


#: Alternative → power of the shift, the df and alpha.
POWERS: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "two-sided": _two_sided,
    "larger": _larger,
    "smaller": _smaller,
}


def _above(critical: Floats, df: Floats, shift: Floats) -> Floats:
    """Return P(T > critical) of the noncentral t, for a shift of at least 0.

    Far beyond the critical value, where SciPy may answer NaN, it is 1.
    """
    exact = stats.nct.sf(critical, np.where(np.isinf(df), 1.0, df), shift)
    exact = np.where(np.isnan(exact) & (shift > critical), 1.0, exact)
    return np.where(np.isinf(df), stats.norm.sf(critical - shift), exact)


def _below(critical: Floats, df: Floats, shift: Floats) -> Floats:
    """Return P(T < critical) of the noncentral t, for critical < 0 and a shift of at least 0.

    Far out, where the probability is below 1e-12, the series of SciPy may end in NaN: that is 0.
    """
    exact = special.nctdtr(np.where(np.isinf(df), 1.0, df), shift, critical)
    exact = np.where(np.isnan(exact), 0.0, exact)
    return np.where(np.isinf(df), stats.norm.cdf(critical - shift), exact)
