"""The nodes of the rational approximation of b^(-1/2)."""

import numpy as np
import pytest

from ragstats.core.rational import inverse_root_nodes


@pytest.mark.parametrize("exponent", range(21))
def test_the_error_is_below_1e_13_over_the_whole_interval(exponent):
    condition = 10.0**exponent
    shifts, slopes = inverse_root_nodes(condition)
    assert (shifts > 0).all()
    assert (slopes > 0).all()
    values = np.geomspace(1 / condition, 1.0, 3001)
    approximated = (slopes / (values[:, None] + shifts)).sum(axis=1)
    np.testing.assert_allclose(approximated * np.sqrt(values), 1.0, rtol=0, atol=1e-13)


def test_the_number_of_nodes_grows_with_the_logarithm_of_the_condition():
    counts = [inverse_root_nodes(10.0**e)[0].size for e in (0, 5, 10, 15, 20)]
    assert counts == sorted(counts)
    assert counts[0] <= 14
    assert counts[-1] <= 98
