"""`allocate_documents`: how many documents of each stratum, and what stratifying is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from ragstats.checks import fraction, named, one_of, positive, whole
from ragstats.evaluation.documents import DocumentTable
from ragstats.exceptions import DataError
from ragstats.models.estimand import ESTIMANDS, check_estimand

from .allocation import RULES, Counts, divide, lower_bounds
from .allocation_plan import AllocationPlan, Expected
from .documents import one_system
from .search import smallest
from .strata import Strata, chosen_strata, strata_of


def allocate_documents(
    pilot: DocumentTable,
    *,
    estimand: str,
    strata: str,
    population: Mapping[Any, int] | pd.Series,
    documents: int | None = None,
    halfwidth: float | None = None,
    allocation: str | Mapping[Any, int] = "neyman",
    certainty: Any = (),
    alpha: float = 0.05,
    system: str | None = None,
) -> AllocationPlan:
    """Divide a sample of documents among strata, and compare it with a simple random sample.

    Parameters
    ----------
    pilot : DocumentTable
        One row per document, with the column of strata kept: ``rs.documents(…, keep=["band"])``.
        For a comparison, the paired differences by document.
    estimand : {"micro", "macro"}
        The mean whose standard error counts: the combined ratio, or the stratified mean of the
        documents' rates. There is no default.
    strata : str
        The column of strata.
    population : mapping of stratum to int
        M_h, documents of each stratum in the population.
    documents : int
        K in all.
    halfwidth : float
        Instead of K: the smallest K whose interval is expected to be this narrow.
    allocation : {"neyman", "proportional", "equal"} or mapping of stratum to int
        How to divide K; or the K_h themselves, to see what they give.
    certainty : sequence of strata
        Strata to take whole. Neyman allocation also takes a stratum whole where it asks for more
        documents than there are.
    alpha : float
        One minus the confidence level.
    system : str, optional
        Which system's documents, when the pilot has several.

    Returns
    -------
    AllocationPlan
        ``allocation``, ``se``, ``halfwidth``, ``gain``, ``expected`` for both estimands;
        ``summary()``, ``table()``, ``to_dict()``, ``plot()``. A number of documents that does not
        suffice for the strata gives no allocation, with a ``reason``.

    Raises
    ------
    TypeError
        If a value is not a number, ``population`` no mapping, or the pilot no DocumentTable.
    ValueError
        If a name is unknown, a value is out of range, or not exactly one of ``documents``,
        ``halfwidth`` and a mapping is given.
    DataError
        If the column of strata was not kept, the strata of pilot and population differ, or the
        pilot has one document of a stratum that is to be sampled.

    Notes
    -----
    With linearized values z (r_d, or ``(s_d - R n_d)/n̄`` with the combined ratio R), S_h their
    standard deviation in stratum h and ``W_h = M_h/M``::

        SE² = Σ_h W_h² (1 - K_h/M_h) S_h²/K_h

    Every stratum that is sampled gets at least two documents, none gets more than it has, and the
    K_h are the best whole numbers (see :func:`ragstats.evaluation.planning.allocation.divide`). The
    simple random sample is given the variance inside and between strata that the pilot shows.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed. Wiley. Sections 5.5-5.9, 5A.11 and 6.11.

    Examples
    --------
    >>> import ragstats as rs
    >>> scores = rs.datasets.load_retrieval(systems="bm25")
    >>> scores["band"] = scores["doc_chunks"].gt(27).map({True: "large", False: "small"})
    >>> t = rs.documents(scores, doc="doc_id", score="doc_hit_at_1", keep=["band"])
    >>> plan = allocate_documents(t, estimand="micro", strata="band", documents=20,
    ...                           population={"large": 134, "small": 1166})
    >>> plan.allocation, round(plan.se, 3), round(plan.expected["micro"].srs_se, 3)
    ({'large': 10, 'small': 10}, 0.054, 0.095)
    """
    check_estimand(estimand)
    level = fraction("alpha", alpha)
    found = strata_of(one_system(pilot, system), strata, population)
    certain = chosen_strata("certainty", certainty, found.labels)
    rule = "given" if isinstance(allocation, Mapping) else allocation
    if not isinstance(allocation, Mapping):
        one_of("allocation", allocation, RULES)
    _one_target(documents, halfwidth, allocation)
    _check_variation(found, estimand, certain)
    design = Design(found, estimand, rule, certain, level)
    if isinstance(allocation, Mapping):
        return design.plan(_given(allocation, found, certain))
    if halfwidth is not None:
        return design.for_halfwidth(positive("halfwidth", halfwidth))
    return design.of(whole("documents", documents))


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Strata and a rule: allocations by number of documents."""

    strata: Strata
    estimand: str
    rule: str
    certain: NDArray[np.bool_]
    alpha: float

    @property
    def fewest(self) -> int:
        """The fewest documents that the strata need."""
        return int(lower_bounds(self.strata.population, self.certain).sum())

    def counts(self, documents: int) -> Counts:
        """Return K_h (H,) of K documents."""
        sd = np.nan_to_num(self.strata.sd[self.estimand])
        return divide(documents, self.strata.population, sd, self.certain, self.rule)

    def of(self, documents: int) -> AllocationPlan:
        """Return the plan of K documents."""
        total = int(self.strata.population.sum())
        if documents > total:
            raise ValueError(
                f"documents={documents} is more than the population of {total}; give at most that"
            )
        if documents < self.fewest:
            reason = (
                f"{documents} documents are too few: 2 of each stratum, and all of those taken"
                f" whole, make {self.fewest}"
            )
            return self.plan(None, reason)
        sampled = self.strata.sd[self.estimand][~self.certain]
        if not np.nansum(sampled) and documents < total:
            reason = (
                "the documents of the pilot do not vary in any stratum that is sampled (all S_h are"
                " 0), so they do not say how many are needed"
            )
            return self.plan(None, reason)
        return self.plan(self.counts(documents))

    def for_halfwidth(self, target: float) -> AllocationPlan:
        """Return the plan of the smallest K that is precise enough."""
        total = int(self.strata.population.sum())

        def holds(k: int) -> bool:
            return self.expect(self.counts(k), self.estimand).halfwidth <= target

        k = smallest(holds, self.fewest, total)
        return self.of(total if k is None else k)

    def expect(self, counts: Counts, estimand: str) -> Expected:
        """Return what K_h (H,) are expected to give, beside a simple random sample of as many."""
        k, m, alpha = int(counts.sum()), int(self.strata.population.sum()), self.alpha
        se = self.strata.se(counts, estimand)
        srs = self.strata.overall_sd(estimand) * np.sqrt((1 - k / m) / k) if k < m else 0.0
        df = k - len(counts)
        half = se * float(stats.t.isf(alpha / 2, df)) if df > 0 else (0.0 if se == 0 else np.nan)
        srs_half = float(stats.t.isf(alpha / 2, k - 1)) * srs if k > 1 else 0.0
        return Expected(se, half, float(srs), float(srs_half))

    def plan(self, counts: Counts | None, reason: str = "") -> AllocationPlan:
        """Return the plan of K_h (H,), or of none with the reason."""
        said = self.strata.warnings(self.estimand)
        expected: dict[str, Expected] = {}
        if counts is not None:
            expected = {e: self.expect(counts, e) for e in ESTIMANDS}
            if (counts == self.strata.population).all():
                reason = (
                    f"all {counts.sum():,} documents: a census, whose mean is known and has no"
                    " sampling error"
                )
            said += self._whole_words(counts)
        return AllocationPlan(
            self.strata, self.estimand, self.rule, self.alpha, counts, self.certain, expected,
            reason, tuple(said),
        )  # fmt: skip

    def _whole_words(self, counts: Counts) -> list[str]:
        whole_ones = (counts == self.strata.population) & (self.strata.population > 1)
        if not whole_ones.any() or whole_ones.all():
            return []
        inside = int((counts[~whole_ones] - 1).sum())
        listed = ", ".join(repr(self.strata.labels[h]) for h in np.flatnonzero(whole_ones)[:6])
        return [
            f"{listed} taken whole: no sampling error there, but its documents count in df = K - H;"
            f" the strata that are sampled have {inside} of their own"
        ]


