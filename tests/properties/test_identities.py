"""Mathematical identities between fits: what must agree, whatever the data."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from designs import Sample, is_regular, samples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import ragstats as rs

# Two ways to the same sums in double precision, on designs whose condition is below 1e3.
RTOL = 1e-9

seeds = st.integers(0, 2**32 - 1)
scales = st.sampled_from([1e-6, 1e-3, 0.7, 1e3, 1e6])


def assert_same(first, second, *, which=slice(None), factor=1.0):
    """Compare estimates, SE, df and p of two fits; ``factor`` is the ratio of their units."""
    for name, ratio in (("params", factor), ("bse", factor), ("df_inference", 1), ("pvalues", 1)):
        ours, theirs = (np.asarray(getattr(r, name)) for r in (first, second))
        room = {"rtol": RTOL, "atol": 1e-11 * np.abs(theirs * ratio).max(initial=0.0)}
        np.testing.assert_allclose(ours[which], (theirs * ratio)[which], err_msg=name, **room)


# ---- pairs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR2", "CR3"])
@given(sizes=st.lists(st.integers(1, 8), min_size=3, max_size=9), seed=seeds)
def test_stacked_balanced_pairs_are_their_differences(cov_type, sizes, seed):
    rng = np.random.default_rng(seed)
    doc = np.repeat(np.arange(len(sizes)), sizes)
    scores = rng.normal(size=(doc.size, 2)) + rng.normal(size=(len(sizes), 2))[doc]
    system = np.repeat([0.0, 1.0], doc.size)
    stacked = rs.OLS(
        scores.T.ravel(), np.column_stack([np.ones(2 * doc.size), system]), groups=np.tile(doc, 2)
    ).fit(cov_type=cov_type)
    paired = rs.OLS(scores[:, 1] - scores[:, 0], np.ones(doc.size), groups=doc)
    for name in ("params", "bse", "df_inference", "pvalues"):
        pair, gap = (getattr(r, name).iloc[-1] for r in (stacked, paired.fit(cov_type=cov_type)))
        np.testing.assert_allclose(pair, gap, rtol=1e-8, atol=1e-12, err_msg=name)


# ---- one row per document -----------------------------------------------------------------------


@given(sample=samples(routes=["ols"]))
def test_single_rows_give_the_heteroscedasticity_consistent_errors(sample):
    n, p = sample.design.shape
    assume(n > p + 3)
    single = Sample(sample.design, sample.outcome, np.arange(n), None, "inverse_var")
    assume(max(sm.OLS(sample.outcome, sample.design).fit().get_influence().hat_matrix_diag) < 0.99)
    for ours, theirs in (("CR0", "HC0"), ("CR1S", "HC1"), ("CR2", "HC2"), ("CR3", "HC3")):
        plain = sm.OLS(sample.outcome, sample.design).fit(cov_type=theirs)
        np.testing.assert_allclose(single.fit(ours).bse, plain.bse, rtol=RTOL, err_msg=ours)


@given(sizes=st.tuples(st.integers(2, 12), st.integers(2, 12)), seed=seeds, equal=st.booleans())
def test_two_groups_of_single_rows_are_welchs_test(sizes, seed, equal):
    rng = np.random.default_rng(seed)
    first, second = (rng.normal(size=n) for n in sizes)
    if equal:  # with equal sample variances Welch's estimated df are the working model's
        first, second = ((x - x.mean()) / x.std(ddof=1) for x in (first, second))
        second = second + 0.5
    welch = stats.ttest_ind(second, first, equal_var=False)
    group = np.repeat([0.0, 1.0], sizes)
    results = rs.OLS(
        np.concatenate([first, second]),
        np.column_stack([np.ones(group.size), group]),
        groups=np.arange(group.size),
    ).fit()
    a, b = (1 / n for n in sizes)
    np.testing.assert_allclose(results.tvalues.iloc[1], welch.statistic, rtol=RTOL, atol=1e-12)
    df = (a + b) ** 2 / sum(x**2 / (n - 1) for x, n in zip((a, b), sizes, strict=True))
    np.testing.assert_allclose(results.df_inference.iloc[1], df, rtol=RTOL)
    if equal:
        np.testing.assert_allclose(results.df_inference.iloc[1], welch.df, rtol=RTOL)
        np.testing.assert_allclose(results.pvalues.iloc[1], welch.pvalue, rtol=1e-7)


@given(docs=st.tuples(st.integers(2, 6), st.integers(2, 6)), seed=seeds)
def test_two_groups_of_documents_are_welchs_test_of_their_means(docs, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, sum(docs))
    doc = np.repeat(np.arange(sizes.size), sizes)
    frame = pd.DataFrame({"doc": doc, "late": doc >= docs[0], "y": rng.normal(size=doc.size)})
    means = frame.groupby("doc")["y"].mean()
    welch = stats.ttest_ind(means.iloc[docs[0] :], means.iloc[: docs[0]], equal_var=False)
    model = rs.ols("y ~ late", frame, groups="doc", estimand="macro")
    results = model.fit()
    np.testing.assert_allclose(results.tvalues.iloc[1], welch.statistic, rtol=1e-8, atol=1e-12)
    df = sum(1 / k for k in docs) ** 2 / sum(1 / (k**2 * (k - 1)) for k in docs)
    np.testing.assert_allclose(results.df_inference.iloc[1], df, rtol=RTOL)


# ---- what must not matter -------------------------------------------------------------------------


@given(sample=samples(), seed=seeds, cov_type=st.sampled_from(["CR0", "CR2", "CR3"]))
def test_the_order_of_rows_does_not_matter(sample, seed, cov_type):
    order = np.random.default_rng(seed).permutation(sample.outcome.size)
    assert_same(sample.fit(cov_type), sample.take(order).fit(cov_type))


@given(sample=samples(), seed=seeds)
def test_the_names_of_documents_do_not_matter(sample, seed):
    names = np.random.default_rng(seed).permutation([f"doc {i}" for i in range(20)])
    renamed = replace(sample, groups=names[sample.groups])
    assert_same(sample.fit(), renamed.fit())


@given(sample=samples(routes=["constant", "identity", "varying"]), scale=scales)
def test_the_scale_of_weights_does_not_matter(sample, scale):
    scaled = replace(sample, weights=sample.weights * scale)
    assert_same(sample.fit(), scaled.fit())


@given(sample=samples(), scale=scales, cov_type=st.sampled_from(["CR1S", "CR2", "CR3"]))
def test_the_unit_of_the_outcome_scales_estimates_only(sample, scale, cov_type):
    scaled = replace(sample, outcome=sample.outcome * scale)
    assert_same(scaled.fit(cov_type), sample.fit(cov_type), factor=scale)


@given(sample=samples(columns=3), scale=scales, cov_type=st.sampled_from(["CR1S", "CR2", "CR3"]))
def test_the_unit_of_a_covariate_scales_its_coefficient_only(sample, scale, cov_type):
    p = sample.design.shape[1]
    assume(p > 1)
    unit = np.where(np.arange(p) == p - 1, scale, 1.0)
    scaled = replace(sample, design=sample.design * unit)
    first, second = scaled.fit(cov_type), sample.fit(cov_type)
    assert_same(first, second, factor=1 / unit)
    np.testing.assert_allclose(first.fvalue, second.fvalue, rtol=1e-7, equal_nan=True)


# ---- rows that go ----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:cannot be estimated without one document")
@settings(max_examples=15)
@given(sample=samples(min_docs=5))
def test_cr3_is_the_delete_one_document_jackknife(sample):
    estimate = sample.fit("CR3")
    jackknife = np.zeros_like(estimate.cov_params())
    for doc in np.unique(sample.groups):
        kept = sample.take(np.flatnonzero(sample.groups != doc))
        step = np.asarray(kept.fit("CR0").params - estimate.params)
        jackknife += np.outer(step, step)
    se = np.sqrt(np.diag(jackknife))
    assert (np.abs(estimate.cov_params() - jackknife) <= 1e-8 * np.outer(se, se)).all(axis=None)


@pytest.mark.parametrize("working", ["identity", "inverse_var"])
@given(sample=samples(routes=["varying"], min_docs=6), seed=seeds)
def test_a_row_of_weight_zero_is_a_dropped_row(working, sample, seed):
    zero = np.random.default_rng(seed).random(sample.outcome.size) < 0.2
    zero |= sample.groups == sample.groups[0]  # and a whole document
    less = replace(sample.take(np.flatnonzero(~zero)), working=working)
    assume(is_regular(less))
    full = replace(sample, weights=np.where(zero, 0.0, sample.weights), working=working)
    for cov_type in ("CR1S", "CR2"):
        assert_same(full.fit(cov_type), less.fit(cov_type))
    assert full.fit().n_groups == np.unique(less.groups).size
    assert full.fit().nobs == less.outcome.size
