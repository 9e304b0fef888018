"""Which methods are defined for the estimands, the design and the scores at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ragstats.checks import names
from ragstats.evaluation.coverage.designs import Plan
from ragstats.evaluation.coverage.methods import METHODS, Method, method
from ragstats.evaluation.coverage.population import Population
from ragstats.exceptions import DataError, unknown_option
from ragstats.models.estimand import ESTIMANDS, check_estimand

#: Names of several methods.
GROUPS: dict[str, Callable[[Method], bool]] = {
    "all": lambda row: True,
    "closed-form": lambda row: row.needs == "closed",
}

Chosen = dict[str, tuple[Method, ...]]


def choose_estimands(estimand: Any) -> tuple[str, ...]:
    """Return one or several estimands, each once.

    Raises
    ------
    ValueError
        If one is unknown, or there is none.
    """
    if isinstance(estimand, str):
        return (check_estimand(estimand),)
    listed = names("estimand", estimand, f"{' and '.join(map(repr, ESTIMANDS))}")
    return tuple(check_estimand(name) for name in listed)


def choose_methods(
    methods: Any, estimands: Sequence[str], plan: Plan, population: Population
) -> tuple[Chosen, tuple[str, ...]]:
    """Return the methods by estimand, and notes on those that the scores leave out.

    Raises
    ------
    ValueError
        If a name is unknown, or is not defined for any of the estimands, or for the design.
    DataError
        If a method that was named is not for these scores.
    """
    if isinstance(methods, str) and methods in GROUPS:
        rows = [row for row in METHODS.values() if GROUPS[methods](row)]
        return _defined(rows, estimands, plan, population)
    listed = [methods] if isinstance(methods, str) else names("methods", methods, "methods")
    rows = list(dict.fromkeys(_named(name) for name in listed))
    for row in rows:
        _refuse(row, estimands, plan, population)
    return _defined(rows, estimands, plan, population)[0], ()


def _named(name: Any) -> Method:
    try:
        return method(name)
    except ValueError:
        raise unknown_option("methods", name, [*GROUPS, *METHODS]) from None


def _defined(
    rows: Sequence[Method], estimands: Sequence[str], plan: Plan, population: Population
) -> tuple[Chosen, tuple[str, ...]]:
    placed = [row for row in rows if plan.name in row.designs]
    unfit = {row.name: _unfit(row, plan, population) for row in placed}
    kept = [row for row in placed if not unfit[row.name]]
    chosen = {e: tuple(row for row in kept if e in row.estimands) for e in estimands}
    notes = tuple(
        f"{row.name} is left out: it {unfit[row.name]}"
        for row in placed
        if unfit[row.name] and set(row.estimands) & set(estimands)
    )
    return chosen, notes


def _refuse(row: Method, estimands: Sequence[str], plan: Plan, population: Population) -> None:
    if not set(row.estimands) & set(estimands):
        raise ValueError(f"methods={row.name!r} is about the {row.estimands[0]} mean only")
    if plan.name not in row.designs:
        others = [r.name for r in METHODS.values() if plan.name in r.designs]
        raise ValueError(
            f"methods={row.name!r} is not defined for design={plan.name!r}; use some of"
            f" {', '.join(map(repr, others))}"
        )
    why = _unfit(row, plan, population)
    if why:
        raise DataError(f"methods={row.name!r} {why} ({population.label!r})")


def _unfit(row: Method, plan: Plan, population: Population) -> str:
    """Return why a method can't be had for these scores; empty when it can."""
    kind = population.kind if row.scores != "any" else ""
    if row.scores == "binary" and kind != "binary":
        return "is for 0/1 scores, and these are not"
    if row.scores == "unit" and kind == "any":
        what = "differences" if population.paired else "outside"
        return f"is for scores in [0, 1], and these are {what}"
    if row.squares and not population.has_squares:
        return "needs the sums of squares, which are unknown"
    if row.needs == "replicates" and min(plan.allocation) < 2:
        return "cannot resample a stratum of one document"
    return ""
