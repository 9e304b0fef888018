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
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from patsy import builtins as patsy_builtins

from ragstats.io.functions import FUNCTIONS
from ragstats.io.translated import (
    BOOLEAN,
    NUMBER,
    TEXT,
    Translated,
    Unknown,
    as_number,
    derived,
    joined,
)

#: Whole powers up to this are products.
LARGEST_POWER = 6


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


def translate(code: str, scope: Scope) -> Translated | None:
    """Return the expression of a factor of a formula, or None when only patsy can evaluate it."""
    try:
        translated = _visit(ast.parse(code, mode="eval").body, scope)
    except (Unknown, SyntaxError):
        return None
    return translated if isinstance(translated, Translated) else None


def typed_column(name: str, dtype: Any) -> Translated:
    """Return a column, with its kind by its dtype."""
    value = nw.col(name)
    if isinstance(dtype, nw.Boolean):
        return Translated(value, BOOLEAN, frozenset({name}))
    if dtype.is_numeric():
        return Translated(value.cast(nw.Float64), NUMBER, frozenset({name}))
    if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)):
        return Translated(value.cast(nw.String), TEXT, frozenset({name}))
    raise Unknown


def _visit(node: ast.expr, scope: Scope) -> Any:
    """Return a Translated, a number, or a Python object that a name stands for."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)):
        return node.value
    if isinstance(node, ast.Name):
        if node.id in scope.schema:
            return typed_column(node.id, scope.schema[node.id])
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
    raise Unknown


def _constant(value: Any) -> Any:
    if value is None or isinstance(value, Translated):
        raise Unknown
    return float(value) if isinstance(value, np.number) else value


def _call(node: ast.Call, scope: Scope) -> Any:
    function = _visit(node.func, scope)
    arguments = [_visit(argument, scope) for argument in node.args]
    if len(arguments) != 1:
        raise Unknown
    (argument,) = arguments
    if function is patsy_builtins.I:
        return argument
    if function is patsy_builtins.Q and isinstance(argument, str) and argument in scope.schema:
        return typed_column(argument, scope.schema[argument])
    try:
        known = FUNCTIONS.get(function)
    except TypeError:
        known = None
    if known is None or not isinstance(argument, Translated):
        raise Unknown
    return known(as_number(argument))


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
        if _isas_number(operand):
            return -operand
        negated = as_number(operand)
        return derived(negated, negated.value * -1.0)
    if isinstance(node.op, ast.UAdd):
        return operand if _isas_number(operand) else as_number(operand)
    raise Unknown


def _isas_number(operand: Any) -> bool:
    return isinstance(operand, (int, float)) and not isinstance(operand, bool)


def _binary(op: type[ast.operator], left: Any, right: Any) -> Any:
    if op is ast.Div:
        return _divide(left, right)
    if op is ast.Pow:
        return _power(left, right)
    if op not in _ARITHMETIC:
        raise Unknown
    apply = _ARITHMETIC[op]
    if _isas_number(left) and _isas_number(right):
        return apply(left, right)
    if _isas_number(left):
        right = as_number(right)
        return derived(right, apply(float(left), right.value))
    if _isas_number(right):
        left = as_number(left)
        return derived(left, apply(left.value, float(right)))
    if BOOLEAN == getattr(left, "kind", None) == getattr(right, "kind", None):
        raise Unknown  # NumPy's sum of two booleans is a boolean
    left, right = as_number(left), as_number(right)
    return joined(left, right, apply(left.value, right.value))


def _divide(left: Any, right: Any) -> Any:
    if _isas_number(right):
        if right == 0:
            raise Unknown
        if _isas_number(left):
            return left / right
        left = as_number(left)
        return derived(left, left.value / float(right))
    below = as_number(right)
    zero = below.value == 0
    divisor = nw.when(below.value != 0).then(below.value)
    if _isas_number(left):
        flag = {"undefined" if left == 0 else "infinite": zero}
        return derived(below, float(left) / divisor, **flag)
    above = as_number(left)
    both = joined(above, below, above.value / divisor)
    return derived(
        both,
        both.value,
        undefined=zero & (above.value == 0),
        infinite=zero & (above.value != 0),
    )


def _power(left: Any, right: Any) -> Any:
    if _isas_number(left) and _isas_number(right):
        return left**right
    if not (isinstance(right, int) and 1 <= right <= LARGEST_POWER):
        raise Unknown
    base = as_number(left)
    value = base.value
    for _ in range(right - 1):
        value = value * base.value
    return derived(base, value)


def _compare(op: type[ast.cmpop], left: Any, right: Any) -> Translated:
    if op not in _COMPARISONS or not isinstance(left, Translated):
        raise Unknown
    if left.kind == TEXT:
        if isinstance(right, str) and op in (ast.Eq, ast.NotEq):
            return Translated(_COMPARISONS[op](left.value, right), BOOLEAN, left.columns)
        raise Unknown
    left = as_number(left)
    if _isas_number(right):
        compared = _COMPARISONS[op](left.value, float(right))
        return Translated(compared, BOOLEAN, left.columns, left.undefined, left.infinite)
    right = as_number(right)
    return joined(left, right, _COMPARISONS[op](left.value, right.value), BOOLEAN)
