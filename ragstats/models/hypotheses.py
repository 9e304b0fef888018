"""Hypotheses as users write them → contrasts, and the tests of contrasts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import patsy
from scipy import stats
from statsmodels.stats.contrast import ContrastResults, MultiCompResult
from statsmodels.stats.multitest import multipletests, multitest_alias

from ragstats.checks import one_of
from ragstats.core.hypothesis import ALTERNATIVES, JointTest, independent_constraints, t_pvalue
from ragstats.core.inference import ClusterInference, ContrastEstimate
from ragstats.core.segments import Floats
from ragstats.exceptions import RagstatsWarning, plural, unknown_option
from ragstats.models.say import warn
from ragstats.models.separation import SeparatedInference
from ragstats.models.summary import contrast_summary

JOINT_TESTS = {
    "AHT": "approximate Hotelling T² of Pustejovsky and Tipton (clubSandwich's 'HTZ')",
    "F": "naive F with K-1 denominator df",
    "chi2": "asymptotic Wald",
}


#: Headers of p-values, by alternative.
_P_HEADERS = {"two-sided": "P>|t|", "larger": "P>t", "smaller": "P<t"}


class ClusterContrastResults(ContrastResults):
    """statsmodels' contrast results, with the df of each row and the reasons for NaN.

    Attributes
    ----------
    reason : str
        Why a statistic is NaN; empty otherwise.
    alternative : str
        The alternative of the p-values.
    """

    reason = ""
    alternative = "two-sided"

    def summary(self, xname: Any = None, alpha: float = 0.05, title: Any = None) -> Any:
        """Return the table with the df of each row, or one line for a joint test; NaN has reasons.

        Parameters
        ----------
        xname : list of str, optional
            Names of the rows; ``c0``, ``c1``, … by default.
        alpha : float
            One minus the level of the intervals.
        title : str, optional
            Of the table.
        """
        if self.effect is None and self.distribution == "F":
            return (
                f"<F test: F={float(self.fvalue):.6g}, p={float(self.pvalue):.6g},"
                f" df_num={self.df_num:g}, df_denom={self.df_denom:.4g}>"
                + (f" NaN: {self.reason}" if self.reason else "")
            )
        if self.distribution == "t":
            frame = self.summary_frame(xname=xname, alpha=alpha)
            return contrast_summary(frame, alpha=alpha, title=title, reason=self.reason)
        return super().summary(xname=xname, alpha=alpha, title=title)

    def summary_frame(self, xname: Any = None, alpha: float = 0.05) -> pd.DataFrame:
        """Return the table as a frame, with the df of each row."""
        frame: pd.DataFrame = super().summary_frame(xname=xname, alpha=alpha)
        if self.distribution == "t":
            frame.insert(3, "df", np.broadcast_to(self.df_denom, len(frame)))
            frame = frame.rename(columns={"P>|t|": _P_HEADERS[self.alternative]})
        return frame


def parse_constraints(hypothesis: Any, names: Sequence[str]) -> tuple[Floats, Floats]:
    """Return ``R`` (q, p) and ``d`` (q,) of ``Rβ = d``.

    Parameters
    ----------
    hypothesis : str, sequence of str, array_like or tuple of (R, d)
        As in statsmodels; the labels of a DataFrame's columns, or of a Series, are matched with the
        names, and coefficients without one have weight 0.

    Raises
    ------
    ValueError
        If it cannot be read, or has the wrong number of columns.
    """
    p = len(names)
    value: Any = None
    if (
        isinstance(hypothesis, tuple)
        and len(hypothesis) == 2
        and not isinstance(hypothesis[0], str)
    ):
        hypothesis, value = hypothesis
    hypothesis = _by_name(hypothesis, names)
    if isinstance(hypothesis, str) and not hypothesis.strip():
        raise _no_hypothesis(hypothesis, names)
    if isinstance(hypothesis, (str, dict)) or _is_strings(hypothesis):
        given = hypothesis if isinstance(hypothesis, (str, dict)) else list(hypothesis)
        try:
            constraint = patsy.DesignInfo(list(names)).linear_constraint(given)
        except (patsy.PatsyError, ValueError) as error:
            first = str(error).splitlines()[0]
            raise ValueError(
                f"r_matrix={hypothesis!r}: {first}; coefficients: {', '.join(names)}"
            ) from None
        rows, constants = constraint.coefs, constraint.constants.ravel()
        return np.asarray(rows, float), np.asarray(constants, float)
    try:
        rows = np.atleast_2d(np.asarray(hypothesis, float))
    except (TypeError, ValueError):
        raise _no_hypothesis(hypothesis, names) from None
    if rows.ndim != 2 or rows.shape[1] != p:
        raise ValueError(
            f"r_matrix has shape {rows.shape}; it needs {plural(p, 'column')}, one a coefficient"
        )
    constants = np.zeros(len(rows)) if value is None else np.ravel(np.asarray(value, float))
    if constants.size == 1:
        constants = np.full(len(rows), constants.item())
    if constants.size != len(rows):
        raise ValueError(
            f"r_matrix has {plural(len(rows), 'row')} and {plural(constants.size, 'value')} to"
            " compare with"
        )
    if not np.isfinite(rows).all():
        raise ValueError("r_matrix holds missing or infinite values")
    return rows, constants


def _no_hypothesis(hypothesis: Any, names: Sequence[str]) -> ValueError:
    """Return the error for what is neither text nor a matrix."""
    return ValueError(
        f"r_matrix={hypothesis!r} is not a hypothesis; give text such as '{names[-1]} = 0', or"
        f" a matrix with {plural(len(names), 'column')}"
    )


def _by_name(hypothesis: Any, names: Sequence[str]) -> Any:
    """Return a Series or a frame of weights as a matrix, its labels matched with the names."""
    if isinstance(hypothesis, pd.Series):
        hypothesis = hypothesis.to_frame().T
    if not isinstance(hypothesis, pd.DataFrame):
        return hypothesis
    if hypothesis.columns.equals(pd.RangeIndex(len(names))):
        return hypothesis.to_numpy(float)  # no labels: by position
    unknown = [c for c in hypothesis.columns if c not in names]
    if unknown:
        raise ValueError(
            f"r_matrix: column {unknown[0]!r} is not a coefficient: {', '.join(names)}"
        )
    return hypothesis.reindex(columns=list(names), fill_value=0.0).to_numpy(float)


def _is_strings(hypothesis: Any) -> bool:
    return (
        isinstance(hypothesis, (list, tuple))
        and len(hypothesis) > 0
        and all(isinstance(h, str) for h in hypothesis)
    )


def t_statistics(estimate: ContrastEstimate, value: Floats | float = 0.0) -> Floats:
    """Return t statistics, NaN where the standard error is 0 (the scores do not vary)."""
    usable = estimate.se > 0
    gap = estimate.effect - value
    return np.where(usable, gap / np.where(usable, estimate.se, 1.0), np.nan)


def contrast_test(
    inference: ClusterInference,
    coefficients: Floats,
    rows: Floats,
    value: Floats,
    alternative: str,
) -> ClusterContrastResults:
    """Test each row on its own, with its own df."""
    one_of("alternative", alternative, ALTERNATIVES)
    estimate = inference.contrasts(rows, coefficients)
    statistic = t_statistics(estimate, value)
    result = ClusterContrastResults(
        effect=estimate.effect, t=statistic, sd=estimate.se, df_denom=estimate.df
    )
    result.pvalue = np.squeeze(t_pvalue(statistic, estimate.df, alternative))
    result.alternative = alternative
    reasons = [f"row {i}: {reason}" for i, reason in enumerate(estimate.reasons) if reason]
    result.reason = "; ".join(reasons)
    for i, documents in enumerate(estimate.needs):
        if documents:
            warn(f"contrast {i} cannot be estimated without document {documents}")
    return result


def joint_test(
    inference: ClusterInference, rows: Floats, gap: Floats, test: str | None = None
) -> ClusterContrastResults:
    """Test the rows together.

    One row repeats its t test under every df rule. Several rows use the AHT test under the
    Satterthwaite (and IK) rule and the naive F otherwise, unless a test is named.
    """
    outcome = _joint(inference, rows, gap, test)
    if test == "chi2":
        result = ClusterContrastResults(
            statistic=outcome.wald, df_denom=outcome.df_num, distribution="chi2"
        )
        result.df_num = outcome.df_num
    else:
        result = ClusterContrastResults(
            F=outcome.statistic, df_num=outcome.df_num, df_denom=outcome.df_denom
        )
        result.pvalue = np.float64(outcome.pvalue)
    result.reason = outcome.reason
    result.eta = outcome.eta
    if outcome.reason:
        warn(f"joint test is NaN: {outcome.reason}")
    return result


def _joint(inference: ClusterInference, rows: Floats, gap: Floats, test: str | None) -> JointTest:
    if test is not None and test not in JOINT_TESTS:
        raise unknown_option("test", test, JOINT_TESTS)
    if isinstance(inference, SeparatedInference) and inference.is_infinite(rows).any():
        return inference.joint(rows, gap)  # NaN, with the reason
    small = inference.rule.name in ("satterthwaite", "IK")
    q = len(independent_rows(inference, rows, gap))
    if q == 1 and (test is None or (test == "AHT" and small)):
        return _single(inference, rows, gap)
    outcome = inference.joint(rows, gap)
    if test == "AHT" or (test is None and small):
        return outcome
    statistic = outcome.wald / q
    why = "" if np.isfinite(outcome.wald) else outcome.reason  # that of the AHT's df is not theirs
    if test == "chi2":
        pvalue = float(stats.chi2.sf(outcome.wald, q))
        return JointTest(statistic, q, float("inf"), pvalue, float("nan"), outcome.wald, why)
    n_groups = inference.moments.n_groups
    df = float(n_groups - 1) if small else float(inference.contrasts(rows[:1]).df[0])
    if np.isnan(df):
        nan, reason = float("nan"), f"the {inference.rule.name} df are undefined"
        return JointTest(statistic, q, nan, nan, nan, outcome.wald, reason)
    pvalue = float(stats.chi2.sf(outcome.wald, q) if np.isinf(df) else stats.f.sf(statistic, q, df))
    return JointTest(statistic, q, df, pvalue, float("nan"), outcome.wald, why)


def independent_rows(inference: ClusterInference, rows: Floats, gap: Floats) -> Floats:
    """Return the independent constraints, without the warning about redundant ones."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagstatsWarning)
        return independent_constraints(rows @ inference.parts.transform, gap).rows


