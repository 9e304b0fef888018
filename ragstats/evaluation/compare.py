"""Comparing systems: paired differences by document, as system-indicator regressions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ragstats.core.adjustment import adjustment
from ragstats.core.dof import df_rule
from ragstats.core.hypothesis import JointTest, t_pvalue
from ragstats.core.inference import ClusterInference
from ragstats.evaluation.documents import DocumentTable, unknown_system
from ragstats.evaluation.means import MeanResults, cells_of, mean_of, with_population
from ragstats.evaluation.pairs import ScoreMatrix, check_unmatched, score_matrix
from ragstats.exceptions import DataError
from ragstats.models.compressed import solve_cells
from ragstats.models.estimand import check_estimand
from ragstats.models.statsmodels_results import check_alpha


@dataclass(frozen=True)
class Comparison:
    """Differences between systems, with their uncertainty between documents.

    Attributes
    ----------
    scores : ScoreMatrix
        Scores by query and system.
    pairs : tuple of (str, str)
        (system, baseline) of each difference.
    results : dict of (str, str) to MeanResults
        The intercept-only regression of the differences, for the rules that match queries.
    estimand : str
        "micro" or "macro".
    baseline : str or None
        None when all pairs were asked for.
    unmatched : str
        The rule for queries that not both systems have.
    cov_type, df : str
        The covariance type and the df rule.
    population : int or None
        M, when it was stated.
    """

    scores: ScoreMatrix
    pairs: tuple[tuple[str, str], ...]
    results: dict[tuple[str, str], MeanResults]
    stacked: ClusterInference
    estimand: str
    baseline: str | None
    unmatched: str
    cov_type: str
    df: str
    population: int | None = None

    @property
    def systems(self) -> list[str]:
        """The systems, in their order."""
        return self.scores.systems

    @property
    def differences(self) -> pd.DataFrame:
        """The differences with their 95% intervals, one row per pair."""
        return self.table()

    def table(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return the differences with intervals of level ``1 - alpha``.

        Returns
        -------
        DataFrame
            ``estimate``, ``se``, ``df``, ``t``, ``p``, ``low``, ``high``, ``documents``,
            ``queries``; index (system, baseline).
        """
        check_alpha(alpha)
        rows = [self._difference(pair, alpha) for pair in self.pairs]
        index = pd.MultiIndex.from_tuples(self.pairs, names=["system", "baseline"])
        return pd.DataFrame(rows, index=index)

    def _difference(self, pair: tuple[str, str], alpha: float) -> dict[str, float]:
        if self.unmatched == "stacked":
            return self._stacked_difference(pair, alpha)
        result = self.results[pair]
        half = stats.t.isf(alpha / 2, result.df) * result.se
        return {
            "estimate": result.estimate,
            "se": result.se,
            "df": result.df,
            "t": float(np.asarray(result.tvalues)[0]),
            "p": result.pvalue,
            "low": result.estimate - half,
            "high": result.estimate + half,
            "documents": result.documents.n_documents,
            "queries": result.documents.n_rows,
        }

    def _stacked_difference(self, pair: tuple[str, str], alpha: float) -> dict[str, float]:
        contrast = self._contrast(pair)
        estimate = self.stacked.contrasts(contrast[None, :])
        effect, se, df = float(estimate.effect[0]), float(estimate.se[0]), float(estimate.df[0])
        t = effect / se if se > 0 else float("nan")
        half = stats.t.isf(alpha / 2, df) * se
        used = ~np.isnan(np.column_stack([self.scores.column(s) for s in pair])).all(axis=1)
        return {
            "estimate": effect,
            "se": se,
            "df": df,
            "t": t,
            "p": float(t_pvalue(np.array(t), np.array(df))),
            "low": effect - half,
            "high": effect + half,
            "documents": len(np.unique(self.scores.codes[used])),
            "queries": int(used.sum()),
        }

    def _contrast(self, pair: tuple[str, str]) -> np.ndarray:
        contrast = np.zeros(len(self.systems))
        contrast[self.systems.index(pair[0])] += 1
        contrast[self.systems.index(pair[1])] -= 1
        return contrast

    def joint_test(self) -> JointTest:
        """Test that all systems are equal, by the AHT test of the system-indicator regression.

        Under "error" and "pairwise" it uses the queries that every system has.

        References
        ----------
        Pustejovsky and Tipton (2018), JBES 36(4), 672-683.
        """
        first = self.systems[0]
        rows = np.array([self._contrast((s, first)) for s in self.systems[1:]])
        return self.stacked.joint(rows, rows @ self.stacked.coefficients)

    def means(self, *, estimand: str | None = None) -> dict[str, MeanResults]:
        """Return the mean of each system over all its scored queries."""
        return {
            system: mean_of(
                self.scores.of_system(system),
                estimand or self.estimand,
                cov_type=self.cov_type,
                df=self.df,
                population=self.population,
            )
            for system in self.systems
        }

    def summary(self) -> str:
        """Return the comparison as text of at most 80 columns."""
        table = self.differences
        shown = table[["estimate", "se", "df", "p", "low", "high", "documents"]].copy()
        shown["p"] = [f"{p:.2g}" for p in shown["p"]]
        shown["df"] = [f"{df:.1f}" for df in shown["df"]]
        shown.index = pd.Index([f"{a} - {b}" for a, b in table.index])
        shown = shown.rename(columns={"documents": "K"})
        lines = [
            f"Paired differences of {self.scores.score!r}, {self.estimand} estimand,"
            f" {self.cov_type}, {self.df} df, 95%",
            shown.to_string(float_format=lambda v: f"{v:.4f}"),
        ]
        lost = {s: n for s, n in self.scores.unscored.items() if n}
        if lost:
            lines.append("Unscored rows: " + ", ".join(f"{s} {n}" for s, n in lost.items()))
        return "\n".join(lines)


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
    adjustment(cov_type), df_rule(df)
    matrix = score_matrix(data, score=score, system=system, doc=doc, query=query, systems=systems)
    if len(matrix.systems) < 2:
        raise DataError(
            f"system={system!r} has one system, {matrix.systems[0]!r}; a comparison needs two"
        )
    if baseline is not None and baseline not in matrix.systems:
        raise unknown_system(str(baseline), matrix.systems)
    pairs = _pairs(matrix.systems, baseline)
    rule = "stacked" if query is None else unmatched
    if rule == "error":
        _refuse_unmatched(matrix, pairs)
    options: dict[str, Any] = {"cov_type": cov_type, "df": df, "population": population}
    results = {}
    if rule != "stacked":
        results = {p: mean_of(matrix.differences(*p), estimand, **options) for p in pairs}
    stacked = _stacked(matrix, estimand, matched=rule != "stacked", **options)
    return Comparison(
        matrix, pairs, results, stacked, estimand, baseline, rule, cov_type, df, population
    )


