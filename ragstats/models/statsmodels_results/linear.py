"""Results of OLS and WLS."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from statsmodels.base.wrapper import populate_wrapper
from statsmodels.regression.linear_model import OLSResults as SMOLSResults
from statsmodels.regression.linear_model import RegressionResults as SMRegressionResults
from statsmodels.regression.linear_model import RegressionResultsWrapper as SMWrapper

from ragstats.core.inference import ClusterInference
from ragstats.models.statsmodels_results.cluster import ClusterResults
from ragstats.models.statsmodels_results.refused import (
    EMPIRICAL,
    SINGLE_ROWS,
    OfPlainFit,
    OfRows,
    Refused,
    plain_fit,
    rows_gone,
)
from ragstats.models.statsmodels_results.wrappers import LABELS, ClusterWrapper


class LinearClusterResults(ClusterResults, SMRegressionResults):
    """What the results of OLS and WLS share."""

    _kept_statistics = ("nobs", "scale", "ssr", "centered_tss", "uncentered_tss", "llf")
    _wrapper: type

    resid = OfRows()
    wresid = OfRows()
    resid_pearson = OfRows()
    ssr = OfRows()
    centered_tss = OfRows()
    uncentered_tss = OfRows()

    cov_HC0 = OfPlainFit()
    cov_HC1 = OfPlainFit()
    cov_HC2 = OfPlainFit()
    cov_HC3 = OfPlainFit()
    HC0_se = OfPlainFit()
    HC1_se = OfPlainFit()
    HC2_se = OfPlainFit()
    HC3_se = OfPlainFit()

    @classmethod
    def from_inference(cls, model: Any, inference: ClusterInference) -> Any:
        """Build the wrapped results of a fitted model."""
        fit = model._fit
        bread = inference.parts.transform @ inference.parts.transform.T
        square = float(fit.moments.square.sum())
        scale = square / model.df_resid if model.df_resid > 0 else np.nan
        results = cls(model, inference.coefficients, bread, scale)
        results._attach(model, inference)
        results._wexog_singular_values = 1 / np.linalg.svd(
            inference.parts.transform, compute_uv=False
        )
        results._cache.update(ssr=square, scale=scale, nobs=float(model.nobs))
        if model.exog is None:
            results._take_sums(getattr(model, "_sums", None))
        if results.absorbed:
            results._take_effects()
        return cls._wrapper(results)

    def _take_sums(self, sums: dict[str, float] | None) -> None:
        """Take what cells of rows know of the rows, which were never here."""
        self._without_rows = True
        if sums is None:
            return
        half, square = self._cache["nobs"] / 2, self._cache["ssr"]
        with np.errstate(divide="ignore"):  # scores that do not vary have an infinite likelihood
            profile = -half * (np.log(2 * np.pi) + np.log(square / (2 * half)) + 1)
        self._cache.update(
            uncentered_tss=sums["uncentered_tss"],
            centered_tss=sums["centered_tss"],
            llf=float(profile + sums["log_weights"] / 2),
        )

    def _take_effects(self) -> None:
        """Count absorbed effects, and measure the outcome, as the fit with dummies does."""
        outcome = self.model._outcome
        self.k_constant = 1  # the effects span it
        self._cache["uncentered_tss"] = float(outcome @ outcome)
        self._cache["centered_tss"] = float(((outcome - outcome.mean()) ** 2).sum())

    @property
    def fittedvalues(self) -> Any:
        """Fitted means of the rows (N,); with absorbed effects, those of the fit with dummies."""
        if self._without_rows:
            raise ValueError(rows_gone("fittedvalues"))
        if self.absorbed:
            return self.model._outcome - self.resid
        return super().fittedvalues

    def _plain_robust(self, cov_type: str, use_t: Any, kwds: dict[str, Any]) -> Any:
        return plain_fit(self, f"cov_type={cov_type!r}").get_robustcov_results(
            cov_type=cov_type, use_t=use_t, **kwds
        )


class OLSResults(LinearClusterResults, SMOLSResults):
    """Results of :class:`ragstats.OLS`."""

    get_influence = OfPlainFit()
    outlier_test = Refused(SINGLE_ROWS)
    el_test = Refused(EMPIRICAL)
    conf_int_el = Refused(EMPIRICAL)


class WLSResults(LinearClusterResults, SMRegressionResults):
    """Results of :class:`ragstats.WLS`."""


class OLSResultsWrapper(ClusterWrapper, SMWrapper):
    """Labels the results of OLS."""

    _wrap_attrs: ClassVar = {**SMWrapper._wrap_attrs, **LABELS}


class WLSResultsWrapper(ClusterWrapper, SMWrapper):
    """Labels the results of WLS."""

    _wrap_attrs: ClassVar = {**SMWrapper._wrap_attrs, **LABELS}


populate_wrapper(OLSResultsWrapper, OLSResults)
populate_wrapper(WLSResultsWrapper, WLSResults)
OLSResults._wrapper = OLSResultsWrapper
WLSResults._wrapper = WLSResultsWrapper
