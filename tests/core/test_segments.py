"""Sums by document, whether the rows come document by document or not."""

import numpy as np
import pytest

from ragstats.core.segments import RUN, Segments


def rows(sizes, p=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return codes, rng.normal(size=(len(codes), p)), rng.normal(size=(len(codes), 2))


@pytest.mark.parametrize("sizes", [[RUN * 2, RUN * 3, RUN], [1, 2, 40, 50], [1, 1, 2]])
@pytest.mark.parametrize("shuffled", [False, True])
def test_sums_and_products_are_those_of_each_document(sizes, shuffled):
    codes, left, right = rows(sizes)
    if shuffled:
        order = np.random.default_rng(1).permutation(len(codes))
        codes, left, right = codes[order], left[order], right[order]
    segments = Segments(codes, len(sizes))
    of = [codes == g for g in range(len(sizes))]
    close = {"rtol": 1e-13, "atol": 1e-13}  # sums of at most 50 products of order 1
    np.testing.assert_allclose(segments.sum(left[:, 0]), [left[m, 0].sum() for m in of], **close)
    np.testing.assert_allclose(segments.sum(left), [left[m].sum(axis=0) for m in of], **close)
    np.testing.assert_allclose(segments.gram(left), [left[m].T @ left[m] for m in of], **close)
    np.testing.assert_allclose(
        segments.cross(left, right), [left[m].T @ right[m] for m in of], **close
    )
    np.testing.assert_allclose(
        segments.cross(left, right[:, 0]), [left[m].T @ right[m, 0] for m in of], **close
    )


def test_a_document_without_rows_sums_to_zero():
    codes = np.repeat([0, 2], 40)
    sums = Segments(codes, 3).sum(np.ones(80))
    assert sums.tolist() == [40.0, 0.0, 40.0]


def test_runs_round_less():
    """A document of a million equal rows: pairwise summation keeps all but the last digits."""
    n = 1_000_000
    total = Segments(np.zeros(n, np.intp), 1).sum(np.full(n, 0.1))
    assert abs(total[0] - 0.1 * n) < 1e-12 * 0.1 * n
