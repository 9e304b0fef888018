"""The smallest whole number with a property that larger numbers keep."""

from __future__ import annotations

from collections.abc import Callable

#: Beyond this, counts of documents are not exact as floats, and mean nothing.
LARGEST = 2**53


def smallest(holds: Callable[[int], bool], low: int, high: int | None = None) -> int | None:
    """Return the smallest k in ``low … high`` with ``holds(k)``, by doubling and halving.

    Parameters
    ----------
    holds : callable
        False up to some k and true from there on.
    low : int
        Where to begin.
    high : int, optional
        The last one to try; without it, 2**53.

    Returns
    -------
    int or None
        None if it does not even hold for the last one.

    Examples
    --------
    >>> smallest(lambda k: k * k >= 50, 1)
    8
    >>> smallest(lambda k: k > 10, 1, 10) is None
    True
    """
    last = LARGEST if high is None else high
    if low > last:
        return None
    if holds(low):
        return low
    below, step = low, 1
    while below < last:
        above = min(below + step, last)
        if holds(above):
            return _halve(holds, below, above)
        below, step = above, 2 * step
    return None


def _halve(holds: Callable[[int], bool], below: int, above: int) -> int:
    """Return the smallest k in (below, above] with the property, which `above` has."""
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    return above
