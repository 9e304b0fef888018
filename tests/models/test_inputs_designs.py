"""Designs, weights and objects on which other programs failed: thin levels, twins, giants, files."""

import io
import subprocess
import sys
import textwrap

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
    twelve,
)
from numpy.testing import assert_allclose
from statsmodels.tools.sm_exceptions import SingularMatrixWarning

import ragstats as rs
from ragstats.exceptions import RagstatsWarning

BINOMIAL = sm.families.Binomial()

# ---- B07: save changes the live object ----------------------------------------------------------------


def _models():
    frame = twelve()
    exog = design(frame, "len")
    return {
        "formula": rs.ols("score ~ len", frame, groups="doc"),
        "arrays": rs.OLS(frame["score"], exog, groups=frame["doc"]),
        "statsmodels": rs.cluster_robust(smf.ols("score ~ len", frame).fit(), groups="doc").model,
        "glm": rs.glm("score ~ len", frame, groups="doc"),
    }


@pytest.mark.parametrize("kind", list(_models()))
@pytest.mark.parametrize("remove_data", [True, False])
def test_b07_save_changes_the_live_object(kind, remove_data, tmp_path):
    results, right = _models()[kind].fit(), expected("B07")["len"]
    before = str(results.summary())
    results.save(tmp_path / "fit.pickle", remove_data=remove_data)
    assert str(results.summary()) == before
    assert results.model.exog.shape == (12, 2)
    assert len(results.fittedvalues) == 12
    assert_allclose(results.get_prediction().df.shape, 12)
    loaded = rs.load(tmp_path / "fit.pickle")
    assert_says(row(loaded, "len"), right)
    assert_says(contrast(loaded.t_test("len = 0")), right)
    assert str(loaded.summary()) == before
    assert_allclose(loaded.wald_test("len = 0").pvalue, right["p"], rtol=RTOL)
    if remove_data:
        assert loaded.model.exog is None
        with pytest.raises(ValueError, match="needs the rows"):
            _ = loaded.fittedvalues


@pytest.mark.parametrize("kind", list(_models()))
def test_b07_save_changes_the_live_object_in_place_on_request_only(kind):
    model, right = _models()[kind], expected("B07")["len"]
    results, other = model.fit(), model.fit(cov_type="CR1")
    results.remove_data()
    assert_says(row(results, "len"), right)
    assert_says(contrast(results.t_test("len = 0")), right)
    assert "0.0827" in str(results.summary())
    assert len(other.fittedvalues) == 12  # another result of the same model has its rows
    assert len(model.fit().resid if kind != "glm" else model.fit().resid_response) == 12


def test_b07_save_changes_the_live_object_through_statsmodels_own_functions(tmp_path):
    results = _models()["formula"].fit()
    path = str(tmp_path / "fit.pickle")
    results.save(path)
    assert_same(sm.load(path), results)
    assert_same(type(results).load(path), results)
    results._results.save(path)  # without its wrapper
    assert_same(rs.load(path), results)
    file = io.BytesIO()
    results.save(file, remove_data=True)
    file.seek(0)
    assert_same(rs.load(file), results)


# ---- B15: weights in the sandwich ---------------------------------------------------------------------


def _weighted():
    return twelve().assign(w=[1, 2, 1, 3, 1, 2, 2, 1, 1, 4, 1, 2.0])


@pytest.mark.parametrize(("working", "stored"), [("identity", "samp"), ("inverse_var", "inv")])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e6])
def test_b15_weights_in_the_sandwich(working, stored, scale):
    frame, right = _weighted(), expected("B15")["wls"]
    frame["w"] *= scale
    model = rs.wls("score ~ len", frame, groups="doc", weights="w", working=working)
    results = model.fit()
    assert_says(row(results, "len"), right[stored])
    assert working in str(results.summary())
    assert_allclose(model.fit(cov_type="CR0").bse["len"], right["CR0"], rtol=RTOL)
    assert_allclose(model.fit(cov_type="CR1S").bse["len"], right["CR1S"], rtol=RTOL)


