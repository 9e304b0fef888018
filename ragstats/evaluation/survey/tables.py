"""Results as text of at most 80 columns, and as plain values."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Hashable, Sequence

import numpy as np

from ragstats.exceptions import plural

from .columns import Floats
from .plan import DesignFacts

WIDTH = 80
NAME_WIDTH = 14
CELL_WIDTHS = (11, 10, 7, 8, 10, 10, 10)  # estimate, se, df, t, p, low, high


def plain(values: Floats) -> object:
    """Return an array as nested lists, with None for NaN and the text of infinities."""
    if values.ndim > 1:
        return [plain(row) for row in values]
    return [_plain_number(float(v)) for v in values]


def _plain_number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def estimate_table(
    kind: str,
    names: Sequence[Hashable],
    numbers: Floats,
    alpha: float,
    design: DesignFacts,
    dropped: int,
    notes: Sequence[str],
) -> str:
    """Lay out estimates (k, 7): estimate, se, df, t, p, lower, upper, under a design."""
    level = f"{100 * (1 - alpha):.4g}%"
    heads = ["estimate", "se", "df", "t", "p", f"{level} low", "high"]
    lines = [
        "=" * WIDTH,
        *_wrapped(f"Design estimate: {kind}"),
        *_wrapped(_counts(design, dropped)),
        *_wrapped(_rules(design)),
        "-" * WIDTH,
        " " * NAME_WIDTH + _cells(heads),
    ]
    for name, row in zip(names, numbers, strict=True):
        lines += _row(str(name), row)
    lines.append("=" * WIDTH)
    for note in notes:
        lines += textwrap.wrap(note, WIDTH, initial_indent="* ", subsequent_indent="  ")
    return "\n".join(lines)


def _counts(design: DesignFacts, dropped: int) -> str:
    strata = f" in {plural(design.n_strata, 'stratum', 'strata')}" if design.strata else ""
    left = f", {dropped} dropped for missing values" if dropped else ""
    units, rows = plural(design.n_psus, "unit"), plural(design.n_rows, "row")
    return f"{units} of {design.ids[0]}{strata}; {rows}{left}"


def _rules(design: DesignFacts) -> str:
    fpc = f"fpc {', '.join(design.fpc)}" if design.fpc else "no fpc"
    df = "df = units − strata (models: + 1 − p)"
    return f"Linearized variance, {fpc}; weights: {design.weights}; {df}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")


def _row(name: str, row: Floats) -> list[str]:
    cells = _cells([_short(value) for value in row])
    if len(name) < NAME_WIDTH:
        return [f"{name:<{NAME_WIDTH}}{cells}"]
    return [*textwrap.wrap(name, WIDTH), " " * NAME_WIDTH + cells]


def _cells(texts: Sequence[str]) -> str:
    return "".join(f"{text:>{width}}" for text, width in zip(texts, CELL_WIDTHS, strict=True))


def _short(value: float) -> str:
    return "nan" if np.isnan(value) else f"{value:.4g}"
