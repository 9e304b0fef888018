"""Sums of many batches, merged by key with bounded memory."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ragstats.exceptions import DataError
from ragstats.io.engines import GIVEN, KEPT

#: Pending rows of sums that are merged at the latest, whatever the number of documents.
PENDING = 200_000


class Folded:
    """Sums of batches: one row per key, however the batches cut the documents.

    Memory is a small multiple of the number of keys: pending rows are merged as soon as there are
    as many of them as merged ones.
    """

    def __init__(self, n_keys: int, names: tuple[str, ...]):
        self._keys = [f"k{i}" for i in range(n_keys)]
        self._names = names
        self._merged: pa.Table | None = None
        self._pending: list[pa.Table] = []
        self._rows = 0

    def add(self, table: pa.Table) -> None:
        """Add the sums of one batch.

        Raises
        ------
        DataError
            If a key has another type than in the batches before.
        """
        if not table.num_rows:
            return
        self._pending.append(plain_keys(table, self._keys))
        self._rows += table.num_rows
        if self._rows > max(PENDING, 0 if self._merged is None else self._merged.num_rows):
            self._merge()

    def table(self) -> pa.Table | None:
        """Return the sums of all batches; None without any."""
        if self._pending and (self._merged is not None or len(self._pending) > 1):
            self._merge()
        elif self._pending:
            self._merged, self._pending = self._pending[0], []
        return self._merged

    def _merge(self) -> None:
        tables = ([] if self._merged is None else [self._merged]) + self._pending
        self._check_types(tables)
        joined = pa.concat_tables(tables, promote_options="permissive")
        values = [n for n in joined.column_names if n not in self._keys]
        grouped = joined.group_by(self._keys, use_threads=False)
        summed = grouped.aggregate([(n, "sum") for n in values])
        self._merged = summed.rename_columns(
            [n.removesuffix("_sum") if n not in self._keys else n for n in summed.column_names]
        ).select([*self._keys, *values])
        self._pending, self._rows = [], 0

    def _check_types(self, tables: list[pa.Table]) -> None:
        for name, shown in zip(self._keys, self._names, strict=True):
            types = [t.schema.field(name).type for t in tables]
            known = {str(t) for t in types if not pa.types.is_null(t)}
            numbers = all(pa.types.is_integer(t) for t in types if not pa.types.is_null(t))
            if numbers and len(known) > 1:
                _refuse_wide(shown, [t[name] for t in tables])
            elif len(known) > 1:
                _refuse_missing(shown, name, tables)
                raise DataError(
                    f"{shown} changes its type between chunks ({', '.join(sorted(known))}); give"
                    " every chunk the same"
                )


def _refuse_wide(shown: str, columns: list[pa.ChunkedArray]) -> None:
    """Raise for unsigned ids that do not fit beside signed ones."""
    for column in columns:
        largest = pc.max(column).as_py() if column.type == pa.uint64() else None
        if largest is not None and largest >= 2**63:
            raise DataError(
                f"{shown} holds {largest}, an unsigned integer, in one chunk and signed integers in"
                " another; give the ids as text"
            )


def _refuse_missing(shown: str, name: str, tables: list[pa.Table]) -> None:
    """Raise for missing ids, which turn a chunk's integers into floating numbers."""
    for table in tables:
        absent = pc.is_null(table[name], nan_is_null=True)
        count = pc.sum(table.filter(absent)[GIVEN]).as_py() or 0
        if count:
            raise DataError(
                f"{shown}: missing in {count} of the {pc.sum(table[GIVEN]).as_py()} rows of a"
                " chunk; drop those rows or give them their id (a missing id is not one of its own)"
            )


def plain_keys(table: pa.Table, keys: list[str]) -> pa.Table:
    """Return a table whose text keys are of one Arrow type, and whose counts are integers."""
    for name in (*keys, GIVEN, KEPT):
        field = table.schema.field(name)
        wanted = _plain_type(field.type, count=name in (GIVEN, KEPT))
        if wanted != field.type:
            place = table.schema.get_field_index(name)
            table = table.set_column(place, name, table[name].cast(wanted))
    return table


def _plain_type(given: Any, *, count: bool) -> Any:
    if count:
        return pa.int64()
    if pa.types.is_dictionary(given):
        return _plain_type(given.value_type, count=False)
    text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if any(is_text(given) for is_text in text):
        return pa.large_string()
    return pa.int64() if pa.types.is_signed_integer(given) else given
