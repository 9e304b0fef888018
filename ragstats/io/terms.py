"""A formula as sums that an engine can compute: keys, numeric columns, and how they make terms.

Coding is patsy's own: the categorical factors are evaluated on a small frame that holds their
levels, so that names, order and numbers are those of a fit in memory.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import patsy

from ragstats.core.streaming_sums import CellDesign
from ragstats.exceptions import nearest
from ragstats.io.engines import SumsPlan
from ragstats.io.expressions import Scope, translate
from ragstats.io.key_types import is_nested
from ragstats.io.translated import BOOLEAN, NUMBER, TEXT, Translated, as_number, multiplied


@dataclass(frozen=True)
class Terms:
    """The terms of a formula, ready for an engine.

    Attributes
    ----------
    formula : str
    description : patsy.ModelDesc
    categorical : dict of patsy factor to (str, Translated)
        Its argument's code and expression; the factor's key comes from it.
    numeric : dict of patsy factor to Translated
    products : tuple of frozenset of patsy factors
        The distinct products of numeric factors, in the order of the terms.
    outcome : Translated
    outcome_name : str
    """

    formula: str
    description: Any
    categorical: dict[Any, tuple[str, Translated]]
    numeric: dict[Any, Translated]
    products: tuple[frozenset[Any], ...]
    outcome: Translated
    outcome_name: str

    @property
    def keys(self) -> dict[str, Translated]:
        """The distinct arguments of categorical factors."""
        return dict(self.categorical.values())

    def plan(self, first: Sequence[Translated], schema: Mapping[str, Any]) -> SumsPlan:
        """Return what to sum, by documents (and more, in ``first``) and the factors' levels."""
        values = [multiplied([self.numeric[f] for f in factors]) for factors in self.products]
        keys = (*first, *self.keys.values())
        used = set(self.outcome.columns)
        for translated in (*self.numeric.values(), *self.keys.values()):
            used |= translated.columns
        needed = tuple(name for name in schema if name in used)
        return SumsPlan(keys, (*values, self.outcome), needed)

    def labels(self) -> tuple[str, ...]:
        """Return the names of the values of the plan."""
        names = [":".join(sorted(f.name() for f in factors)) for factors in self.products]
        return (*names, self.outcome_name)


def read_terms(
    formula: str, scope: Scope, with_text: Callable[[str], str | None] = lambda column: None
) -> Terms | str:
    """Return the terms of a formula, or the factor that only patsy can evaluate.

    Parameters
    ----------
    formula : str
    scope : Scope
        The columns and the caller's names.
    with_text : callable
        Returns the file in which a column holds text, where there are files.

    Raises
    ------
    ValueError
        If the formula has no outcome, or one of text, or cannot be read.
    """
    description = describe(formula)
    if len(description.lhs_termlist) != 1 or len(description.lhs_termlist[0].factors) != 1:
        raise ValueError(
            f"formula={formula!r}: the left side must be one column of numbers"
            if description.lhs_termlist
            else f"formula={formula!r}: the left side, the outcome, is missing"
        )
    outcome_factor = description.lhs_termlist[0].factors[0]
    outcome = translate(outcome_factor.code, scope)
    if outcome is not None and outcome.kind == TEXT:
        where = next(filter(None, map(with_text, outcome.columns)), None)
        place = f" in {where}" if where else ""
        raise ValueError(
            f"formula: the outcome {outcome_factor.name()!r} holds text{place}; it must be one"
            " column of numbers (a text column has no mean)"
        )
    _refuse_nested(outcome_factor.code, scope)
    if outcome is None or outcome.kind not in (NUMBER, BOOLEAN):
        return str(outcome_factor.code)
    categorical: dict[Any, tuple[str, Translated]] = {}
    numeric: dict[Any, Translated] = {}
    for factor in (f for term in description.rhs_termlist for f in term.factors):
        argument = _coded(factor.code, scope)
        code = factor.code if argument is None else argument
        translated = translate(code, scope)
        _refuse_nested(code, scope)
        if translated is None or (argument is not None and not _plain_coding(factor.code, scope)):
            return str(factor.code)
        if argument is not None or translated.kind != NUMBER:
            categorical[factor] = (code, _as_key(code, translated, scope))
        else:
            numeric[factor] = translated
    products = [frozenset(f for f in t.factors if f in numeric) for t in description.rhs_termlist]
    distinct = tuple(dict.fromkeys(p for p in products if p))
    return Terms(
        formula,
        description,
        categorical,
        numeric,
        distinct,
        as_number(outcome),
        outcome_factor.name(),
    )


def _refuse_nested(code: str, scope: Scope) -> None:
    """Raise for a column of lists or records that stands in the formula as it is."""
    if code in scope.schema and is_nested(scope.schema[code]):
        raise TypeError(
            f"formula: column {code!r} holds lists or records ({scope.schema[code]}); make a column"
            " of one number or one text in each row first"
        )


