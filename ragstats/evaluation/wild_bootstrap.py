"""The wild cluster bootstrap of any contrast of an OLS or WLS fit."""

from __future__ import annotations

import warnings
from math import nan
from typing import Any

from ragstats.checks import one_of
from ragstats.core.inference import ClusterInference
from ragstats.core.resampling_batches import Report
from ragstats.core.resampling_draws import Draws, check_draws
from ragstats.core.segments import Floats
from ragstats.core.wild import STUDENTIZED_BY
from ragstats.core.wild_inference import WildOptions, WildTest, check_leverage_form, wild_test
from ragstats.evaluation.bootstrap_result import BootstrapResult
from ragstats.evaluation.progress import reporting
from ragstats.exceptions import RagstatsWarning, plural, shown
from ragstats.models.hypotheses import parse_constraints
from ragstats.models.statsmodels_results import check_alpha


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
    Replicates with ``|t*|`` equal to ``|t|`` (to 1e-9, relatively) count as extreme, and the sample
    counts itself: as one of all sign vectors, so that p is at least 1/2^K (under WCR its mirror
    image ties with it, and a two-sided p is at least 2/2^K), or beside random replicates, where
    ``p = (1 + extreme) / (1 + n_boot)``.

    References
    ----------
    Cameron, Gelbach and Miller (2008), REStat 90(3), 414-427; MacKinnon, Nielsen and Webb (2023),
    J. Econometrics 232(2), 272-299.

    Examples
    --------
    >>> import ragstats as rs
    >>> from ragstats.evaluation.wild_bootstrap import wild_bootstrap
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
            f"r_matrix={shown(r_matrix)} has {plural(len(rows), 'row')},"
            f" {int(rows.any(axis=1).sum())} of"
            " them not 0; the wild bootstrap tests one contrast, so call it once for each"
        )
    one_of("studentize", studentize, STUDENTIZED_BY)
    options = WildOptions(scheme, weights, studentize, alternative)
    if studentize == "CR2" and results.weighted:
        check_leverage_form(inference)
    draws = check_draws(seed, n_boot, n_jobs, optional=True)
    n_groups = inference.moments.n_groups
    with reporting(progress, draws.n_boot * n_groups) as report:
        test = wild_test(inference, rows[0], float(values[0]), alpha, draws, options, report=report)
    notes = (f"cannot be estimated without document {test.needs}",) if test.needs else ()
    label = r_matrix if isinstance(r_matrix, str) else _named(rows[0], values[0], results)
    for said in (test.reason, *notes):
        if said:
            warnings.warn(f"{label}: {said}", RagstatsWarning, stacklevel=2)
    return BootstrapResult(
        **of_wild(test, draws),
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


def of_wild(test: WildTest, draws: Draws) -> dict[str, Any]:
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
