"""One entrance for a command line: options in, the plan that they ask for out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from ragstats.evaluation.compare import compare
from ragstats.evaluation.documents import documents
from ragstats.exceptions import unknown_option
from ragstats.models.columns import as_pandas

from .allocation_plan import AllocationPlan
from .budget import split_budget
from .budget_plan import BudgetPlan
from .components import variance_components
from .documents import plan_comparison, plan_documents
from .plan import DocumentPlan
from .stratified import allocate_documents

AnyPlan = DocumentPlan | AllocationPlan | BudgetPlan


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a plan; None is "not given".

    Attributes
    ----------
    estimand : str
        "micro" or "macro".
    doc, score, query, repetition, strata, system : str
        Columns.
    name : str
        The system to plan for, where there are several.
    baseline : str
        Plan a comparison with this system.
    unmatched : str
        As in :func:`ragstats.compare`, "error" or "pairwise".
    halfwidth, documents, power, difference, alpha, alternative, df, sd
        As in :func:`plan_documents`.
    population : str or int
        "1300", or with strata "large=130,small=1170".
    allocation : str
        "neyman", "proportional", "equal", or the K_h as "large=10,small=10".
    certainty : str
        Strata to take whole, "large,huge".
    budget, cost_document, cost_query, cost_repetition, max_queries, max_repetitions
        As in :func:`split_budget`.
    """

    estimand: str | None = None
    doc: str | None = None
    score: str | None = None
    query: str | None = None
    repetition: str | None = None
    strata: str | None = None
    system: str | None = None
    name: str | None = None
    baseline: str | None = None
    unmatched: str | None = None
    halfwidth: float | None = None
    documents: int | None = None
    power: float | None = None
    difference: float | None = None
    alpha: float | None = None
    alternative: str | None = None
    df: str | None = None
    sd: float | None = None
    population: str | int | None = None
    allocation: str | None = None
    certainty: str | None = None
    budget: float | None = None
    cost_document: float | None = None
    cost_query: float | None = None
    cost_repetition: float | None = None
    max_queries: int | None = None
    max_repetitions: int | None = None

    @property
    def given(self) -> dict[str, Any]:
        """The options that were given, by name."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def kind(self) -> str:
        """Which plan they ask for, a name in ``KINDS``."""
        kinds = {"sd": "sd", "budget": "budget", "strata": "strata", "baseline": "comparison"}
        return next((kind for name, kind in kinds.items() if name in self.given), "documents")

    def only(self, *names: str) -> dict[str, Any]:
        """Return those of the named options that were given."""
        return {name: value for name, value in self.given.items() if name in names}


@dataclass(frozen=True, slots=True)
class Kind:
    """A plan: the function that makes it, the options that it needs, and those that it may have."""

    make: Callable[[Any, Options], AnyPlan]
    needs: tuple[str, ...]
    may: tuple[str, ...]


def plan_from_options(data: Any = None, **options: Any) -> AnyPlan:
    """Return the plan that options ask for.

    Without data and with ``sd`` it is that of :func:`plan_documents`; with data and ``budget`` that
    of :func:`split_budget`, with ``strata`` of :func:`allocate_documents`, with ``baseline`` of
    :func:`plan_comparison`, else of :func:`plan_documents`.

    Parameters
    ----------
    data : DataFrame, optional
        One row per scored query and system.
    **options
        The fields of :class:`Options`.

    Returns
    -------
    DocumentPlan, AllocationPlan or BudgetPlan

    Raises
    ------
    TypeError, ValueError, DataError
        As the functions; also if an option is unknown, missing, or has no part in the plan.

    Examples
    --------
    >>> plan_from_options(sd=0.2243, estimand="macro", halfwidth=0.05, population="1300").documents
    76
    """
    known = [f.name for f in fields(Options)]
    for name in options:
        if name not in known:
            raise unknown_option("option", name, known)
    asked = Options(**options)
    kind = KINDS[asked.kind]
    for name in ("estimand", *kind.needs):
        if name not in asked.given:
            raise ValueError(f"{name} is missing; the plan by {asked.kind} needs it")
    for name in asked.given:
        if name not in ("estimand", "alpha", "population", *kind.needs, *kind.may):
            raise ValueError(
                f"{name}={asked.given[name]!r} has no part in the plan by {asked.kind}"
            )
    if (data is None) != (asked.kind == "sd"):
        raise ValueError("sd= and data: one of the two is needed, and not both")
    return kind.make(None if data is None else as_pandas(data), asked)


def _by_sd(data: None, asked: Options) -> AnyPlan:
    return plan_documents(
        estimand=str(asked.estimand), population=_number(asked.population),
        **asked.only("sd", *_QUESTION, *_TEST),
    )  # fmt: skip


def _by_documents(data: pd.DataFrame, asked: Options) -> AnyPlan:
    table = documents(data, doc=str(asked.doc), score=str(asked.score), by=asked.system)
    return plan_documents(
        table, estimand=str(asked.estimand), population=_number(asked.population),
        system=asked.name, **asked.only(*_QUESTION, *_TEST),
    )  # fmt: skip


def _by_comparison(data: pd.DataFrame, asked: Options) -> AnyPlan:
    pair = None if asked.name is None else [asked.name, str(asked.baseline)]
    found = compare(
        data, systems=pair,
        **asked.only("estimand", "doc", "score", "system", "query", "baseline", "unmatched"),
    )  # fmt: skip
    return plan_comparison(
        found, population=_number(asked.population), **asked.only(*_QUESTION, *_TEST)
    )


def _by_strata(data: pd.DataFrame, asked: Options) -> AnyPlan:
    column = str(asked.strata)
    table = documents(
        data, doc=str(asked.doc), score=str(asked.score), by=asked.system, keep=[column]
    )
    labels = {str(label): label for label in table.frame[column].dropna().unique()}
    rule = asked.allocation or "neyman"
    wanted = [c.strip() for c in (asked.certainty or "").split(",") if c.strip()]
    return allocate_documents(
        table, strata=column, system=asked.name,
        population=_sizes("population", str(asked.population), labels),
        allocation=_sizes("allocation", rule, labels) if "=" in rule else rule,
        certainty=[labels.get(c, c) for c in wanted],
        **asked.only("estimand", "alpha", "documents", "halfwidth"),
    )  # fmt: skip


def _by_budget(data: pd.DataFrame, asked: Options) -> AnyPlan:
    if asked.system is not None and asked.name is not None:
        data = data[data[asked.system].astype(str) == asked.name]
    found = variance_components(data, **asked.only("doc", "score", "query", "repetition"))
    return split_budget(
        found, population=_number(asked.population),
        **asked.only("estimand", "alpha", "budget", *_COSTS, "max_queries", "max_repetitions"),
    )  # fmt: skip


_QUESTION = ("halfwidth", "documents", "power", "difference")
_TEST = ("alpha", "alternative", "df")
_COSTS = ("cost_document", "cost_query", "cost_repetition")
_COLUMNS = ("doc", "score")
_WHICH = ("system", "name")

#: Kind of plan → how it is made.
KINDS: dict[str, Kind] = {
    "sd": Kind(_by_sd, ("sd",), (*_QUESTION, *_TEST)),
    "documents": Kind(_by_documents, _COLUMNS, (*_WHICH, *_QUESTION, *_TEST)),
    "comparison": Kind(
        _by_comparison,
        (*_COLUMNS, "system", "query", "baseline"),
        ("name", "unmatched", *_QUESTION, *_TEST),
    ),
    "strata": Kind(
        _by_strata,
        (*_COLUMNS, "strata", "population"),
        (*_WHICH, "documents", "halfwidth", "allocation", "certainty"),
    ),
    "budget": Kind(
        _by_budget,
        (*_COLUMNS, "query", "budget", *_COSTS),
        (*_WHICH, "repetition", "max_queries", "max_repetitions"),
    ),
}


def _number(text: str | int | None) -> int | None:
    """Return a population size as a number."""
    if text is None or not isinstance(text, str):
        return text
    try:
        return int(text.replace("_", ""))
    except ValueError:
        raise ValueError(
            f"population={text!r}: give a whole number (by stratum only with strata)"
        ) from None


def _sizes(argument: str, text: str, labels: dict[str, Any]) -> dict[Any, int]:
    """Read "large=130,small=1170" as numbers by stratum."""
    sizes = {}
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        if not equals or not number.strip().isdigit():
            raise ValueError(f"{argument}={text!r}: give 'stratum=number,stratum=number'")
        sizes[labels.get(name.strip(), name.strip())] = int(number)
    return sizes
