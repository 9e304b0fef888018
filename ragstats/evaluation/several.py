"""Several scores compared at once, with multiplicity across scores and pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ragstats.checks import names, options_of
from ragstats.evaluation.compare import compare
from ragstats.evaluation.comparison import Comparison
from ragstats.evaluation.leaderboard import adjust_pvalues, check_multiplicity
from ragstats.evaluation.shown import Shown, tabled


@dataclass(frozen=True)
class ScoreComparisons(Shown):
    """Comparisons of the same systems under several scores.

    Attributes
    ----------
    comparisons : dict of str to Comparison
        By score.
    multiplicity : str
        The method for ``p_adjusted``, across all scores and pairs.
    """

    comparisons: dict[str, Comparison]
    multiplicity: str

    @property
    def differences(self) -> pd.DataFrame:
        """All differences, index (score, system, baseline); ``p_adjusted`` is across all rows."""
        tables = {score: c.differences for score, c in self.comparisons.items()}
        table = pd.concat(tables, names=["score"])
        table["p_adjusted"] = adjust_pvalues(table["p"].to_numpy(float), self.multiplicity)
        return table

    def summary(self) -> str:
        """Return the differences as text of at most 80 columns."""
        table = self.differences[["estimate", "se", "p", "p_adjusted", "low", "high"]]
        names = [f"{score}: {a} - {b}" for score, a, b in table.index]
        return "\n".join(tabled(table, names))


def compare_scores(
    data: Any, *, scores: Sequence[str], multiplicity: str = "holm", **options: Any
) -> ScoreComparisons:
    """Compare systems under several scores.

    Parameters
    ----------
    data : DataFrame
        One row per query and system.
    scores : sequence of str
        Columns of scores.
    multiplicity : str
        A method of statsmodels' ``multipletests``, applied across all scores and pairs.
    **options
        As :func:`ragstats.compare`.

    Returns
    -------
    ScoreComparisons

    Raises
    ------
    ValueError
        If there is no score, or as :func:`ragstats.compare`.

    Examples
    --------
    >>> import ragstats as rs
    >>> d = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    >>> c = rs.compare_scores(d, scores=["hit_at_1", "rr"], system="system", doc="doc_id",
    ...                       query="query_id", estimand="micro")
    >>> c.differences["estimate"].round(4).tolist()
    [-0.0155, -0.0175]
    """
    listed = names("scores", scores, "columns, such as ['hit_at_1', 'rr']")
    check_multiplicity(multiplicity)
    if "score" in options:
        raise TypeError("score= is for compare; compare_scores takes scores=, a list of columns")
    options_of(compare, options, of="compare_scores")
    return ScoreComparisons({s: compare(data, score=s, **options) for s in listed}, multiplicity)
