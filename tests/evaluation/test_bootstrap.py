"""Bootstraps of means and of contrasts: the source's numbers, rows, seeds, and what is said."""

import json

import numpy as np
import pandas as pd
import pytest

import ragstats as rs
from ragstats.evaluation.bootstrap import METHODS, bootstrap
from ragstats.evaluation.wild_bootstrap import wild_bootstrap
from ragstats.exceptions import DataError, RagstatsWarning


@pytest.fixture(scope="module")
def scores():
    return rs.datasets.load_retrieval(systems="bm25")


@pytest.fixture(scope="module")
def eight():
    return rs.datasets.load_eight_documents()


def sampled(scores, k):
    """k of the documents, every one of whose rates occurs."""
    chosen = np.random.default_rng(0).choice(scores["doc_id"].unique(), k, replace=False)
    return scores[scores["doc_id"].isin(chosen)]


# ---- the source text's numbers ---------------------------------------------------------------


def published_limits(df):
    """The published code, from the aggregation to the limits of its macro bootstrap-t."""
    g = df.groupby("doc_id")["hit"].agg(n="size", s="sum")
    n, s = g["n"].to_numpy(float), g["s"].to_numpy(float)
    K = len(n)
    r = s / n
    se_macro = r.std(ddof=1) / np.sqrt(K)
    rng = np.random.default_rng(1)
    rb = r[rng.integers(0, K, (9999, K))]
    sd = rb.std(1, ddof=1)
    degenerate_fraction = np.mean(sd == 0)
    tb = (rb.mean(1)[sd > 0] - r.mean()) / (sd[sd > 0] / np.sqrt(K))
    lo, hi = np.quantile(tb, [0.025, 0.975])
    return (r.mean() - hi * se_macro, r.mean() - lo * se_macro), degenerate_fraction


@pytest.mark.parametrize("k", [20, 80, 400])
def test_the_published_bootstrap_t(scores, k):
    df = sampled(scores, k).rename(columns={"rr": "hit"})
    limits, degenerate = published_limits(df)
    b = rs.documents(df, doc="doc_id", score="hit")
    b = bootstrap(b, estimand="macro", method="t", n_boot=9999, seed=1)
    # the same draws; means of up to 400 rates
    assert (b.low, b.high) == pytest.approx(limits, rel=1e-12)
    assert b.degenerate_fraction == degenerate == 0
    assert (b.n_boot, b.n_discarded, b.n_documents) == (9999, 0, k)


def test_the_published_bootstrap_t_of_published_zeros(scores):
    # hits of documents of which many have rate 0 exactly: std is then exactly 0 there too
    df = sampled(scores, 5)
    df = df.assign(hit=(df["doc_id"] == df["doc_id"].iloc[0]).astype(float))
    limits, degenerate = published_limits(df)
    table = rs.documents(df, doc="doc_id", score="hit")
    b = bootstrap(table, estimand="macro", seed=1)
    assert (b.low, b.high) == pytest.approx(limits, rel=1e-12)
    assert b.degenerate_fraction == degenerate > 0.3
    assert b.n_discarded == round(degenerate * 9999)


def test_micro_bootstrap_t_equals_brute_force_over_rows(eight):
    # Every replicate is built row by row, a document that is drawn twice as two documents.
    ids = np.sort(eight["doc"].unique())
    rng = np.random.default_rng(7)
    parts = {i: eight.loc[eight["doc"] == i, "d"].to_numpy() for i in ids}

    def micro(documents):
        n = np.array([len(d) for d in documents])
        s = np.array([d.sum() for d in documents])
        rate, k = s.sum() / n.sum(), len(n)
        return rate, np.sqrt(k / (k - 1) * ((s - rate * n) ** 2).sum()) / n.sum()

    rate, se = micro([parts[i] for i in ids])
    draws = rng.integers(0, 8, (400, 8))
    drawn = [micro([parts[ids[j]] for j in row]) for row in draws]
    t = np.array([(a - rate) / b for a, b in drawn])
    low, high = np.quantile(t, [0.025, 0.975])
    b = bootstrap(rs.documents(eight, doc="doc", score="d"), estimand="micro", n_boot=400, seed=7)
    assert (b.low, b.high) == pytest.approx((rate - high * se, rate - low * se), rel=1e-12)
    np.testing.assert_allclose(b.replicates, [a for a, _ in drawn], rtol=1e-12)
    assert b.se == pytest.approx(np.std([a for a, _ in drawn], ddof=1), rel=1e-12)


