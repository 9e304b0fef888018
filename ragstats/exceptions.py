"""What ragstats says when an argument is wrong or a number cannot be had.

Every message is one line: the argument, what came, what would be right.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RagstatsWarning(UserWarning):
    """A result was computed, and there is something to know about it."""


class DataError(ValueError):
    """The data cannot support the analysis that was asked for."""


#: A value longer than this is named by its type in a message.
LONGEST = 120


def shown(value: object) -> str:
    """Return a value for a message: as it is written where that is one short line."""
    text = repr(value)
    return text if len(text) <= LONGEST and "\n" not in text else f"<{type(value).__name__}>"


def noun(number: float, one: str, many: str = "") -> str:
    """Return a noun in the form of a number: ``query`` of 1, ``queries`` of any other.

    Parameters
    ----------
    number : float
        How many.
    one : str
        The form of 1; a verb may come with it, as in "row repeats".
    many : str, optional
        The form of the others, where it is not made by an s or ies.
    """
    if number == 1:
        return one
    return many or (f"{one[:-1]}ies" if one.endswith("ry") else f"{one}s")


def plural(number: float, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 query``, ``2,000 queries``; see :func:`noun`."""
    return f"{number:,} {noun(number, one, many)}"


def nearest(name: object, allowed: Iterable[str]) -> str:
    """Return ``" (did you mean 'x'?)"`` for the closest allowed name, or an empty string."""
    names = list(allowed)
    folded = {n.lower(): n for n in names}
    asked = str(name).lower()
    match = difflib.get_close_matches(asked, list(folded), n=1, cutoff=0.5) or [
        candidate for candidate in folded if asked and candidate.startswith(asked)
    ]
    return f" (did you mean {folded[match[0]]!r}?)" if match else ""


def unknown_option(argument: str, got: object, allowed: Iterable[str]) -> ValueError:
    """Return the error for a value that is not in the table of a choice."""
    names = list(allowed)
    listed = ", ".join(repr(n) for n in names)
    near = nearest(got, names) if isinstance(got, str) else ""
    return ValueError(f"{argument}={shown(got)} is unknown{near}; use one of {listed}")


def unknown_column(argument: str, got: object, columns: Iterable[object]) -> ValueError:
    """Return the error for a column that the data do not have."""
    names = [str(c) for c in columns]
    listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    near = nearest(got, names) if isinstance(got, str) else ""
    return ValueError(
        f"{argument}={shown(got)} is not a column of the data{near}; columns: {listed}"
    )
