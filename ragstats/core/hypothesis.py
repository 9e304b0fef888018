"""Tests: p-values of t statistics, and the Pustejovsky-Tipton joint test."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import nan

import numpy as np
from scipy import linalg, stats

from ragstats.checks import one_of
from ragstats.core.batched import images, turn
from ragstats.core.covariance import Contributions
from ragstats.core.segments import Floats
from ragstats.exceptions import RagstatsWarning

#: Singular values of unit rows below this are redundant constraints.
REDUNDANT = 1e-9

ALTERNATIVES = ("two-sided", "larger", "smaller")


def t_pvalue(statistic: Floats, df: Floats, alternative: str = "two-sided") -> Floats:
    """Return p-values of t statistics, upper tails by the survival function.

    Raises
    ------
    ValueError
        If ``alternative`` is not 'two-sided', 'larger' or 'smaller'.
    """
    one_of("alternative", alternative, ALTERNATIVES)
    if alternative == "two-sided":
        return np.asarray(2 * stats.t.sf(np.abs(statistic), df))
    if alternative == "larger":
        return np.asarray(stats.t.sf(statistic, df))
    return np.asarray(stats.t.cdf(statistic, df))


@dataclass(frozen=True, slots=True)
class JointTest:
    """A joint test of q constraints.

    Attributes
    ----------
    statistic : float
        F on ``df_num`` and ``df_denom``; NaN with a ``reason`` when it can't be had.
    df_num, df_denom, pvalue : float
        Numerator df (the rank of the constraints), denominator df, p.
    eta : float
        The df of the Wishart approximation, ``df_denom + df_num - 1``.
    wald : float
        The unscaled Wald statistic ``(Cβ-d)'(CVC')⁻¹(Cβ-d)``.
    reason : str
        Why the test is NaN; empty otherwise.
    """

    statistic: float
    df_num: float
    df_denom: float
    pvalue: float
    eta: float
    wald: float
    reason: str = ""

    def __str__(self) -> str:
        if self.reason:
            return f"F test on {self.df_num:g} constraints: not available, {self.reason}"
        return (
            f"F = {self.statistic:.4g} on {self.df_num:g} and {self.df_denom:.4g} df,"
            f" p = {self.pvalue:.3g}"
        )


@dataclass(frozen=True, slots=True)
class Constraints:
    """Independent constraints ``rows @ theta = gap`` in the orthonormal basis."""

    rows: Floats
    gap: Floats


def independent_constraints(rows: Floats, gap: Floats) -> Constraints:
    """Reduce constraints (q, p) to their rank, and say so.

    Parameters
    ----------
    rows : ndarray (q, p)
        Constraints in the orthonormal basis.
    gap : ndarray (q,)
        ``Cβ - d``.

    Raises
    ------
    ValueError
        If redundant rows contradict each other.
    """
    norms = np.linalg.norm(rows, axis=1)
    if not (norms > 0).all():
        raise ValueError(f"r_matrix: row {int(np.argmin(norms))} is 0, so it constrains nothing")
    unit, unit_gap = rows / norms[:, None], gap / norms
    left, values, _ = np.linalg.svd(unit, full_matrices=False)
    rank = int((values > REDUNDANT * values[0]).sum())
    if rank == len(rows):
        return Constraints(unit, unit_gap)
    combined = left[:, :rank].T @ unit_gap
    contradiction = np.abs(unit_gap - left[:, :rank] @ combined).max()
    if contradiction > 1e-7 * max(np.abs(unit_gap).max(), np.finfo(float).tiny):
        raise ValueError("r_matrix: the redundant rows ask for contradictory values")
    warnings.warn(
        f"the {len(rows)} constraints have rank {rank}: tested as {rank}",
        RagstatsWarning,
        stacklevel=4,
    )
    return Constraints(left[:, :rank].T @ unit, combined)


def approximate_hotelling(parts: Contributions, constraints: Constraints) -> JointTest:
    """Return the AHT test of Pustejovsky and Tipton (2018), eq. 14-16 (clubSandwich's "HTZ").

    Both sums of products of the K×K working covariances come from the q·r columns of ``overlap``.
    """
    rows = constraints.rows
    q = len(rows)
    wald, reason = _wald(parts, constraints)
    omega = rows @ parts.own.sum(axis=0) @ rows.T
    scale = np.sqrt(np.abs(np.diag(omega)))
    if not (scale > 0).all() or np.linalg.cond(omega / np.outer(scale, scale)) > 1e12:
        return _unavailable(q, wald, "the constraints rest on a single document")
    turned = _inverse_root(omega / np.outer(scale, scale)) @ (rows / scale[:, None])
    own = np.moveaxis(turn(parts.own, turned.T), 0, -1)
    itself = np.einsum("ssk->sk", own)
    same = itself @ itself.T
    swapped = np.einsum("stk,stk->st", own, own)
    between = _between_documents(parts, images(parts.overlap, turned))
    same, swapped = same + between[0], swapped + between[1]
    eta = float(q * (q + 1) / (same + swapped).sum())
    return _finish(wald, q, eta, reason)


def _between_documents(parts: Contributions, overlap: Floats) -> tuple[Floats, Floats]:
    """Return the sums over pairs of documents of ``P^ss P^tt`` and of ``P^st P^ts`` (q, q).

    As in the df of one contrast, heavy documents are kept out of the sums, where they would cancel.
    ``overlap`` (q, r, K) is used up.
    """
    middle, (q, r, n_groups) = parts.middle, overlap.shape
    heavy = overlap[:, :, parts.heavy]
    overlap[:, :, parts.heavy] = 0.0
    crossed = np.einsum("srk,trk->stk", middle @ overlap, overlap)
    flat = overlap.reshape(q * r, n_groups)
    gram = (flat @ flat.T).reshape(q, r, q, r).transpose(0, 2, 1, 3)  # W_st (q, q, r, r)
    left = middle @ gram
    alone = np.einsum("ssk->sk", crossed)
    same = np.einsum("stab,stac,bc->st", left, gram, middle, optimize=True) - alone @ alone.T
    swapped = np.einsum("stab,stba->st", left, left) - np.einsum("stk,stk->st", crossed, crossed)
    turned = middle @ heavy
    same += 2 * np.einsum("sah,stab,tbh->st", turned, gram, turned, optimize=True)
    swapped += 2 * np.einsum("sah,tsab,tbh->st", turned, gram, turned, optimize=True)
    among = np.einsum("srg,trh->stgh", turned, heavy, optimize=True)
    among[:, :, np.arange(len(parts.heavy)), np.arange(len(parts.heavy))] = 0.0
    own = np.einsum("ssgh->sgh", among)
    same += np.einsum("sgh,tgh->st", own, own)
    swapped += np.einsum("stgh,tsgh->st", among, among)
    return same, swapped


def _wald(parts: Contributions, constraints: Constraints) -> tuple[float, str]:
    """Return the Wald statistic, and why it is NaN when it is."""
    if parts.factor == 0:
        return nan, "every document of the population is here, so the differences are known"
    scores = parts.score @ constraints.rows.T
    singular_values = np.linalg.svd(scores, compute_uv=False)
    q = len(constraints.rows)
    rank = (
        int((singular_values > 1e-10 * singular_values[0]).sum()) if singular_values[0] > 0 else 0
    )
    if rank < q:
        return nan, (
            f"the covariance of the {q} constraints has rank {rank}: "
            "too few documents vary for a joint test"
        )
    triangle = linalg.qr(scores, mode="r")[0][:q]
    solved = np.linalg.solve(triangle.T, constraints.gap)
    return float(solved @ solved) / parts.factor, ""


def _inverse_root(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors / np.sqrt(values)) @ vectors.T)


def _finish(wald: float, q: int, eta: float, reason: str) -> JointTest:
    df_denom = eta - q + 1
    if reason:
        return JointTest(nan, q, df_denom, nan, eta, nan, reason)
    if not df_denom > 0:
        return JointTest(
            nan,
            q,
            df_denom,
            nan,
            eta,
            wald,
            f"the denominator df are {df_denom:.3g}: too few documents for {q} constraints at once",
        )
    statistic = df_denom / (eta * q) * wald
    return JointTest(
        statistic, q, df_denom, float(stats.f.sf(statistic, q, df_denom)), eta, wald, ""
    )


def _unavailable(q: int, wald: float, reason: str) -> JointTest:
    return JointTest(nan, q, nan, nan, nan, wald, reason)
