"""The report as Markdown: headings, lists and tables; names are escaped."""

from __future__ import annotations

import re
from functools import singledispatch

from ragstats.reporting.blocks import (
    Bullets,
    Content,
    Findings,
    Paragraph,
    Picture,
    Table,
    Terms,
)
from ragstats.reporting.words import MINUS

#: What Markdown reads: an underscore only at the edge of a word, a bracket only before a link.
_SPECIAL = re.compile(r"([\\`*<>|~$&]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])|!(?=\[))")


def to_markdown(content: Content, *, figures: str | None = None) -> str:
    """Return the report as Markdown.

    Parameters
    ----------
    figures : str, optional
        The folder of the figures, as seen from the file; without it none are shown.
    """
    parts = [f"# {escaped(content.title)}", escaped(content.subtitle)]
    for section in content.sections:
        parts.append(f"## {escaped(section.title)}")
        for block in section.blocks:
            if isinstance(block, Picture):
                parts += [] if figures is None else [_image(block, figures)]
            else:
                parts.append(lay_out(block))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Return words in which nothing is read as Markdown or HTML."""
    return _SPECIAL.sub(r"\\\1", text.replace(MINUS, "-"))


def _line(text: str) -> str:
    """Return words that start a line: a number or a dash there makes no list."""
    return re.sub(r"^(\d+)([.)])|^([-+#=])", _escape_start, escaped(text))


def _escape_start(found: re.Match[str]) -> str:
    return f"{found[1]}\\{found[2]}" if found[1] else f"\\{found[3]}"


def _image(block: Picture, figures: str) -> str:
    folder = figures.rstrip("/")
    place = f"{folder}/{block.name}.svg" if folder else f"{block.name}.svg"
    return f"![{escaped(block.alternative)}](<{place}>)\n\n*{escaped(block.caption)}*"


@singledispatch
def lay_out(block: object) -> str:
    """Return one block as Markdown."""
    raise TypeError(f"no layout for {type(block).__name__}")  # pragma: no cover


@lay_out.register
def _(block: Paragraph) -> str:
    return _line(block.text)


@lay_out.register
def _(block: Bullets) -> str:
    mark = "- **Care:** " if block.care else "- "
    return "\n".join(f"{mark}{_line(item)}" for item in block.items)


@lay_out.register
def _(block: Terms) -> str:
    lines = []
    for term in block.items:
        text = escaped(term.text)
        lines.append(f"- **{escaped(term.name)}:** {f'*{text}*' if term.missing else text}")
    return "\n".join(lines)


@lay_out.register
def _(block: Findings) -> str:
    return "\n".join(
        f"- **{escaped(f.label)}** ({f.estimand}): **{escaped(f.value)}** {escaped(f.interval)}."
        f" {escaped(f.sentence)}"
        for f in block.items
    )


@lay_out.register
def _(block: Table) -> str:
    marks = ["---"] + ["---:"] * (len(block.columns) - 1)
    rows = [block.columns, tuple(marks), *block.rows]
    lines = [
        "| " + " | ".join(cell if row is rows[1] else escaped(cell) for cell in row) + " |"
        for row in rows
    ]
    return f"**{escaped(block.caption)}**\n\n" + "\n".join(lines)
