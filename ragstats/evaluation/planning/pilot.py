"""S, the standard deviation between documents: what a pilot says, and how far to trust it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ragstats.checks import nonnegative
from ragstats.core.segments import Floats
from ragstats.evaluation.diagnostics import DOMINANT, SKEWED, describe
from ragstats.evaluation.documents import DocumentTable
from ragstats.models.estimand import check_estimand

#: Pilots with fewer documents than this are said to be small.
SMALL_PILOT = 10
#: Cochran's rule: documents wanted per squared skewness.
COCHRAN = 25.0


@dataclass(frozen=True, slots=True, eq=False)
class Pilot:
    """What is known of the variation between documents before the sample is drawn.

    Attributes
    ----------
    sd : float
        S, in the units of the score: ``sd(r)`` for the macro mean, ``√K·se(CR1)`` for the micro
        mean. 0 or NaN with a ``reason``.
    source : str
        Where it comes from, in words.
    documents : int or None
        K of the pilot; None when S was given.
    sizes : ndarray (K,) or None
        Rows of each document of the pilot.
    skewness : float
        Of the documents' linearized values; NaN when S was given or the values do not vary.
    largest_share : float
        The share of the variance that the most influential document contributes; NaN as above.
    largest : object
        That document.
    reason : str
        Why nothing can be planned with it; empty otherwise.
    """

    sd: float
    source: str
    documents: int | None = None
    sizes: Floats | None = None
    skewness: float = np.nan
    largest_share: float = np.nan
    largest: Any = None
    reason: str = ""

    def warnings(self) -> list[str]:
        """Return plain sentences about what weakens a plan that rests on this pilot."""
        said = []
        if self.documents is not None and 2 <= self.documents < SMALL_PILOT:
            said.append(
                f"the pilot has {self.documents} documents, so S is hardly known: even with normal"
                f" values its 95% interval is {_spread_of_sd(self.sd, self.documents)}"
            )
        if abs(self.skewness) > SKEWED:
            said.append(
                f"the documents' values are strongly skewed ({self.skewness:+.1f}): another pilot"
                " could give quite another S, and t intervals cover less than they say"
            )
        if self.largest_share > DOMINANT and self.documents != 2:
            said.append(
                f"document {self.largest!r} makes {self.largest_share:.0%} of the pilot's variance,"
                " so S rests mostly on it; a design that takes such documents for certain needs"
                " fewer (allocate_documents)"
            )
        return said


def given_sd(sd: Any) -> Pilot:
    """Return a pilot that is known by its S only.

    Raises
    ------
    ValueError
        If ``sd`` is negative or not finite.
    """
    value = nonnegative("sd", sd)
    reason = "S = 0: documents that do not vary leave nothing to plan" if value == 0 else ""
    return Pilot(value, "given", reason=reason)


def pilot_of(table: DocumentTable, estimand: str) -> Pilot:
    """Return S and its diagnostics from one row per document.

    Parameters
    ----------
    table : DocumentTable
        One system, or the paired differences of two.
    estimand : {"micro", "macro"}
        Which mean is planned.

    Examples
    --------
    >>> import ragstats as rs
    >>> scores = rs.datasets.load_retrieval(systems="bm25")
    >>> t = rs.documents(scores, doc="doc_id", score="hit_at_1")
    >>> round(pilot_of(t, "macro").sd, 4), round(pilot_of(t, "micro").sd, 4)
    (0.2152, 0.1471)
    """
    k = table.n_documents
    source = f"pilot of {k:,} document{'s' if k != 1 else ''}, {table.n_rows:,} scores"
    if k < 2:
        return Pilot(
            np.nan, source, k, table.counts,
            reason="the pilot has 1 document, and one document has no variation between documents",
        )  # fmt: skip
    values, noise = linearized(table, estimand)
    if np.abs(values).max() <= noise:
        return Pilot(
            0.0, source, k, table.counts,
            reason=f"the {k} documents of the pilot do not vary (S = 0), so they do not say how"
            " many are needed",
        )  # fmt: skip
    squares = values**2
    most = int(np.argmax(squares))
    return Pilot(
        sd=float(np.sqrt(squares.sum() / (k - 1))),
        source=source,
        documents=k,
        sizes=table.counts,
        skewness=describe(values)["skewness"],
        largest_share=float(squares[most] / squares.sum()),
        largest=table.frame[table.doc].iloc[most],
    )


def linearized(
    table: DocumentTable, estimand: str, weights: Floats | None = None
) -> tuple[Floats, float]:
    """Return the documents' linearized values (K,) around their mean, and their rounding noise.

    ``r_d - r̄`` for the macro mean, ``u_d/n̄ = (s_d - R n_d)/n̄`` for the micro mean: in a simple
    random sample the variance of either mean is estimated by ``Σz²/(K(K-1))``.

    Parameters
    ----------
    table : DocumentTable
        One row per document.
    estimand : {"micro", "macro"}
        Which mean.
    weights : ndarray (K,), optional
        How many documents of the population each stands for; equal by default.
    """
    check_estimand(estimand)
    w = np.ones(table.n_documents) if weights is None else weights
    n, s, r = table.counts, table.totals, table.rates
    if estimand == "macro":
        mean = float(w @ r / w.sum())
        values, scale = r - mean, np.abs(r) + abs(mean)
    else:
        mean, size = float(w @ s / (w @ n)), float(w @ n / w.sum())
        values, scale = (s - mean * n) / size, (np.abs(s) + abs(mean) * n) / size
    return np.asarray(values), 8 * float(np.finfo(float).eps) * float(scale.max())


def cochran_minimum(skewness: float) -> float:
    """Return ``25·G²``, the documents above which a t interval misses at most about 6%.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed. Wiley. Section 2.15.
    """
    return COCHRAN * skewness**2


def _spread_of_sd(sd: float, k: int) -> str:
    """Return the 95% interval of a standard deviation from k normal values, in words."""
    from scipy import stats

    low, high = np.sqrt((k - 1) / stats.chi2.isf([0.025, 0.975], k - 1))
    return f"{low * sd:.3g} to {high * sd:.3g}"
