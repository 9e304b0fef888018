"""The interval methods, in one table: name → limits of many samples at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ragstats.core.intervals import (
    iid_se,
    korn_graubard,
    logit_interval,
    normal_interval,
    t_interval,
)
from ragstats.core.segments import Floats
from ragstats.evaluation.coverage import variances
from ragstats.evaluation.coverage.resampled import Replicates, bca_probabilities, row_quantiles
from ragstats.evaluation.coverage.sample import Bools, Ratio
from ragstats.evaluation.coverage.variances import Spread, spread_of_design
from ragstats.evaluation.coverage.wild_cover import wild_pvalues
from ragstats.exceptions import unknown_option

Designs = tuple[str, ...]
EVERY: Designs = ("srs", "stratified", "two-stage")
EQUAL: Designs = ("srs", "two-stage")


@dataclass(frozen=True, slots=True)
class Limits:
    """Intervals of R samples.

    Attributes
    ----------
    low, high : ndarray (R,)
        NaN where there is none. A sample whose documents do not vary has both at the estimate.
        Where a method answers only whether it covers, they are infinite, or the estimate on the
        side where it misses.
    available : ndarray of bool (R,)
        False where there is no interval, or one of zero width that means nothing.
    """

    low: Floats
    high: Floats
    available: Bools


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked of every method: the level, the true value, and random numbers for some."""

    alpha: float
    truth: float = np.nan
    n_boot: int = 999


@dataclass(frozen=True, slots=True)
class Method:
    """One way to an interval.

    Attributes
    ----------
    name : str
        As asked for and as tabulated.
    label : str
        What it is, in at most 26 characters.
    compute : callable
        Limits from a ratio and what is asked; of a bootstrap also from its replicates, of the wild
        bootstrap from a random generator.
    needs : {"closed", "replicates", "signs"}
        What it takes beside the sample.
    estimands, designs : tuple of str
        Where it is defined.
    scores : {"any", "unit", "binary"}
        The scores it is for.
    squares : bool
        Whether it needs the sums of squares.
    width : bool
        Whether the distance of its limits is a width.
    macro_label : str
        What it is for the macro mean, when that has a plainer name.
    """

    name: str
    label: str
    compute: Callable[..., Limits]
    needs: str = "closed"
    estimands: tuple[str, ...] = ("micro", "macro")
    designs: Designs = ("srs",)
    scores: str = "any"
    squares: bool = False
    width: bool = True
    macro_label: str = ""

    def said_of(self, estimand: str) -> str:
        """Return what the method is, in a few words."""
        return self.macro_label if estimand == "macro" and self.macro_label else self.label


# --- closed forms ----------------------------------------------------------------------------


def _iid(ratio: Ratio, ask: Ask) -> Limits:
    se, varies = _iid_se(ratio)
    return _limits(*normal_interval(ratio.estimate, se, ask.alpha), varies)


def _n_eff(ratio: Ratio, ask: Ask, *, weighted: bool) -> Limits:
    """Widen the iid interval by √DEFF, with the size-weighted or the plain mean size."""
    n = ratio.sample.n
    size = (n**2).sum(axis=1) / n.sum(axis=1) if weighted else n.mean(axis=1)
    se, varies = _iid_se(ratio)
    effect = 1 + (size - 1) * np.maximum(variances.intraclass(ratio), 0.0)
    return _limits(*normal_interval(ratio.estimate, se * np.sqrt(effect), ask.alpha), varies)


def _iid_se(ratio: Ratio) -> tuple[Floats, Bools]:
    """Return the standard error of independent rows, 0 where the scores do not vary at all."""
    sample = ratio.sample
    total, squares, n = (column.sum(axis=1) for column in (sample.s, sample.ss, sample.n))
    varies = ~(squares / n - (total / n) ** 2 <= 8 * np.finfo(float).eps * squares / n)
    return np.where(varies, iid_se(total, squares, n), 0.0), varies


def _t(ratio: Ratio, ask: Ask, *, spread: Callable[[Ratio], Spread]) -> Limits:
    found = spread(ratio)
    limits = t_interval(ratio.estimate, found.se, found.df, ask.alpha)
    low, high = (np.where(found.known, limit, ratio.estimate) for limit in limits)
    return _limits(low, high, found.known)


def _clip(ratio: Ratio, ask: Ask) -> Limits:
    plain = _t(ratio, ask, spread=spread_of_design)
    return Limits(np.clip(plain.low, 0.0, 1.0), np.clip(plain.high, 0.0, 1.0), plain.available)


def _korn_graubard(ratio: Ratio, ask: Ask) -> Limits:
    found = spread_of_design(ratio)
    rows = ratio.sample.n.sum(axis=1)
    estimate = np.clip(ratio.estimate, 0.0, 1.0)  # sums of weights may pass 1 by rounding
    documents = np.full_like(estimate, ratio.n_documents)
    limits = korn_graubard(estimate, found.variance, found.df, rows, documents, alpha=ask.alpha)
    return _limits(*limits, np.ones(len(rows), bool))


def _logit(ratio: Ratio, ask: Ask) -> Limits:
    found = spread_of_design(ratio)
    limits = logit_interval(ratio.estimate, found.se, found.df, ask.alpha)
    return _limits(*limits, found.known)