def test_b15_weights_in_the_sandwich_by_other_routes():
    frame, right = _weighted(), expected("B15")["wls"]
    fitted = smf.wls("score ~ len", frame, weights=frame["w"]).fit()
    exog = design(frame, "len")
    arrays = rs.WLS(frame["score"], exog, groups=frame["doc"], weights=frame["w"])
    routes = {
        "samp": [
            rs.wls("score ~ len", frame, groups="doc", weights="w").fit(),  # the default, as R's
            rs.cluster_robust(fitted, groups="doc"),
            arrays.fit(),
        ],
        "inv": [
            rs.cluster_robust(fitted, groups="doc", working="inverse_var"),
            rs.glm("score ~ len", frame, groups="doc", var_weights="w").fit(),
        ],
    }
    for stored, fits in routes.items():
        for results in fits:
            assert_says(row(results, "len"), right[stored])
    stock = smf.wls("score ~ len", frame, weights=frame["w"]).fit(
        cov_type="cluster", cov_kwds={"groups": frame["doc"].factorize()[0]}
    )
    assert_allclose(stock.bse["len"], right["CR1S"], rtol=RTOL)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "float32", "int16", object], ids=str)
def test_b15_weights_in_the_sandwich_of_any_dtype(dtype):
    frame = _weighted()
    frame["w"] = frame["w"].astype(dtype)
    results = rs.wls("score ~ len", frame, groups="doc", weights="w").fit()
    assert_says(row(results, "len"), expected("B15")["wls"]["samp"])


@pytest.mark.parametrize("working", ["identity", "inverse_var"])
def test_b15_weights_in_the_sandwich_of_zero_are_dropped_rows(working):
    frame = _weighted()
    frame.loc[[1, 10, 11], "w"] = 0.0
    options = {"groups": "doc", "weights": "w", "working": working}
    results = rs.wls("score ~ len", frame, **options).fit()
    assert_same(results, rs.wls("score ~ len", frame.query("w > 0"), **options).fit())
    assert results.model._design.dropped == {"zero weight": 3}
    assert results.n_groups == 4  # document e had only those


@pytest.mark.parametrize(("bad", "message"), [
    (-1.0, "weights: 1 negative values"), (np.nan, "weights: 1 missing or infinite values"),
    (np.inf, "weights: 1 missing or infinite values"),
])  # fmt: skip
def test_b15_weights_in_the_sandwich_that_are_wrong(bad, message):
    frame = _weighted()
    frame.loc[4, "w"] = bad
    with pytest.raises(rs.DataError, match=message):
        rs.wls("score ~ len", frame, groups="doc", weights="w")
    with pytest.raises(ValueError, match="working='independence' is unknown"):
        rs.wls("score ~ len", twelve(), groups="doc", weights="len", working="independence")


# ---- B16: frequency weights -----------------------------------------------------------------------------


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR1p", "CR1S", "CR2", "CR3"])
@pytest.mark.parametrize("df", ["satterthwaite", "K-1", "K-p", "normal"])
def test_b16_frequency_weights(cov_type, df):
    frame, right = hits(), expected("B16")
    repeated = frame.loc[frame.index.repeat(frame["fw"])].reset_index(drop=True)
    options = {"groups": "doc", "family": BINOMIAL}
    once = rs.glm("hit ~ len", frame, freq_weights="fw", **options).fit(cov_type=cov_type, df=df)
    long = rs.glm("hit ~ len", repeated, **options).fit(cov_type=cov_type, df=df)
    assert_same(once, long)
    if cov_type in right:
        assert_allclose(once.bse["len"], right[cov_type], rtol=RTOL)
    for name in ("df_resid", "df_model", "scale", "llf", "deviance", "null_deviance", "aic"):
        assert_allclose(getattr(once, name), getattr(long, name), rtol=1e-10, err_msg=name)
    assert "Rows (N):" in str(once.summary())
    assert "18" in str(once.summary())


FAMILIES = [sm.families.Gaussian(), sm.families.Poisson(), sm.families.Gamma(sm.families.links.Log()),
            sm.families.Binomial(sm.families.links.Probit())]  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: type(f).__name__)
def test_b16_frequency_weights_of_other_families(family):
    frame = hits().assign(y=lambda d: (d["hit"] + d["len"] / 10) / 2, prior=np.arange(1.0, 11))
    repeated = frame.loc[frame.index.repeat(frame["fw"])].reset_index(drop=True)
    options = {"groups": "doc", "family": family, "var_weights": "prior"}
    once = rs.glm("y ~ len", frame, freq_weights="fw", **options).fit()
    long = rs.glm("y ~ len", repeated, **options).fit()
    assert_same(once, long, 1e-9)  # two iterations to the same maximum
    assert_allclose(once.average_marginal_effects(), long.average_marginal_effects(), rtol=1e-8)
    assert_allclose(once.get_prediction({"len": 3.0}).df, long.get_prediction({"len": 3.0}).df)