def test_duplicates_count_twice():
    # 40 documents of 5 rows; sqrt(sum (m_g - m)²)/G, not the one without duplicates (.0255).
    df = pd.DataFrame({"doc": np.repeat(np.arange(40), 5)})
    df["score"] = 0.5 + 0.3 * np.sin(df.doc * 1.7) + 0.1 * np.cos(np.arange(200) * 2.3)
    table = rs.documents(df, doc="doc", score="score")
    for estimand in ("micro", "macro"):
        b = bootstrap(table, estimand=estimand, method="percentile", seed=1)
        assert b.estimate == pytest.approx(0.505509914790663, rel=1e-12)
        # 9,999 replicates: the SE of the SE is 0.7%; asked are 5%
        assert b.se == pytest.approx(0.03317725363187272, rel=0.03)


# ---- degenerate and constant ------------------------------------------------------------------


def test_the_degenerate_fraction_of_many_equal_rates():
    # 12 documents, 10 without a hit: (10/12)^12 + 2/12^12; binomial noise, 5 standard errors.
    frame = pd.DataFrame({"doc": range(12), "n": [3, 7] * 6, "s": [0] * 10 + [1, 2]})
    table = rs.DocumentTable.from_frame(frame, doc="doc", binary=True)
    share = (10 / 12) ** 12 + 2 / 12**12
    noise = np.sqrt(share * (1 - share) / 9999)
    for estimand in ("micro", "macro"):
        b = bootstrap(table, estimand=estimand, seed=3)
        assert abs(b.degenerate_fraction - share) < 5 * noise
        drawn = np.random.default_rng(3).integers(0, 12, (9999, 12))
        assert b.n_discarded == np.count_nonzero((drawn < 10).all(axis=1))
        p = bootstrap(table, estimand=estimand, method="percentile", seed=3)
        assert (p.n_discarded, p.degenerate_fraction) == (0, b.degenerate_fraction)


@pytest.mark.parametrize("estimand", ["micro", "macro"])
@pytest.mark.parametrize("method", METHODS)
def test_constant_scores_have_no_width_or_a_reason(method, estimand):
    df = pd.DataFrame({"doc": list("aaabbccccdee"), "score": 1.0})
    table = rs.documents(df, doc="doc", score="score")
    with pytest.warns(RagstatsWarning, match="do not vary between documents"):
        b = bootstrap(table, estimand=estimand, method=method, n_boot=99, seed=1)
    assert (b.estimate, b.se) == (1, 0)
    assert np.isnan(b.pvalue)
    if method in ("percentile", "bca"):
        assert (b.low, b.high) == (1, 1)
        assert any("do not vary" in note for note in b.notes)
    else:
        assert np.isnan([b.low, b.high]).all()
        assert "do not vary" in b.reason
        assert "NaN: the scores do not vary" in b.summary()


@pytest.mark.parametrize("value", [0.1, 0.0, 1 / 3])
def test_constant_scores_that_round(value):
    # Sums of 0.1 over 1 to 30 rows differ from n/10 by rounding; no interval may come of that.
    df = pd.DataFrame({"doc": np.repeat(np.arange(10), range(1, 30, 3)), "score": value})
    table = rs.documents(df, doc="doc", score="score")
    with pytest.warns(RagstatsWarning, match="do not vary"):
        b = bootstrap(table, estimand="macro", method="percentile", n_boot=99, seed=1)
    assert b.low == b.high == b.estimate == pytest.approx(value, rel=1e-15)
    assert (b.se, b.degenerate_fraction) == (0, 1)


def test_all_replicates_degenerate_is_an_error():
    frame = pd.DataFrame({"doc": range(40), "n": 2, "s": [0] * 39 + [1]})
    table = rs.DocumentTable.from_frame(frame, doc="doc", binary=True)
    seed = next(s for s in range(99) if np.random.default_rng(s).integers(0, 40, 40).max() < 39)
    with pytest.raises(DataError, match="n_boot=1: every replicate is degenerate"):
        bootstrap(table, estimand="macro", n_boot=1, seed=seed)


