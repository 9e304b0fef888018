"""Scored rows in files: DuckDB where it is installed, PyArrow's record batches where it is not."""

from __future__ import annotations

import contextlib
import glob
import importlib.util
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragstats.exceptions import DataError
from ragstats.io.engine_errors import Blame, of_engine, one_line, readable
from ragstats.io.file_columns import check_files, lacks

#: Suffix → format; a compression suffix may follow.
FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
COMPRESSED = (".gz", ".zst")
#: Cells of a CSV file that mean "missing", as pandas reads them.
NOT_THERE = ("", "NA", "N/A", "n/a", "<NA>", "NaN", "nan", "NULL", "null", "None", "#N/A")


@dataclass(frozen=True)
class Files:
    """Files of scored rows, with what their engine may use.

    A path, a glob or a list of paths can be given as it is; this adds the limits.

    Parameters
    ----------
    paths : str, Path or sequence of them
        Files, globs (``**`` too) or folders of Parquet files; all of one format.
    memory_limit : str, optional
        Of DuckDB, for instance ``"1GB"``; it spills what does not fit.
    threads : int, optional
        Of DuckDB.
    temp_directory : str or Path, optional
        Where DuckDB may spill, in a folder of its own that is removed afterwards; by default the
        system's folder of temporary files.

    Examples
    --------
    >>> from ragstats.io.files import Files
    >>> Files("scores/*.parquet", memory_limit="1GB").memory_limit
    '1GB'
    """

    paths: Any
    memory_limit: str | None = None
    threads: int | None = None
    temp_directory: str | Path | None = None


@dataclass(frozen=True)
class OpenFiles:
    """Files that are ready to be read: a DuckDB relation, or batches."""

    names: tuple[str, ...]
    relation: Any
    batches: Callable[[list[str] | None], Iterator[Any]]
    blame: Blame | None = None
    with_text: Callable[[str], str | None] = lambda column: None
    check: Callable[[Sequence[str]], None] = lambda used: None


def as_files(data: Any) -> Files | None:
    """Return paths as :class:`Files`; None for anything else."""
    if isinstance(data, Files):
        return data
    if isinstance(data, (str, Path)):
        return Files(data)
    if isinstance(data, (list, tuple)) and data and all(isinstance(d, (str, Path)) for d in data):
        return Files(data)
    return None


def open_files(files: Files, stack: contextlib.ExitStack) -> OpenFiles:
    """Open files with DuckDB, or with PyArrow where DuckDB is not installed.

    Raises
    ------
    DataError
        If no file matches, or one cannot be read; the file is named.
    """
    names = find(files.paths)
    kind = _common_format(names)
    if importlib.util.find_spec("duckdb") is None:
        return OpenFiles(names, None, lambda columns: _arrow_batches(names, kind, columns))
    connection = _connect(files, stack)

    def blame() -> tuple[str, str] | None:
        return _first_broken(connection, names, kind)

    try:
        relation = _relation(connection, names, kind)
    except Exception as error:
        if not of_engine(error):
            raise
        raise readable(error, "DuckDB", names, blame) from None

    def with_text(column: str) -> str | None:
        return _first_with_text(connection, names, kind, column)

    def columns_of(name: str) -> list[str]:
        return list(_relation(connection, [name], kind).columns)

    def check(used: Sequence[str]) -> None:
        check_files(connection, names, kind, used, relation.columns, columns_of)

    return OpenFiles(names, relation, lambda columns: iter(()), blame, with_text, check)


def find(paths: Any) -> tuple[str, ...]:
    """Return the files of paths, globs and folders, sorted.

    Raises
    ------
    DataError
        If one of them matches nothing.
    """
    given: Iterable[Any] = [paths] if isinstance(paths, (str, Path)) else paths
    found: list[str] = []
    for path in map(str, given):
        if not path:
            raise DataError("data='' names no file; give a path, a glob or a folder")
        if Path(path).is_dir():
            matched = sorted(map(str, Path(path).rglob("*.parquet")))
        elif Path(path).exists():
            matched = [path]
        else:
            matched = sorted(p for p in glob.glob(path, recursive=True) if Path(p).is_file())
        if not matched:
            what = "holds no Parquet file" if Path(path).is_dir() else "matches no file"
            raise DataError(f"data={path!r} {what}")
        found += matched
    return tuple(dict.fromkeys(found))


