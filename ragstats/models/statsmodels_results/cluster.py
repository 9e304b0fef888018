"""Inference by documents: what the results of OLS, WLS and GLM share."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ragstats.core.adjustment import ADJUSTMENTS
from ragstats.core.hypothesis import t_pvalue
from ragstats.core.inference import ClusterInference, ContrastEstimate
from ragstats.core.segments import Floats
from ragstats.models import summary as tables
from ragstats.models.hypotheses import t_statistics
from ragstats.models.prediction import ClusterPrediction, checked_labels, predict_rows
from ragstats.models.say import warn
from ragstats.models.statsmodels_results.refused import SMALLER_MODEL, OfRows, Refused
from ragstats.models.statsmodels_results.storing import light_model, stored
from ragstats.models.statsmodels_results.testing import HypothesisTests, check_alpha


class ClusterResults(HypothesisTests):
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

    llf = OfRows()

    compare_f_test = Refused(SMALLER_MODEL)
    compare_lr_test = Refused(SMALLER_MODEL)
    compare_lm_test = Refused(SMALLER_MODEL)

    _coefficients: ContrastEstimate
    _cache: dict[str, Any]
    _without_rows = False
    #: Statistics that are computed before the rows go; the others follow from them.
    _kept_statistics: tuple[str, ...] = ()
    estimand: str
    working: str
    absorbed: tuple[str, ...]

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
        self.remarks = tuple(self._remarks(model._design.names))
        for sentence in (*(f"{name} {why}" for name, why in self.reasons.items()), *self.remarks):
            warn(sentence)

    def _remarks(self, names: tuple[str, ...]) -> list[str]:
        """Say what hangs on one document, and what does not vary."""
        said = []
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
            said.append(f"{self._inference.why_zero} for {', '.join(still[:5])}")
        return said

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

    def to_clubsandwich(self, directory: Any) -> Any:
        """Write data and an R script that reproduces the fit; see ``ragstats.to_clubsandwich``."""
        from ragstats.io.crosscheck import to_clubsandwich

        return to_clubsandwich(self, directory)

    def coef_table(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return estimate, SE, t, df, p and interval of each coefficient."""
        check_alpha(alpha)
        return tables.coefficient_table(self, alpha)

    # ---- predictions ------------------------------------------------------------------------

    def _transform_predict_exog(self, exog: Any, transform: bool = True) -> Any:
        """Turn new data into rows of the design, through patsy whatever statsmodels' engine is."""
        self._refuse_absorbed()
        if exog is None:
            return None, None
        rows = self.model._design.rows_for(exog, transform=transform)
        index = rows.index if isinstance(exog, (pd.DataFrame, pd.Series)) else None
        return rows.to_numpy(float), index

    def _refuse_absorbed(self) -> None:
        if self.absorbed:
            raise ValueError(
                f"predictions need the effects of {', '.join(self.absorbed)}, which were absorbed"
                " and have no estimates; use t_test for differences between designs"
            )

    def _prediction_rows(self, exog: Any, transform: bool) -> tuple[Floats, Any]:
        """Return rows of the design and their labels, the data's own by default."""
        if exog is None:
            self._refuse_absorbed()
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
        labels = labels if row_labels is None else checked_labels(row_labels, len(rows))
        return ClusterPrediction(effect, se, df, reasons, labels)

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
        return tables.summary2(
            self, yname=yname, xname=xname, title=title, alpha=alpha, float_format=float_format
        )

    # ---- other covariances ------------------------------------------------------------------

    def get_robustcov_results(self, cov_type: str = "CR2", use_t: Any = None, **kwds: Any) -> Any:
        """Return results with another covariance; these results stay as they are.

        Parameters
        ----------
        cov_type : str
            One of ours (refitted with the same df rule, or ``df=``), or one of statsmodels', which
            a plain statsmodels result then computes.
        use_t : bool, optional
            For statsmodels' types only.
        **kwds
            ``df=`` for ours, statsmodels' keywords for its own.

        Raises
        ------
        ValueError
            If the rows were removed, or the covariance type is unknown to both.
        """
        if cov_type in ADJUSTMENTS:
            if use_t is not None:
                raise ValueError("use_t belongs to statsmodels' covariance types; ours take df=")
            return self.model.fit(
                cov_type=cov_type, df=kwds.pop("df", self._inference.rule.name), **kwds
            )
        return self._plain_robust(cov_type, use_t, kwds)

    def _plain_robust(self, cov_type: str, use_t: Any, kwds: dict[str, Any]) -> Any:
        """Return a plain statsmodels result with one of statsmodels' covariance types."""
        raise NotImplementedError

    # ---- storing ----------------------------------------------------------------------------

    def remove_data(self) -> None:
        """Let go of the rows; inference keeps working, other results of the model are untouched."""
        if self._without_rows:
            return
        keep = {name: getattr(self, name) for name in self._kept_statistics}
        self.model = light_model(self.model)
        self._cache = keep
        self._without_rows = True

    def __reduce__(self) -> tuple[Any, ...]:
        return stored(self)

    def __copy__(self) -> Any:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, _cache=dict(self._cache))
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin
