"""The wild cluster bootstrap from moments: rows, wildboottest, enumeration, inversion."""

import itertools
import json

import numpy as np
import pytest
from wildboottest_cases import STORED, cases, run

from ragstats.core.adjustment import adjustment
from ragstats.core.covariance import inverse_variance
from ragstats.core.estimate import least_squares
from ragstats.core.resampling_draws import workers
from ragstats.core.wild import wild_bootstrap, wild_contrast, wild_statistics
from ragstats.core.wild_interval import invert, last_accepted
from ragstats.core.wild_weights import WEIGHTS, all_signs, draw_weights, lists_all

ANSWERS = json.loads(STORED.read_text(encoding="utf-8"))
CASES = cases()


def fit(y, design, documents, weights=None):
    ids, codes = np.unique(documents, return_inverse=True)
    return least_squares(design, y, codes, ids, weights=weights)


def replicates(y, design, documents, row, *, weights=None, n_boot=9999, rng=None, **options):
    moments = fit(y, design, documents, weights).moments
    return wild_bootstrap(wild_contrast(moments, row, **options), n_boot, rng)


def ratios(drawn, null=0.0):
    numerator, se = drawn.statistics(null)
    return numerator / se


def stata_factor(design):
    """wildboottest studentizes by CR1S, whose further factor cancels in p."""
    n, p = design.shape
    return np.sqrt((n - p) / (n - 1))


def case(name):
    y, design, documents, column = CASES[name]
    return y, design, documents, np.eye(design.shape[1])[column]


def unequal(seed, k=6, p=3, weighted=False):
    """A regression on documents of unequal sizes, and a contrast."""
    rng = np.random.default_rng(seed)
    documents = np.repeat(np.arange(k), rng.integers(p + 1, 12, k))
    design = np.column_stack([np.ones(documents.size), rng.normal(size=(documents.size, p - 1))])
    y = (
        rng.normal(size=k)[documents]
        + design @ rng.normal(size=p)
        + rng.normal(size=documents.size)
    )
    weights = rng.uniform(0.5, 2, documents.size) if weighted else None
    return y, design, documents, rng.normal(size=p), weights


# ---- against other programs and against rows -------------------------------------------------


