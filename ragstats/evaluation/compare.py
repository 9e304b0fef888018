"""Comparing systems: paired differences by document, as system-indicator regressions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ragstats.core.adjustment import adjustment
from ragstats.core.dof import df_rule
from ragstats.core.inference import ClusterInference
from ragstats.evaluation.adjusted import adjusted_inference, check_covariates
from ragstats.evaluation.comparison import Comparison, Pair, PairEstimate, pair_contrast
from ragstats.evaluation.documents import DocumentTable, unknown_system
from ragstats.evaluation.means import MeanResults, mean_of
from ragstats.evaluation.pairs import ScoreMatrix, check_unmatched, score_matrix
from ragstats.evaluation.stacked import stacked_inference
from ragstats.exceptions import DataError
from ragstats.models.estimand import check_estimand


def compare(
    data: Any,
    *,
    score: str,
    system: str,
    doc: str,
    estimand: str,
    query: str | None = None,
    baseline: str | None = None,
    systems: Sequence[str] | None = None,
    unmatched: str = "error",
    covariates: str | None = None,
    cov_type: str = "CR2",
    df: str = "satterthwaite",
    population: int | None = None,
) -> Comparison:
    """Compare systems on the same queries, with documents as the sampling unit.

    Parameters
    ----------
    data : DataFrame
        pandas, polars or pyarrow; one row per query and system.
    score, system, doc : str
        Columns of scores, systems and documents.
    estimand : {"micro", "macro"}
        What is averaged; there is no default.
    query : str, optional
        The column of query ids, by which the systems are paired. Without it every row is used and
        documents alone are matched (``unmatched="stacked"``).
    baseline : str, optional
        Compare every other system with this one; by default all pairs.
    systems : sequence of str, optional
        The systems to compare, in this order; by default all.
    unmatched : {"error", "pairwise", "stacked"}
        What to do with queries that only one system of a pair has: refuse; use the queries that
        both have; or use all rows in a system-indicator regression.
    covariates : str, optional
        Terms of a formula, for instance ``"np.log(chunk_words) + C(section)"``; the differences are
        then those of the regression of the score on system indicators and these, on all scored
        rows (matched or not), or on the matched ones unless ``unmatched="stacked"``.
    cov_type, df
        As in :meth:`ragstats.OLS.fit`.
    population : int, optional
        M, for the finite population correction; see :func:`ragstats.micro_mean`.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If a column, a name or the baseline is unknown.
    DataError
        If queries are unmatched under "error", repeated, or shared by documents; if a system has
        no scored query.

    Notes
    -----
    On balanced pairs the regression of the differences on a constant and the stacked regression on
    system indicators have the same estimate, CR0-CR3 standard errors and df.

    Examples
    --------
    >>> import ragstats as rs
    >>> scores = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    >>> c = rs.compare(scores, score="hit_at_1", system="system", doc="doc_id", query="query_id",
    ...                baseline="bm25", estimand="micro")
    >>> c.differences[["estimate", "se"]].round(5).iloc[0].tolist()
    [-0.01553, 0.00193]
    """
    check_estimand(estimand), check_unmatched(unmatched)
    check_covariates(covariates)
    adjustment(cov_type), df_rule(df)
    matrix = score_matrix(data, score=score, system=system, doc=doc, query=query, systems=systems)
    if len(matrix.systems) < 2:
        raise DataError(
            f"system={system!r} has one system, {matrix.systems[0]!r}; a comparison needs two"
        )
    if baseline is not None and not (isinstance(baseline, str) and baseline in matrix.systems):
        raise unknown_system(baseline, matrix.systems, argument="baseline")
    pairs = _pairs(matrix.systems, baseline)
    rule = "stacked" if query is None else unmatched
    if rule == "error":
        for pair in pairs:
            matrix.refuse_one_sided(*pair)
    options: dict[str, Any] = {"cov_type": cov_type, "df": df, "population": population}
    every = tuple(itertools.permutations(matrix.systems, 2))
    results = {}
    notes: tuple[str, ...] = ()
    stacked: ClusterInference | None
    if covariates:
        stacked, notes = adjusted_inference(
            data, matrix, covariates, score=score, system=system, doc=doc, query=query,
            estimand=estimand, matched=rule != "stacked", **options,
        )  # fmt: skip
    else:
        stacked = _stacked(matrix, estimand, matched=rule != "stacked", **options)
        if rule != "stacked":
            results = _paired(matrix, pairs, estimand, options)
    estimates = _estimates(matrix, every, results, stacked, estimand, rule, covariates, options)
    return Comparison(
        matrix, estimates, pairs, results, stacked, estimand, baseline, rule, cov_type, df,
        population, covariates or "", query is not None, notes,
    )  # fmt: skip


def _paired(
    matrix: ScoreMatrix, pairs: Sequence[Pair], estimand: str, options: dict[str, Any]
) -> dict[Pair, MeanResults]:
    """Regress the paired differences on a constant, for pairs with at least two documents."""
    tables = {pair: matrix.differences(*pair) for pair in pairs}
    return {
        pair: mean_of(table, estimand, **options)
        for pair, table in tables.items()
        if table.n_documents > 1
    }


def _estimates(
    matrix: ScoreMatrix,
    every: Sequence[Pair],
    results: dict[Pair, MeanResults],
    stacked: ClusterInference | None,
    estimand: str,
    rule: str,
    covariates: str | None,
    options: dict[str, Any],
) -> dict[Pair, PairEstimate]:
    """Return every ordered pair: those asked for from their regressions, the others alike."""
    estimates: dict[Pair, PairEstimate] = {}
    for pair in every:
        if stacked is not None and (rule == "stacked" or covariates):
            estimates[pair] = _from_contrast(matrix, stacked, pair, matched=rule != "stacked")
        elif pair in results:
            estimates[pair] = _from_mean(results[pair], 1.0)
        elif (pair[1], pair[0]) in results:
            estimates[pair] = _from_mean(results[(pair[1], pair[0])], -1.0)
        elif matrix.differences(*pair).n_documents < 2:
            estimates[pair] = _of_one_document(matrix.differences(*pair))
        elif pair not in estimates:
            result = mean_of(matrix.differences(*pair), estimand, **options)
            estimates[pair] = _from_mean(result, 1.0)
            estimates[(pair[1], pair[0])] = _from_mean(result, -1.0)
    return estimates


def _of_one_document(table: DocumentTable) -> PairEstimate:
    """Return the difference in the only document where both systems have scores."""
    only = table.frame[table.doc].iloc[0]
    reason = f"rests on 1 document ({str(only)!r}), which leaves no variation to measure"
    return PairEstimate(float(table.rates[0]), np.nan, np.nan, 1, table.n_rows, reason)


def _from_mean(result: MeanResults, sign: float) -> PairEstimate:
    table = result.documents
    return PairEstimate(
        sign * result.estimate, result.se, result.df, table.n_documents, table.n_rows, result.reason
    )


def _from_contrast(
    matrix: ScoreMatrix, stacked: ClusterInference, pair: Pair, *, matched: bool
) -> PairEstimate:
    contrast = np.zeros((1, len(stacked.coefficients)))
    contrast[0, : len(matrix.systems)] = pair_contrast(matrix.systems, pair)
    found = stacked.contrasts(contrast)
    has = ~np.isnan(matrix.values if matched else matrix.values[:, _columns(matrix, pair)])
    used = has.all(axis=1) if matched else has.any(axis=1)
    return PairEstimate(
        float(found.effect[0]),
        float(found.se[0]),
        float(found.df[0]),
        len(np.unique(matrix.codes[used])),
        int(used.sum()),
        stacked.why_zero if found.se[0] == 0 else found.reasons[0],
    )


def _columns(matrix: ScoreMatrix, pair: Pair) -> list[int]:
    return [matrix.systems.index(name) for name in pair]


def _pairs(systems: list[str], baseline: str | None) -> tuple[Pair, ...]:
    if baseline is None:
        return tuple((b, a) for a, b in itertools.combinations(systems, 2))
    return tuple((s, baseline) for s in systems if s != baseline)


def _stacked(
    matrix: ScoreMatrix, estimand: str, *, matched: bool, **options: Any
) -> ClusterInference | None:
    """Fit the rows that every system has, or all of them."""
    rows = ~np.isnan(matrix.values).any(axis=1) if matched else None
    if rows is not None and not rows.any():
        raise DataError("no query has a score of every system; compare fewer, or choose 'stacked'")
    tables = [matrix.of_system(s, rows=rows) for s in matrix.systems]
    return stacked_inference(
        tables, matrix.systems, estimand, n_documents=len(matrix.documents), **options
    )
