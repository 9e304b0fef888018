"""One conversion of any frame and any dtype to what patsy and NumPy read without surprises.

A nullable, Arrow-backed or polars column reaches patsy as float64, object or Categorical, or is
refused by name.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from ragstats.exceptions import shown


def name_index(*names: str) -> pd.Index:
    """Return the index of some names: one array of strings, however often it is asked for."""
    return _name_index(names).view()  # a view, for whoever gives the index a name of its own


@lru_cache
def _name_index(names: tuple[str, ...]) -> pd.Index:
    return pd.Index(names)


def as_pandas(data: Any, *, argument: str = "data") -> pd.DataFrame:
    """Return an eager frame (pandas, polars, pyarrow, a dict of columns) as a pandas frame.

    Raises
    ------
    TypeError
        If ``data`` is not a table of rows.
    """
    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, dict):
        return _of_columns(data, argument)
    if isinstance(data, (str, Path)):
        raise TypeError(
            f"{argument}={shown(str(data))} is a path and no table: read the rows first"
            " (pd.read_parquet, rs.read_scores), or sum inside the files (rs.documents, rs.ols)"
        )
    try:
        frame: pd.DataFrame = nw.from_native(data, eager_only=True).to_pandas()
    except TypeError:
        raise TypeError(
            f"{argument} is a {type(data).__name__}; give a pandas, polars or pyarrow table"
        ) from None
    return frame


def _of_columns(data: dict[Any, Any], argument: str) -> pd.DataFrame:
    """Return a dict of columns as a frame."""
    try:
        return pd.DataFrame(data)
    except ValueError as error:
        if all(np.ndim(values) == 0 for values in data.values()):
            said = "holds one value per column; give a list of values, one per row"
        else:
            said = str(error).splitlines()[0]
        raise ValueError(f"{argument} is a dict and no table: {said}") from None


#: Whole numbers of this size have squares beyond 64 bits and become float64, where that is exact;
#: larger ones are ids, not quantities.
WRAPS, EXACT = 2**31, 2**53


def plain_column(values: pd.Series) -> pd.Series:
    """Return a column as float64, object or Categorical of object.

    Booleans stay boolean (patsy makes them a factor) unless they are nullable with missing values.
    """
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        categories = dtype.categories
        if isinstance(categories.dtype, np.dtype) and categories.dtype == object:
            return values
        if pd.api.types.is_numeric_dtype(categories.dtype):
            return values
        return values.cat.rename_categories(list(categories.astype(object)))
    if pd.api.types.is_bool_dtype(dtype) and not values.isna().any():
        return values.astype(bool)
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
        return _wide(values) if isinstance(dtype, np.dtype) else _floats(values)
    if _holds_numbers(values):
        whole = not values.isna().any() and pd.api.types.infer_dtype(values) == "integer"
        return values.astype(np.int64) if whole else _floats(values)
    if pd.api.types.is_datetime64_any_dtype(dtype) and isinstance(dtype, np.dtype):
        return values
    as_object = values.astype(object)
    return as_object.where(values.notna(), None)


def _wide(values: pd.Series) -> pd.Series:
    """Return numbers in a type in which ``a - b`` and ``x * x`` of a formula do not wrap."""
    if values.dtype.kind == "f":
        return values.astype(np.float64)
    if values.dtype.kind not in "iu" or not len(values):
        return values
    largest = max(-int(values.min()), int(values.max()))
    if WRAPS <= largest <= EXACT:
        return values.astype(np.float64)
    return values.astype(np.int64) if largest < WRAPS else values


def _floats(values: pd.Series) -> pd.Series:
    """Return a column of numbers as float64, missing ones NaN."""
    if isinstance(values.dtype, np.dtype):
        floats = values.where(values.notna(), np.nan).to_numpy(dtype=float)
    elif "decimal" in str(values.dtype).lower():
        floats = values.astype(float).to_numpy()
    else:
        floats = values.to_numpy(dtype=float, na_value=np.nan)
    return pd.Series(floats, index=values.index, name=values.name)


def _holds_numbers(values: pd.Series) -> bool:
    """Whether a column of objects, or of Arrow decimals, holds numbers, not text."""
    if "decimal" in str(values.dtype).lower():
        return True
    return values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) in _NUMBERS


#: What pandas calls columns of numbers that are stored as Python objects.
_NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal")


#: What pandas calls columns of times that are stored as Python objects.
_TIMES = ("datetime", "datetime64", "date", "timedelta", "timedelta64", "time")


def holds_times(values: pd.Series) -> bool:
    """Whether a column holds times or durations, in any dtype."""
    dtype = values.dtype
    if isinstance(dtype, pd.ArrowDtype):
        return dtype.kind in "mM" or str(dtype).startswith(("date", "time"))
    if dtype.kind in "mM":
        return True
    return values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) in _TIMES


def outcome_column(values: pd.Series) -> pd.Series:
    """Return an outcome as patsy should read it: true and false are 1 and 0, not two levels."""
    if pd.api.types.is_bool_dtype(values.dtype) or (
        values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) == "boolean"
    ):
        missing = values.isna()
        return values.where(~missing, False).astype(bool).astype(float).mask(missing)
    return plain_column(values)


def float_column(argument: str, values: pd.Series) -> np.ndarray:
    """Return a column of numbers as float64, missing values as NaN.

    Raises
    ------
    TypeError
        If the column does not hold numbers.
    """
    plain = outcome_column(values)
    if plain.dtype.kind in "mM":
        raise TypeError(
            f"{argument}: column {values.name!r} of dtype {values.dtype} holds times, not numbers"
        )
    try:
        if isinstance(plain.dtype, pd.CategoricalDtype):
            return np.asarray(plain.astype(float))
        if plain.dtype == object:
            raise TypeError("text")
        return np.asarray(plain.to_numpy(dtype=float, na_value=np.nan))
    except (TypeError, ValueError):
        raise TypeError(
            f"{argument}: column {values.name!r} of dtype {values.dtype} does not hold numbers"
        ) from None
