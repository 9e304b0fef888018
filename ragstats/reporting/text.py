"""The report on a terminal: at most 80 columns, whatever the systems are called."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from io import StringIO

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

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

WIDTH = 80

#: The first column of a table is never narrower than this; with less room it is given row by row.
NARROWEST = 8
#: Below this many columns for names, numbers stand closer together.
COMFORTABLE = 20

_VERDICTS = {"up": "green", "down": "yellow", "open": "", "none": ""}


def to_text(content: Content, *, width: int = WIDTH, color: bool = False) -> str:
    """Return the report as text."""
    buffer = StringIO()
    console = Console(
        file=buffer, width=width, force_terminal=color, color_system="auto" if color else None,
        highlight=False, legacy_windows=False, force_jupyter=False,
    )  # fmt: skip
    render(content, console)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def render(content: Content, console: Console) -> None:
    """Print the report on a console."""
    console.print(plain(content.title, "bold"))
    console.print(plain(content.subtitle))
    for section in content.sections:
        console.print()
        console.print(plain(section.title.upper(), "bold cyan"))
        for block in section.blocks:
            lay_out(block, console)


def plain(text: str, style: str = "") -> Text:
    """Return words that are printed as they are; names are not read as markup."""
    return Text(text.replace(MINUS, "-"), style=style)


@singledispatch
def lay_out(block: object, console: Console) -> None:
    """Print one block; pictures have no text."""
    raise TypeError(f"no layout for {type(block).__name__}")  # pragma: no cover


@lay_out.register
def _(block: Picture, console: Console) -> None:
    return


@lay_out.register
def _(block: Paragraph, console: Console) -> None:
    console.print(plain(block.text, "dim" if block.note else ""))


@lay_out.register
def _(block: Bullets, console: Console) -> None:
    for item in block.items:
        _hanging("! " if block.care else "- ", plain(item), console)


@lay_out.register
def _(block: Terms, console: Console) -> None:
    for term in block.items:
        line = plain(f"{term.name}: ", "bold")
        line.append_text(plain(term.text, "yellow" if term.missing else ""))
        _hanging("", line, console)


@lay_out.register
def _(block: Findings, console: Console) -> None:
    for item in block.items:
        line = plain(f"{item.label} ({item.estimand}): ", "bold")
        line.append_text(plain(f"{item.value} {item.interval}", f"bold {_VERDICTS[item.verdict]}"))
        _hanging("* ", line, console)
        _hanging("    ", plain(item.sentence), console)


def _hanging(mark: str, text: Text, console: Console) -> None:
    """Print text after a mark, its further lines indented."""
    indent = cell_len(mark) or 2
    lines = text.wrap(console, console.width - indent, overflow="fold")
    for number, line in enumerate(lines):
        start = Text(mark if number == 0 else " " * indent)
        console.print(start.append_text(line), no_wrap=True, overflow="fold", soft_wrap=True)


@lay_out.register
def _(block: Table, console: Console) -> None:
    console.print(plain(block.caption, "bold"))
    for line in table_lines(block, console.width):
        console.print(line, no_wrap=True, overflow="ignore", soft_wrap=True)
    console.print()


def table_lines(block: Table, width: int) -> list[Text]:
    """Return a table as lines of at most ``width`` columns.

    The first column is folded where names are long. A table whose numbers alone are too wide is
    given row by row.
    """
    numbers = [
        max(cell_len(cells[i]) for cells in (block.columns, *block.rows))
        for i in range(1, len(block.columns))
    ]
    longest = max(cell_len(row[0]) for row in (block.columns, *block.rows))
    for gap in (2, 1):
        room = width - sum(numbers) - gap * len(numbers)
        if room >= min(longest, COMFORTABLE if gap == 2 else NARROWEST):
            return _grid(block, min(room, longest), numbers, gap)
    return _row_by_row(block, width)


def _grid(block: Table, first: int, numbers: list[int], gap: int) -> list[Text]:
    lines = _row(block.columns, first, numbers, gap)
    for line in lines:
        line.stylize("bold")
    lines.append(Text("─" * (first + sum(numbers) + gap * len(numbers)), style="dim"))
    for row in block.rows:
        lines += _row(row, first, numbers, gap)
    return lines


def _row(cells: Sequence[str], first: int, numbers: list[int], gap: int) -> list[Text]:
    """Return a row: the name, folded, with the numbers beside its last line."""
    names = fold(cells[0].replace(MINUS, "-"), first)
    last = names.pop()
    padded = last + " " * (first - cell_len(last))
    for cell, size in zip(cells[1:], numbers, strict=True):
        padded += " " * (gap + size - cell_len(cell)) + cell
    return [plain(name) for name in names] + [plain(padded)]


def _row_by_row(block: Table, width: int) -> list[Text]:
    lines = []
    for name, *cells in block.rows:
        pairs = zip(block.columns[1:], cells, strict=True)
        text = f"{name}: " + ", ".join(f"{column} {cell}" for column, cell in pairs)
        folded = fold(text.replace(MINUS, "-"), width - 2)
        lines += [plain(("- " if i == 0 else "  ") + line) for i, line in enumerate(folded)]
    return lines


def fold(text: str, width: int) -> list[str]:
    """Return text in lines of at most ``width`` columns, broken at spaces where that can be."""
    lines, line = [], ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, line = chop_cells(word, width) or [""]
        lines += full
    return [*lines, line]
