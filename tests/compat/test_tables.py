"""What other packages print for our results, pinned.

They are tested with the numbers they show: coefficients and standard errors are ours everywhere,
p-values and stars where the package takes them from the results. What comes with n - p degrees of
freedom all the same is pinned too, so that the documentation can say so.
"""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.iolib.summary2 import summary_col

import ragstats as rs


def _data():
    return pd.DataFrame(
        {
            "score": [0.9, 0.8, 0.4, 0.5, 0.7, 0.2, 0.1, 0.3, 1.0, 0.6, 0.6, 0.0],
            "len": [3.0, 5, 2, 4, 6, 1, 2, 7, 5, 4, 3, 2],
            "sys": pd.Categorical(list("abbaabaababb")),
            "doc": list("aaabbccccdee"),
        }
    )


DATA = _data()


def _fits():
    hit = DATA.assign(hit=[1.0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0])
    return [
        rs.ols("score ~ len", DATA, groups="doc").fit(),
        rs.ols("score ~ len", DATA, groups="doc").fit(df="normal"),
        rs.glm("hit ~ len", hit, groups="doc", family=sm.families.Binomial()).fit(),
    ]


# ---- statsmodels' summary_col ----------------------------------------------------------------------

SUMMARY_COL = """
                 one     two     three
Intercept      0.205   0.205*   -1.776*
               (0.114) (0.114)  (0.602)
len            0.083*  0.083*** 0.488
               (0.025) (0.025)  (0.337)
R-squared      0.226   0.226
R-squared Adj. 0.149   0.149
No. documents  5       5        5
"""


def test_summary_col():
    table = summary_col(
        _fits(), stars=True, float_format="%.3f", model_names=["one", "two", "three"],
        info_dict={"No. documents": lambda r: f"{r.n_groups}"},
    )  # fmt: skip
    printed = table.as_text().split("Standard errors")[0].splitlines()
    lines = [line.rstrip() for line in printed if line.strip("=- ")]
    assert lines == SUMMARY_COL.strip("\n").splitlines()


# ---- Stargazer ---------------------------------------------------------------------------------------


def _stargazer(fits):
    pytest.importorskip("stargazer", reason="Stargazer is not installed")
    from stargazer.stargazer import Stargazer

    table = Stargazer(fits)
    table.significant_digits(4)
    return table


def test_stargazer():
    fits = _fits()[:2]
    text = _stargazer(fits).render_latex()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    # one star for t with 1.76 df, three under the normal: the p-values of the results
    assert r"len & 0.0827$^{*}$ & 0.0827$^{***}$ \\" in lines
    assert r"& (0.0251) & (0.0251) \\" in lines
    assert r"Intercept & 0.2050$^{}$ & 0.2050$^{*}$ \\" in lines
    # the F statistic and its star are ours; the df printed beside it are those of the model
    assert r"F Statistic & 10.8828$^{*}$ (df=1; 10) & 10.8828$^{***}$ (df=1; 10) \\" in lines
    html = _stargazer(fits).render_html()
    assert "0.0827<sup>*</sup>" in html


def test_stargazer_of_a_logit():
    logit = _fits()[2]
    text = _stargazer([logit]).render_latex()
    stars = "" if logit.pvalues["len"] > 0.1 else "*"
    assert f"len & {logit.params['len']:.4f}$^{{{stars}}}$" in " ".join(text.split())
    assert f"({logit.bse['len']:.4f})" in text


# ---- marginaleffects -----------------------------------------------------------------------------------


@pytest.fixture
def me():
    """Return the package, if it is installed and works with the polars that is."""
    package = pytest.importorskip("marginaleffects", reason="marginaleffects is not installed")
    import polars

    try:
        package.predictions(smf.ols("score ~ len", DATA).fit())
    except polars.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        pytest.skip(f"marginaleffects fails on statsmodels' own results here: {reason}")
    return package


def _row(table, **where):
    frame = table.to_pandas() if hasattr(table, "to_pandas") else table.data.to_pandas()
    for column, value in where.items():
        frame = frame[frame[column] == value]
    return frame.iloc[0]


@pytest.mark.filterwarnings("ignore")
def test_marginaleffects_takes_our_standard_errors_and_its_own_df(me):
    results = rs.ols("score ~ len + sys", DATA, groups="doc").fit()
    row = _row(me.avg_slopes(results), term="len")
    assert_allclose(row["estimate"], results.params["len"], rtol=1e-6)
    assert_allclose(row["std_error"], results.bse["len"], rtol=2e-3)  # numerical derivatives
    t = row["estimate"] / row["std_error"]
    assert_allclose(row["p_value"], 2 * stats.t.sf(abs(t), results.df_resid), rtol=1e-6)  # n - p
    ours = results.pvalues["len"]
    assert ours > 1.2 * row["p_value"]  # the df of the contrast are fewer
    right = results.t_test("len = 0")
    half = np.diff(right.conf_int()[0])[0]
    assert half > 1.2 * (row["conf_high"] - row["conf_low"])


@pytest.mark.filterwarnings("ignore")
def test_marginaleffects_predictions_and_comparisons(me):
    results = rs.ols("score ~ len + sys", DATA, groups="doc").fit()
    grid = pd.DataFrame({"len": [10.0], "sys": pd.Categorical(["b"], ["a", "b"])})
    row = _row(me.predictions(results, newdata=me.datagrid(results, len=10.0, sys="b")))
    ours = results.get_prediction(grid)
    assert_allclose(row["estimate"], ours.predicted_mean[0], rtol=1e-6)
    assert_allclose(row["std_error"], ours.se_mean[0], rtol=2e-3)
    compared = _row(me.avg_comparisons(results, variables="sys"))
    assert_allclose(compared["estimate"], results.params["sys[T.b]"], rtol=1e-6)
    assert_allclose(compared["std_error"], results.bse["sys[T.b]"], rtol=2e-3)


@pytest.mark.filterwarnings("ignore")
def test_marginaleffects_of_a_logit(me):
    hit = DATA.assign(hit=[1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0])
    results = rs.glm("hit ~ len", hit, groups="doc", family=sm.families.Binomial()).fit()
    row = _row(me.avg_slopes(results), term="len")
    ours = results.average_marginal_effects().loc["len"]
    assert_allclose(row["estimate"], ours["effect"], rtol=1e-4)
    assert_allclose(row["std_error"], ours["std err"], rtol=1e-3)


# ---- statsmodels' own helpers ----------------------------------------------------------------------------


def test_helpers_that_take_n_minus_p_whatever_the_results_say():
    """Pinned, because the results can't answer: these functions read scale and df_resid."""
    from statsmodels.sandbox.regression.predstd import wls_prediction_std

    results = rs.ols("score ~ len", DATA, groups="doc").fit()
    se, low, high = wls_prediction_std(results)
    half = (np.asarray(high) - np.asarray(low)) / 2 / np.asarray(se)
    assert_allclose(half, stats.t.isf(0.025, 10), rtol=1e-12)
