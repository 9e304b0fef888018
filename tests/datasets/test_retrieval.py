"""The shipped data: their published values, and the identities of the columns."""

from __future__ import annotations

import doctest
import re
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ragstats.datasets
from ragstats.datasets import load_eight_documents, load_retrieval

LONG_FILE = Path(__file__).parents[3] / "shared" / "data" / "retrieval_long.parquet"

COLUMNS = [
    *("doc_id", "package", "section", "doc_chunks", "chunk_id"),
    *("query_id", "chunk_words", "query_words", "system"),
    *("hit_at_1", "hit_at_5", "hit_at_10", "rr", "rank"),
    *("doc_hit_at_1", "doc_hit_at_5", "doc_hit_at_10", "doc_rr", "doc_rank"),
]

# Means published with the data, to five decimals: analyse.py in benchmarks/datasets.
PUBLISHED = pd.read_csv(
    StringIO(
        """column,system,micro,macro
hit_at_1,bm25,0.16127,0.19500
hit_at_5,bm25,0.34326,0.38533
hit_at_10,bm25,0.41576,0.44898
rr,bm25,0.23945,0.27615
hit_at_1,tfidf,0.14574,0.17990
hit_at_5,tfidf,0.32286,0.37233
hit_at_10,tfidf,0.39822,0.44508
rr,tfidf,0.22191,0.26322
hit_at_1,dense,0.13604,0.18466
hit_at_5,dense,0.30860,0.36202
hit_at_10,dense,0.38391,0.43307
rr,dense,0.20994,0.26104
hit_at_1,hybrid,0.17076,0.21407
hit_at_5,hybrid,0.37225,0.41752
hit_at_10,hybrid,0.45805,0.49337
rr,hybrid,0.25714,0.30145
doc_hit_at_1,bm25,0.53257,0.43051
doc_hit_at_5,bm25,0.72028,0.60703
doc_hit_at_10,bm25,0.78245,0.66567
doc_rr,bm25,0.61302,0.50626
doc_hit_at_1,tfidf,0.50443,0.41820
doc_hit_at_5,tfidf,0.69384,0.59628
doc_hit_at_10,tfidf,0.76210,0.65905
doc_rr,tfidf,0.58613,0.49498
doc_hit_at_1,dense,0.46685,0.39766
doc_hit_at_5,dense,0.65955,0.56466
doc_hit_at_10,dense,0.72457,0.62436
doc_rr,dense,0.54848,0.46907
doc_hit_at_1,hybrid,0.54364,0.45852
doc_hit_at_5,hybrid,0.73332,0.63013
doc_hit_at_10,hybrid,0.79633,0.68584
doc_rr,hybrid,0.62444,0.53175
"""
    )
)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return load_retrieval()


@pytest.fixture(scope="module")
def sizes(scores: pd.DataFrame) -> pd.Series:
    return scores.groupby("doc_id")["query_id"].nunique()


def test_counts(scores: pd.DataFrame) -> None:
    assert scores.shape == (75_476, 19)
    assert scores["system"].value_counts().to_dict() == dict.fromkeys(
        ("bm25", "tfidf", "dense", "hybrid"), 18_869
    )
    levels = scores[["doc_id", "query_id", "package", "section"]].nunique()
    assert levels.to_list() == [1_300, 18_869, 81, 7]


def test_columns_and_dtypes(scores: pd.DataFrame) -> None:
    assert scores.columns.to_list() == COLUMNS
    kinds = scores.dtypes.astype(str)
    assert kinds[kinds == "str"].index.to_list() == ["doc_id", "package", "section", "system"]
    assert kinds[kinds == "float64"].index.to_list() == ["rr", "doc_rr"]
    assert (kinds == "int64").sum() == 13
    assert not scores.isna().any(axis=None)


def test_each_query_once_for_each_system(scores: pd.DataFrame) -> None:
    assert not scores.duplicated(["query_id", "system"]).any()
    assert not scores.duplicated(["doc_id", "chunk_id", "system"]).any()


def test_document_sizes_are_the_published_quantiles(sizes: pd.Series) -> None:
    quantiles = sizes.quantile([0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1]).to_list()
    assert quantiles == [1, 2, 3, 5, 12, 28, 51, 548]
    assert sizes.nlargest(130).sum() / sizes.sum() == pytest.approx(0.572, abs=5e-4)  # 3 decimals


def test_doc_chunks_is_the_number_of_queries(scores: pd.DataFrame, sizes: pd.Series) -> None:
    assert (scores["doc_chunks"] == scores["doc_id"].map(sizes)).all()
    assert (scores.groupby("doc_id")["chunk_id"].max() == sizes).all()


@pytest.mark.parametrize(
    "row", list(PUBLISHED.itertuples(index=False)), ids=lambda r: f"{r[1]}-{r[0]}"
)
def test_published_means(scores: pd.DataFrame, row: tuple[str, str, float, float]) -> None:
    column, system, micro, macro = row
    one = scores[scores["system"] == system]
    # half a unit of the fifth published decimal, and a little for rounding
    assert one[column].mean() == pytest.approx(micro, abs=5.01e-6)
    assert one.groupby("doc_id")[column].mean().mean() == pytest.approx(macro, abs=5.01e-6)


