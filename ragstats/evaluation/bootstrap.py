"""Bootstraps by document: of a mean from one row per document, and of any contrast of a fit."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import Progress

from ragstats.core.inference import ClusterInference
from ragstats.core.resampling import DocumentSums, Replicates, document_bootstrap
from ragstats.core.resampling_batches import Report
from ragstats.core.resampling_draws import Draws, check_draws
from ragstats.core.resampling_intervals import BootstrapInterval, bca, percentile, studentized
from ragstats.core.segments import Codes, Floats
from ragstats.core.wild_test import WildOptions, WildTest, check_leverage_form, wild_test
from ragstats.evaluation.documents import DocumentTable
from ragstats.evaluation.means import MeanResults, mean_of
from ragstats.exceptions import DataError, RagstatsWarning, unknown_column, unknown_option
from ragstats.models.estimand import check_estimand
from ragstats.models.groups import encode_groups
from ragstats.models.hypotheses import parse_constraints
from ragstats.models.statsmodels_results import check_alpha

#: Replicates × documents from which work is long: about 2 seconds.
LONG_WORK = 2e8

_STILL = "the scores do not vary between documents"


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapResult:
    """A bootstrap by document, and its interval.

    Attributes
    ----------
    label : str
        The score, or the hypothesis.
    estimate : float
        The mean (minus 0), or the contrast of the coefficients.
    se : float
        Standard deviation of the replicates' estimates, degenerate ones included. Under the wild
        bootstrap, whose replicates are centred at the null, the SE that studentizes.
    low, high : float
        The limits; NaN with a ``reason``, infinite where no null on that side is rejected.
    pvalue : float
        p of "the mean is 0", or of the hypothesis; NaN for "percentile" and "bca".
    method, estimand : str
        How, and what; the estimand of a contrast is that of its fit.
    n_boot, n_discarded : int
        Replicates, and those without an interval statistic, which were left out.
    degenerate_fraction : float
        Share of replicates whose drawn documents share one rate, so that they have no SE; NaN under
        the wild bootstrap, which draws no documents.
    n_documents : int
        K.
    alpha : float
        One minus the confidence level.
    seed : str
        Where the random numbers came from.
    reason : str
        Why the limits are NaN; empty otherwise.
    notes : tuple of str
        What else there is to know.
    replicates : ndarray (n_boot,) or None
        The estimates of the replicates; under WCR they are centred at the null.
    documents : DocumentTable or None
        The aggregates that a mean was computed from.
    """

    label: str
    estimate: float
    se: float
    low: float
    high: float
    pvalue: float
    method: str
    estimand: str
    n_boot: int
    n_discarded: int
    degenerate_fraction: float
    n_documents: int
    alpha: float
    seed: str
    reason: str = ""
    notes: tuple[str, ...] = ()
    replicates: Floats | None = None
    documents: DocumentTable | None = None

    def conf_int(self) -> pd.DataFrame:
        """Return the limits, one row, in the layout of statsmodels."""
        return pd.DataFrame([[self.low, self.high]], index=[self.label], columns=[0, 1])

    def summary(self) -> str:
        """Return the result as text of at most 80 columns."""
        level = f"{100 * (1 - self.alpha):.4g}% interval"
        share = self.degenerate_fraction
        degenerate = "" if np.isnan(share) else f" ({share:.4%} degenerate)"
        rows = {
            "method": self.method,
            "estimand": self.estimand,
            "estimate": f"{self.estimate:.6g}",
            "standard error": f"{self.se:.4g}",
            level: f"[{self.low:.6g}, {self.high:.6g}]",
            "p-value": "not defined" if np.isnan(self.pvalue) else f"{self.pvalue:.4g}",
            "documents": f"{self.n_documents}",
            "replicates": f"{self.n_boot}, {self.n_discarded} discarded{degenerate}",
            "random numbers": self.seed,
        }
        lines = [f"Bootstrap by document: {self.label}"]
        lines += [f"  {name:<16}{text}" for name, text in rows.items()]
        said = [f"NaN: {self.reason}"] if self.reason else []
        for sentence in said + [f"note: {note}" for note in self.notes]:
            lines += textwrap.wrap(sentence, 80, initial_indent="  ", subsequent_indent="    ")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the result without its replicates, and the aggregates to draw them again."""
        left_out = ("replicates", "documents")
        stored = {n: getattr(self, n) for n in self.__slots__ if n not in left_out}
        stored["notes"] = list(self.notes)
        if self.documents is not None:
            stored["aggregates"] = self.documents.to_dict()
        return stored


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
    if method not in METHODS:
        raise unknown_option("method", method, METHODS)
    draws = check_draws(seed, n_boot, n_jobs, optional=method == "wild")
    given, notes = _one_system(table, estimand)
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
    values = pd.Series(np.asarray(strata))
    if len(values) != len(table.frame):
        raise ValueError(
            f"strata has {len(values)} values; give one per document ({len(table.frame)}), or the"
            " name of a kept column"
        )
    codes, levels = pd.factorize(values)
    if (codes < 0).any():
        raise DataError(f"strata: {int((codes < 0).sum())} documents have no stratum")
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
    with _reporting(mean.progress, draws.n_boot * sums.n_groups) as report:
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
    with _reporting(mean.progress, draws.n_boot * mean.table.n_documents) as report:
        test = wild_test(
            inference, np.ones(1), 0.0, mean.alpha, draws, WildOptions(), report=report
        )
    return BootstrapResult(
        **_of_wild(test, draws),
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


def wild_bootstrap(
    results: Any,
    r_matrix: Any,
    *,
    scheme: str = "WCR",
    weights: str = "rademacher",
    studentize: str = "CR1",
    alternative: str = "two-sided",
    n_boot: int = 9999,
    seed: Any = None,
    alpha: float = 0.05,
    n_jobs: int = 1,
    progress: bool | Report | None = None,
) -> BootstrapResult:
    """Test one contrast by the wild cluster bootstrap, with the interval of the inverted test.

    Parameters
    ----------
    results : OLSResults, WLSResults or MeanResults
        A fit; with weights its whitened rows are bootstrapped.
    r_matrix : str, array_like or tuple
        One hypothesis, as in ``t_test``: ``"x = 0"``, a row (p,), or ``(R, d)``.
    scheme : {"WCR", "WCU"}
        Whether the null is imposed on the replicates (restricted), or not.
    weights : {"rademacher", "webb", "mammen"}
        The distribution of the documents' weights. All 2^K Rademacher sign vectors are used, each
        once, when K ≤ 12 or 2^K ≤ ``n_boot``; then nothing is random.
    studentize : {"CR1", "CR2"}
        The covariance type of t and t*.
    alternative : {"two-sided", "larger", "smaller"}
        Of the p-value; two-sided is symmetric, by ``|t|``. A one-sided test gives a one-sided
        interval.
    n_boot, seed, alpha, n_jobs, progress
        As in :func:`bootstrap`; the seed is needed when weights are random.

    Returns
    -------
    BootstrapResult
        ``se`` is the SE that studentizes.

    Raises
    ------
    ValueError
        If an argument is unknown, there are several hypotheses, or random weights have no seed.
    TypeError
        If the results are no least-squares fit of ragstats.

    Notes
    -----
    Replicates with ``|t*|`` equal to ``|t|`` (to 1e-9, relatively) count as extreme. Random
    replicates give ``p = (1 + extreme) / (1 + n_boot)``.

    References
    ----------
    Cameron, Gelbach and Miller (2008), REStat 90(3), 414-427; MacKinnon, Nielsen and Webb (2023),
    J. Econometrics 232(2), 272-299.

    Examples
    --------
    >>> import ragstats as rs
    >>> from ragstats.evaluation.bootstrap import wild_bootstrap
    >>> r = rs.micro_mean("d", rs.datasets.load_eight_documents(), groups="doc")
    >>> w = wild_bootstrap(r, "Intercept = 0")
    >>> w.n_boot, round(w.pvalue, 3), round(w.low, 3), round(w.high, 3)
    (256, 0.172, -0.157, 0.19)
    """
    check_alpha(alpha)
    inference = _least_squares_inference(results)
    rows, values = parse_constraints(r_matrix, results.model.exog_names)
    if len(rows) != 1 or not rows.any():
        raise ValueError(
            f"r_matrix={r_matrix!r} has {len(rows)} rows, {int(rows.any(axis=1).sum())} of them not"
            " 0; the wild bootstrap tests one contrast, so call it once for each"
        )
    options = WildOptions(scheme, weights, studentize, alternative)
    if studentize == "CR2" and results.weighted:
        check_leverage_form(inference)
    draws = check_draws(seed, n_boot, n_jobs, optional=True)
    n_groups = inference.moments.n_groups
    with _reporting(progress, draws.n_boot * n_groups) as report:
        test = wild_test(inference, rows[0], float(values[0]), alpha, draws, options, report=report)
    notes = (f"cannot be estimated without document {test.needs}",) if test.needs else ()
    label = r_matrix if isinstance(r_matrix, str) else _named(rows[0], values[0], results)
    for said in (test.reason, *notes):
        if said:
            warnings.warn(f"{label}: {said}", RagstatsWarning, stacklevel=2)
    return BootstrapResult(
        **_of_wild(test, draws),
        label=label,
        estimand=results.estimand,
        n_documents=n_groups,
        alpha=alpha,
        notes=notes,
    )


def _least_squares_inference(results: Any) -> ClusterInference:
    inference = getattr(results, "_inference", None)
    if not isinstance(inference, ClusterInference) or hasattr(results, "family"):
        raise TypeError(
            f"results is a {type(results).__name__}; the wild bootstrap needs a least-squares fit:"
            " rs.ols, rs.wls, rs.micro_mean or rs.macro_mean"
        )
    return inference


def _named(row: Floats, value: float, results: Any) -> str:
    """Return a hypothesis in words."""
    names = results.model.exog_names
    terms = [f"{c:g}*{n}" if c != 1 else n for c, n in zip(row, names, strict=True) if c]
    return f"{' + '.join(terms)} = {value:g}"


def _of_wild(test: WildTest, draws: Draws) -> dict[str, Any]:
    """Return the fields of a result that a wild bootstrap fills."""
    return {
        **{n: getattr(test, n) for n in ("estimate", "se", "low", "high", "pvalue", "method")},
        "n_boot": test.n_boot,
        "n_discarded": 0,
        "degenerate_fraction": nan,
        "seed": "none: nothing is random" if test.listed else draws.seed,
        "reason": test.reason,
        "replicates": test.replicates,
    }


@contextmanager
def _reporting(progress: Any, cells: float) -> Iterator[Report | None]:
    """Give the report of progress: the caller's, a bar on a terminal, or none."""
    if callable(progress):
        yield progress
        return
    console = Console(stderr=True)
    if progress is False or (progress is None and not (console.is_terminal and cells > LONG_WORK)):
        yield None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("bootstrap", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
