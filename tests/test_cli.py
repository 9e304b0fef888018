"""The command line: the demo, reports on files, and one line for what cannot be analysed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from ragstats.cli import app, main

COLUMNS = ["--doc", "doc", "--score", "hit", "--system", "system", "--query", "query"]


def rows(documents: int = 9) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        [
            (f"d{d}", f"{d}-{q}", system, int(rng.random() < 0.3 + 0.3 * (system == "b")))
            for d in range(documents)
            for q in range(1 + d * 2)
            for system in ("a", "b")
        ],
        columns=["doc", "query", "system", "hit"],
    )


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows().to_csv(path, index=False)
    return path


def command(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    line = [sys.executable, "-W", "error", "-m", "ragstats", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, **options)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Run the command line here; return the one line with which it refuses."""
    with pytest.raises(SystemExit) as stopped:
        main([str(a) for a in arguments])
    said = capsys.readouterr()
    assert stopped.value.code == 2
    assert said.out == ""
    lines = said.err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("ragstats: ")
    return lines[0]


# --- the demo -----------------------------------------------------------------------------------
def test_the_demo_runs_and_fits_80_columns() -> None:
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0
    assert max(map(cell_len, result.output.splitlines())) <= 80
    for fact in ("0.1613", "0.1950", "202.5", "-0.0155", "5,588", "23.3% of the documents"):
        assert fact in result.output
    assert "not stated" not in result.output


def test_the_demo_writes_its_page_as_a_process(tmp_path: Path) -> None:
    page = tmp_path / "demo.html"
    done = command("demo", "--html", page)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == [f"wrote {page} ({page.stat().st_size / 1000:,.0f} kB)"]
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")


