"""One entrance for a command line: options in, the plan that they ask for out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragstats.evaluation.compare import compare
from ragstats.evaluation.documents import DocumentTable, documents
from ragstats.models.columns import as_pandas

from .allocation_plan import AllocationPlan
from .budget import split_budget
from .budget_plan import BudgetPlan
from .components import variance_components
from .documents import plan_comparison, plan_documents
from .plan import DocumentPlan
from .stratified import allocate_documents


def plan_from_options(
    data: Any = None,
    *,
    estimand: str,
    doc: str | None = None,
    score: str | None = None,
    system: str | None = None,
    systems: Sequence[str] | None = None,
    query: str | None = None,
    baseline: str | None = None,
    sd: float | None = None,
    population: str | int | None = None,
    strata: str | None = None,
    certainty: Sequence[str] = (),
    allocation: str = "neyman",
    budget: float | None = None,
    costs: Sequence[float] | None = None,
    repetition: str | None = None,
    **options: Any,
) -> DocumentPlan | AllocationPlan | BudgetPlan:
    """Return the plan that options ask for.

    ===========================  ====================================
    options                      plan
    ===========================  ====================================
    ``sd``                       :func:`plan_documents` without data
    ``doc``, ``score``           :func:`plan_documents`
    + ``baseline``               :func:`plan_comparison`
    + ``strata``                 :func:`allocate_documents`
    + ``budget``, ``costs``      :func:`split_budget`
    ===========================  ====================================

    Parameters
    ----------
    data : DataFrame, optional
        One row per scored query and system; none with ``sd``.
    estimand : {"micro", "macro"}
        There is no default.
    doc, score, query, repetition, strata : str
        Columns.
    system : str, optional
        The column of systems.
    systems : sequence of str, optional
        The system to plan for (the two of a comparison: the other one is the ``baseline``).
    baseline : str, optional
        Plan a comparison with this system.
    sd : float, optional
        S between documents, instead of data.
    population : str or int, optional
        "1300", or with strata "large=130,small=1170".
    certainty : sequence of str
        Strata to take whole.
    allocation : str
        As in :func:`allocate_documents`.
    budget : float, optional
        What may be spent.
    costs : sequence of three float
        Of a document, a query and a judgement.
    **options
        ``halfwidth``, ``documents``, ``power``, ``difference``, ``alpha``, ``alternative``, ``df``,
        ``max_queries``, ``max_repetitions``: handed on. Those that are None count as not given.

    Raises
    ------
    TypeError, ValueError, DataError
        As the functions; also if a column is missing, or an option has no part in the plan.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if sd is not None:
        columns = {"doc": doc, "score": score, "system": system, "strata": strata, "budget": budget}
        _refuse("sd=", {**columns, "data": data})
        size = _number(population)
        return _call(plan_documents, given, sd=sd, estimand=estimand, population=size)
    frame = as_pandas(data)
    needed = {"doc": doc, "score": score}
    if budget is not None:
        needed["query"] = query
    for name, value in needed.items():
        if value is None:
            raise ValueError(f"{name} is missing; name the column (or give sd= without data)")
    if budget is not None:
        _refuse("budget=", {"strata": strata, "baseline": baseline})
        rows = frame if system is None else _rows_of(frame, system, systems)
        found = variance_components(
            rows, score=str(score), doc=str(doc), query=str(query), repetition=repetition
        )
        return _call(
            split_budget, given, found, estimand=estimand, budget=budget,
            population=_number(population), **_costs(costs),
        )  # fmt: skip
    if baseline is not None and strata is None:
        found_pairs = compare(
            frame, score=str(score), system=str(system), doc=str(doc), query=query,
            baseline=baseline, estimand=estimand, systems=_with(systems, baseline),
        )  # fmt: skip
        return _call(plan_comparison, given, found_pairs, population=_number(population))
    _refuse("strata=", {"baseline": baseline})
    keep = [] if strata is None else [strata]
    table = documents(frame, doc=str(doc), score=str(score), by=system, keep=keep)
    one = None if systems is None else _one(systems)
    if strata is None:
        return _call(
            plan_documents, given, table, estimand=estimand, system=one,
            population=_number(population),
        )  # fmt: skip
    labels = {str(label): label for label in table.frame[strata].dropna().unique()}
    return _call(
        allocate_documents, given, table, estimand=estimand, strata=strata, system=one,
        population=_sizes(population, labels), allocation=allocation,
        certainty=[labels.get(c, c) for c in certainty],
    )  # fmt: skip
