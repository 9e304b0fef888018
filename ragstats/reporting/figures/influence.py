"""The documents whose absence changes an estimate most."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ragstats.figures.style import BAND, GRID, INK, LOOK, MUTED, SIZE, label, new_figure
from ragstats.reporting.facts import Facts, Influence
from ragstats.reporting.sections.common import INFLUENCE_PANELS
from ragstats.reporting.sections.diagnostics import influences
from ragstats.reporting.words import clean

#: Documents in each panel, and when there are more than three panels.
DOCUMENTS, FEWER = 5, 3


def influence(facts: Facts) -> Figure:
    """Draw the change of each estimate when one document is left out."""
    shown = list(influences(facts))[:INFLUENCE_PANELS]
    most = DOCUMENTS if len(shown) <= 3 else FEWER
    rows = [min(most, len(found.table)) for _, _, found in shown]
    figure = new_figure(0.45 + sum(0.2 * n + 0.42 for n in rows))
    grid = figure.subplots(len(shown), 1, squeeze=False, height_ratios=[n + 1.2 for n in rows])
    for ax, (name, estimand, found) in zip(grid[:, 0], shown, strict=True):
        _panel(ax, name, estimand, found, most)
    figure.supxlabel(
        "change when the document is left out; band: ± 1 standard error", fontsize=SIZE, color=MUTED
    )
    return figure


def _panel(ax: Axes, name: str, estimand: str, found: Influence, most: int) -> None:
    top = found.table.head(most)
    changes = top["change"].to_numpy(float)
    colour, mark = LOOK[estimand]
    se = found.estimate.se
    if se > 0:
        ax.axvspan(-se, se, color=BAND, alpha=0.25, linewidth=0)
    ax.axvline(0, color=MUTED, linewidth=0.8)
    places = -1.0 * top.index.to_numpy()
    ax.hlines(places, 0, changes, color=colour, linewidth=1.4)
    ax.plot(changes, places, mark, color=colour, markersize=3.8)
    ax.set_yticks(places, [label(clean(d), 22) for d in top["document"]], parse_math=False)
    ax.tick_params(axis="y", length=0, labelcolor=INK)
    ax.set_ylim(places.min() - 0.6, 0.6)
    reach = max(abs(changes).max(initial=0.0), se if se > 0 else 0.0) or 1.0
    ax.set_xlim(-1.12 * reach, 1.12 * reach)
    ax.locator_params(axis="x", nbins=5)
    ax.xaxis.grid(True, color=GRID, linewidth=0.4)
    ax.set_axisbelow(True)
    ax.set_title(
        f"{label(name, 40)} ({estimand})", fontsize=SIZE, color=INK, loc="left", pad=3,
        parse_math=False, x=0,
    )  # fmt: skip
