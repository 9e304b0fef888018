"""One pass to sums of products by document, inside whatever engine holds the rows.

The same narwhals expressions run in DuckDB, Polars, Spark, PostgreSQL (through Ibis) and on single
batches of rows. Only one row of sums per document and cell leaves the engine.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from ragstats.core.segments import Floats
from ragstats.exceptions import DataError
from ragstats.io.translated import Translated, missing

#: Rows of the first look, from which shifts and scales are taken.
LOOK = 10_000
#: Columns of the result beside keys (k0, k1, …) and sums of products (p0_1, …).
GIVEN, KEPT = "given", "kept"


@dataclass(frozen=True)
class SumsPlan:
    """What to sum, and by what.

    Attributes
    ----------
    keys : tuple of Translated
        The document first, then cells.
    values : tuple of Translated
        The numeric columns, then the outcome.
    needed : tuple of str
        Columns whose missing values drop a row.
    """

    keys: tuple[Translated, ...]
    values: tuple[Translated, ...]
    needed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Units:
    """Shift and scale of the values of a plan.

    Attributes
    ----------
    shift, scale : ndarray (values,)
        Shifts are values that occur and scales powers of 2, so that sums of 0/1 outcomes, and of
        outcomes that are all equal, are exact.
    """

    shift: Floats
    scale: Floats


def key(position: int) -> str:
    """Return the name of a key in the result."""
    return f"k{position}"


def product(first: int, second: int) -> str:
    """Return the name of a sum of products; quantity 0 is the constant."""
    return f"p{first}_{second}"


def complete(plan: SumsPlan, schema: Mapping[str, Any]) -> Any:
    """Return which rows have every value."""
    flags = [missing(name, schema[name]) for name in plan.needed]
    for value in (*plan.values, *plan.keys):
        flags += [*value.undefined, *value.infinite]
    incomplete = nw.lit(False)
    for flag in flags:
        incomplete = incomplete | flag
    return ~incomplete


def look(frame: Any, plan: SumsPlan) -> Units:
    """Return shifts and scales from the first complete rows.

    A first look that is far from the other rows costs digits by the square root of its share of
    the rows at most: it is one of them, and adds its own distance to their variance.
    """
    names = [f"v{i}" for i in range(len(plan.values))]
    sample = (
        frame.select(
            complete(plan, frame.collect_schema()).alias("complete"),
            *(v.value.alias(n) for v, n in zip(plan.values, names, strict=True)),
        )
        .filter(nw.col("complete"))
        .head(LOOK)
    )
    table = _arrow(sample)
    shift, scale = np.zeros(len(names)), np.ones(len(names))
    for i, name in enumerate(names):
        values = table[name].to_numpy().astype(float)
        values = values[np.isfinite(values)]
        if values.size:
            shift[i], scale[i] = unit(values)
    return Units(shift, scale)


def unit(values: Floats) -> tuple[float, float]:
    """Return the value nearest to the mean, and the power of 2 nearest to the deviation from it."""
    mean = values.mean()
    shift = float(values[np.argmin(np.abs(values - mean))]) if np.isfinite(mean) else 0.0
    spread = float(np.abs(values - shift).mean())
    if not 0 < spread < np.inf:
        return shift, 1.0
    return shift, float(2.0 ** np.round(np.log2(spread)))


def sums(frame: Any, plan: SumsPlan, units: Units) -> pa.Table:
    """Return rows given, rows kept and sums of products by key."""
    kept = complete(plan, frame.collect_schema())
    keys = [k.value.alias(key(i)) for i, k in enumerate(plan.keys)]
    names = [product(0, i + 1) for i in range(len(plan.values))]
    values = [v.value.alias(n) for v, n in zip(plan.values, names, strict=True)]
    rows = frame.select(kept.alias(KEPT), *keys, *values)
    scaled = [
        nw.when(nw.col(KEPT)).then((nw.col(n) - shift) * (1 / scale)).alias(n)
        for n, shift, scale in zip(names, units.shift.tolist(), units.scale.tolist(), strict=True)
    ]
    rows = rows.with_columns(nw.when(nw.col(KEPT)).then(1).otherwise(0).alias(KEPT), *scaled)
    pairs = [(i, j) for i in range(1, len(names) + 1) for j in range(i, len(names) + 1)]
    squares = [
        (nw.col(product(0, i)) * nw.col(product(0, j))).alias(product(i, j)) for i, j in pairs
    ]
    rows = rows.with_columns(*squares)
    summed = [nw.col(n).sum() for n in (KEPT, *names, *(product(i, j) for i, j in pairs))]
    grouped = rows.group_by(*(key(i) for i in range(len(plan.keys))))
    return _arrow(grouped.agg(nw.len().alias(GIVEN), *summed))


def infinite_values(frame: Any, plan: SumsPlan, labels: tuple[str, ...]) -> dict[str, int]:
    """Count the infinite values of complete rows, by label of the value."""
    gaps = nw.lit(False)
    schema = frame.collect_schema()
    for name in plan.needed:
        gaps = gaps | missing(name, schema[name])
    flags = []
    for i, value in enumerate(plan.values):
        flag = value.value.abs() > np.finfo(float).max
        for infinite in value.infinite:
            flag = flag | infinite
        flags.append(nw.when(~gaps & flag).then(1).otherwise(0).alias(f"v{i}"))
    counts = _arrow(
        frame.select(*flags).select(*(nw.col(f"v{i}").sum() for i in range(len(flags))))
    )
    found = [int(counts[f"v{i}"][0].as_py() or 0) for i in range(len(flags))]
    return {label: n for label, n in zip(labels, found, strict=True) if n}


def infinite(label: str, count: int, where: str = "") -> DataError:
    """Return the error for infinite values, in a chunk where there are chunks."""
    place = f" ({where})" if where else ""
    return DataError(
        f"data: {count} infinite values in {label!r}{place}; scores and covariates must be finite"
        " (missing ones NaN)"
    )


def nothing_complete(n_rows: int, dropped: Mapping[str, int]) -> DataError:
    """Return the error for rows that are left out to the last, with the reasons."""
    reasons = ", ".join(f"{count} rows with {why}" for why, count in dropped.items())
    return DataError(f"data: none of the {n_rows} rows is complete ({reasons})")


def missing_values(frame: Any, needed: tuple[str, ...]) -> dict[str, int]:
    """Count the incomplete rows by the first column that is missing in them."""
    if not needed:
        return {}
    schema = frame.collect_schema()
    before, flags = nw.lit(False), []
    for i, name in enumerate(needed):
        here = missing(name, schema[name])
        flags.append(nw.when(here & ~before).then(1).otherwise(0).alias(f"v{i}"))
        before = before | here
    counts = _arrow(
        frame.select(*flags).select(*(nw.col(f"v{i}").sum() for i in range(len(flags))))
    )
    found = {name: int(counts[f"v{i}"][0].as_py() or 0) for i, name in enumerate(needed)}
    return {f"missing {name}": n for name, n in found.items() if n}


def check_kinds(
    frame: Any, kinds: Mapping[str, str], where: str, unknown: Collection[str] = ()
) -> None:
    """Raise when a column that held numbers holds text in a later chunk, or the other way round.

    Parameters
    ----------
    frame : narwhals.DataFrame
        A later chunk.
    kinds : dict of str to str
        What the columns of the first chunk hold.
    where : str
        What the chunk is called.
    unknown : collection of str
        Columns without a value in the first chunk.

    Raises
    ------
    DataError
        With the column and the chunk.
    """
    schema = frame.collect_schema()
    for name, expected in kinds.items():
        if name not in schema:
            raise DataError(f"data: {where} has no column {name!r}, which the first chunk has")
        found = kind(schema[name])
        if found != expected and frame[name].null_count() < len(frame):
            if name in unknown:
                raise DataError(
                    f"data: {name!r} has no value in the first chunk, which is taken for"
                    f" {expected}, and {found} values in {where}; give its type in the first"
                    " chunk, for instance with astype(float)"
                )
            raise DataError(
                f"data: {name!r} holds {expected} values in the first chunk and {found} values in"
                f" {where}"
            )


def kind(dtype: Any) -> str:
    """Return "number", "boolean", "text" or "other"."""
    if isinstance(dtype, nw.Boolean):
        return "boolean"
    if dtype.is_numeric():
        return "number"
    return "text" if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)) else "other"


def _arrow(frame: Any) -> pa.Table:
    """Return a lazy or eager narwhals frame as an Arrow table."""
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect(backend="pyarrow")
    return frame.to_arrow()
