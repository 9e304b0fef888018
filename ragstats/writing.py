"""Writing files whole: what stands under the name is the old file or the new one, never a half."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragstats.exceptions import DataError


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


@contextmanager
def naming(argument: str, path: Path) -> Iterator[None]:
    """Turn an error of the file system into one line that names the argument."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{argument}={str(path)!r} cannot be written: {why}") from None
