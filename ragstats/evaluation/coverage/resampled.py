"""The document bootstrap of many samples at once, on the document moments.

The formulas are those of :mod:`ragstats.core.resampling`, with one axis more: sample, replicate,
document. Memory is bounded by working on a few samples at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special

from ragstats.core.resampling import CANCELLED, EQUAL_RATES
from ragstats.core.segments import Floats
from ragstats.evaluation.coverage.sample import Bools, Ratio, Strata

#: Numbers in one array of counts: 4 MB, which caches can hold.
CELLS = 1 << 19


@dataclass(frozen=True, slots=True)
class Replicates:
    """Bootstrap replicates of R samples.

    Attributes
    ----------
    change : ndarray (R, B)
        ``θ* - θ̂``.
    se : ndarray (R, B)
        CR1, residuals centred within strata; NaN where the replicate is degenerate.
    se2 : ndarray (R, B) or None
        CR2, when it was asked for.
    """

    change: Floats
    se: Floats
    se2: Floats | None = None


def blocks(size: int, cells_each: int, cells: int = CELLS) -> Iterator[slice]:
    """Yield the rows of blocks of at most ``cells`` numbers, at least one row each."""
    step = max(1, cells // cells_each)
    for start in range(0, size, step):
        yield slice(start, min(start + step, size))


def draw_counts(
    rng: np.random.Generator, size: int, n_boot: int, n_documents: int, strata: Strata
) -> Floats:
    """Return how often each document was drawn, (R, B, K), each stratum on its own."""
    counts = np.empty((size * n_boot, n_documents))
    for columns in strata:
        k = len(range(*columns.indices(n_documents)))
        drawn = rng.integers(0, k, (size * n_boot, k))
        drawn += np.arange(0, drawn.size, k)[:, None]
        flat = np.bincount(drawn.ravel(), minlength=drawn.size)
        counts[:, columns] = flat.reshape(drawn.shape)
    return counts.reshape(size, n_boot, n_documents)


def replicate(ratio: Ratio, counts: Floats, *, leverage: bool = False) -> Replicates:
    """Return the replicates of samples whose documents were drawn ``counts`` times.

    Parameters
    ----------
    ratio : Ratio
        R samples.
    counts : ndarray (R, B, K)
        From :func:`draw_counts`.
    leverage : bool
        Whether the CR2 standard errors are computed too (one stratum only).

    References
    ----------
    Davison and Hinkley (1997), Bootstrap Methods and their Application, sections 2.4 and 3.2.
    """
    u, x = ratio.residuals, ratio.x
    columns = np.stack([u, x, u**2, u * x, x**2], axis=1)
    strata = ratio.sample.strata
    by_stratum = [
        (columns[..., h].shape[-1], np.einsum("rbk,rmk->mrb", counts[..., h], columns[..., h]))
        for h in strata
    ]
    total = sum(sums[1] for _, sums in by_stratum)
    change = sum(sums[0] for _, sums in by_stratum) / total
    square, parts = np.zeros_like(change), np.zeros_like(change)
    for k, (e, n, ee, en, nn) in by_stratum:
        mean = (e - change * n) / k if len(strata) > 1 else 0.0
        square += k / (k - 1) * (ee - 2 * change * en + change**2 * nn - k * mean**2)
        parts += k / (k - 1) * (ee + change**2 * nn)
    again = square <= CANCELLED * parts
    degenerate = np.zeros(change.shape, bool)
    if again.any():
        square[again], degenerate[again] = _from_deviations(ratio, counts, change, again)
    se = np.where(degenerate, np.nan, np.sqrt(np.maximum(square, 0.0)) / total)
    still = np.abs(change).max(axis=1) <= EQUAL_RATES * np.abs(ratio.y / x).max(axis=1)
    change = np.where(still[:, None], 0.0, change)  # what is left is rounding
    se2 = np.where(degenerate, np.nan, _cr2(ratio, counts, change, total)) if leverage else None
    return Replicates(change, se, se2)


def _from_deviations(
    ratio: Ratio, counts: Floats, change: Floats, again: Bools
) -> tuple[Floats, Bools]:
    """Return sums of squares and whether degenerate, for replicates that cancelled.

    Without strata a replicate is degenerate when its documents share one rate; with strata, when
    within every stratum they have one residual.
    """
    row = np.nonzero(again)[0]
    weights = counts[again]
    drawn = weights > 0
    moved = change[again][:, None]
    deviations = ratio.residuals[row] - moved * ratio.x[row]
    strata = ratio.sample.strata
    square = np.zeros(len(row))
    for h in strata:
        part, own = deviations[:, h], weights[:, h]
        k = part.shape[1]
        if len(strata) > 1:
            part = part - np.einsum("fk,fk->f", own, part)[:, None] / k
            deviations[:, h] = part
        square += k / (k - 1) * np.einsum("fk,fk,fk->f", own, part, part)
    if len(strata) == 1:
        classes = rate_classes(ratio.y / ratio.x)[row]
        low = np.where(drawn, classes, ratio.n_documents).min(axis=1)
        return square, low == np.where(drawn, classes, -1).max(axis=1)
    estimate = np.abs(ratio.estimate[row] + change[again])[:, None]
    scale = np.where(drawn, np.abs(ratio.y[row]) + estimate * ratio.x[row], 0.0).max(axis=1)
    widest = np.where(drawn, np.abs(deviations), 0.0).max(axis=1)
    return square, widest <= EQUAL_RATES * scale


def rate_classes(rates: Floats) -> np.ndarray:
    """Return a code for each rate (R, K), equal where rates of a row are equal but for rounding."""
    order = np.argsort(rates, axis=1, kind="stable")
    gaps = np.diff(np.take_along_axis(rates, order, axis=1), axis=1)
    apart = gaps > EQUAL_RATES * np.abs(rates).max(axis=1, keepdims=True)
    codes = np.zeros(rates.shape, np.intp)
    np.cumsum(apart, axis=1, out=codes[:, 1:])
    classes = np.empty_like(codes)
    np.put_along_axis(classes, order, codes, axis=1)
    return classes


def _cr2(ratio: Ratio, counts: Floats, change: Floats, total: Floats) -> Floats:
    """Return the CR2 standard error of each replicate, a document drawn twice being two."""
    x = ratio.x[:, None, :]
    deviations = ratio.residuals[:, None, :] - change[..., None] * x
    deviations **= 2
    deviations /= np.where(counts > 0, 1 - x / total[..., None], 1.0)
    return np.asarray(np.sqrt(np.einsum("rbk,rbk->rb", counts, deviations)) / total)


def row_quantiles(values: Floats, probabilities: Floats) -> Floats:
    """Return quantiles (R, q) of each row of ``values`` (R, B), as ``np.quantile`` has them.

    NaN are left out; a row without numbers gives NaN. ``probabilities`` is (q,) or (R, q).
    """
    ordered = np.sort(values, axis=1)
    kept = np.count_nonzero(~np.isnan(ordered), axis=1)[:, None]
    place = np.maximum(kept - 1, 0) * np.broadcast_to(
        probabilities, (len(values), np.shape(probabilities)[-1])
    )
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(kept - 1, 0))
    low = np.take_along_axis(ordered, below, axis=1)
    high = np.take_along_axis(ordered, above, axis=1)
    return np.where(kept > 0, low + (high - low) * (place - below), np.nan)


def bca_probabilities(ratio: Ratio, replicates: Replicates, tails: Floats) -> Floats:
    """Return the probabilities (R, q) at which BCa reads the replicates' quantiles.

    Where the correction or the acceleration is not finite they are ``tails``: the percentile
    interval takes its place, as in :func:`ragstats.core.resampling_intervals.bca`.

    References
    ----------
    Efron (1987), JASA 82(397), 171-185, eq. 2.3, 4.4 and 6.6.
    """
    rounding = EQUAL_RATES * np.abs(ratio.y / ratio.x).max(axis=1)
    change, n_boot = replicates.change, replicates.change.shape[1]
    below = np.count_nonzero(change < -rounding[:, None], axis=1)
    above = np.count_nonzero(change > rounding[:, None], axis=1)
    share = 0.5 + (below - above) / (2 * n_boot)
    inside = (share > 0) & (share < 1)
    bias = special.ndtri(np.where(inside, share, 0.5))[:, None]
    acceleration = _acceleration(ratio, rounding)[:, None]
    shifted = bias + special.ndtri(tails)
    stretch = 1 - np.nan_to_num(acceleration) * shifted
    usable = inside & ~np.isnan(acceleration[:, 0]) & (stretch > 0).all(axis=1)
    moved = special.ndtr(bias + shifted / np.where(usable[:, None], stretch, 1.0))
    return np.where(usable[:, None], moved, tails)


def _acceleration(ratio: Ratio, rounding: Floats) -> Floats:
    """Return ``a`` (R,) from leaving out each document; NaN when that never changes anything."""
    left_y, left_x = (_left_out(column, ratio) for column in (ratio.y, ratio.x))
    left = left_y / left_x
    influence = np.empty_like(left)
    for h in ratio.sample.strata:
        part = left[:, h]
        k = part.shape[1]
        influence[:, h] = (k - 1) / k * (part.mean(axis=1, keepdims=True) - part)
    square = (influence**2).sum(axis=1)
    moves = square > rounding**2
    return np.where(
        moves, (influence**3).sum(axis=1) / (6 * np.where(moves, square, 1.0) ** 1.5), np.nan
    )


def _left_out(column: Floats, ratio: Ratio) -> Floats:
    """Return the total without each document (R, K), its stratum reweighted to its share."""
    left = np.empty_like(column)
    total = column.sum(axis=1, keepdims=True)
    for h in ratio.sample.strata:
        part = column[:, h]
        k = part.shape[1]
        stratum = part.sum(axis=1, keepdims=True)
        left[:, h] = total - stratum + k / (k - 1) * (stratum - part)
    return left
