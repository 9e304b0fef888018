"""What streams say of chunks, levels and cells that do not fit, in one line."""

import numpy as np
import pandas as pd
import pytest

import ragstats as rs
from ragstats.exceptions import DataError
from ragstats.models.streamed import streamed_ols


def made():
    n = 40
    return pd.DataFrame(
        {
            "doc": np.arange(n) // 4,
            "y": np.arange(n) % 3 * 1.0,
            "system": ["a", "b"] * (n // 2),
            "x": np.random.default_rng(0).normal(size=n),
        }
    )


def fails(error, match, formula, source, **options):
    with pytest.raises(error, match=match) as caught:
        streamed_ols(formula, source, groups="doc", **options)
    assert "\n" not in str(caught.value)


LEVELS = [
    (["a"], TypeError, r"levels=\['a'\]: give the levels by column, as in levels="),
    ({"system": "ab"}, TypeError, r"levels\['system'\]='ab': give a list of levels"),
    ({"system": 3}, TypeError, r"levels\['system'\]=3: give a list of levels"),
    ({"system": ["a", "b", "a"]}, ValueError, r"levels\['system'\] names 'a' twice"),
]


@pytest.mark.parametrize(("levels", "error", "said"), LEVELS)
def test_levels_are_lists_by_column(levels, error, said):
    fails(error, said, "y ~ C(system)", iter([made()]), levels=levels)


def test_levels_of_any_sequence():
    for levels in (["b", "a"], ("b", "a"), np.array(["b", "a"]), pd.Series(["b", "a"])):
        fit = streamed_ols("y ~ system", [made()], groups="doc", levels={"system": levels}).fit()
        assert list(fit.params.index) == ["Intercept", "system[T.a]"]


def test_a_first_chunk_without_values_has_no_type():
    frame = made()
    said = "'x' has no value in the first chunk, which is taken for text, and number values in"
    fails(DataError, said, "y ~ x", iter([frame.assign(x=None), frame]))
    said = "'y' holds text in the first chunk, where it has no value"
    fails(ValueError, said, "y ~ x", iter([frame.assign(y=None), frame]))
    assert streamed_ols("y ~ x", [frame.assign(x=np.nan), frame], groups="doc").nobs == 40


def test_missing_ids_of_one_chunk():
    frame = made()
    one = frame.assign(doc=frame["doc"].where(frame.index != 3))
    said = "groups='doc': missing in 1 of the 40 rows of a chunk"
    fails(DataError, said, "y ~ x", iter([frame, one]))
    every = frame.assign(doc=np.nan)
    said = "groups='doc': missing in 40 of the 40 rows of a chunk"
    fails(DataError, said, "y ~ x", iter([frame, every]))
    said = r"groups='doc' changes its type between chunks \(double, int64\)"
    fails(DataError, said, "y ~ x", iter([frame, frame.assign(doc=frame["doc"] + 0.5)]))


def test_unsigned_ids_beside_signed_ones():
    frame = made()
    unsigned = frame["doc"].astype("uint64")
    large = frame.assign(doc=unsigned + np.uint64(2**63))
    said = "groups='doc' holds 9223372036854775817, an unsigned integer, in one chunk and signed"
    fails(DataError, said, "y ~ 1", iter([large, frame]))
    fit = streamed_ols("y ~ 1", iter([frame, frame.assign(doc=unsigned)]), groups="doc")
    assert fit.groups.n_groups == 10
    assert streamed_ols("y ~ 1", iter([large, large]), groups="doc").groups.n_groups == 10


def test_cells_that_are_records_or_of_several_kinds(tmp_path):
    pytest.importorskip("duckdb", reason="the extra 'duckdb' is not installed")
    path = tmp_path / "a.jsonl"
    path.write_text('{"doc":1,"y":{"a":1},"x":1}\n{"doc":2,"y":{"a":2},"x":2}\n')
    fails(TypeError, "formula: column 'y' holds lists or records", "y ~ 1", path)
    fails(TypeError, "formula: column 'y' holds lists or records", "x ~ y", path)
    path.write_text('{"doc":1,"y":1}\n{"doc":2,"y":"0.5"}\n')
    fails(ValueError, f"the outcome 'y' holds text in {path}", "y ~ 1", path)


@pytest.mark.parametrize("make", [lambda d: [d[:20], d[20:]], lambda d: [d]])
def test_stateful_terms_of_missing_values_say_what_memory_says(make):
    frame = made()
    frame.loc[3, "x"] = np.nan
    said = r"data: none of the 40 rows is complete \(1 rows? with missing x, 39 rows with undefined"
    for data in (frame, make(frame)):
        with pytest.raises(DataError, match=said):
            rs.ols("y ~ center(x)", data, groups="doc")


@pytest.mark.parametrize("term", ["np.where(x > 0, 1.0, 0.0)", "I(x > 0) + np.arctan2(y, 1)"])
def test_rows_whose_missing_value_is_compared_are_dropped_as_in_memory(term):
    frame = made()
    frame.loc[[3, 25], "x"] = np.nan
    frame["z"] = frame["y"] + frame["x"].fillna(0)
    whole = rs.ols(f"z ~ {term}", frame, groups="doc").fit()
    cut = [frame[:3], frame[3:4], frame[4:]]
    for source in (cut, iter([frame[:20], frame[20:]])):
        streamed = rs.ols(f"z ~ {term}", source, groups="doc")
        assert streamed._design.dropped == whole.model._design.dropped == {"missing x": 2}
        np.testing.assert_allclose(streamed.fit().params, whole.params, rtol=1e-9)