def test_bca_says_when_it_falls_back():
    frame = pd.DataFrame({"doc": range(3), "n": 1, "s": [0.0, 0, 1]})
    table = rs.DocumentTable.from_frame(frame, doc="doc")
    seed = next(  # replicates that never draw the last document: all below the estimate
        s for s in range(9999) if (np.random.default_rng(s).integers(0, 3, (3, 3)) < 2).all()
    )
    with pytest.warns(RagstatsWarning, match="bca: BCa is at a boundary"):
        b = bootstrap(table, estimand="macro", method="bca", n_boot=3, seed=seed)
    assert (b.low, b.high) == (0, 0)


# ---- the same numbers ------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["t", "bca"])
def test_workers_change_nothing(scores, method):
    table = rs.documents(scores, doc="doc_id", score="hit_at_1")
    one, two = (
        bootstrap(table, estimand="micro", method=method, n_boot=2000, seed=5, n_jobs=n)
        for n in (1, 2)
    )  # 1,300 documents: three batches; the same sums, so no tolerance
    assert (one.low, one.high, one.se) == (two.low, two.high, two.se)
    assert np.array_equal(one.replicates, two.replicates)


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_rows_changes_nothing(eight, method):
    shuffled = eight.sample(frac=1, random_state=1)
    one, two = (
        bootstrap(
            rs.documents(df, doc="doc", score="d"),
            estimand="micro",
            method=method,
            n_boot=500,
            seed=1,
        )
        for df in (eight, shuffled)
    )  # sums of up to 60 scores in another order
    assert (one.low, one.high) == pytest.approx((two.low, two.high), rel=1e-9)
    aggregates = rs.documents(eight, doc="doc", score="d").frame.iloc[::-1]
    table = rs.DocumentTable.from_frame(aggregates, doc="doc", ss="ss")
    three = bootstrap(table, estimand="micro", method=method, n_boot=500, seed=1)
    assert (one.low, one.high) == (three.low, three.high)  # the same sums


def test_a_generator_continues_and_a_seed_repeats(eight):
    table = rs.documents(eight, doc="doc", score="d")
    rng = np.random.default_rng(1)
    first, second = (bootstrap(table, estimand="micro", n_boot=200, seed=rng) for _ in range(2))
    again = bootstrap(table, estimand="micro", n_boot=200, seed=1)
    assert (first.low, first.high) == (again.low, again.high) != (second.low, second.high)
    assert again.seed == "numpy default_rng(1)"
    assert first.seed == "a Generator that was given"


def test_a_paired_difference_is_bootstrapped_from_its_aggregates():
    scores = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    c = rs.compare(
        scores, score="hit_at_1", system="system", doc="doc_id", query="query_id",
        baseline="bm25", estimand="macro",
    )  # fmt: skip
    mean = c.results["tfidf", "bm25"]
    b = bootstrap(mean, estimand="macro", n_boot=999, seed=1)
    wide = scores.pivot_table(index=["doc_id", "query_id"], columns="system", values="hit_at_1")
    rates = (wide["tfidf"] - wide["bm25"]).groupby("doc_id").mean().to_numpy()
    drawn = rates[np.random.default_rng(1).integers(0, 1300, (999, 1300))]
    t = (drawn.mean(1) - rates.mean()) / (drawn.std(1, ddof=1) / np.sqrt(1300))
    low, high = np.quantile(t, [0.025, 0.975])
    se = rates.std(ddof=1) / np.sqrt(1300)
    expected = (rates.mean() - high * se, rates.mean() - low * se)
    assert (b.low, b.high) == pytest.approx(expected, rel=1e-11)  # means of 1,300 rates


# ---- strata ----------------------------------------------------------------------------------


def test_strata_are_resampled_on_their_own(scores):
    df = sampled(scores, 60)
    df = df.assign(band=np.where(df["doc_chunks"] > 20, "large", "small"))
    table = rs.documents(df, doc="doc_id", score="rr", keep=["band"])
    b = bootstrap(table, estimand="macro", n_boot=4000, seed=1, strata="band")
    rates, band = table.rates, table.frame["band"].to_numpy()
    sizes = {h: np.count_nonzero(band == h) for h in ("large", "small")}
    # Draws within strata: Var* = Σ_h (K_h/K)² s²_h (K_h - 1)/K_h² in closed form; the SE of an SE
    # from 4,000 replicates is 1.1%, and 4 of them are allowed.
    variance = sum((sizes[h] / 60) ** 2 * rates[band == h].var() / sizes[h] for h in sizes)
    assert b.se == pytest.approx(np.sqrt(variance), rel=0.045)
    assert b.method == "bootstrap-t, CR1, 2 strata"
    by_values = bootstrap(table, estimand="macro", n_boot=4000, seed=1, strata=band == "small")
    assert (b.low, b.high) == (by_values.low, by_values.high)


