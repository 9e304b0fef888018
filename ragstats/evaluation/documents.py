"""One row per document: the size, the sum and the sum of squares of its scores.

These are the aggregates from which means, differences, intervals and bootstraps are computed; the
rows are not needed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ragstats.checks import as_list, flag, options_of
from ragstats.evaluation.shown import Shown, told
from ragstats.exceptions import DataError, plural, shown
from ragstats.io.gather import ComputedBy
from ragstats.io.scored_rows import (
    COUNT,
    SQUARES,
    TOTAL,
    by_document,
    check_columns,
    check_ids,
    checked_scores,
    refuse_unscored,
)
from ragstats.io.sources import is_streamed
from ragstats.io.streams_documents import document_sums
from ragstats.models.columns import as_pandas, float_column
from ragstats.models.rows import check_missing

if TYPE_CHECKING:
    from ragstats.evaluation.bootstrap_result import BootstrapResult
    from ragstats.evaluation.diagnostics import Diagnostics
    from ragstats.evaluation.means import MeanResults


@dataclass(frozen=True, repr=False)
class DocumentTable(Shown):
    """The aggregates of scored rows by document, and by system where there is one.

    Attributes
    ----------
    frame : DataFrame
        One row per document (and system): the document's id, the system, ``n`` scored rows, ``s``
        their sum, ``ss`` their sum of squares, and kept columns of the document.
    doc : str
        The column of document ids.
    score : str
        The score's name.
    by : str or None
        The column of systems.
    unscored : dict of str to int
        Rows without a score, by system ("" when there are no systems).
    kept : tuple of str
        Columns of the documents that were kept.
    computed_by : ComputedBy or None
        Which way the sums of a source outside of memory were computed; None for rows in memory, and
        for sums that were given.
    """

    frame: pd.DataFrame
    doc: str
    score: str
    by: str | None = None
    unscored: dict[str, int] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    computed_by: ComputedBy | None = None

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        doc: str,
        by: str | None = None,
        n: str = COUNT,
        s: str = TOTAL,
        ss: str | None = None,
        score: str = "score",
        keep: Sequence[str] = (),
        binary: bool = False,
    ) -> DocumentTable:
        """Take aggregates that someone else has computed.

        Parameters
        ----------
        frame : DataFrame
            One row per document (and system).
        doc, by, n, s, ss : str
            Its columns. Without ``ss`` the sums of squares are unknown (NaN), and what needs them
            (the ICC) says so; with ``binary=True`` scores are 0/1 and ``ss = s``.
        score : str
            The score's name.
        keep : sequence of str
            Columns of the documents to keep.
        binary : bool
            Whether the scores are 0/1.

        Raises
        ------
        ValueError
            If a column is missing, a count is not positive, or a document occurs twice.
        """
        given = as_pandas(frame, argument="frame")
        keep = as_list("keep", keep, "columns")
        named = {"doc": doc, "by": by, "n": n, "s": s, "ss": ss}
        every = [*named.items(), *(("keep", k) for k in keep)]
        check_columns(given.columns, every, optional=("by", "ss"))
        flag("binary", binary)
        keys = [doc] if by is None else [doc, by]
        table = given[keys].copy()
        table[COUNT] = float_column("n", given[n])
        table[TOTAL] = float_column("s", given[s])
        if ss is not None:
            table[SQUARES] = float_column("ss", given[ss])
        else:
            table[SQUARES] = table[TOTAL] if binary else np.nan
        table[keep] = given[keep]
        _check_aggregates(table, keys)
        return cls(table.reset_index(drop=True), doc, score, by, {}, tuple(keep))

    @property
    def systems(self) -> list[str]:
        """The systems, sorted; empty when there are none."""
        return [] if self.by is None else sorted(map(str, self.frame[self.by].unique()))

    @property
    def n_documents(self) -> int:
        """K, the number of documents."""
        return int(self.frame[self.doc].nunique())

    @property
    def n_rows(self) -> int:
        """N, the number of scored rows."""
        return int(self.frame[COUNT].sum())

    @property
    def counts(self) -> np.ndarray:
        """``n_d`` (K,)."""
        return self.frame[COUNT].to_numpy(float)

    @property
    def totals(self) -> np.ndarray:
        """``s_d`` (K,)."""
        return self.frame[TOTAL].to_numpy(float)

    @property
    def squares(self) -> np.ndarray:
        """Sums of squares (K,)."""
        return self.frame[SQUARES].to_numpy(float)

    @property
    def rates(self) -> np.ndarray:
        """``r_d = s_d / n_d`` (K,)."""
        return np.asarray(self.totals / self.counts)

    def system(self, name: str | None = None) -> DocumentTable:
        """Return the documents of one system.

        Raises
        ------
        ValueError
            If the system is not there, or not named where there are several.
        """
        if self.by is None:
            if name is not None:
                raise ValueError(
                    f"system={shown(name)}: the table has no systems; rs.documents(by=…)"
                )
            return self
        if name is None:
            if len(self.systems) > 1:
                raise ValueError(
                    f"system is missing: the table has {plural(len(self.systems), 'system')},"
                    f" {', '.join(self.systems)}; name one"
                )
            name = self.systems[0]
        if not isinstance(name, str) or name not in self.systems:
            raise unknown_system(name, self.systems)
        chosen = self.frame[self.frame[self.by].astype(str) == name]
        unscored = {"": self.unscored.get(name, 0)}
        frame = chosen.drop(columns=self.by).reset_index(drop=True)
        return DocumentTable(
            frame, self.doc, self.score, None, unscored, self.kept, self.computed_by
        )

    def micro(self, system: str | None = None, **options: Any) -> MeanResults:
        """Return the micro mean (of one system); options as :func:`ragstats.micro_mean`."""
        return self._mean("micro", system, options)

    def macro(self, system: str | None = None, **options: Any) -> MeanResults:
        """Return the macro mean (of one system); options as :func:`ragstats.macro_mean`."""
        return self._mean("macro", system, options)

    def _mean(self, estimand: str, system: str | None, options: dict[str, Any]) -> MeanResults:
        from ragstats.evaluation.means import mean_of

        options_of(mean_of, options, of=f"the {estimand} mean")
        return mean_of(self.system(system), estimand, **options)

    def bootstrap(
        self, *, estimand: str, seed: Any, system: str | None = None, **options: Any
    ) -> BootstrapResult:
        """Resample documents; options as :func:`ragstats.bootstrap`."""
        from ragstats.evaluation.bootstrap import bootstrap

        options_of(bootstrap, options, of="the bootstrap")
        return bootstrap(self.system(system), estimand=estimand, seed=seed, **options)

    def diagnostics(self, system: str | None = None) -> Diagnostics:
        """Return ICC, design effect, sizes, rates and concentration (of one system)."""
        from ragstats.evaluation.diagnostics import diagnose

        return diagnose(self.system(system))

    def leave_one_out(self, estimand: str, system: str | None = None) -> pd.DataFrame:
        """Return the mean (of one system) without each document, the largest change first.

        See :func:`ragstats.evaluation.diagnostics.leave_one_out` for the columns.
        """
        from ragstats.evaluation.diagnostics import leave_one_out

        return leave_one_out(self.system(system), estimand)

    def summary(self) -> str:
        """Return what is in the table, as text of at most 80 columns."""
        counts = self.counts
        lost = {name: n for name, n in self.unscored.items() if n}.items()
        rows = {
            "systems": ", ".join(self.systems),
            "rows of each": f"{counts.min():g} to {counts.max():g}, mean {counts.mean():.4g}",
            "unscored": ", ".join(f"{n:,} of {s}" if s else plural(n, "row") for s, n in lost),
            "kept": ", ".join(self.kept),
            "computed by": "" if self.computed_by is None else str(self.computed_by),
        }
        return told(
            f"{plural(self.n_documents, 'document')}, {plural(self.n_rows, 'score')} of"
            f" {self.score!r}",
            {name: text for name, text in rows.items() if text},
        )

    def __repr__(self) -> str:
        size = f"{plural(self.n_documents, 'document')}, {plural(self.n_rows, 'score')}"
        return f"<DocumentTable: {size} of {self.score!r}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the aggregates as plain lists, to be stored beside a result."""
        return {
            "doc": self.doc,
            "score": self.score,
            "by": self.by,
            "unscored": dict(self.unscored),
            "columns": {name: self.frame[name].tolist() for name in self.frame.columns},
        }


