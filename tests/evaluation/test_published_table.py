"""The published tables of the shipped outcomes, every row of means and the hit@1 differences."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ragstats as rs
from ragstats.evaluation.diagnostics import diagnose

TABLES = Path(__file__).parents[1] / "oracles" / "retrieval"
SYSTEMS = pd.read_csv(TABLES / "systems.csv")
PAIRS = pd.read_csv(TABLES / "pairs.csv")

# The tables hold five decimals, so half a unit in the fifth is exact agreement.
FIVE_DECIMALS = 5.001e-6


@pytest.fixture(scope="module")
def scores():
    return rs.datasets.load_retrieval()


def column(kind, outcome):
    name = {"rr_at_10": "rr", "rr": "rr"}.get(outcome, outcome)
    return f"doc_{name}" if kind == "doc" else name


def test_the_table_has_all_rows():
    assert len(SYSTEMS) == 32
    assert len(PAIRS) == 12


@pytest.mark.parametrize(
    "row", list(SYSTEMS.itertuples()), ids=lambda r: f"{r.kind}-{r.system}-{r.outcome}"
)
def test_means_of_systems(scores, row):
    score = column(row.kind, row.outcome)
    rows = scores[scores["system"] == row.system]
    micro = rs.micro_mean(score, rows, groups="doc_id")
    assert micro.estimate == pytest.approx(row.micro, abs=FIVE_DECIMALS)
    macro = rs.macro_mean(score, rows, groups="doc_id")
    assert macro.estimate == pytest.approx(row.macro, abs=FIVE_DECIMALS)
    assert diagnose(micro.documents).icc == pytest.approx(row.icc, abs=FIVE_DECIMALS)
    rank_correlation = pd.Series(micro.documents.rates).corr(
        pd.Series(micro.documents.counts), method="spearman"
    )
    # Sums of reciprocal ranks that are equal on paper differ by rounding, in the order of summation:
    # the rank correlation then depends on how these ties fall, in the fourth decimal.
    exact_ties = FIVE_DECIMALS if row.outcome != "rr" else 3e-4
    assert rank_correlation == pytest.approx(row.corr_size, abs=exact_ties)


@pytest.mark.parametrize("row", list(PAIRS.itertuples()), ids=lambda r: f"{r.kind}-{r.diff}")
def test_differences_of_hit_at_1(scores, row):
    system, baseline = row.diff.split("-")
    options = {
        "score": column(row.kind, "hit_at_1"), "system": "system", "doc": "doc_id",
        "query": "query_id", "systems": [system, baseline], "baseline": baseline,
    }  # fmt: skip
    micro = rs.compare(scores, estimand="micro", **options)
    difference = micro.differences.loc[(system, baseline)]
    assert difference["estimate"] == pytest.approx(row.micro, abs=FIVE_DECIMALS)
    assert difference["se"] == pytest.approx(row.se_cr2, abs=FIVE_DECIMALS)
    assert difference["df"] == pytest.approx(row.df, abs=FIVE_DECIMALS)
    macro = rs.compare(scores, estimand="macro", **options).differences.loc[(system, baseline)]
    assert macro["estimate"] == pytest.approx(row.macro, abs=FIVE_DECIMALS)
    assert macro["se"] == pytest.approx(row.se_macro, abs=FIVE_DECIMALS)
    assert macro["df"] == pytest.approx(1299, rel=1e-9)
    table = micro.results[(system, baseline)].documents
    assert diagnose(table).icc == pytest.approx(row.icc, abs=FIVE_DECIMALS)
    # The sums are of differences of 0/1 scores, so they are exact.
    assert np.mean(table.totals == 0) == pytest.approx(row.docs_tied, abs=FIVE_DECIMALS)
    assert np.mean(table.totals > 0) == pytest.approx(row.docs_up, abs=FIVE_DECIMALS)
    assert np.mean(table.totals < 0) == pytest.approx(row.docs_down, abs=FIVE_DECIMALS)
    discordant = table.squares.sum() / table.counts.sum()
    assert discordant == pytest.approx(row.discordant, abs=FIVE_DECIMALS)
    spread = table.squares.sum() - table.totals.sum() ** 2 / table.n_rows
    se_iid = np.sqrt(spread / (table.n_rows - 1) / table.n_rows)
    assert se_iid == pytest.approx(row.se_iid, abs=FIVE_DECIMALS)
