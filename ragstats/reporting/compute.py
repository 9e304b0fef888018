"""Aggregates → facts. A report read back from JSON goes through the same door as one from rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from ragstats.core.adjustment import adjustment
from ragstats.core.dof import df_rule
from ragstats.core.hypothesis import JointTest
from ragstats.core.inference import ClusterInference
from ragstats.evaluation.diagnostics import (
    diagnose,
    diagnose_pair,
    leave_one_out,
    warnings_of,
)
from ragstats.evaluation.documents import COUNT, SQUARES, TOTAL, DocumentTable
from ragstats.evaluation.means import cells_of, mean_of, with_population
from ragstats.exceptions import RagstatsWarning
from ragstats.models.compressed import solve_cells
from ragstats.reporting.aggregates import Aggregates, PairAggregates, SystemAggregates
from ragstats.reporting.facts import (
    BootstrapFacts,
    Bounds,
    Estimate,
    Facts,
    Influence,
    PairFacts,
    SystemFacts,
)
from ragstats.reporting.stated import Method, Stated

#: Why a mean or a difference on one document has no standard error.
ONE_DOCUMENT = "1 document, at least 2 needed"


def compute(
    aggregates: Aggregates,
    stated: Stated,
    method: Method,
    bootstraps: Iterable[BootstrapFacts] = (),
) -> Facts:
    """Return everything that a report says of these aggregates.

    What the estimators warn of is in the report itself, so it is not warned of again.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagstatsWarning)
        systems = tuple(_system(s, stated, method) for s in aggregates.systems)
        stacked = _stacked_fits(aggregates, stated, method)
        pairs = tuple(_pair(p, aggregates, stated, method, stacked) for p in aggregates.pairs)
        joint = {name: _joint_test(fit) for name, fit in stacked.items()}
    if len(aggregates.systems) < 3:
        joint = {}
    return Facts(stated, method, aggregates, systems, pairs, joint, tuple(bootstraps))


def mean_estimate(
    table: DocumentTable, estimand: str, stated: Stated, method: Method
) -> Estimate:
    """Return a mean, or why it has no standard error."""
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
        reason=result.reason,
    )  # fmt: skip


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
        cr1={e: mean_estimate(table, e, stated, plain) for e in stated.estimands},
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
        spread = [float(r.std(ddof=1) / np.sqrt(len(r))) for r in (table.rates, left, right)]
        diagnostics = diagnose_pair(table, *spread, left, right)
    return PairFacts(
        pair, differences, diagnostics, _influence(table, differences), tuple(dict.fromkeys(said))
    )


def _stacked_fits(
    aggregates: Aggregates, stated: Stated, method: Method
) -> dict[str, ClusterInference]:
    """Fit scores on system indicators, without a constant: one coefficient is one system's mean."""
    tables = aggregates.joint
    if len(tables) < 2:
        return {}
    columns = [tables[0].doc, COUNT, TOTAL, SQUARES]
    frame = pd.concat([t.frame[columns] for t in tables], ignore_index=True)
    indicator = np.repeat(np.arange(len(tables)), [len(t.frame) for t in tables])
    names = [s.name for s in aggregates.systems]
    design = pd.DataFrame(np.eye(len(tables))[indicator], columns=names)
    cells = cells_of(DocumentTable(frame, tables[0].doc, tables[0].score), design)
    if len(cells.grouping.ids) < 2:
        return {}
    fits = {}
    for estimand in stated.estimands:
        inference = solve_cells(cells, estimand).infer(
            adjustment(method.cov_type), df_rule(method.df)
        )
        fits[estimand] = with_population(
            inference, len(aggregates.documents), stated.population_size
        )
    return fits


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


def _joint_test(fit: ClusterInference) -> JointTest:
    """Test that all systems are equal (Pustejovsky and Tipton, 2018, the AHT test)."""
    size = len(fit.coefficients)
    rows: Any = np.eye(size)[1:] - np.eye(size)[:1]
    return fit.joint(rows, rows @ fit.coefficients)
