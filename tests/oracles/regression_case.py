"""One stored case as ragstats fits it, compared number by number with what R said."""

import inspect
import re
import warnings
from functools import cache

import numpy as np
import pytest
import statsmodels.api as sm
from regression_ledger import read_data
from scipy import stats

import ragstats as rs
from ragstats.exceptions import RagstatsWarning

COVARIANCE_TYPES = ("CR0", "CR1", "CR1p", "CR1S", "CR2", "CR3")

#: Every stored variant of the working model that ragstats offers, by the class of the model.
#: A vector target that equals 1/w is "inverse_var"; one of ones is "identity".
WORKING = {
    "OLS": {"default": None, "target_one": None},
    "WLS": {
        "default": "identity",
        "target_one": "identity",
        "inverse_var": "inverse_var",
        "target_v": "inverse_var",
        "target_nd": "inverse_var",
    },
    "GLM": {"default": None},
    "PLM": {"default": None},
}

#: The df rules by the name of R's test.
DF_RULES = {"z": "normal", "naive-t": "K-1", "naive-tp": "K-p", "Satterthwaite": "satterthwaite"}

#: R's joint tests: our test, and the df rule of the fit.
JOINT_TESTS = {
    "chi-sq": ("chi2", "satterthwaite"),
    "Naive-F": ("F", "K-1"),
    "Naive-Fp": ("F", "K-p"),
    "HTZ": ("AHT", "satterthwaite"),
}

# Both programs work in double precision: coefficients and covariances agree to 1e-11 or better,
# relative to the standard error, except on the design with columns from 1e-4 to 1e6.
RTOL = 1e-9
# p-values and joint tests amplify the rounding of a t or F statistic (by about t²).
RTOL_P = 1e-7
LINKS = {
    "logit": sm.families.links.Logit,
    "probit": sm.families.links.Probit,
    "log": sm.families.links.Log,
    "identity": sm.families.links.Identity,
}


class Case:
    """A stored case: its data, its model and its fits."""

    def __init__(self, name, expected):
        self.name, self.expected = name, expected
        self.model, self.kind = expected["model"], expected["model"]["class"]
        self.start = None
        self.fit = cache(self._fit)
        self.build = cache(self._build)
        self.coef_names = self._renamed(expected["coef_names_patsy"])
        self.reported = self._renamed(expected["reported_patsy"])

    def _renamed(self, names):
        """Spell R's log() of an absorbed model as patsy does."""
        return [n if "np.log(" in n else n.replace("log(", "np.log(") for n in names]

    def _build(self, working, formula=None):
        m, data = self.model, read_data(self.name)
        args = {"groups": m["cluster"]}
        formula = formula or m["formula_patsy"]
        if self.kind == "WLS":
            return rs.wls(formula, data, weights=m["weights"], working=working, **args)
        if self.kind == "GLM":
            family = getattr(sm.families, m["family"]["family"])(LINKS[m["family"]["link"]]())
            args |= {"var_weights": m["weights"], "offset": m["offset"]}
            return rs.glm(formula, data, family=family, **args)
        if self.kind == "PLM":
            individual, time = m["plm_args"]["index"]
            effects = {"individual": [individual], "time": [time], "twoways": [individual, time]}
            return rs.ols(formula, data, absorb=effects[m["plm_args"]["effect"]], **args)
        return rs.ols(formula, data, **args)

    def _fit(self, working, cov_type, df, rho_floor=False):
        options = {"rho_floor": True} if rho_floor else {}
        if self.kind == "GLM":  # later fits start where the first one ended
            options["start_params"] = self.start
        results = self.build(working).fit(cov_type=cov_type, df=df, **options)
        self.start = np.asarray(results.params)
        return results

    def pick(self, values, results, names=None):
        """Return the entries of the coefficients that R reports, in R's order."""
        position = {name: i for i, name in enumerate(results.model.exog_names)}
        return np.asarray(values)[[position[n] for n in names or self.reported]]

    def rows(self, matrix, results):
        """Order the columns of R's constraints as the results have their coefficients."""
        ordered = np.zeros((len(matrix), len(results.model.exog_names)))
        for column, name in zip(np.transpose(matrix), self.coef_names, strict=True):
            ordered[:, results.model.exog_names.index(name)] = column
        return ordered


def skip_unless_offered(kind):
    """Skip the classes of models that this version of ragstats does not have."""
    if kind == "GLM" and not hasattr(rs, "glm"):
        pytest.skip("rs.glm is not offered")
    if kind == "PLM" and "absorb" not in inspect.signature(rs.ols).parameters:
        pytest.skip("rs.ols(absorb=) is not offered")


