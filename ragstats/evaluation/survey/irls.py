"""Weighted generalized linear fits to full convergence, on arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from ragstats.exceptions import DataError, plural

from .columns import Floats

EPS = float(np.finfo(float).eps)
MAX_ITERATIONS = 100
TOLERANCE = 1e-12  # change of the linear predictor, relative to the working response
STALLED = 1e-9  # below this, a change that no longer falls is rounding


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A converged fit of ``n`` rows and ``p`` coefficients.

    Attributes
    ----------
    beta : (p,) array
        Coefficients.
    root : (n, p) array
        Orthonormal columns of the working-weighted design; row i has leverage ``‖root_i‖²``.
    back : (p, p) array
        ``(X'WX)⁻¹ = back back'``.
    residual : (n,) array
        Scores on the scale of `root`: the influence of row i is ``residual_i root_i back'``.
    size : (n,) array
        What `residual` would be if nothing cancelled: the scale of its rounding.
    iterations : int
        Steps taken.
    """

    beta: Floats
    root: Floats
    back: Floats
    residual: Floats
    size: Floats
    iterations: int


def fit_irls(y: Floats, x: Floats, w: Floats, family: Any, names: list[str]) -> Fit:
    """Fit by Fisher scoring, each step by QR of the unit-norm weighted design.

    Parameters
    ----------
    y : (n,) array
        Outcome.
    x : (n, p) array
        Design.
    w : (n,) array
        Positive weights; only their ratios matter.
    family : statsmodels family
        Variance function and link.
    names : list of str
        Of the columns of `x`, for errors.
    """
    w = w / w.mean()
    mean = np.asarray(family.starting_mu(y), float)
    eta = np.asarray(family.link(mean), float)
    last = np.inf
    for step in range(1, MAX_ITERATIONS + 1):
        slope = np.asarray(family.link.deriv(mean), float)
        precision = np.sqrt(w / np.asarray(family.variance(mean), float))
        root_w, response = precision / np.abs(slope), eta + (y - mean) * slope
        _refuse_runaway(root_w, response, mean, family)
        beta, root, back = _least_squares(x, response, root_w, names)
        change = _norm(root_w * (x @ beta - eta))
        if change <= TOLERANCE * _norm(root_w * response) or (
            last <= change <= STALLED * _norm(root_w * response)
        ):
            residual = precision * (y - mean) * np.sign(slope)
            size = precision * (np.abs(y) + np.abs(mean))
            return Fit(beta, root, back, residual, size, step)
        eta, last = x @ beta, change
        mean = np.asarray(family.link.inverse(eta), float)
    raise DataError(
        f"the {_name(family)} fit did not converge in {MAX_ITERATIONS} steps; check the formula "
        "for columns that separate the outcome or have extreme values"
    )


def _least_squares(
    x: Floats, response: Floats, root_w: Floats, names: list[str]
) -> tuple[Floats, Floats, Floats]:
    """Return the coefficients, the orthonormal design and its way back to the columns."""
    design = root_w[:, None] * x
    norms = np.sqrt((design**2).sum(axis=0))
    norms = np.where(norms > 0, norms, 1.0)
    root, r = np.linalg.qr(design / norms)
    aliased = np.abs(np.diagonal(r)) <= max(x.shape) * EPS
    if x.shape[0] < x.shape[1]:
        raise DataError(f"formula: {x.shape[1]} coefficients and only {plural(x.shape[0], 'row')}")
    if aliased.any():
        listed = ", ".join(n for n, a in zip(names, aliased, strict=True) if a)
        raise DataError(f"formula: {listed} is a linear combination of the columns before it")
    back: Floats = solve_triangular(r, np.eye(r.shape[0])) / norms[:, None]
    beta: Floats = solve_triangular(r, root.T @ (root_w * response)) / norms
    return beta, root, back


def _refuse_runaway(root_w: Floats, response: Floats, mean: Floats, family: Any) -> None:
    if not (np.isfinite(response).all() and np.isfinite(root_w).all()):
        raise DataError(
            f"the {_name(family)} fit left the range of its link; check the outcome and the family"
        )
    if _name(family) == "Binomial" and ((mean < 10 * EPS) | (mean > 1 - 10 * EPS)).any():
        raise DataError(
            "the Binomial fit reached probabilities of 0 or 1: a combination of the columns "
            "predicts the outcome perfectly, so its coefficients are infinite"
        )


def _name(family: Any) -> str:
    return type(family).__name__


def _norm(v: Floats) -> float:
    return float(np.sqrt(v @ v))
