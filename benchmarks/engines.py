"""The same formula on every engine that is there: times side by side, and how far they differ.

    python benchmarks/engines.py [--rows 1_000_000] [--documents 10_000] [--postgres URL]

Rows are read from one Parquet file (PostgreSQL: from a table ``scores`` with its columns, filled
beforehand); frames are loaded before the clock starts. Spark and PostgreSQL are left out where they
are not installed or not named.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ragstats as rs
from ragstats.models.streamed import streamed_ols

FORMULA = "y ~ system * np.log(x) + z"


def rows(n_rows: int, n_documents: int) -> pd.DataFrame:
    """Return scores of two systems in documents of unequal sizes."""
    rng = np.random.default_rng(n_rows)
    weights = rng.pareto(1.5, n_documents) + 0.2
    documents = rng.choice(n_documents, n_rows, p=weights / weights.sum())
    effect = rng.normal(size=n_documents)[documents]
    return pd.DataFrame(
        {
            "doc": documents,
            "system": rng.choice(["bm25", "dense"], n_rows),
            "x": rng.gamma(2, 50, n_rows) + 1,
            "z": rng.normal(1950, 5, n_rows),
            "y": (rng.random(n_rows) < 1 / (1 + np.exp(-0.3 * effect))).astype(float),
        }
    )


def sources(path: Path, frame: pd.DataFrame, postgres: str | None) -> dict[str, Callable[[], Any]]:
    """Return what makes each source, by its name; only those that can be imported."""
    chunk = 100_000
    found: dict[str, Callable[[], Any]] = {
        "pandas, in batches": lambda: (frame[i : i + chunk] for i in range(0, len(frame), chunk))
    }
    try:
        import duckdb

        found["Parquet, DuckDB"] = lambda: str(path)
        connection = duckdb.connect()
        connection.execute(f"CREATE TABLE scores AS SELECT * FROM '{path}'")
        found["DuckDB table"] = lambda: connection.table("scores")
    except ImportError:
        pass
    try:
        import polars

        found["Parquet, Polars lazy"] = lambda: polars.scan_parquet(path)
    except ImportError:
        pass
    try:
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
        found["Parquet, Spark (warm)"] = lambda: session.read.parquet(str(path))
    except ImportError:
        pass
    if postgres is not None:
        import ibis

        table = ibis.connect(postgres).table("scores")
        found["PostgreSQL table"] = lambda: table
    return found


def timed(function: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """Return the best time and the last result."""
    best, result = np.inf, None
    for _ in range(repeat):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return best, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--postgres", help="for instance postgres://user@127.0.0.1:5432/scores")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    frame = rows(options.rows, options.documents)
    with tempfile.TemporaryDirectory(prefix="ragstats-engines-") as folder:
        path = Path(folder, "scores.parquet")
        frame.to_parquet(path, index=False)
        seconds, memory = timed(lambda: rs.ols(FORMULA, frame, groups="doc").fit(), options.repeat)
        print(f"{FORMULA}, {options.rows:,} rows, {options.documents:,} documents\n")
        way = "one factorization of the rows"
        print(f"{'source':26s} {'seconds':>8s} {'largest relative difference':>28s}  way")
        print(f"{'pandas, rows in memory':26s} {seconds:8.2f} {'':>28s}  {way}")
        for name, make in sources(path, frame, options.postgres).items():
            seconds, fit = timed(
                lambda make=make: streamed_ols(FORMULA, make(), groups="doc").fit(), options.repeat
            )
            gap = max(
                float(np.abs(getattr(fit, what) / getattr(memory, what) - 1).max())
                for what in ("params", "bse", "df_inference")
            )
            print(f"{name:26s} {seconds:8.2f} {gap:28.1e}  {fit.computed_by}", flush=True)


if __name__ == "__main__":
    main()
