"""The corpus as a population: what samples are drawn from, and the true values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ragstats.checks import one_of
from ragstats.core.segments import Codes, Floats
from ragstats.evaluation.documents import DocumentTable, documents
from ragstats.evaluation.pairs import ScoreMatrix, score_matrix
from ragstats.exceptions import DataError, plural, shown, unknown_column
from ragstats.io.scored_rows import check_columns, checked_scores
from ragstats.models.columns import as_pandas

#: Rules for queries that only one system of a pair has.
UNMATCHED = ("error", "pairwise")


@dataclass(frozen=True, slots=True)
class Rows:
    """The scored queries, those of a document one after the other.

    Attributes
    ----------
    values : ndarray (N,)
        Scores.
    first : ndarray of int (M,)
        Where the queries of each document begin.
    """

    values: Floats
    first: Codes


@dataclass(frozen=True, slots=True)
class Population:
    """M documents, from which samples are drawn.

    Attributes
    ----------
    label : str
        The score, or the difference of two systems.
    n, s, ss : ndarray (M,)
        Queries of each document, the sum of their scores, and of the squares (NaN: unknown).
    strata : ndarray of int (M,)
        The stratum of each document; all 0 without strata.
    names : tuple of str
        The strata.
    rows : Rows or None
        The queries; None when there are only sums.
    paired : bool
        Whether the scores are differences of two systems.
    notes : tuple of str
        What there is to know of the reading.
    """

    label: str
    n: Floats
    s: Floats
    ss: Floats
    strata: Codes
    names: tuple[str, ...] = ()
    rows: Rows | None = None
    paired: bool = False
    notes: tuple[str, ...] = ()

    @property
    def n_documents(self) -> int:
        """M."""
        return len(self.n)

    @property
    def has_squares(self) -> bool:
        """Whether the sums of squares are known."""
        return not bool(np.isnan(self.ss).any())

    @property
    def kind(self) -> str:
        """What the scores are: "binary" (0 or 1), "unit" (rates in [0, 1]), or "any"."""
        rates = self.s / self.n
        if self.paired or (rates < 0).any() or (rates > 1).any():
            return "any"
        whole = np.abs(self.s - np.round(self.s)) <= 1e-9 * self.n
        same = np.abs(self.ss - self.s) <= 1e-9 * np.maximum(self.ss, self.s)
        return "binary" if bool((whole & same).all()) else "unit"

    def truth(self, estimand: str) -> float:
        """Return the value over all documents."""
        if estimand == "micro":
            return float(self.s.sum() / self.n.sum())
        return float((self.s / self.n).mean())


def population_of(
    data: Any,
    *,
    score: str | None,
    doc: str | None,
    system: str | None = None,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    query: str | None = None,
    strata: str | None = None,
    unmatched: str = "error",
    rows: bool = False,
) -> Population:
    """Read the population from rows, or from one row per document.

    Raises
    ------
    ValueError
        If an argument is missing, unknown or out of place.
    DataError
        If the data cannot be the population that was asked for.
    """
    one_of("unmatched", unmatched, UNMATCHED)
    names = [systems] if isinstance(systems, str) else systems
    if baseline is not None and isinstance(systems, str):
        names = list(dict.fromkeys([systems, baseline]))  # the other one of the pair
    if isinstance(data, DocumentTable):
        for_rows = {"score": score, "doc": doc, "system": system, "query": query}
        given = {**for_rows, "baseline": baseline}
        return _of_table(data, names, strata, rows, {k: v for k, v in given.items() if v})
    if score is None or doc is None:
        missing = "score" if score is None else "doc"
        raise ValueError(f"{missing} is missing: name the column, or give rs.documents(…)")
    frame = as_pandas(data)
    check_columns(frame.columns, [("strata", strata)], optional=("strata",))
    if system is None:
        for argument, value in (("systems", systems), ("baseline", baseline), ("query", query)):
            if value is not None:
                raise ValueError(f"{argument}={shown(value)} needs system=, the column of systems")
        table = documents(frame, doc=doc, score=score, keep=[strata] if strata else [])
        values = _rows_of(frame, doc, score, table) if rows else None
        return _population(table, strata, values)
    matrix = score_matrix(frame, score=score, system=system, doc=doc, query=query, systems=names)
    return _of_systems(frame, matrix, names, baseline, query, strata, unmatched, rows)


def _of_table(
    table: DocumentTable,
    systems: Sequence[str] | None,
    strata: str | None,
    rows: bool,
    given: dict[str, Any],
) -> Population:
    """Take the documents of one system; what needs rows is refused."""
    if rows:
        raise ValueError(
            "data has one row per document; design='two-stage' draws queries, so give the rows"
        )
    if given:
        argument, value = next(iter(given.items()))
        raise ValueError(
            f"{argument}={value!r} is for rows; data is one row per document (for differences give"
            " rs.compare(…).scores.differences(system, baseline))"
        )
    if systems is not None and len(systems) != 1:
        raise ValueError(f"systems={list(systems)!r}: name one system of the table")
    return _population(table.system(systems[0] if systems else None), strata, None)


def _of_systems(
    frame: pd.DataFrame,
    matrix: ScoreMatrix,
    systems: Sequence[str] | None,
    baseline: str | None,
    query: str | None,
    strata: str | None,
    unmatched: str,
    rows: bool,
) -> Population:
    """Take one system, or the paired differences of two."""
    notes: tuple[str, ...] = ()
    if baseline is None:
        if len(matrix.systems) > 1:
            raise ValueError(
                f"systems is missing: there are {len(matrix.systems)}, {', '.join(matrix.systems)};"
                " name one, or two and baseline= for their difference"
            )
        name = matrix.systems[0]
        values, table = matrix.column(name), matrix.of_system(name)
        table = DocumentTable(
            table.frame, table.doc, f"{matrix.score}, {name}", None, table.unscored
        )
        paired = False
    else:
        name = _other_system(matrix.systems, baseline)
        if query is None:
            raise ValueError("query is missing: differences are paired by query; name the column")
        notes = _unmatched_notes(matrix.one_sided(name, baseline), name, baseline, unmatched)
        values = matrix.column(name) - matrix.column(baseline)
        table, paired = matrix.differences(name, baseline), True
        label = f"{matrix.score}, {table.score}"
        table = DocumentTable(table.frame, table.doc, label)
    if strata is not None:
        table = _with_strata(table, frame, strata)
    found = _population(table, strata, _sorted(values, matrix.codes) if rows else None)
    return Population(
        found.label, found.n, found.s, found.ss, found.strata, found.names, found.rows,
        paired, (*found.notes, *notes),
    )  # fmt: skip


def _other_system(systems: Sequence[str], baseline: str) -> str:
    others = [name for name in systems if name != baseline]
    if baseline not in systems or not others:
        raise ValueError(
            f"baseline={baseline!r} and another system are needed; systems: {', '.join(systems)}"
        )
    if len(others) > 1:
        raise ValueError(
            f"baseline={baseline!r} leaves {plural(len(others), 'system')}, {', '.join(others)};"
            f" name one pair: systems=[{others[0]!r}, {baseline!r}]"
        )
    return others[0]


def _unmatched_notes(queries: np.ndarray, system: str, baseline: str, rule: str) -> tuple[str, ...]:
    if not queries.size:
        return ()
    if rule == "error":
        raise DataError(
            f"unmatched: {plural(queries.size, 'query has', 'queries have')} a score of only one"
            f" of {system!r} and"
            f" {baseline!r}, for instance {queries[0]!r}; unmatched='pairwise' leaves them out"
        )
    return (f"{plural(queries.size, 'query')} answered by only one of the two systems left out",)


def _with_strata(table: DocumentTable, frame: pd.DataFrame, strata: str) -> DocumentTable:
    """Attach the stratum of each document, from the rows."""
    blank = "any score"
    kept = documents(frame.assign(**{blank: 0.0}), doc=table.doc, score=blank, keep=[strata]).frame
    stratum = kept.set_index(table.doc)[strata].reindex(table.frame[table.doc])
    joined = table.frame.assign(**{strata: stratum.to_numpy()})
    return DocumentTable(joined, table.doc, table.score, None, table.unscored, (strata,))


def _population(table: DocumentTable, strata: str | None, rows: Rows | None) -> Population:
    lost = sum(table.unscored.values())
    there = plural(lost, "row without a score is", "rows without a score are")
    notes = (f"{there} not in the population",) if lost else ()
    codes = np.zeros(len(table.frame), np.intp)
    names: tuple[str, ...] = ("",)
    if strata is not None:
        if strata not in table.frame.columns:
            raise unknown_column("strata", strata, table.frame.columns)
        column = table.frame[strata]
        if column.isna().any():
            raise DataError(
                f"strata={strata!r}:"
                f" {plural(int(column.isna().sum()), 'document has', 'documents have')} none"
            )
        found, levels = pd.factorize(column, sort=True)
        codes, names = found.astype(np.intp), tuple(map(str, levels))
    return Population(
        table.score, table.counts, table.totals, table.squares, codes, names, rows, notes=notes
    )


def _rows_of(frame: pd.DataFrame, doc: str, score: str, table: DocumentTable) -> Rows:
    values = checked_scores(frame, score)
    codes = pd.Index(table.frame[table.doc]).get_indexer(pd.Index(frame[doc]))
    return _sorted(values, codes)


def _sorted(values: Floats, codes: Codes) -> Rows:
    """Put the scored queries of each document one after the other."""
    there = ~np.isnan(values)
    order = np.argsort(codes[there], kind="stable")
    kept = codes[there][order]
    first = np.flatnonzero(np.concatenate([[True], kept[1:] != kept[:-1]]))
    return Rows(values[there][order], first.astype(np.intp))
