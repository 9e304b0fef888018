"""SurveyDesign: rules for fpc, ids, weights, missing scores, domains, and the result object."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from survey_cases import read_case

from ragstats.evaluation.survey import SurveyDesign
from ragstats.exceptions import RagstatsWarning


@pytest.fixture
def strat():
    return read_case("svy_strat").data


@pytest.fixture
def twostage():
    return read_case("svy_twostage").data


def same(a, b, rtol=1e-12):
    """Same estimates, covariance and df; the order of additions may differ."""
    np.testing.assert_allclose(a.values, b.values, rtol=rtol)
    scale = np.sqrt(np.outer(np.diagonal(b.covariance), np.diagonal(b.covariance)))
    assert (np.abs(a.covariance - b.covariance) <= 2 * rtol * scale).all()
    assert (a.covariance == a.covariance.T).all()
    np.testing.assert_array_equal(a.dfs, b.dfs)


# --- finite populations ----------------------------------------------------------------------


def test_fractions_and_sizes_agree(strat):
    sampled = strat.groupby("size")["doc_id"].transform("nunique")
    data = strat.assign(f=sampled / strat["M"])
    by_size = SurveyDesign(data, ids="doc_id", strata="size", fpc="M")
    by_fraction = SurveyDesign(data, ids="doc_id", strata="size", fpc="f")
    same(by_size.mean(["hit", "rr"]), by_fraction.mean(["hit", "rr"]))
    same(by_size.total("hit"), by_fraction.total("hit"))


def test_each_stage_is_read_on_its_own(twostage):
    md = twostage.groupby("doc_id")["chunk_id"].transform("nunique")
    data = twostage.assign(f2=md / twostage["Md"])
    ids = ["doc_id", "chunk_id"]
    sizes = SurveyDesign(data, ids=ids, fpc=["M", "Md"]).total("rr")
    mixed = SurveyDesign(data, ids=ids, fpc=["M", "f2"]).total("rr")
    same(sizes, mixed)


def test_infinite_population_is_sampling_with_replacement(strat):
    data = strat.assign(M=np.inf, w=1.0)
    infinite = SurveyDesign(data, ids="doc_id", strata="size", fpc="M", weights="w").mean("hit")
    none = SurveyDesign(data, ids="doc_id", strata="size").mean("hit")
    same(infinite, none)


def test_census_has_se_0_and_says_so(strat):
    data = strat.assign(M=strat.groupby("size")["doc_id"].transform("nunique"))
    result = SurveyDesign(data, ids="doc_id", strata="size", fpc="M").mean("hit")
    assert result.estimate == pytest.approx(data["hit"].mean(), rel=1e-14)
    assert result.se == 0
    assert result.conf_int().tolist() == [result.estimate, result.estimate]
    assert np.isnan(result.pvalue)
    assert result.design.census
    assert any(note.startswith("census") for note in result.notes)
    assert "census" in result.summary()


def test_census_of_one_domain_is_known():
    data = read_case("svy_census_stratum").data
    means = SurveyDesign(data, ids="doc_id", strata="size", fpc="M").domain("size", "hit")
    assert means.se["large"] == 0
    assert means.se["small"] > 0
    assert any("large: every unit of its strata was sampled" in note for note in means.notes)
    assert means.conf_int().loc["large", "lower"] == means.estimate["large"]
    assert np.isnan(means.pvalue["large"])


def test_later_stages_without_fpc_count_as_enumerated(twostage):
    short = SurveyDesign(twostage, ids=["doc_id", "chunk_id"], fpc="M").mean("hit")
    one = SurveyDesign(twostage, ids="doc_id", fpc="M").mean("hit")
    same(short, one)
    assert any("count as fully enumerated" in note for note in short.notes)


def test_later_ids_without_any_fpc_add_nothing(twostage):
    both = SurveyDesign(twostage, ids=["doc_id", "chunk_id"]).mean("hit")
    same(both, SurveyDesign(twostage, ids="doc_id").mean("hit"))
    assert any("drawn with replacement" in note for note in both.notes)


# --- ids and strata --------------------------------------------------------------------------


def test_ids_reused_across_strata_are_separate_units_and_it_is_said(strat):
    numbers = strat.groupby("size")["doc_id"].transform(lambda s: pd.factorize(s)[0])
    reused = SurveyDesign(strat.assign(doc=numbers), ids="doc", strata="size", fpc="M").mean("hit")
    same(reused, SurveyDesign(strat, ids="doc_id", strata="size", fpc="M").mean("hit"))
    note = "8 labels of 'doc' (such as doc=0) occur in more than one stratum of 'size'"
    assert any(note in n for n in reused.notes)
    assert not SurveyDesign(strat, ids="doc_id", strata="size", fpc="M").notes


def test_chunk_labels_are_read_within_their_document(twostage):
    numbers = twostage.groupby("doc_id")["chunk_id"].transform(lambda s: pd.factorize(s)[0])
    ids, fpc = ["doc_id", "chunk"], ["M", "Md"]
    nested = SurveyDesign(twostage.assign(chunk=numbers), ids=ids, fpc=fpc).mean("rr")
    same(nested, SurveyDesign(twostage, ids=["doc_id", "chunk_id"], fpc=fpc).mean("rr"))
    assert not nested.notes


def test_unused_categories_are_no_units(strat):
    data = strat.assign(doc_id=strat["doc_id"].astype("category"))
    some = data[data["doc_id"].isin(["d001", "d002", "d003"])]
    assert SurveyDesign(some, ids="doc_id").facts.n_psus == 3


def test_stage_without_strata_between_stages_with_strata(twostage):
    none = SurveyDesign(
        twostage, ids=["doc_id", "chunk_id"], strata=[None, None], fpc=["M", "Md"]
    ).mean("hit")
    same(none, SurveyDesign(twostage, ids=["doc_id", "chunk_id"], fpc=["M", "Md"]).mean("hit"))
    assert none.design.strata == ()


# --- invariance ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["svy_strat", "svy_twostage", "svy_threestage", "svy_domain"])
def test_row_order_and_index_do_not_matter(name):
    case = read_case(name)
    d = case.expected["design"]
    shuffled = case.data.sample(frac=1, random_state=3)
    lonely = "certainty" if name == "svy_threestage" else "error"
    designs = [
        SurveyDesign(x, ids=d["ids"], strata=d.get("strata"), fpc=d.get("fpc"), lonely=lonely)
        for x in (case.data, shuffled, shuffled.set_index("doc_id", drop=False))
    ]
    for other in designs[1:]:
        same(designs[0].mean(["hit", "rr"]), other.mean(["hit", "rr"]))
        same(designs[0].domain("size", "rr"), other.domain("size", "rr"))
        same(designs[0].glm("hit ~ rr").coefficients, other.glm("hit ~ rr").coefficients, 1e-10)


@pytest.mark.parametrize("scale", [1e-9, 7.0, 1e12])
def test_scale_of_weights_does_not_matter_for_means(scale):
    data = read_case("svy_strat_nofpc").data
    data["v"] = data["w"] * scale
    a, b = (SurveyDesign(data, ids="doc_id", strata="size", weights=w) for w in ("w", "v"))
    same(a.mean("hit"), b.mean("hit"))
    same(a.ratio("hit", "rr"), b.ratio("hit", "rr"))
    same(a.glm("hit ~ rr").coefficients, b.glm("hit ~ rr").coefficients, 1e-10)
    assert b.total("hit").se == pytest.approx(scale * a.total("hit").se, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-100, 1e-12, 1e100])
def test_scale_of_scores_does_not_matter(strat, scale):
    data = strat.assign(v=strat["rr"] * scale)
    design = SurveyDesign(data, ids="doc_id", strata="size", fpc="M")
    a, b = design.mean("rr"), design.mean("v")
    assert b.statistic == pytest.approx(a.statistic, rel=1e-10)


def test_zero_weights_are_a_domain(strat):
    data = strat.assign(w=np.where(strat["system"] == "A", strat.index % 3 * 1.0, 0.0))
    zero = SurveyDesign(data, ids="doc_id", strata="size", weights="w").mean("hit")
    marked = data.assign(g=data["w"] > 0, w=data["w"].clip(lower=0.5))
    level = SurveyDesign(marked, ids="doc_id", strata="size", weights="w").domain("g", "hit")
    assert zero.se == pytest.approx(level.se[True], rel=1e-12)


# --- domains and missing scores --------------------------------------------------------------


def domain_by_hand(d, inside, y):
    """Zero outside the domain: V = Σ_h (1 − f_h) n_h/(n_h − 1) Σ (z_u − z̄_h)²."""
    w = d["M"] / d.groupby("size")["doc_id"].transform("nunique")
    n = (w * inside).sum()
    mean = (w * inside * d[y]).sum() / n
    z = (w * inside * (d[y] - mean) / n).groupby([d["size"], d["doc_id"]]).sum()
    v = 0.0
    for size, zs in z.groupby(level=0):
        k, m = len(zs), d.loc[d["size"] == size, "M"].iloc[0]
        v += (1 - k / m) * k * zs.var(ddof=1)
    return mean, np.sqrt(v)


def test_domain_is_not_a_subset(strat):
    inside = strat["query_id"].str.endswith("_q5") | (strat["doc_id"] < "d005")
    data = strat.assign(g=np.where(inside, "in", "out"))
    full = SurveyDesign(data, ids="doc_id", strata="size", fpc="M").domain("g", "rr")
    mean, se = domain_by_hand(data, inside, "rr")
    assert full.estimate["in"] == pytest.approx(mean, rel=1e-12)
    assert full.se["in"] == pytest.approx(se, rel=1e-12)
    some = data[inside]
    assert some["doc_id"].nunique() < data["doc_id"].nunique()  # units without a row of the level
    subset = SurveyDesign(some, ids="doc_id", strata="size", fpc="M").mean("rr")
    assert abs(subset.se / se - 1) > 0.01


def test_domain_equals_subset_when_every_unit_has_rows():
    data = read_case("svy_domain").data
    domain = SurveyDesign(data, ids="doc_id", strata="size", fpc="M").domain("system", "rr")
    for level, rows in data.groupby("system"):
        subset = SurveyDesign(rows, ids="doc_id", strata="size", fpc="M").mean("rr")
        assert domain.estimate[level] == pytest.approx(subset.estimate, rel=1e-12)
        assert domain.se[level] == pytest.approx(subset.se, rel=1e-12)
        assert domain.df[level] == subset.df


def test_df_of_a_domain_counts_its_units(strat):
    data = strat.assign(g=np.where(strat["doc_id"].isin(["d001", "d002", "d003"]), "few", "rest"))
    means = SurveyDesign(data, ids="doc_id", strata="size", fpc="M").domain("g", "hit")
    assert means.df["few"] == 2
    assert means.df["rest"] == data["doc_id"].nunique() - 3 - 2
    assert means.contrast({"few": 1, "rest": -1}).df == 2


def test_a_level_of_one_unit_has_no_se_and_says_why():
    data = pd.DataFrame(
        {
            "score": [0.9, 0.8, 0.4, 0.5, 0.7, 0.2, 0.1, 0.3, 1.0, 0.6, 0.6, 0.0],
            "doc": list("aaabbccccdee"),
        }
    )
    data["lang"] = np.where(data["doc"] == "c", "fr", "en")
    means = SurveyDesign(data, ids="doc").domain("lang", "score")
    assert means.estimate["fr"] == pytest.approx(0.4)
    assert np.isnan([means.se["fr"], means.df["fr"], means.pvalue["fr"]]).all()
    assert means.conf_int().loc["fr"].isna().all()
    assert means.se["en"] > 0
    reason = "fr: NaN, because all its rows are in one unit of 'doc'"
    assert any(note.startswith(reason) for note in means.notes)
    assert "nan" in means.summary()
    assert np.isnan(means.contrast({"fr": 1, "en": -1}).se)


def test_missing_scores_are_a_domain(strat):
    data = strat.copy()
    data.loc[data.index[::7], "rr"] = np.nan
    dropped = int(data["rr"].isna().sum())
    design = SurveyDesign(data, ids="doc_id", strata="size", fpc="M")
    result = design.mean("rr", missing="drop")
    level = SurveyDesign(
        data.assign(rr=data["rr"].fillna(data["hit"] + 3.0), g=data["rr"].isna()),
        ids="doc_id",
        strata="size",
        fpc="M",
    ).domain("g", "rr")
    assert result.estimate == pytest.approx(level.estimate[False], rel=1e-12)
    assert result.se == pytest.approx(level.se[False], rel=1e-12)
    assert result.n_dropped == dropped
    assert result.n_rows == len(data)
    assert result.rows[0] == len(data) - dropped
    note = f"{dropped} of {len(data)} rows have missing values"
    assert any(n.startswith(note) for n in result.notes)
    assert f"{dropped} dropped" in result.summary()


def test_missing_scores_add_0_to_a_total(strat):
    data = strat.copy()
    data.loc[data.index[:40], "hit"] = np.nan
    a = SurveyDesign(data, ids="doc_id", strata="size", fpc="M").total("hit", missing="drop")
    zero = data.assign(hit=data["hit"].fillna(0))
    b = SurveyDesign(zero, ids="doc_id", strata="size", fpc="M").total("hit")
    same(a, b)
    assert any("adds 0 to a total" in n for n in a.notes)


def test_units_without_a_score_do_not_count_in_the_df_of_a_mean(strat):
    data = strat.copy()
    data.loc[data["doc_id"] == "d001", "hit"] = np.nan
    design = SurveyDesign(data, ids="doc_id", strata="size", fpc="M")
    assert design.mean("hit", missing="drop").df == design.df - 1
    assert design.total("hit", missing="drop").df == design.df
    assert design.mean("hit", missing="drop").n_psus == data["doc_id"].nunique()


def test_missing_levels_are_dropped_as_rows(strat):
    data = strat.assign(g=strat["chunk_id"].str[-1].where(strat.index % 5 > 0, None))
    means = SurveyDesign(data, ids="doc_id", strata="size").domain("g", "hit", missing="drop")
    assert means.n_dropped == int(data["g"].isna().sum())
    assert list(means.names) == sorted(data["g"].dropna().unique())


def test_a_level_without_a_score_is_nan_with_a_reason():
    data = pd.DataFrame(
        {"doc": list("aabbcc"), "system": list("ABABAB"), "hit": [1.0, 0, 0, 1, 1, 1]}
    )
    data.loc[data["system"] == "B", "hit"] = np.nan
    means = SurveyDesign(data, ids="doc").domain("system", "hit", missing="drop")
    assert means.estimate["A"] == pytest.approx(2 / 3)
    assert np.isnan([means.estimate["B"], means.se["B"], means.df["B"]]).all()
    assert any(n.startswith("B: NaN, because its denominator is 0") for n in means.notes)


def test_combined_levels_are_those_of_a_joined_column():
    data = read_case("svy_domain").data
    data["both"] = data["size"] + ":" + data["system"]
    design = SurveyDesign(data, ids="doc_id", strata="size", fpc="M")
    pair, joined = design.domain(["size", "system"], "hit"), design.domain("both", "hit")
    assert pair.names == joined.names == ("large:A", "large:B", "small:A", "small:B")
    same(pair, joined)


def test_combined_levels_with_missing_parts():
    data = read_case("svy_domain").data
    data["t"] = data["system"].where(data.index % 4 > 0, None)
    design = SurveyDesign(data, ids="doc_id", strata="size", fpc="M")
    result = design.domain(["size", "t"], "hit", missing="drop")
    assert result.names == ("large:A", "large:B", "small:A", "small:B")
    assert result.n_dropped == int(data["t"].isna().sum())


def test_levels_keep_category_order_and_numbers():
    data = pd.DataFrame(
        {"doc": list("aabbcc"), "k": [10, 1, 10, 1, 1, 10], "hit": [1.0, 0, 0, 1, 1, 1]}
    )
    assert SurveyDesign(data, ids="doc").domain("k", "hit").names == (1, 10)
    data["k"] = pd.Categorical(data["k"], [10, 1])
    assert SurveyDesign(data, ids="doc").domain("k", "hit").names == (10, 1)
    data["k"] = [10, "x", 10, "x", "x", 10]
    assert SurveyDesign(data, ids="doc").domain("k", "hit").names == (10, "x")


# --- dtypes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", ["Float64", "Int64", "float64[pyarrow]", "object", "boolean", "bool"]
)
def test_score_dtypes_give_the_same_numbers(strat, dtype):
    data = strat.assign(hit=strat["hit"].astype("int64").astype(dtype))
    if dtype == "boolean" or dtype == "bool":
        data["hit"] = (strat["hit"] == 1).astype(dtype)
    a = SurveyDesign(data, ids="doc_id", strata="size", fpc="M").mean("hit")
    same(a, SurveyDesign(strat, ids="doc_id", strata="size", fpc="M").mean("hit"))


@pytest.mark.parametrize("dtype", ["object", "category", "string", "string[pyarrow]"])
def test_label_dtypes_give_the_same_numbers(strat, dtype):
    data = strat.assign(doc_id=strat["doc_id"].astype(dtype), size=strat["size"].astype(dtype))
    a = SurveyDesign(data, ids="doc_id", strata="size", fpc="M").mean("hit")
    same(a, SurveyDesign(strat, ids="doc_id", strata="size", fpc="M").mean("hit"))


def test_the_data_of_the_caller_are_not_touched(strat):
    before = strat.copy(deep=True)
    design = SurveyDesign(strat, ids="doc_id", strata="size", fpc="M")
    design.glm("hit ~ rr")
    first = design.mean("hit").estimate
    pd.testing.assert_frame_equal(strat, before)
    strat["hit"] = 0  # later changes do not reach the design
    assert design.mean("hit").estimate == first


# --- the result ------------------------------------------------------------------------------


def test_constant_scores_warn_and_give_no_interval(strat):
    data = strat.assign(one=1.0, third=1 / 3)
    design = SurveyDesign(data, ids="doc_id", strata="size", fpc="M")
    for column in ("one", "third"):
        with pytest.warns(RagstatsWarning, match="do not vary"):
            result = design.mean(column)
        assert result.estimate == pytest.approx(data[column].iloc[0], rel=1e-14)
        assert result.se == 0  # exactly, not rounding noise
        assert np.isnan([result.statistic, result.pvalue, *result.conf_int()]).all()
        assert any("do not vary" in note for note in result.notes)


def test_difference_of_equal_systems_is_0_without_a_p_value():
    data = read_case("svy_domain").data
    paired = data.assign(hit=data.groupby("query_id")["hit"].transform("first"))
    paired = paired[paired.groupby("query_id")["hit"].transform("size") == 2]
    means = SurveyDesign(paired, ids="doc_id", strata="size", fpc="M").domain("system", "hit")
    with pytest.warns(RagstatsWarning, match="do not vary"):
        difference = means.contrast({"A": 1, "B": -1}, "A − B")
    assert difference.estimate == 0
    assert difference.se == 0
    assert np.isnan(difference.pvalue)


def test_contrast_by_mapping_and_by_sequence(strat):
    means = SurveyDesign(strat, ids="doc_id", strata="size", fpc="M").mean(["hit", "rr"])
    a, b = means.contrast({"hit": 1, "rr": -1}), means.contrast([1, -1])
    same(a, b)
    d = strat.assign(d=strat["hit"] - strat["rr"])
    same(a, SurveyDesign(d, ids="doc_id", strata="size", fpc="M").mean("d"), rtol=1e-10)


def test_tests_and_intervals_agree(strat):
    result = SurveyDesign(strat, ids="doc_id", strata="size", fpc="M").mean("hit")
    low, high = result.conf_int(0.1)
    assert result.test(low).loc["hit", "pvalue"] == pytest.approx(0.1, rel=1e-10)
    assert result.test(low, "larger").loc["hit", "pvalue"] == pytest.approx(0.05, rel=1e-10)
    assert result.test(high, "smaller").loc["hit", "pvalue"] == pytest.approx(0.05, rel=1e-10)
    table = result.test()
    assert table.loc["hit", "pvalue"] == result.pvalue
    assert table.loc["hit", "statistic"] == result.statistic == result.estimate / result.se
    far = result.test(-1e6, "larger").loc["hit", "pvalue"]
    assert 0 < far < 1e-60  # an upper tail, not 1 − cdf
    normal = result.conf_int(df=np.inf)
    z = stats.norm.isf(0.025) * result.se
    np.testing.assert_allclose(normal, [result.estimate - z, result.estimate + z], rtol=1e-14)


def test_to_dict_is_json(strat):
    data = strat.assign(g=np.where(strat["doc_id"] == "d001", "one", "rest"))
    design = SurveyDesign(data, ids="doc_id", strata="size", fpc="M")
    for result in (design.mean("hit"), design.domain("g", "hit"), design.glm("hit ~ rr")):
        out = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert out["design"]["n_psus"] == 18
        assert out["notes"] == list(result.notes)
        assert len(out["estimate"]) == len(out["names"]) == len(out["cov"])


def test_summary_fits_80_columns(strat):
    long = "a_rather_long_name_of_a_score_column_in_a_frame" * 2
    data = strat.assign(**{long: strat["hit"] * 1e-7, "g": strat["doc_id"] == "d001"})
    design = SurveyDesign(data, ids="doc_id", strata="size", fpc="M")
    for result in (
        design.mean(["hit", long]),
        design.total(long),
        design.domain("g", "hit"),
        design.glm(f"rr ~ {long} + C(chunk_id.str[-1])"),
    ):
        text = result.summary(alpha=0.1)
        assert max(map(len, text.splitlines())) <= 80
        assert "18 units of doc_id in 2 strata; 553 rows" in text
        assert "90% low" in text
        assert str(result).startswith("=" * 80)


def test_design_says_what_it_is(strat):
    design = SurveyDesign(strat, ids="doc_id", strata="size", fpc="M")
    assert repr(design) == (
        "<SurveyDesign: 553 rows, 18 units of 'doc_id', 2 strata, 1 stage with variance>"
    )
    assert design.facts.weights == "inverse sampling fractions"
    assert design.weights.index.equals(strat.index)


def test_warnings_point_at_the_line_of_the_user(strat):
    design = SurveyDesign(strat.assign(one=1.0), ids="doc_id", strata="size", fpc="M")
    with pytest.warns(RagstatsWarning) as direct:
        design.mean("one")
    with pytest.warns(RagstatsWarning) as deeper:
        design.glm("one ~ rr")
    assert {w.filename for w in (*direct, *deeper)} == {__file__}


@pytest.mark.parametrize("module", ["design", "ratio"])
def test_examples_run(module):
    import doctest
    import importlib

    result = doctest.testmod(importlib.import_module(f"ragstats.evaluation.survey.{module}"))
    assert result.failed == 0
    assert result.attempted > 2
