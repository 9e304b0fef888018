"""The same formula on every local engine: the numbers of the rows in memory."""

import io
import pickle

import numpy as np
import pandas as pd
import patsy
import polars as pl
import pyarrow as pa
import pytest
from engine_data import FORMULAS, PATSY_FORMULAS, assert_same_fit, largest_difference

import ragstats as rs
from ragstats.io.files import Files
from ragstats.io.query import Query
from ragstats.models.streamed import streamed_ols

duckdb = pytest.importorskip("duckdb", reason="the extra 'duckdb' is not installed")


def as_duckdb(rows, folder):
    return duckdb.connect().read_parquet(str(folder / "*.parquet"))


def as_ibis(rows, folder):
    ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
    return ibis.memtable(pa.Table.from_pandas(rows, preserve_index=False))


def as_query(rows, folder):
    return Query(f"SELECT * FROM '{folder}/*.parquet'", duckdb.connect())


SOURCES = {
    "DuckDB relation": as_duckdb,
    "DuckDB query": as_query,
    "glob": lambda rows, folder: str(folder / "*.parquet"),
    "folder": lambda rows, folder: folder,
    "Polars lazy": lambda rows, folder: pl.scan_parquet(folder / "*.parquet"),
    "Ibis": as_ibis,
    "iterator": lambda rows, folder: iter([rows[:100], rows[100:100], rows[100:1500], rows[1500:]]),
    "list of polars frames": lambda rows, folder: [pl.from_pandas(rows[:900]), pl.from_pandas(rows[900:])],
    "Arrow batches": lambda rows, folder: pa.Table.from_pandas(rows, preserve_index=False).to_reader(300),
    "frame": lambda rows, folder: rows,
}  # fmt: skip
IN_ENGINE = ("DuckDB", "glob", "folder", "Polars", "Ibis")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("formula", FORMULAS)
def test_micro_is_that_of_the_rows_in_memory(rows, parquet, formula, source):
    fitted = streamed_ols(formula, SOURCES[source](rows, parquet), groups="doc").fit()
    assert_same_fit(fitted, rs.ols(formula, rows, groups="doc").fit())
    assert fitted.computed_by.in_engine == source.startswith(IN_ENGINE)


@pytest.mark.parametrize("source", ["glob", "Polars lazy", "iterator"])
@pytest.mark.parametrize("by", [None, "system"])
@pytest.mark.parametrize("formula", FORMULAS)
def test_macro_weighs_last_what_was_summed(rows, parquet, formula, by, source):
    known = rows[rows["system"].notna()] if by else rows
    given = SOURCES[source](rows, parquet)
    if by and "system" not in formula:
        given = known  # a missing system has no cell to count in
    fitted = streamed_ols(formula, given, groups="doc", estimand="macro", by=by).fit()
    expected = rs.ols(formula, known, groups="doc", estimand="macro", by=by).fit()
    for name in ("params", "bse", "df_inference"):
        assert largest_difference(getattr(fitted, name), getattr(expected, name)) < 1e-9
    assert abs(fitted.llf / expected.llf - 1) < 1e-9
    assert fitted.estimand == "macro"


def test_units_within_coarser_groups(rows):
    rows = rows.assign(package=rows["doc"].str[:3])
    options = {"groups": "package", "estimand": "macro", "by": "system", "unit": "doc"}
    known = rows[rows["system"].notna()]
    fitted = streamed_ols("y ~ system * x", [known], **options).fit()
    assert_same_fit(fitted, rs.ols("y ~ system * x", known, **options).fit())


@pytest.mark.parametrize("source", ["glob", "Polars lazy", "Ibis", "list of polars frames"])
@pytest.mark.parametrize("formula", PATSY_FORMULAS)
def test_what_only_patsy_can_say_runs_on_batches(rows, parquet, formula, source):
    fitted = streamed_ols(formula, SOURCES[source](rows, parquet), groups="doc").fit()
    assert_same_fit(fitted, rs.ols(formula, rows, groups="doc").fit())
    assert not fitted.computed_by.in_engine
    assert "patsy evaluates" in str(fitted.computed_by)


def test_an_iterator_gives_terms_without_a_state(rows):
    batches = iter([rows[:500], rows[500:]])
    fitted = streamed_ols("y ~ np.minimum(x, 5) + system", batches, groups="doc").fit()
    assert_same_fit(fitted, rs.ols("y ~ np.minimum(x, 5) + system", rows, groups="doc").fit())
    assert fitted.computed_by.passes == 1


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR1S", "CR2", "CR3"])
@pytest.mark.parametrize("df", ["satterthwaite", "IK", "K-1", "normal"])
def test_every_covariance_and_df(rows, parquet, cov_type, df):
    fitted = streamed_ols("y ~ system * x", parquet, groups="doc").fit(cov_type=cov_type, df=df)
    expected = rs.ols("y ~ system * x", rows, groups="doc").fit(cov_type=cov_type, df=df)
    assert_same_fit(fitted, expected)


