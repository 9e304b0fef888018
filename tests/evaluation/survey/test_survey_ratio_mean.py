"""ratio_mean: R's ratios on one row per document, and its errors."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from survey_cases import ROOT, read_case

from ragstats.evaluation.survey import SurveyDesign, ratio_mean

STORED = json.loads(
    (ROOT / "tests/oracles/survey_lonely/separate.json").read_text(encoding="utf-8")
)
POPULATION, TOTALS = STORED["population"], STORED["totals"]
RTOL = 1e-12  # a handful of additions


@pytest.fixture
def table():
    return pd.DataFrame(STORED["data"])


def matches(result, stored):
    assert result.estimate == pytest.approx(float(stored["estimate"]), rel=RTOL)
    assert result.se == pytest.approx(float(stored["se"]), rel=RTOL)
    assert result.df == stored["df"]


def test_combined_ratio_is_rs(table):
    matches(ratio_mean(table, strata="size", population=POPULATION), STORED["combined"])
    matches(ratio_mean(table, population=400), STORED["combined_srs400"])
    no_population = ratio_mean(table, strata="size")
    matches(no_population, STORED["combined_no_population"])
    assert any("every document weighs the same" in n for n in no_population.notes)


def test_separate_ratio_is_that_of_rs_strata(table):
    result = ratio_mean(
        table, strata="size", population=POPULATION, totals=TOTALS, method="separate"
    )
    matches(result, STORED["separate"])


def test_stored_ratios_of_the_strata_make_the_separate_one():
    shares = np.array([TOTALS[h] for h in STORED["strata"]["names"]]) / sum(TOTALS.values())
    ratio, variance = (np.array(STORED["strata"][k], float) for k in ("ratio", "variance"))
    assert shares @ ratio == pytest.approx(float(STORED["separate"]["estimate"]), rel=RTOL)
    assert np.sqrt(shares**2 @ variance) == pytest.approx(float(STORED["separate"]["se"]), rel=RTOL)


def test_formula_of_the_combined_ratio(table):
    m, k = table["size"].map(POPULATION), table.groupby("size")["n"].transform("size")
    n_hat, s_hat = (m / k * table["n"]).sum(), (m / k * table["s"]).sum()
    u = table["s"] - s_hat / n_hat * table["n"]
    v = sum(
        POPULATION[h] ** 2 * (1 - len(x) / POPULATION[h]) * x.var(ddof=1) / len(x)
        for h, x in u.groupby(table["size"])
    )
    result = ratio_mean(table, strata="size", population=POPULATION)
    assert result.estimate == pytest.approx(s_hat / n_hat, rel=RTOL)
    assert result.se == pytest.approx(np.sqrt(v) / n_hat, rel=RTOL)


def test_it_is_the_mean_over_rows():
    rows = read_case("svy_strat").data
    table = rows.groupby(["doc_id", "size"])["hit"].agg(n="size", s="sum").reset_index()
    population = rows.groupby("size")["M"].first()
    a = ratio_mean(table, strata="size", population=population, doc="doc_id")
    b = SurveyDesign(rows, ids="doc_id", strata="size", fpc="M").mean("hit")
    assert a.estimate == pytest.approx(b.estimate, rel=RTOL)
    assert a.se == pytest.approx(b.se, rel=RTOL)
    assert a.df == b.df


def test_cr1_without_strata_and_population(table):
    k, rate = len(table), table["s"].sum() / table["n"].sum()
    u = table["s"] - rate * table["n"]
    result = ratio_mean(table)
    assert result.se == pytest.approx(
        np.sqrt(k / (k - 1) * (u**2).sum()) / table["n"].sum(), rel=RTOL
    )
    assert result.df == k - 1


def test_a_table_object_gives_its_frame(table):
    held = SimpleNamespace(frame=table.rename(columns={"n": "n_d", "s": "s_d"}))
    a = ratio_mean(held, n="n_d", s="s_d", strata="size", population=POPULATION)
    matches(a, STORED["combined"])
    named = table.assign(frame=1)  # a column of that name is a column
    matches(ratio_mean(named, strata="size", population=POPULATION), STORED["combined"])


def test_census(table):
    sizes = table["size"].value_counts()
    result = ratio_mean(table, strata="size", population=sizes)
    assert result.se == 0
    assert any(n.startswith("census") for n in result.notes)
    assert ratio_mean(table, population=len(table)).se == 0


def test_documents_without_a_scored_query_stay_in_the_design(table):
    empty = pd.concat([table, pd.DataFrame({"doc": ["e"], "size": "small", "n": 0, "s": 0.0})])
    result = ratio_mean(empty, strata="size", population=POPULATION)
    assert result.n_psus == len(table) + 1
    assert result.df == len(table) - 3
    assert any("1 sampled documents have n = 0" in n for n in result.notes)
    separate = ratio_mean(
        empty, strata="size", population=POPULATION, totals=TOTALS, method="separate"
    )
    assert separate.df == len(table) - 3


def test_row_order_does_not_matter(table):
    shuffled = table.sample(frac=1, random_state=1)
    for method, totals in (("combined", None), ("separate", TOTALS)):
        kwds = {"strata": "size", "population": POPULATION, "totals": totals, "method": method}
        assert ratio_mean(shuffled, **kwds).se == pytest.approx(
            ratio_mean(table, **kwds).se, rel=RTOL
        )


def test_lonely_stratum(table):
    one = table.drop(index=[12, 13])  # one large document of three
    with pytest.raises(ValueError, match=r"stratum size='large' has one sampled unit at stage 1"):
        ratio_mean(one, strata="size", population=POPULATION)
    rules = {
        rule: ratio_mean(one, strata="size", population=POPULATION, lonely=rule).se
        for rule in ("adjust", "certainty", "average", "remove")
    }
    assert rules["certainty"] == rules["remove"] < min(rules["adjust"], rules["average"])
    separate = {"strata": "size", "population": POPULATION, "totals": TOTALS, "method": "separate"}
    with pytest.raises(ValueError, match="lonely='adjust' has no effect with method='separate'"):
        ratio_mean(one, lonely="adjust", **separate)
    assert ratio_mean(one, lonely="certainty", **separate).se > 0
    assert any(
        "strata of one unit" in n for n in ratio_mean(one, lonely="average", **separate).notes
    )


BY_SIZE = {"strata": "size", "population": POPULATION}
SEPARATE = {**BY_SIZE, "method": "separate"}


@pytest.mark.parametrize(
    ("kwds", "error", "message"),
    [
        ({"method": "both"}, ValueError, "method='both' is unknown"),
        ({"n": "m"}, ValueError, "n='m' is not a column of the data"),
        ({"s": "size"}, ValueError, "s='size' has dtype"),
        ({"strata": "sizes"}, ValueError, r"strata='sizes' is not a column .*did you mean 'size'"),
        ({"population": 10}, ValueError, "10 documents for the corpus, where 15 were sampled"),
        ({"population": 20.5}, ValueError, "give the whole number of documents"),
        ({"population": 0.5}, ValueError, "population gives 0.5 documents for the corpus"),
        ({"population": -3}, ValueError, "population=-3: give a positive number"),
        ({"population": True}, ValueError, "population=True: give a positive number"),
        ({"population": POPULATION}, ValueError, "population is a mapping, but strata="),
        ({"strata": "size", "population": 99}, ValueError, "with strata give a mapping of stratum"),
        (
            {"strata": "size", "population": {"small": 200, "middle": 60}},
            ValueError,
            "population has nothing for stratum size='large'",
        ),
        (
            {"strata": "size", "population": {**POPULATION, "huge": 2}},
            ValueError,
            "population names stratum size='huge', where no document was sampled",
        ),
        (
            {"strata": "size", "population": {**POPULATION, "middle": 4}},
            ValueError,
            "4 documents for stratum size='middle', where 5 were sampled",
        ),
        (
            {"strata": "size", "population": {**POPULATION, "middle": "x"}},
            ValueError,
            r"population\['middle'\]='x': give a positive number",
        ),
        (SEPARATE, ValueError, "method='separate' needs totals="),
        ({"method": "separate", "totals": TOTALS}, ValueError, "method='separate' needs strata="),
        ({**SEPARATE, "totals": 3}, TypeError, "totals=3: give a mapping of stratum to number"),
        ({**SEPARATE, "totals": {"small": 1}}, ValueError, "totals has nothing for stratum size="),
        ({**BY_SIZE, "totals": TOTALS}, ValueError, "totals are for method='separate'"),
        ({**BY_SIZE, "lonely": "fail"}, ValueError, "lonely='fail' is unknown"),
    ],
)
def test_errors(table, kwds, error, message):
    with pytest.raises(error, match=message) as info:
        ratio_mean(table, **kwds)
    assert "\n" not in str(info.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": [-1] + [5] * 14}, "n='n' has 1 negative or infinite values"),
        ({"n": [np.nan] + [5] * 14}, "n='n' has 1 missing"),
        ({"n": 0, "s": 0.0}, "n='n' is 0 in every document"),
        ({"n": [0] + [5] * 14}, "s='s' is not 0 in 1 document with n='n' of 0"),
        ({"s": [np.inf] + [5.0] * 14}, "s='s' has 1 infinite value"),
        ({"doc": ["d01"] * 2 + [f"e{i}" for i in range(13)]}, "several rows of doc='d01'"),
        ({"size": [None] + ["small"] * 14}, "strata='size' has 1 missing"),
    ],
)
def test_errors_of_the_table(table, change, message):
    with pytest.raises(ValueError, match=message):
        ratio_mean(table.assign(**change), strata="size", doc="doc")


def test_separate_stratum_that_rests_on_one_document(table):
    table.loc[table["doc"].isin(["d08", "d09", "d10", "d11"]), ["n", "s"]] = 0
    with pytest.raises(ValueError, match=r"size='middle' has 1 document with n > 0"):
        ratio_mean(table, strata="size", totals=TOTALS, population=POPULATION, method="separate")


def test_documents_must_be_a_frame():
    with pytest.raises(TypeError, match=r"documents is a builtins\.list"):
        ratio_mean([1, 2])
