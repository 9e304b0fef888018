"""The cluster moments: one row per document, which is all that the inference needs.

For the intercept-only model the row of a document is its size ``n_d`` and its sum ``s_d``; with
covariates it is ``X_g'W_g X_g``, ``X_g'W_g e_g`` and a few sums. Moments add: over chunks of a
file, partitions of a table, or files. Memory is O(K p²), whatever the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from ragstats.core.batched import apply, turn
from ragstats.core.segments import Codes, Floats, Segments
from ragstats.exceptions import DataError


@dataclass(frozen=True, slots=True)
class ClusterMoments:
    """Sums of products of the rows of each document.

    The columns are ``Z = X @ transform`` and the outcome is ``e = y - X @ origin``: in a stream the
    transform only scales and the origin is 0; after :meth:`standardized` the columns are
    orthonormal over all documents and ``e`` is the residual.

    Attributes
    ----------
    ids : ndarray (K,)
        The documents, each once.
    rows : ndarray (K,)
        ``n_g``, the number of rows (their total frequency weight).
    gram : ndarray (K, p, p)
        ``Z_g' W_g Z_g``.
    cross : ndarray (K, p)
        ``Z_g' W_g e_g``, the scores of the documents once standardized.
    square : ndarray (K,)
        ``e_g' W_g e_g``.
    total : ndarray (K, p)
        ``Z_g' 1``.
    outcome : ndarray (K,)
        ``1' e_g``.
    transform : ndarray (p, p)
        Coefficients in the columns of X are ``origin + transform @ theta``.
    origin : ndarray (p,)
        The coefficients that were subtracted from y.
    scale : float
        Largest \\|y\\| with its weight, to tell a variance from rounding noise.
    """

    ids: np.ndarray
    rows: Floats
    gram: Floats
    cross: Floats
    square: Floats
    total: Floats
    outcome: Floats
    transform: Floats
    origin: Floats
    scale: float

    @property
    def n_groups(self) -> int:
        """K, the number of documents."""
        return len(self.ids)

    @property
    def n_columns(self) -> int:
        """The number of coefficients, p."""
        return int(self.gram.shape[1])

    @property
    def n_rows(self) -> float:
        """N, the number of rows (or their total frequency)."""
        return float(self.rows.sum())

    @classmethod
    def from_rows(
        cls,
        design: Floats,
        outcome: Floats,
        codes: Codes,
        ids: np.ndarray,
        *,
        transform: Floats | None = None,
        origin: Floats | None = None,
        raw_design: Floats | None = None,
        raw_outcome: Floats | None = None,
        constant: Floats | None = None,
        frequency: Floats | None = None,
        scale: float | None = None,
    ) -> ClusterMoments:
        """Sum the products of whitened rows by document.

        Parameters
        ----------
        design : ndarray (N, p)
            Rows ``√w · z``.
        outcome : ndarray (N,)
            ``√w · e``.
        codes : ndarray of int (N,)
            The document of each row, an index into ``ids``.
        ids : ndarray (K,)
            The documents.
        transform, origin : ndarray, optional
            The basis of the columns and the coefficients already subtracted; identity and 0.
        raw_design, raw_outcome : ndarray, optional
            The rows without weights, for the plain sums; by default the whitened ones.
        constant : ndarray (p,), optional
            The combination of the columns that is 1 in every row: it spares the plain sums.
        frequency : ndarray (N,), optional
            How many equal rows each row stands for; 1.
        scale : float, optional
            Largest whitened \\|y\\|; by default that of ``outcome``.
        """
        p, segments = design.shape[1], Segments(codes, len(ids))
        gram, cross = segments.gram(design), segments.cross(design, outcome)
        if constant is None:
            total = segments.sum(design if raw_design is None else raw_design)
            plain = segments.sum(outcome if raw_outcome is None else raw_outcome)
        else:
            total, plain = apply(gram, constant), cross @ constant
        return cls(
            ids=ids,
            rows=np.bincount(codes, weights=frequency, minlength=len(ids)).astype(float),
            gram=gram,
            cross=cross,
            square=segments.sum(outcome * outcome),
            total=total,
            outcome=plain,
            transform=np.eye(p) if transform is None else transform,
            origin=np.zeros(p) if origin is None else origin,
            scale=float(np.abs(outcome).max(initial=0.0)) if scale is None else scale,
        )

    def __add__(self, other: ClusterMoments) -> ClusterMoments:
        """Merge by document: the rows of a document in both are added."""
        if not isinstance(other, ClusterMoments):
            return NotImplemented
        same = np.array_equal(self.transform, other.transform) and np.array_equal(
            self.origin, other.origin
        )
        if not same:
            raise ValueError(
                "other has other columns (transform, origin); moments add only in one basis"
            )
        ids, codes = np.unique(np.concatenate([self.ids, other.ids]), return_inverse=True)
        summed = {
            name: _add_at(codes, len(ids), getattr(self, name), getattr(other, name))
            for name in _SUMS
        }
        return replace(self, ids=ids, scale=max(self.scale, other.scale), **summed)

    def take(self, index: np.ndarray) -> ClusterMoments:
        """Return the moments of the documents at ``index`` (positions or a mask)."""
        return replace(
            self, ids=self.ids[index], **{name: getattr(self, name)[index] for name in _SUMS}
        )

    def drop(self, ids: np.ndarray | list[object]) -> ClusterMoments:
        """Return the moments without the given documents.

        Raises
        ------
        KeyError
            If a document is not there.
        """
        gone = np.isin(self.ids, np.asarray(ids))
        missing = ~np.isin(np.asarray(ids), self.ids)
        if missing.any():
            raise KeyError(f"ids={np.asarray(ids)[missing][0]!r} is not a document of the moments")
        return self.take(~gone)

    def reweight(self, weights: Floats) -> ClusterMoments:
        """Return the moments with the rows of document g counted ``weights[g]`` times.

        With the counts of a bootstrap draw this is the replicate, no row touched again.
        """
        scaled = {
            name: getattr(self, name) * weights.reshape(-1, *[1] * (getattr(self, name).ndim - 1))
            for name in _SUMS
        }
        return replace(self, **scaled)

    def solve(self) -> Floats:
        """Return the coefficients (p,) of the columns of X."""
        bread = linalg.cho_factor(self.gram.sum(axis=0))
        step = linalg.cho_solve(bread, self.cross.sum(axis=0))
        return self.origin + self.transform @ step

    def standardized(self) -> ClusterMoments:
        """Return the moments in an orthonormal basis, with the residual as outcome.

        Afterwards ``gram`` sums to the identity and holds the cluster leverages, ``cross`` sums to
        0 and holds the scores, and ``origin`` holds the coefficients.

        Raises
        ------
        DataError
            If the columns are collinear.
        """
        total = self.gram.sum(axis=0)
        norms = np.sqrt(np.diag(total))
        tolerance = max(self.n_rows, 64) * np.finfo(float).eps
        if not (norms > 0).all():
            raise DataError(f"design: column {int(np.argmin(norms))} is 0 in every row")
        scaled = total / np.outer(norms, norms)
        if np.linalg.eigvalsh(scaled)[0] <= tolerance:
            raise DataError(
                "design: the columns are collinear (their scaled cross-product matrix is singular)"
            )
        root = linalg.solve_triangular(linalg.cholesky(scaled), np.eye(len(norms)))
        step = root / norms[:, None]
        theta = step @ (step.T @ self.cross.sum(axis=0))
        fitted = apply(self.gram, theta)
        return replace(
            self,
            gram=turn(self.gram, step),
            cross=(self.cross - fitted) @ step,
            square=np.maximum(
                self.square - 2 * self.cross @ theta + np.einsum("kj,j->k", fitted, theta), 0.0
            ),
            total=self.total @ step,
            outcome=self.outcome - self.total @ theta,
            transform=self.transform @ step,
            origin=self.origin + self.transform @ theta,
        )


_SUMS = ("rows", "gram", "cross", "square", "total", "outcome")


def _add_at(codes: Codes, n_groups: int, first: Floats, second: Floats) -> Floats:
    """Sum the rows of two arrays that share a code."""
    summed = np.zeros((n_groups, *first.shape[1:]))
    np.add.at(summed, codes, np.concatenate([first, second]))
    return summed
