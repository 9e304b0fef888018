"""The document bootstrap on moments: its stream, its statistics, its degenerate replicates."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from ragstats.core.resampling import (
    DocumentSums,
    Replicates,
    document_bootstrap,
    draw_documents,
    rate_classes,
    replicate_statistics,
)
from ragstats.core.resampling_batches import BATCH_CELLS
from ragstats.core.resampling_draws import check_draws, workers
from ragstats.core.resampling_intervals import (
    bca,
    jackknife_acceleration,
    percentile,
    studentized,
)
from ragstats.exceptions import DataError


def documents(k, seed=0):
    """Unequal documents with 0/1 scores and no two equal rates."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 60, k).astype(float)
    total = rng.binomial(size.astype(int), rng.beta(2, 3, k)) + 0.01 * rng.random(k)
    return size, total


def joined(batches):
    return np.concatenate(list(batches))


def all_draws(k):
    return np.array(list(itertools.product(range(k), repeat=k)))


# ---- the stream ------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [1, 7, 100, 7 * 31, BATCH_CELLS])
def test_batches_draw_the_stream_of_one_call(cells):
    # Integers: no tolerance.
    drawn = joined(draw_documents(np.random.default_rng(1), 50, np.zeros(7, int), cells=cells))
    assert np.array_equal(drawn, np.random.default_rng(1).integers(0, 7, (50, 7)))


@pytest.mark.parametrize("cells", [1, 13, BATCH_CELLS])
def test_the_stream_within_strata_is_the_documented_one(cells):
    strata = np.array([0, 1, 0, 1, 1, 0, 2, 2, 0])
    drawn = joined(draw_documents(np.random.default_rng(4), 60, strata, cells=cells))
    sizes = np.bincount(strata)[strata]
    numbers = np.random.default_rng(4).integers(0, sizes, (60, 9))
    members = [np.flatnonzero(strata == h) for h in range(3)]
    expected = [[members[h][i] for h, i in zip(strata, row, strict=True)] for row in numbers]
    assert np.array_equal(drawn, expected)
    assert np.array_equal(strata[drawn], np.tile(strata, (60, 1)))


@pytest.mark.parametrize("build", [DocumentSums.micro, DocumentSums.macro])
def test_neither_batches_nor_workers_change_a_bit(build):
    sums = build(*documents(40))
    one = document_bootstrap(sums, 500, np.random.default_rng(2))
    runs = [
        document_bootstrap(sums, 500, np.random.default_rng(2), cells=cells)
        for cells in (1, 41, 999)
    ]
    runs.append(
        document_bootstrap(sums, 500, np.random.default_rng(2), cells=4000, mapper=workers(2))
    )
    for run in runs:  # the same sums in the same order: no tolerance
        assert np.array_equal(one.change, run.change)
        assert np.array_equal(one.se, run.se, equal_nan=True)


def test_progress_is_reported_in_order():
    said = []
    sums = DocumentSums.micro(*documents(10))
    document_bootstrap(
        sums, 25, np.random.default_rng(1), cells=100, report=lambda *done: said.append(done)
    )
    assert said == [(10, 25), (20, 25), (25, 25)]


# ---- the statistics --------------------------------------------------------------------------


def brute_micro(size, total, drawn):
    """R* and its CR1 standard error, document by document."""
    n, s = size[drawn], total[drawn]
    k = drawn.size
    rate = s.sum() / n.sum()
    return rate, np.sqrt(k / (k - 1) * ((s - rate * n) ** 2).sum()) / n.sum()


def test_replicates_are_those_of_the_drawn_documents():
    size, total = documents(12)
    drawn = np.random.default_rng(3).integers(0, 12, (400, 12))
    micro, macro = DocumentSums.micro(size, total), DocumentSums.macro(size, total)
    expected = np.array([brute_micro(size, total, row) for row in drawn])
    change, se, _ = replicate_statistics(micro, drawn)
    # Sums of 12 terms of order 1 to 60.
    np.testing.assert_allclose(micro.estimate + change, expected[:, 0], rtol=1e-13)
    np.testing.assert_allclose(se, expected[:, 1], rtol=1e-12)
    rates = (total / size)[drawn]
    change, se, _ = replicate_statistics(macro, drawn)
    np.testing.assert_allclose(macro.estimate + change, rates.mean(axis=1), rtol=1e-13)
    np.testing.assert_allclose(se, rates.std(axis=1, ddof=1) / np.sqrt(12), rtol=1e-12)


