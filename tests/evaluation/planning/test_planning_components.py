"""Variance components: classical for balanced data, unbiased by algebra for unbalanced data."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ragstats as rs
from ragstats.evaluation.diagnostics import intraclass_correlation
from ragstats.evaluation.planning import variance_components
from ragstats.exceptions import DataError

COLUMNS = {"score": "y", "doc": "doc", "query": "query", "repetition": "run"}


def nested(shape, seed=0, sds=(1.0, 0.7, 0.5)):
    """Rows of documents with queries with judgements: `shape` lists judgements by query by doc."""
    rng = np.random.default_rng(seed)
    rows = []
    for d, queries in enumerate(shape):
        a = rng.normal(0, sds[0])
        for q, judgements in enumerate(queries):
            b = rng.normal(0, sds[1])
            rows += [(d, q, r, 5 + a + b + rng.normal(0, sds[2])) for r in range(judgements)]
    return pd.DataFrame(rows, columns=["doc", "query", "run", "y"])


def test_balanced_data_give_the_classical_analysis_of_variance():
    documents, m, r = 12, 5, 3
    data = nested([[r] * m] * documents, seed=1)
    y = data["y"].to_numpy().reshape(documents, m, r)
    query, document = y.mean(axis=2), y.mean(axis=(1, 2))
    ms_e = ((y - query[:, :, None]) ** 2).sum() / (documents * m * (r - 1))
    ms_b = r * ((query - document[:, None]) ** 2).sum() / (documents * (m - 1))
    ms_a = m * r * ((document - y.mean()) ** 2).sum() / (documents - 1)
    found = variance_components(data, **COLUMNS)
    assert found.repetition == pytest.approx(ms_e, rel=1e-12)
    assert found.query == pytest.approx((ms_b - ms_e) / r, rel=1e-12)
    assert found.document == pytest.approx((ms_a - ms_b) / (m * r), rel=1e-12)
    assert found.df == {"document": 11, "query": 48, "repetition": 120}
    mean_squares = [found.mean_squares[level] for level in ("document", "query", "repetition")]
    np.testing.assert_allclose(mean_squares, [ms_a, ms_b, ms_e], rtol=1e-12)


shapes = st.lists(st.lists(st.integers(1, 2), min_size=1, max_size=3), min_size=2, max_size=4)


@settings(max_examples=10)  # each polarises a quadratic form, which takes N² fits
@given(shape=shapes.filter(lambda s: any(len(q) > 1 for q in s) and max(map(max, s)) > 1))
def test_unbalanced_estimates_are_unbiased_by_algebra(shape):
    """The estimates are quadratic forms y'Ay; E y'Ay = tr(A V), so tr(A ZZ') must be 0 or 1.

    A is found by polarisation: the estimate of e_i + e_j gives the cross terms.
    """
    data = nested(shape)
    size = len(data)

    def estimates(y):
        found = variance_components(data.assign(y=y), **COLUMNS)
        return np.array([found.document, found.query, found.repetition])

    unit = np.eye(size)
    single = np.array([estimates(unit[i]) for i in range(size)])
    form = np.zeros((3, size, size))
    for i in range(size):
        for j in range(i, size):
            both = (
                single[i] if i == j else (estimates(unit[i] + unit[j]) - single[i] - single[j]) / 2
            )
            form[:, i, j] = form[:, j, i] = both
    doc = data["doc"].to_numpy()
    query = pd.factorize(pd.MultiIndex.from_frame(data[["doc", "query"]]))[0]
    alike = [doc[:, None] == doc, query[:, None] == query, unit.astype(bool)]
    traces = np.array([[(a * same).sum() for same in alike] for a in form])
    np.testing.assert_allclose(traces, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(form.sum(axis=(1, 2)), 0, atol=1e-9)  # the mean does not matter


def test_without_repetitions_it_is_the_intraclass_correlation():
    scores = rs.datasets.load_retrieval(systems="bm25")
    found = variance_components(scores, score="rr", doc="doc_id", query="query_id")
    icc, _ = intraclass_correlation(rs.documents(scores, doc="doc_id", score="rr"))
    assert found.document / (found.document + found.query) == pytest.approx(icc, rel=1e-10)
    assert found.shares["document"] == pytest.approx(icc, rel=1e-10)
    assert np.isnan(found.repetition)
    assert "inside the query component" in found.reasons["repetition"]


def test_one_query_per_document_cannot_be_told_from_the_document():
    found = variance_components(nested([[3]] * 10), **COLUMNS)
    assert np.isnan(found.query)
    assert "inside the document component" in found.reasons["query"]
    assert found.document > 0
    bare = variance_components(nested([[1]] * 10), **COLUMNS)
    assert np.isnan([bare.query, bare.repetition]).all()
    assert bare.document == pytest.approx(nested([[1]] * 10)["y"].var(ddof=1), rel=1e-12)
    assert "inside the document component" in bare.reasons["repetition"]


def test_one_document_tells_what_is_inside_it():
    found = variance_components(nested([[2, 2, 3, 1]]), **COLUMNS)
    assert np.isnan(found.document)
    assert "one document" in found.reasons["document"]
    assert np.isfinite([found.query, found.repetition]).all()
    single = variance_components(nested([[1]]), **COLUMNS)
    assert np.isnan(list(single.estimates.values())).all()


def test_negative_estimates_stay_and_are_used_as_zero():
    y = np.array([0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0])  # equal means, all the spread inside
    data = pd.DataFrame({"doc": np.repeat(range(4), 2), "query": [0, 1] * 4, "y": y})
    found = variance_components(data, score="y", doc="doc", query="query")
    assert found.document == pytest.approx(-0.25, rel=1e-12)
    assert found.used["document"] == 0
    assert any("below 0" in said and "plans use 0" in said for said in found.warnings)
    assert found.to_dict()["estimates"]["document"] == pytest.approx(-0.25)


def test_simulated_components_are_recovered():
    """Means over 60 simulated data sets, within 4 Monte Carlo standard errors."""
    rng = np.random.default_rng(2)
    found = []
    for seed in range(60):
        shape = [rng.integers(1, 4, rng.integers(1, 8)).tolist() for _ in range(40)]
        v = variance_components(nested(shape, seed=seed), **COLUMNS)
        found.append([v.document, v.query, v.repetition])
    error = np.std(found, axis=0) / np.sqrt(60)
    assert (np.abs(np.mean(found, axis=0) - [1.0, 0.49, 0.25]) < 4 * error).all()


def test_scores_that_do_not_vary_have_components_of_zero():
    data = nested([[2, 2]] * 5).assign(y=0.1)
    found = variance_components(data, **COLUMNS)
    assert list(found.estimates.values()) == [0, 0, 0]
    assert np.isnan(found.shares["document"])


def test_shift_scale_order_and_labels_change_nothing_else():
    data = nested([[1, 2], [3, 1, 1], [2], [1, 1, 2]], seed=4)
    base = np.array(list(variance_components(data, **COLUMNS).estimates.values()))
    moved = data.assign(y=1e4 + 3 * data["y"], doc="d" + data["doc"].astype(str))
    moved = moved.sample(frac=1, random_state=3)
    other = np.array(list(variance_components(moved, **COLUMNS).estimates.values()))
    np.testing.assert_allclose(other, 9 * base, rtol=1e-8)  # 1e4 costs four digits


def test_rows_without_a_score_are_counted():
    data = nested([[2, 2]] * 5)
    data.loc[[0, 3], "y"] = np.nan
    found = variance_components(data, **COLUMNS)
    assert (found.dropped, found.n_rows) == (2, 18)
    with pytest.raises(DataError, match="2 rows have no score"):
        variance_components(data, missing="raise", **COLUMNS)


def test_few_degrees_of_freedom_are_said():
    found = variance_components(nested([[2, 1]] * 4), **COLUMNS)
    assert any("few degrees of freedom for document (3)" in said for said in found.warnings)


def test_wrong_data_get_one_line():
    data = nested([[2, 2]] * 5)
    with pytest.raises(ValueError, match=r"query='quer' is not a column .*did you mean 'query'"):
        variance_components(data, score="y", doc="doc", query="quer")
    with pytest.raises(DataError, match=r"rows repeat a query of the same document.*repetition="):
        variance_components(data, score="y", doc="doc", query="query")
    with pytest.raises(DataError, match="rows repeat a judgement of a query"):
        variance_components(data.assign(run=0), **COLUMNS)
    with pytest.raises(DataError, match="1 missing id in"):
        variance_components(data.assign(doc=data["doc"].where(data.index > 0)), **COLUMNS)
    with pytest.raises(DataError, match="none of the 20 rows has a score"):
        variance_components(data.assign(y=np.nan), **COLUMNS)
    with pytest.raises(DataError, match="data has no rows"):
        variance_components(data.iloc[:0], **COLUMNS)
    with pytest.raises(ValueError, match="missing='zero' is unknown"):
        variance_components(data, missing="zero", **COLUMNS)
    with pytest.raises(DataError, match="infinite"):
        variance_components(data.assign(y=np.inf), **COLUMNS)
