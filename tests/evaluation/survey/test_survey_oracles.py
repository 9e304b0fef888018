"""Every stored number of the 13 R survey cases (survey 4.1.1, R 4.2.2)."""

import numpy as np
import pytest
import statsmodels.api as sm
from survey_cases import FROM_R_PACKAGES, SYNTHETIC, folder, read_case

# What R calls, and the same here.
CALLS = {
    "svymean(~hit+rr)": lambda d: d.mean(["hit", "rr"]),
    "svymean(~api00+api99)": lambda d: d.mean(["api00", "api99"]),
    "svymean(~I(hits/n)) (mean of document means)": lambda d: d.mean("I(hits/n)"),
    "svyratio(~hit,~rr)": lambda d: d.ratio("hit", "rr"),
    "svyratio(~hit, ~one): combined ratio": lambda d: d.ratio("hit", "one"),
    "svyratio(~hits+rr_sum, ~n)": lambda d: d.ratio(["hits", "rr_sum"], "n"),
    "svyratio(~api00,~api99)": lambda d: d.ratio("api00", "api99"),
    "svytotal(~hit)": lambda d: d.total("hit"),
    "svytotal(~hit+rr)": lambda d: d.total(["hit", "rr"]),
    "svytotal(~enroll)": lambda d: d.total("enroll"),
    "svytotal(~enroll, na.rm=TRUE)": lambda d: d.total("enroll", missing="drop"),
    "svyby(~hit,~system,svymean,covmat=TRUE)": lambda d: d.domain("system", "hit"),
    "svycontrast(c(A=-1,B=1))": lambda d: d.domain("system", "hit").contrast({"A": -1, "B": 1}),
    "svymean(~hit, subset(des, system=='B'))": lambda d: d.domain("system", "hit").contrast(
        {"B": 1}, "hit"
    ),
    "svyglm(hit~system, gaussian)": lambda d: d.glm("hit ~ system"),
    "svyglm(hit~system, quasibinomial)": lambda d: d.glm("hit ~ system", sm.families.Binomial()),
    "svyglm(api00~api99+stype)": lambda d: d.glm("api00 ~ api99 + stype"),
}

NAMES = {
    "(Intercept)": "Intercept",
    "systemB": "system[T.B]",
    "stypeH": "stype[T.H]",
    "stypeM": "stype[T.M]",
}

# (case, key, field): why it is not compared
EXCLUDED = {
    ("svy_srs_clusterrows", "ratio", "vcov[0,1]"): "R gives NaN for the covariance of two ratios",
    ("svy_srs_clusterrows", "ratio", "vcov[1,0]"): "R gives NaN for the covariance of two ratios",
    ("svy_twostage", "check", "weight_formula"): "a text; test_weights_follow_the_formula",
}

RTOL = 1e-9  # R and NumPy add in another order; the IRLS fits of both end at rounding
RTOL_P = 1e-7  # p-values far in the tail (1e-62) magnify the rounding of t by t²

ALL = [*SYNTHETIC, *FROM_R_PACKAGES]


def keys_of(name):
    """Keys of `results`; for cases that may be absent, as recorded here."""
    if name == "svy_api":
        return ["mean", "ratio", "total_enroll"]
    if name == "svy_apiclus1":
        return ["mean", "ratio", "total_enroll", "glm"]
    return list(read_case(name).expected["results"])


def numbers(value):
    return np.array(value, float)  # "NaN" included


class Answers:
    """The same quantities from ragstats, in R's order of coefficients."""

    def __init__(self, result, names):
        self.result = getattr(result, "coefficients", result)
        self.model = result
        ours = [NAMES.get(n, n) for n in names] if names else list(self.result.names)
        self.order = [list(self.result.names).index(n) for n in ours]

    def pick(self, values):
        return np.atleast_1d(np.asarray(values, float))[self.order]

    def bounds(self, df=None):
        bounds = np.reshape(np.asarray(self.result.conf_int(df=df)), (-1, 2))[self.order]
        return {"lower": bounds[:, 0], "upper": bounds[:, 1]}


def estimate_field(a, field):
    """Return (value, tolerance) of a stored field."""
    fields = {
        "estimate": lambda: (a.pick(a.result.estimate), RTOL),
        "se": lambda: (a.pick(a.result.se), RTOL),
        "degf": lambda: (a.pick(a.result.df), 0),
        "df_resid": lambda: (a.pick(a.result.df), 0),
        "degf_design": lambda: (np.array([a.model.df_design]), 0),
        "p_t": lambda: (a.pick(a.result.pvalue), RTOL_P),
        "p": lambda: (a.pick(a.result.pvalue), RTOL_P),
        "t": lambda: (a.pick(a.result.statistic), RTOL),
        "ci95_t": lambda: (a.bounds(), RTOL),
        "ci95": lambda: (a.bounds(), RTOL),
        "ci95_z": lambda: (a.bounds(df=np.inf), RTOL),
    }
    return fields[field]()


