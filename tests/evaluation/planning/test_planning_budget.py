"""Splitting a budget: the closed form, and the best of all whole numbers."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ragstats.evaluation.planning import split_budget
from ragstats.evaluation.planning.budget import MOST_REPETITIONS
from ragstats.evaluation.planning.components import variance_components
from ragstats.evaluation.planning.splitting import Costs, Variances, designs, optimum

COMPONENTS = {"document": 0.03, "query": 0.2, "repetition": 0.05}
OPTIONS = {
    "estimand": "macro", "budget": 1000, "cost_document": 5, "cost_query": 1,
    "cost_repetition": 0.2,
}  # fmt: skip

positive = st.floats(0.01, 10)


def test_the_textbook_formulas_inside():
    """m* = √(c_d σ_b²/(c_q σ_a²)), r* = √(c_q σ_e²/(c_r σ_b²)), V* = (Σ √(cV))²/budget."""
    best = optimum(Variances(0.03, 0.2, 0.1), Costs(5, 1, 0.1), 1000)
    assert best.queries == pytest.approx(math.sqrt(5 * 0.2 / (1 * 0.03)), rel=1e-12)
    assert best.repetitions == pytest.approx(math.sqrt(1 * 0.1 / (0.1 * 0.2)), rel=1e-12)
    root = math.sqrt(5 * 0.03) + math.sqrt(1 * 0.2) + math.sqrt(0.1 * 0.1)
    assert best.se == pytest.approx(root / math.sqrt(1000), rel=1e-12)
    cost = best.documents * (5 + best.queries * (1 + best.repetitions * 0.1))
    assert cost == pytest.approx(1000, rel=1e-12)


@given(v=st.tuples(positive, positive, positive), c=st.tuples(positive, positive, positive),
       population=st.none() | st.integers(2, 60))  # fmt: skip
def test_the_closed_form_is_the_minimum(v, c, population):
    """Against a coarse grid everywhere and a fine one around it: the problem is convex."""
    variances, costs, budget = Variances(*v, population), Costs(*c), 300.0
    best = optimum(variances, costs, budget)

    def lowest(m, r):
        m, r = np.meshgrid(np.maximum(m, 1), np.maximum(r, 1))
        k = budget / costs.per_document(m, r)
        return variances.of_mean(k if population is None else np.minimum(k, population), m, r).min()

    near = 1 + np.linspace(-0.02, 0.02, 81)
    everywhere = lowest(np.geomspace(1, 3000, 300), np.geomspace(1, 300, 200))
    around = lowest(best.queries * near, best.repetitions * near)
    assert best.se**2 <= everywhere * (1 + 1e-9)
    assert best.se**2 <= around * (1 + 1e-9)
    assert best.se**2 == pytest.approx(around, rel=1e-6)  # the fine grid has the point itself
    spent = best.documents * costs.per_document(best.queries, best.repetitions)
    assert spent == pytest.approx(budget, rel=1e-9)


@given(
    v=st.tuples(st.floats(0, 5), st.floats(0, 5), st.floats(0, 5)),
    c=st.tuples(st.floats(0.5, 9), st.floats(0.2, 3), st.floats(0.1, 2)),
    budget=st.floats(5, 60),
    population=st.none() | st.integers(2, 12),
)
def test_whole_numbers_are_the_best_of_all(v, c, budget, population):
    components = dict(zip(("document", "query", "repetition"), v, strict=True))
    plan = split_budget(
        components, estimand="macro", budget=budget, cost_document=c[0], cost_query=c[1],
        cost_repetition=c[2], population=population,
    )  # fmt: skip
    best = math.inf
    for m, r in itertools.product(range(1, 101), range(1, MOST_REPETITIONS + 1)):
        k = math.floor(budget / (c[0] + m * (c[1] + r * c[2])))
        k = k if population is None else min(k, population)
        if k >= 2:
            left = 1 if population is None else 1 - k / population
            best = min(best, (left * v[0] + v[1] / m + v[2] / (m * r)) / k)
    if plan.documents is None:
        assert math.isinf(best) or sum(v) == 0
        return
    assert plan.se**2 == pytest.approx(best, rel=1e-9, abs=1e-15)
    assert plan.cost <= budget * (1 + 1e-9)
    if plan.optimum is not None:
        assert plan.optimum.se <= plan.se * (1 + 1e-9)


def test_a_plan_in_numbers():
    plan = split_budget(COMPONENTS, **OPTIONS)
    k, m, r = plan.documents, plan.queries, plan.repetitions
    variance = 0.03 / k + 0.2 / (k * m) + 0.05 / (k * m * r)
    assert plan.se == pytest.approx(math.sqrt(variance), rel=1e-12)
    assert plan.halfwidth == pytest.approx(stats.t.isf(0.025, k - 1) * plan.se, rel=1e-12)
    assert plan.cost == pytest.approx(k * (5 + m * (1 + 0.2 * r)), rel=1e-12)
    table = plan.table()
    assert table["se"].min() == plan.se
    assert table.loc[m, "documents"] == k


def test_the_population_caps_documents_and_takes_error_off():
    plan = split_budget(COMPONENTS, population=30, **OPTIONS)
    assert plan.documents == 30
    m, r = plan.queries, plan.repetitions
    assert plan.se == pytest.approx(math.sqrt((0.2 / m + 0.05 / (m * r)) / 30), rel=1e-12)
    assert any("all 30 documents" in said for said in plan.warnings)
    assert plan.optimum.documents == 30


def test_judgements_that_are_free_go_to_the_limit():
    plan = split_budget(COMPONENTS, max_repetitions=7, **(OPTIONS | {"cost_repetition": 0}))
    assert plan.repetitions == 7
    assert plan.optimum is None
    free = split_budget(COMPONENTS, **(OPTIONS | {"cost_repetition": 0}))
    assert free.repetitions == MOST_REPETITIONS
    assert any("set max_repetitions=" in said for said in free.warnings)


def test_documents_that_do_not_vary_leave_few_and_a_warning():
    plan = split_budget(COMPONENTS | {"document": -0.001}, **OPTIONS)
    assert plan.documents == 2
    assert plan.optimum is None
    assert any("1 degrees of freedom" in said for said in plan.warnings)
    more = split_budget(COMPONENTS | {"document": 0.0}, max_queries=20, **OPTIONS)
    assert more.queries <= 20
    assert more.documents > 20


def test_components_that_data_cannot_tell_get_one_each():
    rng = np.random.default_rng(0)
    frame = {"doc": np.repeat(range(30), 4), "query": np.tile(range(4), 30)}
    frame["y"] = rng.normal(size=30).repeat(4) + rng.normal(size=120)
    found = variance_components(frame, score="y", doc="doc", query="query")
    plan = split_budget(found, **OPTIONS)
    assert plan.repetitions == 1
    assert any("inside the query component" in said for said in plan.warnings)
    assert plan.variances.query == found.query


def test_micro_is_for_draws_by_size():
    macro = split_budget(COMPONENTS, **OPTIONS)
    micro = split_budget(COMPONENTS, **(OPTIONS | {"estimand": "micro"}))
    assert (micro.documents, micro.se) == (macro.documents, macro.se)
    assert any("proportional to their size" in said for said in micro.warnings)


def test_budgets_that_buy_nothing():
    plan = split_budget(COMPONENTS, **(OPTIONS | {"budget": 12.3}))
    assert (plan.documents, plan.se) == (None, None)
    assert "does not buy two documents" in plan.reason
    assert "12.4" in plan.reason
    still = split_budget(dict.fromkeys(COMPONENTS, 0.0), **OPTIONS)
    assert still.documents is None
    assert "nothing varies" in still.reason


def test_a_budget_that_is_used_up_exactly_is_not_lost_to_rounding():
    plan = split_budget(
        {"document": 1, "query": 0, "repetition": 0}, estimand="macro", budget=0.3,
        cost_document=0.1, cost_query=0, cost_repetition=0,
    )  # fmt: skip
    assert plan.documents == 3


def test_designs_list_every_pair():
    every = designs(Variances(1, 1, 1), Costs(1, 1, 1), 12, max_queries=9, max_repetitions=9)
    pairs = set(zip(every["queries"], every["repetitions"], strict=True))
    assert pairs == {
        (m, r) for m in range(1, 10) for r in range(1, 10) if 2 * (1 + m + m * r) <= 12
    }


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"budget": 0}, ValueError, "budget=0: give a number above 0"),
        ({"cost_query": -1}, ValueError, "cost_query=-1: give a number of at least 0"),
        ({"cost_document": "5"}, TypeError, "cost_document='5': give a number"),
        ({"cost_document": 0, "cost_query": 0, "cost_repetition": 0}, ValueError,
         "cost_document, cost_query and cost_repetition are all 0"),
        ({"estimand": "mean"}, ValueError, "estimand='mean' is unknown"),
        ({"estimand": "micro", "population": 100}, ValueError,
         "population=100: for the micro mean documents are drawn with replacement"),
        ({"population": 1}, ValueError, "population=1: give a whole number of at least 2"),
        ({"max_queries": 0}, ValueError, "max_queries=0: give a whole number of at least 1"),
        ({"max_repetitions": 1.5}, ValueError, "max_repetitions=1.5: give a whole number"),
        ({"alpha": 0}, ValueError, "alpha=0: give a number between 0 and 1"),
        ({"max_queries": 10**6, "max_repetitions": 10**5, "budget": 1e12}, ValueError,
         "designs, and at most 20,000,000 are tried; lower one"),
    ],
)  # fmt: skip
def test_wrong_arguments_get_one_line(changes, error, message):
    with pytest.raises(error) as caught:
        split_budget(COMPONENTS, **(OPTIONS | changes))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_components_get_one_line():
    with pytest.raises(TypeError, match="components is a float; give the result of"):
        split_budget(0.1, **OPTIONS)
    with pytest.raises(
        ValueError, match=r"components names 'documents', .*did you mean 'document'"
    ):
        split_budget({"documents": 1.0}, **OPTIONS)
    with pytest.raises(ValueError, match="components has nothing for 'repetition'; give 0"):
        split_budget({"document": 1.0, "query": 1.0}, **OPTIONS)
    with pytest.raises(ValueError, match=r"components\['query'\]=nan: give a finite number"):
        split_budget(COMPONENTS | {"query": math.nan}, **OPTIONS)
    one = variance_components(
        {"doc": [1, 1], "query": [1, 2], "y": [0.1, 0.3]}, score="y", doc="doc", query="query"
    )
    with pytest.raises(ValueError, match="the variance of documents is unknown"):
        split_budget(one, **OPTIONS)
