"""ragstats CR2 with df against statsmodels' cluster covariance, side by side in one run.

    python benchmarks/compare_peers.py [--quick] [--repeat 5]

Both fit the same arrays with the same integer document ids. Printed are the ratios of the median
wall times, of the peaks of traced allocations beyond the data (tracemalloc), and of the resident
set (RSS) of a fresh process that does nothing else.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import subprocess
import sys
import time
import tracemalloc

import numpy as np

SIZES = (
    (20_000, 1_000),
    (100_000, 100),
    (100_000, 10_000),
    (1_000_000, 10_000),
    (1_000_000, 100_000),
)
P = 4


def data(n_rows: int, n_groups: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return outcome, design (constant, an indicator, two covariates) and ids, sizes unequal."""
    rng = np.random.default_rng(n_rows + n_groups)
    weights = rng.pareto(1.5, n_groups) + 0.2
    groups = rng.choice(n_groups, n_rows, p=weights / weights.sum())
    groups[:n_groups] = np.arange(n_groups)
    groups.sort()
    design = np.column_stack(
        [np.ones(n_rows), rng.integers(0, 2, n_rows), rng.normal(size=(n_rows, 2))]
    )
    effects = rng.normal(size=n_groups)
    outcome = design @ [0.3, 0.1, 0.2, 0.0] + effects[groups] + rng.normal(size=n_rows)
    return outcome, design, groups


def ragstats_cr2(outcome: np.ndarray, design: np.ndarray, groups: np.ndarray) -> np.ndarray:
    import ragstats as rs

    result = rs.OLS(outcome, design, groups=groups).fit(cov_type="CR2", df="satterthwaite")
    return np.column_stack([result.bse, result.df_inference])


def statsmodels_cr1(outcome: np.ndarray, design: np.ndarray, groups: np.ndarray) -> np.ndarray:
    import statsmodels.api as sm

    result = sm.OLS(outcome, design).fit(cov_type="cluster", cov_kwds={"groups": groups})
    return np.asarray(result.bse)


FITS = {"ragstats": ragstats_cr2, "statsmodels": statsmodels_cr1}


def seconds(fit: object, arrays: tuple[np.ndarray, ...]) -> float:
    gc.collect()
    start = time.perf_counter()
    fit(*arrays)  # type: ignore[operator]
    return time.perf_counter() - start


def traced_peak(fit: object, arrays: tuple[np.ndarray, ...]) -> int:
    """Return the peak of what the fit allocates, in bytes."""
    gc.collect()
    tracemalloc.start()
    fit(*arrays)  # type: ignore[operator]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def resident_peak(name: str, n_rows: int, n_groups: int) -> float:
    """Return the growth of the resident set of a fresh process during the fit, in MB."""
    command = [sys.executable, __file__, "--one", name, str(n_rows), str(n_groups)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def one(name: str, n_rows: int, n_groups: int) -> None:
    arrays = data(n_rows, n_groups)
    warm = data(1_000, 50)
    FITS[name](*warm)
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")  # forget the peak so far
    before = _memory("VmRSS")
    FITS[name](*arrays)
    print((_memory("VmHWM") - before) / 1024)


def _memory(field: str) -> int:
    """Return a line of /proc/self/status, in kB (Linux)."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the three smaller sizes")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        name, n_rows, n_groups = arguments.one
        one(name, int(n_rows), int(n_groups))
        return
    print(f"p = {P}; times in s, memory in MB, ratio = ragstats CR2 + df / statsmodels CR1S")
    print(
        f"{'N':>9} {'K':>7} | {'time':>7} {'peer':>7} {'ratio':>5} | {'alloc':>6} {'peer':>6}"
        f" {'ratio':>5} {'/X':>4} | {'RSS':>5} {'peer':>5} {'ratio':>5}"
    )
    for n_rows, n_groups in SIZES[:3] if arguments.quick else SIZES:
        arrays = data(n_rows, n_groups)
        for fit in FITS.values():
            fit(*arrays)
        pairs = [[seconds(fit, arrays) for fit in FITS.values()] for _ in range(arguments.repeat)]
        ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
        peaks = [traced_peak(fit, arrays) / 2**20 for fit in FITS.values()]
        rss = [resident_peak(name, n_rows, n_groups) for name in FITS]
        design = arrays[1].nbytes / 2**20
        print(
            f"{n_rows:>9,} {n_groups:>7,} | {ours:7.3f} {theirs:7.3f} {ours / theirs:5.2f} |"
            f" {peaks[0]:6.1f} {peaks[1]:6.1f} {peaks[0] / peaks[1]:5.2f}"
            f" {peaks[0] / design:4.1f} |"
            f" {rss[0]:5.0f} {rss[1]:5.0f} {rss[0] / max(rss[1], 1):5.2f}"
        )


if __name__ == "__main__":
    main()
