"""Identifiers of queries, documents, systems and repetitions as text, never as numbers.

``007`` and ``7`` are two documents, and an id that is absent is nobody: every function here
returns missing values as missing, and leaves it to the caller to refuse them.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ragstats.exceptions import DataError
from ragstats.io.readers.cells import is_missing, listed

SHOWN = 3


def as_id(value: Any) -> str | None:
    """Return one id as text, ``None`` if there is none; 7 and 7.0 are both ``"7"``."""
    if is_missing(value):
        return None
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(float(value)))
    return str(value)


def id_column(column: pd.Series[Any], label: str) -> pd.Series[Any]:
    """Return a column of ids as objects: text, or ``None`` where there is none.

    Raises
    ------
    DataError
        If a cell is a list or an object, which names no single thing.
    """
    cells = column.to_list()
    several = [c for c in cells if isinstance(c, dict | list | tuple | np.ndarray)]
    if several:
        raise DataError(
            f"{label}: {len(several)} of {len(cells)} cells are lists or objects "
            f"({str(several[0])[:60]}), where one id is needed"
        )
    return pd.Series([as_id(cell) for cell in cells], index=column.index, dtype=object)


def joined_ids(columns: Sequence[pd.Series[Any]]) -> pd.Series[Any]:
    """Return the ids of several columns as one, missing where a part is missing.

    Parts are joined by ``/``; a ``/`` inside a part gets a backslash, so that different parts
    never give the same id.
    """
    if len(columns) == 1:
        return columns[0]
    rows = zip(*(column.to_list() for column in columns), strict=True)
    joined = [
        None if None in row else "/".join(_escaped(str(part)) for part in row) for row in rows
    ]
    return pd.Series(joined, index=columns[0].index, dtype=object)


def _escaped(part: str) -> str:
    return part.replace("\\", "\\\\").replace("/", "\\/")


def item_ids(value: Any) -> list[str]:
    """Return the ids in a cell that may be a list, in order and each once."""
    items = listed(value)
    found = [as_id(value)] if items is None else [as_id(item) for item in items]
    return list(dict.fromkeys(item for item in found if item is not None))


def shown(values: Sequence[Any]) -> str:
    """Return the first few values for a message."""
    distinct = list(dict.fromkeys(values))
    more = ", …" if len(distinct) > SHOWN else ""
    return ", ".join(repr(v) for v in distinct[:SHOWN]) + more
