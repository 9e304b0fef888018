"""The means of systems and the differences of pairs, micro and macro, as forest plots."""

from __future__ import annotations

from matplotlib.figure import Figure

from ragstats.figures.forest import forest
from ragstats.figures.style import label
from ragstats.models.estimand import MEANING
from ragstats.reporting.facts import Facts
from ragstats.reporting.sections.common import FOREST_ROWS
from ragstats.reporting.words import clean


def means(facts: Facts) -> Figure:
    """Draw the means of each system."""
    rows = [(clean(s.name), s.means) for s in facts.systems[:FOREST_ROWS]]
    score = label(clean(facts.aggregates.columns.score), 30)
    return forest(rows, f"mean {score}, {facts.method.level} interval", MEANING)


def differences(facts: Facts) -> Figure:
    """Draw the differences of each pair, against a line at 0."""
    rows = [(clean(p.label), p.differences) for p in facts.pairs[:FOREST_ROWS]]
    score = label(clean(facts.aggregates.columns.score), 26)
    xlabel = f"difference in {score}, {facts.method.level} interval"
    return forest(rows, xlabel, MEANING, zero=True)
