"""Products of K small matrices, in both memory orders, against one document at a time."""

import numpy as np
import pytest

from ragstats.core import batched
from ragstats.core.segments import SMALL, empty

SIZES = (1, 2, SMALL, SMALL + 1, 9)


def matrices(rng, n_groups, p, q):
    stack = empty(n_groups, p, q)
    stack[...] = rng.normal(size=(n_groups, p, q))
    return stack


def test_small_matrices_have_their_documents_next_to_each_other():
    small, large = empty(50, 2, 2), empty(50, SMALL + 1, SMALL + 1)
    assert small.strides[0] == 8
    assert large.strides[0] == 8 * (SMALL + 1) ** 2


@pytest.mark.parametrize("p", SIZES)
def test_every_product_is_that_of_each_document(p):
    rng = np.random.default_rng(p)
    left, right, vectors = matrices(rng, 7, p, p), matrices(rng, 7, p, p), rng.normal(size=(7, p))
    contrasts, basis = rng.normal(size=(3, p)), rng.normal(size=(p, p))
    symmetric = empty(7, p, p)
    symmetric[...] = left + left.transpose(0, 2, 1)
    each = range(7)
    # sums of at most 81 products of order 1: rounding below 1e-13
    close = {"rtol": 1e-12, "atol": 1e-13}
    for a, b in ((left, right), (left.copy("C"), right), (left, right.copy("C"))):
        expected = np.stack([a[k] @ b[k] for k in each])
        np.testing.assert_allclose(batched.multiply(a, b), expected, **close)
        out = empty(7, p, p)
        assert batched.multiply(a, b, out=out) is out
        np.testing.assert_allclose(out, expected, **close)
        np.testing.assert_allclose(
            batched.apply(a, vectors), np.stack([a[k] @ vectors[k] for k in each]), **close
        )
        np.testing.assert_allclose(
            batched.apply(a, vectors[0]), np.stack([a[k] @ vectors[0] for k in each]), **close
        )
        np.testing.assert_allclose(
            batched.images(a, contrasts),
            np.stack([np.stack([a[k] @ c for k in each], axis=1) for c in contrasts]),
            **close,
        )
    for s in (symmetric, symmetric.copy("C"), symmetric.copy("F")):
        np.testing.assert_allclose(
            batched.turn(s, basis), np.stack([basis.T @ s[k] @ basis for k in each]), **close
        )
        np.testing.assert_allclose(
            batched.quadratic(s, contrasts),
            [[c @ s[k] @ c for k in each] for c in contrasts],
            **close,
        )


def test_products_of_rectangles():
    rng = np.random.default_rng(0)
    left, right = matrices(rng, 4, 3, 5), matrices(rng, 4, 5, 2)
    np.testing.assert_allclose(batched.multiply(left, right), left @ right, rtol=1e-13)
    contrasts = rng.normal(size=(2, 5))
    assert batched.images(left, contrasts).shape == (2, 3, 4)
