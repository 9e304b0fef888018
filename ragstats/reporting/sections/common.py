"""Words that several sections use."""

from __future__ import annotations

from ragstats.core.hypothesis import JointTest
from ragstats.reporting.facts import Facts
from ragstats.reporting.words import NOT_AVAILABLE, p_equals, prose

#: The same, in a sentence of its own.
QUESTION = {
    "micro": "micro, the mean score of a random chunk: every scored row counts once",
    "macro": "macro, the mean score of a typical document: every document counts once",
}

#: Intervals beside t, in words.
BESIDE = {"wild": "restricted wild bootstrap", "korn-graubard": "Korn-Graubard"}

#: What a figure has room for; the tables and the JSON have all.
FOREST_ROWS, SYSTEM_PANELS, INFLUENCE_PANELS, BOOTSTRAP_PANELS = 24, 8, 6, 6


def first_of(shown: int, total: int) -> str:
    """Return " (the first 8 of 30)" when a figure has room for some only."""
    return f" (the first {shown} of {total})" if total > shown else ""


def grouped(named: list[tuple[str, str]]) -> tuple[str, ...]:
    """Return ``"a, b: sentence"`` for every sentence, with all the names that it is said of."""
    owners: dict[str, list[str]] = {}
    for name, text in named:
        owners.setdefault(text, []).append(name)
    return tuple(f"{', '.join(names)}: {text}" for text, names in owners.items())


def declared(facts: Facts) -> tuple[str, ...]:
    """Return the estimand that was declared, or both."""
    return (facts.stated.estimand,) if facts.stated.estimand else facts.stated.estimands


def joint_sentence(estimand: str, test: JointTest) -> str:
    """Return the test that all systems are equal, or why it is not there."""
    if test.reason:
        return f"All systems equal ({estimand}): {NOT_AVAILABLE}, {prose(test.reason)}."
    return (
        f"All systems equal ({estimand}): F = {test.statistic:.2f} on {test.df_num:g} and"
        f" {test.df_denom:.1f} df, {p_equals(test.pvalue)} (AHT test)."
    )