def test_standard_errors_of_nearly_degenerate_replicates_keep_their_digits():
    # Every draw of 5 documents, against rational arithmetic. Where four drawn documents share a rate
    # and the fifth nearly does, sums of products alone would lose ten digits; 1e-10 are left, since
    # a rate that differs by 1e-6 has itself been rounded at 1e-16.
    size, total = np.array([1.0, 4, 9, 2, 7]), np.array([0.25, 1, 2.25, 0.5 + 2**-20, 6])
    sums = DocumentSums.micro(size, total)
    drawn = all_draws(5)
    change, se, degenerate = replicate_statistics(sums, drawn)
    n, s = [Fraction(x) for x in size], [Fraction(x) for x in total]
    whole = sum(s) / sum(n)
    some = (values[::7] for values in (drawn, change, se, degenerate))
    for row, delta, error, gone in zip(*some, strict=True):
        ns, ss = sum(n[i] for i in row), sum(s[i] for i in row)
        square = Fraction(5, 4) * sum((s[i] - ss / ns * n[i]) ** 2 for i in row) / ns**2
        assert bool(gone) == (square == 0)
        assert delta == pytest.approx(float(ss / ns - whole), rel=1e-12, abs=1e-16)
        if square:
            assert error == pytest.approx(float(square) ** 0.5, rel=1e-10)


def test_the_standard_error_of_the_sample_is_cr1_and_stratified_cr1():
    size, total = documents(9)
    assert DocumentSums.micro(size, total).se == pytest.approx(
        brute_micro(size, total, np.arange(9))[1], rel=1e-13
    )
    strata = np.repeat([0, 1], [4, 5])
    stratified = DocumentSums.micro(size, total, strata)
    u = total - stratified.estimate * size
    square = sum(
        np.bincount(strata)[h] * u[strata == h].var(ddof=1) for h in (0, 1)
    )  # Cochran (1977), section 6.11, equal sampling fractions; sums of 9 terms
    assert stratified.se == pytest.approx(np.sqrt(square) / size.sum(), rel=1e-13)
    rates = total / size
    macro = DocumentSums.macro(size, total, strata)
    share = [4 * rates[:4].var(ddof=1), 5 * rates[4:].var(ddof=1)]
    assert macro.se == pytest.approx(np.sqrt(sum(share)) / 9, rel=1e-13)


# ---- degenerate replicates -------------------------------------------------------------------


def test_the_degenerate_fraction_is_that_of_all_draws():
    # Six documents, three of them of rate 1/3, two of rate 1/7 and one of 0: of the 6⁶ draws
    # 3⁶ + 2⁶ + 1 are degenerate. Counting se == 0 would miss those that rounding hides.
    size = np.array([3.0, 6, 30, 7, 49, 5])
    total = np.array([0.1 + 0.2 + 0.7, 2, 10, 1, 7, 0])
    drawn = all_draws(6)
    for build in (DocumentSums.micro, DocumentSums.macro):
        degenerate = replicate_statistics(build(size, total), drawn)[2]
        assert degenerate.sum() == 3**6 + 2**6 + 1
    rates = (total / size)[drawn]
    assert np.count_nonzero(rates.std(axis=1, ddof=1) == 0) < 3**6 + 2**6 + 1


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
def test_equal_rates_do_not_depend_on_the_scale(scale):
    rates = scale * np.array([1 / 3, 0.1 + 0.2 + 1 / 30, 0.3, 0.1 * 3])
    assert rate_classes(rates).tolist() == [1, 1, 0, 0]


def test_the_degenerate_fraction_of_random_draws():
    # Binomial noise: 5 standard errors.
    size, total = np.array([2.0, 4, 6, 8, 5]), np.array([1.0, 2, 3, 4, 0])
    share = (4**5 + 1) / 5**5
    found = document_bootstrap(
        DocumentSums.macro(size, total), 20_000, np.random.default_rng(1)
    ).degenerate_fraction
    assert abs(found - share) < 5 * np.sqrt(share * (1 - share) / 20_000)


def test_degenerate_within_strata_is_decided_exactly():
    # All draws within two strata, against rational arithmetic: the variance is exactly 0 or it is
    # not, also where documents of different rates have one residual ((1, 0) and (3, 1) at R* = 1/2).
    size, total = np.array([1.0, 3, 2, 4, 2]), np.array([0.0, 1, 1, 2, 2])
    strata = np.array([0, 0, 1, 1, 1])
    draws = [
        (*a, *b)
        for a in itertools.product((0, 1), repeat=2)
        for b in itertools.product((2, 3, 4), repeat=3)
    ]
    exact = []
    for row in draws:
        n, s = [Fraction(size[i]) for i in row], [Fraction(total[i]) for i in row]
        rate = sum(s) / sum(n)
        u = [a - rate * b for a, b in zip(s, n, strict=True)]
        exact.append(len(set(u[:2])) == 1 and len(set(u[2:])) == 1)
    found = replicate_statistics(DocumentSums.micro(size, total, strata), np.array(draws))[2]
    assert found.astype(bool).tolist() == exact
    assert 0 < sum(exact) < len(draws)


def test_all_degenerate_is_an_error():
    sums = DocumentSums.macro(*documents(5))
    nothing = Replicates(np.zeros(9), np.full(9, np.nan), np.ones(9, bool))
    with pytest.raises(DataError, match=r"n_boot=9: every replicate is degenerate"):
        studentized(sums, nothing, 0.05)


