"""All sums of a source: from its engine in one query, or from its batches one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragstats.core.segments import Codes, Floats
from ragstats.exceptions import DataError
from ragstats.io.engines import (
    GIVEN,
    KEPT,
    SumsPlan,
    Units,
    check_kinds,
    infinite,
    infinite_values,
    key,
    kind,
    look,
    missing_values,
    product,
    sums,
)
from ragstats.io.sources import Source
from ragstats.io.streams import Folded, plain_keys


@dataclass(frozen=True)
class ComputedBy:
    """Which way a result was computed.

    Attributes
    ----------
    engine : str
        Its name and version, or the kind of batches.
    in_engine : bool
        Whether the sums were computed inside the engine; else on record batches.
    passes : int
        How often the rows were read, a look at the first ones left aside.
    reason : str
        Why not inside the engine, where that is worth a word.

    Examples
    --------
    >>> from ragstats.io.gather import ComputedBy
    >>> str(ComputedBy("DuckDB 1.4.0", in_engine=True, passes=1))
    'DuckDB 1.4.0, sums inside the engine, 1 pass'
    """

    engine: str
    in_engine: bool
    passes: int
    reason: str = ""

    def __str__(self) -> str:
        way = "sums inside the engine" if self.in_engine else "sums of record batches"
        why = f" ({self.reason})" if self.reason else ""
        return f"{self.engine}, {way}{why}, {self.passes} pass{'es' * (self.passes != 1)}"


@dataclass
class Gathered:
    """The sums of a source.

    Attributes
    ----------
    table : pyarrow.Table
        One row per key: keys, rows given and kept, sums of products.
    units : Units
    dropped : dict of str to int
        Rows left out, by reason.
    passes : int
    """

    table: pa.Table
    units: Units
    dropped: dict[str, int]
    passes: int

    def release(self) -> pa.Table:
        """Return the table and let go of it: with many documents it is the largest thing here."""
        table, self.table = self.table, self.table.slice(0, 0)
        return table

    @property
    def n_given(self) -> int:
        """The number of rows that were read."""
        return int(pc.sum(self.table[GIVEN]).as_py() or 0)

    @property
    def n_kept(self) -> int:
        """The number of rows that were summed."""
        return int(pc.sum(self.table[KEPT]).as_py() or 0)


def gather(
    source: Source,
    plan: SumsPlan,
    *,
    labels: tuple[str, ...],
    names: tuple[str, ...],
    columns: list[str] | None = None,
    units: Units | None = None,
) -> Gathered:
    """Sum a source by the keys of a plan.

    Parameters
    ----------
    source, plan
        The rows, and what to sum.
    labels : tuple of str
        What the values are called, for errors.
    names : tuple of str
        What the keys are called, for errors.
    columns : list of str, optional
        The columns to read; all by default.
    units : Units, optional
        By default from a first look.

    Raises
    ------
    DataError
        If there are no rows, infinite values, or columns that change their type.
    """
    if source.lazy is None:
        return _from_batches(source, plan, labels, names, columns, units)
    frame = source.lazy
    units = look(frame, plan) if units is None else units
    keys = [key(i) for i in range(len(plan.keys))]
    table = plain_keys(sums(frame, plan, units), keys)
    found = Gathered(table, units, {}, 1)
    if not found.n_given:
        raise DataError("data has no rows")
    lost = found.n_given - found.n_kept
    asked = bool(lost) and not _one_reason(plan)
    dropped = _dropped(frame, plan, lost)
    looked = lost > sum(dropped.values()) or not _finite(table)
    if looked:
        _refuse_infinite(infinite_values(frame, plan, labels))
    _blame_formula(dropped, lost)
    return Gathered(table, units, dropped, 1 + asked + looked)


def _from_batches(
    source: Source,
    plan: SumsPlan,
    labels: tuple[str, ...],
    names: tuple[str, ...],
    columns: list[str] | None,
    units: Units | None,
) -> Gathered:
    folded = Folded(len(plan.keys), names)
    dropped = {f"missing {name}": 0 for name in plan.needed}
    kinds: dict[str, str] = {}
    unknown: set[str] = set()
    total_lost = 0
    for where, frame in source.frames(columns):
        if not kinds:
            kinds = {name: kind(dtype) for name, dtype in frame.schema.items()}
            kinds = {n: k for n, k in kinds.items() if n in plan.needed}
            unknown = {n for n in kinds if frame[n].null_count() == len(frame)}
        else:
            check_kinds(frame, kinds, where, unknown)
        units = look(frame, plan) if units is None else units
        table = sums(frame, plan, units)
        lost = int(pc.sum(table[GIVEN]).as_py()) - int(pc.sum(table[KEPT]).as_py() or 0)
        reasons = _dropped(frame, plan, lost)
        if lost > sum(reasons.values()) or not _finite(table):
            _refuse_infinite(infinite_values(frame, plan, labels), where)
        for reason, count in reasons.items():
            dropped[reason] += count
        total_lost += lost
        folded.add(table)
    merged = folded.table()
    if merged is None or units is None:
        raise DataError("data has no rows")
    dropped = {reason: count for reason, count in dropped.items() if count}
    _blame_formula(dropped, total_lost)
    return Gathered(merged, units, dropped, 1)


def _one_reason(plan: SumsPlan) -> bool:
    """Whether rows are left out for one reason only, which nobody needs to count."""
    flags = [f for t in (*plan.keys, *plan.values) for f in (*t.undefined, *t.infinite)]
    return len(plan.needed) == 1 and not flags


def _dropped(frame: Any, plan: SumsPlan, lost: int) -> dict[str, int]:
    """Return the rows left out, by the first column that is missing in them."""
    if not lost:
        return {}
    if _one_reason(plan):
        return {f"missing {plan.needed[0]}": lost}
    return missing_values(frame, plan.needed)


def _finite(table: pa.Table) -> bool:
    """Whether every sum is a finite number; NaN and infinities stay in a sum."""
    names = [n for n in table.column_names if n.startswith("p")]
    totals = [pc.sum(table[n]).as_py() for n in names]
    return all(t is None or np.isfinite(t) for t in totals)


def _refuse_infinite(counts: dict[str, int], where: str = "") -> None:
    for label, count in counts.items():
        raise infinite(label, count, where)


def _blame_formula(dropped: dict[str, int], lost: int) -> None:
    rest = lost - sum(dropped.values())
    if rest > 0:
        dropped["undefined in the formula"] = rest


@dataclass(frozen=True)
class Coded:
    """A key of the sums as integers.

    Attributes
    ----------
    codes : ndarray of int (L,)
    values : list
        What the codes stand for, each once.
    """

    codes: Codes
    values: np.ndarray


def encode(column: Any, missing: Callable[[np.ndarray], Exception]) -> Coded:
    """Return a key as codes.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    missing : callable
        Makes the error for the mask (L,) of missing keys.

    Raises
    ------
    Exception
        What ``missing`` returns, when keys are null or NaN.
    """
    column = column.combine_chunks()
    absent = pc.is_null(column, nan_is_null=True).to_numpy(zero_copy_only=False)
    if absent.any():
        raise missing(absent)
    encoded = column.dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.intp)
    return Coded(codes, np.asarray(encoded.dictionary.to_numpy(zero_copy_only=False)))


def products_of(columns: dict[str, Any], n_values: int, order: Codes) -> Floats:
    """Return the sums (L, d(d+1)/2) as core wants them, rows in the given order.

    Columns are taken out of the dictionary one by one, so that they are not in memory twice.
    """
    size = n_values + 1
    names: Sequence[str] = [
        KEPT if (i, j) == (0, 0) else product(i, j) for i in range(size) for j in range(i, size)
    ]
    result = np.empty((len(order), len(names)))
    for s, name in enumerate(names):
        result[:, s] = columns.pop(name).to_numpy()[order]
    return result
