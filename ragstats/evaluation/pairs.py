"""Scores of several systems on the same queries: matched, checked, and summed by document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ragstats.checks import names, one_of
from ragstats.evaluation.documents import DocumentTable, unknown_system
from ragstats.exceptions import DataError, plural
from ragstats.io.scored_rows import (
    COUNT,
    SQUARES,
    TOTAL,
    check_columns,
    check_ids,
    checked_scores,
)
from ragstats.models.columns import as_pandas

#: What ``systems=`` is a list of.
SYSTEMS = "names of systems, as text"

UNMATCHED = {
    "error": "every query must be scored for both systems of a pair",
    "pairwise": "each pair uses the queries that both of its systems have",
    "stacked": "every scored query is used, matched or not",
}


@dataclass(frozen=True)
class ScoreMatrix:
    """Scores by query and system.

    Attributes
    ----------
    values : ndarray (Q, S)
        NaN where a system has no score for a query.
    queries : ndarray (Q,)
        Query ids (row numbers when there are none).
    documents : Index (K,)
        Document ids, sorted.
    codes : ndarray of int (Q,)
        The document of each query.
    systems : list of str
        Systems, sorted.
    unscored : dict of str to int
        Rows without a score, by system.
    doc, score : str
        Names of the columns.
    """

    values: np.ndarray
    queries: np.ndarray
    documents: np.ndarray
    codes: np.ndarray
    systems: list[str]
    unscored: dict[str, int]
    doc: str
    score: str

    def column(self, system: str, *, argument: str = "system") -> np.ndarray:
        """Return the scores of one system (Q,), which came as ``argument``."""
        if not isinstance(system, str) or system not in self.systems:
            lost = self.unscored.get(str(system), 0)
            raise unknown_system(system, self.systems, unscored=lost, argument=argument)
        return self.values[:, self.systems.index(system)]

    def one_sided(self, system: str, baseline: str) -> np.ndarray:
        """Return the queries that only one of two systems has."""
        has = ~np.isnan(np.column_stack([self.column(system), self.column(baseline)]))
        return np.asarray(self.queries[has[:, 0] != has[:, 1]])

    def refuse_one_sided(self, system: str, baseline: str) -> None:
        """Raise when a query has a score of only one of two systems."""
        alone = self.one_sided(system, baseline)
        if alone.size:
            some = ", ".join(map(repr, alone[:3].tolist())) + (", …" if alone.size > 3 else "")
            raise DataError(
                f"unmatched='error': {plural(alone.size, 'query has', 'queries have')} a score of"
                f" only one of {system!r}"
                f" and {baseline!r} ({some}); choose unmatched='pairwise' (use the queries that"
                " both have) or 'stacked' (use all rows)"
            )

    def differences(self, system: str, baseline: str) -> DocumentTable:
        """Sum the differences of the queries that both systems have, by document."""
        difference = self.column(system) - self.column(baseline)
        return self._table(difference, f"{system} - {baseline}")

    def of_system(self, system: str, *, rows: np.ndarray | None = None) -> DocumentTable:
        """Sum the scores of one system by document, for all its queries or for some."""
        values = self.column(system)
        if rows is not None:
            values = np.where(rows, values, np.nan)
        table = self._table(values, self.score)
        return DocumentTable(
            table.frame, self.doc, self.score, None, {"": self.unscored.get(system, 0)}
        )

    def _table(self, values: np.ndarray, name: str) -> DocumentTable:
        there = ~np.isnan(values)
        if not there.any():
            raise DataError(f"{name}: no query has the scores that it needs")
        codes, values, size = self.codes[there], values[there], len(self.documents)
        counts = np.bincount(codes, minlength=size)
        frame = pd.DataFrame(
            {
                self.doc: self.documents,
                COUNT: counts.astype(float),
                TOTAL: np.bincount(codes, weights=values, minlength=size),
                SQUARES: np.bincount(codes, weights=values**2, minlength=size),
            }
        )
        frame = frame[counts > 0].reset_index(drop=True)
        return DocumentTable(frame, self.doc, name)


def score_matrix(
    data: Any,
    *,
    score: str,
    system: str,
    doc: str,
    query: str | None,
    systems: Sequence[str] | None = None,
) -> ScoreMatrix:
    """Arrange scored rows by query and system, and check what pairing needs.

    Raises
    ------
    ValueError
        If a column or a system is unknown.
    DataError
        If ids are missing, scores are infinite, a query occurs twice for one system or belongs to
        several documents, or a system has no scored query.
    """
    frame = as_pandas(data)
    named = {"doc": doc, "system": system, "query": query}
    check_columns(frame.columns, [("score", score), *named.items()], optional=("query",))
    if frame.empty:
        raise DataError("data has no rows")
    for argument, column in named.items():
        if column is not None:
            check_ids(frame, column, argument)
    labels = frame[system].astype(str).to_numpy()
    every = sorted(set(labels))
    chosen = every if systems is None else names("systems", systems, SYSTEMS)
    for name in chosen:
        if name not in every:
            raise unknown_system(name, every)
    rows = np.isin(labels, chosen)
    frame, labels = frame[rows], labels[rows]
    values = checked_scores(frame, score)
    scored = ~np.isnan(values)
    unscored = {name: int((~scored & (labels == name)).sum()) for name in chosen}
    for name in chosen:
        if not (scored & (labels == name)).any():
            present = [s for s in chosen if (scored & (labels == s)).any()]
            raise unknown_system(name, present, unscored=unscored[name])
    documents, ids = pd.factorize(_plain(frame[doc]), sort=True)
    columns = pd.Categorical(labels, categories=chosen).codes
    if query is None:
        return _unpaired(values, columns, documents, np.asarray(ids), chosen, unscored, doc, score)
    queries, asked = pd.factorize(_plain(frame[query]), sort=True)
    _check_queries(queries, documents, columns, np.asarray(asked), np.asarray(ids), chosen, query)
    matrix = np.full((len(asked), len(chosen)), np.nan)
    matrix[queries, columns] = values
    codes = np.zeros(len(asked), np.intp)
    codes[queries] = documents
    return ScoreMatrix(
        matrix, np.asarray(asked), np.asarray(ids), codes, chosen, unscored, doc, score
    )


def _unpaired(
    values: np.ndarray,
    columns: np.ndarray,
    documents: np.ndarray,
    ids: np.ndarray,
    systems: list[str],
    unscored: dict[str, int],
    doc: str,
    score: str,
) -> ScoreMatrix:
    """Give every row a query of its own: nothing is matched, and documents still are."""
    matrix = np.full((len(values), len(systems)), np.nan)
    matrix[np.arange(len(values)), columns] = values
    queries = np.arange(len(values))
    return ScoreMatrix(
        matrix, queries, ids, documents.astype(np.intp), systems, unscored, doc, score
    )


def _plain(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.astype(column.cat.categories.dtype)
    return column


def _check_queries(
    queries: np.ndarray,
    documents: np.ndarray,
    columns: np.ndarray,
    names: np.ndarray,
    ids: np.ndarray,
    systems: list[str],
    query: str,
) -> None:
    """Raise when a query occurs twice for one system, or belongs to several documents."""
    home = np.full(len(names), -1)
    home[queries] = documents
    elsewhere = home[queries] != documents
    if elsewhere.any():
        where = int(np.flatnonzero(elsewhere)[0])
        shared = len(np.unique(queries[elsewhere]))
        one, other = (str(ids[code]) for code in (home[queries[where]], documents[where]))
        raise DataError(
            f"query={query!r}: {plural(shared, 'query belongs', 'queries belong')} to several"
            " documents, for instance"
            f" {str(names[queries[where]])!r} to {other!r} and {one!r}; if ids restart in each"
            " document, join them with the document's id; if queries really are shared, make one"
            " cluster of the documents that share them (rs.linked_documents)"
        )
    key = queries.astype(np.int64) * len(systems) + columns
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(np.diff(key[order]) == 0)
    if twice.size:
        where = order[twice[0]]
        raise DataError(
            f"query={query!r}: {plural(twice.size, 'row repeats', 'rows repeat')} a query of the"
            " same system, for instance"
            f" {names[queries[where]]!r} of {systems[columns[where]]!r}; one row per query and"
            " system is right (repeated judgements: average them, or leave query= out)"
        )


def check_unmatched(unmatched: str) -> str:
    """Return the rule's name, or raise the error that lists the names."""
    return one_of("unmatched", unmatched, UNMATCHED)
