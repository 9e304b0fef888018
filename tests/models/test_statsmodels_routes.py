"""One contrast, one p-value: every public route to it, in any order, says the same number.

A df belongs to a contrast. Whatever computes it from the fit, or takes it from another place, or
remembers what was asked first, shows up here as a second number.
"""

import copy
import itertools
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy import optimize, stats

import ragstats as rs
from ragstats.models.statsmodels_results import storing

# Every route evaluates the same t and df; only sums run in another order (1e-15), which a p-value
# amplifies by about t². The inverted interval ends at brentq's own tolerance.
RTOL = 1e-10

FORMULA = "y ~ C(sys, Treatment('b')) + x"
NAME = "C(sys, Treatment('b'))[T.c]"
COLUMNS = ["Intercept", "C(sys, Treatment('b'))[T.a]", NAME, "x"]
POSITION = 2


def _data():
    """Return 90 rows of three systems in 9 documents of 2 to 22 rows, with unequal weights."""
    rng = np.random.default_rng(20)
    sizes = [2, 3, 4, 6, 8, 11, 15, 19, 22]
    frame = pd.DataFrame({"doc": np.repeat(list("ABCDEFGHI"), sizes)})
    frame["sys"] = np.array(list("abc"))[rng.integers(0, 3, 90)]
    frame["x"] = rng.normal(size=90) + frame.groupby("doc").ngroup() / 5
    latent = rng.normal(size=90) + np.repeat(rng.normal(size=9), sizes) + (frame["sys"] == "c")
    frame["score"] = latent
    frame["hit"] = (latent > 0.3).astype(float)
    frame["w"] = rng.uniform(0.5, 3, 90)
    return frame


DATA = _data()
FORMULA_MODELS = {
    "ols": lambda d: rs.ols(FORMULA.replace("y", "score", 1), d, groups="doc"),
    "macro": lambda d: rs.ols(FORMULA.replace("y", "score", 1), d, groups="doc", by="sys",
                              estimand="macro"),
    "wls identity": lambda d: rs.wls(FORMULA.replace("y", "score", 1), d, groups="doc",
                                     weights="w"),
    "wls inverse_var": lambda d: rs.wls(FORMULA.replace("y", "score", 1), d, groups="doc",
                                        weights="w", working="inverse_var"),
    "logit": lambda d: rs.glm(FORMULA.replace("y", "hit", 1), d, groups="doc",
                              family=sm.families.Binomial()),
    "weighted poisson": lambda d: rs.glm(FORMULA.replace("y", "hit", 1), d, groups="doc",
                                         family=sm.families.Poisson(), var_weights="w"),
}  # fmt: skip


def _exog(d):
    dummies = [np.ones(len(d)), d["sys"] == "a", d["sys"] == "c", d["x"]]
    return pd.DataFrame(np.column_stack(dummies).astype(float), index=d.index, columns=COLUMNS)


ARRAY_MODELS = {
    "ols": lambda d: rs.OLS(d["score"], _exog(d), groups=d["doc"]),
    "macro": lambda d: rs.OLS(d["score"], _exog(d), groups=d["doc"], by=d["sys"],
                              estimand="macro"),
    "wls identity": lambda d: rs.WLS(d["score"], _exog(d), groups=d["doc"], weights=d["w"]),
    "wls inverse_var": lambda d: rs.WLS(d["score"], _exog(d), groups=d["doc"], weights=d["w"],
                                        working="inverse_var"),
    "logit": lambda d: rs.GLM(d["hit"], _exog(d), groups=d["doc"],
                              family=sm.families.Binomial()),
    "weighted poisson": lambda d: rs.GLM(d["hit"], _exog(d), groups=d["doc"],
                                         family=sm.families.Poisson(), var_weights=d["w"]),
}  # fmt: skip
MODELS = {"formula": FORMULA_MODELS, "arrays": ARRAY_MODELS}

# ---- the routes ---------------------------------------------------------------------------------

UNIT = np.eye(4)[POSITION]
PERMUTED = [3, 2, 0, 1]


