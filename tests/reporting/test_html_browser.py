"""The HTML report as a browser shows it: on a phone and on a desk, in the light and in the dark."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
from report_browser import CHROMIUM, measured
from report_cases import evaluation, report_of

import ragstats as rs

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no {CHROMIUM}")

WIDTHS = [360, 1200]


@lru_cache
def page(name: str) -> str:
    if name == "shipped":
        scores = rs.datasets.load_retrieval()
        names = {"doc": "doc_id", "score": "hit_at_1", "system": "system", "query": "query_id"}
        return rs.report(scores, **names, baseline="bm25").to_html()
    long_names = tuple(
        f"{word * 12}-{i}/{'x' * 60}" for i, word in enumerate(("dense", "検索", "W"))
    )
    data = evaluation(systems=long_names)
    return report_of(data, score="hit", population="p" * 300, title="T" * 200).to_html()


@pytest.mark.parametrize("name", ["shipped", "long names"])
def test_nothing_is_wider_than_the_page(name: str, tmp_path: Path) -> None:
    measures, said = measured(page(name), tmp_path, widths=WIDTHS)
    assert said == []
    for width in WIDTHS:
        found = measures[str(width)]
        assert found["inner"] == width
        assert found["scroll"] <= width
        assert found["wide"] == []
        assert found["text"] > 3000


def test_figures_are_there_at_both_widths(tmp_path: Path) -> None:
    measures, _ = measured(page("shipped"), tmp_path, widths=WIDTHS)
    for width in WIDTHS:
        drawings = measures[str(width)]["drawings"]
        names = [d["name"] for d in drawings]
        assert names == ["differences", "means", "sizes", "rates", "influence"]
        for drawing in drawings:
            assert drawing["width"] > 250
            assert drawing["height"] > 100
            assert drawing["marks"] > 20


def test_the_dark_page_is_dark_and_the_light_one_light(tmp_path: Path) -> None:
    shades = {}
    for dark in (False, True):
        measures, said = measured(page("shipped"), tmp_path / str(dark), widths=[1200], dark=dark)
        assert said == []
        shades[dark] = {
            part: sum(map(int, measures["1200"][part][4:-1].split(",")[:3]))
            for part in ("ink", "paper")
        }
    assert shades[False]["paper"] > 700 > 200 > shades[False]["ink"]
    assert shades[True]["ink"] > 600 > 150 > shades[True]["paper"]


def test_the_measures_would_see_a_fault(tmp_path: Path) -> None:
    """A page that is too wide and fails in the console is caught."""
    faulty = (
        "<!DOCTYPE html><title>x</title><body><div style='width:2000px'>wide</div>"
        "<script>console.error('broken')</script></body>"
    )
    measures, said = measured(faulty, tmp_path, widths=WIDTHS)
    assert any("broken" in line for line in said)
    assert measures["360"]["scroll"] >= 2000
    assert measures["360"]["wide"]
