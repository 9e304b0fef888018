"""Results that print, and show in notebooks, as their summary."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping
from math import isnan
from typing import TYPE_CHECKING, Any

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


def because(low: float, reason: str) -> list[str]:
    """Return the sentence that says why a limit is NaN or infinite, if there is one."""
    return [f"{'NaN' if isnan(low) else 'infinite'}: {reason}"] if reason else []
