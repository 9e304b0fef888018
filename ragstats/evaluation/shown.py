"""Results that print, and show in notebooks, as their summary."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import pandas as pd

#: Columns of a summary.
WIDTH = 80


class Shown:
    """A result whose ``summary()`` is what ``print`` and notebooks show of it."""

    __slots__ = ()

    if TYPE_CHECKING:

        def summary(self) -> Any: ...  # noqa: D102

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def told(title: str, rows: Mapping[str, str], *sentences: str) -> str:
    """Return a title, rows of name and text, and sentences, as text of at most 80 columns."""
    lines = textwrap.wrap(title, WIDTH, subsequent_indent="  ")
    width = max(16, *(len(name) + 2 for name in rows)) if rows else 0
    for name, text in rows.items():
        lines += textwrap.wrap(
            text, WIDTH, initial_indent=f"  {name:<{width}}", subsequent_indent=" " * (width + 2)
        )
    for sentence in sentences:
        lines += textwrap.wrap(sentence, WIDTH, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def wrapped(*sentences: str) -> list[str]:
    """Return sentences as lines of at most 80 columns."""
    lines = [textwrap.wrap(s, WIDTH, subsequent_indent="  ") for s in sentences]
    return [line for several in lines for line in several]


def tabled(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return a table in at most 80 columns; names that leave no room stand below, by number."""
    for labels in (list(names), [f"({i})" for i in range(1, len(names) + 1)]):
        lines = frame.set_axis(labels).to_string(float_format=lambda v: f"{v:.4f}").splitlines()
        if max(map(len, lines)) <= WIDTH:
            break
    if labels == list(names):
        return lines
    return lines + wrapped(*(f"{i} {name}" for i, name in zip(labels, names, strict=True)))


def because(low: float, reason: str) -> list[str]:
    """Return the sentence that says why a limit is NaN or infinite, if there is one."""
    return [f"{'NaN' if isnan(low) else 'infinite'}: {reason}"] if reason else []