def test_one_stratum_is_none(eight):
    table = rs.documents(eight, doc="doc", score="d")
    one, none = (
        bootstrap(table, estimand="micro", n_boot=300, seed=1, strata=s) for s in (["x"] * 8, None)
    )
    assert (one.low, one.high) == (none.low, none.high)


def test_strata_that_differ_only_between_them_do_not_vary():
    frame = pd.DataFrame({"doc": range(6), "n": 2, "s": [0, 0, 0, 1, 1, 1], "h": list("aaabbb")})
    table = rs.DocumentTable.from_frame(frame, doc="doc", keep=["h"], binary=True)
    with pytest.warns(RagstatsWarning, match="do not vary"):
        b = bootstrap(table, estimand="macro", n_boot=50, seed=1, strata="h")
    assert np.isnan(b.low)
    assert (b.se, b.degenerate_fraction) == (0, 1)


# ---- wild ------------------------------------------------------------------------------------


def test_the_wild_bootstrap_of_the_eight_documents(eight):
    table = rs.documents(eight, doc="doc", score="d")
    b = bootstrap(table, estimand="micro", method="wild", seed=None)
    # published to three digits; p is a share of 256 sign vectors
    assert (round(b.low, 3), round(b.high, 3)) == (-0.157, 0.190)
    assert b.pvalue == 44 / 256
    assert (b.n_boot, b.seed) == (256, "none: nothing is random")
    mean = rs.micro_mean("d", eight, groups="doc", cov_type="CR1")
    assert b.se == pytest.approx(mean.se, rel=1e-12)
    again = wild_bootstrap(mean, "Intercept = 0")
    assert (b.low, b.high, b.pvalue) == (again.low, again.high, again.pvalue)


def test_a_paired_design_has_one_wild_answer(eight):
    # Differences on a constant, or scores on the system: the same scores by document, up to a
    # factor, so the same t* but for rounding.
    long = pd.concat([eight.assign(y=eight[s], system=s) for s in ("a", "b")])
    stacked = rs.ols("y ~ system", long, groups="doc").fit()
    b = wild_bootstrap(stacked, "system[T.b] = 0")
    single = wild_bootstrap(rs.micro_mean("d", eight, groups="doc"), np.ones(1))
    assert b.pvalue == single.pvalue
    assert (b.low, b.high) == pytest.approx((single.low, single.high), rel=1e-8)
    assert b.label == "system[T.b] = 0"
    assert single.label == "Intercept = 0"


def test_macro_is_wild_on_the_rates(eight):
    # Macro is the mean of the documents' rates: one row a document, by hand.
    rates = eight.groupby("doc")["d"].mean().to_numpy()
    b = wild_bootstrap(rs.macro_mean("d", eight, groups="doc"), "Intercept = 0")
    signs = np.array([[(i >> j & 1) * 2 - 1 for j in range(8)] for i in range(256)])
    star = signs * rates  # under the null the rates are residuals
    t = star.mean(axis=1) / (star.std(axis=1, ddof=1) / np.sqrt(8))
    observed = rates.mean() / (rates.std(ddof=1) / np.sqrt(8))
    assert b.pvalue == np.mean(np.abs(t) >= abs(observed) * (1 - 1e-9))
    cr2 = wild_bootstrap(rs.macro_mean("d", eight, groups="doc"), "Intercept = 0", studentize="CR2")
    assert cr2.pvalue == b.pvalue  # with equal weights CR2 is CR1


