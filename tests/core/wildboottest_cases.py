"""Runs the PyPI package wildboottest on every sign vector of small cases, and stores its answers.

    python tests/core/wildboottest_cases.py        # writes wildboottest_cases.json beside this file

wildboottest counts |t| < |t*| in floating point. The sign vectors of one sign repeat the sample, so
that |t*| = |t| exactly, and rounding decides whether it counts them.
"""

import contextlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

import ragstats as rs

STORED = Path(__file__).with_name("wildboottest_cases.json")


def cases():
    """Return name → (y, X, documents, column tested)."""
    eight = rs.datasets.load_eight_documents()
    d, doc = eight["d"].to_numpy(), eight["docid"].to_numpy()
    x = np.sin(np.arange(1.0, 101.0))
    design = np.column_stack([np.ones(100), x, x**2])
    y = np.arange(1.0, 101.0)
    nine = np.repeat(np.arange(9), [30, 20, 10, 10, 10, 8, 6, 4, 2])
    return {
        "eight_documents": (d, np.ones((d.size, 1)), doc, 0),
        "seven_x": (y, design, np.arange(100) % 7, 1),
        "seven_x2": (y, design, np.arange(100) % 7, 2),
        "nine_constant": (y, design, nine, 0),
        "nine_x": (y, design, nine, 1),
        "nine_x2": (y, design, nine, 2),
    }


@contextlib.contextmanager
def without_coverage():
    """Hide folders of tests named "coverage", which numba would take for the package."""
    hidden = "coverage" not in sys.modules
    if hidden:
        sys.modules["coverage"] = None
    try:
        yield
    finally:
        if hidden:
            del sys.modules["coverage"]


def run(y, design, documents, column, *, impose_null):
    """Return wildboottest's t, t* of all sign vectors, and p."""
    with without_coverage():
        from wildboottest.wildboottest import WildboottestCL

    tested = np.zeros(design.shape[1])
    tested[column] = 1
    boot = WildboottestCL(
        X=design, Y=y, cluster=documents, R=tested, B=99_999, seed=1, parallel=False
    )
    boot.get_scores(bootstrap_type="11", impose_null=impose_null)
    boot.get_weights("rademacher")
    boot.get_numer()
    boot.get_denom()
    boot.get_tboot()
    boot.get_vcov()
    boot.get_tstat()
    boot.get_pvalue()
    return float(boot.t_stat), np.asarray(boot.t_boot), float(boot.pvalue)


def main():
    stored = {"wildboottest": version("wildboottest"), "numpy": np.__version__}
    for name, case in cases().items():
        for scheme, impose_null in (("WCR", True), ("WCU", False)):
            t, ratios, p = run(*case, impose_null=impose_null)
            largest = np.sort(np.abs(ratios))[::-1].tolist()
            stored[f"{name}/{scheme}"] = {"t": t, "p": p, "size": ratios.size, "t_boot": largest}
    lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in stored.items())
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
