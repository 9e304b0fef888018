"""Iteratively reweighted least squares, to full convergence.

statsmodels stops at a relative change of 1e-8 in the deviance, which leaves five digits less than
a comparison with R wants. Each step here is one of our own least-squares fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ragstats.core.orthonormal import orthonormalize
from ragstats.core.segments import Floats
from ragstats.exceptions import DataError, plural
from ragstats.models.say import warn
from ragstats.models.separation import at_bound, infinite_directions

#: A step smaller than this, relative to the linear predictor, is rounding.
CONVERGED = 1e-13
MAX_STEPS = 200
#: Fitted means closer than this to the bound of the family, in every row, are a perfect fit.
PERFECT = 1e-10


@dataclass(frozen=True, slots=True)
class GLMFit:
    """A converged generalized linear model.

    Attributes
    ----------
    coefficients : ndarray (p,)
        Estimates.
    mean : ndarray (N,)
        Fitted means.
    slope : ndarray (N,)
        ``dμ/dη``.
    variance : ndarray (N,)
        ``V(μ)/prior``, the working variance of a single row up to the dispersion.
    steps : int
        Iterations used.
    converged : bool
        Whether the last step was rounding, in the rows that are not at a bound.
    infinite : ndarray (p, k)
        Directions of the coefficients that are infinite; see :mod:`ragstats.models.separation`.
    n_bound : int
        Rows at the bound of the family.
    """

    coefficients: Floats
    mean: Floats
    slope: Floats
    variance: Floats
    steps: int
    converged: bool
    infinite: Floats
    n_bound: int


def fit_glm(
    design: Floats,
    outcome: Floats,
    family: Any,
    *,
    prior: Floats,
    frequency: Floats,
    offset: Floats | float,
    trials: Floats | float = 1.0,
    start: Floats | None = None,
) -> GLMFit:
    """Fit a GLM by Fisher scoring with step halving.

    Parameters
    ----------
    design : ndarray (N, p)
        Of full rank.
    outcome : ndarray (N,)
        y; proportions for the binomial family.
    family : statsmodels family
        With its link.
    prior, frequency : ndarray (N,)
        Prior weights (they divide the variance) and counts of equal rows.
    offset : ndarray (N,) or float
        Added to the linear predictor.
    trials : ndarray (N,) or float
        Of a binomial proportion; the family knows them too.
    start : ndarray (p,), optional
        Starting coefficients.

    Raises
    ------
    DataError
        If a step is not finite (the outcome is outside the domain of the family), or all rows end
        at the bound of the family (perfect separation).
    """
    with np.errstate(over="ignore", under="ignore"):  # of means that run to their bound
        return _fit(design, outcome, family, prior, trials, frequency, offset, start)


def _fit(
    design: Floats,
    outcome: Floats,
    family: Any,
    prior: Floats,
    trials: Floats | float,
    frequency: Floats,
    offset: Floats | float,
    start: Floats | None,
) -> GLMFit:
    if start is None:
        mean = family.starting_mu(outcome)
        predictor = np.asarray(family.predict(mean), float)
        coefficients = np.zeros(design.shape[1])
    else:
        coefficients = np.asarray(start, float)
        predictor = design @ coefficients + offset
        mean = family.fitted(predictor)
    if not (family.variance(mean) > 0).all():
        raise _separation(outcome)  # no counts at all
    deviance = _deviance(family, outcome, mean, prior, frequency)
    first, converged, step = start is None, False, 0
    for step in range(1, MAX_STEPS + 1):
        variance = np.maximum(family.variance(mean), np.finfo(float).tiny) / (prior * trials)
        slope = _slope(family, mean)
        root = np.sqrt(frequency / variance)
        basis = orthonormalize(design * (slope * root)[:, None])
        if basis.aliased.size:
            raise _separation(outcome)
        working = outcome - mean + slope * (predictor - offset if first else 0.0)
        change = basis.transform @ (basis.rows.T @ (working * root))
        if not np.isfinite(change).all():
            raise DataError(
                f"endog: the {type(family).__name__} fit is not finite after {step} steps;"
                " is the outcome inside the domain of the family and its link?"
            )
        target = change if first else coefficients + change
        coefficients, predictor, mean, new = _halving(
            family, design, outcome, prior, frequency, offset,
            old=None if first else coefficients, target=target, deviance=deviance,
        )  # fmt: skip
        inside = ~at_bound(family, outcome, mean)
        size = max(float(np.abs(design @ target).max()), 1.0)
        moved = np.inf if first else float(np.abs((design @ change)[inside]).max(initial=0.0))
        deviance, first = new, False
        if moved <= CONVERGED * size:
            converged = True
            break
    bound = at_bound(family, outcome, mean)
    _warn(converged, outcome, mean, family, bound)
    return GLMFit(
        coefficients,
        mean,
        _slope(family, mean),
        family.variance(mean) / (prior * trials),
        step,
        converged,
        infinite_directions(design, bound),
        int(bound.sum()),
    )


def _slope(family: Any, mean: Floats) -> Floats:
    return np.asarray(1 / family.link.deriv(mean), float)


def _deviance(
    family: Any, outcome: Floats, mean: Floats, prior: Floats, frequency: Floats
) -> float:
    with np.errstate(all="ignore"):
        return float(family.deviance(outcome, mean, var_weights=prior, freq_weights=frequency))


def _halving(
    family: Any,
    design: Floats,
    outcome: Floats,
    prior: Floats,
    frequency: Floats,
    offset: Floats | float,
    *,
    old: Floats | None,
    target: Floats,
    deviance: float,
) -> tuple[Floats, Floats, Floats, float]:
    """Take the step, or half of it for as long as the deviance grows beyond rounding."""
    coefficients = target
    for _ in range(30):
        predictor = design @ coefficients + offset
        mean = np.asarray(family.fitted(predictor), float)
        new = _deviance(family, outcome, mean, prior, frequency)
        slack = 1e-9 * (abs(deviance) + 1)
        if old is None or (np.isfinite(new) and new <= deviance + slack):
            break
        coefficients = (coefficients + old) / 2
    return coefficients, predictor, mean, new


def _separation(outcome: Floats) -> DataError:
    return DataError(
        f"endog: the fitted means reach their bounds in {plural(outcome.size, 'row')} (perfect"
        " separation: a covariate predicts the outcome exactly), so the coefficients are infinite"
    )


def _warn(converged: bool, outcome: Floats, mean: Floats, family: Any, bound: np.ndarray) -> None:
    """Say when the fit did not converge, or reproduces the outcome exactly."""
    perfect = bool(np.abs(mean - outcome).max() <= PERFECT * max(np.abs(outcome).max(), 1.0))
    if bound.all() or (perfect and type(family).__name__ != "Gaussian"):
        raise _separation(outcome)
    if not converged:
        warn(f"the fit did not converge in {MAX_STEPS} steps; its coefficients are not a maximum")
