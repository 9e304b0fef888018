"""Moments: chunks add, documents go or repeat, and the routes meet where they must."""

import numpy as np
import pytest
from designs import is_regular, samples
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ragstats.core.adjustment import ADJUSTMENTS
from ragstats.core.covariance import (
    WeightedProducts,
    identity_variance,
    inverse_variance,
    varying_inverse_variance,
)
from ragstats.core.dof import satterthwaite
from ragstats.core.estimate import least_squares
from ragstats.core.moments import ClusterMoments
from ragstats.exceptions import DataError

# Raw moments square the condition number, which is below 1e3 here.
RTOL = 1e-8

seeds = st.integers(0, 2**32 - 1)


def raw_moments(sample, rows=slice(None)):
    """The moments of some rows, with only the documents that occur there."""
    root = 1.0 if sample.weights is None else np.sqrt(sample.weights[rows])
    ids, codes = np.unique(sample.groups[rows], return_inverse=True)
    return ClusterMoments.from_rows(
        sample.design[rows] * np.reshape(root, (-1, 1)),
        sample.outcome[rows] * root,
        codes,
        ids,
        raw_design=sample.design[rows],
        raw_outcome=sample.outcome[rows],
    )


def in_memory(sample):
    """The fit by QR, with its standardized moments."""
    ids, codes = np.unique(sample.groups, return_inverse=True)
    return least_squares(sample.design, sample.outcome, codes, ids, weights=sample.weights)


def summary_numbers(moments, cov_type="CR2"):
    """Coefficients, covariance and df of standardized moments."""
    parts = inverse_variance(moments, ADJUSTMENTS[cov_type])
    return moments.origin, parts.covariance(), satterthwaite(parts, parts.transform)


def assert_same_inference(first, second, rtol=RTOL):
    for ours, theirs in zip(first, second, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=rtol * np.abs(theirs).max())


@pytest.mark.parametrize("cov_type", list(ADJUSTMENTS))
@given(sample=samples(routes=["ols", "constant"]), seed=seeds, pieces=st.integers(2, 6))
def test_moments_of_chunks_add_up_to_one_pass(cov_type, sample, seed, pieces):
    rng = np.random.default_rng(seed)
    cuts = np.sort(rng.integers(0, sample.outcome.size + 1, pieces - 1))
    chunks = [c for c in np.split(np.arange(sample.outcome.size), cuts) if c.size]
    total = raw_moments(sample, chunks[0])
    for chunk in chunks[1:]:
        total = total + raw_moments(sample, chunk)
    merged = summary_numbers(total.standardized(), cov_type)
    one_pass = summary_numbers(in_memory(sample).moments, cov_type)
    assert_same_inference(merged, one_pass)
    assert total.n_rows == sample.outcome.size


@given(sample=samples(routes=["ols"]), seed=seeds)
def test_adding_moments_has_no_order(sample, seed):
    n = sample.outcome.size
    order = np.random.default_rng(seed).permutation(n)
    a, b, c = (raw_moments(sample, part) for part in np.array_split(order, 3))
    left, right = (a + b) + c, c + (b + a)
    np.testing.assert_array_equal(left.ids, right.ids)
    for name in ("rows", "gram", "cross", "square", "total", "outcome"):
        first, second = getattr(left, name), getattr(right, name)
        np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-12, err_msg=name)


def test_moments_in_different_bases_do_not_add():
    design, codes = np.ones((4, 1)), np.array([0, 0, 1, 1])
    first = ClusterMoments.from_rows(design, np.arange(4.0), codes, np.array([0, 1]))
    scaled = ClusterMoments.from_rows(
        design, np.arange(4.0), codes, np.array([0, 1]), transform=np.full((1, 1), 2.0)
    )
    with pytest.raises(ValueError, match="moments add only in one basis"):
        first + scaled
    with pytest.raises(TypeError):
        first + 1


def test_collinear_moments_are_refused():
    design, codes = np.ones((4, 2)), np.array([0, 0, 1, 1])
    moments = ClusterMoments.from_rows(design, np.arange(4.0), codes, np.array([0, 1]))
    with pytest.raises(DataError, match="collinear"):
        moments.standardized()
    design[:, 1] = 0.0
    moments = ClusterMoments.from_rows(design, np.arange(4.0), codes, np.array([0, 1]))
    with pytest.raises(DataError, match="column 1 is 0 in every row"):
        moments.standardized()


