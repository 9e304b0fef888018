"""Rows that are dropped: counted, said, and taken along by groups, weights and labels."""

import numpy as np
import pandas as pd
import pytest

import ragstats as rs


def scores():
    rng = np.random.default_rng(5)
    rows = pd.DataFrame(
        {
            "y": rng.normal(size=30),
            "x": rng.normal(size=30),
            "doc": np.repeat(list("abcdef"), 5),
            "w": rng.uniform(1, 3, 30),
        },
        index=[f"row {i}" for i in range(30)],
    )
    rows.loc[["row 3", "row 12"], "y"] = np.nan
    rows.loc[["row 12", "row 20"], "x"] = np.nan
    return rows


def assert_equal(first, second):
    for name in ("params", "bse", "df_inference"):
        ours, theirs = (np.asarray(getattr(r, name)) for r in (first, second))
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, err_msg=name)


def test_rows_are_blamed_on_the_first_column_that_is_missing():
    results = rs.ols("y ~ x", scores(), groups="doc").fit()
    assert results.model._design.dropped == {"missing y": 2, "missing x": 1}
    assert (results.n_dropped, results.nobs) == (3, 27)
    text = results.summary().as_text()
    assert "3 of 30" in text
    assert "2 rows dropped: missing y." in text
    assert "1 row dropped: missing x." in text


@pytest.mark.parametrize("shuffled", [False, True])
def test_groups_and_weights_go_with_their_rows(shuffled):
    data, kept = scores(), scores().dropna()
    labels, weights = data["doc"], data["w"]
    if shuffled:
        labels, weights = (
            labels.sample(frac=1, random_state=1),
            weights.sample(frac=1, random_state=2),
        )
    dropped = rs.wls("y ~ x", data, groups=labels, weights=weights).fit()
    assert_equal(dropped, rs.wls("y ~ x", kept, groups="doc", weights="w").fit())


def test_arrays_drop_what_formulas_drop():
    data = scores()
    design = np.column_stack([np.ones(30), data["x"]])
    arrays = rs.OLS(data["y"].to_numpy(), design, groups=data["doc"].to_numpy()).fit()
    assert arrays.model._design.dropped == {"missing outcome": 2, "missing covariate": 1}
    assert_equal(arrays, rs.ols("y ~ x", data, groups="doc").fit())


def test_only_columns_of_the_formula_matter():
    data = scores().assign(other=np.nan)
    assert rs.ols("y ~ 1", data, groups="doc").fit().nobs == 28


def test_a_transformation_can_drop_a_row():
    data = scores().dropna().assign(x=lambda d: d["x"].where(d.index != "row 7", -2.0))
    with np.errstate(invalid="ignore"):
        results = rs.ols("y ~ np.sqrt(x + 1.5)", data, groups="doc").fit()
    assert results.model._design.dropped["undefined in the formula"] >= 1


def test_a_subset_comes_first():
    data = scores()
    wanted = data["doc"] < "d"
    chosen = rs.ols("y ~ x", data, groups="doc", subset=wanted).fit()
    assert_equal(chosen, rs.ols("y ~ x", data[wanted], groups="doc").fit())
    assert chosen.model._design.n_given == 15
    by_label = rs.ols("y ~ x", data, groups="doc", subset=data.index[wanted]).fit()
    assert_equal(by_label, chosen)


def test_missing_raise_passes_complete_rows():
    data = scores().dropna()
    assert_equal(
        rs.ols("y ~ x", data, groups="doc", missing="raise").fit(),
        rs.ols("y ~ x", data, groups="doc").fit(),
    )


def test_rows_of_weight_zero_are_counted():
    data = scores().dropna().assign(w=lambda d: d["w"].where(d["doc"] != "c", 0.0))
    results = rs.wls("y ~ x", data, groups="doc", weights="w").fit()
    assert results.model._design.dropped == {"zero weight": int((data["w"] == 0).sum())}
    assert results.n_groups == 5
    assert "rows dropped: zero weight" in results.summary().as_text()


def test_residuals_and_fitted_values_keep_the_labels_of_the_rows():
    data = scores()
    results = rs.ols("y ~ x", data, groups="doc").fit()
    kept = data.dropna().index
    pd.testing.assert_index_equal(results.resid.index, kept)
    pd.testing.assert_index_equal(results.fittedvalues.index, kept)
    np.testing.assert_allclose(results.resid + results.fittedvalues, data["y"].dropna()[kept])


def test_aliased_columns_are_dropped_and_named():
    data = scores().dropna().assign(double=lambda d: 2 * d["x"] + 1, none=0.0)
    with pytest.warns(rs.RagstatsWarning, match="aliased columns dropped: double, none"):
        results = rs.ols("y ~ x + double + none", data, groups="doc").fit()
    assert list(results.params.index) == ["Intercept", "x"]
    assert_equal(results, rs.ols("y ~ x", data, groups="doc").fit())
    assert "Dropped as combinations of earlier columns: double, none." in " ".join(
        results.summary().as_text().split()
    )


def test_a_design_close_to_collinear_is_said():
    data = scores().dropna()
    data["twin"] = data["x"] + 1e-9 * data["w"]
    with pytest.warns(
        rs.RagstatsWarning, match=r"close to collinear .* columns: Intercept, x, twin"
    ):
        rs.ols("y ~ x + twin", data, groups="doc")
