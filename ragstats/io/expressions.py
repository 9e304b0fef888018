"""Python expressions of a formula → narwhals expressions that any engine can compute.

``np.log(x)``, ``I(a * b)``, ``x ** 2`` and the like. What is not in the tables below is not guessed
at: ``translate`` returns None, and patsy evaluates the formula on batches of rows instead.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from patsy import builtins as patsy_builtins

NUMBER, BOOLEAN, TEXT = "number", "boolean", "text"
#: exp of more than this is infinite in double precision.
LARGEST_EXPONENT = float(np.log(np.finfo(float).max))
#: Whole powers are products.
LARGEST_POWER = 6


@dataclass(frozen=True)
class Translated:
    """An expression over columns.

    Attributes
    ----------
    value : narwhals.Expr
        Numbers are float64; missing where the function is undefined or infinite.
    kind : {"number", "boolean", "text"}
    columns : frozenset of str
        What it reads.
    undefined, infinite : tuple of narwhals.Expr
        Where NumPy would give NaN, or an infinity, of numbers that are there.
    """

    value: Any
    kind: str
    columns: frozenset[str]
    undefined: tuple[Any, ...] = ()
    infinite: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Scope:
    """What the names of a formula mean: the columns first, then the caller's names."""

    schema: Mapping[str, Any]
    names: Mapping[str, Any] = field(default_factory=dict)

    def lookup(self, name: str) -> Any:
        """Return what a name that is not a column stands for."""
        try:
            return self.names[name]
        except KeyError:
            return getattr(patsy_builtins, name, getattr(builtins, name, None))


class _Unknown(Exception):
    """The expression has a part that no table knows."""


def translate(code: str, scope: Scope) -> Translated | None:
    """Return the expression of a factor of a formula, or None when only patsy can evaluate it."""
    try:
        translated = _visit(ast.parse(code, mode="eval").body, scope)
    except (_Unknown, SyntaxError):
        return None
    return translated if isinstance(translated, Translated) else None


def column(name: str, dtype: Any) -> Translated:
    """Return a column, with its kind by its dtype."""
    value = nw.col(name)
    if isinstance(dtype, nw.Boolean):
        return Translated(value, BOOLEAN, frozenset({name}))
    if dtype.is_numeric():
        return Translated(value.cast(nw.Float64), NUMBER, frozenset({name}))
    if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)):
        return Translated(value.cast(nw.String), TEXT, frozenset({name}))
    raise _Unknown


def missing(name: str, dtype: Any) -> Any:
    """Return whether a column is missing: null, or NaN."""
    null = nw.col(name).is_null()
    return null | nw.col(name).is_nan() if dtype.is_float() else null