def _inverted_interval(results):
    """Return the level at which the interval ends at 0."""
    near = 0 if results.params[NAME] > 0 else 1

    def end(log_alpha):
        return results.conf_int(np.exp(log_alpha)).loc[NAME].iloc[near]

    return np.exp(optimize.brentq(end, -60, -1e-9, xtol=1e-13, rtol=1e-14))


def _prediction(results):
    """Return the p-value of the row of the design that is the contrast."""
    options = {"which": "linear"} if hasattr(results, "family") else {}
    return results.get_prediction(UNIT, transform=False, **options).pvalues[0]


def _pairwise(results):
    if not results.model._design.codings:
        return None
    term = NAME.removesuffix("[T.c]")
    return results.t_test_pairwise(term).result_frame.loc["c-b", "P>|t|"]


def _stored(results, remove_data):
    file = _Memory()
    results.save(file, remove_data=remove_data)
    return rs.load(file)


class _Memory:
    """A file handle."""

    def write(self, content):
        self.content = content

    def read(self):
        return self.content


ROUTES = {
    "pvalues": lambda r: r.pvalues[NAME],
    "statistic and df": lambda r: 2 * stats.t.sf(abs(r.tvalues[NAME]), r.df_inference[NAME]),
    "t_test, text": lambda r: r.t_test(f"{NAME} = 0").pvalue,
    "t_test, array": lambda r: r.t_test(UNIT).pvalue,
    "t_test, list of text": lambda r: r.t_test([f"{NAME} = 0", "x = 0"]).pvalue[0],
    "t_test, tuple": lambda r: r.t_test((2 * UNIT[None, :], [0.0])).pvalue,
    "t_test, permuted rows": lambda r: r.t_test(np.eye(4)[PERMUTED]).pvalue[1],
    "t_test, summary_frame": lambda r: r.t_test(-UNIT).summary_frame()["P>|t|"].iloc[0],
    "df_contrast": lambda r: 2 * stats.t.sf(abs(r.tvalues[NAME]), r.df_contrast(5 * UNIT)[0]),
    "f_test": lambda r: r.f_test(UNIT).pvalue,
    "wald_test": lambda r: r.wald_test(f"{NAME} = 0").pvalue,
    "inverted conf_int": _inverted_interval,
    "get_prediction": _prediction,
    "t_test_pairwise": _pairwise,
    "summary2": lambda r: r.summary2().tables[1].loc[NAME, "P>|t|"],
    "coef_table": lambda r: r.coef_table().loc[NAME, "P>|t|"],
    "pickle": lambda r: pickle.loads(pickle.dumps(r)).pvalues[NAME],
    "copy": lambda r: copy.copy(r).t_test(UNIT).pvalue,
    "deepcopy": lambda r: copy.deepcopy(r).t_test(f"{NAME} = 0").pvalue,
    "save, load": lambda r: _stored(r, False).wald_test(UNIT).pvalue,
    "save, load without rows": lambda r: _stored(r, True).pvalues[NAME],
    "save, load, pairs": lambda r: _pairwise(_stored(r, True)),
    "raw results": lambda r: r._results.pvalues[POSITION],
    "one-row term": lambda r: r.wald_test_terms().table.loc["x", "pvalue"] and r.pvalues[NAME],
    "fvalue between": lambda r: r.fvalue and r.f_pvalue and r.pvalues[NAME],
    "summary between": lambda r: r.summary() and r.t_test(UNIT).pvalue,
    "refit between": lambda r: r.model.exog is None or (r.model.fit(cov_type="CR0") and
                     r.pvalues[NAME]),
}  # fmt: skip


def _orders(n, seed):
    """Return n orders of the routes."""
    rng = np.random.default_rng(seed)
    return [[list(ROUTES)[i] for i in rng.permutation(len(ROUTES))] for _ in range(n)]


def _check(results, order, right, *, remove_at=None):
    """Take the routes in an order, letting go of the rows on the way."""
    for step, name in enumerate(order):
        if step == remove_at:
            results.remove_data()
        got = ROUTES[name](results)
        if got is None or got is True:  # pairs without a formula, a refit without rows
            continue
        assert_allclose(got, right, rtol=RTOL, err_msg=f"{name} after {order[:step]}")


