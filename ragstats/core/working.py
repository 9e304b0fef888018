"""The working model: what the weights mean, and which route follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragstats.checks import one_of
from ragstats.core.adjustment import Adjustment, leverage_power
from ragstats.core.covariance import (
    Contributions,
    WeightedProducts,
    identity_variance,
    inverse_variance,
    varying_inverse_variance,
)
from ragstats.core.dof import DfRule, RandomEffects, random_effects
from ragstats.core.estimate import LeastSquares
from ragstats.core.inference import ClusterInference
from ragstats.core.moments import ClusterMoments
from ragstats.core.segments import Codes, Floats, Segments

#: Weights that differ by less than this, relatively, are equal.
EQUAL_WEIGHTS = 64 * np.finfo(float).eps

WORKING_MODELS = {
    "inverse_var": "independent errors with variance proportional to 1/weight",
    "identity": "independent errors of equal variance, whatever the weights",
}


def check_working(name: str) -> str:
    """Return the name of a working model, or raise the error that lists them."""
    return one_of("working", name, WORKING_MODELS)


@dataclass(frozen=True, slots=True)
class WorkingRows:
    """A least-squares fit with what its working model needs of the rows.

    Attributes
    ----------
    fit : LeastSquares
        With whitened rows and residuals.
    codes : ndarray of int (N,)
        Documents.
    weights : ndarray (N,) or None
        ``1/Φ`` up to scale under "inverse_var"; the weights of the fit under "identity".
    frequency : ndarray (N,) or None
        How many equal rows each row stands for.
    working : str
        A name of ``WORKING_MODELS``.
    """

    fit: LeastSquares
    codes: Codes
    weights: Floats | None
    frequency: Floats | None
    working: str

    def infer(
        self, adjustment: Adjustment, rule: DfRule, *, rho_floor: bool = False
    ) -> ClusterInference:
        """Return the inference under a covariance type and a df rule.

        Raises
        ------
        ValueError
            For the Imbens-Kolesár df with weights: their model is for OLS.
        """
        moments = self.fit.moments
        effects = effects_of(rule, moments, self.weights, adjustment, rho_floor=rho_floor)
        return ClusterInference(moments, self._contributions(adjustment), adjustment, rule, effects)

    def _contributions(self, adjustment: Adjustment) -> Contributions:
        moments, n_groups = self.fit.moments, self.fit.moments.n_groups
        weights = self.weights
        if weights is None or constant_within(weights, np.zeros(len(weights), np.intp), 1):
            return inverse_variance(moments, adjustment)
        if self.working == "inverse_var":
            if adjustment.name != "CR2" or constant_within(weights, self.codes, n_groups):
                return inverse_variance(moments, adjustment)
            return varying_inverse_variance(
                self.fit.basis.rows,
                self.fit.residuals,
                1 / weights,
                self.codes,
                moments,
                adjustment,
            )
        return identity_variance(moments, self._products(weights), adjustment)

    def _products(self, weights: Floats) -> WeightedProducts:
        """Return the moments of the plain and the twice weighted rows, weights of mean 1.

        The rows in the basis of the fit are ``x C``; rescaling the weights by s rescales C by
        ``s^(-1/2)``, which leaves every product below in one unit.
        """
        segments = Segments(self.codes, self.fit.moments.n_groups)
        root = np.sqrt(weights)
        plain = self.fit.basis.rows / root[:, None]
        unit = float(weights.mean())
        return WeightedProducts(
            plain=unit * segments.gram(plain),
            squared=segments.gram(self.fit.basis.rows * root[:, None]) / unit,
            plain_cross=unit * segments.cross(plain, self.fit.residuals / root),
        )


def constant_within(weights: Floats, codes: Codes, n_groups: int) -> bool:
    """Whether the weights (N,) are equal within every document."""
    largest, smallest = np.zeros(n_groups), np.full(n_groups, np.inf)
    np.maximum.at(largest, codes, weights)
    np.minimum.at(smallest, codes, weights)
    return bool(((largest - smallest) <= EQUAL_WEIGHTS * largest).all())


def effects_of(
    rule: DfRule,
    moments: ClusterMoments,
    weights: Floats | None,
    adjustment: Adjustment,
    *,
    rho_floor: bool,
) -> RandomEffects | None:
    """Return the random-effects model that a df rule asks for, None where it asks for none.

    Raises
    ------
    ValueError
        For the Imbens-Kolesár df with weights: their model is for OLS.
    """
    if rule.name != "IK":
        return None
    if weights is not None:
        raise ValueError(
            "df='IK' is defined for unweighted OLS; use df='satterthwaite' with weights,"
            " macro estimands and GLM"
        )
    roots = leverage_power(moments.gram, adjustment.power).values
    return random_effects(moments, roots, rho_floor=rho_floor)
