"""The closed forms of the procedure for means: the same that handcheck.json compared with R.

R (clubSandwich) agreed with each of them on 300 random designs; the stored file has the largest
relative discrepancy of each. Here ragstats takes the place of R.
"""

import json

import numpy as np
import pandas as pd
import pytest
from regression_ledger import STORED

import ragstats as rs

STORED_DISCREPANCIES = json.loads((STORED / "handcheck.json").read_text(encoding="utf-8"))[
    "max_relative_discrepancy"
]
# Sums of at most a few hundred terms of order 1; R's own discrepancies are 6e-15 to 2e-13.
RTOL = 1e-11
DESIGNS = 24


def random_scores(seed):
    """0/1 scores of documents of very unequal size."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, rng.choice([3, 10, 40]), rng.integers(3, 20), endpoint=True)
    doc = np.repeat(np.arange(sizes.size), sizes)
    rate = rng.beta(2, 2, sizes.size)
    hit = (rng.random(doc.size) < rate[doc]).astype(float)
    hit[0], hit[-1] = 0.0, 1.0  # so that the documents are never all alike
    return pd.DataFrame({"doc": doc, "hit": hit, "w": 1 / sizes[doc]})


def totals(scores):
    by = scores.groupby("doc")["hit"]
    return by.size().to_numpy(float), by.sum().to_numpy(float)


def satterthwaite(working_covariance):
    return np.trace(working_covariance) ** 2 / np.sum(working_covariance**2)


def micro(scores):
    """R, CR2 and df of the micro mean, from (n_d, s_d) alone."""
    n, s = totals(scores)
    rate, total = s.sum() / n.sum(), n.sum()
    u, a = s - rate * n, 1 / np.sqrt(1 - n / total)
    covariance = np.diag(a**2 * n) - np.outer(a * n, a * n) / total
    return rate, np.sqrt((a**2 * u**2).sum()) / total, satterthwaite(covariance)


def macro(scores):
    """Mean, CR2 and df of the macro mean: documents as the observations."""
    n, s = totals(scores)
    r = s / n
    return r.mean(), r.std(ddof=1) / np.sqrt(r.size), r.size - 1


def macro_equal_variances(scores):
    """CR2 and df of the macro mean if the rows, not the documents, had equal variances."""
    n, s = totals(scores)
    r, k, total = s / n, n.size, (1 / n).sum()
    a = (1 - 2 / k + n * total / k**2) ** -0.5
    v = 1 / n
    inner = np.diag(v) - (v[:, None] + v[None, :]) / k + total / k**2
    se = np.sqrt((a**2 * (r - r.mean()) ** 2).sum()) / k
    return r.mean(), se, satterthwaite(np.outer(a, a) * inner)


def one(results):
    return results.params.iloc[0], results.bse.iloc[0], results.df_inference.iloc[0]


@pytest.mark.parametrize("seed", range(DESIGNS))
def test_micro_mean_has_the_closed_form(seed):
    scores = random_scores(seed)
    found = one(rs.ols("hit ~ 1", scores, groups="doc").fit())
    np.testing.assert_allclose(found, micro(scores), rtol=RTOL)


@pytest.mark.parametrize("seed", range(DESIGNS))
def test_macro_mean_is_the_mean_of_documents(seed):
    scores = random_scores(seed)
    found = one(rs.ols("hit ~ 1", scores, groups="doc", estimand="macro").fit())
    np.testing.assert_allclose(found, macro(scores), rtol=RTOL, atol=1e-15)
    weighted = rs.wls("hit ~ 1", scores, groups="doc", weights="w", working="inverse_var")
    np.testing.assert_allclose(one(weighted.fit()), macro(scores), rtol=RTOL, atol=1e-15)


@pytest.mark.parametrize("seed", range(DESIGNS))
def test_macro_weights_under_equal_variances_have_the_closed_form(seed):
    scores = random_scores(seed)
    found = one(rs.wls("hit ~ 1", scores, groups="doc", weights="w", working="identity").fit())
    np.testing.assert_allclose(found, macro_equal_variances(scores), rtol=RTOL, atol=1e-15)


def stacked_and_paired(seed):
    """Two systems on the same queries, stacked and as differences."""
    first, second = random_scores(seed), random_scores(seed)
    second["hit"] = np.random.default_rng(seed + 1000).permutation(second["hit"])
    first["system"], second["system"] = "A", "B"
    gaps = first.assign(gap=second["hit"] - first["hit"])
    stacked = rs.ols("hit ~ system", pd.concat([first, second]), groups="doc")
    return stacked, rs.ols("gap ~ 1", gaps, groups="doc")


@pytest.mark.parametrize("seed", range(0, DESIGNS, 4))
@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR2", "CR3"])
def test_stacked_pairs_equal_their_differences(seed, cov_type):
    both = [model.fit(cov_type=cov_type) for model in stacked_and_paired(seed)]
    for attribute in ("params", "bse", "df_inference"):
        ours, theirs = (getattr(results, attribute).iloc[-1] for results in both)
        np.testing.assert_allclose(ours, theirs, rtol=RTOL, atol=1e-14, err_msg=attribute)


def test_the_ik_df_of_stacked_pairs_are_not_those_of_the_differences():
    """Their residuals have another intra-document correlation."""
    ratios = []
    for seed in range(0, DESIGNS, 4):
        stacked, paired = (model.fit(df="IK") for model in stacked_and_paired(seed))
        ratios.append(stacked.df_inference.iloc[-1] / paired.df_inference.iloc[-1])
    assert np.ptp(ratios) > 0.05


def test_the_working_model_changes_the_macro_mean():
    """The two meanings of macro weights are far apart: SE up to 25%, df down to a quarter."""
    ratios = np.array(
        [
            np.array(macro_equal_variances(s)[1:]) / np.array(macro(s)[1:])
            for s in map(random_scores, range(DESIGNS))
        ]
    )
    assert np.abs(ratios[:, 0] - 1).max() > 0.05
    assert ratios[:, 1].min() < 0.6


#: Which test has the place of each stored discrepancy.
COVERED = {
    "micro_": test_micro_mean_has_the_closed_form,
    "macro_invvar_": test_macro_mean_is_the_mean_of_documents,
    "macro_default_vs_sd_over_sqrtK_se": test_the_working_model_changes_the_macro_mean,
    "macro_default_min_df_over_Km1": test_the_working_model_changes_the_macro_mean,
    "macro_default_": test_macro_weights_under_equal_variances_have_the_closed_form,
    "stacked_IK_df_": test_the_ik_df_of_stacked_pairs_are_not_those_of_the_differences,
    "stacked_": test_stacked_pairs_equal_their_differences,
}


@pytest.mark.parametrize("name", STORED_DISCREPANCIES)
def test_every_stored_discrepancy_has_its_test(name):
    assert any(name.startswith(prefix) for prefix in COVERED)
