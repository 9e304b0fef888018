"""Aggregates → facts. A report read back from JSON goes through the same door as one from rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from ragstats.core.hypothesis import JointTest
from ragstats.core.inference import ClusterInference
from ragstats.evaluation.diagnostics import (
    diagnose,
    diagnose_pair,
    leave_one_out,
    warnings_of,
)
from ragstats.evaluation.documents import DocumentTable
from ragstats.evaluation.leaderboard import adjust_pvalues
from ragstats.evaluation.means import MeanResults, mean_of
from ragstats.evaluation.recommend import recommend
from ragstats.evaluation.stacked import stacked_inference
from ragstats.exceptions import RagstatsWarning
from ragstats.io.scored_rows import COUNT, TOTAL
from ragstats.reporting.aggregates import Aggregates, PairAggregates, SystemAggregates
from ragstats.reporting.facts import (
    Beside,
    BootstrapFacts,
    Bounds,
    Estimate,
    Facts,
    Influence,
    PairFacts,
    SystemFacts,
)
from ragstats.reporting.stated import Method, Stated
from ragstats.reporting.versions import versions as current_versions

#: The seed of a wild bootstrap that cannot list all sign vectors, so that a report can be repeated.
SEED = 1

#: Why a mean or a difference on one document has no standard error.
ONE_DOCUMENT = "1 document, at least 2 needed"


def compute(
    aggregates: Aggregates,
    stated: Stated,
    method: Method,
    bootstraps: Iterable[BootstrapFacts] = (),
    versions: Mapping[str, str] | None = None,
) -> Facts:
    """Return everything that a report says of these aggregates.

    What the estimators warn of is in the report itself, so it is not warned of again.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagstatsWarning)
        systems = tuple(_system(s, stated, method) for s in aggregates.systems)
        stacked = _stacked_fits(aggregates, stated, method)
        pairs = tuple(_pair(p, aggregates, stated, method, stacked) for p in aggregates.pairs)
        joint = _joint_tests(aggregates, stated, stacked)
    named = dict(versions) if versions else current_versions()
    pairs = _adjusted(pairs, stated.estimands)
    return Facts(stated, method, aggregates, systems, pairs, joint, tuple(bootstraps), named)


def _adjusted(pairs: tuple[PairFacts, ...], estimands: Iterable[str]) -> tuple[PairFacts, ...]:
    """Add the Holm-adjusted p-values of each estimand, over all pairs."""
    by_estimand = {}
    for estimand in estimands:
        raw = np.array([pair.differences[estimand].p for pair in pairs])
        by_estimand[estimand] = adjust_pvalues(raw, "holm")
    return tuple(
        replace(pair, holm={e: float(values[i]) for e, values in by_estimand.items()})
        for i, pair in enumerate(pairs)
    )


def mean_estimate(
    table: DocumentTable, estimand: str, stated: Stated, method: Method, *, beside: bool = True
) -> Estimate:
    """Return a mean, or why it has no standard error; with the intervals it calls for beside it."""
    k, n = table.n_documents, table.n_rows
    if k < 2:
        value = float(table.totals.sum() / n)
        return Estimate.of(
            value, nan, nan, alpha=method.alpha, documents=k, rows=n, reason=ONE_DOCUMENT
        )
    result = mean_of(
        table, estimand, cov_type=method.cov_type, df=method.df, population=stated.population_size
    )
    return Estimate.of(
        result.estimate, result.se, result.df, alpha=method.alpha, documents=k, rows=n,
        reason=result.reason, beside=_beside(result, method.alpha) if beside else (),
    )  # fmt: skip


def _beside(mean: MeanResults, alpha: float) -> tuple[Beside, ...]:
    """Return the intervals other than t that are recommended for a mean."""
    if not mean.se > 0:
        return ()
    advice = recommend(mean)
    names = [name for name in (advice.method, *advice.beside) if name != "t"]
    found = []
    for name in names:
        seeded = {"seed": SEED} if name == "wild" else {}
        interval = mean.interval(name, alpha=alpha, **seeded)
        found.append(Beside(name, interval.low, interval.high, interval.reason))
    return tuple(found)


def _system(aggregates: SystemAggregates, stated: Stated, method: Method) -> SystemFacts:
    table = aggregates.table
    means = {e: mean_estimate(table, e, stated, method) for e in stated.estimands}
    plain = Method("CR1", "K-1", method.alpha)
    within = aggregates.lowest >= 0 and aggregates.highest <= 1
    said: list[str] = []
    for estimand, mean in means.items():
        said += _warnings(table, estimand, mean, stated, bounded=within)
    return SystemFacts(
        aggregates=aggregates,
        diagnostics=diagnose(table),
        means=means,
        cr1={e: mean_estimate(table, e, stated, plain, beside=False) for e in stated.estimands},
        bounds=_bounds(aggregates, within) if len(aggregates.unscored) else {},
        top_decile=_top_decile(table.counts),
        influence=_influence(table, means),
        warnings=tuple(dict.fromkeys(said)),
    )


def _warnings(
    table: DocumentTable, estimand: str, estimate: Estimate, stated: Stated, *, bounded: bool
) -> list[str]:
    """Return what weakens an interval; a census has none, and a missing one says why."""
    if isnan(estimate.se):
        return [f"no standard error: {estimate.reason}"]
    if stated.population_size == table.n_documents:
        return []
    return warnings_of(
        table, estimand=estimand, estimate=estimate.value, se=estimate.se, df=estimate.df,
        bounded=bounded,
    )  # fmt: skip


