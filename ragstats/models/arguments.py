"""Calls that leave out the documents, or put an argument where it does not belong."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from ragstats.exceptions import nearest

P = ParamSpec("P")
R = TypeVar("R")

#: What other programs call the argument that is ``groups`` here.
_GROUPS = ("cluster", "clusters", "cluster_id", "cluster_ids", "group", "cov_kwds", "doc", "docs",
           "vcov", "clustervar")  # fmt: skip
_OF_FIT = ("cov_type", "df", "rho_floor", "start_params")


def needs_groups(example: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that answers a call without groups, or with unknown names, in one line.

    Parameters
    ----------
    example : str
        A right call, for the message.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters.values()
        names = [p.name for p in parameters if p.name != "self"]
        first = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]

        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs:
                if name not in names:
                    raise TypeError(_misplaced(name, names, example))
            if len(args) > len(first):
                raise TypeError(f"only {_and(first)} are given by position; write {example}")
            if kwargs.get("groups") is None:
                raise TypeError(
                    f"groups is missing: the document of each row, as in {example}"
                    " (a column's name, a Series or one value per row)"
                )
            return function(*args, **kwargs)

        return checked

    return decorate


def _misplaced(name: str, names: list[str], example: str) -> str:
    """Return the message about an argument that the call does not have."""
    if name in _GROUPS:
        return f"{name}= is not an argument; the documents are given as groups=, as in {example}"
    if name in _OF_FIT and name not in names:
        return f"{name}= belongs to fit, as in {example}.fit({name}=…)"
    return f"{name}= is not an argument{nearest(name, names)}; there are {', '.join(names)}"


def _and(names: Iterable[str]) -> str:
    return " and ".join(n for n in names if n != "self")


def refuse_unknown_fit_options(unknown: dict[str, object], known: Iterable[str]) -> None:
    """Raise for keywords that ``fit`` does not have, with the place where they belong."""
    if not unknown:
        return
    name = next(iter(unknown))
    if name in (*_GROUPS, "groups"):
        raise TypeError(
            f"fit() got {name}=: the documents belong to the model, as in"
            " rs.ols(formula, data, groups='doc_id').fit()"
        )
    names = list(known)
    listed = ", ".join(names)
    raise TypeError(f"fit() has no argument {name}={nearest(name, names)}; it takes {listed}")
