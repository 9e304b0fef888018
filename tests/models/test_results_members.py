"""Every member of statsmodels' results: the right number, or no in one line."""

import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from numpy.testing import assert_allclose
from statsmodels.stats.anova import anova_lm

import ragstats as rs

BINOMIAL = sm.families.Binomial()


def _data():
    rng = np.random.default_rng(7)
    sizes = [3, 4, 6, 8, 11, 16]
    frame = pd.DataFrame({"doc": np.repeat(list("ABCDEF"), sizes)})
    frame["sys"] = np.array(list("abc"))[rng.integers(0, 3, 48)]
    frame["x"] = rng.normal(size=48)
    frame["score"] = rng.normal(size=48) + frame["x"] / 3 + np.repeat(rng.normal(size=6), sizes)
    frame["w"] = rng.uniform(0.5, 3, 48)
    frame["hit"] = (frame["score"] > 0) * 1.0
    frame["n"] = rng.integers(1, 9, 48)
    frame["yes"] = rng.binomial(frame["n"], 0.4)
    frame["no"] = frame["n"] - frame["yes"]
    return frame


DATA = _data()
FITS = {
    "ols": lambda: rs.ols("score ~ sys + x", DATA, groups="doc").fit(),
    "ols without a constant": lambda: rs.ols("score ~ 0 + x", DATA, groups="doc").fit(),
    "ols, implicit constant": lambda: rs.ols("score ~ 0 + sys + x", DATA, groups="doc").fit(),
    "wls": lambda: rs.wls("score ~ sys + x", DATA, groups="doc", weights="w").fit(),
    "macro": lambda: rs.ols("score ~ sys + x", DATA, groups="doc", estimand="macro").fit(),
    "arrays": lambda: rs.OLS(
        DATA["score"], sm.add_constant(DATA[["x", "w"]]), groups=DATA["doc"]
    ).fit(),
    "logit": lambda: rs.glm("hit ~ sys + x", DATA, groups="doc", family=BINOMIAL).fit(),
    "counts": lambda: rs.glm("yes + no ~ sys + x", DATA, groups="doc", family=BINOMIAL).fit(),
    "poisson": lambda: rs.glm(
        "yes ~ x", DATA, groups="doc", family=sm.families.Poisson(), exposure="n", var_weights="w"
    ).fit(),
    "gaussian": lambda: rs.glm("score ~ sys + x", DATA, groups="doc", freq_weights="n").fit(),
    "gamma": lambda: rs.glm(
        "w ~ x", DATA, groups="doc", family=sm.families.Gamma(sm.families.links.Log()), offset="x"
    ).fit(),
}
LINEAR = ["ols", "ols without a constant", "ols, implicit constant", "wls", "macro", "arrays"]
GENERAL = ["logit", "counts", "poisson", "gaussian", "gamma"]

OF_LINEAR = ["rsquared", "rsquared_adj", "aic", "bic", "llf", "nobs", "df_resid", "df_model", "scale",
             "ssr", "ess", "centered_tss", "uncentered_tss", "mse_model", "mse_resid", "mse_total",
             "fittedvalues", "resid", "wresid", "resid_pearson", "eigenvals", "condition_number",
             "normalized_cov_params", "k_constant", "HC0_se", "HC1_se", "HC2_se", "HC3_se",
             "cov_HC0", "cov_HC1", "cov_HC2", "cov_HC3"]  # fmt: skip
OF_GENERAL = ["aic", "bic", "bic_llf", "bic_deviance", "llf", "llnull", "nobs", "df_resid", "df_model",
              "scale", "deviance", "null_deviance", "pearson_chi2", "mu", "fittedvalues", "null",
              "resid_response", "resid_pearson", "resid_working", "resid_deviance", "resid_anscombe",
              "resid_anscombe_scaled", "resid_anscombe_unscaled", "normalized_cov_params"]  # fmt: skip


def _plain(results):
    """Return statsmodels' own fit of the same rows, iterated as far as ours."""
    tight = {"tol": 1e-14} if hasattr(results, "family") else {}
    return results.model.plain_model().fit(**tight)


@pytest.mark.parametrize(
    ("fit", "member"),
    [(f, m) for f in LINEAR for m in OF_LINEAR] + [(f, m) for f in GENERAL for m in OF_GENERAL],
)
def test_statistics_of_the_rows_are_those_of_statsmodels(fit, member):
    results = FITS[fit]()
    plain = _plain(results)
    got, right = getattr(results, member), getattr(plain, member)
    # two factorizations of one design; the null model of statsmodels stops at 1e-8, and its
    # normalized covariance of a GLM has the weights of the step before the last
    loose = ("null", "null_deviance", "llnull", "normalized_cov_params")
    rtol = 1e-7 if member in loose else 1e-9
    assert_allclose(got, right, rtol=rtol, atol=1e-12)
    assert type(got) is type(right) or np.ndim(got) == 0
    assert getattr(results, member) is not None  # asked a second time


