"""A bootstrap beside the t interval, when the user ran one."""

from __future__ import annotations

from math import isnan

from ragstats.exceptions import plural
from ragstats.reporting.blocks import Paragraph, Picture, Section, Table
from ragstats.reporting.facts import BootstrapFacts, Facts
from ragstats.reporting.sections.common import BOOTSTRAP_PANELS, first_of
from ragstats.reporting.words import clean, interval, number, percent, prose


def bootstrap(facts: Facts) -> Section:
    """Write the bootstrap intervals; nothing without one."""
    if not facts.bootstraps:
        return Section("bootstrap", "Bootstrap")
    rows = tuple(_row(found) for found in facts.bootstraps)
    table = Table(
        "bootstrap",
        "Bootstrap by document, beside the t intervals",
        ("estimate of", "method", "estimate", "interval"),
        rows,
    )
    said = Paragraph(
        f"{' '.join(map(_runs, facts.bootstraps))} The bootstrap drew whole documents. Degenerate"
        " replicates (every drawn document has the same rate) have no standard error; they are"
        " left out and counted.",
        note=True,
    )
    names = ", ".join(row[0] for row in rows)
    picture = Picture(
        "bootstrap",
        "Bootstrap replicates, with the estimate and the ends of the interval"
        f"{first_of(BOOTSTRAP_PANELS, len(rows))}.",
        f"Histogram of the bootstrap replicates of {names}.",
    )
    return Section("bootstrap", "Bootstrap", (table, said, picture))


def _row(found: BootstrapFacts) -> tuple[str, ...]:
    return (
        clean(found.name) or "the mean",
        clean(found.method) or "n/a",
        number(found.estimate),
        interval(found.low, found.high),
    )


def _runs(found: BootstrapFacts) -> str:
    """Return how many replicates there were, how many of them degenerate, and a missing limit."""
    name = clean(found.name) or "the mean"
    said = f"{name}: {plural(found.replicates, 'replicate')}"
    said += "" if isnan(found.degenerate) else f", {percent(found.degenerate)} degenerate"
    return f"{said}; {prose(found.reason)}." if found.reason else f"{said}."
