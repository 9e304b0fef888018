"""Results as text, as plain values, as figures; and the entrance for a command line."""

import dataclasses
import json
import subprocess
import sys

import pytest

import ragstats as rs
from ragstats.evaluation.planning import (
    allocate_documents,
    plan_comparison,
    plan_documents,
    plan_from_options,
    split_budget,
    variance_components,
)


@pytest.fixture(scope="module")
def scores():
    found = rs.datasets.load_retrieval(systems=["bm25", "hybrid"])
    found["band"] = found["doc_chunks"].gt(27).map({True: "large", False: "small"})
    return found


@pytest.fixture(scope="module")
def table(scores):
    bm25 = scores[scores["system"] == "bm25"]
    return rs.documents(bm25, doc="doc_id", score="doc_hit_at_1", keep=["band"])


COMPONENTS = {"document": 0.03, "query": 0.15, "repetition": 0.07}
COSTS = {"cost_document": 5, "cost_query": 1, "cost_repetition": 0.2}
POPULATION = {"large": 134, "small": 1166}


@pytest.fixture(scope="module")
def results(scores, table):
    """Every kind of result, with and without answers."""
    given = {"sd": 0.18, "estimand": "macro", "population": 1300}
    long = "a stratum with a name that is far too long for a column of a table of eighty"
    strata = {"strata": "band", "population": POPULATION}
    named = table.frame.assign(band=table.frame["band"].replace("large", long))
    named = rs.DocumentTable.from_frame(named, doc="doc_id", keep=["band"])
    bm25 = scores[scores["system"] == "bm25"]
    return [
        plan_documents(table, estimand="micro", halfwidth=0.05, population=5588),
        plan_documents(table, estimand="micro", halfwidth=0.05, df="satterthwaite"),
        plan_documents(difference=0.02, power=0.8, **given),
        plan_documents(difference=0.02, documents=200, **given),
        plan_documents(documents=200, power=0.8, **given),
        plan_documents(documents=200, power=0.8, alternative="smaller", **given),
        plan_documents(documents=200, power=0.01, **given),
        plan_documents(documents=1300, difference=0.1, **given),
        plan_documents(difference=0, power=0.8, **given),
        plan_documents(halfwidth=1e-13, df="normal", sd=2.0, estimand="macro"),
        plan_documents(sd=0, estimand="macro", halfwidth=0.1),
        plan_documents(sd=3, estimand="macro", documents=1),
        allocate_documents(table, estimand="micro", documents=20, **strata),
        allocate_documents(table, estimand="macro", documents=3, **strata),
        allocate_documents(table, estimand="micro", documents=1300, **strata),
        allocate_documents(table, estimand="micro", documents=200, certainty="large", **strata),
        allocate_documents(
            named, estimand="micro", documents=50, strata="band",
            population={long: 134, "small": 1166},
        ),
        split_budget(COMPONENTS, estimand="macro", budget=1000, **COSTS),
        split_budget(COMPONENTS, estimand="micro", budget=123456789, **COSTS),
        split_budget(COMPONENTS, estimand="macro", budget=3, **COSTS),
        variance_components(bm25, score="hit_at_1", doc="doc_id", query="query_id"),
        variance_components(bm25.head(1), score="hit_at_1", doc="doc_id", query="query_id"),
    ]  # fmt: skip


def test_summaries_have_at_most_80_columns_and_say_every_reason(results):
    for result in results:
        text = result.summary()
        assert max(len(line) for line in text.splitlines()) <= 80, text
        assert str(result) == text
        assert "nan" not in text.split()
        flat = " ".join(text.split())
        for said in (*result.warnings, *filter(None, [getattr(result, "reason", "")])):
            assert " ".join(said.split()) in flat.replace("* ", "")


def test_values_are_ready_for_json(results):
    for result in results:
        back = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert back == result.to_dict()


def test_results_are_frozen(results):
    for result in results:
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.warnings = ()


def test_the_summary_of_the_source_texts_plan():
    text = plan_documents(sd=0.2243, estimand="macro", halfwidth=0.05, population=1300).summary()
    lines = [line.split() for line in text.splitlines()]
    assert ["documents", "K", "76", "80"] in lines
    assert "macro mean: a typical document" in text


def test_figures_are_drawn_and_belong_to_no_pyplot(results, tmp_path):
    from matplotlib.figure import Figure

    figures = [result.plot() for result in results]
    assert all(isinstance(figure, Figure) for figure in figures)
    for figure in figures[::5]:
        figure.savefig(tmp_path / "plan.png")
    assert (tmp_path / "plan.png").stat().st_size > 0