def _single(inference: ClusterInference, rows: Floats, gap: Floats) -> JointTest:
    """Return the joint test of rank 1: F = t², with the t test's df."""
    if len(rows) > 1:
        independent_constraints(rows @ inference.parts.transform, gap)  # for its warning
    estimate = inference.contrasts(rows[:1])
    nan, df = float("nan"), float(estimate.df[0])
    if estimate.reasons[0]:
        return JointTest(nan, 1, df, nan, df, nan, estimate.reasons[0])
    se = float(estimate.se[0])
    if se == 0:
        return JointTest(
            nan, 1, df, nan, df, nan, "the standard error is 0: the scores do not vary"
        )
    t = float(gap[0]) / se
    pvalue = float(t_pvalue(np.array([t]), np.array([df]))[0])
    return JointTest(t**2, 1, df, pvalue, df, t**2)


@dataclass(frozen=True)
class Pairs:
    """Differences between all pairs of levels of a categorical term.

    Attributes
    ----------
    term : str
        The term.
    rows : ndarray (pairs, p)
        The contrasts of the coefficients.
    labels : list of str
        "later-earlier".
    estimable : ndarray of bool (pairs,)
        False where collinear columns leave a difference without a unique estimate.
    """

    term: str
    rows: Floats
    labels: list[str]
    estimable: np.ndarray


