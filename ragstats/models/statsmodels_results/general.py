"""Results of GLM."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.base.wrapper import populate_wrapper
from statsmodels.genmod.generalized_linear_model import GLMResults as SMGLMResults
from statsmodels.genmod.generalized_linear_model import GLMResultsWrapper as SMWrapper

from ragstats.core.hypothesis import t_pvalue
from ragstats.core.inference import ClusterInference
from ragstats.exceptions import unknown_option
from ragstats.models.hypotheses import t_statistics
from ragstats.models.marginal import marginal_effects
from ragstats.models.prediction import (
    ClusterPrediction,
    checked_labels,
    one_per_row,
    predict_rows,
)
from ragstats.models.statsmodels_results.cluster import ClusterResults
from ragstats.models.statsmodels_results.refused import (
    MARGINS,
    SCORE,
    OfPlainFit,
    OfRows,
    Refused,
    plain_fit,
    rows_gone,
)
from ragstats.models.statsmodels_results.testing import check_alpha
from ragstats.models.statsmodels_results.wrappers import LABELS, ClusterWrapper

_ROWS_OF_RESULTS = ("_endog", "_freq_weights", "_var_weights", "_iweights", "_n_trials")


class GLMResults(ClusterResults, SMGLMResults):
    """Results of :class:`ragstats.GLM`."""

    _kept_statistics = ("deviance", "null_deviance", "pearson_chi2", "llf", "llnull")
    _wrapper: type

    mu = OfRows()
    null = OfRows()
    fittedvalues = OfRows()
    resid_response = OfRows()
    resid_pearson = OfRows()
    resid_working = OfRows()
    resid_deviance = OfRows()
    resid_anscombe = OfRows()
    resid_anscombe_scaled = OfRows()
    resid_anscombe_unscaled = OfRows()
    deviance = OfRows()
    null_deviance = OfRows()
    pearson_chi2 = OfRows()
    llnull = OfRows()
    llf_scaled = OfRows()
    get_hat_matrix_diag = OfRows()

    get_influence = OfPlainFit()
    plot_added_variable = OfPlainFit()
    plot_partial_residuals = OfPlainFit()
    plot_ceres_residuals = OfPlainFit()

    score_test = Refused(SCORE)
    get_margeff = Refused(MARGINS)

    @classmethod
    def from_fit(cls, model: Any, fit: Any, inference: ClusterInference) -> Any:
        """Build the wrapped results of a converged fit."""
        bread = inference.parts.transform @ inference.parts.transform.T
        results = cls(model, fit.coefficients, bread, model.scale)
        results._attach(model, inference)
        results.method, results.converged = "IRLS", fit.converged
        results.fit_history = {"iteration": fit.steps}
        results.mle_settings = {"optimizer": "IRLS"}
        return cls._wrapper(results)

    def get_prediction(  # type: ignore[override]  # statsmodels' own signature for GLM
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
            shift = shift + one_per_row("offset", offset, len(rows))
        if exposure is not None:
            shift = shift + np.log(one_per_row("exposure", exposure, len(rows)))
        if exog is None and offset is None and exposure is None:
            shift = shift + self.model._offset_exposure
        effect, se, df, reasons = predict_rows(self._inference, np.asarray(self.params), rows)
        predictor = effect + shift
        labels = labels if row_labels is None else checked_labels(row_labels, len(rows))
        if which == "linear":
            return ClusterPrediction(predictor, se, df, reasons, labels)
        slope = self.family.link.inverse_deriv(predictor)
        mean = self.family.fitted(predictor)
        return ClusterPrediction(mean, np.abs(slope) * se, df, reasons, labels)

    def average_marginal_effects(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return the average change of the fitted mean over the rows, for each variable.

        A number gets the derivative ``dμ/dx``, a variable of 0 and 1 the difference between the
        two, and each level of a factor the difference to the first. All columns of the formula
        that a variable is in move with it: levels, powers, interactions. Without a formula each
        column of the design moves alone. The gradient of the average in the coefficients is a
        contrast, whose df are those shown.

        Parameters
        ----------
        alpha : float
            One minus the level of the intervals.

        Returns
        -------
        DataFrame
            ``effect``, ``std err``, ``t``, ``df``, ``P>|t|`` and the interval, in units of the
            mean; a row is named by its variable, or ``variable[level - first]`` for a level.

        Raises
        ------
        ValueError
            If the rows were removed, the results were stored without their formula, or alpha is
            not between 0 and 1.

        References
        ----------
        Bartus (2005), Stata Journal 5(3), 309-329.

        Examples
        --------
        >>> import ragstats as rs, statsmodels.api as sm
        >>> d = rs.datasets.load_eight_documents()
        >>> logit = rs.glm("b01 ~ a", d, groups="doc", family=sm.families.Binomial()).fit()
        >>> effect = logit.average_marginal_effects().loc["a"]
        >>> round(float(effect["effect"]), 3), round(float(effect["df"]), 1)
        (0.772, 1.9)
        """
        check_alpha(alpha)
        if self._without_rows:
            raise ValueError(rows_gone("average_marginal_effects"))
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

    def remove_data(self) -> None:
        """Let go of the rows; inference keeps working, other results of the model are untouched."""
        super().remove_data()
        for name in _ROWS_OF_RESULTS:
            self.__dict__[name] = None

    def _plain_robust(self, cov_type: str, use_t: Any, kwds: dict[str, Any]) -> Any:
        plain_fit(self, f"cov_type={cov_type!r}")  # for its refusals
        options = {"start_params": np.asarray(self.params), "tol": 1e-12, "use_t": use_t}
        return self.model.plain_model().fit(cov_type=cov_type, cov_kwds=kwds or None, **options)


class GLMResultsWrapper(ClusterWrapper, SMWrapper):
    """Labels the results of GLM."""

    _wrap_attrs: ClassVar = {**SMWrapper._wrap_attrs, **LABELS}


populate_wrapper(GLMResultsWrapper, GLMResults)
GLMResults._wrapper = GLMResultsWrapper
