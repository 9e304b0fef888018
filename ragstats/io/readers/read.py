"""``read_scores``: from the files that evaluators write to one long table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ragstats.exceptions import DataError, unknown_option
from ragstats.io.readers.assemble import Part, assemble
from ragstats.io.readers.combine import combine
from ragstats.io.readers.content import Content, open_file, open_frame
from ragstats.io.readers.files import checked_path, sha256
from ragstats.io.readers.formats import FORMATS, as_format, find_format
from ragstats.io.readers.judgements import document_map, read_judgements, relevant_documents
from ragstats.io.readers.options import DEFAULT_MEASURES, DocumentMap, Options, names
from ragstats.io.readers.scores import Scores

Path = str | os.PathLike[str]


def read_scores(
    path: Path | pd.DataFrame | Sequence[Path] | Mapping[str, Path | pd.DataFrame],
    *,
    format: str | None = None,
    doc: str | None = None,
    score: str | Sequence[str] | None = None,
    query: str | Sequence[str] | None = None,
    system: str | None = None,
    repetition: str | None = None,
    metric: str | None = None,
    columns: Mapping[str, str] | None = None,
    documents: Path | Mapping[Any, Any] | pd.Series[Any] | pd.DataFrame | None = None,
    qrels: Path | None = None,
    measures: Sequence[str] = DEFAULT_MEASURES,
    several: str = "error",
    doc_separator: str | None = None,
    unscored: str = "keep",
    encoding: str | None = None,
    delimiter: str | None = None,
) -> Scores:
    """Read the results of an evaluation as one row per system, query and repetition.

    Parameters
    ----------
    path : path, DataFrame, sequence of paths, or mapping of system name to path
        What to read. Several files are put together; in a mapping the key is the name of the
        system, whatever the file says.
    format : str, optional
        One of the names in ``FORMATS``. Recognised from the content if not given.
    doc : str, optional
        Field that names the document, the unit that was sampled. Dotted for nested fields
        (``"metadata.source"``); the last part is enough where it is unique.
    score : str or sequence of str, optional
        The scores to keep: names the format gives, or fields. All that are recognised if not
        given.
    query, system, repetition : str, optional
        Fields that play these parts; ``query`` may be several fields that are unique together.
        ``repetition="#"`` counts the occurrences of a query in the order of the file.
    metric : str, optional
        Field that names the measure, in a table with one row per measure; the value is in a
        field called ``score`` or ``value``.
    columns : mapping of str to str, optional
        New names of fields, ``{"name in the file": "new name"}``, given before anything else
        is looked for.
    documents : path, mapping, Series or DataFrame, optional
        Map from query to document. Goes before everything the file says.
    qrels : path, optional
        Relevance judgements: TREC, BEIR's table, or JSON. Needed to score a ranking; for
        measures that were printed they give the document.
    measures : sequence of str
        For a ranking: ``"hit@k"``, or any measure of ir_measures (``"RR"``, ``"nDCG@10"``).
    several : {"error", "first"}
        What to do with a query of several documents; ``"first"`` takes the first in the cell,
        or the relevant document of highest grade.
    doc_separator : str, optional
        If document ids name parts, such as ``manual#p3``: what stands before the part. The
        text before its last occurrence is the document.
    unscored : {"keep", "drop", "zero", "one", "raise"}
        What a missing score is: NaN; NaN, with rows dropped that have no score at all; 0; 1;
        or an error. An evaluation that ended in an error counts as missing, never as 0. Reading
        with ``"zero"`` and with ``"one"`` bounds what missing scores of 0 to 1 can do.
    encoding : str, optional
        Of text files; UTF-8, or what their byte-order mark says, if not given.
    delimiter : str, optional
        Of text tables; found from the header if not given.

    Returns
    -------
    Scores
        The long table, with what became the document and why, the share of unscored rows per
        system, and notes on everything that was dropped, converted or assumed.

    Raises
    ------
    DataError
        In one line: what stands in which file, and what would be right. Nothing that looks
        wrong is dropped or filled.
    FileNotFoundError
        If a file is not there.
    ModuleNotFoundError
        If a format needs an optional library; the message names the extra to install.

    Notes
    -----
    Ids are kept as text, so that ``007`` and ``7`` are two documents. A query belongs to one
    document, and a (system, query, repetition) is there once: anything else is an error.

    Examples
    --------
    >>> import pandas as pd
    >>> from ragstats.io.readers import read_scores
    >>> table = pd.DataFrame(
    ...     {
    ...         "query_id": ["q1", "q2", "q3"],
    ...         "doc_id": ["manual", "manual", "faq"],
    ...         "hit": ["yes", "no", None],
    ...     }
    ... )
    >>> scores = read_scores({"bm25": table})
    >>> scores.frame[["query_id", "doc_id", "system", "repetition", "hit"]]
      query_id  doc_id system  repetition  hit
    0       q1  manual   bm25           1  1.0
    1       q2  manual   bm25           1  0.0
    2       q3     faq   bm25           1  NaN
    >>> scores.document_field
    'doc_id (the only field named like a document)'
    """
    if format is not None and format not in FORMATS:
        raise unknown_option("format", format, FORMATS)
    hashes: dict[str, str] = {}
    judged = None if qrels is None else read_judgements(qrels, encoding)
    options = Options(
        doc=doc,
        score=names("score", score),
        query=names("query", query),
        system=system,
        repetition=repetition,
        metric=metric,
        columns={} if columns is None else columns,
        documents=_documents(documents, judged, doc, encoding),
        judgements=judged,
        measures=names("measures", measures),
        several=several,
        doc_separator=doc_separator,
        unscored=unscored,
        encoding=encoding,
        delimiter=delimiter,
    )
    parts, keys = [], []
    for name, source in _sources(path):
        part, key = _read_one(source, format, replace(options, system_name=name), hashes)
        parts.append(part)
        keys.append(key)
    for extra in (qrels, documents):
        if isinstance(extra, str | os.PathLike):
            hashes[os.fspath(extra)] = sha256(checked_path("path", extra))
    return combine(parts, unscored, hashes, keys)


def _sources(path: Any) -> list[tuple[str | None, Any]]:
    """Return the files to read, each with the system's name where the user gave one."""
    if isinstance(path, str | os.PathLike | pd.DataFrame):
        return [(None, path)]
    if isinstance(path, Mapping):
        found: list[tuple[str | None, Any]] = [(str(name), source) for name, source in path.items()]
    elif isinstance(path, Sequence) and not isinstance(path, bytes | bytearray):
        found = [(None, source) for source in path]
    else:
        raise DataError(
            f"path={type(path).__name__} cannot be read; pass a path, a DataFrame, a list of "
            "paths, or {system name: path}"
        )
    if not found:
        raise DataError(f"path={path!r} names no file")
    return found


def _documents(
    given: Any, judged: pd.DataFrame | None, doc: str | None, encoding: str | None
) -> DocumentMap | None:
    """Return the map from query to document: the user's own, or what the judgements say."""
    if given is not None:
        if doc is not None:
            raise DataError(f"doc={doc!r} and documents= both name the document; pass one of them")
        return document_map(given, encoding)
    if judged is None or doc is not None:
        return None
    return DocumentMap(relevant_documents(judged), "qrels= (relevant documents)")


def _read_one(
    source: Any, format: str | None, options: Options, hashes: dict[str, str]
) -> tuple[Part, str]:
    content = _open(source, options, hashes)
    if format is None:
        key, content = find_format(content, options)
    else:
        key, content = format, as_format(format, content, options)
    return assemble(FORMATS[key].load(content, options), options), key


def _open(source: Any, options: Options, hashes: dict[str, str]) -> Content:
    if isinstance(source, pd.DataFrame):
        return open_frame(source)
    path = checked_path("path", source)
    hashes[os.fspath(source)] = sha256(path)
    return open_file(path, options.encoding)
