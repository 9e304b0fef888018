"""Relevance judgements (qrels) and maps from query to document, from files or memory."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ragstats.exceptions import DataError
from ragstats.io.readers.cells import is_missing
from ragstats.io.readers.content import JSON, LINES, TEXT, Content, open_file
from ragstats.io.readers.document import DOCUMENT_NAMES
from ragstats.io.readers.files import checked_path, parse_json, text_lines
from ragstats.io.readers.ids import as_id, item_ids, shown
from ragstats.io.readers.options import DocumentMap, Options
from ragstats.io.readers.roles import QUERY_NAMES, normal
from ragstats.io.readers.tables import DELIMITERS, read_delimited

JUDGED = ["query_id", "doc_id", "grade"]
# Header of BEIR's qrels/*.tsv.
BEIR_HEADER = ["query-id", "corpus-id", "score"]


def read_judgements(path: str | os.PathLike[str], encoding: str | None) -> pd.DataFrame:
    """Return judgements as ``query_id``, ``doc_id``, ``grade``, in the order of the file.

    Reads TREC qrels (four columns), BEIR's table with a header, and JSON objects of the form
    ``{query: {document: grade}}``.
    """
    content = open_file(checked_path("qrels", path), encoding)
    if content.shape == JSON:
        data = parse_json(content.text, content.name, unique_keys=True)
        rows = nested_pairs(data, content.name)
    elif content.shape == TEXT:
        rows = _judged_rows(content)
    else:
        raise DataError(f"qrels={str(path)!r} is no file of relevance judgements")
    frame = pd.DataFrame(rows, columns=JUDGED)
    parts = frame[frame["grade"] % 1 != 0]
    if len(parts):
        raise DataError(f"{content.name}: grade {parts['grade'].iloc[0]} is not a whole number")
    twice = frame.duplicated(JUDGED[:2])
    if twice.any():
        first = frame[twice].iloc[0]
        raise DataError(
            f"{content.name}: {int(twice.sum())} pairs are judged twice (first: query "
            f"{first['query_id']!r}, document {first['doc_id']!r})"
        )
    return frame


def _judged_rows(content: Content) -> list[tuple[str, str, float]]:
    rows = []
    for number, line in enumerate(text_lines(content.text, content.name), start=1):
        cells = line.split()
        if not cells or (number == 1 and cells == BEIR_HEADER):
            continue
        if len(cells) not in (3, 4):
            raise DataError(
                f"{content.name}, line {number}: {len(cells)} columns; qrels have 4 (query, "
                "iteration, document, grade), or 3 with BEIR's header"
            )
        rows.append((cells[0], cells[-2], as_number(cells[-1], content.name, number)))
    return rows


def as_number(cell: str, name: str, line: int) -> float:
    """Return a cell of a whitespace-separated file as a finite number."""
    try:
        value = float(cell)
    except ValueError:
        raise DataError(f"{name}, line {line}: {cell!r} is not a number") from None
    if not abs(value) < float("inf"):
        raise DataError(f"{name}, line {line}: {cell!r} is not a finite number")
    return value


def nested_pairs(data: Any, name: str) -> list[tuple[str, str, float]]:
    """Return ``{query: {document: number}}`` as triples."""
    rows: list[tuple[str, str, float]] = []
    if not isinstance(data, dict):
        raise DataError(f"{name}: an object {{query: {{document: number}}}} is needed")
    for query, found in data.items():
        if not isinstance(found, dict):
            raise DataError(f"{name}: query {query!r} holds no object {{document: number}}")
        for document, value in found.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise DataError(f"{name}: query {query!r}, document {document!r}: not a number")
            rows.append((query, document, float(value)))
    return rows


def relevant_documents(judgements: pd.DataFrame) -> dict[str, list[str]]:
    """Return the relevant documents of each query, highest grade first, else in file order."""
    relevant = judgements[judgements["grade"] > 0]
    ordered = relevant.sort_values("grade", ascending=False, kind="stable")
    return {
        str(query): rows.to_list()
        for query, rows in ordered.groupby("query_id", sort=False)["doc_id"]
    }


def document_map(given: Any, encoding: str | None) -> DocumentMap:
    """Return the query→document map that a user gives as a path, mapping, Series or frame.

    Raises
    ------
    DataError
        If it is none of these, a query has two documents, or an id is missing.
    """
    if isinstance(given, str | os.PathLike):
        path = checked_path("documents", given)
        return DocumentMap(_checked(_pairs_of_file(path, encoding), path.name), path.name)
    if isinstance(given, pd.DataFrame):
        pairs = _pairs_of_frame(given, "documents")
    elif isinstance(given, pd.Series):
        pairs = list(zip(given.index.to_list(), given.to_list(), strict=True))
    elif isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        raise DataError(
            f"documents={type(given).__name__} is no map; pass a path, a dict {{query: document}}, "
            "or a Series indexed by query"
        )
    return DocumentMap(_checked(pairs, "documents"), "documents=")


def _pairs_of_file(path: Path, encoding: str | None) -> list[tuple[Hashable, Any]]:
    content = open_file(path, encoding)
    if content.shape == JSON:
        data = parse_json(content.text, path.name, unique_keys=True)
        if not isinstance(data, dict):
            raise DataError(f"{path.name}: an object {{query: document}} is needed")
        return list(data.items())
    if content.shape == LINES:
        return _pairs_of_frame(pd.DataFrame(content.data, dtype=object), path.name)
    if content.shape == TEXT:
        return _pairs_of_text(content)
    return _pairs_of_frame(content.table(Options()).data, path.name)


def _pairs_of_text(content: Content) -> list[tuple[Hashable, Any]]:
    first = content.text.lstrip().split("\n", 1)[0]
    mark = next((mark for mark in DELIMITERS if mark in first), None)
    if mark is None:
        raise DataError(f"{content.name}: two columns, query and document, are needed")
    cells = {normal(cell.strip().strip('"')) for cell in first.split(mark)}
    headed = bool(cells & set(QUERY_NAMES)) and bool(cells & DOCUMENT_NAMES[0])
    # Without a header that names both, every line is a pair.
    header = () if headed else ("query_id", "doc_id")
    return _pairs_of_frame(read_delimited(content.text, content.name, mark, header), content.name)


def _pairs_of_frame(frame: pd.DataFrame, name: str) -> list[tuple[Hashable, Any]]:
    columns = {normal(str(c)): c for c in reversed(list(frame.columns))}
    query = next((columns[n] for n in QUERY_NAMES if n in columns), None)
    document = next((columns[n] for n in columns if n in DOCUMENT_NAMES[0]), None)
    if query is None or document is None:
        raise DataError(
            f"{name}: columns called query_id and doc_id are needed; it has {shown(list(columns))}"
        )
    return list(zip(frame[query].to_list(), frame[document].to_list(), strict=True))


def _checked(pairs: Sequence[tuple[Hashable, Any]], name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for query, document in pairs:
        key = as_id(query)
        if key is None or is_missing(document):
            raise DataError(f"{name}: a pair without query or document: {query!r}, {document!r}")
        documents = item_ids(document)
        if found.setdefault(key, documents) != documents:
            raise DataError(
                f"{name}: query {key!r} belongs to {found[key][0]!r} and to {documents[0]!r}"
            )
    if not found:
        raise DataError(f"{name}: the map is empty")
    return found