# --- bootstraps ------------------------------------------------------------------------------


def _percentile(ratio: Ratio, ask: Ask, replicates: Replicates) -> Limits:
    return _between(ratio, row_quantiles(replicates.change, _tails(ask)))


def _bca(ratio: Ratio, ask: Ask, replicates: Replicates) -> Limits:
    probabilities = bca_probabilities(ratio, replicates, _tails(ask))
    return _between(ratio, row_quantiles(replicates.change, probabilities))


def _between(ratio: Ratio, quantiles: Floats) -> Limits:
    low, high = (ratio.estimate + quantiles[:, side] for side in (0, 1))
    return _limits(low, high, low < high)


def _bootstrap_t(ratio: Ratio, ask: Ask, replicates: Replicates) -> Limits:
    return _studentized(ratio, ask, replicates.se, replicates, variances.linearized(ratio))


def _bootstrap_t_cr2(ratio: Ratio, ask: Ask, replicates: Replicates) -> Limits:
    return _studentized(ratio, ask, replicates.se2, replicates, variances.cr2(ratio))


def _studentized(
    ratio: Ratio, ask: Ask, se: Floats | None, replicates: Replicates, spread: Spread
) -> Limits:
    """Return ``θ̂ - t*_{1-α/2} se`` to ``θ̂ - t*_{α/2} se``; degenerate replicates are left out."""
    assert se is not None
    quantiles = row_quantiles(replicates.change / se, _tails(ask))
    low, high = (
        np.where(spread.known, ratio.estimate - quantiles[:, side] * spread.se, ratio.estimate)
        for side in (1, 0)
    )
    return _limits(low, high, spread.known)


def _wild(ratio: Ratio, ask: Ask, rng: np.random.Generator) -> Limits:
    """Reject the truth or not; where it does, the interval lies on the side of the estimate."""
    covers = wild_pvalues(ratio, ask.truth, ask.n_boot, rng) > ask.alpha
    low = np.where(covers | (ratio.estimate < ask.truth), -np.inf, ratio.estimate)
    high = np.where(covers | (ratio.estimate > ask.truth), np.inf, ratio.estimate)
    flat = ratio.flat
    low, high = np.where(flat, ratio.estimate, low), np.where(flat, ratio.estimate, high)
    return Limits(low, high, ~flat)


def _tails(ask: Ask) -> Floats:
    return np.array([ask.alpha / 2, 1 - ask.alpha / 2])


def _limits(low: Floats, high: Floats, known: Bools) -> Limits:
    return Limits(low, high, known & np.isfinite(low) & np.isfinite(high))


# --- the table -------------------------------------------------------------------------------

METHODS = {
    row.name: row
    for row in (
        Method("cr2", "CR2, Satterthwaite df",
               partial(_t, spread=variances.cr2), designs=EQUAL,
               macro_label="t(K-1) of the rates"),
        Method("cr2-ik", "CR2, Imbens-Kolesar df",
               partial(_t, spread=variances.cr2_ik), estimands=("micro",), squares=True),
        Method("cr3", "CR3, t(K-1)", partial(_t, spread=variances.cr3)),
        Method("cr1", "CR1, t(K-1)",
               partial(_t, spread=variances.cr1), estimands=("micro",), designs=EQUAL),
        Method("survey", "survey variance, t(K-H)",
               partial(_t, spread=variances.linearized), designs=("stratified", "two-stage")),
        Method("korn-graubard", "Korn-Graubard", _korn_graubard, scores="binary", designs=EVERY),
        Method("logit", "t on the logit scale", _logit, scores="unit", designs=EVERY),
        Method("clip", "t, cut at 0 and 1", _clip, scores="unit", designs=EVERY),
        Method("wild", "restricted wild bootstrap", _wild, "signs", designs=EQUAL, width=False),
        Method("bootstrap-t", "bootstrap-t, CR1", _bootstrap_t, "replicates", designs=EVERY,
               macro_label="bootstrap-t"),
        Method("bootstrap-t-cr2", "bootstrap-t, CR2", _bootstrap_t_cr2, "replicates",
               estimands=("micro",)),
        Method("percentile", "percentile bootstrap", _percentile, "replicates", designs=EVERY),
        Method("bca", "BCa bootstrap", _bca, "replicates", designs=EVERY),
        Method("n_eff", "Wald, N/DEFF rows",
               partial(_n_eff, weighted=True), estimands=("micro",), squares=True),
        Method("n_eff-mean", "Wald, N/DEFF, plain mean n",
               partial(_n_eff, weighted=False), estimands=("micro",), squares=True),
        Method("iid", "Wald, rows independent", _iid, estimands=("micro",), squares=True),
    )
}  # fmt: skip

#: Names that other parts of the package use for the same thing.
SYNONYMS = {"t": "cr2", "CR1": "cr1", "CR2": "cr2", "CR3": "cr3", "IK": "cr2-ik"}


def method(name: str) -> Method:
    """Return the row of the table, or raise the error that names the nearest.

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    known = SYNONYMS.get(name, name)
    if known not in METHODS:
        raise unknown_option("methods", name, METHODS)
    return METHODS[known]
