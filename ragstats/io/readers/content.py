"""A file opened just far enough to see its shape: table, JSON, JSON lines, text or archive."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ragstats.io.readers.files import (
    parse_json,
    parse_json_lines,
    read_text,
    starts_with,
    text_lines,
)
from ragstats.io.readers.options import Options
from ragstats.io.readers.tables import end_note, from_frame, read_delimited, read_parquet

ZIP, PARQUET, JSON, LINES, TEXT, TABLE = "zip", "parquet", "json", "jsonl", "text", "table"
FRAME = "frame"

JSON_ENDINGS = (".json", ".json.gz")
LINES_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


@dataclass(frozen=True, slots=True)
class Content:
    """A file and its shape.

    ``data`` is the parsed value of JSON, the list of objects of JSON lines, the frame of a
    table in memory or in Parquet; ``text`` is the decoded text of everything else.
    """

    name: str
    shape: str
    path: Path | None = None
    text: str = ""
    data: Any = None

    @property
    def stem(self) -> str:
        """The file name without its endings: the system's name where nothing else gives one."""
        stem = self.name
        for ending in (".gz", *JSON_ENDINGS, *LINES_ENDINGS, ".csv", ".tsv", ".txt", ".parquet"):
            stem = stem.removesuffix(ending)
        for ending in (".eval", ".run", ".trec", ".res"):
            stem = stem.removesuffix(ending)
        return stem or self.name

    def table(self, options: Options) -> Content:
        """Return the content as a table, cells as written."""
        if self.shape in (TABLE, PARQUET, FRAME):
            return self
        tab = "\t" if self.name.endswith((".tsv", ".tsv.gz")) else None
        frame = read_delimited(self.text, self.name, options.delimiter or tab)
        return Content(self.name, TABLE, self.path, self.text, frame)

    def notes(self) -> tuple[str, ...]:
        """Return what is odd about the file as such."""
        return end_note(self.text, self.name) if self.shape in (TABLE, TEXT, LINES) else ()


def open_file(path: Path, encoding: str | None) -> Content:
    """Return a file's content with its shape, by its first bytes rather than its name."""
    if starts_with(path, b"PK\x03\x04") or path.suffix == ".eval":
        return Content(path.name, ZIP, path)
    if starts_with(path, b"PAR1") or path.suffix == ".parquet":
        return Content(path.name, PARQUET, path, data=read_parquet(path))
    text = read_text(path, encoding)
    first = text.lstrip()[:1]
    if first not in ("{", "["):
        text_lines(text, path.name)
        return Content(path.name, TEXT, path, text)
    if _is_lines(text, path.name, first):
        lines = text_lines(text, path.name)
        return Content(path.name, LINES, path, text, parse_json_lines(lines, path.name))
    return Content(path.name, JSON, path, text, parse_json(text, path.name))


def _is_lines(text: str, name: str, first: str) -> bool:
    if first == "[":
        return False
    if name.endswith(LINES_ENDINGS):
        return True
    head, _, rest = text.strip().partition("\n")
    # An object that ends on its own line, with another one after it.
    return head.rstrip().endswith("}") and rest.lstrip().startswith("{")


def open_frame(frame: pd.DataFrame) -> Content:
    """Return a frame in memory as content."""
    return Content("frame", FRAME, data=from_frame(frame))
