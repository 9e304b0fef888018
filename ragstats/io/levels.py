"""The levels of categorical columns, as somebody declares them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ragstats.exceptions import shown


def declared_levels(levels: Any) -> dict[str, list[Any]]:
    """Return the levels of each column that has them declared, in their order.

    Raises
    ------
    TypeError
        If there is no list of levels by column; a text is no list of its letters.
    ValueError
        If a level is there twice.
    """
    if levels is None:
        return {}
    if not isinstance(levels, Mapping):
        raise TypeError(
            f"levels={shown(levels)}: give the levels by column, as in"
            " levels={'system': ['a', 'b']}"
        )
    declared = {}
    for column, given in levels.items():
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
            raise TypeError(f"levels[{column!r}]={shown(given)}: give a list of levels")
        listed = list(given)
        twice = next((level for i, level in enumerate(listed) if level in listed[:i]), None)
        if twice is not None:
            raise ValueError(f"levels[{column!r}] names {twice!r} twice; once is right")
        declared[column] = listed
    return declared