def _right(results):
    """Return the p-value from the moments, by a path that no route takes."""
    estimate = results._results._inference.contrasts(UNIT[None, :])
    return float(2 * stats.t.sf(abs(estimate.effect / estimate.se), estimate.df)[0])


CELLS = [
    (kind, interface, cov_type, df)
    for kind, interface, cov_type, df in itertools.product(
        FORMULA_MODELS, MODELS, ["CR0", "CR1", "CR1p", "CR1S", "CR2", "CR3"],
        ["satterthwaite", "IK", "K-1", "K-p", "normal"],
    )
    if df != "IK" or kind == "ols"  # defined for unweighted OLS
]  # fmt: skip


@pytest.mark.parametrize(("kind", "interface", "cov_type", "df"), CELLS)
def test_one_contrast_has_one_p_value(kind, interface, cov_type, df):
    model = MODELS[interface][kind](DATA)
    seed = CELLS.index((kind, interface, cov_type, df))
    [order] = _orders(1, seed)
    results = model.fit(cov_type=cov_type, df=df)
    _check(results, order, _right(results), remove_at=seed % len(order))


@pytest.mark.parametrize(("kind", "interface"), [("ols", "formula"), ("logit", "formula"),
                                                 ("wls identity", "arrays")])  # fmt: skip
@pytest.mark.parametrize("first", ROUTES)
def test_whatever_is_asked_first_changes_nothing(kind, interface, first):
    model = MODELS[interface][kind](DATA)
    rest = [name for name in ROUTES if name != first]
    results = model.fit()
    _check(results, [first, *rest[:: 1 if interface == "formula" else -1]], _right(results))


@pytest.mark.parametrize("remove_at", [None, 0, 5, 15])
@pytest.mark.parametrize("seed", range(10))
def test_any_order(seed, remove_at):
    kind = list(FORMULA_MODELS)[seed % len(FORMULA_MODELS)]
    [order] = _orders(1, 1000 + seed)
    results = FORMULA_MODELS[kind](DATA).fit()
    _check(results, order, _right(results), remove_at=remove_at)


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR1p", "CR1S", "CR2", "CR3"])
@pytest.mark.parametrize("kind", FORMULA_MODELS)
def test_formula_and_arrays_are_one_fit(kind, cov_type):
    first, second = (MODELS[i][kind](DATA).fit(cov_type=cov_type) for i in MODELS)
    for name in ("params", "bse", "df_inference", "pvalues"):
        assert_allclose(getattr(first, name)[COLUMNS], getattr(second, name)[COLUMNS], rtol=1e-9)
    robust = rs.cluster_robust(
        first.model.plain_model().fit(),
        groups=DATA["doc"],
        cov_type=cov_type,
        **({"working": first.working} if "wls" in kind or kind == "macro" else {}),
    )
    assert_allclose(robust.pvalues[COLUMNS], first.pvalues[COLUMNS], rtol=1e-8)


# ---- predictions: a row is a contrast ---------------------------------------------------------------


@pytest.mark.parametrize("kind", FORMULA_MODELS)
def test_each_predicted_row_has_the_df_of_its_contrast(kind):
    results = FORMULA_MODELS[kind](DATA).fit()
    new = pd.DataFrame({"sys": list("abcabc"), "x": [0.0, 1, 2, 10, -5, 0.5]}, index=list("uvwxyz"))
    rows = results.model._design.rows_for(new).to_numpy()
    tests = results.t_test(rows)
    glm = hasattr(results, "family")
    linear = results.get_prediction(new, **({"which": "linear"} if glm else {}))
    assert_allclose(linear.df, tests.df_denom, rtol=1e-12)
    assert_allclose(linear.conf_int(alpha=0.1), tests.conf_int(alpha=0.1), rtol=1e-12)
    assert len(set(np.round(linear.df, 6))) == 6
    frame = linear.summary_frame()
    assert list(frame.index) == list(new.index)
    assert_allclose(frame["df"], linear.df)
    assert_allclose(results.predict(new), results.get_prediction(new).predicted_mean, rtol=1e-12)


