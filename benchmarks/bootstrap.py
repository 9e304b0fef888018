"""Bootstrap-t of micro and macro means of 1,300 documents, against re-aggregating the rows.

    python benchmarks/bootstrap.py [--replicates 9999] [--naive 50] [--repeat 3] [--jobs 1]

Printed are the best wall time of each estimand on the shipped retrieval outcomes (18,869 rows), and
the ratio per replicate to a loop that takes the rows of the drawn documents and groups them again,
a document drawn twice being two groups. The two must agree on the loop's replicates, or it fails.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import ragstats as rs
from ragstats.evaluation.bootstrap import bootstrap

SCORE, DOC = "hit_at_1", "doc_id"


def best_time(work: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """Return the best wall time of a few runs, and the result."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def naive(scores: pd.DataFrame, estimand: str, n_boot: int, seed: int) -> np.ndarray:
    """Return t* of each replicate, its rows gathered and grouped again."""
    rows = scores.sort_values(DOC, kind="stable")
    values = rows[SCORE].to_numpy(float)
    counts = rows.groupby(DOC)[SCORE].size().to_numpy()
    ends = np.cumsum(counts)
    positions = [np.arange(end - n, end) for n, end in zip(counts, ends, strict=True)]
    k = len(counts)

    def mean_and_error(drawn: np.ndarray) -> tuple[float, float]:
        index = np.concatenate([positions[d] for d in drawn])
        again = pd.DataFrame({"doc": np.repeat(np.arange(k), counts[drawn]), "y": values[index]})
        sums = again.groupby("doc")["y"].agg(["size", "sum"]).to_numpy(float)
        n, s = (np.ones(k), sums[:, 1] / sums[:, 0]) if estimand == "macro" else sums.T
        rate = s.sum() / n.sum()
        return rate, np.sqrt(k / (k - 1) * ((s - rate * n) ** 2).sum()) / n.sum()

    draws = np.random.default_rng(seed).integers(0, k, (n_boot, k))
    whole = mean_and_error(np.arange(k))[0]
    pairs = np.array([mean_and_error(drawn) for drawn in draws])
    return np.asarray((pairs[:, 0] - whole) / pairs[:, 1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=9999)
    parser.add_argument("--naive", type=int, default=50, help="replicates of the naive loop")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    scores = rs.datasets.load_retrieval(systems="bm25")
    table = rs.documents(scores, doc=DOC, score=SCORE)
    print(f"{table.n_documents} documents, {table.n_rows} rows, {options.replicates} replicates")
    for estimand in ("micro", "macro"):
        run = {"estimand": estimand, "seed": 1, "n_jobs": options.jobs}
        ours, result = best_time(
            lambda run=run: bootstrap(table, n_boot=options.replicates, **run), options.repeat
        )
        theirs, t = best_time(
            lambda estimand=estimand: naive(scores, estimand, options.naive, seed=1), 1
        )
        few = bootstrap(table, n_boot=options.naive, **run)
        half = np.quantile(t, [0.975, 0.025])
        mean = rs.micro_mean if estimand == "micro" else rs.macro_mean
        se = mean(SCORE, scores, groups=DOC, cov_type="CR1").se
        np.testing.assert_allclose((few.low, few.high), few.estimate - half * se, rtol=1e-10)
        ratio = (theirs / options.naive) / (ours / options.replicates)
        print(
            f"{estimand}: {ours:.2f} s, [{result.low:.4f}, {result.high:.4f}];"
            f" a naive replicate takes {ratio:.0f} times as long"
        )


if __name__ == "__main__":
    main()
