"""An expression over columns that any engine can compute, with where it is undefined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw

NUMBER, BOOLEAN, TEXT, KEY = "number", "boolean", "text", "key"


class Unknown(Exception):
    """An expression has a part that no table knows."""


@dataclass(frozen=True)
class Translated:
    """An expression over columns.

    Attributes
    ----------
    value : narwhals.Expr
        Numbers are float64; missing where the function is undefined or infinite.
    kind : {"number", "boolean", "text", "key"}
    columns : frozenset of str
        What it reads.
    undefined, infinite : tuple of narwhals.Expr
        Where NumPy would give NaN, or an infinity, of numbers that are there.
    """

    value: Any
    kind: str
    columns: frozenset[str]
    undefined: tuple[Any, ...] = ()
    infinite: tuple[Any, ...] = ()


def key_column(name: str) -> Translated:
    """Return a column as it is, to group by."""
    return Translated(nw.col(name), KEY, frozenset({name}))


def missing(name: str, dtype: Any) -> Any:
    """Return whether a column is missing: null, or NaN."""
    null = nw.col(name).is_null()
    return null | nw.col(name).is_nan() if dtype.is_float() else null


def as_number(operand: Any) -> Translated:
    """Take an operand as numbers; booleans are 0 and 1."""
    if not isinstance(operand, Translated) or operand.kind == TEXT:
        raise Unknown
    if operand.kind == BOOLEAN:
        return derived(operand, nw.when(operand.value).then(1.0).otherwise(0.0))
    return operand


def derived(
    source: Translated, value: Any, *, undefined: Any = None, infinite: Any = None
) -> Translated:
    """Return a function of one expression."""
    return Translated(
        value,
        NUMBER,
        source.columns,
        source.undefined if undefined is None else (*source.undefined, undefined),
        source.infinite if infinite is None else (*source.infinite, infinite),
    )


def joined(left: Translated, right: Translated, value: Any, kind: str = NUMBER) -> Translated:
    """Return a function of two expressions."""
    return Translated(
        value,
        kind,
        left.columns | right.columns,
        left.undefined + right.undefined,
        left.infinite + right.infinite,
    )


def multiplied(factors: list[Translated]) -> Translated:
    """Return the product of numeric expressions."""
    result = factors[0]
    for factor in factors[1:]:
        result = joined(result, factor, result.value * factor.value)
    return result
