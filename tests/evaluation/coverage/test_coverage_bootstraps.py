"""The vectorised bootstraps are those of the package, sample by sample."""

import numpy as np
import pandas as pd
import pytest

import ragstats as rs
from ragstats.core.resampling import (
    DocumentSums,
    count_documents,
    document_bootstrap,
    draw_documents,
    replicate_statistics,
)
from ragstats.core.resampling_intervals import bca, percentile, studentized
from ragstats.evaluation.coverage import resampled, variances
from ragstats.evaluation.coverage.evaluate import interval_limits
from ragstats.evaluation.coverage.methods import Ask, method
from ragstats.evaluation.coverage.sample import WHOLE, Ratio, Sample
from ragstats.evaluation.coverage.wild_cover import wild_pvalues
from ragstats.evaluation.documents import DocumentTable

#: Sums in another order: a few hundred eps on numbers of order 1.
ROUNDING = {"rel": 1e-12, "abs": 1e-12}


def corpus(size, documents, *, seed=1, rate=0.4):
    """Return samples with many ties, and some rates of 0 and 1."""
    rng = np.random.default_rng(seed)
    n = np.ceil(rng.pareto(1.2, (size, documents)) + 0.5).clip(max=80)
    s = rng.binomial(n.astype(int), rng.beta(rate, 1 - rate, n.shape)).astype(float)
    return Sample.of(n, s, s)


def table_of(sample, r):
    frame = pd.DataFrame(
        {
            "doc": np.arange(sample.n.shape[1]),
            "n": sample.n[r],
            "s": sample.s[r],
            "ss": sample.ss[r],
        }
    )
    return DocumentTable.from_frame(frame, doc="doc", ss="ss")


def sums_of(sample, r, estimand, strata=None):
    build = DocumentSums.micro if estimand == "micro" else DocumentSums.macro
    return build(sample.n[r], sample.s[r], strata)


@pytest.mark.parametrize("estimand", ["micro", "macro"])
@pytest.mark.parametrize("documents", [4, 15])
def test_replicates_and_limits_are_those_of_one_sample(estimand, documents):
    sample = corpus(6, documents)
    ratio = Ratio.of(sample, estimand)
    rules = {"bootstrap-t": studentized, "percentile": percentile, "bca": bca}
    for r in range(6):
        sums = sums_of(sample, r, estimand)
        one = Ratio.of(sample.take(slice(r, r + 1)), estimand)
        # One sample draws from the stream of the package's own bootstrap.
        counts = resampled.draw_counts(np.random.default_rng(r), 1, 199, documents, WHOLE)
        known = document_bootstrap(sums, 199, np.random.default_rng(r))
        found = resampled.replicate(one, counts)
        assert found.change[0] == pytest.approx(known.change, **ROUNDING)
        assert found.se[0] == pytest.approx(known.se, **ROUNDING, nan_ok=True)
        assert (np.isnan(found.se[0]) == known.degenerate).all()
        for name, rule in rules.items():
            limits = method(name).compute(one, Ask(0.1), found)
            if sums.se > 0:
                exact = rule(sums, known, 0.1)
                assert limits.available[0]
                assert (limits.low[0], limits.high[0]) == pytest.approx(
                    (exact.low, exact.high), **ROUNDING
                )
    assert ratio.estimate.shape == (6,)


def test_the_interval_of_a_table_is_the_same_number():
    sample = corpus(1, 12, seed=4)
    table = table_of(sample, 0)
    for estimand in ("micro", "macro"):
        one = Ratio.of(sample, estimand)
        counts = resampled.draw_counts(np.random.default_rng(7), 1, 299, 12, WHOLE)
        found = resampled.replicate(one, counts)
        for name, theirs in (("bootstrap-t", "t"), ("percentile", "percentile"), ("bca", "bca")):
            known = table.bootstrap(estimand=estimand, method=theirs, n_boot=299, seed=7)
            limits = method(name).compute(one, Ask(0.05), found)
            assert (limits.low[0], limits.high[0]) == pytest.approx(
                (known.low, known.high), **ROUNDING
            )


@pytest.mark.parametrize("estimand", ["micro", "macro"])
def test_replicates_within_strata_are_those_of_one_sample(estimand):
    plain = corpus(4, 9, seed=3)
    codes = np.repeat([0, 1], [4, 5])
    ones = np.ones(9)
    strata = (slice(0, 4), slice(4, 9))
    sample = Sample(plain.n, plain.s, plain.ss, plain.n, ones, strata, ones, simple=False)
    for r in range(4):
        sums = sums_of(sample, r, estimand, codes)
        drawn = next(draw_documents(np.random.default_rng(r), 99, codes))
        change, se, degenerate = replicate_statistics(sums, drawn)
        counts = count_documents(drawn, 9)[None]
        found = resampled.replicate(Ratio.of(sample.take(slice(r, r + 1)), estimand), counts)
        assert found.change[0] == pytest.approx(change, **ROUNDING)
        assert found.se[0] == pytest.approx(se, **ROUNDING, nan_ok=True)
        assert (np.isnan(found.se[0]) == (degenerate > 0)).all()
        spread = variances.linearized(Ratio.of(sample.take(slice(r, r + 1)), estimand))
        assert spread.se[0] == pytest.approx(sums.se, **ROUNDING)


def test_strata_are_drawn_apart():
    counts = resampled.draw_counts(np.random.default_rng(1), 3, 50, 7, (slice(0, 2), slice(2, 7)))
    assert (counts[..., :2].sum(axis=-1) == 2).all()
    assert (counts[..., 2:].sum(axis=-1) == 5).all()


