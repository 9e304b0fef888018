"""Whatever the borders of batches: the numbers of the rows in memory (hypothesis)."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from engine_data import assert_same_fit, largest_difference
from hypothesis import given, settings
from hypothesis import strategies as st

import ragstats as rs
from ragstats.exceptions import DataError, RagstatsWarning
from ragstats.io import streams
from ragstats.io.streams_documents import document_sums
from ragstats.models.streamed import streamed_ols

FORMULAS = st.sampled_from(["y ~ 1", "y ~ 0 + system", "y ~ system * x", "y ~ system + np.log(x)"])


@st.composite
def cut_rows(draw):
    """Rows with missing values, and the borders that cut them; some batches are empty."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n_rows, n_documents = draw(st.integers(60, 200)), draw(st.integers(8, 20))
    rows = pd.DataFrame(
        {
            "doc": rng.integers(0, n_documents, n_rows),
            "system": rng.choice(["a", "b"], n_rows),
            "x": rng.gamma(2.0, 3.0, n_rows) + 0.01,
            "y": (rng.random(n_rows) < 0.5).astype(float),
        }
    )
    if draw(st.booleans()):
        rows = rows.sort_values("doc", ignore_index=True)
    for column in ("system", "x", "y"):
        gaps = draw(st.integers(0, 5))
        rows.loc[rng.choice(n_rows, gaps, replace=False), column] = np.nan
    borders = sorted(draw(st.lists(st.integers(0, n_rows), max_size=6)))
    parts = [rows[a:b] for a, b in zip([0, *borders], [*borders, n_rows], strict=True)]
    return rows, parts


def as_batches(parts, kind):
    """Return the parts as an iterator of frames or batches of a kind."""
    if kind == "polars":
        return (pl.from_pandas(part) for part in parts)
    if kind == "arrow":
        schema = pa.Schema.from_pandas(pd.concat(parts), preserve_index=False)
        tables = [pa.Table.from_pandas(p, schema, preserve_index=False) for p in parts]
        return iter([batch for table in tables for batch in table.to_batches()])
    return iter(parts)


@given(cut_rows(), FORMULAS, st.sampled_from(["pandas", "polars", "arrow"]), st.booleans())
@settings(deadline=None)
def test_documents_cut_by_borders_are_whole_again(cut, formula, kind, macro):
    rows, parts = cut
    options = {"groups": "doc", "estimand": "macro" if macro else "micro"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagstatsWarning)  # a document of its own, a tiny sample
        fitted = streamed_ols(formula, as_batches(parts, kind), **options).fit()
        expected = rs.ols(formula, rows, **options).fit()
    assert_same_fit(fitted, expected, 1e-8)


@given(cut_rows(), FORMULAS)
@settings(deadline=None)
def test_engines_and_batches_agree(cut, formula):
    rows, parts = cut
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagstatsWarning)
        lazy = streamed_ols(formula, pl.from_pandas(rows).lazy(), groups="doc").fit()
        batches = streamed_ols(formula, parts, groups="doc").fit()
    assert_same_fit(lazy, batches, 1e-8)


@given(cut_rows())
@settings(deadline=None)
def test_document_sums_do_not_depend_on_borders(cut):
    rows, parts = cut
    known = [part[part["system"].notna()] for part in parts]
    sums = document_sums(iter(known), doc="doc", score="y", by="system")
    expected = rs.documents(rows[rows["system"].notna()], doc="doc", score="y", by="system")
    pd.testing.assert_frame_equal(sums.frame, expected.frame, check_dtype=False)
    assert sums.unscored == expected.unscored


@given(cut_rows(), st.data())
@settings(deadline=None)
def test_a_level_that_comes_late_is_found_or_named(cut, data):
    """Levels need not be known before; where they are declared, another one is an error."""
    rows, parts = cut
    late = rows.tail(10).assign(system="late", x=1.0, y=[0.0, 1.0] * 5)
    whole = pd.concat([rows, late], ignore_index=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagstatsWarning)
        fitted = streamed_ols("y ~ system", iter([*parts, late]), groups="doc").fit()
        expected = rs.ols("y ~ system", whole, groups="doc").fit()
    assert list(fitted.params.index) == ["Intercept", "system[T.b]", "system[T.late]"]
    assert largest_difference(fitted.params, expected.params) < 1e-8
    assert largest_difference(fitted.bse, expected.bse) < 1e-8
    formula = data.draw(st.sampled_from(["y ~ system", "y ~ system + np.minimum(x, 5)"]))
    with pytest.raises(DataError, match="levels: 'system' has the level 'late'"):
        streamed_ols(formula, [*parts, late], groups="doc", levels={"system": ["a", "b"]})


def test_a_level_unseen_in_the_first_batch_of_an_iterator_is_named(rows):
    """Where patsy evaluates single batches, levels are those of the first one."""
    known = rows[rows["system"].isin(["a", "b"])]
    batches = iter([known[:500], rows])
    with pytest.raises(DataError, match=r"chunk 2: .*'c' does not match .* give levels="):
        streamed_ols("y ~ system + np.minimum(x, 5)", batches, groups="doc")


def test_pending_sums_are_merged_as_they_come(rows, monkeypatch):
    monkeypatch.setattr(streams, "PENDING", 50)
    parts = [rows[i : i + 70] for i in range(0, len(rows), 70)]
    fitted = streamed_ols("y ~ system * x", iter(parts), groups="doc").fit()
    assert_same_fit(fitted, rs.ols("y ~ system * x", rows, groups="doc").fit())


@pytest.mark.parametrize("ordered", [True, False])
def test_categories_of_pandas_keep_their_order(rows, ordered):
    ordered = pd.CategoricalDtype(["c", "b", "a"], ordered=ordered)
    frame = rows.assign(system=rows["system"].astype(ordered), doc=rows["doc"].astype("category"))
    fitted = streamed_ols("y ~ system", iter([frame[:900], frame[900:]]), groups="doc").fit()
    assert_same_fit(fitted, rs.ols("y ~ system", frame, groups="doc").fit())


def test_categories_that_differ_between_chunks(rows):
    first, second = rows[rows["system"].isin(["b", "c"])], rows[rows["system"] == "a"]
    parts = [part.astype({"system": "category", "doc": "category"}) for part in (first, second)]
    fitted = streamed_ols("y ~ system", iter(parts), groups="doc").fit()
    assert list(fitted.params.index) == ["Intercept", "system[T.c]", "system[T.a]"]
    kept = pd.Categorical(pd.concat([first, second])["system"], ["b", "c", "a"])
    expected = pd.concat([first, second]).assign(system=kept)
    assert_same_fit(fitted, rs.ols("y ~ system", expected, groups="doc").fit())


def test_polars_enums_keep_their_order(rows):
    levels = ["c", "b", "a"]
    frame = pl.from_pandas(rows).with_columns(pl.col("system").cast(pl.Enum(levels)))
    fitted = streamed_ols("y ~ system", frame.lazy(), groups="doc").fit()
    ordered = rows.assign(system=pd.Categorical(rows["system"], levels))
    assert_same_fit(fitted, rs.ols("y ~ system", ordered, groups="doc").fit())
