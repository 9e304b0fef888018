"""The macro estimand: every document counts once in every cell, and then the documents as rows."""

import numpy as np
import pandas as pd
import pytest

import ragstats as rs
from ragstats.models.estimand import macro_weights


def scores(seed=0, sizes=(1, 2, 3, 5, 8)):
    """Two systems on the same queries, the second with some rows missing."""
    rng = np.random.default_rng(seed)
    doc = np.repeat(np.arange(len(sizes)), sizes)
    rows = pd.DataFrame(
        {
            "doc": np.tile(doc, 2),
            "package": np.tile(doc // 2, 2),
            "system": np.repeat(["A", "B"], doc.size),
            "y": rng.normal(size=2 * doc.size) + rng.normal(size=len(sizes))[np.tile(doc, 2)],
        }
    )
    gone = [doc.size + 2, doc.size + 7, doc.size + 12]
    return rows.drop(index=gone).reset_index(drop=True)


def test_weights_count_the_rows_of_unit_and_cell():
    unit, by = np.array(list("aaabbb")), np.array([1, 1, 2, 1, 2, 2])
    np.testing.assert_allclose(macro_weights(unit), [1 / 3] * 6)
    np.testing.assert_allclose(macro_weights(unit, [by]), [0.5, 0.5, 1, 1, 0.5, 0.5])
    nested = [by, np.array(list("xyxxxx"))]
    np.testing.assert_allclose(macro_weights(unit, nested), [1, 1, 1, 1, 0.5, 0.5])


def test_the_mean_is_that_of_the_documents():
    data = scores().query("system == 'A'")
    rates = data.groupby("doc")["y"].mean()
    results = rs.ols("y ~ 1", data, groups="doc", estimand="macro").fit()
    assert isinstance(results.model, rs.WLS)
    assert (results.estimand, results.working) == ("macro", "inverse_var")
    assert results.params.iloc[0] == pytest.approx(rates.mean(), rel=1e-12)
    assert results.bse.iloc[0] == pytest.approx(rates.std() / np.sqrt(rates.size), rel=1e-12)
    assert results.df_inference.iloc[0] == pytest.approx(rates.size - 1, rel=1e-12)


def test_the_difference_is_that_of_the_documents_rates():
    """However unbalanced the queries are: sd(r_B - r_A)/√K with K - 1 df."""
    data = scores()
    rates = data.pivot_table(index="doc", columns="system", values="y", aggfunc="mean")
    gap = rates["B"] - rates["A"]
    results = rs.ols("y ~ system", data, groups="doc", estimand="macro", by="system").fit()
    assert results.params.iloc[1] == pytest.approx(gap.mean(), rel=1e-11)
    assert results.bse.iloc[1] == pytest.approx(gap.std() / np.sqrt(gap.size), rel=1e-11)
    assert results.df_inference.iloc[1] == pytest.approx(gap.size - 1, rel=1e-10)


def test_without_by_a_document_counts_once_over_all_systems():
    data = scores()
    pooled = rs.ols("y ~ 1", data, groups="doc", estimand="macro").fit()
    assert pooled.params.iloc[0] == pytest.approx(data.groupby("doc")["y"].mean().mean(), rel=1e-12)
    weights = rs.ols("y ~ system", data, groups="doc", estimand="macro").fit().model.weights
    np.testing.assert_allclose(weights, 1 / data.groupby("doc")["y"].transform("size"))


def test_groups_coarser_than_documents_need_the_unit():
    """Packages are the sampling unit, documents count once each."""
    data = scores().query("system == 'A'")
    rates = data.groupby("doc")["y"].mean()
    by_unit = rs.ols("y ~ 1", data, groups="package", estimand="macro", unit="doc").fit()
    assert by_unit.params.iloc[0] == pytest.approx(rates.mean(), rel=1e-12)
    assert by_unit.n_groups == 3
    by_groups = rs.ols("y ~ 1", data, groups="package", estimand="macro").fit()
    packages = data.groupby("package")["y"].mean()
    assert by_groups.params.iloc[0] == pytest.approx(packages.mean(), rel=1e-12)


def test_arrays_and_formulas_agree():
    data = scores()
    formula = rs.ols("y ~ system", data, groups="doc", estimand="macro", by="system").fit()
    design = np.column_stack([np.ones(len(data)), data["system"] == "B"])
    options = {"groups": data["doc"], "by": data["system"]}
    arrays = rs.OLS(data["y"], design, estimand="macro", **options).fit()
    weighted = rs.WLS(data["y"], design, estimand="macro", **options).fit()
    for results in (arrays, weighted):
        np.testing.assert_allclose(results.params, formula.params, rtol=1e-12)
        np.testing.assert_allclose(results.bse, formula.bse, rtol=1e-12)
        np.testing.assert_allclose(results.df_inference, formula.df_inference, rtol=1e-12)


def test_macro_counts_the_rows_that_are_kept():
    """A dropped row is no row of its document: the weights are those of what is left."""
    data = scores()
    holes = data.assign(y=data["y"].where(data.index % 5 > 0))
    kept = holes.dropna()
    first, second = (
        rs.ols("y ~ system", d, groups="doc", estimand="macro", by="system").fit()
        for d in (holes, kept)
    )
    np.testing.assert_allclose(first.params, second.params, rtol=1e-12)
    np.testing.assert_allclose(first.bse, second.bse, rtol=1e-12)
    assert first.n_dropped == len(holes) - len(kept)


def test_documents_of_equal_size_make_micro_and_macro_one():
    data = scores(sizes=(4, 4, 4, 4)).query("system == 'A'")
    micro, macro = (
        rs.ols("y ~ 1", data, groups="doc", estimand=estimand).fit()
        for estimand in ("micro", "macro")
    )
    np.testing.assert_allclose(micro.params, macro.params, rtol=1e-12)
    np.testing.assert_allclose(micro.bse, macro.bse, rtol=1e-12)
    np.testing.assert_allclose(micro.df_inference, macro.df_inference, rtol=1e-12)
