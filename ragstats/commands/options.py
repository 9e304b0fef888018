"""Options that commands share, and how files become tables and results become output."""

from __future__ import annotations

import glob
import hashlib
import json as jsonlib
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from ragstats.exceptions import DataError, nearest

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV or Parquet, one row per query and system; or a pattern in quotes.",
    ),
]
Doc = Annotated[str, typer.Option(help="Column of document ids.")]
Score = Annotated[str, typer.Option(help="Column of scores.")]
System = Annotated[str | None, typer.Option(help="Column of systems.")]
Query = Annotated[str | None, typer.Option(help="Column of query ids, for pairing.")]
Estimand = Annotated[
    str, typer.Option(help="micro (a random chunk) or macro (a typical document).")
]
Json = Annotated[
    Path | None, typer.Option("--json", help="Write the result as JSON; - for standard output.")
]

#: Readers of CSV-like files → their separator; Parquet has its own.
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_KNOWN = (*_SEPARATORS, ".parquet")


def read_table(path: Path, *, ids: Iterable[str | None] = ()) -> tuple[pd.DataFrame, str]:
    """Read CSV, TSV or Parquet, and return the rows with the SHA-256 of what was read.

    Parameters
    ----------
    path : Path
        The file, or a pattern such as ``scores/*.csv``: then the rows of its files one after the
        other, by name, and the SHA-256 of ``cat``. CSV and TSV may be compressed (.gz).
    ids : iterable of str or None
        Columns that are read as text, so that "007" and "7" stay two ids.

    Raises
    ------
    DataError
        If a file is not there, empty, or not of a known kind, or has other columns than the first.
    """
    paths, digest = _files(path), hashlib.sha256()
    frames: list[pd.DataFrame] = []
    for one in paths:
        frame, content = _read_one(one, ids)
        if frames and set(frame.columns) != set(frames[0].columns):
            odd = next(iter(set(frame.columns) ^ set(frames[0].columns)))
            raise DataError(
                f"FILE={str(path)!r}: {paths[0].name!r} and {one.name!r} have different columns,"
                f" for instance {odd!r}; files of one table have the same"
            )
        frames.append(frame)
        digest.update(content)
    rows = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    return rows, digest.hexdigest()


def _files(path: Path) -> list[Path]:
    """Return the file, or the files of a pattern by name."""
    if path.is_file():
        return [path]
    found = sorted(Path(name) for name in glob.glob(str(path)) if Path(name).is_file())
    if not found:
        pattern = glob.has_magic(str(path))
        raise DataError(f"FILE={str(path)!r} {'fits no file' if pattern else 'is not a file'}")
    return found


def _read_one(path: Path, ids: Iterable[str | None]) -> tuple[pd.DataFrame, bytes]:
    suffix = path.suffixes[-2] if path.suffix == ".gz" and len(path.suffixes) > 1 else path.suffix
    if suffix not in _KNOWN:
        known = ", ".join(_KNOWN)
        raise DataError(
            f"FILE={path.name!r} ends in {suffix!r}{nearest(suffix, _KNOWN)}; {known} are read as"
            " they are, and 'ragstats convert' makes one of them from other formats"
        )
    try:
        content = path.read_bytes()
        if not content.strip():
            raise DataError(f"FILE={path.name!r} is empty")
        frame = _read(path, suffix, ids)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"FILE={path.name!r} cannot be read: {said}") from None
    if frame.empty:
        raise DataError(f"FILE={path.name!r} has a header and no rows")
    return frame, content


def _read(path: Path, suffix: str, ids: Iterable[str | None]) -> pd.DataFrame:
    if suffix == ".parquet":
        return pd.read_parquet(path)
    text = {name: "str" for name in ids if name is not None}
    header = list(
        pd.read_csv(path, sep=_SEPARATORS[suffix], header=None, nrows=1, dtype=str).iloc[0]
    )
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"FILE={path.name!r} has several columns named {twice!r}")
    return pd.read_csv(path, sep=_SEPARATORS[suffix], dtype=text, low_memory=False)


def read_foreign(
    path: Path, format: str, *, doc: str, score: str, system: str | None, query: str | None
) -> tuple[pd.DataFrame, str, str, str | None, str | None]:
    """Read an evaluation program's file; return table, SHA-256, and columns of doc, system, query.

    Raises
    ------
    DataError
        As :func:`ragstats.read_scores`.
    """
    import ragstats as rs

    scores = rs.read_scores(
        path, format=None if format == "auto" else format, doc=doc, score=score, system=system,
        query=query,
    )  # fmt: skip
    for note in scores.notes:
        typer.echo(f"ragstats: {note}", err=True)
    several = "system" in scores.frame and scores.frame["system"].nunique() > 1
    digest = next(iter(scores.sha256.values()), "")
    named = "system" if several else None
    return scores.frame, digest, "doc_id", named, "query_id" if several else None


#: Columns that look like systems.
_SYSTEM_NAMES = ("system", "model", "run", "retriever")


def note_pooled(frame: pd.DataFrame, system: str | None) -> None:
    """Say that systems are pooled when a column looks like them and none was named."""
    if system is not None:
        return
    for column in frame.columns:
        if str(column).lower() in _SYSTEM_NAMES and (count := frame[column].nunique()) > 1:
            typer.echo(
                f"ragstats: the {count} values of {column!r} are pooled into one mean; name the"
                " column with --system to keep them apart",
                err=True,
            )


def say(text: str, result: Any, json: Path | None) -> None:
    """Print a result as text, or write it as JSON.

    With ``--json -`` the JSON alone goes to standard output, for a pipe.
    """
    if json is None:
        typer.echo(text)
        return
    document = jsonlib.dumps(plain(result), indent=2, ensure_ascii=False, allow_nan=False)
    if str(json) == "-":
        typer.echo(document)
        return
    from ragstats.reporting.files import check_place
    from ragstats.writing import write_whole

    check_place(json, "--json")
    write_whole(json, (document + "\n").encode(), "--json")
    typer.echo(text)
    typer.echo(f"wrote {json}", err=True)


def plain(value: Any) -> Any:
    """Return a result as what JSON can hold: NaN and infinities become null."""
    if isinstance(value, dict):
        return {_key(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, pd.DataFrame):
        return plain(value.reset_index().to_dict("records"))
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return str(value)


def _key(key: Any) -> str:
    return " - ".join(map(str, key)) if isinstance(key, tuple) else str(key)
