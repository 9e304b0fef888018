"""Counting: how often intervals cover the truth, and on which side they miss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragstats.core.segments import Floats
from ragstats.evaluation.coverage.methods import Limits

#: What to do with an interval that is not there, or has zero width because documents do not vary.
DEGENERATE = {
    "miss": "unavailable intervals count as misses",
    "zero-width": "intervals of documents that do not vary are the estimate alone",
    "skip": "unavailable intervals are left out",
}


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the intervals of one method.

    Attributes
    ----------
    coverage : float
        The share that holds the truth, of all (or, under "skip", of the available) intervals.
    mc_error : float
        Its Monte Carlo standard error, ``√(c(1-c)/R)``.
    below, above : float
        The shares that lie below, and above, the truth.
    median_width : float
        Of the intervals that are counted and are there.
    unavailable : float
        The share of samples without an interval.
    """

    coverage: float
    mc_error: float
    below: float
    above: float
    median_width: float
    unavailable: float


def tally(
    limits: Limits, truth: float, rule: str, *, rounding: float = 0.0, width: bool = True
) -> Tally:
    """Count the intervals of one method.

    Parameters
    ----------
    limits : Limits
        Of R samples.
    truth : float
        The value that they should hold.
    rule : str
        A name of ``DEGENERATE``.
    rounding : float
        A limit this close to the truth holds it: for a sample that is the whole population.
    width : bool
        Whether the distance of the limits is a width.

    Examples
    --------
    >>> import numpy as np
    >>> three = Limits(np.array([0., 2, 1]), np.array([2., 3, 1]), np.array([True, True, False]))
    >>> t = tally(three, 1.0, "miss")
    >>> round(t.coverage, 3), t.below, round(t.above, 3), round(t.unavailable, 3)
    (0.333, 0.0, 0.333, 0.333)
    """
    there = limits.available if rule != "zero-width" else ~np.isnan(limits.low)
    counted = int(there.sum()) if rule == "skip" else len(there)
    low, high = limits.low[there], limits.high[there]
    below, above = high < truth - rounding, low > truth + rounding
    covered = float((~below & ~above).sum())
    share = covered / counted if counted else np.nan
    return Tally(
        coverage=share,
        mc_error=float(np.sqrt(share * (1 - share) / counted)) if counted else np.nan,
        below=float(below.sum()) / counted if counted else np.nan,
        above=float(above.sum()) / counted if counted else np.nan,
        median_width=_median(high - low) if width else np.nan,
        unavailable=float((~limits.available).mean()),
    )


def _median(widths: Floats) -> float:
    return float(np.median(widths)) if widths.size else np.nan
