"""Whether the restricted wild cluster bootstrap rejects the truth, for many samples at once.

The interval of the inverted test covers the truth when the test of the truth does not reject, so
no inversion is needed to count. With ``e = y - θ₀ x`` and sign v of each document, studentized by
CR1, whose factor cancels::

    numerator = Σ v e       δ = numerator / Σ x       square = Σ e² - 2 δ Σ v e x + δ² Σ x²
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ragstats.core.segments import Floats
from ragstats.core.wild import TIES
from ragstats.core.wild_weights import all_signs, lists_all
from ragstats.evaluation.coverage.resampled import blocks
from ragstats.evaluation.coverage.sample import Ratio


def wild_pvalues(ratio: Ratio, truth: float, n_boot: int, rng: np.random.Generator) -> Floats:
    """Return the two-sided p (R,) of "the mean is ``truth``", Rademacher signs.

    All 2^K sign vectors are used, each once, where the package's wild bootstrap does so; otherwise
    every sample has its own ``n_boot`` random ones, and counts as one of them.

    References
    ----------
    Cameron, Gelbach and Miller (2008), REStat 90(3), 414-427.
    """
    null = ratio.y - truth * ratio.x
    if lists_all(ratio.n_documents, n_boot, "rademacher"):
        extreme = np.zeros(len(null))
        drawn = 0
        for signs in all_signs(ratio.n_documents):
            for rows in blocks(len(null), len(signs)):
                extreme[rows] += count_extreme(null[rows], ratio.x[rows], signs[None])
            drawn += len(signs)
        return np.asarray(extreme / drawn)
    parts = [
        count_extreme(null[rows], ratio.x[rows], signs)
        for rows, signs in _random_signs(ratio, n_boot, rng)
    ]
    return np.asarray((1 + np.concatenate(parts)) / (1 + n_boot))


def _random_signs(
    ratio: Ratio, n_boot: int, rng: np.random.Generator
) -> Iterator[tuple[slice, Floats]]:
    k = ratio.n_documents
    for rows in blocks(len(ratio.x), n_boot * k):
        shape = (rows.stop - rows.start, n_boot, k)
        signs = rng.integers(0, 2, shape, dtype=np.int8).astype(float)
        yield rows, 2 * signs - 1


def count_extreme(null: Floats, x: Floats, signs: Floats) -> Floats:
    """Return how many replicates are as extreme as the sample, or more (R,); ties count.

    Parameters
    ----------
    null : ndarray (R, K)
        ``y - θ₀ x``.
    x : ndarray (R, K)
        Denominators.
    signs : ndarray (R, B, K) or (1, B, K)
        Auxiliary weights ±1.
    """
    total, ee, xx = x.sum(axis=1), (null**2).sum(axis=1), (x**2).sum(axis=1)
    signs = np.broadcast_to(signs, (len(x), *signs.shape[1:]))
    numerator, crossed = np.einsum("rbk,rmk->mrb", signs, np.stack([null, null * x], axis=1))
    delta = numerator / total[:, None]
    square = ee[:, None] - 2 * delta * crossed + delta**2 * xx[:, None]
    shift = null.sum(axis=1) / total
    own = ((null - shift[:, None] * x) ** 2).sum(axis=1)
    varies = own > 0
    t = np.abs(null.sum(axis=1)) / np.sqrt(np.where(varies, own, 1.0))
    se = np.sqrt(np.maximum(square, 0.0))
    limit = se * (t * (1 - TIES))[:, None]
    return np.asarray(np.count_nonzero(np.abs(numerator) >= limit, axis=1), float)
