"""One conversion of any frame and any dtype to what patsy and NumPy read without surprises.

A nullable, Arrow-backed or polars column reaches patsy as float64, object or Categorical, or is
refused by name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd


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
        return pd.DataFrame(data)
    try:
        return nw.from_native(data, eager_only=True).to_pandas()
    except TypeError:
        raise TypeError(
            f"{argument} is a {type(data).__name__}; give a pandas, polars or pyarrow table"
        ) from None


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
        renamed = values.cat.rename_categories(categories.astype(object))
        return renamed
    if pd.api.types.is_bool_dtype(dtype):
        return values.astype(bool) if not values.isna().any() else values.astype(object)
    if pd.api.types.is_numeric_dtype(dtype):
        if isinstance(dtype, np.dtype):
            return values
        floats = values.to_numpy(dtype=float, na_value=np.nan)
        return pd.Series(floats, index=values.index, name=values.name)
    if _is_decimal(values):
        return values.astype(float)
    if pd.api.types.is_datetime64_any_dtype(dtype) and isinstance(dtype, np.dtype):
        return values
    as_object = values.astype(object)
    return as_object.where(values.notna(), None)


def _is_decimal(values: pd.Series) -> bool:
    """Whether an Arrow or object column holds decimals."""
    return "decimal" in str(values.dtype).lower()


def float_column(argument: str, values: pd.Series) -> np.ndarray:
    """Return a column of numbers as float64, missing values as NaN.

    Raises
    ------
    TypeError
        If the column does not hold numbers.
    """
    try:
        plain = plain_column(values)
        return np.asarray(
            plain.to_numpy(dtype=float, na_value=np.nan)
            if isinstance(plain.dtype, np.dtype)
            else plain.astype(float)
        )
    except (TypeError, ValueError):
        raise TypeError(
            f"{argument}: column {values.name!r} of dtype {values.dtype} does not hold numbers"
        ) from None


def named_in_formula(formula: str, columns: Iterable[Any]) -> list[Any]:
    """Return the columns whose names occur in a formula, as identifiers or inside ``Q("…")``."""
    identifiers = set(re.findall(r"[^\W\d]\w*", formula))
    quoted = set()
    for literal in re.findall(r"Q\(\s*('[^']*'|\"[^\"]*\")\s*\)", formula):
        quoted.add(ast.literal_eval(literal))
    return [c for c in columns if c in identifiers or c in quoted]
