"""Writing files whole: what stands under the name is the old file or the new one, never a half."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragstats.exceptions import DataError


def written(text: str, path: str | os.PathLike[str] | None, argument: str) -> str:
    """Return the text, after writing it to ``path`` if there is one."""
    if path is not None:
        write_whole(Path(path), text.encode(), argument)
    return text


def write_whole(path: Path, content: bytes, argument: str) -> None:
    """Write a file beside its place, and move it there when it is complete.

    Raises
    ------
    DataError
        If it cannot be written, naming the argument.
    """
    with naming(argument, path):
        if path.exists() and not path.is_file():
            path.write_bytes(content)  # a pipe or a device has no old content to keep
            return
        place = path.resolve()
        beside = place.with_name(f".{place.name}.{os.getpid()}.part")
        try:
            beside.write_bytes(content)
            beside.replace(place)
        finally:
            beside.unlink(missing_ok=True)


def check_place(path: Path, argument: str) -> None:
    """Raise, before any work is done, for a place where no file can be."""
    if path.is_dir():
        raise DataError(f"{argument}={str(path)!r} is a folder; give the name of a file")
    folder = path.resolve().parent
    if not path.exists() and not folder.is_dir():
        raise DataError(f"{argument}={str(path)!r}: there is no folder {str(folder)!r}")


@contextmanager
def naming(argument: str, path: Path) -> Iterator[None]:
    """Turn an error of the file system into one line that names the argument."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{argument}={str(path)!r} cannot be written: {why}") from None