@given(sample=samples(routes=["ols", "constant"], min_docs=5))
def test_dropping_a_document_is_fitting_without_it(sample):
    gone = sample.groups[0]
    kept = sample.take(np.flatnonzero(sample.groups != gone))
    assume(is_regular(kept))
    dropped = raw_moments(sample).drop([gone])
    assert gone not in dropped.ids
    assert_same_inference(
        summary_numbers(dropped.standardized()), summary_numbers(in_memory(kept).moments)
    )
    with pytest.raises(KeyError, match="is not a document"):
        dropped.drop([gone])


@given(sample=samples(routes=["ols", "constant"]), seed=seeds)
def test_reweighting_by_counts_is_repeating_the_rows(sample, seed):
    moments = raw_moments(sample)
    counts = np.random.default_rng(seed).integers(0, 4, moments.n_groups)
    assume(counts.any())
    repeated = sample.take(np.repeat(np.arange(sample.groups.size), counts[sample.groups]))
    assume(is_regular(repeated))
    reweighted = moments.reweight(counts.astype(float))
    assert reweighted.n_rows == repeated.outcome.size
    np.testing.assert_allclose(
        reweighted.solve(), in_memory(repeated).coefficients, rtol=RTOL, atol=RTOL
    )
    weighted = reweighted.take(np.flatnonzero(counts)).standardized()
    assert_same_inference(
        summary_numbers(weighted, "CR1"), summary_numbers(in_memory(repeated).moments, "CR1")
    )


@given(sample=samples(routes=["ols"]), seed=seeds)
def test_a_repeated_document_is_a_document_of_its_own_in_a_draw(sample, seed):
    """Taking positions with repetition keeps duplicates apart, as a bootstrap draw must."""
    moments = raw_moments(sample)
    draw = np.random.default_rng(seed).integers(0, moments.n_groups, moments.n_groups)
    rows = [np.flatnonzero(sample.groups == doc) for doc in draw]
    repeated = sample.take(np.concatenate(rows))
    assume(is_regular(repeated))
    copies = np.repeat(np.arange(draw.size), [r.size for r in rows])
    fit = least_squares(repeated.design, repeated.outcome, copies, np.arange(draw.size))
    assert_same_inference(
        summary_numbers(moments.take(draw).standardized(), "CR0"),
        summary_numbers(fit.moments, "CR0"),
    )


@given(sample=samples(routes=["constant"]))
def test_route_3_with_constant_weights_is_route_1(sample):
    fit = in_memory(sample)
    codes = np.unique(sample.groups, return_inverse=True)[1]
    adjustment = ADJUSTMENTS["CR2"]
    general = varying_inverse_variance(
        fit.basis.rows, fit.residuals, 1 / sample.weights, codes, fit.moments, adjustment
    )
    special = inverse_variance(fit.moments, adjustment)
    for name in ("score", "own", "overlap"):
        ours, theirs = getattr(general, name), getattr(special, name)
        np.testing.assert_allclose(
            ours, theirs, rtol=1e-10, atol=1e-12 * np.abs(theirs).max(), err_msg=name
        )


@pytest.mark.parametrize("cov_type", list(ADJUSTMENTS))
@settings(max_examples=10)
@given(sample=samples(routes=["ols"]))
def test_route_2_with_equal_weights_is_ols(cov_type, sample):
    moments, adjustment = in_memory(sample).moments, ADJUSTMENTS[cov_type]
    products = WeightedProducts(moments.gram, moments.gram, moments.cross)
    general = identity_variance(moments, products, adjustment)
    special = inverse_variance(moments, adjustment)
    np.testing.assert_allclose(general.covariance(), special.covariance(), rtol=1e-9, atol=1e-15)
    contrasts = np.vstack([np.eye(moments.n_columns), np.ones(moments.n_columns)])
    contrasts = contrasts @ moments.transform
    np.testing.assert_allclose(
        satterthwaite(general, contrasts), satterthwaite(special, contrasts), rtol=1e-8
    )
