"""The result of a coverage simulation, and how it is shown."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from ragstats.evaluation.coverage.designs import Plan
from ragstats.evaluation.coverage.methods import METHODS
from ragstats.evaluation.coverage.tally import DEGENERATE
from ragstats.evaluation.shown import Shown

WIDTH = 80


@dataclass(frozen=True, slots=True, eq=False)
class CoverageResult(Shown):
    """How often interval methods hold the truth, on samples from a corpus.

    Attributes
    ----------
    label : str
        The score, or the difference of two systems.
    table : DataFrame
        One row per estimand and method: ``coverage`` with its Monte Carlo error ``mc_error``;
        ``below`` and ``above``, the shares of intervals that lie below and above the truth;
        ``median_width``; ``unavailable``, the share of samples without an interval.
    estimators : DataFrame
        One row per estimand: ``truth``, ``bias`` and its Monte Carlo error, ``rmse``, ``mean_df``
        (ν of the default interval), ``flat`` (share of samples whose documents share one rate).
    plan : Plan
        The design.
    population : int
        M, the documents that samples were drawn from.
    replications : int
        Samples.
    alpha : float
        One minus the nominal level.
    n_boot : int
        Replicates of each bootstrap.
    degenerate : str
        How intervals that are not there were counted.
    seed : str
        Where the random numbers came from.
    notes : tuple of str
        What else there is to know.
    """

    label: str
    table: pd.DataFrame
    estimators: pd.DataFrame
    plan: Plan
    population: int
    replications: int
    alpha: float
    n_boot: int
    degenerate: str
    seed: str
    notes: tuple[str, ...] = ()

    @property
    def design(self) -> str:
        """The design in words."""
        plan = self.plan
        how = "with replacement" if plan.replace else "without replacement"
        words = {
            "srs": f"K = {plan.documents} of M = {self.population:,} documents, {how}",
            "stratified": f"K = {' + '.join(map(str, plan.allocation))} of M = {self.population:,}"
            f" documents by stratum, {how}",
            "two-stage": f"K = {plan.documents} of M = {self.population:,} documents, {how}, and"
            f" {plan.queries} queries of each",
        }
        return words[plan.name] + (", finite correction" if plan.correct else "")

    def summary(self) -> str:
        """Return the result as text of at most 80 columns."""
        level = f"{100 * (1 - self.alpha):.4g}%"
        lines = _wrapped(f"Coverage of nominal {level} intervals: {self.label}")
        lines += _wrapped(f"{self.replications:,} samples of {self.design}")
        for row in self.estimators.itertuples():
            lines += ["", *_estimand_lines(row), _HEADER]
            lines += [_method_line(m) for m in self._of(str(row.estimand)).itertuples()]
        lines += ["", *_wrapped(f"±: Monte Carlo standard error. {_FOOT}")]
        lines += _wrapped(
            f"{DEGENERATE[self.degenerate].capitalize()}. Random numbers: {self.seed}."
        )
        for note in self.notes:
            lines += _wrapped(f"note: {note}")
        return "\n".join(lines)

    def plot(self) -> Any:
        """Draw coverage by method, and the misses on each side; return the matplotlib figure.

        Raises
        ------
        MissingExtraError
            Without matplotlib.
        """
        from ragstats.evaluation.coverage.figure import draw_coverage

        return draw_coverage(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain numbers, strings and lists; what is not there is None."""
        return {
            "label": self.label,
            "table": _records(self.table),
            "estimators": _records(self.estimators),
            "design": {**asdict(self.plan), "allocation": list(self.plan.allocation)},
            "population": self.population,
            "replications": self.replications,
            "alpha": self.alpha,
            "n_boot": self.n_boot,
            "degenerate": self.degenerate,
            "seed": self.seed,
            "notes": list(self.notes),
        }

    def _of(self, estimand: str) -> pd.DataFrame:
        return self.table[self.table["estimand"] == estimand]


_HEADER = f"  {'method':<16}{'':<27}cover    ± below above  width unav."
_FOOT = (
    "below, above: intervals that lie below or above the truth. width: median. unav.: samples"
    " without an interval."
)


def _estimand_lines(row: Any) -> list[str]:
    return _wrapped(
        f"{row.estimand}: truth {row.truth:.4f}, bias {row.bias:+.4f}, RMSE {row.rmse:.4f}, mean ν"
        f" {row.mean_df:.1f}" + (f", {row.flat:.1%} of samples do not vary" if row.flat > 0 else "")
    )


def _method_line(row: Any) -> str:
    name = f"  {row.method:<16}{METHODS[row.method].said_of(row.estimand):<27}"
    width = f"{row.median_width:6.3f}" if row.median_width < 100 else f"{row.median_width:6.3g}"
    shares = [_share(getattr(row, c)) for c in ("coverage", "mc_error", "below", "above")]
    cover, error, below, above = shares
    missing = "     -" if np.isnan(row.median_width) else width
    return f"{name}{cover:>5} {error} {below:>5} {above:>5} {missing} {_share(row.unavailable):>5}"


def _share(value: float) -> str:
    """Return three decimals in four places: .941, 1.00, or a dash."""
    if np.isnan(value):
        return "   -"
    return "1.00" if round(value, 3) >= 1 else f"{value:.3f}"[1:]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(k): None if isinstance(v, float) and np.isnan(v) else v for k, v in row.items()}
        for row in frame.to_dict("records")
    ]
