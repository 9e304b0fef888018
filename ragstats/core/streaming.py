"""Sums of products by document and cell → the moments of a regression, no row seen again.

An engine sums products of a few numeric columns, centred and scaled, by document and by *cell*: one
combination of levels of the categorical factors. Within a cell every column of the design is a
known number times one of those numeric columns, so that the sums of products of the design follow.

The normal equations of the design itself are never formed. Its columns are known combinations A of
an extended basis E, the cells' codes and their products with the *centred* columns. The factor R of
``E'E = R'R`` is as good as centred data allow, and an orthogonal factorization of ``R A``, whose
rows keep the constant apart from the rest, gives the coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ragstats.core.estimate import EXACT_FIT
from ragstats.core.moments import ClusterMoments
from ragstats.core.segments import Codes, Floats
from ragstats.exceptions import DataError

#: Part of a basis column (squared, relative) below which sums over one row cannot tell it from 0;
#: rounding grows like the root of the number of rows (Higham and Mary, 2019, SISC 41(5)).
UNRESOLVED = 1e4 * np.finfo(float).eps
#: Part of a design column, relative to its norm, below which it is a combination of earlier ones.
ALIASED = 1e3 * np.finfo(float).eps
#: Rows of sums that are turned into the orthonormal basis at once.
BATCH = 100_000


@dataclass(frozen=True, slots=True)
class CellSums:
    """Sums of products by document and cell, the rows of one cell next to each other.

    The d = M + 2 quantities are 1, the M numeric columns and the outcome, each with its shift
    taken off and divided by its scale.

    Attributes
    ----------
    ids : ndarray (K,)
        The documents.
    codes : ndarray of int (L,)
        The document of each row of sums.
    cells : ndarray of int (L,)
        The cell of each row of sums, ascending; documents ascend within cells.
    products : ndarray (L, d(d+1)/2)
        Upper triangle of the sums of products, row by row; the first is the number of rows.
    shift, scale : ndarray (d,)
        Of the quantities; 0 and 1 for the constant.
    """

    ids: np.ndarray
    codes: Codes
    cells: Codes
    products: Floats
    shift: Floats
    scale: Floats

    @property
    def n_quantities(self) -> int:
        """The number of quantities, d."""
        return len(self.shift)

    def slices(self) -> list[tuple[int, slice]]:
        """Return the rows of each cell."""
        ends = np.flatnonzero(np.diff(self.cells, append=self.cells[-1:] + 1)) + 1
        starts = np.concatenate([[0], ends[:-1]])
        return [(int(self.cells[a]), slice(a, b)) for a, b in zip(starts, ends, strict=True)]


@dataclass(frozen=True, slots=True)
class CellDesign:
    """A design whose columns are a code of the cell times one numeric column.

    Attributes
    ----------
    names : tuple of str (p,)
        The columns.
    codes : ndarray (cells, p)
        The number of each cell in each column.
    numeric : ndarray of int (p,)
        The numeric column by which it is multiplied: 0 for none, else 1 … M.
    """

    names: tuple[str, ...]
    codes: Floats
    numeric: Codes


@dataclass(frozen=True, slots=True)
class Extended:
    """The extended basis, its constant first, and the design as combinations of it.

    Attributes
    ----------
    codes : ndarray (cells, e)
        The number of each cell in each basis column.
    numeric : ndarray of int (e,)
        The centred numeric column of each basis column, 0 for none.
    combination : ndarray (e, p)
        A: the design is ``E A``.
    """

    codes: Floats
    numeric: Codes
    combination: Floats

    def place(self, cell: int, n_numeric: int) -> Floats:
        """Return the (1 + M, e) matrix that turns the quantities into basis columns in a cell."""
        placed = np.zeros((n_numeric + 1, len(self.numeric)))
        placed[self.numeric, np.arange(len(self.numeric))] = self.codes[cell]
        return placed


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


def extended_basis(design: CellDesign, shift: Floats, scale: Floats) -> Extended:
    """Return the basis in which the sums keep their digits, with the design in terms of it."""
    n_cells, p = design.codes.shape
    index: dict[tuple[bytes, int], int] = {}
    codes: list[Floats] = []

    def position(column: Floats, numeric: int) -> int:
        key = (column.tobytes(), numeric)
        if key not in index:
            index[key] = len(codes)
            codes.append(column)
        return index[key]

    entries = [(position(np.ones(n_cells), 0), 0, 0.0)]
    for j in range(p):
        column, numeric = np.ascontiguousarray(design.codes[:, j]) + 0.0, int(design.numeric[j])
        if numeric:
            entries.append((position(column, 0), j, float(shift[numeric])))
            entries.append((position(column, numeric), j, float(scale[numeric])))
        else:
            entries.append((position(column, 0), j, 1.0))
    combination = np.zeros((len(codes), p))
    for row, j, value in entries[1:]:
        combination[row, j] = value
    numeric_of = np.array([numeric for _, numeric in index], np.intp)
    return Extended(np.column_stack(codes), numeric_of, combination)


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
    total, outcome = _totals(sums, basis, weights)
    solved = _solve(total, outcome, sums, basis, design.names)
    packed, plain, turned = _turn(sums, basis, solved, weights, keep_rows=keep_rows)
    p = len(design.names)
    pairs = _pairs(p + 1)
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


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Sums of the outcome: products with the basis (e,), centred and plain sums of squares."""

    cross: Floats
    square: float
    centred: float
    uncentred: float
    largest: float
    rows: float