# ---- letting go of the rows, storing, loading -----------------------------------------------------------

ROWS = {"ols": "resid", "macro": "wresid", "wls identity": "fittedvalues",
        "wls inverse_var": "resid_pearson", "logit": "resid_deviance",
        "weighted poisson": "mu"}  # fmt: skip


@pytest.mark.parametrize("kind", FORMULA_MODELS)
@pytest.mark.parametrize("interface", MODELS)
def test_removing_the_rows_of_one_result_leaves_the_others(kind, interface):
    model = MODELS[interface][kind](DATA)
    first, second = model.fit(), model.fit(cov_type="CR1")
    before = getattr(second, ROWS[kind]).copy()
    twin, deep = copy.copy(first), copy.deepcopy(first)
    aic = first.aic
    first.remove_data()
    with pytest.raises(ValueError, match=f"{ROWS[kind]} needs the rows"):
        getattr(first, ROWS[kind])
    with pytest.raises(ValueError, match="exog: the rows were removed from these results"):
        first.get_prediction()
    with pytest.raises(ValueError, match="fit: this model keeps one row per document"):
        first.model.fit()
    for other in (second, twin, deep, model.fit()):
        assert len(getattr(other, ROWS[kind])) == 90
        assert other.get_prediction().predicted_mean.shape == (90,)
    assert_allclose(getattr(second, ROWS[kind]), before, rtol=0)
    assert first.aic == aic
    assert model.exog.shape == (90, 4)
    first.remove_data()  # once more changes nothing
    assert "CR2" in str(first.summary())
    assert _largest(first._results) <= 9 * 8 * 8  # documents × 2p × 2p: no array of rows is left
    assert _largest(second._results) >= 90


def _largest(thing, seen=None):
    """Return the size of the largest array that can be reached from an object."""
    seen = set() if seen is None else seen
    if id(thing) in seen or isinstance(thing, (str, bytes, type)):
        return 0
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return thing.size
    if isinstance(thing, (pd.Series, pd.DataFrame, pd.Index)):
        return np.size(thing.to_numpy())
    parts = list(getattr(thing, "__dict__", {}).values())
    parts += [getattr(thing, s) for s in getattr(type(thing), "__slots__", ()) if hasattr(thing, s)]
    if isinstance(thing, dict):
        parts += list(thing.values())
    elif isinstance(thing, (list, tuple)):
        parts += list(thing)
    return max([_largest(p, seen) for p in parts if "patsy" not in type(p).__module__], default=0)


@pytest.mark.parametrize("kind", FORMULA_MODELS)
@pytest.mark.parametrize("interface", MODELS)
@pytest.mark.parametrize("remove_data", [True, False])
def test_loaded_results_keep_everything_but_the_formula(kind, interface, remove_data, tmp_path):
    results = MODELS[interface][kind](DATA).fit()
    live = _facts(results)
    results.save(tmp_path / "fit", remove_data=remove_data)
    assert len(getattr(results, ROWS[kind])) == 90  # the live object is as it was
    loaded = rs.load(tmp_path / "fit")
    assert _facts(loaded) == live == _facts(results)
    assert type(loaded) is type(results)
    joint, right = loaded.wald_test(np.eye(4)[1:]), results.wald_test(np.eye(4)[1:])
    assert_allclose([joint.statistic, joint.pvalue], [right.statistic, right.pvalue], rtol=1e-14)
    if remove_data:
        size, whole = (tmp_path / "fit").stat().st_size, len(pickle.dumps(results))
        assert size < whole
        assert loaded.model.exog is None
    else:
        assert_allclose(getattr(loaded, ROWS[kind]), getattr(results, ROWS[kind]), rtol=0)
        assert_allclose(loaded.model.fit(cov_type="CR3").bse,
                        results.model.fit(cov_type="CR3").bse, rtol=1e-12)  # fmt: skip
    if interface == "formula":
        new = pd.DataFrame({"sys": ["a"], "x": [0.0]})
        with pytest.raises(ValueError, match="stored without their formula: pass rows of the des"):
            loaded.get_prediction(new)
        rows = results.model._design.rows_for(new)
        assert_allclose(loaded.get_prediction(rows, transform=False).df,
                        results.get_prediction(new).df, rtol=1e-12)  # fmt: skip


