"""How large the documents are, and what their rates are at each size."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ragstats.evaluation.documents import DocumentTable
from ragstats.figures.style import GRID, INK, LOOK, MICRO, MUTED, SIZE, label, panels
from ragstats.reporting.facts import Facts, SystemFacts
from ragstats.reporting.sections.common import SYSTEM_PANELS
from ragstats.reporting.words import clean

#: Marks of a panel; with more, documents are gathered on a grid.
MOST_MARKS = 300
#: Documents at one place, at most → the size of their mark.
_MARKS = {1: 2.2, 3: 3.0, 10: 4.2, 30: 5.6, 10**9: 7.2}


def sizes(facts: Facts) -> Figure:
    """Draw the distribution of rows per document."""
    shown = facts.systems[:1] if facts.same_sizes else facts.systems[:SYSTEM_PANELS]
    figure, axes = panels(len(shown), 1.75 if len(shown) == 1 else 1.5)
    largest = max(float(s.aggregates.table.counts.max()) for s in shown)
    edges = _size_edges(largest, max(len(s.aggregates.table.counts) for s in shown))
    for ax, system in zip(axes, shown, strict=True):
        counts = system.aggregates.table.counts
        ax.hist(counts, bins=edges, color=MICRO, alpha=0.75, edgecolor="none", rwidth=0.9)
        median = float(np.median(counts))
        ax.axvline(median, color=INK, linewidth=0.9)
        ax.annotate(
            f"median {median:g}", (median, 1.0), xycoords=ax.get_xaxis_transform(),
            xytext=(4, 0), textcoords="offset points", ha="left", va="top", color=INK,
        )  # fmt: skip
        ax.spines["left"].set_visible(False)
        ax.yaxis.grid(True, color=GRID, linewidth=0.5)
        ax.set_axisbelow(True)
        ax.tick_params(axis="y", length=0)
        ax.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        ax.set_ylim(top=1.18 * ax.get_ylim()[1])
        log_axis(ax, largest)
        if len(shown) > 1:
            title(ax, system)
    figure.supxlabel("scored rows of a document", fontsize=SIZE, color=MUTED)
    figure.supylabel("documents", fontsize=SIZE, color=MUTED)
    return figure


def _size_edges(largest: float, documents: int) -> list[float]:
    """Return edges between whole numbers, about evenly spaced on a logarithmic axis.

    The more documents, the more bars: about 6 for 8 documents, 25 for hundreds.
    """
    bars = int(np.clip(2 * np.sqrt(documents), 6, 25))
    ends = np.unique(np.round(np.geomspace(1, max(largest, 2) + 1, bars + 1)))
    return [float(end) for end in ends - 0.5]


def rates(facts: Facts) -> Figure:
    """Draw the document rates against their sizes, one panel for each system."""
    shown = facts.systems[:SYSTEM_PANELS]
    figure, axes = panels(len(shown), 1.75, more=0.6)
    largest = max(float(s.aggregates.table.counts.max()) for s in shown)
    for ax, system in zip(axes, shown, strict=True):
        n, rate, times = gathered(system.aggregates.table)
        scale = 1.8 if len(n) <= 60 else 1.3 if len(n) <= 160 else 1.0
        for most, diameter in _MARKS.items():
            here = (times <= most) & (times > _below(most))
            ax.plot(
                n[here], rate[here], "o", color=MICRO, markersize=scale * diameter, alpha=0.45,
                markeredgewidth=0,
            )  # fmt: skip
        for estimand, mean in system.means.items():
            ax.axhline(
                mean.value, color=LOOK[estimand][0], linewidth=0.9,
                linestyle="-" if estimand == "micro" else (0, (3, 2)), label=f"{estimand} mean",
            )  # fmt: skip
        log_axis(ax, largest)
        ax.locator_params(axis="y", nbins=5)
        ax.spines["left"].set_visible(True)
        title(ax, system)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=2, frameon=False)
    figure.supxlabel("scored rows of a document", fontsize=SIZE, color=MUTED)
    score = label(clean(facts.aggregates.columns.score), 18)
    figure.supylabel(f"document rate\nmean {score}", fontsize=SIZE, color=MUTED, parse_math=False)
    return figure


def _below(most: int) -> int:
    """Return the number of documents that the next smaller mark stands for."""
    return max((limit for limit in _MARKS if limit < most), default=0)


def gathered(table: DocumentTable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return sizes, rates and how many documents have both; on a grid when there are many."""
    points = np.column_stack([table.counts, table.rates])
    distinct, times = np.unique(points, axis=0, return_counts=True)
    if len(distinct) > MOST_MARKS:
        step = np.ptp(points[:, 1]) / 40 or 1.0
        logs = np.round(np.log(points[:, 0]) * 6) / 6
        coarse = np.column_stack([np.exp(logs), np.round(points[:, 1] / step) * step])
        distinct, times = np.unique(coarse, axis=0, return_counts=True)
    return distinct[:, 0], distinct[:, 1], times


def title(ax: Axes, system: SystemFacts) -> None:
    """Write the system's name over its panel."""
    ax.set_title(
        label(clean(system.name), 24), fontsize=SIZE, color=INK, loc="left", pad=3, parse_math=False
    )


def log_axis(ax: Axes, largest: float) -> None:
    """Make the x axis logarithmic, with ticks at plain numbers."""
    ax.set_xscale("log")
    ax.set_xlim(0.8, max(largest, 2) * 1.25)
    ticks = [t for t in (1, 3, 10, 30, 100, 300, 1000, 10_000, 100_000) if t <= largest * 1.1]
    ax.set_xticks(ticks, [f"{t:,}" for t in ticks])
    ax.minorticks_off()
