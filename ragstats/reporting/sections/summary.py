"""The summary: what was estimated, each difference with its interval, and what that says."""

from __future__ import annotations

from math import isinf, isnan

from ragstats.evaluation.diagnostics import FEW_DF
from ragstats.exceptions import plural
from ragstats.models.estimand import MEANING
from ragstats.reporting.blocks import Block, Bullets, Finding, Findings, Paragraph, Section
from ragstats.reporting.facts import Estimate, Facts, PairFacts, SystemFacts
from ragstats.reporting.sections.common import BESIDE, declared, grouped
from ragstats.reporting.sections.results import differences_picture
from ragstats.reporting.words import (
    clean,
    degrees,
    interval,
    number,
    prose,
    sentence,
    signed,
    snapped,
    stopped,
)

#: At most so many findings in the summary; the table has all differences.
MOST = 6


def summary(facts: Facts) -> Section:
    """Write the first section: the answer, and how far it goes."""
    if facts.pairs:
        shown = facts.pairs[: _pairs_shown(facts)]
        items = [_difference(facts, pair, e) for pair in shown for e in declared(facts)]
    else:
        items = [_mean(facts, s, e) for s in facts.systems[:MOST] for e in declared(facts)]
    blocks: list[Block] = [Paragraph(_estimated(facts)), Findings(tuple(items))]
    if len(facts.pairs) > _pairs_shown(facts):
        more = plural(len(facts.pairs) - _pairs_shown(facts), "more difference")
        blocks.append(Paragraph(f"{more} in the table of differences.", note=True))
    blocks.append(Paragraph(_reach(facts), note=True))
    care = _care(facts)
    if care:
        blocks.append(Bullets(care, care=True))
    if facts.pairs:
        blocks.append(differences_picture(facts))
    return Section("summary", "Summary", tuple(blocks))


def _pairs_shown(facts: Facts) -> int:
    return MOST // len(declared(facts))


def _estimated(facts: Facts) -> str:
    """Say what was estimated, for which estimand, from what."""
    score, estimand = clean(facts.aggregates.columns.score), facts.stated.estimand
    what = "differences between systems in " if facts.pairs else ""
    if estimand:
        said = f"Estimated: {what}the {estimand} mean of {score}, the mean score of"
        said += f" {MEANING[estimand]}."
        why = facts.stated.why_estimand
        said += f" Why this mean: {sentence(prose(why))}" if why else ""
    else:
        said = (
            f"Estimated: {what}both means of {score}, the micro mean (a random chunk) and the macro"
            " mean (a typical document). Which of them answers the question was not stated."
        )
    return (
        f"{said} The document is the sampling unit: each {facts.method.level} interval comes from"
        f" {plural(facts.n_documents, 'document')}, not from rows."
    )


def _difference(facts: Facts, pair: PairFacts, estimand: str) -> Finding:
    found = pair.differences[estimand]
    return Finding(
        label=clean(pair.label),
        value=signed(snapped(found.value, found.se)),
        interval=interval(found.low, found.high, signs=True),
        sentence=_verdict(facts, pair, found),
        verdict=_direction(found),
        estimand=estimand,
    )


def _direction(found: Estimate) -> str:
    if not found.has_interval:
        return "none"
    if not found.excludes_zero:
        return "open"
    return "up" if found.value > 0 else "down"


def _verdict(facts: Facts, pair: PairFacts, found: Estimate) -> str:
    """Say what an interval of a difference shows, and nothing that it does not."""
    system, baseline = clean(pair.aggregates.system), clean(pair.aggregates.baseline)
    if not found.has_interval:
        return f"No interval can be had: {prose(found.reason)}."
    if facts.census:
        return "Every document of the population is here, so this difference has no sampling error."
    if found.se == 0:
        return (
            "Every document shows the same difference, so the standard error is 0; that is no"
            " certainty about other documents."
        )
    ahead, behind = (system, baseline) if found.value > 0 else (baseline, system)
    if found.excludes_zero:
        said = (
            f"The interval excludes 0: {ahead} scored higher than {behind} on documents like these."
        )
    else:
        said = (
            f"The interval includes 0: these documents do not tell {system} and {baseline} apart."
        )
    return said + _leaning(found) + _beside(found, zero=True)


def _leaning(found: Estimate) -> str:
    if isinf(found.df) or found.df >= FEW_DF:
        return ""
    return f" With ν = {degrees(found.df)} it leans on its working model."


def _beside(found: Estimate, *, zero: bool = False) -> str:
    """Say what the intervals beside t are, and whether they agree about 0."""
    said = ""
    for item in found.beside:
        limits = interval(item.low, item.high, signs=zero)
        said += f" Beside it, the {BESIDE[item.method]} interval is {limits}"
        said += f" ({prose(item.reason)})" if item.reason else ""
        if zero and not isnan(item.low):
            agrees = item.excludes_zero == found.excludes_zero
            which = "excludes" if item.excludes_zero else "includes"
            said += f", which {'also ' if agrees else ''}{which} 0"
            said += "" if agrees else ": the two do not agree"
        said += "."
    return said


def _mean(facts: Facts, system: SystemFacts, estimand: str) -> Finding:
    found = system.means[estimand]
    if not found.has_interval:
        said = f"No interval can be had: {prose(found.reason)}."
    elif facts.census:
        said = "Every document of the population is here, so this mean has no sampling error."
    else:
        said = f"The mean score of {MEANING[estimand]}, for documents like these."
        said += _leaning(found) + _beside(found)
    return Finding(
        label=clean(system.name),
        value=number(found.value),
        interval=interval(found.low, found.high),
        sentence=said,
        verdict="none",
        estimand=estimand,
    )


def _reach(facts: Facts) -> str:
    """Say how far the intervals go: which documents, how many of them, and what not."""
    said = [_population(facts)]
    if facts.census:
        return f"{said[0]} Every document of it is here, so nothing about it was left to chance."
    if len(facts.pairs) > 1:
        said.append(
            f"Each interval stands on its own at {facts.method.level}; those of"
            f" {plural(len(facts.pairs), 'difference')} are not adjusted for one another"
            " (the Holm-adjusted p-values below are)."
        )
    said.append("The intervals cover which documents were drawn, and nothing else.")
    return " ".join(said)


def _population(facts: Facts) -> str:
    stated = facts.stated
    if stated.population:
        return f"Population: {sentence(prose(stated.population))}"
    if stated.population_size is not None:
        size = plural(stated.population_size, "document")
        return f"Population: {size}; which ones was not stated."
    return "No population was stated: the intervals speak of documents drawn like these."


def _care(facts: Facts) -> tuple[str, ...]:
    """Return what weakens the intervals, each said once with all the names that it is said of."""
    named = [(clean(s.name), prose(w)) for s in facts.systems for w in s.warnings]
    named += [(clean(p.label), prose(w)) for p in facts.pairs for w in p.warnings]
    lost = [
        (clean(s.name), "rows without a score are left out; see Documents")
        for s in facts.systems
        if s.unscored
    ]
    return tuple(stopped(text) for text in grouped(lost + named))
