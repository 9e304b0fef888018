"""Sums over documents: rows in, one row per document out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

#: Up to this many columns the documents are contiguous in memory; see ragstats.core.batched.
SMALL = 6
#: Sums of runs of rows pay off from this many rows per document.
RUN = 8


def empty(n_groups: int, *shape: int) -> Floats:
    """Return an uninitialized array (K, *shape), in the memory order that suits its size."""
    return np.empty((n_groups, *shape), order="C" if max(shape) > SMALL else "F")


class Segments:
    """The documents of the rows, and how values are summed within them.

    Rows that come document by document are summed run by run, pairwise, which is faster and rounds
    less; rows in any other order are added one by one.

    Parameters
    ----------
    codes : ndarray of int (N,)
        The document of each row, in ``0 … n_groups-1``, in any order.
    n_groups : int
        K.
    """

    def __init__(self, codes: Codes, n_groups: int):
        self.codes, self.n_groups = codes, n_groups
        self._starts = self._runs()

    def _runs(self) -> np.ndarray | None:
        """Return where the document changes, if the rows are in the order of the documents."""
        if len(self.codes) < RUN * max(self.n_groups, 1):
            return None
        starts = np.concatenate([[0], np.flatnonzero(self.codes[1:] != self.codes[:-1]) + 1])
        ordered = np.array_equal(self.codes[starts], np.arange(self.n_groups))
        return starts if ordered else None

    def sum(self, values: Floats) -> Floats:
        """Sum ``values`` (N,) or each column of (N, p): (K,) or (K, p)."""
        if values.ndim == 2:
            sums = np.empty((values.shape[1], self.n_groups))
            for j, column in enumerate(values.T):
                sums[j] = self.sum(column)
            return sums.T
        if self._starts is not None:
            return np.asarray(np.add.reduceat(values, self._starts), float)
        return np.bincount(self.codes, weights=values, minlength=self.n_groups).astype(
            float, copy=False
        )

    def gram(self, rows: Floats) -> Floats:
        """Return the (K, p, p) products ``X_g' X_g`` of the rows (N, p)."""
        p = rows.shape[1]
        gram, work = empty(self.n_groups, p, p), np.empty(len(rows))
        for i in range(p):
            for j in range(i, p):
                gram[:, i, j] = self.sum(np.multiply(rows[:, i], rows[:, j], out=work))
                gram[:, j, i] = gram[:, i, j]
        return gram

    def cross(self, left: Floats, right: Floats) -> Floats:
        """Return ``A_g' B_g`` of two sets of rows: (K, p, q), or (K, p) for one column (N,)."""
        if right.ndim == 1:
            return self.cross(left, right[:, None])[:, :, 0]
        cross = empty(self.n_groups, left.shape[1], right.shape[1])
        work = np.empty(len(left))
        for i in range(left.shape[1]):
            for j in range(right.shape[1]):
                cross[:, i, j] = self.sum(np.multiply(left[:, i], right[:, j], out=work))
        return cross