def test_b16_frequency_weights_of_a_statsmodels_result_and_arrays():
    frame, right = hits(), expected("B16")
    fitted = smf.glm("hit ~ len", frame, family=BINOMIAL, freq_weights=frame["fw"]).fit()
    robust = rs.cluster_robust(fitted, groups="doc")
    arrays = rs.GLM(frame["hit"], design(frame, "len"), groups=frame["doc"], family=BINOMIAL,
                    freq_weights=frame["fw"].to_numpy()).fit()  # fmt: skip
    for results in (robust, arrays):
        assert_allclose(results.bse["len"], right["CR2"], rtol=RTOL)
        assert_allclose(results.df_inference["len"], 2.48, atol=0.005)  # stored with 3 digits


def test_b16_frequency_weights_of_zero_and_counts_of_two_columns():
    frame = hits()
    frame.loc[3, "fw"] = 0
    options = {"groups": "doc", "family": BINOMIAL}
    results = rs.glm("hit ~ len", frame, freq_weights="fw", **options).fit()
    dropped = rs.glm("hit ~ len", frame.drop(index=3), freq_weights="fw", **options).fit()
    assert_same(results, dropped)
    assert results.n_dropped == 1
    counts = hits().assign(yes=lambda d: d["hit"] * d["fw"], no=lambda d: (1 - d["hit"]) * d["fw"])
    two = rs.glm("yes + no ~ len", counts, **options).fit()
    one = rs.glm("hit ~ len", counts, var_weights="fw", **options).fit()
    assert_same(two, one)
    cr0 = rs.glm("hit ~ len", counts, freq_weights="fw", **options).fit(cov_type="CR0")
    # trials of one row and rows of one trial have the same estimate and CR0, and another N
    assert_allclose(two.get_robustcov_results("CR0").bse, cr0.bse, rtol=1e-9)


# ---- B18: a level seen in one row -----------------------------------------------------------------------


def _types():
    return twelve().assign(type=list("pprrprprpspr"))


REST = r"type\[s\] rests on 1 document \('d'\), which leaves no variation to measure"


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR2", "CR3"])
def test_b18_a_level_seen_in_one_row(cov_type):
    right = expected("B18")
    with pytest.warns(RagstatsWarning, match=REST):
        results = rs.ols("score ~ 0 + type", _types(), groups="doc").fit(cov_type=cov_type)
    assert_allclose(results.params["type[s]"], 0.6, rtol=RTOL)
    for attribute in ("bse", "df_inference", "tvalues", "pvalues"):
        assert np.isnan(getattr(results, attribute)["type[s]"])
    assert "type[s]" in str(results.summary())
    if cov_type == "CR2":
        for level in "pr":
            assert_says(row(results, f"type[{level}]"), right[level])
        assert_says(contrast(results.t_test("type[p] - type[r] = 0")), right["pmr"])


def test_b18_a_level_seen_in_one_row_in_joint_tests():
    with pytest.warns(RagstatsWarning, match=REST):
        results = rs.ols("score ~ 0 + type", _types(), groups="doc").fit()
    with pytest.warns(RagstatsWarning, match="joint test is NaN: .* without document 'd'"):
        joint = results.wald_test("type[p] = type[r], type[r] = type[s]")
    assert np.isnan(joint.pvalue)
    assert "'d'" in joint.reason
    single = results.t_test("type[s] = 0")
    assert np.isnan(single.pvalue)
    assert "rests on 1 document" in single.reason


@pytest.mark.parametrize(
    "formula",
    [
        "score ~ type",
        "score ~ C(type, Treatment('r'))",
        "score ~ C(type, Sum)",
        "score ~ C(type, Helmert)",
    ],
)
def test_b18_a_level_seen_in_one_row_under_another_coding(formula):
    right = expected("B18")
    with pytest.warns(RagstatsWarning, match="without one document"):
        results = rs.ols(formula, _types(), groups="doc").fit()
    with pytest.warns(RagstatsWarning, match="without document 'd'"):
        pairs = results.t_test_pairwise(formula.split("~ ")[1]).result_frame
    assert_allclose(pairs.loc["r-p", "coef"], -right["pmr"]["est"], rtol=RTOL)
    assert_allclose(pairs.loc["r-p", ["std err", "df", "P>|t|"]].astype(float),
                    [right["pmr"][k] for k in ("se", "df", "p")], rtol=RTOL)  # fmt: skip
    means = results.get_prediction(pd.DataFrame({"type": list("prs")}))
    assert_allclose(means.se_mean[:2], [right["p"]["se"], right["r"]["se"]], rtol=RTOL)
    assert np.isnan(means.se_mean[2])
    assert "rests on 1 document" in means.reasons[2]


