"""Whether each of several files has the columns that are used.

An engine that unites files by name fills what one of them lacks with missing values, and a file
that it could not make sense of becomes one of a single column. Both would lose rows without a word.
The first line of a text file, or the schema of a Parquet file, settles it for most files; the
engine is asked about the others only.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ragstats.exceptions import DataError

#: What may stand between the cells of a CSV file.
SEPARATORS = (",", "\t", ";", "|")
#: DuckDB's words for a line with too many or too few cells.
_CSV_LINE = re.compile(
    r"CSV Error on Line: (\d+)\s+Original Line: (.*?)\s*\n"
    r"Expected Number of Columns: (\d+) Found: (\d+)",
    re.DOTALL,
)
#: Characters of such a line that are shown, and bytes of a file in which its first lines are.
_LONGEST_LINE, _START = 60, 1 << 16

Columns = Callable[[str], Iterable[str]]


def check_files(
    connection: Any,
    names: Sequence[str],
    kind: str,
    used: Iterable[str],
    united: Iterable[str],
    columns_of: Columns,
) -> None:
    """Raise for the first file that lacks a column that is used.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    names : sequence of str
        The files.
    kind : {"parquet", "csv", "json"}
    used : iterable of str
        The columns; those that no file has are somebody else's error.
    united : iterable of str
        The columns of all files together, as the engine sees them.
    columns_of : callable
        Returns the columns of one file, as the engine sees them.

    Raises
    ------
    DataError
        That names the file, and the columns or the line.
    """
    known = {c.casefold() for c in united}
    wanted = {c.casefold(): c for c in used}
    if kind == "parquet":
        suspects = [n for n in names if not wanted.keys() <= _in_schema(n)]
    else:
        heads = {name: _first_lines(name) for name in names}
        _refuse_empty(heads, kind)
        seen = {n: _in_first_line(h[0], kind, wanted) for n, h in heads.items()}
        suspects = [name for name in names if not wanted.keys() <= seen[name]]
        if kind == "csv" and known - set().union(*seen.values()):
            suspects = list(names)  # a name that stands in no first line: a file was misread
    for name in suspects:
        there = {c.casefold() for c in columns_of(name)}
        lost = [wanted[c] for c in wanted if c not in there]
        if kind == "csv" and lost:
            _refuse_misread(connection, name, heads[name][0], wanted)
        lacking = [c for c in lost if c.casefold() in known]
        if lacking:
            raise lacks(name, lacking, len(names))


def lacks(name: str, columns: Sequence[str], n_files: int) -> DataError:
    """Return the error for a file without some columns."""
    listed = " or ".join(map(repr, columns))
    return DataError(
        f"{name} has no column {listed}, which other files of the {n_files} have; leave the file"
        " out, or give it the column (empty cells are missing values)"
    )


def _in_schema(name: str) -> set[str]:
    """Return the columns of a Parquet file; none where PyArrow cannot tell."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return {str(c).casefold() for c in parquet.read_schema(name).names}
    except (pa.ArrowException, OSError):
        return set()


def _first_lines(name: str) -> tuple[str, str]:
    """Return the first two lines of a text file, compressed or not."""
    import pyarrow as pa

    try:
        with pa.input_stream(name) as stream:
            start = stream.read(_START).decode("utf-8-sig", errors="replace")
    except (pa.ArrowException, OSError):
        return "?", "?"  # the engine will say what is wrong with it
    first, _, rest = start.partition("\n")
    return first.strip("\r"), rest.strip("\r\n").partition("\n")[0]


def _refuse_empty(heads: dict[str, tuple[str, str]], kind: str) -> None:
    for name, (first, second) in heads.items():
        if not (first or second):
            raise DataError(f"{name} is empty; leave it out")
    if kind == "csv" and not any(second for _, second in heads.values()):
        raise DataError(f"data has no rows: {next(iter(heads))} holds its first line only")


def _in_first_line(line: str, kind: str, wanted: Iterable[str]) -> set[str]:
    """Return the columns that the first line names."""
    if kind == "json":
        try:
            first = json.loads(line)
        except ValueError:
            return set()
        return {str(c).casefold() for c in first} if isinstance(first, dict) else set()
    found = [{c.casefold() for c in _cells(line, separator)} for separator in SEPARATORS]
    return next((cells for cells in found if set(wanted) <= cells), set())


def _cells(line: str, separator: str) -> list[str]:
    return [c.strip() for c in next(csv.reader([line], delimiter=separator), [])]


def _refuse_misread(connection: Any, name: str, first: str, wanted: Iterable[str]) -> None:
    """Raise, with the line, for a file whose first line names every column and was not believed."""
    for separator in SEPARATORS:
        cells = _cells(first, separator)
        if not set(wanted) <= {c.casefold() for c in cells}:
            continue
        said = _strictly_read(connection, name, separator, cells)
        if said is not None:
            raise DataError(f"{name}: {said}")


def _strictly_read(
    connection: Any, name: str, separator: str, columns: Sequence[str]
) -> str | None:
    """Read a CSV file as its first line says, and return what is wrong with it."""
    import duckdb

    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(columns)))
    query = (
        "SELECT count(COLUMNS(*)) FROM read_csv(?, auto_detect=false, header=true, quote='\"',"
        f" delim='{separator}', columns={{{types}}})"
    )
    try:
        connection.execute(query, [name]).fetchall()
    except duckdb.Error as error:
        found = _CSV_LINE.search(str(error))
        if found is None:
            return str(error).splitlines()[0]
        number, line, expected, cells = found.groups()
        shown = line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"
        return f"the first line has {expected} cells and line {number}, {shown!r}, has {cells}"
    return None
