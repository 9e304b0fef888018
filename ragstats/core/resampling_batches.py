"""Bounded memory for many replicates: work goes batch by batch, in an order that never changes.

The random numbers are drawn here, in the process that asks, and only the arithmetic is farmed out;
so the replicates do not depend on the number of workers. Products with the weights of a batch are
summed along the documents, one replicate at a time (no blocking over replicates as in a matrix
product), so they do not depend on the size of the batches either, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import numpy as np

from ragstats.core.segments import Codes, Floats

#: Numbers in one array of a batch: 8 MB.
BATCH_CELLS = 1 << 20

#: Called with the replicates done and the replicates wanted.
Report = Callable[[int, int], None]


class Mapper(Protocol):
    """Applies a function to batches, in order: the builtin ``map``, or several workers."""

    def __call__(
        self, work: Callable[[Floats | Codes], Floats], batches: Iterable[Floats | Codes], /
    ) -> Iterable[Floats]:
        """Return the results in the order of the batches."""


def batch_sizes(n_boot: int, n_groups: int, cells: int = BATCH_CELLS) -> Iterator[int]:
    """Yield the numbers of replicates of the batches: at most ``cells`` numbers, at least 1 row."""
    rows = max(1, cells // n_groups)
    for start in range(0, n_boot, rows):
        yield min(rows, n_boot - start)


def run_batches(
    work: Callable[[Floats | Codes], Floats],
    batches: Iterable[Floats | Codes],
    n_boot: int,
    *,
    mapper: Mapper = map,
    report: Report | None = None,
) -> Floats:
    """Return the statistics (m, n_boot) of all replicates.

    Parameters
    ----------
    work : callable
        Statistics (m, b) of a batch of b replicates.
    batches : iterable of ndarray (b, K)
        Drawn documents, or weights of the documents.
    n_boot : int
        The number of replicates.
    mapper : callable
        How ``work`` is applied; the builtin ``map`` by default.
    report : callable, optional
        Told after each batch how many replicates are done, of how many.
    """
    parts, done = [], 0
    for part in mapper(work, batches):
        parts.append(part)
        done += part.shape[1]
        if report is not None:
            report(done, n_boot)
    return np.concatenate(parts, axis=1)


def weighted_sums(weights: Floats, columns: Floats) -> Floats:
    """Return ``columns @ weights'`` (m, b) of weights (b, K) and columns (m, K).

    Each sum runs along the documents of one replicate, whatever the batch (see the module).
    """
    return np.asarray(np.einsum("bk,mk->mb", weights, columns))