def unknown_system(
    name: object, systems: Sequence[str], *, unscored: int = 0, argument: str = "system"
) -> DataError:
    """Return the error for a system without a scored query."""
    ran = f" ({plural(unscored, 'row')}, none scored)" if unscored else ""
    return DataError(
        f"{argument}={shown(name)} has 0 scored queries{ran}; systems with scores:"
        f" {', '.join(systems)}"
    )


def documents(
    data: Any,
    *,
    doc: str,
    score: str,
    by: str | None = None,
    keep: Sequence[str] = (),
    missing: str = "drop",
) -> DocumentTable:
    """Aggregate scored rows to one row per document (and system).

    Parameters
    ----------
    data
        One row per scored query (and system): a pandas, polars or pyarrow frame; a path, a glob or
        a list of paths (Parquet, CSV, JSON lines), :class:`ragstats.Files` or
        :class:`ragstats.Query`; an iterator of frames or Arrow batches; a DuckDB relation; a Polars
        lazy, Ibis or PySpark frame. Engines sum by themselves, and ``computed_by`` says so.
    doc, score : str
        The columns of document ids and of scores (numbers, or booleans).
    by : str, optional
        The column of systems.
    keep : sequence of str
        Columns that are constant within documents, for instance the size band.
    missing : {"drop", "raise"}
        Rows without a score are counted in ``unscored``, or refused.

    Returns
    -------
    DocumentTable

    Raises
    ------
    ValueError
        If a column is unknown, or a kept column varies within a document.
    DataError
        If there are no rows, missing ids, infinite scores, or no score at all.

    Examples
    --------
    >>> import ragstats as rs
    >>> scores = rs.datasets.load_retrieval(systems="bm25")
    >>> t = rs.documents(scores, doc="doc_id", score="hit_at_1")
    >>> t.n_documents, t.n_rows, round(float(t.totals.sum() / t.counts.sum()), 5)
    (1300, 18869, 0.16127)
    """
    if is_streamed(data):
        return _from_source(data, doc=doc, score=score, by=by, keep=keep, missing=missing)
    frame = as_pandas(data)
    keep = as_list("keep", keep, "columns")
    named = {"doc": doc, "by": by}
    every = [("score", score), *named.items(), *(("keep", k) for k in keep)]
    check_columns(frame.columns, every, optional=("by",))
    if frame.empty:
        raise DataError("data has no rows")
    check_missing(missing)
    values = checked_scores(frame, score)
    for argument, column in named.items():
        if column is not None:
            check_ids(frame, column, argument)
    scored = ~np.isnan(values)
    refuse_unscored(score, int((~scored).sum()), len(frame), missing)
    keys = [doc] if by is None else [doc, by]
    sums = pd.DataFrame({COUNT: 1.0, TOTAL: values, SQUARES: values**2})[scored]
    sums[keys] = _plain_keys(frame[keys], scored)
    table = (
        sums.groupby(keys, sort=True, observed=True)[[COUNT, TOTAL, SQUARES]].sum().reset_index()
    )
    kept = by_document(frame[scored], doc, keep).reindex(table[doc])
    for column in keep:
        table[column] = kept[column].to_numpy()
    unscored = _count_unscored(frame, by, scored)
    return DocumentTable(table, doc, score, by, unscored, tuple(keep))


