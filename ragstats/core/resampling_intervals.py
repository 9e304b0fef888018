"""Intervals from the replicates of a document bootstrap: studentized, percentile and BCa."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from scipy import stats

from ragstats.core.resampling import EQUAL_RATES, DocumentSums, Replicates
from ragstats.core.segments import Floats
from ragstats.exceptions import DataError


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """An interval from replicates.

    Attributes
    ----------
    low, high : float
        The limits.
    pvalue : float
        Two-sided p of "the mean is 0"; NaN where the rule has none.
    n_discarded : int
        Replicates that were left out because they are degenerate.
    note : str
        What there is to know; empty otherwise.
    """

    low: float
    high: float
    pvalue: float = nan
    n_discarded: int = 0
    note: str = ""


def studentized(sums: DocumentSums, replicates: Replicates, alpha: float) -> BootstrapInterval:
    """Return the bootstrap-t interval, ``θ̂ - t*_{1-α/2} se`` to ``θ̂ - t*_{α/2} se``.

    Degenerate replicates have no ``t*`` and are discarded. The p-value is equal-tailed, as the
    interval: twice the smaller share of ``t*`` beyond ``θ̂/se``, the sample itself counted.

    Raises
    ------
    DataError
        If every replicate is degenerate.

    References
    ----------
    Davison and Hinkley (1997), sections 2.4 and 4.4.1.
    """
    kept = ~replicates.degenerate
    if not kept.any():
        raise DataError(
            f"n_boot={kept.size}: every replicate is degenerate (its documents share one rate), so"
            f" bootstrap-t has no interval; K={sums.n_groups} documents vary too little"
        )
    ratio = replicates.change[kept] / replicates.se[kept]
    low, high = np.quantile(ratio, [alpha / 2, 1 - alpha / 2])
    estimate, se = sums.estimate, sums.se
    return BootstrapInterval(
        low=float(estimate - high * se),
        high=float(estimate - low * se),
        pvalue=_equal_tailed(ratio, estimate / se) if se > 0 else nan,
        n_discarded=int((~kept).sum()),
    )


def _equal_tailed(ratio: Floats, observed: float) -> float:
    beyond = int(min((ratio >= observed).sum(), (ratio <= observed).sum()))
    return min(1.0, 2 * (1 + beyond) / (1 + ratio.size))


def percentile(sums: DocumentSums, replicates: Replicates, alpha: float) -> BootstrapInterval:
    """Return the quantiles of the replicates; degenerate ones are estimates too, and stay.

    References
    ----------
    Davison and Hinkley (1997), section 5.3.1.
    """
    low, high = np.quantile(replicates.change, [alpha / 2, 1 - alpha / 2])
    return BootstrapInterval(float(sums.estimate + low), float(sums.estimate + high))


def bca(sums: DocumentSums, replicates: Replicates, alpha: float) -> BootstrapInterval:
    """Return the bias-corrected and accelerated interval, the acceleration by jackknife.

    Replicates equal to the estimate (but for rounding) count half in the bias correction. At a
    boundary, where the correction or the acceleration is not finite, the percentile interval takes
    its place and the note says so.

    References
    ----------
    Efron (1987), JASA 82(397), 171-185, sections 2 and 7; Davison and Hinkley (1997), section 5.3.2
    (several samples too).
    """
    rounding = EQUAL_RATES * np.abs(sums.rates).max()
    below = np.count_nonzero(replicates.change < -rounding)
    above = np.count_nonzero(replicates.change > rounding)
    share = 0.5 + (below - above) / (2 * replicates.change.size)
    acceleration = jackknife_acceleration(sums)
    if not 0 < share < 1:
        return _fall_back(sums, replicates, alpha, "every replicate is on one side of the estimate")
    if np.isnan(acceleration):
        return _fall_back(sums, replicates, alpha, "no document changes the estimate")
    bias = stats.norm.ppf(share)
    shifted = bias + np.asarray(stats.norm.ppf([alpha / 2, 1 - alpha / 2]))
    stretch = 1 - acceleration * shifted
    if stretch.min() <= 0:
        return _fall_back(
            sums, replicates, alpha, f"the acceleration {acceleration:.2g} is too large"
        )
    levels = np.asarray(stats.norm.cdf(bias + shifted / stretch))
    low, high = np.quantile(replicates.change, levels)
    return BootstrapInterval(float(sums.estimate + low), float(sums.estimate + high))


def _fall_back(
    sums: DocumentSums, replicates: Replicates, alpha: float, why: str
) -> BootstrapInterval:
    plain = percentile(sums, replicates, alpha)
    note = f"BCa is at a boundary ({why}): the percentile interval takes its place"
    return BootstrapInterval(plain.low, plain.high, note=note)


def jackknife_acceleration(sums: DocumentSums) -> float:
    """Return ``a`` from leaving out each document; NaN when that never changes the estimate.

    With ``l`` the deviations of the leave-one-out estimates from their mean within the stratum,
    times ``K_h - 1``, it is ``Σ_h K_h⁻³ Σ l³ / (6 (Σ_h K_h⁻² Σ l²)^{3/2})``.
    """
    counts = np.bincount(sums.strata).astype(float)
    left_out = sums.leave_one_out()
    means = np.bincount(sums.strata, weights=left_out) / counts
    share = ((counts - 1) / counts)[sums.strata]
    influence = share * (means[sums.strata] - left_out)
    square = float((influence**2).sum())
    if square <= (EQUAL_RATES * np.abs(sums.rates).max()) ** 2:
        return nan
    return float((influence**3).sum() / (6 * square**1.5))
