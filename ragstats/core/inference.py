"""Moments + covariance type + df rule → everything that is asked of a fit.

This is the one object between the numbers and their many faces: coefficients are contrasts,
predictions are contrasts, joint tests are several of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragstats.core.adjustment import Adjustment
from ragstats.core.covariance import Contributions
from ragstats.core.dof import (
    DfContext,
    DfRule,
    RandomEffects,
    satterthwaite,
)
from ragstats.core.hypothesis import (
    JointTest,
    approximate_hotelling,
    independent_constraints,
)
from ragstats.core.moments import ClusterMoments
from ragstats.core.segments import Floats

#: A standard error below this many eps of the outcome's scale is rounding: the scores do not vary.
NOISE = 16 * np.finfo(float).eps
#: Part of a contrast (relative) in the span of one document, above which it needs that document.
NEEDS_DOCUMENT = 1e-6


@dataclass(frozen=True, slots=True)
class ContrastEstimate:
    """Estimates of q contrasts, each with the df that belong to it.

    Attributes
    ----------
    effect, se, df : ndarray (q,)
        ``Rβ``, its standard error and its degrees of freedom; NaN where they can't be had.
    reasons : tuple of str
        Why a row is NaN; empty where it is not.
    needs : tuple of str
        The documents without which a row could not be estimated; empty otherwise.
    """

    effect: Floats
    se: Floats
    df: Floats
    reasons: tuple[str, ...]
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClusterInference:
    """Cluster-robust inference on p coefficients from K documents.

    Attributes
    ----------
    moments : ClusterMoments
        Standardized.
    parts : Contributions
        The documents' contributions under the covariance type and the working model.
    adjustment : Adjustment
        The covariance type.
    rule : DfRule
        How the df of a contrast are found.
    random_effects : RandomEffects or None
        The Imbens-Kolesár model, when the rule asks for it.
    """

    moments: ClusterMoments
    parts: Contributions
    adjustment: Adjustment
    rule: DfRule
    random_effects: RandomEffects | None = None

    @property
    def coefficients(self) -> Floats:
        """The coefficients (p,)."""
        return self.moments.origin

    @property
    def why_zero(self) -> str:
        """Why a standard error is 0, where one is, so that there is no p-value."""
        if self.parts.factor == 0:
            return "every document of the population is here: the value is known, SE 0"
        return "the scores do not vary: SE 0 and no p-value"

    def covariance(self) -> Floats:
        """Return the covariance of the coefficients (p, p).

        Rows of coefficients whose scores do not vary are exactly 0; rows of coefficients that rest
        on one document are NaN.
        """
        covariance = self.parts.covariance()
        rows = self.parts.transform
        for j in np.flatnonzero(np.diag(covariance) <= self._noise(rows)):
            covariance[j, :] = covariance[:, j] = 0.0
        for j in np.flatnonzero(self._rests_on_one(rows)):
            covariance[j, :] = covariance[:, j] = np.nan
        return covariance

    def contrasts(self, rows: Floats, coefficients: Floats | None = None) -> ContrastEstimate:
        """Estimate the contrasts ``rows @ coefficients``.

        Parameters
        ----------
        rows : ndarray (q, p)
            Contrasts of the coefficients.
        coefficients : ndarray (p,), optional
            By default the estimates.
        """
        effect = rows @ (self.coefficients if coefficients is None else coefficients)
        contrasts = rows @ self.parts.transform
        variance = self.parts.factor * ((self.parts.score @ contrasts.T) ** 2).sum(axis=0)
        se = np.sqrt(np.where(variance <= self._noise(contrasts), 0.0, variance))
        df = self.rule.df(DfContext(self.moments, self.parts, self.random_effects), contrasts)
        reasons = self._reasons(contrasts, df)
        unavailable = np.array([bool(reason) for reason in reasons], bool)
        se[unavailable], df[unavailable] = np.nan, np.nan
        needs = [""] * len(rows)
        if self.parts.singular:
            needs = [
                "" if reason else _listed(self._documents_needed(contrast))
                for reason, contrast in zip(reasons, contrasts, strict=True)
            ]
        return ContrastEstimate(effect, se, df, reasons, tuple(needs))

    def joint(self, rows: Floats, gap: Floats) -> JointTest:
        """Test ``rows @ coefficients = value`` jointly, ``gap`` being the estimated difference."""
        constraints = independent_constraints(rows @ self.parts.transform, gap)
        needed = [d for row in constraints.rows for d in self._documents_needed(row)]
        test = approximate_hotelling(self.parts, constraints)
        if len(constraints.rows) > 1 and needed and not test.reason:
            reason = f"the constraints cannot be estimated without document {_listed(needed)}"
            nan = float("nan")
            return JointTest(nan, test.df_num, nan, nan, nan, nan, reason)
        return test

    def _reasons(self, contrasts: Floats, df: Floats) -> tuple[str, ...]:
        """Return why each contrast in the orthonormal basis has no SE; empty where it has."""
        if not np.isfinite(self.parts.factor):
            k, p = self.moments.n_groups, self.moments.n_columns
            reason = f"has no SE: {self.adjustment.name} is undefined with K={k} and p={p}"
            return (reason,) * len(contrasts)
        reasons = [
            "" if known else f"has no SE: the {self.rule.name} df are undefined"
            for known in ~np.isnan(df)
        ]
        for i in np.flatnonzero(self._rests_on_one(contrasts)):
            needed = self._documents_needed(contrasts[i])
            where = f" ({_listed(needed)})" if needed else ""
            reasons[i] = f"rests on 1 document{where}, which leaves no variation to measure"
        return tuple(reasons)

    def _noise(self, contrasts: Floats) -> Floats:
        """Return the variance below which a contrast (q, p) is rounding (q,)."""
        unit = np.einsum("qp,qp->q", contrasts, contrasts)
        return np.asarray((NOISE * self.moments.scale) ** 2 * unit)

    def _rests_on_one(self, contrasts: Floats) -> np.ndarray:
        """Whether the working variance of each contrast is 0 but for rounding (q,)."""
        if not self.parts.singular:
            return np.zeros(len(contrasts), bool)
        return np.isnan(satterthwaite(self.parts, contrasts))

    def _documents_needed(self, contrast: Floats) -> list[object]:
        """Return the documents without which the contrast cannot be estimated."""
        size = float(np.linalg.norm(contrast))
        return [
            self.moments.ids[group]
            for group, directions in self.parts.singular.items()
            if np.linalg.norm(directions.T @ contrast) > NEEDS_DOCUMENT * size
        ]


def _listed(documents: list[object]) -> str:
    """Return up to three documents for a message."""
    names = list(dict.fromkeys(str(d) for d in documents))
    return ", ".join(repr(n) for n in names[:3]) + (
        f" and {len(names) - 3} more" if names[3:] else ""
    )
