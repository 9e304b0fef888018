"""K, N, how many rows the documents have, their rates, and the rows without a score."""

from __future__ import annotations

from ragstats.exceptions import plural
from ragstats.reporting.blocks import Block, Paragraph, Picture, Section, Table
from ragstats.reporting.facts import Facts, SystemFacts
from ragstats.reporting.sections.common import SYSTEM_PANELS, first_of, grouped
from ragstats.reporting.words import (
    clean,
    count,
    listed,
    number,
    percent,
    prose,
    share,
    short,
    size,
)

_POINTS = ("min", "q10", "q25", "median", "q75", "q90", "max")
_HEADERS = ("min", "10%", "25%", "50%", "75%", "90%", "max")


def documents(facts: Facts) -> Section:
    """Write what the documents are like: sizes, rates, unscored rows."""
    blocks: list[Block] = [
        _sizes(facts),
        Paragraph(_concentration(facts)),
        _size_picture(facts),
        _rates(facts),
        _rate_picture(facts),
        *_unscored(facts),
    ]
    return Section("documents", "Documents", tuple(blocks))


def _sizes(facts: Facts) -> Table:
    rows = []
    for system in facts.systems:
        d = system.diagnostics
        points = [size(d.sizes[p]) for p in _POINTS]
        rows.append(
            (
                clean(system.name),
                str(d.n_documents),
                str(d.n_rows),
                f"{d.sizes['mean']:.1f}",
                *points,
            )
        )
    return Table(
        "sizes",
        "Documents (K), scored rows (N), and quantiles of the rows per document",
        ("system", "K", "N", "mean", *_HEADERS),
        tuple(rows),
    )


def _concentration(facts: Facts) -> str:
    """Say how unequal the documents are; that is what separates micro from macro."""
    few = facts.n_documents < 15
    held = {
        clean(s.name): share(s.diagnostics.largest_share if few else s.top_decile)
        for s in facts.systems
    }
    what = "largest document holds" if few else "largest tenth of the documents holds"
    much = listed([f"{value} ({name})" for name, value in held.items()], most=8)
    if len(set(held.values())) == 1:
        much = next(iter(held.values()))
    return (
        f"The {what} {much} of the rows. The more unequal the sizes, the further apart the micro"
        " and the macro mean may be, and the fewer df the micro mean has."
    )


def _size_picture(facts: Facts) -> Picture:
    d = facts.systems[0].diagnostics
    some = "" if facts.same_sizes else first_of(SYSTEM_PANELS, len(facts.systems))
    return Picture(
        "sizes",
        f"How many scored rows the documents have (logarithmic axis){some}.",
        f"Histogram of rows per document: half of the documents of {clean(facts.systems[0].name)}"
        f" have {size(d.sizes['median'])} rows or fewer, the largest has {size(d.sizes['max'])}.",
    )


def _rates(facts: Facts) -> Table:
    """Return the quantiles of the rates; where scores leave [0, 1], 0 and 1 are no bounds of it."""
    bounded = all(system.within for system in facts.systems)
    rows = []
    for system in facts.systems:
        d = system.diagnostics
        ends = (share(d.share_zero), share(d.share_one)) if bounded else ()
        rows.append((clean(system.name), *ends, *(short(d.rates[p]) for p in _POINTS)))
    what = "the share that is exactly 0 or 1, and quantiles" if bounded else "quantiles"
    return Table(
        "rates",
        f"Document rates (a document's mean score): {what}",
        ("system", *(("at 0", "at 1") if bounded else ()), *_HEADERS),
        tuple(rows),
    )


def _rate_picture(facts: Facts) -> Picture:
    return Picture(
        "rates",
        "Document rates against rows per document; larger marks stand for more documents"
        f"{first_of(SYSTEM_PANELS, len(facts.systems))}.",
        "Scatter of document rates against document sizes (logarithmic): "
        + listed([_rate_words(s) for s in facts.systems], most=6)
        + ".",
    )


def _rate_words(system: SystemFacts) -> str:
    d = system.diagnostics
    return (
        f"{clean(system.name)} rates from {short(d.rates['min'])} to {short(d.rates['max'])},"
        f" median {short(d.rates['median'])}"
    )


def _unscored(facts: Facts) -> list[Block]:
    """Return the rows without a score, with the means that they could lead to."""
    lossy = [s for s in facts.systems if s.unscored]
    if not lossy:
        return [Paragraph("Unscored rows: none; every row has a score.")]
    bounded = [s for s in lossy if not s.bounds["micro"].reason]
    said = [
        f"{clean(s.name)}: {plural(s.unscored, 'row')} ({percent(s.unscored_share)}) without a"
        f" score.{_bound_words(s) if s in bounded else ''}"
        for s in lossy
    ]
    scored = [clean(s.name) for s in facts.systems if not s.unscored]
    if scored:
        said.append(f"Every row of {listed(scored, most=8)} has a score.")
    reasons = [(clean(s.name), prose(s.bounds["micro"].reason)) for s in lossy if s not in bounded]
    if reasons:
        said.append(f"No bounds of the means: {'; '.join(grouped(reasons))}.")
    return [*([_bounds(bounded)] if bounded else []), Paragraph(" ".join(said))]


def _bounds(systems: list[SystemFacts]) -> Table:
    rows = []
    for s in systems:
        cells = [number(v) for e in ("micro", "macro") for v in _ends(s, e)]
        rows.append((clean(s.name), count(s.unscored), percent(s.unscored_share), *cells))
    return Table(
        "unscored",
        "Unscored rows, left out above; the means if all of them were 0, and if all were 1",
        ("system", "rows", "share", "micro 0", "micro 1", "macro 0", "macro 1"),
        tuple(rows),
    )


def _ends(system: SystemFacts, estimand: str) -> tuple[float, float]:
    return system.bounds[estimand].all_0, system.bounds[estimand].all_1


def _bound_words(system: SystemFacts) -> str:
    ends = {e: [number(v) for v in _ends(system, e)] for e in ("micro", "macro")}
    return (
        f" If all of them were 0 the micro mean would be {ends['micro'][0]} and the macro mean"
        f" {ends['macro'][0]}; if all were 1, {ends['micro'][1]} and {ends['macro'][1]}."
    )
