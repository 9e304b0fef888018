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
from ragstats.evaluation.adjusted import adjusted_inference
from ragstats.evaluation.diagnostics import PairDiagnostics, diagnose_pair
from ragstats.evaluation.documents import DocumentTable, unknown_system
from ragstats.evaluation.leaderboard import adjust_pvalues, leaderboard
from ragstats.evaluation.means import MeanResults, cells_of, mean_of, with_population
from ragstats.evaluation.pairs import ScoreMatrix, check_unmatched, score_matrix
from ragstats.exceptions import DataError
from ragstats.models.compressed import solve_cells
from ragstats.models.estimand import check_estimand
from ragstats.models.statsmodels_results import check_alpha

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairEstimate:
    """One difference between two systems.

    Attributes
    ----------
    estimate, se, df : float
        System minus baseline; NaN with a ``reason``.
    documents, queries : int
        What it rests on.
    reason : str
        Why it has no standard error; empty otherwise.
    """

    estimate: float
    se: float
    df: float
    documents: int
    queries: int
    reason: str = ""

    def pvalue(self, null: float = 0.0, alternative: str = "two-sided") -> float:
        """Return the p of "the difference is ``null``"; NaN where the SE is 0 or NaN."""
        t = (self.estimate - null) / self.se if self.se > 0 else np.nan
        return float(t_pvalue(np.array(t), np.array(self.df), alternative))


