"""Average marginal effects of a GLM: what moves is a variable, with everything made of it.

In a formula a variable can have several columns, by levels, powers and interactions, so it is the
variable that moves and the rows of the design follow. Columns of an array move one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ragstats.core.segments import Floats
from ragstats.models.columns import float_column
from ragstats.models.formula_names import name_forms, named_in_formula
from ragstats.models.say import warn

#: Step of a numeric variable, relative to its value: balances truncation and rounding.
STEP = float(np.finfo(float).eps ** (1 / 3))


#: A variable's name in the table, its effect, and the gradient (p,) of that in the coefficients.
Effect = tuple[str, float, Floats]


def marginal_effects(results: Any) -> tuple[list[str], Floats, Floats]:
    """Return names, average marginal effects (m,) and their gradients (m, p) of a GLM.

    Rows count by their frequency weights.
    """
    model, params = results.model, np.asarray(results.params)
    weights = model.freq_weights / model.freq_weights.sum()
    mean = _Mean(model.family.link, weights, model._offset_exposure, params)
    if model._design.formula and (model._design.design_info is None or model.data.frame is None):
        raise ValueError(
            "average_marginal_effects moves the variables of the formula, and these results were"
            " stored without it; fit again, or store the table too"
        )
    found = list((_of_formula if model._design.formula else _of_columns)(model, mean))
    effects = np.array([effect for _, effect, _ in found])
    gradients = np.array([gradient for *_, gradient in found]).reshape(len(found), len(params))
    return [name for name, *_ in found], effects, gradients


@dataclass(frozen=True, slots=True)
class _Mean:
    """The weighted mean of the fitted means, at any rows of the design."""

    link: Any
    weights: Floats
    shift: Any
    params: Floats

    def difference(self, low: Floats, high: Floats) -> tuple[float, Floats]:
        """Return the mean at ``high`` less that at ``low``, and the gradient of both."""
        (first, first_gradient), (second, second_gradient) = map(self._at, (high, low))
        return first - second, first_gradient - second_gradient

    def _at(self, rows: Floats) -> tuple[float, Floats]:
        predictor = rows @ self.params + self.shift
        gradient = (self.weights * self.link.inverse_deriv(predictor)) @ rows
        return float(self.weights @ self.link.inverse(predictor)), gradient

    def derivative(self, rows: Floats, slope: Floats) -> tuple[float, Floats]:
        """Return the mean derivative along ``slope``, and its gradient in the coefficients."""
        predictor, along = rows @ self.params + self.shift, slope @ self.params
        first = self.weights * self.link.inverse_deriv(predictor)
        second = self.weights * self.link.inverse_deriv2(predictor)
        return float(first @ along), (second * along) @ rows + first @ slope


def _of_columns(model: Any, mean: _Mean) -> Iterator[Effect]:
    """Move one column of the design after the other, the constant excepted."""
    for j, name in enumerate(model.exog_names):
        if j == model.data.const_idx:
            continue
        if _is_indicator(model.exog[:, j]):
            low, high = model.exog.copy(), model.exog.copy()
            low[:, j], high[:, j] = 0.0, 1.0
            yield name, *mean.difference(low, high)
        else:
            slope = np.zeros_like(model.exog)
            slope[:, j] = 1.0
            yield name, *mean.derivative(model.exog, slope)


def _of_formula(model: Any, mean: _Mean) -> Iterator[Effect]:
    """Move one variable of the formula after the other."""
    design, frame = model._design, model.data.frame
    right = design.formula.split("~", 1)[1]
    factors = {factor.code: info for factor, info in design.design_info.factor_infos.items()}
    for name in named_in_formula(right, frame.columns):
        used_in = [code for code in factors if name in named_in_formula(code, [name])]
        categorical = [code for code in used_in if factors[code].type == "categorical"]
        if not categorical:
            yield from _numeric(model, mean, name)
        elif set(categorical) == set(used_in) and all(_names_alone(c, name) for c in used_in):
            yield from _levels(model, mean, name, factors[used_in[0]].categories)
        else:
            warn(
                f"{name} has no marginal effect here: it enters the formula as"
                f" {', '.join(used_in)}, which neither has a derivative nor its levels"
            )


def _names_alone(code: str, name: str) -> bool:
    """Whether a categorical factor is the variable itself: ``x``, ``C(x)`` or ``C(x, coding)``."""
    plain = code.replace(" ", "")
    return any(plain == q or plain.startswith((f"C({q})", f"C({q},")) for q in name_forms(name))


def _moved(model: Any, name: str, values: Any) -> Floats:
    """Return the rows of the design with other values of one variable."""
    frame = model.data.frame.assign(**{name: values})
    return np.asarray(model._design.rows_for(frame), float)


def _numeric(model: Any, mean: _Mean, name: str) -> Iterator[Effect]:
    """Move a number: 0/1 from 0 to 1, any other by its derivative."""
    values = float_column("data", model.data.frame[name])
    if _is_indicator(values):
        yield name, *mean.difference(_moved(model, name, 0.0), _moved(model, name, 1.0))
        return
    slope = _derivative(partial(_moved, model, name), values)
    lost = int((~np.isfinite(slope).all(axis=1)).sum())
    if lost:
        warn(f"{name} has no marginal effect here: no derivative in {lost} of {len(values)} rows")
    yield name, *mean.derivative(model.exog, slope)


def _derivative(function: Callable[[Floats], Floats], values: Floats) -> Floats:
    """Return the derivative of the rows of a design (N, p) in a number (N,), by differences.

    The scale of a variable is its spread for some functions and its value for others (near 0 the
    step of a logarithm must be small), so both are tried, and for each element the one is taken
    that half the step changes less. Columns linear in the variable are exact either way.
    """
    spread = 0.1 * float(np.std(values)) or 1.0
    best, least = np.full((len(values), 1), np.nan), np.full((len(values), 1), np.inf)
    for scale in (np.maximum(np.abs(values), spread), np.abs(values)):
        whole, half = (_central(function, values, STEP * scale / part) for part in (1, 2))
        change = np.where(np.isfinite(whole), np.abs(whole - half), np.inf)
        best, least = np.where(change < least, whole, best), np.minimum(change, least)
    return best


def _central(function: Callable[[Floats], Floats], values: Floats, step: Floats) -> Floats:
    above, below = values + step, values - step  # their difference is what was added
    with np.errstate(divide="ignore", invalid="ignore"):
        try:
            change = function(above) - function(below)
        except ValueError:  # nothing is beyond the data, for splines: one-sided at their ends
            above, below = np.minimum(above, values.max()), np.maximum(below, values.min())
            change = function(above) - function(below)
        return np.asarray(change / (above - below)[:, None])


def _levels(model: Any, mean: _Mean, name: str, levels: tuple[Any, ...]) -> Iterator[Effect]:
    """Move every row to each level, from the first one."""
    column = model.data.frame[name]

    def rows(level: Any) -> Floats:
        moved = pd.Series([level] * len(column), index=column.index, dtype=column.dtype)
        return _moved(model, name, moved)

    first = rows(levels[0])
    for level in levels[1:]:
        yield f"{name}[{level} - {levels[0]}]", *mean.difference(first, rows(level))


def _is_indicator(column: Floats) -> bool:
    return bool(np.isin(column, (0.0, 1.0)).all())
