"""``absorb=``: fixed effects of OLS that are not reported."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ragstats.core.absorb import coarsest_removed, dummies, effects_rank, is_nested, within
from ragstats.core.estimate import LeastSquares, least_squares
from ragstats.core.orthonormal import Basis
from ragstats.core.segments import Codes
from ragstats.exceptions import DataError
from ragstats.models.rows import Rows

#: Extras that hold absorbed effects are named with this prefix.
PREFIX = "absorb"


@dataclass(frozen=True, slots=True)
class AbsorbedFit:
    """A fit with fixed effects projected out.

    Attributes
    ----------
    fit : LeastSquares
        With all columns that stay in the hat matrix; its moments report the slopes only.
    slopes : Basis
        Which columns of the design are left.
    endog, exog : Series (N,), DataFrame (N, p)
        What is left of the outcome and of the slopes' columns.
    rank : int
        Parameters of slopes and effects together.
    """

    fit: LeastSquares
    slopes: Basis
    endog: pd.Series
    exog: pd.DataFrame
    rank: int


def effect_codes(rows: Rows) -> dict[str, Codes]:
    """Return the integer codes of the absorbed effects, by column.

    Raises
    ------
    DataError
        If a level is missing.
    """
    effects = {}
    for argument, labels in rows.extras.items():
        if argument.startswith(PREFIX):
            codes, _ = pd.factorize(pd.Series(labels))
            if (codes < 0).any():
                raise DataError(
                    f"absorb: {int((codes < 0).sum())} missing values in {rows.names[argument]!r}"
                )
            effects[rows.names[argument]] = codes.astype(np.intp)
    return effects


def solve_absorbed(rows: Rows, effects: dict[str, Codes]) -> AbsorbedFit:
    """Fit y on X with the effects: nested ones projected out, crossing ones as columns."""
    documents = rows.grouping.codes
    nested = coarsest_removed([e for e in effects.values() if is_nested(e, documents)])
    crossing = [e for e in effects.values() if not is_nested(e, documents)]
    outcome, design = rows.endog.to_numpy(), rows.exog.to_numpy()
    columns = np.column_stack([dummies(crossing), design]) if crossing else design
    shift = columns.shape[1] - design.shape[1]
    if nested:
        outcome = within(outcome[:, None], nested)[:, 0]
        columns = within(columns, nested)
    fit = least_squares(columns, outcome, documents, rows.grouping.ids)
    kept = fit.basis.columns
    is_slope = kept >= shift
    if not is_slope.any():
        raise DataError("absorb: the effects absorb every column of the design; nothing is left")
    slopes = Basis(
        rows=fit.basis.rows[:, is_slope],
        transform=fit.basis.transform[is_slope],
        columns=kept[is_slope] - shift,
        aliased=np.setdiff1d(np.arange(design.shape[1]), kept[is_slope] - shift),
        condition=fit.basis.condition,
    )
    moments = replace(
        fit.moments,
        origin=fit.moments.origin[is_slope],
        transform=fit.moments.transform[is_slope],
    )
    names = [rows.exog.columns[i] for i in slopes.columns]
    left = np.column_stack([outcome, columns[:, kept[is_slope]]])
    effects_basis = fit.basis.rows[:, ~is_slope]
    left = left - effects_basis @ (effects_basis.T @ left)
    index = rows.exog.index
    return AbsorbedFit(
        fit=replace(fit, moments=moments, coefficients=moments.origin),
        slopes=slopes,
        endog=pd.Series(left[:, 0], index=index, name=str(rows.endog.name)),
        exog=pd.DataFrame(left[:, 1:], index=index, columns=names),
        rank=len(kept) + (effects_rank(nested) if nested else 0),
    )
