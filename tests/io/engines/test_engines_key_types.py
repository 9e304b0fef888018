"""Ids that an engine reads as floating numbers are refused where different ones would be equal."""

import numpy as np
import pandas as pd
import pytest

from ragstats.exceptions import DataError
from ragstats.io.streams_documents import document_sums
from ragstats.models.streamed import streamed_ols

BIG = 2**53
SAID = r"ids as large as \S+ were read as floating numbers \(\w+\)"


def both_fail(source, error, match):
    for refused in (
        lambda: streamed_ols("y ~ 1", source(), groups="doc"),
        lambda: document_sums(source(), doc="doc", score="y"),
    ):
        with pytest.raises(error, match=match) as caught:
            refused()
        assert "\n" not in str(caught.value)


def json_lines(ids):
    return "".join(f'{{"doc":{doc},"y":{i % 3}}}\n' for i, doc in enumerate(ids))


def csv_lines(ids):
    return "doc,y\n" + "".join(f"{doc},{i % 3}\n" for i, doc in enumerate(ids))


BEYOND = [10**20 + 5000 * (i // 4) for i in range(40)]
ONE_DECIMAL = ["1.5"] * 4 + [BIG + i // 4 for i in range(36)]
WHOLE = [BIG + i // 4 for i in range(40)]
HALVES = [f"{i // 4}.5" for i in range(40)]


@pytest.mark.parametrize(
    "files",
    [
        {"a.jsonl": json_lines(BEYOND)},
        {"a.jsonl": json_lines(ONE_DECIMAL)},
        {"a.csv": csv_lines(ONE_DECIMAL)},
        {"a.csv": csv_lines(WHOLE), "b.csv": csv_lines(HALVES)},
    ],
)
def test_ids_of_files_that_would_merge(tmp_path, files):
    pytest.importorskip("duckdb", reason="the extra 'duckdb' is not installed")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    both_fail(lambda: [tmp_path / name for name in files], DataError, f"='doc': {SAID}")


@pytest.mark.parametrize("ids", [WHOLE, HALVES, [f'"{10**20 + i // 4}"' for i in range(40)]])
def test_ids_that_stay_apart(tmp_path, ids):
    pytest.importorskip("duckdb", reason="the extra 'duckdb' is not installed")
    path = tmp_path / "a.jsonl"
    path.write_text(json_lines(ids))
    assert len(document_sums(path, doc="doc", score="y").frame) == 10
    assert streamed_ols("y ~ 1", path, groups="doc").groups.n_groups == 10


def test_ids_of_batches_and_the_width_of_their_type():
    frame = pd.DataFrame({"doc": np.arange(40) // 4, "y": np.arange(40) % 3})

    whole = frame.assign(doc=frame["doc"].astype(float))
    both_fail(lambda: iter([whole.assign(doc=float(BIG)), whole]), DataError, SAID)
    narrow = frame.assign(doc=frame["doc"].astype(np.float32) + np.float32(2**24))
    both_fail(lambda: iter([narrow]), DataError, SAID)
    exact = whole.assign(doc=whole["doc"] + float(BIG - 20))
    assert len(document_sums(iter([exact]), doc="doc", score="y").frame) == 10


def test_cells_and_units_are_ids_too():
    frame = pd.DataFrame({"doc": np.arange(40) // 4, "y": np.arange(40) % 3, "cell": 2.0**60})
    options = {"groups": "doc", "estimand": "macro"}
    with pytest.raises(DataError, match=f"by='cell': {SAID}"):
        streamed_ols("y ~ 1", [frame], by="cell", **options)
    with pytest.raises(DataError, match=f"unit='cell': {SAID}"):
        streamed_ols("y ~ 1", [frame], unit="cell", **options)
    with pytest.raises(DataError, match=f"by='cell': {SAID}"):
        document_sums([frame], doc="doc", score="y", by="cell")
    kept = document_sums([frame], doc="doc", score="y", keep=["cell"])
    assert (kept.frame["cell"] == 2.0**60).all()


def test_ids_that_are_lists():
    duckdb = pytest.importorskip("duckdb", reason="the extra 'duckdb' is not installed")
    for cell in ("[i // 4]", "{'a': i // 4}"):
        both_fail(
            lambda cell=cell: duckdb.sql(f"SELECT {cell} AS doc, i % 3 AS y FROM range(40) t(i)"),
            TypeError,
            "='doc' holds lists or records .*; give a column with one id",
        )
