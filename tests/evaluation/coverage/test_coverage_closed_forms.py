"""The vectorised closed forms are those of the package, sample by sample."""

import numpy as np
import pandas as pd
import pytest

import ragstats as rs
from ragstats.evaluation.coverage import variances
from ragstats.evaluation.coverage.designs import Plan, draw
from ragstats.evaluation.coverage.evaluate import interval_limits
from ragstats.evaluation.coverage.methods import METHODS, Ask, method
from ragstats.evaluation.coverage.population import population_of
from ragstats.evaluation.coverage.sample import Ratio, Sample
from ragstats.evaluation.documents import DocumentTable
from ragstats.exceptions import DataError

pytestmark = pytest.mark.filterwarnings("ignore::ragstats.RagstatsWarning")  # flat samples

#: Sums in another order: a few hundred eps on numbers of order 1.
ROUNDING = {"rel": 1e-12, "abs": 1e-12}
#: A df amplifies the rounding of the variance components by its distance from their bounds, and a
#: t quantile at few df that of the df.
QUANTILE = {"rel": 1e-10, "abs": 1e-10}
M = 1300


@pytest.fixture(scope="module")
def corpora():
    scores = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    one = scores[scores["system"] == "bm25"]
    pair = {"system": "system", "query": "query_id", "baseline": "tfidf"}
    return {
        "0/1": population_of(one, score="doc_hit_at_1", doc="doc_id"),
        "unit": population_of(one, score="rr", doc="doc_id"),
        "difference": population_of(scores, score="hit_at_1", doc="doc_id", **pair),
    }


def tables(sample):
    """Return the table of each sample, as a user would have it."""
    for n, s, ss in zip(sample.n, sample.s, sample.ss, strict=True):
        frame = pd.DataFrame({"doc": np.arange(len(n)), "n": n, "s": s, "ss": ss})
        yield DocumentTable.from_frame(frame, doc="doc", ss="ss")


def drawn(population, documents, *, size=6, correct=False, seed=5):
    plan = Plan("srs", documents, correct=correct, allocation=(documents,))
    return draw(plan, population, np.random.default_rng(seed), size)


#: Method → (options of the mean, name of its interval).
SAME = {
    "cr1": ({"cov_type": "CR1", "df": "K-1"}, "t"),
    "cr2": ({}, "t"),
    "cr2-ik": ({"df": "IK"}, "t"),
    "cr3": ({"cov_type": "CR3", "df": "K-1"}, "t"),
    "korn-graubard": ({}, "korn-graubard"),
    "logit": ({}, "logit"),
    "clip": ({}, "clip"),
    "iid": ({}, "iid"),
    "n_eff": ({}, "n_eff"),
}


@pytest.mark.parametrize("corpus", ["0/1", "unit", "difference"])
@pytest.mark.parametrize("estimand", ["micro", "macro"])
@pytest.mark.parametrize("documents", [2, 5, 20])
def test_intervals_are_those_of_the_mean(corpora, corpus, estimand, documents):
    population = corpora[corpus]
    fits = {"any": {"any"}, "unit": {"any", "unit"}, "binary": {"any", "unit", "binary"}}
    sample = drawn(population, documents)
    chosen = [
        method(name) for name in SAME
        if estimand in METHODS[name].estimands and METHODS[name].scores in fits[population.kind]
    ]  # fmt: skip
    ratio, limits = interval_limits(sample, estimand, chosen, Ask(0.1))
    compared = 0
    for r, table in enumerate(tables(sample)):
        for row in chosen:
            options, name = SAME[row.name]
            mean = getattr(table, estimand)(**options)
            assert ratio.estimate[r] == pytest.approx(mean.estimate, **ROUNDING)
            found = limits[row.name]
            if not found.available[r]:
                continue
            known = mean.interval(name, alpha=0.1)
            tolerance = QUANTILE if row.name == "cr2-ik" else ROUNDING
            assert (found.low[r], found.high[r]) == pytest.approx(
                (known.low, known.high), **tolerance
            )
            compared += 1
    assert compared >= len(chosen) * len(sample.n) / 2


