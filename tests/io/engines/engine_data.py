"""Rows for the tests of engines: two systems and more, missing values, documents of all sizes."""

from __future__ import annotations

import numpy as np
import pandas as pd

#: Formulas that engines compute, with what is special about each.
FORMULAS = (
    "y ~ 1",
    "y ~ 0 + system",
    "y ~ system * x",
    "y ~ np.log(x)",
    "y ~ C(system, Treatment('b'))",
    "y ~ C(system, Sum) * flag + np.log1p(x):z + I(x * z) + C(level)",
    "y ~ 0 + x",
    "y ~ x + I(x**2) + z",
    "y ~ 0 + C(level):x + system",
    "np.log(x) ~ system + z",
    "y ~ I(x > 3) + np.sqrt(x) / z",
    "y ~ np.log10(x) + np.exp(-x) + np.abs(z - 1950) + np.square(x) + system:flag",
)
#: Formulas that only patsy can evaluate.
PATSY_FORMULAS = ("y ~ bs(z, df=4) + system", "y ~ center(z) * C(system)", "y ~ np.minimum(x, 5)")


def scored_rows(n_rows: int = 2000, n_documents: int = 60, seed: int = 1) -> pd.DataFrame:
    """Return rows with missing scores, covariates and systems."""
    rng = np.random.default_rng(seed)
    documents = np.sort(rng.integers(0, n_documents, n_rows) % rng.integers(1, n_documents, n_rows))
    rows = pd.DataFrame(
        {
            "doc": [f"d{g:03d}" for g in documents],
            "system": rng.choice(["a", "b", "c"], n_rows),
            "x": rng.gamma(2.0, 3.0, n_rows) + 0.01,
            "z": rng.normal(1950, 5, n_rows),
            "flag": rng.random(n_rows) < 0.3,
            "level": rng.integers(1, 4, n_rows),
        }
    )
    effect = rng.normal(size=n_documents)[documents]
    rows["y"] = (rng.random(n_rows) < 0.4).astype(float) + 0.1 * effect + 0.02 * rows["x"]
    rows["hit"] = (rng.random(n_rows) < 0.4).astype(int)
    rows.loc[rng.choice(n_rows, n_rows // 40, replace=False), "x"] = np.nan
    rows.loc[rng.choice(n_rows, n_rows // 100, replace=False), "system"] = None
    rows.loc[rng.choice(n_rows, n_rows // 200, replace=False), "y"] = np.nan
    return rows.iloc[rng.permutation(n_rows)].reset_index(drop=True)


def largest_difference(one: object, other: object) -> float:
    """Return the largest relative difference of two arrays."""
    first, second = np.asarray(one, float), np.asarray(other, float)
    assert first.shape == second.shape
    assert np.array_equal(np.isnan(first), np.isnan(second))
    assert np.array_equal(np.isinf(first), np.isinf(second))
    known = np.isfinite(second)
    gap, scale = np.abs(first[known] - second[known]), np.maximum(np.abs(second[known]), 1e-12)
    return float((gap / scale).max(initial=0.0))


def assert_same_fit(streamed: object, reference: object, tolerance: float = 1e-9) -> None:
    """Assert that two results have the same coefficients, SE, df and counts."""
    assert list(streamed.params.index) == list(reference.params.index)
    for name in ("bse", "df_inference"):
        difference = largest_difference(getattr(streamed, name), getattr(reference, name))
        assert difference < tolerance, (name, difference)
    # A coefficient that is 0 but for rounding has no digits of its own: its SE is the scale.
    size = np.fmax(np.abs(np.asarray(reference.params)), np.asarray(reference.bse))
    distance = np.abs(np.asarray(streamed.params) - np.asarray(reference.params))
    assert (distance <= tolerance * size).all(), ("params", distance / size)
    assert streamed.nobs == reference.nobs
    assert streamed.n_groups == reference.n_groups
    assert streamed.model._design.dropped == reference.model._design.dropped
    assert abs(streamed.rsquared - reference.rsquared) < tolerance
