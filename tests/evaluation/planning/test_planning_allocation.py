"""Allocation to strata: optimal among all, exact in design variance, equal to the ratio's own SE."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragstats as rs
from ragstats.evaluation.planning import allocate_documents, plan_documents
from ragstats.evaluation.planning.allocation import RULES, divide, lower_bounds
from ragstats.exceptions import DataError


def table_of(n, s, band):
    frame = pd.DataFrame({"doc": range(len(n)), "n": n, "s": s, "band": band})
    return rs.DocumentTable.from_frame(frame, doc="doc", keep=["band"])


@pytest.fixture(scope="module")
def census():
    """The shipped documents, the 130 largest as a stratum."""
    scores = rs.datasets.load_retrieval(systems="bm25")
    frame = rs.documents(scores, doc="doc_id", score="doc_hit_at_1").frame
    frame = frame.sort_values(["n", "doc_id"], ascending=[False, True], ignore_index=True)
    frame["band"] = np.where(np.arange(len(frame)) < 130, "large", "rest")
    return rs.DocumentTable.from_frame(frame, doc="doc_id", ss="ss", keep=["band"])


POPULATION = {"large": 130, "rest": 1170}


# --- whole numbers --------------------------------------------------------------------------------


def every_allocation(documents, population, whole):
    low = lower_bounds(population, whole)
    ranges = [range(a, b + 1) for a, b in zip(low, population, strict=True)]
    return [c for c in itertools.product(*ranges) if sum(c) == documents]


def spread(counts, population, sd):
    counts = np.array(counts, float)
    return float((population**2 * sd**2 * (1 / counts - 1 / population)).sum())


@given(
    sizes=st.lists(st.integers(1, 9), min_size=2, max_size=4),
    sds=st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0, 10.0]), min_size=4, max_size=4),
    first_whole=st.booleans(),
    position=st.floats(0, 1),
)
def test_neyman_is_the_best_of_all_allocations(sizes, sds, first_whole, position):
    population, sd = np.array(sizes), np.array(sds[: len(sizes)])
    whole = np.array([first_whole] + [False] * (len(sizes) - 1))
    low = int(lower_bounds(population, whole).sum())
    documents = low + round(position * (int(population.sum()) - low))
    counts = divide(documents, population, sd, whole, "neyman")
    best = min(spread(c, population, sd) for c in every_allocation(documents, population, whole))
    assert spread(counts, population, sd) == pytest.approx(best, rel=1e-12, abs=1e-12)


@given(
    sizes=st.lists(st.integers(1, 400), min_size=1, max_size=6),
    rule=st.sampled_from(sorted(RULES)),
    seed=st.integers(0, 1000),
)
def test_allocations_keep_their_bounds_and_grow_one_by_one(sizes, rule, seed):
    rng = np.random.default_rng(seed)
    population, sd = np.array(sizes), rng.exponential(size=len(sizes))
    whole = rng.random(len(sizes)) < 0.2
    low = lower_bounds(population, whole)
    before = None
    for documents in range(int(low.sum()), min(int(population.sum()), int(low.sum()) + 60) + 1):
        counts = divide(documents, population, sd, whole, rule)
        assert counts.sum() == documents
        assert (counts >= low).all()
        assert (counts <= population).all()
        assert (counts[whole] == population[whole]).all()
        if before is not None:
            assert (counts >= before).all()
        before = counts


def test_neyman_is_the_formula_before_rounding():
    population, sd = np.array([1000, 4000, 5000]), np.array([2.0, 1.0, 0.2])
    counts = divide(700, population, sd, np.zeros(3, bool), "neyman")
    exact = 700 * population * sd / (population * sd).sum()
    assert np.abs(counts - exact).max() < 1


def test_neyman_takes_a_stratum_whole_where_it_asks_for_more():
    population, sd = np.array([10, 1000]), np.array([100.0, 0.5])
    counts = divide(60, population, sd, np.zeros(2, bool), "neyman")
    assert counts.tolist() == [10, 50]


def test_proportional_and_equal():
    population, sd = np.array([100, 300, 600]), np.ones(3)
    nothing = np.zeros(3, bool)
    assert divide(50, population, sd, nothing, "proportional").tolist() == [5, 15, 30]
    assert divide(30, population, sd, nothing, "equal").tolist() == [10, 10, 10]
    assert divide(301, population, sd, nothing, "equal").tolist() == [100, 101, 100]


# --- standard errors ------------------------------------------------------------------------------


def small_census():
    n = np.array([3, 5, 2, 8, 1, 4, 6, 2, 9])
    rates = np.array([0.1, 0.4, 0.5, 0.2, 0.9, 0.7, 0.3, 0.6, 0.8])
    return table_of(n, n * rates, list("aaaabbbbb")), rates


def test_macro_se_is_the_design_variance_over_all_samples():
    """Pilot = population, so nothing is estimated: the SE is exact, for strata and for SRS."""
    table, rates = small_census()
    plan = allocate_documents(
        table, estimand="macro", strata="band", population={"a": 4, "b": 5},
        allocation={"a": 2, "b": 3},
    )  # fmt: skip
    means = [
        4 / 9 * rates[list(a)].mean() + 5 / 9 * rates[list(b)].mean()
        for a in itertools.combinations(range(4), 2)
        for b in itertools.combinations(range(4, 9), 3)
    ]
    assert plan.se == pytest.approx(np.std(means), rel=1e-12)
    srs = [rates[list(c)].mean() for c in itertools.combinations(range(9), 5)]
    assert plan.expected["macro"].srs_se == pytest.approx(np.std(srs), rel=1e-12)
    assert plan.gain == pytest.approx(np.var(srs) / np.var(means), rel=1e-12)


def test_micro_srs_of_a_census_pilot_is_that_of_plan_documents():
    table, _ = small_census()
    plan = allocate_documents(
        table, estimand="micro", strata="band", population={"a": 4, "b": 5}, documents=5
    )
    srs = plan_documents(table, estimand="micro", documents=5, population=9)
    assert plan.expected["micro"].srs_se == pytest.approx(srs.se, rel=1e-12)
    assert plan.expected["micro"].srs_halfwidth == pytest.approx(srs.halfwidth, rel=1e-12)


def test_micro_se_for_the_pilots_own_allocation_is_that_of_ratio_mean(census):
    rng = np.random.default_rng(3)
    frame = census.frame
    rows = np.r_[rng.choice(130, 12, replace=False), 130 + rng.choice(1170, 30, replace=False)]
    sample = rs.DocumentTable.from_frame(frame.iloc[rows], doc="doc_id", keep=["band"])
    plan = allocate_documents(
        sample, estimand="micro", strata="band", population=POPULATION,
        allocation={"large": 12, "rest": 30},
    )  # fmt: skip
    ratio = rs.ratio_mean(sample, strata="band", population=POPULATION)
    low, high = ratio.conf_int()
    assert plan.se == pytest.approx(ratio.se, rel=1e-12)
    assert plan.degrees_of_freedom == ratio.df
    assert plan.halfwidth == pytest.approx((high - low) / 2, rel=1e-12)


def test_one_stratum_is_a_simple_random_sample(census):
    frame = census.frame.assign(band="all")
    table = rs.DocumentTable.from_frame(frame, doc="doc_id", keep=["band"])
    for estimand in ("micro", "macro"):
        plan = allocate_documents(
            table, estimand=estimand, strata="band", population={"all": 5588}, documents=90
        )
        srs = plan_documents(table, estimand=estimand, documents=90, population=5588)
        assert plan.se == pytest.approx(srs.se, rel=1e-12)
        assert plan.halfwidth == pytest.approx(srs.halfwidth, rel=1e-12)


def test_the_srs_of_a_small_pilot_is_unbiased():
    """S² of the population, estimated from stratified pilots, against the truth: within 4 SE."""
    rng = np.random.default_rng(5)
    values = np.r_[rng.normal(0, 1, 60), rng.normal(4, 2, 40)]
    truth = values.var(ddof=1)
    found = []
    for _ in range(200):
        rows = np.r_[rng.choice(60, 5, replace=False), 60 + rng.choice(40, 5, replace=False)]
        table = table_of(np.ones(10), values[rows], ["a"] * 5 + ["b"] * 5)
        plan = allocate_documents(
            table, estimand="macro", strata="band", population={"a": 60, "b": 40}, documents=20
        )
        found.append(plan.expected["macro"].srs_se ** 2 * 20 / (1 - 20 / 100))
    error = np.std(found) / math.sqrt(len(found))
    assert abs(np.mean(found) - truth) < 4 * error


def test_stratifying_by_size_pays_on_the_shipped_data(census):
    plan = allocate_documents(
        census, estimand="micro", strata="band", population=POPULATION, documents=20
    )
    assert plan.allocation == {"large": 10, "rest": 10}
    assert plan.gain > 3
    macro = allocate_documents(
        census, estimand="macro", strata="band", population=POPULATION, documents=20
    )
    assert macro.allocation == {"large": 2, "rest": 18}
    assert macro.expected["macro"].se <= plan.expected["macro"].se


@pytest.mark.parametrize("rule", sorted(RULES))
def test_the_smallest_number_of_documents_for_a_halfwidth(census, rule):
    options = {
        "estimand": "micro", "strata": "band", "population": POPULATION, "allocation": rule
    }  # fmt: skip
    plan = allocate_documents(census, halfwidth=0.06, **options)
    assert plan.halfwidth <= 0.06
    assert allocate_documents(census, documents=plan.documents - 1, **options).halfwidth > 0.06


def test_the_unit_of_the_score_and_row_order_change_nothing(census):
    frame = census.frame
    options = {
        "estimand": "micro", "strata": "band", "population": POPULATION, "documents": 40
    }  # fmt: skip
    plan = allocate_documents(census, **options)
    other = rs.DocumentTable.from_frame(
        frame.assign(s=frame["s"] * 100).sample(frac=1, random_state=2), doc="doc_id", keep=["band"]
    )
    scaled = allocate_documents(other, **options)
    assert scaled.allocation == plan.allocation
    assert scaled.se == pytest.approx(100 * plan.se, rel=1e-12)


# --- certainty, and what cannot be -----------------------------------------------------------------


def test_certainty_strata_are_taken_whole_and_said(census):
    plan = allocate_documents(
        census, estimand="micro", strata="band", population=POPULATION, documents=200,
        certainty=["large"],
    )  # fmt: skip
    assert plan.allocation == {"large": 130, "rest": 70}
    rest = census.frame["band"] == "rest"
    n, s = census.counts, census.totals
    u = (s - s.sum() / n.sum() * n)[rest]
    expected = 1170 / n.sum() * math.sqrt((1 - 70 / 1170) / 70) * u.std(ddof=1)
    assert plan.se == pytest.approx(expected, rel=1e-12)
    assert any(
        "'large' taken whole" in said and "69 of their own" in said for said in plan.warnings
    )
    one_name = allocate_documents(
        census, estimand="micro", strata="band", population=POPULATION, documents=200,
        certainty="large",
    )  # fmt: skip
    assert one_name.allocation == plan.allocation


def test_a_census_has_no_error(census):
    plan = allocate_documents(
        census, estimand="micro", strata="band", population=POPULATION, documents=1300
    )
    assert (plan.se, plan.halfwidth) == (0, 0)
    assert "census" in plan.reason
    tight = allocate_documents(
        census, estimand="micro", strata="band", population=POPULATION, halfwidth=1e-9
    )
    assert tight.documents == 1300


def test_too_few_documents_give_no_allocation(census):
    plan = allocate_documents(
        census, estimand="micro", strata="band", population=POPULATION, documents=3
    )
    assert plan.allocation is None
    assert plan.se is None
    assert "3 documents are too few" in plan.reason
    assert "make 4" in plan.reason


def test_strata_that_do_not_vary_give_no_allocation():
    table = table_of([3, 7, 11, 5], [0.3, 0.7, 1.1, 0.5], list("aabb"))
    for estimand in ("micro", "macro"):
        plan = allocate_documents(
            table, estimand=estimand, strata="band", population={"a": 20, "b": 20}, documents=10
        )
        assert plan.allocation is None
        assert "do not vary" in plan.reason


def test_a_single_document_of_a_stratum_may_be_taken_whole():
    table = table_of([50, 3, 4, 5], [20, 1, 3, 2], list("abbb"))
    options = {"estimand": "micro", "strata": "band", "population": {"a": 1, "b": 40}}
    plan = allocate_documents(table, documents=11, **options)
    assert plan.allocation == {"a": 1, "b": 10}
    with pytest.raises(DataError, match="stratum band='a' has one document in the pilot"):
        allocate_documents(table, documents=11, **(options | {"population": {"a": 3, "b": 40}}))
    taken = allocate_documents(
        table, documents=13, certainty=["a"], **(options | {"population": {"a": 3, "b": 40}})
    )
    assert taken.allocation == {"a": 3, "b": 10}
    assert math.isnan(taken.expected["micro"].srs_se)
    assert taken.to_dict()["expected"]["micro"]["srs_se"] is None


def test_small_and_skewed_strata_are_said():
    n = np.full(40, 10.0)
    s = np.r_[np.zeros(28), 1, 10, np.linspace(1, 9, 10)[:10]]
    plan = allocate_documents(
        table_of(n, s, ["a"] * 30 + ["b"] * 10), estimand="macro", strata="band",
        population={"a": 300, "b": 100}, documents=40,
    )  # fmt: skip
    assert any("skewed in 'a'" in said for said in plan.warnings)
    small = allocate_documents(
        table_of(n[:12], np.arange(12), ["a"] * 8 + ["b"] * 4), estimand="macro", strata="band",
        population={"a": 300, "b": 100}, documents=40,
    )  # fmt: skip
    assert any("few documents of 'a' (8), 'b' (4)" in said for said in small.warnings)


# --- wrong arguments --------------------------------------------------------------------------------

OPTIONS = {"estimand": "micro", "strata": "band", "population": POPULATION, "documents": 20}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"documents": None}, ValueError,
         "nothing given; give one of documents=, halfwidth=, a mapping allocation="),
        ({"halfwidth": 0.1}, ValueError, "documents= and halfwidth= given"),
        ({"documents": None, "halfwidth": -1}, ValueError, "halfwidth=-1: give a number above 0"),
        ({"documents": 1301}, ValueError, "documents=1301 is more than the population of 1300"),
        ({"documents": 2.5}, ValueError, "documents=2.5: give a whole number"),
        ({"estimand": "both"}, ValueError, "estimand='both' is unknown"),
        ({"allocation": "nieman"}, ValueError,
         "allocation='nieman' is unknown (did you mean 'neyman'?)"),
        ({"strata": "size"}, ValueError, "strata='size' is not a column of the data"),
        ({"population": 1300}, TypeError, "population=1300: give a mapping of each stratum"),
        ({"population": {"large": 130}}, DataError, "population has nothing for stratum band='rest'"),
        ({"population": POPULATION | {"tiny": 5}}, DataError,
         "population names stratum band='tiny', of which the pilot has no document"),
        ({"population": {"large": 100, "rest": 1170}}, ValueError,
         "population['large']=100: the pilot alone has 130 documents there"),
        ({"population": {"large": 130.5, "rest": 1170}}, ValueError,
         "population['large']=130.5: give a whole number"),
        ({"certainty": ["larg"]}, ValueError,
         "certainty names 'larg', which is not there (did you mean 'large'?)"),
        ({"documents": None, "allocation": {"large": 10}}, ValueError,
         "allocation has nothing for stratum band='rest'"),
        ({"documents": None, "allocation": {"large": 1, "rest": 10}}, ValueError,
         "allocation['large']=1: give 2 to 130"),
        ({"documents": None, "allocation": {"large": 131, "rest": 10}}, ValueError,
         "allocation['large']=131: give 2 to 130"),
        ({"documents": None, "allocation": {"large": 9, "rest": 9, "x": 1}}, ValueError,
         "allocation names 'x', which is not there"),
        ({"alpha": 2}, ValueError, "alpha=2: give a number between 0 and 1"),
    ],
)  # fmt: skip
def test_wrong_arguments_get_one_line(census, changes, error, message):
    with pytest.raises(error) as caught:
        allocate_documents(census, **(OPTIONS | changes))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_columns_that_were_not_kept_or_have_gaps(census):
    bare = rs.DocumentTable.from_frame(census.frame, doc="doc_id")
    with pytest.raises(DataError, match=r"no column was kept; rs.documents\(…, keep=\['band'\]\)"):
        allocate_documents(bare, **OPTIONS)
    frame = census.frame.copy()
    frame.loc[3, "band"] = None
    gaps = rs.DocumentTable.from_frame(frame, doc="doc_id", keep=["band"])
    with pytest.raises(DataError, match="1 document has no stratum"):
        allocate_documents(gaps, **OPTIONS)
    with pytest.raises(TypeError, match="pilot is a DataFrame"):
        allocate_documents(census.frame, **OPTIONS)
