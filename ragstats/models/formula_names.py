"""Which columns a formula names, and what it does with them."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable
from typing import Any

import patsy


def named_in_formula(formula: str, columns: Iterable[Any]) -> list[Any]:
    """Return the columns whose names occur in a formula, as variables or inside ``Q("…")``.

    Functions, their modules' members and arguments, and text are no variables.
    """
    quoted = set()
    for literal in re.findall(r"Q\(\s*('[^']*'|\"[^\"]*\")\s*\)", formula):
        quoted.add(ast.literal_eval(literal))
    named = _variables(formula) | quoted
    return [c for c in columns if c in named]


def _variables(formula: str) -> set[str]:
    """Return the names of a formula that stand for values."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(formula.strip()).readline))
    except (tokenize.TokenError, SyntaxError):  # patsy will say what is wrong with it
        return set(re.findall(r"[^\W\d]\w*", formula))
    words = [("", ""), *((tokenize.tok_name[t.type], t.string) for t in tokens), ("", "")]
    return {
        word
        for (_, before), (kind, word), (_, after) in zip(words, words[1:], words[2:], strict=False)
        if kind == "NAME" and before != "." and after not in ("(", "=")
    }


def compared_in_formula(formula: str, columns: Iterable[Any]) -> list[Any]:
    """Return the columns that are compared, where a missing value would count as False."""
    try:
        description = patsy.ModelDesc.from_formula(formula)
    except patsy.PatsyError:  # patsy will say so again where the formula is used
        return []
    terms = [*description.lhs_termlist, *description.rhs_termlist]
    compared = [
        ast.unparse(node)
        for code in {factor.code for term in terms for factor in term.factors}
        for node in ast.walk(ast.parse(code, mode="eval"))
        if isinstance(node, ast.Compare)
    ]
    return [c for c in columns if any(named_in_formula(code, [c]) for code in compared)]


def name_forms(name: str) -> tuple[str, ...]:
    """Return how a formula can name a column: bare, or quoted."""
    return name, f"Q('{name}')", f'Q("{name}")'
