"""What an engine's failure says: one line, with the file and what to do where that is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragstats.exceptions import DataError

#: Packages whose errors are about the source.
ENGINE_PACKAGES = (
    "duckdb", "_duckdb", "polars", "pyspark", "py4j", "ibis", "psycopg", "pyarrow", "sqlglot",
)  # fmt: skip
#: Words of the errors of full disks, file-size limits and memory limits.
NO_ROOM = ("too large", "no space", "out of memory", "failed to offload", "could not allocate")

Blame = Callable[[], "tuple[str, str] | None"]


def interrupted(error: BaseException) -> bool:
    """Whether an engine reports Ctrl-C as an error of its own."""
    return isinstance(error, RuntimeError) and "interrupted" in str(error).lower()


def of_engine(error: BaseException) -> bool:
    """Whether an error comes from an engine, or from the files under it."""
    package = type(error).__module__.partition(".")[0]
    return package in ENGINE_PACKAGES or isinstance(error, OSError)


def readable(
    error: BaseException, engine: str, files: Sequence[str] = (), blame: Blame | None = None
) -> DataError:
    """Return an engine's error as one line.

    Parameters
    ----------
    error
        What was raised.
    engine : str
        Its name.
    files : sequence of str
        The files that were read; the one in the message is named, or else the first one that
        ``blame`` cannot read.
    blame : callable, optional
        Reads the files one by one and returns the first that fails, with the reason.
    """
    text = str(error)
    said = one_line(error)
    if any(words in text.lower() for words in NO_ROOM):
        return DataError(
            f"data: {engine} had no room for what it must keep by document ({said}); give it more"
            " with Files(paths, memory_limit=…, temp_directory=…), or raise the limit on file"
            " sizes (ulimit -f)"
        )
    named = next((name for name in files if name in text), None)
    if named is None and files and blame is not None:
        found = blame()
        if found is not None:
            named, said = found
    return DataError(f"{named or 'data'}: {engine} could not read it: {said}")


def one_line(error: BaseException) -> str:
    """Return the first line of an error, without its line break and double spaces."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[0].split()) if lines else type(error).__name__
