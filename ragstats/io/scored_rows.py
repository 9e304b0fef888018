"""What the columns of scored rows must be, for rows in memory and for rows that an engine sums."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ragstats.exceptions import DataError, plural, unknown_column
from ragstats.models.columns import float_column

#: The columns of a table of documents: rows, their sum and their sum of squares.
COUNT, TOTAL, SQUARES = "n", "s", "ss"
#: Arguments whose columns stand beside these.
_BESIDE = ("doc", "by", "keep")
#: Scores beyond this have squares that overflow.
LARGEST = 1e145


def check_columns(
    columns: Iterable[Any], named: Iterable[tuple[str, Any]], *, optional: Sequence[str] = ()
) -> None:
    """Raise for an argument that names no column.

    Parameters
    ----------
    columns : iterable
        Of the data.
    named : iterable of (str, str)
        Arguments and what they were given.
    optional : sequence of str
        Arguments that may be None.

    Raises
    ------
    TypeError
        If it is no name at all.
    ValueError
        If there is no such column, or its name is taken.
    """
    there = list(columns)
    for argument, column in named:
        if column is None and argument in optional:
            continue
        if column is None or not isinstance(column, Hashable):
            raise TypeError(f"{argument} is a {type(column).__name__}; give the name of one column")
        if column not in there:
            raise unknown_column(argument, column, there)
        if argument in _BESIDE and column in (COUNT, TOTAL, SQUARES):
            raise ValueError(
                f"{argument}={column!r}: {COUNT}, {TOTAL} and {SQUARES} are counts and sums in the"
                " table of documents; rename the column"
            )


def check_ids(frame: pd.DataFrame, column: str, argument: str) -> None:
    """Raise for missing ids, by count."""
    missing = int(frame[column].isna().sum())
    if missing:
        raise missing_ids(argument, column, missing, len(frame))


def missing_ids(argument: str, column: str, missing: int, total: int) -> DataError:
    """Return the error for rows without an id."""
    return DataError(
        f"{argument}={column!r}: {plural(missing, 'missing id')} in {plural(total, 'row')}; a"
        " missing id is not a document, query or system of its own"
    )


def checked_scores(frame: pd.DataFrame, score: str) -> np.ndarray:
    """Return the scores as float64, missing ones NaN.

    Raises
    ------
    TypeError
        If they are not numbers.
    DataError
        If any is infinite.
    """
    values = float_column("score", frame[score])
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if LARGEST < largest < np.inf:
        raise DataError(
            f"score={score!r} has values of size {largest:.0e}, whose squares leave the range of"
            " numbers; change the unit"
        )
    infinite = int(np.isinf(values).sum())
    if infinite:
        raise DataError(
            f"score={score!r}: {plural(infinite, 'infinite value')}; scores must be finite"
            " (unscored ones missing)"
        )
    return values


def refuse_unscored(score: str, unscored: int, rows: int, missing: str) -> None:
    """Raise when rows without a score are to be refused, or there is no score at all."""
    if missing == "raise" and unscored:
        raise DataError(f"score={score!r}: {plural(unscored, 'row has', 'rows have')} no score")
    if unscored == rows:
        raise DataError(f"score={score!r}: none of the {plural(rows, 'row')} has a score")


def by_document(frame: pd.DataFrame, doc: str, columns: Sequence[str]) -> pd.DataFrame:
    """Return columns that must not vary within documents, one row per document.

    Raises
    ------
    ValueError
        If one of them varies.
    """
    found = frame.drop_duplicates(doc).set_index(doc, drop=False)[list(columns)]
    for column in columns:
        distinct = frame[[doc, column]].drop_duplicates()
        twice = distinct[doc].duplicated()
        if twice.any():
            several = distinct.loc[twice, doc]
            raise ValueError(
                f"keep={column!r} varies within {plural(several.nunique(), 'document')}, for"
                f" instance {several.iloc[0]!r}; keep columns that describe the document"
            )
    return found
