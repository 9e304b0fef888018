"""Variances and degrees of freedom of many samples at once, in closed form.

A working covariance of the documents' contributions is diagonal plus rank two,
``P = diag(d) + A pp' + B (pq' + qp')``, so that ν = (tr P)²/‖P‖² is a handful of sums over
documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragstats.core.dof import NO_VARIANCE
from ragstats.core.resampling import EQUAL_RATES
from ragstats.core.segments import Floats
from ragstats.evaluation.coverage.sample import Bools, Ratio


@dataclass(frozen=True, slots=True)
class Spread:
    """What an interval needs beside the estimate.

    Attributes
    ----------
    variance, df : ndarray (R,)
        Of the estimate.
    known : ndarray of bool (R,)
        False where the documents do not vary, so that the variance 0 means nothing.
    """

    variance: Floats
    df: Floats
    known: Bools

    @property
    def se(self) -> Floats:
        """The standard error (R,)."""
        return np.asarray(np.sqrt(self.variance))


def cr1(ratio: Ratio) -> Spread:
    """Return ``K/(K-1) Σ u² / N²`` with ``K - 1`` df (Liang and Zeger, 1986)."""
    k = ratio.n_documents
    return _spread(ratio, ratio.residuals, k / (k - 1), _minus_one(ratio))


def cr2(ratio: Ratio) -> Spread:
    """Return ``Σ u²/b / N²`` with Satterthwaite df (Bell and McCaffrey, 2002, section 4).

    Independent rows of equal variance are the working model. With ``w`` the weight of a row of the
    document, ``b = 1 - 2 n w/W + n Σw²n/W²``, which is ``1 - n/N`` without weights: the sum of the
    residuals of the document keeps that share of its variance.
    """
    x, per_row, total = ratio.x, ratio.per_row, ratio.total[:, None]
    squared = per_row * x
    mean_square = squared.sum(axis=1, keepdims=True) / total**2
    kept = _kept(ratio, mean_square)
    root = np.sqrt(kept)
    df = diagonal_plus_rank_two(
        squared / kept, x / root, squared / root, mean_square[:, 0], -1 / ratio.total
    )
    return _spread(ratio, ratio.residuals / root, 1.0, df)


def cr2_ik(ratio: Ratio) -> Spread:
    """Return the CR2 variance with the df of Imbens and Kolesár (2016), section 4."""
    df = imbens_kolesar(ratio, *random_effects(ratio))
    root = np.sqrt(1 - ratio.rows / ratio.total[:, None])
    return _spread(ratio, ratio.residuals / root, 1.0, df)


def random_effects(ratio: Ratio) -> tuple[Floats, Floats]:
    """Return ρ and σ² of ``σ²I + ρ11'``, from the residuals; ρ may be negative, as in dfadjust.

    ``ρ = (Σ_g(1'e_g)² - Σe²)/(Σn² - N)``, ``σ² = max(Σe²/N - ρ, 0)``.
    """
    n, n_rows, sample, mean = ratio.rows, ratio.total, ratio.sample, ratio.estimate[:, None]
    rows = np.maximum(sample.ss - mean * (2 * sample.s - mean * n), 0.0)
    square = np.where(ratio.flat, _within(ratio).sum(axis=1), rows.sum(axis=1))
    pairs = (n**2).sum(axis=1) - n_rows
    correlated = (ratio.residuals**2).sum(axis=1) - square
    rho = np.where(pairs > 0, correlated / np.where(pairs > 0, pairs, 1.0), 0.0)
    return rho, np.maximum(square / n_rows - rho, 0.0)


def imbens_kolesar(ratio: Ratio, rho: Floats, sigma2: Floats) -> Floats:
    """Return the df (R,) of the micro mean under ``σ²I + ρ11'`` (eq. 10).

    In an orthonormal basis, with ``h = n/N`` and ``f² = 1/(1 - h)``: ``α = h f²``, ``ζ = h f`` and
    ``ω x̄ = n h f``.
    """
    n, n_rows = ratio.rows, ratio.total
    share = n / n_rows[:, None]
    root = 1 / np.sqrt(1 - share)
    zeta, crossed = share * root, n * share * root
    diagonal = sigma2[:, None] * zeta * root + rho[:, None] * n * root * zeta
    sizes = (n**2).sum(axis=1) / n_rows
    return diagonal_plus_rank_two(diagonal, zeta, crossed, rho * sizes - sigma2, -rho)


def cr3(ratio: Ratio) -> Spread:
    """Return ``Σ (u/(1 - x/Σx))² / N²``, the jackknife centred at the estimate, with K - 1 df."""
    left = 1 - ratio.x / ratio.total[:, None]
    return _spread(ratio, ratio.residuals / left, 1.0, _minus_one(ratio))


def linearized(ratio: Ratio) -> Spread:
    """Return the design-based variance of the combined ratio, with ``K - H`` df.

    ``Σ_h (1 - f_h) K_h/(K_h - 1) Σ (z - z̄_h)²`` plus, when queries were sampled in the documents
    and the correction is asked for, ``Σ (M/K) C² (1 - c/C) s²/c``, both over ``(Σ x)²`` (Cochran,
    1977, sections 6.11 and 11.9).
    """
    sample = ratio.sample
    z = np.empty_like(ratio.residuals)
    factor = np.empty(ratio.n_documents)
    free = 0
    for columns in sample.strata:
        part = ratio.residuals[:, columns]
        size = part.shape[1]
        several = size > 1
        z[:, columns] = part - part.mean(axis=1, keepdims=True) if several else 0.0
        factor[columns] = sample.remaining[columns] * (size / (size - 1) if several else 1.0)
        free += size - 1
    scale = np.abs(ratio.y) + np.abs(ratio.estimate[:, None]) * ratio.x
    uncertain = factor > 0
    noise = np.abs(z * uncertain).max(axis=1) <= EQUAL_RATES * scale.max(axis=1)
    still = ratio.flat | noise
    z = np.where(still[:, None], 0.0, z)
    between = z**2 @ factor
    sampled = _second_stage(ratio)
    df = np.full(len(z), float(free))
    known = ~(still & uncertain.any() & (sampled <= 0))
    return Spread((between + sampled) / ratio.total**2, df, known)


def spread_of_design(ratio: Ratio) -> Spread:
    """Return CR2 for simple random samples, the design-based variance for others."""
    return cr2(ratio) if ratio.sample.simple else linearized(ratio)


def diagonal_plus_rank_two(d: Floats, p: Floats, q: Floats, a: Floats, b: Floats) -> Floats:
    """Return ``(tr P)²/‖P‖²`` of ``P = diag(d) + a pp' + b (pq' + qp')``, one per row.

    NaN where the trace is 0 but for rounding.
    """
    pp, pq, qq = _dot(p, p), _dot(p, q), _dot(q, q)
    size = d.sum(axis=1)
    trace = size + a * pp + 2 * b * pq
    square = (
        _dot(d, d)
        + 2 * (a * _dot(d * p, p) + 2 * b * _dot(d * p, q))
        + (a * pp) ** 2
        + 4 * a * b * pp * pq
        + 2 * b**2 * (pq**2 + pp * qq)
    )
    usable = (trace > NO_VARIANCE * size) & (square > 0)
    return np.where(usable, trace**2 / np.where(usable, square, 1.0), np.nan)


def intraclass(ratio: Ratio) -> Floats:
    """Return the one-way ANOVA ICC (R,), not truncated.

    ``(MSB - MSW)/(MSB + (n₀ - 1) MSW)``, ``n₀ = (N - Σn²/N)/(K - 1)`` (Donner and Koval, 1980). NaN
    where every document has one query; 0 where the scores do not vary.
    """
    n, sample = ratio.sample.n, ratio.sample
    k, n_rows = n.shape[1], n.sum(axis=1)
    mean = (sample.s.sum(axis=1) / n_rows)[:, None]
    between = (n * (sample.rates - mean) ** 2).sum(axis=1) / (k - 1)
    inside = n_rows - k
    within = np.where(inside > 0, _within(ratio).sum(axis=1) / np.maximum(inside, 1), np.nan)
    typical = (n_rows - (n**2).sum(axis=1) / n_rows) / (k - 1)
    whole = between + (typical - 1) * within
    varies = ~(whole <= 0)
    return np.where(varies, (between - within) / np.where(varies, whole, 1.0), 0.0)


def _within(ratio: Ratio) -> Floats:
    """Return the sum of squares within each document (R, K), 0 where it is only rounding."""
    sample = ratio.sample
    inside = sample.ss - sample.s**2 / sample.n
    return np.where(inside > 8 * np.finfo(float).eps * sample.ss, inside, 0.0)


def _second_stage(ratio: Ratio) -> Floats:
    """Return the variance from sampling queries within documents, times ``(Σ x)²`` (R,)."""
    sample = ratio.sample
    if sample.simple or (sample.remaining == 1).all() or sample.size is sample.n:
        return np.zeros(len(ratio.total))
    left = 1 - sample.n / sample.size
    per_query = _within(ratio) / np.maximum(sample.n - 1, 1) / sample.n * left
    extent = sample.size if ratio.estimand == "micro" else np.ones_like(sample.size)
    return np.asarray((sample.weight * extent**2 * per_query).sum(axis=1))


def _kept(ratio: Ratio, mean_square: Floats) -> Floats:
    total = ratio.total[:, None]
    if ratio.sample.simple or ratio.estimand == "macro":
        return np.asarray(1 - ratio.x / total)
    return np.asarray(1 - 2 * ratio.x / total + ratio.rows * mean_square)


def _minus_one(ratio: Ratio) -> Floats:
    return np.full(len(ratio.total), ratio.n_documents - 1.0)


def _spread(ratio: Ratio, adjusted: Floats, factor: float, df: Floats) -> Spread:
    """Return the sandwich of the adjusted residuals, with the finite population correction."""
    variance = factor * ratio.remaining * (adjusted**2).sum(axis=1) / ratio.total**2
    known = ~ratio.flat if ratio.remaining > 0 else np.ones(len(df), bool)
    return Spread(variance, df, known)


def _dot(left: Floats, right: Floats) -> Floats:
    return np.asarray(np.einsum("rk,rk->r", left, right))