def test_absorbed_effects_are_dummies(eight):
    small = eight[eight.groupby("doc")["d"].transform("size") <= 13]
    long = pd.concat([small.assign(y=small[s], system=float(s == "b")) for s in ("a", "b")])
    long["x"] = np.sin(np.arange(len(long)) * 1.3)
    absorbed = rs.ols("y ~ system + x", long, groups="doc", absorb=["qid"]).fit()
    with pytest.warns(RagstatsWarning, match="cannot be estimated without one document"):
        dummies = rs.ols("y ~ system + x + C(qid)", long, groups="doc").fit()
    for hypothesis in ("system = 0", "x = 0.1"):
        one, two = (wild_bootstrap(r, hypothesis) for r in (absorbed, dummies))
        assert one.pvalue == two.pvalue
        # a projection against a QR of 34 columns
        assert (one.low, one.high) == pytest.approx((two.low, two.high), rel=1e-7)


def test_value_alternative_scheme_and_random_weights(eight):
    r = rs.micro_mean("d", eight, groups="doc")
    at_limit = wild_bootstrap(r, "Intercept = 0.3", alternative="smaller")
    assert (at_limit.low, at_limit.method) == (
        -np.inf,
        "wild, WCR, all 256 sign vectors, CR1, smaller",
    )
    assert wild_bootstrap(r, ([[1.0]], 0.3), alternative="smaller").pvalue == at_limit.pvalue
    webb = wild_bootstrap(r, "Intercept = 0", weights="webb", n_boot=999, seed=1)
    assert webb.method == "wild, WCR, webb, CR1, two-sided"
    again = wild_bootstrap(r, "Intercept = 0", weights="webb", n_boot=999, seed=1, n_jobs=2)
    assert (webb.pvalue, webb.low) == (again.pvalue, again.low)
    assert webb.pvalue * 1000 == pytest.approx(round(webb.pvalue * 1000), abs=1e-9)
    free = wild_bootstrap(r, "Intercept = 0", scheme="WCU")
    assert free.low + free.high == pytest.approx(2 * r.estimate, rel=1e-8)  # symmetric
    assert free.pvalue == 1 / 256  # no t* but the sample's own reaches t


def test_what_wild_refuses(eight):
    r = rs.ols("d ~ a", eight, groups="doc").fit()
    with pytest.raises(
        ValueError, match="has 2 rows, 2 of them not 0; the wild bootstrap tests one"
    ):
        wild_bootstrap(r, "a = 0, Intercept = 0")
    with pytest.raises(ValueError, match="scheme='WCX' is unknown"):
        wild_bootstrap(r, "a = 0", scheme="WCX")
    with pytest.raises(ValueError, match="alternative='greater' is unknown"):
        wild_bootstrap(r, "a = 0", alternative="greater")
    with pytest.raises(ValueError, match="r_matrix='b = 0'"):
        wild_bootstrap(r, "b = 0")
    with pytest.raises(TypeError, match="results is a DataFrame; the wild bootstrap needs a least"):
        wild_bootstrap(eight, "a = 0")
    logit = rs.glm("a01 ~ 1", eight, groups="doc", family=sm_binomial()).fit()
    with pytest.raises(TypeError, match="the wild bootstrap needs a least-squares fit"):
        wild_bootstrap(logit, "Intercept = 0")
    weighted = rs.wls("d ~ a", eight.assign(w=1 + eight["a01"]), groups="doc", weights="w").fit()
    with pytest.raises(ValueError, match="studentize='CR2' with weights needs a CR2 fit"):
        wild_bootstrap(weighted, "a = 0", studentize="CR2")
    assert 0 < wild_bootstrap(weighted, "a = 0").pvalue <= 1


def sm_binomial():
    import statsmodels.api as sm

    return sm.families.Binomial()


def test_a_coefficient_that_needs_one_document_says_so(eight):
    alone = eight.assign(only=(eight["docid"] == 7).astype(float))
    with pytest.warns(RagstatsWarning, match="cannot be estimated without one document: only"):
        r = rs.ols("d ~ only", alone, groups="doc").fit()
    with pytest.warns(RagstatsWarning, match="only = 0: cannot be estimated without document"):
        b = wild_bootstrap(r, "only = 0")
    assert b.notes == ("cannot be estimated without document 'doc7'",)


