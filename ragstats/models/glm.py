"""GLM with documents as clusters."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm

from ragstats.core.adjustment import adjustment
from ragstats.core.dof import df_rule
from ragstats.core.estimate import EXACT_FIT, LeastSquares
from ragstats.core.inference import ClusterInference
from ragstats.core.moments import ClusterMoments
from ragstats.core.orthonormal import orthonormalize
from ragstats.core.segments import Floats
from ragstats.core.working import WorkingRows
from ragstats.exceptions import DataError, plural
from ragstats.models.arguments import needs_groups, refuse_unknown_fit_options
from ragstats.models.design import describe_design
from ragstats.models.irls import GLMFit, fit_glm
from ragstats.models.linear import attach_design, refuse_without_rows
from ragstats.models.rows import Rows
from ragstats.models.rows_of_arrays import rows_from_arrays
from ragstats.models.separation import SeparatedInference, at_bound
from ragstats.models.statsmodels_results import GLMResults
from ragstats.models.statsmodels_results.refused import FROM_FORMULA, PENALTY, SCORE, Refused


class GLM(sm.GLM):
    """Generalized linear model with documents as the sampling unit.

    Parameters
    ----------
    endog : array_like (N,) or (N, 2)
        The outcome; successes and failures for the binomial family.
    exog : array_like (N, p)
        The design, with its constant.
    groups : array_like (N,)
        The document of each row.
    family : statsmodels family, optional
        Gaussian by default.
    var_weights : array_like (N,), optional
        Prior weights, for instance trials: they divide the variance of a row.
    freq_weights : array_like (N,), optional
        How many equal rows each row stands for; the results equal those of the repeated rows.
    offset, exposure : array_like (N,), optional
        Added to the linear predictor; exposure by its logarithm (log link only).
    missing : {"drop", "raise"}
        What to do with incomplete rows.

    Raises
    ------
    ValueError, DataError
        As in :class:`ragstats.OLS`; also for separation, and outcomes outside the family's domain.

    Notes
    -----
    The working model of CR2 and the df is the GLM's own variance function ("inverse_var"), with
    ``X → dμ/dη · X`` and the expected information, as in R clubSandwich.

    When a covariate predicts every outcome (perfect separation) all coefficients are infinite, and
    ``fit`` raises. When only some are infinite, such as that of a system that never misses, these
    have NaN with the reason, and the others have their limits: those of the fit without the rows
    that only identify infinite ones.

    References
    ----------
    Pustejovsky and Tipton (2018), JBES 36(4), 672-683; McCaffrey and Bell (2006), Statistics in
    Medicine 25(23), 4081-4098.

    Examples
    --------
    >>> import numpy as np, ragstats as rs, statsmodels.api as sm
    >>> y = np.array([1., 0, 1, 1, 0, 0, 1, 1])
    >>> model = rs.GLM(y, np.ones(8), groups=list("aabbbccc"), family=sm.families.Binomial())
    >>> r = model.fit()
    >>> round(float(r.params.iloc[0]), 4)
    0.5108
    """

    estimand = "micro"
    model_name = "GLM"
    _working = "inverse_var"

    fit_regularized = Refused(PENALTY)
    fit_constrained = Refused(PENALTY)
    score_test = Refused(SCORE)
    from_formula = Refused(FROM_FORMULA.replace("rs.ols(", "rs.glm("))

    @needs_groups("rs.GLM(y, X, groups=documents, family=family)")
    def __init__(
        self,
        endog: Any,
        exog: Any,
        *,
        groups: Any,
        family: Any = None,
        var_weights: Any = None,
        freq_weights: Any = None,
        offset: Any = None,
        exposure: Any = None,
        missing: str = "drop",
    ):
        extras = {
            "var_weights": var_weights,
            "freq_weights": freq_weights,
            "offset": offset,
            "exposure": exposure,
        }
        rows = rows_from_arrays(endog, exog, groups=groups, extras=extras, missing=missing)
        self._build(rows, family=family)

    @classmethod
    def from_rows(cls, rows: Rows, *, family: Any = None) -> GLM:
        """Build the model from rows that are already prepared."""
        model = cls.__new__(cls)
        model._build(rows, family=family)
        return model

    def _build(self, rows: Rows, *, family: Any) -> None:
        family = family if family is not None else sm.families.Gaussian()
        if not isinstance(family, sm.families.Family):
            raise TypeError(
                f"family={family!r} is not a statsmodels family, such as sm.families.Binomial()"
            )
        family = _own(family)
        if "exposure" in rows.extras and not isinstance(family.link, sm.families.links.Log):
            raise ValueError(
                f"exposure= needs the log link, and this is {type(family.link).__name__}; give its"
                " logarithm as offset= if that is meant"
            )
        _check_counts(rows.endog, family)
        if isinstance(rows.endog, pd.Series):
            _check_domain(rows.endog, family)
        basis = orthonormalize(rows.exog.to_numpy())
        self._design = describe_design(rows, basis)
        exog = rows.exog.iloc[:, basis.columns] if basis.aliased.size else rows.exog
        given = {name: values for name, values in rows.extras.items() if name in _GLM_EXTRAS}
        sm.GLM.__init__(self, rows.endog, exog, family=family, hasconst=False, **given)
        self._weights: Floats | None = given.get("var_weights")
        attach_design(self, rows)
        self.df_model = float(self.rank - 1)
        self.df_resid = float(self.wnobs - self.rank)

    def fit(
        self,
        *,
        cov_type: str = "CR2",
        df: str = "satterthwaite",
        start_params: Any = None,
        **unknown: Any,
    ) -> Any:
        """Fit to full convergence, and return results with inference by documents.

        Parameters
        ----------
        cov_type : {"CR2", "CR0", "CR1", "CR1p", "CR1S", "CR3"}
            The covariance type.
        df : {"satterthwaite", "K-1", "K-p", "normal"}
            How the degrees of freedom of a contrast are found; "IK" is for OLS.
        start_params : array_like (p,), optional
            Where the iterations start.

        Returns
        -------
        GLMResults
            In statsmodels' wrapper.
        """
        refuse_unknown_fit_options(unknown, ("cov_type", "df", "start_params"))
        refuse_without_rows(self)
        adjustment(cov_type), df_rule(df)  # before the work
        if start_params is not None and np.shape(start_params) != (self.exog.shape[1],):
            raise ValueError(
                f"start_params has shape {np.shape(start_params)}; the model has"
                f" {self.exog.shape[1]} coefficients: {', '.join(self.exog_names)}"
            )
        fit = fit_glm(
            self.exog,
            self.endog,
            self.family,
            prior=self.var_weights,
            trials=self.n_trials if isinstance(self.family, sm.families.Binomial) else 1.0,
            frequency=self.freq_weights,
            offset=self._offset_exposure,
            start=start_params,
        )
        self.mu, self.scale = fit.mean, self.estimate_scale(fit.mean)
        inference = self._infer(fit, cov_type, df)
        return GLMResults.from_fit(self, fit, inference)

    def _infer(self, fit: GLMFit, cov_type: str, df: str) -> ClusterInference:
        inside = ~at_bound(self.family, self.endog, fit.mean)
        separated = bool(fit.infinite.shape[1])
        used = inside if separated else np.ones(len(inside), bool)
        frequency = self.freq_weights[used] if self._has_freq_weights else None
        squares = _working_squares(self, fit, used)
        codes, weights = self._design.grouping.codes[used], 1 / fit.variance[used]
        rows = WorkingRows(squares, codes, weights, frequency, self._working)
        inference = rows.infer(adjustment(cov_type), df_rule(df))
        if not separated:
            return inference
        parts = (inference.moments, inference.parts, inference.adjustment, inference.rule)
        return SeparatedInference(*parts, None, fit.infinite, fit.n_bound)

    def plain_model(self) -> Any:
        """Return statsmodels' own model of the same rows."""
        refuse_without_rows(self)
        given = ("offset", "exposure", "var_weights", "freq_weights")
        kwds = {name: getattr(self, name) for name in given if getattr(self, f"_has_{name}")}
        if "exposure" in kwds:
            kwds["exposure"] = np.exp(self.exposure)
        return sm.GLM(self.data.orig_endog, self.data.orig_exog, family=self.family, **kwds)


