"""Numbers that a plan is asked for: each is what it should be, or one line says what would be."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

from ragstats.exceptions import nearest


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
        raise TypeError(f"{argument}={value!r}: give a number")
    if not math.isfinite(float(value)):
        raise ValueError(f"{argument}={float(value)!r}: give a finite number")
    return float(value)


def positive(argument: str, value: Any) -> float:
    """Return a number above 0, or raise as :func:`number` does."""
    if number(argument, value) <= 0:
        raise ValueError(f"{argument}={value!r}: give a number above 0")
    return float(value)


def nonnegative(argument: str, value: Any) -> float:
    """Return a number of at least 0, or raise as :func:`number` does."""
    if number(argument, value) < 0:
        raise ValueError(f"{argument}={value!r}: give a number of at least 0")
    return float(value)


def fraction(argument: str, value: Any) -> float:
    """Return a number strictly between 0 and 1, or raise as :func:`number` does."""
    if not 0 < number(argument, value) < 1:
        raise ValueError(f"{argument}={value!r}: give a number between 0 and 1")
    return float(value)


def whole(argument: str, value: Any, *, least: int = 1) -> int:
    """Return a whole number of at least `least`, or raise as :func:`number` does."""
    if number(argument, value) != math.floor(value) or value < least:
        raise ValueError(f"{argument}={value!r}: give a whole number of at least {least}")
    return int(value)


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
