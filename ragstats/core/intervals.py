"""Closed-form intervals of a mean, as functions of arrays.

One number or thousands of replications at once: every argument broadcasts. What cannot be had is
NaN.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from ragstats.core.segments import Floats


def t_interval(
    estimate: Floats, se: Floats, df: Floats, alpha: float = 0.05
) -> tuple[Floats, Floats]:
    """Return ``estimate ± t(1 - α/2; df) · se``."""
    half = stats.t.isf(alpha / 2, df) * se
    return np.asarray(estimate - half), np.asarray(estimate + half)


def korn_graubard(
    estimate: Floats,
    variance: Floats,
    df: Floats,
    n_rows: Floats,
    n_documents: Floats,
    *,
    alpha: float = 0.05,
    cap: bool = True,
) -> tuple[Floats, Floats]:
    """Return Clopper-Pearson limits at the effective sample size of a clustered proportion.

    ``n_eff = R(1-R)/V · (t(1-α/2; N-1) / t(1-α/2; df))²``, at most N unless ``cap=False``; the
    number of documents where V is 0 (the documents do not differ), so that the width never is 0.

    References
    ----------
    Korn and Graubard (1998), Survey Methodology 24(2), 193-201, section 2.
    """
    estimate, variance = np.asarray(estimate, float), np.asarray(variance, float)
    differ = variance > 0
    ratio = stats.t.isf(alpha / 2, n_rows - 1) / stats.t.isf(alpha / 2, df)
    effective = estimate * (1 - estimate) / np.where(differ, variance, 1.0) * ratio**2
    effective = np.where(differ, effective, n_documents)
    if cap:
        effective = np.minimum(effective, n_rows)
    hits = effective * estimate
    misses = effective - hits
    with np.errstate(invalid="ignore"):
        low = np.where(hits > 0, stats.beta.ppf(alpha / 2, hits, misses + 1), 0.0)
        high = np.where(misses > 0, stats.beta.isf(alpha / 2, hits + 1, misses), 1.0)
    unknown = np.isnan(variance) | np.isnan(df)
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


def logit_interval(
    estimate: Floats, se: Floats, df: Floats, alpha: float = 0.05
) -> tuple[Floats, Floats]:
    """Return the t interval on the logit scale, transformed back; NaN at 0 and at 1.

    References
    ----------
    Korn and Graubard (1998), Survey Methodology 24(2), 193-201, section 2.
    """
    estimate = np.asarray(estimate, float)
    inside = (estimate > 0) & (estimate < 1)
    mean = np.where(inside, estimate, 0.5)
    centre, half = np.log(mean / (1 - mean)), stats.t.isf(alpha / 2, df) * se / (mean * (1 - mean))
    low, high = 1 / (1 + np.exp(half - centre)), 1 / (1 + np.exp(-half - centre))
    return np.where(inside, low, np.nan), np.where(inside, high, np.nan)


def iid_se(total: Floats, squares: Floats, n_rows: Floats) -> Floats:
    """Return the standard error of a mean of rows taken as independent; for comparison only."""
    mean = total / n_rows
    variance = np.maximum(squares / n_rows - mean**2, 0.0) * n_rows / (n_rows - 1)
    return np.asarray(np.sqrt(variance / n_rows))


def normal_interval(estimate: Floats, se: Floats, alpha: float = 0.05) -> tuple[Floats, Floats]:
    """Return the Wald interval with the normal quantile."""
    half = stats.norm.isf(alpha / 2) * se
    return np.asarray(estimate - half), np.asarray(estimate + half)
