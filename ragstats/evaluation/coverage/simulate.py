"""`simulate_coverage`: do the intervals cover, on data like yours?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

import numpy as np
import pandas as pd

from ragstats.checks import one_of, whole
from ragstats.core.resampling import EQUAL_RATES
from ragstats.core.resampling_draws import check_draws
from ragstats.evaluation.coverage.choose import choose_estimands, choose_methods
from ragstats.evaluation.coverage.designs import DESIGNS, plan_of
from ragstats.evaluation.coverage.methods import METHODS, Ask
from ragstats.evaluation.coverage.population import population_of
from ragstats.evaluation.coverage.result import CoverageResult
from ragstats.evaluation.coverage.running import Outcome, Report, Task, run
from ragstats.evaluation.coverage.tally import DEGENERATE, tally
from ragstats.evaluation.progress import reporting
from ragstats.models.statsmodels_results import check_alpha

#: Say so when samples hold more than this share of the population, and nothing corrects for it.
LARGE_SHARE = 0.1


def simulate_coverage(
    data: Any,
    *,
    documents: int,
    estimand: str | Sequence[str],
    score: str | None = None,
    doc: str | None = None,
    replications: int = 2000,
    methods: str | Sequence[str] = "closed-form",
    design: str = "srs",
    strata: str | None = None,
    allocation: str | Mapping[Any, int] | None = None,
    queries_per_document: int | None = None,
    replace: bool = False,
    fpc: bool = False,
    system: str | None = None,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    query: str | None = None,
    unmatched: str = "error",
    alpha: float = 0.05,
    n_boot: int = 999,
    degenerate: str = "miss",
    seed: Any = None,
    n_jobs: int = 1,
    progress: bool | Report | None = None,
) -> CoverageResult:
    """Try the interval methods on samples of your own documents.

    The documents of ``data`` are the population, and the value over all of them is the truth. Many
    samples are drawn from them, and every method is asked how often its interval holds the truth.

    Parameters
    ----------
    data : DataFrame or DocumentTable
        Scored rows (pandas, polars, pyarrow), or one row per document from ``rs.documents``.
    documents : int
        K, the documents of each sample; with strata over all of them.
    estimand : {"micro", "macro"} or a list of both
        The mean; there is no default.
    score, doc : str
        Columns of scores and of documents, when ``data`` holds rows.
    replications : int
        Samples to draw. With 2,000 the simulation error of a coverage of 95 % is half a point.
    methods : {"closed-form", "all"} or list of str
        "closed-form" takes seconds for thousands of documents; "all" adds the wild bootstrap and
        the bootstraps by document, whose resamples take minutes. Or names of ``METHODS``: "cr2"
        (the default of the package; "t" is the same), "cr2-ik", "cr3", "cr1", "survey",
        "korn-graubard", "logit", "clip", "wild", "bootstrap-t", "bootstrap-t-cr2", "percentile",
        "bca", "n_eff", "n_eff-mean" and "iid". Groups leave out what is not defined for the
        estimand, the design or the scores.
    design : {"srs", "stratified", "two-stage"}
        Documents at random; at random within strata; or documents at random, and queries at random
        within each of them.
    strata : str, optional
        The column of strata, constant within documents.
    allocation : "proportional" or mapping of stratum to int, optional
        The documents to draw from each stratum; proportional to its documents by default, two at
        least.
    queries_per_document : int, optional
        Queries to draw in each document, all where it has fewer.
    replace : bool
        Whether documents are drawn with replacement.
    fpc : bool
        Whether the variances have the finite population correction: ``1 - K/M`` for simple samples;
        by stratum, or by stage, in "survey". Bootstraps, "iid" and "n_eff" have none.
    system, systems, baseline, query, unmatched
        As in :func:`ragstats.compare`: the column of systems; which system, or which two (one name
        is enough beside a baseline); the one that is subtracted; the column of queries; and what to
        do with queries that only one has.
    alpha : float
        One minus the confidence level.
    n_boot : int
        Replicates of each bootstrap.
    degenerate : {"miss", "zero-width", "skip"}
        Intervals that cannot be had, or have no width because the documents of a sample do not
        vary: count them as misses; take the estimate as interval; or leave them out. Their share is
        reported in any case.
    seed : int or Generator, optional
        The same seed gives the same numbers, whatever ``n_jobs`` is.
    n_jobs : int
        Processes, through joblib (-1: all cores).
    progress : bool or callable, optional
        A bar on the terminal when the work is long (default), always, or never; or a function that
        is told the samples done and wanted.

    Returns
    -------
    CoverageResult
        ``.table`` (by estimand and method), ``.estimators``, ``.summary()``, ``.plot()``,
        ``.to_dict()``.

    Raises
    ------
    ValueError
        If an argument is unknown, missing, out of range or out of place.
    DataError
        If there are fewer documents than are to be drawn, or a method is not for these scores.

    Notes
    -----
    The simulated samples come from the documents at hand, as a bootstrap world does: the answer is
    about populations like this one. "wild" is the test of the truth: it covers where it does not
    reject, its side of a miss is that of the estimate, and it has no width.

    Under "stratified" the estimate is the combined ratio with weights M_h/K_h, and under
    "two-stage" each document's queries stand for all of its own (the weights of a regression with
    CR1 or CR2 are these, its working model identity).

    References
    ----------
    Cochran (1977), Sampling Techniques, 3rd ed., chapters 2, 6 and 11; Bell and McCaffrey (2002),
    Survey Methodology 28(2), 169-181; Imbens and Kolesár (2016), REStat 98(4), 701-712; Korn and
    Graubard (1998), Survey Methodology 24(2), 193-201; Cameron, Gelbach and Miller (2008), REStat
    90(3), 414-427.

    Examples
    --------
    >>> import ragstats as rs
    >>> from ragstats.evaluation.coverage import simulate_coverage
    >>> scores = rs.datasets.load_retrieval(systems="bm25")
    >>> c = simulate_coverage(scores, score="doc_hit_at_1", doc="doc_id", documents=20,
    ...                       estimand="micro", methods=["cr2", "iid"], replications=400, seed=1)
    >>> c.table[["method", "coverage"]].round(2).values.tolist()
    [['cr2', 0.92], ['iid', 0.55]]
    """
    check_alpha(alpha)
    estimands = choose_estimands(estimand)
    one_of("degenerate", degenerate, DEGENERATE)
    one_of("design", design, DESIGNS)
    replications = whole("replications", replications)
    draws = check_draws(seed, n_boot, n_jobs, optional=True)
    population = population_of(
        data, score=score, doc=doc, system=system, systems=systems, baseline=baseline, query=query,
        strata=strata, unmatched=unmatched, rows=design == "two-stage",
    )  # fmt: skip
    plan = plan_of(
        population, design=design, documents=documents, replace=replace, correct=fpc,
        allocation=allocation, queries_per_document=queries_per_document,
    )  # fmt: skip
    chosen, notes = choose_methods(methods, estimands, plan, population)
    asks = {e: Ask(alpha, population.truth(e), draws.n_boot) for e in estimands}
    task = Task(population, plan, chosen, asks)
    entropy, words = _entropy(seed)
    with reporting(progress, _work(task, replications), "coverage") as report:
        outcomes = run(task, replications, entropy, cast(Any, draws.mapper), report)
    return CoverageResult(
        label=population.label,
        table=_table(outcomes, task, degenerate),
        estimators=_estimators(outcomes, task),
        plan=plan,
        population=population.n_documents,
        replications=replications,
        alpha=alpha,
        n_boot=draws.n_boot,
        degenerate=degenerate,
        seed=words,
        notes=(*population.notes, *_said_of(task), *notes),
    )


# --- arguments ---------------------------------------------------------------------------------


def _entropy(seed: Any) -> tuple[Any, str]:
    """Return what the streams grow from, and the same in words."""
    if isinstance(seed, np.random.Generator):
        return seed.integers(0, 2**32, 8).tolist(), "a Generator that was given"
    entropy = np.random.SeedSequence(None if seed is None else int(seed)).entropy
    return entropy, f"seed={entropy}"


def _work(task: Task, replications: int) -> float:
    cells = replications * task.plan.documents
    drawn = [m for methods in task.chosen.values() for m in methods if m.needs != "closed"]
    return float(cells * task.asks[next(iter(task.asks))].n_boot if drawn else cells)


# --- telling ---------------------------------------------------------------------------------


def _table(outcomes: dict[str, Outcome], task: Task, rule: str) -> pd.DataFrame:
    rounding = EQUAL_RATES * float(np.abs(task.population.s / task.population.n).max())
    rows = []
    for estimand, outcome in outcomes.items():
        truth = task.asks[estimand].truth
        for name, limits in outcome.limits.items():
            width = METHODS[name].width
            counted = tally(limits, truth, rule, rounding=rounding, width=width)
            rows.append({"estimand": estimand, "method": name, **asdict(counted)})
    return pd.DataFrame(rows)


def _estimators(outcomes: dict[str, Outcome], task: Task) -> pd.DataFrame:
    rows = []
    for estimand, outcome in outcomes.items():
        truth, estimate = task.asks[estimand].truth, outcome.estimate
        known = outcome.df[~np.isnan(outcome.df)]
        rows.append(
            {
                "estimand": estimand,
                "truth": truth,
                "bias": float(estimate.mean() - truth),
                "bias_mc_error": float(estimate.std() / np.sqrt(len(estimate))),
                "rmse": float(np.sqrt(((estimate - truth) ** 2).mean())),
                "mean_df": float(known.mean()) if known.size else np.nan,
                "flat": float(outcome.flat.mean()),
            }
        )
    return pd.DataFrame(rows)


def _said_of(task: Task) -> tuple[str, ...]:
    """Return what is to be known of the design."""
    plan, m = task.plan, task.population.n_documents
    notes = []
    if not plan.replace and plan.documents == m:
        notes.append(
            "every sample is the whole population, a census: draw fewer documents, or replace=True"
        )
    elif not plan.correct and not plan.replace and plan.documents > LARGE_SHARE * m:
        notes.append(
            f"K/M = {plan.documents / m:.0%}, and intervals have no finite population correction"
            " (fpc=True)"
        )
    alpha = next(iter(task.asks.values())).alpha
    signed = any(row.needs == "signs" for methods in task.chosen.values() for row in methods)
    if signed and 2.0 ** (1 - plan.documents) > alpha:
        notes.append(
            f"wild never rejects with {plan.documents} documents: the smallest p of all sign"
            f" vectors is {2.0 ** (1 - plan.documents):.3g}, so its interval is the whole line"
        )
    return tuple(notes)
