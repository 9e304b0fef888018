"""A formula and a frame → the rows of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import patsy

from ragstats.exceptions import DataError, nearest
from ragstats.models.columns import as_pandas, holds_times, outcome_column, plain_column
from ragstats.models.formula_names import compared_in_formula, name_forms, named_in_formula
from ragstats.models.groups import column_or_values
from ragstats.models.rows import Rows, assemble, check_finite, check_missing, listed
from ragstats.models.say import warn


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
    TypeError
        If the formula is not a string, or the data are not a table.
    ValueError
        If the formula can't be evaluated, or the outcome is not a column of numbers.
    DataError
        For missing values under ``missing="raise"``, infinite values, or no row left.
    """
    check_missing(missing)
    if not isinstance(formula, str):
        raise TypeError(
            f"formula is a {type(formula).__name__}; give a string such as 'score ~ C(system)', and"
            " the data after it"
        )
    frame = as_pandas(data)
    labelled = isinstance(data, (pd.DataFrame, dict))
    columns = {
        argument: column_or_values(argument, given, frame, labelled=labelled)
        for argument, given in {"groups": groups, **extras}.items()
        if given is not None or argument == "groups"
    }
    if subset is not None:
        chosen = _chosen(frame, subset)
        frame = frame.iloc[chosen]
        columns = {argument: column.iloc[chosen] for argument, column in columns.items()}
    if frame.empty:
        raise DataError("data has no rows")
    used = named_in_formula(formula, frame.columns)
    twice = [c for c in used if (frame.columns == c).sum() > 1]
    if twice:
        raise ValueError(f"data has several columns named {twice[0]!r}; give each its own name")
    plain = _plain(formula, frame, used)
    compared = compared_in_formula(formula, used)
    whole = plain[plain[compared].notna().all(axis=1)] if compared else plain
    endog, exog = _matrices(formula, whole, env, frame)
    kept = np.zeros(len(frame), bool)
    kept[exog.index.to_numpy()] = True
    dropped = _why_dropped(frame, used, kept)
    if dropped and missing == "raise":
        raise DataError(f"data: {listed(dropped)} under missing='raise'")
    if not kept.any():
        raise DataError(f"data: none of the {len(frame)} rows is complete ({listed(dropped)})")
    if _lost_levels(exog.design_info, plain, kept):
        plain = _without_unused_categories(plain[kept])
        endog, exog = _matrices(formula, plain, env, frame)
    check_finite(endog)
    check_finite(exog)
    _check_outcome(endog, outcome_columns)
    labels = frame.index[kept]
    return assemble(
        endog.set_axis(labels),
        exog.set_axis(labels),
        columns,
        kept,
        dropped,
        formula=formula,
        design_info=exog.design_info,
        frame=frame[used] if kept.all() else frame.loc[kept, used],
    )


def _chosen(frame: pd.DataFrame, subset: Any) -> np.ndarray:
    """Return the positions of ``frame.loc[subset]``."""
    positions = pd.Series(np.arange(len(frame)), index=frame.index)
    try:
        return np.asarray(positions.loc[subset].to_numpy())
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError(
            f"subset: {str(error).splitlines()[0]}; give labels of the index or one boolean per row"
        ) from None


def _plain(formula: str, frame: pd.DataFrame, used: list[Any]) -> pd.DataFrame:
    """Return the frame with the used columns as patsy reads them, rows named by position.

    Duplicate labels of the index can then not mislead.
    """
    left, _, right = formula.partition("~")
    outcome = set(named_in_formula(left, used)) - set(named_in_formula(right, used))
    plain = {
        str(c): outcome_column(frame[c]) if c in outcome else plain_column(frame[c]) for c in used
    }
    return frame.assign(**plain).set_axis(pd.RangeIndex(len(frame)), axis=0)


def _matrices(
    formula: str, plain: pd.DataFrame, env: Any, frame: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return outcome and design of the complete rows."""
    try:
        _refuse_times(patsy.ModelDesc.from_formula(formula), frame)
        endog, exog = patsy.dmatrices(
            formula, plain, eval_env=env, return_type="dataframe", NA_action="drop"
        )
    except patsy.PatsyError as error:
        raise ValueError(_formula_error(formula, error, frame)) from None
    return endog, exog


def _refuse_times(description: Any, frame: pd.DataFrame) -> None:
    """Raise for a column of times on the right side, of which patsy makes one level per time."""
    for factor in {factor for term in description.rhs_termlist for factor in term.factors}:
        for name in named_in_formula(factor.code, frame.columns):
            if factor.code.strip() in name_forms(name) and holds_times(frame[name]):
                raise ValueError(
                    f"data: column {name!r} of dtype {frame[name].dtype} holds times, not numbers;"
                    f" use days since the start, or C({name}) for one level per time"
                )


def _lost_levels(design_info: Any, plain: pd.DataFrame, kept: np.ndarray) -> list[str]:
    """Return the factors with levels that no kept row has, and warn of those that lost their rows.

    Such a level would be a column of zeros, or leave the reference level without a row.
    """
    lost: list[str] = []
    said: list[str] = []
    if kept.all() and not any(isinstance(d, pd.CategoricalDtype) for d in plain.dtypes):
        return lost  # the levels are those of the rows
    rows = plain if kept.all() else plain[kept]
    for factor, info in design_info.factor_infos.items():
        if info.type != "categorical" or "levels=" in factor.name().replace(" ", ""):
            continue
        present = _levels_of(factor, info, rows)
        unused = [level for level in info.categories if level not in present]
        if not unused:
            continue
        lost.append(factor.name())
        given = _levels_of(factor, info, plain)
        gone = [str(level) for level in unused if level in given]
        if gone:
            said.append(f"{', '.join(gone)} of {factor.name()}")
    if said:
        warn(f"levels left out, none of whose rows is complete: {'; '.join(said)}")
    return lost


def _levels_of(factor: Any, info: Any, rows: pd.DataFrame) -> set[Any]:
    """Return the levels of a factor that occur in the rows."""
    values = factor.eval(info.state, rows)
    values = getattr(values, "data", values)  # C(…) boxes its values
    return set(pd.unique(pd.Series(values).dropna()))


def _without_unused_categories(plain: pd.DataFrame) -> pd.DataFrame:
    categorical = [c for c in plain if isinstance(plain[c].dtype, pd.CategoricalDtype)]
    return plain.assign(**{str(c): plain[c].cat.remove_unused_categories() for c in categorical})


def _check_outcome(endog: pd.DataFrame, outcome_columns: int) -> None:
    """Raise unless the outcome is a column of numbers (two for counts of a binomial)."""
    infos = endog.design_info.factor_infos
    levels = [f.name() for f, info in infos.items() if info.type == "categorical"]
    if levels:
        raise ValueError(
            f"formula: the outcome {levels[0]!r} is text or categories; it must be numbers, or true"
            " and false"
        )
    if endog.shape[1] > outcome_columns:
        raise ValueError(
            f"formula: the left side {list(endog.columns)} has {endog.shape[1]} columns; the"
            " outcome must be one column of numbers"
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
