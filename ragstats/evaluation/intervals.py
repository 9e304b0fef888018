"""The intervals of a mean, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from ragstats.checks import flag, one_of, options_of
from ragstats.core.intervals import (
    iid_se,
    korn_graubard,
    logit_interval,
    normal_interval,
    t_interval,
)
from ragstats.evaluation.diagnostics import diagnose
from ragstats.evaluation.shown import Shown, because, told
from ragstats.exceptions import DataError

if TYPE_CHECKING:
    from ragstats.evaluation.means import MeanResults


@dataclass(frozen=True, slots=True)
class Interval(Shown):
    """An interval of a mean.

    Attributes
    ----------
    low, high : float
        NaN with a ``reason`` where it can't be had; infinite where no value is rejected.
    method : str
        Its name.
    level : float
        The nominal confidence.
    note : str
        What a reader of the interval must know.
    reason : str
        Why it is NaN or infinite; empty otherwise.
    """

    low: float
    high: float
    method: str
    level: float
    note: str = ""
    reason: str = ""

    def summary(self) -> str:
        """Return the interval as text of at most 80 columns."""
        said = because(self.low, self.reason) + [f"note: {self.note}"] * bool(self.note)
        level = f"{100 * self.level:.4g}% interval, {self.method}"
        return told(f"{level}: [{self.low:.6g}, {self.high:.6g}]", {}, *said)


@dataclass(frozen=True, slots=True)
class IntervalMethod:
    """A row of the table: the name, the function, what is to be said, and whether to use it."""

    name: str
    compute: Callable[..., Interval]
    description: str
    advised: bool = True


def interval(
    mean: MeanResults, method: str = "t", *, alpha: float = 0.05, **options: Any
) -> Interval:
    """Return an interval of a mean by name.

    Parameters
    ----------
    mean : MeanResults
        Micro or macro.
    method : str
        A name of ``INTERVAL_METHODS``.
    alpha : float
        One minus the confidence level.
    **options
        ``cap`` (korn-graubard); ``n_boot``, ``seed``, ``n_jobs`` (bootstrap-t, wild).

    Raises
    ------
    ValueError
        If the name is unknown.
    DataError
        If the method is for 0/1 scores, or for scores in [0, 1], and these are not.
    """
    one_of("method", method, INTERVAL_METHODS)
    row = INTERVAL_METHODS[method]
    options_of(row.compute, options, of=f"method={method!r}")
    return row.compute(mean, alpha=alpha, **options)


def _of(
    low: Any, high: Any, method: str, alpha: float, note: str = "", reason: str = ""
) -> Interval:
    low, high = float(low), float(high)
    if isfinite(high - low):  # an interval, though perhaps without a width: then that is the note
        note, reason = note or reason, ""
    elif isnan(low):
        reason = reason or "the standard error is not available"
    return Interval(low, high, method, 1 - alpha, note, reason)


def _t(mean: MeanResults, *, alpha: float) -> Interval:
    low, high = t_interval(np.array(mean.estimate), np.array(mean.se), np.array(mean.df), alpha)
    return _of(low, high, "t", alpha, reason=mean.reason)


def _korn_graubard(mean: MeanResults, *, alpha: float, cap: bool = True) -> Interval:
    flag("cap", cap)
    _require_binary(mean, "korn-graubard")
    table = mean.documents
    low, high = korn_graubard(
        np.array(mean.estimate),
        np.array(mean.se**2),
        np.array(mean.df),
        np.array(float(table.n_rows)),
        np.array(float(table.n_documents)),
        alpha=alpha,
        cap=cap,
    )
    note = "n_eff is the number of documents, because they do not differ" if mean.se == 0 else ""
    return _of(low, high, "korn-graubard", alpha, note, mean.reason)


def _logit(mean: MeanResults, *, alpha: float) -> Interval:
    _require_unit(mean, "logit")
    reason = mean.reason
    if not 0 < mean.estimate < 1:
        reason = f"the mean is {mean.estimate:g}, where the logit is infinite (use korn-graubard)"
    low, high = logit_interval(np.array(mean.estimate), np.array(mean.se), np.array(mean.df), alpha)
    return _of(low, high, "logit", alpha, "stays inside (0, 1); NaN for a mean of 0 or 1", reason)


def _clip(mean: MeanResults, *, alpha: float) -> Interval:
    _require_unit(mean, "clip")
    plain = _t(mean, alpha=alpha)
    note = "the t interval cut at 0 and 1: this does not change its coverage"
    low, high = (float(np.clip(limit, 0.0, 1.0)) for limit in (plain.low, plain.high))
    return _of(low, high, "clip", alpha, note, plain.reason)


def _iid(mean: MeanResults, *, alpha: float) -> Interval:
    _require_micro(mean, "iid")
    table = mean.documents
    se = iid_se(*_sums(mean), np.array(float(table.n_rows)))
    low, high = normal_interval(np.array(mean.estimate), se, alpha)
    return _of(low, high, "iid", alpha, "not for use: takes chunks as independent cases")


def _n_eff(mean: MeanResults, *, alpha: float) -> Interval:
    _require_micro(mean, "n_eff")
    facts = diagnose(mean.documents)
    se = iid_se(*_sums(mean), np.array(float(mean.documents.n_rows)))
    effect = facts.design_effect
    low, high = normal_interval(np.array(mean.estimate), se * np.sqrt(effect), alpha)
    note = "not for use: N/DEFF independent cases is another fragile approximation"
    return _of(low, high, "n_eff", alpha, note, facts.icc_reason if np.isnan(facts.icc) else "")


def _bootstrap_t(
    mean: MeanResults, *, alpha: float, n_boot: int = 9999, seed: Any = None, n_jobs: int = 1
) -> Interval:
    from ragstats.evaluation.bootstrap import bootstrap

    drawn = bootstrap(
        mean.documents, estimand=mean.estimand, method="t", n_boot=n_boot, seed=seed, alpha=alpha,
        n_jobs=n_jobs,
    )  # fmt: skip
    note = f"{drawn.degenerate_fraction:.1%} of the resamples had no variation and were left out"
    return _of(drawn.low, drawn.high, "bootstrap-t", alpha, note, drawn.reason)


def _wild(mean: MeanResults, *, alpha: float, n_boot: int = 9999, seed: Any = None) -> Interval:
    from ragstats.evaluation.bootstrap import bootstrap

    drawn = bootstrap(
        mean.documents, estimand=mean.estimand, method="wild", n_boot=n_boot, seed=seed, alpha=alpha
    )
    note = "by inverting the restricted wild bootstrap"
    return _of(drawn.low, drawn.high, "wild", alpha, note, drawn.reason)


INTERVAL_METHODS = {
    row.name: row
    for row in (
        IntervalMethod("t", _t, "CR2 with its Satterthwaite df: the default"),
        IntervalMethod("korn-graubard", _korn_graubard, "for 0/1 scores; never of zero width"),
        IntervalMethod("logit", _logit, "for scores in [0, 1]; undefined for a mean of 0 or 1"),
        IntervalMethod("wild", _wild, "restricted wild cluster bootstrap, inverted"),
        IntervalMethod(
            "bootstrap-t", _bootstrap_t, "documents resampled, each replicate studentised"
        ),
        IntervalMethod("clip", _clip, "the t interval cut at 0 and 1; same coverage"),
        IntervalMethod("iid", _iid, "not for use: chunks as independent cases", advised=False),
        IntervalMethod("n_eff", _n_eff, "not for use: N/DEFF independent cases", advised=False),
    )
}


def _sums(mean: MeanResults) -> tuple[Any, Any]:
    table = mean.documents
    squares = table.squares.sum()
    if np.isnan(squares):
        raise DataError("ss: the sums of squares are unknown, and this interval needs them")
    return np.array(table.totals.sum()), np.array(squares)


def _require_micro(mean: MeanResults, method: str) -> None:
    if mean.estimand != "micro":
        raise ValueError(f"method={method!r} is about the micro mean; this is {mean.estimand}")


def _require_binary(mean: MeanResults, method: str) -> None:
    """Raise unless every score is 0 or 1: then, and only then, Σs² = Σs with 0 ≤ s ≤ n."""
    table = mean.documents
    if np.isnan(table.squares).any():
        raise DataError(
            f"method={method!r} is for 0/1 scores, and without sums of squares that cannot be seen;"
            " give ss=, or binary=True"
        )
    close = np.abs(table.squares - table.totals) <= 1e-9 * np.maximum(table.squares, 1e-300)
    whole = np.abs(table.totals - np.round(table.totals)) <= 1e-9 * np.maximum(table.counts, 1.0)
    if not (close & whole & (table.totals <= table.counts)).all():
        raise DataError(
            f"method={method!r} is for 0/1 scores, and {table.score!r} has others; use 't', or"
            " 'logit' for scores in [0, 1]"
        )


def _require_unit(mean: MeanResults, method: str) -> None:
    rates = mean.documents.rates
    if (rates < 0).any() or (rates > 1).any():
        raise DataError(
            f"method={method!r} is for scores in [0, 1]; the documents' rates go from"
            f" {rates.min():.3g} to {rates.max():.3g}"
        )
