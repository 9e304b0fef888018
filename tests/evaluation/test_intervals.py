"""Intervals of a mean by name, against R survey and closed forms."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import ragstats as rs
from ragstats.core.intervals import korn_graubard
from ragstats.evaluation.diagnostics import warnings_of

ORACLES = Path(__file__).parents[1] / "oracles"
SURVEY = json.loads((ORACLES / "svyciprop" / "svyciprop.json").read_text())
CASES = [name for name in SURVEY if name != "versions"]


def case(name):
    rows = pd.read_csv(ORACLES / "cases" / name / "data.csv")
    return rs.micro_mean("hit", rows, groups="doc_id", cov_type="CR1", df="K-1")


@pytest.mark.parametrize("name", CASES)
def test_korn_graubard_and_logit_equal_svyciprop(name):
    mean, want = case(name), SURVEY[name]
    # Two programs on the same sums: 1e-9 for the linearized SE, 1e-8 for beta quantiles.
    assert mean.estimate == pytest.approx(want["mean"], rel=1e-9)
    assert mean.se == pytest.approx(want["se"], rel=1e-9)
    assert mean.df == want["df"]
    for alpha, level in ((0.05, "95"), (0.1, "90")):
        beta = mean.conf_int(alpha, method="korn-graubard", cap=False).to_numpy()[0]
        assert beta == pytest.approx(want[f"beta{level}"], rel=1e-8)
        logit = mean.conf_int(alpha, method="logit").to_numpy()[0]
        # R fits a quasibinomial GLM to 1e-8 in the deviance; the delta method is exact.
        assert logit == pytest.approx(want[f"logit{level}"], rel=1e-6)


def test_korn_graubard_never_has_zero_width():
    rows = pd.DataFrame({"doc": list("aabbcc"), "hit": [1, 0] * 3})
    with pytest.warns(rs.RagstatsWarning, match="do not vary|SE 0"):
        mean = rs.micro_mean("hit", rows, groups="doc")
    assert mean.se == 0
    found = mean.interval("korn-graubard")
    # n_eff is the number of documents, 3: Clopper-Pearson at x = 1.5 of 3.
    assert found.low == pytest.approx(stats.beta.ppf(0.025, 1.5, 2.5), rel=1e-12)
    assert found.high == pytest.approx(stats.beta.ppf(0.975, 2.5, 1.5), rel=1e-12)
    assert "do not differ" in found.note


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_a_mean_at_a_bound(score):
    rows = pd.DataFrame({"doc": list("aabbcc"), "hit": [score] * 6})
    with pytest.warns(rs.RagstatsWarning, match="SE 0"):
        mean = rs.micro_mean("hit", rows, groups="doc")
    found = mean.interval("korn-graubard")
    # Clopper-Pearson for 0 (or 3) of 3 documents: 1 - 0.025^(1/3).
    width = 1 - 0.025 ** (1 / 3)
    assert (found.low, found.high) == pytest.approx(
        (0.0, width) if score == 0 else (1 - width, 1.0), rel=1e-12
    )
    logit = mean.interval("logit")
    assert np.isnan(logit.low)
    assert "the logit is infinite" in logit.reason


def test_the_cap_is_the_number_of_rows():
    # A variance below that of independent rows gives n_eff above N, which the cap cuts.
    low, high = korn_graubard(0.5, 1e-6, 9.0, 100.0, 10.0)
    assert (low, high) == pytest.approx(
        (stats.beta.ppf(0.025, 50, 51), stats.beta.ppf(0.975, 51, 50)), rel=1e-12
    )


def test_what_not_to_use_is_the_study_and_says_so():
    mean = case("int_binary_unequal")
    table = mean.documents
    n = table.n_rows
    se = np.sqrt(mean.estimate * (1 - mean.estimate) / (n - 1))  # 0/1 scores: Σs² = Σs
    iid = mean.interval("iid")
    assert iid.high - mean.estimate == pytest.approx(stats.norm.isf(0.025) * se, rel=1e-12)
    effect = table.diagnostics().design_effect
    n_eff = mean.interval("n_eff")
    expected = stats.norm.isf(0.025) * se * np.sqrt(effect)
    assert n_eff.high - mean.estimate == pytest.approx(expected, rel=1e-12)
    assert iid.note.startswith("not for use")
    assert n_eff.note.startswith("not for use")


def test_clip_cuts_and_says_what_it_does_not_do():
    rows = pd.DataFrame({"doc": list("aabbccdd"), "hit": [0, 0, 0, 0, 0, 0, 1, 1]})
    mean = rs.micro_mean("hit", rows, groups="doc")
    plain, clipped = mean.interval("t"), mean.interval("clip")
    assert plain.low < 0
    assert (clipped.low, clipped.high) == (0.0, min(plain.high, 1.0))
    assert "does not change its coverage" in clipped.note


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("korn-graubard", "is for 0/1 scores, and 'd' has others"),
        ("logit", r"is for scores in \[0, 1\]; the documents' rates go from"),
        ("korn", "method='korn' is unknown.*did you mean 'korn-graubard'"),
    ],
)
def test_methods_refuse_scores_that_they_are_not_for(method, message):
    d = rs.datasets.load_eight_documents()
    mean = rs.micro_mean("d", d.assign(d=d["d"] - 1), groups="doc")
    with pytest.raises(ValueError, match=message):
        mean.conf_int(method=method)


def test_iid_is_about_the_micro_mean():
    d = rs.datasets.load_eight_documents()
    with pytest.raises(ValueError, match="is about the micro mean; this is macro"):
        rs.macro_mean("d", d, groups="doc").conf_int(method="iid")


def test_recommendations():
    d = rs.datasets.load_eight_documents()
    few = rs.recommend(rs.micro_mean("d", d, groups="doc"))
    assert (few.method, few.beside) == ("t", ("wild",))
    scores = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    many = rs.recommend(rs.micro_mean("hit_at_1", scores, groups="doc_id"))
    assert (many.method, many.beside) == ("t", ())
    c = rs.compare(scores, score="hit_at_1", system="system", doc="doc_id", query="query_id",
                   estimand="micro")  # fmt: skip
    tied = rs.recommend(c.results[("tfidf", "bm25")])
    assert any("tied" in reason for reason in tied.reasons)
    difference = c.results[("tfidf", "bm25")]
    run = tied.check.replace("replications=1000", "replications=20")
    checked = eval(run, {"rs": rs, "mean": difference})  # the line that the user is given
    assert checked.estimators["truth"].item() == pytest.approx(difference.estimate, rel=1e-12)
    rows = pd.DataFrame({"doc": np.repeat(np.arange(20), 5), "hit": np.r_[np.ones(98), 0, 0]})
    near = rs.recommend(rs.micro_mean("hit", rows, groups="doc"))
    assert near.method == "korn-graubard"


def test_near_a_bound_is_in_units_of_the_t_quantile():
    # rates .4, .8, .6: the macro mean .6 has se .2/√3 = .1155 and 2 df, so that 1 is 3.46 standard
    # errors away, and the t quantile is 4.30
    rows = pd.DataFrame({"doc": np.repeat([0, 1, 2], 5), "hit": 0.0})
    rows.loc[[0, 1, 5, 6, 7, 8, 10, 11, 12], "hit"] = 1.0
    mean = rs.macro_mean("hit", rows, groups="doc")
    assert (mean.estimate, mean.df) == pytest.approx((0.6, 2.0), rel=1e-12)  # a sum of three
    assert float(mean.conf_int()[1].iloc[0]) > 1
    assert rs.recommend(mean).method == "korn-graubard"
    said = warnings_of(mean.documents, estimand="macro", estimate=0.6, se=mean.se, df=2.0)
    assert any("95% t interval of the mean 0.600 reaches 0 or 1" in s for s in said)


def test_the_check_that_is_recommended_gives_the_same_numbers_twice():
    data = rs.datasets.load_retrieval(systems="bm25")
    data = data[data["doc_id"].isin(data["doc_id"].unique()[:8])]
    mean = rs.micro_mean("hit_at_1", data, groups="doc_id")
    check = rs.recommend(mean).check
    check = check.replace("replications=1000", "replications=40")
    once, twice = (eval(check, {"rs": rs, "mean": mean}) for _ in range(2))
    pd.testing.assert_frame_equal(once.table, twice.table, check_exact=True)


# ---- why there is no p, or no limit ----------------------------------------------------------


def two_systems():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"system": ["A"] * 12 + ["B"] * 12, "doc": list("aabbccddeeff") * 2,
                         "query": [*range(12)] * 2, "y": rng.random(24)})  # fmt: skip
    same = rows.assign(y=[*rows["y"][:12]] * 2)
    return rows, same, {"score": "y", "system": "system", "doc": "doc", "estimand": "micro"}


@pytest.mark.parametrize("unmatched", ["error", "stacked"])
@pytest.mark.filterwarnings("ignore:.*SE 0")
def test_a_difference_without_a_p_says_why(unmatched):
    rows, same, options = two_systems()
    for data, population, why in (
        (same, None, "the scores do not vary: SE 0 and no p-value"),
        (rows, 6, "every document of the population is here: the value is known, SE 0"),
    ):
        c = rs.compare(data, query="query", population=population, unmatched=unmatched, **options)
        row = c.differences.loc[("B", "A")]
        assert row["se"] == 0
        assert np.isnan(row["p"])
        assert c.estimates[("B", "A")].reason == c.estimates[("A", "B")].reason == why
        assert f"B - A: {why}" in c.summary()


@pytest.mark.filterwarnings("ignore:.*SE 0")
def test_a_mean_without_a_p_says_why():
    rows, _, _ = two_systems()
    census = rs.macro_mean("y", rows[:12], groups="doc", population=6)
    flat = rs.macro_mean("y", rows[:12].assign(y=0.25), groups="doc")
    for mean, why in ((census, "every document of the population"), (flat, "the scores do not")):
        assert (mean.se, np.isnan(mean.pvalue)) == (0, True)
        assert mean.reason.startswith(why)
        assert why[1:] in " ".join(str(mean.summary()).split())
        found = mean.interval()
        assert (found.low, found.high) == (mean.estimate, mean.estimate)
        assert (found.reason, found.note) == ("", mean.reason)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.filterwarnings("ignore:.*the smallest p")
def test_a_wild_interval_of_few_documents_says_why_it_is_the_whole_line(k):
    # 2/2^K > .05: the sample and its mirror image alone are more than alpha
    rows = pd.DataFrame({"doc": np.repeat(np.arange(k), 4), "y": np.sin(np.arange(4.0 * k))})
    mean = rs.micro_mean("y", rows, groups="doc")
    found = mean.interval("wild")
    assert (found.low, found.high) == (-np.inf, np.inf)
    why = f"the smallest p of {2**k} replicates is {2 / 2**k:.3g}, above alpha=0.05"
    assert found.reason == f"{why}: no value is rejected"
    boot = rs.wild_bootstrap(mean, "Intercept = 0")
    assert boot.reason == found.reason
    assert f"infinite: {why}" in boot.summary()


def test_a_wild_interval_of_enough_documents_has_nothing_to_say():
    rows = pd.DataFrame({"doc": np.repeat(np.arange(6), 4), "y": np.sin(np.arange(24.0))})
    found = rs.micro_mean("y", rows, groups="doc").interval("wild")
    assert found.low < found.high < np.inf
    assert found.reason == ""
