"""The document bootstrap on the document moments: no row is touched again.

A replicate draws K documents with replacement; a document that is drawn twice counts as two
clusters. So a replicate is the vector of the documents' counts, and every statistic is a sum of
moments weighted by it.

Both estimands are one ratio ``Σ total / Σ size``: micro with the documents' own sizes and sums,
macro with sizes 1 and the rates as sums. Its CR1 standard error is then ``sd(r)/√K`` for macro.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ragstats.core.resampling_batches import (
    BATCH_CELLS,
    Mapper,
    Report,
    batch_sizes,
    run_batches,
    weighted_sums,
)
from ragstats.core.segments import Codes, Floats
from ragstats.exceptions import DataError

#: Rates that differ by less than this, relative to the largest, are equal: sums of up to 10⁴ scores
#: carry less rounding than that, and scores are not reported to twelve digits.
EQUAL_RATES = 1e-12
#: Below this share of its parts a sum of squares from moments has lost digits, and is summed again
#: from the deviations themselves.
CANCELLED = 1e-2


@dataclass(frozen=True, slots=True)
class DocumentSums:
    """What the bootstrap of a ratio needs of the documents.

    Attributes
    ----------
    size : ndarray (K,)
        ``n_d`` (micro), or 1 (macro).
    total : ndarray (K,)
        ``s_d`` (micro), or the rate ``s_d / n_d`` (macro).
    strata : ndarray of int (K,)
        The stratum of each document, 0 … H-1; all 0 without strata.
    """

    size: Floats
    total: Floats
    strata: Codes

    @classmethod
    def micro(cls, size: Floats, total: Floats, strata: Codes | None = None) -> DocumentSums:
        """Return the sums of the micro mean, ``Σs / Σn``."""
        return _checked(cls(size, total, _one_stratum(size) if strata is None else strata))

    @classmethod
    def macro(cls, size: Floats, total: Floats, strata: Codes | None = None) -> DocumentSums:
        """Return the sums of the macro mean, the mean of ``s_d / n_d``."""
        codes = _one_stratum(size) if strata is None else strata
        return _checked(cls(np.ones_like(size), total / size, codes))

    @property
    def n_groups(self) -> int:
        """K, the number of documents."""
        return len(self.size)

    @property
    def n_strata(self) -> int:
        """H, the number of strata."""
        return int(self.strata.max()) + 1

    @property
    def rates(self) -> Floats:
        """``total / size`` (K,)."""
        return self.total / self.size

    @property
    def estimate(self) -> float:
        """``θ̂ = Σ total / Σ size``."""
        return float(self.total.sum() / self.size.sum())

    @property
    def residuals(self) -> Floats:
        """``total - θ̂ size`` (K,); exactly 0 where all documents share one rate."""
        if not rate_classes(self.rates).any():
            return np.zeros_like(self.total)
        return self.total - self.estimate * self.size

    @property
    def se(self) -> float:
        """The CR1 standard error of the estimate, residuals centred within strata.

        It is exactly 0 where the documents (of each stratum) do not vary.
        """
        every = np.arange(self.n_groups)[None, :]
        _, se, degenerate = replicate_statistics(self, every)[:, 0]
        return 0.0 if degenerate else float(se)

    def leave_one_out(self) -> Floats:
        """Return the estimate without each document (K,), its stratum reweighted to its share."""
        counts = np.bincount(self.strata).astype(float)
        share = (counts / (counts - 1))[self.strata]

        def left(column: Floats) -> Floats:
            stratum = np.bincount(self.strata, weights=column)[self.strata]
            return np.asarray(column.sum() - stratum + share * (stratum - column))

        return left(self.total) / left(self.size)


def _one_stratum(size: Floats) -> Codes:
    return np.zeros(len(size), np.intp)


def _checked(sums: DocumentSums) -> DocumentSums:
    """Raise unless every stratum has two documents."""
    counts = np.bincount(sums.strata, minlength=1)
    if counts.min() < 2:
        where = "documents" if counts.size == 1 else f"strata: stratum {int(np.argmin(counts))}"
        raise DataError(
            f"{where}: {int(counts.min())} document, at least 2 needed; resampling cannot vary one"
        )
    return sums


@dataclass(frozen=True, slots=True)
class Replicates:
    """The replicates of a document bootstrap.

    Attributes
    ----------
    change : ndarray (B,)
        ``θ* - θ̂``.
    se : ndarray (B,)
        The replicate's own CR1 standard error; NaN where it is degenerate.
    degenerate : ndarray of bool (B,)
        Whether the drawn documents leave nothing to vary.
    """

    change: Floats
    se: Floats
    degenerate: np.ndarray

    @property
    def degenerate_fraction(self) -> float:
        """The share of degenerate replicates."""
        return float(self.degenerate.mean())


def rate_classes(rates: Floats) -> Codes:
    """Return a code (K,) for each rate, equal where rates are equal but for rounding."""
    order = np.argsort(rates, kind="stable")
    apart = np.diff(rates[order]) > EQUAL_RATES * np.abs(rates).max()
    classes = np.empty(len(rates), np.intp)
    classes[order] = np.concatenate([[0], np.cumsum(apart)])
    return classes


def draw_documents(
    rng: np.random.Generator, n_boot: int, strata: Codes, *, cells: int = BATCH_CELLS
) -> Iterator[Codes]:
    """Yield the drawn documents, (b, K) positions per batch.

    Without strata the stream is that of the one call ``rng.integers(0, K, (n_boot, K))``, whatever
    the size of the batches. With strata position j of a replicate draws from the documents of the
    stratum of document j: the stream is that of ``rng.integers(0, K_h[strata], (n_boot, K))``, and
    the number drawn counts the documents of the stratum in their order.
    """
    counts = np.bincount(strata)
    members = np.argsort(strata, kind="stable")
    first = (np.cumsum(counts) - counts)[strata]
    for size in batch_sizes(n_boot, len(strata), cells):
        if counts.size == 1:
            yield rng.integers(0, len(strata), (size, len(strata)))
        else:
            yield members[first + rng.integers(0, counts[strata], (size, len(strata)))]


def count_documents(drawn: Codes, n_groups: int) -> Floats:
    """Return how often each document was drawn, (b, K)."""
    shifted = drawn + np.arange(0, len(drawn) * n_groups, n_groups)[:, None]
    flat = np.bincount(shifted.ravel(), minlength=len(drawn) * n_groups)
    return flat.reshape(len(drawn), n_groups).astype(float)


def replicate_statistics(sums: DocumentSums, drawn: Codes) -> Floats:
    """Return ``θ* - θ̂``, ``se*`` and whether degenerate (0 or 1), (3, b), of drawn documents.

    ``drawn`` is (b, K). With ``u* = e - δ n``, ``e`` the residuals of the sample and
    ``δ = θ* - θ̂``, the variance is ``Σ_h K_h/(K_h-1) Σ_{d in h} (u*_d - ū*_h)² / (Σ n)²``:
    Cochran (1977), sections 6.3 and 6.11 (the combined ratio).
    """
    counts = count_documents(drawn, sums.n_groups)
    residuals, size = sums.residuals, sums.size
    columns = np.stack([residuals, size, residuals**2, residuals * size, size**2])
    by_stratum = [weighted_sums(counts[:, inside], columns[:, inside]) for inside in _strata(sums)]
    moments = np.sum(by_stratum, axis=0)
    change = moments[0] / moments[1]
    square, parts = np.zeros(len(counts)), np.zeros(len(counts))
    for inside, (e, n, ee, en, nn) in zip(_strata(sums), by_stratum, strict=True):
        k = sums.size[inside].size
        mean = (e - change * n) / k if len(by_stratum) > 1 else 0.0
        factor = k / (k - 1)
        square += factor * (ee - 2 * change * en + change**2 * nn - k * mean**2)
        parts += factor * (ee + change**2 * nn)
    degenerate = np.zeros(len(counts), bool)
    again = np.flatnonzero(square <= CANCELLED * parts)
    if again.size:
        square[again], degenerate[again] = _from_deviations(sums, counts[again], change[again])
    se = np.sqrt(np.where(degenerate, np.nan, np.maximum(square, 0.0))) / moments[1]
    return np.stack([change, se, degenerate.astype(float)])


def _strata(sums: DocumentSums) -> list[np.ndarray | slice]:
    """Return what selects the documents of each stratum."""
    if sums.n_strata == 1:
        return [slice(None)]
    return [np.flatnonzero(sums.strata == h) for h in range(sums.n_strata)]


def _from_deviations(
    sums: DocumentSums, counts: Floats, change: Floats
) -> tuple[Floats, np.ndarray]:
    """Return the sums of squares and whether degenerate, from the deviations of each document.

    Without strata a replicate is degenerate when all drawn documents share one rate. With strata it
    is when, within every stratum, the drawn documents have one residual.
    """
    deviations = sums.residuals - change[:, None] * sums.size
    drawn = counts > 0
    square = np.zeros(len(counts))
    for inside in _strata(sums):
        k = sums.size[inside].size
        weights, part = counts[:, inside], deviations[:, inside]
        if sums.n_strata > 1:
            part = part - np.einsum("bk,bk->b", weights, part)[:, None] / k
            deviations[:, inside] = part
        square += k / (k - 1) * np.einsum("bk,bk,bk->b", weights, part, part)
    if sums.n_strata == 1:
        classes = rate_classes(sums.rates)
        low = np.where(drawn, classes, sums.n_groups).min(axis=1)
        return square, low == np.where(drawn, classes, -1).max(axis=1)
    estimate = np.abs(sums.estimate + change)[:, None]
    scale = np.where(drawn, np.abs(sums.total) + estimate * sums.size, 0.0).max(axis=1)
    widest = np.where(drawn, np.abs(deviations), 0.0).max(axis=1)
    return square, widest <= EQUAL_RATES * scale


def document_bootstrap(
    sums: DocumentSums,
    n_boot: int,
    rng: np.random.Generator,
    *,
    mapper: Mapper = map,
    report: Report | None = None,
    cells: int = BATCH_CELLS,
) -> Replicates:
    """Draw the replicates of a document bootstrap.

    Parameters
    ----------
    sums : DocumentSums
        The documents.
    n_boot : int
        B, the number of replicates.
    rng : Generator
        Where the random numbers come from; see :func:`draw_documents` for the stream.
    mapper, report
        As in :func:`ragstats.core.resampling_batches.run_batches`.
    cells : int
        Largest number of draws held at once; no result depends on it.

    References
    ----------
    Davison and Hinkley (1997), Bootstrap Methods and their Application, sections 2.4, 3.2 and 3.8;
    Field and Welsh (2007), JRSS B 69(3), 369-390 (the cluster bootstrap).

    Examples
    --------
    >>> import numpy as np
    >>> sums = DocumentSums.micro(np.array([1., 2, 5, 9]), np.array([1., 1, 2, 5]))
    >>> replicates = document_bootstrap(sums, 999, np.random.default_rng(1))
    >>> replicates.change.shape, round(sums.estimate, 4), round(sums.se, 4)
    ((999,), 0.5294, 0.0568)
    """
    statistics = run_batches(
        partial(replicate_statistics, sums),
        draw_documents(rng, n_boot, sums.strata, cells=cells),
        n_boot,
        mapper=mapper,
        report=report,
    )
    change, se, degenerate = statistics
    if np.abs(change).max() <= EQUAL_RATES * np.abs(sums.rates).max():
        change = np.zeros_like(change)  # resampling changes nothing; what is left is rounding
    return Replicates(change, se, degenerate > 0)
