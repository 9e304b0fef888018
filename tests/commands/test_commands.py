"""The commands: their output, their JSON, and their exit statuses."""

import json
import shutil
import subprocess
import sys

import pandas as pd
import pytest

import ragstats as rs
from ragstats.cli import main
from ragstats.commands.flags import as_flags
from ragstats.io.crosscheck import CrossCheck


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scores")
    scores = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    pages = scores["doc_id"].unique()[::20]
    scores = scores[scores["doc_id"].isin(pages)]
    scores.to_csv(folder / "scores.csv", index=False)
    return folder


COLUMNS = ["--doc", "doc_id", "--score", "hit_at_1"]
SYSTEMS = [*COLUMNS, "--system", "system", "--query", "query_id"]


def run(capsys, *arguments):
    """Run the command line in this process; return status, output and errors."""
    with pytest.raises(SystemExit) as left:
        main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return left.value.code or 0, captured.out, captured.err


def test_compare_gives_the_numbers_of_the_library(files, capsys):
    status, out, _ = run(capsys, "compare", files / "scores.csv", *SYSTEMS, "--estimand", "micro",
                         "--margin", 0.05, "--json", "-")  # fmt: skip
    assert status == 0
    found = json.loads(out)
    scores = pd.read_csv(files / "scores.csv", dtype={"query_id": str})
    c = rs.compare(scores, score="hit_at_1", system="system", doc="doc_id", query="query_id",
                   estimand="micro")  # fmt: skip
    row = found["differences"][0]
    want = c.differences.iloc[0]
    assert (row["system"], row["baseline"]) == ("tfidf", "bm25")
    assert (row["estimate"], row["se"], row["df"]) == (want["estimate"], want["se"], want["df"])
    assert len(found["source"]["sha256"]) == 64
    assert found["equivalence"][0]["p_equivalent"] == c.equivalence(0.05)["p_equivalent"].iloc[0]


def test_compare_fits_80_columns(files, capsys):
    _, out, _ = run(capsys, "compare", files / "scores.csv", *SYSTEMS, "--estimand", "macro")
    assert max(map(len, out.splitlines())) <= 80
    assert "cannot be told apart" in out


def test_plan_repeats_the_source_text(capsys):
    status, out, _ = run(capsys, "plan", "--estimand", "micro", "--sd", 0.4122, "--halfwidth", 0.05,
                         "--population", 1300, "--json", "-")  # fmt: skip
    assert status == 0
    assert json.loads(out)["documents"] == 220


def test_coverage_says_what_it_found(files, capsys):
    status, out, _ = run(capsys, "coverage", files / "scores.csv", *COLUMNS, "--system", "system",
                         "--name", "bm25", "--estimand", "micro", "--documents", 10,
                         "--replications", 50, "--json", "-")  # fmt: skip
    assert status == 0
    table = json.loads(out)["table"]
    assert {row["method"] for row in table} >= {"cr2", "cr1", "iid"}


PAIR = ["--system", "system", "--query", "query_id", "--baseline", "bm25"]


def test_coverage_takes_one_name_beside_a_baseline(files, capsys):
    asked = [files / "scores.csv", *COLUMNS, *PAIR, "--estimand", "micro", "--documents", 10,
             "--replications", 20, "--json", "-"]  # fmt: skip
    status, named, _ = run(capsys, "coverage", *asked, "--name", "tfidf")
    assert status == 0
    assert named == run(capsys, "coverage", *asked)[1]  # there are two systems


def test_one_missing_score_is_no_dead_end(files, capsys, tmp_path):
    scores = pd.read_csv(files / "scores.csv")
    scores.loc[3, "hit_at_1"] = None
    scores.to_csv(tmp_path / "scores.csv", index=False)
    start = [tmp_path / "scores.csv", *COLUMNS, *PAIR, "--estimand", "micro"]
    for command, rest in (
        ("plan", ["--halfwidth", 0.05]),
        ("coverage", ["--documents", 10, "--replications", 20]),
    ):
        status, _, err = run(capsys, command, *start, *rest)
        assert status == 2
        assert "--unmatched pairwise" in err
        status, _, _ = run(capsys, command, *start, *rest, "--unmatched", "pairwise")
        assert status == 0


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("unmatched='error': 1", "--unmatched error: 1"),
        ("name one pair: systems=['dense', 'bm25']", "name one pair: --name dense"),
        ("population=4: give", "--population-size 4: give"),
        ("system is missing: name it", "--system is missing: name it"),
        ("name the column with query=", "name the column with --query"),
        ("query='a b' of cov_type='CR5'", "--query 'a b' of cov_type='CR5'"),
        (
            "FILE='x.csv' has --query=y and rs.f(query)",
            "FILE='x.csv' has --query=y and rs.f(query)",
        ),
    ],
)
def test_messages_name_the_options_of_the_command(message, said):
    assert as_flags(message, ["unmatched", "name", "population-size", "system", "query"]) == said


