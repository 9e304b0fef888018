"""A comparison of systems: its differences, leaderboard, equivalence and joint test."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import stats

from ragstats.checks import number
from ragstats.core.hypothesis import JointTest, t_pvalue
from ragstats.core.inference import ClusterInference
from ragstats.evaluation.diagnostics import PairDiagnostics, diagnose_pair
from ragstats.evaluation.leaderboard import Leaderboard, adjust_pvalues, leaderboard
from ragstats.evaluation.means import MeanResults, mean_of
from ragstats.evaluation.pairs import ScoreMatrix
from ragstats.evaluation.shown import Shown, tabled, wrapped
from ragstats.exceptions import noun, plural
from ragstats.extras import need
from ragstats.models.estimand import MEANING
from ragstats.models.statsmodels_results import check_alpha

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
        Why it has no standard error, or one of 0 and so no p-value; empty otherwise.
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


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
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
        The system-indicator regression, one coefficient per system; None when the queries that
        every system has are of one document.
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
    paired_by_query : bool
        Whether queries were named, so that they could be matched.
    notes : tuple of str
        What else there is to know.
    """

    scores: ScoreMatrix
    estimates: dict[Pair, PairEstimate]
    pairs: tuple[Pair, ...]
    results: dict[Pair, MeanResults]
    stacked: ClusterInference | None
    estimand: str
    baseline: str | None
    unmatched: str
    cov_type: str
    df: str
    population: int | None = None
    covariates: str = ""
    paired_by_query: bool = True
    notes: tuple[str, ...] = ()

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
        return pair_table(self.estimates, self.pairs, alpha, alternative, multiplicity)

    def joint_test(self) -> JointTest:
        """Test that all systems are equal, by the AHT test of the system-indicator regression.

        Under "error" and "pairwise" it uses the queries that every system has.

        References
        ----------
        Pustejovsky and Tipton (2018), JBES 36(4), 672-683.
        """
        if self.stacked is None:
            nan, q = float("nan"), len(self.systems) - 1
            reason = "the queries that every system has are of one document"
            return JointTest(nan, q, nan, nan, nan, nan, reason)
        first = self.systems[0]
        rows = np.zeros((len(self.systems) - 1, len(self.stacked.coefficients)))
        rows[:, : len(self.systems)] = [
            pair_contrast(self.systems, (s, first)) for s in self.systems[1:]
        ]
        return self.stacked.joint(rows, rows @ self.stacked.coefficients)

    def means(self, *, estimand: str | None = None) -> dict[str, MeanResults]:
        """Return the (unadjusted) mean of each system over all its scored queries."""
        return {
            system: mean_of(
                self.scores.of_system(system),
                self.estimand if estimand is None else estimand,
                cov_type=self.cov_type,
                df=self.df,
                population=self.population,
            )
            for system in self.systems
        }

    def leaderboard(self, alpha: float = 0.05) -> Leaderboard:
        """Order the systems; systems that share a letter cannot be told apart.

        See :func:`ragstats.evaluation.leaderboard.leaderboard` for the columns; the table prints
        in 80 columns, and ``.plot()`` draws it. The letters and
        ``p_to_best`` come from all pairs, Holm-adjusted. The means are over all scored queries of
        each system; where queries are unmatched, the pairs may rest on fewer.
        """
        check_alpha(alpha)
        every = tuple(itertools.combinations(self.systems, 2))
        pairs = pair_table(self.estimates, every, alpha, "two-sided", "holm")
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
        if number("alpha", alpha) >= 0.5:
            raise ValueError(f"alpha={alpha!r}: give the level of a one-sided test, below 0.5")
        check_alpha(alpha)
        if not number("margin", margin) > 0:
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
        named = {"system": system, "baseline": baseline}
        pair = [self.scores.column(name, argument=a) for a, name in named.items()]
        both = ~np.isnan(np.column_stack(pair)).any(axis=1)
        left, right = (self.scores.of_system(name, rows=both) for name in (system, baseline))
        difference = self.scores.differences(system, baseline)
        paired, alone, other = (
            mean_of(table, self.estimand).se for table in (difference, left, right)
        )
        return diagnose_pair(difference, paired, alone, other, left.rates, right.rates)

    def plot(self, alpha: float = 0.05) -> Figure:
        """Draw the differences with intervals of level ``1 - alpha``, against a line at 0.

        Parameters
        ----------
        alpha : float
            One minus the level of the intervals.

        Returns
        -------
        matplotlib.figure.Figure
            Not attached to pyplot.

        Raises
        ------
        ValueError
            If alpha is not between 0 and 1.
        MissingExtraError
            Without matplotlib.
        """
        table = self.table(alpha)
        need("matplotlib", "a figure")
        from ragstats.figures.forest import Span, beside
        from ragstats.figures.style import label, on_white

        spans = table[["estimate", "low", "high"]].itertuples(index=False)
        rows = [
            (f"{a} − {b}", Span(*span)) for (a, b), span in zip(table.index, spans, strict=True)
        ]
        xlabel = f"difference in {label(self.scores.score, 26)}, {100 * (1 - alpha):.4g}% interval"
        with on_white():
            return beside(rows, xlabel, self.estimand, MEANING[self.estimand], zero=True)

    def __repr__(self) -> str:
        systems = ", ".join(self.systems[:3]) + (", …" if len(self.systems) > 3 else "")
        return f"<Comparison of {self.scores.score!r}: {systems}>"

    def _alone(self) -> list[str]:
        """Say which queries only one system of a pair has, and what became of them."""
        fate = {"pairwise": "left out of the differences (the means keep them)", "stacked": "kept"}
        if self.unmatched not in fate or not self.paired_by_query:
            return []
        alone = {pair: self.scores.one_sided(*pair) for pair in self.pairs}
        lost = {pair: queries for pair, queries in alone.items() if queries.size}
        if not lost:
            return []
        counts = ", ".join(f"{a} - {b} {queries.size}" for (a, b), queries in lost.items())
        (first, *_), total = lost.values(), len(set().union(*(q.tolist() for q in lost.values())))
        return [
            f"{plural(total, 'query')} answered by only one system of a pair"
            f" {noun(total, 'is', 'are')} {fate[self.unmatched]}: {counts}; for instance {first[0]}"
        ]

    def summary(self) -> str:
        """Return the comparison as text of at most 80 columns."""
        table = self.differences
        shown = table[["estimate", "se", "df", "p", "low", "high", "documents"]].copy()
        shown["p"] = [f"{p:.2g}" for p in shown["p"]]
        shown["df"] = [f"{df:.1f}" for df in shown["df"]]
        shown = shown.rename(columns={"documents": "K"})
        kind = "Differences" if self.unmatched == "stacked" else "Paired differences"
        title = (
            f"{kind} of {self.scores.score!r}, {self.estimand} estimand, {self.cov_type}, {self.df}"
            " df, 95%"
        )
        said = [f"Adjusted for: {self.covariates}"] if self.covariates else []
        said += self.notes
        lost = {s: n for s, n in self.scores.unscored.items() if n}
        if lost:
            listed = ", ".join(f"{n} of {s}" for s, n in lost.items())
            said.append(f"{plural(sum(lost.values()), 'row')} without a score: {listed}")
        said += self._alone()
        reasons = {pair: self.estimates[pair].reason for pair in self.pairs}
        said += [f"{pair[0]} - {pair[1]}: {why}" for pair, why in reasons.items() if why]
        names = [f"{a} - {b}" for a, b in table.index]
        return "\n".join([*wrapped(title), *tabled(shown, names), *wrapped(*said)])


def _index(pairs: Sequence[Pair]) -> pd.MultiIndex:
    return pd.MultiIndex.from_tuples(list(pairs), names=["system", "baseline"])


def pair_contrast(systems: list[str], pair: Pair) -> np.ndarray:
    """Return the contrast "system minus baseline" of the systems' coefficients (S,)."""
    contrast = np.zeros(len(systems))
    contrast[systems.index(pair[0])] += 1
    contrast[systems.index(pair[1])] -= 1
    return contrast


def pair_table(
    estimates: dict[Pair, PairEstimate],
    pairs: Sequence[Pair],
    alpha: float,
    alternative: str,
    multiplicity: str,
) -> pd.DataFrame:
    """Return the table of :meth:`Comparison.table` for some pairs."""
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
