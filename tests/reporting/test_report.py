"""One report object: text, Markdown, HTML, figures and files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from report_cases import evaluation, html_words, report_of, stored, words
from rich.cells import cell_len

import ragstats as rs
from ragstats.evaluation.bootstrap import bootstrap
from ragstats.exceptions import DataError
from ragstats.extras import MissingExtraError
from ragstats.reporting import words as w
from ragstats.reporting.report import Report
from ragstats.writing import write_whole

HOSTILE = (
    "a-dense-retriever/with a name that goes on and on, far beyond any column (v2.1, k=100)",
    "bm25|<b>bold</b> & *co* _x_ [red]y[/red] `z` $m$",
    "混合検索システム日本語の名前がとても長い場合",
    "line\nbreak\x1b[31m",
)


def fresh(code: str) -> str:
    """Run code in a process of its own that finds the helpers of these tests."""
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@lru_cache
def plain() -> Report:
    return report_of()


@lru_cache
def hostile() -> Report:
    return report_of(
        evaluation(systems=HOSTILE), population='<script>alert("x")</script>', title="R & D | *x*"
    )


# --- text ---------------------------------------------------------------------------------------
def many() -> Report:
    names = tuple(f"system number {i} of the many that were tried" for i in range(7))
    return report_of(evaluation(systems=names))


def large() -> Report:
    data = evaluation()
    rng = np.random.default_rng(0)
    return report_of(data.assign(hit=rng.normal(-1e7, 3e7, len(data))))


@pytest.mark.parametrize("case", [plain, hostile, many, large])
@pytest.mark.parametrize("width", [80, 60])
def test_text_is_never_wider_than_asked(case: Any, width: int) -> None:
    lines = case().to_text(width=width).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)


def test_names_are_printed_as_they_are() -> None:
    text = re.sub(r"\s+", "", hostile().to_text())
    for name in HOSTILE[:3]:
        assert re.sub(r"\s+", "", name) in text
    assert r"line\nbreak\x1b[31m" in text
    assert "\x1b" not in hostile().to_text()


def test_a_table_whose_numbers_are_too_wide_is_given_row_by_row() -> None:
    text = plain().to_text(width=44)
    assert max(map(cell_len, text.splitlines())) <= 44
    mean = stored(plain())["systems"][0]["means"]["micro"]["estimate"]
    assert f"- alpha: mean {mean:.4f}, 95% interval [" in re.sub(r"\s+", " ", text)


def test_colour_is_only_added_when_asked_for() -> None:
    assert "\x1b[" in plain().to_text(color=True)
    assert "\x1b[" not in plain().to_text()


# --- what the summary claims --------------------------------------------------------------------
def differing(by: float, noise: float = 0.05) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    rows = [
        (f"d{d}", f"{d}/{q}", system, 0.4 + (system == "b") * by + rng.normal(0, noise))
        for d in range(30)
        for q in range(4)
        for system in ("a", "b")
    ]
    return pd.DataFrame(rows, columns=["doc", "query", "system", "hit"])


def test_an_interval_above_zero_is_said_to_be_so() -> None:
    text = words(report_of(differing(0.2), estimand="macro"))["text"]
    assert "The interval excludes 0: b scored higher than a on documents like these." in text


def test_an_interval_below_zero_names_the_other_system() -> None:
    text = words(report_of(differing(-0.2), estimand="macro"))["text"]
    assert "The interval excludes 0: a scored higher than b on documents like these." in text


def test_an_interval_over_zero_is_no_proof_of_equality() -> None:
    text = words(report_of(differing(0.0), estimand="macro"))["text"]
    assert "The interval includes 0: these documents do not tell b and a apart." in text
    assert "equal" not in text.split("WHAT WAS DRAWN")[0]


def test_few_documents_show_the_wild_bootstrap_beside() -> None:
    d = rs.datasets.load_eight_documents()
    data = pd.concat([d.assign(system=s, hit=d[s]) for s in "ab"])[["doc", "qid", "system", "hit"]]
    report = report_of(data, query="qid", estimand="micro", baseline="a")
    expected = rs.micro_mean("d", d, groups="doc").interval("wild", seed=1)
    found = stored(report)["pairs"][0]["differences"]["micro"]["beside"][0]
    assert found["method"] == "wild"
    assert found["low"]["value"] == pytest.approx(expected.low, rel=1e-9)
    assert found["high"]["value"] == pytest.approx(expected.high, rel=1e-9)
    for text in words(report).values():
        assert "With ν = 2.4 it leans on its working model." in text
        assert "the restricted wild bootstrap interval is [-0.1569, +0.1904]" in text


def test_a_census_has_no_sampling_error() -> None:
    report = report_of(population_size=14)
    for text in words(report).values():
        assert "a census, so the means are known" in text
        assert "so this difference has no sampling error" in text
        assert "excludes 0" not in text
    assert stored(report)["joint"]["micro"]["reason"]


def test_a_system_on_one_document_has_no_interval_and_spoils_nothing() -> None:
    data = evaluation()
    data = data[(data["system"] != "gamma") | (data["doc"] == "doc-01")]
    about = stored(report_of(data, unmatched="pairwise"))
    alone = about["systems"][2]["means"]["micro"]
    assert alone["se"] is None
    assert alone["reason"] == "1 document, at least 2 needed"
    assert about["systems"][0]["means"]["micro"]["se"] > 0
    assert about["joint"]["micro"]["reason"]


def test_one_system_or_none_needs_no_pairs() -> None:
    data = evaluation(systems=("alpha",))
    with_column, without_column = report_of(data), report_of(data, system=None, query=None)
    assert stored(with_column)["pairs"] == stored(without_column)["pairs"] == []
    assert "differences" not in with_column.figures()
    assert "all rows" in without_column.to_text()
    first = stored(with_column)["systems"][0]["means"]
    assert first == stored(without_column)["systems"][0]["means"]


# --- Markdown -----------------------------------------------------------------------------------
def test_markdown_tables_have_as_many_cells_as_headers() -> None:
    for report in (plain(), hostile()):
        tables = re.findall(r"(?:^\|.*\n)+", report.to_markdown(), flags=re.MULTILINE)
        assert len(tables) > 6
        for table in tables:
            bars = [len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()]
            assert len(set(bars)) == 1


def test_markdown_reads_no_name_as_markup() -> None:
    text = hostile().to_markdown()
    assert r"bm25\|\<b\>bold\</b\> \& \*co\* \_x\_" in text
    assert not re.search(r"(?<!\\)<script", text)


def test_markdown_shows_figures_only_where_they_are(tmp_path: Path) -> None:
    assert "![" not in plain().to_markdown()
    assert plain()._repr_markdown_() == plain().to_markdown()  # what a notebook shows
    text = plain().to_markdown(tmp_path / "r.md", figures="pictures")
    assert "](<pictures/means.svg>)" in text
    assert (tmp_path / "r.md").read_text(encoding="utf-8") == text


# --- HTML ---------------------------------------------------------------------------------------
class Page(HTMLParser):
    """Tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def of(self, *names: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag in names]


