"""Facts about a design that outlive the rows: names, terms, what was dropped, how to predict."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import patsy

from ragstats.core.orthonormal import Basis
from ragstats.exceptions import plural
from ragstats.models.columns import as_pandas, plain_column
from ragstats.models.formula_names import named_in_formula
from ragstats.models.groups import Grouping
from ragstats.models.rows import Rows
from ragstats.models.say import warn


@dataclass(frozen=True)
class Coding:
    """How a term of the formula is coded.

    Attributes
    ----------
    kind : {"categorical", "numeric", "interaction"}
        Only categorical main effects have levels.
    levels : tuple
        The levels, in their order.
    matrix : ndarray (levels, columns of the term)
        The row of the design's columns for each level.
    columns : ndarray of int
        Where they are among the columns of the formula.
    """

    kind: str
    levels: tuple[Any, ...] = ()
    matrix: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    columns: np.ndarray = field(default_factory=lambda: np.empty(0, np.intp))


@dataclass
class Design:
    """The design of a fit.

    Attributes
    ----------
    names : tuple of str (p,)
        Kept columns.
    aliased : tuple of str
        Columns dropped because they are combinations of earlier ones.
    columns : ndarray (p,)
        Indices of the kept columns among those of the formula.
    condition : float
        Condition number of the unit-norm columns.
    has_constant : bool
        Whether a constant is in the span.
    constant : int or None
        The kept column that is constant; None where the constant is implicit, or absent.
    grouping : Grouping
        Documents.
    n_given : int
        Rows before any was dropped.
    dropped : dict of str to int
        Rows dropped, by reason.
    terms : dict of str to list of int
        Kept columns of each term of the formula.
    formula : str
        Empty for arrays.
    design_info : patsy.DesignInfo or None
        None for arrays and after loading; it cannot be stored.
    codings : dict of str to Coding
        How the levels of each categorical main effect are coded; it can be stored.
    combinations : ndarray (p, number of aliased columns) or None
        The aliased columns as combinations of the kept ones.
    """

    names: tuple[str, ...]
    aliased: tuple[str, ...]
    columns: np.ndarray
    condition: float
    has_constant: bool
    constant: int | None
    grouping: Grouping
    n_given: int
    dropped: dict[str, int]
    terms: dict[str, list[int]]
    formula: str = ""
    design_info: Any = field(default=None, repr=False)
    codings: dict[str, Coding] = field(default_factory=dict, repr=False)
    combinations: np.ndarray | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "design_info": None}

    def __deepcopy__(self, memo: dict[int, Any]) -> Design:
        return replace(self)  # nothing in it is ever changed, and patsy's part can't be copied

    def warn(self, condition_limit: float) -> None:
        """Say what was dropped from the design, and whether it is badly conditioned."""
        if self.aliased:
            warn(
                f"aliased columns dropped: {', '.join(self.aliased)} (combinations of earlier ones)"
            )
        if self.condition > condition_limit:
            warn(
                f"the design is close to collinear (scaled condition number {self.condition:.1e});"
                f" columns: {', '.join(self.names)}"
            )

    def rows_for(self, exog: Any, *, transform: bool = True) -> pd.DataFrame:
        """Return rows of the design for new data (m, p).

        Raises
        ------
        ValueError
            If columns are missing, levels are unknown, or the number of columns does not fit.
        """
        if transform and self.formula and self.design_info is None:
            raise ValueError(
                "these results were stored without their formula: pass rows of the design,"
                f" columns {list(self.names)}, and transform=False"
            )
        if transform and self.design_info is not None:
            return self._from_formula(exog)
        if isinstance(exog, pd.DataFrame) and set(self.names) <= set(map(str, exog.columns)):
            named = exog.set_axis([str(c) for c in exog.columns], axis=1)
            return named[list(self.names)].astype(float)
        values = np.asarray(exog, float)
        values = values[:, None] if values.ndim == 1 and len(self.names) == 1 else values
        values = np.atleast_2d(values)
        index = exog.index if isinstance(exog, (pd.DataFrame, pd.Series)) else None
        if index is not None and len(index) != len(values):
            index = None
        if values.shape[1] == len(self.names) + len(self.aliased) and self.aliased:
            return self._estimable(pd.DataFrame(values, index=index))
        if values.shape[1] != len(self.names):
            raise ValueError(
                f"exog has {plural(values.shape[1], 'column')}; the model has {len(self.names)}:"
                f" {', '.join(self.names)}"
            )
        return pd.DataFrame(values, columns=list(self.names), index=index)

    def is_estimable(self, rows: np.ndarray) -> np.ndarray:
        """Return which combinations of the formula's columns (m, all) have a unique estimate (m,).

        Those are the combinations of rows of the design; all are, unless columns are collinear.
        Incomplete rows count as estimable: they are NaN for another reason.
        """
        if self.combinations is None:
            return np.ones(len(rows), bool)
        implied = rows[:, self.columns] @ self.combinations
        aliased = np.delete(rows, self.columns, axis=1)
        size = np.maximum(np.abs(rows).max(axis=1, initial=1.0), 1.0)
        return np.asarray(~(np.abs(aliased - implied) > 1e-7 * size[:, None]).any(axis=1))

    def _estimable(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Take the kept columns (m, p) of rows of the formula, NaN where no estimate is unique.

        Among collinear columns only one coefficient is left, so that a row has a prediction only
        where it is as collinear as the rows of the fit were.
        """
        kept = rows.iloc[:, self.columns].set_axis(list(self.names), axis=1)
        elsewhere = ~self.is_estimable(rows.to_numpy(float))
        if elsewhere.any():
            warn(
                f"exog: {plural(int(elsewhere.sum()), 'row has', 'rows have')} no unique"
                " prediction, because"
                f" {', '.join(self.aliased)} was a combination of other columns in the fit and is"
                " not one here; they are NaN"
            )
            kept = kept.astype(float)
            kept.iloc[np.flatnonzero(elsewhere)] = np.nan
        return kept

    def _from_formula(self, exog: Any) -> pd.DataFrame:
        """Evaluate the right side of the formula on a frame; incomplete rows stay, as NaN."""
        if isinstance(exog, pd.Series):
            exog = exog.to_frame().T.infer_objects()
        if isinstance(exog, dict) and not any(np.ndim(v) for v in exog.values()):
            exog = {name: [value] for name, value in exog.items()}
        frame = as_pandas(exog, argument="exog")
        right = self.formula.split("~", 1)[1]
        used = named_in_formula(right, frame.columns)
        plain = frame.assign(**{str(c): _values(frame[c]) for c in used})
        try:
            rows = patsy.build_design_matrices(
                [self.design_info], plain, return_type="dataframe", NA_action="drop"
            )[0]
        except patsy.PatsyError as error:
            raise ValueError(f"exog: {str(error).splitlines()[0]}") from None
        if not self.design_info.factor_infos:  # intercept only: as many rows as the data have
            rows = pd.DataFrame(np.ones((len(frame), 1)), index=frame.index, columns=rows.columns)
        return self._estimable(rows.reindex(frame.index))


