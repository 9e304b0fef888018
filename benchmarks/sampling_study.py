"""The sampling study of the shipped outcomes, rerun by ``simulate_coverage``.

    python benchmarks/sampling_study.py [--replications 2000] [--n-boot 999] [--seed 1] [--n-jobs 1]

The study drew 2,000 simple random samples of K = 20 and of K = 80 documents out of the 1,300, for
four outcomes; ``tests/oracles/retrieval/sampling_study.csv`` has its numbers. Here they are drawn
again, with other random numbers. A share agrees when it is within four standard errors of the
difference; with as many replications that is 4·√2 times the one of a single share. The exit status
is 1 when one does not.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

import ragstats as rs
from ragstats.evaluation.coverage import simulate_coverage

STUDY = Path(__file__).parents[1] / "tests" / "oracles" / "retrieval" / "sampling_study.csv"
#: Samples in the study.
PUBLISHED = 2000

#: Outcome of the study → score, and whether it is the difference to tfidf.
OUTCOMES = {
    "bm25 hit_at_1": ("hit_at_1", False),
    "bm25-tfidf hit_at_1": ("hit_at_1", True),
    "bm25 doc_hit_at_1": ("doc_hit_at_1", False),
    "bm25-tfidf doc_hit_at_1": ("doc_hit_at_1", True),
}
#: Method of the study → method here.
METHODS = {
    "Wald iid": "iid",
    "Wald n_eff=N/DEFF": "n_eff",
    "Wald n_eff, plain mean n": "n_eff-mean",
    "CR1 t(K-1)": "cr1",
    "CR2 t(df)": "cr2",
    "t(K-1)": "cr2",
    "percentile boot": "percentile",
    "bootstrap-t": "bootstrap-t",
}
SHARES = ("coverage", "below", "above")


def rerun(
    outcome: str, documents: int, *, scores: pd.DataFrame, replications: int, n_boot: int,
    seed: int, n_jobs: int = 1,
) -> tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Return the shares and the estimators of one outcome, beside those of the study.

    Returns
    -------
    DataFrame
        Rows of estimand, method and quantity, with ``published``, ``found`` and ``allowed``.
    DataFrame
        The same of truth, bias, RMSE and median width.
    """
    score, paired = OUTCOMES[outcome]
    chosen = {"systems": ["bm25", "tfidf"], "baseline": "tfidf"} if paired else {"systems": "bm25"}
    found = simulate_coverage(
        scores, score=score, doc="doc_id", system="system", query="query_id", **chosen,
        documents=documents, estimand=["micro", "macro"], methods=sorted(set(METHODS.values())),
        replications=replications, n_boot=n_boot, degenerate="zero-width", seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    study = pd.read_csv(STUDY)
    study = study[(study["outcome"] == outcome) & (study["K"] == documents)]
    table = found.table.set_index(["estimand", "method"])
    estimators = found.estimators.set_index("estimand")
    shares, others = [], []
    both = 1 / PUBLISHED + 1 / replications
    for row in study.itertuples():
        if row.method == "(estimator)":
            here = estimators.loc[row.estimand]
            error = row.rmse * np.sqrt(both)
            # The kurtosis of the estimates is at most 6 or so, and the error of a root mean square
            # then √5/2 of that of a mean.
            allowed = {"truth": 5e-6, "bias": 4 * error, "rmse": 4 * error * np.sqrt(5) / 2}
            for name, limit in allowed.items():
                others.append((row.estimand, "", name, getattr(row, name), here[name], limit))
            continue
        here = table.loc[(row.estimand, METHODS[row.method])]
        for name in SHARES:
            published, share = getattr(row, name), here[name]
            p = max((published + share) / 2, 1 / PUBLISHED)
            allowed = 4 * np.sqrt(p * (1 - p) * both)
            shares.append((row.estimand, row.method, name, published, share, allowed))
        # A median of widths whose interquartile range is at most their median.
        limit = 4 * row.median_width * 0.93 * np.sqrt(both)
        width = (row.median_width, here["median_width"], limit)
        others.append((row.estimand, row.method, "median_width", *width))
    columns = ["estimand", "method", "quantity", "published", "found", "allowed"]
    return pd.DataFrame(shares, columns=columns), pd.DataFrame(others, columns=columns)


def disagreements(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are further from the study than allowed."""
    return cells[~((cells["found"] - cells["published"]).abs() <= cells["allowed"])]


def show(cells: pd.DataFrame) -> None:
    for row in cells.itertuples():
        gap = row.found - row.published
        verdict = "agrees" if abs(gap) <= row.allowed else "DIFFERS"
        print(
            f"  {row.estimand:<6}{row.method:<26}{row.quantity:<13}{row.published:9.4f}"
            f"{row.found:9.4f}{gap:+9.4f}{row.allowed:9.4f}  {verdict}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=PUBLISHED)
    parser.add_argument("--n-boot", type=int, default=999)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n-jobs", type=int, default=1)
    asked = vars(parser.parse_args())
    scores = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    total = misses = 0
    start = time.perf_counter()
    for outcome in OUTCOMES:
        for documents in (20, 80):
            parts = rerun(outcome, documents, scores=scores, **asked)
            print(f"{outcome}, K = {documents}")
            print(f"  {'':<45}published    found        Δ  allowed")
            for part in parts:
                show(part)
            cells = pd.concat(parts)
            total += len(cells)
            misses += len(disagreements(cells))
    print(f"{total - misses} of {total} agree; {time.perf_counter() - start:.1f} s")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
