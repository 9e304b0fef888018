"""An orthonormal basis of the design: unit-norm columns, then a thin QR.

All later arithmetic happens in this basis, where ``X'WX`` is the identity. Badly scaled columns
lose nothing, and the cluster leverages are plain Gram matrices with eigenvalues in [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ragstats.core.segments import Floats
from ragstats.exceptions import DataError

#: Cholesky-QR twice is as orthogonal as Householder QR while cond(X)² stays well below 1/eps.
CHOLESKY_QR_CONDITION = 1e6
#: Numbers of a block when the basis is changed in place: what stays in the cache of a core.
BLOCK = 16_384
#: Columns of this size, or the inverse of it, have squares that overflow or vanish.
LARGEST = 1e150
#: Beyond this condition number of the unit-norm columns the caller is warned.
CONDITION_WARNING = 1e7


@dataclass(frozen=True, slots=True)
class Basis:
    """An orthonormal basis ``Q = X[:, columns] @ transform`` of a design.

    Attributes
    ----------
    rows : ndarray (N, p)
        ``Q``, stored by columns.
    transform : ndarray (p, p)
        Upper triangular ``C`` with ``C C' = (X'X)⁻¹`` on the kept columns.
    columns : ndarray (p,)
        Indices of the kept columns, in their order.
    aliased : ndarray (m - p,)
        Indices of the columns that are linear combinations of earlier ones.
    condition : float
        Condition number of the kept columns after scaling them to unit norm.
    """

    rows: Floats
    transform: Floats
    columns: np.ndarray
    aliased: np.ndarray
    condition: float


def orthonormalize(design: Floats) -> Basis:
    """Return the orthonormal basis of a (N, m) design, later aliased columns dropped, as R does.

    A column is aliased when, scaled to unit norm, less than N·eps of it is new.
    """
    n_rows, n_columns = design.shape
    with np.errstate(over="ignore"):  # columns beyond 1e±100 are scaled, or refused, below
        gram = design.T @ design
    norms = _column_norms(design, np.diag(gram))
    kept = np.flatnonzero(norms > 0)
    while True:
        whole = kept.size == n_columns
        rows, triangle = _thin_qr(
            design if whole else design[:, kept],
            norms[kept],
            gram if whole else gram[np.ix_(kept, kept)],
        )
        new = np.abs(np.diag(triangle)) > max(n_rows, 64) * np.finfo(float).eps
        if new.all():
            break
        # One at a time: what follows an aliased column was measured against rounding noise.
        kept = np.delete(kept, int(np.argmin(new)))
    transform = np.linalg.inv(triangle) / norms[kept][:, None]
    condition = float(np.linalg.cond(triangle)) if kept.size else 1.0
    aliased = np.delete(np.arange(n_columns), kept)
    return Basis(rows, transform, kept, aliased, condition)


def _multiply_in_place(left: Floats, columns: Floats) -> None:
    """Replace ``columns`` (p, N) by ``left @ columns``, in blocks, without a second copy."""
    block = max(1, BLOCK // max(len(left), 1))
    for start in range(0, columns.shape[1], block):
        columns[:, start : start + block] = left @ columns[:, start : start + block]


def _column_norms(design: Floats, squares: Floats) -> Floats:
    """Return the Euclidean norms, without overflow or underflow for columns beyond 1e±100.

    Raises
    ------
    DataError
        For columns beyond 1e±150.
    """
    if ((squares > 1e-200) & (squares < 1e200)).all():
        return np.asarray(np.sqrt(squares))
    largest = np.abs(design).max(axis=0, initial=0.0)
    for j in np.flatnonzero((largest > LARGEST) | ((largest > 0) & (largest < 1 / LARGEST))):
        raise DataError(
            f"exog: column {j} is of size {largest[j]:.0e} (with its weight): its squares leave the"
            " range of numbers; change the unit"
        )
    unit = np.where(largest > 0, largest, 1.0)
    return np.asarray(unit * np.sqrt(((design / unit) ** 2).sum(axis=0)))


def _thin_qr(design: Floats, norms: Floats, gram: Floats) -> tuple[Floats, Floats]:
    """Return ``Q`` (stored by columns) and the triangle ``R`` of the unit-norm columns."""
    if norms.size == 0:
        return np.empty((design.shape[0], 0)), np.empty((0, 0))
    scaled = gram / np.outer(norms, norms)
    if np.isfinite(scaled).all() and np.linalg.cond(scaled) < CHOLESKY_QR_CONDITION**2:
        first = np.linalg.cholesky(scaled, upper=True)
        columns = (np.linalg.inv(first) / norms[:, None]).T @ design.T
        second = np.linalg.cholesky(columns @ columns.T, upper=True)
        # ``second`` is the identity but for rounding, so its explicit inverse costs no accuracy.
        _multiply_in_place(np.linalg.inv(second).T, columns)
        return columns.T, second @ first
    rows, triangle = linalg.qr(design / norms, mode="economic")
    return np.asfortranarray(rows), np.asarray(triangle, float)
