"""How documents are drawn: simple, stratified, and in two stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ragstats.checks import flag, whole
from ragstats.core.segments import Codes
from ragstats.evaluation.coverage.population import Population
from ragstats.evaluation.coverage.sample import WHOLE, Sample, Strata
from ragstats.exceptions import DataError, nearest


@dataclass(frozen=True, slots=True)
class Plan:
    """A design, with its numbers.

    Attributes
    ----------
    name : str
        "srs", "stratified" or "two-stage".
    documents : int
        K.
    replace : bool
        Whether a document may be drawn again.
    correct : bool
        Whether intervals use the finite population correction.
    allocation : tuple of int
        K_h by stratum; (K,) without strata.
    queries : int
        Queries drawn in each document (all, when it has fewer); 0 for all.
    """

    name: str
    documents: int
    replace: bool = False
    correct: bool = False
    allocation: tuple[int, ...] = ()
    queries: int = 0


# --- drawing ---------------------------------------------------------------------------------


def draw(plan: Plan, population: Population, rng: np.random.Generator, size: int) -> Sample:
    """Draw ``size`` samples.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.ones(9)
    >>> corpus = Population("hits", one, one, one, np.zeros(9, int))
    >>> draw(Plan("srs", 3), corpus, np.random.default_rng(1), 5).n.shape
    (5, 3)
    """
    return DESIGNS[plan.name](plan, population, rng, size)


def _srs(plan: Plan, population: Population, rng: np.random.Generator, size: int) -> Sample:
    drawn = _documents(rng, np.arange(population.n_documents), plan.documents, size, plan.replace)
    n, s, ss = population.n[drawn], population.s[drawn], population.ss[drawn]
    remaining = np.full(plan.documents, _remaining(plan, plan.documents, population.n_documents))
    return Sample(n, s, ss, n, np.ones(plan.documents), WHOLE, remaining)


def _stratified(plan: Plan, population: Population, rng: np.random.Generator, size: int) -> Sample:
    parts, weight, remaining = [], np.empty(plan.documents), np.empty(plan.documents)
    strata = _columns(plan.allocation)
    for h, (columns, k) in enumerate(zip(strata, plan.allocation, strict=True)):
        members = np.flatnonzero(population.strata == h)
        parts.append(_documents(rng, members, k, size, plan.replace))
        weight[columns] = len(members) / k
        remaining[columns] = _remaining(plan, k, len(members))
    drawn = np.concatenate(parts, axis=1)
    n, s, ss = population.n[drawn], population.s[drawn], population.ss[drawn]
    return Sample(n, s, ss, n, weight, strata, remaining, simple=False)


def _two_stage(plan: Plan, population: Population, rng: np.random.Generator, size: int) -> Sample:
    """Draw documents, and then queries without replacement within each of them."""
    assert population.rows is not None
    m, k = population.n_documents, plan.documents
    drawn = _documents(rng, np.arange(m), k, size, plan.replace)
    extent = population.n[drawn]
    n, s, ss = extent.copy(), population.s[drawn], population.ss[drawn]
    larger = extent > plan.queries
    if larger.any():
        where = drawn[larger]
        chosen = without_replacement(rng, population.n[where].astype(np.intp), plan.queries)
        scores = population.rows.values[population.rows.first[where][:, None] + chosen]
        n[larger] = plan.queries
        s[larger], ss[larger] = scores.sum(axis=1), (scores**2).sum(axis=1)
    weight, remaining = np.full(k, m / k), np.full(k, _remaining(plan, k, m))
    return Sample(n, s, ss, extent, weight, WHOLE, remaining, simple=False)


DESIGNS: dict[str, Callable[[Plan, Population, np.random.Generator, int], Sample]] = {
    "srs": _srs,
    "stratified": _stratified,
    "two-stage": _two_stage,
}


def _documents(rng: np.random.Generator, members: Codes, k: int, size: int, replace: bool) -> Codes:
    """Return k of the members, (size, k)."""
    if replace:
        return np.asarray(members[rng.integers(0, len(members), (size, k))])
    drawn = [rng.choice(len(members), k, replace=False, shuffle=False) for _ in range(size)]
    return np.asarray(members[np.array(drawn)])


def without_replacement(rng: np.random.Generator, sizes: Codes, q: int) -> Codes:
    """Return q different numbers below each of the sizes, (m, q); every size is at least q.

    Floyd's algorithm for all rows at once: step j draws from ``0 … size-q+j``, and takes that last
    number when the one drawn is taken (Bentley and Floyd, 1987, CACM 30(9), 754-757).
    """
    chosen = np.empty((len(sizes), q), np.intp)
    for j in range(q):
        last = sizes - q + j
        drawn = rng.integers(0, last + 1)
        taken = (chosen[:, :j] == drawn[:, None]).any(axis=1)
        chosen[:, j] = np.where(taken, last, drawn)
    return chosen


def _columns(allocation: tuple[int, ...]) -> Strata:
    ends = np.cumsum(allocation).tolist()
    return tuple(slice(end - k, end) for end, k in zip(ends, allocation, strict=True))


def _remaining(plan: Plan, drawn: int, of: int) -> float:
    return 1.0 - drawn / of if plan.correct else 1.0


# --- planning --------------------------------------------------------------------------------


def plan_of(
    population: Population,
    *,
    design: str,
    documents: Any,
    replace: bool,
    correct: bool,
    allocation: Any,
    queries_per_document: Any,
) -> Plan:
    """Check a design against the population.

    Raises
    ------
    ValueError, TypeError
        If an argument is unknown, out of range or out of place.
    DataError
        If the population has too few documents, or a stratum would have one without a variance.
    """
    k = whole("documents", documents, least=2)
    flag("replace", replace), flag("fpc", correct)
    if replace and correct:
        raise ValueError("fpc=True with replace=True: drawing with replacement has no correction")
    _refuse_out_of_place(design, population, allocation, queries_per_document)
    if k > population.n_documents and not replace:
        raise DataError(
            f"documents={k}: the data have {population.n_documents}; draw fewer, or replace=True"
        )
    plan = Plan(design, k, replace, correct, (k,))
    if design == "stratified":
        shares = _allocation(allocation, population, k, replace)
        _check_strata(shares, population, plan)
        return Plan(design, k, replace, correct, shares)
    if design == "two-stage":
        return Plan(design, k, replace, correct, (k,), _queries(queries_per_document, correct))
    return plan


def _refuse_out_of_place(
    design: str, population: Population, allocation: Any, queries: Any
) -> None:
    stratified, staged = design == "stratified", design == "two-stage"
    if stratified and len(population.names) < 2:
        raise ValueError(
            "strata is missing or has one value; design='stratified' needs a column of strata"
        )
    if not stratified and (len(population.names) > 1 or allocation is not None):
        raise ValueError(f"strata= and allocation= are for design='stratified', not {design!r}")
    if staged and queries is None:
        raise ValueError("queries_per_document is missing; design='two-stage' needs it")
    if not staged and queries is not None:
        raise ValueError(f"queries_per_document= is for design='two-stage', not {design!r}")


def _queries(queries: Any, correct: bool) -> int:
    count = whole("queries_per_document", queries, least=1)
    if correct and count == 1:
        raise DataError(
            "queries_per_document=1 with fpc=True: one query shows no variance within documents;"
            " draw two or more, or fpc=False"
        )
    return count


def _allocation(allocation: Any, population: Population, k: int, replace: bool) -> tuple[int, ...]:
    """Return K_h for each stratum."""
    if allocation is None or allocation == "proportional":
        return proportional(np.bincount(population.strata), k, replace=replace)
    if not isinstance(allocation, Mapping):
        raise TypeError(
            f"allocation={allocation!r}: give 'proportional', or the number of documents of each"
            f" stratum, for instance {dict.fromkeys(population.names, 10)}"
        )
    given = {str(name): count for name, count in allocation.items()}
    for name in given:
        if name not in population.names:
            raise ValueError(
                f"allocation names {name!r}, no stratum{nearest(name, population.names)}; strata:"
                f" {', '.join(population.names)}"
            )
    for name in population.names:
        if name not in given:
            raise ValueError(f"allocation has no number for stratum {name!r}")
    shares = tuple(whole(f"allocation[{h!r}]", given[h], least=1) for h in population.names)
    if sum(shares) != k:
        raise ValueError(f"allocation sums to {sum(shares)}, and documents={k}; make them agree")
    return shares


def proportional(sizes: Codes, k: int, *, replace: bool = False) -> tuple[int, ...]:
    """Return K_h proportional to the sizes (largest remainders), two at least where there are two.

    Without replacement none is larger than the stratum.

    Raises
    ------
    ValueError
        If there are too few documents for two in every stratum.
    """
    most = np.full_like(sizes, k) if replace else sizes
    floor = np.minimum(most, 2)
    if floor.sum() > k:
        raise ValueError(
            f"documents={k}: {len(sizes)} strata need {int(floor.sum())} at least, two each"
        )
    ideal = k * sizes / sizes.sum()
    shares = np.maximum(np.floor(ideal).astype(np.intp), floor)
    while shares.sum() != k:
        up = shares.sum() < k
        gap = np.where(shares < most if up else shares > floor, ideal - shares, np.nan)
        shares[np.nanargmax(gap) if up else np.nanargmin(gap)] += 1 if up else -1
    return tuple(int(share) for share in shares)


def _check_strata(shares: tuple[int, ...], population: Population, plan: Plan) -> None:
    sizes = np.bincount(population.strata).tolist()
    for name, k, m in zip(population.names, shares, sizes, strict=True):
        if k > m and not plan.replace:
            raise DataError(
                f"allocation: {k} documents of stratum {name!r}, which has {m}; draw fewer, or"
                " replace=True"
            )
        if k == 1 and not (plan.correct and m == 1):
            raise DataError(
                f"allocation: one document of stratum {name!r} has no variance; draw two or more"
                + (", or fpc=True, for the stratum has one" if m == 1 else "")
            )
