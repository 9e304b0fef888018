"""Many systems at once: order, simultaneous intervals, and which cannot be told apart."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.multitest import (
    multipletests,
    multitest_alias,
    multitest_methods_names,
)

from ragstats.core.segments import Floats
from ragstats.exceptions import unknown_option

if TYPE_CHECKING:
    from ragstats.evaluation.means import MeanResults


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
) -> pd.DataFrame:
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
    DataFrame
        Index: systems, best first. ``estimate``, ``se``, ``df``, ``low``, ``high`` of each mean by
        documents; ``low_simultaneous``, ``high_simultaneous`` (Bonferroni, valid for any
        dependence of the systems); ``p_to_best``, adjusted over all pairs; ``group``: systems that
        share a letter cannot be told apart.

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
    return pd.DataFrame(rows, index=pd.Index(names, name="system"))


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