def check_case(ledger):
    """Compare everything that is stored for a case with ragstats."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagstatsWarning)  # singular and aliased cases say so
        case = Case(ledger.name, ledger.expected)
        _check_model(ledger, case)
        for variant in ledger.expected["clubSandwich"]:
            if variant in WORKING[case.kind]:
                for cov_type in COVARIANCE_TYPES:
                    _check_covariance_type(ledger, case, variant, cov_type)
            else:
                _check_what_ignores_the_working_model(ledger, case, variant)
        _check_dfadjust(ledger, case)
        _check_second_opinions(ledger, case)
        _check_differences(ledger, case)


def _check_model(ledger, case):
    """Names, counts, coefficients, and the largest leverage of a document."""
    working = next(iter(WORKING[case.kind].values()))
    results = case.fit(working, "CR2", "satterthwaite")
    design, moments = results.model._design, results._inference.moments
    ledger.check_same("case", ledger.name)
    ledger.check_same("coef_names_patsy", _as_stored(results.params.index, case.coef_names, ledger))
    ledger.check_same("coef_names", [_in_r(name) for name in case.coef_names])
    ledger.check_same("aliased_dropped", _aliased(case, working))
    counts = {
        "n_obs": results.nobs,
        "n_rows_csv": design.n_given,
        "n_params": len(results.params),
        "n_clusters": results.n_groups,
        "cluster_size_min": moments.rows.min(),
        "cluster_size_max": moments.rows.max(),
    }
    for name, count in counts.items():
        ledger.check(f"model.{name}", count, rtol=0)
    leverage = np.linalg.eigvalsh(moments.gram).max()
    # Eigenvalues of I - H are of order 1, so their rounding is absolute.
    ledger.check("model.min_eigenvalue_I_minus_H", 1 - leverage, rtol=1e-9, scale=1e-3)
    for path, names in (("coef", case.reported), ("coef_all", case.coef_names)):
        params, se = (case.pick(v, results, names) for v in (results.params, results.bse))
        ledger.check(path, params, rtol=RTOL, scale=se)


def _as_stored(names, stored, ledger):
    """Return the stored spelling when the names are the same, in whatever order."""
    same = sorted(names) == sorted(stored)
    return ledger.expected["coef_names_patsy"] if same else list(names)


def _aliased(case, working):
    """Return R's names of the columns that the full formula of R leads ragstats to drop."""
    if case.kind not in ("OLS", "WLS") or not case.expected["aliased_dropped"]:
        return case.expected["aliased_dropped"]
    dropped = case.build(working, case.model["formula_r"])._design.aliased
    return [_in_r(name) for name in dropped]


def _in_r(name):
    """Spell a patsy name as R does: ``system[T.B]:x`` is ``systemB:x``."""
    plain = re.sub(r"\[(?:T\.)?([^\]]*)\]", r"\1", name)
    plain = plain.replace("np.log(", "log(").replace("C(", "factor(")
    return "(Intercept)" if plain == "Intercept" else plain


def _check_covariance_type(ledger, case, variant, cov_type):
    """Covariance, the t tests and intervals under each df rule, contrasts and joint tests."""
    at, working = f"clubSandwich.{variant}.{cov_type}", WORKING[case.kind][variant]
    if f"{at}.vcov" not in ledger.stored:
        return
    fits = {test: case.fit(working, cov_type, df) for test, df in DF_RULES.items()}
    _check_covariance(ledger, at, case, fits["Satterthwaite"])
    for test, results in fits.items():
        _check_coefficients(ledger, at, test, case, results)
        if test in ("Satterthwaite", "naive-t"):
            _check_contrasts(ledger, f"{at}.linear_contrast", test, case, results)
    _check_contrasts(ledger, f"{at}.linear_contrast", "reference", case, fits["Satterthwaite"])
    for name, matrix in case.expected["constraints"].items():
        for test, (ours, df) in JOINT_TESTS.items():
            results = case.fit(working, cov_type, df)
            _check_joint(ledger, f"{at}.Wald_test.{name}.{test}", case, results, matrix, ours)


