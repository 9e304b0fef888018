"""The auxiliary weights of the wild bootstrap: drawn at random, or all sign vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ragstats.core.resampling_batches import BATCH_CELLS, batch_sizes
from ragstats.core.segments import Floats

#: With this many documents or fewer all sign vectors are listed, whatever the number of replicates.
LIST_ALL = 12

_WEBB = np.sqrt(np.array([1.5, 1.0, 0.5, 0.5, 1.0, 1.5])) * [-1, -1, -1, 1, 1, 1]
_GOLDEN = (1 + np.sqrt(5)) / 2

Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]

#: Name → how a batch of weights is drawn; all have mean 0 and variance 1. "rademacher" is ±1,
#: "webb" has six points (Webb, 2023, Canadian J. Economics 56(3), 839-858), "mammen" two and third
#: moment 1 (Mammen, 1993, Annals of Statistics 21(1), 255-285).
WEIGHTS: dict[str, Draw] = {
    "rademacher": lambda rng, shape: 2 * rng.integers(0, 2, shape).astype(float) - 1,
    "webb": lambda rng, shape: _WEBB[rng.integers(0, 6, shape)],
    "mammen": lambda rng, shape: np.where(
        rng.random(shape) < _GOLDEN / np.sqrt(5), 1 - _GOLDEN, _GOLDEN
    ),
}


def lists_all(n_groups: int, n_boot: int, weights: str) -> bool:
    """Whether all 2^K sign vectors are used: Rademacher weights, K ≤ 12 or 2^K ≤ ``n_boot``."""
    return weights == "rademacher" and (n_groups <= LIST_ALL or 2**n_groups <= n_boot)


def all_signs(n_groups: int, *, cells: int = BATCH_CELLS) -> Iterator[Floats]:
    """Yield the 2^K sign vectors, (b, K) per batch, all -1 first and all +1 last."""
    bits, start = np.arange(n_groups), 0
    for size in batch_sizes(2**n_groups, n_groups, cells):
        numbers = np.arange(start, start + size)[:, None]
        yield 2 * ((numbers >> bits) & 1).astype(float) - 1
        start += size


def draw_weights(
    rng: np.random.Generator,
    n_boot: int,
    n_groups: int,
    weights: str,
    *,
    cells: int = BATCH_CELLS,
) -> Iterator[Floats]:
    """Yield random weights, (b, K) per batch, in a stream that the batches do not change."""
    for size in batch_sizes(n_boot, n_groups, cells):
        yield WEIGHTS[weights](rng, (size, n_groups))