@pytest.mark.parametrize("prefix", ["", "doc_"])
def test_outcomes_follow_from_the_rank(scores: pd.DataFrame, prefix: str) -> None:
    rank = scores[f"{prefix}rank"]
    assert set(rank) == set(range(11))
    assert (scores[f"{prefix}hit_at_1"] == (rank == 1)).all()
    assert (scores[f"{prefix}hit_at_5"] == rank.between(1, 5)).all()
    assert (scores[f"{prefix}hit_at_10"] == (rank != 0)).all()
    found = rank != 0
    assert (scores.loc[found, f"{prefix}rr"] == 1 / rank[found]).all()
    assert (scores.loc[~found, f"{prefix}rr"] == 0).all()


def test_the_right_page_is_never_below_the_right_chunk(scores: pd.DataFrame) -> None:
    found = scores["rank"] > 0
    assert scores.loc[found, "doc_rank"].between(1, scores.loc[found, "rank"]).all()
    assert (scores["doc_rr"] >= scores["rr"]).all()


def test_equals_the_published_long_table(scores: pd.DataFrame) -> None:
    if not LONG_FILE.exists():
        pytest.skip("retrieval_long.parquet is not beside this checkout: it is not shipped")
    published = pd.read_parquet(LONG_FILE).astype(scores.dtypes.to_dict())
    pd.testing.assert_frame_equal(scores, published, check_exact=True)


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("dense", ["dense"]),
        (["tfidf", "bm25"], ["bm25", "tfidf"]),
        (np.array(["hybrid", "hybrid"]), ["hybrid"]),
        ((name for name in ("dense", "bm25")), ["bm25", "dense"]),
    ],
    ids=["one name", "file order", "named twice", "generator"],
)
def test_systems_keeps_those_rows(scores: pd.DataFrame, asked: object, kept: list[str]) -> None:
    part = load_retrieval(systems=asked)
    assert part["system"].unique().tolist() == kept
    expected = scores[scores["system"].isin(kept)].reset_index(drop=True)
    pd.testing.assert_frame_equal(part, expected, check_exact=True)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("bm52", "systems='bm52' is unknown (did you mean 'bm25'?); use one of 'bm25', 'tfidf', "),
        (["bm25", "BM25"], "systems='BM25' is unknown (did you mean 'bm25'?); use one of "),
        (3, "systems=3 is unknown; use one of 'bm25', 'tfidf', 'dense', 'hybrid'"),
        ([], "systems=[] names no system; name some of 'bm25', 'tfidf', 'dense', 'hybrid', or "),
    ],
)
def test_wrong_systems_is_one_clear_line(asked: object, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}") as caught:
        load_retrieval(systems=asked)
    assert "\n" not in str(caught.value)


def test_each_call_gives_a_table_of_its_own(scores: pd.DataFrame) -> None:
    other = load_retrieval()
    other.attrs["population_documents"] = 1
    other["rr"] = -1.0
    again = load_retrieval()
    assert again.attrs["population_documents"] == 5588
    assert again["rr"].equals(scores["rr"])


def test_attrs_tell_the_population_and_survive_pandas(scores: pd.DataFrame) -> None:
    assert scores.attrs["population_documents"] == 5588
    assert scores.attrs["licence"] == "CC0-1.0"
    assert "1,300" in scores.attrs["design"]
    assert set(scores.attrs) == {
        "source",
        "licence",
        "population",
        "population_documents",
        "design",
    }
    assert scores[scores["rr"] > 0].attrs == scores.attrs
    assert pd.concat([scores, scores]).attrs == scores.attrs
    both = pd.concat([scores, load_eight_documents()])
    assert len(both) == 75_476 + 120
    merged = scores.merge(load_eight_documents(), how="left", left_on="doc_id", right_on="doc")
    assert len(merged) == 75_476
    assert scores.groupby("doc_id")["rr"].mean().shape == (1_300,)


def test_attrs_survive_parquet(scores: pd.DataFrame, tmp_path: Path) -> None:
    scores.to_parquet(tmp_path / "scores.parquet")
    again = pd.read_parquet(tmp_path / "scores.parquet")
    pd.testing.assert_frame_equal(again, scores)
    assert again.attrs == scores.attrs


def test_eight_documents() -> None:
    example = load_eight_documents()
    assert example.groupby("docid").size().to_list() == [1, 2, 3, 5, 8, 13, 28, 60]
    assert (example["doc"] == "doc" + example["docid"].astype("str")).all()
    assert example["qid"].is_unique
    assert example["d"].mean() == pytest.approx(0.1169, abs=5e-5)  # published to four decimals
    # the file holds the difference to 17 digits, the reader may be off by one unit of the last
    np.testing.assert_allclose(example["d"], example["b"] - example["a"], rtol=0, atol=1e-15)
    assert (example["d01"] == example["b01"] - example["a01"]).all()
    assert example.attrs["source"] == "synthetic"
    assert "population_documents" not in example.attrs


def test_examples_in_the_docstrings() -> None:
    outcome = doctest.testmod(ragstats.datasets)
    assert outcome.attempted == 8
    assert outcome.failed == 0
