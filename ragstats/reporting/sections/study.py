"""What was drawn, and which question the means answer: what only the user can say."""

from __future__ import annotations

from ragstats.reporting.blocks import Section, Term, Terms
from ragstats.reporting.facts import Facts
from ragstats.reporting.sections.common import QUESTION
from ragstats.reporting.stated import ASKED, Stated
from ragstats.reporting.words import count, percent, prose, sentence


def study(facts: Facts) -> Section:
    """Write what was stated, and ask for what was not."""
    stated = facts.stated
    items = (
        _stated("Population", "population", stated),
        _stated("Design", "design", stated),
        _stated("Levels", "levels", stated),
        _fraction(facts),
        _estimand(stated),
        _stated("Why this mean", "why_estimand", stated),
    )
    return Section("study", "What was drawn, and which question", (Terms(items),))


def not_stated(name: str) -> str:
    """Return the words for what was not stated: the question."""
    return f"not stated: {ASKED[name]}"


def _stated(label: str, name: str, stated: Stated) -> Term:
    value = prose(getattr(stated, name))
    return Term(label, sentence(value)) if value else Term(label, not_stated(name), missing=True)


def _fraction(facts: Facts) -> Term:
    stated, k = facts.stated, facts.n_documents
    if stated.population_size is not None:
        used = f"{count(k)} of {count(stated.population_size)} documents"
        used += f" ({percent(k / stated.population_size)})"
        if facts.census:
            return Term("Fraction", f"{used}: a census, so the means are known.")
        return Term("Fraction", f"{used}; variances are multiplied by 1 − K/M.")
    if stated.fraction is not None:
        return Term(
            "Fraction",
            f"{percent(stated.fraction)} of the documents, as stated; the intervals do not use it"
            " and speak of documents drawn like these.",
        )
    return Term("Fraction", not_stated("fraction"), missing=True)


def _estimand(stated: Stated) -> Term:
    if stated.estimand is None:
        return Term("Estimand", not_stated("estimand"), missing=True)
    return Term("Estimand", sentence(QUESTION[stated.estimand]))