def test_cr2_of_a_replicate_is_that_of_its_documents():
    """A document drawn twice is two documents."""
    sample = corpus(1, 6, seed=8)
    counts = resampled.draw_counts(np.random.default_rng(1), 1, 20, 6, WHOLE)
    found = resampled.replicate(Ratio.of(sample, "micro"), counts, leverage=True)
    compared = 0
    for b in range(20):
        chosen = np.repeat(np.arange(6), counts[0, b].astype(int))
        if np.isnan(found.se2[0, b]):
            continue
        drawn = Sample.of(sample.n[:, chosen], sample.s[:, chosen], sample.ss[:, chosen])
        known = variances.cr2(Ratio.of(drawn, "micro")).se[0]
        assert found.se2[0, b] == pytest.approx(known, **ROUNDING)
        compared += 1
    assert compared > 15


def test_samples_without_variation():
    n = np.array([[2.0, 4, 6], [1, 1, 5]])
    s = np.array([[1.0, 2, 3], [0, 0, 5]])
    names = ("bootstrap-t", "bootstrap-t-cr2", "percentile", "bca", "wild")
    chosen = [method(name) for name in names]
    _, limits = interval_limits(
        Sample.of(n, s, s), "micro", chosen, Ask(0.05, 0.4, 199), rng=np.random.default_rng(1)
    )
    for name in names:
        assert limits[name].available[0] == np.False_
        assert limits[name].low[0] == limits[name].high[0] == 0.5
        assert limits[name].available[1]


def test_all_replicates_degenerate_but_the_sample():
    """Two documents, and replicates that each draw one of them twice: no bootstrap-t."""
    sample = Sample.of(*np.array([[[2.0, 3]], [[1.0, 3]], [[1.0, 3]]]))
    ratio = Ratio.of(sample, "micro")
    found = resampled.replicate(ratio, np.array([[[2.0, 0], [0, 2]]]))
    assert np.isnan(found.se).all()
    limits = method("bootstrap-t").compute(ratio, Ask(0.05), found)
    assert np.isnan(limits.low[0])
    assert not limits.available[0]


@pytest.mark.parametrize("estimand", ["micro", "macro"])
def test_wild_pvalues_are_those_of_the_contrast(estimand):
    sample = corpus(8, 7, seed=6)
    ratio = Ratio.of(sample, estimand)
    for truth in (0.0, 0.3, 0.55):
        found = wild_pvalues(ratio, truth, 999, np.random.default_rng(1))
        for r in np.flatnonzero(~ratio.flat):
            mean = getattr(table_of(sample, r), estimand)()
            known = rs.wild_bootstrap(mean, f"Intercept = {truth}")
            assert known.n_boot == 2**7
            assert found[r] == pytest.approx(known.pvalue, abs=1e-12)


def test_wild_covers_what_the_inverted_test_holds():
    """All sign vectors, the truth away from the limits, where p may not be monotone."""
    sample = corpus(12, 8, seed=9)
    row, truth = method("wild"), 0.4
    ratio, limits = interval_limits(
        sample, "micro", [row], Ask(0.1, truth), rng=np.random.default_rng(1)
    )
    sides = set()
    for r in np.flatnonzero(~ratio.flat):
        known = table_of(sample, r).bootstrap(estimand="micro", method="wild", seed=None, alpha=0.1)
        found = limits["wild"]
        assert (found.low[r] <= truth <= found.high[r]) == (known.low <= truth <= known.high)
        side = (found.high[r] < truth, found.low[r] > truth)
        assert side == (known.high < truth, known.low > truth)
        sides.add(side)
    assert (False, False) in sides
    assert len(sides) > 1


def test_random_signs_agree_with_all_of_them():
    """4,999 random signs for 13 documents, against the 2^13 that are all: a binomial error."""
    sample = corpus(20, 13, seed=2)
    ratio = Ratio.of(sample, "micro")
    every = wild_pvalues(ratio, 0.4, 2**13, np.random.default_rng(1))
    some = wild_pvalues(ratio, 0.4, 4999, np.random.default_rng(1))
    error = np.sqrt(np.maximum(every * (1 - every), 1e-4) / 4999)
    assert (np.abs(some - every) <= 5 * error).all()


def test_row_quantiles_are_numpys():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(5, 40))
    probabilities = np.array([0.0, 0.025, 0.5, 0.975, 1.0])
    known = np.quantile(values, probabilities, axis=1).T
    assert resampled.row_quantiles(values, probabilities) == pytest.approx(known, **ROUNDING)
    values[0, ::3] = np.nan
    values[1] = np.nan
    found = resampled.row_quantiles(values, probabilities)
    assert found[0] == pytest.approx(np.nanquantile(values[0], probabilities), **ROUNDING)
    assert np.isnan(found[1]).all()


def test_blocks_cover_everything_once():
    seen = np.concatenate([np.arange(10)[rows] for rows in resampled.blocks(10, 3, cells=7)])
    assert seen.tolist() == list(range(10))
    assert len(list(resampled.blocks(3, 10**9))) == 3


def test_what_is_asked_beside_changes_no_method():
    sample = corpus(10, 14, seed=5)
    names = ("bootstrap-t", "percentile", "wild", "cr2")
    ask = Ask(0.05, 0.4, 99)
    together = interval_limits(
        sample, "micro", [method(n) for n in names], ask, rng=np.random.default_rng(1)
    )[1]
    for name in names:
        alone = interval_limits(sample, "micro", [method(name)], ask, rng=np.random.default_rng(1))[
            1
        ][name]
        assert np.array_equal(alone.low, together[name].low, equal_nan=True)
    assert rs.__version__