def assert_close(got, want, rtol, what):
    want = np.atleast_1d(numbers(want))
    if np.ndim(got) and np.size(want) == 1:  # one stored df for all parameters
        want = np.broadcast_to(want, np.shape(got))
    np.testing.assert_allclose(got, want, rtol=rtol, atol=0, err_msg=what)


def assert_vcov(a, want, case, key):
    got = a.result.cov.to_numpy()[np.ix_(a.order, a.order)]
    want = numbers(want)
    for (i, j), value in np.ndenumerate(want):
        if (case, key, f"vcov[{i},{j}]") in EXCLUDED:
            assert np.isnan(value)
            continue
        # relative to the two variances: covariances may be near 0
        scale = np.sqrt(want[i, i] * want[j, j])
        assert abs(got[i, j] - value) <= RTOL * scale, f"{case} {key} vcov[{i},{j}]"


def estimate_keys():
    return [(name, key) for name in ALL for key in keys_of(name) if key != "check"]


@pytest.mark.parametrize(("name", "key"), estimate_keys())
def test_every_stored_field(name, key):
    case = read_case(name)
    stored = case.expected["results"][key]
    a = Answers(CALLS[stored["call"]](case.design), stored.get("names"))
    for field, want in stored.items():
        what = f"{name} {key} {field}"
        if field == "call":  # chose the estimator
            continue
        if field == "names":
            assert [a.result.names[i] for i in a.order] == [NAMES.get(n, n) for n in want]
            assert len(want) == len(a.result.names)
        elif field == "vcov":
            assert_vcov(a, want, name, key)
        elif isinstance(want, dict):
            got, rtol = estimate_field(a, field)
            assert set(want) == {"lower", "upper"}
            for side in want:
                assert_close(got[side], want[side], rtol, f"{what} {side}")
        else:
            got, rtol = estimate_field(a, field)
            assert_close(got, want, rtol, what)


def results_of(case, *keys):
    stored = case.expected["results"]
    return [CALLS[stored[key]["call"]](case.design) for key in keys]


CHECKS = {  # closed forms stored beside R's numbers: our value of the same
    "own_se": lambda case: se_of(case),
    "CR1_se_intercept_only": lambda case: se_of(case),
    "CR1_se_ols": lambda case: se_of(case),
    "own_se_mean": lambda case: results_of(case, "mean")[0].se,
    "own_se_total": lambda case: results_of(case, "total")[0].se,
    "own_ratio_se_hits": lambda case: results_of(case, "ratio")[0].se["hits/n"],
    "own_macro_se": lambda case: results_of(case, "macro")[0].se,
}


def se_of(case):
    key = "mean" if "mean" in case.expected["results"] else "glm"
    result = results_of(case, key)[0]
    return result.bse if key == "glm" else result.se


@pytest.mark.parametrize("name", [n for n in SYNTHETIC if "check" in keys_of(n)])
def test_every_stored_check(name):
    case = read_case(name)
    for field, want in case.expected["results"]["check"].items():
        if (name, "check", field) in EXCLUDED:
            continue
        if field == "weights_by_stratum":
            got = case.design.weights.groupby(case.data["size"]).unique()
            assert {k: v.tolist() for k, v in got.items()} == {k: [v] for k, v in want.items()}
            continue
        assert_close(np.asarray(CHECKS[field](case)), want, RTOL, f"{name} {field}")


@pytest.mark.parametrize("name", ALL)
def test_design_facts(name):
    case = read_case(name)
    stored, design = case.expected["design"], case.design
    assert design.df == stored["degf"]
    assert design.facts.n_rows == stored["n_rows"]
    bounds = [design.weights.min(), design.weights.max()]
    assert_close(bounds, [stored["weights_used"][k] for k in ("min", "max")], 1e-14, name)


def test_weights_follow_the_formula():
    case = read_case("svy_twostage")
    assert case.expected["results"]["check"]["weight_formula"] == "(M/m) * (Md/md)"
    d = case.data
    m, md = d["doc_id"].nunique(), d.groupby("doc_id")["chunk_id"].transform("nunique")
    formula = (d["M"] / m) * (d["Md"] / md)
    np.testing.assert_allclose(case.design.weights, formula, rtol=1e-14)


def test_covariance_of_two_ratios_where_r_gives_nan():
    case = read_case("svy_srs_clusterrows")
    d, r = case.data, case.design.ratio(["hits", "rr_sum"], "n")
    u = np.column_stack([d[y] - r.estimate[f"{y}/n"] * d["n"] for y in ("hits", "rr_sum")])
    k, m = len(d), 60
    by_hand = (1 - k / m) * k / (k - 1) * (u.T @ u) / d["n"].sum() ** 2
    np.testing.assert_allclose(r.cov, by_hand, rtol=1e-12)


def test_excluded_fields_exist_and_have_a_reason():
    for (name, key, field), reason in EXCLUDED.items():
        assert field.split("[")[0] in read_case(name).expected["results"][key]
        assert len(reason) > 10


@pytest.mark.parametrize("name", FROM_R_PACKAGES)
def test_recorded_keys_are_those_of_the_live_cases(name):
    folder(name)
    assert list(read_case(name).expected["results"]) == keys_of(name)
