"""Where reports go: text into a file, and places where a file can be."""

from __future__ import annotations

import os
from pathlib import Path

from ragstats.exceptions import DataError
from ragstats.writing import write_whole


def written(text: str, path: str | os.PathLike[str] | None, argument: str) -> str:
    """Return the text, after writing it to ``path`` if there is one."""
    if path is not None:
        write_whole(Path(path), text.encode(), argument)
    return text


def check_place(path: Path, argument: str) -> None:
    """Raise, before any work is done, for a place where no file can be."""
    if path.is_dir():
        raise DataError(f"{argument}={str(path)!r} is a folder; give the name of a file")
    folder = path.resolve().parent
    if not path.exists() and not folder.is_dir():
        raise DataError(f"{argument}={str(path)!r}: there is no folder {str(folder)!r}")
