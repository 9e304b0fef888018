"""Many systems at once: order, simultaneous intervals, and which cannot be told apart."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.multitest import (
    multipletests,
    multitest_alias,
    multitest_methods_names,
)

from ragstats.core.segments import Floats
from ragstats.evaluation.shown import tabled, wrapped
from ragstats.exceptions import unknown_option
from ragstats.extras import need
from ragstats.models.estimand import MEANING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ragstats.evaluation.means import MeanResults


class Leaderboard(pd.DataFrame):
    """A table of systems, best first, that prints in 80 columns and can be drawn.

    What is taken from it, columns or rows, is a plain DataFrame.

    Attributes
    ----------
    about : dict of str to str
        ``score``, ``estimand``, and the ``level`` of the intervals.
    """

    _metadata: ClassVar[list[str]] = ["about"]
    about: dict[str, str]

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __deepcopy__(self, memo: Any = None) -> Leaderboard:
        twin = Leaderboard(pd.DataFrame(self).copy())
        twin.about = dict(self.about)
        return twin

    def summary(self) -> str:
        """Return means, intervals, p and letters as text of at most 80 columns."""
        shown = self[["estimate", "se", "low", "high", "p_to_best", "group"]].copy()
        shown["p_to_best"] = ["" if p != p else f"{p:.2g}" for p in shown["p_to_best"]]
        about = self.about
        title = (
            f"{about['estimand'].capitalize()} means of {about['score']!r} over all scored queries"
            f" of each system, {about['level']} intervals; systems that share a letter cannot be"
            " told apart (Holm-adjusted p of all pairs)"
        )
        return "\n".join([*wrapped(title), *tabled(shown, list(map(str, shown.index)))])

    def __repr__(self) -> str:
        return self.summary()

    def __str__(self) -> str:
        return self.summary()

    def plot(self) -> Figure:  # type: ignore[override]
        """Draw the means with their intervals, best first, the letters beside the names.

        Returns
        -------
        matplotlib.figure.Figure
            Not attached to pyplot.

        Raises
        ------
        MissingExtraError
            Without matplotlib.
        """
        need("matplotlib", "a figure")
        from ragstats.figures.forest import Span, beside
        from ragstats.figures.style import label, on_white

        estimand = self.about["estimand"]
        rows = [
            (f"{label(str(name), 28)}  {row['group']}", Span(*row[["estimate", "low", "high"]]))
            for name, row in self.iterrows()
        ]
        xlabel = (
            f"mean {label(self.about['score'], 26)}, {self.about['level']} interval; systems that"
            " share a letter cannot be told apart"
        )
        with on_white():
            return beside(rows, xlabel, estimand, MEANING[estimand])


def check_multiplicity(method: Any) -> None:
    """Raise unless ``multipletests`` of statsmodels knows the method."""
    if not isinstance(method, str) or method not in multitest_alias:
        raise unknown_option("multiplicity", method, multitest_methods_names.values())


def adjust_pvalues(pvalues: Floats, method: str = "holm") -> Floats:
    """Return p-values adjusted for multiplicity; NaN stays NaN and is not counted."""
    check_multiplicity(method)
    adjusted = np.full(len(pvalues), np.nan)
    known = ~np.isnan(pvalues)
    if known.any():
        adjusted[known] = multipletests(pvalues[known], method=method)[1]
    return adjusted


def leaderboard(
    means: dict[str, MeanResults], pairs: pd.DataFrame, *, alpha: float = 0.05
) -> Leaderboard:
    """Order systems by their means.

    Parameters
    ----------
    means : dict of str to MeanResults
        Of every system.
    pairs : DataFrame
        Differences of all pairs, index (system, baseline), with ``p_adjusted``.
    alpha : float
        One minus the confidence level.

    Returns
    -------
    Leaderboard
        A DataFrame. Index: systems, best first. ``estimate``, ``se``, ``df``, ``low``, ``high`` of
        each mean by documents; ``low_simultaneous``, ``high_simultaneous`` (Bonferroni, valid for
        any dependence of the systems); ``p_to_best``, adjusted over all pairs; ``group``: systems
        that share a letter cannot be told apart.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70; Piepho (2004), JCGS 13(2), 456-466
    (letters).
    """
    names = sorted(means, key=lambda s: (-means[s].estimate, s))
    rows = []
    adjusted = _symmetric(pairs["p_adjusted"])
    letters = letter_groups(names, adjusted, alpha)
    for name in names:
        mean = means[name]
        half = stats.t.isf(alpha / 2, mean.df) * mean.se
        wide = stats.t.isf(alpha / (2 * len(names)), mean.df) * mean.se
        rows.append(
            {
                "estimate": mean.estimate,
                "se": mean.se,
                "df": mean.df,
                "low": mean.estimate - half,
                "high": mean.estimate + half,
                "low_simultaneous": mean.estimate - wide,
                "high_simultaneous": mean.estimate + wide,
                "p_to_best": adjusted.get((name, names[0]), np.nan),
                "group": letters[name],
            }
        )
    board = Leaderboard(rows, index=pd.Index(names, name="system"))
    first = means[names[0]]
    board.about = {
        "score": first.documents.score,
        "estimand": first.estimand,
        "level": f"{100 * (1 - alpha):.4g}%",
    }
    return board


def _symmetric(pvalues: pd.Series) -> dict[tuple[str, str], float]:
    """Return p-values by pair, in both orders."""
    both: dict[tuple[str, str], float] = {}
    for pair, p in zip(pvalues.index.to_list(), pvalues.to_numpy(), strict=True):
        a, b = pair
        both[(a, b)] = both[(b, a)] = float(p)
    return both


def letter_groups(
    names: Sequence[str], adjusted: dict[tuple[str, str], float], alpha: float
) -> dict[str, str]:
    """Return letters such that two systems share one iff their difference is not significant.

    A difference without a p-value counts as not significant: nothing tells the two apart.
    """
    groups = [set(names)]
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            if not adjusted.get((a, b), np.nan) <= alpha:
                continue
            split = []
            for group in groups:
                split += [group - {a}, group - {b}] if a in group and b in group else [group]
            groups = [g for g in split if g and not any(g < other for other in split)]
            groups = [g for i, g in enumerate(groups) if g not in groups[:i]]
    groups.sort(key=lambda g: min(names.index(s) for s in g))
    symbols = string.ascii_letters
    return {
        name: "".join(
            symbols[i] if i < len(symbols) else f"({i})" for i, g in enumerate(groups) if name in g
        )
        for name in names
    }
