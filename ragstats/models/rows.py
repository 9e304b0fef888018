"""The rows of a fit: outcome, design, documents and weights of the rows that were kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ragstats.exceptions import DataError, nearest, shown
from ragstats.models.columns import float_column
from ragstats.models.groups import Grouping, encode_groups


@dataclass(frozen=True)
class Rows:
    """What a model is built from.

    Attributes
    ----------
    endog : Series or DataFrame (N,)
        The outcome.
    exog : DataFrame (N, m)
        The design.
    grouping : Grouping
        Documents.
    extras : dict of str to ndarray (N,)
        Weights, offsets and the like of the kept rows, by argument.
    n_given : int
        Rows before any was dropped.
    dropped : dict of str to int
        Rows dropped, by reason.
    formula : str
        The formula, or empty.
    design_info : patsy.DesignInfo or None
        How new rows become rows of the design.
    names : dict of str to str
        The column's name of each extra.
    frame : DataFrame or None
        The columns that the formula names, of the kept rows.
    """

    endog: pd.Series | pd.DataFrame
    exog: pd.DataFrame
    grouping: Grouping
    extras: dict[str, np.ndarray]
    n_given: int
    dropped: dict[str, int]
    formula: str = ""
    design_info: Any = None
    names: dict[str, str] = field(default_factory=dict)
    frame: pd.DataFrame | None = None


MISSING = ("drop", "raise")

#: Extras that are labels, not numbers.
_LABELS = ("by", "unit", "absorb")


def check_missing(missing: str) -> None:
    """Raise unless ``missing`` is 'drop' or 'raise'."""
    if not isinstance(missing, str) or missing not in MISSING:
        near = nearest(missing, MISSING) if isinstance(missing, str) else ""
        raise ValueError(f"missing={shown(missing)} is unknown{near}; use 'drop' or 'raise'")


def assemble(
    endog: pd.DataFrame,
    exog: pd.DataFrame,
    columns: dict[str, pd.Series],
    kept: np.ndarray,
    dropped: dict[str, int],
    *,
    formula: str = "",
    design_info: Any = None,
    frame: pd.DataFrame | None = None,
) -> Rows:
    """Bring groups, weights and offsets to the kept rows; rows of weight 0 go too.

    Parameters
    ----------
    endog, exog : DataFrame (N,)
        Of the kept rows.
    columns : dict of str to Series
        The groups and the extras, with one value for each row before any was dropped.
    kept : ndarray of bool
        Which rows were kept.
    dropped : dict of str to int
        How many were not, by reason.
    formula, design_info, frame
        See :class:`Rows`.
    """
    values, names = {}, {}
    for argument, column in columns.items():
        if argument != "groups":
            names[argument] = str(column.name or argument)
            values[argument] = _extra(argument, column, kept)
    groups = columns["groups"] if kept.all() else columns["groups"][kept]
    positive = np.ones(len(endog), bool)
    for argument in ("weights", "freq_weights", "var_weights"):
        if argument in values:
            positive &= values[argument] > 0
    if not positive.all():
        if not positive.any():
            raise DataError("weights: every row has weight 0")
        dropped = {**dropped, "zero weight": int((~positive).sum())}
        endog, exog, groups = endog[positive], exog[positive], groups[positive]
        frame = None if frame is None else frame[positive]
        values = {argument: value[positive] for argument, value in values.items()}
    return Rows(
        endog=endog[endog.columns[0]] if endog.shape[1] == 1 else endog,
        exog=exog,
        grouping=encode_groups(groups),
        extras=values,
        n_given=len(kept),
        dropped=dropped,
        formula=formula,
        design_info=design_info,
        names=names,
        frame=frame,
    )


def _extra(argument: str, column: pd.Series, kept: np.ndarray) -> np.ndarray:
    """Return weights, offsets or labels of the kept rows, checked."""
    if argument.startswith(_LABELS):
        return np.asarray(column[kept])
    values = float_column(argument, column)[kept]
    if not np.isfinite(values).all():
        bad = int((~np.isfinite(values)).sum())
        raise DataError(f"{argument}: {bad} missing or infinite values in {len(values)} rows")
    if argument.endswith("weights") and (values < 0).any():
        raise DataError(f"{argument}: {int((values < 0).sum())} negative values; weights are ≥ 0")
    if argument == "exposure" and not (values > 0).all():
        raise DataError(f"exposure: {int((values <= 0).sum())} values are not positive")
    return np.asarray(values)


def all_finite(frame: pd.DataFrame) -> bool:
    """Whether every value is finite, without a second look where the sum is."""
    values = frame.to_numpy()
    return bool(np.isfinite(values.sum())) or bool(np.isfinite(values).all())


def check_finite(frame: pd.DataFrame) -> None:
    """Raise with the column's name for infinite values."""
    if all_finite(frame):
        return
    infinite = ~np.isfinite(frame.to_numpy())
    for j, name in enumerate(frame.columns):
        if infinite[:, j].any():
            raise DataError(
                f"data: {int(infinite[:, j].sum())} infinite values in {str(name)!r};"
                " scores and covariates must be finite (missing ones NaN)"
            )


def listed(dropped: dict[str, int]) -> str:
    """Return the dropped rows by reason, for a message."""
    return ", ".join(f"{count} rows with {reason}" for reason, count in dropped.items())
