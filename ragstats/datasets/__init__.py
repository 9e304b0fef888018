"""The data that ship with ragstats: real retrieval outcomes, and a small synthetic example.

``README.md`` in this folder tells where they come from, which population they speak of, what each
column means and under which licence they are (CC0 1.0).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from importlib.resources import as_file, files

import numpy as np
import pandas as pd

from ragstats.exceptions import unknown_option

__all__ = ["load_eight_documents", "load_retrieval"]

SYSTEMS = ("bm25", "tfidf", "dense", "hybrid")
CUTOFFS = (1, 5, 10)
QUERY_COLUMNS = [
    *("doc_id", "package", "section", "doc_chunks", "chunk_id"),
    *("query_id", "chunk_words", "query_words"),
]

RETRIEVAL_PROVENANCE: dict[Hashable | None, str | int] = {
    "source": "ranks of four retrievers on English manual pages of Debian 12",
    "licence": "CC0-1.0",
    "population": (
        "5,588 English manual pages (sections 1-8, 60 to 60,000 words) of 109 chosen Debian 12 "
        "packages, each searched for in an index of the 1,300 sampled pages"
    ),
    "population_documents": 5588,
    "design": (
        "simple random sample of 1,300 documents without replacement; "
        "one query for every chunk of a sampled document"
    ),
}
EIGHT_PROVENANCE: dict[Hashable | None, str | int] = {
    "source": "synthetic",
    "licence": "CC0-1.0",
    "population": "none: the numbers describe no real system",
    "design": "eight documents of 1, 2, 3, 5, 8, 13, 28 and 60 queries",
}


def load_retrieval(*, systems: str | Iterable[str] | None = None) -> pd.DataFrame:
    """Load real retrieval outcomes: one row per query and system.

    Four retrievers searched 18,869 chunks of 1,300 Debian manual pages with one query per chunk.
    The pages have 1 to 548 chunks each, and the largest tenth of them holds 57% of the queries.

    Parameters
    ----------
    systems : str or iterable of str, optional
        The systems to keep, of ``"bm25"``, ``"tfidf"``, ``"dense"`` and ``"hybrid"``; all four by
        default. The rows come in that order, whichever order is asked for.

    Returns
    -------
    pandas.DataFrame
        75,476 rows (18,869 for each system), ordered by system and query, with the columns

        * ``doc_id``, ``package``, ``section``: the page, its Debian package, its manual section;
        * ``doc_chunks``: chunks of the page, which is also its number of queries;
        * ``chunk_id`` (within the page), ``query_id``, ``chunk_words``, ``query_words``;
        * ``system``;
        * ``hit_at_1``, ``hit_at_5``, ``hit_at_10``, ``rr``, ``rank``: for the query's own chunk;
        * ``doc_hit_at_1``, …, ``doc_rank``: the same for the first chunk of the right page.

        A rank is 1 to 10, or 0 where the target is not among the first ten; ``rr`` is 1/rank, or
        0. ``.attrs`` holds the source, licence, population and sampling design.

    Raises
    ------
    ValueError
        If `systems` is empty or has a name that is not one of the four.

    Notes
    -----
    The pages are 1,300 of 5,588, drawn at random without replacement, so the sampling fraction is
    23%. As a statement about the 5,588 pages, an interval without finite population correction is
    about 14% too wide; ``.attrs["population_documents"]`` has the number that the correction needs.
    The systems searched the 1,300 sampled pages only: an index of all 5,588 would be a harder task.
    pandas hands ``.attrs`` on to most tables made from this one, also to a subset of pages, whose
    population is another one.

    Names are plain strings, not categoricals: a formula on ``scores[scores.system != "dense"]``
    would give an emptied category a column of zeros. Counts, hits and ranks are int64, because on
    int8 ``np.log`` answers in half precision and small products overflow.

    Examples
    --------
    >>> from ragstats.datasets import load_retrieval
    >>> scores = load_retrieval()
    >>> scores.groupby("system")["hit_at_1"].mean().round(3).to_dict()
    {'bm25': 0.161, 'dense': 0.136, 'hybrid': 0.171, 'tfidf': 0.146}
    >>> load_retrieval(systems=["bm25", "tfidf"]).shape
    (37738, 19)
    """
    kept = _kept_systems(systems)
    wide = _read("retrieval_wide.csv.gz", text=("doc_id", "package", "section"))
    wide["doc_chunks"] = wide.groupby("doc_id")["query_id"].transform("size")
    scores = pd.concat([_one_system(wide, name) for name in kept], ignore_index=True)
    scores.attrs = dict(RETRIEVAL_PROVENANCE)
    return scores


def load_eight_documents() -> pd.DataFrame:
    """Load the small synthetic example: two systems on eight very unequal documents.

    Returns
    -------
    pandas.DataFrame
        120 rows, one per query: ``qid``; ``doc`` and ``docid`` (the document as text and as a
        number); the scores ``a`` and ``b`` of two systems and their hits ``a01`` and ``b01``
        (0 or 1); the differences ``d = b - a`` and ``d01 = b01 - a01``. The documents have 1, 2,
        3, 5, 8, 13, 28 and 60 queries. ``.attrs`` says that the data are synthetic.

    Examples
    --------
    >>> from ragstats.datasets import load_eight_documents
    >>> example = load_eight_documents()
    >>> example.groupby("doc").size().tolist()
    [1, 2, 3, 5, 8, 13, 28, 60]
    >>> round(float(example["d"].mean()), 4)
    0.1169
    """
    example = _read("eight_documents.csv", text=("qid", "doc"))
    example.attrs = dict(EIGHT_PROVENANCE)
    return example


def _kept_systems(systems: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the systems asked for, in the order of the file."""
    if systems is None:
        return SYSTEMS
    one = isinstance(systems, str) or not isinstance(systems, Iterable)
    asked = [systems] if one else list(systems)
    for name in asked:
        if name not in SYSTEMS:
            raise unknown_option("systems", name, SYSTEMS)
    if not asked:
        listed = ", ".join(map(repr, SYSTEMS))
        raise ValueError(f"systems={asked!r} names no system; name some of {listed}, or None")
    return tuple(name for name in SYSTEMS if name in asked)


def _read(name: str, *, text: tuple[str, ...]) -> pd.DataFrame:
    """Return a CSV file of this folder; the columns in `text` are read as strings."""
    with as_file(files(__name__).joinpath(name)) as path:
        return pd.read_csv(path, dtype=dict.fromkeys(text, "str"))


def _one_system(wide: pd.DataFrame, system: str) -> pd.DataFrame:
    """Return the rows of one system: what describes the query, then its outcomes."""
    return wide[QUERY_COLUMNS].assign(
        system=system,
        **_outcomes(wide[f"rank_{system}"], prefix=""),
        **_outcomes(wide[f"docrank_{system}"], prefix="doc_"),
    )


def _outcomes(rank: pd.Series[int], *, prefix: str) -> dict[str, pd.Series]:
    """Return hits, reciprocal rank and rank, where rank 0 means not among the first ten."""
    found = rank > 0
    hits = {f"{prefix}hit_at_{k}": (found & (rank <= k)).astype("int64") for k in CUTOFFS}
    reciprocal: pd.Series[float] = found / np.maximum(rank, 1)
    return {**hits, f"{prefix}rr": reciprocal, f"{prefix}rank": rank}
