"""Rows → coefficients, residuals and cluster moments, by one thin QR."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ragstats.core.moments import ClusterMoments
from ragstats.core.orthonormal import Basis, orthonormalize
from ragstats.core.segments import Codes, Floats
from ragstats.exceptions import DataError

#: Residuals below this many eps of the largest outcome are rounding, and the fit is exact.
EXACT_FIT = 16 * np.finfo(float).eps
#: A combination of orthonormal columns that is this close to 1 in every row is the constant.
CONSTANT = 1e-12
#: Outcomes beyond this have squares that overflow or vanish.
SMALLEST, LARGEST = 1e-152, 1e145


@dataclass(frozen=True, slots=True)
class LeastSquares:
    """A weighted least-squares fit and its one row per document.

    Attributes
    ----------
    coefficients : ndarray (p,)
        Of the kept columns.
    basis : Basis
        The orthonormal basis of the whitened design, with the kept and the aliased columns.
    residuals : ndarray (N,)
        Whitened, ``√w (y - Xβ)``; exactly 0 where the fit is exact.
    moments : ClusterMoments
        Standardized: ``gram`` holds the leverages, ``cross`` the scores.
    """

    coefficients: Floats
    basis: Basis
    residuals: Floats
    moments: ClusterMoments

    def without_rows(self) -> LeastSquares:
        """Return the fit with its moments only: what unweighted inference needs."""
        nothing = np.empty((0, self.basis.transform.shape[1]))
        return replace(self, basis=replace(self.basis, rows=nothing), residuals=np.empty(0))


def least_squares(
    design: Floats,
    outcome: Floats,
    codes: Codes,
    ids: np.ndarray,
    *,
    weights: Floats | None = None,
    frequency: Floats | None = None,
) -> LeastSquares:
    """Fit y on X with documents as clusters.

    Parameters
    ----------
    design : ndarray (N, m)
        X; collinear columns are dropped and listed in ``basis.aliased``.
    outcome : ndarray (N,)
        y.
    codes : ndarray of int (N,)
        The document of each row, an index into ``ids``.
    ids : ndarray (K,)
        The documents.
    weights : ndarray (N,), optional
        Positive weights, of any scale.
    frequency : ndarray (N,), optional
        How many equal rows each row stands for.

    Returns
    -------
    LeastSquares
    """
    root = _row_scale(weights, frequency)
    rows = design if root is None else design * root[:, None]
    target = outcome if root is None else outcome * root
    basis = orthonormalize(rows)
    theta = basis.rows.T @ target
    residuals = target - basis.rows @ theta
    # Once more on what is left: the second pass removes the rounding of the first.
    step = basis.rows.T @ residuals
    residuals -= basis.rows @ step
    coefficients = basis.transform @ (theta + step)
    scale = _largest(target)
    if scale and not SMALLEST < scale < LARGEST:
        raise DataError(
            f"endog is of size {scale:.0e} (with its weight): its squares leave the range of"
            " numbers; change the unit"
        )
    if _largest(residuals) <= EXACT_FIT * scale:
        residuals[:] = 0.0
    # Plain sums over the rows: a whitened row √(w·m) x stands for m rows x.
    unit = root if root is None or weights is None else root / weights
    moments = ClusterMoments.from_rows(
        basis.rows,
        residuals,
        codes,
        ids,
        transform=basis.transform,
        origin=coefficients,
        raw_design=None if unit is None else basis.rows * unit[:, None],
        raw_outcome=None if unit is None else residuals * unit,
        constant=_constant(basis.rows) if unit is None else None,
        frequency=frequency,
        scale=scale,
    )
    return LeastSquares(coefficients, basis, residuals, moments)


def _row_scale(weights: Floats | None, frequency: Floats | None) -> Floats | None:
    """Return ``√(w·frequency)``, or None when every row counts once."""
    if weights is None and frequency is None:
        return None
    product = np.ones(1) if weights is None else weights
    return np.asarray(np.sqrt(product if frequency is None else product * frequency))


def _largest(values: Floats) -> float:
    """Return the largest absolute value, 0 where there is none."""
    return float(max(values.max(initial=0.0), -values.min(initial=0.0)))


def _constant(rows: Floats) -> Floats | None:
    """Return c with ``rows @ c = 1`` where the orthonormal columns span the constant."""
    coefficients = rows.sum(axis=0)
    fitted = rows @ coefficients
    fitted -= 1.0
    return coefficients if _largest(fitted) <= CONSTANT else None
