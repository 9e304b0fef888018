"""Files that are broken or hostile: one clear line each, and nothing outside is touched."""

from __future__ import annotations

import copy
import gzip
import json
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import zip_writer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reader_samples import RANKED, READABLE, SAMPLES, inspect_members
from zip_writer import Member

from ragstats.exceptions import DataError
from ragstats.io.readers import Scores, archive, files, read_scores, tables

TEXT = "query_id,doc_id,score\nq1,a,1\nq2,b,0\n"


def refused(path: Any, match: str, **options: Any) -> str:
    """Read a file that must be refused by one line, and return the line."""
    with pytest.raises(DataError, match=match) as error:
        read_scores(path, **options)
    message = str(error.value)
    assert "\n" not in message
    return message


def outcome(path: Any, **options: Any) -> Scores | str:
    """Return what a file gives: scores, or the message that refuses it."""
    try:
        return read_scores(path, **options)
    except ValueError as error:
        return str(error)


def written(tmp_path: Path, name: str, data: bytes | str) -> Path:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.7, 0.9, 0.98])
@pytest.mark.parametrize("name", READABLE)
def test_a_file_cut_short_is_refused_or_gives_its_whole_rows(tmp_path, name, share) -> None:
    key, options = READABLE[name]
    whole = (SAMPLES / name).read_bytes()
    path = written(tmp_path, name, whole[: int(len(whole) * share)])
    scores = outcome({"s": path}, **options)
    if isinstance(scores, str):
        assert "\n" not in scores
        return
    # Text has no end mark: what a cut leaves is whole lines, and a note on the last one.
    assert not name.endswith(".json")
    assert key != "trec_eval"
    full = read_scores({"s": SAMPLES / name}, format=scores.format, **options)
    known = set(full.frame["query_id"])
    assert set(scores.frame["query_id"][:-1]) <= known
    noted = any("may have been cut" in note for note in scores.notes)
    assert noted != path.read_bytes().endswith(b"\n")


@pytest.mark.parametrize("keep", [10, 500, -1, -30])
def test_an_archive_cut_short(tmp_path, keep) -> None:
    whole = zip_writer.archive(inspect_members())
    refused(written(tmp_path, "l.eval", whole[:keep]), "not a complete zip archive")


def test_a_parquet_file_cut_short_or_of_another_kind(tmp_path) -> None:
    pd.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "score": [1]}).to_parquet(
        tmp_path / "t.parquet"
    )
    whole = (tmp_path / "t.parquet").read_bytes()
    refused(written(tmp_path, "t.parquet", whole[:-9]), "not a complete Parquet file")
    refused(written(tmp_path, "u.parquet", TEXT), "not a complete Parquet file")