CORRECTED = [
    (name, estimand)
    for name in ("cr1", "cr2", "cr3", "korn-graubard", "logit", "clip")
    for estimand in METHODS[name].estimands
]


@pytest.mark.parametrize(("name", "estimand"), CORRECTED)
def test_finite_population_correction_is_that_of_population(corpora, name, estimand):
    sample = drawn(corpora["0/1"], 60, size=3, correct=True)
    _, limits = interval_limits(sample, estimand, [method(name)], Ask(0.05))
    options, interval = SAME[name]
    for r, table in enumerate(tables(sample)):
        known = getattr(table, estimand)(population=M, **options).interval(interval)
        found = (limits[name].low[r], limits[name].high[r])
        assert found == pytest.approx((known.low, known.high), **ROUNDING)


def test_plain_mean_size_is_the_studys(corpora):
    """``n_eff-mean`` is n_eff with the mean size in the place of Σn²/N (the study's second rule)."""
    sample = drawn(corpora["0/1"], 20)
    _, limits = interval_limits(sample, "micro", [method("n_eff-mean"), method("iid")], Ask(0.05))
    for r, table in enumerate(tables(sample)):
        icc = table.diagnostics().icc
        effect = 1 + (sample.n[r].mean() - 1) * max(icc, 0.0)
        plain = limits["iid"].high[r] - limits["iid"].low[r]
        wide = limits["n_eff-mean"].high[r] - limits["n_eff-mean"].low[r]
        assert wide == pytest.approx(plain * np.sqrt(effect), **ROUNDING)


def rows_of(n, s, weights):
    """Return 0/1 rows with these sums."""
    doc = np.repeat(np.arange(len(n)), n.astype(int))
    first = np.concatenate([np.arange(k) for k in n.astype(int)])
    return pd.DataFrame({"y": (first < s[doc]).astype(float), "doc": doc, "w": weights[doc]})


@pytest.mark.parametrize("name", ["cr1", "cr2", "cr3"])
def test_weighted_forms_are_those_of_a_weighted_regression(corpora, name):
    """With weights constant in each document: ``rs.wls``, identity working model."""
    plan = Plan("two-stage", 12, queries=6, allocation=(12,))
    rows = population_of(
        rs.datasets.load_retrieval(systems="bm25"), score="doc_hit_at_1", doc="doc_id", rows=True
    )
    sample = draw(plan, rows, np.random.default_rng(3), 4)
    assert (sample.n <= 6).all()
    assert (sample.size > 6).any()
    spread = getattr(variances, name)(Ratio.of(sample, "micro"))
    for r in range(4):
        frame = rows_of(sample.n[r], sample.s[r], sample.size[r] / sample.n[r])
        model = rs.wls("y ~ 1", frame, groups="doc", weights="w")
        df = "satterthwaite" if name == "cr2" else "K-1"
        fit = model.fit(cov_type=name.upper(), df=df)
        if name == "cr3":  # the general CR3 is that of inverse variances, as is its closed form
            fit = rs.wls("y ~ 1", frame, groups="doc", weights="w", working="inverse_var").fit(
                cov_type="CR3", df=df
            )
        assert spread.se[r] == pytest.approx(fit.bse.iloc[0], **ROUNDING)
        assert spread.df[r] == pytest.approx(fit.df_inference.iloc[0], **ROUNDING)