def _check_what_ignores_the_working_model(ledger, case, variant):
    """CR0, CR1, CR1p, CR1S and CR3 have no root in them; only their Satterthwaite df do."""
    if case.kind == "PLM":
        return
    working = next(iter(WORKING[case.kind].values()))
    for cov_type in ("CR0", "CR1", "CR1p", "CR1S", "CR3"):
        at = f"clubSandwich.{variant}.{cov_type}"
        fits = {test: case.fit(working, cov_type, df) for test, df in DF_RULES.items()}
        _check_covariance(ledger, at, case, fits["z"])
        for test in ("z", "naive-t", "naive-tp"):
            _check_coefficients(ledger, at, test, case, fits[test])
        _check_contrasts(ledger, f"{at}.linear_contrast", "naive-t", case, fits["naive-t"])
        for name, matrix in case.expected["constraints"].items():
            for test in ("chi-sq", "Naive-F", "Naive-Fp"):
                ours, df = JOINT_TESTS[test]
                results = case.fit(working, cov_type, df)
                _check_joint(ledger, f"{at}.Wald_test.{name}.{test}", case, results, matrix, ours)


def _check_covariance(ledger, at, case, results):
    stored = np.array(ledger.stored[f"{at}.vcov"], dtype=object)
    names = case.coef_names if len(stored) == len(case.coef_names) else case.reported
    vcov, se = results.cov_params().loc[names, names], case.pick(results.bse, results, names)
    ledger.check(f"{at}.vcov", vcov, rtol=2 * RTOL, scale=np.outer(se, se))
    ledger.check(f"{at}.se", case.pick(results.bse, results), rtol=RTOL)
    ledger.check(f"{at}.coef_test.tstat", case.pick(results.tvalues, results), rtol=RTOL, scale=1)


def _check_coefficients(ledger, at, test, case, results):
    df, p, se = (
        case.pick(values, results)
        for values in (results.df_inference, results.pvalues, results.bse)
    )
    stored = ledger.stored.get(f"{at}.coef_test.{test}.df")
    if np.ndim(stored) == 0:  # one number for all coefficients
        df = np.unique(df)
    ledger.check_df(f"{at}.coef_test.{test}.df", df, rtol=RTOL)
    ledger.check(f"{at}.coef_test.{test}.p", p, rtol=RTOL_P)
    for label, alpha in (("", 0.05), ("_level90", 0.10)):
        interval = case.pick(results.conf_int(alpha), results)
        for column, side in enumerate(("lower", "upper")):
            path = f"{at}.conf_int.{test}{label}.{side}"
            ledger.check(path, interval[:, column], rtol=10 * RTOL, scale=se)


def _check_contrasts(ledger, at, test, case, results):
    for name, matrix in case.expected["contrasts"].items():
        found = results.t_test(case.rows(matrix, results))
        se, here = np.ravel(found.sd), f"{at}.{name}.{test}"
        ledger.check(f"{here}.estimate", found.effect, rtol=RTOL, scale=se)
        ledger.check(f"{here}.se", se, rtol=RTOL)
        ledger.check_df(f"{here}.df", found.df_denom, rtol=RTOL)
        ledger.check(f"{here}.p", found.pvalue, rtol=RTOL_P)
        interval = found.conf_int()
        ledger.check(f"{here}.lower", interval[:, 0], rtol=10 * RTOL, scale=se)
        ledger.check(f"{here}.upper", interval[:, 1], rtol=10 * RTOL, scale=se)


def _check_joint(ledger, at, case, results, matrix, test):
    if f"{at}.Fstat" not in ledger.stored:
        return
    found = results.wald_test(case.rows(matrix, results), test=test)
    q, statistic = float(found.df_num), float(np.squeeze(found.statistic))
    if test == "chi2":
        fstat, df_denom, delta = statistic / q, np.inf, 1.0
    else:
        fstat, df_denom = statistic, float(found.df_denom)
        delta = df_denom / found.eta if test == "AHT" else 1.0
    ledger.check(f"{at}.Fstat", fstat, rtol=RTOL_P)
    ledger.check(f"{at}.delta", delta, rtol=RTOL_P)
    ledger.check(f"{at}.df_num", q, rtol=0)
    ledger.check_df(f"{at}.df_denom", df_denom, rtol=RTOL_P)
    ledger.check(f"{at}.p_val", found.pvalue, rtol=RTOL_P)