def _from_source(
    data: Any, *, doc: str, score: str, by: str | None, keep: Sequence[str], missing: str
) -> DocumentTable:
    """Sum a source by document in its own engine, or batch by batch."""
    sums = document_sums(data, doc=doc, score=score, by=by, keep=keep, missing=missing)
    kept = tuple(as_list("keep", keep, "columns"))
    return DocumentTable(sums.frame, doc, score, by, sums.unscored, kept, sums.computed_by)


def _plain_keys(keys: pd.DataFrame, scored: np.ndarray) -> pd.DataFrame:
    """Return the key columns of the scored rows, by position, without unused categories."""
    plain = keys[scored].copy()
    for column in plain.columns:
        if isinstance(plain[column].dtype, pd.CategoricalDtype):
            plain[column] = plain[column].astype(plain[column].cat.categories.dtype)
    plain.index = pd.Index(np.flatnonzero(scored))
    return plain


def _count_unscored(frame: pd.DataFrame, by: str | None, scored: np.ndarray) -> dict[str, int]:
    if by is None:
        return {"": int((~scored).sum())}
    lost = pd.Series(~scored).groupby(frame[by].astype(str).to_numpy()).sum()
    return {str(name): int(count) for name, count in lost.items()}


def _check_aggregates(table: pd.DataFrame, keys: list[str]) -> None:
    """Raise unless every document occurs once with a positive count and a finite sum."""
    for column in keys:
        check_ids(table, column, column)
    twice = table.duplicated(keys)
    if twice.any():
        raise DataError(
            f"frame: {plural(int(twice.sum()), 'row repeats', 'rows repeat')} a document (and"
            " system), for instance"
            f" {table.loc[twice, keys].iloc[0].tolist()}; one row each is right"
        )
    counts, totals = table[COUNT].to_numpy(), table[TOTAL].to_numpy()
    if not (np.isfinite(counts) & (counts > 0)).all():
        raise DataError(f"n: {int((~(counts > 0)).sum())} counts are not positive")
    broken = counts != np.round(counts)
    if broken.any():
        raise DataError(
            f"n: {int(broken.sum())} counts are not whole, for instance {counts[broken][0]:g}; n is"
            " a number of scored rows"
        )
    if not np.isfinite(totals).all():
        raise DataError(f"s: {int((~np.isfinite(totals)).sum())} sums are missing or infinite")
    squares = table[SQUARES].to_numpy()
    known = ~np.isnan(squares)
    low = totals[known] ** 2 / counts[known]
    if (squares[known] < low - 1e-9 * np.abs(low)).any():
        raise DataError("ss: a sum of squares is smaller than s²/n, which no scores can give")
