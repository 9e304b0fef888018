"""Means and differences: the tables, both estimands, the declared one first."""

from __future__ import annotations

from ragstats.exceptions import plural
from ragstats.models.estimand import MEANING
from ragstats.reporting.blocks import Block, Paragraph, Picture, Section, Table
from ragstats.reporting.facts import Estimate, Facts
from ragstats.reporting.sections.common import (
    BESIDE,
    FOREST_ROWS,
    first_of,
    joint_sentence,
)
from ragstats.reporting.words import (
    clean,
    degrees,
    interval,
    listed,
    number,
    pvalue,
    signed,
    snapped,
)


def means(facts: Facts) -> Section:
    """Write the mean of each system, as micro and as macro."""
    described = [
        f"{clean(s.name)} {e} {number(s.means[e].value)}"
        for s in facts.systems
        for e in facts.stated.estimands
    ]
    picture = Picture(
        "means",
        f"Means with {facts.method.level} intervals by document"
        f"{first_of(FOREST_ROWS, len(facts.systems))}.",
        f"Means of {plural(len(facts.systems), 'system')} with their intervals:"
        f" {listed(described, most=12)}.",
    )
    tables = [_means_table(facts, e) for e in facts.stated.estimands]
    named = [(clean(s.name), s.means) for s in facts.systems]
    return Section("means", "Means", (*tables, *_beside("system", named), picture))


def _beside(first: str, named: list[tuple[str, dict[str, Estimate]]]) -> list[Block]:
    """Return the intervals that such data call for beside t; nothing where there are none."""
    rows = [
        (
            f"{name} ({estimand})",
            BESIDE[item.method],
            interval(item.low, item.high, signs=first == "difference"),
        )
        for name, estimates in named
        for estimand, found in estimates.items()
        for item in found.beside
    ]
    if not rows:
        return []
    caption = "Beside the t interval, for few documents or a mean near 0 or 1"
    columns = (first, "method", "interval")
    return [Table(f"beside-{first}", caption, columns, tuple(rows))]


def _means_table(facts: Facts, estimand: str) -> Table:
    kind = facts.method.cov_type
    columns = ["system", "mean", f"{facts.method.level} interval", f"SE {kind}", "ν", "SE CR1"]
    rows = []
    for system in facts.systems:
        mean, plain = system.means[estimand], system.cr1[estimand]
        rows.append(
            (
                clean(system.name), number(mean.value), interval(mean.low, mean.high),
                number(mean.se), degrees(mean.df), number(plain.se),
            )
        )  # fmt: skip
    return Table(
        f"means-{estimand}",
        f"{estimand} mean ({MEANING[estimand]}); interval by {kind} and ν",
        tuple(columns),
        tuple(rows),
    )


def differences(facts: Facts) -> Section:
    """Write the differences of each pair, and the test that all systems are equal."""
    if not facts.pairs:
        return Section("differences", "Differences")
    blocks: list[Block] = [_differences_table(facts, e) for e in facts.stated.estimands]
    blocks += _beside("difference", [(clean(p.label), p.differences) for p in facts.pairs])
    blocks += [Paragraph(text, note=True) for text in _notes(facts)]
    return Section("differences", "Differences", tuple(blocks))


def differences_picture(facts: Facts) -> Picture:
    """Return the forest plot of the differences, which stands beside the summary."""
    described = [
        f"{clean(p.label)} {e} {signed(p.differences[e].value)}"
        for p in facts.pairs
        for e in facts.stated.estimands
    ]
    return Picture(
        "differences",
        f"Differences with {facts.method.level} intervals by document"
        f"{first_of(FOREST_ROWS, len(facts.pairs))}; the line marks 0.",
        f"{plural(len(facts.pairs), 'difference')} with intervals, against a line at 0:"
        f" {listed(described, most=12)}.",
    )


def _differences_table(facts: Facts, estimand: str) -> Table:
    matched = "paired by query" if facts.method.paired else "matched by document"
    kind, several = facts.method.cov_type, len(facts.pairs) > 1
    columns = ["difference", "estimate", f"{facts.method.level} interval", f"SE {kind}", "ν", "p"]
    columns += ["p Holm", "K"] if several else ["K"]
    rows = []
    for pair in facts.pairs:
        found = pair.differences[estimand]
        cells = [
            clean(pair.label),
            signed(snapped(found.value, found.se)),
            interval(found.low, found.high, signs=True),
            number(found.se),
            degrees(found.df),
            pvalue(found.p),
        ]
        cells += [pvalue(pair.holm[estimand])] if several else []
        rows.append((*cells, str(found.documents)))
    return Table(
        f"differences-{estimand}",
        f"{estimand} differences ({MEANING[estimand]}), {matched}; interval by {kind} and ν",
        tuple(columns),
        tuple(rows),
    )


def _notes(facts: Facts) -> list[str]:
    """Return the joint tests, and the queries that were left out."""
    said = [joint_sentence(e, facts.joint[e]) for e in facts.stated.estimands if e in facts.joint]
    lost = [
        f"{plural(pair.aggregates.one_sided, 'query')} of {clean(pair.label)}"
        for pair in facts.pairs
        if pair.aggregates.one_sided
    ]
    if lost:
        said.append(f"Left out, answered by only one system: {listed(lost, most=len(lost))}.")
    return said