def pairwise_levels(
    design: Any, term_name: str, factor_labels: Sequence[str] | None = None
) -> Pairs:
    """Return the differences of all pairs of levels of a categorical term, under any coding.

    Raises
    ------
    ValueError
        If the design has no such term, or it is not a categorical main effect.
    """
    if not design.codings:
        raise ValueError(
            f"term_name={term_name!r}: a model from arrays has no terms; use a formula, or t_test"
        )
    if term_name not in design.codings:
        raise unknown_option("term_name", term_name, design.codings)
    coding = design.codings[term_name]
    if coding.kind == "interaction":
        raise ValueError(
            f"term_name={term_name!r} is an interaction; give a categorical main effect,"
            " or name the contrasts in t_test"
        )
    if coding.kind == "numeric":
        raise ValueError(f"term_name={term_name!r} is numeric; give a categorical term")
    levels = list(coding.levels)
    labels = levels if factor_labels is None else list(factor_labels)
    if len(labels) != len(levels):
        raise ValueError(
            f"factor_labels has {plural(len(labels), 'label')} for {plural(len(levels), 'level')}:"
            f" {levels}"
        )
    pairs = [(j, i) for i in range(len(levels)) for j in range(i + 1, len(levels))]
    every = np.zeros((len(pairs), len(design.columns) + len(design.aliased)))
    every[:, coding.columns] = [coding.matrix[j] - coding.matrix[i] for j, i in pairs]
    names = [f"{labels[j]}-{labels[i]}" for j, i in pairs]
    estimable = design.is_estimable(every)
    if not estimable.all():
        unknown = ", ".join(n for n, known in zip(names, estimable, strict=True) if not known)
        warn(
            f"no unique estimate of {unknown}, because {', '.join(design.aliased)} is a combination"
            " of other columns: NaN"
        )
    return Pairs(term_name, every[:, design.columns], names, estimable)


