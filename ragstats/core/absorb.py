"""Fixed effects: those nested in documents by within transformation, the others kept as columns.

An effect nested in documents (a query) spans directions that lie inside single documents. On the
within-transformed rows the leverage blocks are those of the full dummy model with these directions
projected out, where CR2's pseudo-inverse puts 0 anyway: so p×p work gives the dummies' answer.
An effect that crosses documents must stay in the hat matrix.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ragstats.core.segments import Codes, Floats
from ragstats.exceptions import DataError

#: Alternating projections stop when a sweep moves no column by more than this, relatively.
SWEEP_TOLERANCE = 1e-14
MAX_SWEEPS = 20_000
#: A column of which less than this is left within the effects is absorbed by them.
ABSORBED = 1e-10
#: Numbers in the dummy columns of crossing effects, at most (1 GB).
MAX_DUMMIES = 125_000_000


def is_nested(inner: Codes, outer: Codes) -> bool:
    """Whether every level of ``inner`` occurs in one level of ``outer`` only."""
    first = np.zeros(int(inner.max()) + 1, np.intp)
    first[inner] = outer
    return bool((first[inner] == outer).all())


def coarsest_removed(effects: list[Codes]) -> list[Codes]:
    """Return the effects without those in whose levels another one is nested."""
    kept: list[Codes] = []
    for i, effect in enumerate(effects):
        spanned = any(
            is_nested(other, effect) and not (is_nested(effect, other) and j > i)
            for j, other in enumerate(effects)
            if j != i
        )
        if not spanned:
            kept.append(effect)
    return kept


def within(columns: Floats, effects: list[Codes]) -> Floats:
    """Project the effects out of the columns (N, m); columns that they absorb become exactly 0.

    Raises
    ------
    DataError
        If alternating projections do not converge (effects that are barely connected).
    """
    norms = np.sqrt(np.einsum("nm,nm->m", columns, columns))
    left = columns - 0.0
    for sweep in range(MAX_SWEEPS):
        moved = np.zeros_like(norms)
        for codes in effects:
            counts = np.bincount(codes)
            for j in range(left.shape[1]):
                means = np.bincount(codes, weights=left[:, j]) / counts
                moved[j] = max(moved[j], float(np.abs(means).max()))
                left[:, j] -= means[codes]
        if sweep and (moved <= SWEEP_TOLERANCE * np.abs(columns).max(axis=0)).all():
            break
        if len(effects) == 1 and sweep == 1:  # twice: the second removes the rounding of the first
            break
    else:
        raise DataError(
            f"absorb: the projections did not converge in {MAX_SWEEPS} sweeps; put the effect with"
            " fewer levels into the formula"
        )
    remaining = np.sqrt(np.einsum("nm,nm->m", left, left))
    left[:, remaining <= ABSORBED * norms] = 0.0
    return left


def effects_rank(effects: list[Codes]) -> int:
    """Return the number of parameters that the effects use (a bound for more than two)."""
    levels = [int(e.max()) + 1 for e in effects]
    if len(effects) < 2:
        return sum(levels)
    first, second = effects[:2]
    graph = sparse.coo_matrix(
        (np.ones(len(first)), (first, second + levels[0])), shape=(sum(levels[:2]),) * 2
    )
    components = int(connected_components(graph, directed=False)[0])
    return sum(levels) - components - (len(effects) - 2)


def dummies(effects: list[Codes]) -> Floats:
    """Return the dummy columns of effects (N, levels).

    Raises
    ------
    DataError
        If they would not fit into memory.
    """
    n_rows = len(effects[0])
    levels = [int(e.max()) + 1 for e in effects]
    if n_rows * sum(levels) > MAX_DUMMIES:
        raise DataError(
            f"absorb: effects that cross documents stay in the hat matrix, and {sum(levels)}"
            f" columns of {n_rows} rows are too many; absorb effects nested in documents, or fewer"
            " levels"
        )
    columns = np.zeros((n_rows, sum(levels)))
    start = 0
    for effect, count in zip(effects, levels, strict=True):
        columns[np.arange(n_rows), start + effect] = 1.0
        start += count
    return columns
