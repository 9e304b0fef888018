"""The report as one HTML page: styles and drawings inside, no scripts, nothing fetched."""

from __future__ import annotations

from typing import Any

from ragstats._version import __version__
from ragstats.extras import need
from ragstats.reporting import blocks
from ragstats.reporting.blocks import Content
from ragstats.reporting.facts import Facts
from ragstats.reporting.figures import draw, pictures

#: The mark before what a difference says: told apart by shape, and the words say it too.
_MARKS = {"up": "▲", "down": "▼", "open": "○"}

_TESTS = {
    "paragraph": blocks.Paragraph,
    "findings": blocks.Findings,
    "terms": blocks.Terms,
    "bullets": blocks.Bullets,
    "table": blocks.Table,
    "picture": blocks.Picture,
}


def to_html(facts: Facts, content: Content) -> str:
    """Return the page.

    Raises
    ------
    MissingExtraError
        Without Jinja2 or matplotlib.
    """
    jinja2 = need("jinja2", "the HTML report")
    need("matplotlib", "the HTML report")
    from markupsafe import Markup

    from ragstats.reporting.figures.svg import inline_svg

    shown = pictures(content)
    drawings = {
        name: Markup(inline_svg(figure, name, shown[name].alternative))
        for name, figure in draw(facts, content).items()
    }
    environment = _environment(jinja2)
    style = Markup(_source(environment, "report.css"))
    page: str = environment.get_template("report.html").render(
        content=content, drawings=drawings, style=style, marks=_MARKS, version=__version__
    )
    return page.lstrip()


def _environment(jinja2: Any) -> Any:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("ragstats.reporting", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for name, kind in _TESTS.items():
        environment.tests[name] = lambda block, kind=kind: isinstance(block, kind)
    return environment


def _source(environment: Any, name: str) -> str:
    text: str = environment.loader.get_source(environment, name)[0]
    return text.strip()
