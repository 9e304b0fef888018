"""Forest plots: estimates with their intervals, micro and macro, one label above each."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ragstats.reporting.facts import Estimate, Facts
from ragstats.reporting.figures.style import GRID, INK, LOOK, MUTED, label, legend, new_figure
from ragstats.reporting.sections.common import FOREST_ROWS, MEANING
from ragstats.reporting.words import clean


def means(facts: Facts) -> Figure:
    """Draw the means of each system."""
    rows = [(clean(s.name), s.means) for s in facts.systems]
    score = label(clean(facts.aggregates.columns.score), 30)
    return _forest(rows, f"mean {score}, {facts.method.level} interval")


def differences(facts: Facts) -> Figure:
    """Draw the differences of each pair, against a line at 0."""
    rows = [(clean(p.label), p.differences) for p in facts.pairs]
    score = label(clean(facts.aggregates.columns.score), 26)
    return _forest(rows, f"difference in {score}, {facts.method.level} interval", zero=True)


def _forest(
    rows: Sequence[tuple[str, dict[str, Estimate]]], xlabel: str, *, zero: bool = False
) -> Figure:
    shown = rows[:FOREST_ROWS]
    figure = new_figure(0.76 + 0.46 * len(shown))
    ax = figure.subplots()
    if zero:
        ax.axvline(0, color=MUTED, linewidth=0.9, zorder=1)
    for i, (name, estimates) in enumerate(shown):
        top = -float(i)
        if i:
            ax.axhline(top + 0.47, color=GRID, linewidth=0.5, zorder=0)
        ax.text(
            0, top + 0.24, label(name, 52), transform=ax.get_yaxis_transform(), ha="left",
            va="center", color=INK, parse_math=False, clip_on=False,
        )  # fmt: skip
        for offset, (estimand, found) in zip((-0.03, -0.26), estimates.items(), strict=True):
            _interval(ax, found, top + offset, estimand, first=i == 0)
    ax.set_ylim(-len(shown) + 0.5, 0.5)
    ax.set_yticks([])
    ax.margins(x=0.04)
    ax.set_xlabel(xlabel, parse_math=False)
    ax.locator_params(axis="x", nbins=6)
    legend(ax)
    return figure


def _interval(ax: Axes, found: Estimate, y: float, estimand: str, *, first: bool) -> None:
    """Draw one estimate; without an interval the mark is hollow."""
    colour, mark = LOOK[estimand]
    if found.has_interval:
        ax.plot([found.low, found.high], [y, y], color=colour, linewidth=1.5, solid_capstyle="butt")
    ax.plot(
        [found.value], [y], marker=mark, markersize=4.4 if mark == "o" else 3.9, linestyle="none",
        color=colour, markerfacecolor=colour if found.has_interval else "none",
        label=f"{estimand}: {MEANING[estimand]}" if first else None,
    )  # fmt: skip