def test_b18_a_level_seen_in_one_row_by_other_fits():
    frame, right = _types(), expected("B18")
    fitted = smf.ols("score ~ 0 + type", frame).fit()
    with pytest.warns(RagstatsWarning, match=REST):
        robust = rs.cluster_robust(fitted, groups="doc")
    assert_says(contrast(robust.t_test([1, -1, 0])), right["pmr"])
    with pytest.warns(RagstatsWarning, match=REST):
        logit = rs.glm("score ~ 0 + type", frame, groups="doc", family=BINOMIAL).fit()
    assert np.isnan(logit.bse["type[s]"])
    assert np.isfinite(logit.bse[["type[p]", "type[r]"]]).all()
    with pytest.warns(RagstatsWarning, match=REST):
        weighted = rs.wls("score ~ 0 + type", frame, groups="doc", weights="len").fit()
    assert np.isnan(weighted.bse["type[s]"])


# ---- B22: one huge cluster ------------------------------------------------------------------------------


def _huge():
    doc = np.concatenate([np.zeros(40000, int), np.repeat(np.arange(1, 201), 100)])
    i = np.arange(60000)
    score = 0.5 + 0.2 * np.sin(doc * 1.7) + 0.1 * np.cos(i * 2.3)
    return pd.DataFrame({"doc": doc, "score": score, "x": np.sin(i * 0.7), "w": 1 + i % 5})


def test_b22_one_huge_cluster():
    right = expected("B22")["big"]
    model = rs.ols("score ~ 1", _huge(), groups="doc")
    results = model.fit()
    got = [results.params.iloc[0], results.bse.iloc[0], results.df_inference.iloc[0]]
    assert_allclose(got, [right["mean"], right["se"], right["df"]], rtol=RTOL)
    for cov_type in ("CR0", "CR3"):
        assert_allclose(model.fit(cov_type=cov_type).bse.iloc[0], right[cov_type], rtol=RTOL)


def test_b22_one_huge_cluster_by_other_routes():
    frame, right = _huge(), expected("B22")["big"]
    ones = np.ones(60000)
    for results in (
        rs.OLS(frame["score"].to_numpy(), ones, groups=frame["doc"].to_numpy()).fit(),
        rs.glm("score ~ 1", frame, groups="doc").fit(),
        rs.micro_mean("score", frame, groups="doc"),
        rs.cluster_robust(sm.OLS(frame["score"], ones).fit(), groups=frame["doc"]),
    ):
        got = [np.asarray(v)[0] for v in (results.params, results.bse, results.df_inference)]
        assert_allclose(got, [right["mean"], right["se"], right["df"]], rtol=RTOL)


