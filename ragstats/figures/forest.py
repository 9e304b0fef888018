"""Forest plots: estimates with their intervals, one label above each, or beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import NamedTuple, Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ragstats.figures.style import ALONE, GRID, INK, LOOK, MUTED, SIZE, label, legend, new_figure


class Interval(Protocol):
    """A value with its limits, NaN where there are none."""

    @property
    def value(self) -> float: ...  # noqa: D102
    @property
    def low(self) -> float: ...  # noqa: D102
    @property
    def high(self) -> float: ...  # noqa: D102


class Span(NamedTuple):
    """A value with its limits."""

    value: float
    low: float
    high: float


#: Where the first and the second interval of a row are, below its label.
PLACES = (-0.03, -0.26)


def forest(
    rows: Sequence[tuple[str, Mapping[str, Interval]]],
    xlabel: str,
    meaning: Mapping[str, str],
    *,
    zero: bool = False,
) -> Figure:
    """Draw one row for each name.

    Parameters
    ----------
    rows : sequence of (str, mapping of str to Interval)
        A name, and its intervals by estimand (two at most).
    xlabel : str
        What the values are.
    meaning : mapping of str to str
        What each estimand is the mean of, for the legend.
    zero : bool
        Whether there is a line at 0.
    """
    figure = new_figure(0.76 + 0.46 * len(rows))
    ax = _values(figure, xlabel, 6, zero)
    for i, (name, estimates) in enumerate(rows):
        top = -float(i)
        if i:
            ax.axhline(top + 0.47, color=GRID, linewidth=0.5, zorder=0)
        ax.text(
            0, top + 0.24, label(name, 52), transform=ax.get_yaxis_transform(), ha="left",
            va="center", color=INK, parse_math=False, clip_on=False,
        )  # fmt: skip
        for place, (estimand, found) in zip(PLACES, estimates.items(), strict=False):
            said = f"{estimand}: {meaning[estimand]}" if i == 0 else None
            _interval(ax, found, top + place, estimand, said)
    ax.set_ylim(-len(rows) + 0.5, 0.5)
    ax.set_yticks([])
    legend(ax)
    return figure


def beside(
    rows: Sequence[tuple[str, Interval]],
    xlabel: str,
    estimand: str,
    said: str,
    *,
    zero: bool = False,
) -> Figure:
    """Draw one interval for each name, the names beside them: a figure that stands alone.

    Parameters
    ----------
    rows : sequence of (str, Interval)
        A name and its interval, from the top.
    xlabel : str
        What the values are.
    estimand : str
        Of all of them, for colour and mark.
    said : str
        What the estimand is the mean of, for the legend.
    zero : bool
        Whether there is a line at 0.
    """
    figure = new_figure(0.95 + 0.34 * len(rows), ALONE)
    ax = _values(figure, xlabel, 8, zero)
    for i, (_, found) in enumerate(rows):
        _interval(ax, found, -float(i), estimand, f"{estimand}: {said}" if i == 0 else None)
    names = [label(name, 36) for name, _ in rows]
    ax.set_yticks([-float(i) for i in range(len(rows))], names, parse_math=False)
    ax.tick_params(axis="y", length=0, labelcolor=INK, labelsize=SIZE)
    ax.yaxis.grid(True, color=GRID, linewidth=0.5)
    ax.set_axisbelow(True)
    ax.set_ylim(0.5 - len(rows), 0.5)
    legend(ax)
    return figure


def _values(figure: Figure, xlabel: str, ticks: int, zero: bool) -> Axes:
    """Return the axes of values, with at most so many ticks, and a line at 0 if there is one."""
    ax: Axes = figure.subplots()
    ax.margins(x=0.04)
    ax.set_xlabel(xlabel, parse_math=False)
    ax.locator_params(axis="x", nbins=ticks)
    if zero:
        ax.axvline(0, color=MUTED, linewidth=0.9, zorder=1)
    return ax


def _interval(ax: Axes, found: Interval, y: float, estimand: str, said: str | None) -> None:
    """Draw one estimate; without an interval the mark is hollow."""
    colour, mark = LOOK[estimand]
    hollow = isnan(found.low)
    if not hollow:
        ax.plot([found.low, found.high], [y, y], color=colour, linewidth=1.5, solid_capstyle="butt")
    ax.plot(
        [found.value], [y], marker=mark, markersize=4.4 if mark == "o" else 3.9, linestyle="none",
        color=colour, markerfacecolor="none" if hollow else colour, label=said,
    )  # fmt: skip