def test_convert_writes_a_plain_table(tmp_path, capsys):
    source = tmp_path / "scores.jsonl"
    rows = [{"doc_id": "a", "query_id": i, "system": "s", "score": i % 2} for i in range(4)]
    source.write_text("\n".join(json.dumps(r) for r in rows))
    status, out, _ = run(capsys, "convert", source, "--to", tmp_path / "out.csv")
    assert status == 0
    assert pd.read_csv(tmp_path / "out.csv")["score"].tolist() == [0, 1, 0, 1]
    assert "wrote" in out
    assert [p.name for p in tmp_path.glob(".*")] == []


@pytest.mark.parametrize(
    ("bound", "status"), [("-0.2", 0), ("0.2", 1), ('"x"', 2)], ids=["passes", "fails", "bad input"]
)
def test_gate_in_a_pipeline(files, tmp_path, bound, status):
    (tmp_path / "gate.toml").write_text(
        'doc = "doc_id"\nscore = "hit_at_1"\nsystem = "system"\nquery = "query_id"\n'
        f'estimand = "micro"\n[[rule]]\ndifference = ["tfidf", "bm25"]\n'
        f"lower_limit_at_least = {bound}\n"
    )
    command = [sys.executable, "-m", "ragstats", "gate", "gate.toml", str(files / "scores.csv")]
    shell = " ".join(f"'{part}'" for part in command) + " | cat; exit ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", shell], cwd=tmp_path, capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    if status == 2:
        assert done.stderr.count("\n") == 1
        assert "is not a number" in done.stderr


def test_gate_reports_an_interval_that_cannot_be_had(tmp_path, capsys):
    rows = pd.DataFrame({"doc": list("aabb"), "score": [0.0, 1.0, 1.0, 1.0]})
    rows.to_csv(tmp_path / "scores.csv", index=False)
    (tmp_path / "gate.toml").write_text(
        'file = "scores.csv"\ndoc = "doc"\nscore = "score"\nestimand = "macro"\ncov_type = "CR1p"\n'
        "[[rule]]\nestimate_at_least = 0.5\n"
    )
    status, out, _ = run(capsys, "gate", tmp_path / "gate.toml")
    assert status == 0  # K = 2, p = 1: CR1p exists
    assert out.startswith("pass")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "none.csv", *SYSTEMS, "--estimand", "micro"], "is not a file"),
        (["plan", "--estimand", "micro", "--sd", "-1", "--halfwidth", "0.1"], "--sd -1"),
        (["convert", "x.jsonl", "--to", "out.xlsx"], "ends in '.xlsx'"),
        (["gate", "none.toml"], "is not a file"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, err = run(capsys, *arguments)
    assert status == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_crosscheck_says_what_to_install(files, capsys, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    status, _, err = run(capsys, "crosscheck", files / "scores.csv", "--doc", "doc_id",
                         "--formula", "hit_at_1 ~ C(system)")  # fmt: skip
    assert status == 2
    assert "Rscript is not installed" in err


def test_a_crosscheck_prints_its_verdict():
    numbers = pd.DataFrame(
        {"ours": [1.0, 2.0], "R": [1.0, 2.0 + 1e-6], "difference": [0.0, 5e-7]},
        index=pd.MultiIndex.from_tuples([("Intercept", "se"), ("Intercept", "p")]),
    )
    check = CrossCheck(numbers, 1e-7, ("word " * 30,))
    said = "2 numbers DISAGREE: largest relative difference 5.0e-07, tolerance 1e-07"
    assert said in str(check).splitlines()
    assert str(check) == check.summary()
    assert max(map(len, str(check).splitlines())) <= 80
    assert repr(check) == f"<CrossCheck: {said}>"


def test_pooled_systems_are_said_to_be_pooled(files, capsys):
    _, _, err = run(capsys, "plan", files / "scores.csv", *COLUMNS, "--estimand", "macro",
                    "--halfwidth", 0.1)  # fmt: skip
    assert "the 2 values of 'system' are pooled into one mean" in err
    _, _, err = run(capsys, "plan", files / "scores.csv", *COLUMNS, "--system", "system",
                    "--name", "bm25", "--estimand", "macro", "--halfwidth", 0.1)  # fmt: skip
    assert "pooled" not in err


def test_report_reads_other_programs_files(tmp_path, capsys):
    log = {
        "status": "success",
        "eval": {"task": "toy", "model": "prov/m1"},
        "samples": [
            {"id": f"q{i}", "epoch": 1, "scores": {"includes": {"value": "CI"[i % 2]}},
             "metadata": {"source": f"doc{i // 3}"}}
            for i in range(9)
        ],
    }  # fmt: skip
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    status, out, err = run(capsys, "report", path, "--format", "inspect", "--doc", "source",
                           "--score", "includes")  # fmt: skip
    assert status == 0, err
    assert "0.5556" in out  # C for even i: five of nine