def test_b22_one_huge_cluster_within_the_memory():
    """Every route in 1.5 GB: an n_g × n_g matrix would need 12.8."""
    program = """
        import resource, sys
        sys.path.insert(0, sys.argv[1])
        from test_inputs_designs import _huge, BINOMIAL
        import ragstats as rs
        frame = _huge()
        resource.setrlimit(resource.RLIMIT_AS, (3 * 2**29 + 2**30,) * 2)  # 1.5 GB and what is mapped
        rs.ols("score ~ x", frame, groups="doc").fit()
        rs.wls("score ~ x", frame, groups="doc", weights="w").fit()
        rs.wls("score ~ x", frame, groups="doc", weights="w", working="inverse_var").fit()
        r = rs.glm("score ~ x", frame, groups="doc", family=BINOMIAL).fit()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        assert peak < 1536, peak
        print("fine", *r.bse)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(__import__("pathlib").Path(__file__).parent)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("fine"), done.stderr


# ---- B23: aliased terms ---------------------------------------------------------------------------------


def _doubled():
    return twelve().assign(len2=lambda d: 2 * d["len"])


ALIASED = "aliased columns dropped: len2"


def test_b23_aliased_terms():
    right = expected("B23")
    with pytest.warns(RagstatsWarning, match=ALIASED):
        results = rs.ols("score ~ len + len2", _doubled(), groups="doc").fit()
    assert list(results.params.index) == ["Intercept", "len"]
    assert_says(row(results, "len"), right["len"])
    prediction = results.get_prediction(pd.DataFrame({"len": [4.0], "len2": [8.0]}))
    assert_allclose([prediction.se_mean[0], prediction.df[0]],
                    [right["pred4"]["se"], right["pred4"]["df"]], rtol=RTOL)  # fmt: skip
    assert_allclose(prediction.conf_int()[0], right["pred4"]["ci"], rtol=RTOL)
    assert "Dropped as combinations of earlier columns: len2" in str(results.summary())


def test_b23_aliased_terms_have_no_prediction_off_the_line():
    with pytest.warns(RagstatsWarning, match=ALIASED):
        results = rs.ols("score ~ len + len2", _doubled(), groups="doc").fit()
    new = pd.DataFrame({"len": [4.0, 4.0], "len2": [8.0, 9.0]})
    with pytest.warns(RagstatsWarning, match="exog: 1 row has no unique prediction, because len2"):
        prediction = results.get_prediction(new)
    assert np.isnan(prediction.predicted_mean).tolist() == [False, True]
    with pytest.warns(RagstatsWarning, match="no unique prediction"):
        assert results.predict(new).isna().tolist() == [False, True]
    with pytest.raises(ValueError, match=r"r_matrix='len2 = 0': .*coefficients: Intercept, len"):
        results.t_test("len2 = 0")


def test_b23_aliased_terms_by_other_fits():
    frame, right = _doubled(), expected("B23")["len"]
    exog = design(frame, "len", "len2")
    with pytest.warns(RagstatsWarning, match=ALIASED):
        arrays = rs.OLS(frame["score"], exog, groups=frame["doc"]).fit()
    assert_says(row(arrays, "len"), right)
    assert_allclose(arrays.get_prediction([[1.0, 4.0, 8.0]]).se_mean[0],
                    expected("B23")["pred4"]["se"], rtol=RTOL)  # fmt: skip
    for name, options in (("glm", {}), ("wls", {"weights": np.ones(12)})):
        with pytest.warns(RagstatsWarning, match=ALIASED):
            results = getattr(rs, name)("score ~ len + len2", frame, groups="doc", **options).fit()
        assert_says(row(results, "len"), right)
    with pytest.warns(SingularMatrixWarning):
        spread = smf.ols("score ~ len + len2", frame).fit()  # pinv: half the slope on each
    with pytest.warns(RagstatsWarning, match=ALIASED):
        robust = rs.cluster_robust(spread, groups="doc")
    assert_says(row(robust, "len"), right)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_b23_aliased_terms_of_any_scale(scale):
    frame = twelve().assign(other=lambda d: scale * (d["len"] - 3))
    with pytest.warns(RagstatsWarning, match="aliased columns dropped: other"):
        results = rs.ols("score ~ len + other", frame, groups="doc").fit()
    assert_says(row(results, "len"), expected("B23")["len"])
    frame["other"] += scale * 1e-6 * np.sin(np.arange(12))  # close, and not a combination
    with pytest.warns(RagstatsWarning, match="close to collinear"):
        near = rs.ols("score ~ len + other", frame, groups="doc").fit()
    assert len(near.params) == 3


@pytest.mark.parametrize("formula", ["score ~ twin + part", "score ~ twin + C(part, Sum)"])
def test_b23_aliased_terms_in_pairs_of_levels(formula):
    frame = twelve().assign(part=list("abcabcabcabc"))
    frame["twin"] = np.where(frame["part"] == "c", "yes", "no")
    with pytest.warns(RagstatsWarning, match="aliased columns dropped: "):
        results = rs.ols(formula, frame, groups="doc").fit()
    with pytest.warns(RagstatsWarning, match="no unique estimate of c-a, c-b, because"):
        pairs = results.t_test_pairwise(formula.split("+ ")[1]).result_frame
    assert pairs.loc[["c-a", "c-b"], "coef"].isna().all()
    without = rs.ols("score ~ part", frame, groups="doc").fit().t_test_pairwise("part")
    assert_allclose(pairs.loc["b-a", "P>|t|"], without.result_frame.loc["b-a", "P>|t|"], rtol=1e-9)
