"""Inference from streamed moments: which route the weights of the rows of sums ask for.

Macro weights are 1/n(document, system): constant within each row of sums, and different within a
document that has more queries for one system than for another. The exact root of route 3 then needs
no rows: all of a document's rows with one weight are the orthonormal columns times one p×p matrix,
so that products of those blocks, which were summed, are enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragstats.core.adjustment import Adjustment, singular_directions
from ragstats.core.covariance import (
    Contributions,
    contributions,
    inverse_variance,
    own_of_root,
)
from ragstats.core.dof import DfRule
from ragstats.core.inference import ClusterInference
from ragstats.core.moments import ClusterMoments
from ragstats.core.rational import inverse_root_nodes
from ragstats.core.segments import Codes, Floats
from ragstats.core.streaming import StreamedMoments
from ragstats.core.working import effects_of

#: Documents whose roots are computed at once.
BATCH = 20_000


@dataclass(frozen=True, slots=True)
class StreamedFit:
    """A fit without rows, ready for any covariance type and df rule.

    Attributes
    ----------
    solved : StreamedMoments
        The fit; with the products of each row of sums where weights vary within documents.
    codes : ndarray of int (L,)
        The document of each row of sums.
    weights : ndarray (L,) or None
        Inverse variances of the rows behind each row of sums; None when every row counts once.
    """

    solved: StreamedMoments
    codes: Codes
    weights: Floats | None

    @property
    def moments(self) -> ClusterMoments:
        """The standardized moments."""
        return self.solved.moments

    @property
    def coefficients(self) -> Floats:
        """The coefficients (p,)."""
        return self.solved.moments.origin

    def infer(
        self, adjustment: Adjustment, rule: DfRule, *, rho_floor: bool = False
    ) -> ClusterInference:
        """Return the inference under a covariance type and a df rule.

        Raises
        ------
        ValueError
            For the Imbens-Kolesár df with weights: their model is for OLS.
        """
        moments = self.moments
        effects = effects_of(rule, moments, self.weights, adjustment, rho_floor=rho_floor)
        if adjustment.name == "CR2" and self.solved.turned is not None:
            parts = _blockwise(self, adjustment)
        else:
            parts = inverse_variance(moments, adjustment)
        return ClusterInference(moments, parts, adjustment, rule, effects)


def _blockwise(fit: StreamedFit, adjustment: Adjustment) -> Contributions:
    """Route 3 on blocks of rows with one weight, documents in batches."""
    moments = fit.moments
    n_groups, p = moments.cross.shape
    order = np.argsort(fit.codes, kind="stable")
    ends = np.searchsorted(fit.codes[order], np.arange(n_groups), side="right")
    score, spread, overlap = (np.empty((n_groups, *[p] * k)) for k in (1, 2, 2))
    singular: dict[int, Floats] = {}
    for start in range(0, n_groups, BATCH):
        stop = min(start + BATCH, n_groups)
        rows = order[(ends[start - 1] if start else 0) : ends[stop - 1]]
        blocks = _blocks(fit, rows, start, stop)
        for group, directions in blocks.singular.items():
            singular[start + group] = directions
        score[start:stop], spread[start:stop], overlap[start:stop] = _contributions(blocks)
    own = own_of_root(moments.gram, spread, overlap, np.eye(p), singular)
    return contributions(moments, adjustment, score, own, overlap, singular)


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Blocks of rows with one working variance: products (b, p, p), scores (b, p), documents."""

    gram: Floats
    cross: Floats
    variance: Floats
    starts: np.ndarray
    document: np.ndarray
    singular: dict[int, Floats]
    gap: Floats

    def summed(self, values: Floats) -> Floats:
        """Sum over the blocks of each document."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=0))


def _blocks(fit: StreamedFit, rows: np.ndarray, start: int, stop: int) -> _Blocks:
    assert fit.solved.turned is not None
    assert fit.weights is not None
    p = fit.moments.n_columns
    first, second = np.triu_indices(p + 1)
    square = np.empty((len(rows), p + 1, p + 1))
    square[:, first, second] = square[:, second, first] = fit.solved.turned[rows]
    document = fit.codes[rows] - start
    starts = np.flatnonzero(np.diff(document, prepend=-1))
    variance = 1 / fit.weights[rows]
    variance /= np.maximum.reduceat(variance, starts)[document]  # the root does not see its scale
    gram = fit.moments.gram[start:stop]
    eigenvalues = np.linalg.eigvalsh(gram)
    singular = singular_directions(gram)
    below = np.where(eigenvalues > 1 - 1e-11, 0.0, eigenvalues).max(axis=1)
    smallest = np.minimum.reduceat(variance, starts)
    return _Blocks(
        gram=square[:, :p, :p],
        cross=square[:, :p, p],
        variance=variance,
        starts=starts,
        document=document,
        singular=singular,
        gap=smallest**2 * (1 - below),
    )


def _contributions(blocks: _Blocks) -> tuple[Floats, Floats, Floats]:
    """Return score, spread and overlap of the documents of a batch.

    Rows of a block are ``Q_b``; every matrix below is written as ``Q_b T_b`` with T_b p×p.
    """
    p = blocks.gram.shape[1]
    variance, document = blocks.variance, blocks.document
    target = np.broadcast_to(np.eye(p), blocks.gram.shape).copy()
    null = _null_blocks(blocks)
    _project_out(target, blocks, null)
    shifts, slopes = inverse_root_nodes(1 / float(blocks.gap.min()))
    mixing = np.zeros_like(target)
    for shift, slope in zip(shifts, slopes, strict=True):
        solve = 1 / (variance**2 + shift)
        inner = np.eye(p) - blocks.summed((variance**2 * solve)[:, None, None] * blocks.gram)
        right = blocks.summed((variance * solve)[:, None, None] * (blocks.gram @ target))
        correction = np.linalg.solve(inner, right)[document]
        mixing += (slope * solve)[:, None, None] * (target + variance[:, None, None] * correction)
    _project_out(mixing, blocks, null)
    mixing *= variance[:, None, None]
    turned = blocks.gram @ mixing
    return (
        blocks.summed(np.einsum("bij,bi->bj", mixing, blocks.cross)),
        blocks.summed(mixing.transpose(0, 2, 1) @ turned),
        blocks.summed(turned),
    )


def _null_blocks(blocks: _Blocks) -> dict[int, Floats]:
    """Return N (p, k) for each singular document: B takes the rows ``Q_b N / φ_b`` to 0."""
    null = {}
    for group, directions in blocks.singular.items():
        here = np.flatnonzero(blocks.document == group)
        length = np.einsum(
            "b,ik,bij,jl->kl",
            blocks.variance[here] ** -2,
            directions,
            blocks.gram[here],
            directions,
        )
        values, vectors = np.linalg.eigh(length)
        null[group] = directions @ (vectors / np.sqrt(values))
    return null


def _project_out(mixing: Floats, blocks: _Blocks, null: dict[int, Floats]) -> None:
    """Remove the null space of each singular document from its rows ``Q_b mixing_b``."""
    for group, directions in null.items():
        here = np.flatnonzero(blocks.document == group)
        inverse = 1 / blocks.variance[here]
        along = np.einsum("b,ik,bij,bjl->kl", inverse, directions, blocks.gram[here], mixing[here])
        mixing[here] -= inverse[:, None, None] * (directions @ along)