@dataclass(frozen=True, slots=True)
class _Solved:
    """Orthonormal columns ``E @ basis``, and the residual ``scale·ỹ - E @ fitted``."""

    basis: Floats
    fitted: Floats
    transform: Floats
    coefficients: Floats
    condition: float
    has_constant: bool
    constant: int | None


def _totals(sums: CellSums, basis: Extended, weights: Floats | None) -> tuple[Floats, _Outcome]:
    """Return ``E'WE`` over all rows, and the sums of the outcome."""
    d = sums.n_quantities
    e = len(basis.numeric)
    total, cross, whole = np.zeros((e, e)), np.zeros(e), np.zeros((d, d))
    pairs = _pairs(d)
    for cell, rows in sums.slices():
        block = sums.products[rows]
        block = block if weights is None else block * weights[rows, None]
        square = np.empty((d, d))
        square[pairs] = [column.sum() for column in np.ascontiguousarray(block.T)]
        square[pairs[1], pairs[0]] = square[pairs]
        placed = basis.place(cell, d - 2)
        total += placed.T @ square[:-1, :-1] @ placed
        cross += placed.T @ square[:-1, -1]
        whole += square
    unit, shift = sums.scale[-1], sums.shift[-1]
    mean = whole[0, -1] / whole[0, 0]
    centred = float(unit**2 * max(whole[-1, -1] - mean * whole[0, -1], 0.0))
    last = sums.products[:, [0, d - 1, -1]]
    squares = unit**2 * last[:, 2] + 2 * unit * shift * last[:, 1] + shift**2 * last[:, 0]
    largest = squares / last[:, 0] if weights is None else squares / last[:, 0] * weights
    return total, _Outcome(
        cross=unit * cross,
        square=float(unit**2 * whole[-1, -1]),
        centred=centred,
        uncentred=centred + float(whole[0, 0] * (shift + unit * mean) ** 2),
        largest=float(np.sqrt(max(largest.max(initial=0.0), 0.0))),
        rows=float(sums.products[:, 0].sum()),
    )


def _solve(
    total: Floats, outcome: _Outcome, sums: CellSums, basis: Extended, names: tuple[str, ...]
) -> _Solved:
    """Return the orthonormal basis of the design and the coefficients."""
    norms = np.sqrt(np.diag(total))
    norms = np.where(norms > 0, norms, 1.0)
    kept, factor = _resolved_root(
        total / np.outer(norms, norms), UNRESOLVED * max(8.0, np.sqrt(outcome.rows))
    )
    turned = factor @ (norms[:, None] * basis.combination)
    sizes = np.linalg.norm(turned, axis=0)
    if not (sizes > 0).all():
        raise DataError(f"design: column {names[int(np.argmin(sizes))]!r} is 0 in every row")
    rows, triangle = np.linalg.qr(turned / sizes)
    new = np.abs(np.diag(triangle)) > ALIASED if triangle.shape[0] == len(names) else [False]
    if not np.all(new):
        raise DataError(_collinear(turned / sizes, names))
    # Γ with E Γ orthonormal; columns of E that bring nothing new are not used.
    orthonormal = np.zeros((len(norms), len(names)))
    orthonormal[kept] = linalg.solve_triangular(factor[:, kept], rows) / norms[kept, None]
    # Once more, as in CholeskyQR2: what is left of E'E beside R'R goes too.
    second = linalg.cholesky(orthonormal.T @ total @ orthonormal)
    inverse = linalg.solve_triangular(second, np.eye(len(names)))
    orthonormal, triangle = orthonormal @ inverse, second @ triangle
    transform = linalg.solve_triangular(triangle, np.eye(len(names))) / sizes[:, None]
    theta = orthonormal.T @ outcome.cross
    theta += orthonormal.T @ (outcome.cross - total @ (orthonormal @ theta))
    fitted, coefficients = orthonormal @ theta, transform @ theta
    projected = orthonormal.T @ total[:, 0]
    shift, length = float(sums.shift[-1]), float(total[0, 0])
    has_constant = abs(projected @ projected - length) <= 1e-8 * length
    constant = _constant_column(basis)
    if constant is not None:
        coefficients[constant] += shift / basis.combination[0, constant]
    elif shift:
        coefficients += shift * (transform @ projected)
        if not has_constant:
            fitted += shift * (orthonormal @ projected)
            fitted[0] -= shift
    condition = float(np.linalg.cond(triangle))
    return _Solved(
        orthonormal, fitted, transform, coefficients, condition, bool(has_constant), constant
    )


