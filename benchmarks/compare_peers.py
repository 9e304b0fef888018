"""ragstats beside statsmodels, pyfixest, wildboottest and R: time, memory and numbers in one run.

    python benchmarks/compare_peers.py --quick --repeat 3      # statsmodels only, the small sizes
    python benchmarks/compare_peers.py --python ENV/bin/python --write

All fit the same rows, p = 4, on one thread, each in a process of its own; times are of the fit
alone, after a warm-up. A fit is stopped at 60 s or 8 GB, and what is printed then is a lower bound.
The numbers must agree, or the run fails. ``--python`` names an interpreter that has pyfixest and
wildboottest, if this one has not; what is not installed is said to be so. R uses the BLAS that it
finds; a folder in the variable R_LD_LIBRARY_PATH comes first.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
from peers import agreement, catalogue, data, machine
from peers.data import Case
from peers.measure import Limits, Measurement, measure
from peers.table import table, text

RESULTS = Path(__file__).parent / "results"
SIZES = (
    Case(20_000, 1_000),
    Case(100_000, 100),
    Case(100_000, 10_000),
    Case(1_000_000, 10_000),
    Case(1_000_000, 100_000),
    # documents of 1,000 rows, each the same
    Case(20_000, 20, equal=True),
    Case(100_000, 100, equal=True),
    Case(1_000_000, 1_000, equal=True),
)
WARM = Case(1_000, 50)
#: What a full run must show: the most that a fit may take of statsmodels' time, and the least by
#: which two packages of R must be slower where documents have 1,000 rows.
MOST, LEAST = 1.0, 50.0
SLOW_IN_R = ("estimatr CR2 + df (R)", "clubSandwich CR2 + df (R)")


def compare(
    case: Case, keys: list[str], folder: Path, options: argparse.Namespace
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the table of one size, and everything that was measured."""
    rows = data.rows(case)
    folders = [data.write(rows, folder / "rows"), folder / "warm"]
    limits = Limits(options.seconds, options.gigabytes)
    found = measure(keys, folders, options.python, options.repeat, limits)
    differences = agreement.differences(found, agreement.References(rows))
    record = {
        **dataclasses.asdict(case),
        "largest": rows.largest,
        "peers": {k: _record(m, differences.get(k, {})) for k, m in found.items()},
    }
    return table(case, rows.largest, found, differences), record


def _record(measured: Measurement, differences: dict[str, float]) -> dict[str, Any]:
    return {**dataclasses.asdict(measured), "differences": differences}


def missed(rows: pd.DataFrame) -> list[str]:
    """Return in which sizes a goal was missed."""
    said = []
    for (n, k, sizes), part in rows.groupby(["n_rows", "n_groups", "sizes"], sort=False):
        ratio = part.set_index("peer")["ratio"]
        where = f"N = {n:,}, K = {k:,}, {sizes} sizes"
        own = 1 / ratio["statsmodels CR1"]
        if own > MOST:
            said.append(f"{where}: {own:.2f} times as long as statsmodels")
        said += [
            f"{where}: {peer} takes only {ratio[peer]:.0f} times as long"
            for peer in (SLOW_IN_R if sizes == "equal" else ())
            if ratio.get(peer, LEAST) < LEAST
        ]
    return said


def versions(records: list[dict[str, Any]]) -> dict[str, str]:
    """Return the versions that the peers' processes told."""
    told = (m["versions"] for record in records for m in record["peers"].values())
    return {name: version for one in told for name, version in sorted(one.items())}


def write(rows: pd.DataFrame, records: list[dict[str, Any]], options: argparse.Namespace) -> None:
    """Write the table as CSV, and everything as JSON."""
    RESULTS.mkdir(exist_ok=True)
    rows.to_csv(RESULTS / "peers.csv", index=False, float_format="%.6g")
    facts = {
        "measured": time.strftime("%Y-%m-%d"),
        "machine": machine.describe(),
        "versions": versions(records),
        "limits": {"seconds": options.seconds, "gigabytes": options.gigabytes},
        "repeat": options.repeat,
        "threads": 1,
        "columns": len(data.NAMES),
        "sizes": records,
    }
    (RESULTS / "peers.json").write_text(json.dumps(facts, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="statsmodels only, three sizes")
    parser.add_argument("--repeat", type=int, default=5, help="turns of those under 5 s")
    parser.add_argument("--python", default=sys.executable, help="interpreter with the peers")
    parser.add_argument("--peers", nargs="+", choices=catalogue.PEERS, help="only these")
    parser.add_argument("--seconds", type=float, default=Limits().seconds)
    parser.add_argument("--gigabytes", type=float, default=Limits().gigabytes)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}/peers.*")
    options = parser.parse_args()
    keys = options.peers or (["ragstats", "statsmodels"] if options.quick else [*catalogue.PEERS])
    print("p = 4, one thread; ratio: to the first row of a task; diff.: of the numbers (relative,")
    print("of p in Monte Carlo errors); RSS: growth of the resident set; alloc: traced, in MB")
    tables, records = [], []
    with tempfile.TemporaryDirectory(prefix="ragstats-peers-") as folder:
        data.write(data.rows(WARM), Path(folder) / "warm")
        for case in SIZES[:3] if options.quick else SIZES:
            rows, record = compare(case, keys, Path(folder), options)
            tables.append(rows)
            records.append(record)
            print(text(rows), flush=True)
    if options.peers:
        return 0
    everything = pd.concat(tables, ignore_index=True)
    if options.write:
        write(everything, records, options)
    said = missed(everything)
    print("", *said, sep="\n")
    return 0 if options.quick else int(bool(said))  # small sizes on a busy machine prove nothing


if __name__ == "__main__":
    sys.exit(main())