@pytest.mark.parametrize(
    ("name", "data", "match"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"\n\n", "no lines with text"),
        ("a.csv", b"query_id,doc_id,score\n", "a header, and no rows"),
        ("a.csv", b"query_id,doc_id,score\nq1,a\n", "line 2: 2 cells, where the header has 3"),
        ("a.csv", b"query_id,doc_id,score\nq1,a,1,2\n", "line 2: 4 cells"),
        ("a.csv", b'query_id,doc_id,score\nq1,"a,1\nq2,b,0\n', "line 3: .*cut short"),
        ("a.csv", b'query_id,doc_id,score\nq1,"a"b,1\n', "line 2: "),
        ("a.csv", b"query_id,query_id,score\nq1,a,1\n", "two columns are called 'query_id'"),
        ("a.csv", b"q1,a,1\nq2,b,0\n", "the first line holds a number .1."),
        ("a.csv", b"a,b;c\n1,2;3\n", "divided by comma or semicolon; pass delimiter="),
        ("a.csv", b"query_id,doc_id,score\nq1,caf\xe9,1\n", "line 2: byte 0xe9 is not utf-8"),
        ("a.csv", b"\xff\xfeq\x00,", "byte 0x.. is not utf-16"),
        ("a.csv", b"q\x00u\x00e\x00r\x00y\x00", "line 1: a NUL byte"),
        ("a.pdf", b"%PDF-1.7\n\xe2\xe3\xcf\xd3\n", "line 2: byte 0xe2 is not utf-8"),
        ("a.json", b"{", "not JSON at column 2: .*cut short"),
        ("a.json", b'{"a": 1}', "only means over all queries"),
        ("a.json", b'{"a": "b"}', "an object with a; no known format"),
        ("a.json", b"[]", "no rows"),
        ("a.json", b"[1, 2]", "entry 1: an object is needed, not a number"),
        ("a.json", b'["x"]', "entry 1: an object is needed, not text"),
        ("a.json", b"[" * 100_000, "nested too deeply"),
        ("a.json", b'[{"query_id": ' + b"9" * 5000 + b"}]", "not JSON"),
        ("a.json", b'[{"query_id": "\\ud800", "doc_id": "a", "score": 1}]', "surrogate pair"),
        ("a.jsonl", b'{"query_id": 1}\n{"query_id"', "line 2: not JSON at column"),
        ("a.jsonl", b'{"query_id": 1}\n[1]\n', "line 2: a JSON object is needed, not a list"),
        ("a.jsonl", b'{"query_id": 1}\n7\n', "line 2: a JSON object is needed, not a number"),
        ("a.jsonl", b'{"a.b": 1, "a": {"b": 2}}\n', "'a.b' is there twice"),
        ("a.eval", TEXT.encode(), "not a complete zip archive"),
        (
            "a.csv.gz",
            gzip.compress(TEXT.encode(), mtime=0)[:-12],
            "gzip data are broken or cut short",
        ),
        ("a.csv.gz", b"\x1f\x8b\x08garbage", "gzip data are broken or cut short"),
    ],
)
def test_broken_content(tmp_path, name, data, match) -> None:
    assert name in refused(written(tmp_path, name, data), match)


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks(tmp_path, codec) -> None:
    path = written(tmp_path, "a.csv", TEXT.replace("b", "é").encode(codec))
    assert read_scores(path).frame["doc_id"].to_list() == ["a", "é"]


def test_another_encoding_must_be_named(tmp_path) -> None:
    path = written(tmp_path, "a.csv", TEXT.replace("b", "é").encode("cp1252"))
    assert read_scores(path, encoding="cp1252").frame["doc_id"].to_list() == ["a", "é"]
    refused(path, "encoding='cp9999' is unknown", encoding="cp9999")


def test_gzip_and_line_ends(tmp_path) -> None:
    path = written(tmp_path, "a.csv.gz", gzip.compress(TEXT.replace("\n", "\r\n").encode()))
    scores = read_scores(path)
    assert scores.frame["doc_id"].to_list() == ["a", "b"]
    assert scores.frame["system"].to_list() == ["a", "a"]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "run.trec"])
def test_a_very_long_line(tmp_path, name, monkeypatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 1000)
    monkeypatch.setattr(tables, "MAX_LINE_BYTES", 1000)
    long = "x" * 2000
    data = {
        "a.csv": f"query_id,doc_id,score\nq1,a,1\nq2,{long},0\n",
        "a.jsonl": f'{{"query_id": 1}}\n{{"query_id": 2}}\n{{"doc_id": "{long}"}}\n',
        "run.trec": f"q1 Q0 a 1 2.0 s\nq1 Q0 b 2 1.0 s\nq1 Q0 {long} 1 1.0 s\n",
    }[name]
    refused(written(tmp_path, name, data), "line 3: 2,0.. characters; at most 1,000", **RANKED)


def test_a_long_cell_is_no_problem_and_the_limit_of_the_process_stays(tmp_path) -> None:
    import csv

    before = csv.field_size_limit()
    path = written(tmp_path, "a.csv", TEXT.replace("b", "b" * 300_000))
    assert read_scores(path).frame["doc_id"].str.len().to_list() == [1, 300_000]
    assert csv.field_size_limit() == before


def test_a_file_that_is_too_large(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 10)
    refused(written(tmp_path, "a.csv", TEXT), "at most 10 are read at once")


