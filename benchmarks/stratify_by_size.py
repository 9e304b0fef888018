"""Stratifying by size pays: 20 documents at random, against 10 large ones and 10 others.

    python benchmarks/stratify_by_size.py [--replications 2000] [--seed 1] [--score doc_hit_at_1]

The 1,300 shipped documents are the population, so the truth is known. For each design, samples of
20 documents are drawn without replacement, and the micro mean gets a 95% interval:

* simple random sample: CR2 with its Satterthwaite df, as `rs.micro_mean(population=1300)`;
* strata (the 130 largest documents, the rest), 10 + 10: combined ratio, its stratified standard
  error with finite correction, t with K - H = 18 df, as `rs.ratio_mean(strata=, population=)`;
* the same strata with proportional allocation, 2 + 18.

"expected" is the standard error that `allocate_documents` foresees with the population as pilot.
Intervals that do not exist (a standard error of 0) count as misses.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

import ragstats as rs
from ragstats.evaluation.planning import allocate_documents

K, LARGE = 20, 130
STRATA = ("large", "rest")


@dataclass(frozen=True)
class Population:
    """Rows and sums of all documents, largest first, and whether each is large."""

    table: rs.DocumentTable
    n: np.ndarray
    s: np.ndarray

    @property
    def truth(self) -> float:
        return float(self.s.sum() / self.n.sum())


@dataclass(frozen=True)
class Intervals:
    """One estimate, standard error and df for each replication."""

    estimate: np.ndarray
    se: np.ndarray
    df: np.ndarray

    def row(self, truth: float) -> dict[str, float]:
        half = stats.t.isf(0.025, self.df) * self.se
        covers = (np.abs(self.estimate - truth) <= half) & (self.se > 0)
        return {
            "bias": float(self.estimate.mean() - truth),
            "RMSE": float(np.sqrt(((self.estimate - truth) ** 2).mean())),
            "SD": float(self.estimate.std(ddof=1)),
            "mean width": float(2 * half.mean()),
            "median width": float(2 * np.median(half)),
            "coverage": float(covers.mean()),
            "MC error": float(np.sqrt(covers.mean() * (1 - covers.mean()) / len(covers))),
            "mean df": float(self.df.mean()),
        }


def population(score: str) -> Population:
    """Return the shipped documents of bm25, largest first, with the 130 largest as a stratum."""
    scores = rs.datasets.load_retrieval(systems="bm25")
    frame = rs.documents(scores, doc="doc_id", score=score).frame
    frame = frame.sort_values(["n", "doc_id"], ascending=[False, True], ignore_index=True)
    frame["band"] = np.where(np.arange(len(frame)) < LARGE, *STRATA)
    table = rs.DocumentTable.from_frame(frame, doc="doc_id", ss="ss", score=score, keep=["band"])
    return Population(table, table.counts, table.totals)


def draw(rng: np.random.Generator, replications: int, size: int, k: int) -> np.ndarray:
    """Return (replications, k) documents out of `size`, without replacement."""
    return np.argpartition(rng.random((replications, size)), k, axis=1)[:, :k]


def simple(pop: Population, rows: np.ndarray) -> Intervals:
    """Return micro means with CR2, its Satterthwaite df and the finite correction."""
    n, s = pop.n[rows], pop.s[rows]
    total = n.sum(axis=1, keepdims=True)
    estimate = s.sum(axis=1, keepdims=True) / total
    left = 1 - rows.shape[1] / len(pop.n)
    spread = n / (1 - n / total)
    variance = ((s - estimate * n) ** 2 / (1 - n / total)).sum(axis=1) / total[:, 0] ** 2 * left
    overlap = n * spread / total
    twice = overlap.sum(axis=1)
    square = (spread**2).sum(axis=1) - 2 * (spread * overlap).sum(axis=1) + twice**2
    df = (spread.sum(axis=1) - twice) ** 2 / square
    return Intervals(estimate[:, 0], np.sqrt(variance), df)


def stratified(pop: Population, strata: list[np.ndarray]) -> Intervals:
    """Return combined ratios of documents (replications, K_h) drawn in each stratum."""
    sizes = (LARGE, len(pop.n) - LARGE)
    expand = [m / rows.shape[1] for m, rows in zip(sizes, strata, strict=True)]
    parts = [(w, pop.n[rows], pop.s[rows]) for w, rows in zip(expand, strata, strict=True)]
    total = sum(w * n.sum(axis=1, keepdims=True) for w, n, _ in parts)
    estimate = sum(w * s.sum(axis=1, keepdims=True) for w, _, s in parts) / total
    variance = sum(
        m**2 * (1 - n.shape[1] / m) * (s - estimate * n).var(axis=1, ddof=1) / n.shape[1]
        for m, (_, n, s) in zip(sizes, parts, strict=True)
    )
    df = sum(rows.shape[1] - 1 for rows in strata)
    se = np.sqrt(variance) / total[:, 0]
    return Intervals(estimate[:, 0], se, np.full(len(se), float(df)))


def check(pop: Population, srs: Intervals, rows: np.ndarray, strat: Intervals, drawn: list) -> None:
    """Stop unless the first replications agree with the functions of the package."""
    frame = pop.table.frame
    for i in range(3):
        some = rs.DocumentTable.from_frame(frame.iloc[rows[i]], doc="doc_id")
        mean = some.micro(population=len(pop.n))
        np.testing.assert_allclose(
            [srs.estimate[i], srs.se[i], srs.df[i]], [mean.estimate, mean.se, mean.df], rtol=1e-10
        )
        sample = frame.iloc[np.concatenate([d[i] for d in drawn])]
        ratio = rs.ratio_mean(
            sample, strata="band", population={"large": LARGE, "rest": len(pop.n) - LARGE}
        )
        np.testing.assert_allclose(
            [strat.estimate[i], strat.se[i], strat.df[i]], [ratio.estimate, ratio.se, ratio.df],
            rtol=1e-10,
        )  # fmt: skip


def expected(pop: Population, **allocation: int) -> tuple[float, float]:
    """Return the standard errors foreseen for an allocation and for a simple random sample."""
    plan = allocate_documents(
        pop.table, estimand="micro", strata="band", allocation=allocation,
        population={"large": LARGE, "rest": len(pop.n) - LARGE},
    )  # fmt: skip
    return plan.expected["micro"].se, plan.expected["micro"].srs_se


def study(score: str, replications: int, seed: int) -> pd.DataFrame:
    """Return one row per design."""
    pop, rng = population(score), np.random.default_rng(seed)
    rows = draw(rng, replications, len(pop.n), K)
    srs = simple(pop, rows)
    found = {f"SRS {K}, CR2": (srs, expected(pop, large=10, rest=10)[1])}
    for large in (10, 2):
        drawn = [
            draw(rng, replications, LARGE, large),
            LARGE + draw(rng, replications, len(pop.n) - LARGE, K - large),
        ]
        strat = stratified(pop, drawn)
        check(pop, srs, rows, strat, drawn)
        foreseen = expected(pop, large=large, rest=K - large)[0]
        found[f"strata {large} + {K - large}, ratio"] = (strat, foreseen)
    return pd.DataFrame(
        {name: {"expected": se, **result.row(pop.truth)} for name, (result, se) in found.items()}
    ).T


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--score", default="doc_hit_at_1")
    given = parser.parse_args()
    pop = population(given.score)
    print(
        f"bm25 {given.score}: micro mean {pop.truth:.4f} of 1,300 documents; the {LARGE} largest"
        f" hold {pop.n[:LARGE].sum() / pop.n.sum():.0%} of the queries;"
        f" {given.replications:,} replications, seed {given.seed}"
    )
    table = study(given.score, given.replications, given.seed)
    print(table.round(4).to_string())
    srs, strat = table.iloc[0], table.iloc[1]
    print(
        f"10 + 10 against SRS: RMSE {strat['RMSE'] / srs['RMSE']:.2f}, mean width"
        f" {strat['mean width'] / srs['mean width']:.2f}, median width"
        f" {strat['median width'] / srs['median width']:.2f}; variance ratio"
        f" {(srs['SD'] / strat['SD']) ** 2:.1f}"
    )


if __name__ == "__main__":
    main()
