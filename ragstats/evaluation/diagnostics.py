"""What the documents look like, and what that does to the uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ragstats.core.segments import Floats
from ragstats.evaluation.documents import DocumentTable
from ragstats.evaluation.shown import Shown, told
from ragstats.models.estimand import check_estimand

#: Warn below these df: the t quantile is then large and depends on the working model.
FEW_DF = 4.0
#: Warn when one document carries more of the weight than this.
DOMINANT = 0.25
#: Warn when more than this share of the documents is tied.
MOSTLY_TIES = 0.5
#: Warn when the skewness of the documents' rates exceeds this in absolute value.
SKEWED = 2.0

QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class Diagnostics(Shown):
    """Diagnostics of one row per document.

    Attributes
    ----------
    n_documents, n_rows : int
        K and N.
    sizes, rates : dict of str to float
        Mean, quantiles (min, 10, 25, 50, 75, 90 %, max) and skewness of ``n_d`` and ``r_d``.
    icc : float
        One-way ANOVA estimate, not truncated; NaN when every document has one row, or the sums of
        squares are unknown.
    icc_reason : str
        Why the ICC is NaN; empty otherwise.
    design_effect : float
        ``1 + (Σn²/N - 1)·max(ICC, 0)``.
    rows_over_design_effect : float
        N/DEFF, a diagnostic and never a sample size.
    effective_documents : float
        ``N²/Σn²``, the number of equal documents with the same concentration.
    largest_share : float
        The share of rows of the largest document.
    largest : object
        That document.
    share_zero, share_one : float
        Documents whose rate is exactly 0, and exactly 1.
    """

    n_documents: int
    n_rows: int
    sizes: dict[str, float]
    rates: dict[str, float]
    icc: float
    icc_reason: str
    design_effect: float
    rows_over_design_effect: float
    effective_documents: float
    largest_share: float
    largest: Any
    share_zero: float
    share_one: float

    def summary(self) -> str:
        """Return the diagnostics as text of at most 80 columns."""
        rows = {
            "rows of each": _spread(self.sizes),
            "rates": _spread(self.rates),
            "rate 0, rate 1": f"{self.share_zero:.1%}, {self.share_one:.1%} of the documents",
            "ICC": f"NaN: {self.icc_reason}" if self.icc_reason else f"{self.icc:.4f}",
            "design effect": f"{self.design_effect:.4g}",
            "N/DEFF": f"{self.rows_over_design_effect:,.1f} (a diagnostic, not a sample size)",
            "effective K": f"{self.effective_documents:,.1f} equal documents",
            "largest": f"{str(self.largest)!r}, {self.largest_share:.2%} of the rows",
        }
        return told(f"Diagnostics: {self.n_documents:,} documents, {self.n_rows:,} rows", rows)


def _spread(of: dict[str, float]) -> str:
    """Return a distribution in a line."""
    return (
        f"{of['min']:.4g} to {of['max']:.4g}, median {of['median']:.4g}, mean {of['mean']:.4g},"
        f" 80% in {of['q10']:.4g} to {of['q90']:.4g}, skewness {of['skewness']:+.2f}"
    )


def diagnose(table: DocumentTable) -> Diagnostics:
    """Describe the documents of one system.

    References
    ----------
    Donner and Koval (1980), Biometrics 36(1), 19-25 (the ANOVA estimator of the ICC); Kish (1965),
    Survey Sampling, section 5.4 (the design effect).
    """
    n, rates = table.counts, table.rates
    icc, reason = intraclass_correlation(table)
    total = float(n.sum())
    weighted_size = float((n**2).sum()) / total
    effect = 1 + (weighted_size - 1) * max(icc, 0.0)
    largest = int(np.argmax(n))
    return Diagnostics(
        n_documents=len(n),
        n_rows=int(total),
        sizes=describe(n),
        rates=describe(rates),
        icc=icc,
        icc_reason=reason,
        design_effect=effect,
        rows_over_design_effect=total / effect,
        effective_documents=total**2 / float((n**2).sum()),
        largest_share=float(n[largest]) / total,
        largest=table.frame[table.doc].iloc[largest],
        share_zero=float((table.totals == 0).mean()),
        share_one=float((table.totals == n).mean()),
    )


def describe(values: Floats) -> dict[str, float]:
    """Return mean, quantiles and skewness; the skewness of equal values is 0."""
    names = ("min", "q10", "q25", "median", "q75", "q90", "max")
    quantiles = dict(zip(names, np.quantile(values, QUANTILES).tolist(), strict=True))
    spread = np.ptp(values) > 1e-12 * np.abs(values).max(initial=0.0)
    skewness = float(stats.skew(values)) if spread else 0.0
    return {"mean": float(values.mean()), **quantiles, "skewness": skewness}


def intraclass_correlation(table: DocumentTable) -> tuple[float, str]:
    """Return the one-way ANOVA ICC and, when it is NaN, why.

    ``(MSB - MSW) / (MSB + (n₀ - 1) MSW)`` with ``n₀ = (N - Σn²/N)/(K - 1)``.
    """
    n, totals, squares = table.counts, table.totals, table.squares
    k, size = len(n), n.sum()
    if k < 2:
        return np.nan, "there is one document"
    if size == k:
        return np.nan, "every document has one row"
    if np.isnan(squares).any():
        return np.nan, "the sums of squares are unknown"
    mean = totals.sum() / size
    between = float((n * (totals / n - mean) ** 2).sum()) / (k - 1)
    inside = squares - totals**2 / n
    inside = np.where(inside > 8 * np.finfo(float).eps * squares, inside, 0.0)
    within = float(inside.sum()) / (size - k)
    typical = (size - (n**2).sum() / size) / (k - 1)
    whole = between + (typical - 1) * within
    if whole <= 0:
        return np.nan, "the scores do not vary"
    return (between - within) / whole, ""


@dataclass(frozen=True, slots=True)
class PairDiagnostics(Shown):
    """What pairing two systems by query gains.

    Attributes
    ----------
    correlation : float
        Of the documents' rates under the two systems; NaN when one of them does not vary.
    gain : float
        SE of the paired difference over the SE of two independent samples of documents.
    interaction : float
        Standard deviation of the documents' differences (system × document).
    share_tied : float
        Documents with the same rate under both systems.
    share_up, share_down : float
        Documents where the system is better, and worse, than the baseline.
    """

    correlation: float
    gain: float
    interaction: float
    share_tied: float
    share_up: float
    share_down: float

    def summary(self) -> str:
        """Return the diagnostics as text of at most 80 columns."""
        rows = {
            "correlation": f"{self.correlation:.4f} of the documents' rates",
            "gain": f"{self.gain:.4f}, the SE of pairs over that of two samples",
            "interaction": f"{self.interaction:.4f}, sd of the documents' differences",
            "documents": f"{self.share_up:.1%} up, {self.share_down:.1%} down,"
            f" {self.share_tied:.1%} tied",
        }
        return told("Pairing", rows)


def diagnose_pair(
    difference: DocumentTable, se_paired: float, se_system: float, se_baseline: float,
    system_rates: Floats, baseline_rates: Floats,
) -> PairDiagnostics:  # fmt: skip
    """Describe the paired differences of two systems on the same documents.

    ``Var(A - B) = Var A + Var B - 2 Cov(A, B)``: the gain is what the covariance is worth.
    """
    rates = difference.rates
    unpaired = float(np.hypot(se_system, se_baseline))
    varies = np.ptp(system_rates) > 0 and np.ptp(baseline_rates) > 0
    tolerance = 1e-12 * max(np.abs(system_rates).max(), np.abs(baseline_rates).max())
    return PairDiagnostics(
        correlation=float(np.corrcoef(system_rates, baseline_rates)[0, 1]) if varies else np.nan,
        gain=se_paired / unpaired if unpaired > 0 else np.nan,
        interaction=float(rates.std(ddof=1)),
        share_tied=float((np.abs(rates) <= tolerance).mean()),
        share_up=float((rates > tolerance).mean()),
        share_down=float((rates < -tolerance).mean()),
    )


def leave_one_out(table: DocumentTable, estimand: str) -> pd.DataFrame:
    """Return the mean without each document, and the df then (closed forms, no refits).

    Returns
    -------
    DataFrame
        ``document``, ``n``, ``rate``, ``estimate`` without it, ``change``, and ``df`` without it;
        largest change first.
    """
    check_estimand(estimand)
    n, totals, rates = table.counts, table.totals, table.rates
    k = len(n)
    if estimand == "micro":
        full = totals.sum() / n.sum()
        without = (totals.sum() - totals) / (n.sum() - n)
        df = np.array([_micro_df(np.delete(n, i)) for i in range(k)]) if k <= 3000 else _nan(k)
    else:
        full = rates.mean()
        without = (rates.sum() - rates) / (k - 1)
        df = np.full(k, float(k - 2))
    frame = pd.DataFrame(
        {
            "document": table.frame[table.doc],
            "n": n,
            "rate": rates,
            "estimate": without,
            "change": without - full,
            "df": df,
        }
    )
    order = frame["change"].abs().sort_values(ascending=False, kind="stable").index
    return frame.loc[order].reset_index(drop=True)


def _nan(k: int) -> Floats:
    return np.full(k, np.nan)


def _micro_df(n: Floats) -> float:
    """Return the Satterthwaite df of the micro mean from the sizes alone (K numbers, no matrix)."""
    if len(n) < 2:
        return np.nan
    size = n.sum()
    spread = n / (1 - n / size)
    overlap = n * spread / size  # ζ² with ζ_g = n_g / √(N (1 - n_g/N))
    trace = spread.sum() - overlap.sum()
    square = (spread**2).sum() - 2 * (spread * overlap).sum() + overlap.sum() ** 2
    return float(trace**2 / square)


def near_bound(estimate: float, se: float, df: float) -> bool:
    """Whether the 95% t interval of a mean in [0, 1] reaches a bound, or cannot be had."""
    return not min(estimate, 1 - estimate) > stats.t.isf(0.025, df) * se


def warnings_of(
    table: DocumentTable, *, estimand: str, estimate: float, se: float, df: float,
    bounded: bool = True,
) -> list[str]:  # fmt: skip
    """Return plain sentences about what weakens the interval of a mean or a difference."""
    facts = diagnose(table)
    said = []
    if df < FEW_DF:
        said.append(
            f"ν = {df:.1f} is below {FEW_DF:g}: the interval leans on its working model; look at"
            " the wild bootstrap beside it, and sample more documents"
        )
    if estimand == "micro" and facts.largest_share > DOMINANT:
        said.append(
            f"document {facts.largest!r} carries {facts.largest_share:.0%} of the rows, so the"
            " micro mean is mostly its own"
        )
    skewness = facts.rates["skewness"]
    if abs(skewness) > SKEWED:
        said.append(f"the documents' rates are strongly skewed ({skewness:+.1f})")
    if not bounded:
        ties = float((np.abs(table.totals) <= 1e-12 * table.counts).mean())
        if ties > MOSTLY_TIES:
            said.append(
                f"{ties:.0%} of the documents are tied, so the difference rests on the others"
            )
    elif se > 0 and 0 <= estimate <= 1 and near_bound(estimate, se, df):
        said.append(
            f"the 95% t interval of the mean {estimate:.3f} reaches 0 or 1"
            " (conf_int(method='korn-graubard') for 0/1 scores)"
        )
    if se == 0:
        said.append("the documents do not differ at all, so the standard error is 0")
    return said
