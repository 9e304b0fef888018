"""Which fields become what, several files, the policy for missing scores, and the guards
that look across rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from reader_samples import MAP, RANKED, SAMPLES

from ragstats.exceptions import DataError
from ragstats.io.readers import read_scores


def table(**columns: object) -> pd.DataFrame:
    base = {"query_id": ["q1", "q2"], "doc_id": ["a", "b"], "score": [1.0, 0.0]}
    return pd.DataFrame({**base, **columns})


def test_the_document_is_never_guessed() -> None:
    frame = (
        table().rename(columns={"doc_id": "passage_id"}).assign(words=[3, 3], section=["x", "y"])
    )
    with pytest.raises(DataError) as error:
        read_scores(frame)
    message = str(error.value)
    assert "no field is named like a document; pass doc=" in message
    assert "passage_id (2 distinct)" in message
    assert "words (1 distinct)" in message
    assert "query_id" not in message
    assert read_scores(frame, doc="passage_id").frame["doc_id"].to_list() == ["a", "b"]


def test_two_fields_named_like_a_document_are_an_error() -> None:
    with pytest.raises(
        DataError, match=r"several fields are named like a document .'doc_id', 'doc'"
    ):
        read_scores(table(doc=["c", "d"]))
    scores = read_scores(table(doc=["c", "d"]), doc="doc")
    assert scores.frame["doc_id"].to_list() == ["c", "d"]
    assert scores.frame["doc_id_in_file"].to_list() == ["a", "b"]


def test_a_document_goes_before_a_source() -> None:
    scores = read_scores(table(source=["web", "web"]))
    assert scores.frame["doc_id"].to_list() == ["a", "b"]
    assert scores.frame["source"].to_list() == ["web", "web"]


@pytest.mark.parametrize("absent", [None, "", " ", "nan", "NA", np.nan, []])
def test_a_row_without_a_document_is_an_error(absent) -> None:
    frame = table(doc_id=pd.Series(["a", absent], dtype=object))
    with pytest.raises(DataError, match=r"1 of 2 rows have no document in doc_id .*'q2'"):
        read_scores(frame)


def test_a_query_belongs_to_one_document() -> None:
    frame = table(system=["s", "t"], query_id=["q1", "q1"])
    with pytest.raises(DataError, match=r"first: 'q1' to 'a', 'b'.*name both in query="):
        read_scores(frame)
    scores = read_scores(frame, query=["doc_id", "query_id"])
    assert scores.frame["query_id"].to_list() == ["a/q1", "b/q1"]


def test_part_names_of_documents() -> None:
    frame = table(doc_id=["man#ual#3", "faq"])
    assert read_scores(frame, doc_separator="#").frame["doc_id"].to_list() == ["man#ual", "faq"]
    with pytest.raises(DataError, match=r"1 of 2 rows have no document"):
        read_scores(table(doc_id=["#3", "faq"]), doc_separator="#")


@pytest.mark.parametrize(
    "given",
    [
        {"q1": "x", "q2": "y", "q9": "z"},
        pd.Series({"q1": "x", "q2": "y"}),
        pd.DataFrame({"qid": ["q1", "q2"], "document": ["x", "y"]}),
    ],
)
def test_documents_from_a_map(given) -> None:
    scores = read_scores(table().drop(columns="doc_id"), documents=given)
    assert scores.frame["doc_id"].to_list() == ["x", "y"]
    assert scores.document_field == "documents="


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.csv", "query_id,doc_id\nq1,x\nq2,y\n"),
        ("m.csv", '"doc_id";"qid"\nx;q1\ny;q2\n'),
        ("m.tsv", "q1\tx\nq2\ty\n"),
        ("m.csv", "Frage,Quelle\nq1,x\nq2,y\n"),
        ("m.json", '{"q1": "x", "q2": ["y"]}'),
        ("m.jsonl", '{"query_id": "q1", "doc_id": "x"}\n{"query_id": "q2", "doc_id": "y"}\n'),
    ],
)
def test_documents_from_a_file(tmp_path, name, text) -> None:
    path = tmp_path / name
    path.write_text(text)
    scores = read_scores(table().drop(columns="doc_id"), documents=path)
    assert scores.frame["doc_id"].to_list() == ["x", "y"]
    assert scores.document_field == name
    assert set(scores.sha256) == {str(path)}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"q1": "x"}, "1 of 2 rows have no document in documents= .queries 'q2'"),
        ({"q1": "x", "q2": None}, "a pair without query or document"),
        ({}, "the map is empty"),
        (3, "documents=int is no map"),
        (pd.DataFrame({"a": [1], "b": [2]}), "columns called query_id and doc_id are needed"),
        (pd.Series(["x", "y"], index=["q1", "q1"]), "query 'q1' belongs to 'x' and to 'y'"),
        ({"q1": ["x", "z"], "q2": "y"}, "1 of 2 rows have several documents"),
    ],
)
def test_maps_that_are_refused(given, complaint) -> None:
    with pytest.raises(DataError, match=complaint):
        read_scores(table().drop(columns="doc_id"), documents=given)


def test_a_map_and_a_field_contradict_each_other() -> None:
    with pytest.raises(DataError, match=r"both name the document"):
        read_scores(table(), documents={"q1": "x"}, doc="doc_id")


def test_a_json_map_with_a_query_twice_is_refused(tmp_path) -> None:
    path = tmp_path / "m.json"
    path.write_text('{"q1": "x", "q1": "y", "q2": "z"}')
    with pytest.raises(DataError, match=r"m.json: key 'q1' is there twice"):
        read_scores(table().drop(columns="doc_id"), documents=path)


def test_files_are_put_together_and_named_by_the_user() -> None:
    frame = table()
    scores = read_scores({"a": frame, "b": frame.assign(score=[0.5, np.nan])})
    assert scores.frame["system"].to_list() == ["a", "a", "b", "b"]
    assert scores.unscored.to_dict("list") == {
        "system": ["a", "b"],
        "score": ["score", "score"],
        "rows": [2, 2],
        "unscored": [0, 1],
        "share": [0.0, 0.5],
    }
    with pytest.raises(DataError, match=r"2 of 4 rows repeat a .system, query, repetition."):
        read_scores([frame, frame])


def test_two_runs_under_the_names_of_the_user() -> None:
    runs = {"first": SAMPLES / "run.trec", "second": SAMPLES / "ranx_run.json"}
    scores = read_scores(runs, **RANKED)
    assert scores.format == "trec_run, run_json"
    first, second = (scores.frame.query(f"system == '{s}'").iloc[:, 4:] for s in runs)
    np.testing.assert_array_equal(first.to_numpy(), second.to_numpy())


def test_files_with_their_documents_in_different_fields() -> None:
    other = table().rename(columns={"doc_id": "source"})
    with pytest.raises(DataError, match=r"different fields"):
        read_scores({"a": table(), "b": other})


def test_a_score_that_is_numbers_in_one_file_only() -> None:
    files = {"a": table(accuracy=[1, 0]), "b": table(accuracy=["high", "low"])}
    with pytest.raises(DataError, match=r"score 'accuracy': numbers in one file"):
        read_scores(files)


def test_a_score_cannot_take_the_name_of_an_id() -> None:
    frame = table().rename(columns={"score": "repetition"})
    with pytest.raises(DataError, match=r"a score cannot be called 'repetition'"):
        read_scores(frame, score="repetition")


def test_the_parts_are_said() -> None:
    scores = read_scores(table(model=["m", "m"], epoch=[1, 1]))
    assert "frame: query: query_id; system: model; repetition: epoch" in scores.notes
    plain = read_scores({"s": table()})
    assert "frame: query: query_id; system: 's' throughout; repetition: none" in plain.notes


def test_row_numbers_do_not_pair_systems() -> None:
    frame = table().drop(columns="query_id")
    assert read_scores(frame).frame["query_id"].to_list() == ["1", "2"]
    for several in ({"a": frame, "b": frame}, frame.assign(system=["x", "y"])):
        with pytest.raises(DataError, match=r"row numbers do not pair"):
            read_scores(several)


def test_repetitions() -> None:
    frame = table(query_id=["q1", "q1"], doc_id=["a", "a"])
    with pytest.raises(DataError, match=r"1 of 2 rows repeat"):
        read_scores(frame)
    assert read_scores(frame, repetition="#").frame["repetition"].to_list() == [1, 2]
    named = read_scores(frame.assign(epoch=[3, 5]))
    assert named.frame["repetition"].to_list() == [3, 5]
    words = read_scores(frame.assign(seed=["x", "y"]), repetition="seed")
    assert words.frame["repetition"].to_list() == ["x", "y"]
    with pytest.raises(
        DataError, match=r"repetition 'seed' is missing in 1 of 2 rows .first: row 2"
    ):
        read_scores(frame.assign(seed=["x", None]), repetition="seed")


def test_ids_that_are_missing_or_nested() -> None:
    with pytest.raises(DataError, match=r"query 'query_id' is missing in 1 of 2 rows"):
        read_scores(table(query_id=["q1", None]))
    with pytest.raises(DataError, match=r"system 'system' is missing in 1 of 2 rows"):
        read_scores(table(system=["s", ""]))
    with pytest.raises(DataError, match=r"1 of 2 cells are lists or objects"):
        read_scores(table(query_id=pd.Series(["q1", ["q2"]], dtype=object)))


def test_policies_for_missing_scores() -> None:
    frame = table(score=[0.5, None], rr=[None, None])
    keep = read_scores(frame)
    np.testing.assert_array_equal(keep.frame[["score", "rr"]], [[0.5, np.nan], [np.nan, np.nan]])
    assert keep.notes[-1] == "unscored='keep': 3 missing scores are NaN in the table"
    drop = read_scores(frame, unscored="drop")
    assert drop.frame["query_id"].to_list() == ["q1"]
    assert drop.notes[-1] == (
        "unscored='drop': 1 of 2 rows without any score dropped; 1 missing scores stay NaN"
    )
    assert drop.unscored["unscored"].to_list() == [1, 2]
    zero = read_scores(frame, unscored="zero").frame
    one = read_scores(frame, unscored="one").frame
    np.testing.assert_array_equal(zero[["score", "rr"]], [[0.5, 0], [0, 0]])
    np.testing.assert_array_equal(one[["score", "rr"]], [[0.5, 1], [1, 1]])
    with pytest.raises(DataError, match=r"3 scores are missing and unscored='raise'"):
        read_scores(frame, unscored="raise")
    with pytest.raises(DataError, match=r"none of the 2 rows has a score"):
        read_scores(frame, unscored="drop", score="rr")


def test_scores_are_named_or_asked_for() -> None:
    frame = table().rename(columns={"score": "quality"})
    with pytest.raises(DataError, match=r"pass score= with its name; candidates: 'quality'"):
        read_scores(frame)
    assert read_scores(frame, score="quality").score_columns == ("quality",)
    with pytest.raises(ValueError, match=r"score='qualty' is not a column.*did you mean 'quality'"):
        read_scores(frame, score="qualty")


def test_a_measure_that_cannot_be_read_is_kept_as_a_covariate_and_said() -> None:
    scores = read_scores(table(accuracy=["high", "low"]))
    assert scores.score_columns == ("score",)
    assert scores.frame["accuracy"].to_list() == ["high", "low"]
    assert any("score 'accuracy': 2 of 2 values are not numbers" in n for n in scores.notes)
    with pytest.raises(DataError, match=r"are not numbers .'high', 'low'"):
        read_scores(table(accuracy=["high", "low"]), score="accuracy")


def test_one_row_per_measure_by_the_users_word() -> None:
    frame = pd.DataFrame(
        {
            "query_id": ["q1", "q1", "q2"],
            "doc_id": ["a", "a", "b"],
            "judge": ["x", "y", "x"],
            "score": [0.1, 0.2, 0.3],
        }
    )
    scores = read_scores(frame, metric="judge")
    np.testing.assert_array_equal(scores.frame[["x", "y"]], [[0.1, 0.2], [0.3, np.nan]])
    with pytest.raises(DataError, match=r"1 value is there twice .first: 'x' for query_id 'q1'"):
        read_scores(frame.assign(judge="x"), metric="judge")
    with pytest.raises(DataError, match=r"1 row .first: row 2. without a measure"):
        read_scores(frame.assign(judge=["x", None, "x"]), metric="judge")
    with pytest.raises(DataError, match=r"needs a column 'score' or 'value'"):
        read_scores(frame.rename(columns={"score": "v"}), metric="judge")


def test_an_index_with_a_name_is_a_column() -> None:
    scores = read_scores(table().set_index("query_id"))
    assert scores.frame["query_id"].to_list() == ["q1", "q2"]


def test_a_last_part_of_a_field_is_enough_where_it_is_unique() -> None:
    frame = table().drop(columns="doc_id")
    one = frame.assign(**{"meta.origin": ["x", "y"]})
    assert read_scores(one, doc="origin").document_field == "meta.origin (asked for: doc='origin')"
    with pytest.raises(DataError, match=r"could be 'meta.origin' or 'vars.origin'"):
        read_scores(one.assign(**{"vars.origin": ["x", "y"]}), doc="origin")


def test_the_users_frame_is_left_alone() -> None:
    frame = table(score=["yes", "no"])
    before = frame.copy(deep=True)
    read_scores(frame, unscored="zero")
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"format": "csvv"}, "format='csvv' is unknown .did you mean 'csv'"),
        ({"unscored": "nil"}, "unscored='nil' is unknown.*'keep'"),
        ({"several": "all"}, "several='all' is unknown"),
        ({"doc": "dok_id"}, "doc='dok_id' is not a column.*did you mean 'doc_id'"),
        ({"query": []}, "query=.. is not a name or a list of names"),
        ({"query": ["query_id", "query_id"]}, "names 'query_id' twice"),
        ({"score": [1]}, "score=.1. is not a name"),
        ({"columns": {"x": "y"}}, "columns='x' is not a column"),
        ({"columns": {"score": "doc_id"}}, "gives two fields the name 'doc_id'"),
        ({"columns": "score"}, "columns='score' is not a mapping"),
        ({"doc_separator": ""}, "doc_separator='' cuts nothing"),
        ({"format": "inspect"}, "format='inspect' is Inspect log"),
        ({"system": "sistem"}, "system='sistem' is not a column"),
    ],
)
def test_arguments_that_are_wrong(options, complaint) -> None:
    with pytest.raises(ValueError, match=complaint) as error:
        read_scores(table(), **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("path", "complaint"), [(3, "path=int"), ([], "names no file"), ({}, "no")]
)
def test_paths_that_are_none(path, complaint) -> None:
    with pytest.raises(DataError, match=complaint):
        read_scores(path)


def test_a_summary_says_what_was_read() -> None:
    text = str(read_scores(SAMPLES / "ir_measures_q.txt", documents=MAP))
    assert text.splitlines()[0] == (
        "3 rows (ir_measures): 3 queries, 3 documents, 1 system; scores: nDCG@10, AP"
    )
    assert "note: ir_measures_q.txt: 2 rows of query 'all' dropped: they hold means" in text


def test_two_formats_that_fit_are_an_error() -> None:
    frame = table(example_id=[1, 2], execution_time=[0.1, 0.1], repetition_number=[1, 1])
    with pytest.raises(DataError, match=r"may be 'phoenix' .*'langsmith' .*; pass format="):
        read_scores(frame)
    assert read_scores(frame, format="frame").format == "frame"


def test_a_field_called_query_is_the_query() -> None:
    frame = table().rename(columns={"query_id": "query"})
    found = read_scores(frame)
    assert found.frame["query_id"].to_list() == ["q1", "q2"]
    assert "query: query;" in str(found)
    both = read_scores(table(query=["what?", "why?"]))  # an id goes before a text
    assert both.frame["query_id"].to_list() == ["q1", "q2"]
