"""SurveyDesign.glm: families, missing rows, and coefficients that no data can carry."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from survey_cases import read_case

from ragstats.evaluation.survey import SurveyDesign
from ragstats.exceptions import RagstatsWarning

F, L = sm.families, sm.families.links


@pytest.fixture
def data():
    d = read_case("svy_glm_srs").data
    d["count"] = np.round(5 * d["rr"] + d["hit"])
    d["time"] = 0.2 + d["rr"] * (1 + d["hit"])
    d["w"] = 1 + (np.arange(len(d)) % 3)
    return d


FAMILIES = [
    ("hit", F.Binomial()),
    ("hit", F.Binomial(L.Probit())),
    ("hit", F.Binomial(L.CLogLog())),
    ("rr", F.Binomial()),
    ("count", F.Poisson()),
    ("count", F.Poisson(L.Sqrt())),
    ("time", F.Gamma(L.Log())),
    ("time", F.Gamma(L.InversePower())),
    ("time", F.InverseGaussian(L.Log())),
    ("time", F.Gaussian(L.Log())),
    ("rr", F.Gaussian()),
]


@pytest.mark.parametrize(("y", "family"), FAMILIES)
@pytest.mark.filterwarnings("ignore")  # statsmodels' own domain warnings
def test_without_strata_it_is_cr1_of_statsmodels(data, y, family):
    ours = SurveyDesign(data, ids="doc_id", weights="w").glm(f"{y} ~ system + Md", family)
    codes = pd.factorize(data["doc_id"])[0]
    theirs = smf.glm(f"{y} ~ system + Md", data, family=family, var_weights=data["w"]).fit(
        tol=1e-14,
        maxiter=300,
        cov_type="cluster",
        cov_kwds={"groups": codes, "use_correction": False},
    )
    k = data["doc_id"].nunique()
    # statsmodels stops on the deviance, so its coefficients have about 8 digits
    np.testing.assert_allclose(ours.params, theirs.params[ours.params.index], rtol=1e-6)
    score = np.asarray(theirs.model.score_obs(ours.params.to_numpy(), scale=1.0))
    eim = -theirs.model.hessian(ours.params.to_numpy(), scale=1.0, observed=False)
    np.testing.assert_allclose(score.sum(axis=0), 0, atol=1e-8 * np.abs(score).sum())
    z = pd.DataFrame(score @ np.linalg.inv(eim)).groupby(codes).sum()
    v = k / (k - 1) * z.T @ z
    np.testing.assert_allclose(ours.cov_params(), v, rtol=1e-8)


def test_df_are_units_minus_strata_plus_1_minus_p():
    data = read_case("svy_glm").data
    fit = SurveyDesign(data, ids="doc_id", strata="size", fpc="M").glm("hit ~ system + rr")
    assert fit.df_design == 16
    assert fit.df_inference.tolist() == [16 + 1 - 3] * 3
    assert fit.nobs == len(data)
    assert fit.tvalues.to_numpy() == pytest.approx((fit.params / fit.bse).to_numpy())
    assert fit.conf_int(df=np.inf).loc["rr", "lower"] == pytest.approx(
        fit.params["rr"] - 1.959963984540054 * fit.bse["rr"]
    )


def test_intercept_is_the_mean_and_system_the_difference():
    data = read_case("svy_domain").data
    design = SurveyDesign(data, ids="doc_id", strata="size", fpc="M")
    fit, means = design.glm("hit ~ system"), design.domain("system", "hit")
    difference = means.contrast({"B": 1, "A": -1})
    assert fit.params["system[T.B]"] == pytest.approx(difference.estimate, rel=1e-10)
    assert fit.bse["system[T.B]"] == pytest.approx(difference.se, rel=1e-10)
    b = fit.contrast({"Intercept": 1, "system[T.B]": 1})
    assert b.estimate == pytest.approx(means.estimate["B"], rel=1e-10)
    assert b.se == pytest.approx(means.se["B"], rel=1e-10)


def test_missing_rows_are_a_domain():
    data = read_case("svy_glm").data
    data.loc[data.index[::5], "rr"] = np.nan
    design = SurveyDesign(data, ids="doc_id", strata="size", fpc="M")
    with pytest.raises(
        ValueError, match=r"186 of 928 rows have no value of the columns of 'hit ~ rr'"
    ):
        design.glm("hit ~ rr")
    fit = design.glm("hit ~ rr", missing="drop")
    assert fit.n_dropped == 186
    assert fit.nobs == 928 - 186
    weightless = data.assign(
        w=design.weights.where(data["rr"].notna(), 0.0), rr=data["rr"].fillna(5.0)
    )
    other = SurveyDesign(weightless, ids="doc_id", strata="size", fpc="M", weights="w").glm(
        "hit ~ rr"
    )
    np.testing.assert_allclose(fit.cov_params(), other.cov_params(), rtol=1e-10)


@pytest.mark.parametrize("dtype", ["object", "category", "string", "string[pyarrow]"])
def test_system_dtypes_give_the_same_model(dtype):
    data = read_case("svy_glm").data
    plain = SurveyDesign(data, ids="doc_id").glm("hit ~ system")
    typed = data.assign(system=data["system"].astype(dtype), hit=data["hit"].astype("Float64"))
    fit = SurveyDesign(typed, ids="doc_id").glm("hit ~ system")
    pd.testing.assert_frame_equal(fit.cov_params(), plain.cov_params())


def test_nullable_columns_with_missing_values_are_dropped_rows():
    data = read_case("svy_glm").data
    typed = data.assign(
        system=data["system"].astype("string").mask(data.index % 9 == 0),
        flag=(data["rr"] > 0.5).astype("boolean").mask(data.index % 7 == 0),
        rr=data["rr"].astype("Float64").mask(data.index % 5 == 0),
    )
    missing = typed[["system", "flag", "rr"]].isna().any(axis=1)
    fit = SurveyDesign(typed, ids="doc_id").glm("hit ~ system + flag + rr", missing="drop")
    assert fit.n_dropped == int(missing.sum())
    assert list(fit.params.index) == ["Intercept", "system[T.B]", "flag[T.True]", "rr"]


def test_names_of_the_caller_are_seen():
    data = read_case("svy_glm").data

    def half(v):
        return v / 2

    design = SurveyDesign(data, ids="doc_id")
    a, b = design.glm("hit ~ half(rr)"), design.glm("hit ~ np.multiply(rr, 0.5)")
    assert a.params.iloc[1] == pytest.approx(b.params.iloc[1], rel=1e-12)


def test_a_level_in_one_document_is_blocked_and_the_rest_is_not():
    data = pd.DataFrame(
        {
            "score": [0.9, 0.8, 0.4, 0.5, 0.7, 0.2, 0.1, 0.3, 1.0, 0.6, 0.6, 0.0],
            "doc": list("aaabbccccdee"),
            "type": list("pprrprprpspr"),
        }
    )
    fit = SurveyDesign(data, ids="doc").glm("score ~ 0 + type")
    assert fit.params["type[s]"] == pytest.approx(0.6)
    assert np.isnan([fit.bse["type[s]"], fit.pvalues["type[s]"], fit.df_inference["type[s]"]]).all()
    assert fit.bse["type[p]"] > 0
    assert any(n == "type[s]: cannot be estimated without doc='d'" for n in fit.notes)
    assert any(n.startswith("type[s]: NaN, because it rests on single units") for n in fit.notes)


def test_a_coefficient_that_partly_rests_on_one_document_warns():
    data = read_case("svy_glm_srs").data
    data["odd"] = np.where(data["doc_id"] == "d001", "x", "y")
    data["z"] = data["rr"]
    design = SurveyDesign(data, ids="doc_id")
    with pytest.warns(RagstatsWarning, match="cannot be estimated without doc_id='d001'"):
        fit = design.glm("hit ~ z + odd")
    assert (fit.bse > 0).all()


def test_perfect_fit_is_se_0_without_p(data):
    data["y"] = 2.0 * data["Md"] + 1.0
    with pytest.warns(RagstatsWarning, match="do not vary"):
        fit = SurveyDesign(data, ids="doc_id").glm("y ~ Md")
    assert fit.bse.tolist() == [0.0, 0.0]
    assert fit.pvalues.isna().all()


def test_too_many_coefficients_for_the_units():
    data = read_case("svy_glm").data
    few = data[data["doc_id"].isin(["d001", "d002", "d003"])].copy()
    fit = SurveyDesign(few, ids="doc_id").glm("hit ~ rr + np.square(rr)")
    assert fit.df_inference.tolist() == [0.0, 0.0, 0.0]
    assert fit.pvalues.isna().all()
    assert any("no degrees of freedom" in n for n in fit.notes)


def test_badly_scaled_columns_do_not_matter(data):
    data["huge"], data["tiny"] = data["Md"] * 1e10, data["rr"] * 1e-10
    design = SurveyDesign(data, ids="doc_id")
    a, b = design.glm("hit ~ Md + rr"), design.glm("hit ~ huge + tiny")
    np.testing.assert_allclose(a.tvalues, b.tvalues, rtol=1e-9)


@pytest.mark.parametrize(
    ("formula", "family", "message"),
    [
        ("hit ~ Md + I(2 * Md)", None, r"I\(2 \* Md\) is a linear combination of the columns"),
        ("hit ~ I(hit + 0)", F.Binomial(), "predicts the outcome perfectly|did not converge"),
        ("I(2 * hit) ~ rr", F.Binomial(), r"outcomes are outside \[0, 1\]"),
        ("system ~ rr", None, "the outcome has 2 columns"),
        ("hit ~ nothing", None, "'nothing' is not defined"),
        ("~ rr", None, "outcome"),
        ("hit ~ I(1 / (rr * 0 + (Md > 3)))", None, "infinite values"),
        ("hit ~ rr +", None, "formula='hit ~ rr \\+'"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_errors_of_models(data, formula, family, message):
    with pytest.raises(ValueError, match=message) as info:
        SurveyDesign(data, ids="doc_id").glm(formula, family)
    assert "\n" not in str(info.value)


def test_family_is_an_instance(data):
    with pytest.raises(
        TypeError, match=r"give a statsmodels family such as sm\.families\.Binomial"
    ):
        SurveyDesign(data, ids="doc_id").glm("hit ~ rr", F.Binomial)


def test_more_coefficients_than_rows():
    data = pd.DataFrame({"doc": ["a", "b"], "y": [1.0, 2.0], "x": [1.0, 3.0], "z": [4.0, 5.0]})
    with pytest.raises(ValueError, match="3 coefficients and only 2 rows"):
        SurveyDesign(data, ids="doc").glm("y ~ x + z")
