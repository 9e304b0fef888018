"""Published or deterministic numbers of other programs, reproduced."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.datasets import grunfeld

import ragstats as rs
from ragstats.datasets import load_eight_documents

# The numbers are given with 10 digits (evaluations of the same double-precision formulas).
RTOL = 2e-9


def column(results, name):
    return np.asarray(getattr(results, name))


def test_the_test_data_of_dfadjust():
    """dfadjust, tests: CR1S, CR2 and both df of the intercept and the slope."""
    y = np.concatenate([np.cos(np.arange(10)), np.tan(np.arange(1, 11))])
    x = np.concatenate([np.sin(np.arange(1, 11)), np.sin(np.arange(2, 12))])
    cluster = np.resize([2, 1, 3, 2, 2, 3, 3, 1, 1, 2], 20)
    model = rs.OLS(y, np.column_stack([np.ones(20), x]), groups=cluster)
    results, kolesar = model.fit(), model.fit(df="IK")
    np.testing.assert_allclose(results.params, [-0.4456202905, 0.3241183110], rtol=RTOL)
    np.testing.assert_allclose(results.bse, [0.4801971865, 0.2156747769], rtol=RTOL)
    np.testing.assert_allclose(
        model.fit(cov_type="CR1S").bse, [0.4827602183, 0.1814501834], rtol=RTOL
    )
    np.testing.assert_allclose(kolesar.df_inference, [2.001430933, 1.783242385], rtol=RTOL)
    np.testing.assert_allclose(results.df_inference, [1.998847183, 1.797370325], rtol=RTOL)


def test_the_quadratic_example_of_dfadjust():
    """dfadjust, tests: y = 1…100 on sin(y) and its square, clusters of 40, 20, 20, 10 and 10."""
    y = np.arange(1.0, 101)
    x = np.sin(y)
    cluster = np.repeat(np.arange(5), [40, 20, 20, 10, 10])
    model = rs.OLS(y, np.column_stack([np.ones(100), x, x**2]), groups=cluster)
    results = model.fit(df="IK")
    assert results.params["x1"] == pytest.approx(-1.955355241, rel=RTOL)
    assert model.fit(cov_type="CR1S").bse["x1"] == pytest.approx(2.344474843, rel=RTOL)
    assert results.bse["x1"] == pytest.approx(2.460094992, rel=RTOL)
    assert results.df_inference["x1"] == pytest.approx(3.294011681, rel=RTOL)


def test_three_against_27_single_rows():
    """The df do not see the outcome; with 3 rows on one side there are few."""
    group = np.repeat([1.0, 0.0], [3, 27])
    outcome = np.cos(np.arange(30))
    results = rs.OLS(outcome, np.column_stack([np.ones(30), group]), groups=np.arange(30)).fit()
    assert results.df_inference["x1"] == pytest.approx(2.46679, abs=5e-6)


def test_grunfeld_with_cr3_by_firm():
    """statsmodels 0.15, cov_type='cluster-crv3': CR3 times √((K-1)/K)."""
    data = grunfeld.load_pandas().data
    data = data[data["firm"] != "American Steel"]
    results = rs.ols("invest ~ value + capital", data, groups="firm").fit(cov_type="CR3")
    assert results.n_groups == 10
    crv3 = results.bse * np.sqrt(9 / 10)
    expected = {"value": 0.01612997208, "capital": 0.1473308781, "Intercept": 34.81338218}
    np.testing.assert_allclose(crv3[list(expected)], list(expected.values()), rtol=RTOL)


#: One data set, many rules: SE, df and the 95% interval of the mean difference of eight unequal
#: documents, as the documentation prints them.
EIGHT_DOCUMENTS = {
    ("CR2", "satterthwaite"): (0.0337, 2.39, -0.008, 0.241, 0.057),
    ("CR1", "K-1"): (0.0324, 7, 0.040, 0.194, 0.009),
    ("CR1", "normal"): (0.0324, np.inf, 0.053, 0.180, 0.0003),
}


@pytest.mark.parametrize("rule", EIGHT_DOCUMENTS, ids=" ".join)
def test_eight_documents(rule):
    cov_type, df = rule
    se, nu, lower, upper, p = EIGHT_DOCUMENTS[rule]
    results = rs.ols("d ~ 1", load_eight_documents(), groups="doc").fit(cov_type=cov_type, df=df)
    found = [*results.bse, *results.df_inference, *np.ravel(results.conf_int())]
    assert results.params.iloc[0] == pytest.approx(0.1169, abs=5e-5)
    np.testing.assert_allclose(found[0], se, atol=5e-5)
    np.testing.assert_allclose(found[1], nu, atol=5e-3)
    np.testing.assert_allclose(found[2:], [lower, upper], atol=5e-4)
    assert results.pvalues.iloc[0] == pytest.approx(p, abs=5e-4 if p > 1e-3 else 5e-5)


def test_eight_documents_under_imbens_kolesar():
    results = rs.ols("d ~ 1", load_eight_documents(), groups="doc").fit(df="IK")
    assert results.df_inference.iloc[0] == pytest.approx(1.65, abs=5e-3)


def test_rows_of_eight_documents_taken_as_independent():
    """What most evaluation packages do, and why the document matters."""
    data = load_eight_documents()
    rows = stats.ttest_1samp(data["d"], 0.0)
    single = rs.OLS(data["d"], np.ones(len(data)), groups=np.arange(len(data))).fit(df="K-1")
    assert single.tvalues.iloc[0] == pytest.approx(rows.statistic, rel=1e-10)
    assert single.pvalues.iloc[0] == pytest.approx(rows.pvalue, rel=1e-8)
    documents = rs.ols("d ~ 1", data, groups="doc").fit()
    assert documents.bse.iloc[0] > 2 * single.bse.iloc[0]


def test_mean_of_two_documents_has_one_df():
    scores = pd.DataFrame({"doc": list("aabbb"), "y": [1.0, 0.0, 1.0, 1.0, 0.0]})
    results = rs.ols("y ~ 1", scores, groups="doc").fit()
    assert results.df_inference.iloc[0] == pytest.approx(1.0, rel=1e-12)
