"""Figures → inline SVG that takes its colours and its font from the page around it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from io import StringIO

from matplotlib import rc_context
from matplotlib.figure import Figure

from ragstats.figures.style import BAND, GRID, INK, MACRO, MICRO, MUTED, RC

#: Colours of the figures → custom properties of the page.
_VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--line",
    MICRO: "--micro",
    MACRO: "--macro",
    BAND: "--band",
}


@contextmanager
def quietly() -> Iterator[None]:
    """Draw with the report's settings, in any script.

    Where the measuring font lacks a letter, the page's fonts draw it, so that is no warning.
    """
    with rc_context(RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def raw_svg(figure: Figure) -> str:
    """Return a figure as an SVG file, the same bytes each time."""
    buffer = StringIO()
    with quietly():
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    return buffer.getvalue()


def inline_svg(figure: Figure, name: str, alternative: str) -> str:
    """Return a figure to stand within a page: described, scalable, with ids of its own."""
    svg = raw_svg(figure)
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<(metadata|style)\b.*?</\1>\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("font-family: 'DejaVu Sans', sans-serif", "font-family: var(--sans)")
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'xlink:href="#', f'href="#{name}-', svg)
    svg = re.sub(r"url\(#", f"url(#{name}-", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, f"var({variable})")
    return re.sub(r"<svg [^>]*>", _opening(svg, name, alternative), svg, count=1)


def _opening(svg: str, name: str, alternative: str) -> str:
    """Return the opening tag: the box it was drawn in, and what is seen there."""
    found = re.search(r'viewBox="([^"]+)"', svg)
    box = found.group(1) if found else "0 0 1 1"
    opening = (
        f'<svg viewBox="{box}" xmlns="http://www.w3.org/2000/svg" role="img"'
        f' class="drawing" data-figure="{escape(name)}" aria-label="{escape(alternative)}">'
    )
    return opening.replace("\\", r"\\")