def test_numbers_and_functions_of_the_caller(rows, parquet):
    half = 0.5  # noqa: F841

    def clipped(x):
        return np.clip(x, 1, 4)

    env = patsy.EvalEnvironment.capture()
    for formula, inside in (("y ~ np.log(x + half)", True), ("y ~ clipped(x)", False)):
        fitted = streamed_ols(formula, parquet, groups="doc", env=env).fit()
        assert_same_fit(fitted, rs.ols(formula, rows, groups="doc").fit())
        assert fitted.computed_by.in_engine == inside


def test_quoted_names_integers_as_factors_and_boolean_outcomes(rows):
    frame = rows.rename(columns={"x": "chunk words"}).assign(right=rows["hit"].astype(bool))
    relation = pl.from_pandas(frame).lazy()
    fitted = streamed_ols("right ~ Q('chunk words') + C(level)", relation, groups="doc").fit()
    expected = rs.ols("hit ~ Q('chunk words') + C(level)", frame, groups="doc").fit()
    assert list(fitted.params.index) == list(expected.params.index)
    assert fitted.bse.to_numpy() == pytest.approx(expected.bse.to_numpy(), rel=1e-9)


def test_declared_levels_fix_the_order(rows, parquet):
    levels = {"system": ["c", "a", "b"]}
    fitted = streamed_ols("y ~ system", parquet, groups="doc", levels=levels).fit()
    assert list(fitted.params.index) == ["Intercept", "system[T.a]", "system[T.b]"]
    ordered = rows.assign(system=pd.Categorical(rows["system"], levels["system"]))
    assert_same_fit(fitted, rs.ols("y ~ system", ordered, groups="doc").fit())


def test_results_do_everything_but_residuals(rows, parquet):
    fitted = streamed_ols("y ~ system * x", parquet, groups="doc").fit()
    expected = rs.ols("y ~ system * x", rows, groups="doc").fit()
    new = pd.DataFrame({"system": ["a", "c"], "x": [1.0, 2.0]})
    pd.testing.assert_frame_equal(
        fitted.get_prediction(new).summary_frame(), expected.get_prediction(new).summary_frame()
    )
    tested, wanted = fitted.wald_test_terms().table, expected.wald_test_terms().table
    assert tested.to_numpy() == pytest.approx(wanted.to_numpy(), rel=1e-7)
    pairs = fitted.t_test_pairwise("system").result_frame
    assert list(pairs.index) == ["b-a", "c-a", "c-b"]
    assert fitted.f_pvalue == pytest.approx(expected.f_pvalue, rel=1e-7)
    assert "Rows dropped" in str(fitted.summary())
    for name in ("resid", "fittedvalues"):
        with pytest.raises(ValueError, match=f"{name} needs the rows"):
            getattr(fitted, name)


def test_results_are_stored_with_the_way_they_were_computed(rows, parquet):
    fitted = streamed_ols("y ~ system", parquet, groups="doc").fit()
    file = io.BytesIO()
    fitted.save(file)
    file.seek(0)
    loaded = rs.load(file)
    assert str(loaded.computed_by) == str(fitted.computed_by)
    assert (loaded.pvalues == fitted.pvalues).all()
    copied = pickle.loads(pickle.dumps(fitted))
    assert (copied.df_inference == fitted.df_inference).all()


def test_the_way_is_told(rows, parquet):
    model = streamed_ols("hit ~ 1", Files(parquet, threads=1, memory_limit="200MB"), groups="doc")
    text = f"DuckDB {duckdb.__version__}, sums inside the engine, 1 pass"
    assert str(model.computed_by) == str(model.fit().computed_by) == text
    with_gaps = streamed_ols("y ~ x", parquet, groups="doc")
    assert with_gaps.computed_by.passes == 2  # the second counts why rows were dropped


def test_csv_and_json_lines(rows, tmp_path):
    for i, part in enumerate((rows[:800], rows[800:])):
        part.to_csv(tmp_path / f"p{i}.csv", index=False)
        part.to_json(tmp_path / f"p{i}.jsonl", orient="records", lines=True)
        part.to_csv(tmp_path / f"p{i}.tsv.gz", index=False, sep="\t")
    read = pd.concat([pd.read_csv(tmp_path / f"p{i}.csv") for i in range(2)])
    expected = rs.ols("y ~ system + x + flag", read, groups="doc").fit()
    for pattern in ("*.csv", "*.jsonl", "*.tsv.gz"):
        fitted = streamed_ols("y ~ system + x + flag", str(tmp_path / pattern), groups="doc").fit()
        assert_same_fit(fitted, expected, 1e-9)
    several = [tmp_path / "p0.csv", str(tmp_path / "p1.csv")]
    assert_same_fit(streamed_ols("y ~ system + x + flag", several, groups="doc").fit(), expected)


def test_without_duckdb_files_are_read_by_pyarrow(rows, parquet, monkeypatch):
    from ragstats.io import files

    monkeypatch.setattr(files.importlib.util, "find_spec", lambda name: None)
    fitted = streamed_ols("y ~ system", str(parquet / "*.parquet"), groups="doc").fit()
    assert_same_fit(fitted, rs.ols("y ~ system", rows, groups="doc").fit())
    assert str(fitted.computed_by).startswith("PyArrow (duckdb is not installed), sums of record")
