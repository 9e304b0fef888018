"""Tests of contrasts, one by one and jointly, as methods of the results."""

from __future__ import annotations

import warnings
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.contrast import WaldTestResults

from ragstats.core.inference import ClusterInference
from ragstats.core.segments import Floats
from ragstats.exceptions import RagstatsWarning, shown, unknown_option
from ragstats.models.hypotheses import (
    ClusterContrastResults,
    contrast_test,
    joint_test,
    multiple_comparison,
    pairwise_levels,
    parse_constraints,
)


class HypothesisTests:
    """The tests that all results share; every p-value has the df of its contrast."""

    _inference: ClusterInference
    model: Any
    params: Any

    def df_contrast(self, r_matrix: Any) -> Floats:
        """Return the degrees of freedom of each contrast (q,)."""
        rows, _ = parse_constraints(r_matrix, self.model.exog_names)
        return self._inference.contrasts(rows).df

    def t_test(
        self,
        r_matrix: Any,
        cov_p: None = None,
        use_t: bool | None = None,
        *,
        alternative: str = "two-sided",
    ) -> ClusterContrastResults:
        """Test contrasts one by one, each with its own df.

        Parameters
        ----------
        r_matrix : str, array_like or tuple
            As in statsmodels: ``"a = b"``, a matrix (q, p), or ``(R, d)``.
        alternative : {"two-sided", "larger", "smaller"}
            Of the p-values; intervals are two-sided always.

        Raises
        ------
        ValueError
            If the hypothesis cannot be read, or ``cov_p`` or ``use_t=False`` is given.
        """
        refuse_other_covariance(cov_p, None)
        if use_t is False:
            raise ValueError("use_t=False: fit with df='normal' for the normal approximation")
        rows, value = parse_constraints(r_matrix, self.model.exog_names)
        return contrast_test(self._inference, np.asarray(self.params), rows, value, alternative)

    def wald_test(
        self,
        r_matrix: Any,
        cov_p: None = None,
        invcov: None = None,
        use_f: bool | None = None,
        df_constraints: None = None,
        scalar: bool = True,
        *,
        test: str | None = None,
    ) -> ClusterContrastResults:
        """Test contrasts jointly.

        Parameters
        ----------
        r_matrix : str, array_like or tuple
            As in :meth:`t_test`; redundant rows are reduced to their rank with a warning.
        use_f : bool, optional
            False asks for the asymptotic chi², as in statsmodels.
        test : {"AHT", "F", "chi2"}, optional
            The approximate Hotelling test, the naive F with K-1 df, or the chi². By default the
            AHT test for fits with Satterthwaite or IK df, and the naive F with the df of the fit
            otherwise; one row repeats its t test.

        Returns
        -------
        ClusterContrastResults
            ``statistic``, ``df_num``, ``df_denom``, ``pvalue``, and ``reason`` where they are NaN.

        Raises
        ------
        ValueError
            If the hypothesis cannot be read, redundant rows contradict each other, another
            covariance is given, or the test's name is unknown.

        References
        ----------
        Pustejovsky and Tipton (2018), JBES 36(4), 672-683, eq. 14-16.
        """
        refuse_other_covariance(cov_p, invcov)
        if df_constraints is not None:
            raise ValueError("df_constraints: the numerator df are the rank of the constraints")
        if test is None and use_f is False:
            test = "chi2"
        rows, value = parse_constraints(r_matrix, self.model.exog_names)
        return joint_test(self._inference, rows, rows @ np.asarray(self.params) - value, test)

    def f_test(self, r_matrix: Any, cov_p: None = None, invcov: None = None) -> Any:
        """Test contrasts jointly by the AHT test; see :meth:`wald_test`."""
        return self.wald_test(r_matrix, cov_p=cov_p, invcov=invcov, use_f=True)

    def wald_test_terms(
        self,
        skip_single: bool = False,
        extra_constraints: Any = None,
        combine_terms: Any = None,
        scalar: bool = True,
    ) -> WaldTestResults:
        """Test each term of the formula, or each coefficient of a design of arrays."""
        identity = np.eye(len(np.asarray(self.params)))
        terms = self.model._design.terms
        wanted = [
            (name, identity[columns])
            for name, columns in terms.items()
            if columns and not (skip_single and len(columns) == 1)
        ]
        for part in combine_terms or []:
            columns = [c for name, cols in terms.items() if part in name for c in cols]
            if not columns:
                raise unknown_option("combine_terms", part, terms)
            wanted.append((part, identity[columns]))
        for extra in extra_constraints or []:
            if not (isinstance(extra, tuple) and len(extra) == 2 and isinstance(extra[0], str)):
                raise ValueError(
                    f"extra_constraints holds a {type(extra).__name__}; give pairs (name, r_matrix)"
                )
            wanted.append(extra)
        tests = [self.wald_test(rows) for _, rows in wanted]
        table = pd.DataFrame(
            {
                "statistic": [float(t.statistic) for t in tests],
                "pvalue": [float(t.pvalue) for t in tests],
                "df_constraint": [int(t.df_num) for t in tests],
                "df_denom": [float(t.df_denom) for t in tests],
            },
            index=[name for name, _ in wanted],
        )
        result = WaldTestResults(None, "F", None, table=table)
        result.temp = wanted
        return result

    def t_test_pairwise(
        self,
        term_name: str,
        method: str | list[str] = "hs",
        alpha: float = 0.05,
        factor_labels: list[str] | None = None,
    ) -> Any:
        """Test all pairs of levels of a categorical term, p-values adjusted for multiplicity.

        Parameters
        ----------
        term_name : str
            A categorical main effect of the formula, as in ``"C(system)"``.
        method : str or list of str
            Of statsmodels' ``multipletests``; ``"hs"`` is Holm-Sidak.
        alpha : float
            One minus the level of the intervals, and the family-wise error rate.
        factor_labels : list of str, optional
            Other names of the levels, in their order.

        Raises
        ------
        ValueError
            If the model has no formula, the term is not a categorical main effect, or a method
            is unknown.
        """
        check_alpha(alpha)
        pairs = pairwise_levels(self.model._design, term_name, factor_labels)
        return multiple_comparison(self.t_test, pairs, method=method, alpha=alpha)

    @cached_property
    def _overall(self) -> ClusterContrastResults | None:
        """The joint test of all coefficients but an explicit constant; None where there is none."""
        data = self.model.data
        keep = list(range(len(np.asarray(self.params))))
        if data.k_constant:
            if data.const_idx is None:
                return None  # an implicit constant: no set of coefficients is "all but it"
            keep.remove(data.const_idx)
        if not keep:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RagstatsWarning)
            return self.wald_test(np.eye(len(np.asarray(self.params)))[keep])

    @property
    def fvalue(self) -> float:
        """F of the AHT test of all coefficients but the constant; NaN where there are none."""
        return float("nan") if self._overall is None else float(self._overall.fvalue)

    @property
    def f_pvalue(self) -> float:
        """p of :attr:`fvalue`, from the same test."""
        return float("nan") if self._overall is None else float(self._overall.pvalue)


def check_alpha(alpha: float) -> None:
    """Raise unless 0 < alpha < 1."""
    if isinstance(alpha, bool) or not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise ValueError(
            f"alpha={shown(alpha)}: give one minus the confidence level, between 0 and 1"
        )


def refuse_other_covariance(cov_p: Any, invcov: Any) -> None:
    """Raise when a test is asked for with a covariance that is not that of the fit."""
    if cov_p is not None or invcov is not None:
        raise ValueError(
            "cov_p= and invcov= are refused: the degrees of freedom belong to the covariance of"
            " this fit; refit with another cov_type"
        )
