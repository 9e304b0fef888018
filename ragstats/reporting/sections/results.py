"""Means and differences: the tables, both estimands, the declared one first."""

from __future__ import annotations

from ragstats.reporting.blocks import Block, Paragraph, Picture, Section, Table
from ragstats.reporting.facts import Facts
from ragstats.reporting.sections.common import MEANING
from ragstats.reporting.words import (
    NOT_AVAILABLE,
    clean,
    degrees,
    interval,
    listed,
    number,
    plural,
    pvalue,
    sentence,
    signed,
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
        f"Means with {facts.method.level} intervals by document.",
        f"Means of {plural(len(facts.systems), 'system')} with their intervals:"
        f" {listed(described, most=12)}.",
    )
    tables = [_means_table(facts, e) for e in facts.stated.estimands]
    return Section("means", "Means", (*tables, picture))


def _means_table(facts: Facts, estimand: str) -> Table:
    kind = facts.method.cov_type
    columns = ["system", "mean", "SE CR1", f"SE {kind}", "ν", f"{facts.method.level} interval"]
    rows = []
    for system in facts.systems:
        mean, plain = system.means[estimand], system.cr1[estimand]
        rows.append(
            (
                clean(system.name), number(mean.value), number(plain.se), number(mean.se),
                degrees(mean.df), interval(mean.low, mean.high),
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
    blocks += [Paragraph(text, note=True) for text in _notes(facts)]
    described = [
        f"{clean(p.label)} {e} {signed(p.differences[e].value)}"
        for p in facts.pairs
        for e in facts.stated.estimands
    ]
    blocks.append(
        Picture(
            "differences",
            f"Differences with {facts.method.level} intervals by document; the line marks 0.",
            f"{plural(len(facts.pairs), 'difference')} with intervals, against a line at 0:"
            f" {listed(described, most=12)}.",
        )
    )
    return Section("differences", "Differences", tuple(blocks))


def _differences_table(facts: Facts, estimand: str) -> Table:
    matched = "paired by query" if facts.method.paired else "matched by document"
    kind, several = facts.method.cov_type, len(facts.pairs) > 1
    columns = ["difference", "estimate", f"SE {kind}", "ν", f"{facts.method.level} interval", "p"]
    columns += ["p Holm", "K"] if several else ["K"]
    rows = []
    for pair in facts.pairs:
        found = pair.differences[estimand]
        cells = [
            clean(pair.label), signed(found.value), number(found.se), degrees(found.df),
            interval(found.low, found.high, signs=True), pvalue(found.p),
        ]  # fmt: skip
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
    said = []
    for estimand in facts.stated.estimands:
        test = facts.joint.get(estimand)
        if test is None:
            continue
        if test.reason:
            said.append(
                f"All systems equal ({estimand}): {NOT_AVAILABLE}, {sentence(clean(test.reason))}"
            )
        else:
            said.append(
                f"All systems equal ({estimand}): F = {test.statistic:.2f} on {test.df_num:g} and"
                f" {test.df_denom:.1f} df, p = {pvalue(test.pvalue)} (AHT test of Pustejovsky and"
                " Tipton, on the queries that every system has)."
                if facts.method.paired
                else f"All systems equal ({estimand}): F = {test.statistic:.2f} on"
                f" {test.df_num:g} and {test.df_denom:.1f} df, p = {pvalue(test.pvalue)} (AHT test"
                " of Pustejovsky and Tipton)."
            )
    if len(facts.systems) > 2 and not facts.joint:
        said.append(
            f"All systems equal: {NOT_AVAILABLE}, no query has a score of every system."
        )
    for pair in facts.pairs:
        if pair.aggregates.one_sided:
            lost = plural(pair.aggregates.one_sided, "query")
            said.append(f"{clean(pair.label)}: {lost} of one system only are left out.")
    return said
