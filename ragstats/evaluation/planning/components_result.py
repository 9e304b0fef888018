"""The result of `variance_components`: three variances, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ragstats.evaluation.shown import Shown
from ragstats.exceptions import plural

from .text import Block, cell, count, page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The components, from the top.
LEVELS = ("document", "query", "repetition")
#: Level → its words in a table.
WORDS = {
    "document": "document",
    "query": "query in document",
    "repetition": "judgement of a query",
}


@dataclass(frozen=True, slots=True)
class VarianceComponents(Shown):
    """Variances of documents, of queries within documents, of judgements of one query.

    Attributes
    ----------
    document, query, repetition : float
        Estimates in squared units of the score, **not truncated**: an estimate below 0 is sampling
        error around a small component. NaN where the data cannot tell it (see ``reasons``).
    mean_squares : dict of str to float
        Of the analysis of variance, for the levels that the data have.
    df : dict of str to int
        Their degrees of freedom.
    n_documents, n_queries, n_rows, dropped : int
        What it rests on, and rows without a score.
    reasons : dict of str to str
        Why a component is NaN, and what holds its part instead.
    warnings : tuple of str
        What weakens the estimates.
    """

    document: float
    query: float
    repetition: float
    mean_squares: dict[str, float]
    df: dict[str, int]
    n_documents: int
    n_queries: int
    n_rows: int
    dropped: int
    reasons: dict[str, str]
    warnings: tuple[str, ...]

    @property
    def estimates(self) -> dict[str, float]:
        """The three estimates, not truncated."""
        return {level: float(getattr(self, level)) for level in LEVELS}

    @property
    def used(self) -> dict[str, float]:
        """The three as a plan uses them: negative ones as 0, unknown ones as NaN."""
        return {level: max(value, 0.0) for level, value in self.estimates.items()}

    @property
    def shares(self) -> dict[str, float]:
        """Each used component over the sum of those known (the document's: an ICC)."""
        known = {level: v for level, v in self.used.items() if not np.isnan(v)}
        total = sum(known.values())
        return {
            level: known[level] / total if level in known and total > 0 else np.nan
            for level in LEVELS
        }

    def summary(self) -> str:
        """Return the analysis of variance as text of at most 80 columns."""
        head = [
            "Variance components (analysis of variance, nested, not truncated)",
            f"{plural(self.n_documents, 'document')}, {plural(self.n_queries, 'query')},"
            f" {plural(self.n_rows, 'score')}"
            + (f"; {plural(self.dropped, 'row')} without a score dropped" if self.dropped else ""),
        ]
        rows = [
            (
                WORDS[level],
                [
                    count(self.df.get(level)),
                    cell(self.mean_squares.get(level)),
                    cell(self.estimates[level]),
                    cell(self.used[level]),
                    cell(self.shares[level]),
                ],
            )
            for level in LEVELS
        ]
        titles = ["df", "mean sq.", "estimate", "used", "share"]
        notes = [*self.reasons.values(), *self.warnings]
        return page(head, [Block(titles, rows, 22, 11)], notes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON; NaN becomes None."""

        def plain(values: dict[str, float]) -> dict[str, float | None]:
            return {level: None if np.isnan(v) else float(v) for level, v in values.items()}

        return {
            "estimates": plain(self.estimates),
            "used": plain(self.used),
            "shares": plain(self.shares),
            "mean_squares": plain(self.mean_squares),
            "df": dict(self.df),
            "documents": self.n_documents,
            "queries": self.n_queries,
            "rows": self.n_rows,
            "dropped": self.dropped,
            "reasons": dict(self.reasons),
            "warnings": list(self.warnings),
        }

    def plot(self) -> Figure:
        """Draw the three components as bars.

        Returns
        -------
        matplotlib.figure.Figure
            Not attached to pyplot.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        from .plotting import components_figure

        return components_figure(self)
