"""What a report says, as numbers: frozen, and the same for every renderer."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isinf, isnan, nan

import numpy as np
import pandas as pd
from scipy import stats

from ragstats.core.hypothesis import JointTest
from ragstats.evaluation.diagnostics import Diagnostics, PairDiagnostics
from ragstats.reporting.aggregates import Aggregates, PairAggregates, SystemAggregates
from ragstats.reporting.stated import Method, Stated
from ragstats.reporting.versions import versions


@dataclass(frozen=True, slots=True)
class Beside:
    """Another interval that is to be seen beside the t interval.

    Attributes
    ----------
    method : str
        Its name in ``conf_int(method=…)``.
    low, high : float
        Infinite where nothing on that side is rejected, or NaN, with a ``reason``.
    reason : str
        Empty otherwise.
    """

    method: str
    low: float
    high: float
    reason: str = ""

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval is wholly above or wholly below 0."""
        return self.low > 0 or self.high < 0


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
    beside : tuple of Beside
        Other intervals that such data call for; see :func:`ragstats.recommend`.
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
    beside: tuple[Beside, ...] = ()

    @classmethod
    def of(
        cls, value: float, se: float, df: float, *, alpha: float, documents: int, rows: int,
        reason: str = "", beside: tuple[Beside, ...] = (),
    ) -> Estimate:  # fmt: skip
        """Return the estimate with its interval ``value ± t(1 - alpha/2; df) · se``."""
        half = float(stats.t.isf(alpha / 2, df)) * se if se > 0 or isnan(se) else 0.0
        p = float(2 * stats.t.sf(abs(value) / se, df)) if se > 0 else nan
        if se == 0 and not reason:
            reason = "the standard error is 0, so there is no p-value"
        return cls(value, se, df, value - half, value + half, p, documents, rows, reason, beside)

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
    def within(self) -> bool:
        """Whether all scores are in [0, 1]."""
        return self.aggregates.lowest >= 0 and self.aggregates.highest <= 1

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
    holm : dict of str to float
        The p-values by estimand, adjusted over the report's pairs.
    """

    aggregates: PairAggregates
    differences: dict[str, Estimate]
    diagnostics: PairDiagnostics | None
    influence: dict[str, Influence]
    warnings: tuple[str, ...]
    holm: dict[str, float] = field(default_factory=dict)

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
        How many are finite.
    degenerate : float
        The share whose drawn documents all had one rate; NaN if not said.
    reason : str
        Why there is no interval; empty otherwise.
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
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that a report says.

    Attributes
    ----------
    joint : dict of str to JointTest
        "All systems are equal" by estimand; empty with fewer than three systems.
    versions : dict of str to str
        Of ragstats, Python and what computes the numbers.
    """

    stated: Stated
    method: Method
    aggregates: Aggregates
    systems: tuple[SystemFacts, ...]
    pairs: tuple[PairFacts, ...]
    joint: dict[str, JointTest]
    bootstraps: tuple[BootstrapFacts, ...] = ()
    versions: dict[str, str] = field(default_factory=versions)

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
