"""The summary: what was estimated, each difference with its interval, and what that says."""

from __future__ import annotations

from math import isinf

from ragstats.evaluation.diagnostics import FEW_DF
from ragstats.reporting.blocks import Block, Bullets, Finding, Findings, Paragraph, Section
from ragstats.reporting.facts import Estimate, Facts, PairFacts, SystemFacts
from ragstats.reporting.sections.common import MEANING, declared, grouped
from ragstats.reporting.words import (
    NOT_AVAILABLE,
    clean,
    degrees,
    interval,
    number,
    plural,
    pvalue,
    sentence,
    signed,
)

#: At most so many differences in the summary; the table has them all.
MOST = 6


def summary(facts: Facts) -> Section:
    """Write the first section: the answer, and how far it goes."""
    if facts.pairs:
        shown = facts.pairs[:MOST]
        items = [_difference(facts, pair, e) for pair in shown for e in declared(facts)]
    else:
        items = [_mean(facts, system, e) for system in facts.systems for e in declared(facts)]
    blocks: list[Block] = [Paragraph(_estimated(facts)), Findings(tuple(items))]
    if len(facts.pairs) > MOST:
        more = plural(len(facts.pairs) - MOST, "more difference")
        blocks.append(Paragraph(f"{more} in the table of differences.", note=True))
    blocks.append(Paragraph(_reach(facts), note=True))
    care = _care(facts)
    if care:
        blocks.append(Bullets(care, care=True))
    return Section("summary", "Summary", tuple(blocks))


def _estimated(facts: Facts) -> str:
    """Say what was estimated, for which estimand, from what."""
    score = clean(facts.aggregates.columns.score)
    what = "differences between systems in the mean" if facts.pairs else "the mean"
    if facts.stated.estimand:
        estimand = facts.stated.estimand
        which = f"the {estimand} mean, the one of {MEANING[estimand]}"
        why = facts.stated.why_estimand
        reason = f" Why this mean: {sentence(clean(why))}" if why else ""
    else:
        which = "both means, the micro one of a random chunk and the macro one of a typical document"
        reason = " Which of the two answers the question was not stated."
    return (
        f"Estimated: {what} of {score}; {which}. The document is the sampling unit, so each interval"
        f" ({facts.method.level}) comes from {plural(facts.n_documents, 'document')}, not from rows."
        f"{reason}"
    )


def _difference(facts: Facts, pair: PairFacts, estimand: str) -> Finding:
    found = pair.differences[estimand]
    return Finding(
        label=_clean_label(pair),
        value=signed(found.value),
        interval=interval(found.low, found.high, signs=True),
        sentence=_verdict(facts, pair, found),
        verdict=_direction(found),
        estimand=estimand,
    )


def _clean_label(pair: PairFacts) -> str:
    return clean(pair.label)


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
        return f"No interval can be had: {clean(found.reason)}."
    if facts.census:
        return "Every document of the population is here, so this difference has no sampling error."
    if found.se == 0:
        return (
            "Every document shows the same difference, so the standard error is 0; that is no"
            " certainty about other documents."
        )
    ahead, behind = (system, baseline) if found.value > 0 else (baseline, system)
    if found.excludes_zero:
        said = f"The interval excludes 0: {ahead} scored higher than {behind} on such documents."
    else:
        said = f"The interval includes 0: these documents do not tell {system} and {baseline} apart."
    return said + _leaning(found)


def _leaning(found: Estimate) -> str:
    if isinf(found.df) or found.df >= FEW_DF:
        return ""
    return f" With ν = {degrees(found.df)} it leans on its working model."


def _mean(facts: Facts, system: SystemFacts, estimand: str) -> Finding:
    found = system.means[estimand]
    if not found.has_interval:
        said = f"No interval can be had: {clean(found.reason)}."
    elif facts.census:
        said = "Every document of the population is here, so this mean has no sampling error."
    else:
        said = f"The mean score of {MEANING[estimand]}, for documents like these." + _leaning(found)
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
    said = []
    if facts.stated.population:
        said.append(f"Population: {sentence(clean(facts.stated.population))}")
    else:
        said.append("No population was stated: the intervals speak of documents drawn like these.")
    if len(facts.pairs) > 1:
        said.append(
            f"Each interval stands on its own at {facts.method.level}; those of"
            f" {plural(len(facts.pairs), 'difference')} are not adjusted for one another"
            " (the Holm-adjusted p-values below are)."
        )
    for estimand in declared(facts):
        test = facts.joint.get(estimand)
        if test is None:
            continue
        if test.reason:
            said.append(f"All systems equal ({estimand}): {NOT_AVAILABLE}, {test.reason}.")
        else:
            said.append(
                f"All systems equal ({estimand}): F = {test.statistic:.2f} on {test.df_num:g} and"
                f" {test.df_denom:.1f} df, p = {pvalue(test.pvalue)} (AHT test)."
            )
    said.append("The intervals cover which documents were drawn, and nothing else.")
    return " ".join(said)


def _care(facts: Facts) -> tuple[str, ...]:
    """Return what weakens the intervals, each said once with all the names that it is said of."""
    named = [(clean(s.name), w) for s in facts.systems for w in s.warnings]
    named += [(_clean_label(p), w) for p in facts.pairs for w in p.warnings]
    lost = [
        (clean(s.name), "rows without a score are left out; see the bounds under Documents")
        for s in facts.systems
        if s.unscored
    ]
    return tuple(sentence(clean(text)) for text in grouped(lost + named))
