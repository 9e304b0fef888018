"""Facts → words: the sections of a report, in their order."""

from __future__ import annotations

from ragstats.exceptions import plural
from ragstats.reporting.blocks import Content, Section
from ragstats.reporting.facts import Facts
from ragstats.reporting.sections.about import about, aggregates_note, left_out, method
from ragstats.reporting.sections.bootstrap import bootstrap
from ragstats.reporting.sections.diagnostics import diagnostics
from ragstats.reporting.sections.documents import documents
from ragstats.reporting.sections.results import differences, means
from ragstats.reporting.sections.study import study
from ragstats.reporting.sections.summary import summary
from ragstats.reporting.words import clean, count, listed

_ORDER = (
    summary,
    study,
    means,
    differences,
    bootstrap,
    documents,
    diagnostics,
    left_out,
    method,
    aggregates_note,
    about,
)


def write(facts: Facts) -> Content:
    """Return a report in words; a section with nothing to say is left out."""
    written: list[Section] = [section(facts) for section in _ORDER]
    return Content(
        title=clean(facts.stated.title) or f"{clean(facts.aggregates.columns.score)} by document",
        subtitle=_subtitle(facts),
        sections=tuple(section for section in written if section.blocks),
    )


def _subtitle(facts: Facts) -> str:
    """Return what is here, in one line."""
    names = [clean(s.name) for s in facts.systems if s.aggregates.name]
    rows = {s.rows for s in facts.systems}
    size = f"{count(rows.pop())} scored rows" + (" each" if len(names) > 1 else "")
    if rows:
        size = f"{count(sum(s.rows for s in facts.systems))} scored rows in all"
    who = f"{listed(names, most=8)}: " if names else ""
    return f"{who}{plural(facts.n_documents, 'document')}, {size}"
