"""Results that statsmodels' users and tools can rely on, with the df of each contrast.

The module's name is part of the interface: tools recognise statsmodels results by it.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.base import wrapper as wrap
from statsmodels.genmod.generalized_linear_model import GLMResults as SMGLMResults
from statsmodels.genmod.generalized_linear_model import (
    GLMResultsWrapper as SMGLMResultsWrapper,
)
from statsmodels.regression.linear_model import OLSResults as SMOLSResults
from statsmodels.regression.linear_model import RegressionResults as SMRegressionResults
from statsmodels.regression.linear_model import (
    RegressionResultsWrapper as SMRegressionResultsWrapper,
)
from statsmodels.stats.contrast import WaldTestResults

from ragstats.core.adjustment import ADJUSTMENTS
from ragstats.core.hypothesis import t_pvalue
from ragstats.core.inference import ClusterInference, ContrastEstimate
from ragstats.core.segments import Floats
from ragstats.exceptions import RagstatsWarning, unknown_option
from ragstats.models import summary as tables
from ragstats.models.hypotheses import (
    ClusterContrastResults,
    contrast_test,
    joint_test,
    multiple_comparison,
    pairwise_levels,
    parse_constraints,
    t_statistics,
)
from ragstats.models.prediction import ClusterPrediction, marginal_effects, predict_rows

#: Layout of the stored results; loading another raises.
STORED_FORMAT = 1

#: Statistics of the rows that summaries want; computed before the rows are removed.
_ROW_STATISTICS = ("rsquared", "rsquared_adj", "llf", "aic", "bic", "ssr", "deviance", "llnull")


class ClusterResults:
    """Inference by documents, shared by the results of OLS, WLS and GLM.

    Attributes
    ----------
    df_inference : Series (p,)
        Degrees of freedom of each coefficient.
    n_groups : int
        K, the number of documents.
    estimand : str
        "micro" or "macro".
    working : str
        The working model of CR2 and the df.
    reasons : dict of str to str
        Why a coefficient has no standard error.
    """

    _inference: ClusterInference
    _coefficients: ContrastEstimate
    model: Any
    params: Any
    estimand: str
    working: str
    absorbed: tuple[str, ...]

    @classmethod
    def wrapper_class(cls) -> type:
        """The wrapper that labels the results; set below each class."""
        raise NotImplementedError

    def _attach(self, model: Any, inference: ClusterInference) -> None:
        """Take over the inference, before anything is cached."""
        self._inference = inference
        p = len(inference.coefficients)
        self._coefficients = inference.contrasts(np.eye(p))
        adjustment, rule = inference.adjustment, inference.rule
        self.cov_type = adjustment.name
        self.use_t = True
        self.cov_kwds = {
            "description": f"Standard errors are clustered by document ({adjustment.name},"
            f" {adjustment.description}); df: {rule.description}",
            "groups": model._design.grouping.name,
            "df": rule.name,
        }
        self.cov_params_default = inference.covariance()
        self.estimand = model.estimand
        self.working = model._working
        self.weighted = model._weights is not None
        self.absorbed = tuple(getattr(model, "absorbed", ()))
        self.n_groups = inference.moments.n_groups
        self.n_dropped = sum(model._design.dropped.values())
        self.reasons = {
            name: reason
            for name, reason in zip(model._design.names, self._coefficients.reasons, strict=True)
            if reason
        }
        self._warn(model._design.names)

    def _warn(self, names: tuple[str, ...]) -> None:
        """Say once what is NaN, what hangs on one document, and what does not vary."""
        said = [f"{name} {reason}" for name, reason in self.reasons.items()]
        needed = [
            f"{name} (document {documents})"
            for name, documents in zip(names, self._coefficients.needs, strict=True)
            if documents
        ]
        if needed:
            more = f" and {len(needed) - 3} more" if len(needed) > 3 else ""
            said.append(f"cannot be estimated without one document: {', '.join(needed[:3])}{more}")
        still = [n for n, se in zip(names, self._coefficients.se, strict=True) if se == 0]
        if still:
            said.append(f"the scores do not vary: SE 0 and no p-value for {', '.join(still[:5])}")
        for sentence in said:
            warnings.warn(sentence, RagstatsWarning, stacklevel=6)

    # ---- the coefficient table ------------------------------------------------------------

    @property
    def df_inference(self) -> Floats:
        """Degrees of freedom of each coefficient (p,)."""
        return self._coefficients.df

    @property
    def bse(self) -> Floats:
        """Standard errors (p,)."""
        return self._coefficients.se

    @property
    def tvalues(self) -> Floats:
        """Estimates over standard errors (p,); NaN where the standard error is 0."""
        return t_statistics(self._coefficients)

    @property
    def pvalues(self) -> Floats:
        """Two-sided p-values (p,), each with its own df."""
        return t_pvalue(self.tvalues, self.df_inference)

    def conf_int(self, alpha: float = 0.05, cols: Any = None) -> Floats:
        """Return the intervals (p, 2), each with its own df.

        Parameters
        ----------
        alpha : float
            One minus the confidence level.
        cols : array_like of int, optional
            Which coefficients.

        Raises
        ------
        ValueError
            If alpha is not between 0 and 1.
        """
        check_alpha(alpha)
        half = stats.t.isf(alpha / 2, self.df_inference) * self.bse
        params = np.asarray(self.params)
        interval = np.column_stack([params - half, params + half])
        return interval if cols is None else interval[np.asarray(cols)]

    def df_contrast(self, r_matrix: Any) -> Floats:
        """Return the degrees of freedom of each contrast (q,)."""
        rows, _ = parse_constraints(r_matrix, self.model.exog_names)
        return self._inference.contrasts(rows).df

    def coef_table(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return estimate, SE, t, df, p and interval of each coefficient."""
        check_alpha(alpha)
        return tables.coefficient_table(self, alpha)

    # ---- tests ------------------------------------------------------------------------------

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
            Of the p-values.

        Raises
        ------
        ValueError
            If the hypothesis cannot be read, or ``cov_p`` or ``use_t=False`` is given.
        """
        _refuse_other_covariance(cov_p, None)
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
            As in :meth:`t_test`.
        use_f : bool, optional
            False asks for the asymptotic chi², as in statsmodels.
        test : {"AHT", "F", "chi2"}, optional
            The approximate Hotelling test (default), the naive F with K-1 df, or the chi².

        Returns
        -------
        ClusterContrastResults
            ``statistic``, ``df_num``, ``df_denom``, ``pvalue``, and ``reason`` where they are NaN.

        References
        ----------
        Pustejovsky and Tipton (2018), JBES 36(4), 672-683, eq. 14-16.
        """
        _refuse_other_covariance(cov_p, invcov)
        if df_constraints is not None:
            raise ValueError("df_constraints: the numerator df are the rank of the constraints")
        if test is None:
            test = "chi2" if use_f is False else "AHT"
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
        wanted += list(extra_constraints or [])
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

        Raises
        ------
        ValueError
            If the model has no formula, or the term is not a categorical main effect.
        """
        design = self.model._design
        if design.design_info is None:
            raise ValueError(
                "term_name needs a model from a formula that was not stored and loaded"
            )
        rows, labels, where = pairwise_levels(design.design_info, term_name, factor_labels)
        every = np.zeros((len(rows), len(design.design_info.column_names)))
        every[:, where] = rows
        contrasts = every[:, design.columns]
        return multiple_comparison(
            self.t_test(contrasts),
            labels,
            term=term_name,
            contrasts=contrasts,
            method=method,
            alpha=alpha,
        )

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
            return self.f_test(np.eye(len(np.asarray(self.params)))[keep])

    @property
    def fvalue(self) -> float:
        """F of the AHT test of all coefficients but the constant; NaN where there are none."""
        return float("nan") if self._overall is None else float(self._overall.fvalue)

    @property
    def f_pvalue(self) -> float:
        """p of :attr:`fvalue`, from the same test."""
        return float("nan") if self._overall is None else float(self._overall.pvalue)

    # ---- predictions ------------------------------------------------------------------------

    def _transform_predict_exog(self, exog: Any, transform: bool = True) -> Any:
        """Turn new data into rows of the design, through patsy whatever statsmodels' engine is."""
        if exog is None:
            return None, None
        rows = self.model._design.rows_for(exog, transform=transform)
        index = rows.index if isinstance(exog, (pd.DataFrame, pd.Series)) else None
        return rows.to_numpy(float), index

    def _prediction_rows(self, exog: Any, transform: bool) -> tuple[Floats, Any]:
        """Return rows of the design and their labels, the data's own by default."""
        if self.absorbed:
            raise ValueError(
                f"predictions need the effects of {', '.join(self.absorbed)}, which were absorbed"
                " and have no estimates; use t_test for differences between designs"
            )
        if exog is None:
            if self.model.exog is None:
                raise ValueError("exog: the rows were removed from these results; give new ones")
            return self.model.exog, getattr(self.model.data, "row_labels", None)
        rows, index = self._transform_predict_exog(exog, transform)
        return rows, index

    def get_prediction(
        self,
        exog: Any = None,
        transform: bool = True,
        weights: Any = None,
        row_labels: Any = None,
        **unknown: Any,
    ) -> ClusterPrediction:
        """Return predicted means with standard errors and the df of each row.

        Parameters
        ----------
        exog : DataFrame or array_like, optional
            New data for the formula, or rows of the design; by default the rows of the fit.
        transform : bool
            Whether to pass ``exog`` through the formula.
        row_labels : array_like, optional
            Labels of the rows.

        Raises
        ------
        ValueError
            If ``weights`` are given: they are about intervals of single rows.
        """
        if weights is not None or unknown:
            name = "weights" if weights is not None else next(iter(unknown))
            raise ValueError(f"get_prediction does not take {name}=; it predicts means only")
        rows, labels = self._prediction_rows(exog, transform)
        effect, se, df, reasons = predict_rows(self._inference, np.asarray(self.params), rows)
        return ClusterPrediction(
            effect, se, df, reasons, labels if row_labels is None else row_labels
        )

    # ---- tables -----------------------------------------------------------------------------

    def summary(
        self,
        yname: str | None = None,
        xname: list[str] | None = None,
        title: str | None = None,
        alpha: float = 0.05,
        slim: bool = False,
    ) -> Any:
        """Return the summary: covariance type, working model, K, N, and the df of each row."""
        check_alpha(alpha)
        return tables.summary(self, yname=yname, xname=xname, title=title, alpha=alpha)

    def summary2(
        self,
        yname: str | None = None,
        xname: list[str] | None = None,
        title: str | None = None,
        alpha: float = 0.05,
        float_format: str = "%.4f",
    ) -> Any:
        """Return the summary in statsmodels' second layout."""
        check_alpha(alpha)
        return tables.summary2(self, title=title, alpha=alpha, float_format=float_format)

    # ---- what a robust covariance does not offer ------------------------------------------------

    def compare_f_test(self, restricted: Any) -> NoReturn:
        """Refuse: use ``wald_test``."""
        _refuse_comparison("compare_f_test")

    def compare_lr_test(self, restricted: Any, large_sample: bool = False) -> NoReturn:
        """Refuse: use ``wald_test``."""
        _refuse_comparison("compare_lr_test")

    def compare_lm_test(
        self, restricted: Any, demean: bool = True, use_lr: bool = False
    ) -> NoReturn:
        """Refuse: use ``wald_test``."""
        _refuse_comparison("compare_lm_test")

    def get_robustcov_results(self, cov_type: str = "CR2", use_t: Any = None, **kwds: Any) -> Any:
        """Return results with another covariance; these results stay as they are.

        Parameters
        ----------
        cov_type : str
            One of ours (refitted with the same df rule, or ``df=``), or one of statsmodels', which
            a plain statsmodels result then computes.
        """
        if cov_type in ADJUSTMENTS:
            return self.model.fit(
                cov_type=cov_type, df=kwds.pop("df", self._inference.rule.name), **kwds
            )
        plain = self.model.plain_model().fit()
        return plain.get_robustcov_results(cov_type=cov_type, use_t=use_t, **kwds)

    # ---- storing ----------------------------------------------------------------------------

    def remove_data(self) -> None:
        """Let go of the rows; inference keeps working, other results of the model are untouched."""
        for name in _ROW_STATISTICS:
            getattr(self, name, None)
        _ = self._overall
        self.model = light_model(self.model)
        keep = {name: self._cache[name] for name in _ROW_STATISTICS if name in self._cache}
        self._cache = keep
        self._without_rows = True

    _cache: dict[str, Any]
    _without_rows = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_stored_format": STORED_FORMAT}

    def __setstate__(self, state: dict[str, Any]) -> None:
        stored = state.pop("_stored_format", None)
        if stored != STORED_FORMAT:
            raise ValueError(
                f"these results were stored in format {stored}; this version reads {STORED_FORMAT}"
            )
        self.__dict__.update(state)


