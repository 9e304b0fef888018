"""Degrees of freedom that other programs took from the fit, or from nowhere: one df a contrast."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from known_inputs import (
    RTOL,
    assert_same,
    assert_says,
    contrast,
    design,
    expected,
    hits,
    row,
    systems,
    twelve,
)
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.iolib.summary2 import summary_col

import ragstats as rs
from ragstats.exceptions import RagstatsWarning

BINOMIAL = sm.families.Binomial()


def _by_len(cov_type="CR2", df="satterthwaite"):
    return rs.ols("score ~ len", twelve(), groups="doc").fit(cov_type=cov_type, df=df)


# ---- B04: one df everywhere -----------------------------------------------------------------------


def test_b04_one_df_everywhere():
    results, right = _by_len(), expected("B04")
    for name, label in (("len", "len"), ("Intercept", "intercept")):
        assert_says(row(results, name), right[label])
        assert_says(contrast(results.t_test(f"{name} = 0")), right[label])
    assert abs(right["len"]["p"] - 2 * stats.norm.sf(right["len"]["t"])) > 0.09
    text = str(results.summary())
    assert "0.096" in text
    assert "-0.0402" in text
    assert "0.2057" in text


def test_b04_one_df_everywhere_for_a_statsmodels_result():
    frame, right = twelve(), expected("B04")["len"]
    plain = smf.ols("score ~ len", frame).fit(
        cov_type="cluster", cov_kwds={"groups": frame["doc"].factorize()[0]}, use_t=True
    )
    results = rs.cluster_robust(plain, groups="doc")
    assert_says(row(results, "len"), right)
    assert_says(contrast(results.t_test([0, 1])), right)
    assert plain.cov_type == "cluster"  # the given result stays as it was


@pytest.mark.parametrize("df", ["satterthwaite", "K-1", "K-p", "normal"])
@pytest.mark.parametrize("family", [BINOMIAL, sm.families.Gaussian(), sm.families.Poisson()])
def test_b04_one_df_everywhere_in_a_glm(family, df):
    results = rs.glm("hit ~ len", hits(), groups="doc", family=family).fit(df=df)
    for name in results.params.index:
        assert_says(contrast(results.t_test(f"{name} = 0")), row(results, name), rtol=1e-12)
        assert_allclose(results.coef_table().loc[name, "df"], results.df_inference[name])
    rule = {"K-1": 4, "K-p": 3, "normal": np.inf}
    if df in rule:
        assert (results.df_inference == rule[df]).all()


def test_b04_one_df_everywhere_with_arrays():
    frame = twelve()
    results = rs.OLS(frame["score"].to_numpy(), design(frame, "len").to_numpy(),
                     groups=frame["doc"].to_numpy()).fit()  # fmt: skip
    assert_says(row(results, "x1"), expected("B04")["len"])
    assert_says(contrast(results.t_test("x1 = 0")), expected("B04")["len"])


# ---- B05: df of a contrast ------------------------------------------------------------------------

#: Codings of the systems, the formula, and A, B, C as combinations of its coefficients.
CODINGS = {
    "treatment": ("score ~ C(sys)", {"A": [1, 0, 0], "B": [1, 1, 0], "C": [1, 0, 1]}),
    "text": ("score ~ sys", {"A": [1, 0, 0], "B": [1, 1, 0], "C": [1, 0, 1]}),
    "reference B": ("score ~ C(sys, Treatment('B'))",
                    {"A": [1, 1, 0], "B": [1, 0, 0], "C": [1, 0, 1]}),
    "sum": ("score ~ C(sys, Sum)", {"A": [1, 1, 0], "B": [1, 0, 1], "C": [1, -1, -1]}),
    "no constant": ("score ~ 0 + sys", {"A": [1, 0, 0], "B": [0, 1, 0], "C": [0, 0, 1]}),
}  # fmt: skip


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize(("difference", "stored"), [("BA", "B"), ("CA", "C"), ("BC", "BmC")])
def test_b05_df_of_a_contrast(coding, difference, stored):
    formula, means = CODINGS[coding]
    results = rs.ols(formula, systems(), groups="doc").fit()
    right = expected("B05")[stored]
    weights = np.subtract(means[difference[0]], means[difference[1]])
    assert_says(contrast(results.t_test(weights)), right)
    joint = results.wald_test(weights)
    assert_allclose([joint.statistic, joint.pvalue, joint.df_denom],
                    [right["t"] ** 2, right["p"], right["df"]], rtol=RTOL)  # fmt: skip
    assert_allclose(results.f_test(weights).pvalue, right["p"], rtol=RTOL)


def test_b05_df_of_a_contrast_repeats_the_coefficient():
    results, right = rs.ols("score ~ C(sys)", systems(), groups="doc").fit(), expected("B05")
    assert_says(row(results, "C(sys)[T.B]"), right["B"])
    assert_says(contrast(results.t_test("C(sys)[T.B] = 0")), right["B"])
    assert_says(contrast(results.t_test("C(sys)[T.B] - C(sys)[T.C] = 0")), right["BmC"])


def test_b05_df_of_a_contrast_from_statsmodels_and_a_gaussian_glm():
    right = expected("B05")["BmC"]
    fitted = smf.ols("score ~ C(sys)", systems()).fit()
    gaussian = smf.glm("score ~ C(sys)", systems()).fit()
    for result in (fitted, gaussian):
        results = rs.cluster_robust(result, groups="doc")
        assert_says(contrast(results.t_test([0, 1, -1])), right)


def test_b05_df_of_a_contrast_is_that_of_a_logit():
    frame = systems().assign(hit=lambda d: (d["score"] > 0.55) * 1.0)
    first = rs.glm("hit ~ sys", frame, groups="doc", family=BINOMIAL).fit()
    second = rs.glm("hit ~ C(sys, Treatment('B'))", frame, groups="doc", family=BINOMIAL).fit()
    one = contrast(first.t_test([0, -1, 1]))
    assert_says(row(second, "C(sys, Treatment('B'))[T.C]"), one, rtol=1e-9)
    assert one["df"] not in list(first.df_inference)


# ---- B06: prediction interval distribution -----------------------------------------------------------


def test_b06_prediction_interval_distribution():
    prediction = _by_len().get_prediction(pd.DataFrame({"len": [10.0]}))
    right = expected("B06")["pred10"]
    frame = prediction.summary_frame()
    got = [prediction.predicted_mean[0], prediction.se_mean[0], prediction.df[0]]
    assert_allclose(got, [right["est"], right["se"], right["df"]], rtol=RTOL)
    assert_allclose(frame[["mean_ci_lower", "mean_ci_upper"]].iloc[0], right["ci"], rtol=RTOL)
    assert_allclose(prediction.pvalues[0], right["p"], rtol=RTOL)


@pytest.mark.parametrize("new", [
    {"len": 10.0}, {"len": [10.0]}, pd.Series({"len": 10.0}), pd.DataFrame({"len": [10]}),
    pd.DataFrame({"len": pd.array([10], "Int64")}),
], ids=["dict", "dict of lists", "Series", "integers", "Int64"])  # fmt: skip
def test_b06_prediction_interval_distribution_of_any_new_data(new):
    right = expected("B06")["pred10"]
    prediction = _by_len().get_prediction(new)
    assert_allclose(prediction.conf_int()[0], right["ci"], rtol=RTOL)
    assert_allclose(_by_len().predict(new), right["est"], rtol=RTOL)


def test_b06_prediction_interval_distribution_elsewhere():
    right, frame = expected("B06")["pred10"], twelve()
    arrays = rs.OLS(frame["score"], design(frame, "len"), groups=frame["doc"]).fit()
    gaussian = rs.glm("score ~ len", frame, groups="doc").fit()
    robust = rs.cluster_robust(smf.ols("score ~ len", frame).fit(), groups="doc")
    predictions = [
        arrays.get_prediction([[1.0, 10.0]]),
        arrays.get_prediction(pd.DataFrame({"len": [10.0], "const": [1.0]})),
        gaussian.get_prediction({"len": 10.0}),
        robust.get_prediction({"len": 10.0}),
    ]
    for prediction in predictions:
        assert_allclose(prediction.conf_int()[0], right["ci"], rtol=RTOL)
        assert_allclose(prediction.df[0], right["df"], rtol=RTOL)


def test_b06_prediction_interval_distribution_of_single_rows_is_refused():
    prediction = _by_len().get_prediction({"len": 10.0})
    with pytest.raises(NotImplementedError, match="obs=True: a cluster-robust fit has no model of"):
        prediction.conf_int(obs=True)


# ---- B08: stars and p in tables -----------------------------------------------------------------------


def _stars(table, name):
    line = next(t for t in table.as_text().splitlines() if t.startswith(name))
    return line.split()[1].count("*")


def test_b08_stars_in_tables():
    results, right = _by_len(), expected("B08")
    table = summary_col([results], stars=True)
    assert _stars(table, "len") == 1
    assert "0.0827*" in table.as_text()
    assert "(0.0251)" in table.as_text()
    assert right["normal_p"] < 0.01 < 0.05 < right["len"]["p"] < 0.1  # three stars were wrong


def test_b08_stars_in_tables_of_several_fits():
    frame = twelve()
    fits = [
        rs.cluster_robust(smf.ols("score ~ len", frame).fit(), groups="doc"),
        rs.glm("score ~ len", frame, groups="doc").fit(),
        _by_len(df="normal"),
        _by_len(df="K-1"),
    ]
    tables = [summary_col([f], stars=True) for f in fits]
    # normal p .00097, t(4) p .030
    assert [_stars(t, "len") for t in tables] == [1, 1, 3, 2]


def test_b08_p_in_tables_is_that_of_the_fit():
    results = rs.glm("hit ~ len", hits(), groups="doc", family=BINOMIAL).fit()
    for table in (results.summary2().tables[1], results.coef_table()):
        assert_allclose(table["P>|t|"], results.pvalues, rtol=1e-12)
        assert_allclose(table["df"], results.df_inference, rtol=1e-12)
    assert f"{results.pvalues['len']:.3f}" in str(results.summary())


# ---- B12: more constraints than clusters allow ---------------------------------------------------------


def _three_documents():
    return pd.DataFrame(
        {
            "score": [0.2, 0.5, 0.4, 0.9, 0.3, 0.8, 0.6, 0.7, 0.1],
            "x1": [0.0, 1, 2, 3, 0, 1, 2, 4, 3],
            "x2": [1.0, 0, 0, 1, 1, 0, 1, 0, 1],
            "x3": [2.0, 5, 1, 3, 3, 1, 0, 2, 4],
            "doc": list("aaabbbccc"),
        }
    )


SLOPES = "x1 = 0, x2 = 0, x3 = 0"


def test_b12_more_constraints_than_clusters_allow():
    results = rs.ols("score ~ x1 + x2 + x3", _three_documents(), groups="doc").fit()
    right = expected("B12")
    assert_says(row(results, "x1"), right["x1"])
    with pytest.warns(RagstatsWarning, match="joint test is NaN: the denominator df are -0.211"):
        joint = results.wald_test(SLOPES)
    assert np.isnan(joint.statistic)
    assert np.isnan(joint.pvalue)
    assert_allclose(joint.df_denom, right["joint"]["df2"], rtol=1e-7)  # a difference: η - 2
    assert_allclose(joint.eta, right["joint"]["eta"], rtol=RTOL)
    assert "too few documents for 3 constraints at once" in joint.reason
    assert "too few documents" in str(joint)
    pair = results.wald_test("x1 = 0, x2 = 0")
    assert_allclose([pair.fvalue, pair.df_num, pair.df_denom, pair.pvalue],
                    [right["pair"][k] for k in ("F", "df1", "df2", "p")], rtol=1e-7)  # fmt: skip


def test_b12_more_constraints_than_clusters_allow_in_the_overall_test():
    frame = _three_documents()
    for results in (
        rs.ols("score ~ x1 + x2 + x3", frame, groups="doc").fit(),
        rs.cluster_robust(smf.ols("score ~ x1 + x2 + x3", frame).fit(), groups="doc"),
        rs.glm("score ~ x1 + x2 + x3", frame, groups="doc").fit(),
    ):
        assert np.isnan(results.fvalue)  # no warning: nobody asked for a test
        assert np.isnan(results.f_pvalue)
        assert "nan" not in str(results.summary()).lower()


def test_b12_more_constraints_than_clusters_allow_is_asked_for_by_name():
    results = rs.ols("score ~ x1 + x2 + x3", _three_documents(), groups="doc").fit()
    q = expected("B12")["joint"]["Q"]
    chi2 = results.wald_test(SLOPES, test="chi2")
    assert_allclose(chi2.statistic, q, rtol=RTOL)
    assert chi2.pvalue < 1e-25
    naive = results.wald_test(SLOPES, test="F")
    assert_allclose(naive.statistic, q / 3, rtol=RTOL)
    assert_allclose(naive.pvalue, stats.f.sf(q / 3, 3, 2), rtol=RTOL)


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR1S"])
def test_b12_more_constraints_than_clusters_allow_when_the_covariance_has_no_rank(cov_type):
    model = rs.ols("score ~ x1 + x2 + x3", _three_documents(), groups="doc")
    results = model.fit(cov_type=cov_type)
    with pytest.warns(RagstatsWarning, match="the covariance of the 3 constraints has rank 2"):
        joint = results.wald_test(SLOPES)  # three scores that sum to 0
    assert np.isnan(joint.pvalue)
    with pytest.warns(RagstatsWarning, match="too few documents vary for a joint test"):
        assert np.isnan(results.wald_test(SLOPES, test="chi2").pvalue)


# ---- B13: redundant constraints -----------------------------------------------------------------------

REDUNDANT = [[0, 1, 0], [0, 0, 1], [0, 1, -1]]


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e-6])
def test_b13_redundant_constraints(scale):
    results = rs.ols("score ~ C(sys)", systems(), groups="doc").fit()
    right = expected("B13")["wald"]
    with pytest.warns(RagstatsWarning, match="the 3 constraints have rank 2: tested as 2"):
        joint = results.wald_test(np.multiply(REDUNDANT, scale))
    got = [joint.statistic, joint.df_num, joint.df_denom, joint.pvalue]
    # R's numbers through an inverse of a nearly singular covariance: two digits less
    assert_allclose(got, [right[k] for k in ("F", "df1", "df2", "p")], rtol=1e-7)


def test_b13_redundant_constraints_of_other_fits():
    frame, right = systems(), expected("B13")["wald"]
    robust = rs.cluster_robust(smf.ols("score ~ C(sys)", frame).fit(), groups="doc")
    coded = rs.ols("score ~ C(sys, Sum)", frame, groups="doc").fit()
    text = "C(sys)[T.B] = 0, C(sys)[T.C] = 0, C(sys)[T.B] = C(sys)[T.C]"
    with pytest.warns(RagstatsWarning, match="rank 2"):
        first = robust.f_test(text)
    with pytest.warns(RagstatsWarning, match="rank 2"):
        second = coded.wald_test([[0, 1, -1], [0, 2, 1], [0, 1, 2]])
    for joint in (first, second):
        assert_allclose([joint.statistic, joint.df_num, joint.pvalue],
                        [right["F"], 2, right["p"]], rtol=1e-7)  # fmt: skip


def test_b13_redundant_constraints_that_are_one():
    results, right = rs.ols("score ~ C(sys)", systems(), groups="doc").fit(), expected("B05")["B"]
    with pytest.warns(RagstatsWarning, match="the 2 constraints have rank 1: tested as 1"):
        joint = results.wald_test([[0, 1, 0], [0, 2, 0]])
    assert_allclose([joint.pvalue, joint.df_denom], [right["p"], right["df"]], rtol=RTOL)


def test_b13_redundant_constraints_that_contradict_each_other():
    results = rs.ols("score ~ C(sys)", systems(), groups="doc").fit()
    with pytest.raises(ValueError, match="r_matrix: the redundant rows ask for contradictory"):
        results.wald_test((REDUNDANT, [0, 0, 1]))
    with pytest.raises(ValueError, match="row 1 is 0, so it constrains nothing"):
        results.wald_test([[0, 1, 0], [0, 0, 0]])
    with pytest.warns(RagstatsWarning, match="rank 2"):  # these do not: B - C = .1 - .2
        results.wald_test((REDUNDANT, [0.1, 0.2, -0.1]))


# ---- B14: mean-only model -----------------------------------------------------------------------------


def test_b14_mean_only_model():
    results, right = rs.ols("score ~ 1", twelve(), groups="doc").fit(), expected("B14")["mean"]
    assert_says(row(results, "Intercept"), right)
    assert np.isnan(results.fvalue)
    assert np.isnan(results.f_pvalue)
    assert "0.5083" in str(results.summary())
    assert "0.5083" in str(results.summary2())


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR1S", "CR2", "CR3"])
def test_b14_mean_only_model_of_every_covariance_type(cov_type):
    frame, se = twelve(), expected("B14")["se"][cov_type]
    ones = np.ones(12)
    for results in (
        rs.ols("score ~ 1", frame, groups="doc").fit(cov_type=cov_type),
        rs.OLS(frame["score"], ones, groups=frame["doc"]).fit(cov_type=cov_type),
        rs.wls("score ~ 1", frame, groups="doc", weights=ones).fit(cov_type=cov_type),
        rs.glm("score ~ 1", frame, groups="doc").fit(cov_type=cov_type),
        rs.cluster_robust(sm.OLS(frame["score"], ones).fit(), groups=frame["doc"],
                          cov_type=cov_type),
        rs.micro_mean("score", frame, groups="doc", cov_type=cov_type),
    ):  # fmt: skip
        assert_allclose(np.asarray(results.bse)[0], se, rtol=RTOL)
        assert np.isnan(results.fvalue)
        assert cov_type in str(results.summary())


def test_b14_mean_only_model_of_a_logit():
    results = rs.glm("hit ~ 1", hits(), groups="doc", family=BINOMIAL).fit()
    assert np.isnan(results.fvalue)
    assert "Intercept" in str(results.summary())
    mean = results.get_prediction(pd.DataFrame(index=[0])).predicted_mean
    assert_allclose(mean, 0.5, rtol=1e-12)


# ---- B20: one-row joint test ----------------------------------------------------------------------------


def test_b20_one_row_joint_test():
    results, right = rs.ols("score ~ 1", twelve(), groups="doc").fit(), expected("B20")["aht"]
    joint = results.wald_test("Intercept = 0")
    assert_allclose([joint.statistic, joint.df_num, joint.df_denom, joint.pvalue],
                    [right[k] for k in ("F", "df1", "df2", "p")], rtol=RTOL)  # fmt: skip
    assert_allclose(joint.pvalue, results.pvalues.iloc[0], rtol=1e-13)


@pytest.mark.parametrize("name", ["HTX", "HTZ", "aht", "chi-sq"])
def test_b20_one_row_joint_test_of_an_unknown_name(name):
    for results in (_by_len(), rs.glm("hit ~ len", hits(), groups="doc", family=BINOMIAL).fit()):
        with pytest.raises(ValueError, match=f"test='{name}' is unknown.*'AHT', 'F', 'chi2'"):
            results.wald_test("len = 0", test=name)


@pytest.mark.parametrize("df", ["satterthwaite", "IK", "K-1", "K-p", "normal"])
def test_b20_one_row_joint_test_repeats_the_t_test_under_every_rule(df):
    results = rs.ols("score ~ C(sys)", systems(), groups="doc").fit(df=df)
    for weights in ([0, 1, 0], [0, 1, -1], [1, 0.5, 0.25]):
        single, joint = results.t_test(weights), results.wald_test(weights)
        assert_allclose(joint.statistic, np.ravel(single.statistic)[0] ** 2, rtol=1e-12)
        assert_allclose(joint.pvalue, single.pvalue, rtol=1e-12)
        assert_allclose(joint.df_denom, np.ravel(single.df_denom)[0], rtol=1e-12)


# ---- B21: which CR1 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR1S", "CR2", "CR3"])
def test_b21_which_cr1(cov_type):
    frame, se = twelve(), expected("B21")["se_len"][cov_type]
    fitted = smf.ols("score ~ len", frame).fit()
    for results in (
        _by_len(cov_type),
        rs.cluster_robust(fitted, groups="doc", cov_type=cov_type),
        rs.glm("score ~ len", frame, groups="doc").fit(cov_type=cov_type),
        _by_len().get_robustcov_results(cov_type),
    ):
        assert_allclose(results.bse["len"], se, rtol=RTOL)
        assert results.cov_type == cov_type
        assert cov_type in str(results.summary())
        assert results.cov_kwds["description"].count(cov_type) == 1


def test_b21_which_cr1_is_statsmodels_own():
    frame, right = twelve(), expected("B21")
    groups = frame["doc"].factorize()[0]
    stock = smf.ols("score ~ len", frame).fit(cov_type="cluster", cov_kwds={"groups": groups})
    assert_allclose(stock.bse["len"], right["se_len"]["CR1S"], rtol=RTOL)
    naive = _by_len("CR1S", df="K-1")
    assert_allclose(naive.tvalues["len"], right["p"]["t"], rtol=RTOL)
    assert_allclose(naive.pvalues["len"], right["p"]["G1"], rtol=RTOL)
    assert_allclose(_by_len("CR1S", df="normal").pvalues["len"], right["p"]["z"], rtol=RTOL)
    crv3 = smf.ols("score ~ len", frame).fit(cov_type="cluster-crv3", cov_kwds={"groups": groups})
    assert_allclose(crv3.bse["len"], right["se_len"]["CR3"] * np.sqrt(4 / 5), rtol=RTOL)


def test_b21_which_cr1_under_a_foreign_name():
    for name, ours in (("cluster", "CR1S"), ("CRV1", "CR1S"), ("CRV3", "CR3"), ("HC3", "CR3")):
        with pytest.raises(ValueError, match=f"cov_type='{name}' is ambiguous: .*'{ours}'"):
            _by_len(name)
    with pytest.raises(ValueError, match=r"cov_type='CR4' is unknown.*; use one of 'CR0'"):
        _by_len("CR4")


def test_b21_which_cr1_of_a_glm_and_weights():
    frame = twelve().assign(w=[1, 2, 1, 3, 1, 2, 2, 1, 1, 4, 1, 2.0])
    k, n, p = 5, 12, 2
    for model in (
        rs.wls("score ~ len", frame, groups="doc", weights="w"),
        rs.glm("score ~ len", frame, groups="doc", family=BINOMIAL),
    ):
        cr0 = model.fit(cov_type="CR0").bse
        for name, factor in (("CR1", k / (k - 1)), ("CR1p", k / (k - p)),
                             ("CR1S", k * (n - 1) / ((k - 1) * (n - p)))):  # fmt: skip
            assert_allclose(model.fit(cov_type=name).bse, cr0 * np.sqrt(factor), rtol=1e-12)
    assert_same(_by_len("CR1").get_robustcov_results("CR2"), _by_len())