@pytest.mark.parametrize("correct", [True, False])
def test_stratified_variance_is_that_of_ratio_mean(corpora, correct):
    scores = rs.datasets.load_retrieval(systems="bm25")
    band = np.where(scores["doc_chunks"] > 30, "large", "small")
    population = population_of(
        scores.assign(band=band), score="doc_hit_at_1", doc="doc_id", strata="band"
    )
    plan = Plan("stratified", 14, correct=correct, allocation=(6, 8))
    sample = draw(plan, population, np.random.default_rng(8), 5)
    sizes = dict(zip(population.names, np.bincount(population.strata), strict=True))
    ratio, limits = interval_limits(sample, "micro", [method("survey")], Ask(0.05))
    for r, table in enumerate(tables(sample)):
        frame = table.frame.assign(band=["large"] * 6 + ["small"] * 8)
        known = rs.ratio_mean(frame, strata="band", population=sizes)
        assert ratio.estimate[r] == pytest.approx(known.estimate, **ROUNDING)
        if correct:
            low, high = np.asarray(known.conf_int()).ravel()
            found = limits["survey"].low[r], limits["survey"].high[r]
            assert found == pytest.approx((low, high), **ROUNDING)
        else:
            larger = {name: size * 10**9 for name, size in sizes.items()}
            known = rs.ratio_mean(frame, strata="band", population=larger)
            # 1 - K/M is 1 - 1e-11 there.
            assert variances.linearized(ratio).se[r] == pytest.approx(known.se, rel=1e-10)


def test_stratified_macro_is_the_stratified_mean(corpora):
    """Cochran (1977), eq. 5.1 and 5.7, by hand."""
    rng = np.random.default_rng(2)
    n = rng.integers(1, 9, (3, 7)).astype(float)
    s = rng.binomial(n.astype(int), 0.4).astype(float)
    weight = np.array([20 / 3] * 3 + [80 / 4] * 4)
    remaining = np.array([1 - 3 / 20] * 3 + [1 - 4 / 80] * 4)
    sample = Sample(n, s, s, n, weight, (slice(0, 3), slice(3, 7)), remaining, simple=False)
    ratio = Ratio.of(sample, "macro")
    spread = variances.linearized(ratio)
    rates = s / n
    parts = (rates[:, :3], 0.2, 1 - 3 / 20), (rates[:, 3:], 0.8, 1 - 4 / 80)
    estimate = sum(share * part.mean(axis=1) for part, share, _ in parts)
    variance = sum(
        share**2 * left * part.var(axis=1, ddof=1) / part.shape[1] for part, share, left in parts
    )
    assert ratio.estimate == pytest.approx(estimate, **ROUNDING)
    assert spread.variance == pytest.approx(variance, **ROUNDING)
    assert (spread.df == 5).all()


@pytest.mark.parametrize("correct", [True, False])
def test_two_stage_variance_is_that_of_survey_design(corpora, correct):
    rows = population_of(
        rs.datasets.load_retrieval(systems="bm25"), score="doc_hit_at_1", doc="doc_id", rows=True
    )
    plan = Plan("two-stage", 10, correct=correct, queries=4, allocation=(10,))
    sample = draw(plan, rows, np.random.default_rng(4), 4)
    spread = variances.linearized(Ratio.of(sample, "micro"))
    for r in range(4):
        frame = rows_of(sample.n[r], sample.s[r], np.ones(10))
        frame["query"] = np.arange(len(frame))
        frame["M"], frame["C"] = M, sample.size[r][frame["doc"]]
        ids, fpc = ["doc", "query"], ["M", "C"]
        if not correct:  # with replacement: the first stage alone, from a population without end
            ids, fpc = ["doc"], None
            frame["w"] = frame["C"] / sample.n[r][frame["doc"]]
            known = rs.SurveyDesign(frame, ids=ids, weights="w").mean("y")
        else:
            known = rs.SurveyDesign(frame, ids=ids, fpc=fpc).mean("y")
        assert spread.se[r] == pytest.approx(known.se, **ROUNDING)
        assert spread.df[r] == known.df


