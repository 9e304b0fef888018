"""The rows of a fit: outcome, design, documents and weights of the rows that were kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import patsy

from ragstats.exceptions import DataError, nearest
from ragstats.models.columns import as_pandas, float_column, named_in_formula, plain_column
from ragstats.models.groups import Grouping, column_or_values, encode_groups


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
    """

    endog: pd.Series
    exog: pd.DataFrame
    grouping: Grouping
    extras: dict[str, np.ndarray]
    n_given: int
    dropped: dict[str, int]
    formula: str = ""
    design_info: Any = None
    names: dict[str, str] = field(default_factory=dict)


MISSING = ("drop", "raise")


def check_missing(missing: str) -> None:
    """Raise unless ``missing`` is 'drop' or 'raise'."""
    if missing not in MISSING:
        raise ValueError(
            f"missing={missing!r} is unknown{nearest(missing, MISSING)}; use 'drop' or 'raise'"
        )


def rows_from_formula(
    formula: str,
    data: Any,
    *,
    groups: Any,
    extras: dict[str, Any],
    missing: str,
    subset: Any = None,
    env: Any = None,
    outcome_columns: int = 1,
) -> Rows:
    """Evaluate a formula and bring groups and weights along with the rows that it keeps.

    Raises
    ------
    DataError
        For missing values under ``missing="raise"``, infinite values, or no row left.
    """
    check_missing(missing)
    frame = as_pandas(data)
    if subset is not None:
        frame = frame.loc[subset]
    if frame.empty:
        raise DataError("data has no rows")
    used = named_in_formula(formula, frame.columns)
    plain = frame.assign(**{str(c): plain_column(frame[c]) for c in used}) if used else frame
    # patsy names rows by position, so that duplicate labels of the index can't mislead.
    plain = plain.set_axis(pd.RangeIndex(len(plain)), axis=0)
    groups_column = column_or_values("groups", groups, frame)
    try:
        endog, exog = patsy.dmatrices(
            formula, plain, eval_env=env, return_type="dataframe", NA_action="drop"
        )
    except patsy.PatsyError as error:
        raise ValueError(_formula_error(formula, error, frame)) from None
    kept = np.zeros(len(frame), bool)
    kept[exog.index.to_numpy()] = True
    dropped = _why_dropped(frame, used, kept)
    if dropped and missing == "raise":
        raise DataError(f"data: {_listed(dropped)} under missing='raise'")
    if not kept.any():
        raise DataError(f"data: none of the {len(frame)} rows is complete ({_listed(dropped)})")
    labels = frame.index[kept]
    _check_finite(endog)
    _check_finite(exog)
    if endog.shape[1] > outcome_columns:
        raise ValueError(
            f"formula: the left side {list(endog.columns)} has {endog.shape[1]} columns;"
            " the outcome must be one column of numbers (a text column has no mean)"
        )
    return _assemble(
        endog.set_axis(labels),
        exog.set_axis(labels),
        groups_column,
        frame,
        kept,
        extras,
        dropped,
        formula=formula,
        design_info=exog.design_info,
    )


def rows_from_arrays(
    endog: Any, exog: Any, *, groups: Any, extras: dict[str, Any], missing: str
) -> Rows:
    """Take the outcome and the design as they are, dropping incomplete rows.

    Raises
    ------
    ValueError
        If lengths or indexes differ.
    DataError
        For missing values under ``missing="raise"``, infinite values, or no row left.
    """
    check_missing(missing)
    outcome = _as_frame("endog", endog, "y")
    design = _as_frame("exog", exog, "x")
    if len(outcome) != len(design):
        raise ValueError(f"endog has {len(outcome)} rows and exog has {len(design)}")
    labelled = [isinstance(a, (pd.Series, pd.DataFrame)) for a in (endog, exog)]
    if all(labelled) and not outcome.index.equals(design.index):
        raise ValueError("endog and exog have different indexes; align them first")
    index = outcome.index if labelled[0] else design.index
    outcome, design = outcome.set_axis(index), design.set_axis(index)
    incomplete = _incomplete(outcome)
    reasons = {"missing outcome": int(incomplete.sum())}
    without_design = _incomplete(design) & ~incomplete
    reasons["missing covariate"] = int(without_design.sum())
    kept = ~(incomplete | without_design)
    dropped = {reason: count for reason, count in reasons.items() if count}
    if dropped and missing == "raise":
        raise DataError(f"endog, exog: {_listed(dropped)} under missing='raise'")
    if not kept.any():
        raise DataError(f"endog, exog: none of the {len(kept)} rows is complete")
    if dropped:
        outcome_kept, design_kept = outcome[kept], design[kept]
    else:
        outcome_kept, design_kept = outcome, design
    _check_finite(outcome_kept)
    _check_finite(design_kept)
    frame = pd.DataFrame(index=index)
    return _assemble(
        outcome_kept,
        design_kept,
        column_or_values("groups", groups, frame),
        frame,
        kept,
        extras,
        dropped,
    )