_GLM_EXTRAS = ("var_weights", "freq_weights", "offset", "exposure")


def _working_squares(model: GLM, fit: GLMFit, used: np.ndarray) -> LeastSquares:
    """Return the last weighted step: whitened rows ``√(m/V) D X``, residuals y - μ.

    Some rows may be left out (at a bound, in a fit with infinite coefficients); columns that the
    others don't identify have no part in the basis then.
    """
    grouping, frequency = model._design.grouping, model.freq_weights
    root = np.sqrt(frequency / fit.variance)
    basis = orthonormalize((model.exog * (fit.slope * root)[:, None])[used])
    transform = np.zeros((model.exog.shape[1], len(basis.columns)))
    transform[basis.columns] = basis.transform
    residuals = ((model.endog - fit.mean) * root)[used]
    scale = float(np.abs(model.endog * root).max())
    if np.abs(residuals).max(initial=0.0) <= EXACT_FIT * scale:
        residuals[:] = 0.0
    moments = ClusterMoments.from_rows(
        basis.rows,
        residuals,
        grouping.codes[used],
        grouping.ids,
        transform=transform,
        origin=fit.coefficients,
        frequency=frequency[used],
        scale=scale,
    )
    counts = np.bincount(grouping.codes, frequency, grouping.n_groups).astype(float)
    return LeastSquares(fit.coefficients, basis, residuals, replace(moments, rows=counts))


def _own(family: Any) -> Any:
    """Return a family of this model's own: statsmodels keeps the trials of the last model on it."""
    family = copy.copy(family)
    if isinstance(family, sm.families.Binomial):
        family.n = 1
    return family


def _check_counts(endog: pd.Series | pd.DataFrame, family: Any) -> None:
    """Raise unless two columns of outcomes are successes and failures of the binomial family."""
    if not isinstance(endog, pd.DataFrame):
        return
    if not isinstance(family, sm.families.Binomial) or endog.shape[1] != 2:
        raise ValueError(
            f"endog has {plural(endog.shape[1], 'column')}; one is right (two, successes and"
            " failures, for the binomial family)"
        )
    counts = endog.to_numpy()
    if (counts < 0).any() or (counts.sum(axis=1) <= 0).any():
        raise DataError("endog: successes and failures must be ≥ 0 with at least one trial a row")


def _check_domain(endog: pd.Series, family: Any) -> None:
    """Raise for outcomes that the family cannot have."""
    values = endog.to_numpy()
    name = type(family).__name__
    if isinstance(family, sm.families.Binomial):
        bad, right = (values < 0) | (values > 1), "between 0 and 1"
    elif isinstance(family, (sm.families.Gamma, sm.families.InverseGaussian)):
        bad, right = values <= 0, "positive"
    elif isinstance(family, (sm.families.Poisson, sm.families.NegativeBinomial)):
        bad, right = values < 0, "at least 0"
    else:
        return
    if bad.any():
        raise DataError(
            f"endog: {plural(int(bad.sum()), 'value')} outside the domain of the {name} family,"
            f" for instance {float(values[bad][0])!r}; they must be {right}"
        )