def _facts(results):
    """Return what a reader of a file wants back, as text."""
    tables = [results.params, results.bse, results.df_inference, results.tvalues, results.pvalues,
              results.conf_int(), results.cov_params(), results.coef_table()]  # fmt: skip
    numbers = [results.fvalue, results.f_pvalue, results.llf, results.aic, results.bic,
               results.scale, results.nobs, results.df_resid, results.df_model]  # fmt: skip
    return [str(results.summary()), *(t.to_json(double_precision=15) for t in tables),
            *map(float, numbers), results.n_groups, results.n_dropped]  # fmt: skip


def test_another_layout_is_refused_before_anything_else_is_read(tmp_path, monkeypatch):
    results = FORMULA_MODELS["ols"](DATA).fit()
    monkeypatch.setattr(storing, "STORED_FORMAT", 99)
    results.save(tmp_path / "fit")
    monkeypatch.undo()
    with pytest.raises(
        ValueError, match="stored in format 99 and this version of ragstats reads 3"
    ):
        rs.load(tmp_path / "fit")
    (tmp_path / "other").write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(ValueError, match="holds a dict, not ragstats results"):
        rs.load(tmp_path / "other")
    (tmp_path / "text").write_text("not a pickle")
    with pytest.raises(ValueError, match="is not a file of results"):
        rs.load(tmp_path / "text")


def _half(values):
    """A function of the user's, that a stored formula would look for."""
    return values / 2


READER = """
import sys
import ragstats as rs
import statsmodels.api as sm

for name in sys.argv[1:]:
    r, s = rs.load(name), sm.load(name)
    assert (r.pvalues == s.pvalues).all()
    r.summary(), r.conf_int(), r.wald_test_terms(), r.t_test_pairwise("C(sys)")
    print(*(p.hex() for p in r.pvalues), *(d.hex() for d in r.t_test([1, 1, 0, 2]).df_denom))
"""


def test_loading_at_module_level_of_a_fresh_process(tmp_path):
    formula, live = "hit ~ C(sys) + _half(np.exp(x))", []
    for kind, options in (("ols", {}), ("glm", {"family": sm.families.Binomial()})):
        results = getattr(rs, kind)(formula, DATA, groups="doc", **options).fit()
        for remove_data in (True, False):
            results.save(tmp_path / f"{kind} {remove_data}", remove_data=remove_data)
            live.append([*results.pvalues, *results.t_test([1, 1, 0, 2]).df_denom])
    (tmp_path / "reader.py").write_text(READER)
    files = [f"{kind} {remove}" for kind in ("ols", "glm") for remove in (True, False)]
    done = subprocess.run(
        [sys.executable, "-W", "error", "reader.py", *files], cwd=tmp_path, capture_output=True,
        text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(rs.__file__).parents[1])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = [[float.fromhex(v) for v in line.split()] for line in done.stdout.splitlines()]
    assert_allclose(loaded, live, rtol=1e-12)


# ---- labels ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORMULA_MODELS)
@pytest.mark.parametrize("interface", MODELS)
def test_results_are_labelled(kind, interface):
    results = MODELS[interface][kind](DATA).fit()
    names = list(results.params.index)
    assert sorted(names) == sorted(COLUMNS)
    for attribute in ("params", "bse", "df_inference", "tvalues", "pvalues"):
        value = getattr(results, attribute)
        assert isinstance(value, pd.Series)
        assert list(value.index) == names
    interval, covariance = results.conf_int(0.1), results.cov_params()
    assert isinstance(interval, pd.DataFrame)
    assert isinstance(covariance, pd.DataFrame)
    assert list(interval.index) == list(covariance.index) == list(covariance.columns) == names
    assert_allclose(np.sqrt(np.diag(covariance)), results.bse, rtol=1e-12)
    rows = getattr(results, ROWS[kind])
    if isinstance(rows, pd.Series):
        assert list(rows.index) == list(DATA.index)
    assert "df_inference" in dir(results)
    assert "statsmodels" in str(type(results))
