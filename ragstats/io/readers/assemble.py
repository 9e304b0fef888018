"""One file's raw table → its part of the long table, guarded on the way."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ragstats.exceptions import DataError, plural
from ragstats.io.readers.covariates import RESERVED, tidied
from ragstats.io.readers.document import find_documents
from ragstats.io.readers.guards import to_numbers
from ragstats.io.readers.ids import id_column, joined_ids, shown
from ragstats.io.readers.long import widened
from ragstats.io.readers.options import Options
from ragstats.io.readers.raw import OCCURRENCE, RawTable
from ragstats.io.readers.roles import score_fields, with_roles

WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")  # what fits int64, written as it is printed
ALL_QUERIES = "all"  # the row in which trec_eval and its like print the mean over queries


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one file in their final form, before files are put together.

    ``numbered`` says that query ids are row numbers, which mean nothing in another file.
    """

    frame: pd.DataFrame
    scores: tuple[str, ...]
    covariates: tuple[str, ...]
    document_field: str
    numbered: bool
    notes: tuple[str, ...]


def assemble(raw: RawTable, options: Options) -> Part:
    """Return one file's rows as query, document, system, repetition, scores and covariates.

    Raises
    ------
    DataError
        If a part cannot be found, an id is missing, or a score is not a number.
    """
    raw = widened(with_roles(raw.renamed(options.columns), options))
    raw = _without_all(raw)
    if raw.frame.empty:
        raise DataError(f"{raw.name}: no rows with scores of single queries")
    queries, query_notes = _queries(raw)
    systems = _systems(raw)
    documents = find_documents(raw, queries, options)
    taken = {f for f in (*(raw.query or ()), raw.system, raw.repetition, documents.used) if f}
    scores, fields, score_notes = _scores(raw, options, taken)
    covariates, covariate_notes = tidied(raw, taken | fields, set(scores.columns))
    repetitions, repetition_notes = _repetitions(raw, systems, queries)
    ids = pd.DataFrame(
        {
            "query_id": queries,
            "doc_id": documents.ids,
            "system": systems,
            "repetition": repetitions,
        }
    )
    return Part(
        pd.concat([ids, scores, covariates], axis=1),
        tuple(scores.columns),
        tuple(covariates.columns),
        documents.field,
        not raw.query,
        (
            *(*raw.notes, _parts_note(raw), *query_notes, *repetition_notes),
            *(*documents.notes, *score_notes, *covariate_notes),
        ),
    )


def _without_all(raw: RawTable) -> RawTable:
    if raw.query is None or len(raw.query) != 1:
        return raw
    is_all = raw.frame[raw.query[0]].map(lambda q: isinstance(q, str) and q.strip() == ALL_QUERIES)
    rows = is_all.to_numpy(dtype=bool)
    if not rows.any():
        return raw
    note = (
        f"{raw.name}: {plural(int(rows.sum()), 'row')} of query 'all' dropped: they hold means,"
        " not a query"
    )
    failed = None if raw.failed is None else raw.failed.loc[~rows].reset_index(drop=True)
    frame = raw.frame.loc[~rows].reset_index(drop=True)
    return replace(raw, frame=frame, failed=failed, notes=(*raw.notes, note))


def _queries(raw: RawTable) -> tuple[pd.Series[Any], tuple[str, ...]]:
    if not raw.query:
        note = f"{raw.name}: no field is named like a query; each row is a query of its own"
        numbers = pd.Series([str(n) for n in range(1, len(raw.frame) + 1)], dtype=object)
        return numbers, (note,)
    columns = [id_column(raw.frame[f], f"{raw.name}: query {f!r}") for f in raw.query]
    queries = joined_ids(columns)
    _refuse_missing(queries, f"{raw.name}: query {' and '.join(raw.query)!r}")
    return queries, ()


def _parts_note(raw: RawTable) -> str:
    query = " and ".join(raw.query or ()) or "the row number"
    system = raw.system or f"{raw.system_name!r} throughout"
    repetition = raw.repetition or "none"
    if raw.repetition == OCCURRENCE:
        repetition = "occurrences of a query, in the order of the file"
    return f"{raw.name}: query: {query}; system: {system}; repetition: {repetition}"


def _systems(raw: RawTable) -> pd.Series[Any]:
    if raw.system is None:
        return pd.Series([raw.system_name] * len(raw.frame), dtype=object)
    label = f"{raw.name}: system {raw.system!r}"
    systems = id_column(raw.frame[raw.system], label)
    _refuse_missing(systems, label)
    return systems


def _refuse_missing(ids: pd.Series[Any], label: str) -> None:
    missing = np.flatnonzero(ids.isna().to_numpy())
    if missing.size:
        raise DataError(
            f"{label} is missing in {missing.size} of {plural(len(ids), 'row')} (first: row"
            f" {missing[0] + 1})"
        )


def _repetitions(
    raw: RawTable, systems: pd.Series[Any], queries: pd.Series[Any]
) -> tuple[pd.Series[Any], tuple[str, ...]]:
    if raw.repetition is None:
        return pd.Series(1, index=queries.index, dtype=np.int64), ()
    if raw.repetition == OCCURRENCE:
        pairs = pd.DataFrame({"system": systems, "query": queries})
        counted = pairs.groupby(["system", "query"], sort=False).cumcount() + 1
        again = int((counted > 1).sum())
        note = (
            f"{raw.name}: {plural(again, 'row repeats', 'rows repeat')} a query of their system:"
            " counted as repetitions"
        )
        return counted, (note,) if again else ()
    label = f"{raw.name}: repetition {raw.repetition!r}"
    found = id_column(raw.frame[raw.repetition], label)
    _refuse_missing(found, label)
    whole = all(WHOLE.fullmatch(str(r)) for r in found)
    return found.astype(np.int64) if whole else found, ()


def _scores(
    raw: RawTable, options: Options, taken: set[str]
) -> tuple[pd.DataFrame, set[str], tuple[str, ...]]:
    """Return the score columns, the fields they came from and what was done to read them."""
    columns: dict[str, np.ndarray] = {}
    named = score_fields(raw, options, taken)
    reserved = sorted(set(named) & set(RESERVED))
    if reserved:
        raise DataError(f"{raw.name}: a score cannot be called {reserved[0]!r}; use columns=")
    fields: set[str] = set()
    notes: list[str] = []
    for name, field in named.items():
        try:
            values, note = to_numbers(raw.frame[field], f"{raw.name}: score {name!r}")
        except DataError as error:
            if options.score:
                raise
            # A field that only looked like a score stays a covariate; one asked for is an error.
            notes.append(f"{error}: not taken as a score")
            continue
        columns[name] = values if raw.failed is None else np.where(raw.failed, np.nan, values)
        fields.add(field)
        notes.extend(note)
    if not columns:
        raise DataError(f"{raw.name}: no score can be read as numbers; {shown(notes)}")
    if raw.scores is not None and options.score:
        unused = [s for s in raw.scores if s not in columns]
        fields |= {raw.scores[s] for s in unused}
        if unused:
            notes.append(f"{raw.name}: other scores left out: {', '.join(unused)}")
    if raw.failed is not None and raw.failed.any():
        count = int(raw.failed.sum())
        notes.append(
            f"{raw.name}: {plural(count, 'row')} ended in an error: their scores are missing, not 0"
        )
    return pd.DataFrame(columns, index=raw.frame.index), fields, tuple(notes)
