"""Intervals by inverting the wild bootstrap test: the nulls that it does not reject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from ragstats.core.wild import WildReplicates

#: The limits are found to this many standard errors (of the limit's distance, when that is larger).
LIMIT_TOLERANCE = 1e-10
#: A limit further away than this many standard errors is infinite (documents whose leverage is
#: below its inverse, ``UNMOVED``, cannot be told from none).
FAR_AWAY = 2.0**40


@dataclass(frozen=True, slots=True)
class WildInterval:
    """Limits by test inversion; infinite where no null on that side is rejected."""

    low: float
    high: float


def invert(
    replicates: WildReplicates, alpha: float, alternative: str = "two-sided"
) -> WildInterval:
    """Return the nulls that the test of level ``alpha`` does not reject (p > alpha).

    On each side the search doubles the distance from the estimate until the test rejects, and then
    bisects. p is a step function of the null, and need not be monotone: the limit is the last null
    not rejected before the step that was bracketed. A one-sided test gives a one-sided interval.

    With few documents no null may be rejected at all (the smallest p of all 2^K sign vectors is
    2/2^K, more than .05 for K ≤ 5): that limit is infinite.

    References
    ----------
    MacKinnon, Nielsen and Webb (2023), J. Econometrics 232(2), 272-299; Davison and
    Hinkley (1997), section 5.5 (inversion).
    """
    target = replicates.target

    def limit(side: float) -> float:
        def accepted(distance: float) -> bool:
            null = target.estimate + side * distance * target.se
            return replicates.pvalue(null, alternative) > alpha

        return target.estimate + side * last_accepted(accepted) * target.se

    low = -inf if alternative == "smaller" else limit(-1.0)
    return WildInterval(low, inf if alternative == "larger" else limit(1.0))


def last_accepted(accepted: Callable[[float], bool]) -> float:
    """Return the distance at which acceptance ends, searched outwards from 0 by doubling.

    Where 0 itself is not accepted (a one-sided test may do that) the search goes the other way.
    """
    inner, outer = 0.0, 1.0
    if accepted(inner):
        while accepted(outer):
            inner, outer = outer, 2 * outer
            if outer > FAR_AWAY:
                return inf
    else:
        inner, outer = -1.0, 0.0
        while not accepted(inner):
            inner, outer = 2 * inner, inner
            if inner < -FAR_AWAY:
                return -inf
    while outer - inner > LIMIT_TOLERANCE * max(1.0, abs(inner)):
        middle = (inner + outer) / 2
        inner, outer = (middle, outer) if accepted(middle) else (inner, middle)
    return inner
