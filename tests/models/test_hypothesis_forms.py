"""One hypothesis, in every form in which it can be written; alternatives; joint tests."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import ragstats as rs


def scores(documents=9):
    rng = np.random.default_rng(21)
    doc = np.repeat(np.arange(documents), rng.integers(3, 9, documents))
    return pd.DataFrame(
        {
            "y": rng.normal(size=doc.size) + rng.normal(size=documents)[doc],
            "x": rng.normal(size=doc.size),
            "z": rng.normal(size=documents)[doc],
            "kind": rng.choice(["fact", "multi", "why"], doc.size),
            "doc": doc,
        }
    )


@pytest.fixture(scope="module")
def results():
    return rs.ols("y ~ x + z + kind", scores(), groups="doc").fit()


# ---- t tests ------------------------------------------------------------------------------------


def forms(names):
    at = {name: i for i, name in enumerate(names)}
    row = np.zeros(len(names))
    row[at["x"]], row[at["z"]] = 1, -1
    return {
        "text": "x = z",
        "difference": "x - z = 0",
        "list of text": ["x - z"],
        "row": row,
        "matrix": row[None, :],
        "list": [list(row)],
        "with its value": (row[None, :], 0.0),
        "frame": pd.DataFrame([row], columns=names)[list(reversed(names))],
        "frame of some columns": pd.DataFrame({"z": [-1.0], "x": [1.0]}),
    }


def test_one_hypothesis_has_one_answer(results):
    tests = {k: results.t_test(f) for k, f in forms(list(results.params.index)).items()}
    first = tests.pop("text")
    for name, test in tests.items():
        for attribute in ("effect", "sd", "tvalue", "df_denom", "pvalue"):
            ours, theirs = (np.ravel(getattr(t, attribute)) for t in (test, first))
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, err_msg=f"{name}: {attribute}")


def test_a_value_to_compare_with(results):
    text, matrix = results.t_test("x = 0.25"), results.t_test(([[0, 0, 0, 1, 0]], [0.25]))
    np.testing.assert_allclose(matrix.tvalue, text.tvalue, rtol=1e-12)
    np.testing.assert_allclose(
        text.tvalue, (results.params["x"] - 0.25) / results.bse["x"], rtol=1e-12
    )


def test_rows_keep_their_df_in_any_order(results):
    order = [3, 0, 4, 1, 2]
    test = results.t_test(np.eye(5)[order])
    np.testing.assert_allclose(test.df_denom, results.df_inference.iloc[order], rtol=1e-12)
    np.testing.assert_allclose(test.pvalue, results.pvalues.iloc[order], rtol=1e-12)
    np.testing.assert_allclose(test.conf_int(), results.conf_int().iloc[order], rtol=1e-12)
    frame = test.summary_frame()
    np.testing.assert_allclose(frame["df"], results.df_inference.iloc[order], rtol=1e-12)


def test_alternatives_share_the_two_sided_p_value(results):
    hypothesis = np.eye(5)
    both, larger, smaller = (
        results.t_test(hypothesis, alternative=a) for a in ("two-sided", "larger", "smaller")
    )
    np.testing.assert_allclose(larger.pvalue + smaller.pvalue, 1.0, rtol=1e-12)
    np.testing.assert_allclose(
        2 * np.minimum(larger.pvalue, smaller.pvalue), both.pvalue, rtol=1e-12
    )
    assert ((larger.pvalue < 0.5) == (both.tvalue > 0)).all()
    np.testing.assert_allclose(larger.pvalue, stats.t.sf(both.tvalue, both.df_denom), rtol=1e-12)
    assert [t.alternative for t in (both, larger, smaller)] == ["two-sided", "larger", "smaller"]


def test_small_p_values_are_not_lost():
    """Upper tails by the survival function: 1 - cdf is 0 from 1e-16 on."""
    data = scores(60).assign(y=lambda d: d["y"] + 40 * d["x"])
    results = rs.ols("y ~ x", data, groups="doc").fit()
    larger = results.t_test("x = 0", alternative="larger")
    assert 0 < results.pvalues["x"] < 1e-20
    assert 0 < larger.pvalue < 1e-20
    assert results.t_test("x = 0", alternative="smaller").pvalue == pytest.approx(1.0)


# ---- joint tests -------------------------------------------------------------------------------------


@pytest.mark.parametrize("df", ["satterthwaite", "IK", "K-1", "K-p", "normal"])
def test_one_constraint_is_its_t_test_squared(df):
    results = rs.ols("y ~ x + z + kind", scores(), groups="doc").fit(df=df)
    single, joint = results.t_test("x = z"), results.wald_test("x = z")
    np.testing.assert_allclose(joint.fvalue, np.square(single.tvalue).item(), rtol=1e-10)
    np.testing.assert_allclose(joint.df_denom, np.ravel(single.df_denom)[0], rtol=1e-10)
    np.testing.assert_allclose(joint.pvalue, single.pvalue, rtol=1e-8)


def test_a_joint_test_does_not_see_how_it_is_written(results):
    rows = np.eye(5)[1:4]
    turned = np.array([[1, 2, 0], [0, 1e3, 1], [1, 0, -1e-3]]) @ rows
    first, second = results.wald_test(rows), results.wald_test(turned)
    for name in ("fvalue", "df_denom", "pvalue"):
        ours, theirs = getattr(first, name), getattr(second, name)
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, err_msg=name)


def test_redundant_constraints_are_reduced_and_said(results):
    rows = np.eye(5)[[1, 2]]
    twice = np.vstack([rows, rows[0] + 2 * rows[1]])
    plain = results.wald_test(rows)
    with pytest.warns(rs.RagstatsWarning, match="3 constraints have rank 2: tested as 2"):
        reduced = results.wald_test(twice)
    assert reduced.df_num == 2
    np.testing.assert_allclose(reduced.pvalue, plain.pvalue, rtol=1e-9)
    with pytest.raises(ValueError, match="redundant rows ask for contradictory values"):
        results.wald_test((twice, [0, 0, 1]))


def test_naive_tests_are_asked_for_by_name(results):
    rows = np.eye(5)[1:4]
    robust, naive = results.wald_test(rows), results.wald_test(rows, test="F")
    chi2, also_chi2 = results.wald_test(rows, test="chi2"), results.wald_test(rows, use_f=False)
    gap, covariance = rows @ results.params, rows @ results.cov_params() @ rows.T
    wald = gap @ np.linalg.solve(covariance, gap)
    np.testing.assert_allclose(naive.fvalue, wald / 3, rtol=1e-10)
    assert naive.df_denom == results.n_groups - 1
    np.testing.assert_allclose(naive.pvalue, stats.f.sf(wald / 3, 3, 8), rtol=1e-9)
    np.testing.assert_allclose(chi2.statistic, wald, rtol=1e-10)
    np.testing.assert_allclose(chi2.pvalue, stats.chi2.sf(wald, 3), rtol=1e-9)
    np.testing.assert_allclose(also_chi2.pvalue, chi2.pvalue, rtol=1e-12)
    assert robust.df_denom < naive.df_denom
    eta = robust.eta
    np.testing.assert_allclose(robust.df_denom, eta - 2, rtol=1e-12)
    np.testing.assert_allclose(robust.fvalue, (eta - 2) / (3 * eta) * wald, rtol=1e-10)


def test_too_few_documents_give_nan_with_the_reason():
    data = scores(4)
    results = rs.ols("y ~ x + kind", data, groups="doc").fit()
    with pytest.warns(rs.RagstatsWarning, match="joint test is NaN: .*too few documents"):
        test = results.wald_test(np.eye(4))
    assert np.isnan(test.fvalue)
    assert np.isnan(test.pvalue)
    assert test.df_num == 4
    assert "too few documents" in test.reason
    assert "NaN: " in test.summary()
    assert test.reason in test.summary()


def test_the_f_test_of_the_model_is_one_test(results):
    rest = results.f_test(np.eye(5)[[1, 2, 3, 4]])
    assert results.f_pvalue == pytest.approx(rest.pvalue, rel=1e-12)
    assert results.fvalue == pytest.approx(rest.fvalue, rel=1e-12)


def test_terms_are_tested_together(results):
    table = results.wald_test_terms().table
    assert list(table.index) == ["Intercept", "kind", "x", "z"]
    kind = results.wald_test(["kind[T.multi]", "kind[T.why]"])
    assert table.loc["kind", "pvalue"] == pytest.approx(kind.pvalue, rel=1e-12)
    assert table.loc["kind", "df_denom"] == pytest.approx(kind.df_denom, rel=1e-12)
    assert table.loc["x", "pvalue"] == pytest.approx(results.pvalues["x"], rel=1e-9)
    several = results.wald_test_terms(skip_single=True).table
    assert list(several.index) == ["kind"]


def test_pairs_of_levels_have_the_df_of_their_difference(results):
    pairs = results.t_test_pairwise("kind", method="holm").result_frame
    assert list(pairs.index) == ["multi-fact", "why-fact", "why-multi"]
    last = results.t_test("kind[T.why] - kind[T.multi] = 0")
    np.testing.assert_allclose(pairs["df"].iloc[2], last.df_denom, rtol=1e-12)
    np.testing.assert_allclose(pairs["P>|t|"].iloc[2], last.pvalue, rtol=1e-12)
    assert (pairs["pvalue-holm"] >= pairs["P>|t|"]).all()


@pytest.mark.filterwarnings("ignore:joint test is NaN")
def test_a_naive_test_that_is_nan_keeps_its_own_df():
    """Two documents: the covariance of two constraints has rank 1, and K - 1 is still 1."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {"y": rng.normal(size=12), "s": list("xyz") * 4, "doc": list("aaaaaabbbbbb")}
    )
    results = rs.ols("y ~ s", data, groups="doc").fit(df="K-1")
    test = results.wald_test(np.eye(3)[1:], test="F")
    assert np.isnan(test.pvalue)
    assert "rank 1" in test.reason
    assert test.df_denom == 1
