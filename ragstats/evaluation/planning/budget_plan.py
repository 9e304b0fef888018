"""The result of `split_budget`: documents, queries of each, judgements of each."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ragstats.evaluation.shown import Shown
from ragstats.models.estimand import ESTIMANDS

from .splitting import Costs, Optimum, Variances, designs
from .text import Block, cell, count, page

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class BudgetPlan(Shown):
    """The best split of a budget.

    Attributes
    ----------
    documents, queries, repetitions : int or None
        K documents, m queries of each, r judgements of each query; None, with a ``reason``, where
        the budget does not buy two documents or nothing varies.
    cost : float or None
        What they cost, in the unit of the budget.
    se, halfwidth : float or None
        Expected standard error, and half-width with ``K - 1`` degrees of freedom, in the units of
        the score.
    optimum : Optimum or None
        The closed form before rounding; None where it is not finite.
    estimand : str
        "micro" or "macro".
    alpha, budget : float
        As given.
    costs : Costs
        As given.
    variances : Variances
        The components used.
    max_queries, max_repetitions : int
        The limits of the search.
    reason : str
        Why there is no split; empty otherwise.
    warnings : tuple of str
        What weakens the plan.
    """

    documents: int | None
    queries: int | None
    repetitions: int | None
    cost: float | None
    se: float | None
    halfwidth: float | None
    optimum: Optimum | None
    estimand: str
    alpha: float
    budget: float
    costs: Costs
    variances: Variances
    max_queries: int
    max_repetitions: int
    reason: str
    warnings: tuple[str, ...]

    def table(self) -> pd.DataFrame:
        """Return the best design for each number of queries per document.

        Returns
        -------
        DataFrame
            ``documents``, ``repetitions``, ``cost``, ``se``; index ``queries``.
        """
        every = designs(
            self.variances, self.costs, self.budget,
            max_queries=self.max_queries, max_repetitions=self.max_repetitions,
        )  # fmt: skip
        best = every.loc[every.groupby("queries")["se"].idxmin()]
        return best.set_index("queries")

    def summary(self) -> str:
        """Return the plan as text of at most 80 columns."""
        v, c = self.variances, self.costs
        of = "" if v.population is None else f"; population M = {v.population:,}"
        head = [
            f"Plan: a budget of {self.budget:,.6g}",
            f"{self.estimand} mean: {ESTIMANDS[self.estimand]}",
            f"Variance of document {cell(v.document)}, query {cell(v.query)}, judgement"
            f" {cell(v.repetition)}; cost of each {c.document:g}, {c.query:g}, {c.repetition:g};"
            f" alpha = {self.alpha:g}{of}",
        ]
        notes = [*([self.reason] if self.reason else []), *self.warnings]
        return page(head, [self._best(), *self._others()], notes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON."""
        return asdict(self) | {"warnings": list(self.warnings)}

    def plot(self) -> Figure:
        """Draw the standard error by queries per document, for some numbers of judgements.

        Returns
        -------
        matplotlib.figure.Figure
            With the plan marked; not attached to pyplot.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        from .plotting import budget_figure

        return budget_figure(self)

    def _best(self) -> Block:
        best = self.optimum
        closed = [np.nan] * 4 if best is None else [*asdict(best).values()]
        level = f"{100 * (1 - self.alpha):.4g}%"
        rows = [
            ("documents K", [count(self.documents), cell(closed[0])]),
            ("queries of each document m", [count(self.queries), cell(closed[1])]),
            ("judgements of each query r", [count(self.repetitions), cell(closed[2])]),
            ("cost", [cell(self.cost), cell(None if best is None else self.budget)]),
            ("standard error", [cell(self.se), cell(closed[3])]),
            (f"half-width ({level})", [cell(self.halfwidth), ""]),
        ]
        return Block(["whole numbers", "closed form"], rows)

    def _others(self) -> list[Block]:
        """Return a few other numbers of queries, to see how much the choice matters."""
        if self.queries is None:
            return []
        table: dict[Any, dict[str, float]] = self.table().to_dict("index")  # type: ignore[assignment]
        near = {1, self.queries // 2, self.queries, 2 * self.queries, 5 * self.queries}
        rows = []
        for m in sorted(near & set(table)):
            k, r, se = table[m]["documents"], table[m]["repetitions"], table[m]["se"]
            words = f"with {m:,} quer{'y' if m == 1 else 'ies'} each"
            rows.append((words, [count(k), count(r), cell(se)]))
        return [Block(["documents", "judgements", "SE"], rows, 32, 16)]