def check_alpha(alpha: float) -> None:
    """Raise unless 0 < alpha < 1."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r}: give one minus the confidence level, between 0 and 1")


def _refuse_other_covariance(cov_p: Any, invcov: Any) -> None:
    if cov_p is not None or invcov is not None:
        raise ValueError(
            "cov_p= and invcov= are refused: the degrees of freedom belong to the covariance of this"
            " fit; refit with another cov_type"
        )


def _refuse_comparison(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name} compares sums of squares or likelihoods of independent rows, which documents"
        " are not; use wald_test on the coefficients that the smaller model leaves out"
    )


_MODEL_ROWS = ("endog", "exog", "wendog", "wexog", "weights", "mu", "freq_weights", "var_weights",
               "iweights", "_offset_exposure", "offset", "exposure", "n_trials", "_tmp_like_exog",
               "pinv_wexog", "_weights", "_fit", "_frequency", "_working_rows")  # fmt: skip


def light_model(model: Any) -> Any:
    """Return a copy of a model without its rows."""
    light = copy.copy(model)
    for name in _MODEL_ROWS:
        if name in light.__dict__:
            light.__dict__[name] = None
    light.data = copy.copy(model.data)
    # Names are read from the data on demand, so they must be read before the data go.
    light.data._cache = {"ynames": model.endog_names, "xnames": list(model._design.names)}
    for name in ("endog", "exog", "orig_endog", "orig_exog", "frame", "weights", "offset",
                 "exposure", "freq_weights", "var_weights"):  # fmt: skip
        if name in light.data.__dict__:
            light.data.__dict__[name] = None
    light._design = copy.copy(model._design)
    light._design.grouping = replace(model._design.grouping, codes=np.empty(0, np.intp))
    return light


def _of_rows(name: str) -> property:
    """Return a property that says why a statistic of the rows is not there, when it is not."""

    def read(self: Any) -> Any:
        if self._without_rows:
            raise ValueError(
                f"{name}: these results keep one row per document, not the rows; fit with rs.ols,"
                " and do not remove its data, to have it"
            )
        return getattr(super(_LinearClusterResults, self), name)

    return property(read, doc=f"{name} of the rows (N,); see statsmodels.")


class _LinearClusterResults(ClusterResults):
    """What the results of OLS and WLS share."""

    resid = _of_rows("resid")
    wresid = _of_rows("wresid")
    fittedvalues = _of_rows("fittedvalues")
    resid_pearson = _of_rows("resid_pearson")

    @classmethod
    def from_inference(cls, model: Any, inference: ClusterInference) -> Any:
        """Build the wrapped results of a fitted model."""
        fit = model._fit
        bread = inference.parts.transform @ inference.parts.transform.T
        square = float(fit.moments.square.sum())
        scale = square / model.df_resid if model.df_resid > 0 else np.nan
        results = cls(model, inference.coefficients, bread, scale)
        results._attach(model, inference)
        if model.exog is None:
            results._without_rows = True
            results._cache["ssr"] = square
        return cls.wrapper_class()(results)


class OLSResults(_LinearClusterResults, SMOLSResults):  # type: ignore[misc]
    """Results of :class:`ragstats.OLS`."""

    @classmethod
    def wrapper_class(cls) -> type:
        """The wrapper that labels the results."""
        return OLSResultsWrapper


class WLSResults(_LinearClusterResults, SMRegressionResults):  # type: ignore[misc]
    """Results of :class:`ragstats.WLS`."""

    @classmethod
    def wrapper_class(cls) -> type:
        """The wrapper that labels the results."""
        return WLSResultsWrapper


class _StoresResults:
    """Saving, for the wrappers: a copy goes to the file, what is in memory stays."""

    _results: Any

    def save(self, fname: Any, remove_data: bool = False) -> None:
        """Store the results; the formula is not stored, the rows are unless removed.

        Parameters
        ----------
        fname : path or file handle
            Where to.
        remove_data : bool
            Store without the rows; the results in memory keep theirs.
        """
        stored: Any = copy.copy(self)
        if remove_data:
            object.__setattr__(stored, "_results", copy.copy(self._results))
            stored._results._cache = dict(self._results._cache)
            stored._results.remove_data()
        if hasattr(fname, "write"):
            pickle.dump(stored, fname)
        else:
            Path(fname).write_bytes(pickle.dumps(stored))

    def __copy__(self) -> Any:
        return type(self)(object.__getattribute__(self, "_results"))


_COLUMNS = {"df_inference": "columns"}


class OLSResultsWrapper(_StoresResults, SMRegressionResultsWrapper):  # type: ignore[misc]
    """Labels the results of OLS."""

    _wrap_attrs = {**SMRegressionResultsWrapper._wrap_attrs, **_COLUMNS}


class WLSResultsWrapper(_StoresResults, SMRegressionResultsWrapper):  # type: ignore[misc]
    """Labels the results of WLS."""

    _wrap_attrs = {**SMRegressionResultsWrapper._wrap_attrs, **_COLUMNS}


wrap.populate_wrapper(OLSResultsWrapper, OLSResults)
wrap.populate_wrapper(WLSResultsWrapper, WLSResults)


def load(fname: Any) -> Any:
    """Return results that were stored with ``save``.

    Only load files that you trust: they are pickles.

    Raises
    ------
    ValueError
        If the file holds something else, or another version's layout.
    """
    content = fname.read() if hasattr(fname, "read") else Path(fname).read_bytes()
    results = pickle.loads(content)
    if not isinstance(results, (OLSResultsWrapper, WLSResultsWrapper, GLMResultsWrapper)):
        raise ValueError(f"fname={fname!r} holds a {type(results).__name__}, not ragstats results")
    return results


class GLMResults(ClusterResults, SMGLMResults):  # type: ignore[misc]
    """Results of :class:`ragstats.GLM`."""

    @classmethod
    def wrapper_class(cls) -> type:
        """The wrapper that labels the results."""
        return GLMResultsWrapper

    @classmethod
    def from_fit(cls, model: Any, fit: Any, inference: ClusterInference) -> Any:
        """Build the wrapped results of a converged fit."""
        bread = inference.parts.transform @ inference.parts.transform.T
        results = cls(model, fit.coefficients, bread, model.scale)
        results._attach(model, inference)
        results.method, results.converged = "IRLS", fit.converged
        results.fit_history = {"iteration": fit.steps}
        results.mle_settings = {"optimizer": "IRLS"}
        return cls.wrapper_class()(results)

    def get_prediction(
        self,
        exog: Any = None,
        exposure: Any = None,
        offset: Any = None,
        transform: bool = True,
        which: str | None = None,
        row_labels: Any = None,
        **unknown: Any,
    ) -> ClusterPrediction:
        """Return predicted means, SE by the delta method, and the df of each row's contrast.

        Parameters
        ----------
        exog : DataFrame or array_like, optional
            New data for the formula, or rows of the design; by default the rows of the fit.
        exposure, offset : array_like (m,), optional
            For the new rows; by default none for new rows, and the fit's own for its rows.
        which : {"mean", "linear"}, optional
            The scale: the outcome's (default), or the linear predictor's.

        Raises
        ------
        ValueError
            If ``which`` or another argument is unknown.
        """
        which = "mean" if which is None else which
        if which not in ("mean", "linear"):
            raise unknown_option("which", which, ("mean", "linear"))
        if unknown:
            raise ValueError(
                f"get_prediction does not take {next(iter(unknown))}=; for averages over rows use"
                " average_marginal_effects(), or t_test on the averaged row of the design"
            )
        rows, labels = self._prediction_rows(exog, transform)
        shift = np.zeros(len(rows))
        if offset is not None:
            shift = shift + np.asarray(offset, float)
        if exposure is not None:
            shift = shift + np.log(np.asarray(exposure, float))
        if exog is None and offset is None and exposure is None:
            shift = shift + self.model._offset_exposure
        effect, se, df, reasons = predict_rows(self._inference, np.asarray(self.params), rows)
        predictor = effect + shift
        labels = labels if row_labels is None else row_labels
        if which == "linear":
            return ClusterPrediction(predictor, se, df, reasons, labels)
        slope = self.family.link.inverse_deriv(predictor)
        mean = self.family.fitted(predictor)
        return ClusterPrediction(mean, np.abs(slope) * se, df, reasons, labels)

    def average_marginal_effects(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return the average of ``dμ/dx`` over the rows of the fit, for each column of the design.

        The gradient of the average in the coefficients is a contrast, whose df are those shown.
        Columns of 0 and 1 get the difference between 1 and 0 instead of the derivative.

        Returns
        -------
        DataFrame
            ``effect``, ``std err``, ``t``, ``df``, ``P>|t|`` and the interval.

        Raises
        ------
        ValueError
            If the rows were removed, or alpha is not between 0 and 1.

        References
        ----------
        Bartus (2005), Stata Journal 5(3), 309-329.
        """
        check_alpha(alpha)
        if self.model.exog is None:
            raise ValueError("average_marginal_effects needs the rows, which were removed")
        names, effects, gradients = marginal_effects(self)
        estimate = self._inference.contrasts(gradients, np.asarray(self.params))
        estimate = replace(estimate, effect=effects)
        statistic = t_statistics(estimate)
        half = stats.t.isf(alpha / 2, estimate.df) * estimate.se
        return pd.DataFrame(
            {
                "effect": effects,
                "std err": estimate.se,
                "t": statistic,
                "df": estimate.df,
                "P>|t|": t_pvalue(statistic, estimate.df),
                f"[{alpha / 2:.4g}": effects - half,
                f"{1 - alpha / 2:.4g}]": effects + half,
            },
            index=names,
        )


class GLMResultsWrapper(_StoresResults, SMGLMResultsWrapper):  # type: ignore[misc]
    """Labels the results of GLM."""

    _wrap_attrs = {**SMGLMResultsWrapper._wrap_attrs, **_COLUMNS}


wrap.populate_wrapper(GLMResultsWrapper, GLMResults)
