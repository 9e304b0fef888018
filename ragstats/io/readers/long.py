"""From one row per measure to one row per query, system and repetition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ragstats.exceptions import DataError, plural
from ragstats.io.readers.cells import is_missing
from ragstats.io.readers.raw import RawTable


def widened(raw: RawTable) -> RawTable:
    """Return the table with one column per measure.

    Rows that agree in the query, the system and the repetition are one row. Other fields are
    carried along where they say the same in all rows of a group.

    Raises
    ------
    DataError
        If a measure is there twice for the same query, system and repetition.
    """
    if raw.metric is None or raw.value is None:
        return raw
    frame = raw.frame.reset_index(drop=True)
    if raw.failed is not None:
        frame[raw.value] = frame[raw.value].astype(object).mask(raw.failed.to_numpy(), None)
    roles = (*(raw.query or ()), raw.system, raw.repetition)
    keys = list(dict.fromkeys(k for k in roles if k is not None and k in frame.columns))
    measures = [None if is_missing(m) else str(m).strip() for m in frame[raw.metric].to_list()]
    if None in measures:
        row = measures.index(None) + 1
        raise DataError(
            f"{raw.name}: {plural(measures.count(None), 'row')} (first: row {row}) without a"
            " measure"
        )
    group = _groups(frame, keys)
    _refuse_repeated(raw, frame, keys, group, measures)
    names = list(dict.fromkeys(str(m) for m in measures))
    first = pd.Series(group).drop_duplicates().index
    clash = sorted(set(names) & set(frame.columns) - {raw.metric, raw.value})
    if clash:
        raise DataError(f"{raw.name}: a measure and a field are both called {clash[0]!r}")
    wide = pd.DataFrame({"group": group, "measure": measures, "value": frame[raw.value]})
    values = wide.pivot(index="group", columns="measure", values="value")[names]
    others = [c for c in frame.columns if c not in {raw.metric, raw.value}]
    carried = [c for c in others if c in keys or _constant(frame[c], group)]
    rows = frame.loc[first, carried].reset_index(drop=True)
    wanted = others if raw.covariates is None else raw.covariates
    left_out = [c for c in wanted if c not in carried]
    note = f"{raw.name}: left out, as it differs between measures of a query: {', '.join(left_out)}"
    return replace(
        raw,
        frame=pd.concat([rows, values.astype(object).reset_index(drop=True)], axis=1),
        metric=None,
        value=None,
        scores={name: name for name in names},
        covariates=tuple(c for c in wanted if c in carried),
        failed=None,
        notes=(*raw.notes, note) if left_out else raw.notes,
    )


def _groups(frame: pd.DataFrame, keys: list[str]) -> np.ndarray:
    if not keys:
        raise DataError("one row per measure needs a query column; pass query=")
    text = frame[keys].astype(object).map(lambda cell: "" if is_missing(cell) else str(cell))
    return text.groupby(keys, sort=False).ngroup().to_numpy()


def _refuse_repeated(
    raw: RawTable,
    frame: pd.DataFrame,
    keys: list[str],
    group: np.ndarray,
    measures: Sequence[str | None],
) -> None:
    twice = pd.DataFrame({"group": group, "measure": measures}).duplicated().to_numpy()
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        at = ", ".join(f"{k} {frame[k].iloc[row]!r}" for k in keys)
        raise DataError(
            f"{raw.name}: {plural(int(twice.sum()), 'value is', 'values are')} there twice (first:"
            f" {measures[row]!r} for "
            f"{at}); if they are repetitions, name the field with repetition="
        )


def _constant(column: pd.Series, group: np.ndarray) -> bool:
    text = column.astype(object).map(lambda cell: "" if is_missing(cell) else str(cell))
    return bool((text.groupby(group).nunique() <= 1).all())
