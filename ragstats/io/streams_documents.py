"""One row per document (and system) of rows that are read once, wherever they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ragstats.checks import as_list
from ragstats.io.engines import GIVEN, KEPT, SumsPlan, Units, key, kind, product
from ragstats.io.expressions import typed_column
from ragstats.io.gather import ComputedBy, gather
from ragstats.io.key_types import check_key, refuse_merged
from ragstats.io.scored_rows import (
    by_document,
    check_columns,
    missing_ids,
    refuse_unscored,
)
from ragstats.io.sources import open_source
from ragstats.io.translated import as_number, key_column
from ragstats.models.rows import check_missing


@dataclass(frozen=True)
class DocumentSums:
    """What a table of documents is made of.

    Attributes
    ----------
    frame : DataFrame
        One row per document (and system): keys, ``n``, ``s``, ``ss`` and kept columns.
    unscored : dict of str to int
        Rows without a score, by system ("" when there are no systems).
    computed_by : ComputedBy
        Which way it was computed.
    """

    frame: pd.DataFrame
    unscored: dict[str, int]
    computed_by: ComputedBy


def document_sums(
    source: Any,
    *,
    doc: str,
    score: str,
    by: str | None = None,
    keep: Sequence[str] = (),
    missing: str = "drop",
) -> DocumentSums:
    """Count and sum the scores of a source by document (and system).

    Parameters
    ----------
    source
        What :func:`ragstats.io.sources.open_source` opens.
    doc, score, by, keep, missing
        As in :func:`ragstats.documents`.

    Returns
    -------
    DocumentSums

    Raises
    ------
    ValueError
        If a column is unknown, or a kept column varies within a document.
    TypeError
        If the scores are not numbers.
    DataError
        If there are no rows, missing ids, infinite scores, or no score at all.

    Examples
    --------
    >>> import ragstats as rs
    >>> from ragstats.io.streams_documents import document_sums
    >>> scores = rs.datasets.load_retrieval(systems="bm25")
    >>> found = document_sums(iter([scores[:9000], scores[9000:]]), doc="doc_id", score="hit_at_1")
    >>> len(found.frame), int(found.frame["n"].sum()), int(found.frame["s"].sum())
    (1300, 18869, 3043)
    """
    check_missing(missing)
    keep = as_list("keep", keep, "columns")
    named = [("doc", doc), *([] if by is None else [("by", by)]), *(("keep", k) for k in keep)]
    with open_source(source) as opened:
        schema = opened.schema()
        opened.check([score, *(c for _, c in named)])
        check_columns(schema, (("score", score), *named))
        for argument, column in named:
            check_key(argument, column, schema[column])
        if kind(schema[score]) not in ("number", "boolean"):
            raise TypeError(
                f"score: column {score!r} of dtype {schema[score]} does not hold numbers"
            )
        plan = SumsPlan(
            keys=tuple(key_column(c) for _, c in named),
            values=(as_number(typed_column(score, schema[score])),),
            needed=(score,),
        )
        gathered = gather(
            opened,
            plan,
            labels=(score,),
            names=tuple(f"{a}={c!r}" for a, c in named),
            columns=list(dict.fromkeys([score, *(c for _, c in named)])),
            units=Units(np.zeros(1), np.ones(1)),
        )
        way = ComputedBy(opened.name, opened.lazy is not None, gathered.passes)
    n_keys = 1 + (by is not None)
    table = gathered.table
    _check_ids(table, named[:n_keys])
    frame = _frame(table, [c for _, c in named])
    unscored = _unscored(frame, by)
    refuse_unscored(score, sum(unscored.values()), gathered.n_given, missing)
    scored = frame[frame["n"] > 0]
    by_document(scored, doc, keep)
    keys = [c for _, c in named[:n_keys]]
    ordered = scored.sort_values(keys, kind="stable")[[*keys, "n", "s", "ss", *keep]]
    return DocumentSums(ordered.reset_index(drop=True), unscored, way)


def _check_ids(table: pa.Table, named: Sequence[tuple[str, str]]) -> None:
    """Raise for missing ids, by count, and for ids that are rounded."""
    for i, (argument, column) in enumerate(named):
        absent = pc.is_null(table[key(i)].combine_chunks(), nan_is_null=True)
        refuse_merged(argument, column, table[key(i)])
        missing = int(pc.sum(pc.if_else(absent, table[GIVEN].combine_chunks(), 0)).as_py())
        if missing:
            raise missing_ids(argument, column, missing, int(pc.sum(table[GIVEN]).as_py()))


def _frame(table: pa.Table, columns: Sequence[str]) -> pd.DataFrame:
    """Return keys and sums as columns; sums of nothing are 0."""
    frame = pd.DataFrame({c: table[key(i)].to_pandas() for i, c in enumerate(columns)})
    frame["given"] = table[GIVEN].to_numpy()
    for name, column in (("n", KEPT), ("s", product(0, 1)), ("ss", product(1, 1))):
        frame[name] = pc.fill_null(table[column].cast(pa.float64()), 0.0).to_numpy()
    return frame


def _unscored(frame: pd.DataFrame, by: str | None) -> dict[str, int]:
    lost = frame["given"] - frame["n"]
    if by is None:
        return {"": int(lost.sum())}
    summed = lost.groupby(frame[by].astype(str).to_numpy()).sum()
    return {str(name): int(count) for name, count in summed.items()}
