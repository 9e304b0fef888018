"""Tests of contrasts: by name, one-sided, jointly, in pairs, with other values than 0."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from known_inputs import expected, systems
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats.multitest import multipletests

import ragstats as rs
from ragstats.exceptions import RagstatsWarning

BINOMIAL = sm.families.Binomial()


def _data():
    rng = np.random.default_rng(3)
    sizes = [3, 4, 5, 7, 9, 10, 12, 14]
    frame = pd.DataFrame({"doc": np.repeat(list("ABCDEFGH"), sizes)})
    frame["sys"] = np.array(list("abcd"))[rng.integers(0, 4, 64)]
    frame["x"] = rng.normal(size=64)
    frame["score"] = rng.normal(size=64) + np.repeat(rng.normal(size=8), sizes)
    return frame.assign(hit=(frame["score"] > 0) * 1.0)


DATA = _data()
MODELS = {
    "ols": rs.ols("score ~ sys + x", DATA, groups="doc"),
    "wls": rs.wls("score ~ sys + x", DATA, groups="doc", weights=1 + DATA["x"] ** 2),
    "logit": rs.glm("hit ~ sys + x", DATA, groups="doc", family=BINOMIAL),
}
SYSTEMS = "sys[T.b] = 0, sys[T.c] = 0, sys[T.d] = 0"
ROWS = np.eye(5)[1:4]


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]


# ---- joint tests by name ---------------------------------------------------------------------------


def test_the_default_is_the_approximate_hotelling_test(model):
    results = model.fit()
    named, default = results.wald_test(SYSTEMS, test="AHT"), results.wald_test(SYSTEMS)
    for joint in (named, results.f_test(SYSTEMS), results.wald_test(ROWS, use_f=True)):
        assert_allclose([joint.statistic, joint.pvalue], [default.statistic, default.pvalue])
    assert default.df_num == 3
    assert_allclose(default.df_denom, default.eta - 2)
    assert_allclose(default.pvalue, stats.f.sf(default.statistic, 3, default.df_denom))


def test_the_other_tests_are_asked_for_by_name(model):
    results = model.fit()
    v, b = results.cov_params().to_numpy()[1:4, 1:4], results.params.to_numpy()[1:4]
    q = b @ np.linalg.solve(v, b)
    for chi2 in (results.wald_test(SYSTEMS, test="chi2"), results.wald_test(ROWS, use_f=False)):
        assert_allclose([chi2.statistic, chi2.pvalue], [q, stats.chi2.sf(q, 3)], rtol=1e-9)
        assert chi2.distribution == "chi2"
    naive = results.wald_test(SYSTEMS, test="F")
    assert_allclose([naive.statistic, naive.pvalue], [q / 3, stats.f.sf(q / 3, 3, 7)], rtol=1e-9)
    assert (naive.df_num, naive.df_denom) == (3, 7)
    aht = results.wald_test(SYSTEMS)
    assert_allclose(aht.statistic, aht.df_denom / aht.eta * q / 3, rtol=1e-9)


@pytest.mark.parametrize(("df", "denominator"), [("K-1", 7), ("K-p", 3), ("normal", np.inf)])
def test_a_naive_rule_of_the_fit_gives_the_naive_test(model, df, denominator):
    results, aht = model.fit(df=df), model.fit().wald_test(SYSTEMS)
    naive = results.wald_test(SYSTEMS)
    assert naive.df_denom == denominator
    q = results.wald_test(SYSTEMS, test="chi2").statistic
    sf = stats.chi2.sf(q, 3) if np.isinf(denominator) else stats.f.sf(q / 3, 3, denominator)
    assert_allclose(naive.pvalue, sf, rtol=1e-12)
    named = results.wald_test(SYSTEMS, test="AHT")  # by name it is the AHT test all the same
    assert_allclose([named.pvalue, named.df_denom], [aht.pvalue, aht.df_denom], rtol=1e-12)


@pytest.mark.filterwarnings("ignore::ragstats.RagstatsWarning")
def test_a_rule_without_df_says_so():
    few = DATA[DATA["doc"].isin(list("ABCD"))]
    results = rs.ols("score ~ sys + x", few, groups="doc").fit(cov_type="CR0", df="K-p")
    assert results.df_inference.isna().all()
    assert "K-p df are undefined" in results.reasons["x"]


def test_other_covariances_and_df_are_refused(model):
    results = model.fit()
    for options in ({"cov_p": np.eye(5)}, {"invcov": np.eye(3)}):
        with pytest.raises(
            ValueError, match=r"cov_p= and invcov= are refused: the degrees of free"
        ):
            results.wald_test(SYSTEMS, **options)
        with pytest.raises(ValueError, match=r"cov_p= and invcov= are refused"):
            results.f_test(SYSTEMS, **options)
    with pytest.raises(ValueError, match=r"cov_p= and invcov= are refused"):
        results.t_test(SYSTEMS, cov_p=np.eye(5))
    with pytest.raises(ValueError, match="df_constraints: the numerator df are the rank"):
        results.wald_test(SYSTEMS, df_constraints=2)
    with pytest.raises(ValueError, match="use_t=False: fit with df='normal'"):
        results.t_test(SYSTEMS, use_t=False)
    with pytest.raises(ValueError, match="test='Wald' is unknown; use one of 'AHT', 'F', 'chi2'"):
        results.wald_test(SYSTEMS, test="Wald")


@pytest.mark.parametrize(
    ("hypothesis", "message"),
    [
        ("sys[T.z] = 0", "r_matrix='sys.T.z. = 0': .*coefficients: Intercept, sys"),
        ("sys[T.b", "r_matrix="),
        ([[1, 0]], r"r_matrix has shape \(1, 2\); it needs 5 columns"),
        (np.eye(5)[0][None, None], r"r_matrix has shape \(1, 1, 5\)"),
        ((np.eye(5)[:2], [1, 2, 3]), "r_matrix has 2 rows and 3 values to compare with"),
        ([[np.nan, 0, 0, 0, 0]], "r_matrix holds missing or infinite values"),
        (pd.DataFrame({"z": [1.0]}), "r_matrix: column 'z' is not a coefficient"),
        ([["a", 1, 2, 3, 4]], "r_matrix=.* is not a hypothesis"),
    ],
)
def test_a_hypothesis_that_cannot_be_read_is_one_line(hypothesis, message):
    results = MODELS["ols"].fit()
    for test in (results.t_test, results.wald_test, results.f_test, results.df_contrast):
        with pytest.raises(ValueError, match=message) as caught:
            test(hypothesis)
        assert "\n" not in str(caught.value)


def test_hypotheses_in_any_form_are_the_same(model):
    results = model.fit()
    forms = [
        "sys[T.b] = sys[T.c]",
        "sys[T.b] - sys[T.c]",
        "sys[T.b] - sys[T.c] = 0",
        ["sys[T.b] - sys[T.c] = 0"],
        [0, 1, -1, 0, 0],
        [[0, 1, -1, 0, 0]],
        np.array([0, 1, -1, 0, 0]),
        ([0, 1, -1, 0, 0], 0.0),
        (np.array([[0, 1, -1, 0, 0]]), [0.0]),
        pd.DataFrame({"sys[T.c]": [-1.0], "sys[T.b]": [1.0]}),
        pd.Series({"sys[T.c]": -1.0, "sys[T.b]": 1.0}),
    ]
    assert_allclose(results.t_test({"x": 0.5}).pvalue, results.t_test("x = 0.5").pvalue)
    right = results.t_test(forms[0])
    for form in forms:
        test = results.t_test(form)
        assert_allclose(test.effect, right.effect, rtol=1e-12, err_msg=str(form))
        assert_allclose(test.df_denom, right.df_denom, rtol=1e-12)
        assert_allclose(results.wald_test(form).pvalue, right.pvalue, rtol=1e-10)


def test_values_other_than_zero(model):
    results = model.fit()
    shifted = results.t_test("sys[T.b] = 0.3, x = -1")
    assert_allclose(
        shifted.tvalue,
        (results.params[["sys[T.b]", "x"]] - [0.3, -1]) / results.bse[["sys[T.b]", "x"]],
    )
    assert_allclose(shifted.effect, results.params[["sys[T.b]", "x"]])  # as in statsmodels
    low, high = results.conf_int().loc["x"]
    for end in (low, high):
        assert_allclose(results.t_test(([0, 0, 0, 0, 1], end)).pvalue, 0.05, rtol=1e-9)
        assert_allclose(results.wald_test(([0, 0, 0, 0, 1], end)).pvalue, 0.05, rtol=1e-9)


# ---- one-sided -------------------------------------------------------------------------------------------


def test_alternatives(model):
    results = model.fit()
    two = results.t_test(ROWS)
    larger = results.t_test(ROWS, alternative="larger")
    smaller = results.t_test(ROWS, alternative="smaller")
    assert_allclose(larger.pvalue + smaller.pvalue, 1, rtol=1e-12)
    assert_allclose(2 * np.minimum(larger.pvalue, smaller.pvalue), two.pvalue, rtol=1e-12)
    assert_allclose(larger.pvalue, stats.t.sf(two.tvalue, two.df_denom), rtol=1e-12)
    assert_allclose(larger.conf_int(), two.conf_int())  # intervals stay two-sided
    headers = [t.summary_frame().columns[4] for t in (two, larger, smaller)]
    assert headers == ["P>|t|", "P>t", "P<t"]
    assert_allclose(larger.summary_frame()["P>t"], larger.pvalue)
    for wrong in ("two.sided", "greater", "less"):
        with pytest.raises(
            ValueError, match=f"alternative='{wrong}' is unknown.*'two-sided', 'larg"
        ):
            results.t_test(ROWS, alternative=wrong)


def test_tiny_p_values_are_not_zero():
    frame = DATA.assign(far=DATA["score"] / 100 + 1e3)
    results = rs.ols("far ~ 1", frame, groups="doc").fit(df="normal")
    t = results.t_test([[1.0]])
    assert t.pvalue == results.pvalues.iloc[0] == 0  # t = 5e5 under the normal
    third = rs.ols("far ~ 1", frame, groups="doc").fit()
    assert 0 < third.pvalues.iloc[0] < 1e-20  # 1 - cdf would be 0
    assert 0 < third.wald_test([[1.0]]).pvalue < 1e-20


# ---- the summaries of tests ---------------------------------------------------------------------------------


def test_tables_of_contrasts_have_their_df(model):
    results = model.fit()
    test = results.t_test(ROWS)
    frame = test.summary_frame(alpha=0.1)
    assert list(frame.columns)[:5] == ["coef", "std err", "t", "df", "P>|t|"]
    assert_allclose(frame["df"], test.df_denom)
    assert_allclose(frame.iloc[:, 5:], test.conf_int(0.1))
    assert "P>|t|" in str(test.summary())
    assert "F=" in str(results.wald_test(ROWS))
    assert f"df_denom={results.wald_test(ROWS).df_denom:.4g}" in str(results.wald_test(ROWS))
    assert "chi2" in str(results.wald_test(ROWS, test="chi2"))


def test_a_naive_interval_and_the_naive_p_agree_with_themselves(model):
    results = model.fit()
    for alpha in (0.01, 0.1, 0.5):
        interval = results.conf_int(alpha)
        outside = (interval[0] > 0) | (interval[1] < 0)
        assert (outside == (results.pvalues < alpha)).all()
    for alpha in (0, 1, 5, -0.1):
        with pytest.raises(ValueError, match=f"alpha={alpha}: give one minus the confidence level"):
            results.conf_int(alpha)


# ---- terms ---------------------------------------------------------------------------------------------------


def test_each_term_has_its_joint_test(model):
    results = model.fit()
    table = results.wald_test_terms().table
    assert list(table.index) == ["Intercept", "sys", "x"]
    right = results.wald_test(SYSTEMS)
    assert_allclose(table.loc["sys"].astype(float),
                    [right.statistic, right.pvalue, 3, right.df_denom])  # fmt: skip
    assert_allclose(table.loc["x", "pvalue"], results.pvalues["x"], rtol=1e-10)
    assert list(results.wald_test_terms(skip_single=True).table.index) == ["sys"]
    more = results.wald_test_terms(
        skip_single=True, combine_terms=["x"], extra_constraints=[("b and x", np.eye(5)[[1, 4]])]
    ).table
    assert list(more.index) == ["sys", "x", "b and x"]
    joint = results.wald_test(np.eye(5)[[1, 4]])
    assert_allclose(more.loc["b and x", "pvalue"], joint.pvalue)
    assert "df denom" in str(results.wald_test_terms())
    with pytest.raises(ValueError, match="combine_terms='z' is unknown"):
        results.wald_test_terms(combine_terms=["z"])
    with pytest.raises(ValueError, match="extra_constraints holds a ndarray; give pairs"):
        results.wald_test_terms(extra_constraints=[np.eye(5)])


def test_terms_of_arrays_are_the_coefficients():
    exog = sm.add_constant(DATA[["x"]])
    results = rs.OLS(DATA["score"], exog, groups=DATA["doc"]).fit()
    assert_allclose(results.wald_test_terms().table["pvalue"], results.pvalues, rtol=1e-10)


@pytest.mark.parametrize("formula", ["score ~ sys*x", "score ~ 0 + sys", "score ~ sys + sys:x"])
def test_terms_of_interactions(formula):
    results = rs.ols(formula, DATA, groups="doc").fit()
    table = results.wald_test_terms().table
    assert list(table.index) == list(results.model._design.terms)
    names = [n for n in results.params.index if ":" in n]
    if names:
        joint = results.wald_test(", ".join(f"{n} = 0" for n in names))
        assert_allclose(table.loc["sys:x", "pvalue"], joint.pvalue, rtol=1e-9)


# ---- the overall test -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["fvalue", "f_pvalue"])
def test_the_overall_test_is_one_test_whatever_is_read_first(model, first):
    results = model.fit()
    _ = getattr(results, first)
    right = results.wald_test(np.eye(5)[1:])
    assert_allclose([results.fvalue, results.f_pvalue], [right.statistic, right.pvalue], rtol=1e-12)


def test_the_overall_test_leaves_the_constant_out_wherever_it_is():
    x = DATA[["x"]].assign(z=np.arange(64.0) % 7, const=1.0)
    for order in (["const", "x", "z"], ["x", "const", "z"], ["x", "z", "const"]):
        results = rs.OLS(DATA["score"], x[order], groups=DATA["doc"]).fit()
        right = results.wald_test("x = 0, z = 0")
        assert_allclose([results.fvalue, results.f_pvalue], [right.statistic, right.pvalue])
    seven = rs.OLS(DATA["score"], x[["x", "z"]].assign(seven=7.0), groups=DATA["doc"]).fit()
    assert_allclose(seven.fvalue, right.statistic, rtol=1e-9)
    without = rs.OLS(DATA["score"], x[["x", "z"]], groups=DATA["doc"]).fit()
    assert_allclose(without.f_pvalue, without.wald_test("x = 0, z = 0").pvalue)
    implicit = rs.ols("score ~ 0 + sys", DATA, groups="doc").fit()
    assert np.isnan(implicit.fvalue)  # no set of coefficients is all but the constant
    assert np.isnan(implicit.f_pvalue)


# ---- pairs of levels ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["hs", "holm", "bonferroni", "fdr_bh", ["sidak", "hommel"]])
def test_pairs_are_adjusted_by_multipletests(model, method):
    results = model.fit()
    pairs = results.t_test_pairwise("sys", method=method, alpha=0.1)
    frame = pairs.result_frame
    assert list(frame.index) == ["b-a", "c-a", "d-a", "c-b", "d-b", "d-c"]
    raw = results.t_test(pairs.contrasts).pvalue
    assert_allclose(frame["P>|t|"], raw, rtol=1e-12)
    for name in [method] if isinstance(method, str) else method:
        reject, adjusted, *_ = multipletests(raw, alpha=0.1, method=name)
        assert_allclose(frame[f"pvalue-{name}"], adjusted, rtol=1e-12)
        assert (frame[f"reject-{name}"] == reject).all()
    assert len(set(np.round(frame["df"], 6))) == 6  # each pair has its own df


@pytest.mark.parametrize("coding", ["sys", "C(sys)", "C(sys, Sum)", "C(sys, Helmert)", "C(sys, Poly)",
                                    "C(sys, Diff)", "C(sys, Treatment('c'))"])  # fmt: skip
@pytest.mark.parametrize("constant", ["", "0 + "])
def test_pairs_are_the_same_under_any_coding(coding, constant):
    right = MODELS["ols"].fit().t_test_pairwise("sys").result_frame
    results = rs.ols(f"score ~ {constant}{coding} + x", DATA, groups="doc").fit()
    frame = results.t_test_pairwise(coding).result_frame
    assert_allclose(frame[["coef", "std err", "df", "P>|t|", "pvalue-hs"]].astype(float),
                    right[["coef", "std err", "df", "P>|t|", "pvalue-hs"]].astype(float),
                    rtol=1e-9)  # fmt: skip


def test_pairs_of_the_three_systems_have_the_stored_numbers():
    right = expected("B05")
    results = rs.ols("score ~ C(sys)", systems(), groups="doc").fit()
    frame = results.t_test_pairwise("C(sys)", factor_labels=["one", "two", "three"]).result_frame
    assert_allclose(frame.loc["two-one", "P>|t|"], right["B"]["p"], rtol=1e-8)
    assert_allclose(frame.loc["three-two", "P>|t|"], right["BmC"]["p"], rtol=1e-8)


def test_pairs_of_levels_that_are_not_text():
    frame = DATA.assign(level=DATA["sys"].map({"a": 1, "b": 2, "c": 3, "d": 4}),
                        flag=DATA["sys"] == "a")  # fmt: skip
    numbers = rs.ols("score ~ C(level)", frame, groups="doc").fit()
    assert list(numbers.t_test_pairwise("C(level)").result_frame.index)[:2] == ["2-1", "3-1"]
    flags = rs.ols("score ~ flag", frame, groups="doc").fit().t_test_pairwise("flag")
    assert list(flags.result_frame.index) == ["True-False"]


@pytest.mark.parametrize(
    ("term", "options", "message"),
    [
        ("x", {}, "term_name='x' is numeric; give a categorical term"),
        ("sys:x", {}, "term_name='sys:x' is an interaction"),
        ("Intercept", {}, "term_name='Intercept' is numeric"),
        ("system", {}, "term_name='system' is unknown .did you mean 'sys'"),
        ("sys", {"factor_labels": ["a"]}, "factor_labels has 1 label for 4 levels"),
        ("sys", {"method": "tukey"}, "method='tukey' is unknown.*'bonferroni'"),
        ("sys", {"alpha": 5}, "alpha=5: give one minus the confidence level"),
    ],
)
def test_pairs_that_cannot_be_had(term, options, message):
    results = rs.ols("score ~ sys*x", DATA, groups="doc").fit()
    with pytest.raises(ValueError, match=message):
        results.t_test_pairwise(term, **options)
    arrays = rs.OLS(DATA["score"], DATA[["x"]], groups=DATA["doc"]).fit()
    with pytest.raises(
        ValueError, match="a model from arrays has no terms; use a formula, or t_tes"
    ):
        arrays.t_test_pairwise(term)


def test_pairs_without_a_p_value_do_not_count_as_tests():
    frame = pd.concat(
        [DATA, pd.DataFrame({"doc": ["A"], "sys": ["e"], "x": [0.3], "score": [1.0]})]
    )
    with pytest.warns(RagstatsWarning, match="without one document"):
        results = rs.ols("score ~ sys", frame, groups="doc").fit()
    with pytest.warns(RagstatsWarning, match="cannot be estimated without document"):
        table = results.t_test_pairwise("sys", method="bonferroni").result_frame
    usable = table["P>|t|"].notna()
    assert_allclose(table.loc[usable, "pvalue-bonferroni"],
                    np.minimum(usable.sum() * table.loc[usable, "P>|t|"], 1))  # fmt: skip
