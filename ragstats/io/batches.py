"""The rows of an engine, batch by batch, for terms that only patsy can evaluate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pandas as pd

#: Rows per batch.
BATCH_ROWS = 100_000


#: How narwhals' names of engines are written, and the package whose version is told.
_ENGINES = {"duckdb": ("DuckDB", "duckdb"), "polars": ("Polars (lazy)", "polars"),
            "pyspark": ("PySpark", "pyspark"), "pyspark[connect]": ("PySpark Connect", "pyspark"),
            "ibis": ("Ibis", "ibis-framework")}  # fmt: skip


def engine_name(frame: Any) -> str:
    """Return the engine and its version."""
    given = str(frame.implementation)
    name, package = _ENGINES.get(given, (given, given))
    if given == "ibis":
        name = f"{frame.to_native().get_backend().name} through Ibis"
    try:
        return f"{name} {version(package)}"
    except PackageNotFoundError:
        return name


def cut(frame: Any) -> Callable[[list[str] | None], Iterator[Any]]:
    """Return what reads the rows of an engine in batches."""

    def batches(columns: list[str] | None) -> Iterator[Any]:
        chosen = frame if columns is None else frame.select(*columns)
        native, implementation = chosen.to_native(), frame.implementation
        if implementation.is_duckdb():
            return iter(native.to_arrow_reader(BATCH_ROWS))
        if implementation.is_polars():
            return iter(native.collect_batches(chunk_size=BATCH_ROWS))
        if implementation.is_ibis():
            return _ibis_batches(native)
        return _spark_batches(native)

    return batches


def _ibis_batches(native: Any) -> Iterator[Any]:
    if native.get_backend().name == "duckdb":
        # Ibis 12 reads batches through a method that DuckDB 2 no longer has; the columns of the
        # formula in one table is what remains (a relation of DuckDB itself comes in batches).
        return iter(native.to_pyarrow().to_batches(BATCH_ROWS))
    return iter(native.to_pyarrow_batches(chunk_size=BATCH_ROWS))


def _spark_batches(native: Any) -> Iterator[pd.DataFrame]:
    """Bring the rows of a Spark frame to the driver, one partition in memory at a time."""
    rows: list[Any] = []
    for row in native.toLocalIterator(prefetchPartitions=True):
        rows.append(tuple(row))
        if len(rows) == BATCH_ROWS:
            yield pd.DataFrame(rows, columns=native.columns)
            rows = []
    if rows:
        yield pd.DataFrame(rows, columns=native.columns)
