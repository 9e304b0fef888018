"""Arguments, checked: each is what it should be, or one line says what would be right."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sized
from numbers import Real
from typing import Any

from ragstats.exceptions import nearest, shown, unknown_option


def number(argument: str, value: Any) -> float:
    """Return a finite number as a float.

    Raises
    ------
    TypeError
        If it is not a number.
    ValueError
        If it is not finite.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{argument}={shown(value)}: give a number")
    if not math.isfinite(float(value)):
        raise ValueError(f"{argument}={float(value)}: give a finite number")
    return float(value)


def positive(argument: str, value: Any) -> float:
    """Return a number above 0, or raise as :func:`number` does."""
    if number(argument, value) <= 0:
        raise ValueError(f"{argument}={shown(value)}: give a number above 0")
    return float(value)


def nonnegative(argument: str, value: Any) -> float:
    """Return a number of at least 0, or raise as :func:`number` does."""
    if number(argument, value) < 0:
        raise ValueError(f"{argument}={shown(value)}: give a number of at least 0")
    return float(value)


def fraction(argument: str, value: Any) -> float:
    """Return a number strictly between 0 and 1, or raise as :func:`number` does."""
    if not 0 < number(argument, value) < 1:
        raise ValueError(f"{argument}={shown(value)}: give a number between 0 and 1")
    return float(value)


def whole(argument: str, value: Any, *, least: int = 1) -> int:
    """Return a whole number of at least `least`, or raise as :func:`number` does."""
    number(argument, value)
    if not whole_at_least(value, least):
        raise ValueError(f"{argument}={shown(value)}: give a whole number of at least {least}")
    return int(value)


def whole_at_least(value: Any, least: int) -> bool:
    """Whether a value is a whole number of at least `least` (2.0 is one, True is not)."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return math.isfinite(value) and value == math.floor(value) and bool(value >= least)  # type: ignore[operator]


def flag(argument: str, value: Any) -> bool:
    """Return True or False, or raise for anything else."""
    if value is True or value is False or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise TypeError(f"{argument}={shown(value)}: give True or False")


def one_of(argument: str, value: Any, table: Iterable[str]) -> str:
    """Return a name of a table, or raise the error that lists the names."""
    if not isinstance(value, str) or value not in table:
        raise unknown_option(argument, value, table)
    return value


def names(argument: str, value: Any, what: str = "names") -> list[str]:
    """Return a list of names, each once.

    Raises
    ------
    TypeError
        If it is no list of strings; one string is none.
    ValueError
        If it is empty, or one is there twice.
    """
    flat = isinstance(value, Iterable) and getattr(value, "ndim", 1) == 1
    if isinstance(value, (str, bytes, Mapping)) or not flat:
        raise TypeError(f"{argument}={shown(value)}: give a list of {what}")
    listed = list(value)
    wrong = [name for name in listed if not isinstance(name, str)]
    if wrong:
        raise TypeError(f"{argument} holds {shown(wrong[0])}: give a list of {what}")
    if not listed:
        raise ValueError(f"{argument}={shown(value)} is empty: give a list of {what}")
    twice = [name for i, name in enumerate(listed) if name in listed[:i]]
    if twice:
        raise ValueError(f"{argument} names {twice[0]!r} twice; once is right")
    return listed


def as_list(argument: str, value: Any, what: str = "names") -> list[str]:
    """Return one name, or several, or none, as a list; raises as :func:`names`."""
    if isinstance(value, str):
        return [value]
    empty = isinstance(value, Sized) and not len(value)
    return [] if empty else names(argument, value, what)


def options_of(function: Callable[..., Any], given: Iterable[str], *, of: str) -> None:
    """Raise for an option that a function does not have.

    Parameters
    ----------
    function : callable
        Its options are its keyword-only arguments.
    given : iterable of str
        Names of the options that came.
    of : str
        What the message calls the function.
    """
    parameters = inspect.signature(function).parameters.values()
    known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    for name in given:
        if name not in known:
            near = nearest(name, known)
            raise TypeError(f"{name}= is not an option of {of}{near}; it has {', '.join(known)}")


def named(argument: str, key: object, known: Iterable[object]) -> None:
    """Raise unless a key is one of those known.

    Raises
    ------
    ValueError
        That lists the known ones.
    """
    names = list(known)
    if key not in names:
        listed = ", ".join(repr(name) for name in names[:12]) + (", …" if len(names) > 12 else "")
        close = nearest(key, map(str, names))
        raise ValueError(f"{argument} names {key!r}, which is not there{close}; known: {listed}")
