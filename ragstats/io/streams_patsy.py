"""Terms that only patsy can evaluate: the design of one batch at a time.

Levels and stateful transforms (splines, centring) are fixed in earlier passes, as patsy does for
data that do not fit into memory. An iterator that can be read once gives no earlier pass: stateful
terms are refused there, and levels are those of the first batch.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import patsy

from ragstats.core.streaming_sums import CellDesign
from ragstats.exceptions import DataError
from ragstats.io.engines import SumsPlan, infinite, nothing_complete
from ragstats.io.row_functions import RowsAlone
from ragstats.io.sources import Source
from ragstats.io.terms import describe, unknown_name
from ragstats.io.translated import NUMBER, Translated
from ragstats.models.columns import plain_column
from ragstats.models.formula_names import compared_in_formula, named_in_formula


class PatsyBatches:
    """The design of a formula, batch by batch.

    Parameters
    ----------
    formula : str
    source : Source
    keys : sequence of str
        Columns of documents (and cells), which travel along.
    levels : dict of str to sequence
        Levels of columns that are declared.
    env : patsy.EvalEnvironment
        The caller's names.

    Attributes
    ----------
    info : patsy.DesignInfo
        Of the right side.
    dropped : dict of str to int
        Rows left out so far, by reason.

    Raises
    ------
    ValueError
        If patsy cannot evaluate the formula, or it needs a pass that an iterator does not give.
    """

    def __init__(
        self,
        formula: str,
        source: Source,
        keys: Sequence[str],
        levels: Mapping[str, Sequence[Any]],
        env: Any,
    ):
        self.formula, self.keys, self.levels = formula, list(keys), levels
        self.schema = source.schema()
        self.used = named_in_formula(formula, self.schema)
        self.columns = list(dict.fromkeys([*self.used, *self.keys]))
        self.dropped: dict[str, int] = {}
        self._source = source
        self._outcome, self.info = self._designs(env)
        if len(self._outcome.column_names) != 1:
            raise ValueError(
                f"formula: the left side {list(self._outcome.column_names)} has"
                f" {len(self._outcome.column_names)} columns; the outcome must be one column of"
                " numbers (a text column has no mean)"
            )
        every = [str(name) for name in self.info.column_names]
        intercept = self.info.term_name_slices.get("Intercept", slice(0, 0))
        self._numeric = [j for j in range(len(every)) if not intercept.start <= j < intercept.stop]
        self._names = [every[j] for j in self._numeric]

    @property
    def outcome_name(self) -> str:
        """The outcome's name."""
        return str(self._outcome.column_names[0])

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the values, the outcome last."""
        return (*self._names, self.outcome_name)

    def design(self) -> CellDesign:
        """Return the design in terms of the summed columns: one cell."""
        every = tuple(str(name) for name in self.info.column_names)
        numeric = np.zeros(len(every), np.intp)
        numeric[self._numeric] = np.arange(1, len(self._numeric) + 1)
        return CellDesign(every, np.ones((1, len(every))), numeric)

    def plan(self) -> SumsPlan:
        """Return what to sum of the batches."""

        def number(name: str) -> Translated:
            return Translated(nw.col(name), NUMBER, frozenset())

        keys = tuple(
            Translated(nw.col(f"key{i}"), "key", frozenset()) for i in range(len(self.keys))
        )
        values = tuple(number(f"x{i}") for i in range(len(self._numeric)))
        return SumsPlan(keys, (*values, number("y")), ())

    def source(self) -> Source:
        """Return the batches of the design as a source."""
        return Source(self._source.name, None, lambda columns: self._rows(), rereadable=False)

    def _designs(self, env: Any) -> tuple[Any, Any]:
        if self._source.rereadable:
            frames = self._plain_frames
        else:
            self._refuse_stateful(env)
            first = self._compared(self._plain(self._source.first(), "chunk 1"))

            def frames() -> Iterator[pd.DataFrame]:
                yield first

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                designs = patsy.incr_dbuilders(self.formula, frames, env, NA_action="drop")
        except patsy.PatsyError as error:
            raise unknown_name(self.formula, error, list(self.schema)) from None
        return designs[0], designs[1]

    def _refuse_stateful(self, env: Any) -> None:
        description = describe(self.formula)
        terms = [*description.lhs_termlist, *description.rhs_termlist]
        for factor in (f for term in terms for f in term.factors):
            if factor.memorize_passes_needed({}, env):
                raise ValueError(
                    f"formula: {factor.name()} needs all rows before the first can be evaluated,"
                    " and an iterator can be read once; give a path, a list of frames, or another"
                    " source that can be read again"
                )

    def _plain_frames(self) -> Iterator[pd.DataFrame]:
        for where, frame in self._source.frames(self.columns):
            yield self._compared(self._plain(frame, where))

    def _plain(self, frame: Any, where: str) -> pd.DataFrame:
        """Return one batch as patsy can read it, declared levels applied."""
        given = frame.to_pandas()
        columns = {str(c): plain_column(given[c]) for c in self.columns}
        for name, levels in self.levels.items():
            if name in columns:
                columns[name] = _with_levels(columns[name], name, levels, where)
        return pd.DataFrame(columns).set_axis(pd.RangeIndex(len(given)), axis=0)

    def _compared(self, plain: pd.DataFrame) -> pd.DataFrame:
        """Leave out the rows in which a missing value would be compared, and be False."""
        compared = compared_in_formula(self.formula, self.used)
        return plain[plain[compared].notna().all(axis=1)] if compared else plain

    def _rows(self) -> Iterator[pd.DataFrame]:
        """Iterate over keys, design and outcome of the complete rows of each batch."""
        alone, n_given, n_kept = RowsAlone([self._outcome, self.info]), 0, 0
        for where, frame in self._source.frames(self.columns):
            plain = self._plain(frame, where)
            whole = self._compared(plain)
            alone.check(whole)
            outcome, design = self._evaluated(whole, where)
            self._count_dropped(plain, design.index.to_numpy())
            n_given, n_kept = n_given + len(plain), n_kept + len(design)
            values = np.column_stack([design.to_numpy()[:, self._numeric], outcome.to_numpy()])
            _refuse_infinite(values, self.labels, where)
            rows: dict[str, Any] = {
                f"key{i}": plain[k].loc[design.index] for i, k in enumerate(self.keys)
            }
            rows |= {f"x{i}": values[:, i] for i in range(len(self._numeric))}
            yield pd.DataFrame(rows | {"y": values[:, -1]})
        if n_given and not n_kept:
            raise nothing_complete(n_given, self.dropped)

    def _evaluated(self, plain: pd.DataFrame, where: str) -> tuple[pd.DataFrame, pd.DataFrame]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                outcome, design = patsy.build_design_matrices(
                    [self._outcome, self.info], plain, NA_action="drop", return_type="dataframe"
                )
        except patsy.PatsyError as error:
            text = str(error).splitlines()[0]
            hint = ""
            if "does not match any of the expected levels" in text:
                hint = "; give levels={column: [...]} or a source that can be read again"
            raise DataError(f"data: {where}: {text}{hint}") from None
        return outcome, design

    def _count_dropped(self, plain: pd.DataFrame, kept: np.ndarray) -> None:
        left = np.ones(len(plain), bool)
        left[kept] = False
        for name in self.used:
            blamed = left & plain[name].isna().to_numpy()
            if blamed.any():
                reason = f"missing {name}"
                self.dropped[reason] = self.dropped.get(reason, 0) + int(blamed.sum())
                left &= ~blamed
        if left.any():
            reason = "undefined in the formula"
            self.dropped[reason] = self.dropped.get(reason, 0) + int(left.sum())


def _with_levels(column: pd.Series, name: str, levels: Sequence[Any], where: str) -> pd.Series:
    unknown = column[column.notna() & ~column.isin(list(levels))]
    if len(unknown):
        raise unseen_level(name, unknown.iloc[0], levels, where)
    return pd.Series(pd.Categorical(column, categories=list(levels)), index=column.index)


def unseen_level(name: str, level: Any, levels: Sequence[Any], where: str = "") -> DataError:
    """Return the error for a level that was not declared."""
    shown = ", ".join(repr(value) for value in list(levels)[:8]) + (
        ", …" if len(levels) > 8 else ""
    )
    place = f" in {where}" if where else ""
    return DataError(f"levels: {name!r} has the level {level!r}{place}, which is none of {shown}")


def _refuse_infinite(values: np.ndarray, labels: Sequence[str], where: str) -> None:
    for label, count in zip(labels, np.isinf(values).sum(axis=0).tolist(), strict=True):
        if count:
            raise infinite(label, count, where)