@dataclass(frozen=True)
class Comparison:
    """Differences between systems, with their uncertainty between documents.

    Attributes
    ----------
    scores : ScoreMatrix
        Scores by query and system.
    estimates : dict of (str, str) to PairEstimate
        All pairs (system, baseline), in both the asked and the other order of pairs.
    pairs : tuple of (str, str)
        The pairs that were asked for.
    results : dict of (str, str) to MeanResults
        The intercept-only regressions of the paired differences; empty for the stacked rule and
        with covariates.
    stacked : ClusterInference
        The system-indicator regression, one coefficient per system.
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
    covariates : str
        What the differences are adjusted for; empty when nothing.
    """

    scores: ScoreMatrix
    estimates: dict[Pair, PairEstimate]
    pairs: tuple[Pair, ...]
    results: dict[Pair, MeanResults]
    stacked: ClusterInference
    estimand: str
    baseline: str | None
    unmatched: str
    cov_type: str
    df: str
    population: int | None = None
    covariates: str = ""

    @property
    def systems(self) -> list[str]:
        """The systems, in their order."""
        return self.scores.systems

    @property
    def differences(self) -> pd.DataFrame:
        """The differences with their 95% intervals, one row per pair; see :meth:`table`."""
        return self.table()

    def table(
        self, alpha: float = 0.05, *, alternative: str = "two-sided", multiplicity: str = "holm"
    ) -> pd.DataFrame:
        """Return the differences with intervals of level ``1 - alpha``.

        Parameters
        ----------
        alpha : float
            One minus the confidence level of each interval.
        alternative : {"two-sided", "larger", "smaller"}
            Of the p-values.
        multiplicity : str
            How ``p_adjusted`` accounts for the number of pairs: a method of statsmodels'
            ``multipletests``.

        Returns
        -------
        DataFrame
            ``estimate``, ``se``, ``df``, ``t``, ``p``, ``p_adjusted``, ``low``, ``high``,
            ``documents``, ``queries``; index (system, baseline).
        """
        check_alpha(alpha)
        return _table(self.estimates, self.pairs, alpha, alternative, multiplicity)

    def joint_test(self) -> JointTest:
        """Test that all systems are equal, by the AHT test of the system-indicator regression.

        Under "error" and "pairwise" it uses the queries that every system has.

        References
        ----------
        Pustejovsky and Tipton (2018), JBES 36(4), 672-683.
        """
        first = self.systems[0]
        rows = np.zeros((len(self.systems) - 1, len(self.stacked.coefficients)))
        rows[:, : len(self.systems)] = [
            _contrast(self.systems, (s, first)) for s in self.systems[1:]
        ]
        return self.stacked.joint(rows, rows @ self.stacked.coefficients)

    def means(self, *, estimand: str | None = None) -> dict[str, MeanResults]:
        """Return the (unadjusted) mean of each system over all its scored queries."""
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

    def leaderboard(self, alpha: float = 0.05) -> pd.DataFrame:
        """Order the systems; systems that share a letter cannot be told apart.

        See :func:`ragstats.evaluation.leaderboard.leaderboard` for the columns. The letters and
        ``p_to_best`` come from all pairs, Holm-adjusted.
        """
        check_alpha(alpha)
        every = tuple(itertools.combinations(self.systems, 2))
        pairs = _table(self.estimates, every, alpha, "two-sided", "holm")
        return leaderboard(self.means(), pairs, alpha=alpha)

    def equivalence(self, margin: float, *, alpha: float = 0.05) -> pd.DataFrame:
        """Test non-inferiority and equivalence against a margin.

        Parameters
        ----------
        margin : float
            The largest difference that does not matter, positive, in units of the score.
        alpha : float
            Level of the one-sided tests; the interval shown is of level ``1 - 2 alpha``.

        Returns
        -------
        DataFrame
            ``estimate``, ``low``, ``high`` (inside ±margin iff equivalent), ``p_noninferior`` (one
            -sided, of "worse than the baseline by the margin or more"), ``p_equivalent`` (the
            larger of the two one-sided p).

        References
        ----------
        Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15(6), 657-680 (TOST).
        """
        check_alpha(2 * alpha)
        if not (np.isfinite(margin) and margin > 0):
            raise ValueError(f"margin={margin!r}: give a positive difference in units of the score")
        rows = []
        for pair in self.pairs:
            e = self.estimates[pair]
            half = stats.t.isf(alpha, e.df) * e.se
            above, below = e.pvalue(-margin, "larger"), e.pvalue(margin, "smaller")
            rows.append(
                {
                    "estimate": e.estimate,
                    "low": e.estimate - half,
                    "high": e.estimate + half,
                    "p_noninferior": above,
                    "p_equivalent": float(np.maximum(above, below)),
                }
            )
        return pd.DataFrame(rows, index=_index(self.pairs))

    def diagnostics(self, system: str, baseline: str) -> PairDiagnostics:
        """Describe a pair on the queries that both systems have: correlation, gain, ties."""
        both = ~np.isnan(self.scores.column(system)) & ~np.isnan(self.scores.column(baseline))
        left, right = (self.scores.of_system(name, rows=both) for name in (system, baseline))
        difference = self.scores.differences(system, baseline)
        paired, alone, other = (
            mean_of(table, self.estimand).se for table in (difference, left, right)
        )
        return diagnose_pair(difference, paired, alone, other, left.rates, right.rates)

    def summary(self) -> str:
        """Return the comparison as text of at most 80 columns."""
        table = self.differences
        shown = table[["estimate", "se", "df", "p", "low", "high", "documents"]].copy()
        shown["p"] = [f"{p:.2g}" for p in shown["p"]]
        shown["df"] = [f"{df:.1f}" for df in shown["df"]]
        shown.index = pd.Index([f"{a} - {b}" for a, b in table.index])
        shown = shown.rename(columns={"documents": "K"})
        kind = "Differences" if self.unmatched == "stacked" else "Paired differences"
        lines = [
            f"{kind} of {self.scores.score!r}, {self.estimand} estimand,"
            f" {self.cov_type}, {self.df} df, 95%",
            shown.to_string(float_format=lambda v: f"{v:.4f}"),
        ]
        if self.covariates:
            lines.append(f"Adjusted for: {self.covariates}")
        lost = {s: n for s, n in self.scores.unscored.items() if n}
        if lost:
            lines.append("Unscored rows: " + ", ".join(f"{s} {n}" for s, n in lost.items()))
        reasons = {pair: self.estimates[pair].reason for pair in self.pairs}
        lines += [f"{pair[0]} - {pair[1]}: {why}" for pair, why in reasons.items() if why]
        return "\n".join(lines)


def _index(pairs: Sequence[Pair]) -> pd.MultiIndex:
    return pd.MultiIndex.from_tuples(list(pairs), names=["system", "baseline"])


