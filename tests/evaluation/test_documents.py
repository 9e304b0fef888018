"""One row per document: the aggregates, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import ragstats as rs
from ragstats.evaluation.diagnostics import diagnose, leave_one_out

ROWS = pd.DataFrame(
    {
        "doc": list("aabbbc"),
        "system": ["x"] * 6,
        "band": ["small", "small", "large", "large", "large", "small"],
        "hit": [1.0, 0, 1, 1, np.nan, 0],
    }
)


def test_sums_by_document():
    table = rs.documents(ROWS, doc="doc", score="hit", keep="band")
    assert table.frame.to_dict("list") == {
        "doc": ["a", "b", "c"],
        "n": [2.0, 2.0, 1.0],
        "s": [1.0, 2.0, 0.0],
        "ss": [1.0, 2.0, 0.0],
        "band": ["small", "large", "small"],
    }
    assert (table.n_documents, table.n_rows, table.unscored) == (3, 5, {"": 1})


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "nullable", "category", "bool"])
def test_any_frame_gives_the_same_table(kind):
    expected = rs.documents(ROWS, doc="doc", score="hit").frame
    if kind == "polars":
        rows = pytest.importorskip("polars").from_pandas(ROWS)
    elif kind == "pyarrow":
        rows = pytest.importorskip("pyarrow").Table.from_pandas(ROWS)
    elif kind == "nullable":
        rows = ROWS.astype({"hit": "Float64", "doc": "string"})
    elif kind == "category":
        rows = ROWS.assign(doc=pd.Categorical(ROWS["doc"], categories=list("abcde")))
    else:
        rows = ROWS.assign(hit=pd.array([True, False, True, True, pd.NA, False], dtype="boolean"))
    table = rs.documents(rows, doc="doc", score="hit").frame
    assert table["doc"].tolist() == ["a", "b", "c"]
    assert (
        table[["n", "s", "ss"]].to_numpy().tolist()
        == expected[["n", "s", "ss"]].to_numpy().tolist()
    )


def test_aggregates_alone_give_the_means():
    table = rs.documents(ROWS, doc="doc", score="hit")
    given = rs.DocumentTable.from_frame(table.frame, doc="doc", n="n", s="s", ss="ss")
    rows = rs.micro_mean("hit", ROWS, groups="doc")
    assert given.micro().se == rows.se
    assert given.macro().estimate == pytest.approx(0.5, rel=1e-15)  # (1/2 + 1 + 0) / 3
    without_squares = rs.DocumentTable.from_frame(table.frame, doc="doc")
    assert without_squares.micro().se == rows.se
    assert diagnose(without_squares).icc_reason == "the sums of squares are unknown"


def test_leave_one_out_is_refitting():
    rows = rs.datasets.load_eight_documents()
    table = rs.documents(rows, doc="doc", score="d")
    for estimand, mean in (("micro", rs.micro_mean), ("macro", rs.macro_mean)):
        for left in leave_one_out(table, estimand).itertuples():
            refitted = mean("d", rows[rows["doc"] != left.document], groups="doc")
            # Closed form against a refit on the same rows: rounding only.
            assert left.estimate == pytest.approx(refitted.estimate, rel=1e-12)
            assert left.df == pytest.approx(refitted.df, rel=1e-10)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"score": "hits"}, r"score='hits' is not a column .*did you mean 'hit'"),
        ({"hit": [1, np.inf, 0, 0, 0, 0]}, {}, r"score='hit': 1 infinite value;"),
        ({"hit": [np.nan] * 6}, {}, r"none of the 6 rows has a score"),
        ({"hit": list("abcdef")}, {}, r"column 'hit' of dtype .* does not hold numbers"),
        ({"doc": ["a", None, "b", "b", None, "c"]}, {}, r"doc='doc': 2 missing ids in 6 rows"),
        ({}, {"keep": ["hit"]}, r"keep='hit' varies within"),
        ({}, {"missing": "raise"}, r"1 row has no score"),
        ({}, {"missing": "fill"}, r"missing='fill' is unknown"),
    ],
)
def test_bad_input_is_one_line(change, options, message):
    rows = ROWS.assign(**change)
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        rs.documents(rows, **{"doc": "doc", "score": "hit", **options})
    assert "\n" not in str(caught.value)


def test_an_empty_table_is_refused():
    with pytest.raises(rs.DataError, match="data has no rows"):
        rs.documents(ROWS.iloc[:0], doc="doc", score="hit")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"doc": ["a", "a"], "n": [1, 2], "s": [0, 1]}, "1 row repeats a document"),
        ({"doc": ["a", "b"], "n": [1, 0], "s": [0, 1]}, "1 counts are not positive"),
        ({"doc": ["a", "b"], "n": [1, 2.5], "s": [0, 1]}, r"n: 1 counts are not whole, .* 2\.5"),
        ({"doc": ["a", "b"], "n": [1, 2], "s": [0, np.nan]}, "1 sums are missing"),
        ({"doc": ["a", "b"], "n": [1, 2], "s": [0, 2], "ss": [0, 1]}, "smaller than s²/n"),
    ],
)
def test_impossible_aggregates_are_refused(frame, message):
    with pytest.raises(rs.DataError, match=message):
        rs.DocumentTable.from_frame(
            pd.DataFrame(frame), doc="doc", ss="ss" if "ss" in frame else None
        )
