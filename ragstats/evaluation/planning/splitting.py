"""Splitting a budget between documents, queries and judgements: closed form, and whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

#: A design may exceed the budget by this factor, which is rounding.
ROUNDING = 1 + 1e-12
#: More designs than this are not tried.
MOST_DESIGNS = 20_000_000


@dataclass(frozen=True, slots=True)
class Costs:
    """What a document, a query of it and a judgement of that cost, in one unit.

    Attributes
    ----------
    document, query, repetition : float
        Preparing a document, writing a query, running and judging it once.
    """

    document: float
    query: float
    repetition: float

    def per_document(self, queries: Any, repetitions: Any) -> Any:
        """Return ``c_d + m (c_q + r c_r)``."""
        return self.document + queries * (self.query + repetitions * self.repetition)


@dataclass(frozen=True, slots=True)
class Variances:
    """Components as a plan uses them, none below 0.

    Attributes
    ----------
    document, query, repetition : float
        In squared units of the score.
    population : int or None
        M, documents of the population.
    """

    document: float
    query: float
    repetition: float
    population: int | None = None

    def of_mean(self, documents: Any, queries: Any, repetitions: Any) -> Any:
        """Return the variance of the mean of K documents, m queries each, r judgements each.

        ``(1 - K/M) σ_a²/K + σ_b²/(K m) + σ_e²/(K m r)``
        """
        left = 1.0 if self.population is None else 1 - documents / self.population
        inside = self.query / queries + self.repetition / (queries * repetitions)
        return (left * self.document + inside) / documents


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best split before rounding to whole numbers.

    Attributes
    ----------
    documents, queries, repetitions : float
        K*, m* and r*.
    se : float
        Their standard error, which no split into whole numbers beats.
    """

    documents: float
    queries: float
    repetitions: float
    se: float


def optimum(variances: Variances, costs: Costs, budget: float) -> Optimum | None:
    """Return the closed-form optimum, or None where none is finite.

    The numbers of documents, of queries and of judgements in all are in proportion to ``√(V/c)``.
    Where a lower level would get fewer than the one above, both are pooled (one query per document,
    one judgement per query), their variances and their costs added.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed. Wiley. Sections 10.6 and 10.8.

    Examples
    --------
    >>> best = optimum(Variances(0.04, 0.16, 0.0), Costs(9.0, 1.0, 0.0), budget=150.0)
    >>> round(best.documents, 6), round(best.queries, 6), round(best.repetitions, 6)
    (10.0, 6.0, 1.0)
    """
    parts = [
        (variances.document, costs.document),
        (variances.query, costs.query),
        (variances.repetition, costs.repetition),
    ]
    found, size = _chain(parts, budget), variances.population
    if found is not None and size is not None and found[0] > size:
        found = _of_all_documents(parts, budget, float(size))
    if found is None:
        return None
    x1, x2, x3 = found
    return Optimum(x1, x2 / x1, x3 / x2, float(np.sqrt(variances.of_mean(x1, x2 / x1, x3 / x2))))


def _of_all_documents(
    parts: list[tuple[float, float]], budget: float, size: float
) -> list[float] | None:
    """Return the best totals when all M documents are taken, with a query of each at least."""
    inside = _chain(parts[1:], budget - size * parts[0][1])
    if inside is None or inside[0] >= size:
        return None if inside is None else [size, *inside]
    left = budget - size * (parts[0][1] + parts[1][1])
    return [size, size, left / parts[2][1]]


def _chain(parts: list[tuple[float, float]], budget: float) -> list[float] | None:
    """Return x, not falling, that minimises ``Σ V/x`` with ``Σ c x = budget``; None if infinite."""
    blocks: list[tuple[float, float, int]] = []
    for variance, cost in parts:
        blocks.append((variance, cost, 1))
        while len(blocks) > 1 and _falls(blocks[-2], blocks[-1]):
            (v1, c1, n1), (v2, c2, n2) = blocks[-2:]
            blocks[-2:] = [(v1 + v2, c1 + c2, n1 + n2)]
    if any(v <= 0 or c <= 0 for v, c, _ in blocks):
        return None
    scale = budget / sum(np.sqrt(v) * np.sqrt(c) for v, c, _ in blocks)
    return [float(scale * (np.sqrt(v) / np.sqrt(c))) for v, c, n in blocks for _ in range(n)]


def _falls(above: tuple[float, float, int], below: tuple[float, float, int]) -> bool:
    """Whether ``V/c`` of the lower level is at most that of the upper (0/0 is)."""
    return below[0] * above[1] <= above[0] * below[1]


def designs(
    variances: Variances, costs: Costs, budget: float, *, max_queries: int, max_repetitions: int
) -> pd.DataFrame:
    """Return every number of queries and judgements, with the documents that the budget buys.

    Returns
    -------
    DataFrame
        ``documents`` (at least 2), ``queries``, ``repetitions``, ``cost``, ``se``; one row for each
        pair of queries and judgements, fewest judgements and queries first.

    Raises
    ------
    ValueError
        If that are more than twenty million pairs.
    """
    pair = budget * ROUNDING / 2
    queries = _most(pair - costs.document, costs.query + costs.repetition, max_queries)
    judgements = _most(pair - costs.document - costs.query, costs.repetition, max_repetitions)
    if queries * judgements > MOST_DESIGNS:
        raise ValueError(
            f"max_queries={max_queries}, max_repetitions={max_repetitions}: that makes"
            f" {queries * judgements:,} designs, and at most {MOST_DESIGNS:,} are tried; lower one"
        )
    r, m = np.meshgrid(np.arange(1, judgements + 1), np.arange(1, queries + 1), indexing="ij")
    each = costs.per_document(m, r)
    k = np.floor(budget * ROUNDING / each)
    if variances.population is not None:
        k = np.minimum(k, variances.population)
    frame = pd.DataFrame(
        {"documents": k.ravel(), "queries": m.ravel(), "repetitions": r.ravel()}
    ).assign(cost=(k * each).ravel())
    frame = frame[frame["documents"] >= 2].reset_index(drop=True)
    variance = variances.of_mean(frame["documents"], frame["queries"], frame["repetitions"])
    return frame.assign(documents=frame["documents"].astype("int64"), se=np.sqrt(variance))


def _most(money: float, price: float, limit: int) -> int:
    """Return how many the money buys, at least 0 and at most the limit."""
    if money < price:
        return 0
    return limit if price == 0 else int(min(money / price, limit))
