"""One fit and one joint test of up to two million documents: seconds, and memory linear in K.

    python benchmarks/many_documents.py [--write]

Four rows per document on average, p = 4, all in memory: CR2, Satterthwaite df, AHT test of three
coefficients. Each size is fitted by a process of its own. With --write, the table is committed
together with the machine, which is that of ``compare_peers.py``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import pandas as pd
from peers import data
from peers.data import NAMES, Case
from peers.measure import Limits, measure

DOCUMENTS = (250_000, 500_000, 1_000_000, 2_000_000)
ROWS_EACH = 4
#: Growth of memory from one K to twice as many that still counts as linear.
LINEAR = 2.2


def run(n_groups: int, folder: Path, repeat: int) -> dict[str, float]:
    """Return seconds, and memory beyond the data, for K documents."""
    rows = data.rows(Case(ROWS_EACH * n_groups, n_groups))
    size = rows.design.nbytes + rows.outcome.nbytes + rows.groups.nbytes
    folders = [data.write(rows, folder / "rows"), folder / "warm"]
    del rows
    limits = Limits(seconds=600, gigabytes=12)
    keys = ("ragstats", "ragstats-joint")
    found = measure(keys, folders, sys.executable, repeat, limits, slow=limits.seconds)
    fit, both = (found[key] for key in keys)
    return {
        "K": n_groups,
        "N": ROWS_EACH * n_groups,
        "p": len(NAMES),
        "data_mb": size / 2**20,
        "fit_seconds": fit.median,
        "fit_mb": fit.memory,
        "fit_and_test_seconds": both.median,
        "fit_and_test_mb": both.memory,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write results/many_documents.csv")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragstats-documents-") as folder:
        data.write(data.rows(Case(1_000, 50)), Path(folder) / "warm")
        rows = []
        for n_groups in DOCUMENTS:
            rows.append(run(n_groups, Path(folder), options.repeat))
            print({name: round(value, 2) for name, value in rows[-1].items()}, flush=True)
    table = pd.DataFrame(rows)
    if options.write:
        path = Path(__file__).parent / "results" / "many_documents.csv"
        table.to_csv(path, index=False, float_format="%.4g")
    growth = table["fit_and_test_mb"] / table["fit_and_test_mb"].shift()
    print("memory of twice as many documents:", *growth.dropna().round(2))
    return int((growth > LINEAR).any())


if __name__ == "__main__":
    sys.exit(main())
