"""A real PostgreSQL server, through Ibis."""

import pytest
from engine_data import FORMULAS, assert_same_fit

import ragstats as rs
from ragstats.exceptions import DataError
from ragstats.io.query import Query
from ragstats.io.streams_documents import document_sums
from ragstats.models.streamed import streamed_ols


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("estimand", ["micro", "macro"])
def test_the_fit_is_that_of_the_rows_in_memory(backend, rows, formula, estimand):
    fitted = streamed_ols(formula, backend.table("scores"), groups="doc", estimand=estimand).fit()
    assert_same_fit(fitted, rs.ols(formula, rows, groups="doc", estimand=estimand).fit())
    assert fitted.computed_by.in_engine
    assert fitted.computed_by.engine.startswith("postgres through Ibis")


def test_a_filtered_table_is_a_source(backend, rows):
    table = backend.table("scores")
    fitted = streamed_ols("y ~ x", table.filter(table["system"] == "a"), groups="doc").fit()
    assert_same_fit(fitted, rs.ols("y ~ x", rows[rows["system"] == "a"], groups="doc").fit())


def test_terms_of_patsy_are_fitted_on_batches(backend, rows):
    formula = "y ~ center(z) + system"
    fitted = streamed_ols(formula, backend.table("scores"), groups="doc").fit()
    assert_same_fit(fitted, rs.ols(formula, rows, groups="doc").fit())
    assert not fitted.computed_by.in_engine


def test_documents_are_those_of_the_rows_in_memory(backend, rows):
    known = rows[rows["system"].notna()]
    table = backend.table("scores")
    table = table.filter(table["system"].notnull())
    sums = document_sums(table, doc="doc", score="y", by="system")
    expected = rs.documents(known, doc="doc", score="y", by="system")
    assert sums.unscored == expected.unscored
    assert sums.frame["n"].tolist() == expected.frame["n"].tolist()
    assert sums.frame["s"].to_numpy() == pytest.approx(expected.frame["s"].to_numpy(), rel=1e-12)


def test_the_logarithm_of_zero_is_counted_not_raised_by_the_server(backend):
    with pytest.raises(DataError, match=r"data: \d+ infinite values in 'np.log\(hit\)'"):
        streamed_ols("y ~ np.log(hit)", backend.table("scores"), groups="doc")


def test_a_server_error_is_one_line(backend):
    # Ibis asks the server for the columns of a query before anything else.
    with pytest.raises(DataError, match=r"^data: .*no_such_table") as error:
        streamed_ols("y ~ x", Query("SELECT * FROM no_such_table", backend), groups="doc")
    assert "\n" not in str(error.value)