def _check_dfadjust(ledger, case):
    """CR1S, CR2 and the Bell-McCaffrey and Imbens-Kolesár df of dfadjust and of a second formula."""
    if "dfadjust" not in ledger.expected:
        return
    plain = case.fit(None, "CR2", "satterthwaite")
    effects = {
        "IK": case.fit(None, "CR2", "IK"),
        "IK_rho0": case.fit(None, "CR2", "IK", rho_floor=True),
        "BM": plain,
    }
    se = case.pick(plain.bse, plain)
    stata = case.pick(case.fit(None, "CR1S", "satterthwaite").bse, plain)
    for name, results in effects.items():
        at, df = f"dfadjust.{name}", case.pick(results.df_inference, results)
        ledger.check(f"{at}.se_CR1S", stata, rtol=RTOL)
        ledger.check(f"{at}.se_CR2", se, rtol=RTOL)
        ledger.check(f"{at}.df", df, rtol=RTOL)
        # "Adj. se": the half-width of the interval over the normal quantile
        adjusted = se * stats.t.ppf(0.975, df) / stats.norm.ppf(0.975)
        ledger.check(f"{at}.se_adj", adjusted, rtol=10 * RTOL)
        ledger.check(f"dfadjust.own.df_{name}", df, rtol=RTOL)
        if name != "BM":
            model, suffix = results._inference.random_effects, name[2:]
            # ρ is a difference of sums of squares, so its rounding is that of σ² + ρ.
            for path in (f"{at}.rho", f"dfadjust.own.rho{suffix}"):
                ledger.check(path, model.rho, rtol=RTOL, scale=model.sigma2)
            for path in (f"{at}.sig", f"dfadjust.own.sig{suffix}"):
                ledger.check(path, model.sigma2, rtol=RTOL, scale=abs(model.rho))
    ledger.check("dfadjust.own.se_CR2", se, rtol=RTOL)
    if case.expected["contrasts"]:
        stacked = np.vstack(list(case.expected["contrasts"].values()))
        bell, kolesar = (effects[n].t_test(case.rows(stacked, plain)) for n in ("BM", "IK"))
        ledger.check("dfadjust.contrasts.se_CR2", bell.sd, rtol=RTOL)
        ledger.check("dfadjust.contrasts.df_BM", bell.df_denom, rtol=RTOL)
        ledger.check("dfadjust.contrasts.df_IK", kolesar.df_denom, rtol=RTOL)
        ledger.check("dfadjust.contrasts.dfadjust_IK.se_CR2", kolesar.sd, rtol=RTOL)
        ledger.check("dfadjust.contrasts.dfadjust_IK.df", kolesar.df_denom, rtol=RTOL)


def _check_second_opinions(ledger, case):
    """estimatr, sandwich::vcovCL and the delete-one-document jackknife."""
    working = WORKING[case.kind]["default"]
    pairs = (("CR0", "CR0"), ("CR2", "CR2"), ("stata", "CR1S"))
    for theirs, ours in pairs if "estimatr" in ledger.expected else ():
        results = case.fit(working, ours, "satterthwaite" if ours == "CR2" else "K-1")
        at, interval = f"estimatr.{theirs}", case.pick(results.conf_int(), results)
        se = case.pick(results.bse, results)
        ledger.check(f"{at}.se", se, rtol=RTOL)
        ledger.check(f"{at}.df", case.pick(results.df_inference, results), rtol=RTOL)
        ledger.check(f"{at}.p", case.pick(results.pvalues, results), rtol=RTOL_P)
        ledger.check(f"{at}.lower", interval[:, 0], rtol=10 * RTOL, scale=se)
        ledger.check(f"{at}.upper", interval[:, 1], rtol=10 * RTOL, scale=se)
    for cov_type in ("CR0", "CR1", "CR1S", "CR2", "CR3"):
        results = case.fit(working, cov_type, "satterthwaite")
        se = case.pick(results.bse, results)
        ledger.check(f"vcovCL.{cov_type}.se", se, rtol=RTOL)
        if cov_type == "CR3":
            ledger.check("jackknife_delete_cluster.se", se, rtol=RTOL)


def _check_differences(ledger, case):
    """The stacked pairs of systems analysed as differences."""
    if "extra" not in ledger.expected:
        return
    wide = read_data(case.name).pivot(
        index=["doc_id", "query_id"], columns="system", values=case.model["formula_r"].split()[0]
    )
    gap = (wide["B"] - wide["A"]).rename("gap").reset_index()
    results, at = rs.ols("gap ~ 1", gap, groups="doc_id").fit(), "extra.differences_analysis"
    ledger.check(f"{at}.estimate", results.params, rtol=RTOL, scale=results.bse)
    ledger.check(f"{at}.se_CR2", results.bse, rtol=RTOL)
    ledger.check(f"{at}.df", results.df_inference, rtol=RTOL)
