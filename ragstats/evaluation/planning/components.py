"""`variance_components`: how much documents, queries and repeated judgements each vary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragstats.core.segments import Floats
from ragstats.exceptions import DataError, plural
from ragstats.io.scored_rows import check_columns, check_ids, checked_scores, refuse_unscored
from ragstats.models.columns import as_pandas
from ragstats.models.rows import check_missing

from .components_result import LEVELS, VarianceComponents

#: Fewer degrees of freedom than this say little about a component.
FEW_DF = 10


def variance_components(
    data: Any,
    *,
    score: str,
    doc: str,
    query: str,
    repetition: str | None = None,
    missing: str = "drop",
) -> VarianceComponents:
    """Estimate the variance of documents, queries and repeated judgements.

    Parameters
    ----------
    data : DataFrame
        pandas, polars or pyarrow; one row per judgement of a query, of one system (for a
        comparison, the differences of two systems by query and judgement).
    score, doc, query : str
        Columns of scores, document ids and query ids. Queries belong to their document: the same
        id in two documents is two queries.
    repetition : str, optional
        Column that tells the judgements of a query apart (an epoch, a seed, a judge's run).
        Without it every query has one row.
    missing : {"drop", "raise"}
        Rows without a score are counted, or refused.

    Returns
    -------
    VarianceComponents
        ``document``, ``query``, ``repetition``; NaN with a reason where the data cannot tell two
        levels apart, which happens when no query is judged twice, or every document has one query.

    Raises
    ------
    ValueError
        If a column is unknown, or ``missing`` is.
    DataError
        If there are no rows, ids are missing, scores are infinite or all missing, or a judgement
        of a query occurs twice.

    Notes
    -----
    ``y = μ + a_d + b_dq + e_dqr``, by the method of moments: the sums of squares between documents,
    between queries within documents and within queries are set equal to their expectations, which
    for unbalanced data are::

        E SSE = (N - Q) σ_e²
        E SSB = (N - k₁₂) σ_b² + (Q - D) σ_e²                      k₁₂ = Σ_d Σ_q n_dq²/n_d
        E SSA = (N - k₁) σ_a² + (k₁₂ - k₃) σ_b² + (D - 1) σ_e²     k₁ = Σ n_d²/N,  k₃ = Σ n_dq²/N

    The estimates are unbiased whatever the distributions, as long as the three effects do not
    depend on the sizes; every row counts once, so large documents count more.

    References
    ----------
    Searle, S. R., Casella, G. and McCulloch, C. E. (1992). Variance Components. Wiley. Chapters 4
    and 5, appendix F.

    Examples
    --------
    >>> import ragstats as rs
    >>> scores = rs.datasets.load_retrieval(systems="bm25")
    >>> v = variance_components(scores, score="doc_hit_at_1", doc="doc_id", query="query_id")
    >>> round(v.document, 4), round(v.query, 4), v.repetition
    (0.0288, 0.2203, nan)
    """
    frame = as_pandas(data)
    _check_columns(frame, score=score, doc=doc, query=query, repetition=repetition)
    check_missing(missing)
    values = checked_scores(frame, score)
    scored = ~np.isnan(values)
    dropped = int((~scored).sum())
    refuse_unscored(score, dropped, len(frame), missing)
    kept = frame[scored]
    documents = pd.factorize(kept[doc])[0]
    queries = pd.MultiIndex.from_arrays([documents, pd.factorize(kept[query])[0]])
    _check_repetitions(queries, kept, query, repetition)
    return _estimate(values[scored], documents, pd.factorize(queries)[0], dropped)


def _check_columns(frame: pd.DataFrame, **columns: str | None) -> None:
    check_columns(frame.columns, columns.items(), optional=("repetition",))
    if frame.empty:
        raise DataError("data has no rows")
    for argument, column in columns.items():
        if column is not None and argument != "score":
            check_ids(frame, column, argument)


def _check_repetitions(
    queries: pd.MultiIndex, frame: pd.DataFrame, query: str, repetition: str | None
) -> None:
    """Raise when a judgement of a query occurs twice."""
    keys = queries.to_frame(index=False)
    if repetition is not None:
        keys["repetition"] = frame[repetition].to_numpy()
    twice = keys.duplicated().to_numpy()
    if not twice.any():
        return
    example = frame[query].iloc[int(np.argmax(twice))]
    if repetition is None:
        raise DataError(
            f"query={query!r}: {plural(int(twice.sum()), 'row repeats', 'rows repeat')} a query of"
            " the same document, for"
            f" instance {example!r}; name the column that tells judgements apart (repetition=), and"
            " give the rows of one system"
        )
    raise DataError(
        f"repetition={repetition!r}: {plural(int(twice.sum()), 'row repeats', 'rows repeat')} a"
        f" judgement of a query, for instance of {example!r}; one row each is right (of one system)"
    )


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums of squares from the top, with expectations ``coefficients @ components``."""

    squares: Floats
    df: Floats
    coefficients: Floats


def _estimate(
    y: Floats, documents: NDArray[np.intp], queries: NDArray[np.intp], dropped: int
) -> VarianceComponents:
    """Set the sums of squares equal to their expectations, from the bottom up."""
    sums = _sums(y, documents, queries)
    n_documents, n_queries = int(documents.max()) + 1, int(queries.max()) + 1
    present = sums.df > 0
    reasons = _reasons(n_documents, n_queries, len(y))
    estimates = dict.fromkeys(LEVELS, np.nan)
    if present.any():
        levels = [level for level, there in zip(LEVELS, present, strict=True) if there]
        square = sums.coefficients[np.ix_(present, present)]
        solved = np.linalg.solve(square, sums.squares[present])
        estimates.update(zip(levels, solved.tolist(), strict=True))
    df = {level: int(d) for level, d in zip(LEVELS, sums.df, strict=True) if d > 0}
    means = {
        level: float(s / d)
        for level, s, d in zip(LEVELS, sums.squares, sums.df, strict=True)
        if d > 0
    }
    return VarianceComponents(
        **estimates, mean_squares=means, df=df, n_documents=n_documents, n_queries=n_queries,
        n_rows=len(y), dropped=dropped, reasons=reasons, warnings=_warnings(estimates, df),
    )  # fmt: skip


def _sums(y: Floats, documents: NDArray[np.intp], queries: NDArray[np.intp]) -> _Sums:
    """Return the sums of squares, their df and expectations."""
    noise = (8 * np.finfo(float).eps * np.abs(y).max()) ** 2 * len(y)
    y = y - y.mean()
    n_q, n_d = np.bincount(queries).astype(float), np.bincount(documents).astype(float)
    home = np.zeros(len(n_q), np.intp)
    home[queries] = documents
    n, d, q = float(len(y)), float(len(n_d)), float(len(n_q))
    mean_q = np.bincount(queries, weights=y) / n_q
    mean_d = np.bincount(documents, weights=y) / n_d
    within, between = y - mean_q[queries], mean_q - mean_d[home]
    squares = np.array([n_d @ mean_d**2, n_q @ between**2, within @ within])
    k12, k1, k3 = (n_q**2 / n_d[home]).sum(), (n_d**2).sum() / n, (n_q**2).sum() / n
    coefficients = np.array([[n - k1, k12 - k3, d - 1], [0, n - k12, q - d], [0, 0, n - q]])
    df = np.array([d - 1, q - d, n - q])
    return _Sums(np.where(squares > noise, squares, 0.0), df, coefficients)


def _reasons(documents: int, queries: int, rows: int) -> dict[str, str]:
    """Return why components cannot be told, by level."""
    reasons = {}
    if documents == 1:
        reasons["document"] = "document: there is one document, so its variance is unknown"
    if queries == documents:
        reasons["query"] = (
            "query: every document has one query, so its part is inside the document component"
        )
    if rows == queries:
        holder = "query" if queries > documents else "document"
        reasons["repetition"] = (
            "repetition: no query is judged twice, so the noise of the judge is inside the"
            f" {holder} component"
        )
    return reasons


def _warnings(estimates: dict[str, float], df: dict[str, int]) -> tuple[str, ...]:
    said = []
    below = [level for level, value in estimates.items() if value < 0]
    if below:
        said.append(
            f"the estimate for {' and '.join(below)} is below 0, which is sampling error around a"
            " small component; plans use 0"
        )
    few = [f"{level} ({d})" for level, d in df.items() if d < FEW_DF]
    if few:
        said.append(f"few degrees of freedom for {', '.join(few)}: hardly known")
    return tuple(said)