def describe(formula: str) -> Any:
    """Return patsy's reading of a formula.

    Raises
    ------
    ValueError
        In one line, if it cannot be read.
    """
    try:
        return patsy.ModelDesc.from_formula(formula)
    except patsy.PatsyError as error:
        raise ValueError(f"formula={formula!r}: {str(error).splitlines()[0]}") from None


def _coded(code: str, scope: Scope) -> str | None:
    """Return the argument of ``C(…)`` as code; None for other factors."""
    call = ast.parse(code, mode="eval").body
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.args):
        return None
    if call.func.id != "C" or "C" in scope.schema:
        return None
    return ast.unparse(call.args[0])


def _plain_coding(code: str, scope: Scope) -> bool:
    """Whether the other arguments of ``C(…)`` do without the data."""
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    others = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    names = {n.id for o in others for n in ast.walk(o) if isinstance(n, ast.Name)}
    return not names & set(scope.schema)


def _as_key(code: str, translated: Translated, scope: Scope) -> Translated:
    """Keep the type of a column of whole numbers: patsy names its levels 1, not 1.0."""
    if translated.kind == NUMBER and code in (*translated.columns, *_quoted(translated)):
        (name,) = translated.columns
        if scope.schema[name].is_integer():
            return replace(translated, value=nw.col(name))
    return translated


def design_info(
    terms: Terms, levels: Mapping[str, Sequence[Any]], ordered: Mapping[str, bool], env: Any
) -> Any:
    """Return patsy's design of the right side, whose factors have these levels.

    Parameters
    ----------
    terms : Terms
    levels : dict of str to sequence
        Of each key, by its code.
    ordered : dict of str to bool
        Whether the order of the levels is given, or patsy's to choose (sorted).
    env : patsy.EvalEnvironment
        The caller's names.

    Raises
    ------
    ValueError
        If patsy cannot build it.
    """
    size = max([len(values) for values in levels.values()], default=1)
    frame: dict[str, Any] = {}
    translated = [*terms.numeric.values(), *(t for _, t in terms.categorical.values())]
    for name in {c for t in translated for c in t.columns}:
        frame[name] = np.ones(size)
    for code, expression in terms.keys.items():
        if len(expression.columns) != 1 or code not in (*expression.columns, *_quoted(expression)):
            continue  # a comparison: patsy knows its two levels
        (name,) = expression.columns
        values = [levels[code][i % len(levels[code])] for i in range(size)]
        if ordered.get(code):
            frame[name] = pd.Categorical(values, categories=list(levels[code]))
        else:
            is_text = isinstance(values[0], str)
            frame[name] = pd.Series(values, dtype=object if is_text else None)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            (info,) = patsy.design_matrix_builders(
                [terms.description.rhs_termlist], lambda: iter([frame]), env, NA_action="drop"
            )
    except patsy.PatsyError as error:
        text = str(error).splitlines()[0]
        raise ValueError(f"formula={terms.formula!r}: {text}") from None
    return info


def _quoted(expression: Translated) -> tuple[str, ...]:
    return tuple(f"Q({name!r})" for name in expression.columns)


def cell_design(terms: Terms, info: Any, cells: Mapping[str, np.ndarray]) -> CellDesign:
    """Return the codes of the cells in each column of the design.

    Parameters
    ----------
    terms : Terms
    info : patsy.DesignInfo
    cells : dict of str to ndarray of int (cells,)
        The level of each key in each cell, an index into the factor's categories.
    """
    n_cells = len(next(iter(cells.values()))) if cells else 1
    columns, numeric = [], []
    place = {factors: i + 1 for i, factors in enumerate(terms.products)}
    for term in info.terms:
        of_numbers = frozenset(f for f in term.factors if f in terms.numeric)
        for subterm in info.term_codings[term]:
            coded = [f for f in subterm.factors if f in terms.categorical]
            matrices = [np.asarray(subterm.contrast_matrices[f].matrix, float) for f in coded]
            levels = [cells[terms.categorical[f][0]] for f in coded]
            # The left-most factor goes through its columns fastest.
            for reversed_choice in product(*(range(m.shape[1]) for m in matrices[::-1])):
                column = np.ones(n_cells)
                for matrix, level, j in zip(matrices, levels, reversed_choice[::-1], strict=True):
                    column = column * matrix[level, j]
                columns.append(column)
                numeric.append(place.get(of_numbers, 0))
    names = tuple(str(name) for name in info.column_names)
    codes = np.column_stack(columns) if columns else np.empty((n_cells, 0))
    return CellDesign(names, codes, np.array(numeric, np.intp))


def unknown_name(formula: str, error: Exception, columns: Sequence[str]) -> ValueError:
    """Return the one-line error about a formula that patsy could not evaluate."""
    text = str(error).splitlines()[0]
    hint = ""
    if "is not defined" in text and "'" in text:
        hint = nearest(text.split("'")[1], columns)
        hint += f"; columns: {', '.join(columns[:12])}"
    return ValueError(f"formula={formula!r}: {text}{hint}")