def _assemble(
    endog: pd.DataFrame,
    exog: pd.DataFrame,
    groups: pd.Series,
    frame: pd.DataFrame,
    kept: np.ndarray,
    extras: dict[str, Any],
    dropped: dict[str, int],
    *,
    formula: str = "",
    design_info: Any = None,
) -> Rows:
    """Bring groups, weights and offsets to the kept rows; rows of weight 0 go too."""
    values, names = {}, {}
    everything = bool(kept.all())
    for argument, given in extras.items():
        if given is None:
            continue
        column = column_or_values(argument, given, frame)
        names[argument] = str(column.name or argument)
        values[argument] = _extra(argument, column, kept)
    positive = np.ones(len(endog), bool)
    for argument in ("weights", "freq_weights", "var_weights"):
        if argument in values:
            positive &= values[argument] > 0
    if not positive.all():
        dropped = {**dropped, "zero weight": int((~positive).sum())}
        endog, exog = endog[positive], exog[positive]
        values = {argument: value[positive] for argument, value in values.items()}
        if not positive.any():
            raise DataError("weights: every row has weight 0")
    used_groups = groups if everything else groups[kept]
    if not positive.all():
        used_groups = used_groups[positive]
    outcome = endog.iloc[:, 0] if endog.shape[1] == 1 else endog
    return Rows(
        endog=outcome,
        exog=exog,
        grouping=encode_groups(used_groups),
        extras=values,
        n_given=len(frame),
        dropped=dropped,
        formula=formula,
        design_info=design_info,
        names=names,
    )


def _incomplete(frame: pd.DataFrame) -> np.ndarray:
    """Return which rows have a missing value, without a second look where the sum has none."""
    values = frame.to_numpy()
    if np.isfinite(values.sum()):
        return np.zeros(len(values), bool)
    return np.asarray(np.isnan(values).any(axis=1))


def _extra(argument: str, column: pd.Series, kept: np.ndarray) -> np.ndarray:
    """Return weights or offsets of the kept rows, checked."""
    if argument.startswith(_LABELS):
        return column[kept].to_numpy()
    values = float_column(argument, column)[kept]
    if not np.isfinite(values).all():
        bad = int((~np.isfinite(values)).sum())
        raise DataError(f"{argument}: {bad} missing or infinite values in {len(values)} rows")
    if argument.endswith("weights") and (values < 0).any():
        raise DataError(f"{argument}: {int((values < 0).sum())} negative values; weights are ≥ 0")
    return values


#: Extras that are labels, not numbers.
_LABELS = ("by", "unit", "absorb")


def _as_frame(argument: str, given: Any, stem: str) -> pd.DataFrame:
    """Return the outcome or the design as a frame of float64."""
    if isinstance(given, np.ndarray) and given.dtype == float and given.ndim in (1, 2):
        values = given[:, None] if given.ndim == 1 else given
        return pd.DataFrame(values, columns=_column_names(stem, values), copy=False)
    if isinstance(given, pd.Series):
        given = given.to_frame(given.name if given.name is not None else stem)
    elif not isinstance(given, (pd.DataFrame, np.ndarray, list, tuple)):
        given = as_pandas(given, argument=argument)
    if isinstance(given, pd.DataFrame):
        if all(d == np.float64 for d in given.dtypes):
            return given.set_axis([str(c) for c in given.columns], axis=1)
        columns = {str(c): float_column(argument, given[c]) for c in given.columns}
        return pd.DataFrame(columns, index=given.index)
    values = np.asarray(given)
    if values.dtype == object or not np.issubdtype(values.dtype, np.number):
        try:
            values = values.astype(float)
        except (TypeError, ValueError):
            raise TypeError(f"{argument} of dtype {values.dtype} does not hold numbers") from None
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        raise ValueError(f"{argument} has {values.ndim} dimensions; one or two are right")
    return pd.DataFrame(values.astype(float), columns=_column_names(stem, values))


def _column_names(stem: str, values: np.ndarray) -> list[str]:
    """Name unnamed columns as statsmodels does: y, and const, x1, x2, …"""
    if stem == "y":
        return ["y"] if values.shape[1] == 1 else [f"y{j + 1}" for j in range(values.shape[1])]
    constant = [
        bool((values[:1, j] == 1).all() and (values[:, j] == 1).all())
        for j in range(values.shape[1])
    ]
    names, used = [], False
    for j, is_constant in enumerate(constant):
        if is_constant and not used:
            names.append("const")
            used = True
        else:
            names.append(f"x{j if used and constant[0] else j + 1}")
    return names


def _check_finite(frame: pd.DataFrame) -> None:
    """Raise with the column's name for infinite values."""
    values = frame.to_numpy()
    if np.isfinite(values.sum()):
        return
    infinite = ~np.isfinite(values)
    for j, name in enumerate(frame.columns):
        if infinite[:, j].any():
            raise DataError(
                f"data: {int(infinite[:, j].sum())} infinite values in {str(name)!r};"
                " scores and covariates must be finite (missing ones NaN)"
            )


def _why_dropped(frame: pd.DataFrame, used: list[Any], kept: np.ndarray) -> dict[str, int]:
    """Count the dropped rows by the first column that is missing in them."""
    reasons: dict[str, int] = {}
    left = ~kept
    for column in used:
        blamed = left & frame[column].isna().to_numpy()
        if blamed.any():
            reasons[f"missing {column}"] = int(blamed.sum())
            left = left & ~blamed
    if left.any():
        reasons["undefined in the formula"] = int(left.sum())
    return reasons


def _listed(dropped: dict[str, int]) -> str:
    return ", ".join(f"{count} rows with {reason}" for reason, count in dropped.items())


def _formula_error(formula: str, error: Exception, frame: pd.DataFrame) -> str:
    """Return one line about a formula that patsy could not evaluate."""
    text = str(error).splitlines()[0]
    hint = ""
    if "is not defined" in text:
        name = text.split("'")[1] if "'" in text else ""
        hint = nearest(name, [str(c) for c in frame.columns])
        shown = ", ".join(str(c) for c in frame.columns[:12])
        hint += f"; columns: {shown}"
    return f"formula={formula!r}: {text}{hint}"
