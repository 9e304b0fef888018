"""Many rows in Parquet, one call: wall time, peak memory, and the ratio to DuckDB's own GROUP BY.

    python benchmarks/billion_rows.py                       # 100 million rows, 1 million documents
    python benchmarks/billion_rows.py --rows 10_000_000     # a tenth of it, 100 rows per document

Rows are written in pieces, documents spread over all of them (the hard case for an aggregation).
Each measurement runs in a process of its own; the two are taken in turns, and the best of each
counts. The fit is CR2 with Satterthwaite df of ``y ~ system + x1 + x2`` (p = 4, two systems).
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

#: Bytes of one row in the files, and the limits of the issue.
BYTES_PER_ROW, PEAK_LIMIT, RATIO_LIMIT = 24, 2.0, 6.0

FIT = """
import json, resource, sys, time
start = time.perf_counter()
from ragstats.io.files import Files
from ragstats.models.streamed import streamed_ols
imported = time.perf_counter()
files = Files(sys.argv[1], threads=int(sys.argv[2]))
results = streamed_ols("y ~ system + x1 + x2", files, groups="doc").fit()
table = results.coef_table()
seconds = time.perf_counter() - imported
print(json.dumps({
    "seconds": seconds, "imports": imported - start,
    "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2,
    "documents": results.n_groups, "rows": results.nobs, "way": str(results.computed_by),
    "table": table.to_string(float_format="%.6g"),
}))
"""
GROUP_BY = """
import json, resource, sys, time
import duckdb
connection = duckdb.connect(config={"threads": int(sys.argv[2])})
start = time.perf_counter()
query = f"SELECT doc, count(*), sum(y) FROM read_parquet('{sys.argv[1]}') GROUP BY doc"
rows = connection.sql(query).to_arrow_table().num_rows
print(json.dumps({
    "seconds": time.perf_counter() - start, "documents": rows,
    "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2,
}))
"""


def generate(folder: Path, rows: int, documents: int) -> str:
    """Write the rows in pieces of 5 million, and return their glob."""
    piece = 5_000_000
    for start in range(0, rows, piece):
        stop = min(start + piece, rows)
        duckdb.connect(config={"threads": 2}).execute(
            f"""COPY (
                SELECT (hash(range) % {documents})::BIGINT AS doc,
                       CASE WHEN hash(range + 7) % 2 = 0 THEN 'bm25' ELSE 'dense' END AS system,
                       1 + 3 * random() AS x1, random() AS x2,
                       (random() < 0.3)::DOUBLE AS y
                FROM range({start}, {stop})
            ) TO '{folder}/piece{start // piece:04d}.parquet' (FORMAT parquet)"""
        )
    return f"{folder}/piece*.parquet"


def measure(script: str, pattern: str, threads: int) -> dict[str, object]:
    """Run a script in a process of its own and return what it measured."""
    command = [sys.executable, "-c", script, pattern, str(threads)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(output.splitlines()[-1]))


def _times(measured: list[dict[str, object]]) -> str:
    return ", ".join(f"{m['seconds']:.1f}" for m in measured)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--documents", type=int, help="default: one per 100 rows")
    parser.add_argument("--folder", help="keep the files there; default: a temporary folder")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    documents = options.documents or max(options.rows // 100, 2)
    with tempfile.TemporaryDirectory(prefix="ragstats-rows-") as temporary:
        folder = Path(options.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        pattern = f"{folder}/piece*.parquet"
        if not list(folder.glob("piece*.parquet")):
            needed, free = options.rows * BYTES_PER_ROW * 1.2, shutil.disk_usage(folder).free
            if needed > free:
                print(f"{folder}: {needed / 1e9:.1f} GB needed, {free / 1e9:.1f} GB free")
                return 1
            start = time.perf_counter()
            generate(folder, options.rows, documents)
            print(f"{options.rows:,} rows written in {time.perf_counter() - start:.0f} s")
        plain, fits = [], []
        for _ in range(options.repeat):
            plain.append(measure(GROUP_BY, pattern, options.threads))
            fits.append(measure(FIT, pattern, options.threads))
    fit = min(fits, key=lambda m: m["seconds"])
    base = min(m["seconds"] for m in plain)
    peak, ratio = max(m["peak"] for m in fits), fit["seconds"] / base
    print(fit["table"])
    print(f"{fit['rows']:,.0f} rows, {fit['documents']:,} documents: {fit['way']}")
    print(f"DuckDB's GROUP BY {base:.1f} s (each time: {_times(plain)})")
    print(f"one call          {fit['seconds']:.1f} s (each time: {_times(fits)})")
    print(f"imports           {fit['imports']:.1f} s more")
    print(f"ratio             {ratio:.1f} (at most {RATIO_LIMIT:g})")
    print(f"peak memory       {peak:.2f} GiB (at most {PEAK_LIMIT:g})")
    return int(ratio > RATIO_LIMIT or peak > PEAK_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
