"""Small evaluations, and the words of a report in each of its renderings."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

import ragstats as rs
from ragstats.reporting.figures import pictures
from ragstats.reporting.report import Report

COLUMNS = {"doc": "doc", "score": "hit", "system": "system", "query": "query"}
SYSTEMS = ("alpha", "beta", "gamma")


def evaluation(
    documents: int = 14, *, seed: int = 3, systems: tuple[str, ...] = SYSTEMS
) -> pd.DataFrame:
    """Return 0/1 scores of a few systems on documents of very unequal size."""
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(documents):
        level = rng.beta(2, 3)
        for q in range(int(rng.geometric(0.15))):
            for i, system in enumerate(systems):
                hit = float(rng.random() < min(level + 0.05 * i, 1))
                rows.append((f"doc-{d:02d}", f"{d}/{q}", system, hit))
    return pd.DataFrame(rows, columns=["doc", "query", "system", "hit"])


def report_of(data: Any = None, **options: Any) -> Report:
    """Return the report of the small evaluation, or of other rows with the same columns."""
    return rs.report(evaluation() if data is None else data, **{**COLUMNS, **options})


class _Words(HTMLParser):
    """The words that a page shows, outside styles and drawings."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.hidden += tag in ("style", "svg", "title")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("style", "svg", "title")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)


def flat(text: str) -> str:
    """Return text on one line with hyphens for minus signs."""
    return re.sub(r"\s+", " ", text.replace("−", "-"))


def html_words(page: str) -> str:
    parser = _Words()
    parser.feed(page)
    return flat(" ".join(parser.parts))


def markdown_words(text: str) -> str:
    unescaped = re.sub(r"\\([^\w\s])", r"\1", text)
    return flat(unescaped.replace("**", "").replace("*", "").replace("| ", ""))


def words(report: Report) -> dict[str, str]:
    """Return the words of the three readable renderings; the page has empty drawings here."""
    from matplotlib.figure import Figure  # here, so that helpers can be had without it

    empty = {name: Figure() for name in pictures(report.content)}
    with patch("ragstats.reporting.html.draw", return_value=empty):
        page = report.to_html()
    return {
        "text": flat(report.to_text()),
        "markdown": markdown_words(report.to_markdown()),
        "html": html_words(page),
    }


def stored(report: Report) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(report.to_json())
    return loaded