def _top_decile(counts: np.ndarray) -> float:
    """Return the share of the rows in the largest tenth of the documents (at least one)."""
    largest = np.sort(counts)[::-1][: max(1, round(len(counts) / 10))]
    return float(largest.sum() / counts.sum())


def _bounds(aggregates: SystemAggregates, within: bool) -> dict[str, Bounds]:
    """Return both means with every unscored row 0, and with every one 1.

    A document without any scored row then has a rate too, and counts in the macro mean.
    """
    if not within:
        reason = (
            f"the scores run from {aggregates.lowest:g} to {aggregates.highest:g}, so 0 and 1 do"
            " not bound them"
        )
        return dict.fromkeys(("micro", "macro"), Bounds(nan, nan, reason))
    table = aggregates.table
    ids = table.frame[table.doc]
    scored = pd.DataFrame({COUNT: table.counts, TOTAL: table.totals}, index=pd.Index(ids))
    lost = aggregates.unscored
    every = scored.reindex(scored.index.union(lost.index, sort=False), fill_value=0.0)
    missing = lost.reindex(every.index, fill_value=0).to_numpy(float)
    n, s = every[COUNT].to_numpy() + missing, every[TOTAL].to_numpy()
    return {
        "micro": Bounds(float(s.sum() / n.sum()), float((s + missing).sum() / n.sum())),
        "macro": Bounds(float((s / n).mean()), float(((s + missing) / n).mean())),
    }


def _influence(table: DocumentTable, estimates: Mapping[str, Estimate]) -> dict[str, Influence]:
    if table.n_documents < 3:
        return {}
    return {
        estimand: Influence(estimate, leave_one_out(table, estimand))
        for estimand, estimate in estimates.items()
    }


def _pair(
    pair: PairAggregates,
    aggregates: Aggregates,
    stated: Stated,
    method: Method,
    stacked: Mapping[str, ClusterInference],
) -> PairFacts:
    if pair.table is None:
        names = [s.name for s in aggregates.systems]
        differences = {
            e: _stacked_difference(pair, names, stacked[e], method.alpha) for e in stated.estimands
        }
        return PairFacts(pair, differences, None, {}, ())
    table = pair.table
    differences = {e: mean_estimate(table, e, stated, method) for e in stated.estimands}
    said: list[str] = []
    for estimand, difference in differences.items():
        said += _warnings(table, estimand, difference, stated, bounded=False)
    diagnostics = None
    if pair.documents > 1:
        left, right = (sums / table.counts for sums in (pair.left, pair.right))
        paired, first, second = (_se(rates) for rates in (table.rates, left, right))
        diagnostics = diagnose_pair(table, paired, first, second, left, right)
    return PairFacts(
        pair, differences, diagnostics, _influence(table, differences), tuple(dict.fromkeys(said))
    )


def _se(rates: np.ndarray) -> float:
    """Return the standard error of a mean of rates, without a finite population correction."""
    return float(rates.std(ddof=1) / np.sqrt(len(rates)))


def _stacked_fits(
    aggregates: Aggregates, stated: Stated, method: Method
) -> dict[str, ClusterInference]:
    """Fit scores on system indicators, without a constant: one coefficient is one system's mean."""
    if len(aggregates.joint) < 2:
        return {}
    names = [s.name for s in aggregates.systems]
    fits = {
        estimand: stacked_inference(
            aggregates.joint, names, estimand, n_documents=len(aggregates.documents),
            cov_type=method.cov_type, df=method.df, population=stated.population_size,
        )
        for estimand in stated.estimands
    }  # fmt: skip
    return {estimand: fit for estimand, fit in fits.items() if fit is not None}


def _stacked_difference(
    pair: PairAggregates, names: list[str], fit: ClusterInference, alpha: float
) -> Estimate:
    contrast = np.zeros(len(names))
    contrast[names.index(pair.system)] += 1
    contrast[names.index(pair.baseline)] -= 1
    found = fit.contrasts(contrast[None, :])
    return Estimate.of(
        float(found.effect[0]), float(found.se[0]), float(found.df[0]), alpha=alpha,
        documents=pair.documents, rows=pair.queries, reason=found.reasons[0],
    )  # fmt: skip


def _joint_tests(
    aggregates: Aggregates, stated: Stated, stacked: Mapping[str, ClusterInference]
) -> dict[str, JointTest]:
    """Test that all systems are equal (Pustejovsky and Tipton, 2018, the AHT test)."""
    size = len(aggregates.systems)
    if size < 3:
        return {}
    reason = ""
    if stated.population_size == len(aggregates.documents):
        reason = "every document of the population is here, so there is nothing to test"
    elif not stacked:
        reason = "fewer than two documents have a query with a score of every system"
    if reason:
        missing = JointTest(nan, size - 1, nan, nan, nan, nan, reason)
        return dict.fromkeys(stated.estimands, missing)
    rows: Any = np.eye(size)[1:] - np.eye(size)[:1]
    return {name: fit.joint(rows, rows @ fit.coefficients) for name, fit in stacked.items()}
