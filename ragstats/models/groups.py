"""The documents of the rows: from a column, a Series or an array to integer codes.

Groups are aligned by index where there is one, checked for length where there is none, and never
truncated, filled or reordered in silence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ragstats.core.segments import Codes
from ragstats.exceptions import DataError, unknown_column


@dataclass(frozen=True, slots=True)
class Grouping:
    """Documents of the rows of a fit.

    Attributes
    ----------
    codes : ndarray of int (N,)
        The document of each row.
    ids : ndarray (K,)
        The documents that occur, sorted where they can be.
    name : str
        The column's name, or "groups".
    """

    codes: Codes
    ids: np.ndarray
    name: str

    @property
    def n_groups(self) -> int:
        """K."""
        return len(self.ids)


def column_or_values(
    argument: str,
    given: Any,
    data: pd.DataFrame,
    *,
    kept_rows: np.ndarray | None = None,
    labelled: bool = True,
) -> pd.Series:
    """Return what the user gave for ``argument`` as one value per row of ``data``.

    Parameters
    ----------
    argument : str
        The name of the argument, for messages.
    given : str, Series, DataFrame of one column or array_like
        A column's name, a Series (aligned by index) or one value per row.
    data : DataFrame
        The data before any row is dropped.
    kept_rows : ndarray of bool, optional
        The rows that a fit kept; an array of that length is then accepted too.
    labelled : bool
        Whether the data came with an index of their own. Without one, a Series that has an index
        could be meant by its labels or by its order, and is refused.

    Raises
    ------
    ValueError
        If the column is unknown, the length or the index does not fit, or there are two columns.
    """
    if isinstance(given, (list, tuple)) and given and all(isinstance(g, str) for g in given):
        if len(given) == 1:
            given = given[0]
        elif all(g in data.columns for g in given):
            raise _two_columns(argument, list(given))
    if isinstance(given, str) or (np.isscalar(given) and given in data.columns):
        if data.columns.empty:
            raise ValueError(
                f"{argument}={given!r} names a column, and the data are arrays without names;"
                " give one value per row"
            )
        if given not in data.columns:
            raise unknown_column(argument, given, data.columns)
        column = data[given]
        if isinstance(column, pd.DataFrame):
            raise ValueError(f"{argument}={given!r} names {column.shape[1]} columns of the data")
        return column
    if isinstance(given, pd.DataFrame):
        if given.shape[1] != 1:
            raise _two_columns(argument, [str(c) for c in given.columns], given.shape)
        given = given.iloc[:, 0]
    if isinstance(given, pd.Series):
        if not labelled:
            return _of_arrays(argument, given, data, kept_rows)
        return _by_index(argument, given, data, kept_rows)
    return _by_position(argument, given, data, kept_rows)


def _two_columns(
    argument: str, names: list[str], shape: tuple[int, ...] | None = None
) -> ValueError:
    seen = f" (shape {shape})" if shape else ""
    return ValueError(
        f"{argument}={names}{seen} names {len(names)} columns, and one is needed: join them into"
        " one key if their combination is the sampling unit, or cluster by the coarser of the two"
    )


def _of_arrays(
    argument: str, given: pd.Series, data: pd.DataFrame, kept_rows: np.ndarray | None
) -> pd.Series:
    """Take a Series that goes with arrays by position, where its index says nothing else."""
    if not given.index.equals(pd.RangeIndex(len(given))):
        raise ValueError(
            f"{argument} is a Series with an index ({given.index[0]!r}, …), and the data are arrays"
            f" without one; pass {argument}.to_numpy() if it is in row order, or data with an index"
        )
    return _by_position(argument, given.array, data, kept_rows)


def _by_index(
    argument: str, given: pd.Series, data: pd.DataFrame, kept_rows: np.ndarray | None
) -> pd.Series:
    """Align a Series with the rows of the data by its index."""
    if given.index.equals(data.index):
        return given
    if kept_rows is not None and given.index.equals(data.index[kept_rows]):
        return _spread(given.array, data, kept_rows)
    if not (given.index.is_unique and data.index.is_unique):
        whose = "its" if not given.index.is_unique else "the data's"
        raise ValueError(
            f"{argument}: a Series is aligned by index, but {whose} index has duplicates and the"
            f" two differ; pass a column name, or an array of {len(data)} values in row order"
        )
    missing = ~data.index.isin(given.index)
    if kept_rows is not None:
        missing &= kept_rows
    if missing.any():
        raise ValueError(
            f"{argument}: {int(missing.sum())} of the {len(data)} rows of the data are not in its"
            f" index (length {len(given)}), for instance {data.index[missing][0]!r}"
        )
    return given.reindex(data.index)


def _by_position(
    argument: str, given: Any, data: pd.DataFrame, kept_rows: np.ndarray | None
) -> pd.Series:
    """Take an array of one value per row."""
    is_extension = isinstance(given, pd.api.extensions.ExtensionArray)
    values: Any = given if is_extension else np.asarray(given)
    shape: tuple[int, ...] = values.shape
    if len(shape) == 2 and shape[1] == 1:
        values = np.asarray(values)[:, 0]
    elif len(shape) != 1:
        if len(shape) == 0:
            raise TypeError(f"{argument}={given!r} is neither a column name nor one value per row")
        raise _two_columns(argument, [f"column {i}" for i in range(shape[-1])], shape)
    if len(values) == len(data):
        return pd.Series(values, index=data.index, name=argument)
    if kept_rows is not None and len(values) == int(kept_rows.sum()):
        return _spread(values, data, kept_rows)
    kept = ""
    if kept_rows is not None and not kept_rows.all():
        kept = f" ({int(kept_rows.sum())} kept by the fit)"
    raise ValueError(
        f"{argument} has {len(values)} values and the data have {len(data)} rows{kept};"
        " give one value per row, or a column name"
    )


def _spread(values: Any, data: pd.DataFrame, kept_rows: np.ndarray) -> pd.Series:
    """Put values of the kept rows at their places among all rows."""
    full = pd.Series([None] * len(data), index=data.index, dtype=object)
    full.iloc[np.flatnonzero(kept_rows)] = np.asarray(values)
    return full


def encode_groups(values: pd.Series, *, argument: str = "groups") -> Grouping:
    """Return the integer codes of the documents of the kept rows.

    Raises
    ------
    DataError
        If ids are missing, or there are fewer than two documents.
    """
    missing = 0 if _whole_numbers(values) else int(values.isna().sum())
    if missing:
        raise DataError(
            f"{argument}: {missing} missing document ids in {len(values)} rows; drop those rows or"
            " give them their document (a missing id is not a document of its own)"
        )
    plain = values.astype(values.cat.categories.dtype) if _categorical(values) else values
    codes, ids = _encode(plain)
    if len(ids) < 2:
        raise DataError(
            f"{argument}: {len(ids)} document, at least 2 needed (the variation between documents"
            " is what the standard error measures)"
        )
    return Grouping(
        codes.astype(np.intp, copy=False), np.asarray(ids), str(values.name or argument)
    )


def _encode(values: pd.Series) -> tuple[np.ndarray, Any]:
    """Return the code of each value and the distinct values, sorted where they can be."""
    if _whole_numbers(values):
        numbers = values.to_numpy()
        if (numbers[1:] >= numbers[:-1]).all():  # in order already: no hashing, no sorting
            new = np.empty(len(numbers), bool)
            new[:1] = True
            np.not_equal(numbers[1:], numbers[:-1], out=new[1:])
            return np.cumsum(new) - 1, numbers[new]
    _refuse_booleans_among_numbers(values)
    try:
        return pd.factorize(values, sort=True)
    except TypeError:  # ids of mixed types have no order; first appearance is one
        return pd.factorize(values)


def _refuse_booleans_among_numbers(values: pd.Series) -> None:
    """Raise where True would be the same document as 1."""
    if values.dtype != object:
        return
    kinds = set(map(type, values))
    others = ", ".join(sorted(kind.__name__ for kind in kinds - {bool, np.bool_}))
    if others and kinds & {bool, np.bool_}:
        raise DataError(
            f"{values.name or 'groups'}: document ids are booleans and {others}; True and 1 would"
            " be one document, so give ids of one type"
        )


def _whole_numbers(values: pd.Series) -> bool:
    """Whether the values are NumPy's integers, which can't be missing."""
    return isinstance(values.dtype, np.dtype) and values.dtype.kind in "iu"


def _categorical(values: pd.Series) -> bool:
    return isinstance(values.dtype, pd.CategoricalDtype)
