"""What results say of themselves: the same in print and in notebooks, within 80 columns."""

import html

import numpy as np
import pandas as pd
import pytest
from result_cases import RESULTS
from result_cases import scores as scores  # the fixture

import ragstats as rs
from ragstats.exceptions import plural

SHOWN = [
    name
    for name in RESULTS
    if name not in ("differences", "leaderboard", "joint test", "recommendation")
]

# Sizes 2, 3, 1 and sums 1, 3, 0, so that rates are 1/2, 1 and 0.
ROWS = pd.DataFrame({"doc": list("aabbbc"), "hit": [1.0, 0, 1, 1, 1, 0]})


def rows_of(text):
    """The rows of a summary, by name."""
    lines = [line.strip().partition("  ") for line in text.splitlines()[1:]]
    return {name: told.strip() for name, _, told in lines}


@pytest.mark.parametrize("name", SHOWN)
def test_print_and_notebooks_show_the_summary(scores, name):
    result = RESULTS[name](scores)
    text = str(result)
    assert text == str(result.summary())
    assert result._repr_html_() == f"<pre>{html.escape(text)}</pre>"
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", ["documents", "micro", "compare", "bootstrap", "wild"])
def test_a_repr_is_short(scores, name):
    assert len(repr(RESULTS[name](scores))) < 500


def test_a_table_says_what_is_in_it():
    rows = ROWS.assign(system="<a>", band="x").assign(hit=[1, 0, 1, 1, 1, np.nan])
    table = rs.documents(rows, doc="doc", score="hit", by="system", keep="band")
    assert str(table).splitlines()[0] == "2 documents, 5 scores of 'hit'"
    assert rows_of(str(table)) == {
        "systems": "<a>",
        "rows of each": "2 to 3, mean 2.5",
        "unscored": "1 of <a>",
        "kept": "band",
    }
    assert "&lt;a&gt;" in table._repr_html_()


def test_counts_and_nouns_agree():
    assert plural(1, "query") == "1 query"
    assert plural(2000, "query") == "2,000 queries"
    assert plural(0, "row repeats", "rows repeat") == "0 rows repeat"
    rows = ROWS.assign(hit=[1, 0, 1, 1, 1, np.nan])
    assert rows_of(str(rs.documents(rows, doc="doc", score="hit")))["unscored"] == "1 row"


def test_a_table_says_which_way_it_was_computed(tmp_path):
    pytest.importorskip("duckdb", reason="the extra 'duckdb' is not installed")
    ROWS.to_parquet(tmp_path / "rows.parquet")
    table = rs.documents(str(tmp_path / "rows.parquet"), doc="doc", score="hit")
    assert table.computed_by.in_engine
    assert table.computed_by.passes == 1
    assert rows_of(str(table))["computed by"] == str(table.computed_by)
    assert f"Computed by {table.computed_by}." in str(table.macro().summary())
    batches = rs.documents(iter([ROWS[:3], ROWS[3:]]), doc="doc", score="hit")
    assert str(batches.computed_by) == "record batches, sums of record batches, 1 pass"
    assert rs.documents(ROWS, doc="doc", score="hit").computed_by is None


def test_diagnostics_in_words():
    said = rows_of(rs.documents(ROWS, doc="doc", score="hit").diagnostics().summary())
    # MSB = 5/12, MSW = 1/6 and n0 = (6 - 14/6)/2 = 11/6: ICC = (1/4)/(5/12 + 5/36) = 9/20, and the
    # design effect is 1 + (14/6 - 1)·9/20
    assert said["ICC"] == "0.4500"
    assert said["design effect"] == "1.6"
    assert said["N/DEFF"].startswith("3.8 ")
    assert said["effective K"] == f"{36 / 14:.1f} equal documents"
    assert said["rate 0, rate 1"] == "33.3%, 33.3% of the documents"
    assert said["largest"] == "'b', 50.00% of the rows"
    one_row_each = rs.documents(ROWS.drop_duplicates("doc"), doc="doc", score="hit")
    said = rows_of(one_row_each.diagnostics().summary())
    assert said["ICC"] == "NaN: every document has one row"


def test_an_interval_in_words():
    mean = rs.macro_mean("hit", ROWS, groups="doc")
    low, high = mean.conf_int().iloc[0]
    assert str(mean.interval()) == f"95% interval, t: [{low:.6g}, {high:.6g}]"
    with pytest.warns(rs.RagstatsWarning, match="the scores do not vary"):
        flat = rs.documents(ROWS.assign(hit=1.0), doc="doc", score="hit").macro()
    assert "NaN: the mean is 1, where the logit is infinite" in str(flat.interval("logit"))
    assert "note: stays inside (0, 1)" in str(flat.interval("logit"))


def test_leave_one_out_of_a_table():
    table = rs.documents(ROWS, doc="doc", score="hit")
    left = table.leave_one_out("micro").set_index("document")["estimate"]
    assert left.to_dict() == {"a": 3 / 4, "b": 1 / 3, "c": 4 / 5}
    left = table.leave_one_out("macro").set_index("document")["estimate"]
    assert left.to_dict() == {"a": 1 / 2, "b": 1 / 4, "c": 3 / 4}
    with pytest.raises(ValueError, match="estimand='both' is unknown"):
        table.leave_one_out("both")
