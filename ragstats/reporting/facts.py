"""What a report must say, collected once; the renderers only lay it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ragstats._version import __version__
from ragstats.evaluation.compare import Comparison, compare
from ragstats.evaluation.diagnostics import (
    Diagnostics,
    PairDiagnostics,
    diagnose,
    diagnose_pair,
    warnings_of,
)
from ragstats.evaluation.documents import DocumentTable, documents
from ragstats.evaluation.means import MeanResults, mean_of
from ragstats.exceptions import DataError
from ragstats.models.columns import as_pandas

#: What "not stated" facts are asked for by.
ASKED = {
    "population": "population: which documents do these stand for, and how many are there?",
    "design": "design: what was drawn, at which levels, with which fractions?",
}

#: What no interval here covers, said in every report.
LEFT_OUT = (
    "the index is fixed: other documents in it would change the ranks",
    "the systems are fixed as configured: no tuning, versions or seeds vary",
    "the questions are those of the data: other questions about the same documents may score"
    " differently",
    "the scores are taken as true: errors of judges or labels are not in the intervals",
)


@dataclass(frozen=True)
class Stated:
    """What the user says of the study, which no data can tell.

    Attributes
    ----------
    population : str
        In words; empty when not stated.
    population_size : int or None
        M, documents in the population.
    design : str
        How the documents were drawn; empty when not stated.
    source : str
        Where the data came from, for instance the file's name.
    sha256 : str
        Of the input file; empty for a frame.
    """

    population: str = ""
    population_size: int | None = None
    design: str = ""
    source: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class SystemFacts:
    """One system: its documents, its two means and what is to be said of them."""

    name: str
    table: DocumentTable
    diagnostics: Diagnostics
    micro: MeanResults
    micro_cr1: MeanResults
    macro: MeanResults
    macro_cr1: MeanResults
    unscored: int
    bounds: dict[str, tuple[float, float]]
    warnings: tuple[str, ...]

    @property
    def unscored_share(self) -> float:
        """Unscored rows over all rows of the system."""
        return self.unscored / (self.unscored + self.table.n_rows)


@dataclass(frozen=True)
class PairFacts:
    """One difference under both estimands, with its diagnostics."""

    system: str
    baseline: str
    micro: dict[str, float]
    macro: dict[str, float]
    diagnostics: PairDiagnostics | None
    one_sided: int
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Everything that a report says."""

    stated: Stated
    score: str
    doc: str
    system: str | None
    query: str | None
    baseline: str | None
    unmatched: str
    systems: tuple[SystemFacts, ...]
    pairs: tuple[PairFacts, ...]
    joint: dict[str, Any]
    left_out: tuple[str, ...] = LEFT_OUT
    asked: tuple[str, ...] = ()
    version: str = __version__
    notes: tuple[str, ...] = field(default_factory=tuple)


def collect(
    data: Any,
    *,
    doc: str,
    score: str,
    system: str | None = None,
    query: str | None = None,
    baseline: str | None = None,
    unmatched: str = "error",
    systems: Sequence[str] | None = None,
    stated: Stated | None = None,
) -> Facts:
    """Compute what a report on scored rows says.

    Raises
    ------
    ValueError, DataError
        As :func:`ragstats.documents` and :func:`ragstats.compare`.
    """
    stated = stated or Stated()
    frame = as_pandas(data)
    if baseline is not None and system is None:
        raise ValueError(f"baseline={baseline!r} needs system=, the column of systems")
    table = documents(frame, doc=doc, score=score, by=system)
    names = table.systems or [""]
    if systems is not None:
        names = [str(s) for s in systems]
    for name, lost in table.unscored.items():
        if name and name not in table.systems and (systems is None or name in names):
            raise DataError(
                f"system={name!r} has 0 scored queries ({lost} rows, none scored); systems with"
                f" scores: {', '.join(table.systems)}"
            )
    size = stated.population_size
    every = tuple(_system(name, table.system(name or None), size) for name in names)
    comparisons: dict[str, Comparison] = {}
    if system is not None and len(names) > 1:
        comparisons = {
            estimand: compare(
                frame, score=score, system=system, doc=doc, query=query, baseline=baseline,
                systems=names, unmatched=unmatched, estimand=estimand, population=size,
            )
            for estimand in ("micro", "macro")
        }  # fmt: skip
    pairs, joint = _pairs(comparisons)
    asked = [ASKED[name] for name in ("population", "design") if not getattr(stated, name)]
    return Facts(
        stated, score, doc, system, query, baseline, unmatched, every, pairs, joint,
        asked=tuple(asked),
    )  # fmt: skip


def _system(name: str, table: DocumentTable, population: int | None) -> SystemFacts:
    """Compute the two means of a system, each under CR2 and CR1."""
    options: dict[str, Any] = {"population": population}
    micro = mean_of(table, "micro", **options)
    macro = mean_of(table, "macro", **options)
    lost = sum(table.unscored.values())
    said = warnings_of(
        table,
        estimand="micro",
        estimate=micro.estimate,
        se=micro.se,
        df=micro.df,
        bounded=_unit(table),
    )
    return SystemFacts(
        name=name,
        table=table,
        diagnostics=diagnose(table),
        micro=micro,
        micro_cr1=mean_of(table, "micro", cov_type="CR1", df="K-1", **options),
        macro=macro,
        macro_cr1=mean_of(table, "macro", cov_type="CR1", df="K-1", **options),
        unscored=lost,
        bounds={"micro": _bounds(table, lost)} if lost else {},
        warnings=tuple(said),
    )


def _unit(table: DocumentTable) -> bool:
    """Whether the rates are within [0, 1], so that bounds mean something."""
    return bool((table.rates >= 0).all() and (table.rates <= 1).all())


def _bounds(table: DocumentTable, unscored: int) -> tuple[float, float]:
    """Return the micro mean with all unscored rows 0, and with all 1."""
    total, size = float(table.totals.sum()), table.n_rows + unscored
    return total / size, (total + unscored) / size


def _pairs(comparisons: dict[str, Comparison]) -> tuple[tuple[PairFacts, ...], dict[str, Any]]:
    if not comparisons:
        return (), {}
    micro, macro = comparisons["micro"], comparisons["macro"]
    tables = {name: c.differences for name, c in comparisons.items()}
    pairs = []
    for pair in micro.pairs:
        rows = {name: table.loc[[pair]].iloc[0].to_dict() for name, table in tables.items()}
        alone = len(micro.scores.one_sided(*pair)) if micro.unmatched != "stacked" else 0
        found, said = None, []
        if pair in micro.results:
            found = _diagnose_pair(macro, pair)
            result = micro.results[pair]
            said = warnings_of(
                result.documents, estimand="micro", estimate=result.estimate, se=result.se,
                df=result.df, bounded=False,
            )  # fmt: skip
        pairs.append(
            PairFacts(pair[0], pair[1], rows["micro"], rows["macro"], found, alone, tuple(said))
        )
    return tuple(pairs), {name: c.joint_test() for name, c in comparisons.items()}


def _diagnose_pair(macro: Comparison, pair: tuple[str, str]) -> PairDiagnostics:
    """Describe a pair on the queries that both systems have."""
    scores = macro.scores
    both = ~np.isnan(scores.column(pair[0])) & ~np.isnan(scores.column(pair[1]))
    left, right = (scores.of_system(name, rows=both) for name in pair)
    return diagnose_pair(
        macro.results[pair].documents,
        macro.results[pair].se,
        mean_of(left, "macro").se,
        mean_of(right, "macro").se,
        left.rates,
        right.rates,
    )
