"""Which types of columns can be ids: equal ids must be equal, and different ones different."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.compute as pc

from ragstats.exceptions import DataError

#: From this size on neighbouring whole numbers are one number, by the width of the type.
_MERGED_FROM = {16: 2.0**11, 32: 2.0**24, 64: 2.0**53}


def is_nested(dtype: Any) -> bool:
    """Whether a column holds lists or records."""
    return isinstance(dtype, (nw.List, nw.Struct, nw.Array))


def check_key(argument: str, column: str, dtype: Any) -> None:
    """Raise for a column whose cells are lists or records.

    Raises
    ------
    TypeError
        With the argument, the column and its type.
    """
    if is_nested(dtype):
        raise TypeError(
            f"{argument}={column!r} holds lists or records ({dtype}); give a column with one id in"
            " each row"
        )


def refuse_merged(argument: str, column: str, keys: pa.ChunkedArray) -> None:
    """Raise for ids that are floating numbers so large that different ones are equal.

    An engine that finds one decimal point among whole numbers, or whole numbers beyond 64 bits,
    reads them all as floating numbers.

    Raises
    ------
    DataError
        With the argument, the column and its type.
    """
    if not pa.types.is_floating(keys.type):
        return
    largest = pc.max(pc.abs(keys.cast(pa.float64()))).as_py() or 0.0
    if largest >= _MERGED_FROM[keys.type.bit_width]:
        raise DataError(
            f"{argument}={column!r}: ids as large as {largest:.3g} were read as floating numbers"
            f" ({keys.type}), among which neighbouring whole numbers are one; write the ids as"
            " text, or all of them as integers of at most 64 bits"
        )
