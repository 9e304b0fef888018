"""Dividing K documents among strata: whole numbers, by priority, within their bounds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ragstats.core.segments import Floats

Counts = NDArray[np.int64]
Priority = Callable[[Floats, Floats, Floats], Floats]

#: Rule → priority of the next document of a stratum that has k, from (M_h, S_h, k).
#: Documents are given out in falling order of priority, so that K + 1 adds one to what K gave.
RULES: dict[str, Priority] = {
    "neyman": lambda size, sd, k: size * sd / np.sqrt(k * (k + 1)),
    "proportional": lambda size, sd, k: size / (k + 0.5),
    "equal": lambda size, sd, k: 1 / (k + 1),
}


def lower_bounds(population: Counts, whole: NDArray[np.bool_]) -> Counts:
    """Return the fewest documents of each stratum (H,): all, or 2 (1 where there is but one)."""
    return np.where(whole, population, np.minimum(population, 2))


def divide(
    documents: int, population: Counts, sd: Floats, whole: NDArray[np.bool_], rule: str
) -> Counts:
    """Divide documents among strata.

    Parameters
    ----------
    documents : int
        K, at least the sum of :func:`lower_bounds` and at most that of ``population``.
    population : ndarray of int (H,)
        M_h.
    sd : ndarray (H,)
        S_h; used by "neyman" only.
    whole : ndarray of bool (H,)
        Strata that are taken whole.
    rule : {"neyman", "proportional", "equal"}
        How.

    Returns
    -------
    ndarray of int (H,)
        K_h, with sum K, ``K_h ≤ M_h`` and ``K_h ≥ 2`` (or M_h).

    Notes
    -----
    Under "neyman" the K_h minimise ``Σ M_h² S_h² (1/K_h - 1/M_h)`` exactly among whole numbers:
    raising k to k + 1 lowers that by ``M_h² S_h²/(k(k+1))``, which falls with k, so that taking the
    largest reduction each time is optimal (Wright). Where the formula of Neyman asks for more than
    M_h the stratum is taken whole. "proportional" rounds by Webster's divisors.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed. Wiley. Sections 5.5 and 5.8.
    Wright, T. (2017). Exact optimal sample allocation: more efficient than Neyman. Statistics &
    Probability Letters, 129, 50-57.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.zeros(2, bool)
    >>> divide(20, np.array([130, 1170]), np.array([3.0, 0.3]), none, "neyman").tolist()
    [11, 9]
    >>> divide(20, np.array([130, 1170]), np.array([3.0, 0.3]), none, "proportional").tolist()
    [2, 18]
    """
    counts = lower_bounds(population, whole)
    left = documents - int(counts.sum())
    room = np.minimum(population - counts, left)
    strata = np.repeat(np.arange(len(population)), room)
    step = np.arange(len(strata)) - np.repeat(np.cumsum(room) - room, room)
    held = (counts[strata] + step).astype(float)
    priority = RULES[rule](population[strata].astype(float), sd[strata], held)
    chosen = np.argsort(-priority, kind="stable")[:left]
    given: Counts = np.bincount(strata[chosen], minlength=len(population)).astype(np.int64)
    return counts + given
