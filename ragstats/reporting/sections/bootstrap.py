"""A bootstrap beside the t interval, when the user ran one."""

from __future__ import annotations

from math import isnan

from ragstats.reporting.blocks import Paragraph, Picture, Section, Table
from ragstats.reporting.facts import BootstrapFacts, Facts
from ragstats.reporting.words import clean, count, interval, number, percent


def bootstrap(facts: Facts) -> Section:
    """Write the bootstrap intervals; nothing without one."""
    if not facts.bootstraps:
        return Section("bootstrap", "Bootstrap")
    rows = tuple(_row(found) for found in facts.bootstraps)
    table = Table(
        "bootstrap",
        "Bootstrap by document, beside the t intervals",
        ("estimate of", "method", "estimate", "interval", "replicates", "degenerate"),
        rows,
    )
    said = Paragraph(
        "The bootstrap drew whole documents. Degenerate replicates (every drawn document has the"
        " same rate) have no standard error; they are left out and counted.",
        note=True,
    )
    names = ", ".join(row[0] for row in rows)
    picture = Picture(
        "bootstrap",
        "Bootstrap replicates, with the estimate and the ends of the interval.",
        f"Histogram of the bootstrap replicates of {names}.",
    )
    return Section("bootstrap", "Bootstrap", (table, said, picture))


def _row(found: BootstrapFacts) -> tuple[str, ...]:
    degenerate = "n/a" if isnan(found.degenerate) else percent(found.degenerate)
    return (
        clean(found.name) or "the mean",
        clean(found.method) or "n/a",
        number(found.estimate),
        interval(found.low, found.high),
        count(found.replicates),
        degenerate,
    )
