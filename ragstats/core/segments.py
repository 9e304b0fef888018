"""Sums over documents: rows in, one row per document out.

``codes`` holds the document of each row as an integer in ``0 … n_groups-1``, in any order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def segment_sum(values: Floats, codes: Codes, n_groups: int) -> Floats:
    """Sum each column of ``values`` ((N,) or (N, p)) within the documents: (K,) or (K, p)."""
    if values.ndim == 1:
        return np.asarray(np.bincount(codes, weights=values, minlength=n_groups), float)
    sums = np.empty((n_groups, values.shape[1]))
    for j in range(values.shape[1]):
        sums[:, j] = np.bincount(codes, weights=values[:, j], minlength=n_groups)
    return sums


def segment_gram(rows: Floats, codes: Codes, n_groups: int) -> Floats:
    """Return the (K, p, p) products ``X_g' X_g`` of the rows (N, p) of each document."""
    p = rows.shape[1]
    gram = np.empty((n_groups, p, p))
    for i in range(p):
        for j in range(i, p):
            gram[:, i, j] = np.bincount(codes, weights=rows[:, i] * rows[:, j], minlength=n_groups)
            gram[:, j, i] = gram[:, i, j]
    return gram


def segment_cross(left: Floats, right: Floats, codes: Codes, n_groups: int) -> Floats:
    """Return the (K, p, q) products ``A_g' B_g`` of two sets of rows, (N, p) and (N, q)."""
    cross = np.empty((n_groups, left.shape[1], right.shape[1]))
    for i in range(left.shape[1]):
        for j in range(right.shape[1]):
            cross[:, i, j] = np.bincount(
                codes, weights=left[:, i] * right[:, j], minlength=n_groups
            )
    return cross
