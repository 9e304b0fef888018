"""Equations as inline SVG (ziamath), so that pages need neither a network nor scripts."""

from __future__ import annotations

import re
from functools import cache
from typing import Any
from xml.sax.saxutils import escape

import ziamath
from docutils import nodes

#: The size at which equations are drawn; they are scaled to the text around them.
SIZE = 24.0
#: The font of equations looks smaller than that of the text.
LARGER = 1.1
_BOX = re.compile(r'width="[\d.]+" height="[\d.]+" viewBox="([-\d.]+) ([-\d.]+) ([\d.]+) ([\d.]+)"')


@cache
def drawn(latex: str, inline: bool) -> str:
    """Return an equation as SVG in units of the font size, its baseline on that of the text."""
    svg = ziamath.Latex(latex, size=SIZE, color="currentColor", inline=inline).svg()
    found = _BOX.search(svg)
    assert found is not None, svg[:200]
    _, top, width, height = (float(v) for v in found.groups())
    unit = LARGER / SIZE
    style = (
        f"width:{width * unit:.3f}em;height:{height * unit:.3f}em;"
        f"vertical-align:{-(top + height) * unit:.3f}em"
    )
    box = f'style="{style}" role="img" aria-label="{escape(latex, {chr(34): "&quot;"})}"'
    return svg.replace(found.group(0), f'{box} viewBox="{" ".join(found.groups())}"', 1)


def visit_inline(self: Any, node: nodes.math) -> None:
    """Write an equation in a line of text."""
    self.body.append(f'<span class="math">{drawn(node.astext(), True)}</span>')
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    """Write a displayed equation."""
    self.body.append(f'<div class="math">{drawn(node.astext().strip(), False)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer under the name "svg"."""
    app.add_html_math_renderer("svg", (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