def test_a_gzip_bomb(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(files, "FREE_EXPANSION", 2**16)
    data = gzip.compress(b"a" * 2**22, mtime=0)
    refused(written(tmp_path, "a.csv.gz", data), "expand to more than")


def test_a_parquet_bomb(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(tables, "MAX_CELLS", 1000)
    pd.DataFrame({"score": np.zeros(2000)}).to_parquet(tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", "2,000 cells unpacked")


def with_member(*members: Member) -> bytes:
    return zip_writer.archive([*inspect_members(), *members])


@pytest.mark.parametrize("method", [zip_writer.ZSTANDARD, zip_writer.DEFLATED])
def test_a_zip_bomb(tmp_path, method) -> None:
    bomb = Member("samples/b_epoch_1.json", b" " * (64 * 2**20), method)
    refused(written(tmp_path, "l.eval", with_member(bomb)), "more than 1000 times; refused")


@pytest.mark.parametrize("method", [zip_writer.ZSTANDARD, zip_writer.DEFLATED])
def test_a_member_that_is_larger_than_it_says(tmp_path, method) -> None:
    liar = Member("samples/b_epoch_1.json", b" " * 2**22, method, claimed_size=100)
    refused(written(tmp_path, "l.eval", with_member(liar)), "samples/b_epoch_1.json")


def test_limits_of_an_archive(tmp_path, monkeypatch) -> None:
    path = written(tmp_path, "l.eval", zip_writer.archive(inspect_members()))
    with monkeypatch.context() as patched:
        patched.setattr(archive, "MAX_MEMBERS", 3)
        refused(path, "8 members; at most 3")
    with monkeypatch.context() as patched:
        patched.setattr(archive, "MAX_TOTAL_BYTES", 100)
        refused(path, "bytes together; at most 100")
    huge = Member("samples/b_epoch_1.json", b"{}", claimed_size=2**31)
    refused(written(tmp_path, "m.eval", with_member(huge)), "2,147,483,648 bytes; at most")


@pytest.mark.parametrize(
    "name",
    ["../out.json", "samples/../../out.json", "/etc/out.json", "..\\out.json", "C:\\out.json"],
)
def test_a_member_that_points_outside(tmp_path, name) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    before = sorted(p.name for p in tmp_path.rglob("*"))
    path = written(inside, "l.eval", with_member(Member(name, b"{}")))
    refused(path, "points outside the archive; refused")
    path.unlink()
    assert sorted(p.name for p in tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("member", "match"),
    [
        (Member("samples/b_epoch_1.json", b"{", 0), "not JSON"),
        (Member("samples/b_epoch_1.json", b"[]", 0), "an object is needed"),
        (Member("samples/b_epoch_1.json", b"{}", 0, crc=1), "b_epoch_1.json"),
        (Member("samples/b_epoch_1.json", b"{}", 93, crc=1), "not those the archive's directory"),
        (Member("samples/b_epoch_1.json", b"{}", 97), "compression method 97 is unknown"),
        (Member("samples/b_epoch_1.json", b"{}", 0, flags=1), "encrypted"),
        (Member("samples/b_epoch_1.json", b"\xff", 0), "is not utf-8"),
    ],
)
def test_broken_members(tmp_path, member, match) -> None:
    refused(written(tmp_path, "l.eval", with_member(member)), match)


def test_damaged_zstandard_data_and_a_wrong_offset(tmp_path) -> None:
    whole = zip_writer.archive([Member("header.json", b'{"eval": {}}' * 9)])
    damaged = bytearray(whole)
    damaged[30 + len("header.json")] ^= 0xFF
    refused(written(tmp_path, "l.eval", bytes(damaged)), "broken or cut short")
    moved = bytearray(whole)
    start = whole.index(b"PK\x01\x02")
    moved[start + 42 : start + 46] = struct.pack("<I", 5)
    refused(written(tmp_path, "m.eval", bytes(moved)), "no member begins where|not a complete zip")


def test_an_archive_that_is_no_log(tmp_path) -> None:
    data = zip_writer.archive([Member("xl/workbook.xml", b"<x/>", 8)])
    refused(
        written(tmp_path, "t.xlsx", data), "no Inspect log: no header.json among xl/workbook.xml"
    )
    empty = zip_writer.archive([m for m in inspect_members() if "samples/" not in m.name])
    refused(written(tmp_path, "l.eval", empty), "the log has no samples")


def test_without_zstandard_the_extra_is_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    path = tmp_path / "l.eval"
    path.write_bytes(zip_writer.archive(inspect_members()))
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'ragstats\[readers\]'"):
        read_scores(path)


def test_without_ir_measures_the_extra_is_named(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ir_measures", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'ragstats\[readers\]'"):
        read_scores(SAMPLES / "run.trec", **RANKED)


def test_paths_that_are_not_files(tmp_path) -> None:
    written(tmp_path, "inside.csv", TEXT)
    refused(tmp_path, "is a folder; name a file of it: inside.csv")
    with pytest.raises(FileNotFoundError, match=r"no such file"):
        read_scores(tmp_path / "absent.csv")
    refused("/dev/null", "is not a regular file")


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("q1 Q0 b 2 x bm25", "line 2: 'x' is not a number"),
        ("q1 Q0 b 2 inf bm25", "line 2: 'inf' is not a finite number"),
        ("q1 Q0 b", "line 2: 3 columns, where a TREC run has 6"),
        ("q1 Q0 a 2 1.0 bm25", "1 document is ranked twice"),
    ],
)
def test_broken_runs(tmp_path, line, match) -> None:
    path = written(tmp_path, "run.txt", f"q1 Q0 a 1 2.0 bm25\n{line}\n")
    refused(path, match, format="trec_run", **RANKED)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("q1 0 a 1\nq1 0 a 0\n", "1 pairs are judged twice"),
        ("q1 0 a\nq1 0\n", "line 1: 'a' is not a number"),
        ("q1 0\n", "line 1: 2 columns; qrels have 4"),
        ("q1 0 a 0.5\n", "grade 0.5 is not a whole number"),
        ('{"q1": {"a": true}}', "not a number"),
        ('{"q1": 3}', "holds no object"),
        ('{"q1": {"a": 1, "a": 0}}', "key 'a' is there twice"),
    ],
)
def test_broken_judgements(tmp_path, text, match) -> None:
    refused(SAMPLES / "run.trec", match, qrels=written(tmp_path, "qrels.txt", text))