@pytest.mark.parametrize("fit", FITS)
def test_information_criteria_and_predictions_are_those_of_statsmodels(fit):
    results = FITS[fit]()
    plain = _plain(results)
    for criterion in ("aic", "bic", *(("aicc", "hqic") if fit in LINEAR else ())):
        assert_allclose(results.info_criteria(criterion), plain.info_criteria(criterion))
    if fit == "counts":
        assert_allclose(results.info_criteria("qaic", scale=1.5), plain.info_criteria("qaic", 1.5))
    if fit in GENERAL:
        for kind in ("cs", "mcf"):
            assert_allclose(results.pseudo_rsquared(kind), plain.pseudo_rsquared(kind))
        for observed in (True, False):
            assert_allclose(results.get_hat_matrix_diag(observed=observed),
                            plain.get_hat_matrix_diag(observed=observed))  # fmt: skip
    assert_allclose(results.predict(), plain.predict(), rtol=1e-9)
    rows = results.model.exog[:3]
    assert_allclose(results.predict(rows, transform=False), plain.predict(rows), rtol=1e-9)


@pytest.mark.parametrize("fit", ["ols", "arrays", "logit", "poisson"])
def test_influence_of_single_rows_is_that_of_statsmodels(fit):
    results = FITS[fit]()
    influence, plain = results.get_influence(), _plain(results).get_influence()
    for name in ("hat_matrix_diag", "cooks_distance", "d_params" if fit in GENERAL else "dfbetas"):
        assert_allclose(np.ravel(getattr(influence, name)[0]), np.ravel(getattr(plain, name)[0]),
                        rtol=1e-6, atol=1e-9)  # fmt: skip
    assert influence.summary_frame().shape[0] == 48


ANY_ROW = ["compare_f_test", "compare_lr_test", "compare_lm_test"]
REFUSED = [
    *[(fit, name, "use wald_test on the coefficients") for fit in FITS for name in ANY_ROW],
    ("ols", "outlier_test", "tests single rows as if all were independent"),
    ("arrays", "el_test", "empirical likelihood of independent rows"),
    ("ols", "conf_int_el", "empirical likelihood of independent rows"),
    ("logit", "score_test", "takes the rows as independent; refit with the extra columns"),
    ("poisson", "get_margeff", r"average_marginal_effects\(\) has the same averages"),
]


@pytest.mark.parametrize(("fit", "name", "reason"), REFUSED)
@pytest.mark.parametrize("removed", [False, True])
def test_what_takes_rows_as_independent_says_no(fit, name, reason, removed):
    results = FITS[fit]()
    if removed:
        results.remove_data()
    with pytest.raises(NotImplementedError, match=f"^{name} .*{reason}") as caught:
        getattr(results, name)(results)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("typ", [1, 2, 3])
def test_anova_says_no(typ):
    for fit in ("ols", "wls", "macro"):
        with pytest.raises(AttributeError, match="anova_lm compares sums of squares of independen"):
            anova_lm(FITS[fit](), typ=typ)


@pytest.mark.parametrize(
    ("fit", "name"),
    [(f, n) for f in FITS for n in ("fit_regularized", "from_formula")]
    + [(f, n) for f in GENERAL for n in ("fit_constrained", "score_test")],
)
def test_models_refuse_estimates_without_a_sandwich(fit, name):
    model = FITS[fit]().model
    with pytest.raises(NotImplementedError, match=f"^{name} "):
        getattr(model, name)("x = 0", DATA)
    if name == "from_formula":
        with pytest.raises(
            NotImplementedError, match=r"write rs\.(ols|glm)\(formula, data, groups"
        ):
            type(model).from_formula("score ~ x", DATA)


@pytest.mark.parametrize("fit", FITS)
def test_statistics_of_removed_rows(fit):
    results = FITS[fit]()
    members = OF_LINEAR if fit in LINEAR else OF_GENERAL
    before = {name: getattr(results, name) for name in members}
    results.remove_data()
    gone = []
    for name in members:
        try:
            assert_allclose(getattr(results, name), before[name], rtol=1e-12, err_msg=name)
        except ValueError as error:
            assert f"{name} needs the rows, and these results keep one row per" in str(error)  # noqa: PT017
            gone.append(name)
    rows = [
        n
        for n in members
        if n.startswith(("resid", "fitted", "wresid", "mu", "null", "HC", "cov_HC"))
    ]
    assert gone == [n for n in rows if n != "null_deviance"]
    for name in ("get_influence", *(["HC3_se"] if fit in LINEAR else ["average_marginal_effects"])):
        if fit != "macro" and hasattr(type(results._results), name) and fit != "wls":
            with pytest.raises(ValueError, match="needs the rows"):
                getattr(results, name)()


# ---- other covariances --------------------------------------------------------------------------------


