"""What a report says, as numbers: frozen, and the same for every renderer."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf, isnan, nan
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ragstats.core.hypothesis import JointTest
from ragstats.evaluation.diagnostics import Diagnostics, PairDiagnostics
from ragstats.reporting.aggregates import Aggregates, PairAggregates, SystemAggregates
from ragstats.reporting.stated import Method, Stated


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean or a difference with its t interval.

    Attributes
    ----------
    value, se, df, low, high : float
        The estimate, its standard error, ν, and the interval.
    p : float
        Two-sided p of "it is 0".
    documents, rows : int
        K and N.
    reason : str
        Why something is NaN; empty otherwise.
    """

    value: float
    se: float
    df: float
    low: float
    high: float
    p: float
    documents: int
    rows: int
    reason: str = ""

    @classmethod
    def of(
        cls, value: float, se: float, df: float, *, alpha: float, documents: int, rows: int,
        reason: str = "",
    ) -> Estimate:  # fmt: skip
        """Return the estimate with its interval ``value ± t(1 - alpha/2; df) · se``."""
        half = float(stats.t.isf(alpha / 2, df)) * se if se > 0 or isnan(se) else 0.0
        p = float(2 * stats.t.sf(abs(value) / se, df)) if se > 0 else nan
        if se == 0 and not reason:
            reason = "the standard error is 0, so there is no p-value"
        return cls(value, se, df, value - half, value + half, p, documents, rows, reason)

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return not isnan(self.low)

    @property
    def df_reason(self) -> str:
        """Why ν is not a number, when it is not; empty otherwise."""
        return "infinite: normal approximation" if isinf(self.df) else self.reason

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval is wholly above or wholly below 0."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class Bounds:
    """A mean when all unscored rows are 0, and when all are 1.

    Attributes
    ----------
    all_0, all_1 : float
        NaN with a ``reason`` when the scores are not within 0 and 1.
    reason : str
        Empty otherwise.
    """

    all_0: float
    all_1: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Influence:
    """The documents that move an estimate most when they are left out.

    Attributes
    ----------
    estimate : Estimate
        With every document.
    table : DataFrame
        ``document``, ``n``, ``rate``, ``estimate`` without it, ``change``, ``df`` without it;
        largest change first.
    """

    estimate: Estimate
    table: pd.DataFrame


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """One system: its documents, its two means and what is to be said of them.

    Attributes
    ----------
    means, cr1 : dict of str to Estimate
        By estimand: under the report's covariance type, and under CR1 with K-1 df.
    bounds : dict of str to Bounds
        By estimand; empty when every row is scored.
    top_decile : float
        The share of the rows that the largest tenth of the documents holds.
    influence : dict of str to Influence
        By estimand; empty with fewer than three documents.
    """

    aggregates: SystemAggregates
    diagnostics: Diagnostics
    means: dict[str, Estimate]
    cr1: dict[str, Estimate]
    bounds: dict[str, Bounds]
    top_decile: float
    influence: dict[str, Influence]
    warnings: tuple[str, ...]

    @property
    def name(self) -> str:
        """The system's name, "all rows" when there are no systems."""
        return self.aggregates.name or "all rows"

    @property
    def rows(self) -> int:
        """N, scored rows."""
        return self.aggregates.table.n_rows

    @property
    def unscored(self) -> int:
        """Rows without a score."""
        return int(self.aggregates.unscored.sum())

    @property
    def unscored_share(self) -> float:
        """Unscored rows over all rows of the system."""
        return self.unscored / (self.unscored + self.rows)


@dataclass(frozen=True, slots=True)
class PairFacts:
    """One difference under both estimands, with its diagnostics.

    Attributes
    ----------
    differences : dict of str to Estimate
        By estimand.
    diagnostics : PairDiagnostics or None
        None when rows are not matched, or on one document.
    influence : dict of str to Influence
        By estimand; empty when not matched.
    """

    aggregates: PairAggregates
    differences: dict[str, Estimate]
    diagnostics: PairDiagnostics | None
    influence: dict[str, Influence]
    warnings: tuple[str, ...]

    @property
    def label(self) -> str:
        """The two systems, with a minus between them."""
        return self.aggregates.label


@dataclass(frozen=True, slots=True)
class BootstrapFacts:
    """A bootstrap that the user ran beside the t interval.

    Attributes
    ----------
    name : str
        What was estimated.
    method : str
        For instance "bootstrap-t"; empty when the result does not say.
    estimate, low, high : float
        The estimate and the bootstrap interval.
    replicates : int
        How many there were.
    degenerate : float
        The share that was discarded, because all drawn documents had one rate; NaN if not said.
    edges, counts : tuple of float, tuple of int
        Their histogram.
    """

    name: str
    method: str
    estimate: float
    low: float
    high: float
    replicates: int
    degenerate: float
    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that a report says.

    Attributes
    ----------
    joint : dict of str to JointTest
        "All systems are equal" by estimand; empty with fewer than three systems.
    """

    stated: Stated
    method: Method
    aggregates: Aggregates
    systems: tuple[SystemFacts, ...]
    pairs: tuple[PairFacts, ...]
    joint: dict[str, JointTest]
    bootstraps: tuple[BootstrapFacts, ...] = ()

    @property
    def n_documents(self) -> int:
        """K, documents of any system."""
        return len(self.aggregates.documents)

    @property
    def census(self) -> bool:
        """Whether every document of the population is here."""
        return self.stated.population_size == self.n_documents

    @property
    def binary(self) -> bool:
        """Whether every score is 0 or 1."""
        tables = [system.aggregates for system in self.systems]
        return all(
            a.lowest >= 0 and a.highest <= 1 and np.array_equal(a.table.squares, a.table.totals)
            for a in tables
        )

    @property
    def same_sizes(self) -> bool:
        """Whether every system has the same scored rows per document."""
        first = self.systems[0].aggregates.table
        return all(
            np.array_equal(first.counts, s.aggregates.table.counts)
            and list(first.frame[first.doc]) == list(s.aggregates.table.frame[first.doc])
            for s in self.systems[1:]
        )


def bootstrap_facts(name: str, result: Any, *, bins: int = 60) -> BootstrapFacts:
    """Take what a report needs from a bootstrap result.

    Parameters
    ----------
    name : str
        What was estimated.
    result : object
        Anything with ``replicates``, ``estimate``, ``low`` and ``high``.
    bins : int
        Bars of the histogram.

    Raises
    ------
    TypeError
        If it lacks one of them.
    """
    for attribute in ("replicates", "estimate", "low", "high"):
        if not hasattr(result, attribute):
            raise TypeError(
                f"bootstrap={type(result).__name__} has no {attribute!r}; give a result with"
                " replicates, estimate, low and high"
            )
    replicates = np.asarray(result.replicates, float).ravel()
    finite = replicates[np.isfinite(replicates)]
    counts, edges = np.histogram(finite, bins=bins) if finite.size else ([], [])
    return BootstrapFacts(
        name=name,
        method=str(getattr(result, "method", "") or ""),
        estimate=float(result.estimate),
        low=float(result.low),
        high=float(result.high),
        replicates=int(finite.size),
        degenerate=float(getattr(result, "degenerate_fraction", nan)),
        edges=tuple(float(e) for e in edges),
        counts=tuple(int(c) for c in counts),
    )
