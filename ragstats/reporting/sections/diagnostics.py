"""ICC and design effect, what pairing gains, and the documents that move an estimate most."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from ragstats.exceptions import plural
from ragstats.reporting.blocks import Block, Bullets, Paragraph, Picture, Section, Table
from ragstats.reporting.facts import Facts, Influence
from ragstats.reporting.sections.common import INFLUENCE_PANELS, declared, first_of
from ragstats.reporting.words import (
    clean,
    degrees,
    share,
    short,
    signed,
)

#: A relative change of ν that is worth a word.
SHIFT = 0.03
#: At most so many lines about influence; the JSON has the documents of all.
MOST = 8


def diagnostics(facts: Facts) -> Section:
    """Write the diagnostics, and that they do not replace the computation."""
    blocks: list[Block] = [_clustering(facts), *_reasons(facts), Paragraph(_CAVEAT)]
    if any(pair.diagnostics for pair in facts.pairs):
        blocks += [_pairing(facts), Paragraph(_PAIRING, note=True)]
    lines = [_influence_words(*item) for item in influences(facts)]
    if lines:
        blocks.append(Paragraph("Leaving out one document, the one that changes most:"))
        blocks.append(Bullets(tuple(lines[:MOST])))
        blocks.append(
            Picture(
                "influence",
                "The documents that change an estimate most when they are left out, beside one"
                f" standard error{first_of(INFLUENCE_PANELS, len(lines))}.",
                "Change of an estimate when one document is left out. " + " ".join(lines[:MOST]),
            )
        )
    return Section("diagnostics", "Diagnostics", tuple(blocks))


_CAVEAT = (
    "The intraclass correlation (ICC) and the design effect (DEFF) describe how alike the rows of a"
    " document are and what that costs. They are diagnostics and do not replace the computation by"
    " document: taking N/DEFF for that many independent cases is another fragile approximation."
    " N²/Σn² is the number of equal documents with the same concentration."
)

_PAIRING = (
    "SE ratio: the standard error of the paired macro difference over that of two independent"
    " samples of documents. SD: the standard deviation of the documents' differences (system ×"
    " document). Tied, higher, lower: documents whose rate is the same, higher or lower."
)


def _clustering(facts: Facts) -> Table:
    rows = []
    for system in facts.systems:
        d = system.diagnostics
        effect = "n/a" if isnan(d.icc) else f"{d.design_effect:.2f}"
        over = "n/a" if isnan(d.icc) else f"{d.rows_over_design_effect:.0f}"
        rows.append(
            (
                clean(system.name), short(d.icc), effect, over, f"{d.effective_documents:.1f}",
                share(d.largest_share), f"{d.rates['skewness']:+.1f}".replace("-", "−"),
            )
        )  # fmt: skip
    return Table(
        "clustering",
        "Intraclass correlation, design effect, concentration, and skewness of the rates",
        ("system", "ICC", "DEFF", "N/DEFF", "N²/Σn²", "largest", "skewness"),
        tuple(rows),
    )


def _reasons(facts: Facts) -> list[Block]:
    """Say why an ICC is not there."""
    missing = [
        f"{clean(s.name)}: no ICC, because {s.diagnostics.icc_reason}."
        for s in facts.systems
        if s.diagnostics.icc_reason
    ]
    return [Paragraph(" ".join(missing), note=True)] if missing else []


def _pairing(facts: Facts) -> Table:
    rows = []
    for pair in facts.pairs:
        d = pair.diagnostics
        if d is not None:
            rows.append(
                (
                    clean(pair.label), short(d.correlation, digits=2), short(d.gain, digits=2),
                    short(d.interaction), share(d.share_tied), share(d.share_up),
                    share(d.share_down),
                )
            )  # fmt: skip
    return Table(
        "pairing",
        "Pairs: correlation of the document rates, what pairing gains, and ties",
        ("difference", "correlation", "SE ratio", "SD", "tied", "higher", "lower"),
        tuple(rows),
    )


def influences(facts: Facts) -> Iterator[tuple[str, str, Influence]]:
    """Yield (name, estimand, influence) of the differences, or of the means if there are none."""
    items = [(p.label, p.influence) for p in facts.pairs]
    if not items:
        items = [(s.name, s.influence) for s in facts.systems]
    for name, found in items:
        for estimand in declared(facts):
            if estimand in found:
                yield clean(name), estimand, found[estimand]


def _influence_words(name: str, estimand: str, influence: Influence) -> str:
    top = influence.table.iloc[0]
    if top["change"] == 0:
        return f"{name} ({estimand}): no document changes it."
    n_rows = plural(int(top["n"]), "row")
    return (
        f"{name} ({estimand}): without {clean(top['document'])} ({n_rows}) the estimate is"
        f" {signed(float(top['estimate']))} instead of {signed(influence.estimate.value)}, a change"
        f" of {_relative(float(top['change']), influence.estimate.se)}{_df_words(influence)}."
    )


def _relative(change: float, se: float) -> str:
    if not se > 0:
        return signed(change)
    return f"{signed(change)} ({short(abs(change) / se, digits=2)} standard errors)"


def _df_words(influence: Influence) -> str:
    without, full = float(influence.table["df"].iloc[0]), influence.estimate.df
    if isnan(without) or isnan(full) or abs(without - full) < SHIFT * full:
        return ""
    return f", and ν is {degrees(without)} instead of {degrees(full)}"
