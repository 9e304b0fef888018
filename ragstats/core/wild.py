"""The wild cluster bootstrap of one contrast of a least-squares fit, from its cluster moments.

The outcome of a replicate is the fit plus the residuals of each document times one auxiliary weight
``v_g``. Under WCR fit and residuals obey the null hypothesis, under WCU they are those of the plain
fit. In the orthonormal basis of the (weighted) design, with γ the contrast, ``G_g`` the leverages
and ``s_g`` the scores of the documents, everything is linear in ``gap = c'β̂ - null``:

    s_g(gap) = cross_g + G_g γ · gap / γ'γ   (WCR)         Δ = Σ_g v_g s_g
    numerator = γ'Δ                deviation_g = b_g'(v_g s_g - G_g Δ),   b_g = f(G_g) γ
    t* = numerator / √(factor · Σ_g deviation_g²)

So five numbers a replicate (two of the numerator, three of the variance) give t* under every null:
O(B K p) once, then O(B) for each null that an interval tries.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ragstats.checks import one_of
from ragstats.core.adjustment import ADJUSTMENTS, leverage_power
from ragstats.core.batched import apply
from ragstats.core.hypothesis import ALTERNATIVES
from ragstats.core.moments import ClusterMoments
from ragstats.core.resampling_batches import (
    BATCH_CELLS,
    Mapper,
    Report,
    run_batches,
    weighted_sums,
)
from ragstats.core.segments import Floats
from ragstats.core.wild_weights import WEIGHTS, all_signs, draw_weights, lists_all

#: A replicate whose t* is this close to the sample's t, relatively, is a tie: it counts as extreme.
#: Ties are exact in exact arithmetic (v = ±1 repeats the sample); their rounding is below 1e-12.
TIES = 1e-9
#: Deviations that a gap changes by less than this share of the scores are not changed by it.
UNMOVED = 1e-12

#: Covariance types that studentize t and t*; the factor of CR1 cancels.
STUDENTIZED_BY = ("CR1", "CR2")


@dataclass(frozen=True, slots=True)
class WildContrast:
    """One contrast of a fit, in what its wild bootstrap needs.

    Attributes
    ----------
    estimate : float
        ``c'β̂``.
    se : float
        The standard error that studentizes it.
    factor : float
        Of the variance.
    contrast : ndarray (p,)
        γ, in the orthonormal basis.
    score : ndarray (p, K)
        Scores of the plain fit.
    lift : ndarray (p, K)
        What a unit of gap adds to the scores under the null; 0 under WCU.
    own : ndarray (2, K)
        ``b_g'score_g`` and ``b_g'lift_g``.
    taken : ndarray (p, K)
        ``G_g b_g``.
    """

    estimate: float
    se: float
    factor: float
    contrast: Floats
    score: Floats
    lift: Floats
    own: Floats
    taken: Floats

    @property
    def n_groups(self) -> int:
        """K, the number of documents."""
        return int(self.score.shape[1])


def wild_contrast(
    moments: ClusterMoments, row: Floats, *, restricted: bool = True, studentize: str = "CR1"
) -> WildContrast:
    """Return one contrast of a fit, ready for its wild bootstrap.

    Parameters
    ----------
    moments : ClusterMoments
        Standardized, of OLS or of whitened rows.
    row : ndarray (p,)
        The contrast of the coefficients.
    restricted : bool
        Whether the null is imposed (WCR), or not (WCU).
    studentize : {"CR1", "CR2"}
        The covariance type of t and t*.

    Raises
    ------
    ValueError
        If ``studentize`` is unknown.
    """
    one_of("studentize", studentize, STUDENTIZED_BY)
    adjustment = ADJUSTMENTS[studentize]
    contrast = row @ moments.transform
    lift = apply(moments.gram, contrast) / (contrast @ contrast)
    if adjustment.power:
        adjusted = apply(leverage_power(moments.gram, adjustment.power).values, contrast)
    else:
        adjusted = np.broadcast_to(contrast, lift.shape)
    scores = (moments.cross, lift if restricted else np.zeros_like(lift))
    own = np.stack([np.einsum("kp,kp->k", adjusted, s) for s in scores])
    factor = adjustment.factor(moments.n_groups, moments.n_rows, moments.n_columns)
    return WildContrast(
        estimate=float(row @ moments.origin),
        se=float(np.sqrt(factor * (own[0] @ own[0]))),
        factor=factor,
        contrast=contrast,
        score=np.ascontiguousarray(scores[0].T),
        lift=np.ascontiguousarray(scores[1].T),
        own=own,
        taken=np.ascontiguousarray(apply(moments.gram, adjusted).T),
    )


@dataclass(frozen=True, slots=True)
class WildReplicates:
    """The replicates of a wild bootstrap, for every null at once.

    Attributes
    ----------
    target : WildContrast
        The contrast.
    numerator : ndarray (2, B)
        ``γ'Δ`` is ``numerator[0] + numerator[1] gap``.
    square : ndarray (3, B)
        ``Σ deviation²`` is ``square[0] + 2 square[1] gap + square[2] gap²``.
    listed : bool
        Whether these are all 2^K sign vectors, each once.
    """

    target: WildContrast
    numerator: Floats
    square: Floats
    listed: bool

    @property
    def n_boot(self) -> int:
        """B, the number of replicates."""
        return int(self.numerator.shape[1])

    def statistics(self, null: float) -> tuple[Floats, Floats]:
        """Return the numerators (B,) and standard errors (B,) of t* under a null."""
        gap = self.target.estimate - null
        numerator = self.numerator[0] + self.numerator[1] * gap
        square = self.square[0] + gap * (2 * self.square[1] + gap * self.square[2])
        return numerator, np.sqrt(self.target.factor * np.maximum(square, 0.0))

    def extreme(self, null: float, alternative: str = "two-sided") -> int:
        """Return how many replicates are as extreme as the sample, or more; ties count.

        ``t* ≥ t`` is asked as ``numerator ≥ t · se*``, so that a replicate without variance needs
        no division; one with numerator 0 too counts as extreme. The last of all sign vectors, +1
        for every document, is the sample itself: it counts under WCU too, where its t* is 0, so
        that p is at least 1/2^K.

        Raises
        ------
        ValueError
            If the alternative is unknown.
        """
        one_of("alternative", alternative, ALTERNATIVES)
        numerator, se = self.statistics(null)
        t = (self.target.estimate - null) / self.target.se
        if alternative == "two-sided":
            numerator, t = np.abs(numerator), abs(t)
        elif alternative == "smaller":
            numerator, t = -numerator, -t
        found = numerator >= se * (t - TIES * abs(t))
        if self.listed:
            found[-1] = True
        return int(np.count_nonzero(found))

    def pvalue(self, null: float, alternative: str = "two-sided") -> float:
        """Return p: the share of extreme replicates, to which random ones add the sample itself."""
        extreme = self.extreme(null, alternative)
        return extreme / self.n_boot if self.listed else (1 + extreme) / (1 + self.n_boot)


def wild_statistics(target: WildContrast, weights: Floats) -> Floats:
    """Return the five numbers (5, b) of each replicate, from its weights (b, K)."""
    sums = [weighted_sums(weights, target.score), weighted_sums(weights, target.lift)]
    deviations = [weights * own for own in target.own]
    for total, deviation in zip(sums, deviations, strict=True):
        for column, taken in zip(total, target.taken, strict=True):
            deviation -= column[:, None] * taken
    first, second = deviations
    pairs = ((first, first), (first, second), (second, second))
    square = np.stack([np.einsum("bk,bk->b", left, right) for left, right in pairs])
    # The variance of such a replicate does not depend on the null (v = ±1 does this); what is left
    # is rounding, which a null far away would make large.
    square[1:, square[2] <= UNMOVED**2 * (target.own[1] @ target.own[1])] = 0.0
    return np.concatenate([[_dot(target.contrast, total) for total in sums], square])


def _dot(contrast: Floats, columns: Floats) -> Floats:
    """Return ``contrast @ columns`` (b,), summed in one order whatever b is."""
    total = np.zeros(columns.shape[1])
    for weight, column in zip(contrast, columns, strict=True):
        total += weight * column
    return total


def wild_bootstrap(
    target: WildContrast,
    n_boot: int,
    rng: np.random.Generator | None,
    *,
    weights: str = "rademacher",
    mapper: Mapper = map,
    report: Report | None = None,
    cells: int = BATCH_CELLS,
) -> WildReplicates:
    """Draw the replicates of a wild cluster bootstrap, or list them all.

    Parameters
    ----------
    target : WildContrast
        The contrast.
    n_boot : int
        B; all 2^K sign vectors take its place where ``wild_weights.lists_all`` says so.
    rng : Generator or None
        Where random weights come from; not needed when all are listed.
    weights : {"rademacher", "webb", "mammen"}
        The distribution of the auxiliary weights.
    mapper, report
        As in :func:`ragstats.core.resampling_batches.run_batches`.
    cells : int
        Largest number of weights held at once; no result depends on it.

    Raises
    ------
    ValueError
        If ``weights`` is unknown, or random ones are needed and there is no generator.

    References
    ----------
    Cameron, Gelbach and Miller (2008), REStat 90(3), 414-427; Roodman, Nielsen, MacKinnon and Webb
    (2019), Stata Journal 19(1), 4-60 (all nulls from one set of sums); MacKinnon, Nielsen and Webb
    (2023), J. Econometrics 232(2), 272-299.

    Examples
    --------
    >>> import numpy as np
    >>> from ragstats.core.estimate import least_squares
    >>> codes = np.repeat(np.arange(5), [1, 2, 3, 4, 6])
    >>> y = np.array([1., 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1])
    >>> fit = least_squares(np.ones((16, 1)), y, codes, np.arange(5))
    >>> target = wild_contrast(fit.moments, np.ones(1))
    >>> replicates = wild_bootstrap(target, 999, None)
    >>> replicates.n_boot, replicates.pvalue(0.5)
    (32, 0.25)
    """
    one_of("weights", weights, WEIGHTS)
    listed = lists_all(target.n_groups, n_boot, weights)
    if listed:
        n_boot = 2**target.n_groups
        batches = all_signs(target.n_groups, cells=cells)
    elif rng is None:
        raise ValueError(
            f"seed=None: the weights of {target.n_groups} documents are drawn at random; give an"
            " int or a numpy Generator"
        )
    else:
        batches = draw_weights(rng, n_boot, target.n_groups, weights, cells=cells)
    statistics = run_batches(
        partial(wild_statistics, target), batches, n_boot, mapper=mapper, report=report
    )
    return WildReplicates(target, statistics[:2], statistics[2:], listed)
