"""The code of the source text, run on the same documents, gives our numbers."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import ragstats as rs

# Both sides are a dozen operations on the same numbers: 12 digits leave room for their order.
SAME = {"rel": 1e-12}


def source_text(df):
    """The published procedure, steps 1 to 4, with its K×K matrix."""
    g = df.groupby("doc_id")["hit"].agg(n="size", s="sum")
    n, s = g["n"].to_numpy(float), g["s"].to_numpy(float)
    k, size = len(n), n.sum()
    ratio = s.sum() / size
    u = s - ratio * n
    h = n / size
    se_micro = np.sqrt(np.sum(u**2 / (1 - h))) / size
    a = 1 / np.sqrt(1 - h)
    m = -np.outer(a * n, a * n) / size
    m[np.diag_indices(k)] += a**2 * n
    df_micro = np.trace(m) ** 2 / np.sum(m * m)
    ci_micro = ratio + np.array([-1, 1]) * stats.t.ppf(0.975, df_micro) * se_micro
    r = s / n
    se_macro = r.std(ddof=1) / np.sqrt(k)
    ci_macro = r.mean() + np.array([-1, 1]) * stats.t.ppf(0.975, k - 1) * se_macro
    se_cr1 = np.sqrt(k / (k - 1) * np.sum(u**2)) / size
    return ratio, se_micro, df_micro, ci_micro, r.mean(), se_macro, ci_macro, se_cr1


def all_pages():
    scores = rs.datasets.load_retrieval(systems="bm25")
    return scores[["doc_id"]].assign(hit=scores["hit_at_1"])


def twenty_pages():
    rows = all_pages()
    drawn = np.random.default_rng(3).choice(rows["doc_id"].unique(), 20, replace=False)
    return rows[rows["doc_id"].isin(drawn)]


def eight_documents():
    d = rs.datasets.load_eight_documents()
    return pd.DataFrame({"doc_id": d["doc"], "hit": d["d"]})


@pytest.mark.parametrize("corpus", [all_pages, twenty_pages, eight_documents])
def test_same_numbers(corpus):
    rows = corpus()
    ratio, se_micro, df_micro, ci_micro, mean, se_macro, ci_macro, se_cr1 = source_text(rows)
    micro = rs.micro_mean("hit", rows, groups="doc_id")
    assert micro.estimate == pytest.approx(ratio, **SAME)
    assert micro.se == pytest.approx(se_micro, **SAME)
    assert micro.df == pytest.approx(df_micro, **SAME)
    assert np.asarray(micro.conf_int())[0] == pytest.approx(ci_micro, rel=1e-11)
    macro = rs.macro_mean("hit", rows, groups="doc_id")
    assert macro.estimate == pytest.approx(mean, **SAME)
    assert macro.se == pytest.approx(se_macro, **SAME)
    assert macro.df == pytest.approx(rows["doc_id"].nunique() - 1, **SAME)
    assert np.asarray(macro.conf_int())[0] == pytest.approx(ci_macro, rel=1e-11)
    cr1 = rs.micro_mean("hit", rows, groups="doc_id", cov_type="CR1", df="K-1")
    assert cr1.se == pytest.approx(se_cr1, **SAME)
    assert cr1.df == rows["doc_id"].nunique() - 1


@pytest.mark.parametrize("corpus", [all_pages, twenty_pages, eight_documents])
def test_rows_and_aggregates_give_the_same(corpus):
    rows = corpus()
    formula = rs.ols("hit ~ 1", rows, groups="doc_id").fit()
    micro = rs.micro_mean("hit", rows, groups="doc_id")
    assert micro.estimate == pytest.approx(formula.params.iloc[0], **SAME)
    assert micro.se == pytest.approx(formula.bse.iloc[0], **SAME)
    assert micro.df == pytest.approx(formula.df_inference.iloc[0], **SAME)
    weighted = rs.ols("hit ~ 1", rows, groups="doc_id", estimand="macro").fit()
    macro = rs.macro_mean("hit", rows, groups="doc_id")
    assert macro.se == pytest.approx(weighted.bse.iloc[0], **SAME)
    # The random-effects model needs the residual sum of squares of the rows: n, s and Σs² have it;
    # 1e-9 because its ρ is a difference of such sums.
    ik = {"cov_type": "CR2", "df": "IK"}
    from_rows = rs.ols("hit ~ 1", rows, groups="doc_id").fit(**ik).df_inference.iloc[0]
    assert rs.micro_mean("hit", rows, groups="doc_id", **ik).df == pytest.approx(
        from_rows, rel=1e-9
    )


def test_the_eight_documents_of_the_evidence():
    d = rs.datasets.load_eight_documents()
    micro = rs.micro_mean("d", d, groups="doc")
    # Published to four digits.
    assert (round(micro.se, 4), round(micro.df, 2), round(micro.pvalue, 3)) == (0.0337, 2.39, 0.057)
    assert np.round(np.asarray(micro.conf_int())[0], 3).tolist() == [-0.008, 0.241]
    cr1 = rs.micro_mean("d", d, groups="doc", cov_type="CR1", df="K-1")
    assert (round(cr1.se, 4), round(cr1.pvalue, 3)) == (0.0324, 0.009)
    normal = rs.micro_mean("d", d, groups="doc", cov_type="CR1", df="normal")
    assert round(normal.pvalue, 4) == 0.0003
    assert round(rs.micro_mean("d", d, groups="doc", df="IK").df, 2) == 1.65
