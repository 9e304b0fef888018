"""Plain tables and plain JSON: fields are recognised by name, or named by the user."""

from __future__ import annotations

from typing import Any

from ragstats.exceptions import DataError
from ragstats.io.readers.content import Content
from ragstats.io.readers.files import objects
from ragstats.io.readers.options import Options
from ragstats.io.readers.raw import RawTable, flatten, to_frame


def load_table(key: str, content: Content, options: Options) -> RawTable:
    """Return a table as it is; ``options`` are not needed."""
    if content.data.empty:
        raise DataError(f"{content.name}: a header, and no rows")
    return _raw(content, content.data, key)


def load_lines(content: Content, options: Options) -> RawTable:
    """Return one row per line, nested objects as dotted fields; ``options`` are not needed."""
    return _raw(content, _rows(content.data, content.name, "line"), "jsonl")


def load_json(content: Content, options: Options) -> RawTable:
    """Return one row per object of a list; ``options`` are not needed."""
    if isinstance(content.data, dict):
        keys = ", ".join(map(str, list(content.data)[:8]))
        raise DataError(
            f"{content.name}: an object with {keys}; no known format, and not a list of rows"
        )
    return _raw(content, _rows(objects(content.data, content.name), content.name, "entry"), "json")


def _rows(records: list[dict[str, Any]], name: str, what: str) -> Any:
    if not records:
        raise DataError(f"{name}: no rows")
    return to_frame([flatten(r, f"{name}, {what} {n}") for n, r in enumerate(records, start=1)])


def _raw(content: Content, frame: Any, key: str) -> RawTable:
    return RawTable(frame, content.name, key, content.stem, notes=content.notes())