def _contrast(systems: list[str], pair: Pair) -> np.ndarray:
    contrast = np.zeros(len(systems))
    contrast[systems.index(pair[0])] += 1
    contrast[systems.index(pair[1])] -= 1
    return contrast


def _table(
    estimates: dict[Pair, PairEstimate],
    pairs: Sequence[Pair],
    alpha: float,
    alternative: str,
    multiplicity: str,
) -> pd.DataFrame:
    chosen = [estimates[pair] for pair in pairs]
    estimate, se, df = (np.array([getattr(e, f) for e in chosen]) for f in ("estimate", "se", "df"))
    half = stats.t.isf(alpha / 2, df) * se
    p = np.array([e.pvalue(0.0, alternative) for e in chosen])
    return pd.DataFrame(
        {
            "estimate": estimate,
            "se": se,
            "df": df,
            "t": np.where(se > 0, estimate / np.where(se > 0, se, 1.0), np.nan),
            "p": p,
            "p_adjusted": adjust_pvalues(p, multiplicity),
            "low": estimate - half,
            "high": estimate + half,
            "documents": [e.documents for e in chosen],
            "queries": [e.queries for e in chosen],
        },
        index=_index(pairs),
    )


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
    every = tuple(itertools.permutations(matrix.systems, 2))
    results = {}
    if covariates:
        stacked = adjusted_inference(
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
        population, covariates or "",
    )  # fmt: skip


def _paired(
    matrix: ScoreMatrix, pairs: Sequence[Pair], estimand: str, options: dict[str, Any]
) -> dict[Pair, MeanResults]:
    """Regress the paired differences on a constant, pair by pair."""
    return {pair: mean_of(matrix.differences(*pair), estimand, **options) for pair in pairs}


def _estimates(
    matrix: ScoreMatrix,
    every: Sequence[Pair],
    results: dict[Pair, MeanResults],
    stacked: ClusterInference,
    estimand: str,
    rule: str,
    covariates: str | None,
    options: dict[str, Any],
) -> dict[Pair, PairEstimate]:
    """Return every ordered pair: those asked for from their regressions, the others alike."""
    estimates: dict[Pair, PairEstimate] = {}
    for pair in every:
        if rule == "stacked" or covariates:
            estimates[pair] = _from_contrast(matrix, stacked, pair, matched=rule != "stacked")
        elif pair in results:
            estimates[pair] = _from_mean(results[pair], 1.0)
        elif (pair[1], pair[0]) in results:
            estimates[pair] = _from_mean(results[(pair[1], pair[0])], -1.0)
        elif pair not in estimates:
            result = mean_of(matrix.differences(*pair), estimand, **options)
            estimates[pair] = _from_mean(result, 1.0)
            estimates[(pair[1], pair[0])] = _from_mean(result, -1.0)
    return estimates


def _from_mean(result: MeanResults, sign: float) -> PairEstimate:
    table = result.documents
    return PairEstimate(
        sign * result.estimate, result.se, result.df, table.n_documents, table.n_rows, result.reason
    )


def _from_contrast(
    matrix: ScoreMatrix, stacked: ClusterInference, pair: Pair, *, matched: bool
) -> PairEstimate:
    contrast = np.zeros((1, len(stacked.coefficients)))
    contrast[0, : len(matrix.systems)] = _contrast(matrix.systems, pair)
    found = stacked.contrasts(contrast)
    has = ~np.isnan(matrix.values if matched else matrix.values[:, _columns(matrix, pair)])
    used = has.all(axis=1) if matched else has.any(axis=1)
    return PairEstimate(
        float(found.effect[0]),
        float(found.se[0]),
        float(found.df[0]),
        len(np.unique(matrix.codes[used])),
        int(used.sum()),
        found.reasons[0],
    )


def _columns(matrix: ScoreMatrix, pair: Pair) -> list[int]:
    return [matrix.systems.index(name) for name in pair]


def _pairs(systems: list[str], baseline: str | None) -> tuple[Pair, ...]:
    if baseline is None:
        return tuple((b, a) for a, b in itertools.combinations(systems, 2))
    return tuple((s, baseline) for s in systems if s != baseline)


def _refuse_unmatched(matrix: ScoreMatrix, pairs: tuple[Pair, ...]) -> None:
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