def test_the_curve_passes_through_the_plan():
    plan = plan_documents(sd=0.4122, estimand="micro", halfwidth=0.05, population=1300)
    (ax,) = plan.plot().axes
    without, corrected = ax.lines[:2]
    for line, k, half in (
        (without, 264, plan.uncorrected.halfwidth),
        (corrected, 220, plan.halfwidth),
    ):
        x, y = line.get_data()
        near = abs(x - k).argmin()
        again = plan.task(corrected=line is corrected).precision.halfwidth(x[near])
        assert y[near] == pytest.approx(float(again), rel=1e-12)
        assert y[near] == pytest.approx(half, rel=0.02)  # the nearest drawn K
    assert [t.get_text() for t in ax.texts] == ["264", "220", "target 0.05"]


def test_a_figure_without_matplotlib_is_one_line(monkeypatch):
    plan = plan_documents(sd=0.3, estimand="macro", halfwidth=0.1)
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # not installed
    with pytest.raises(ImportError, match=r"pip install \"ragstats\[report\]\""):
        plan.plot()


def test_planning_loads_without_matplotlib():
    code = (
        "import sys, ragstats.evaluation.planning; "
        "sys.exit(any(m.split('.')[0] == 'matplotlib' for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- options ---------------------------------------------------------------------------------------


def test_options_make_each_plan(scores, table):
    columns = {"doc": "doc_id", "score": "doc_hit_at_1", "system": "system"}
    bm25 = scores[scores["system"] == "bm25"]
    plan = plan_from_options(sd=0.2243, estimand="macro", halfwidth=0.05, population="1300")
    assert plan.documents == 76
    plan = plan_from_options(scores, estimand="micro", name="bm25", halfwidth=0.05, **columns)
    assert plan.to_dict() == plan_documents(table, estimand="micro", halfwidth=0.05).to_dict()
    plan = plan_from_options(
        scores, estimand="macro", baseline="bm25", query="query_id", difference=0.02, power=0.8,
        population=5588, alpha=None, **columns,
    )  # fmt: skip
    compared = rs.compare(scores, query="query_id", baseline="bm25", estimand="macro", **columns)
    direct = plan_comparison(compared, difference=0.02, power=0.8, population=5588)
    assert plan.to_dict() == direct.to_dict()
    plan = plan_from_options(
        scores, estimand="micro", name="bm25", strata="band", population="large=134, small=1166",
        documents=200, certainty="large", **columns,
    )  # fmt: skip
    assert plan.allocation == {"large": 134, "small": 66}
    plan = plan_from_options(
        scores, estimand="micro", name="bm25", strata="band", population="large=134,small=1166",
        allocation="large=10,small=10", **columns,
    )  # fmt: skip
    assert plan.allocation == {"large": 10, "small": 10}
    plan = plan_from_options(
        scores, estimand="macro", name="bm25", query="query_id", budget=1000, **COSTS, **columns
    )
    found = variance_components(bm25, score="doc_hit_at_1", doc="doc_id", query="query_id")
    assert plan == split_budget(found, estimand="macro", budget=1000, **COSTS)


def test_strata_that_are_numbers_are_found_by_their_text(scores):
    bm25 = scores[scores["system"] == "bm25"].assign(
        band=lambda f: f["doc_chunks"].gt(27).astype(int)
    )
    plan = plan_from_options(
        bm25, estimand="micro", doc="doc_id", score="hit_at_1", strata="band", documents=30,
        population="1=134,0=1166",
    )  # fmt: skip
    assert sum(plan.allocation.values()) == 30
    assert set(plan.allocation) == {0, 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"halfwith": 1}, "option='halfwith' is unknown (did you mean 'halfwidth'?)"),
        ({"sd": 0.3, "halfwidth": 1}, "estimand is missing"),
        ({"estimand": "micro", "halfwidth": 0.1, "doc": "doc_id"}, "score is missing"),
        ({"estimand": "micro", "sd": 0.3, "doc": "x", "halfwidth": 1}, "doc='x' has no part in"),
        ({"estimand": "micro", "sd": 0.3, "halfwidth": 1}, "sd= and data: one of the two"),
        ({"estimand": "micro", "doc": "doc_id", "score": "hit_at_1", "system": "system",
          "name": "bm25", "halfwidth": 0.1, "population": "large=3"},
         "population='large=3': give a whole number"),
        ({"estimand": "micro", "doc": "doc_id", "score": "hit_at_1", "system": "system",
          "name": "bm25", "documents": 30, "population": "many", "strata": "band"},
         "population='many': give 'stratum=number,stratum=number'"),
    ],
)  # fmt: skip
def test_wrong_options_get_one_line(scores, options, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        plan_from_options(scores, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
