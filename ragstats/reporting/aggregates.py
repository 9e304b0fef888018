"""Rows → the per-document aggregates from which every number of a report follows."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ragstats.checks import names
from ragstats.evaluation.documents import DocumentTable, documents, unknown_system
from ragstats.evaluation.pairs import SYSTEMS, ScoreMatrix, score_matrix
from ragstats.exceptions import DataError, nearest, shown
from ragstats.io.scored_rows import check_columns, checked_scores
from ragstats.models.columns import as_pandas
from ragstats.reporting.words import clean, listed


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of the input: document, score and, where there are, system and query."""

    doc: str
    score: str
    system: str | None = None
    query: str | None = None


@dataclass(frozen=True, slots=True)
class SystemAggregates:
    """One system: its documents.

    Attributes
    ----------
    name : str
        Empty when there is no column of systems.
    table : DocumentTable
        One row per document with a scored row: ``n``, ``s``, ``ss``.
    unscored : Series of int
        Rows without a score by document, for the documents that have any.
    lowest, highest : float
        The range of the scores.
    """

    name: str
    table: DocumentTable
    unscored: pd.Series[int]
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class PairAggregates:
    """Two systems on the same documents.

    Attributes
    ----------
    system, baseline : str
        The difference is system - baseline.
    table : DocumentTable or None
        The paired differences by document; None when rows are not matched ("stacked").
    left, right : ndarray (K,)
        The sums of the scores of the two systems on those queries; empty when not matched.
    one_sided : int
        Queries that only one of the two has, left out of the differences.
    documents, queries : int
        What the difference uses.
    """

    system: str
    baseline: str
    table: DocumentTable | None
    left: np.ndarray
    right: np.ndarray
    one_sided: int
    documents: int
    queries: int

    @property
    def label(self) -> str:
        """``system - baseline``, the minus as a sign of its own."""
        return f"{self.system} − {self.baseline}"


@dataclass(frozen=True, slots=True)
class Aggregates:
    """What a report is computed from; the rows are not needed again.

    Attributes
    ----------
    columns : Columns
        Names of the input's columns.
    baseline : str or None
        None when all pairs were asked for.
    documents : tuple
        All document ids, of scored rows or not.
    systems : tuple of SystemAggregates
        In the report's order.
    pairs : tuple of PairAggregates
        Empty with one system.
    joint : tuple of DocumentTable
        One per system, for the test that all are equal: the rows that every system has, or all
        rows when they are not matched. Empty with fewer than two systems.
    """

    columns: Columns
    baseline: str | None
    documents: tuple[Any, ...]
    systems: tuple[SystemAggregates, ...]
    pairs: tuple[PairAggregates, ...] = ()
    joint: tuple[DocumentTable, ...] = ()


def gather(
    data: Any,
    columns: Columns,
    *,
    baseline: str | None = None,
    systems: Sequence[str] | None = None,
    unmatched: str = "error",
) -> Aggregates:
    """Aggregate scored rows by document, system and pair.

    Raises
    ------
    ValueError, DataError
        As :func:`ragstats.documents` and :func:`ragstats.compare`.
    """
    frame = as_pandas(data)
    if columns.system is None:
        for argument, given in {"baseline": baseline, "systems": systems}.items():
            if given is not None:
                raise ValueError(f"{argument}={shown(given)} needs system=, the column of systems")
    named = {"system": columns.system, "query": columns.query}
    check_columns(frame.columns, named.items(), optional=("system", "query"))
    table = documents(frame, doc=columns.doc, score=columns.score, by=columns.system)
    chosen = _names(frame, columns, table, systems)
    if baseline is not None and not (isinstance(baseline, str) and baseline in chosen):
        raise _unknown("baseline", baseline, chosen)
    every = tuple(_system(frame, columns, table, name) for name in chosen)
    ids = tuple(pd.unique(_of(frame, columns, chosen)[columns.doc].dropna()).tolist())
    if len(ids) < 2:
        raise DataError(
            f"doc={columns.doc!r}: 1 document, at least 2 needed (the variation between documents"
            " is what the standard error measures)"
        )
    found = Aggregates(columns, baseline, ids, every)
    if columns.system is None or len(chosen) < 2:
        return found
    matrix = score_matrix(
        frame, score=columns.score, system=columns.system, doc=columns.doc, query=columns.query,
        systems=chosen,
    )  # fmt: skip
    matched = columns.query is not None and unmatched != "stacked"
    pairs = tuple(
        _pair(matrix, *pair, matched=matched, refuse=unmatched == "error")
        for pair in pairs_of(chosen, baseline)
    )
    return replace(found, pairs=pairs, joint=_joint(matrix, matched=matched))