def _common_format(names: Sequence[str]) -> str:
    kinds = {_format(name): name for name in names}
    if len(kinds) > 1:
        listed = " and ".join(f"{Path(name).name} ({kind})" for kind, name in kinds.items())
        raise DataError(
            f"data: the files are of {len(kinds)} formats, {listed}; read one at a time"
        )
    return next(iter(kinds))


def _format(name: str) -> str:
    path = Path(name)
    suffix = Path(path.stem).suffix if path.suffix in COMPRESSED else path.suffix
    if suffix.lower() not in FORMATS:
        raise DataError(
            f"data={name!r}: the suffix {suffix!r} is none of {', '.join(FORMATS)}; logs of"
            " evaluators are read by rs.read"
        )
    return FORMATS[suffix.lower()]


def _connect(files: Files, stack: contextlib.ExitStack) -> Any:
    """Open a DuckDB of our own, whose spilled pages go when the block ends."""
    import duckdb

    folder = stack.enter_context(
        tempfile.TemporaryDirectory(
            prefix="ragstats-", dir=files.temp_directory, ignore_cleanup_errors=True
        )
    )
    config: dict[str, Any] = {"temp_directory": folder}
    if files.memory_limit is not None:
        config["memory_limit"] = files.memory_limit
    if files.threads is not None:
        config["threads"] = files.threads
    try:
        connection = duckdb.connect(config=config)
    except duckdb.Error as error:
        raise DataError(f"Files: {one_line(error)}") from None
    stack.callback(connection.close)
    # Sums do not depend on the order of the rows, and keeping it costs memory.
    connection.execute("SET preserve_insertion_order = false")
    # Notebooks show a bar; those without ipywidgets have none, and DuckDB refuses to be told so.
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall() == [(True,)]:
        connection.execute("SET enable_progress_bar = false")
    return connection


def _relation(connection: Any, names: Sequence[str], kind: str) -> Any:
    listed = list(names)
    if kind == "parquet":
        return connection.read_parquet(listed, union_by_name=True)
    if kind == "csv":
        options = {"sep": "\t"} if Path(names[0]).suffixes[:1] == [".tsv"] else {}
        return connection.read_csv(
            listed, na_values=list(NOT_THERE), sample_size=-1, union_by_name=True, **options
        )
    return connection.read_json(listed, sample_size=-1, union_by_name=True)


def _first_broken(connection: Any, names: Sequence[str], kind: str) -> tuple[str, str] | None:
    """Read the files one by one until one fails, and say why it does."""
    import duckdb

    for name in names:
        try:
            reader = _relation(connection, [name], kind).to_arrow_reader(100_000)
            for _ in reader:
                pass
        except (duckdb.Error, OSError) as error:
            return name, one_line(error)
    return None


def _first_with_text(connection: Any, names: Sequence[str], kind: str, column: str) -> str | None:
    for name in names:
        relation = _relation(connection, [name], kind)
        types = dict(zip(relation.columns, map(str, relation.types), strict=True))
        if types.get(column) in ("VARCHAR", "JSON"):
            return name
    return None


def _arrow_batches(names: Sequence[str], kind: str, columns: list[str] | None) -> Iterator[Any]:
    """Read the files one after the other, so that a broken one has a name."""
    from pyarrow import ArrowException, dataset

    for name in names:
        try:
            opened = dataset.dataset(name, format=kind)
            lacking = [c for c in columns or () if c not in opened.schema.names]
            if lacking:
                raise lacks(name, lacking, len(names))
            yield from opened.to_batches(columns=columns)
        except (ArrowException, OSError) as error:
            raise DataError(f"{name}: PyArrow could not read it: {one_line(error)}") from None
