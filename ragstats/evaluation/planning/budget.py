"""`split_budget`: how many documents, queries in each and judgements of each a budget buys best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from ragstats.checks import fraction, named, nonnegative, number, positive, whole
from ragstats.models.estimand import check_estimand

from .budget_plan import BudgetPlan
from .components_result import LEVELS, VarianceComponents
from .splitting import ROUNDING, Costs, Variances, designs, optimum

#: Largest numbers of queries and judgements that are tried unless the caller says.
MOST_QUERIES, MOST_REPETITIONS = 10_000, 100
#: Fewer documents than this are said to be few.
FEW_DOCUMENTS = 10
#: What a plan for the micro mean rests on.
BY_SIZE = (
    "micro mean: documents are to be drawn with probability proportional to their size, with"
    " replacement, and the components to be those of such draws"
)


def split_budget(
    components: VarianceComponents | Mapping[str, float],
    *,
    estimand: str,
    budget: float,
    cost_document: float,
    cost_query: float,
    cost_repetition: float,
    population: int | None = None,
    max_queries: int | None = None,
    max_repetitions: int | None = None,
    alpha: float = 0.05,
) -> BudgetPlan:
    """Find the numbers of documents, queries and judgements with the smallest standard error.

    Parameters
    ----------
    components : VarianceComponents or mapping
        From :func:`variance_components`, or ``{"document": …, "query": …, "repetition": …}``;
        estimates below 0 count as 0. A component that the data could not tell is inside the one
        above it: then its level gets one each.
    estimand : {"micro", "macro"}
        There is no default. "macro": documents drawn at random, m queries of each. "micro": the
        same formula holds when documents are drawn with probability proportional to their size
        and with replacement, and m queries of each; it needs components of that population.
    budget : float
        What may be spent, in the unit of the costs.
    cost_document, cost_query, cost_repetition : float
        Of one more document, one more query of a document, one more judgement of a query.
    population : int, optional
        M, for "macro" only: at most so many documents, and ``1 - K/M`` on their variance.
    max_queries, max_repetitions : int, optional
        The most queries that a document can have (by default 10,000), and judgements of a query
        (by default 100).
    alpha : float
        One minus the confidence level.

    Returns
    -------
    BudgetPlan
        ``documents``, ``queries``, ``repetitions``, ``cost``, ``se``, ``halfwidth``, and the
        closed-form ``optimum`` before rounding; ``summary()``, ``to_dict()``, ``plot()``. A budget
        that does not buy two documents gives none, with a ``reason``.

    Raises
    ------
    TypeError
        If a value is not a number.
    ValueError
        If a value is out of range, a component has another name, nothing costs anything, or
        ``population`` is given for "micro".

    Notes
    -----
    With costs c per document, query and judgement the variance times the cost is smallest at::

        m* = √(c_d σ_b²/(c_q σ_a²))        r* = √(c_q σ_e²/(c_r σ_b²))        K* = budget/c(m*, r*)

    and there ``V* = (√(c_d σ_a²) + √(c_q σ_b²) + √(c_r σ_e²))²/budget`` (a level whose optimum is
    below 1 gets one each, and its variance and cost join those of the level above). Whole numbers
    are then found by trying every m and r, with the K that the budget buys.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed. Wiley. Sections 10.6 and 10.8.

    Examples
    --------
    >>> plan = split_budget({"document": 0.03, "query": 0.2, "repetition": 0.02}, estimand="macro",
    ...                     budget=1000, cost_document=5, cost_query=1, cost_repetition=0.2)
    >>> plan.documents, plan.queries, plan.repetitions, round(plan.se, 4)
    (90, 5, 1, 0.0287)
    """
    check_estimand(estimand)
    level = fraction("alpha", alpha)
    money = positive("budget", budget)
    costs = Costs(
        nonnegative("cost_document", cost_document),
        nonnegative("cost_query", cost_query),
        nonnegative("cost_repetition", cost_repetition),
    )
    if costs.per_document(1, 1) == 0:
        raise ValueError(
            "cost_document, cost_query and cost_repetition are all 0; give one above 0"
        )
    if population is not None and estimand == "micro":
        raise ValueError(
            f"population={population!r}: for the micro mean documents are drawn with replacement,"
            " so there is no finite correction; leave it out"
        )
    size = None if population is None else whole("population", population, least=2)
    variances, single = _variances(components, size)
    said = [*single.values(), *([BY_SIZE] if estimand == "micro" else [])]
    most = {
        "query": 1 if "query" in single else _limit("max_queries", max_queries, MOST_QUERIES),
        "repetition": 1
        if "repetition" in single
        else _limit("max_repetitions", max_repetitions, MOST_REPETITIONS),
    }
    empty = BudgetPlan(
        None, None, None, None, None, None, None, estimand, level, money, costs, variances,
        most["query"], most["repetition"], "", tuple(said),
    )  # fmt: skip
    return _best(empty, free={"query": max_queries is None, "repetition": max_repetitions is None})


def _best(plan: BudgetPlan, *, free: Mapping[str, bool]) -> BudgetPlan:
    """Fill in the best design, or why there is none; `free` levels have only a default limit."""
    variances, costs = plan.variances, plan.costs
    if variances.document + variances.query + variances.repetition == 0:
        return replace(plan, reason="no component is above 0: nothing varies, nothing to split")
    pair = 2 * float(costs.per_document(1, 1))
    if pair > plan.budget * ROUNDING:
        return replace(
            plan,
            reason=f"the budget does not buy two documents with one query each, which cost {pair:g}"
            "; without two there is no standard error",
        )
    every = designs(
        variances, costs, plan.budget,
        max_queries=plan.max_queries, max_repetitions=plan.max_repetitions,
    )  # fmt: skip
    best = every.to_numpy(float)[int(np.argmin(every["se"].to_numpy()))].tolist()
    (k, m, r), cost, se = map(int, best[:3]), best[3], best[4]
    closed = optimum(variances, costs, plan.budget)
    found = replace(
        plan, documents=k, queries=m, repetitions=r, cost=cost, se=se,
        halfwidth=float(stats.t.isf(plan.alpha / 2, k - 1) * se), optimum=closed,
    )  # fmt: skip
    return replace(found, warnings=(*plan.warnings, *_said(found, free)))


def _said(plan: BudgetPlan, free: Mapping[str, bool]) -> list[str]:
    """Say what is special about a split."""
    said = []
    if plan.optimum is None:
        said.append(
            "no closed form: a level without variance or without cost has no finite optimum, so the"
            " limits of the search decide"
        )
    population = plan.variances.population
    if population is not None and plan.documents == population:
        said.append(
            f"all {population:,} documents of the population: what is left is the error of queries"
            " and judgements inside them"
        )
    if plan.documents is not None and plan.documents < FEW_DOCUMENTS:
        said.append(
            f"{plan.documents} documents give {plan.documents - 1} degrees of freedom: the"
            " interval is wide however small the SE; max_queries= leaves money for documents"
        )
    for level, limit, got in (
        ("query", plan.max_queries, plan.queries),
        ("repetition", plan.max_repetitions, plan.repetitions),
    ):
        if got == limit and free[level] and limit > 1:
            name = {"query": "max_queries", "repetition": "max_repetitions"}[level]
            said.append(f"the search stopped at {limit:,}, its own limit; set {name}=")
    return said


def _variances(
    components: VarianceComponents | Mapping[str, float], population: int | None
) -> tuple[Variances, dict[str, str]]:
    """Return the components, and the levels that get one each, with the reason."""
    if isinstance(components, VarianceComponents):
        single = {level: components.reasons[level] for level in components.reasons}
        used = {level: np.nan_to_num(v) for level, v in components.used.items()}
        if "document" in single:
            raise ValueError(
                "components: the variance of documents is unknown, for they rest on one document;"
                " give those of several, or a mapping"
            )
        return Variances(**{k: float(v) for k, v in used.items()}, population=population), single
    if not isinstance(components, Mapping):
        raise TypeError(
            f"components is a {type(components).__name__}; give the result of variance_components,"
            " or a mapping of 'document', 'query', 'repetition' to their variances"
        )
    for name in components:
        named("components", name, LEVELS)
    missing = [level for level in LEVELS if level not in components]
    if missing:
        raise ValueError(f"components has nothing for {missing[0]!r}; give 0 if it does not vary")
    values = {n: max(number(f"components[{n!r}]", components[n]), 0.0) for n in LEVELS}
    return Variances(**values, population=population), {}


def _limit(argument: str, given: Any, default: int) -> int:
    return default if given is None else whole(argument, given)