def test_constant_scores_have_no_wild_test():
    df = pd.DataFrame({"doc": list("aaabbccccdee"), "y": 1.0, "x": np.arange(12.0)})
    with pytest.warns(RagstatsWarning, match="the scores do not vary"):
        r = rs.ols("y ~ x", df, groups="doc").fit()
    with pytest.warns(RagstatsWarning, match="x = 0: the scores do not vary between documents"):
        b = wild_bootstrap(r, "x = 0")
    assert np.isnan([b.low, b.high, b.pvalue]).all()
    assert b.se == 0


# ---- the result and the arguments ------------------------------------------------------------


def test_the_result_tells_what_it_is(eight):
    table = rs.documents(eight, doc="doc", score="d")
    b = bootstrap(table, estimand="micro", n_boot=199, seed=1, alpha=0.1)
    interval = b.conf_int()
    assert interval.index.tolist() == ["d"]
    assert interval.to_numpy().tolist() == [[b.low, b.high]]
    stored = json.loads(json.dumps(b.to_dict()))
    back = rs.DocumentTable.from_frame(
        pd.DataFrame(stored["aggregates"]["columns"]), doc="doc", ss="ss", score="d"
    )
    again = bootstrap(back, estimand=stored["estimand"], n_boot=stored["n_boot"], seed=1, alpha=0.1)
    assert (again.low, again.high) == (stored["low"], stored["high"])
    text = b.summary()
    for part in (
        "bootstrap-t, CR1",
        "micro",
        "90% interval",
        "199, 0 discarded (0.0000% degenerate)",
        "default_rng(1)",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_population_is_not_forgotten(eight):
    mean = rs.macro_mean("d", eight, groups="doc", population=20)
    b = bootstrap(mean, estimand="macro", n_boot=99, seed=1)
    assert b.notes == ("no finite population correction: the draws leave population=20 out",)
    with pytest.raises(ValueError, match="estimand='micro': the mean that was given is macro"):
        bootstrap(mean, estimand="micro", n_boot=99, seed=1)


def test_progress_goes_to_the_caller(eight, capsys):
    table = rs.documents(eight, doc="doc", score="d")
    said = []
    bootstrap(table, estimand="micro", n_boot=99, seed=1, progress=lambda *done: said.append(done))
    assert said == [(99, 99)]
    bootstrap(table, estimand="micro", n_boot=99, seed=1)
    bootstrap(table, estimand="micro", n_boot=99, seed=1, progress=False)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
    bootstrap(table, estimand="micro", n_boot=99, seed=1, progress=True)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "bcs"}, r"method='bcs' is unknown \(did you mean 'bca'\?\)"),
        ({"estimand": "mean"}, "estimand='mean' is unknown"),
        ({"alpha": 95}, "alpha=95: give one minus the confidence level"),
        ({"n_boot": 0}, "n_boot=0: give a whole number"),
        ({"seed": None}, "seed=None: give an int"),
        ({"n_jobs": 0}, "n_jobs=0: give 1, 2"),
        ({"strata": "size"}, "strata='size' is not a column"),
        ({"strata": ["a", "b"]}, r"strata has 2 values; give one per document \(8\)"),
        ({"strata": list("aaaaaaab")}, "stratum 'b' has 1 document"),
        ({"strata": [*"aaaaaaa", None]}, "strata: 1 document has no stratum"),
        ({"strata": list("aaaabbbb"), "method": "wild"}, "strata= with method='wild'"),
    ],
)
def test_wrong_arguments_get_one_line(eight, options, message):
    table = rs.documents(eight, doc="doc", score="d")
    with pytest.raises((ValueError, DataError), match=message) as error:
        bootstrap(table, **{"estimand": "micro", "n_boot": 9, "seed": 1, **options})
    assert "\n" not in str(error.value)


def test_other_tables_are_refused(eight):
    with pytest.raises(TypeError, match=r"table is a DataFrame; give rs\.documents"):
        bootstrap(eight, estimand="micro", seed=1)
    long = pd.concat([eight.assign(y=eight[s], system=s) for s in ("a", "b")])
    several = rs.documents(long, doc="doc", score="y", by="system")
    with pytest.raises(ValueError, match="system is missing: the table has 2 systems"):
        bootstrap(several, estimand="micro", seed=1)
    one = rs.documents(eight[eight["doc"] == eight["doc"].iloc[0]], doc="doc", score="d")
    with pytest.raises(DataError, match="doc: 1 document, at least 2 needed"):
        bootstrap(one, estimand="micro", seed=1)
