"""Degrees of freedom of one contrast: a df belongs to a contrast, not to a fit.

With P the working covariance (K×K) of the documents' contributions to the contrast, the
Satterthwaite df are ``(tr P)² / ‖P‖²``. P is diagonal plus low rank, so both traces are sums over
documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan

import numpy as np

from ragstats.checks import one_of
from ragstats.core.batched import apply, images, quadratic
from ragstats.core.covariance import Contributions
from ragstats.core.moments import ClusterMoments
from ragstats.core.segments import Floats

#: A working variance this small, relative to that of the unadjusted scores, is 0 but for rounding.
NO_VARIANCE = 1e-12
#: P is a covariance, so its df are at least 1; below this they are what rounding has left.
LEAST = 0.99
#: The Imbens-Kolesár trace is a difference; below this, relative to its terms, nothing is left.
ROUNDED_AWAY = 1e-9


@dataclass(frozen=True, slots=True)
class RandomEffects:
    """The parts of the Imbens-Kolesár working model ``Ω_g = σ²I + ρ11'``.

    Attributes
    ----------
    sigma2, rho : float
        Estimated from the least-squares residuals; ρ may be negative.
    total : ndarray (K, p)
        ``x̄_g = X_g'1`` in the orthonormal basis.
    adjusted : ndarray (K, p)
        ``f(G_g) x̄_g``, of the covariance type.
    """

    sigma2: float
    rho: float
    total: Floats
    adjusted: Floats


def random_effects(
    moments: ClusterMoments, roots: Floats, *, rho_floor: bool = False
) -> RandomEffects:
    """Estimate ρ and σ² from the residual moments, as dfadjust does.

    Imbens and Kolesár (2016), section 4: ``ρ = (Σ_g(1'e_g)² - Σe²) / (Σn_g² - N)``.
    """
    square, n_rows = float(moments.square.sum()), moments.n_rows
    pairs = float((moments.rows**2).sum()) - n_rows
    rho = (float((moments.outcome**2).sum()) - square) / pairs if pairs > 0 else 0.0
    if rho_floor:
        rho = max(rho, 0.0)
    sigma2, total = max(square / n_rows - rho, 0.0), moments.total
    return RandomEffects(sigma2, rho, total, apply(roots, total))


def satterthwaite(parts: Contributions, contrasts: Floats) -> Floats:
    """Return the Bell-McCaffrey df of contrasts (q, p) in the orthonormal basis.

    Bell and McCaffrey (2002), section 4; for the intercept-only model, the ``df_micro`` of the
    source text. NaN where the working variance is 0: the contrast rests on one document.
    """
    if not len(contrasts):
        return np.empty(0)
    n_groups, r, p = parts.overlap.shape
    batch = max(1, BATCH // (n_groups * (r + p)))
    unit = _unit(contrasts)
    return np.concatenate(
        [_satterthwaite(parts, unit[start : start + batch]) for start in range(0, len(unit), batch)]
    )


def _unit(contrasts: Floats) -> Floats:
    """Return the contrasts (q, p) with norm 1: the df have their fourth powers, and no scale."""
    norms = np.abs(contrasts).max(axis=1, keepdims=True, initial=0.0)
    scaled = contrasts / np.where(norms > 0, norms, 1.0)  # no square of it overflows
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True).clip(min=1.0))


#: Numbers held at once for a batch of contrasts.
BATCH = 200_000


def _satterthwaite(parts: Contributions, contrasts: Floats) -> Floats:
    own = quadratic(parts.own, contrasts)
    trace = own.sum(axis=1)
    square = np.einsum("qk,qk->q", own, own) + _off_diagonal(parts, contrasts)
    scale = np.einsum("qp,qp->q", contrasts @ parts.reference, contrasts)
    usable = (trace > NO_VARIANCE * scale) & (square > 0)
    df = np.where(usable, trace**2 / np.where(usable, square, 1.0), np.nan)
    return np.where(df > LEAST, df, np.nan)


def _off_diagonal(parts: Contributions, contrasts: Floats) -> Floats:
    """Return the sum of the squared covariances of two documents, for q contrasts (q,).

    Taken from sums over documents, without the heavy ones: theirs would cancel in the sums.
    """
    overlap = images(parts.overlap, contrasts)
    heavy = overlap[:, :, parts.heavy]
    overlap[:, :, parts.heavy] = 0.0
    gram = overlap @ overlap.transpose(0, 2, 1)
    # For inverse-variance weights the middle is the identity, and the quadratic forms plain sums.
    if parts.plain_middle:
        crossed = np.einsum("qrk,qrk->qk", overlap, overlap)
        product, turned = gram, heavy
    else:
        crossed = np.einsum("qrk,qrk->qk", parts.middle @ overlap, overlap)
        product, turned = parts.middle @ gram, parts.middle @ heavy
    total = np.einsum("qrs,qsr->q", product, product) - np.einsum("qk,qk->q", crossed, crossed)
    total += 2 * np.einsum("qrh,qrh->q", turned, gram @ turned)
    among = turned.transpose(0, 2, 1) @ heavy
    itself = np.arange(heavy.shape[2])
    among[:, itself, itself] = 0.0
    return np.asarray(total + np.einsum("qgh,qgh->q", among, among))


def imbens_kolesar(parts: Contributions, model: RandomEffects, contrast: Floats) -> float:
    """Return the df of a contrast under ``Ω_g = σ²I + ρ11'`` (Imbens and Kolesár, 2016, eq. 10).

    P is ``diag(σ²α + ρω²) + U B U'`` with ``U = [ζ, ω·x̄]``, so the traces need 2p×2p products.
    """
    p = contrast.size
    zeta = apply(parts.overlap, contrast)
    alpha = quadratic(parts.own, contrast[None])[0] + np.einsum("kr,kr->k", zeta, zeta)
    omega = model.adjusted @ contrast
    outer = np.hstack([zeta, omega[:, None] * model.total])
    identity = np.eye(p)
    core = np.block(
        [
            [
                model.rho * model.total.T @ model.total - model.sigma2 * identity,
                -model.rho * identity,
            ],
            [-model.rho * identity, np.zeros((p, p))],
        ]
    )
    diagonal = model.sigma2 * alpha + model.rho * omega**2
    product = core @ (outer.T @ outer)
    trace = diagonal.sum() + np.trace(product)
    square = (
        diagonal @ diagonal
        + 2 * np.trace(core @ (outer.T @ (diagonal[:, None] * outer)))
        + np.sum(product * product.T)
    )
    size = diagonal.sum()
    return float(trace**2 / square) if square > 0 and trace > ROUNDED_AWAY * size else nan


@dataclass(frozen=True, slots=True)
class DfContext:
    """What a df rule may look at."""

    moments: ClusterMoments
    parts: Contributions
    random_effects: RandomEffects | None


@dataclass(frozen=True, slots=True)
class DfRule:
    """One way to choose the df: its name, the rule for contrasts (q, p), what the summary says."""

    name: str
    df: Callable[[DfContext, Floats], Floats]
    description: str

    def __reduce__(self) -> tuple[Callable[[str], DfRule], tuple[str]]:
        """Travel by name: functions of the table are not pickled."""
        return df_rule, (self.name,)


def _ik(context: DfContext, contrasts: Floats) -> Floats:
    if context.random_effects is None:
        raise ValueError("df='IK' needs the random-effects model of an unweighted OLS fit")
    model = context.random_effects
    return np.array([imbens_kolesar(context.parts, model, c) for c in _unit(contrasts)])


def _minus(context: DfContext, contrasts: Floats, lost: int) -> Floats:
    left = context.moments.n_groups - lost
    return np.full(len(contrasts), float(left) if left > 0 else nan)


DF_RULES = {
    row.name: row
    for row in (
        DfRule(
            "satterthwaite",
            lambda context, contrasts: satterthwaite(context.parts, contrasts),
            "Satterthwaite (Bell-McCaffrey)",
        ),
        DfRule("IK", _ik, "Imbens-Kolesár, random effects"),
        DfRule(
            "K-1",
            lambda context, contrasts: _minus(context, contrasts, 1),
            "documents minus 1",
        ),
        DfRule(
            "K-p",
            lambda context, contrasts: _minus(context, contrasts, context.moments.n_columns),
            "documents minus parameters",
        ),
        DfRule(
            "normal",
            lambda context, contrasts: np.full(len(contrasts), inf),
            "normal approximation",
        ),
    )
}


def df_rule(name: str) -> DfRule:
    """Return the row of the table, or raise the error that lists the names."""
    one_of("df", name, DF_RULES)
    return DF_RULES[name]