def _resolved_root(matrix: Floats, floor: float) -> tuple[np.ndarray, Floats]:
    """Return the columns that bring something new, and R (kept, e) with ``R'R`` the matrix.

    A Cholesky factorization in order that passes over pivots below the floor.
    """
    size = len(matrix)
    factor = np.zeros((size, size))
    kept = []
    for j in range(size):
        left = matrix[j, j:] - factor[:, j] @ factor[:, j:]
        if left[0] > floor:
            factor[j, j:] = left / np.sqrt(left[0])
            kept.append(j)
    return np.array(kept, np.intp), factor[kept]


def _collinear(unit: Floats, names: tuple[str, ...]) -> str:
    """Name the first column that is a combination of earlier ones."""
    for j in range(len(names)):
        earlier = unit[:, :j]
        fitted = earlier @ np.linalg.lstsq(earlier, unit[:, j], rcond=None)[0] if j else 0.0
        if np.linalg.norm(unit[:, j] - fitted) <= ALIASED:
            return (
                f"design: column {names[j]!r} is a combination of earlier ones"
                f" ({', '.join(names[:j][:6])}{', …' if j > 6 else ''}), or so close to one that"
                " sums of products cannot tell; leave it out, or fit the rows in memory"
            )
    return "design: the columns are collinear"


def _constant_column(basis: Extended) -> int | None:
    """Return the column of the design that is constant."""
    alone = (basis.combination[0] != 0) & ((basis.combination != 0).sum(axis=0) == 1)
    return int(np.argmax(alone)) if alone.any() else None


def _turn(
    sums: CellSums,
    basis: Extended,
    solved: _Solved,
    weights: Floats | None,
    *,
    keep_rows: bool,
) -> tuple[Floats, Floats, Floats | None]:
    """Return products (K, …) and plain sums (K, p + 1) of orthonormal columns and residual."""
    d, p = sums.n_quantities, solved.basis.shape[1]
    pairs, firsts = _pairs(p + 1), np.arange(d)  # the pairs with the constant come first
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


def _pairs(d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the upper triangle, row by row."""
    return np.triu_indices(d)


def _packed_map(to: Floats) -> Floats:
    """Return what ``F' P F`` is to packed symmetric matrices."""
    first, second = _pairs(to.shape[0])
    left, right = _pairs(to.shape[1])
    mapping = to[first][:, left] * to[second][:, right]
    twice = to[second][:, left] * to[first][:, right]
    return np.asarray(mapping + np.where((first != second)[:, None], twice, 0.0))


def _scatter(target: Floats, codes: Codes, values: Floats) -> None:
    """Add rows, those of one document next to each other, to those of their documents."""
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    if len(first) < len(codes):
        codes, values = codes[first], np.add.reduceat(values, first, axis=0)
    target[codes] += values


def _exact(cross: Floats, square: Floats, outcome: _Outcome) -> bool:
    """Whether what the fit leaves is rounding, in the scores as in the sum of squares."""
    noise = EXACT_FIT * max(8.0, np.sqrt(outcome.rows))
    return bool(
        square.sum() <= noise * outcome.square
        and np.linalg.norm(cross) <= noise * np.sqrt(outcome.square)
    )


def _count(sums: CellSums) -> Floats:
    """Return the number of rows of each document (K,)."""
    return np.bincount(sums.codes, weights=sums.products[:, 0], minlength=len(sums.ids))