@pytest.mark.parametrize("fit", FITS)
def test_get_robustcov_results(fit):
    results = FITS[fit]()
    se, cov_type = results.bse.copy(), results.cov_type
    for name in ("CR0", "CR1", "CR1p", "CR1S", "CR2", "CR3"):
        other = results.get_robustcov_results(name, df="K-1")
        assert (other.cov_type, other._results._inference.rule.name) == (name, "K-1")
    codes = DATA["doc"].factorize()[0]
    if fit not in ("counts", "poisson", "gaussian", "gamma"):  # with weights statsmodels warns
        stock = results.get_robustcov_results("cluster", groups=codes)
        assert "ragstats" not in str(type(stock))
        n, p, k = 48, len(se), 6
        cr0 = results.get_robustcov_results("CR0").bse.to_numpy()
        factor = np.sqrt(k / (k - 1) * (n - 1) / (n - p))
        assert_allclose(stock.bse, cr0 * factor, rtol=1e-7)
    hc = results.get_robustcov_results("HC0")
    assert hc.cov_type == "HC0"
    if fit in LINEAR:
        assert_allclose(hc.bse, results.HC0_se, rtol=1e-10)
    assert results.cov_type == cov_type == "CR2"
    assert_allclose(results.bse, se, rtol=0)
    assert_allclose(results.get_robustcov_results().bse, se, rtol=1e-12)
    with pytest.raises(ValueError, match="use_t belongs to statsmodels' covariance types"):
        results.get_robustcov_results("CR1", use_t=False)


def test_results_are_not_changed_by_what_others_do():
    results = FITS["ols"]()
    before = results.summary().as_text()
    _ = results.get_robustcov_results("HC3"), results.get_influence(), results.HC2_se
    _ = results.model.fit(cov_type="CR1S", df="normal"), results.f_pvalue
    assert results.summary().as_text() == before


# ---- absorbed effects: the fit with dummies --------------------------------------------------------------


def _absorbed():
    rng = np.random.default_rng(11)
    frame = pd.DataFrame({"doc": np.repeat(list("ABCDEF"), [3, 4, 5, 6, 7, 5])})
    frame = frame.loc[frame.index.repeat(3)].assign(q=lambda d: d.index.astype(str))
    frame = frame.reset_index(drop=True).assign(sys=list("abc") * 30, x=rng.normal(size=90))
    return frame.assign(score=rng.normal(size=90) + 1.5)


@pytest.mark.parametrize("member", ["rsquared", "rsquared_adj", "aic", "bic", "llf", "nobs",
                                    "df_resid", "df_model", "scale", "ssr", "centered_tss",
                                    "uncentered_tss", "fittedvalues", "resid", "mse_resid"])  # fmt: skip
def test_absorbed_effects_count_as_dummies_do(member):
    frame = _absorbed()
    absorbed = rs.ols("score ~ sys + x", frame, groups="doc", absorb="q").fit()
    dummies = smf.ols("score ~ sys + x + C(q)", frame).fit()
    assert_allclose(getattr(absorbed, member), getattr(dummies, member), rtol=1e-9, atol=1e-12)


def test_absorbed_effects_have_no_leverage_and_no_prediction():
    results = rs.ols("score ~ sys + x", _absorbed(), groups="doc", absorb="q").fit()
    for name in ("HC0_se", "cov_HC3", "get_influence"):
        with pytest.raises(ValueError, match=f"{name}: the leverage of rows with absorbed effects"):
            getattr(results, name)()
    for call in (results.predict, results.get_prediction):
        with pytest.raises(
            ValueError, match="predictions need the effects of q, which were absorb"
        ):
            call(pd.DataFrame({"sys": ["a"], "x": [0.0]}))
    with pytest.raises(ValueError, match="predictions need the effects of q"):
        results.get_prediction()
    assert "Absorbed:" in str(results.summary())
    results.remove_data()
    assert results.rsquared > 0


# ---- one row per document: the sums of the rows -------------------------------------------------------------


@pytest.mark.parametrize("member", ["rsquared", "aic", "bic", "llf", "nobs", "scale", "ssr",
                                    "centered_tss", "uncentered_tss", "df_resid", "df_model",
                                    "mse_total", "eigenvals", "condition_number"])  # fmt: skip
@pytest.mark.parametrize("estimand", ["micro", "macro"])
def test_means_know_the_sums_of_their_rows(estimand, member):
    mean = {"micro": rs.micro_mean, "macro": rs.macro_mean}[estimand]("hit", DATA, groups="doc")
    rows = rs.ols("hit ~ 1", DATA, groups="doc", estimand=estimand).fit()
    plain = _plain(rows)
    for right in (rows, plain):
        assert_allclose(getattr(mean, member), getattr(right, member), rtol=1e-9, atol=1e-12)


def test_means_have_no_rows():
    mean = rs.micro_mean("score", DATA, groups="doc")
    for name in ("resid", "fittedvalues", "wresid", "HC1_se"):
        with pytest.raises(ValueError, match=f"{name} needs the rows, and these results keep one"):
            getattr(mean, name)
    with pytest.raises(ValueError, match=r"call rs.micro_mean or rs.macro_mean with cov_type="):
        mean.get_robustcov_results("CR1")
    with pytest.raises(ValueError, match="needs the rows"):
        mean.get_robustcov_results("HC1")
    assert mean.get_prediction([[1.0]], transform=False).df[0] == mean.df


def test_scores_that_do_not_vary_have_an_infinite_likelihood():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.RagstatsWarning)
        mean = rs.micro_mean("score", DATA.assign(score=0.5), groups="doc")
    assert mean.llf == np.inf
    assert mean.aic == -np.inf
