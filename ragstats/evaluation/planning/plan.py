"""The result of `plan_documents`: how many documents to draw, and what they buy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ragstats.evaluation.shown import Shown
from ragstats.models.estimand import ESTIMANDS

from .answers import Answer, Question, Task
from .halfwidth import Precision, df_of
from .pilot import Pilot
from .text import Block, cell, count, page

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, eq=False)
class DocumentPlan(Shown):
    """How many documents to draw, and what they buy.

    Attributes
    ----------
    question : Question
        What was asked, with the values given.
    estimand : str
        "micro" or "macro".
    pilot : Pilot
        S and where it comes from.
    df_rule, alternative : str
        The rule of the degrees of freedom, and of the test.
    alpha : float
        One minus the confidence level, and the level of the test.
    population : int or None
        M, the number of documents in the population.
    corrected : Answer or None
        With the finite population correction; None without a population.
    uncorrected : Answer
        Without it: the population as one without end.
    warnings : tuple of str
        What weakens the plan.
    """

    question: Question
    estimand: str
    pilot: Pilot
    df_rule: str
    alternative: str
    alpha: float
    population: int | None
    corrected: Answer | None
    uncorrected: Answer
    warnings: tuple[str, ...]

    @property
    def answer(self) -> Answer:
        """The answer with the finite correction where there is a population, else without."""
        return self.uncorrected if self.corrected is None else self.corrected

    @property
    def answers(self) -> tuple[Answer, ...]:
        """With the finite correction where there is a population, then without."""
        return tuple(a for a in (self.corrected, self.uncorrected) if a is not None)

    @property
    def documents(self) -> int | None:
        """K; None, with a ``reason``, where no number of documents will do."""
        return self.answer.documents

    @property
    def se(self) -> float | None:
        """Expected standard error with K documents, in the units of the score."""
        return self.answer.se

    @property
    def degrees_of_freedom(self) -> float | None:
        """Degrees of freedom ν with K documents."""
        return self.answer.df

    @property
    def halfwidth(self) -> float | None:
        """Half-width of the interval with K documents, in the units of the score."""
        return self.answer.halfwidth

    @property
    def power(self) -> float | None:
        """Power with K documents at the difference; None if no difference was asked about."""
        return self.answer.power

    @property
    def difference(self) -> float | None:
        """The difference that was given, or the smallest one that K documents can detect."""
        return self.answer.difference

    @property
    def reason(self) -> str:
        """Why there is no number, or what is special about it; empty otherwise."""
        return self.answer.reason

    def summary(self) -> str:
        """Return the plan as text of at most 80 columns."""
        head = [
            f"Plan: {self.question.words}",
            f"{self.estimand} mean: {ESTIMANDS[self.estimand]}",
            self._assumptions(),
        ]
        answers = self.answers
        titles = ["with 1 - K/M", "without"] if len(answers) == 2 else [""]
        level = f"{100 * (1 - self.alpha):.4g}%"
        rows = [
            ("documents K", [count(a.documents) for a in answers]),
            ("degrees of freedom", [cell(a.df) for a in answers]),
            ("standard error", [cell(a.se) for a in answers]),
            (f"half-width ({level})", [cell(a.halfwidth) for a in answers]),
        ]
        if self.question.tests:
            rows.append(("difference", [cell(a.difference) for a in answers]))
            rows.append(("power", [cell(a.power) for a in answers]))
        notes = [*dict.fromkeys(a.reason for a in answers if a.reason), *self.warnings]
        return page(head, [Block(titles, rows)], notes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON."""
        return {
            "question": self.question.words,
            "given": dict(self.question.given),
            "estimand": self.estimand,
            "sd": None if np.isnan(self.pilot.sd) else self.pilot.sd,
            "sd_source": self.pilot.source,
            "pilot_documents": self.pilot.documents,
            "df_rule": self.df_rule,
            "alternative": self.alternative,
            "alpha": self.alpha,
            "population": self.population,
            **self.answer.to_dict(),
            "without_correction": self.uncorrected.to_dict(),
            "warnings": list(self.warnings),
        }

    def plot(self) -> Figure:
        """Draw half-width (or power, or the detectable difference) by the number of documents.

        Returns
        -------
        matplotlib.figure.Figure
            With and without finite correction, and the plan marked; not attached to pyplot.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        from .plotting import plan_figure

        return plan_figure(self)

    def task(self, *, corrected: bool) -> Task:
        """Return half-width, power and detectable difference as functions of K."""
        population = self.population if corrected else None
        df = df_of(self.df_rule, self.pilot, self.estimand)
        return Task(Precision(self.pilot.sd, df, self.alpha, population), self.alternative)

    def _assumptions(self) -> str:
        sd = "unknown" if np.isnan(self.pilot.sd) else f"{self.pilot.sd:.4g}"
        of = "" if self.population is None else f"; population M = {self.population:,}"
        side = f"; {self.alternative} test" if self.question.tests else ""
        return (
            f"S between documents = {sd} ({self.pilot.source}); alpha = {self.alpha:g}{side};"
            f" df: {self.df_rule}{of}"
        )
