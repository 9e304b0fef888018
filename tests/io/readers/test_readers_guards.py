"""How one cell, and then one column, becomes numbers: by one rule or not at all."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragstats.exceptions import DataError
from ragstats.io.readers.cells import MISSING, VOCABULARIES, is_missing, listed, notation
from ragstats.io.readers.covariates import tidied
from ragstats.io.readers.guards import to_numbers
from ragstats.io.readers.ids import as_id, joined_ids
from ragstats.io.readers.raw import RawTable

FINITE = st.floats(allow_nan=False, allow_infinity=False)
EMPTY = st.sampled_from([None, float("nan"), pd.NA, pd.NaT, *sorted(MISSING), "  ", " NaN "])


def column(cells: list[object]) -> pd.Series:
    return pd.Series(cells, dtype=object)


def numbers(cells: list[object]) -> np.ndarray:
    return to_numbers(column(cells), "c")[0]


@given(st.lists(st.one_of(FINITE, EMPTY), min_size=1))
def test_numbers_come_back_as_they_are_and_nothing_else_is_invented(cells) -> None:
    expected = [math.nan if is_missing(c) else c for c in cells]
    np.testing.assert_array_equal(numbers(cells), expected)


@given(st.lists(FINITE, min_size=1))
def test_numbers_written_as_text_are_read_exactly(values) -> None:
    np.testing.assert_array_equal(numbers([repr(v) for v in values]), values)
    np.testing.assert_array_equal(numbers([f"  {v!r}\t" for v in values]), values)


@given(st.lists(st.tuples(st.integers(-99, 999), st.text("0123456789", min_size=1, max_size=9))))
def test_decimal_commas_equal_points(parts) -> None:
    # The sure comma at the front takes the doubt from 1,234 (a thousand or so?).
    commas = ["0,5", *(f"{whole},{rest}" for whole, rest in parts)]
    points = [float(c.replace(",", ".")) for c in commas]
    values, notes = to_numbers(column(commas), "c")
    np.testing.assert_array_equal(values, points)
    assert notes == ("c: decimal commas read as points",)


@given(st.lists(st.integers(0, 100), min_size=1), st.sampled_from(["%", " %", "\u00a0%"]))
def test_percentages_are_hundredths(values, sign) -> None:
    read, notes = to_numbers(column([f"{v}{sign}" for v in values]), "c")
    np.testing.assert_array_equal(read, np.array(values) / 100)
    assert notes == ("c: percentages, divided by 100",)


@given(st.sampled_from(sorted(VOCABULARIES)), st.data())
def test_words_of_one_vocabulary_are_read_and_reported(name, data) -> None:
    words = data.draw(st.lists(st.sampled_from(sorted(VOCABULARIES[name])), min_size=1))
    read, notes = to_numbers(column([*words, None]), "c")
    np.testing.assert_array_equal(read, [*(VOCABULARIES[name][w] for w in words), math.nan])
    assert all(repr(word) in notes[0] for word in words)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["TRUE", "False", "0.5", 1], [1, 0, 0.5, 1]),
        ([True, False, None], [1, 0, math.nan]),
        ([True, 0.25], [1, 0.25]),
        (["Y", "N", "yes"], [1, 0, 1]),
        (["C", "P", "N", "I"], [1, 0.5, 0, 0]),
        (["Pass", "FAILED"], [1, 0]),
        (["12,5 %", "100%"], [0.125, 1.0]),
        (["1,5", "2"], [1.5, 2.0]),
        ([Decimal("0.1"), np.float32(0.5), np.int8(1)], [0.1, 0.5, 1.0]),
        (["+.5", "1.", "1e-3"], [0.5, 1.0, 0.001]),
    ],
)
def test_columns_in_one_notation(cells, expected) -> None:
    np.testing.assert_array_equal(numbers(cells), expected)


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        (["50%", "0.5"], "notations are mixed"),
        (["0,5", "0.5"], "decimal commas .'0,5'. beside points .'0.5'."),
        (["1,234"], "may be a decimal comma or a thousands separator"),
        (["1,234", "12,500", "3"], "may be a decimal comma or a thousands separator"),
        (["C", "0.5"], "notations are mixed"),
        (["C", "yes"], "notations are mixed"),
        (["c", "i"], "are not numbers"),
        (["pass", True], "notations are mixed"),
        (["good", "1"], "1 of 2 values are not numbers .'good'."),
        (["1.234,5"], "are not numbers"),
        (["1_000"], "are not numbers"),
        (["0x10"], "are not numbers"),
        (["٣"], "are not numbers"),
        (["infinity"], "are not numbers"),
        ([math.inf], "1 of 1 values are infinite"),
        (["1e999", "1"], "are infinite"),
        ([10**400], "are infinite"),
        ([[1, 0]], "are lists"),
        (["[1, 0]"], "are lists"),
        (["['a', 'b']"], "are lists"),
        ([{"a": 1}], "are objects"),
        ([pd.Timestamp("2026-01-05")], "are not numbers"),
        ([1 + 2j], "are not numbers"),
    ],
)
def test_columns_that_are_refused(cells, complaint) -> None:
    with pytest.raises(DataError, match=complaint):
        numbers(cells)


@pytest.mark.parametrize("dtype", ["int8", "float32", "Float64", "Int64", "float64[pyarrow]"])
def test_numeric_types(dtype) -> None:
    values, notes = to_numbers(pd.Series([1, 0, 1], dtype=dtype), "c")
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, [1, 0, 1])
    assert notes == ()


def test_types_with_gaps_categories_and_text() -> None:
    for cells, dtype in [([1, None], "Int64"), (["1", None], "str"), (["1", None], "category")]:
        values, _ = to_numbers(pd.Series(cells, dtype=dtype), "c")
        np.testing.assert_array_equal(values, [1, math.nan])
    values, notes = to_numbers(pd.Series([True, None], dtype="boolean"), "c")
    np.testing.assert_array_equal(values, [1, math.nan])
    assert notes == ("c: true is 1, false is 0",)
    with pytest.raises(DataError, match=r"1 infinite"):
        to_numbers(pd.Series([1.0, math.inf]), "c")


@given(st.text())
def test_any_text_has_a_notation_and_never_fails(text) -> None:
    assert isinstance(notation(text), str)
    assert isinstance(notation(f"[{text}]"), str)


@given(st.lists(st.text(max_size=5), max_size=4))
def test_lists_written_as_python_or_json_are_seen(items) -> None:
    assert listed(repr(items)) == items
    assert listed(items) == items
    assert listed("plain") is None
    assert listed("[1] Smith, 2020") is None


@given(st.text(min_size=1).map(str.strip).filter(lambda t: t not in MISSING))
def test_ids_are_text_and_stay_apart(text) -> None:
    assert as_id(text) == text


def test_ids_of_numbers_and_of_nothing() -> None:
    assert [as_id(v) for v in (7, 7.0, np.int64(7), "7", "007", 0.5, True)] == [
        *("7", "7", "7", "7", "007", "0.5", "true")
    ]
    assert all(as_id(v) is None for v in (None, math.nan, pd.NA, "", " ", "nan", "None", "<NA>"))


@given(st.lists(st.tuples(st.text("a/\\", max_size=3), st.text("a/\\", max_size=3)), unique=True))
@example([("a/", "a"), ("a", "/a"), ("a\\", "/a"), ("a\\/", "a")])
def test_joined_ids_of_different_parts_differ(pairs) -> None:
    parts = [pd.Series([p[i] for p in pairs], dtype=object) for i in (0, 1)]
    assert joined_ids(parts).nunique() == len(pairs)


def test_covariates_keep_names_that_consist_of_digits() -> None:
    frame = pd.DataFrame(
        {
            "zip": ["01234", "99999"],
            "words": ["12", "7"],
            "share": ["0.5", None],
            "hash": ["12345678901234567890", "1"],
            "doc_id": ["a", "b"],
            "tags": [["x"], []],
        },
        dtype=object,
    )
    raw = RawTable(frame, "f", "csv", "f")
    tidy, notes = tidied(raw, set(), set())
    assert tidy["zip"].to_list() == ["01234", "99999"]
    assert tidy["hash"].to_list() == ["12345678901234567890", "1"]
    assert tidy["words"].dtype == np.int64
    assert tidy["share"].dtype == np.float64
    assert "doc_id_in_file" in tidy
    assert "tags" not in tidy
    assert any("tags" in note for note in notes)
