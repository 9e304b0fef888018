"""Columns of a frame as plain arrays, each with a clear word when it cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype

from ragstats.checks import one_of
from ragstats.exceptions import DataError, plural, shown
from ragstats.io.scored_rows import check_columns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MISSING = ("raise", "drop")


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """One column of labels.

    Attributes
    ----------
    name : str
        The column.
    codes : (n,) int array
        Which label each row has.
    values : pandas.Index
        The distinct labels, indexed by code.
    """

    name: str
    codes: Ints
    values: pd.Index

    def at(self, row: int) -> str:
        """Return ``column='label'`` for one row."""
        label = self.values[self.codes[row]]
        return f"{self.name}={label.item() if isinstance(label, np.generic) else label!r}"


def frame_of(data: object, argument: str = "data") -> pd.DataFrame:
    """Return a shallow copy of a pandas frame that has rows, or raise."""
    if not isinstance(data, pd.DataFrame):
        kind = f"{type(data).__module__.split('.')[0]}.{type(data).__name__}"
        raise TypeError(f"{argument} is a {kind}; give a pandas.DataFrame")
    if len(data) == 0:
        raise DataError(f"{argument} has no rows")
    return data.copy(deep=False)


def names_of(argument: str, value: object) -> list[str]:
    """Return a column name or a list of names as a list of names."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not names or not all(isinstance(c, str) for c in names):
        raise TypeError(f"{argument}={shown(value)}: give a column name or a list of column names")
    if len(set(names)) < len(names):
        raise ValueError(f"{argument}={list(names)!r} names a column twice")
    return list(names)


def column(data: pd.DataFrame, argument: str, name: str) -> pd.Series:
    """Return one column, or raise an error that names the nearest one."""
    check_columns(data.columns, [(argument, name)])
    found = data[name]
    if not isinstance(found, pd.Series):
        raise DataError(f"{argument}={name!r} names {found.shape[1]} columns of the data")
    return found


def labels(data: pd.DataFrame, argument: str, name: str, *, sort: bool = False) -> Labels:
    """Return the labels of a column where none may be missing.

    Parameters
    ----------
    data : pandas.DataFrame
        The rows.
    argument, name : str
        The public argument, and the column it names.
    sort : bool
        Number the labels in sorted (or category) order rather than order of appearance.
    """
    read = optional_labels(data, argument, name, sort=sort)
    absent = int((read.codes < 0).sum())
    if absent:
        raise DataError(f"{argument}={name!r} has {absent} missing; every row needs a label")
    return read


def optional_labels(data: pd.DataFrame, argument: str, name: str, *, sort: bool = False) -> Labels:
    """Return the labels of a column; code −1 where missing."""
    series = column(data, argument, name)
    try:
        codes, values = pd.factorize(series, sort=sort)
    except TypeError:  # labels of several types have no order
        codes, values = pd.factorize(series)
    return Labels(name, np.asarray(codes, np.int64), pd.Index(values))


def numbers(data: pd.DataFrame, argument: str, name: str) -> Floats:
    """Return a numeric or boolean column as float64, missing values as NaN."""
    series = column(data, argument, name)
    if series.dtype == object and all(
        isinstance(v, Real | Decimal | np.bool_) for v in series[series.notna()]
    ):
        series = series.astype("Float64")
    numeric = is_numeric_dtype(series.dtype) or is_bool_dtype(series.dtype)
    if not numeric or is_complex_dtype(series.dtype):
        raise DataError(
            f"{argument}={name!r} has dtype {series.dtype}; give a column of real numbers"
        )
    values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(values, np.float64)


def complete_numbers(data: pd.DataFrame, argument: str, name: str) -> Floats:
    """Return a numeric column where nothing may be missing."""
    values = numbers(data, argument, name)
    absent = int(np.isnan(values).sum())
    if absent:
        raise DataError(f"{argument}={name!r} has {absent} missing; every row needs a number")
    return values


def scored(columns: dict[str, Floats], missing: str) -> Bools:
    """Return which rows have every number.

    Parameters
    ----------
    columns : dict of str to (n,) arrays
        The columns of an estimate.
    missing : {"raise", "drop"}
        ``"raise"``: a missing number is an error. ``"drop"``: its row is outside the domain.

    Returns
    -------
    (n,) bool array
    """
    one_of("missing", missing, MISSING)
    for name, values in columns.items():
        infinite = int(np.isinf(values).sum())
        if infinite:
            raise DataError(
                f"column {name!r} has {plural(infinite, 'infinite value')}; give finite scores"
            )
    complete: Bools = ~np.any([np.isnan(v) for v in columns.values()], axis=0)
    refuse_missing(complete, ", ".join(map(repr, columns)), missing)
    return complete


def refuse_missing(complete: Bools, what: str, missing: str) -> None:
    """Raise when rows are incomplete and may not be, or when no row is complete."""
    absent = int((~complete).sum())
    if absent and missing == "raise":
        raise DataError(
            f"{absent} of {complete.size} rows have no value of {what}; score them, "
            "or give missing='drop' to estimate over the scored rows (the design keeps all rows)"
        )
    if not complete.any():
        raise DataError(f"no row has a value of {what}")
