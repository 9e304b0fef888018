"""The printed tables say what was estimated from what, and fit a terminal."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import ragstats as rs


def scores():
    rng = np.random.default_rng(11)
    doc = np.repeat([f"d{i}" for i in range(9)], [2, 3, 4, 5, 6, 7, 8, 9, 10])
    rows = pd.DataFrame(
        {
            "hit": rng.integers(0, 2, doc.size),
            "words": rng.integers(50, 5000, doc.size).astype(float),
            "system": rng.choice(["bm25", "dense"], doc.size),
            "doc_id": doc,
            "w": rng.uniform(0.5, 2, doc.size),
        }
    )
    rows.loc[4, "words"] = np.nan
    return rows


FORMULA = "hit ~ system + np.log(words)"


def fits():
    data = scores()
    return {
        "ols": rs.ols(FORMULA, data, groups="doc_id").fit(),
        "ols CR1S": rs.ols(FORMULA, data, groups="doc_id").fit(cov_type="CR1S", df="K-1"),
        "ols IK": rs.ols(FORMULA, data, groups="doc_id").fit(df="IK"),
        "macro": rs.ols(FORMULA, data, groups="doc_id", estimand="macro", by="system").fit(),
        "wls": rs.wls(FORMULA, data, groups="doc_id", weights="w").fit(cov_type="CR3"),
        "glm": rs.glm(FORMULA, data, groups="doc_id", family=sm.families.Binomial()).fit(),
    }


FITS = fits()

SAID = {
    "ols": [
        *("hit", "OLS", "micro", "CR2", "satterthwaite", "independence"),
        "CR2 (bias-reduced linearization)",
        "Satterthwaite (Bell-McCaffrey); each coefficient has its own",
        "independent errors of equal variance",
    ],
    "ols CR1S": ["CR1S", "K-1", "CR1S (K(N-1)/((K-1)(N-p)))", "documents minus 1"],
    "ols IK": ["IK", "Imbens-Kolesár, random effects"],
    "macro": [
        *("WLS", "macro", "inverse_var"),
        "independent errors with variance proportional to 1/weight",
    ],
    "wls": [
        *("WLS", "weighted", "CR3", "identity"),
        "CR3 (delete-one-document jackknife, centred at the estimate)",
        "independent errors of equal variance, whatever the weights",
    ],
    "glm": ["GLM", "Binomial", "independent errors with the variance function of Binomial"],
}


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("method", ["summary", "summary2"])
def test_the_summary_names_what_the_numbers_are(name, method):
    text = " ".join(getattr(FITS[name], method)().as_text().replace(":", "").split())
    counted = ["Documents (K) 9", "Rows (N) 53", "Rows dropped 1 of 54", "'doc_id'"]
    for said in (*SAID[name], *counted, "1 row dropped missing words."):
        assert said in text


@pytest.mark.parametrize("name", FITS)
def test_the_summary_shows_the_numbers_of_the_results(name):
    results = FITS[name]
    lines = results.summary().as_text().splitlines()
    table = results.coef_table()
    assert list(table["df"]) == list(results.df_inference)
    assert list(table["P>|t|"]) == list(results.pvalues)
    for coefficient in results.params.index:
        cells = next(line for line in lines if line.startswith(coefficient)).split()
        assert f"{results.df_inference[coefficient]:.1f}" in cells
        assert f"{results.tvalues[coefficient]:.3f}" in cells
        assert f"{results.bse[coefficient]:.4f}" in cells
    header = next(line for line in lines if "std err" in line)
    assert [word for word in header.split() if word in ("t", "df", "P>|t|")] == ["t", "df", "P>|t|"]


@pytest.mark.parametrize("name", FITS)
def test_the_summary_fits_into_80_columns(name):
    assert max(map(len, FITS[name].summary().as_text().splitlines())) <= 80


def test_the_level_of_the_interval_is_in_the_header():
    text = FITS["ols"].summary(alpha=0.1).as_text()
    assert "[0.05" in text
    assert "0.95]" in text


def test_other_names_can_be_printed():
    text = (
        FITS["ols"]
        .summary(yname="success", xname=["base", "dense", "length"], title="One")
        .as_text()
    )
    assert "success" in text
    assert [line.split()[0] for line in text.splitlines() if line.startswith("length")] == [
        "length"
    ]
    assert text.lstrip().startswith("One")


@pytest.mark.filterwarnings("ignore:cannot be estimated without one document")
def test_a_coefficient_without_standard_error_has_its_reason_in_the_summary():
    data = pd.DataFrame(
        {"y": [1.0, 0, 1, 0, 1, 1], "doc": list("aabbcc"), "only": [1.0, 0, 0, 0, 0, 0]}
    )
    design = np.column_stack([np.ones(6), data["doc"] == "a", data["only"]])
    with pytest.warns(rs.RagstatsWarning, match=r"x\d rests on 1 document \('a'\)"):
        results = rs.OLS(data["y"].to_numpy(), design, groups=data["doc"].to_numpy()).fit()
    assert results.reasons
    assert set(results.reasons) <= {"x1", "x2"}
    for name in results.reasons:
        assert np.isnan(results.bse[name])
        assert np.isnan(results.pvalues[name])
        assert np.isnan(results.conf_int().loc[name]).all()
    text = " ".join(results.summary().as_text().split())
    assert "NaN, because it rests on 1 document ('a'), which leaves no variation to measure" in text