@lru_cache
def pages() -> dict[str, str]:
    return {"plain": plain().to_html(), "hostile": hostile().to_html()}


@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_the_page_needs_nothing_from_elsewhere(name: str) -> None:
    page = pages()[name]
    parsed = Page(page)
    assert not parsed.of("script", "img", "iframe", "object", "embed", "base")
    assert [link.get("href") for link in parsed.of("link")] == ["data:,"]
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in page
    for target in re.findall(r"url\(([^)]*)\)", page):
        assert target.startswith("#")
    assert all(not key.startswith("on") for _, attrs in parsed.tags for key in attrs)


@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_the_page_can_be_read_without_eyes(name: str) -> None:
    parsed = Page(pages()[name])
    assert parsed.of("html")[0]["lang"] == "en"
    assert len(parsed.of("h1")) == 1
    assert all(head.get("scope") in ("col", "row") for head in parsed.of("th"))
    drawings = [svg for svg in parsed.of("svg") if svg.get("class") == "drawing"]
    assert len(drawings) == len(plain().figures())
    assert all(svg["role"] == "img" and svg["aria-label"] for svg in drawings)
    ids = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = [a["aria-labelledby"] for _, a in parsed.tags if "aria-labelledby" in a]
    assert set(named) <= set(ids)


def test_what_users_wrote_is_text_on_the_page() -> None:
    page = pages()["hostile"]
    assert "<script>alert" not in page
    assert '<script>alert("x")</script>' in html_words(page)
    assert "<b>bold" not in page
    assert "R & D | *x*" in html_words(page)


def test_the_page_is_the_same_each_time(tmp_path: Path) -> None:
    again = report_of().to_html(tmp_path / "r.html")
    assert again == pages()["plain"]
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == again


# --- figures ------------------------------------------------------------------------------------
def test_there_is_a_figure_for_each_picture() -> None:
    drawn = bootstrap(
        rs.documents(evaluation(systems=("alpha",)), doc="doc", score="hit"), estimand="macro",
        seed=1, n_boot=200,
    )  # fmt: skip
    figures = report_of(bootstrap=drawn).figures()
    assert set(figures) == {"differences", "means", "bootstrap", "sizes", "rates", "influence"}
    axes = figures["means"].axes[0]
    low = [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 2]
    intervals = [
        system["means"][estimand]["low"]
        for system in stored(plain())["systems"]
        for estimand in ("micro", "macro")
    ]
    assert set(intervals) <= set(low)


def test_the_label_of_the_rates_ends_below_the_legend() -> None:
    for data in (evaluation(), evaluation().rename(columns={"hit": "a_score_with_a_long_name"})):
        figure = report_of(data, score=data.columns[-1]).figures()["rates"]
        figure.draw_without_rendering()
        named, legend = figure._supylabel.get_window_extent(), figure.legends[0].get_window_extent()
        assert named.y0 >= 0
        assert named.y1 <= legend.y0


