"""``rs.report``: one object, many renderings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragstats.reporting.facts import Facts, Stated, collect
from ragstats.reporting.text import to_text


class Report:
    """What is to be said of an evaluation.

    Attributes
    ----------
    facts : Facts
        Everything that the report says.
    """

    def __init__(self, facts: Facts):
        self.facts = facts

    def to_text(self, *, width: int = 80, color: bool = False) -> str:
        """Return the report as text of at most ``width`` columns."""
        return to_text(self.facts, width=width, color=color)

    def __str__(self) -> str:
        return self.to_text()


def report(
    data: Any,
    *,
    doc: str,
    score: str,
    system: str | None = None,
    query: str | None = None,
    baseline: str | None = None,
    unmatched: str = "error",
    systems: Sequence[str] | None = None,
    population: str = "",
    population_size: int | None = None,
    design: str = "",
    source: str = "",
    sha256: str = "",
) -> Report:
    """Report an evaluation: design, estimands, documents, methods, intervals, what is left out.

    Parameters
    ----------
    data : DataFrame
        pandas, polars or pyarrow; one row per scored query (and system).
    doc, score, system, query : str
        Its columns.
    baseline : str, optional
        The system to compare the others with; by default all pairs.
    unmatched : {"error", "pairwise", "stacked"}
        As in :func:`ragstats.compare`.
    systems : sequence of str, optional
        Which systems, in which order; by default all.
    population, design : str, optional
        In words; what is not stated is asked for in the report.
    population_size : int, optional
        M, documents in the population, for the finite population correction.
    source, sha256 : str, optional
        Where the data came from.

    Returns
    -------
    Report

    Raises
    ------
    ValueError, DataError
        As :func:`ragstats.documents` and :func:`ragstats.compare`.

    Examples
    --------
    >>> import ragstats as rs
    >>> scores = rs.datasets.load_retrieval(systems=["bm25", "tfidf"])
    >>> r = rs.report(scores, doc="doc_id", score="hit_at_1", system="system", query="query_id")
    >>> "tfidf - bm25" in r.to_text()
    True
    """
    stated = Stated(population, population_size, design, source, sha256)
    return Report(
        collect(
            data, doc=doc, score=score, system=system, query=query, baseline=baseline,
            unmatched=unmatched, systems=systems, stated=stated,
        )
    )  # fmt: skip
