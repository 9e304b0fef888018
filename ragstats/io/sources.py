"""Where rows come from: frames, batches, files, engines; one object for all of them.

``open_source`` is a context manager, because files are read through an engine of our own whose
temporary directory goes when the block ends, on Ctrl-C too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from ragstats.exceptions import DataError
from ragstats.io.batches import cut, engine_name
from ragstats.io.engine_errors import Blame, interrupted, of_engine, readable
from ragstats.io.files import Files, as_files, open_files
from ragstats.io.query import Query


@dataclass
class Source:
    """Rows, wherever they are.

    Attributes
    ----------
    name : str
        What the result says: the engine and its version, or the kind of batches.
    lazy : narwhals.LazyFrame or None
        What an engine computes on; None where rows come in batches.
    batches : callable
        ``batches(columns)`` iterates over native frames of those columns (all for None).
    rereadable : bool
        Whether the rows can be read more than once.
    files : tuple of str
        The files, for errors that name one.
    blame : callable or None
        Returns the first file that cannot be read, with the reason.
    with_text : callable
        Returns the first file in which a column holds text.
    check : callable
        Raises for the first file that lacks one of some columns.
    """

    name: str
    lazy: Any
    batches: Callable[[list[str] | None], Iterator[Any]]
    rereadable: bool
    files: tuple[str, ...] = ()
    blame: Blame | None = None
    with_text: Callable[[str], str | None] = lambda column: None
    check: Callable[[Sequence[str]], None] = lambda used: None
    passes: int = 0
    _first: Any = field(default=None, repr=False)

    def text_in(self, column: str) -> str | None:
        """Return where a column holds text, as far as that is worth a word."""
        if self.lazy is not None:
            return self.with_text(column)
        first = self.first()
        empty = column in first.columns and first[column].null_count() == len(first)
        return "the first chunk, where it has no value (give its type there)" if empty else None

    def frames(self, columns: list[str] | None = None) -> Iterator[tuple[str, Any]]:
        """Iterate over batches with rows, as eager narwhals frames, each with its name."""
        self.passes += 1
        for number, native in enumerate(self.batches(columns), start=1):
            frame = eager(native, f"chunk {number}")
            if len(frame):
                yield f"chunk {number}", frame

    def schema(self) -> dict[str, Any]:
        """Return the columns and their dtypes, of the first batch with rows where there are many.

        Raises
        ------
        DataError
            If there is no row to tell them from.
        """
        if self.lazy is not None:
            return dict(self.lazy.collect_schema())
        return {name: _with_order(self.first(), name) for name in self.first().columns}

    def first(self) -> Any:
        """Return the first batch with rows."""
        if self._first is None:
            iterator = self.batches(None)
            skipped = []
            for number, native in enumerate(iterator, start=1):
                skipped.append(native)
                frame = eager(native, f"chunk {number}")
                if len(frame):
                    self._first = frame
                    break
            else:
                raise DataError("data has no rows")
            if not self.rereadable:
                rest = iterator
                self.batches = _once(lambda: chain(skipped, rest))
        return self._first


def _with_order(frame: Any, name: str) -> Any:
    """Return a column's dtype; that of a categorical one with its levels in their order."""
    dtype = frame.schema[name]
    if isinstance(dtype, nw.Categorical):
        return nw.Enum([str(level) for level in frame[name].cat.get_categories().to_list()])
    return dtype


def _once(make: Callable[[], Iterable[Any]]) -> Callable[[list[str] | None], Iterator[Any]]:
    """Return batches that can be read one more time."""
    left = [make]

    def batches(columns: list[str] | None) -> Iterator[Any]:
        if not left:
            raise ValueError("data: an iterator was read to its end and cannot be read again")
        return iter(left.pop()())

    return batches


