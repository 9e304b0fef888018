"""Plain tables: CSV, TSV and Parquet files, and frames in memory."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]

from ragstats.exceptions import DataError
from ragstats.io.readers.cells import PLAIN
from ragstats.io.readers.files import MAX_FILE_BYTES, MAX_LINE_BYTES
from ragstats.io.readers.raw import MAX_DEPTH, one_line

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
MAX_CELLS = 200_000_000  # rows × columns of a Parquet file; a few bytes can claim billions


def read_delimited(
    text: str, name: str, delimiter: str | None = None, header: Sequence[str] = ()
) -> pd.DataFrame:
    """Return a delimited text as a frame of text cells, none of them changed.

    Parameters
    ----------
    text : str
        The text.
    name : str
        The file's name, for messages.
    delimiter : str, optional
        What divides the cells; the most frequent mark of the first line if not given.
    header : sequence of str
        Column names of a text without a header line.

    Raises
    ------
    DataError
        If a row has more or fewer cells than the header, a quotation is not closed, or the
        header repeats a name or holds a number.
    """
    header_line = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = delimiter or _delimiter(header_line, name)
    rows = _rows(text, name, delimiter, len(header))
    first = header or rows.pop(0)
    names = [one_line(cell) or f"column {n}" for n, cell in enumerate(first, start=1)]
    _check_header(names, name)
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pd.DataFrame(
        {h: pd.Series(list(c), dtype=object) for h, c in zip(names, columns, strict=True)}
    )


def _delimiter(header: str, name: str) -> str:
    # Cells in quotes may hold any of them.
    bare = "".join(header.split('"')[::2])
    counts = {mark: bare.count(mark) for mark in DELIMITERS if mark in bare}
    if not counts:
        return ","
    best = max(counts.values())
    found = [mark for mark, count in counts.items() if count == best]
    if len(found) > 1:
        listed = " or ".join(DELIMITERS[mark] for mark in found)
        raise DataError(f"{name}: the cells may be divided by {listed}; pass delimiter=")
    return found[0]


def _rows(text: str, name: str, delimiter: str, width: int) -> list[list[str]]:
    # The standard reader refuses long cells, such as retrieved contexts, by a limit that is
    # global to the process: it is raised for this file only.
    before = csv.field_size_limit(MAX_LINE_BYTES)
    rows: list[list[str]] = []
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for row in reader:
            if not row:
                continue
            width = width or len(row)
            if len(row) != width:
                raise DataError(
                    f"{name}, line {reader.line_num}: {len(row)} cells, where the header has "
                    f"{width} (cut short, or another delimiter?)"
                )
            rows.append(row)
    except csv.Error as error:
        raise DataError(f"{name}, line {reader.line_num}: {error} (cut short?)") from None
    except TypeError as error:
        raise DataError(f"delimiter={delimiter!r}: {error}") from None
    finally:
        csv.field_size_limit(before)
    if not rows:
        raise DataError(f"{name}: no lines with text")
    return rows


def _check_header(header: list[str], name: str) -> None:
    numbers = [cell for cell in header if PLAIN.fullmatch(cell)]
    if numbers:
        raise DataError(
            f"{name}: the first line holds a number ({numbers[0]}); a line with column names is "
            "needed"
        )
    repeated = sorted({h for h in header if header.count(h) > 1})
    if repeated:
        raise DataError(f"{name}: two columns are called {repeated[0]!r}")


def end_note(text: str, name: str) -> tuple[str, ...]:
    """Return a note if the last line has no end, as in a file that was cut."""
    if text.endswith(("\n", "\r")):
        return ()
    return (f"{name}: the last line has no line end; the file may have been cut",)


def read_parquet(path: Path) -> pd.DataFrame:
    """Return a Parquet file as a frame, nested fields as dotted columns, integers exact."""
    try:
        file = pq.ParquetFile(path)
        with file:
            _check_parquet(file, path.name)
            table = file.read()
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{path.name}: not a complete Parquet file ({reason})") from None
    for _ in range(MAX_DEPTH):
        if not any(pa.types.is_struct(field.type) for field in table.schema):
            break
        table = table.flatten()
    if len(set(table.column_names)) < table.num_columns:
        raise DataError(f"{path.name}: two columns have the same name")
    # Integers with gaps would turn into floating point, and ids with them.
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True)
    return frame


def _check_parquet(file: Any, name: str) -> None:
    meta = file.metadata
    size = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
    cells = meta.num_rows * meta.num_columns
    if size > MAX_FILE_BYTES or cells > MAX_CELLS:
        raise DataError(
            f"{name}: {size:,} bytes and {cells:,} cells unpacked; at most {MAX_FILE_BYTES:,} "
            f"bytes and {MAX_CELLS:,} cells are read at once"
        )


def from_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a copy of a user's frame with text column names and rows numbered from 0.

    An index with a name holds something, often the query, and becomes a column.
    """
    copy = frame.reset_index(drop=not any(name is not None for name in frame.index.names))
    copy.columns = pd.Index([one_line(str(c)) for c in copy.columns])
    repeated = copy.columns[copy.columns.duplicated()]
    if len(repeated):
        raise DataError(f"path: two columns of the frame are called {repeated[0]!r}")
    return copy