def _nodes(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(node for key, child in inner for node in _nodes(child, (*path, key)))]


WRONG = [
    None,
    True,
    7,
    -1.5,
    "text",
    "",
    [],
    {},
    [1, [2]],
    {"value": {"a": {"b": 1}}},
    "NaN",
    1e308,
]
JSON_SAMPLES = [n for n in READABLE if n.endswith((".json", ".jsonl"))]


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(JSON_SAMPLES), st.integers(0, 2**32), st.sampled_from(WRONG))
def test_json_with_any_value_of_the_wrong_kind(tmp_path, name, seed, wrong) -> None:
    """Whatever stands in place of a value, the answer is a table or one line."""
    text = (SAMPLES / name).read_text()
    lines = [json.loads(x) for x in text.splitlines()] if name.endswith("l") else [json.loads(text)]
    chosen = random.Random(seed)
    which = chosen.randrange(len(lines))
    target = chosen.choice(_nodes(lines[which]))
    changed = copy.deepcopy(lines)
    if target:
        at = changed[which]
        for key in target[:-1]:
            at = at[key]
        at[target[-1]] = wrong
    else:
        changed[which] = wrong
    path = written(tmp_path, name, "\n".join(json.dumps(x) for x in changed))
    key, options = READABLE[name]
    for given_format in (None, key):
        scores = outcome(path, format=given_format, **options)
        if isinstance(scores, str):
            assert "\n" not in scores
        else:
            values = scores.frame[list(scores.score_columns)]
            assert (values.dtypes == "float64").all()
            assert not np.isinf(values.to_numpy()).any()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.json", "a.jsonl", "a.eval", "a.txt"]))
def test_any_bytes(tmp_path, data, name) -> None:
    path = written(tmp_path, name, data)
    with pytest.raises(DataError):
        read_scores(path)
