"""Every covariance type, df and joint test against the definitions with n×n and K×K matrices."""

import warnings

import numpy as np
import pytest
from dense_reference import COVARIANCE_TYPES, dense_fit
from designs import ROUTES, Sample, random_weights, samples
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstats.exceptions import RagstatsWarning

# The references invert n×n matrices whose smallest eigenvalue is 1 - leverage > 1e-3.
RTOL = 1e-8


@pytest.mark.parametrize("cov_type", COVARIANCE_TYPES)
@given(sample=samples())
def test_covariance_and_df_are_those_of_the_definition(cov_type, sample):
    found = sample.fit(cov_type)
    want = dense_fit(
        sample.design,
        sample.outcome,
        sample.groups,
        weights=sample.weights,
        working=sample.working,
        cov_type=cov_type,
    )
    se = np.sqrt(np.diag(want.covariance))
    np.testing.assert_allclose(found.params, want.coefficients, rtol=RTOL, atol=1e-12)
    room = RTOL * np.outer(se, se)
    assert (np.abs(found.cov_params() - want.covariance) <= room).all(axis=None)
    contrasts = np.vstack([np.eye(se.size), np.arange(1.0, se.size + 1)])
    df = [want.df(contrast) for contrast in contrasts]
    np.testing.assert_allclose(found.df_contrast(contrasts), df, rtol=RTOL)


@pytest.mark.filterwarnings("ignore:joint test is NaN")
@pytest.mark.parametrize("cov_type", ["CR0", "CR2", "CR3"])
@given(sample=samples(), seed=st.integers(0, 2**32 - 1))
def test_joint_tests_are_those_of_the_definition(cov_type, sample, seed):
    p = sample.design.shape[1]
    rows = np.random.default_rng(seed).normal(size=(p, p))
    found = sample.fit(cov_type).wald_test(rows)
    want = dense_fit(
        sample.design,
        sample.outcome,
        sample.groups,
        weights=sample.weights,
        working=sample.working,
        cov_type=cov_type,
    )
    eta = want.eta(rows)
    # Random rows can be close to dependent: condition numbers of some hundreds are common.
    np.testing.assert_allclose(found.df_denom, eta - p + 1, rtol=1e-6)
    statistic = (eta - p + 1) / (eta * p) * want.wald(rows)
    if eta - p + 1 > 0:
        np.testing.assert_allclose(np.squeeze(found.statistic), statistic, rtol=1e-6)
    else:
        assert np.isnan(found.pvalue)
        assert "too few documents" in found.reason


@pytest.mark.parametrize("route", ROUTES)
@settings(max_examples=5)  # each is one fit a row
@given(data=st.data())
def test_cr2_is_unbiased_under_its_working_model(route, data):
    """V is a quadratic form of y, so its expectation is the sum of φ_i V(e_i) over unit vectors."""
    sample = data.draw(samples(routes=[route]))
    n = sample.outcome.size
    weights = np.ones(n) if sample.weights is None else sample.weights
    phi = np.ones(n) if sample.working == "identity" else 1 / weights
    expected = np.zeros((sample.design.shape[1],) * 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagstatsWarning)  # some unit vectors are fitted exactly
        for unit, variance in zip(np.eye(n), phi, strict=True):
            one = Sample(sample.design, unit, sample.groups, sample.weights, sample.working)
            expected += variance * one.fit().cov_params().to_numpy()
    weighted = weights[:, None] * sample.design
    bread = np.linalg.inv(sample.design.T @ weighted)
    truth = bread @ weighted.T @ (phi[:, None] * weighted) @ bread
    room = RTOL * np.sqrt(np.outer(np.diag(truth), np.diag(truth)))
    assert (np.abs(expected - truth) <= room).all()


def test_a_long_document_with_very_unequal_weights():
    """Route 3 replaces an n_g×n_g root by a rational approximation; its nodes follow the weights.

    The numbers are the definitions of dense_reference evaluated with 50 digits (mpmath): weights
    over 11 orders of magnitude are beyond a dense root in double precision.
    """
    groups = np.repeat(np.arange(6), [30, 5, 9, 3, 12, 1])
    k = np.arange(1, 61.0)
    design, outcome = np.column_stack([np.ones(60), np.sin(k)]), np.cos(3 * k) + np.sin(groups)
    found = Sample(design, outcome, groups, np.exp(6 * np.cos(k * k)), "inverse_var").fit()
    wanted = {
        "params": [-0.057178825896808886, 0.081462800956210212],
        "bse": [0.34435798603978936, 0.2030672368545013],
        "df_inference": [2.7082421799897944, 2.1243446667452496],
    }
    for name, values in wanted.items():
        np.testing.assert_allclose(getattr(found, name), values, rtol=1e-12, err_msg=name)


def test_random_weights_cover_the_routes():
    groups = np.repeat(np.arange(3), 4)
    rng = np.random.default_rng(0)
    assert random_weights(rng, "ols", groups) is None
    constant, varying = (random_weights(rng, r, groups) for r in ("constant", "varying"))
    assert all(np.ptp(constant[groups == g]) == 0 for g in range(3))
    assert all(np.ptp(varying[groups == g]) > 0 for g in range(3))
