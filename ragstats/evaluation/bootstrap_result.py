"""What a bootstrap by document found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ragstats.core.segments import Floats
from ragstats.evaluation.documents import DocumentTable
from ragstats.evaluation.shown import Shown, because, told


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapResult(Shown):
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
        Why the limits are NaN or infinite; empty otherwise.
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
    replicates: Floats | None = field(default=None, repr=False)
    documents: DocumentTable | None = field(default=None, repr=False)

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
        said = because(self.low, self.reason) + [f"note: {note}" for note in self.notes]
        return told(f"Bootstrap by document: {self.label}", rows, *said)

    def to_dict(self) -> dict[str, Any]:
        """Return the result without its replicates, and the aggregates to draw them again."""
        left_out = ("replicates", "documents")
        stored = {n: getattr(self, n) for n in self.__slots__ if n not in left_out}
        stored["notes"] = list(self.notes)
        if self.documents is not None:
            stored["aggregates"] = self.documents.to_dict()
        return stored
