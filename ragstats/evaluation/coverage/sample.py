"""Many samples of documents at once: arrays of shape (replications, documents)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ragstats.core.resampling import EQUAL_RATES
from ragstats.core.segments import Floats

Bools = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

#: Columns of the documents of one stratum.
Strata = tuple[slice, ...]
WHOLE: Strata = (slice(None),)


@dataclass(frozen=True, slots=True)
class Sample:
    """R samples of K documents each, with what their design says.

    Attributes
    ----------
    n, s, ss : ndarray (R, K)
        Scored queries of each document, their sum, and their sum of squares.
    size : ndarray (R, K)
        The queries that the document has in the corpus; ``n`` unless queries were sampled.
    weight : ndarray (K,)
        Documents of the corpus that each document stands for, M_h/K_h, up to a constant; 1 without
        strata or stages.
    strata : tuple of slice
        The columns of each stratum.
    remaining : ndarray (K,)
        The share of the stratum that was not drawn, ``1 - K_h/M_h``; 1 without finite correction.
    simple : bool
        Whether documents were drawn with equal probability and all their queries were scored.
    """

    n: Floats
    s: Floats
    ss: Floats
    size: Floats
    weight: Floats
    strata: Strata
    remaining: Floats
    simple: bool = True

    @classmethod
    def of(cls, n: Floats, s: Floats, ss: Floats) -> Sample:
        """Return simple random samples, without finite population correction."""
        ones = np.ones(n.shape[1])
        return cls(n, s, ss, n, ones, WHOLE, ones)

    def take(self, rows: slice) -> Sample:
        """Return some of the samples."""
        arrays = {name: getattr(self, name)[rows] for name in ("n", "s", "ss", "size")}
        return replace(self, **arrays)

    def uncorrected(self) -> Sample:
        """Return the samples without finite population correction."""
        return replace(self, remaining=np.ones_like(self.remaining))

    @property
    def rates(self) -> Floats:
        """``s / n`` (R, K)."""
        return np.asarray(self.s / self.n)


@dataclass(frozen=True, slots=True)
class Ratio:
    """An estimand of many samples, as the ratio ``Σ y / Σ x``.

    Micro has ``x`` the weighted number of queries and ``y`` the weighted sum of their scores; macro
    has ``x`` the weight of the document and ``y`` that times its rate.

    Attributes
    ----------
    sample : Sample
        The samples.
    estimand : str
        "micro" or "macro".
    x, y : ndarray (R, K)
        Denominators and numerators.
    rows, per_row : ndarray (R, K)
        ``x = per_row · rows``: the rows that a regression would have, and the weight of each.
    total : ndarray (R,)
        ``Σ x``.
    estimate : ndarray (R,)
        ``Σ y / Σ x``.
    residuals : ndarray (R, K)
        ``y - estimate · x``, exactly 0 where the documents share one rate.
    flat : ndarray of bool (R,)
        Whether all documents of the sample share one rate.
    """

    sample: Sample
    estimand: str
    x: Floats
    y: Floats
    rows: Floats
    per_row: Floats
    total: Floats
    estimate: Floats
    residuals: Floats
    flat: Bools

    @classmethod
    def of(cls, sample: Sample, estimand: str) -> Ratio:
        """Return the ratio of an estimand."""
        rates = sample.rates
        if estimand == "micro":
            rows, per_row = sample.n, sample.weight * (sample.size / sample.n)
            x, y = per_row * sample.n, per_row * sample.s
        else:
            rows, per_row = np.ones_like(sample.n), np.broadcast_to(sample.weight, rates.shape)
            x, y = np.asarray(per_row * rows), per_row * rates
        total = x.sum(axis=1)
        estimate = y.sum(axis=1) / total
        flat = np.ptp(rates, axis=1) <= EQUAL_RATES * np.abs(rates).max(axis=1)
        residuals = np.where(flat[:, None], 0.0, y - estimate[:, None] * x)
        return cls(sample, estimand, x, y, rows, per_row, total, estimate, residuals, flat)

    @property
    def n_documents(self) -> int:
        """K."""
        return int(self.x.shape[1])

    @property
    def remaining(self) -> float:
        """``1 - K/M`` of a simple random sample; 1 for other designs, which have no one factor."""
        return float(self.sample.remaining[0]) if self.sample.simple else 1.0
