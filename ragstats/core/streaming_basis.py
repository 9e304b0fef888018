"""The orthonormal basis of a design from sums of products, without its normal equations.

The columns of the design are known combinations A of an extended basis E: the cells' codes, and
their products with the *centred* numeric columns. The factor R of ``E'E = R'R`` is as good as
centred data allow, and an orthogonal factorization of ``R A``, whose rows keep the constant apart
from the rest, gives the coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ragstats.core.segments import Codes, Floats
from ragstats.core.streaming_sums import CellDesign, CellSums, upper_pairs
from ragstats.exceptions import DataError

#: Part of a basis column (squared, relative) below which sums over one row cannot tell it from 0;
#: rounding grows like the root of the number of rows (Higham and Mary, 2019, SISC 41(5)).
UNRESOLVED = 1e4 * np.finfo(float).eps
#: Part of a design column, relative to its norm, below which it is a combination of earlier ones.
ALIASED = 1e3 * np.finfo(float).eps


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """Sums of the outcome: products with the basis (e,), centred and plain sums of squares."""

    cross: Floats
    square: float
    centred: float
    uncentred: float
    largest: float
    rows: float


@dataclass(frozen=True, slots=True)
class Solved:
    """Orthonormal columns ``E @ basis``, and the residual ``scale·ỹ - E @ fitted``."""

    basis: Floats
    fitted: Floats
    transform: Floats
    coefficients: Floats
    condition: float
    has_constant: bool
    constant: int | None


def totals(sums: CellSums, basis: Extended, weights: Floats | None) -> tuple[Floats, Outcome]:
    """Return ``E'WE`` over all rows, and the sums of the outcome."""
    d = sums.n_quantities
    e = len(basis.numeric)
    total, cross, whole = np.zeros((e, e)), np.zeros(e), np.zeros((d, d))
    pairs = upper_pairs(d)
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
    return total, Outcome(
        cross=unit * cross,
        square=float(unit**2 * whole[-1, -1]),
        centred=centred,
        uncentred=centred + float(whole[0, 0] * (shift + unit * mean) ** 2),
        largest=float(np.sqrt(max(largest.max(initial=0.0), 0.0))),
        rows=float(sums.products[:, 0].sum()),
    )


def solve(
    total: Floats, outcome: Outcome, sums: CellSums, basis: Extended, names: tuple[str, ...]
) -> Solved:
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
    return Solved(
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
