"""The distribution of bootstrap replicates, with the estimate and the interval."""

from __future__ import annotations

from math import isfinite

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ragstats.figures.style import INK, MACRO, MICRO, MUTED, SIZE, label, new_figure
from ragstats.reporting.facts import BootstrapFacts, Facts
from ragstats.reporting.sections.common import BOOTSTRAP_PANELS
from ragstats.reporting.words import clean


def bootstrap(facts: Facts) -> Figure:
    """Draw the histogram of each bootstrap."""
    shown = facts.bootstraps[:BOOTSTRAP_PANELS]
    figure = new_figure(0.4 + 1.35 * len(shown))
    grid = figure.subplots(len(shown), 1, squeeze=False)
    for ax, found in zip(grid[:, 0], shown, strict=True):
        _panel(ax, found)
    figure.supxlabel("bootstrap replicates", fontsize=SIZE, color=MUTED)
    return figure


def _panel(ax: Axes, found: BootstrapFacts) -> None:
    if found.counts:
        ax.stairs(found.counts, found.edges, fill=True, color=MICRO, alpha=0.55)
    ax.axvline(found.estimate, color=INK, linewidth=1.1)
    for end in (found.low, found.high):
        if isfinite(end):
            ax.axvline(end, color=MACRO, linewidth=1.1, linestyle=(0, (3, 2)))
    ax.set_yticks([])
    ax.locator_params(axis="x", nbins=6)
    name = label(clean(found.name) or "mean", 44)
    ax.set_title(name, fontsize=SIZE, color=INK, loc="left", pad=3, parse_math=False)
