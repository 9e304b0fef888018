"""Bootstraps by document: of a mean from one row per document, and of any contrast of a fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from ragstats.checks import one_of
from ragstats.core.resampling import DocumentSums, Replicates, document_bootstrap
from ragstats.core.resampling_batches import Report
from ragstats.core.resampling_draws import Draws, check_draws
from ragstats.core.resampling_intervals import BootstrapInterval, bca, percentile, studentized
from ragstats.core.segments import Codes
from ragstats.core.wild_inference import WildOptions, wild_test
from ragstats.evaluation.bootstrap_result import BootstrapResult
from ragstats.evaluation.documents import DocumentTable
from ragstats.evaluation.means import MeanResults, mean_of
from ragstats.evaluation.progress import reporting
from ragstats.evaluation.wild_bootstrap import of_wild
from ragstats.exceptions import DataError, RagstatsWarning, plural, shown, unknown_column
from ragstats.models.estimand import check_estimand
from ragstats.models.groups import encode_groups
from ragstats.models.statsmodels_results import check_alpha

#: With two documents the replicates that vary are copies of the sample, and t* is always 0.
FEWEST = 3

_STILL = "the scores do not vary between documents"


@dataclass(frozen=True, slots=True)
class _Mean:
    """A mean to bootstrap: documents in the order of their ids."""

    table: DocumentTable
    estimand: str
    strata: Codes | None
    alpha: float
    notes: tuple[str, ...]
    progress: Any


def bootstrap(
    table: DocumentTable | MeanResults,
    *,
    estimand: str,
    seed: Any,
    method: str = "t",
    n_boot: int = 9999,
    alpha: float = 0.05,
    strata: Any = None,
    n_jobs: int = 1,
    progress: bool | Report | None = None,
) -> BootstrapResult:
    """Bootstrap a mean by document: whole documents are drawn, duplicates kept.

    Parameters
    ----------
    table : DocumentTable or MeanResults
        One row per document, of one system.
    estimand : {"micro", "macro"}
        The mean; there is no default.
    seed : int or Generator
        The same seed gives the same numbers, whatever ``n_jobs`` is. "wild" does without one (None)
        where it lists all sign vectors.
    method : {"t", "percentile", "bca", "wild"}
        The interval; see ``METHODS``. "wild" is the restricted wild cluster bootstrap.
    n_boot : int
        Replicates; "wild" lists all 2^K sign vectors instead where there are few documents.
    alpha : float
        One minus the confidence level.
    strata : str or array_like (K,), optional
        A kept column, or one value per row of the table: documents are drawn within strata, and
        every document keeps the same weight.
    n_jobs : int
        Processes, through joblib (-1: all cores).
    progress : bool or callable, optional
        A bar on the terminal when the work is long (default), always, or never; or a function
        that is told the replicates done and wanted.

    Returns
    -------
    BootstrapResult

    Raises
    ------
    ValueError
        If an argument is unknown or out of range, or the table has several systems.
    DataError
        If a stratum has one document, or every replicate of "t" is degenerate.

    Notes
    -----
    Documents are drawn in the order of their ids, by ``rng.integers(0, K, (n_boot, K))``. The
    draws are with replacement, as if the population were large: without a finite population
    correction. With few or unequal documents the intervals cover less than they say.

    References
    ----------
    Davison and Hinkley (1997), Bootstrap Methods and their Application, chapter 5; Efron (1987),
    JASA 82(397), 171-185; Cameron, Gelbach and Miller (2008), REStat 90(3), 414-427.

    Examples
    --------
    >>> import ragstats as rs
    >>> from ragstats.evaluation.bootstrap import bootstrap
    >>> scores = rs.datasets.load_retrieval(systems="bm25")
    >>> t = rs.documents(scores, doc="doc_id", score="hit_at_1")
    >>> b = bootstrap(t, estimand="micro", method="t", n_boot=999, seed=1)
    >>> round(b.estimate, 4), b.degenerate_fraction, 0.151 < b.low < b.high < 0.173
    (0.1613, 0.0, True)
    """
    check_estimand(estimand)
    check_alpha(alpha)
    one_of("method", method, METHODS)
    draws = check_draws(seed, n_boot, n_jobs, optional=method == "wild")
    given, notes = _one_system(table, estimand)
    few = given.n_documents
    if method in ("t", "bca") and few < FEWEST and np.ptp(given.rates) > 0:
        raise DataError(
            f"method={method!r} needs at least {FEWEST} documents, and there are {few}: every"
            " resample of two that varies is the sample itself"
        )
    grouping = encode_groups(given.frame[given.doc], argument="doc")
    order = np.argsort(grouping.codes, kind="stable")
    codes = None if strata is None else _strata_codes(given, strata)[order]
    frame = given.frame.iloc[order].reset_index(drop=True)
    ordered = DocumentTable(frame, given.doc, given.score, None, dict(given.unscored), given.kept)
    result = METHODS[method](_Mean(ordered, estimand, codes, alpha, notes, progress), draws)
    said = [s for s in (result.reason, *result.notes) if s and s not in notes]
    if said:
        warnings.warn(f"{method}: {'; '.join(said)}", RagstatsWarning, stacklevel=2)
    return result


def _one_system(
    table: DocumentTable | MeanResults, estimand: str
) -> tuple[DocumentTable, tuple[str, ...]]:
    """Return the table of one system, and what is known of its population."""
    if isinstance(table, DocumentTable):
        return table.system(), ()
    if not isinstance(table, MeanResults):
        raise TypeError(
            f"table is a {type(table).__name__}; give rs.documents(…) or a mean (rs.micro_mean)"
        )
    if estimand != table.estimand:
        raise ValueError(
            f"estimand={estimand!r}: the mean that was given is {table.estimand}; give that, or the"
            " table of documents"
        )
    if table.population is None:
        return table.documents.system(), ()
    note = f"no finite population correction: the draws leave population={table.population} out"
    return table.documents.system(), (note,)


def _strata_codes(table: DocumentTable, strata: Any) -> Codes:
    """Return the stratum of each row of the table."""
    if isinstance(strata, str):
        if strata not in table.frame.columns:
            raise unknown_column("strata", strata, table.frame.columns)
        strata = table.frame[strata]
    if np.ndim(strata) != 1:
        raise TypeError(
            f"strata={shown(strata)}: give the name of a kept column, or one value per document"
        )
    values = pd.Series(np.asarray(strata))
    if len(values) != len(table.frame):
        raise ValueError(
            f"strata has {len(values)} values; give one per document ({len(table.frame)}), or the"
            " name of a kept column"
        )
    codes, levels = pd.factorize(values)
    if (codes < 0).any():
        without = plural(int((codes < 0).sum()), "document has", "documents have")
        raise DataError(f"strata: {without} no stratum")
    counts = np.bincount(codes)
    if counts.min() < 2:
        raise DataError(
            f"strata: stratum '{levels[int(np.argmin(counts))]}' has 1 document, at least 2 needed;"
            " merge it with another"
        )
    return codes.astype(np.intp, copy=False)


def _resampled(
    rule: Callable[[DocumentSums, Replicates, float], BootstrapInterval],
    name: str,
    mean: _Mean,
    draws: Draws,
) -> BootstrapResult:
    """Draw documents, and apply the rule of an interval to the replicates."""
    table = mean.table
    build = DocumentSums.micro if mean.estimand == "micro" else DocumentSums.macro
    sums = build(table.counts, table.totals, mean.strata)
    assert draws.rng is not None
    with reporting(mean.progress, draws.n_boot * sums.n_groups) as report:
        replicates = document_bootstrap(
            sums, draws.n_boot, draws.rng, mapper=draws.mapper, report=report
        )
    if rule is studentized and sums.se == 0:
        interval = BootstrapInterval(nan, nan, n_discarded=int(replicates.degenerate.sum()))
        reason = f"{_STILL}, so that no replicate has a standard error"
    else:
        interval, reason = rule(sums, replicates, mean.alpha), ""
    found = [interval.note] if interval.note else []
    if sums.se == 0 and not reason:
        found.append(f"{_STILL}: the interval has no width")
    where = "" if mean.strata is None else f", {sums.n_strata} strata"
    return BootstrapResult(
        label=table.score,
        estimate=sums.estimate,
        se=float(replicates.change.std(ddof=1)) if draws.n_boot > 1 else nan,
        low=interval.low,
        high=interval.high,
        pvalue=interval.pvalue,
        method=f"{name}{where}",
        estimand=mean.estimand,
        n_boot=draws.n_boot,
        n_discarded=interval.n_discarded,
        degenerate_fraction=replicates.degenerate_fraction,
        n_documents=sums.n_groups,
        alpha=mean.alpha,
        seed=draws.seed,
        reason=reason,
        notes=(*mean.notes, *found),
        replicates=sums.estimate + replicates.change,
        documents=table,
    )


def _wild_mean(mean: _Mean, draws: Draws) -> BootstrapResult:
    """Test that the mean is 0 by the restricted wild bootstrap, and invert the test."""
    if mean.strata is not None:
        raise ValueError("strata= with method='wild': no document is drawn; use 't' or another")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagstatsWarning)  # said below, once
        inference = mean_of(mean.table, mean.estimand)._inference
    with reporting(mean.progress, draws.n_boot * mean.table.n_documents) as report:
        test = wild_test(
            inference, np.ones(1), 0.0, mean.alpha, draws, WildOptions(), report=report
        )
    return BootstrapResult(
        **of_wild(test, draws),
        label=mean.table.score,
        estimand=mean.estimand,
        n_documents=mean.table.n_documents,
        alpha=mean.alpha,
        notes=mean.notes,
        documents=mean.table,
    )


#: Name → how a mean is bootstrapped.
METHODS: dict[str, Callable[[_Mean, Draws], BootstrapResult]] = {
    "t": partial(_resampled, studentized, "bootstrap-t, CR1"),
    "percentile": partial(_resampled, percentile, "percentile"),
    "bca": partial(_resampled, bca, "BCa"),
    "wild": _wild_mean,
}
