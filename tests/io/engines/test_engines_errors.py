"""What streams say when something is wrong: one line, with the column, the file or the count."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ragstats.exceptions import DataError
from ragstats.extras import MissingExtraError
from ragstats.io.files import Files
from ragstats.io.query import Query
from ragstats.io.sources import is_streamed, open_source
from ragstats.io.streams_documents import document_sums
from ragstats.models.streamed import refuse_streamed, streamed_ols

duckdb = pytest.importorskip("duckdb", reason="the extra 'duckdb' is not installed")


def fails(error, match, formula, source, groups="doc", **options):
    with pytest.raises(error, match=match) as caught:
        streamed_ols(formula, source, groups=groups, **options)
    assert "\n" not in str(caught.value)


def counted(number):
    """A pattern for a count, with or without commas between its thousands."""
    return f"{number:,}".replace(",", ",?")


BOTH = [lambda rows: pl.from_pandas(rows).lazy(), lambda rows: iter([rows[:50], rows[50:]])]


@pytest.mark.parametrize("make", BOTH)
def test_infinite_values_are_counted(rows, make):
    bad = rows.assign(x=rows["x"].where((rows.index < 60) | (rows.index % 500 != 3), np.inf))
    count = int(np.isinf(bad.loc[bad[["y", "system"]].notna().all(axis=1), "x"]).sum())
    fails(DataError, f"data: {count} infinite values in 'x'", "y ~ x + system", make(bad))
    with pytest.raises(DataError, match=rf"{count} infinite values in 'x' \(chunk 2\)"):
        streamed_ols("y ~ x + system", iter([bad[:50], bad[50:]]), groups="doc")
    fails(DataError, r"infinite values in 'np.log\(hit\)'", "y ~ np.log(hit)", make(rows))
    fails(DataError, r"infinite values in 'I\(x / hit\)'", "y ~ I(x / hit)", make(rows))
    fails(DataError, r"infinite values in 'np.exp\(z\)'", "y ~ np.exp(z)", make(rows))
    bad = rows.assign(y=rows["y"].where(rows.index != 77, -np.inf))
    fails(DataError, "1 infinite values in 'y'", "y ~ 1", make(bad))
    fails(DataError, r"infinite values in 'np.minimum\(x, z\)'", "y ~ np.minimum(x, z)",
          make(rows.assign(x=-np.inf)))  # fmt: skip


@pytest.mark.parametrize("make", BOTH)
def test_missing_document_ids_are_counted_among_complete_rows(rows, make):
    complete = rows.dropna()
    bad = complete.assign(doc=complete["doc"].where(np.arange(len(complete)) % 100 != 5))
    n = int(bad["doc"].isna().sum())
    message = f"groups: {n} missing document ids in {counted(len(bad))} rows"
    fails(DataError, message, "y ~ x", make(bad))
    lost = bad.assign(y=bad["y"].where(bad["doc"].notna()))
    assert streamed_ols("y ~ x", make(lost), groups="doc").nobs == len(bad) - n


@pytest.mark.parametrize("make", BOTH)
def test_missing_cells_of_macro_are_counted(rows, make):
    n = int((rows["system"].isna() & rows[["x", "y"]].notna().all(axis=1)).sum())
    options = {"estimand": "macro", "by": "system"}
    fails(DataError, rf"by: {n} missing values in [\d,]+ rows", "y ~ x", make(rows), **options)


@pytest.mark.parametrize("make", BOTH)
def test_rows_that_are_not_there(rows, make):
    fails(DataError, "data has no rows", "y ~ x", make(rows[:0]))
    gone = rows.assign(x=np.nan)
    fails(
        DataError,
        r"none of the 2,?000 rows is complete \(.* rows with missing x",
        "y ~ x",
        make(gone),
    )
    one = rows.assign(doc="d1")
    fails(DataError, "groups: 1 document, at least 2 needed", "y ~ x", make(one))
    fails(
        DataError,
        r"\d+ rows with missing x, .* under missing='raise'",
        "y ~ x",
        make(rows),
        missing="raise",
    )


def test_columns_and_options_are_checked(rows):
    lazy = pl.from_pandas(rows).lazy()
    fails(ValueError, r"groups='docs' is not a column .*mean 'doc'", "y ~ x", lazy, groups="docs")
    fails(ValueError, "by='sys' is not a column", "y ~ x", lazy, estimand="macro", by="sys")
    fails(
        ValueError,
        "levels='sistem' is not a column .*mean 'system'",
        "y ~ x",
        lazy,
        levels={"sistem": []},
    )
    fails(ValueError, "groups is a Series: name a column", "y ~ x", lazy, groups=rows["doc"])
    fails(
        ValueError, "by is a ndarray: name a column", "y ~ x", lazy, estimand="macro", by=np.ones(3)
    )
    fails(ValueError, "by= and unit= belong to estimand='macro'", "y ~ x", lazy, by="system")
    fails(ValueError, "estimand='mikro' is unknown", "y ~ x", lazy, estimand="mikro")
    fails(ValueError, "absorb= needs the rows in memory", "y ~ x", lazy, absorb="system")
    fails(ValueError, "subset= needs the rows in memory", "y ~ x", lazy, subset=[1])
    fails(ValueError, "missing='ignore' is unknown", "y ~ x", lazy, missing="ignore")


def test_formulas_are_checked(rows):
    lazy = pl.from_pandas(rows).lazy()
    fails(ValueError, "name 'length' is not defined.*columns: doc", "y ~ length", lazy)
    fails(ValueError, "the left side, the outcome, is missing", "~ x", lazy)
    fails(ValueError, "the left side must be one column of numbers", "y + x ~ z", lazy)
    fails(ValueError, "the outcome 'system' holds text; it must be one column", "system ~ x", lazy)
    fails(ValueError, "formula='y ~ x \\+': ", "y ~ x +", lazy)
    fails(ValueError, "the left side .* has 2 columns", "np.vstack([x, z]).T ~ y", lazy)
    fails(
        DataError,
        "levels: .*'c', which is none of 'a', 'b'",
        "y ~ C(system, levels=['a', 'b'])",
        lazy,
    )


def test_an_iterator_gives_no_earlier_pass(rows):
    batches = iter([rows[:100], rows[100:]])
    fails(
        ValueError, r"bs\(z, df=4\) needs all rows before .* read once", "y ~ bs(z, df=4)", batches
    )
    with open_source(iter([rows])) as source:
        assert len(list(source.frames())) == 1
        with pytest.raises(ValueError, match="an iterator was read to its end"):
            list(source.frames())


def test_chunks_must_agree(rows):
    text = rows.assign(x=rows["x"].astype(str))
    fails(
        DataError,
        "'x' holds number values in the first chunk and text values in chunk 2",
        "y ~ x",
        [rows, text],
    )
    fails(DataError, "chunk 2 has no column 'x'", "y ~ x", [rows, rows.drop(columns="x")])
    numbered = rows.assign(doc=rows["doc"].str[1:].astype(int))
    fails(DataError, "groups='doc' changes its type between chunks", "y ~ x", [rows, numbered])
    empty = rows.assign(x=pd.Series([None] * len(rows), dtype=object))
    assert (
        streamed_ols("y ~ x", [rows, empty], groups="doc").nobs
        == rows[["x", "y"]].dropna().shape[0]
    )


def test_what_is_no_source_is_said(rows):
    fails(TypeError, "formula is a DataFrame; give a string", rows, "y ~ x")
    fails(TypeError, "data is a int; give a frame", "y ~ x", 7)
    fails(TypeError, "data: chunk 1 is a int; give pandas", "y ~ x", [1, 2])
    assert is_streamed("a.parquet")
    assert is_streamed([rows])
    assert is_streamed(pl.from_pandas(rows).lazy())
    assert is_streamed(Files("a.csv"))
    assert not is_streamed(7)
    assert not is_streamed(np.ones(3))
    assert not is_streamed(rows)
    assert not is_streamed(pl.from_pandas(rows))
    with pytest.raises(
        ValueError, match=r"rs\.wls needs its rows in memory, and data is a LazyFrame"
    ):
        refuse_streamed("rs.wls", pl.from_pandas(rows).lazy())
    refuse_streamed("rs.wls", rows)


def test_files_that_are_not_there_or_of_another_kind(tmp_path, rows):
    fails(DataError, "matches no file", "y ~ x", str(tmp_path / "*.parquet"))
    fails(DataError, "holds no Parquet file", "y ~ x", tmp_path)
    (tmp_path / "a.txt").write_text("x")
    fails(DataError, r"the suffix '.txt' is none of .parquet", "y ~ x", tmp_path / "a.txt")
    rows.to_csv(tmp_path / "a.csv", index=False)
    rows.to_parquet(tmp_path / "b.parquet", index=False)
    both = [tmp_path / "a.csv", tmp_path / "b.parquet"]
    fails(DataError, r"2 formats, a.csv \(csv\) and b.parquet \(parquet\)", "y ~ x", both)
    fails(DataError, "Files: .*Memory", "y ~ x", Files(tmp_path / "a.csv", memory_limit="lots"))


def spoil(path, how):
    """Break a file in one of the ways in which files break."""
    content = path.read_bytes()
    if how == "half written":
        path.write_bytes(content[: len(content) // 2])
    elif how == "overwritten":
        path.write_bytes(content[:200] + b"\0" * 4000 + content[4200:])
    else:
        path.write_bytes(b"")


@pytest.mark.parametrize("how", ["half written", "overwritten", "empty"])
@pytest.mark.parametrize("engine", ["DuckDB", "PyArrow"])
def test_a_broken_parquet_file_is_named(rows, tmp_path, how, engine, monkeypatch):
    if engine == "PyArrow":
        from ragstats.io import files

        monkeypatch.setattr(files.importlib.util, "find_spec", lambda name: None)
    for i in range(3):
        rows.to_parquet(tmp_path / f"p{i}.parquet", index=False)
    spoil(tmp_path / "p1.parquet", how)
    where = str(tmp_path / "*.parquet")
    fails(DataError, rf"{tmp_path}/p1.parquet: {engine}.* could not read it: ", "y ~ x", where)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_broken_text_file_is_named(rows, tmp_path, suffix):
    for i in range(3):
        if suffix == "csv":
            rows.to_csv(tmp_path / f"p{i}.csv", index=False)
        else:
            rows.to_json(tmp_path / f"p{i}.jsonl", orient="records", lines=True)
    broken = tmp_path / f"p1.{suffix}"
    spoiled = broken.read_text().replace("1", '"' if suffix == "jsonl" else "oops", 400)
    broken.write_text(spoiled)
    pattern = str(tmp_path / f"*.{suffix}")
    fails((DataError, ValueError), rf"{broken}", "y ~ x", pattern)


def test_a_query_without_duckdb_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    said = r'rs.Query without connection= needs duckdb.*: pip install "ragstats\[duckdb\]"$'
    with pytest.raises(MissingExtraError, match=said):
        Query("SELECT 1").frame()


def test_a_query_that_fails_is_one_line():
    fails(DataError, "^data: .*no_such_table", "y ~ x", Query("SELECT * FROM no_such_table"))


@pytest.mark.parametrize("make", BOTH)
def test_documents_say_what_the_in_memory_function_says(rows, make):
    known = rows[rows["system"].notna()]

    def refused(error, match, frame, **options):
        given = {"doc": "doc", "score": "y"} | options
        with pytest.raises(error, match=match):
            document_sums(make(frame), **given)

    refused(ValueError, "score='yy' is not a column", known, score="yy")
    refused(ValueError, "keep='band' is not a column", known, keep=["band"])
    refused(TypeError, "score: column 'system' .* does not hold numbers", known, score="system")
    refused(DataError, r"by='system': \d+ missing ids in 2,?000 rows", rows, by="system")
    refused(DataError, "none of the 2,?000 rows has a score", rows.assign(y=np.nan))
    refused(DataError, "infinite values in 'y'", rows.assign(y=np.inf))
    refused(ValueError, "keep='system' varies within .* documents", known, keep="system")
    refused(DataError, r"score='y': \d+ rows have no score", rows, missing="raise")
    refused(DataError, "data has no rows", rows[:0])
