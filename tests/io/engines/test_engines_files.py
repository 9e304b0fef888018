"""Files that lack what is used: the file is named, before a row of it is lost."""

import gzip
import time

import pandas as pd
import pytest

from ragstats.exceptions import DataError
from ragstats.io.sources import open_source
from ragstats.io.streams_documents import document_sums
from ragstats.models.streamed import streamed_ols

pytest.importorskip("duckdb", reason="the extra 'duckdb' is not installed")

LINES = [f"d{i // 4},{i % 3},{i % 5}\n" for i in range(40)]
GOOD = "doc,y,x\n" + "".join(LINES)


def written(folder, **files):
    """Write files of text, a suffix after two underscores, and return their paths."""
    paths = [folder / name.replace("__", ".") for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return paths


def fails(paths, match, formula="y ~ 1"):
    for refused in (
        lambda: streamed_ols(formula, paths, groups="doc"),
        lambda: document_sums(paths, doc="doc", score="y"),
    ):
        with pytest.raises(DataError, match=match) as caught:
            refused()
        assert "\n" not in str(caught.value)


RAGGED = [
    ("d9\n", "'d9', has 1"),
    ("d9,1,1,7\n", "'d9,1,1,7', has 4"),
]


@pytest.mark.parametrize(("line", "said"), RAGGED)
def test_a_ragged_file_is_named_with_its_line(tmp_path, line, said):
    paths = written(tmp_path, a__csv=GOOD, b__csv=GOOD + line + LINES[0])
    fails(paths, f"^{paths[1]}: the first line has 3 cells and line 42, {said}$")
    fails(paths[1], f"^{paths[1]}: the first line has 3 cells and line 42, {said}$")


@pytest.mark.parametrize("suffix", ["csv", "csv__gz", "jsonl", "parquet"])
def test_a_file_without_the_column_is_named(tmp_path, suffix):
    frame = pd.DataFrame({"doc": list("aabb"), "y": [0.0, 1, 1, 0], "x": 1})
    other = frame.rename(columns={"y": "yy"})
    if suffix == "parquet":
        paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
        for path, table in zip(paths, (frame, other), strict=True):
            table.to_parquet(path, index=False)
    else:
        texts = [
            f.to_csv(index=False) if "csv" in suffix else f.to_json(orient="records", lines=True)
            for f in (frame, other)
        ]
        paths = written(tmp_path, **{f"a__{suffix}": texts[0], f"b__{suffix}": texts[1]})
    fails(paths, f"^{paths[1]} has no column 'y', which other files of the 2 have; leave")


def test_a_column_that_nothing_uses_may_be_lacking(tmp_path):
    frame = pd.DataFrame({"doc": list("aabb"), "y": [0.0, 1, 1, 0], "x": 1})
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    frame.drop(columns="x").to_parquet(tmp_path / "b.parquet", index=False)
    assert streamed_ols("y ~ 1", tmp_path, groups="doc").nobs == 8
    fails_with_x = r"b.parquet has no column 'x'"
    with pytest.raises(DataError, match=fails_with_x):
        streamed_ols("y ~ x", tmp_path, groups="doc")


def test_files_without_rows(tmp_path):
    head = "doc,y,x\n"
    good, empty, header = written(tmp_path, a__csv=GOOD, b__csv="", c__csv=head)
    fails([good, empty], f"^{empty} is empty; leave it out$")
    fails(empty, f"^{empty} is empty; leave it out$")
    fails(header, f"^data has no rows: {header} holds its first line only$")
    assert streamed_ols("y ~ 1", [good, header], groups="doc").nobs == 40


def test_files_that_are_written_differently_have_the_same_columns(tmp_path):
    turned = "\n".join(",".join(reversed(line.split(","))) for line in GOOD.splitlines())
    paths = written(
        tmp_path,
        a__csv=GOOD,
        b__csv=GOOD.replace(",", ";"),
        c__csv="\ufeff" + GOOD,
        d__csv=GOOD.replace("doc,y,x", '"doc", Y ,x'),
        e__csv=turned,
        f__csv="# made by a program\n" + GOOD,
    )
    assert streamed_ols("y ~ x", paths, groups="doc").nobs == 40 * len(paths)


def test_a_missing_value_in_the_first_object_is_no_missing_column(tmp_path):
    texts = ['{"doc":"a","y":1}\n{"doc":"b","y":0}\n', '{"doc":"a"}\n{"doc":"c","y":1}\n']
    paths = written(tmp_path, a__jsonl=texts[0], b__jsonl=texts[1])
    assert streamed_ols("y ~ 1", paths, groups="doc").nobs == 3


def test_many_files_are_not_opened_one_by_one(tmp_path):
    """The first lines, or the schemas, of 500 files cost less than 2 ms each."""
    frame = pd.DataFrame({"doc": list("aabb"), "y": [0.0, 1, 1, 0]})
    for i in range(500):
        frame.to_parquet(tmp_path / f"p{i}.parquet", index=False)
    with open_source(tmp_path) as source:
        started = time.perf_counter()
        source.check(["doc", "y"])
        assert time.perf_counter() - started < 1.0