def pairs_of(names: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    """Return (system, baseline) of each difference: all pairs when there is no baseline."""
    if baseline is None:
        return [(b, a) for a, b in itertools.combinations(names, 2)]
    return [(name, baseline) for name in names if name != baseline]


def _names(
    frame: pd.DataFrame, columns: Columns, table: DocumentTable, systems: Sequence[str] | None
) -> list[str]:
    """Return the systems of the report; one that was asked for, or is there, must have a score."""
    if columns.system is None:
        return [""]
    rows = frame[columns.system].astype(str).value_counts()
    chosen = sorted(rows.index) if systems is None else names("systems", systems, SYSTEMS)
    for name in chosen:
        if name not in table.systems and name in rows.index:
            raise unknown_system(name, table.systems, unscored=int(rows[name]))
        if name not in table.systems:
            raise _unknown("systems", name, table.systems)
    return chosen


def _unknown(argument: str, name: str, systems: Sequence[str]) -> DataError:
    """Return the error for a system that the data do not have, naming the nearest."""
    return DataError(
        f"{argument}={shown(name)} has 0 scored queries{nearest(name, systems)}; systems with"
        f" scores: {listed([clean(s) for s in systems], most=12)}"
    )


def _of(frame: pd.DataFrame, columns: Columns, names: Sequence[str]) -> pd.DataFrame:
    """Return the rows of some systems."""
    if columns.system is None:
        return frame
    return frame[frame[columns.system].astype(str).isin(names)]


def _system(
    frame: pd.DataFrame, columns: Columns, table: DocumentTable, name: str
) -> SystemAggregates:
    rows = _of(frame, columns, [name])
    values = checked_scores(rows, columns.score)
    lost = rows.loc[np.isnan(values), columns.doc]
    return SystemAggregates(
        name=name,
        table=table.system(name or None),
        unscored=lost.value_counts(sort=False).rename("unscored").astype(int),
        lowest=float(np.nanmin(values)),
        highest=float(np.nanmax(values)),
    )


def _pair(
    matrix: ScoreMatrix, system: str, baseline: str, *, matched: bool, refuse: bool
) -> PairAggregates:
    """Sum the differences of a pair by document, or count what an unmatched one uses."""
    has = ~np.isnan(np.column_stack([matrix.column(system), matrix.column(baseline)]))
    if not matched:
        used = has.any(axis=1)
        n_documents = len(np.unique(matrix.codes[used]))
        nothing = np.empty(0)
        return PairAggregates(
            system, baseline, None, nothing, nothing, 0, n_documents, int(used.sum())
        )
    alone = matrix.one_sided(system, baseline)
    if refuse:
        matrix.refuse_one_sided(system, baseline)
    table = matrix.differences(system, baseline)
    both = has.all(axis=1)
    left, right = (matrix.of_system(name, rows=both).totals for name in (system, baseline))
    return PairAggregates(
        system, baseline, table, left, right, int(alone.size), table.n_documents, table.n_rows
    )


def _joint(matrix: ScoreMatrix, *, matched: bool) -> tuple[DocumentTable, ...]:
    """Return the tables of the joint test; empty when no query has a score of every system."""
    rows = ~np.isnan(matrix.values).any(axis=1) if matched else None
    if rows is not None and not rows.any():
        return ()
    return tuple(matrix.of_system(name, rows=rows) for name in matrix.systems)
