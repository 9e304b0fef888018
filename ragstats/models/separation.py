"""Coefficients of a GLM that are infinite: separation, said and not computed with.

Where the outcome is at the bound of its family in every row that identifies a direction (a system
that never misses, a cell without a count), the likelihood grows along it for ever. The other
contrasts have limits, which the iterations reach; these ones get NaN and the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import statsmodels.api as sm

from ragstats.core.hypothesis import JointTest
from ragstats.core.inference import ClusterInference, ContrastEstimate
from ragstats.core.segments import Floats

#: Fitted means closer than this to the bound at which the outcome is are at the bound.
AT_BOUND = 1e-9
#: Directions that the other rows leave open, relative to the columns' norms.
OPEN = 1e-9
#: A contrast with this part of it along an infinite direction is infinite.
TOUCHES = 1e-6

_COUNTS = (sm.families.Poisson, sm.families.NegativeBinomial)


def at_bound(family: Any, outcome: Floats, mean: Floats) -> np.ndarray:
    """Return which rows have a fitted mean at the bound where the outcome is (N,)."""
    if isinstance(family, sm.families.Binomial):
        near = np.minimum(mean, 1 - mean) < AT_BOUND
        return np.asarray(near & (np.abs(outcome - mean) < AT_BOUND))
    if isinstance(family, _COUNTS):
        return np.asarray((mean < AT_BOUND) & (outcome == 0))
    return np.zeros(len(mean), bool)


def infinite_directions(design: Floats, bound: np.ndarray) -> Floats:
    """Return a basis of the directions that only rows at the bound identify (p, k)."""
    p = design.shape[1]
    if not bound.any():
        return np.empty((p, 0))
    norms = np.sqrt((design**2).sum(axis=0))
    triangle = np.linalg.qr(design[~bound] / norms, mode="r")
    _, values, rows = np.linalg.svd(triangle, full_matrices=True)
    size = np.zeros(p)
    size[: values.size] = values
    directions = rows[size <= OPEN * max(float(size[0]), 1.0)].T / norms[:, None]
    return np.asarray(directions)


@dataclass(frozen=True, slots=True)
class SeparatedInference(ClusterInference):
    """Inference where some contrasts are infinite.

    The moments are those of the rows that are not at the bound, which are what is left of the fit
    in the limit; their columns span the finite contrasts.

    Attributes
    ----------
    infinite : ndarray (p, k)
        The directions of the coefficients along which the likelihood grows for ever.
    n_bound : int
        Rows at the bound.
    """

    infinite: Floats | None = None
    n_bound: int = 0

    def covariance(self) -> Floats:
        """Return the covariance of the coefficients (p, p), NaN for infinite ones."""
        covariance = ClusterInference.covariance(self)
        for j in np.flatnonzero(self.is_infinite(np.eye(len(covariance)))):
            covariance[j, :] = covariance[:, j] = np.nan
        return covariance

    def contrasts(self, rows: Floats, coefficients: Floats | None = None) -> ContrastEstimate:
        """Estimate contrasts, with NaN and the reason for those that are infinite."""
        estimate = ClusterInference.contrasts(self, rows, coefficients)
        infinite = self.is_infinite(rows)
        reasons, needs = list(estimate.reasons), list(estimate.needs)
        for i in np.flatnonzero(infinite):
            estimate.se[i] = estimate.df[i] = np.nan
            reasons[i], needs[i] = self._reason(), ""
        return replace(estimate, reasons=tuple(reasons), needs=tuple(needs))

    def joint(self, rows: Floats, gap: Floats) -> JointTest:
        """Test jointly, unless a constraint is infinite."""
        if self.is_infinite(rows).any():
            nan, reason = float("nan"), f"a constraint {self._reason()}"
            return JointTest(nan, len(rows), nan, nan, nan, nan, reason)
        return ClusterInference.joint(self, rows, gap)

    def _reason(self) -> str:
        return (
            "is infinite (separation: the outcome is at its bound in all rows that identify it,"
            f" {self.n_bound} in the fit)"
        )

    def is_infinite(self, rows: Floats) -> np.ndarray:
        """Whether each contrast of the coefficients (q, p) has an infinite part (q,)."""
        if self.infinite is None:
            return np.zeros(len(rows), bool)
        size = np.linalg.norm(rows, axis=1) * np.linalg.norm(self.infinite)
        return np.asarray(np.linalg.norm(rows @ self.infinite, axis=1) > TOUCHES * size)
