"""Half-width to documents and back: the source text's numbers, identities, and what cannot be."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import ragstats as rs
from ragstats.evaluation.planning import plan_comparison, plan_documents
from ragstats.evaluation.planning.pilot import linearized, pilot_of
from ragstats.evaluation.planning.search import smallest
from ragstats.evaluation.planning.sizes import foreseen_df, satterthwaite_df


@pytest.fixture(scope="module")
def scores():
    return rs.datasets.load_retrieval(systems=["bm25", "hybrid"])


@pytest.fixture(scope="module")
def pilot(scores):
    bm25 = scores[scores["system"] == "bm25"]
    return rs.documents(bm25, doc="doc_id", score="doc_hit_at_1")


def table_of(n, s):
    frame = pd.DataFrame({"doc": [f"d{i}" for i in range(len(n))], "n": n, "s": s})
    return rs.DocumentTable.from_frame(frame, doc="doc")


# --- the source text ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimand", "sd", "without", "corrected"),
    [("macro", 0.2243, 80, 76), ("micro", 0.4122, 264, 220)],
)
def test_the_source_text_plans_80_and_76_264_and_220(estimand, sd, without, corrected):
    plan = plan_documents(sd=sd, estimand=estimand, halfwidth=0.05, population=1300)
    assert (plan.uncorrected.documents, plan.documents) == (without, corrected)
    assert plan_documents(sd=sd, estimand=estimand, halfwidth=0.05).documents == without


@pytest.mark.parametrize(
    ("low", "high", "without", "corrected"),
    [(0.22387, 0.22468, 80, 76), (0.41180, 0.41259, 264, 220)],
)
def test_the_intervals_of_sd_that_give_the_source_texts_numbers(low, high, without, corrected):
    """At the ends of the interval, which are rounded to five digits."""
    for sd in (low + 1e-5, high - 1e-5):
        plan = plan_documents(sd=sd, estimand="macro", halfwidth=0.05, population=1300)
        assert (plan.uncorrected.documents, plan.documents) == (without, corrected)


# --- closed forms and inverses ------------------------------------------------------------------


def formula(sd, k, population=None, alpha=0.05):
    left = 1 if population is None else 1 - k / population
    return stats.t.isf(alpha / 2, k - 1) * sd / math.sqrt(k) * math.sqrt(left)


def test_halfwidth_is_the_formula():
    plan = plan_documents(sd=0.3, estimand="macro", documents=25, population=200, alpha=0.1)
    assert plan.halfwidth == pytest.approx(formula(0.3, 25, 200, 0.1), rel=1e-14)
    assert plan.se == pytest.approx(0.3 / 5 * math.sqrt(1 - 25 / 200), rel=1e-14)
    assert plan.uncorrected.halfwidth == pytest.approx(formula(0.3, 25, None, 0.1), rel=1e-14)
    assert plan.degrees_of_freedom == 24


@pytest.mark.parametrize("population", [None, 400])
def test_documents_of_the_halfwidth_of_k_documents_is_k(population):
    for k in range(2, 300):
        half = plan_documents(
            sd=0.4, estimand="macro", documents=k, population=population
        ).halfwidth
        back = plan_documents(sd=0.4, estimand="macro", halfwidth=half, population=population)
        assert back.documents == k


@given(
    sd=st.floats(0.01, 5), halfwidth=st.floats(0.02, 3), population=st.none() | st.integers(2, 3000)
)
def test_no_smaller_number_of_documents_would_do(sd, halfwidth, population):
    """Against a search over every K, for both columns of the plan."""
    plan = plan_documents(sd=sd, estimand="macro", halfwidth=halfwidth, population=population)
    for m, answer in ((population, plan.answer), (None, plan.uncorrected)):
        k = np.arange(2, 1 + (m or max(2 * answer.documents, 10)))
        half = stats.t.isf(0.025, k - 1) * sd / np.sqrt(k) * np.sqrt(1 if m is None else 1 - k / m)
        assert answer.documents == k[np.argmax(half <= halfwidth)]


def test_few_documents_are_found_although_t_is_huge_there():
    assert plan_documents(sd=0.1, estimand="macro", halfwidth=1.0).documents == 2
    assert plan_documents(sd=0.1, estimand="macro", halfwidth=0.89).documents == 3
    assert formula(0.1, 2) > 0.89 > formula(0.1, 3)


@given(limit=st.integers(1, 10_000), low=st.integers(1, 50))
def test_smallest_finds_every_threshold(limit, low):
    assert smallest(lambda k: k >= limit, low) == max(limit, low)
    assert smallest(lambda k: k >= limit, low, limit - 1) is None


# --- S from a pilot -------------------------------------------------------------------------------


def test_s_is_that_of_the_means(pilot):
    """Macro sd(r), micro √K·se(CR1); so K documents like the pilot's give the pilot's own SE."""
    k = pilot.n_documents
    assert pilot_of(pilot, "macro").sd == pytest.approx(pilot.rates.std(ddof=1), rel=1e-12)
    micro = pilot.micro(cov_type="CR1").se
    assert pilot_of(pilot, "micro").sd == pytest.approx(math.sqrt(k) * micro, rel=1e-12)
    again = plan_documents(pilot, estimand="micro", documents=k, population=5588)
    assert again.se == pytest.approx(pilot.micro(cov_type="CR1", population=5588).se, rel=1e-12)
    low, high = np.asarray(pilot.macro().conf_int())[0]
    plan = plan_documents(pilot, estimand="macro", documents=k)
    assert plan.halfwidth == pytest.approx((high - low) / 2, rel=1e-12)


@pytest.mark.parametrize("estimand", ["micro", "macro"])
def test_linearized_values_sum_to_zero(pilot, estimand):
    values, noise = linearized(pilot, estimand)
    assert abs(values.sum()) < 1e-9
    assert 0 < noise < 1e-10


def test_s_scales_with_the_score_and_ignores_row_order(pilot):
    frame = pilot.frame
    shuffled = rs.DocumentTable.from_frame(frame.sample(frac=1, random_state=1), doc="doc_id")
    tenfold = rs.DocumentTable.from_frame(frame.assign(s=10 * frame["s"]), doc="doc_id")
    for estimand in ("micro", "macro"):
        sd = pilot_of(pilot, estimand).sd
        assert pilot_of(shuffled, estimand).sd == pytest.approx(sd, rel=1e-12)
        assert pilot_of(tenfold, estimand).sd == pytest.approx(10 * sd, rel=1e-12)


def test_a_system_is_chosen_and_must_be_named(scores):
    both = rs.documents(scores, doc="doc_id", score="hit_at_1", by="system")
    one = rs.documents(scores[scores["system"] == "hybrid"], doc="doc_id", score="hit_at_1")
    plan = plan_documents(both, estimand="macro", halfwidth=0.02, system="hybrid")
    assert plan.pilot.sd == pilot_of(one, "macro").sd
    with pytest.raises(ValueError, match="system is missing"):
        plan_documents(both, estimand="macro", halfwidth=0.02)


# --- ν from the sizes ------------------------------------------------------------------------------


def test_satterthwaite_df_from_sizes_is_that_of_the_micro_mean(pilot):
    assert float(satterthwaite_df(pilot.counts)) == pytest.approx(pilot.micro().df, rel=1e-10)


def test_foreseen_df_is_close_to_what_samples_have(pilot):
    rng = np.random.default_rng(0)
    nu = foreseen_df(pilot.counts)
    for k in (10, 37, 150, 600):
        drawn = [satterthwaite_df(rng.choice(pilot.counts, k, replace=False)) for _ in range(400)]
        assert float(nu(np.array(k))) == pytest.approx(np.median(drawn), rel=0.08)  # 400 draws
    assert float(nu(np.array(1300.0))) == pytest.approx(pilot.micro().df, rel=1e-10)
    assert float(nu(np.array(2599.0))) == pytest.approx(2 * pilot.micro().df, rel=1e-10)
    grid = nu(np.arange(2, 3000))
    assert (np.diff(grid) >= 0).all()


def test_satterthwaite_plans_for_more_documents_when_sizes_differ(pilot):
    plain = plan_documents(pilot, estimand="micro", halfwidth=0.05)
    wider = plan_documents(pilot, estimand="micro", halfwidth=0.05, df="satterthwaite")
    assert wider.documents > plain.documents
    assert any("df='satterthwaite'" in said for said in plain.warnings)
    assert not any("df='satterthwaite'" in said for said in wider.warnings)
    same = plan_documents(pilot, estimand="macro", halfwidth=0.05, df="satterthwaite")
    assert same.documents == plan_documents(pilot, estimand="macro", halfwidth=0.05).documents


def test_the_normal_rule_is_the_textbook_formula():
    plan = plan_documents(sd=1.0, estimand="macro", halfwidth=0.1, df="normal")
    assert plan.documents == math.ceil((stats.norm.isf(0.025) / 0.1) ** 2)
    assert plan.degrees_of_freedom == math.inf


# --- comparisons -----------------------------------------------------------------------------------


def test_a_comparison_is_planned_from_its_paired_differences(scores):
    c = rs.compare(
        scores, score="hit_at_1", system="system", doc="doc_id", query="query_id",
        baseline="bm25", estimand="micro", population=5588,
    )  # fmt: skip
    plan = plan_comparison(c, documents=1300, difference=0.01)
    difference = c.scores.differences("hybrid", "bm25")
    assert plan.pilot.sd == pilot_of(difference, "micro").sd
    assert plan.population == 5588
    expected = math.sqrt(1300) * difference.micro(cov_type="CR1").se
    assert plan.pilot.sd == pytest.approx(expected, rel=1e-12)
    assert plan.se == pytest.approx(difference.micro(cov_type="CR1", population=5588).se, rel=1e-12)
    assert plan_comparison(c, pair=("bm25", "hybrid"), documents=1300).halfwidth == plan.halfwidth


def test_a_comparison_says_what_it_needs():
    scores = rs.datasets.load_retrieval()
    options = {"score": "hit_at_1", "system": "system", "doc": "doc_id", "estimand": "macro"}
    c = rs.compare(scores, query="query_id", baseline="bm25", **options)
    with pytest.raises(
        ValueError, match=r"pair is missing: the comparison has 3; give one of \('dense"
    ):
        plan_comparison(c, halfwidth=0.01)
    with pytest.raises(ValueError, match=r"pair=\('bm25', 'bm26'\) is not in the comparison"):
        plan_comparison(c, pair=("bm25", "bm26"), halfwidth=0.01)
    with pytest.raises(ValueError, match=r"pair='dense': give two names"):
        plan_comparison(c, pair="dense", halfwidth=0.01)
    loose = rs.compare(scores, baseline="bm25", **options)
    with pytest.raises(ValueError, match="unmatched='stacked'"):
        plan_comparison(loose, pair=("dense", "bm25"), halfwidth=0.01)


# --- what cannot be reached ---------------------------------------------------------------------


def test_a_target_that_needs_everything_is_a_census():
    plan = plan_documents(sd=0.3, estimand="macro", halfwidth=1e-6, population=50)
    assert plan.documents == 50
    assert plan.halfwidth == 0
    assert "no sample of fewer than all 50 documents" in plan.reason
    assert "census" in plan.reason


def test_a_target_beyond_all_corpora_has_no_answer():
    plan = plan_documents(sd=0.3, estimand="macro", halfwidth=1e-12)
    assert plan.documents is None
    assert plan.halfwidth is None
    assert "2**53" in plan.reason


def test_all_documents_are_a_census():
    plan = plan_documents(sd=0.3, estimand="macro", documents=50, population=50)
    assert (plan.se, plan.halfwidth) == (0, 0)
    assert "census" in plan.reason
    assert plan_documents(
        sd=0.3, estimand="macro", documents=50, difference=0.01, population=50
    ).power == 1.0  # fmt: skip


def test_one_document_has_no_interval():
    plan = plan_documents(sd=0.3, estimand="macro", documents=1, difference=0.1)
    assert plan.halfwidth is None
    assert plan.power is None
    assert "one document" in plan.reason


def test_a_population_of_one_leaves_nothing_to_sample():
    plan = plan_documents(sd=0.3, estimand="macro", halfwidth=0.1, population=1)
    assert plan.documents is None
    assert "population of 1" in plan.reason


def test_documents_that_do_not_vary_say_nothing():
    equal = table_of([3, 7, 11, 5], [0.3, 0.7, 1.1, 0.5])  # rates of .1 but for rounding
    for estimand in ("micro", "macro"):
        plan = plan_documents(equal, estimand=estimand, halfwidth=0.1, population=100)
        assert plan.documents is None
        assert plan.pilot.sd == 0
        assert "do not vary" in plan.reason
    given_zero = plan_documents(sd=0, estimand="macro", documents=30)
    assert given_zero.halfwidth is None
    assert "S = 0" in given_zero.reason


def test_a_pilot_of_one_document_says_nothing():
    plan = plan_documents(table_of([3], [1]), estimand="macro", halfwidth=0.1)
    assert plan.documents is None
    assert "1 document" in plan.reason
    assert plan.to_dict()["sd"] is None


# --- what the pilot is worth ---------------------------------------------------------------------


def test_a_small_pilot_is_said_with_the_interval_of_s():
    table = table_of([10] * 6, [1, 2, 3, 4, 5, 6])
    plan = plan_documents(table, estimand="macro", halfwidth=0.1)
    sd = np.std(np.arange(1, 7) / 10, ddof=1)
    low, high = sd * np.sqrt(5 / stats.chi2.isf([0.025, 0.975], 5))
    assert any(f"{low:.3g} to {high:.3g}" in said for said in plan.warnings)


def test_skewness_and_cochrans_rule_are_said():
    rates = np.r_[np.zeros(40), 0.1, 0.2, 1.0]
    plan = plan_documents(table_of([10] * 43, 10 * rates), estimand="macro", halfwidth=0.1)
    skewness = stats.skew(rates)
    assert plan.pilot.skewness == pytest.approx(skewness, rel=1e-12)
    assert any("skewed" in said for said in plan.warnings)
    assert any(f"= {math.ceil(25 * skewness**2):,} documents" in said for said in plan.warnings)


def test_the_influential_document_is_named():
    n = np.r_[np.full(20, 5), 900]
    s = np.r_[np.tile([1, 2], 10), 700]
    plan = plan_documents(table_of(n, s), estimand="micro", halfwidth=0.1)
    u = s - s.sum() / n.sum() * n
    assert plan.pilot.largest == "d20"
    assert plan.pilot.largest_share == pytest.approx(u[20] ** 2 / (u**2).sum(), rel=1e-12)
    assert any("'d20' makes" in said for said in plan.warnings)


def test_nothing_is_said_of_a_good_pilot():
    rates = np.linspace(0.2, 0.8, 60)
    plan = plan_documents(table_of([10] * 60, 10 * rates), estimand="macro", halfwidth=0.05)
    assert plan.warnings == ()


# --- wrong arguments -----------------------------------------------------------------------------

QUESTION = {"sd": 0.3, "estimand": "macro", "halfwidth": 0.1}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"halfwidth": 0}, ValueError, "halfwidth=0: give a number above 0"),
        ({"halfwidth": -0.1}, ValueError, "halfwidth=-0.1: give a number above 0"),
        ({"halfwidth": math.nan}, ValueError, "halfwidth=nan: give a finite number"),
        ({"halfwidth": "0.1"}, TypeError, "halfwidth='0.1': give a number"),
        ({"halfwidth": True}, TypeError, "halfwidth=True: give a number"),
        ({"halfwidth": None, "documents": 2.5}, ValueError,
         "documents=2.5: give a whole number of at least 1"),
        ({"halfwidth": None, "documents": 0}, ValueError,
         "documents=0: give a whole number of at least 1"),
        ({"halfwidth": None}, ValueError,
         "nothing given; give halfwidth=, or documents=, or two of difference=, power= and"
         " documents="),
        ({"power": 0.8}, ValueError, "halfwidth=, power= given; give halfwidth="),
        ({"halfwidth": None, "power": 0.8}, ValueError, "power= given; give halfwidth="),
        ({"halfwidth": None, "power": 1.0, "documents": 9}, ValueError,
         "power=1.0: give a number between 0 and 1"),
        ({"halfwidth": None, "difference": math.inf, "documents": 9}, ValueError,
         "difference=inf: give a finite number"),
        ({"sd": -1}, ValueError, "sd=-1: give a number of at least 0"),
        ({"sd": math.inf}, ValueError, "sd=inf: give a finite number"),
        ({"sd": None}, ValueError, "pilot and sd: neither given; give a pilot's DocumentTable"),
        ({"alpha": 0}, ValueError, "alpha=0: give a number between 0 and 1"),
        ({"alpha": 1.5}, ValueError, "alpha=1.5: give a number between 0 and 1"),
        ({"population": 0}, ValueError, "population=0: give a whole number of at least 1"),
        ({"population": 10.5}, ValueError, "population=10.5: give a whole number"),
        ({"halfwidth": None, "documents": 60, "population": 50}, ValueError,
         "documents=60 is more than population=50; give at most 50"),
        ({"estimand": "mikro"}, ValueError, "estimand='mikro' is unknown (did you mean 'micro'?)"),
        ({"df": "K"}, ValueError, "df='K' is unknown (did you mean 'K-1'?)"),
        ({"df": "satterthwaite", "estimand": "micro"}, ValueError,
         "df='satterthwaite' needs a pilot table"),
        ({"alternative": "greater"}, ValueError, "alternative='greater' is unknown"),
        ({"system": "bm25"}, ValueError, "system='bm25': sd= knows no systems"),
    ],
)  # fmt: skip
def test_wrong_arguments_get_one_line(changes, error, message):
    with pytest.raises(error) as caught:
        plan_documents(**(QUESTION | changes))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_pilots_get_one_line(pilot):
    with pytest.raises(ValueError, match="pilot and sd: both given"):
        plan_documents(pilot, **QUESTION)
    with pytest.raises(TypeError, match=r"pilot is a float; give the DocumentTable .* or sd="):
        plan_documents(0.3, estimand="macro", halfwidth=0.1)
    with pytest.raises(ValueError, match="population=100: the pilot alone has 1,300 documents"):
        plan_documents(pilot, estimand="macro", halfwidth=0.1, population=100)


def test_the_estimand_has_no_default():
    with pytest.raises(TypeError, match="estimand"):
        plan_documents(sd=0.3, halfwidth=0.1)
