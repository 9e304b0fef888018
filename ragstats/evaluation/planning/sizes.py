"""ν of the CR2 interval in a sample of K documents, foreseen from the sizes of a pilot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragstats.core.segments import Floats

#: Random orders of the pilot's documents, and the most numbers to draw.
ORDERS, BUDGET = 600, 4_000_000
#: Any fixed seed: the same pilot gives the same plan.
SEED = 20261011


@dataclass(frozen=True, slots=True, eq=False)
class ForeseenDf:
    """Satterthwaite df of the micro mean by the number of documents.

    Up to the pilot's K it is the median over random subsets of the pilot; beyond, it grows in
    proportion to ``K - 1``.

    Attributes
    ----------
    documents : ndarray (g,)
        Numbers of documents, increasing from 2.
    df : ndarray (g,)
        ν at each, not decreasing, at least 1.
    """

    documents: Floats
    df: Floats

    def __call__(self, k: Floats) -> Floats:
        """Return ν for numbers of documents, of at least 2."""
        inside = np.interp(k, self.documents, self.df)
        last, top = self.documents[-1], self.df[-1]
        beyond = top * (np.asarray(k, float) - 1) / (last - 1)
        return np.asarray(np.where(np.asarray(k) > last, np.maximum(beyond, top), inside))


def foreseen_df(sizes: Floats) -> ForeseenDf:
    """Foresee ν from the sizes (K,) of a pilot's documents.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28(2), 169-181.

    Examples
    --------
    >>> import numpy as np
    >>> nu = foreseen_df(np.full(30, 7.0))     # equal sizes: K - 1
    >>> nu(np.array([2, 10, 30, 100])).round(6).tolist()
    [1.0, 9.0, 29.0, 99.0]
    """
    k = len(sizes)
    grid = np.unique(np.geomspace(2, k, 40).round().astype(int))
    orders = int(np.clip(BUDGET // k, 5, ORDERS))
    rng = np.random.default_rng(SEED)
    drawn = rng.permuted(np.tile(np.sort(sizes), (orders, 1)), axis=1)
    typical = [float(np.median(satterthwaite_df(drawn[:, :j]))) for j in grid]
    df = np.maximum.accumulate(np.maximum(typical, 1.0))
    return ForeseenDf(grid.astype(float), df)


def satterthwaite_df(sizes: Floats) -> Floats:
    """Return the Satterthwaite df of the CR2 variance of a micro mean, from sizes (…, K)."""
    total = sizes.sum(axis=-1, keepdims=True)
    spread = sizes / (1 - sizes / total)
    overlap = sizes * spread / total
    twice = overlap.sum(axis=-1)
    trace = spread.sum(axis=-1) - twice
    square = (spread**2).sum(axis=-1) - 2 * (spread * overlap).sum(axis=-1) + twice**2
    return np.asarray(trace**2 / square)