def multiple_comparison(
    t_test: Callable[[Floats], ClusterContrastResults],
    pairs: Pairs,
    *,
    method: str | list[str],
    alpha: float,
) -> MultiCompResult:
    """Return the pairwise table with p-values adjusted by statsmodels' ``multipletests``.

    Pairs without a p-value stay in the table as NaN, and do not count as tests.
    """
    methods = [method] if isinstance(method, str) else list(method)
    for name in methods:
        if name not in multitest_alias:
            raise unknown_option("method", name, multitest_alias)
    labels = pd.Index(pairs.labels)
    if pairs.estimable.any():
        test = t_test(pairs.rows[pairs.estimable])
        frame = test.summary_frame(xname=list(labels[pairs.estimable]), alpha=alpha)
        frame = frame.reindex(labels)
    else:
        frame = pd.DataFrame(np.nan, index=labels, columns=["coef", "std err", "t", "df", "P>|t|"])
    raw = frame["P>|t|"].to_numpy(float)
    usable = ~np.isnan(raw)
    for name in methods:
        adjusted, reject = np.full(raw.size, np.nan), np.zeros(raw.size, bool)
        if usable.any():
            reject[usable], adjusted[usable], *_ = multipletests(
                raw[usable], alpha=alpha, method=name
            )
        frame[f"pvalue-{name}"] = adjusted
        frame[f"reject-{name}"] = reject
    return MultiCompResult(
        result_frame=frame,
        contrasts=pairs.rows,
        term=pairs.term,
        contrast_labels=pairs.labels,
        term_encoding_matrix=pairs.rows,
    )
