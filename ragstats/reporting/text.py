"""The report on a terminal: tables of at most 80 columns."""

from __future__ import annotations

from io import StringIO
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ragstats.reporting.facts import Facts, PairFacts, SystemFacts

WIDTH = 80


def to_text(facts: Facts, *, width: int = WIDTH, color: bool = False) -> str:
    """Return the report as text."""
    buffer = StringIO()
    console = Console(
        file=buffer, width=width, force_terminal=color, color_system="auto" if color else None,
        highlight=False,
    )  # fmt: skip
    render(facts, console)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def render(facts: Facts, console: Console) -> None:
    """Print the report on a console."""
    _opening(facts, console)
    for table in (
        _documents_table(facts),
        _means_table(facts, "micro"),
        _means_table(facts, "macro"),
    ):
        console.print(table)
    if facts.pairs:
        console.print(_pairs_table(facts, "micro"))
        console.print(_pairs_table(facts, "macro"))
        _joint(facts, console)
    _closing(facts, console)


def _opening(facts: Facts, console: Console) -> None:
    stated = facts.stated
    console.print(f"[bold]{facts.score}[/bold] by document ({facts.doc})", soft_wrap=False)
    if stated.source:
        console.print(f"Data: {stated.source}")
    console.print(f"Population: {stated.population or 'not stated'}")
    if stated.population_size:
        console.print(
            f"  {stated.population_size} documents, so variances are multiplied by 1 - K/M"
        )
    console.print(f"Design: {stated.design or 'not stated'}")
    console.print(
        "The document is the sampling unit. [bold]micro[/bold]: a random chunk;"
        " [bold]macro[/bold]: a typical document."
    )


def _table(title: str, columns: tuple[str, ...], first: str = "system") -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD,
                  pad_edge=False, padding=(0, 1, 0, 0))  # fmt: skip
    table.add_column(first, overflow="fold", min_width=8)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _documents_table(facts: Facts) -> Table:
    columns = ("K", "N", "unscored", "min", "25%", "50%", "75%", "max", "ICC", "at 0", "at 1")
    table = _table("Documents: rows per document, and documents whose rate is 0 or 1", columns)
    for system in facts.systems:
        d = system.diagnostics
        sizes = [f"{d.sizes[q]:.0f}" for q in ("min", "q25", "median", "q75", "max")]
        icc = "n/a" if np.isnan(d.icc) else f"{d.icc:.3f}"
        table.add_row(
            system.name or "all", str(d.n_documents), str(d.n_rows), str(system.unscored), *sizes,
            icc, f"{d.share_zero:.0%}", f"{d.share_one:.0%}",
        )  # fmt: skip
    return table


def _means_table(facts: Facts, estimand: str) -> Table:
    what = "a random chunk" if estimand == "micro" else "a typical document"
    columns = ("mean", "SE CR1", "SE CR2", "ν", "95% interval")
    table = _table(f"{estimand} mean ({what}), 95% interval by CR2 and its df", columns)
    for system in facts.systems:
        mean, cr1 = getattr(system, estimand), getattr(system, f"{estimand}_cr1")
        low, high = np.asarray(mean.conf_int())[0]
        table.add_row(
            system.name or "all", number(mean.estimate), number(cr1.se), number(mean.se),
            degrees(mean.df), interval(low, high),
        )  # fmt: skip
    return table


def _pairs_table(facts: Facts, estimand: str) -> Table:
    matched = "paired by query" if facts.query else "matched by document"
    columns = ("estimate", "SE CR2", "ν", "95% interval", "p", "K")
    title = f"{estimand} differences, {matched}, 95% interval by CR2 and its df"
    table = _table(title, columns, "difference")
    for pair in facts.pairs:
        row = getattr(pair, estimand)
        table.add_row(
            f"{pair.system} - {pair.baseline}", signed(row["estimate"]), number(row["se"]),
            degrees(row["df"]), interval(row["low"], row["high"], signs=True), pvalue(row["p"]),
            f"{row['documents']:.0f}",
        )  # fmt: skip
    return table


def _joint(facts: Facts, console: Console) -> None:
    for estimand, test in facts.joint.items():
        if test.reason:
            console.print(f"All systems equal ({estimand}): not available, {test.reason}.")
        else:
            console.print(
                f"All systems equal ({estimand}): F = {test.statistic:.2f} on {test.df_num:g} and"
                f" {test.df_denom:.1f} df, p = {pvalue(test.pvalue)} (AHT)."
            )


def _closing(facts: Facts, console: Console) -> None:
    console.print()
    for system in facts.systems:
        _system_notes(system, console)
    for pair in facts.pairs:
        _pair_notes(pair, console)
    for note in facts.notes:
        console.print(note)
    for question in facts.asked:
        console.print(f"Not stated: {question}")
    console.print("Left out: " + "; ".join(facts.left_out) + ".")
    console.print(
        "The aggregates by document give every number here; they do not replace the rows for"
        " auditing ranks."
    )


def _system_notes(system: SystemFacts, console: Console) -> None:
    name = system.name or "all"
    if system.unscored:
        low, high = system.bounds["micro"]
        console.print(
            f"{name}: {system.unscored} unscored rows ({system.unscored_share:.1%}); the micro mean"
            f" is {low:.4f} if all are 0 and {high:.4f} if all are 1."
        )
    for reason in dict.fromkeys(r for r in (system.micro.reason, system.macro.reason) if r):
        console.print(f"{name}: no standard error, because the mean {reason}.")
    for sentence in system.warnings:
        console.print(f"{name}: {sentence}.")


def _pair_notes(pair: PairFacts, console: Console) -> None:
    name = f"{pair.system} - {pair.baseline}"
    if pair.one_sided:
        console.print(f"{name}: {pair.one_sided} queries of one system only are left out.")
    if pair.diagnostics is not None:
        d = pair.diagnostics
        correlation = "n/a" if np.isnan(d.correlation) else f"{d.correlation:.2f}"
        gain = "n/a" if np.isnan(d.gain) else f"{d.gain:.2f}"
        console.print(
            f"{name}: rates correlate {correlation}, pairing gives {gain} of the unpaired SE,"
            f" {d.share_tied:.0%} of the documents tie."
        )
    for sentence in pair.warnings:
        console.print(f"{name}: {sentence}.")


def number(value: float) -> str:
    """Return a number with four decimals, or in scientific notation when it is tiny or huge."""
    if value != value:
        return "n/a"
    return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e5 else f"{value:.2e}"


def signed(value: float) -> str:
    """Return a number with its sign."""
    return f"+{number(value)}" if value > 0 else number(value)


def degrees(value: float) -> str:
    """Return df with one decimal."""
    return "n/a" if value != value else f"{value:.1f}"


def interval(low: float, high: float, *, signs: bool = False) -> str:
    """Return an interval in brackets."""
    if low != low:
        return "n/a"
    style: Any = signed if signs else number
    return f"[{style(low)}, {style(high)}]"


def pvalue(value: float) -> str:
    """Return a p-value."""
    if value != value:
        return "n/a"
    return "<0.0001" if value < 1e-4 else f"{value:.4f}"