def _pairs(systems: list[str], baseline: str | None) -> tuple[tuple[str, str], ...]:
    if baseline is None:
        return tuple((b, a) for a, b in itertools.combinations(systems, 2))
    return tuple((s, baseline) for s in systems if s != baseline)


def _refuse_unmatched(matrix: ScoreMatrix, pairs: tuple[tuple[str, str], ...]) -> None:
    """Raise when a query has only one score of a pair."""
    for pair in pairs:
        alone = matrix.one_sided(*pair)
        if alone.size:
            shown = ", ".join(repr(q) for q in alone[:3].tolist()) + (
                ", …" if alone.size > 3 else ""
            )
            raise DataError(
                f"unmatched='error': {alone.size} queries have a score of only one of {pair[0]!r}"
                f" and {pair[1]!r} ({shown}); choose unmatched='pairwise' (use the queries that"
                " both have) or 'stacked' (use all rows)"
            )


def _stacked(
    matrix: ScoreMatrix,
    estimand: str,
    *,
    matched: bool,
    cov_type: str,
    df: str,
    population: int | None,
) -> ClusterInference:
    """Fit scores on system indicators, without a constant: one coefficient is one system's mean."""
    rows = ~np.isnan(matrix.values).any(axis=1) if matched else None
    if rows is not None and not rows.any():
        raise DataError("no query has a score of every system; compare fewer, or choose 'stacked'")
    tables = [matrix.of_system(s, rows=rows) for s in matrix.systems]
    frame = pd.concat([t.frame for t in tables], ignore_index=True)
    indicator = np.repeat(np.arange(len(tables)), [len(t.frame) for t in tables])
    design = pd.DataFrame(np.eye(len(tables))[indicator], columns=matrix.systems)
    stacked = DocumentTable(frame, matrix.doc, matrix.score)
    inference = solve_cells(cells_of(stacked, design), estimand).infer(
        adjustment(cov_type), df_rule(df)
    )
    return with_population(inference, len(matrix.documents), population)