def eager(native: Any, where: str) -> Any:
    """Return one batch as an eager narwhals frame.

    Raises
    ------
    TypeError
        If it is not a table of rows.
    """
    import pyarrow as pa

    if isinstance(native, pa.RecordBatch):
        native = pa.Table.from_batches([native])
    if isinstance(native, dict):
        native = pd.DataFrame(native)
    try:
        return nw.from_native(native, eager_only=True)
    except TypeError:
        raise TypeError(
            f"data: {where} is a {type(native).__name__}; give pandas, polars or pyarrow tables, or"
            " Arrow record batches"
        ) from None


def is_streamed(data: Any) -> bool:
    """Whether data are a source other than one eager frame: then sums travel, not rows."""
    if isinstance(data, (pd.DataFrame, pd.Series, np.ndarray, dict)):
        return False
    if isinstance(data, (Query, Files, str, Path)):
        return True
    try:
        return isinstance(nw.from_native(data), nw.LazyFrame)
    except TypeError:
        return isinstance(data, Iterable) or hasattr(data, "to_batches")


@contextlib.contextmanager
def open_source(data: Any) -> Iterator[Source]:
    """Open whatever holds rows.

    Parameters
    ----------
    data
        A frame; an iterator or iterable of frames or Arrow batches; a path, a glob or a list of
        paths (CSV, Parquet, JSON lines); :class:`Files`; :class:`Query`; a DuckDB relation; a
        PySpark, Polars lazy or Ibis frame.

    Raises
    ------
    TypeError
        If it is none of these.
    DataError
        If the engine fails, in one line that names the file where there is one.

    Examples
    --------
    >>> import pandas as pd
    >>> from ragstats.io.sources import open_source
    >>> with open_source([pd.DataFrame({"y": [1.0]}), pd.DataFrame({"y": [0.0]})]) as source:
    ...     source.name, source.rereadable, sum(len(f) for _, f in source.frames())
    ('record batches', True, 2)
    """
    with contextlib.ExitStack() as stack:
        source = None
        try:
            source = _source(data, stack)
            yield source
        except Exception as error:
            if interrupted(error):
                raise KeyboardInterrupt from None
            if isinstance(error, DataError) or not of_engine(error):
                raise
            if source is None:
                raise readable(error, "the engine") from None
            raise readable(error, source.name, source.files, source.blame) from None


def _source(data: Any, stack: contextlib.ExitStack) -> Source:
    if isinstance(data, Query):
        data = data.frame()
    files = as_files(data)
    if files is not None:
        return _from_files(files, stack)
    if isinstance(data, (pd.DataFrame, dict)):
        return Source("pandas", None, lambda columns: iter([data]), rereadable=True)
    try:
        frame = nw.from_native(data)
    except TypeError:
        return _from_batches(data)
    if isinstance(frame, nw.LazyFrame):
        return Source(engine_name(frame), frame, cut(frame), rereadable=True)
    return Source(str(frame.implementation), None, lambda columns: iter([data]), rereadable=True)


def _from_files(files: Files, stack: contextlib.ExitStack) -> Source:
    opened = open_files(files, stack)
    if opened.relation is None:
        return Source(
            "PyArrow (duckdb is not installed)", None, opened.batches, True,
            opened.names, opened.blame,
        )  # fmt: skip
    frame = nw.from_native(opened.relation)
    return Source(
        engine_name(frame), frame, cut(frame), True,
        opened.names, opened.blame, opened.with_text, opened.check,
    )  # fmt: skip


def _from_batches(data: Any) -> Source:
    """Take an iterable of batches, read once or as often as it can be."""
    if hasattr(data, "to_batches") and hasattr(data, "schema"):  # a pyarrow dataset
        return Source(
            "PyArrow dataset",
            None,
            lambda columns: iter(data.to_batches(columns=columns)),
            rereadable=True,
        )
    try:
        iterator = iter(data)
    except TypeError:
        raise TypeError(
            f"data is a {type(data).__name__}; give a frame, an iterable of frames or Arrow"
            " batches, a path, a DuckDB relation, a PySpark, Polars lazy or Ibis frame, or"
            " Query(sql)"
        ) from None
    if iterator is data:
        return Source("record batches", None, _once(lambda: iterator), rereadable=False)
    return Source("record batches", None, lambda columns: iter(data), rereadable=True)
