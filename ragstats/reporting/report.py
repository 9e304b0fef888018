"""``rs.report``: one object, many renderings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from ragstats.checks import as_list
from ragstats.reporting.aggregates import Columns, gather
from ragstats.reporting.blocks import Content
from ragstats.reporting.bootstraps import bootstraps
from ragstats.reporting.compute import compute
from ragstats.reporting.facts import Facts
from ragstats.reporting.stated import Method, Stated

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Path = str | PathLike[str]


class Report:
    """What is to be said of an evaluation, as text, Markdown, HTML, JSON and figures.

    Attributes
    ----------
    facts : Facts
        Everything that the report says, as numbers.
    """

    def __init__(self, facts: Facts):
        self.facts = facts

    @cached_property
    def content(self) -> Content:
        """The report in words: sections of sentences, tables and pictures."""
        from ragstats.reporting.sections import write

        return write(self.facts)

    def to_text(self, *, width: int = 80, color: bool = False) -> str:
        """Return the report as text of at most ``width`` columns."""
        from ragstats.reporting.text import to_text

        return to_text(self.content, width=width, color=color)

    def to_markdown(self, path: Path | None = None, *, figures: str | None = None) -> str:
        """Return the report as Markdown, and write it to a file if one is named.

        Parameters
        ----------
        path : str or path, optional
            Where to write it.
        figures : str, optional
            The folder of the figures, as seen from the file; without it none are shown.
        """
        from ragstats.reporting.files import written
        from ragstats.reporting.markdown import to_markdown

        return written(to_markdown(self.content, figures=figures), path, "path")

    def to_html(self, path: Path | None = None) -> str:
        """Return the report as one HTML page, and write it to a file if one is named.

        The page needs nothing else: styles and figures are in it, and it has no scripts.

        Raises
        ------
        MissingExtraError
            Without Jinja2 and matplotlib: ``pip install "ragstats[report]"``.
        """
        from ragstats.reporting.files import written
        from ragstats.reporting.html import to_html

        return written(to_html(self.facts, self.content), path, "path")

    def to_json(self, path: Path | None = None) -> str:
        """Return the report as JSON, and write it to a file if one is named.

        Its per-document aggregates give every number again; see :meth:`from_json`.
        """
        from ragstats.reporting.files import written
        from ragstats.reporting.json_writer import to_json

        return written(to_json(self.facts, self.content), path, "path")

    @classmethod
    def from_json(cls, source: Path | Mapping[str, Any]) -> Report:
        """Return the report of a JSON file, computed again from its aggregates.

        Parameters
        ----------
        source : str, path or dict
            The file, or what is in it.

        Raises
        ------
        DataError
            If it is not such a file, or its numbers do not follow from its aggregates.
        """
        from ragstats.reporting.json_reader import from_json

        return cls(from_json(source))

    def figures(self) -> dict[str, Figure]:
        """Return the report's figures by name.

        Raises
        ------
        MissingExtraError
            Without matplotlib: ``pip install "ragstats[report]"``.
        """
        from ragstats.reporting.figures import draw

        return draw(self.facts, self.content)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_markdown_(self) -> str:
        """Show the report in a notebook."""
        return self.to_markdown()

    def __repr__(self) -> str:
        return f"<Report: {self.content.title}>"


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
    estimand: str | None = None,
    why_estimand: str = "",
    population: str = "",
    population_size: int | None = None,
    design: str = "",
    levels: str = "",
    fraction: float | None = None,
    left_out: str | Sequence[str] = (),
    title: str = "",
    source: str = "",
    sha256: str = "",
    cov_type: str = "CR2",
    df: str = "satterthwaite",
    alpha: float = 0.05,
    bootstrap: Any = None,
) -> Report:
    """Report an evaluation: design, estimands, documents, methods, intervals, what is left out.

    Parameters
    ----------
    data : DataFrame
        pandas, polars or pyarrow; one row per scored query (and system).
    doc, score, system, query : str
        Its columns. Without ``query`` systems are compared on all their rows, not query by query.
    baseline : str, optional
        The system to compare the others with; by default all pairs.
    unmatched : {"error", "pairwise", "stacked"}
        As in :func:`ragstats.compare`.
    systems : sequence of str, optional
        Which systems, in which order; by default all.
    estimand : {"micro", "macro"}, optional
        The mean that answers the question. Both are always in the report; this one leads.
    why_estimand : str, optional
        Why it answers the question.
    population, design, levels : str, optional
        In words: which documents these stand for, how they were drawn, and what was drawn at each
        level. What is not stated is asked for in the report.
    population_size : int, optional
        M, documents in the population, for the finite population correction.
    fraction : float, optional
        The share of the population's documents that is here, when M is not given. It is said, and
        no interval uses it.
    left_out : str or sequence of str, optional
        What else the intervals do not cover.
    title, source, sha256 : str, optional
        The report's title, where the data came from, and the SHA-256 of that file.
    cov_type, df
        As in :meth:`ragstats.OLS.fit`.
    alpha : float
        Intervals have level ``1 - alpha``.
    bootstrap : object or dict of str to object, optional
        Bootstrap results to show beside the t intervals: anything with ``replicates``,
        ``estimate``, ``low`` and ``high``; in a dict, by what was estimated.

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
    also = as_list("left_out", left_out, "sentences")
    stated = Stated(
        title=title, population=population, population_size=population_size, design=design,
        levels=levels, fraction=fraction, estimand=estimand, why_estimand=why_estimand,
        left_out=tuple(item for item in also if item), source=source, sha256=sha256,
    )  # fmt: skip
    paired = query is not None and unmatched != "stacked"
    method = Method(cov_type, df, alpha, unmatched, paired)
    aggregates = gather(
        data, Columns(doc, score, system, query), baseline=baseline, systems=systems,
        unmatched=unmatched,
    )  # fmt: skip
    return Report(compute(aggregates, stated, method, bootstraps(bootstrap)))