def _visit(node: ast.expr, scope: Scope) -> Any:
    """Return a Translated, a number, or a Python object that a name stands for."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)):
        return node.value
    if isinstance(node, ast.Name):
        if node.id in scope.schema:
            return column(node.id, scope.schema[node.id])
        return _constant(scope.lookup(node.id))
    if isinstance(node, ast.Attribute):
        return _constant(getattr(_visit(node.value, scope), node.attr, None))
    if isinstance(node, ast.UnaryOp):
        return _unary(node, scope)
    if isinstance(node, ast.BinOp):
        return _binary(type(node.op), _visit(node.left, scope), _visit(node.right, scope))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        operands = _visit(node.left, scope), _visit(node.comparators[0], scope)
        return _compare(type(node.ops[0]), *operands)
    if isinstance(node, ast.Call) and not node.keywords:
        return _call(node, scope)
    raise _Unknown


def _constant(value: Any) -> Any:
    if value is None or isinstance(value, Translated):
        raise _Unknown
    return float(value) if isinstance(value, np.number) else value


def _call(node: ast.Call, scope: Scope) -> Any:
    function = _visit(node.func, scope)
    arguments = [_visit(argument, scope) for argument in node.args]
    if len(arguments) != 1:
        raise _Unknown
    (argument,) = arguments
    if function is patsy_builtins.I:
        return argument
    if function is patsy_builtins.Q and isinstance(argument, str) and argument in scope.schema:
        return column(argument, scope.schema[argument])
    try:
        known = FUNCTIONS.get(function)
    except TypeError:
        known = None
    if known is None or not isinstance(argument, Translated):
        raise _Unknown
    return known(_number(argument))


def _number(operand: Any) -> Translated:
    """Take an operand as numbers; booleans are 0 and 1."""
    if not isinstance(operand, Translated) or operand.kind == TEXT:
        raise _Unknown
    if operand.kind == BOOLEAN:
        return _from(operand, operand.value.cast(nw.Float64))
    return operand


def _from(
    source: Translated, value: Any, *, undefined: Any = None, infinite: Any = None
) -> Translated:
    return Translated(
        value,
        NUMBER,
        source.columns,
        source.undefined if undefined is None else (*source.undefined, undefined),
        source.infinite if infinite is None else (*source.infinite, infinite),
    )


def _joined(left: Translated, right: Translated, value: Any, kind: str = NUMBER) -> Translated:
    return Translated(
        value,
        kind,
        left.columns | right.columns,
        left.undefined + right.undefined,
        left.infinite + right.infinite,
    )


def _log(x: Translated) -> Translated:
    return _from(
        x, nw.when(x.value > 0).then(x.value).log(), undefined=x.value < 0, infinite=x.value == 0
    )


def _log_of_base(base: float) -> Callable[[Translated], Translated]:
    def function(x: Translated) -> Translated:
        natural = _log(x)
        return Translated(
            natural.value / log(base), NUMBER, x.columns, natural.undefined, natural.infinite
        )

    return function


def _log1p(x: Translated) -> Translated:
    """Return log(1 + x) with all its digits for small x (Kahan's quotient)."""
    inside = nw.when(x.value > -1).then(x.value)
    rounded = inside + 1.0
    quotient = inside * rounded.log() / nw.when(rounded != 1.0).then(rounded - 1.0).otherwise(1.0)
    value = nw.when(rounded != 1.0).then(quotient).otherwise(inside)
    return _from(x, value, undefined=x.value < -1, infinite=x.value == -1)


def _sqrt(x: Translated) -> Translated:
    return _from(x, nw.when(x.value >= 0).then(x.value).sqrt(), undefined=x.value < 0)


def _exp(x: Translated) -> Translated:
    low_enough = x.value <= LARGEST_EXPONENT
    return _from(x, nw.when(low_enough).then(x.value).exp(), infinite=x.value > LARGEST_EXPONENT)


#: The functions that every engine computes, by what the name in the formula stands for.
FUNCTIONS: dict[Any, Callable[[Translated], Translated]] = {
    np.log: _log,
    np.log2: _log_of_base(2),
    np.log10: _log_of_base(10),
    np.log1p: _log1p,
    np.sqrt: _sqrt,
    np.exp: _exp,
    np.square: lambda x: _from(x, x.value * x.value),
    np.absolute: lambda x: _from(x, x.value.abs()),
    abs: lambda x: _from(x, x.value.abs()),
}

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def _unary(node: ast.UnaryOp, scope: Scope) -> Any:
    operand = _visit(node.operand, scope)
    if isinstance(node.op, ast.USub):
        if _is_number(operand):
            return -operand
        negated = _number(operand)
        return _from(negated, -negated.value)
    if isinstance(node.op, ast.UAdd):
        return operand if _is_number(operand) else _number(operand)
    raise _Unknown


def _is_number(operand: Any) -> bool:
    return isinstance(operand, (int, float)) and not isinstance(operand, bool)


def _binary(op: type[ast.operator], left: Any, right: Any) -> Any:
    if op is ast.Div:
        return _divide(left, right)
    if op is ast.Pow:
        return _power(left, right)
    if op not in _ARITHMETIC:
        raise _Unknown
    apply = _ARITHMETIC[op]
    if _is_number(left) and _is_number(right):
        return apply(left, right)
    if _is_number(left):
        right = _number(right)
        return _from(right, apply(float(left), right.value))
    if _is_number(right):
        left = _number(left)
        return _from(left, apply(left.value, float(right)))
    if BOOLEAN == getattr(left, "kind", None) == getattr(right, "kind", None):
        raise _Unknown  # NumPy's sum of two booleans is a boolean
    left, right = _number(left), _number(right)
    return _joined(left, right, apply(left.value, right.value))


def _divide(left: Any, right: Any) -> Any:
    if _is_number(right):
        if right == 0:
            raise _Unknown
        if _is_number(left):
            return left / right
        left = _number(left)
        return _from(left, left.value / float(right))
    below = _number(right)
    zero = below.value == 0
    divisor = nw.when(below.value != 0).then(below.value)
    if _is_number(left):
        flag = {"undefined" if left == 0 else "infinite": zero}
        return _from(below, float(left) / divisor, **flag)
    above = _number(left)
    both = _joined(above, below, above.value / divisor)
    return _from(
        both,
        both.value,
        undefined=zero & (above.value == 0),
        infinite=zero & (above.value != 0),
    )


def _power(left: Any, right: Any) -> Any:
    if _is_number(left) and _is_number(right):
        return left**right
    if not (isinstance(right, int) and 1 <= right <= LARGEST_POWER):
        raise _Unknown
    base = _number(left)
    value = base.value
    for _ in range(right - 1):
        value = value * base.value
    return _from(base, value)


def _compare(op: type[ast.cmpop], left: Any, right: Any) -> Translated:
    if op not in _COMPARISONS or not isinstance(left, Translated):
        raise _Unknown
    if left.kind == TEXT:
        if isinstance(right, str) and op in (ast.Eq, ast.NotEq):
            return Translated(_COMPARISONS[op](left.value, right), BOOLEAN, left.columns)
        raise _Unknown
    left = _number(left)
    if _is_number(right):
        compared = _COMPARISONS[op](left.value, float(right))
        return Translated(compared, BOOLEAN, left.columns, left.undefined, left.infinite)
    right = _number(right)
    return _joined(left, right, _COMPARISONS[op](left.value, right.value), BOOLEAN)


def multiplied(factors: list[Translated]) -> Translated:
    """Return the product of numeric expressions."""
    result = factors[0]
    for factor in factors[1:]:
        result = _joined(result, factor, result.value * factor.value)
    return result
