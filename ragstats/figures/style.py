"""One look for all figures: a column wide, thin lines, three colours told apart by everyone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.cells import cell_len, set_cell_size

#: Inches: a column of a page, and of a phone; and a figure that stands alone.
WIDTH, ALONE = 3.8, 6.4

#: Points.
SIZE, TICKS = 8.2, 7.4

#: Colours (Okabe and Ito), each used for one thing; the HTML report maps them to its own.
INK, MUTED, GRID = "#22282e", "#5f6b76", "#d9dee3"
MICRO, MACRO, BAND = "#0072b2", "#d55e00", "#8fb8d6"

#: Estimand → colour and mark: told apart by shape as well.
LOOK = {"micro": (MICRO, "o"), "macro": (MACRO, "D")}

RC: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": SIZE,
    "text.color": INK,
    "text.usetex": False,
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "axes.labelsize": SIZE,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": False,
    "axes.formatter.use_mathtext": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "figure.dpi": 150,
    "savefig.facecolor": "auto",
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelsize": TICKS,
    "ytick.labelsize": TICKS,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.2,
    "svg.fonttype": "none",
    "svg.hashsalt": "ragstats",
}


@contextmanager
def on_white() -> Iterator[None]:
    """Draw with these settings on white, for figures that stand alone."""
    with rc_context({**RC, "figure.facecolor": "white"}):
        yield


def new_figure(height: float, width: float = WIDTH) -> Figure:
    """Return an empty figure, by default of the report's width, laid out without overlaps."""
    return Figure(figsize=(width, height), layout="constrained")


def panels(n_panels: int, height: float, *, more: float = 0.35) -> tuple[Figure, list[Axes]]:
    """Return a figure of one panel, or of two beside each other in each row."""
    columns = min(n_panels, 2)
    rows = -(-n_panels // columns)
    figure = new_figure(height * rows + more)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    axes = [ax for row in grid for ax in row]
    for unused in axes[n_panels:]:
        unused.remove()
    for ax in axes[max(n_panels - columns, 0) : n_panels]:
        ax.tick_params(labelbottom=True)
    return figure, axes[:n_panels]


def label(name: str, width: int) -> str:
    """Return a name of at most ``width`` columns, with its middle left out if need be."""
    if cell_len(name) <= width:
        return name
    head = set_cell_size(name, (width - 1) // 2).rstrip()
    tail = name[-(width - 1 - cell_len(head)) :].lstrip()
    while cell_len(tail) > width - 1 - cell_len(head):
        tail = tail[1:]
    return f"{head}…{tail}"


def legend(ax: Axes, **options: Any) -> None:
    """Put the legend above the axes, without a frame."""
    ax.legend(
        loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, frameon=False, borderaxespad=0.2,
        handletextpad=0.2, columnspacing=0.9, handlelength=1.3, fontsize=TICKS, **options,
    )  # fmt: skip
