"""The wild bootstrap test of one contrast of a fit: p, interval, and why they are missing."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan

import numpy as np

from ragstats.checks import one_of
from ragstats.core.covariance import inverse_variance
from ragstats.core.hypothesis import ALTERNATIVES
from ragstats.core.inference import ClusterInference
from ragstats.core.resampling_batches import Report
from ragstats.core.resampling_draws import Draws
from ragstats.core.segments import Floats
from ragstats.core.wild import WildReplicates, wild_bootstrap, wild_contrast
from ragstats.core.wild_interval import WildInterval, invert

SCHEMES = {"WCR": "restricted: the null is imposed", "WCU": "unrestricted"}

#: Scores that agree to this, relatively, are those of the leverage form of CR2.
SAME_FORM = 1e-9


@dataclass(frozen=True, slots=True)
class WildOptions:
    """What kind of wild bootstrap.

    Attributes
    ----------
    scheme : {"WCR", "WCU"}
        Whether the null is imposed.
    weights : str
        A name of ``ragstats.core.wild_weights.WEIGHTS``.
    studentize : {"CR1", "CR2"}
        The covariance type of t and t*.
    alternative : str
        Of the p-value and the interval.
    """

    scheme: str = "WCR"
    weights: str = "rademacher"
    studentize: str = "CR1"
    alternative: str = "two-sided"


@dataclass(frozen=True, slots=True)
class WildTest:
    """A wild bootstrap test of ``c'β = null``.

    Attributes
    ----------
    estimate, se : float
        ``c'β̂``, and the standard error that studentizes it.
    pvalue, low, high : float
        NaN with a ``reason``; a limit is infinite where no null on its side is rejected.
    method : str
        The options in words.
    n_boot : int
        B.
    listed : bool
        Whether all sign vectors were used, so that nothing was random.
    reason : str
        Why the test cannot be had, or a limit is infinite; empty otherwise.
    needs : str
        The documents without which the contrast could not be estimated; empty otherwise.
    replicates : ndarray (B,)
        Estimates of the replicates: around the null (WCR), or around the estimate (WCU).
    """

    estimate: float
    se: float
    pvalue: float
    low: float
    high: float
    method: str
    n_boot: int
    listed: bool
    reason: str
    needs: str
    replicates: Floats


def wild_test(
    inference: ClusterInference,
    row: Floats,
    null: float,
    alpha: float,
    draws: Draws,
    options: WildOptions,
    *,
    report: Report | None = None,
) -> WildTest:
    """Test one contrast (p,) of the coefficients, and invert the test.

    Raises
    ------
    ValueError
        If an option is unknown, random weights have no seed, or CR2 is asked for where it is no
        function of the leverages (weights that vary within documents, or identity variance).
    """
    one_of("scheme", options.scheme, SCHEMES)
    one_of("alternative", options.alternative, ALTERNATIVES)
    known = inference.contrasts(row[None, :])
    target = wild_contrast(
        inference.moments,
        row,
        restricted=options.scheme == "WCR",
        studentize=options.studentize,
    )
    replicates = wild_bootstrap(
        target,
        draws.n_boot,
        draws.rng,
        weights=options.weights,
        mapper=draws.mapper,
        report=report,
    )
    reason = known.reasons[0]
    if not reason and known.se[0] == 0:
        reason = "the scores do not vary between documents, so that t is 0/0"
    low, high, pvalue = nan, nan, nan
    if not reason:
        interval = invert(replicates, alpha, options.alternative)
        low, high = interval.low, interval.high
        pvalue = replicates.pvalue(null, options.alternative)
        reason = _why_infinite(replicates, interval, alpha, options)
    centre = null if options.scheme == "WCR" else target.estimate
    kind = f"all {replicates.n_boot} sign vectors" if replicates.listed else options.weights
    return WildTest(
        estimate=target.estimate,
        se=target.se if known.se[0] > 0 else float(known.se[0]),
        pvalue=pvalue,
        low=low,
        high=high,
        method=f"wild, {options.scheme}, {kind}, {options.studentize}, {options.alternative}",
        n_boot=replicates.n_boot,
        listed=replicates.listed,
        reason=reason,
        needs=known.needs[0],
        replicates=centre + replicates.statistics(null)[0],
    )


def _why_infinite(
    replicates: WildReplicates, interval: WildInterval, alpha: float, options: WildOptions
) -> str:
    """Return why a limit that was asked for is infinite; empty where none is."""
    asked = {"two-sided": (interval.low, interval.high), "larger": (interval.low,),
             "smaller": (interval.high,)}  # fmt: skip
    if all(map(isfinite, asked[options.alternative])):
        return ""
    smallest = 1 / (1 + replicates.n_boot)
    if replicates.listed:
        mirrored = options.scheme == "WCR" and options.alternative == "two-sided"
        smallest = (1 + mirrored) / replicates.n_boot
    if smallest > alpha:
        return (
            f"the smallest p of {replicates.n_boot} replicates is {smallest:.3g}, above"
            f" alpha={alpha:g}: no value is rejected"
        )
    return f"values on one side are not rejected at alpha={alpha:g}, however far they are"


def check_leverage_form(inference: ClusterInference) -> None:
    """Raise unless CR2 of a weighted fit is a function of the leverages, as the replicates need.

    Raises
    ------
    ValueError
        If the fit is not CR2, or its weights are no inverse variances constant within documents.
    """
    if inference.adjustment.name == "CR2" and inference.parts.plain_middle:
        plain = inverse_variance(inference.moments, inference.adjustment).score
        gap = np.abs(plain - inference.parts.score).max()
        if gap <= SAME_FORM * np.abs(plain).max():
            return
    raise ValueError(
        "studentize='CR2' with weights needs a CR2 fit with working='inverse_var' and weights that"
        " are constant within documents; use studentize='CR1'"
    )
