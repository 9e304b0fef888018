"""Fits on compressed rows: cells of equal rows, given by their count, sum and sum of squares.

One row per document (and system) is all that means and system comparisons need. The results have
everything but the rows: residuals and fitted values say that they were not kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm

from ragstats.core.estimate import LeastSquares, least_squares
from ragstats.core.inference import ClusterInference
from ragstats.core.segments import Floats
from ragstats.core.working import WorkingRows
from ragstats.models.data import use_cluster_data
from ragstats.models.design import Design
from ragstats.models.groups import Grouping
from ragstats.models.linear import OLS, WLS
from ragstats.models.statsmodels_results import light_model


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of rows with one design row each.

    Attributes
    ----------
    design : DataFrame (L, p)
        The design row of each cell.
    count, total, squares : ndarray (L,)
        Number of rows, sum and sum of squares of the outcome.
    grouping : Grouping
        The document of each cell.
    outcome : str
        The outcome's name.
    dropped : dict of str to int
        Rows that are not in the cells, by reason.
    """

    design: pd.DataFrame
    count: Floats
    total: Floats
    squares: Floats
    grouping: Grouping
    outcome: str
    dropped: dict[str, int]


def solve_cells(cells: Cells, estimand: str) -> WorkingRows:
    """Fit the cells once; covariance types and df rules are then cheap.

    The numbers are those of the rows: a cell of n rows is a row of frequency n with the cell's
    mean, and what the rows vary within the cell is added to the residual sum of squares.
    """
    rates = cells.total / cells.count
    weights = 1.0 / cells.count if estimand == "macro" else None
    fit = least_squares(
        cells.design.to_numpy(float),
        rates,
        cells.grouping.codes,
        cells.grouping.ids,
        weights=weights,
        frequency=cells.count,
    )
    spread = np.maximum(cells.squares - cells.total * rates, 0.0)
    # Sums of squares cancel where the rows of a cell are equal; what is left then is rounding.
    spread[spread <= 8 * np.finfo(float).eps * cells.squares] = 0.0
    within = np.bincount(
        cells.grouping.codes,
        weights=spread if weights is None else spread * weights,
        minlength=cells.grouping.n_groups,
    )
    moments = replace(fit.moments, square=fit.moments.square + within)
    fit = replace(fit, moments=moments)
    return WorkingRows(fit, cells.grouping.codes, weights, cells.count, "inverse_var")


def results_of_inference(
    fit: LeastSquares, inference: ClusterInference, cells: Cells, estimand: str
) -> Any:
    """Return statsmodels results without rows: OLS for micro, inverse-variance WLS for macro."""
    model = _model(fit, cells, estimand)
    model._sums = _sums_of_squares(cells, estimand)
    return model._results_class.from_inference(model, inference)


def _sums_of_squares(cells: Cells, estimand: str) -> dict[str, float]:
    """Return what statsmodels sums over the rows, from the cells; NaN without sums of squares."""
    weights = 1.0 / cells.count if estimand == "macro" else np.ones(len(cells.count))
    squares = float(weights @ cells.squares)
    return {
        "uncentered_tss": squares,
        "centered_tss": squares - float(weights @ cells.total) ** 2 / float(weights @ cells.count),
        "log_weights": float(cells.count @ np.log(weights)),
    }


def _model(fit: LeastSquares, cells: Cells, estimand: str) -> Any:
    """Return a model with the right names and counts, and no rows."""
    names = [str(cells.design.columns[i]) for i in fit.basis.columns]
    p = len(names)
    endog = pd.Series(np.zeros(p + 1), name=cells.outcome)
    exog = pd.DataFrame(np.eye(p + 1, p), columns=names)
    kind, parent = (WLS, sm.WLS) if estimand == "macro" else (OLS, sm.OLS)
    model: Any = object.__new__(kind)
    parent.__init__(model, endog, exog, hasconst=False)
    model._fit, model._weights = fit, None if estimand == "micro" else np.empty(0)
    model._working, model.estimand, model.absorbed = "inverse_var", estimand, ()
    model._design = _design(fit, cells, names)
    model.nobs = float(cells.count.sum())
    model.rank, model.df_resid = p, model.nobs - p
    model.df_model = float(p - int(model._design.has_constant))
    model.k_constant = model.data.k_constant = int(model._design.has_constant)
    model.data.const_idx = model._design.constant
    model.groups = cells.grouping
    use_cluster_data(model)
    light = light_model(model)
    light._fit, light._weights = fit, model._weights  # K rows: what results need of the fit
    return light


def _design(fit: LeastSquares, cells: Cells, names: list[str]) -> Design:
    values = cells.design.to_numpy(float)[:, fit.basis.columns]
    constant = next(
        (
            j
            for j in range(len(names))
            if values[0, j] != 0 and (values[:, j] == values[0, j]).all()
        ),
        None,
    )
    n_rows = int(cells.count.sum())
    return Design(
        names=tuple(names),
        aliased=tuple(str(cells.design.columns[i]) for i in fit.basis.aliased),
        columns=fit.basis.columns,
        condition=fit.basis.condition,
        has_constant=constant is not None,
        constant=constant,
        grouping=cells.grouping,
        n_given=n_rows + sum(cells.dropped.values()),
        dropped=cells.dropped,
        terms={name: [j] for j, name in enumerate(names)},
    )
