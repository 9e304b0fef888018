"""One row per document, from every local source."""

import pandas as pd
import polars as pl
import pytest

import ragstats as rs
from ragstats.io.streams_documents import document_sums

SOURCES = {
    "glob": lambda rows, folder: str(folder / "*.parquet"),
    "Polars lazy": lambda rows, folder: pl.from_pandas(rows).lazy(),
    "iterator": lambda rows, folder: iter([rows[:10], rows[10:10], rows[10:]]),
    "frame": lambda rows, folder: rows,
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("by", [None, "system"])
@pytest.mark.parametrize("score", ["y", "hit", "flag"])
def test_the_table_is_that_of_the_rows_in_memory(rows, tmp_path, source, by, score):
    rows = rows[rows["system"].notna()].assign(band=rows["doc"].str[-1])
    for i, part in enumerate((rows[:700], rows[700:])):
        part.to_parquet(tmp_path / f"{i}.parquet", index=False)
    given = SOURCES[source](rows, tmp_path)
    options = {"doc": "doc", "score": score, "by": by, "keep": ["band"]}
    sums = document_sums(given, **options)
    expected = rs.documents(rows, **options)
    pd.testing.assert_frame_equal(sums.frame, expected.frame, check_dtype=False, rtol=1e-12)
    assert sums.unscored == expected.unscored
    assert sums.computed_by.passes == 1


def test_documents_without_a_score_are_left_out_and_counted(rows):
    gone = rows.assign(y=rows["y"].where(rows["doc"] != "d001"))
    sums = document_sums(pl.from_pandas(gone).lazy(), doc="doc", score="y")
    assert "d001" not in set(sums.frame["doc"])
    assert sums.unscored == {"": int(gone["y"].isna().sum())}