def test_figures_leave_no_trace_in_matplotlib() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    hostile().figures()
    assert dict(mpl.rcParams) == before
    code = (
        "import sys; from report_cases import report_of; report_of().figures();"
        " print('matplotlib.pyplot' in sys.modules)"
    )
    assert fresh(code) == "False"


def test_many_documents_are_gathered_on_a_grid() -> None:
    rng = np.random.default_rng(0)
    n = 4000
    rows = pd.DataFrame({"doc": np.repeat(np.arange(n), 2), "hit": rng.random(2 * n)})
    report = rs.report(rows, doc="doc", score="hit")
    figure = report.figures()["rates"]
    marks = sum(len(line.get_xdata()) for line in figure.axes[0].lines)
    assert marks < 400
    assert len(report.to_html()) < 400_000


# --- files and libraries ------------------------------------------------------------------------
def test_a_file_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "report.json"
    place.write_text("old", encoding="utf-8")

    def half(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(DataError, match=r"path='.*report.json' cannot be written: No space left"):
        plain().to_json(place)
    assert place.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.json"]


def test_a_link_is_followed_and_a_new_file_gets_the_usual_rights(tmp_path: Path) -> None:
    target = tmp_path / "target.txt"
    target.write_text("old", encoding="utf-8")
    link = tmp_path / "link.txt"
    link.symlink_to(target)
    write_whole(link, b"new", "path")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    plain_file = tmp_path / "plain.txt"
    plain_file.touch()
    assert target.stat().st_mode == plain_file.stat().st_mode


@pytest.mark.parametrize("library", ["matplotlib", "jinja2"])
def test_a_missing_library_is_named_with_its_extra(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf'{library}.*pip install "ragstats\[report\]"'):
        plain().to_html()
    if library == "matplotlib":
        with pytest.raises(MissingExtraError, match=library):
            plain().figures()
    assert plain().to_text()


def test_text_and_json_need_neither_matplotlib_nor_jinja() -> None:
    code = (
        "import sys; from report_cases import report_of; r = report_of();"
        " r.to_text(), r.to_json(), r.to_markdown();"
        " print([m for m in ('matplotlib', 'jinja2') if m in sys.modules])"
    )
    assert fresh(code) == "[]"


# --- arguments ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"estimand": "mico"}, r"estimand='mico' is unknown \(did you mean 'micro'\?\)"),
        ({"fraction": 1.5}, "fraction=1.5"),
        ({"fraction": True}, "fraction=True"),
        ({"fraction": 0.5, "population_size": 50}, "population_size=50 are both given"),
        ({"population_size": 3}, "population=3"),
        ({"baseline": "alhpa"}, r"baseline='alhpa' has 0 scored queries \(did you mean 'alpha'"),
        ({"systems": ["alpha", "alpha"]}, "names 'alpha' twice"),
        ({"systems": ["alpha", "delta"]}, "systems='delta' has 0 scored queries"),
        ({"system": None, "baseline": "alpha"}, "baseline='alpha' needs system="),
        ({"unmatched": "pair"}, r"did you mean 'pairwise'"),
        ({"cov_type": "CR9"}, "cov_type='CR9'"),
        ({"df": "k-1"}, r"did you mean 'K-1'"),
        ({"alpha": 2}, "alpha=2"),
        ({"doc": "docs"}, r"doc='docs' is not a column of the data \(did you mean 'doc'"),
        ({"bootstrap": SimpleNamespace(estimate=1)}, "has no 'replicates'"),
    ],
)
def test_a_wrong_argument_is_answered_by_one_line(options: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, TypeError), match=said) as error:
        report_of(**options)
    assert "\n" not in str(error.value)


def test_nothing_is_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for report in (hostile(), report_of(evaluation().assign(hit=0.0))):
            report.to_html(), report.to_json(), report.to_text(), report.figures()


# --- words --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.12345, "0.1235"), (-0.5, "−0.5000"), (0.0, "0.0000"), (0.000123456, "0.000123"),
        (1.5e-7, "1.50e-07"), (123456.0, "1.23e+05"), (float("nan"), "n/a"),
        (float("-inf"), "−∞"),
    ],
)  # fmt: skip
def test_numbers(value: float, shown: str) -> None:
    assert w.number(value) == shown


def test_shares_never_round_to_none_or_all() -> None:
    assert [w.share(v) for v in (0, 0.001, 0.5, 0.999, 1)] == ["0%", "<1%", "50%", ">99%", "100%"]


def test_rounding_noise_is_shown_as_zero() -> None:
    assert w.interval(-1e-12, 0.25) == "[0.0000, 0.2500]"
    assert w.snapped(1e-17, 0.1) == 0
    assert w.snapped(1e-3, 0.1) == 1e-3


def test_fold_keeps_every_character() -> None:
    from ragstats.reporting.text import fold

    text = "a bb  ccc " + "x" * 25 + " 日本語日本語"
    folded = fold(text, 10)
    assert all(cell_len(line) <= 10 for line in folded)
    assert "".join(folded).replace(" ", "") == text.replace(" ", "")
