"""Arrays, Series and frames → the rows of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ragstats.exceptions import DataError
from ragstats.models.columns import as_pandas, float_column, name_index
from ragstats.models.groups import column_or_values
from ragstats.models.rows import Rows, all_finite, assemble, check_finite, check_missing, listed


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
    if any(labelled) and not all(labelled):
        outcome, design = outcome.set_axis(index), design.set_axis(index)
    frame = pd.DataFrame(index=index)
    columns = {
        argument: column_or_values(argument, given, frame, labelled=any(labelled))
        for argument, given in {"groups": groups, **extras}.items()
        if given is not None or argument == "groups"
    }
    kept = np.ones(len(outcome), bool)
    dropped: dict[str, int] = {}
    if not (all_finite(outcome) and all_finite(design)):
        kept, dropped = _complete_rows(outcome, design)
        if dropped and missing == "raise":
            raise DataError(f"endog, exog: {listed(dropped)} under missing='raise'")
        if dropped:
            outcome, design = outcome[kept], design[kept]
        check_finite(outcome)
        check_finite(design)
    if not kept.any():
        raise DataError(f"endog, exog: none of the {len(kept)} rows is complete")
    return assemble(outcome, design, columns, kept, dropped)


def _complete_rows(
    outcome: pd.DataFrame, design: pd.DataFrame
) -> tuple[np.ndarray, dict[str, int]]:
    """Return which rows have no missing value, and how many have one, by reason."""
    no_outcome = np.isnan(outcome.to_numpy()).any(axis=1)
    no_covariate = np.isnan(design.to_numpy()).any(axis=1) & ~no_outcome
    reasons = {
        "missing outcome": int(no_outcome.sum()),
        "missing covariate": int(no_covariate.sum()),
    }
    dropped = {reason: count for reason, count in reasons.items() if count}
    return ~(no_outcome | no_covariate), dropped


def _as_frame(argument: str, given: Any, stem: str) -> pd.DataFrame:
    """Return the outcome or the design as a frame of float64."""
    if isinstance(given, np.ndarray) and given.dtype == float and given.ndim in (1, 2):
        values = given[:, None] if given.ndim == 1 else given
        return pd.DataFrame(values, columns=name_index(*_column_names(stem, values)), copy=False)
    if isinstance(given, pd.Series):
        given = given.to_frame(given.name if given.name is not None else stem)
    elif isinstance(given, pd.api.extensions.ExtensionArray):
        given = pd.Series(given, name=stem).to_frame()
    elif not isinstance(given, (pd.DataFrame, np.ndarray, list, tuple)):
        given = _table(given, argument, stem)
    if isinstance(given, pd.DataFrame):
        names = [str(c) for c in given.columns]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(
                f"{argument} has several columns named {twice!r}; give each its own name"
            )
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


def _table(given: Any, argument: str, stem: str) -> pd.DataFrame:
    """Return a polars or Arrow table, or one of their columns, as a pandas frame."""
    convert = getattr(given, "to_pandas", None)
    if convert is None:
        return as_pandas(given, argument=argument)
    converted = convert()
    return converted.to_frame(stem) if isinstance(converted, pd.Series) else converted


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
