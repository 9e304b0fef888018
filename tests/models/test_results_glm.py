"""GLM: predictions, marginal effects, offsets, counts, weights and separation."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from known_inputs import assert_same, hits
from numpy.testing import assert_allclose
from scipy import stats

import ragstats as rs
from ragstats.exceptions import RagstatsWarning

links = sm.families.links
BINOMIAL = sm.families.Binomial()


def _data():
    rng = np.random.default_rng(13)
    sizes = [4, 5, 7, 9, 11, 12, 14, 18]
    frame = pd.DataFrame({"doc": np.repeat(list("ABCDEFGH"), sizes)})
    frame["sys"] = np.array(list("abc"))[rng.integers(0, 3, 80)]
    frame["x"] = rng.normal(size=80)
    latent = frame["x"] / 2 + rng.logistic(size=80) + np.repeat(rng.normal(size=8), sizes)
    frame["hit"] = (latent > 0) * 1.0
    frame["n"] = rng.integers(1, 9, 80)
    frame["yes"] = rng.binomial(frame["n"], 0.4)
    frame["no"] = frame["n"] - frame["yes"]
    frame["w"] = rng.uniform(0.5, 3, 80)
    frame["time"] = rng.gamma(3, size=80) + 0.1
    return frame


DATA = _data()
MODELS = {
    "logit": rs.glm("hit ~ sys + x", DATA, groups="doc", family=BINOMIAL),
    "probit": rs.glm(
        "hit ~ sys + x", DATA, groups="doc", family=sm.families.Binomial(links.Probit())
    ),
    "cloglog": rs.glm(
        "hit ~ sys + x", DATA, groups="doc", family=sm.families.Binomial(links.CLogLog())
    ),
    "counts": rs.glm("yes + no ~ sys + x", DATA, groups="doc", family=BINOMIAL),
    "poisson": rs.glm("yes ~ sys + x", DATA, groups="doc", family=sm.families.Poisson()),
    "exposure": rs.glm(
        "yes ~ sys + x", DATA, groups="doc", family=sm.families.Poisson(), exposure="n"
    ),
    "offset": rs.glm("hit ~ sys + x", DATA, groups="doc", family=BINOMIAL, offset="w"),
    "frequencies": rs.glm(
        "hit ~ sys + x", DATA, groups="doc", family=BINOMIAL, freq_weights="n"
    ),
    "gamma": rs.glm(
        "time ~ sys + x", DATA, groups="doc", family=sm.families.Gamma(links.Log()),
        var_weights="w",
    ),
    "gaussian log": rs.glm(
        "time ~ sys + x", DATA, groups="doc", family=sm.families.Gaussian(links.Log())
    ),
}  # fmt: skip


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]


def _at(results, params):
    """Return the fitted means of the rows at other coefficients."""
    return results.model.predict(params, which="mean")


def _delta(results, function):
    """Return SE and df of a function of the coefficients, by a numerical gradient."""
    params = results.params.to_numpy()
    steps = 1e-6 * np.maximum(np.abs(params), 1)
    gradient = np.array(
        [
            (function(params + h * e) - function(params - h * e)) / (2 * h)
            for h, e in zip(steps, np.eye(len(params)), strict=True)
        ]
    )
    estimate = results.t_test(gradient)
    return float(np.ravel(estimate.sd)[0]), float(np.ravel(estimate.df_denom)[0])


# A central difference of step 1e-6 has 9 digits of the derivative.
NUMERICAL = 1e-6

# ---- predictions -----------------------------------------------------------------------------------------


def test_predicted_means_have_the_delta_method_and_the_df_of_their_contrast(model):
    results = model.fit()
    prediction = results.get_prediction()
    assert_allclose(prediction.predicted_mean, results.fittedvalues, rtol=1e-12)
    for row in (0, 17, 63):
        se, df = _delta(results, lambda params, row=row: _at(results, params)[row])
        assert_allclose([prediction.se_mean[row], prediction.df[row]], [se, df], rtol=NUMERICAL)
    interval = prediction.conf_int(alpha=0.1)
    half = stats.t.isf(0.05, prediction.df) * prediction.se_mean
    assert_allclose(interval[:, 1] - prediction.predicted_mean, half)
    linear = results.get_prediction(which="linear")
    contrast = results.t_test(results.model.exog)
    assert_allclose(linear.se_mean, contrast.sd, rtol=1e-10)
    assert_allclose(linear.df, prediction.df)
    assert_allclose(results.family.fitted(linear.predicted_mean), prediction.predicted_mean)


def test_predictions_of_new_rows_take_an_offset_and_an_exposure():
    new = pd.DataFrame({"sys": ["a", "b"], "x": [0.0, 1.0]}, index=["first", "second"])
    results = MODELS["exposure"].fit()
    base = results.get_prediction(new)
    assert_allclose(base.predicted_mean, results.predict(new), rtol=1e-12)
    tripled = results.get_prediction(new, exposure=[3, 3])
    assert_allclose(tripled.predicted_mean, 3 * base.predicted_mean, rtol=1e-12)
    assert_allclose(tripled.se_mean, 3 * base.se_mean, rtol=1e-12)
    assert_allclose(tripled.predicted_mean, results.predict(new, exposure=[3, 3]))
    shifted = results.get_prediction(new, offset=np.log([3, 3]))
    assert_allclose(shifted.summary_frame(), tripled.summary_frame())
    assert list(base.summary_frame().index) == ["first", "second"]
    own = results.get_prediction()
    assert_allclose(own.predicted_mean, results.fittedvalues, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"which": "var"}, "which='var' is unknown.*'mean', 'linear'"),
        ({"average": True}, r"does not take average=; .*average_marginal_effects\(\)"),
        ({"agg_weights": [1]}, "does not take agg_weights="),
        ({"exog": pd.DataFrame({"sys": ["z"], "x": [0.0]})}, "exog: .*'z'"),
        ({"exog": pd.DataFrame({"sys": ["a"]})}, "exog: .*'x' is not defined"),
        ({"exog": [[1.0, 2.0]], "transform": False}, "exog has 2 columns; the model has 4"),
        ({"exposure": [1, 2, 3]}, "exposure has shape .3,. for 80 rows"),
        ({"offset": [1, 2, 3]}, "offset has shape .3,. for 80 rows"),
        ({"row_labels": [1, 2, 3]}, "row_labels has 3 labels for 80 rows"),
    ],
)  # fmt: skip
def test_predictions_that_cannot_be_had(options, message):
    with pytest.raises(ValueError, match=message) as caught:
        MODELS["logit"].fit().get_prediction(**options)
    assert "\n" not in str(caught.value)


def test_predictions_of_incomplete_rows_are_nan_with_the_reason():
    new = pd.DataFrame({"sys": ["a", None, "b"], "x": [0.0, 1.0, np.nan]})
    prediction = MODELS["logit"].fit().get_prediction(new)
    assert np.isnan(prediction.predicted_mean).tolist() == [False, True, True]
    assert prediction.reasons == ("", "a covariate is missing", "a covariate is missing")
    assert prediction.summary_frame().shape == (3, 5)


# ---- average marginal effects ------------------------------------------------------------------------------


def _mean_of(results, params, **changed):
    """The weighted mean of the fitted means, with variables of the data changed."""
    design = results.model._design
    rows = design.rows_for(results.model.data.frame.assign(**changed)).to_numpy()
    predictor = rows @ params + results.model._offset_exposure
    means = results.family.link.inverse(predictor)
    return np.average(means, weights=results.model.freq_weights)


def _difference(results, variable, high, low, width=1.0):
    def function(params):
        ends = [_mean_of(results, params, **{variable: value}) for value in (high, low)]
        return (ends[0] - ends[1]) / width

    return function


def test_average_marginal_effects_against_numerical_differentiation(model):
    results = model.fit()
    table = results.average_marginal_effects()
    x = results.model.data.frame["x"]
    effects = {
        "sys[b - a]": _difference(results, "sys", "b", "a"),
        "sys[c - a]": _difference(results, "sys", "c", "a"),
        # the derivative, by a central difference of the fitted means
        "x": _difference(results, "x", x + 1e-5, x - 1e-5, 2e-5),
    }
    assert list(table.index) == list(effects)
    for name, row in table.iterrows():
        function = effects[name]
        se, df = _delta(results, function)
        assert_allclose(row["effect"], function(results.params.to_numpy()), rtol=NUMERICAL)
        assert_allclose([row["std err"], row["df"]], [se, df], rtol=1e-4)  # a second difference
        assert_allclose(row["P>|t|"], 2 * stats.t.sf(abs(row["t"]), row["df"]), rtol=1e-12)
    wide = results.average_marginal_effects(alpha=0.2)
    assert list(wide.columns)[-2:] == ["[0.1", "0.9]"]


@pytest.mark.parametrize("name", ["logit", "probit", "cloglog", "poisson"])
def test_average_marginal_effects_are_those_of_statsmodels(name):
    results = MODELS[name].fit()
    fitted = results.model.plain_model().fit(tol=1e-14)
    margins = fitted.get_margeff(dummy=True).summary_frame()
    # statsmodels moves each column alone, which is what arrays get here
    arrays = rs.GLM(
        results.model.data.orig_endog, results.model.data.orig_exog,
        groups=DATA["doc"].to_numpy(), family=results.family,
    ).fit()  # fmt: skip
    # statsmodels stops on the deviance, which leaves half the digits under these links
    assert_allclose(arrays.average_marginal_effects()["effect"], margins["dy/dx"], rtol=1e-6)
    ours = results.average_marginal_effects()["effect"]
    assert_allclose(ours["x"], margins.loc["x", "dy/dx"], rtol=1e-6)
    if name not in ("logit", "poisson"):
        return  # statsmodels' HC0 takes the observed information, which differs for these links
    # with every row a document of its own the sandwich is HC0, and so are its margins
    single = rs.GLM(
        results.model.data.orig_endog, results.model.data.orig_exog,
        groups=np.arange(80), family=results.family,
    ).fit(cov_type="CR0", df="normal")  # fmt: skip
    hc0 = results.model.plain_model().fit(tol=1e-14, cov_type="HC0")
    robust = hc0.get_margeff(dummy=True).summary_frame()
    assert_allclose(single.average_marginal_effects()["std err"], robust["Std. Err."], rtol=1e-7)
    assert_allclose(single.average_marginal_effects()["P>|t|"], robust["Pr(>|z|)"], rtol=1e-6)


def test_average_marginal_effects_of_a_linear_model_are_its_coefficients():
    results = rs.glm("time ~ sys + x", DATA, groups="doc").fit()
    table = results.average_marginal_effects()
    linear = rs.ols("time ~ sys + x", DATA, groups="doc").fit()
    names = ["sys[T.b]", "sys[T.c]", "x"]
    assert list(table.index) == ["sys[b - a]", "sys[c - a]", "x"]
    assert_allclose(table["effect"], linear.params[names], rtol=1e-10)
    assert_allclose(table["df"], linear.df_inference[names], rtol=1e-10)
    assert_allclose(table["P>|t|"], linear.pvalues[names], rtol=1e-9)


def test_marginal_effects_move_all_columns_of_a_variable():
    """Two variables with an interaction, a square and a second coding: exact in a linear model."""
    formula = "time ~ C(sys, Sum) * x + I(x**2)"
    results = rs.glm(formula, DATA, groups="doc").fit()
    b, x = results.params, DATA["x"]
    table = results.average_marginal_effects()
    s = "C(sys, Sum)"
    at = {"a": b[f"{s}[S.a]"], "b": b[f"{s}[S.b]"]}
    by = {"a": b[f"{s}[S.a]:x"], "b": b[f"{s}[S.b]:x"]}
    for weights in (at, by):
        weights["c"] = -weights["a"] - weights["b"]
    slopes = b["x"] + DATA["sys"].map(by) + 2 * b["I(x ** 2)"] * x
    expected = {
        "sys[b - a]": at["b"] - at["a"] + (by["b"] - by["a"]) * x.mean(),
        "sys[c - a]": at["c"] - at["a"] + (by["c"] - by["a"]) * x.mean(),
        "x": slopes.mean(),
    }
    assert list(table.index) == list(expected)
    # derivatives of the design by differences: 1e-10
    assert_allclose(table["effect"], list(expected.values()), rtol=1e-8)


@pytest.mark.parametrize(
    ("term", "values", "slope"),
    [
        ("np.log(v)", lambda u: np.exp(20 * u - 12), lambda v: 1 / v),  # from 1e-5 to 1e3
        ("I(v + 5)", lambda u: np.where(u < 0.5, 0.0, u), np.ones_like),  # exact zeros
        ("np.sqrt(v)", lambda u: 1e9 * u, lambda v: 0.5 / np.sqrt(v)),
        ("center(v)", lambda u: np.round(u) * 1e6 + 2e6, np.ones_like),
    ],
)
def test_derivatives_of_transformed_variables_at_any_scale(term, values, slope):
    v = values(np.random.default_rng(3).uniform(size=80))
    results = rs.glm(f"time ~ {term}", DATA.assign(v=v), groups="doc").fit()
    found = results.average_marginal_effects().loc["v", "effect"]
    assert_allclose(found, results.params.iloc[1] * np.mean(slope(v)), rtol=1e-6)


def test_a_variable_without_a_derivative_is_left_out_with_a_word():
    results = rs.glm("time ~ C(x > 0) + n", DATA, groups="doc").fit()
    with pytest.warns(RagstatsWarning, match=r"x has no marginal effect here.*C\(x > 0\)"):
        table = results.average_marginal_effects()
    assert list(table.index) == ["n"]


def test_marginal_effects_of_splines_end_at_the_data_and_functions_are_no_variables():
    data = DATA.assign(log=np.arange(80.0))  # a column that has the name of a function
    results = rs.glm("time ~ bs(x, df=4) + np.log(n + 1)", data, groups="doc").fit()
    table = results.average_marginal_effects()
    assert list(table.index) == ["x", "n"]
    step = 1e-5
    inside = data["x"].between(data["x"].min() + step, data["x"].max() - step)
    x, p = data["x"][inside], results.params.to_numpy()
    slope = (_rows(results, x=x + step) @ p - _rows(results, x=x - step) @ p) / (2 * step)
    # the two rows at the ends, one-sided here, are not in the reference
    assert_allclose(
        table.loc["x", "effect"] * 80, slope.sum() + _ends(results, data, step), rtol=1e-5
    )
    assert_allclose(table.loc["n", "effect"], p[-1] * np.mean(1 / (data["n"] + 1)), rtol=1e-8)


def _rows(results, x):
    frame = results.model.data.frame.loc[x.index].assign(x=x)
    return results.model._design.rows_for(frame).to_numpy()


def _ends(results, data, step):
    """The one-sided slopes at the smallest and the largest x."""
    p, ends = results.params.to_numpy(), 0.0
    for where, inward in ((data["x"].idxmin(), step), (data["x"].idxmax(), -step)):
        x = data["x"].loc[[where]]
        change = (_rows(results, x=x + inward) - _rows(results, x=x)) @ p
        ends += change.item() / inward
    return ends


def test_marginal_effects_need_the_variables_of_the_formula(tmp_path):
    results = rs.glm("hit ~ x * sys", DATA, groups="doc", family=BINOMIAL).fit()
    results.save(tmp_path / "fit")
    with pytest.raises(ValueError, match="stored without it; fit again"):
        rs.load(tmp_path / "fit").average_marginal_effects()
    empty = rs.glm("hit ~ 1", DATA, groups="doc", family=BINOMIAL).fit()
    assert empty.average_marginal_effects().empty


# ---- the fit is statsmodels', and R's ------------------------------------------------------------------------


def test_estimates_are_the_maximum(model):
    results = model.fit()
    score = results.model.score(results.params.to_numpy())
    size = np.abs(results.model.exog).sum(axis=0)
    assert_allclose(score / size, 0, atol=1e-10)
    plain = results.model.plain_model().fit(tol=1e-14)
    assert_allclose(results.params, plain.params, rtol=1e-7)
    assert results.converged
    started = results.model.fit(start_params=results.params.to_numpy() * 0.5)
    assert_same(started, results, 1e-8)
    with pytest.raises(ValueError, match=r"start_params has shape \(2,\); the model has 4 coeffic"):
        results.model.fit(start_params=[0, 1])


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("cov_type", ["CR0", "CR2", "CR3"])
def test_a_statsmodels_result_gives_the_same_inference(name, cov_type):
    ours = MODELS[name].fit(cov_type=cov_type)
    plain = MODELS[name].plain_model().fit(tol=1e-14)
    robust = rs.cluster_robust(plain, groups=DATA["doc"], cov_type=cov_type)
    assert_same(robust, ours, 1e-7)
    for member in ("llf", "deviance", "aic", "null_deviance"):
        assert_allclose(getattr(robust, member), getattr(ours, member), rtol=1e-7)


def test_counts_are_proportions_with_trials_and_keep_their_likelihood():
    counts = MODELS["counts"].fit()
    frame = DATA.assign(rate=DATA["yes"] / DATA["n"])
    rates = rs.glm("rate ~ sys + x", frame, groups="doc", family=BINOMIAL, var_weights="n").fit()
    assert_same(counts, rates, 1e-9)
    fitted = smf.glm("yes + no ~ sys + x", DATA, family=BINOMIAL).fit()
    assert_allclose(counts.llf, fitted.llf, rtol=1e-10)
    assert "yes + no" in str(counts.summary())
    arrays = rs.GLM(DATA[["yes", "no"]], counts.model.data.orig_exog, groups=DATA["doc"],
                    family=BINOMIAL).fit()  # fmt: skip
    assert_same(arrays, counts, 1e-9)


def test_one_family_serves_several_models():
    family = sm.families.Binomial()  # statsmodels keeps the trials of its last model on it
    first = rs.glm("yes + no ~ x", DATA, groups="doc", family=family)
    llf = first.fit().llf
    second = rs.glm("hit ~ x", DATA, groups="doc", family=family).fit()
    assert_allclose(second.llf, rs.glm("hit ~ x", DATA, groups="doc", family=BINOMIAL).fit().llf)
    assert_allclose(first.fit().llf, llf, rtol=1e-12)


def test_an_exposure_is_the_offset_of_its_logarithm():
    frame = DATA.assign(log_n=np.log(DATA["n"]))
    family = sm.families.Poisson()
    offset = rs.glm("yes ~ sys + x", frame, groups="doc", family=family, offset="log_n").fit()
    assert_same(offset, MODELS["exposure"].fit(), 1e-10)
    both = rs.glm("yes ~ x", frame, groups="doc", family=family, offset="w", exposure="n").fit()
    sums = rs.glm("yes ~ x", frame, groups="doc", family=family, offset=frame["w"] + frame["log_n"])
    assert_same(both, sums.fit(), 1e-10)
    with pytest.raises(rs.DataError, match="exposure: 1 values are not positive"):
        rs.glm("yes ~ x", frame.assign(n=[0, *frame["n"][1:]]), groups="doc", family=family,
               exposure="n")  # fmt: skip
    with pytest.raises(rs.DataError, match="offset: 1 missing or infinite values in 80 rows"):
        rs.glm("yes ~ x", frame.assign(w=[np.nan, *frame["w"][1:]]), groups="doc", family=family,
               offset="w")  # fmt: skip
    with pytest.raises(ValueError, match="exposure= needs the log link, and this is Logit"):
        rs.glm("hit ~ x", frame, groups="doc", family=BINOMIAL, exposure="n")


@pytest.mark.parametrize(
    ("outcome", "family", "message"),
    [
        ("time", BINOMIAL, r"endog: \d+ values outside the domain of the Binomial family.*0 and 1"),
        ("x", sm.families.Poisson(), "outside the domain of the Poisson family.*at least 0"),
        ("x", sm.families.Gamma(), "outside the domain of the Gamma family.*positive"),
        ("hit", sm.families.InverseGaussian(), "outside the domain of the InverseGaussian family"),
    ],
)
def test_outcomes_outside_of_the_family_are_refused(outcome, family, message):
    with pytest.raises(rs.DataError, match=message):
        rs.glm(f"{outcome} ~ sys", DATA, groups="doc", family=family)


def test_what_is_not_a_family_or_not_counts_is_refused():
    with pytest.raises(TypeError, match="family='binomial' is not a statsmodels family"):
        rs.glm("hit ~ x", DATA, groups="doc", family="binomial")
    with pytest.raises(ValueError, match="endog has 2 columns; one is right"):
        rs.glm("yes + no ~ x", DATA, groups="doc", family=sm.families.Poisson())
    with pytest.raises(ValueError, match=r"formula: the left side .* has 3 columns"):
        rs.glm("yes + no + n ~ x", DATA, groups="doc", family=BINOMIAL)
    with pytest.raises(rs.DataError, match="successes and failures must be ≥ 0 with at least one"):
        rs.glm("yes + no ~ x", DATA.assign(yes=0, no=0), groups="doc", family=BINOMIAL)
    with pytest.raises(ValueError, match="df='IK' is defined for unweighted OLS"):
        MODELS["logit"].fit(df="IK")


# ---- frequencies -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR1p", "CR1S", "CR2", "CR3"])
@pytest.mark.parametrize("df", ["satterthwaite", "K-1", "K-p", "normal"])
def test_frequencies_are_repeated_rows(cov_type, df):
    repeated = DATA.loc[DATA.index.repeat(DATA["n"])].reset_index(drop=True)
    long = rs.glm("hit ~ sys + x", repeated, groups="doc", family=BINOMIAL)
    once, right = (
        MODELS["frequencies"].fit(cov_type=cov_type, df=df),
        long.fit(cov_type=cov_type, df=df),
    )
    assert_same(once, right, 1e-9)
    joint, joint_right = (r.wald_test(np.eye(4)[1:]) for r in (once, right))
    assert_allclose(joint.pvalue, joint_right.pvalue, rtol=1e-8)


# ---- separation --------------------------------------------------------------------------------------------------


def test_perfect_separation_is_an_error():
    frame = DATA.assign(hit=(DATA["x"] > 0.1) * 1.0)
    for family in (BINOMIAL, sm.families.Binomial(links.Probit())):
        model = rs.glm("hit ~ x", frame, groups="doc", family=family)
        with pytest.raises(rs.DataError, match=r"endog: .*perfect separation"):
            model.fit()
    counts = frame.assign(yes=frame["hit"] * 3, no=(1 - frame["hit"]) * 3)
    with pytest.raises(rs.DataError, match="perfect separation"):
        rs.glm("yes + no ~ x", counts, groups="doc", family=BINOMIAL).fit()
    with pytest.raises(rs.DataError, match="endog"):
        rs.glm("yes ~ x", DATA.assign(yes=0), groups="doc", family=sm.families.Poisson()).fit()


SEPARATED = [BINOMIAL, sm.families.Binomial(links.Probit()),
             sm.families.Binomial(links.CLogLog()), sm.families.Poisson()]  # fmt: skip


def _separated(family):
    value = 0.0 if isinstance(family, sm.families.Poisson) else 1.0
    return DATA.assign(hit=np.where(DATA["sys"] == "c", value, DATA["hit"]))


@pytest.mark.parametrize("family", SEPARATED, ids=lambda f: type(f.link).__name__)
@pytest.mark.parametrize("cov_type", ["CR0", "CR2", "CR3"])
def test_a_level_that_always_hits_is_infinite_and_the_others_are_not(family, cov_type):
    """The other contrasts have the limits of the fit without the level."""
    frame = _separated(family)
    model = rs.glm("hit ~ sys + x", frame, groups="doc", family=family)
    with pytest.warns(
        RagstatsWarning, match=r"sys\[T.c\] is infinite \(separation: the outcome is"
    ):
        results = model.fit(cov_type=cov_type)
    kept = frame[frame["sys"] != "c"]
    finite = rs.glm("hit ~ sys + x", kept, groups="doc", family=family).fit(cov_type=cov_type)
    names = list(finite.params.index)
    for attribute in ("params", "bse", "df_inference", "pvalues"):
        # the fitted means of the level are 1e-9 from their bound
        assert_allclose(getattr(results, attribute)[names], getattr(finite, attribute), rtol=1e-7)
        if attribute != "params":
            assert np.isnan(getattr(results, attribute)["sys[T.c]"])
    assert results.conf_int().loc["sys[T.c]"].isna().all()
    assert results.cov_params().loc["sys[T.c]"].isna().all()
    assert "separation" in str(results.summary())
    assert results.converged


def test_infinite_contrasts_in_tests_predictions_and_files(tmp_path):
    frame = _separated(BINOMIAL)
    with pytest.warns(RagstatsWarning, match="is infinite"):
        results = rs.glm("hit ~ sys + x", frame, groups="doc", family=BINOMIAL).fit()
    with pytest.warns(RagstatsWarning, match="joint test is NaN: a constraint is infinite"):
        joint = results.wald_test("sys[T.b] = 0, sys[T.c] = 0")
    assert np.isnan(joint.pvalue)
    pairs = results.t_test_pairwise("sys").result_frame
    assert pairs["P>|t|"].isna().tolist() == [False, True, True]
    assert np.isnan(results.f_pvalue)
    prediction = results.get_prediction(pd.DataFrame({"sys": list("abc"), "x": 0.0}))
    assert np.isnan(prediction.se_mean).tolist() == [False, False, True]
    assert "is infinite" in prediction.reasons[2]
    assert_allclose(prediction.predicted_mean[2], 1, atol=1e-8)
    effects = results.average_marginal_effects()
    assert np.isfinite(effects.loc[["sys[b - a]", "x"], "std err"]).all()
    results.save(tmp_path / "fit", remove_data=True)
    loaded = rs.load(tmp_path / "fit")
    assert loaded.reasons == results.reasons
    assert "is infinite" in loaded.t_test("sys[T.c] = 0").reason
    assert_allclose(loaded.bse, results.bse, rtol=0)


def test_a_rare_level_that_never_hits_in_one_row():
    frame = hits().assign(rare=[0.0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
    with pytest.warns(RagstatsWarning, match="rare is infinite .* 1 in the fit"):
        results = rs.glm("hit ~ len + rare", frame, groups="doc", family=BINOMIAL).fit()
    assert np.isnan(results.bse["rare"])
    without = rs.glm("hit ~ len", frame[frame["rare"] == 0], groups="doc", family=BINOMIAL).fit()
    assert_allclose(results.bse[["Intercept", "len"]], without.bse, rtol=1e-5)


def test_an_extreme_fit_that_is_finite_is_left_alone():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"doc": np.repeat(np.arange(20), 200), "x": rng.normal(size=4000) * 8})
    frame["hit"] = (rng.uniform(size=4000) < 1 / (1 + np.exp(-2 * frame["x"]))) * 1.0
    results = rs.glm("hit ~ x", frame, groups="doc", family=BINOMIAL).fit()
    assert (results.fittedvalues > 1 - 1e-12).any()  # many rows at the bound, none that matters
    assert np.isfinite(results.bse).all()
    fitted = smf.glm("hit ~ x", frame, family=sm.families.Binomial()).fit(tol=1e-12)
    assert_allclose(results.params, fitted.params, rtol=1e-8)


@pytest.mark.parametrize("weights", ["var_weights", "freq_weights"])
def test_rows_of_weight_zero_are_dropped_rows(weights):
    frame = DATA.assign(w=DATA["w"].where(DATA["doc"] != "C", 0.0))
    options = {"groups": "doc", "family": BINOMIAL, weights: "w"}
    results = rs.glm("hit ~ sys + x", frame, **options).fit()
    assert_same(results, rs.glm("hit ~ sys + x", frame[frame["w"] > 0], **options).fit(), 1e-10)
    assert results.model._design.dropped == {"zero weight": 7}
    assert results.n_groups == 7
