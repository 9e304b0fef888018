"""What each format's loader gives: flat rows as written, and which field plays which part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ragstats.exceptions import DataError, unknown_column

MAX_DEPTH = 8  # nesting of one record; deeper objects stay one cell and are not carried along
OCCURRENCE = "#"  # repetition: the first, second, ... time the same query occurs


@dataclass(frozen=True, slots=True)
class RawTable:
    """Rows of one file before any number is read.

    ``scores``, ``query``, ``system`` and ``covariates`` are ``None`` where the format does not
    say which fields they are, so that they must be recognised by name; with ``open_roles`` a
    field that is named like a query, a system or a repetition goes before the format's own.
    ``failed`` marks rows whose evaluation ended in an error: whatever score they carry is not
    an outcome.
    """

    frame: pd.DataFrame
    name: str
    format: str
    system_name: str
    query: tuple[str, ...] | None = None
    system: str | None = None
    repetition: str | None = None
    metric: str | None = None
    value: str | None = None
    scores: Mapping[str, str] | None = None
    maybe_scores: tuple[str, ...] = ()
    failed: pd.Series[bool] | None = None
    covariates: tuple[str, ...] | None = None
    open_roles: bool = False
    hint: str = ""
    notes: tuple[str, ...] = ()

    def with_notes(self, *notes: str) -> RawTable:
        """Return the table with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def renamed(self, columns: Mapping[str, str]) -> RawTable:
        """Give fields the names the user wants, wherever they are referred to."""
        if not columns:
            return self
        for old in columns:
            if old not in self.frame.columns:
                raise unknown_column("columns", old, self.frame.columns)
        new_names = [columns.get(c, c) for c in self.frame.columns]
        repeated = sorted({n for n in new_names if new_names.count(n) > 1})
        if repeated:
            raise DataError(f"columns= gives two fields the name {repeated[0]!r}")
        frame = self.frame.set_axis(new_names, axis=1)

        def new(field: str | None) -> str | None:
            return None if field is None else columns.get(field, field)

        def all_new(fields: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(columns.get(f, f) for f in fields)

        return replace(
            self,
            frame=frame,
            query=None if self.query is None else all_new(self.query),
            system=new(self.system),
            repetition=new(self.repetition),
            metric=new(self.metric),
            value=new(self.value),
            # A score that carries its field's own name takes the new name with it.
            scores=None
            if self.scores is None
            else {
                (columns.get(f, n) if n == f else n): columns.get(f, f)
                for n, f in self.scores.items()
            },
            maybe_scores=all_new(self.maybe_scores),
            covariates=None if self.covariates is None else all_new(self.covariates),
        )


def flatten(
    record: Mapping[str, Any],
    where: str,
    *,
    take: Iterable[str] = (),
    named_lists: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return one record with nested objects as dotted fields.

    Parameters
    ----------
    record : Mapping
        A JSON object.
    where : str
        Where it stands, for messages.
    take : iterable of str
        Top-level fields to keep; empty keeps all.
    named_lists : Mapping of str to str, optional
        Lists of objects that are keyed by one of their own fields, as
        ``{"metricsData": "name"}``: ``metricsData.<name>.<field>``.
    """
    wanted = set(take)
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if wanted and key not in wanted:
            continue
        if named_lists and key in named_lists and isinstance(value, list):
            value = _by_name(value, named_lists[key], f"{where}, {key}")
        _flatten_into(flat, one_line(str(key)), value, 1, where)
    return flat


def _by_name(items: Sequence[Any], key: str, where: str) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get(key), str):
            raise DataError(f"{where}: an entry has no text field {key!r}")
        if item[key] in named:
            raise DataError(f"{where}: two entries are called {item[key]!r}")
        named[item[key]] = {k: v for k, v in item.items() if k != key}
    return named


def _flatten_into(flat: dict[str, Any], path: str, value: Any, depth: int, where: str) -> None:
    if isinstance(value, dict) and value and depth < MAX_DEPTH:
        for key, inner in value.items():
            _flatten_into(flat, f"{path}.{one_line(str(key))}", inner, depth + 1, where)
        return
    if path in flat:
        raise DataError(f"{where}: field {path!r} is there twice, once nested and once with a dot")
    flat[path] = value


def one_line(name: str) -> str:
    """Return a field name that fits into a message of one line."""
    return " ".join(name.splitlines()).strip()


def to_frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return flat rows as a frame of objects, cells as written, absent fields as ``None``."""
    fields = dict.fromkeys(field for row in rows for field in row)
    return pd.DataFrame({f: pd.Series([r.get(f) for r in rows], dtype=object) for f in fields})


def resolve(argument: str, name: str, columns: Iterable[str]) -> str:
    """Return the field called ``name``, or the only one whose last part is ``name``."""
    fields = list(columns)
    if name in fields:
        return name
    endings = [f for f in fields if f.endswith(f".{name}")]
    if len(endings) == 1:
        return endings[0]
    if endings:
        raise DataError(f"{argument}={name!r} could be {' or '.join(map(repr, endings))}")
    raise unknown_column(argument, name, fields)