def test_two_stage_macro_adds_the_variance_within(corpora):
    """``(1 - K/M) s²_r/K + Σ (1 - c/C) s²_d/c / (K M)`` (Cochran, 1977, section 10.3)."""
    rows = population_of(
        rs.datasets.load_retrieval(systems="bm25"), score="rr", doc="doc_id", rows=True
    )
    plan = Plan("two-stage", 15, correct=True, queries=3, allocation=(15,))
    sample = draw(plan, rows, np.random.default_rng(4), 3)
    spread = variances.linearized(Ratio.of(sample, "macro"))
    inside = (sample.ss - sample.s**2 / sample.n) / np.maximum(sample.n - 1, 1)
    within = ((1 - sample.n / sample.size) * inside / sample.n).sum(axis=1) / (15 * M)
    between = (1 - 15 / M) * sample.rates.var(axis=1, ddof=1) / 15
    assert spread.variance == pytest.approx(between + within, **ROUNDING)


def test_documents_that_do_not_vary_have_no_interval():
    n = np.array([[1.0, 2, 3], [1, 2, 3], [2, 2, 2]])
    s = np.array([[1.0, 2, 3], [0, 0, 0], [1, 1, 1]])
    chosen = [method(m) for m in ("cr1", "cr2", "cr2-ik", "cr3", "logit", "clip", "iid", "n_eff")]
    _, limits = interval_limits(Sample.of(n, s, s), "micro", chosen, Ask(0.05))
    for name in ("cr1", "cr2", "cr2-ik", "cr3", "clip"):
        assert not limits[name].available.any()
        assert limits[name].low == pytest.approx([1, 0, 0.5])
        assert (limits[name].low == limits[name].high).all()
    # The logit is infinite at 0 and 1; rows do vary in the last sample.
    assert np.isnan(limits["logit"].low).tolist() == [True, True, False]
    assert limits["iid"].available.tolist() == [False, False, True]
    assert limits["n_eff"].available.tolist() == [False, False, True]


def test_korn_graubard_always_has_an_interval():
    n = np.array([[1.0, 2, 3], [1, 2, 3], [2, 2, 2]])
    s = np.array([[1.0, 2, 3], [0, 0, 0], [1, 1, 1]])
    _, limits = interval_limits(Sample.of(n, s, s), "micro", [method("korn-graubard")], Ask(0.05))
    found = limits["korn-graubard"]
    assert found.available.all()
    assert (found.high - found.low > 0.3).all()
    # n_eff = K = 3 and all hits: Clopper-Pearson, (α/2)^(1/3)
    assert (found.low[0], found.high[0]) == pytest.approx((0.025 ** (1 / 3), 1.0))


def test_one_query_a_document_has_no_intraclass_correlation():
    n = np.ones((1, 6))
    s = np.array([[1.0, 0, 1, 1, 0, 0]])
    _, limits = interval_limits(Sample.of(n, s, s), "micro", [method("n_eff")], Ask(0.05))
    assert np.isnan(limits["n_eff"].low[0])
    assert not limits["n_eff"].available[0]


def test_unit_of_the_scores_changes_nothing(corpora):
    sample = drawn(corpora["difference"], 8, size=40)
    small = Sample.of(sample.n, sample.s * 1e-9, sample.ss * 1e-18)
    chosen = [row for row in METHODS.values() if row.needs == "closed" and row.scores == "any"]
    chosen = [row for row in chosen if "micro" in row.estimands and "srs" in row.designs]
    _, plain = interval_limits(sample, "micro", chosen, Ask(0.05))
    _, scaled = interval_limits(small, "micro", chosen, Ask(0.05))
    for name, limits in plain.items():
        assert (limits.available == scaled[name].available).all()
        assert scaled[name].low * 1e9 == pytest.approx(limits.low, rel=1e-9, abs=1e-12, nan_ok=True)


def test_table_is_whole():
    assert len(METHODS) == 16
    for name, row in METHODS.items():
        assert row.name == name
        assert len(row.label) <= 26
        assert len(row.macro_label) <= 26
    with pytest.raises(ValueError, match=r"methods='boot' is unknown \(did you mean"):
        method("boot")
    assert method("t") is METHODS["cr2"]
    with pytest.raises(ValueError, match="rng=None"):
        interval_limits(Sample.of(*np.ones((3, 1, 2))), "micro", [method("bca")], Ask(0.05))
    assert issubclass(DataError, ValueError)
