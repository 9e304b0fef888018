"""The real PySpark, local mode, in a CI step of its own."""

import pytest
from engine_data import FORMULAS, assert_same_fit

import ragstats as rs
from ragstats.exceptions import DataError
from ragstats.io.streams_documents import document_sums
from ragstats.models.streamed import streamed_ols

# PySpark 4.0 leaves its sockets to the garbage collector, and calls pandas as pandas 3.0 would have it.
pytestmark = [
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <socket.socket:pytest.PytestUnraisableExceptionWarning"
    ),
    pytest.mark.filterwarnings("ignore:The inplace keyword in:DeprecationWarning"),
]


@pytest.fixture(scope="module")
def frame(spark, parquet):
    return spark.read.parquet(str(parquet))


@pytest.mark.parametrize("formula", FORMULAS)
def test_the_fit_is_that_of_the_rows_in_memory(frame, rows, formula):
    fitted = streamed_ols(formula, frame, groups="doc").fit()
    assert_same_fit(fitted, rs.ols(formula, rows, groups="doc").fit())
    assert fitted.computed_by.in_engine
    assert fitted.computed_by.engine.startswith("PySpark 4")


def test_macro_by_system(frame, rows):
    options = {"groups": "doc", "estimand": "macro", "by": "system"}
    fitted = streamed_ols("y ~ system * x", frame, **options).fit()
    expected = rs.ols("y ~ system * x", rows[rows["system"].notna()], **options).fit()
    assert fitted.bse.to_numpy() == pytest.approx(expected.bse.to_numpy(), rel=1e-9)
    assert fitted.df_inference.to_numpy() == pytest.approx(
        expected.df_inference.to_numpy(), rel=1e-9
    )


def test_terms_of_patsy_are_fitted_on_batches(frame, rows):
    fitted = streamed_ols("y ~ center(z) + system", frame, groups="doc").fit()
    assert_same_fit(fitted, rs.ols("y ~ center(z) + system", rows, groups="doc").fit())


def test_documents(frame, rows):
    sums = document_sums(frame, doc="doc", score="hit")
    expected = rs.documents(rows, doc="doc", score="hit")
    assert sums.frame[["n", "s", "ss"]].to_numpy().tolist() == (
        expected.frame[["n", "s", "ss"]].to_numpy().tolist()
    )


def test_the_logarithm_of_zero_is_counted(frame):
    with pytest.raises(DataError, match=r"infinite values in 'np.log\(hit\)'"):
        streamed_ols("y ~ np.log(hit)", frame, groups="doc")
