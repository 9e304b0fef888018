"""How many replicates, from which random numbers, by how many workers: the arguments, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ragstats.core.resampling_batches import Mapper
from ragstats.core.segments import Codes, Floats
from ragstats.exceptions import shown


@dataclass(frozen=True, slots=True)
class Draws:
    """How replicates are drawn.

    Attributes
    ----------
    rng : Generator or None
        Where the random numbers come from; None when none may be needed.
    seed : str
        The same in words.
    n_boot : int
        B, the number of replicates.
    mapper : callable
        How the batches are worked on; see :func:`workers`.
    """

    rng: np.random.Generator | None
    seed: str
    n_boot: int
    mapper: Mapper


def check_draws(seed: Any, n_boot: Any, n_jobs: Any, *, optional: bool = False) -> Draws:
    """Return how replicates are drawn.

    Parameters
    ----------
    seed : int or Generator
        A Generator is used as it is, and moves on.
    n_boot, n_jobs : int
        Replicates, and processes (-1: all cores).
    optional : bool
        Whether the seed may be None.

    Raises
    ------
    ValueError
        If one of them is out of range or of another type.
    ImportError
        If there are several processes and no joblib.
    """
    if not _whole(n_boot) or n_boot < 1:
        raise ValueError(f"n_boot={shown(n_boot)}: give a whole number of replicates, at least 1")
    if not _whole(n_jobs) or n_jobs == 0 or n_jobs < -1:
        raise ValueError(f"n_jobs={shown(n_jobs)}: give 1, 2, … processes, or -1 for all cores")
    if isinstance(seed, np.random.Generator):
        rng, words = seed, "a Generator that was given"
    elif seed is None and optional:
        rng, words = None, "none"
    elif _whole(seed) and seed >= 0:
        rng, words = np.random.default_rng(int(seed)), f"numpy default_rng({int(seed)})"
    else:
        raise ValueError(f"seed={shown(seed)}: give an int (0, 1, …) or a numpy.random.Generator")
    return Draws(rng, words, int(n_boot), workers(int(n_jobs)))


def _whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def workers(n_jobs: int) -> Mapper:
    """Return the builtin ``map``, or joblib's workers, which give results in the same order.

    Raises
    ------
    ImportError
        If joblib is not installed.
    """
    if n_jobs == 1:
        return map
    try:
        from joblib import Parallel, delayed
    except ImportError:
        raise ImportError(
            f"n_jobs={n_jobs} needs joblib: pip install 'ragstats[parallel]', or n_jobs=1"
        ) from None

    def spread(
        work: Callable[[Floats | Codes], Floats], batches: Iterable[Floats | Codes]
    ) -> Iterable[Floats]:
        pool = Parallel(n_jobs=n_jobs, return_as="generator")
        results: Iterable[Floats] = pool(delayed(work)(batch) for batch in batches)
        return results

    return spread
