"""The aggregates by document, to JSON and back: ids once, then columns that point to them."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from ragstats.evaluation.documents import DocumentTable
from ragstats.exceptions import DataError
from ragstats.io.scored_rows import COUNT, SQUARES, TOTAL
from ragstats.reporting.aggregates import (
    Aggregates,
    Columns,
    PairAggregates,
    SystemAggregates,
)

_NUMBERS = (COUNT, TOTAL, SQUARES)


def plain(value: float) -> float | int | None:
    """Return a number that JSON has: null for NaN and infinity, an integer where it is one."""
    number = float(value)
    if not isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def identifier(value: Any) -> Any:
    """Return a document id as JSON has it: a whole number or text."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    return str(value)


def aggregates_dict(aggregates: Aggregates) -> dict[str, Any]:
    """Return the aggregates; a table of the joint test is null where it is the system's own."""
    place = {document: i for i, document in enumerate(aggregates.documents)}
    return {
        "documents": [identifier(d) for d in aggregates.documents],
        "systems": [
            {
                "name": s.name,
                **_columns(s.table, place),
                "unscored": _sparse(s.unscored, place),
            }
            for s in aggregates.systems
        ],
        "pairs": [
            {
                "system": p.system,
                "baseline": p.baseline,
                **({} if p.table is None else _columns(p.table, place)),
                "s_system": [plain(v) for v in p.left],
                "s_baseline": [plain(v) for v in p.right],
                "one_sided": p.one_sided,
                "documents": p.documents,
                "queries": p.queries,
            }
            for p in aggregates.pairs
        ],
        "joint": [
            None if _same(table, system.table) else _columns(table, place)
            for table, system in zip(aggregates.joint, aggregates.systems, strict=False)
        ],
    }


def _columns(table: DocumentTable, place: dict[Any, int]) -> dict[str, Any]:
    numbers = {name: [plain(v) for v in table.frame[name]] for name in _NUMBERS}
    return {"document": [place[d] for d in table.frame[table.doc].tolist()], **numbers}


def _sparse(unscored: pd.Series[int], place: dict[Any, int]) -> dict[str, list[int]]:
    return {
        "document": [place[d] for d in unscored.index.tolist()],
        "n": [int(v) for v in unscored],
    }


def _same(table: DocumentTable, other: DocumentTable) -> bool:
    """Whether two tables have the same documents and numbers."""
    left, right = table.frame, other.frame
    if left[table.doc].tolist() != right[other.doc].tolist():
        return False
    names = list(_NUMBERS)
    return bool(
        np.array_equal(left[names].to_numpy(float), right[names].to_numpy(float), equal_nan=True)
    )


def aggregates_of(
    stored: dict[str, Any], columns: Columns, baseline: str | None, systems: list[dict[str, Any]]
) -> Aggregates:
    """Return the aggregates that a report was written from.

    Parameters
    ----------
    stored : dict
        As :func:`aggregates_dict` returns them.
    columns, baseline
        As in the report.
    systems : list of dict
        The report's systems, for the range of their scores.

    Raises
    ------
    DataError
        If ids repeat, columns differ in length, or a number is missing.
    """
    ids = np.array(stored["documents"], dtype=object)
    if len(set(stored["documents"])) != len(ids):
        raise DataError("aggregates.documents: an id occurs twice")
    read = _Reader(ids, columns)
    found = tuple(
        read.system(item, about["score_range"])
        for item, about in zip(stored["systems"], systems, strict=True)
    )
    joint = tuple(
        found[i].table if item is None else read.table(item, columns.score)
        for i, item in enumerate(stored["joint"])
    )
    pairs = tuple(read.pair(item) for item in stored["pairs"])
    return Aggregates(columns, baseline, tuple(ids.tolist()), found, pairs, joint)


class _Reader:
    """Columns that point to ids → tables."""

    def __init__(self, ids: np.ndarray, columns: Columns):
        self.ids, self.columns = ids, columns

    def documents(self, places: list[int]) -> list[Any]:
        if any(not 0 <= place < len(self.ids) for place in places):
            raise DataError("aggregates: a document is not in aggregates.documents")
        return self.ids[places].tolist() if places else []

    def table(self, item: dict[str, Any], score: str) -> DocumentTable:
        frame = pd.DataFrame({self.columns.doc: self.documents(item["document"])})
        frame = frame.assign(**{name: _floats(item[name]) for name in _NUMBERS})
        return DocumentTable(frame, self.columns.doc, score)

    def system(self, item: dict[str, Any], score_range: list[float]) -> SystemAggregates:
        lost = pd.Series(
            item["unscored"]["n"], index=pd.Index(self.documents(item["unscored"]["document"])),
            name="unscored", dtype=int,
        )  # fmt: skip
        table = self.table(item, self.columns.score)
        table = DocumentTable(table.frame, table.doc, table.score, None, {"": int(lost.sum())})
        lowest, highest = map(float, score_range)
        return SystemAggregates(str(item["name"]), table, lost, lowest, highest)

    def pair(self, item: dict[str, Any]) -> PairAggregates:
        system, baseline = str(item["system"]), str(item["baseline"])
        table = self.table(item, f"{system} - {baseline}") if "n" in item else None
        return PairAggregates(
            system, baseline, table, _floats(item["s_system"]), _floats(item["s_baseline"]),
            int(item["one_sided"]), int(item["documents"]), int(item["queries"]),
        )  # fmt: skip


def _floats(values: list[float | None]) -> np.ndarray:
    return np.array([np.nan if v is None else v for v in values], dtype=float)
