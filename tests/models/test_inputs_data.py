"""Columns, systems and samples that other programs misread: dtypes, constants, pairs, means."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
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
    unscored,
)
from numpy.testing import assert_allclose

import ragstats as rs
from ragstats.exceptions import RagstatsWarning

BINOMIAL = sm.families.Binomial()

# ---- B09: nullable dtypes -----------------------------------------------------------------------------

ARROW_DOUBLE, ARROW_INT = pd.ArrowDtype(pa.float64()), pd.ArrowDtype(pa.int64())
DECIMAL = pd.ArrowDtype(pa.decimal128(6, 2))
NUMBERS = [("Float64", "Int64"), ("Float32", "UInt8"), (ARROW_DOUBLE, ARROW_INT),
           (DECIMAL, DECIMAL), (object, object), ("float32", "int8")]  # fmt: skip


def _nullable(score, length):
    frame = unscored()
    if score is object:  # what a database driver or a JSON log gives
        frame["score"] = [None if np.isnan(s) else Decimal(str(s)) for s in frame["score"]]
        frame["len"] = pd.Series([int(x) for x in frame["len"]], dtype=object)
    elif score is DECIMAL:
        frame["score"] = pd.array(
            [None if np.isnan(s) else Decimal(str(s)) for s in frame["score"]], dtype=DECIMAL
        )
        frame["len"] = pd.array([Decimal(int(x)) for x in frame["len"]], dtype=DECIMAL)
    else:
        frame["score"] = frame["score"].astype(score)
        frame["len"] = frame["len"].astype(length)
    return frame


@pytest.mark.parametrize(("score", "length"), NUMBERS, ids=str)
def test_b09_nullable_dtypes(score, length):
    frame, right = _nullable(score, length), expected("B09")
    rtol = 1e-6 if "32" in str(score) else RTOL  # a float32 holds 7 digits of a score
    results = rs.ols("score ~ len", frame, groups="doc").fit()
    assert list(results.params.index) == ["Intercept", "len"]
    assert_says(row(results, "len"), right["len"], rtol)
    assert (results.nobs, results.n_dropped) == (right["n"], 2)
    exog = frame[["len"]].assign(const=1)[["const", "len"]]
    arrays = rs.OLS(frame["score"], exog, groups=frame["doc"]).fit()
    assert_says(row(arrays, "len"), right["len"], rtol)


@pytest.mark.parametrize(("score", "length"), NUMBERS, ids=str)
def test_b09_nullable_dtypes_of_weights_and_new_data(score, length):
    frame = _nullable(score, length)
    results = rs.wls("score ~ len", frame, groups="doc", weights="len").fit()
    plain = rs.wls("score ~ len", unscored(), groups="doc", weights="len").fit()
    assert_same(results, plain, 1e-6 if "32" in str(score) else 1e-10)
    assert_allclose(results.predict(frame), plain.predict(unscored()), rtol=1e-6)


@pytest.mark.parametrize("dtype", [bool, "boolean", pd.ArrowDtype(pa.bool_()), object, "int8",
                                   "Int64", "Float64"], ids=str)  # fmt: skip
def test_b09_nullable_dtypes_of_a_hit(dtype):
    frame = hits()
    right = rs.glm("hit ~ len", frame, groups="doc", family=BINOMIAL).fit()
    frame["hit"] = frame["hit"].astype(bool).astype(dtype)
    assert_same(rs.glm("hit ~ len", frame, groups="doc", family=BINOMIAL).fit(), right)
    assert_same(
        rs.GLM(frame["hit"], design(frame, "len").rename(columns={"const": "Intercept"}),
               groups=frame["doc"], family=BINOMIAL).fit(),
        right,
    )  # fmt: skip
    linear = rs.ols("hit ~ len", frame, groups="doc").fit()
    assert_same(linear, rs.ols("hit ~ len", hits(), groups="doc").fit())


def test_b09_nullable_dtypes_of_a_hit_that_is_missing():
    frame = hits()
    frame["hit"] = frame["hit"].astype("boolean")
    frame.loc[[1, 6], "hit"] = pd.NA
    results = rs.glm("hit ~ len", frame, groups="doc", family=BINOMIAL).fit()
    complete = hits().drop(index=[1, 6])
    assert_same(results, rs.glm("hit ~ len", complete, groups="doc", family=BINOMIAL).fit())
    assert results.n_dropped == 2


def test_b09_nullable_dtypes_refused_by_name():
    frame = twelve().assign(score=list("abcdefghijkl"))
    with pytest.raises(ValueError, match="the outcome 'score' is text or categories"):
        rs.ols("score ~ len", frame, groups="doc")
    two = twelve().assign(score=list("ny" * 6))  # two levels are not successes and failures
    with pytest.raises(ValueError, match="the outcome 'score' is text or categories"):
        rs.glm("score ~ len", two, groups="doc", family=BINOMIAL)
    with pytest.raises(TypeError, match="endog: column 'score' of dtype str does not hold numbers"):
        rs.OLS(frame["score"], design(frame, "len"), groups=frame["doc"])
    with pytest.raises(TypeError, match="score"):
        rs.micro_mean("score", frame, groups="doc")


# ---- B10: arrow strings ---------------------------------------------------------------------------------

STRINGS = [pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.large_string()), "string[pyarrow]",
           "string[python]", "string", "str", "category", object,
           pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))]  # fmt: skip


@pytest.mark.parametrize("dtype", STRINGS, ids=str)
def test_b10_arrow_strings(dtype):
    frame, right = systems(), expected("B10")["B"]
    frame[["sys", "doc"]] = frame[["sys", "doc"]].astype(dtype)
    results = rs.ols("score ~ sys", frame, groups=frame["doc"]).fit()
    assert list(results.params.index) == ["Intercept", "sys[T.B]", "sys[T.C]"]
    assert_says(row(results, "sys[T.B]"), right)


@pytest.mark.parametrize("dtype", STRINGS, ids=str)
def test_b10_arrow_strings_with_missing_levels_and_another_coding(dtype):
    frame = systems()
    frame.loc[4, "sys"] = None
    complete = rs.ols("score ~ C(sys, Sum)", frame.dropna(), groups="doc").fit()
    frame[["sys", "doc"]] = frame[["sys", "doc"]].astype(dtype)
    results = rs.ols("score ~ C(sys, Sum)", frame, groups="doc").fit()
    assert_same(results, complete)
    assert results.model._design.dropped == {"missing sys": 1}
    logit = {"groups": "doc", "family": BINOMIAL}
    assert_same(rs.glm("score ~ sys", frame, **logit).fit(),
                rs.glm("score ~ sys", frame.dropna().astype({"sys": str, "doc": str}), **logit)
                .fit())  # fmt: skip


@pytest.mark.parametrize(
    "table", [pl.from_pandas, pa.Table.from_pandas, dict], ids=["polars", "arrow", "dict"]
)
def test_b10_arrow_strings_in_other_tables(table):
    right = expected("B10")["B"]
    results = rs.ols("score ~ sys", table(systems()), groups="doc").fit()
    assert_says(row(results, "sys[T.B]"), right)
    new = table(pd.DataFrame({"sys": ["B", "A"]}))
    assert_allclose(np.diff(results.get_prediction(new).predicted_mean), -right["est"], rtol=RTOL)


def test_b10_arrow_strings_as_categories_that_are_unused():
    frame = systems()
    frame["sys"] = frame["sys"].astype(pd.ArrowDtype(pa.string())).astype("category")
    frame["sys"] = frame["sys"].cat.add_categories(["D"])
    assert_says(row(rs.ols("score ~ sys", frame, groups="doc").fit(), "sys[T.B]"),
                expected("B10")["B"])  # fmt: skip


# ---- B25: a bootstrap that keeps repeated documents --------------------------------------------------------


def _forty():
    frame = pd.DataFrame({"doc": np.repeat(np.arange(40), 5)})
    frame["score"] = 0.5 + 0.3 * np.sin(frame["doc"] * 1.7) + 0.1 * np.cos(np.arange(200) * 2.3)
    return frame


def test_b25_bootstrap_drops_repeated_clusters_closed_form():
    frame, right = _forty(), expected("B25")["boot"]
    mean = rs.micro_mean("score", frame, groups="doc", cov_type="CR0")
    assert_allclose([mean.estimate, mean.se], [right["mean"], right["se"]], rtol=RTOL)
    # with equal sizes CR1 and CR2 are the same, and √(K/(K-1)) above the bootstrap's variance
    cr2 = rs.micro_mean("score", frame, groups="doc")
    assert_allclose(cr2.se, right["se"] * np.sqrt(40 / 39), rtol=1e-12)
    iid = rs.ols("score ~ 1", frame, groups=np.arange(200)).fit(cov_type="CR0")
    assert_allclose(iid.bse.iloc[0], right["iid"], rtol=RTOL)


@pytest.mark.parametrize("statistic", ["micro", "macro"])
def test_b25_bootstrap_drops_repeated_clusters_reweighted_moments(statistic):
    right = expected("B25")["boot"]
    model = rs.ols("score ~ 1", _forty(), groups="doc", estimand=statistic)
    moments, rng = model._fit.moments, np.random.default_rng(8)
    counts = rng.multinomial(40, np.full(40, 1 / 40), size=3000)
    means = [moments.reweight(c.astype(float)).solve()[0] for c in counts]
    lost = [moments.reweight((c > 0).astype(float)).solve()[0] for c in counts]
    # 3,000 replicates: a Monte Carlo error of 1.3% of the standard error
    assert_allclose(np.std(means), right["se"], rtol=0.05)
    assert_allclose(np.std(lost), right["dedup"], rtol=0.05)  # what dropping duplicates does


def test_b25_bootstrap_drops_repeated_clusters_when_documents_are_drawn_as_rows():
    frame, rng = _forty(), np.random.default_rng(5)
    drawn = rng.integers(0, 40, 40)
    rows = [frame[frame["doc"] == d].assign(copy=i) for i, d in enumerate(drawn)]
    resampled = pd.concat(rows)  # a duplicated index, and documents that occur several times
    kept = rs.ols("score ~ 1", resampled, groups="copy").fit()
    assert (kept.n_groups, kept.nobs) == (40, 200)
    moments = rs.ols("score ~ 1", frame, groups="doc")._fit.moments
    counts = np.bincount(drawn, minlength=40).astype(float)
    assert_allclose(kept.params.iloc[0], moments.reweight(counts).solve()[0], rtol=1e-12)


# ---- B26: constant scores -----------------------------------------------------------------------------------

STILL = "the scores do not vary: SE 0 and no p-value"


@pytest.mark.parametrize("value", [1.0, 0.0, 0.1, 1e-9, 12345.678])
@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR1S", "CR2", "CR3"])
def test_b26_constant_scores(value, cov_type):
    frame = twelve().assign(score=value)
    with pytest.warns(RagstatsWarning, match=STILL):
        results = rs.ols("score ~ 1", frame, groups="doc").fit(cov_type=cov_type)
    assert_allclose(results.params.iloc[0], value, rtol=1e-14)
    assert results.bse.iloc[0] == 0
    assert np.isnan(results.pvalues.iloc[0])
    assert_allclose(results.conf_int().iloc[0], [value, value], rtol=1e-14)
    assert np.isnan(results.t_test([1]).pvalue)


def test_b26_constant_scores_with_a_covariate():
    frame = twelve().assign(score=0.7)
    with pytest.warns(RagstatsWarning, match=f"{STILL} for Intercept, len"):
        results = rs.ols("score ~ len", frame, groups="doc").fit()
    assert (results.bse == 0).all()
    assert results.pvalues.isna().all()
    assert np.isnan(results.f_pvalue)
    assert "nan" in str(results.summary())


@pytest.mark.parametrize("mean", [rs.micro_mean, rs.macro_mean])
def test_b26_constant_scores_of_means(mean):
    with pytest.warns(RagstatsWarning, match=STILL):
        result = mean("score", twelve().assign(score=1.0), groups="doc")
    assert (result.estimate, result.se) == (1.0, 0.0)
    assert np.isnan(result.pvalue)
    assert np.asarray(result.conf_int()).tolist() == [[1.0, 1.0]]


def test_b26_constant_scores_of_a_system_against_itself():
    frame = systems()
    twice = pd.concat([frame[frame["sys"] == "A"], frame[frame["sys"] == "A"].assign(sys="B")])
    with pytest.warns(RagstatsWarning, match=STILL):
        table = rs.compare(twice, score="score", system="sys", doc="doc", query="q",
                           estimand="micro").differences  # fmt: skip
    assert table["estimate"].tolist() == [0.0]
    assert table["se"].tolist() == [0.0]
    assert table["p"].isna().all()


def test_b26_constant_scores_in_a_difference_only():
    frame = pd.concat([twelve().assign(s="a"), twelve().assign(s="b")], ignore_index=True)
    with pytest.warns(RagstatsWarning, match=STILL):
        results = rs.ols("score ~ s", frame, groups="doc").fit()  # both systems score the same
    assert results.bse["s[T.b]"] == 0
    assert np.isnan(results.pvalues["s[T.b]"])
    assert_allclose(results.bse["Intercept"], expected("B14")["mean"]["se"], rtol=RTOL)


def test_b26_constant_scores_of_a_logit_are_refused_or_said():
    with pytest.raises(rs.DataError, match=r"endog: .*(separation|bounds)"):
        rs.glm("hit ~ 1", hits().assign(hit=1), groups="doc", family=BINOMIAL).fit()
    with pytest.raises(rs.DataError, match=r"endog: .*(separation|bounds)"):
        rs.glm("hit ~ len", hits().assign(hit=0), groups="doc", family=BINOMIAL).fit()


# ---- B27: a single document in a group ------------------------------------------------------------------------


def _by_language():
    frame = twelve()
    return frame.assign(lang=np.where(frame["doc"] == "c", "fr", "en"))


ONE_DOCUMENT = r"rests on 1 document \('c'\), which leaves no variation"


@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR2", "CR3"])
def test_b27_single_document_in_a_group(cov_type):
    right = expected("B27")
    with pytest.warns(RagstatsWarning, match=ONE_DOCUMENT):
        results = rs.ols("score ~ 0 + lang", _by_language(), groups="doc").fit(cov_type=cov_type)
    assert_allclose(results.params["lang[fr]"], right["fr_mean"], rtol=RTOL)
    for attribute in ("bse", "df_inference", "tvalues", "pvalues"):
        assert np.isnan(getattr(results, attribute)["lang[fr]"])
    assert results.conf_int().loc["lang[fr]"].isna().all()
    assert "1 document" in results.reasons["lang[fr]"]
    assert "1 document" in str(results.summary())
    if cov_type == "CR2":
        assert_says(row(results, "lang[en]"), right["en"])
    assert results.bse["lang[en]"] > 0


def test_b27_single_document_in_a_group_under_another_coding():
    with pytest.warns(RagstatsWarning, match=r"cannot be estimated without one document: lang\[T"):
        results = rs.ols("score ~ lang", _by_language(), groups="doc").fit()
    assert_says(row(results, "Intercept"), expected("B27")["en"])
    fr = results.t_test([1, 1])
    assert np.isnan(fr.pvalue)
    assert "1 document" in fr.reason
    means = results.get_prediction(pd.DataFrame({"lang": ["en", "fr"]}))
    assert_allclose(means.predicted_mean, [0.5625, 0.4], rtol=RTOL)
    assert np.isnan(means.se_mean).tolist() == [False, True]
    assert "1 document" in means.reasons[1]


def test_b27_single_document_in_a_group_by_other_fits():
    frame = _by_language()
    fitted = smf.ols("score ~ 0 + lang", frame).fit()
    with pytest.warns(RagstatsWarning, match=ONE_DOCUMENT):
        robust = rs.cluster_robust(fitted, groups="doc")
    assert_says(row(robust, "lang[en]"), expected("B27")["en"])
    dummies = pd.get_dummies(frame["lang"]).astype(float)
    with pytest.warns(RagstatsWarning, match=ONE_DOCUMENT):
        arrays = rs.OLS(frame["score"], dummies, groups=frame["doc"]).fit()
    assert_says(row(arrays, "en"), expected("B27")["en"])
    with pytest.warns(RagstatsWarning, match=ONE_DOCUMENT):
        logit = rs.glm("score ~ 0 + lang", frame, groups="doc", family=BINOMIAL).fit()
    assert np.isnan(logit.bse["lang[fr]"])
    assert np.isfinite(logit.bse["lang[en]"])


# ---- B28: macro mean, micro SE ----------------------------------------------------------------------------------


def test_b28_macro_mean_micro_se():
    frame, right = twelve(), expected("B28")
    macro = rs.macro_mean("score", frame, groups="doc")
    assert_allclose([macro.estimate, macro.se, macro.df],
                    [right["macro"]["mean"], right["macro"]["se"], right["macro"]["df"]],
                    rtol=RTOL)  # fmt: skip
    assert_allclose(np.asarray(macro.conf_int())[0], right["macro"]["ci"], rtol=RTOL)
    micro = rs.micro_mean("score", frame, groups="doc")
    assert_says(row(micro, "Intercept"), right["micro"])
    assert (macro.estimand, micro.estimand) == ("macro", "micro")
    assert "macro" in str(macro.summary())
    assert "micro" in str(micro.summary())


def test_b28_macro_mean_micro_se_as_models():
    frame, right = twelve(), expected("B28")
    n = frame.groupby("doc")["score"].transform("size")
    for model in (
        rs.ols("score ~ 1", frame, groups="doc", estimand="macro"),
        rs.OLS(frame["score"], np.ones(12), groups=frame["doc"], estimand="macro"),
        rs.WLS(frame["score"], np.ones(12), groups=frame["doc"], estimand="macro"),
        rs.wls("score ~ 1", frame, groups="doc", weights=1 / n, working="inverse_var"),
    ):
        results = model.fit()
        got = [results.params.iloc[0], results.bse.iloc[0], results.df_inference.iloc[0]]
        assert_allclose(got, [right["macro"][k] for k in ("mean", "se", "df")], rtol=RTOL)
    sampling = rs.wls("score ~ 1", frame, groups="doc", weights=1 / n).fit()
    assert_says(row(sampling, "Intercept"), right["macro_as_wls_CR2"])
    assert "identity" in str(sampling.summary())


def test_b28_macro_mean_micro_se_cannot_be_mixed():
    frame = twelve().assign(w=1.0)
    with pytest.raises(ValueError, match="estimand='mean' is unknown"):
        rs.ols("score ~ 1", frame, groups="doc", estimand="mean")
    with pytest.raises(ValueError, match="weights= with estimand='macro'"):
        rs.WLS(frame["score"], np.ones(12), groups=frame["doc"], weights=frame["w"],
               estimand="macro")  # fmt: skip


# ---- B29: a system that never ran ---------------------------------------------------------------------------------


def _compare(frame, **options):
    return rs.compare(frame, score="score", system="sys", doc="doc", query="q", estimand="micro",
                      unmatched="pairwise", **options)  # fmt: skip


def test_b29_a_system_that_never_ran():
    with pytest.raises(ValueError, match="system='D' has 0 scored queries"):
        _compare(systems(), systems=["A", "D"])
    unscored_c = systems().assign(score=lambda d: d["score"].where(d["sys"] != "C"))
    with pytest.raises(ValueError, match=r"system='C' has 0 scored queries \(4 rows, none scored"):
        _compare(unscored_c)
    with pytest.raises(ValueError, match="system='C' has 0 scored queries"):
        _compare(unscored_c, systems=["A", "C"])


@pytest.mark.parametrize("dtype", ["str", "category", object])
def test_b29_a_system_that_never_ran_in_a_formula(dtype):
    frame = systems().assign(score=lambda d: d["score"].where(d["sys"] != "C"))
    frame["sys"] = frame["sys"].astype(dtype)
    with pytest.warns(
        RagstatsWarning, match="levels left out, none of whose rows is complete: C of"
    ):
        results = rs.ols("score ~ sys", frame, groups="doc").fit()
    assert list(results.params.index) == ["Intercept", "sys[T.B]"]
    assert results.model._design.dropped == {"missing score": 4}
    complete = rs.ols("score ~ sys", systems().query("sys != 'C'"), groups="doc").fit()
    assert_same(results, complete)
    with pytest.raises(ValueError, match=r"exog: .*'C'"):
        results.get_prediction(pd.DataFrame({"sys": ["C"]}))


def test_b29_a_system_that_never_ran_was_the_reference():
    frame = systems().assign(score=lambda d: d["score"].where(d["sys"] != "A"))
    complete = systems().query("sys != 'A'")
    with pytest.warns(RagstatsWarning, match=r"A of C\(sys\)"):
        results = rs.ols("score ~ C(sys)", frame, groups="doc").fit()
    assert_same(results, rs.ols("score ~ C(sys)", complete, groups="doc").fit())
    with pytest.raises(ValueError, match=r"formula=.*'A' not found"):
        rs.ols("score ~ C(sys, Treatment('A'))", complete, groups="doc")
    hit = frame.assign(score=frame["score"].gt(0.55).where(frame["score"].notna()))
    with pytest.warns(RagstatsWarning, match="A of sys"):
        logit = rs.glm("score ~ sys", hit, groups="doc", family=BINOMIAL).fit()
    assert list(logit.params.index) == ["Intercept", "sys[T.C]"]


# ---- B30: an unpaired test on paired data ---------------------------------------------------------------------------


def _pairs():
    frame = systems(complete=True)
    wide = frame.pivot(index="q", columns="sys", values="score")
    doc = frame.drop_duplicates("q").set_index("q")["doc"]
    return wide.assign(doc=doc).reset_index()


def test_b30_unpaired_test_on_paired_data():
    right = expected("B30")
    wide = _pairs()
    results = rs.ols("I(C - A) ~ 1", wide, groups="doc").fit()
    assert_says(row(results, "Intercept"), right["diffAC"])
    compared = _compare(systems(complete=True), baseline="A").differences.loc[("C", "A")]
    got = [compared[k] for k in ("estimate", "se", "df", "p", "low", "high")]
    stored = right["diffAC"]
    assert_allclose(got, [stored[k] for k in ("est", "se", "df", "p")] + stored["ci"], rtol=RTOL)
    assert abs(compared["se"] - right["unpaired_se"]) > 0.01


def test_b30_unpaired_test_on_paired_data_as_stacked_rows():
    right = expected("B30")["diffAC"]
    wide = _pairs()
    stacked = wide.melt(id_vars=["q", "doc"], value_vars=["A", "C"], var_name="sys",
                        value_name="score")  # fmt: skip
    assert_says(row(rs.ols("score ~ sys", stacked, groups="doc").fit(), "sys[T.C]"), right)
    absorbed = rs.ols("score ~ sys", stacked, groups="doc", absorb="q").fit()
    assert_says(row(absorbed, "sys[T.C]"), right)
    gaussian = rs.glm("score ~ sys", stacked, groups="doc").fit()
    assert_says(contrast(gaussian.t_test("sys[T.C] = 0")), right)


def test_b30_unpaired_test_on_paired_data_from_arrays():
    right, wide = expected("B30")["diffAC"], _pairs()
    difference = (wide["C"] - wide["A"]).to_numpy()
    results = rs.OLS(difference, np.ones(len(wide)), groups=wide["doc"].to_numpy()).fit()
    assert_says(row(results, "const"), right)
    mean = rs.micro_mean("d", wide.assign(d=difference), groups="doc")
    assert_allclose([mean.estimate, mean.se, mean.df], [right[k] for k in ("est", "se", "df")],
                    rtol=RTOL)  # fmt: skip


def test_b30_unpaired_test_on_paired_data_with_unmatched_queries():
    frame = systems()
    with pytest.raises(rs.DataError, match="2 queries have a score of only one of 'C' and 'A'"):
        rs.compare(frame, score="score", system="sys", doc="doc", query="q", estimand="micro",
                   systems=["A", "C"])  # fmt: skip
    wide = frame.pivot(index="q", columns="sys", values="score").assign(doc=list("pppqrs"))
    paired = rs.ols("I(C - A) ~ 1", wide, groups="doc").fit()
    compared = _compare(frame, systems=["A", "C"], baseline="A").differences.iloc[0]
    assert_allclose([compared["estimate"], compared["se"], compared["df"]],
                    [paired.params.iloc[0], paired.bse.iloc[0], paired.df_inference.iloc[0]],
                    rtol=1e-12)  # fmt: skip
    assert paired.n_dropped == 2  # the queries that C lacks
