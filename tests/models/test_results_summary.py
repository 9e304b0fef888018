"""What the summaries say: covariance type, working model, K, N, dropped rows, df of each row."""

import itertools

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from known_inputs import twelve, unscored
from statsmodels.iolib.summary2 import summary_col

import ragstats as rs
from ragstats.exceptions import RagstatsWarning

TYPES = ["CR0", "CR1", "CR1p", "CR1S", "CR2", "CR3"]
RULES = ["satterthwaite", "IK", "K-1", "K-p", "normal"]


def _data():
    frame = unscored()
    frame["sys"] = list("abbaabaababb")
    frame["w"] = np.arange(1.0, 13)
    frame["hit"] = (frame["score"] > 0.5).where(frame["score"].notna()).astype(float)
    return frame


DATA = _data()
FITS = {
    "OLS": lambda **o: rs.ols("score ~ sys + len", DATA, groups="doc").fit(**o),
    "macro": lambda **o: rs.ols("score ~ sys", DATA, groups="doc", estimand="macro").fit(**o),
    "WLS": lambda **o: rs.wls("score ~ sys", DATA, groups="doc", weights="w").fit(**o),
    "GLM": lambda **o: rs.glm("hit ~ len", DATA, groups="doc", family=sm.families.Binomial()).fit(
        **o
    ),
    "mean": lambda **o: rs.micro_mean("score", DATA, groups="doc", **o),
}


@pytest.mark.filterwarnings("ignore::ragstats.RagstatsWarning")
@pytest.mark.parametrize("fit", FITS)
def test_summaries_have_at_most_80_columns(fit):
    for cov_type, df in itertools.product(TYPES, RULES):
        if df == "IK" and fit not in ("OLS", "mean"):
            continue
        results = FITS[fit](cov_type=cov_type, df=df)
        for text in (str(results.summary()), str(results.summary2())):
            assert max(map(len, text.splitlines())) <= 80


def test_summaries_have_at_most_80_columns_for_names_of_the_shipped_data():
    scores = rs.datasets.load_retrieval()
    results = rs.ols("hit_at_1 ~ C(system) + np.log(chunk_words)", scores, groups="doc_id").fit()
    text = str(results.summary())
    assert max(map(len, text.splitlines())) <= 80
    assert max(map(len, str(results.summary2()).splitlines())) <= 80
    big = twelve().assign(score=lambda d: d["score"] * 1e9)
    text = str(rs.ols("score ~ len", big, groups="doc").fit().summary())
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("layout", ["summary", "summary2"])
def test_summaries_say_what_was_estimated_from_what(fit, layout):
    results = FITS[fit]()
    text = " ".join(str(getattr(results, layout)()).split())
    working = {"OLS": "independence", "macro": "inverse_var", "WLS": "identity",
               "GLM": "Binomial", "mean": "independence"}[fit]  # fmt: skip
    estimand = {"macro": "macro", "WLS": "weighted"}.get(fit, "micro")
    for said in ("CR2", "satterthwaite", "bias-reduced linearization", "2 of 12", working,
                 estimand, "Documents (K)", "Rows (N)",
                 "2 rows dropped: missing", "each coefficient has its own"):  # fmt: skip
        assert said in text, said
    table = results.coef_table()
    for value in (table["df"], table["P>|t|"]):
        assert f"{value.iloc[-1]:.1f}" in text or f"{value.iloc[-1]:.3f}" in text


@pytest.mark.parametrize("layout", ["summary", "summary2"])
def test_summaries_take_statsmodels_arguments(layout):
    results = FITS["OLS"]()
    names = ["one", "two", "three"]
    text = str(getattr(results, layout)(yname="Y", xname=names, title="The title", alpha=0.1))
    for said in ("Y", *names, "The title", "[0.05", "0.95]"):
        assert said in text
    with pytest.raises(ValueError, match="xname has 1 name for 3 coefficients"):
        getattr(results, layout)(xname=["one"])
    with pytest.raises(ValueError, match="alpha=95: give one minus the confidence level"):
        getattr(results, layout)(alpha=95)


def test_summaries_render_in_every_format():
    results = FITS["OLS"]()
    summary = results.summary()
    assert "satterthwaite" in summary.as_html()
    assert "satterthwaite" in summary.as_latex()
    assert "len" in summary.as_csv()
    assert "satterthwaite" in results.summary2().as_html()
    assert "satterthwaite" in results.summary2().as_latex()


