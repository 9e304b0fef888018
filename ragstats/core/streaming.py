"""Sums of products by document and cell → the moments of a regression, no row seen again.

An engine sums products of a few numeric columns, centred and scaled, by document and by *cell*: one
combination of levels of the categorical factors. Within a cell every column of the design is a
known number times one of those numeric columns, so that the sums of products of the design follow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragstats.core.estimate import EXACT_FIT
from ragstats.core.moments import ClusterMoments
from ragstats.core.segments import Codes, Floats
from ragstats.core.streaming_basis import Extended, Outcome, Solved, extended_basis, solve, totals
from ragstats.core.streaming_sums import CellDesign, CellSums, upper_pairs

#: Rows of sums that are turned into the orthonormal basis at once.
BATCH = 100_000


@dataclass(frozen=True, slots=True)
class StreamedMoments:
    """The fit: standardized moments, and what is known of the design.

    Attributes
    ----------
    moments : ClusterMoments
        Standardized, as those of ``least_squares``.
    condition : float
        Condition number of the unit-norm columns.
    has_constant : bool
        Whether a constant is in the span.
    constant : int or None
        The column that is constant.
    centred, uncentred : float
        (Weighted) sums of squares of the outcome, about its mean and about 0.
    turned : ndarray (L, (p+1)(p+2)/2) or None
        Products of the orthonormal columns and the residual in each row of sums, where the weights
        vary within documents.
    """

    moments: ClusterMoments
    condition: float
    has_constant: bool
    constant: int | None
    centred: float
    uncentred: float
    turned: Floats | None


def moments_of_cells(
    sums: CellSums,
    design: CellDesign,
    *,
    weights: Floats | None = None,
    keep_rows: bool = False,
) -> StreamedMoments:
    """Solve the regression and return its moments in the orthonormal basis.

    Parameters
    ----------
    sums, design
        What was summed, and the design in terms of it.
    weights : ndarray (L,), optional
        The weight of the rows behind each row of sums.
    keep_rows : bool
        Keep the products of each row of sums too.

    Raises
    ------
    DataError
        If a column is 0 in every row, or a combination of earlier ones.
    """
    basis = extended_basis(design, sums.shift, sums.scale)
    total, outcome = totals(sums, basis, weights)
    solved = solve(total, outcome, sums, basis, design.names)
    packed, plain, turned = _turn(sums, basis, solved, weights, keep_rows=keep_rows)
    p = len(design.names)
    pairs = upper_pairs(p + 1)
    inner, crossed = pairs[1] < p, (pairs[1] == p) & (pairs[0] < p)
    gram = np.empty((len(sums.ids), p, p))
    gram[:, pairs[0][inner], pairs[1][inner]] = packed[:, inner]
    gram[:, pairs[1][inner], pairs[0][inner]] = packed[:, inner]
    cross, square = packed[:, crossed], np.maximum(packed[:, -1], 0.0)
    if _exact(cross, square, outcome):
        cross, square, plain[:, p] = np.zeros_like(cross), np.zeros_like(square), 0.0
    moments = ClusterMoments(
        ids=sums.ids,
        rows=_count(sums),
        gram=gram,
        cross=cross,
        square=square,
        total=plain[:, :p],
        outcome=plain[:, p],
        transform=solved.transform,
        origin=solved.coefficients,
        scale=outcome.largest,
    )
    return StreamedMoments(
        moments, solved.condition, solved.has_constant, solved.constant,
        outcome.centred, outcome.uncentred, turned,
    )  # fmt: skip


def _turn(
    sums: CellSums,
    basis: Extended,
    solved: Solved,
    weights: Floats | None,
    *,
    keep_rows: bool,
) -> tuple[Floats, Floats, Floats | None]:
    """Return products (K, …) and plain sums (K, p + 1) of orthonormal columns and residual."""
    d, p = sums.n_quantities, solved.basis.shape[1]
    pairs, firsts = upper_pairs(p + 1), np.arange(d)  # the pairs with the constant come first
    packed = np.zeros((len(sums.ids), len(pairs[0])))
    plain = np.zeros((len(sums.ids), p + 1))
    turned = np.empty((len(sums.codes), len(pairs[0]))) if keep_rows else None
    for cell, rows in sums.slices():
        placed = basis.place(cell, d - 2)
        to = np.zeros((d, p + 1))
        to[:-1, :p] = placed @ solved.basis
        to[:-1, p] = -placed @ solved.fitted
        to[-1, p] = sums.scale[-1]
        mapping = _packed_map(to)
        for start in range(rows.start, rows.stop, BATCH):
            part = slice(start, min(start + BATCH, rows.stop))
            block = sums.products[part]
            _scatter(plain, sums.codes[part], block[:, firsts] @ to)
            block = block @ mapping
            if weights is not None:
                block *= weights[part, None]
            if turned is not None:
                turned[part] = block
            _scatter(packed, sums.codes[part], block)
    return packed, plain, turned


def _packed_map(to: Floats) -> Floats:
    """Return what ``F' P F`` is to packed symmetric matrices."""
    first, second = upper_pairs(to.shape[0])
    left, right = upper_pairs(to.shape[1])
    mapping = to[first][:, left] * to[second][:, right]
    twice = to[second][:, left] * to[first][:, right]
    return np.asarray(mapping + np.where((first != second)[:, None], twice, 0.0))


def _scatter(target: Floats, codes: Codes, values: Floats) -> None:
    """Add rows, those of one document next to each other, to those of their documents."""
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    if len(first) < len(codes):
        codes, values = codes[first], np.add.reduceat(values, first, axis=0)
    target[codes] += values


def _exact(cross: Floats, square: Floats, outcome: Outcome) -> bool:
    """Whether what the fit leaves is rounding, in the scores as in the sum of squares."""
    noise = EXACT_FIT * max(8.0, np.sqrt(outcome.rows))
    return bool(
        square.sum() <= noise * outcome.square
        and np.linalg.norm(cross) <= noise * np.sqrt(outcome.square)
    )


def _count(sums: CellSums) -> Floats:
    """Return the number of rows of each document (K,)."""
    return np.asarray(
        np.bincount(sums.codes, weights=sums.products[:, 0], minlength=len(sums.ids)), float
    )