# --- reports on files ---------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["csv", "csv.gz", "tsv", "parquet"])
def test_each_kind_of_file_gives_the_same_report(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"scores.{kind}"
    if kind == "parquet":
        rows().to_parquet(path)
    else:
        rows().to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    out = tmp_path / "r.json"
    result = CliRunner().invoke(app, ["report", str(path), *COLUMNS, "--json", str(out)])
    assert result.exit_code == 0, result.output
    about = json.loads(out.read_text(encoding="utf-8"))
    difference = about["pairs"][0]["differences"]["micro"]["estimate"]
    means = rows().groupby("system")["hit"].mean()
    assert difference == pytest.approx(means["b"] - means["a"], rel=1e-12)
    assert about["source"]["name"] == path.name
    assert about["source"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_pattern_reads_its_files_as_one(
    csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = rows()
    for i, part in enumerate((data[: len(data) // 2], data[len(data) // 2 :])):
        part.to_csv(tmp_path / f"part{i}.csv", index=False)
    outs = []
    for name in ("scores.csv", "part*.csv"):
        done = command("compare", tmp_path / name, *COLUMNS, "--estimand", "micro", "--json", "-")
        outs.append(json.loads(done.stdout))
    whole, parts = outs
    assert parts["differences"] == whole["differences"]
    read = b"".join((tmp_path / f"part{i}.csv").read_bytes() for i in (0, 1))
    assert parts["source"] == {"file": "part*.csv", "sha256": hashlib.sha256(read).hexdigest()}
    data.rename(columns={"hit": "rank"}).to_csv(tmp_path / "part2.csv", index=False)
    said = refused(capsys, "report", tmp_path / "part*.csv", *COLUMNS)
    assert "'part0.csv' and 'part2.csv' have different columns" in said
    assert refused(capsys, "report", "none/*.csv", *COLUMNS).endswith(
        "FILE='none/*.csv' fits no file"
    )


def test_ids_are_text_whatever_they_look_like(tmp_path: Path) -> None:
    """As numbers, "007" and "7" would be one document."""
    data = pd.DataFrame({"doc": ["007", "7", "7.0", "8"], "hit": [1, 0, 1, 0]})
    path = tmp_path / "ids.csv"
    data.to_csv(path, index=False)
    result = CliRunner().invoke(app, ["report", str(path), "--doc", "doc", "--score", "hit"])
    assert result.exit_code == 0, result.output
    assert "4 documents, 4 scored rows" in result.output


def test_every_output_is_written_and_named(csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    places = {"--html": out / "r.html", "--json": out / "r.json", "--markdown": out / "r.md"}
    options = [str(part) for item in places.items() for part in item]
    done = command("report", csv, *COLUMNS, *options, "--figures", out / "figures")
    assert done.returncode == 0, done.stderr
    names = sorted(p.name for p in (out / "figures").iterdir())
    drawn = ["differences", "influence", "means", "rates", "sizes"]
    assert names == [f"{name}.{kind}" for name in drawn for kind in ("png", "svg")]
    written = [line.split()[1] for line in done.stderr.splitlines()]
    expected = [*places.values(), *(out / "figures").iterdir()]
    assert sorted(written) == sorted(map(str, expected))
    assert "](<figures/means.svg>)" in places["--markdown"].read_text(encoding="utf-8")
    assert not [p for p in out.rglob("*") if p.name.endswith(".part")]


def test_what_is_stated_on_the_command_line_is_in_the_report(csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    stated = {
        "--estimand": "macro", "--why-estimand": "documents are what we promise",
        "--population": "the handbook", "--design": "drawn by lot", "--levels": "documents only",
        "--population-size": "90", "--title": "T", "--baseline": "a", "--alpha": "0.1",
        "--left-out": "weather", "--cov-type": "CR1", "--df": "K-1",
    }  # fmt: skip
    options = [part for item in stated.items() for part in item]
    arguments = ["report", str(csv), *COLUMNS, *options, "--json", str(out)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    about = json.loads(out.read_text(encoding="utf-8"))
    study, method = about["study"], about["method"]
    assert study["not_stated"] == {}
    assert (study["estimand"], study["why_estimand"]) == ("macro", "documents are what we promise")
    assert study["fraction"] == pytest.approx(0.1)
    assert (method["cov_type"], method["df"], method["alpha"]) == ("CR1", "K-1", 0.1)
    assert about["left_out"][-1] == "weather"
    assert about["title"] == "T"


# --- bad input ----------------------------------------------------------------------------------
def changed(name: str, value: Any, where: Any = slice(None)) -> pd.DataFrame:
    data = rows().astype(object)
    data.loc[data.index[where], name] = value
    return data


BAD_ROWS = {
    "one document": (rows(1), "--doc doc: 1 document, at least 2 needed"),
    "infinite score": (changed("hit", "inf", [3]), "--score hit: 1 infinite value;"),
    "no score at all": (changed("hit", None), "none of the 162 rows has a score"),
    "missing score, unmatched": (
        changed("hit", None, [3]),
        "--unmatched error: 1 query has a score of only one",
    ),
    "missing document": (changed("doc", None, [3, 4]), "--doc doc: 2 missing ids in 162 rows"),
    "missing query": (changed("query", None, [3]), "--query query: 1 missing id in"),
    "query twice": (pd.concat([rows(), rows().head(1)]), "--query query: 1 row repeats a query"),
    "query in two documents": (
        changed("query", "0-0", [7]),
        "--query query: ",
    ),
    "a system without scores": (
        changed("hit", None, rows()["system"] == "b"),
        "--system b has 0 scored queries (81 rows, none scored)",
    ),
    "words for scores": (changed("hit", "good", [3]), "does not hold numbers"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_rows_are_refused_in_one_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, said = BAD_ROWS[name]
    path = tmp_path / "bad.csv"
    data.to_csv(path, index=False)
    assert said in refused(capsys, "report", path, *COLUMNS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--doc", "dok"], "--doc dok is not a column of the data (did you mean 'doc'?)"),
        (["--score", "hits"], "--score hits is not a column of the data (did you mean 'hit'?)"),
        (["--system", "sistem"], "(did you mean 'system'?)"),
        (["--query", "queri"], "(did you mean 'query'?)"),
        (["--cov-type", "CR5"], "--cov-type CR5 is unknown"),
        (["--cov-type", "cluster"], "is 'CR1S' here"),
        (["--df", "satterthwait"], "(did you mean 'satterthwaite'?)"),
        (["--unmatched", "pairs"], "(did you mean 'pairwise'?)"),
        (["--baseline", "c"], "--baseline c has 0 scored queries"),
        (["--estimand", "mikro"], "(did you mean 'micro'?)"),
        (["--population-size", "4"], "--population-size 4:"),
        (["--fraction", "3"], "--fraction 3.0:"),
        (["--alpha", "1.5"], "--alpha 1.5:"),
    ],
)
def test_wrong_options_are_refused_in_one_line(
    options: list[str], said: str, csv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in refused(capsys, "report", csv, *COLUMNS, *options)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("absent.csv", None, "is not a file"),
        ("empty.csv", b"", "FILE='empty.csv' is empty"),
        ("blank.csv", b" \n", "FILE='blank.csv' is empty"),
        ("header.csv", b"doc,hit,system,query\n", "has a header and no rows"),
        ("scores.xlsx", b"x", "ends in '.xlsx'"),
        ("scores.parquit", b"x", "(did you mean '.parquet'?)"),
        ("broken.parquet", b"not parquet", "FILE='broken.parquet' cannot be read"),
        ("ragged.csv", b"doc,hit\na,1\nb,0,1,2\n", "FILE='ragged.csv' cannot be read"),
        ("latin.csv", "doc,hit\nä,1\n".encode("latin-1"), "FILE='latin.csv' cannot be read"),
        ("not.csv.gz", b"doc,hit\n", "FILE='not.csv.gz' cannot be read"),
    ],
)
def test_files_that_cannot_be_read_are_refused_in_one_line(
    name: str,
    content: bytes | None,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert said in refused(capsys, "report", path, *COLUMNS)


def test_a_refusal_is_one_line_of_a_process_too(tmp_path: Path) -> None:
    done = command("report", tmp_path / "absent.csv", *COLUMNS)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"ragstats: FILE={str(tmp_path / 'absent.csv')!r} is not a file\n"


# --- places for the outputs ---------------------------------------------------------------------
def test_places_that_cannot_be_written_are_refused_before_the_work(
    csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = csv.read_bytes()
    cases: list[tuple[list[object], str]] = [
        (["--html", tmp_path / "no" / "r.html"], "--html="),
        (["--json", tmp_path], "is a folder"),
        (["--json", csv], "is also FILE"),
        (["--html", tmp_path / "same", "--json", tmp_path / "same"], "is also --html"),
        (["--figures", csv], "is a file; give the name of a folder"),
        (["--figures", tmp_path / "no" / "figures"], "there is no folder"),
    ]
    for options, said in cases:
        assert said in refused(capsys, "report", csv, *COLUMNS, *options)
    assert csv.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [csv.name]


def test_an_error_writes_nothing(
    csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "r.html"
    page.write_text("old", encoding="utf-8")
    refused(capsys, "report", csv, *COLUMNS, "--html", page, "--baseline", "nobody")
    assert page.read_text(encoding="utf-8") == "old"


def test_a_missing_library_is_named_with_its_extra(
    csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    line = refused(capsys, "report", csv, *COLUMNS, "--html", tmp_path / "r.html")
    assert line.endswith('pip install "ragstats[report]"')
    assert "jinja2" in line


def test_json_can_go_through_a_pipe(csv: Path) -> None:
    if not Path("/dev/stderr").exists():
        pytest.skip("no /dev/stderr")
    done = command("report", csv, *COLUMNS, "--json", "/dev/stderr")
    assert done.returncode == 0
    assert '"schema": "ragstats-report/1"' in done.stderr


# --- the process --------------------------------------------------------------------------------
def test_starting_needs_neither_matplotlib_nor_jinja() -> None:
    code = (
        "import sys, ragstats.cli; print([m for m in ('matplotlib', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_terminal_without_greek_still_gets_its_report(csv: Path) -> None:
    done = command("report", csv, *COLUMNS, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert "SE CR2" in done.stdout


def test_help_names_every_output() -> None:
    for name in ("demo", "report"):
        result = CliRunner().invoke(app, [name, "--help"], terminal_width=200)
        assert result.exit_code == 0
        for option in ("--html", "--json", "--markdown", "--figures"):
            assert option in result.output