def test_long_names_are_cut_in_the_header_and_whole_in_the_notes():
    name = "the_identifier_of_the_document"
    frame = twelve().rename(columns={"doc": name})
    results = rs.ols("I(score + 0.0000000001) ~ len", frame, groups=name).fit()
    text = str(results.summary())
    assert "the_identifier_of_t…" in text
    assert f"clustered by '{name}'" in " ".join(text.split())
    assert "Outcome: I(score + 0.0000000001)." in text


def test_aliased_and_missing_numbers_have_their_reason():
    frame = twelve().assign(type=list("pprrprprpspr"), twin=lambda d: (d["type"] == "p") * 1.0)
    with pytest.warns(RagstatsWarning) as said:
        results = rs.ols("score ~ 0 + type + twin", frame, groups="doc").fit()
    assert len(said) == 2  # once each
    assert all(str(w.filename) == __file__ for w in said)  # at the user's line
    text = " ".join(str(results.summary()).split())
    assert "Dropped as combinations of earlier columns: twin." in text
    assert "type[s]: NaN, because it rests on 1 document ('d')" in text


def test_fixed_rules_do_not_claim_a_df_of_each_coefficient():
    for df, said in (("K-1", "documents minus 1."), ("normal", "normal approximation.")):
        text = " ".join(str(FITS["OLS"](df=df).summary()).split())
        assert f"Degrees of freedom: {said}" in text


def test_coefficient_tables_are_frames():
    results = FITS["OLS"]()
    table = results.coef_table(alpha=0.2)
    assert list(table.columns) == ["coef", "std err", "t", "df", "P>|t|", "[0.1", "0.9]"]
    assert isinstance(table, pd.DataFrame)
    assert list(table.index) == list(results.params.index)
    np.testing.assert_allclose(table[["[0.1", "0.9]"]], results.conf_int(0.2))


def test_summary_col_sets_fits_side_by_side():
    fits = [FITS["OLS"](), FITS["macro"](), FITS["GLM"]()]
    text = summary_col(fits, stars=True, model_names=["one", "two", "three"]).as_text()
    for fit in fits:
        assert f"({fit.bse.iloc[0]:.4f})" in text
        assert f"{fit.params.iloc[0]:.4f}" in text


def test_a_macro_mean_has_the_summary_of_its_regression():
    """One estimand, three routes: aggregates, rows and sums over batches say the same words."""
    frame = twelve()
    rows = rs.ols("score ~ 1", frame, groups="doc", estimand="macro").fit()
    mean = rs.macro_mean("score", frame, groups="doc")
    streamed = rs.ols("score ~ 1", iter([frame]), groups="doc", estimand="macro").fit()
    assert str(mean.summary()) == str(rows.summary())
    for text in (str(mean.summary()), str(streamed.summary())):
        assert "inverse_var" in text
        assert "variance proportional to 1/weight" in text
    weighted = rs.wls("score ~ 1", frame.assign(w=2.0), groups="doc", weights="w").fit()
    assert (mean.weighted, weighted.estimand) == (True, "micro")


def test_names_that_leave_no_room_are_cut_and_stand_whole_below():
    frame = twelve().assign(a_rather_long_name=lambda d: d["len"], sys=list("abbaabaababb"))
    results = rs.ols("score ~ a_rather_long_name * C(sys)", frame, groups="doc").fit()
    long = "a_rather_long_name:C(sys)[T.b]"
    text = str(results.summary())
    assert max(map(len, text.splitlines())) <= 80
    assert f"(4) {long}" in text.splitlines()
    cut = next(line for line in text.splitlines() if line.startswith("(4) a_rather_l"))
    assert f"{results.bse[long]:.4f}" in cut
    assert "Intercept " in text
    # the table of the second kind is data: its rows are looked up by name
    assert results.summary2().tables[1].loc[long, "df"] == results.df_inference[long]


def test_printed_contrasts_have_the_df_and_p_of_each_row():
    results = FITS["OLS"]()
    test = results.t_test("Intercept = 0, len = 0")
    head, rows = str(test).splitlines()[2], str(test).splitlines()[4:6]
    assert head.split() == ["coef", "std", "err", "t", "df", "P>|t|", "[0.025", "0.975]"]
    for row, df, p in zip(rows, test.df_denom, test.pvalue, strict=True):
        assert row.split()[4:6] == [f"{df:.1f}", f"{p:.3f}"]
    larger = results.t_test(([1, 0, 0], -1e3), alternative="larger").summary(alpha=0.1)
    assert {"P>t", "<0.001", "[0.05", "0.95]"} <= set(str(larger).split())
    name = "a name of a contrast that is longer than anybody should give"
    text = str(results.t_test("len = 0").summary(xname=[name]))
    assert max(map(len, text.splitlines())) <= 80
    assert f"(1) {name}" in text