def _one_target(documents: Any, halfwidth: Any, allocation: Any) -> None:
    given = {
        "documents=": documents is not None,
        "halfwidth=": halfwidth is not None,
        "a mapping allocation=": isinstance(allocation, Mapping),
    }
    if sum(given.values()) != 1:
        got = " and ".join(name for name, there in given.items() if there) or "nothing"
        raise ValueError(f"{got} given; give one of documents=, halfwidth=, a mapping allocation=")


def _check_variation(strata: Strata, estimand: str, certain: NDArray[np.bool_]) -> None:
    """Raise where a stratum that is to be sampled has one document in the pilot."""
    unknown = np.isnan(strata.sd[estimand]) & ~certain
    if unknown.any():
        raise DataError(
            f"stratum {strata.name}={strata.labels[int(np.argmax(unknown))]!r} has one document in"
            " the pilot, so its variation is unknown; add one, merge strata, or take it whole"
            " (certainty=)"
        )


def _given(allocation: Mapping[Any, int], strata: Strata, certain: NDArray[np.bool_]) -> Counts:
    """Return K_h (H,) as given, within the bounds."""
    for name in allocation:
        named("allocation", name, strata.labels)
    low = lower_bounds(strata.population, certain)
    counts = []
    for label, least, most in zip(strata.labels, low, strata.population, strict=True):
        if label not in allocation:
            raise ValueError(f"allocation has nothing for stratum {strata.name}={label!r}")
        k = whole(f"allocation[{label!r}]", allocation[label])
        if not least <= k <= most:
            raise ValueError(
                f"allocation[{label!r}]={k}: give {least} to {most}, the documents of the stratum"
            )
        counts.append(k)
    return np.array(counts, np.int64)
