"""The five questions about a simple random sample of documents, and their answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ragstats.checks import fraction, number, positive, whole
from ragstats.core.segments import Floats

from .halfwidth import Precision
from .power import detectable_shift, power_of
from .search import smallest


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked.

    Attributes
    ----------
    given : dict of str to float or int
        The given values by name, of "halfwidth", "documents", "power", "difference".
    words : str
        The question in words.
    """

    given: dict[str, Any]
    words: str

    @property
    def tests(self) -> bool:
        """Whether it is about a test."""
        return not self.given.keys().isdisjoint(("power", "difference"))

    @property
    def curve(self) -> str:
        """What a plot shows against K: "halfwidth", "power" or "difference"."""
        if not self.tests:
            return "halfwidth"
        return "power" if "difference" in self.given else "difference"


@dataclass(frozen=True, slots=True)
class Answer:
    """What K documents buy; every number may be None, and then there is a reason.

    Attributes
    ----------
    documents : int or None
        K.
    df, se, halfwidth : float or None
        ν, standard error and half-width with K documents.
    difference, power : float or None
        Of the test; None where none was asked about.
    reason : str
        Why a number is missing, or what is special about it; empty otherwise.
    """

    documents: int | None = None
    df: float | None = None
    se: float | None = None
    halfwidth: float | None = None
    difference: float | None = None
    power: float | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name; infinite df as text."""
        return {**asdict(self), "df": str(self.df) if self.df == np.inf else self.df}


@dataclass(frozen=True, slots=True)
class Task:
    """What answers are computed from: precision by K, and the kind of test."""

    precision: Precision
    alternative: str = "two-sided"

    def solve(self, question: Question) -> Answer:
        """Return the answer, or why there is none."""
        return SOLVERS[frozenset(question.given)](self, **question.given)

    def power(self, k: Any, difference: float) -> Floats:
        """Return the power with K documents, an array of at least 2; a census finds everything."""
        precision = self.precision
        se, df = precision.se(k), precision.df(np.asarray(k, float))
        census = se == 0
        shift = difference / np.where(census, 1.0, se)
        found = power_of(shift, df, precision.alpha, self.alternative)
        known = {"two-sided": difference != 0, "larger": difference > 0, "smaller": difference < 0}
        return np.where(census, float(known[self.alternative]), found)

    def detectable(self, k: int, power: float) -> float:
        """Return the smallest difference that K documents find with this power."""
        df = float(self.precision.df(np.asarray(float(k))))
        shift = detectable_shift(power, df, self.precision.alpha, self.alternative)
        return shift * float(self.precision.se(k))

    def describe(self, k: int) -> Answer:
        """Return what K documents buy."""
        if k == self.precision.population:
            said = f"all {k:,} documents: a census, whose mean is known and has no sampling error"
            return Answer(k, k - 1.0, 0.0, 0.0, reason=said)
        if k < 2:
            said = "one document has no variation between documents, so it has no interval or test"
            return Answer(k, 0.0, float(self.precision.se(k)), reason=said)
        df = float(self.precision.df(np.asarray(float(k))))
        return Answer(k, df, float(self.precision.se(k)), float(self.precision.halfwidth(k)))

    def reached(self, k: int | None) -> Answer:
        """Describe the K that a search found, or say that it found none."""
        population = self.precision.population
        if k is None and population is not None:
            return Answer(reason="a population of 1 document leaves no sample to plan; measure it")
        if k is None:
            return Answer(
                reason="it would take more than 2**53 documents, which no corpus has; ask for less"
            )
        answer = self.describe(k)
        if k == population:
            said = f"no sample of fewer than all {k:,} documents is enough; {answer.reason}"
            return replace(answer, reason=said)
        return answer


def _documents_for_halfwidth(task: Task, *, halfwidth: float) -> Answer:
    return task.reached(task.precision.documents(halfwidth))


def _halfwidth_of_documents(task: Task, *, documents: int) -> Answer:
    return task.describe(documents)


def _documents_for_power(task: Task, *, power: float, difference: float) -> Answer:
    why = _never(difference, power, task.precision.alpha, task.alternative)
    if why:
        return Answer(difference=difference, reason=why)
    population = task.precision.population
    k = smallest(lambda k: bool(task.power(k, difference) >= power), 2, population)
    found = None if k is None else float(task.power(k, difference))
    return replace(task.reached(k), difference=difference, power=found)


def _power_of_documents(task: Task, *, documents: int, difference: float) -> Answer:
    answer = replace(task.describe(documents), difference=difference)
    if answer.halfwidth is None:
        return answer
    alpha = task.precision.alpha
    if difference == 0:
        said = f"a difference of 0 is found with probability alpha = {alpha:g} only"
        return replace(answer, power=alpha, reason=said)
    return replace(answer, power=float(task.power(documents, difference)))


def _difference_of_documents(task: Task, *, documents: int, power: float) -> Answer:
    answer = replace(task.describe(documents), power=power)
    if answer.halfwidth is None:
        return answer
    if power <= task.precision.alpha:
        return replace(answer, reason=_no_test(power, task.precision.alpha))
    found = 0.0 if answer.se == 0 else task.detectable(documents, power)
    return replace(answer, difference=found)


#: Names of the given values → the function that answers.
SOLVERS: dict[frozenset[str], Callable[..., Answer]] = {
    frozenset({"halfwidth"}): _documents_for_halfwidth,
    frozenset({"documents"}): _halfwidth_of_documents,
    frozenset({"power", "difference"}): _documents_for_power,
    frozenset({"documents", "difference"}): _power_of_documents,
    frozenset({"documents", "power"}): _difference_of_documents,
}

#: Names of the given values → the question.
WORDS: dict[frozenset[str], str] = {
    frozenset({"halfwidth"}): "documents for a half-width of {halfwidth:g}",
    frozenset({"documents"}): "half-width of {documents:,} documents",
    frozenset({"power", "difference"}): "documents to find {difference:g} with power {power:g}",
    frozenset({"documents", "difference"}): "power of {documents:,} documents to find"
    " {difference:g}",
    frozenset({"documents", "power"}): "smallest difference that {documents:,} documents find"
    " with power {power:g}",
}

#: Name of a value → the check that it passes.
CHECKS: dict[str, Callable[[str, Any], float]] = {
    "halfwidth": positive,
    "documents": whole,
    "power": fraction,
    "difference": number,
}


def question_of(**values: Any) -> Question:
    """Return the question that the given values ask; those that are None were not given.

    Raises
    ------
    TypeError
        If a value is not a number.
    ValueError
        If a value is out of range, or the values ask none of the five questions.
    """
    given = {name: value for name, value in values.items() if value is not None}
    names = frozenset(given)
    if names not in SOLVERS:
        got = ", ".join(f"{name}=" for name in given) or "nothing"
        raise ValueError(
            f"{got} given; give halfwidth=, or documents=, or two of difference=, power= and"
            " documents="
        )
    checked = {name: CHECKS[name](name, value) for name, value in given.items()}
    return Question(checked, WORDS[names].format(**checked))


def _never(difference: float, power: float, alpha: float, alternative: str) -> str:
    """Return why no number of documents reaches the power; empty if some does."""
    if power <= alpha:
        return _no_test(power, alpha)
    if difference == 0:
        return (
            "a difference of 0 is not there to be found: with any number of documents the test"
            f" rejects with probability alpha = {alpha:g}"
        )
    if {"larger": difference < 0, "smaller": difference > 0}.get(alternative, False):
        return (
            f"difference={difference:g} lies on the other side of alternative={alternative!r}: the"
            " more documents, the less often that test rejects"
        )
    return ""


def _no_test(power: float, alpha: float) -> str:
    return f"power={power:g} is not above alpha={alpha:g}: the test has that without any difference"
