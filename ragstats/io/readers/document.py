"""Which document each row belongs to. The document is the sampling unit: it is never guessed.

In order: the map the user gives, the field the user names, and the only field that is *called*
a document. Otherwise the error lists what could serve.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ragstats.exceptions import DataError, plural
from ragstats.io.readers.cells import is_missing, listed
from ragstats.io.readers.ids import item_ids, shown
from ragstats.io.readers.options import Options
from ragstats.io.readers.raw import RawTable, resolve

# Called a document beyond doubt, then called its source. Passages, chunks and contexts are
# parts of documents: taking them for documents would overstate how much is known, so they
# are listed as candidates and must be named by the user.
DOCUMENT_NAMES = (
    {"doc_id", "docid", "document_id", "documentid", "doc", "document", "doc_name"}
    | {"document_name", "source_doc", "source_document", "source_document_id"},
    {"source", "source_id", "source_file", "file", "file_name", "filename", "file_path"}
    | {"filepath", "title", "url", "uri"},
)
MAX_LISTED = 12


@dataclass(frozen=True, slots=True)
class Documents:
    """One document per row, the field it came from and why, and what was done on the way."""

    ids: pd.Series[Any]
    field: str
    used: str | None
    notes: tuple[str, ...]


def find_documents(raw: RawTable, queries: pd.Series[Any], options: Options) -> Documents:
    """Return the document of each row of ``raw``, whose query ids are ``queries``.

    Raises
    ------
    DataError
        If no field can serve, a row has no document, or a query has several.
    """
    given = options.documents
    if given is not None:
        found = [list(given.documents.get(str(query), ())) for query in queries]
        cells = pd.Series(found, index=queries.index, dtype=object)
        said, used = given.source, None
    else:
        used, why = _field(raw, options)
        cells = raw.frame[used]
        said = f"{used} ({why})"
    return _one_each(cells, queries, said, used, raw.name, options)


def _field(raw: RawTable, options: Options) -> tuple[str, str]:
    if options.doc is not None:
        return resolve("doc", options.doc, raw.frame.columns), f"asked for: doc={options.doc!r}"
    possible = candidates(raw)
    for names in DOCUMENT_NAMES:
        called = [field for field in possible if _last_part(field) in names]
        if len(called) == 1:
            return called[0], "the only field named like a document"
        if called:
            raise _none(raw, f"several fields are named like a document ({shown(called)})", called)
    raise _none(raw, "no field is named like a document", possible)


def _last_part(field: str) -> str:
    words = re.sub(r"([a-z])([A-Z])", r"\1_\2", field.rsplit(".", 1)[-1])
    return re.sub(r"[\s-]+", "_", words.strip()).lower()


def candidates(raw: RawTable) -> list[str]:
    """Return the fields that could name a document: carried along, and playing no other part."""
    fields = list(raw.frame.columns) if raw.covariates is None else list(raw.covariates)
    # Of several fields that make up the query, one is often the document.
    query = raw.query if raw.query is not None and len(raw.query) == 1 else ()
    taken = {*query, raw.system, raw.repetition, raw.metric, raw.value}
    taken |= set((raw.scores or {}).values())
    return [f for f in fields if f not in taken and f in raw.frame.columns]


def _none(raw: RawTable, problem: str, fields: Sequence[str]) -> DataError:
    counted = {}
    for field in fields:
        cells = [c for c in raw.frame[field].to_list() if not is_missing(c)]
        if cells and not any(isinstance(c, dict) for c in cells):
            counted[field] = len({str(c) for c in cells})
    # A field with one value per row, or one value in all, is the least likely document.
    rows = len(raw.frame)
    order = sorted(counted, key=lambda f: (counted[f] in (1, rows), counted[f]))
    listed_fields = ", ".join(f"{f} ({counted[f]} distinct)" for f in order[:MAX_LISTED])
    more = ", …" if len(order) > MAX_LISTED else ""
    choice = f"candidates: {listed_fields}{more}" if order else "the file has no candidate field"
    ask = "pass doc= with its name, or documents= with a map from query to document"
    hint = f" {raw.hint}" if raw.hint else ""
    return DataError(f"{raw.name}: {problem}; {ask}; {choice}.{hint}")


def _one_each(
    cells: pd.Series[Any],
    queries: pd.Series[Any],
    said: str,
    used: str | None,
    name: str,
    options: Options,
) -> Documents:
    items = [_cut(item_ids(cell), options.doc_separator) for cell in cells.to_list()]
    absent = [q for q, found in zip(queries, items, strict=True) if not found]
    if absent:
        raise DataError(
            f"{name}: {len(absent)} of {len(items)} rows have no document in {said} (queries "
            f"{shown(absent)}); a row without a document cannot be kept: add it or remove the rows"
        )
    several = [(q, found) for q, found in zip(queries, items, strict=True) if len(found) > 1]
    if several and options.several == "error":
        query, found = several[0]
        raise DataError(
            f"{name}: {len(several)} of {len(items)} rows have several documents in {said} (first: "
            f"query {query!r}: {shown(found)}); pass documents= with one document per query, "
            "doc_separator= if these are parts of one, or several='first'"
        )
    notes = []
    if options.doc_separator is not None:
        said = f"{said}, the part before the last {options.doc_separator!r}"
    if several:
        notes.append(
            f"{name}: {plural(len(several), 'row has', 'rows have')} several documents; the first"
            " was taken"
        )
    elif any(listed(cell) is not None for cell in cells.to_list()) and used is not None:
        notes.append(f"{name}: {used} holds lists that name one document each")
    ids = pd.Series([found[0] for found in items], index=cells.index, dtype=object)
    return Documents(ids, said, used, tuple(notes))


def _cut(items: list[str], separator: str | None) -> list[str]:
    if separator is None:
        return items
    parts = (i.rpartition(separator)[0] if separator in i else i for i in items)
    return list(dict.fromkeys(part for part in parts if part))
