"""The table of covariance types, and its function of the leverages."""

import numpy as np
import pytest

from ragstats.core.adjustment import ADJUSTMENTS, FOREIGN_NAMES, adjustment, leverage_power


def leverages(rng, n_groups, p, largest):
    """Symmetric matrices with eigenvalues up to ``largest``."""
    basis = np.linalg.qr(rng.normal(size=(n_groups, p, p)))[0]
    values = rng.uniform(0, largest, (n_groups, p))
    return (basis * values[:, None, :]) @ basis.transpose(0, 2, 1)


def by_eigenvalues(gram, power):
    values, vectors = np.linalg.eigh(gram)
    root = (1 - values) ** -power
    return (vectors * root[:, None, :]) @ vectors.transpose(0, 2, 1)


@pytest.mark.parametrize("power", [0.5, 1.0])
@pytest.mark.parametrize("largest", [1e-9, 2e-7, 1e-5, 3e-4, 3e-3, 0.1, 0.9])
def test_every_tier_of_the_series_agrees_with_the_eigenvalues(power, largest):
    gram = leverages(np.random.default_rng(1), 50, 3, largest)
    found = leverage_power(gram, power)
    np.testing.assert_allclose(found.values, by_eigenvalues(gram, power), rtol=0, atol=5e-15)
    assert found.singular == {}


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_tiers_can_be_mixed(power):
    rng = np.random.default_rng(2)
    gram = np.concatenate([leverages(rng, 5, 2, top) for top in (0.9, 1e-9, 3e-3, 1e-5, 3e-4)])
    gram = gram[rng.permutation(len(gram))]
    found = leverage_power(gram, power).values
    np.testing.assert_allclose(found, by_eigenvalues(gram, power), rtol=0, atol=2e-14)


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_a_leverage_of_1_has_a_pseudo_inverse_and_is_reported(power):
    rng = np.random.default_rng(3)
    direction = np.array([0.6, 0.8, 0.0])
    other = np.array([-0.8, 0.6, 0.0])
    gram = np.stack(
        [np.outer(direction, direction) + 0.5 * np.outer(other, other), *leverages(rng, 2, 3, 0.5)]
    )
    found = leverage_power(gram, power)
    assert list(found.singular) == [0]
    basis = found.singular[0]
    np.testing.assert_allclose(np.abs(basis.T @ direction), 1.0, rtol=1e-12)
    np.testing.assert_allclose(found.values[0] @ direction, 0.0, atol=1e-12)
    np.testing.assert_allclose(found.values[0] @ other, 0.5**-power * other, atol=1e-12)


def test_factors():
    k, n, p = 10.0, 50.0, 3
    factors = {name: row.factor(k, n, p) for name, row in ADJUSTMENTS.items()}
    assert factors == {
        "CR0": 1.0,
        "CR1": pytest.approx(10 / 9),
        "CR1p": pytest.approx(10 / 7),
        "CR1S": pytest.approx(10 * 49 / (9 * 47)),
        "CR2": 1.0,
        "CR3": 1.0,
    }
    assert np.isnan(ADJUSTMENTS["CR1p"].factor(3, 50, 3))
    assert np.isnan(ADJUSTMENTS["CR1p"].factor(2, 50, 3))


def test_every_row_says_where_it_comes_from():
    for name, row in ADJUSTMENTS.items():
        assert row.name == name
        assert row.description
        assert row.source


@pytest.mark.parametrize("name", ADJUSTMENTS)
def test_names_find_their_row(name):
    assert adjustment(name) is ADJUSTMENTS[name]


@pytest.mark.parametrize("name", FOREIGN_NAMES)
def test_names_of_other_programs_are_answered_with_ours(name):
    with pytest.raises(ValueError, match=r"(is|here) .*use one of 'CR0', 'CR1'"):
        adjustment(name)


@pytest.mark.parametrize(("typed", "meant"), [("cr2", "CR2"), ("CRS2", "CR2"), ("CR-3", "CR3")])
def test_an_unknown_name_is_answered_with_the_nearest(typed, meant):
    with pytest.raises(ValueError, match=f"cov_type='{typed}' is unknown .*'{meant}'"):
        adjustment(typed)
