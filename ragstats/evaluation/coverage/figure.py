"""The picture of a coverage simulation: coverage by method, and the misses on each side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ragstats.evaluation.coverage.methods import METHODS
from ragstats.extras import need

if TYPE_CHECKING:
    from ragstats.evaluation.coverage.result import CoverageResult

#: Colours that can be told apart by the colour-blind (Okabe and Ito).
MARK = {"micro": ("#0072B2", "o"), "macro": ("#D55E00", "s")}
BELOW, ABOVE, UNAVAILABLE = "#56B4E9", "#E69F00", "#999999"


def draw_coverage(result: CoverageResult) -> Any:
    """Draw coverage with two Monte Carlo standard errors, and beside it the misses by side.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    """
    need("matplotlib", "a figure")
    from matplotlib.figure import Figure

    table = result.table
    height = 1.7 + 0.25 * (len(table) + table["estimand"].nunique())
    figure = Figure(figsize=(9.5, height), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    places = _places(table)
    _draw_coverage(left, result, places)
    _draw_misses(right, result, places)
    left.set_yticks(places, [_name(row) for row in table.itertuples()])
    left.set_ylim(places.max() + 0.7, places.min() - 0.7)
    nominal = f"{100 * (1 - result.alpha):.4g}%"
    figure.suptitle(
        f"Nominal {nominal} intervals: {result.label}\n{result.replications:,} samples of"
        f" {result.design}",
        fontsize="medium",
    )
    return figure


def _places(table: pd.DataFrame) -> np.ndarray:
    """Return the height of each row, with a gap between estimands."""
    change = (table["estimand"] != table["estimand"].shift()).cumsum()
    return np.arange(len(table), dtype=float) + (change.to_numpy(float) - 1)


def _name(row: Any) -> str:
    return f"{row.estimand}  {METHODS[row.method].said_of(row.estimand)}"


def _draw_coverage(ax: Any, result: CoverageResult, places: np.ndarray) -> None:
    table, nominal = result.table, 1 - result.alpha
    ax.axvline(nominal, color="black", linewidth=0.8, linestyle="--")
    for estimand, (colour, marker) in MARK.items():
        rows = (table["estimand"] == estimand).to_numpy()
        ax.errorbar(
            table["coverage"][rows], places[rows], xerr=2 * table["mc_error"][rows], fmt=marker,
            color=colour, markersize=4.5, linewidth=1.2,
        )  # fmt: skip
    lowest = float((table["coverage"] - 2 * table["mc_error"]).min())
    ax.set_xlim(min(lowest, nominal - 0.1) - 0.01, 1.005)
    ax.set_xlabel("coverage, ± 2 Monte Carlo standard errors")
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)


def _draw_misses(ax: Any, result: CoverageResult, places: np.ndarray) -> None:
    table = result.table
    counted = result.degenerate == "miss"
    parts = [
        ("below", table["below"], BELOW),
        ("above", table["above"], ABOVE),
        ("unavailable", table["unavailable"] if counted else 0 * table["below"], UNAVAILABLE),
    ]
    start = np.zeros(len(table))
    for label, share, colour in parts:
        if share.any() or colour is not UNAVAILABLE:
            ax.barh(places, share, left=start, color=colour, height=0.65, label=label)
        start = start + share.fillna(0.0).to_numpy()
    ax.axvline(result.alpha, color="black", linewidth=0.8, linestyle="--")
    ax.set_xlabel("misses, below and above the truth")
    ax.legend(
        loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, frameon=False, fontsize="small",
        handlelength=1.0, columnspacing=1.0, borderaxespad=0.2,
    )  # fmt: skip
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
