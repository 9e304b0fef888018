"""Plans as text of at most 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

WIDTH = 80


@dataclass(frozen=True, slots=True)
class Block:
    """A table of a page.

    Attributes
    ----------
    titles : sequence of str (c,)
        Heads of the columns; all empty for none.
    rows : sequence of (str, sequence of str (c,))
        Name and cells of each line.
    name_width, cell_width : int
        Of the columns.
    """

    titles: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]
    name_width: int = 32
    cell_width: int = 16

    def lines(self) -> list[str]:
        """Return the table as lines."""
        lines = [" " * self.name_width + self._cells(self.titles)] if any(self.titles) else []
        for name, cells in self.rows:
            *above, last = textwrap.wrap(name, self.name_width - 1) or [""]
            lines += [*above, f"{last:<{self.name_width}}{self._cells(cells)}"]
        return lines

    def _cells(self, texts: Sequence[str]) -> str:
        return "".join(f"{text:>{self.cell_width}}" for text in texts)


def page(head: Sequence[str], blocks: Sequence[Block], notes: Sequence[str]) -> str:
    """Lay out sentences, tables, and the notes below them."""
    lines = ["=" * WIDTH]
    for sentence in head:
        lines += textwrap.wrap(sentence, WIDTH, subsequent_indent="  ")
    for block in blocks:
        lines += ["-" * WIDTH, *block.lines()]
    lines.append("=" * WIDTH)
    for note in notes:
        lines += textwrap.wrap(note, WIDTH, initial_indent="* ", subsequent_indent="  ")
    return "\n".join(line.rstrip() for line in lines)


def cell(value: float | None) -> str:
    """Return a number with four digits, and a dash where there is none."""
    return "-" if value is None or np.isnan(value) else f"{value:.4g}"


def count(value: float | None) -> str:
    """Return a whole number with commas, and a dash where there is none."""
    return "-" if value is None or np.isnan(value) else f"{int(value):,}"