@pytest.mark.parametrize("scheme", ["WCR", "WCU"])
@pytest.mark.parametrize("name", CASES)
def test_all_ratios_are_wildboottests(name, scheme):
    stored = ANSWERS[f"{name}/{scheme}"]
    drawn = replicates(*case(name), restricted=scheme == "WCR")
    factor = stata_factor(CASES[name][1])
    t = factor * drawn.target.estimate / drawn.target.se
    # Cross-products of 100 rows of order 1 to 100, inverted there, orthonormal here; a t* of 0 is
    # 1e-16 there.
    assert t == pytest.approx(stored["t"], rel=1e-9)
    assert drawn.n_boot == stored["size"]
    ours = factor * np.sort(np.abs(ratios(drawn)))[::-1]
    np.testing.assert_allclose(ours, stored["t_boot"], rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize("name", ["seven_x", "seven_x2", "nine_constant", "nine_x", "nine_x2"])
@pytest.mark.parametrize("scheme", ["WCR", "WCU"])
def test_pvalues_are_wildboottests(name, scheme):
    # A share of 2^K sign vectors: equal to the last vector, or not at all. Under WCU the vector of
    # ones, which is the sample, has t* = 0 there and does not count; here the sample counts itself.
    drawn = replicates(*case(name), restricted=scheme == "WCR")
    itself = 0 if scheme == "WCR" else 1 / drawn.n_boot
    assert drawn.pvalue(0.0) == ANSWERS[f"{name}/{scheme}"]["p"] + itself


@pytest.mark.parametrize("alternative", ["two-sided", "larger", "smaller"])
@pytest.mark.parametrize(("restricted", "fewest"), [(True, 2), (False, 1)])
def test_the_smallest_p_is_that_of_the_sample_alone(restricted, fewest, alternative):
    # The null is so far away that no t* but the sample's own (WCR: and its mirror image) reaches t.
    drawn = replicates(*case("eight_documents"), restricted=restricted)
    null = drawn.target.estimate + (-1e6 if alternative == "larger" else 1e6)
    if alternative != "two-sided":
        fewest = 1
    assert drawn.pvalue(null, alternative) == fewest / 256
    assert drawn.pvalue(drawn.target.estimate) == 1.0  # t = 0: every replicate reaches it


def test_pvalue_of_the_eight_documents_counts_ties():
    # 42 of the 256 |t*| are larger and 2 are equal: wildboottest's rounding leaves these out here.
    p = replicates(*case("eight_documents")).pvalue(0.0)
    assert p == 44 / 256
    assert ANSWERS["eight_documents/WCR"]["p"] == 42 / 256


@pytest.mark.parametrize("name", ["seven_x", "nine_x2", "eight_documents"])
def test_wildboottest_live(name):
    pytest.importorskip("wildboottest", reason="the PyPI package wildboottest is not installed")
    t, theirs, _ = run(*CASES[name], impose_null=True)
    drawn = replicates(*case(name))
    ours = stata_factor(CASES[name][1]) * np.sort(np.abs(ratios(drawn)))
    np.testing.assert_allclose(np.sort(np.abs(theirs)), ours, rtol=1e-8, atol=1e-14)
    counted = np.mean(np.abs(theirs) >= abs(t) * (1 - 1e-9))  # its own t*, ties counted
    assert drawn.pvalue(0.0) == counted


def by_rows(y, design, documents, row, signs, null, *, weights, restricted, power):
    """t* of one vector of weights by refitting rows, and CR1 or CR2 with its K matrices."""
    root = np.ones(y.size) if weights is None else np.sqrt(weights)
    x, y = design * root[:, None], y * root
    inverse = np.linalg.inv(x.T @ x)
    beta = inverse @ x.T @ y
    start = beta
    if restricted:
        start = beta - inverse @ row * (row @ beta - null) / (row @ inverse @ row)
    star = x @ start + signs[documents] * (y - x @ start)
    again = inverse @ x.T @ star
    residuals, square = star - x @ again, 0.0
    for g in np.unique(documents):
        x_g, e_g = x[documents == g], residuals[documents == g]
        block = np.eye(len(x_g)) - x_g @ inverse @ x_g.T
        if power:
            values, vectors = np.linalg.eigh(block)
            e_g = vectors @ (values**-power * (vectors.T @ e_g))
        square += (row @ inverse @ x_g.T @ e_g) ** 2
    k = np.unique(documents).size
    factor = 1.0 if power else k / (k - 1)
    return (row @ again - (null if restricted else row @ beta)) / np.sqrt(factor * square)


@pytest.mark.parametrize("studentize", ["CR1", "CR2"])
@pytest.mark.parametrize("restricted", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_moments_give_what_rows_give(weighted, restricted, studentize):
    # Refits of 30 to 60 rows by normal equations: 1e-9 of the largest t*.
    for seed in (1, 2, 3):
        y, design, documents, row, weights = unequal(seed, weighted=weighted)
        drawn = replicates(
            y, design, documents, row, weights=weights, restricted=restricted, studentize=studentize
        )
        null = 0.3
        expected = [
            by_rows(
                y, design, documents, row, signs, null, weights=weights, restricted=restricted,
                power=0.5 if studentize == "CR2" else 0.0,
            )
            for signs in next(iter(all_signs(6)))
        ]  # fmt: skip
        np.testing.assert_allclose(
            ratios(drawn, null), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max()
        )


@pytest.mark.parametrize("studentize", ["CR1", "CR2"])
def test_the_studentizing_error_is_that_of_the_covariance(studentize):
    y, design, documents, row, _ = unequal(5)
    moments = fit(y, design, documents).moments
    covariance = inverse_variance(moments, adjustment(studentize)).covariance()
    se = wild_contrast(moments, row, studentize=studentize).se
    assert se == pytest.approx(np.sqrt(row @ covariance @ row), rel=1e-12)  # the same sums


# ---- enumeration and weights -----------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 5, 9])
@pytest.mark.parametrize("cells", [1, 50, 1 << 20])
def test_all_sign_vectors_come_once(k, cells):
    signs = np.concatenate(list(all_signs(k, cells=cells)))
    assert {tuple(v) for v in signs} == set(itertools.product((-1.0, 1.0), repeat=k))
    assert len(signs) == 2**k


@pytest.mark.parametrize(
    ("k", "n_boot", "weights", "listed"),
    [
        (12, 99, "rademacher", True),
        (13, 8191, "rademacher", False),
        (13, 8192, "rademacher", True),
        (1300, 9999, "rademacher", False),
        (8, 9999, "webb", False),
        (8, 9999, "mammen", False),
    ],
)
def test_when_all_are_listed(k, n_boot, weights, listed):
    assert lists_all(k, n_boot, weights) is listed


def test_the_sample_is_one_of_the_listed():
    drawn = replicates(*case("nine_x"))
    t = drawn.target.estimate / drawn.target.se
    values = ratios(drawn)
    assert values[-1] == pytest.approx(t, rel=1e-12)  # all +1: the sample again
    assert values[0] == pytest.approx(-t, rel=1e-12)
    np.testing.assert_allclose(values, -values[::-1], rtol=1e-9)  # v and -v


@pytest.mark.parametrize(
    ("weights", "points", "shares"),
    [
        ("rademacher", [-1, 1], [1 / 2, 1 / 2]),
        ("webb", np.sqrt([1.5, 1, 0.5]).tolist() + (-np.sqrt([1.5, 1, 0.5])).tolist(), [1 / 6] * 6),
        (
            "mammen",
            [(1 - np.sqrt(5)) / 2, (1 + np.sqrt(5)) / 2],
            [(np.sqrt(5) + 1) / (2 * np.sqrt(5)), (np.sqrt(5) - 1) / (2 * np.sqrt(5))],
        ),
    ],
)
def test_weights_are_those_of_the_papers(weights, points, shares):
    points, shares = np.array(points), np.array(shares)
    drawn = np.concatenate(list(draw_weights(np.random.default_rng(1), 4000, 15, weights)))
    distinct, counts = np.unique(drawn, return_counts=True)
    order = np.argsort(points)
    np.testing.assert_allclose(distinct, points[order], rtol=1e-15)
    # 60,000 draws, 5 standard errors of a share.
    assert np.abs(counts / drawn.size - shares[order]).max() < 5 * np.sqrt(0.25 / drawn.size)
    # mean 0, variance 1, third moment 1 for Mammen: closed forms, one rounding each.
    moments = [shares @ points**m for m in (1, 2, 3)]
    assert moments == pytest.approx([0, 1, 1 if weights == "mammen" else 0], abs=1e-15)
    split = np.concatenate(
        list(draw_weights(np.random.default_rng(1), 4000, 15, weights, cells=777))
    )
    assert np.array_equal(drawn, split)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_random_weights_agree_with_all_of_them(weights):
    # K = 14: the p of all 16,384 vectors, against 20,000 random ones; Webb's and Mammen's differ a
    # little by themselves. 5 standard errors of a share, and 0.05 for the other distributions.
    y, design, documents, row, _ = unequal(7, k=14)
    target = wild_contrast(fit(y, design, documents).moments, row)
    null = target.estimate - 1.2 * target.se
    exact = wild_bootstrap(target, 2**14, None).pvalue(null)
    moments = [
        wild_statistics(target, w)
        for w in draw_weights(np.random.default_rng(3), 20_000, 14, weights)
    ]
    assert sum(m.shape[1] for m in moments) == 20_000
    drawn = wild_bootstrap(target, 16_000, np.random.default_rng(3), weights=weights)
    assert not drawn.listed
    allowed = 5 * np.sqrt(0.25 / 16_000) + (0.05 if weights != "rademacher" else 0)
    assert abs(drawn.pvalue(null) - exact) < allowed
    assert drawn.pvalue(null) == (1 + drawn.extreme(null)) / 16_001


def test_neither_batches_nor_workers_change_a_bit():
    y, design, documents, row, _ = unequal(8, k=20)
    target = wild_contrast(fit(y, design, documents).moments, row)
    runs = [
        wild_bootstrap(target, 600, np.random.default_rng(2), **options)
        for options in ({}, {"cells": 1}, {"cells": 333}, {"cells": 4000, "mapper": workers(2)})
    ]
    for other in runs[1:]:  # the same sums in the same order: no tolerance
        assert np.array_equal(runs[0].numerator, other.numerator)
        assert np.array_equal(runs[0].square, other.square)


# ---- nulls, p-values, intervals --------------------------------------------------------------


def test_every_null_comes_from_one_set_of_sums():
    # p of "c'β = null" is p of "c'β = 0" after null·x has been taken from y.
    y, design, documents, _, _ = unequal(9)
    row = np.array([0.0, 1, 0])
    drawn = replicates(y, design, documents, row)
    for null in (-0.7, 0.1, 2.5):
        moved = replicates(y - null * design[:, 1], design, documents, row)
        np.testing.assert_allclose(ratios(drawn, null), ratios(moved), rtol=1e-8)
        for alternative in ("two-sided", "larger", "smaller"):
            assert drawn.pvalue(null, alternative) == moved.pvalue(0.0, alternative)


def test_one_sided_pvalues_mirror_each_other():
    drawn = replicates(*case("nine_x"))
    t = drawn.target.estimate / drawn.target.se
    values = ratios(drawn)
    assert drawn.pvalue(0.0, "larger") == np.mean(values >= t - 1e-9 * abs(t))
    assert drawn.pvalue(0.0, "smaller") == np.mean(values <= t + 1e-9 * abs(t))
    y, design, documents, row = case("nine_x")
    mirrored = replicates(-y, design, documents, row)
    assert mirrored.pvalue(0.0, "smaller") == drawn.pvalue(0.0, "larger")


@pytest.mark.parametrize("restricted", [True, False])
@pytest.mark.parametrize("name", ["eight_documents", "nine_x", "nine_x2"])
@pytest.mark.parametrize("alternative", ["two-sided", "larger", "smaller"])
def test_the_limits_are_where_p_crosses_alpha(name, restricted, alternative):
    drawn = replicates(*case(name), restricted=restricted)
    found = invert(drawn, 0.05, alternative)
    step = 1e-8 * (drawn.target.se + abs(drawn.target.estimate))
    if alternative == "smaller":
        assert found.low == -np.inf
    else:
        assert drawn.pvalue(found.low, alternative) > 0.05
        assert drawn.pvalue(found.low - step, alternative) <= 0.05
    if alternative == "larger":
        assert found.high == np.inf
    else:
        assert drawn.pvalue(found.high, alternative) > 0.05
        assert drawn.pvalue(found.high + step, alternative) <= 0.05
    assert found.low < drawn.target.estimate < found.high


def test_the_interval_of_the_eight_documents():
    found = invert(replicates(*case("eight_documents")), 0.05)
    assert (round(found.low, 3), round(found.high, 3)) == (-0.157, 0.190)


def test_the_unrestricted_interval_has_a_closed_form():
    # t* does not depend on the null: θ̂ ± q·se, q the largest |t*| such that more than 5% are as
    # large; to the tolerance of the bisection.
    drawn = replicates(*case("nine_x"), restricted=False)
    largest = np.sort(np.abs(ratios(drawn)))[::-1]
    q = largest[int(np.floor(0.05 * drawn.n_boot))]
    found, target = invert(drawn, 0.05), drawn.target
    # ties count up to 1e-9 beyond q
    assert found.low == pytest.approx(target.estimate - q * target.se, rel=1e-8)
    assert found.high == pytest.approx(target.estimate + q * target.se, rel=1e-8)


def test_five_documents_reject_no_null():
    # 2 of 32 sign vectors repeat the sample: p is at least .0625, whatever the null.
    y, design, documents, row, _ = unequal(11, k=5)
    drawn = replicates(y, design, documents, row)
    assert drawn.pvalue(1e6) == 2 / 32
    found = invert(drawn, 0.05)
    assert (found.low, found.high) == (-np.inf, np.inf)
    assert np.isfinite(invert(drawn, 0.10).low)


def test_the_search_goes_the_other_way_when_the_start_is_rejected():
    # A step at a known place; the tolerance is 1e-10.
    assert last_accepted(lambda x: x < -3.7) == pytest.approx(-3.7, abs=1e-9)
    assert last_accepted(lambda x: x < 12.25) == pytest.approx(12.25, rel=1e-9)
    assert last_accepted(lambda x: True) == np.inf
    assert last_accepted(lambda x: False) == -np.inf


@pytest.mark.parametrize("scale", [1e-150, 1e3])
def test_units_and_row_order_change_nothing(scale):
    y, design, documents, row, _ = unequal(12)
    order = np.random.default_rng(0).permutation(y.size)
    first = replicates(y, design, documents, row)
    second = replicates(scale * y[order], design[order], documents[order], row)
    for null in (0.0, 0.4):
        assert first.pvalue(null) == second.pvalue(scale * null)
    one, two = invert(first, 0.05), invert(second, 0.05)
    # the bisection stops within 1e-10 se
    assert (two.low / scale, two.high / scale) == pytest.approx((one.low, one.high), rel=1e-8)


# ---- arguments -------------------------------------------------------------------------------


def test_wrong_arguments_get_one_line():
    y, design, documents, row, _ = unequal(1, k=13)
    moments = fit(y, design, documents).moments
    with pytest.raises(ValueError, match="studentize='CR3' is unknown"):
        wild_contrast(moments, row, studentize="CR3")
    target = wild_contrast(moments, row)
    with pytest.raises(ValueError, match=r"weights='web' is unknown .*'webb'"):
        wild_bootstrap(target, 99, None, weights="web")
    with pytest.raises(ValueError, match="seed=None: the weights of 13 documents are drawn"):
        wild_bootstrap(target, 99, None)
    drawn = wild_bootstrap(target, 99, np.random.default_rng(1))
    with pytest.raises(ValueError, match="alternative='greater' is unknown"):
        drawn.pvalue(0.0, "greater")