def test_one_document_is_refused():
    with pytest.raises(DataError, match="documents: 1 document, at least 2"):
        DocumentSums.micro(np.ones(1), np.ones(1))
    with pytest.raises(DataError, match="stratum 1: 1 document, at least 2"):
        DocumentSums.micro(np.ones(3), np.ones(3), np.array([0, 0, 1]))


# ---- intervals -------------------------------------------------------------------------------


def scipys(statistic, data, method):
    return stats.bootstrap(
        data, statistic, method=method, n_resamples=999, rng=np.random.default_rng(5), paired=True
    )


@pytest.mark.parametrize(("name", "rule"), [("percentile", percentile), ("BCa", bca)])
def test_percentile_and_bca_are_scipys(name, rule):
    # SciPy draws rng.integers(0, n, (n_resamples, n)) too, so the limits are the same numbers.
    size, total = documents(15, seed=8)
    ratio = scipys(lambda n, s, axis: s.sum(axis) / n.sum(axis), (size, total), name)
    mean = scipys(np.mean, (total / size,), name)
    for build, theirs in ((DocumentSums.micro, ratio), (DocumentSums.macro, mean)):
        sums = build(size, total)
        ours = rule(sums, document_bootstrap(sums, 999, np.random.default_rng(5)), 0.05)
        np.testing.assert_allclose(
            (ours.low, ours.high), theirs.confidence_interval, rtol=1e-12, atol=0
        )


def test_acceleration_of_stratified_means_has_a_closed_form():
    # Leaving out a document moves a stratum's mean by W_h (r̄ - r)/(K_h - 1): Davison and Hinkley
    # (1997), section 5.3.2. Sums of 9 terms.
    size, total = documents(9, seed=2)
    strata, rates = np.repeat([0, 1], [4, 5]), total / size
    centred = rates - np.bincount(strata, weights=rates)[strata] / np.bincount(strata)[strata]
    influence = centred / 9
    expected = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    found = jackknife_acceleration(DocumentSums.macro(size, total, strata))
    assert found == pytest.approx(expected, rel=1e-11)


def test_bca_falls_back_at_a_boundary():
    sums = DocumentSums.macro(*documents(6))
    one_side = Replicates(np.linspace(0.1, 0.2, 50), np.ones(50), np.zeros(50, bool))
    found = bca(sums, one_side, 0.1)
    plain = percentile(sums, one_side, 0.1)
    assert (found.low, found.high) == (plain.low, plain.high)
    assert found.note.startswith("BCa is at a boundary (every replicate is on one side")


def test_studentized_interval_and_p_agree():
    # p < alpha when 0 is outside: shift the scores so that 0 is a little inside or outside a limit.
    # The interval's quantile interpolates, and p counts the sample too, so a few steps of 2/2000
    # lie between them; a tenth of a standard error is more than that.
    size, total = documents(20)
    sums = DocumentSums.micro(size, total)
    replicates = document_bootstrap(sums, 1999, np.random.default_rng(3))
    limits = studentized(sums, replicates, 0.05)
    for shift, inside in ((limits.low - 0.1 * sums.se, False), (limits.low + 0.1 * sums.se, True)):
        moved = DocumentSums.micro(size, total - shift * size)
        drawn = document_bootstrap(moved, 1999, np.random.default_rng(3))
        found = studentized(moved, drawn, 0.05)
        assert (found.low < 0 < found.high) is inside
        assert (found.pvalue > 0.05) is inside
        ratio = drawn.change / drawn.se
        beyond = np.count_nonzero(ratio >= moved.estimate / moved.se)
        assert found.pvalue == 2 * (1 + beyond) / 2000


# ---- arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 0, 1), "n_boot=0: give a whole number"),
        ((1, 99.0, 1), r"n_boot=99.0: give a whole number"),
        ((1, 99, 0), "n_jobs=0: give 1, 2"),
        ((None, 99, 1), "seed=None: give an int"),
        ((True, 99, 1), "seed=True: give an int"),
        ((-1, 99, 1), "seed=-1: give an int"),
    ],
)
def test_wrong_arguments_get_one_line(arguments, message):
    with pytest.raises(ValueError, match=message):
        check_draws(*arguments)


def test_a_generator_moves_on():
    rng = np.random.default_rng(1)
    assert check_draws(rng, 9, 1).rng is rng
    first, second = (
        document_bootstrap(DocumentSums.micro(*documents(6)), 9, rng).change for _ in range(2)
    )
    assert not np.array_equal(first, second)


def test_workers_without_joblib_say_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "joblib", None)
    with pytest.raises(
        ImportError, match=r"n_jobs=2 needs joblib: pip install 'ragstats\[parallel"
    ):
        workers(2)
    assert workers(1) is map
