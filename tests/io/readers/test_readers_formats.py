"""Each format's sample, read and compared value by value."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd
import pytest
import zip_writer
from reader_samples import (
    DEEPEVAL,
    LM_EVAL,
    MAP,
    RANKED,
    READABLE,
    SAMPLES,
    TRACES,
    inspect_members,
)

from ragstats.exceptions import DataError
from ragstats.io.readers import FORMATS, Scores, read_scores

NAN = np.nan
CORE = ["query_id", "doc_id", "system", "repetition"]


def read(name: str, **options: object) -> Scores:
    return read_scores(SAMPLES / name, **options)  # type: ignore[arg-type]


def check(scores: Scores, columns: list[str], rows: list[tuple[object, ...]]) -> None:
    """Compare the core columns and the scores with what must be there, in order."""
    expected = pd.DataFrame(rows, columns=[*CORE, *columns])
    expected = expected.astype({"query_id": "str", "doc_id": "str", "system": "str"})
    assert scores.score_columns == tuple(columns)
    assert list(scores.frame.columns[: 4 + len(columns)]) == [*CORE, *columns]
    found = scores.frame[[*CORE, *columns]]
    pd.testing.assert_frame_equal(found, expected.astype(dict.fromkeys(columns, "float64")))


def unscored(scores: Scores) -> dict[tuple[str, str], tuple[int, int]]:
    table = scores.unscored
    assert (table["share"] == table["unscored"] / table["rows"]).all()
    return {(r.system, r.score): (r.unscored, r.rows) for r in table.itertuples()}


@pytest.mark.parametrize("name", READABLE)
def test_every_sample_is_recognised_and_hashed(name: str) -> None:
    key, options = READABLE[name]
    scores = read(name, **options)
    assert scores.format == key
    digest = hashlib.sha256((SAMPLES / name).read_bytes()).hexdigest()
    assert scores.sha256[str(SAMPLES / name)] == digest
    given = read(name, format=key, **options)
    pd.testing.assert_frame_equal(given.frame, scores.frame)


def test_every_format_has_a_sample() -> None:
    read_here = {key for key, _ in READABLE.values()} | {"parquet", "frame", "json"}
    assert read_here == set(FORMATS)


def test_csv() -> None:
    scores = read("plain.csv")
    check(
        scores,
        ["hit@1"],
        [
            ("q1", "manual", "bm25", 1, 1),
            ("q1", "manual", "dense", 1, 0),
            ("q2", "manual", "bm25", 1, 0),
            ("q2", "manual", "dense", 1, 1),
            ("q3", "faq", "bm25", 1, 1),
            ("q3", "faq", "dense", 1, NAN),
        ],
    )
    assert scores.document_field == "doc_id (the only field named like a document)"
    assert unscored(scores) == {("bm25", "hit@1"): (0, 3), ("dense", "hit@1"): (1, 3)}
    assert scores.frame["words"].to_list() == [12, 12, 30, 30, 8, 8]
    assert scores.frame["code"].to_list() == ["007", "007", "010", "010", "100", "100"]
    assert scores.frame["note"][3] == 'a "quoted", cell'
    assert any("1 of 3 rows have no score (33.3%)" in note for note in scores.notes)


def test_csv_with_semicolons_decimal_commas_and_percent_signs() -> None:
    scores = read("semicolon.csv", doc="Quelle", query="Frage", score=["Treffer", "Anteil"])
    check(
        scores,
        ["Treffer", "Anteil"],
        [
            ("F1", "Handbuch", "semicolon", 1, 0.5, 0.5),
            ("F2", "Handbuch", "semicolon", 1, 1.0, 0.125),
            ("F3", "FAQ", "semicolon", 1, 0.125, 1.0),
        ],
    )
    assert "semicolon.csv: score 'Treffer': decimal commas read as points" in scores.notes
    assert "semicolon.csv: score 'Anteil': percentages, divided by 100" in scores.notes


def test_columns_are_renamed_before_anything_is_recognised() -> None:
    names = {"Frage": "query_id", "Quelle": "doc_id", "Treffer": "hit"}
    scores = read("semicolon.csv", columns=names)
    assert scores.score_columns == ("hit",)
    assert scores.frame["doc_id"].to_list() == ["Handbuch", "Handbuch", "FAQ"]
    assert "Anteil" in scores.frame


def test_csv_with_one_row_per_measure() -> None:
    scores = read("long.csv")
    rows = [("q1", "manual", "m1", 1, 0.5, 1), ("q2", "faq", "m1", 1, NAN, 0)]
    check(scores, ["faith", "recall"], rows)
    assert any("of query 'all' dropped" in note for note in scores.notes)
    assert any("differs between measures of a query: judge" in note for note in scores.notes)


def test_json_lines() -> None:
    scores = read("plain.jsonl")
    rows = [
        ("1", "manual.pdf", "plain", 1, 1),
        ("2", "manual.pdf", "plain", 1, 0),
        ("3", "faq.pdf", "plain", 1, NAN),
    ]
    check(scores, ["correct"], rows)
    assert scores.document_field == "source.file (the only field named like a document)"
    assert scores.frame["source.page"].to_list() == [3, 4, 1]
    assert any("left out, as they hold lists or objects: tags" in note for note in scores.notes)


def test_json_list_and_frame_and_parquet_give_the_same(tmp_path) -> None:
    table = pd.DataFrame(
        {"query_id": [1, 2], "doc_id": ["a", "b"], "score": [True, False], "n": [3, 4]}
    )
    table.to_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.json").write_text(table.to_json(orient="records"))
    frames = {
        "json": read_scores({"s": tmp_path / "t.json"}),
        "parquet": read_scores({"s": tmp_path / "t.parquet"}),
        "frame": read_scores({"s": table}),
    }
    for key, scores in frames.items():
        assert scores.format == key
        check(scores, ["score"], [("1", "a", "s", 1, 1), ("2", "b", "s", 1, 0)])
        assert scores.frame["n"].to_list() == [3, 4]
    assert frames["frame"].sha256 == {}


def test_parquet_keeps_integers_beside_gaps_and_opens_nested_fields(tmp_path) -> None:
    table = pd.DataFrame(
        {
            "query_id": pd.array([1, 2], dtype="Int64"),
            "meta": [{"source": "a"}, {"source": "b"}],
            "score": pd.array([0.5, None], dtype="Float64"),
            "pages": pd.array([9007199254740993, None], dtype="Int64"),
        }
    )
    table.to_parquet(tmp_path / "t.parquet")
    scores = read_scores(tmp_path / "t.parquet")
    check(scores, ["score"], [("1", "a", "t", 1, 0.5), ("2", "b", "t", 1, NAN)])
    assert scores.document_field.startswith("meta.source ")


def test_ragas() -> None:
    scores = read("ragas.csv")
    sign = "Who signs form B?"
    check(
        scores,
        ["faithfulness", "context_recall"],
        [
            ("How long is the warranty?", "manual", "ragas", 1, 1.0, 1.0),
            (sign, "policy", "ragas", 1, NAN, 0.5),
            ("What is the fee?", "faq", "ragas", 1, 0.66, 1.0),
            (sign, "policy", "ragas", 2, 0.0, 0.5),
            ("Where to send it?", "faq", "ragas", 1, NAN, 0.0),
        ],
    )
    assert unscored(scores)["ragas", "faithfulness"] == (2, 5)
    assert scores.frame["pages"].to_list() == [12, 3, 1, 3, 1]
    assert any("1 row repeats a query" in note for note in scores.notes)


def test_ragas_document_from_lists_of_chunk_ids() -> None:
    scores = read("ragas.csv", doc="reference_context_ids", doc_separator="#")
    assert scores.frame["doc_id"].to_list() == ["manual", "policy", "faq", "policy", "faq"]
    assert "the part before the last '#'" in scores.document_field
    with pytest.raises(DataError, match=r"2 of 5 rows have several documents"):
        read("ragas.csv", doc="reference_context_ids")


def test_ragas_columns_of_the_user_play_their_parts() -> None:
    table = pd.read_csv(SAMPLES / "ragas.csv").drop(columns="context_recall")
    table["system"], table["query_id"] = ["a", "a", "a", "b", "b"], [1, 2, 3, 2, 1]
    table.loc[4, ["source"]] = "manual"
    scores = read_scores(table)
    assert scores.format == "ragas"
    assert scores.frame["system"].to_list() == ["a", "a", "a", "b", "b"]
    assert scores.frame["query_id"].to_list() == ["1", "2", "3", "2", "1"]
    assert scores.frame["repetition"].to_list() == [1] * 5
    with pytest.raises(DataError, match=r"repeat a .system, query, repetition"):
        read_scores(table.assign(system="a"))


INSPECT = [
    ("q0", "doc0", "prov/m1", 1, 1.0, 0.5, 1.0),
    ("q0", "doc0", "prov/m1", 2, 0.0, 0.7, NAN),
    ("q1", "doc1", "prov/m1", 1, 0.5, NAN, NAN),
    ("q2", "doc1", "prov/m1", 1, NAN, NAN, NAN),
    ("q3", "doc0", "prov/m1", 1, NAN, NAN, NAN),
]
INSPECT_SCORES = ["includes", "judge_faithfulness", "judge_helpful"]


def test_inspect_json() -> None:
    scores = read("inspect.json")
    check(scores, INSPECT_SCORES, INSPECT)
    assert scores.document_field == "metadata.source (the only field named like a document)"
    assert scores.frame["metadata.page"].to_list() == [1, 1, 2, 3, 4]
    assert any("'C' is 1, 'I' is 0, 'N' is 0, 'P' is 0.5" in note for note in scores.notes)
    assert any("2 rows ended in an error" in note for note in scores.notes)


@pytest.mark.parametrize("method", [zip_writer.ZSTANDARD, zip_writer.DEFLATED, zip_writer.STORED])
def test_inspect_archive(tmp_path, method: int) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(zip_writer.archive(inspect_members(method)))
    check(read_scores(path), INSPECT_SCORES, INSPECT)


def test_inspect_archive_of_a_run_that_broke_off(tmp_path) -> None:
    path = tmp_path / "log.eval"
    members = [
        m for m in inspect_members() if m.name not in ("header.json", "samples/q3_epoch_1.json")
    ]
    path.write_bytes(zip_writer.archive([m for m in members if "q1" not in m.name]))
    scores = read_scores(path)
    check(scores, INSPECT_SCORES, [INSPECT[0], INSPECT[1], INSPECT[3]])
    assert "log.eval: the run did not end well (status 'started')" in scores.notes
    assert any("3 of 4 samples are in the log" in note for note in scores.notes)


def test_inspect_archive_with_a_sample_written_again_and_a_sample_in_parts(tmp_path) -> None:
    path = tmp_path / "log.eval"
    first, *rest = inspect_members()
    old = zip_writer.Member("samples/q0_epoch_1.json", b'{"id": "q0", "epoch": 1, "scores": {}}')
    shell = {"id": "q4", "epoch": 1, "scores": {"includes": {"value": "C"}}}
    parts = [
        zip_writer.Member("samples/q4_epoch_1/sample.json", json.dumps(shell).encode()),
        zip_writer.Member("samples/q4_epoch_1/metadata.json", b'{"source": "doc4", "page": 9}'),
        zip_writer.Member("samples/q4_epoch_1/messages/0.json", b'[{"role": "user"}]'),
    ]
    path.write_bytes(zip_writer.archive([first, old, *rest, *parts]))
    scores = read_scores(path)
    check(scores, INSPECT_SCORES, [*INSPECT, ("q4", "doc4", "prov/m1", 1, 1.0, NAN, NAN)])
    assert any("1 members were written again later" in note for note in scores.notes)


def test_lm_eval() -> None:
    scores = read(LM_EVAL)
    strict, flexible = "exact_match,strict-match", "exact_match,flexible-extract"
    check(
        scores,
        [strict, flexible],
        [
            ("toyqa/0", "Manual", "org/model-1", 1, 1.0, 1.0),
            ("toyqa/1", "Manual", "org/model-1", 1, 0.0, 1.0),
            ("toyqa/2", "FAQ", "org/model-1", 1, 0.0, NAN),
        ],
    )
    assert scores.document_field == "doc.title (the only field named like a document)"
    assert any("doc_id is the item number" in note for note in scores.notes)
    assert any("no mean over items" in note and "bleu" in note for note in scores.notes)
    by_passage = read(LM_EVAL, doc="passage_id", score=strict)
    assert by_passage.frame["doc_id"].to_list() == ["p7", "p9", "p1"]
    assert by_passage.score_columns == (strict,)


def test_lm_eval_under_another_name_keeps_the_file_as_system(tmp_path) -> None:
    path = tmp_path / "mine.jsonl"
    lines = (SAMPLES / LM_EVAL).read_text().splitlines()[::2]
    path.write_text("\n".join(lines) + "\n")
    scores = read_scores(path)
    rows = [
        ("0", "Manual", "mine", 1, 1),
        ("1", "Manual", "mine", 1, 0),
        ("2", "FAQ", "mine", 1, 0),
    ]
    check(scores, ["exact_match"], rows)


def test_lm_eval_without_a_document_lists_what_could_be_one(tmp_path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text((SAMPLES / LM_EVAL).read_text().replace('"title"', '"about"'))
    with pytest.raises(DataError) as error:
        read_scores(path)
    message = str(error.value)
    assert "doc.about (2 distinct)" in message
    assert "doc.passage_id (3 distinct)" in message
    assert "doc_id numbers the items" in message


MEASURES = ["hit_at_1", "hit_at_5", "hit_at_10", "rr", "ndcg_at_10"]
# Gains 2, 1 in q1, of which the run finds the first: 2 / (2 + 1/log2(3)). In q2 the two
# documents tie, and trec_eval puts the larger id, policy#2, first.
Q1 = 2 / (2 + 1 / np.log2(3))
SECOND = 1 / np.log2(3)


@pytest.mark.parametrize("qrels", ["qrels.trec", "qrels_beir.tsv", "qrels.json"])
@pytest.mark.parametrize(
    ("run", "system"),
    [("run.trec", "bm25"), ("ranx_run.json", "ranx_run"), ("Toy_predictions.json", "org/dense")],
)
def test_rankings(run: str, system: str, qrels: str) -> None:
    scores = read(run, qrels=SAMPLES / qrels, doc_separator="#")
    values = scores.frame[MEASURES].to_numpy()
    expected = [
        [1, 1, 1, 1, Q1],
        [0, 1, 1, 0.5, SECOND],
        [0, 1, 1, 0.5, SECOND],
        [NAN] * 5,
    ]
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    assert scores.frame["query_id"].to_list() == ["q1", "q2", "q3", "q4"]
    assert scores.frame["doc_id"].to_list() == ["manual", "faq", "manual", "policy"]
    assert set(scores.frame["system"]) == {system}
    assert set(scores.sha256) == {str(SAMPLES / run), str(SAMPLES / qrels)}
    assert any("1 query of the run has no judgements" in note for note in scores.notes)
    assert any("1 judged queries are not in the run" in note for note in scores.notes)


def test_rankings_with_other_measures_and_misses_counted_as_zero() -> None:
    options = {**RANKED, "measures": ["P@1", "hit@2", "R@100"], "unscored": "zero"}
    scores = read("run.trec", **options)
    assert scores.score_columns == ("p_at_1", "hit_at_2", "r_at_100")
    assert scores.frame["r_at_100"].to_list() == [0.5, 1, 1, 0]
    with pytest.raises(DataError, match=r"'nonsense@3' is not a measure"):
        read("run.trec", **{**RANKED, "measures": ["nonsense@3"]})


def test_a_query_of_several_documents_needs_a_rule() -> None:
    with pytest.raises(DataError, match=r"query 'q1': 'manual#p3', 'manual#p9'"):
        read("run.trec", qrels=SAMPLES / "qrels.trec")
    first = read("run.trec", qrels=SAMPLES / "qrels.trec", several="first")
    assert first.frame["doc_id"].to_list() == ["manual#p3", "faq#7", "manual#p1", "policy#2"]
    mapped = read("run.trec", qrels=SAMPLES / "qrels.trec", documents=MAP)
    assert mapped.frame["doc_id"].to_list() == ["manual", "faq", "manual", "policy"]


def test_trec_eval() -> None:
    scores = read("trec_eval_q.txt", documents=SAMPLES / "documents.csv")
    check(
        scores,
        ["ndcg_cut_10", "recip_rank"],
        [
            ("q1", "manual", "bm25", 1, 0.9502, 1.0),
            ("q2", "faq", "bm25", 1, 0.6309, 0.5),
            ("q3", "manual", "bm25", 1, 0.6309, 0.5),
        ],
    )
    assert scores.document_field == "documents.csv"
    assert any("2 rows of query 'all' dropped" in note for note in scores.notes)


def test_trec_eval_with_lines_missing_is_refused(tmp_path) -> None:
    path = tmp_path / "t.txt"
    lines = (SAMPLES / "trec_eval_q.txt").read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "\tq3\t" not in line))
    with pytest.raises(DataError, match=r"2 queries, but num_q says 3.0"):
        read_scores(path, documents=MAP)


def test_printed_measures_take_documents_from_judgements() -> None:
    scores = read("trec_eval_q.txt", qrels=SAMPLES / "qrels.trec", doc_separator="#")
    assert scores.frame["doc_id"].to_list() == ["manual", "faq", "manual"]


def test_ir_measures() -> None:
    scores = read("ir_measures_q.txt", documents=MAP)
    check(
        scores,
        ["nDCG@10", "AP"],
        [
            ("q1", "manual", "ir_measures_q", 1, 0.9502, 0.5),
            ("q2", "faq", "ir_measures_q", 1, 0.6309, 0.5),
            ("q4", "policy", "ir_measures_q", 1, 0.0, 0.0),
        ],
    )
    assert any("2 zeros: ir_measures also prints 0" in note for note in scores.notes)
    lines = read("ir_measures_q.jsonl", documents=MAP)
    check(
        lines,
        ["nDCG@10"],
        [
            ("q1", "manual", "ir_measures_q", 1, 0.9502344167898356),
            ("q2", "faq", "ir_measures_q", 1, 0.6309297535714575),
        ],
    )


def test_promptfoo() -> None:
    scores = read("promptfoo.json")
    check(
        scores,
        ["success", "score", "faith"],
        [
            ("0", "manual", "m1 / 0", 1, 1, 1, 0.9),
            ("0", "manual", "m1 / 1", 1, 0, 0.5, 0.5),
            ("1", "faq", "m1 / 0", 1, NAN, NAN, NAN),
            ("1", "faq", "m1 / 1", 1, NAN, NAN, NAN),
            ("0", "manual", "m1 / 0", 2, 1, 1, 0.7),
        ],
    )
    assert scores.document_field.startswith("vars.doc ")
    assert any("2 rows ended in an error" in note for note in scores.notes)


def test_deepeval() -> None:
    scores = read(DEEPEVAL)
    check(
        scores,
        ["Faithfulness", "Contextual Recall"],
        [
            ("test_case_0", "manual", "rag-v2", 1, 0.9, NAN),
            ("test_case_1", "manual", "rag-v2", 1, 0.2, 1.0),
            ("test_case_2", "faq", "rag-v2", 1, 1.0, NAN),
        ],
    )
    assert any("score 'Contextual Recall': 1 ended in an error" in n for n in scores.notes)
    assert not any("lower is better" in note for note in scores.notes)


def test_deepeval_says_which_scores_are_better_when_lower(tmp_path) -> None:
    path = tmp_path / "t.json"
    text = (SAMPLES / DEEPEVAL).read_text()
    path.write_text(text.replace('"success": true, "score": 0.9', '"success": false, "score": 0.9'))
    notes = read_scores(path).notes
    assert "t.json: score 'Faithfulness': passes below its threshold, so lower is better" in notes


def test_phoenix() -> None:
    scores = read("phoenix.csv")
    check(
        scores,
        ["correct"],
        [
            ("RXg6MQ==", "manual", "phoenix", 1, 1.0),
            ("RXg6MQ==", "manual", "phoenix", 2, 1.0),
            ("RXg6Mg==", "faq", "phoenix", 1, NAN),
            ("RXg6Mw==", "faq", "phoenix", 1, 0.0),
            ("RXg6NA==", "faq", "phoenix", 1, NAN),
            ("RXg6NQ==", "faq", "phoenix", 1, NAN),
        ],
    )
    assert scores.document_field.startswith("input.doc ")
    assert scores.frame["latency_ms"].to_list() == [10.5, 11.5, 30.0, 9.0, 9.5, 9.5]
    nested = read("phoenix.json")
    rows = [("RXg6MQ==", "manual", "phoenix", 1, 1, NAN), ("RXg6Mg==", "faq", "phoenix", 1, 0, NAN)]
    check(nested, ["correct", "tone"], rows)
    labels = read("phoenix.csv", score="annotation_correct_label")
    assert labels.frame["annotation_correct_label"].to_list()[3:5] == [0.0, 1.0]


def test_langsmith() -> None:
    scores = read("langsmith.csv")
    check(
        scores,
        ["correct"],
        [
            ("ex1", "manual", "langsmith", 1, 1),
            ("ex2", "policy", "langsmith", 1, 0),
            ("ex3", "faq", "langsmith", 1, NAN),
            ("ex1", "manual", "langsmith", 2, 1),
            ("ex4", "faq", "langsmith", 1, 0),
        ],
    )
    assert any("score 'grade': 4 of 4 values are not numbers" in note for note in scores.notes)
    with pytest.raises(DataError, match=r"'good', 'bad'"):
        read("langsmith.csv", score="grade")


def test_langfuse() -> None:
    scores = read("langfuse.csv", documents=TRACES)
    check(
        scores,
        ["faithfulness_EVAL", "helpful", "faithfulness_ANNOTATION"],
        [
            ("t1", "manual", "langfuse", 1, 0.9, 1, NAN),
            ("t2", "faq", "langfuse", 1, 0.4, NAN, 0.5),
            ("t3", "faq", "langfuse", 1, NAN, 0, NAN),
        ],
    )
    # The number of a categorical score is the index of its label: it must not be a score.
    assert any("1 row with dataType CATEGORICAL dropped" in note for note in scores.notes)
    lines = read("langfuse.jsonl", documents=TRACES)
    rows = [("t1", "manual", "langfuse", 1, 0.9), ("t2", "faq", "langfuse", 1, 0.4)]
    check(lines, ["faithfulness"], rows)
    with pytest.raises(DataError, match=r"pass documents= from traceId"):
        read("langfuse.csv")


def test_openai_evals() -> None:
    _, options = READABLE["openai_evals.jsonl"]
    scores = read("openai_evals.jsonl", **options)
    rows = [
        ("toy.dev.0", "manual", "m1", 1, 1),
        ("toy.dev.1", "manual", "m1", 1, 0),
        ("toy.dev.2", "manual", "m1", 1, NAN),
    ]
    check(scores, ["correct"], rows)


@pytest.mark.parametrize(
    ("name", "serves"),
    [
        ("mteb_result.json", "Toy_predictions.json"),
        ("results_2026-01-05T10-00-00.000001.json", "samples_<task>_<time>.jsonl"),
        ("qrels.trec", "qrels="),
    ],
)
def test_files_without_outcomes_of_queries_name_the_file_that_has_them(
    name: str, serves: str
) -> None:
    with pytest.raises(DataError, match=serves):
        read(name)
