"""The other fields of a file, carried along beside the scores."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from ragstats.io.readers.cells import NUMBER, PLAIN, is_missing, notation
from ragstats.io.readers.raw import RawTable

RESERVED = ("query_id", "doc_id", "system", "repetition")
EXACT = 2.0**53
LEADING_ZERO = re.compile(r"[+-]?0[0-9]")


def tidied(
    raw: RawTable, taken: set[str], scores: set[str]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the fields that are left, numbers as numbers, and what happened to the rest.

    Lists and objects have no place in a table of scalars and are left out; a field that bears
    the name of one of our columns is renamed.
    """
    fields = list(raw.frame.columns) if raw.covariates is None else list(raw.covariates)
    left = [f for f in dict.fromkeys(fields) if f not in taken and f in raw.frame.columns]
    kept: dict[str, pd.Series[Any]] = {}
    nested: list[str] = []
    notes: list[str] = []
    for field in left:
        column = _scalar(raw.frame[field])
        if column is None:
            nested.append(field)
            continue
        name = f"{field}_in_file" if field in RESERVED or field in scores else field
        if name != field:
            notes.append(f"{raw.name}: field {field!r} is called {name!r} here")
        kept[name] = column
    if nested:
        notes.append(f"{raw.name}: left out, as they hold lists or objects: {', '.join(nested)}")
    return pd.DataFrame(kept, index=raw.frame.index), tuple(notes)


def _scalar(column: pd.Series[Any]) -> pd.Series[Any] | None:
    """Return a column of plain values with numbers as numbers; ``None`` if cells are nested."""
    if column.dtype != object and not isinstance(column.dtype, pd.StringDtype):
        return column
    cells = column.to_list()
    if any(isinstance(c, dict | list | tuple | np.ndarray) for c in cells):
        return None
    present = [c for c in cells if not is_missing(c)]
    if present and all(_plain_number(cell) for cell in present):
        numbers = [np.nan if is_missing(c) else float(c) for c in cells]
        values = pd.Series(numbers, index=column.index, dtype=np.float64)
        whole = len(present) == len(cells) and all(v.is_integer() for v in numbers)
        return values.astype(np.int64) if whole else values
    texts = [None if is_missing(c) else _text(c) for c in cells]
    return pd.Series(texts, index=column.index, dtype=object)


def _plain_number(cell: Any) -> bool:
    if isinstance(cell, str):
        # 007 is a name that happens to consist of digits.
        text = cell.strip()
        if not PLAIN.fullmatch(text) or LEADING_ZERO.match(text):
            return False
    # So is a number of more digits than a double can tell apart.
    return notation(cell) == NUMBER and abs(float(cell)) < EXACT


def _text(cell: Any) -> Any:
    return cell if isinstance(cell, str | bool) else str(cell)
