"""Coverage of nominal 95% intervals for eight very unequal documents, beside a published table.

    python benchmarks/coverage_table.py [--replications 4000] [--n-boot 999] [--seed 1]

The documents have 1, 2, 3, 5, 8, 13, 28 and 60 rows. Normal columns: ``y = √ρ a + √(1-ρ) ε``, both
standard normal, ρ the ICC, the truth 0. Exponential: ``√.3 (Exp(1) - 1)`` for the document,
``√.7 N(0, 1)`` for the row. 0/1: the rate of a document is ``Beta(4m, 4(1-m))``, the truth m.

The published row of "CR2 + IK" is met by the df with ρ and σ² of a one-way analysis of variance, ρ
not below 0. ragstats takes ρ from the residuals and keeps a negative one, as Imbens and Kolesár's
program does; that row, "cr2-ik", is shown for comparison and not judged.

The published numbers come from 3,000 to 4,000 replications. A cell agrees when it is within four
standard errors of the difference, √2 times that of one coverage at 4,000 replications (or at as
many as are run here, when these are fewer). The exit status is 1 when a cell does not.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from ragstats.core.intervals import iid_se, t_interval
from ragstats.evaluation.coverage.evaluate import interval_limits
from ragstats.evaluation.coverage.methods import Ask, Limits, method
from ragstats.evaluation.coverage.sample import Ratio, Sample
from ragstats.evaluation.coverage.tally import tally
from ragstats.evaluation.coverage.variances import cr2, imbens_kolesar

SIZES = np.array([1.0, 2, 3, 5, 8, 13, 28, 60])
#: Replications behind the published numbers.
PUBLISHED = 4000

COLUMNS = ("ICC 0", "ICC .1", "ICC .3", "exponential", "0/1, .70", "0/1, .92")
NAN = np.nan
#: Rule → the published coverage in each column.
TABLE = {
    "iid t": (0.950, 0.618, 0.395, NAN, NAN, NAN),
    "cr1": (0.894, 0.824, 0.807, 0.769, 0.788, 0.694),
    "percentile": (0.870, 0.860, 0.850, NAN, NAN, NAN),
    "bootstrap-t-cr2": (0.897, 0.903, 0.905, NAN, NAN, NAN),
    "cr2": (0.972, 0.950, 0.943, 0.918, 0.931, 0.816),
    "IK, ANOVA ρ": (0.974, 0.964, 0.977, NAN, NAN, NAN),
    "wild": (0.951, 0.956, 0.953, 0.938, 0.948, 0.883),
    "cr2-ik": (0.974, 0.964, 0.977, NAN, NAN, NAN),
    "korn-graubard": (NAN, NAN, NAN, NAN, 0.964, 0.979),
}
#: Shown beside a published row that was computed in another way.
NOT_JUDGED = ("cr2-ik",)


def draw(column: str, rng: np.random.Generator, size: int) -> tuple[Sample, float]:
    """Return samples of the eight documents, and the truth."""
    shape = (size, len(SIZES))
    n = np.broadcast_to(SIZES, shape)
    if column.startswith("0/1"):
        mean = float(column.split()[1])
        s = rng.binomial(n.astype(int), rng.beta(4 * mean, 4 * (1 - mean), shape)).astype(float)
        return Sample.of(n, s, s), mean
    exponential = column == "exponential"
    share = 0.3 if exponential else float(column.split()[1])
    effect = rng.exponential(size=shape) - 1 if exponential else rng.normal(size=shape)
    mean = np.sqrt(share) * effect + np.sqrt((1 - share) / n) * rng.normal(size=shape)
    inside = (1 - share) * rng.gamma((n - 1) / 2, 2.0)  # the sum of squares within a document
    return Sample.of(n, n * mean, n * mean**2 + inside), 0.0


def iid_t(ratio: Ratio) -> Limits:
    """Return the t interval of independent rows, N - 1 df."""
    n, s, ss = (c.sum(axis=1) for c in (ratio.sample.n, ratio.sample.s, ratio.sample.ss))
    low, high = t_interval(ratio.estimate, iid_se(s, ss, n), n - 1)
    return Limits(low, high, low < high)


def ik_anova(ratio: Ratio) -> Limits:
    """Return the CR2 interval with IK df whose ρ and σ² are those of a one-way ANOVA, ρ ≥ 0."""
    n, rates = ratio.sample.n, ratio.sample.rates
    k, n_rows = n.shape[1], n.sum(axis=1)
    inside = ratio.sample.ss - ratio.sample.s**2 / n
    between = (n * (rates - ratio.estimate[:, None]) ** 2).sum(axis=1) / (k - 1)
    within = inside.sum(axis=1) / (n_rows - k)
    typical = (n_rows - (n**2).sum(axis=1) / n_rows) / (k - 1)
    df = imbens_kolesar(ratio, np.maximum((between - within) / typical, 0.0), within)
    low, high = t_interval(ratio.estimate, cr2(ratio).se, df)
    return Limits(low, high, low < high)


#: Rules that are not the package's own.
OTHERS = {"iid t": iid_t, "IK, ANOVA ρ": ik_anova}


def coverage_table(
    replications: int, n_boot: int, seed: int, rules: tuple[str, ...] = tuple(TABLE)
) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return the published coverage, the one found, and the allowed gap, by rule and column."""
    cells = {}
    for column, sequence in zip(COLUMNS, np.random.SeedSequence(seed).spawn(6), strict=True):
        streams = [np.random.default_rng(child) for child in sequence.spawn(2)]
        wanted = [r for r in rules if not np.isnan(TABLE[r][COLUMNS.index(column)])]
        sample, truth = draw(column, streams[0], replications)
        methods = [method(r) for r in wanted if r not in OTHERS]
        ask = Ask(0.05, truth, n_boot)
        ratio, limits = interval_limits(sample, "micro", methods, ask, rng=streams[1])
        limits |= {r: OTHERS[r](ratio) for r in wanted if r in OTHERS}
        for rule in wanted:
            published = TABLE[rule][COLUMNS.index(column)]
            found = tally(limits[rule], truth, "miss").coverage
            error = np.sqrt(published * (1 - published) / min(replications, PUBLISHED))
            cells[rule, column] = published, found, 4 * np.sqrt(2) * error
    return cells


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=PUBLISHED)
    parser.add_argument("--n-boot", type=int, default=999)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    start = time.perf_counter()
    cells = coverage_table(asked.replications, asked.n_boot, asked.seed)
    took = time.perf_counter() - start
    print(f"{'rule':<16} {'column':<12} published  found       Δ  allowed")
    judged = misses = 0
    for (rule, column), (published, found, allowed) in cells.items():
        agrees = abs(found - published) <= allowed
        counts = rule not in NOT_JUDGED
        judged += counts
        misses += counts and not agrees
        verdict = ("agrees" if agrees else "DIFFERS") if counts else "another ρ, not judged"
        print(
            f"{rule:<16} {column:<12} {published:9.3f} {found:6.3f} {found - published:+7.3f}"
            f" {allowed:8.3f}  {verdict}"
        )
    print(f"{judged - misses} of {judged} cells agree; {took:.1f} s")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