def _values(column: pd.Series) -> pd.Series:
    """Return a column of new data; categories that no row has say nothing about the fit's."""
    plain = plain_column(column)
    return plain.astype(object) if isinstance(plain.dtype, pd.CategoricalDtype) else plain


def describe_design(rows: Rows, basis: Basis) -> Design:
    """Collect the facts of a design from its rows and its orthonormal basis."""
    every = [str(c) for c in rows.exog.columns]
    names = tuple(every[i] for i in basis.columns)
    position = {int(column): j for j, column in enumerate(basis.columns)}
    if rows.design_info is not None:
        slices = rows.design_info.term_name_slices
        terms = {
            name: [position[i] for i in range(every_[0], every_[1]) if i in position]
            for name, every_ in ((n, (s.start, s.stop)) for n, s in slices.items())
        }
    else:
        terms = {name: [j] for j, name in enumerate(names)}
    has_constant, constant = find_constant(rows.exog.to_numpy(), basis)
    return Design(
        names=names,
        aliased=tuple(every[i] for i in basis.aliased),
        columns=basis.columns,
        condition=basis.condition,
        has_constant=has_constant,
        constant=constant,
        grouping=rows.grouping,
        n_given=rows.n_given,
        dropped=rows.dropped,
        terms=terms,
        formula=rows.formula,
        design_info=rows.design_info,
        codings={} if rows.design_info is None else term_codings(rows.design_info),
        combinations=_combinations(rows.exog.to_numpy(), basis),
    )


def term_codings(design_info: Any) -> dict[str, Coding]:
    """Return how each term of a patsy design is coded."""
    codings = {}
    for name, term in zip(design_info.term_names, design_info.terms, strict=True):
        if len(term.factors) != 1:
            codings[name] = Coding("interaction" if term.factors else "numeric")
            continue
        factor = term.factors[0]
        info = design_info.factor_infos[factor]
        if info.type != "categorical":
            codings[name] = Coding("numeric")
            continue
        levels = tuple(info.categories)
        coding = design_info.term_codings[term][0].contrast_matrices.get(factor)
        matrix = np.eye(len(levels)) if coding is None else np.asarray(coding.matrix, float)
        where = design_info.term_slices[term]
        codings[name] = Coding("categorical", levels, matrix, np.arange(where.start, where.stop))
    return codings


def _combinations(exog: np.ndarray, basis: Basis) -> np.ndarray | None:
    """Return the aliased columns as combinations of the kept ones (p, aliased)."""
    if not basis.aliased.size:
        return None
    kept = exog[:, basis.columns]
    scale = np.abs(kept).max(axis=0)
    solution = np.linalg.lstsq(kept / scale, exog[:, basis.aliased], rcond=None)[0]
    return np.asarray(solution / scale[:, None])


def find_constant(exog: np.ndarray, basis: Basis) -> tuple[bool, int | None]:
    """Return whether a combination of the kept columns is constant, and which column is, if one is.

    statsmodels decomposes all rows once more to find this out; here it costs two looks at them.
    """
    for j, column in enumerate(basis.columns):
        if exog[0, column] != 0 and (exog[:, column] == exog[0, column]).all():
            return True, j
    # 1 in every row is in the span iff the projection of 1 on it has the length of 1.
    kept = exog[:, basis.columns]
    if not kept.shape[1]:
        return False, None
    scale = np.abs(kept).max(axis=0)
    coefficients = np.linalg.lstsq(
        (kept / scale).T @ (kept / scale), (kept / scale).sum(axis=0), rcond=None
    )[0]
    return bool(np.abs(kept / scale @ coefficients - 1).max() < 1e-8), None
