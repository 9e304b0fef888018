"""OLS and WLS with documents as clusters: statsmodels' models, with groups in the constructor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm

from ragstats.core.adjustment import adjustment
from ragstats.core.dof import df_rule
from ragstats.core.estimate import LeastSquares, least_squares
from ragstats.core.inference import ClusterInference
from ragstats.core.orthonormal import CONDITION_WARNING
from ragstats.core.working import WorkingRows, check_working
from ragstats.exceptions import DataError
from ragstats.models.absorb import PREFIX, effect_codes, solve_absorbed
from ragstats.models.arguments import needs_groups, refuse_unknown_fit_options
from ragstats.models.data import use_cluster_data
from ragstats.models.design import Design, describe_design
from ragstats.models.estimand import check_estimand, macro_weights
from ragstats.models.rows import Rows
from ragstats.models.rows_of_arrays import rows_from_arrays
from ragstats.models.statsmodels_results import OLSResults, WLSResults
from ragstats.models.statsmodels_results.refused import FROM_FORMULA, PENALTY, Refused


class ClusteredLinear:
    """What OLS and WLS share: the rows, one least-squares fit, and inference by documents."""

    _design: Design
    _fit: LeastSquares
    _weights: np.ndarray | None
    _working: str
    _results_class: Any
    model_name: str  # as the summary prints it, whatever way the fit took
    data: Any
    exog: Any

    fit_regularized = Refused(PENALTY)
    from_formula = Refused(FROM_FORMULA)

    @classmethod
    def from_rows(cls, rows: Rows, **options: Any) -> Any:
        """Build the model from rows that are already prepared."""
        model = cls.__new__(cls)
        model._build(rows, **options)
        return model

    def _build(self, rows: Rows, **options: Any) -> None:
        raise NotImplementedError

    def _solve(self, rows: Rows, weights: np.ndarray | None) -> pd.DataFrame:
        """Fit once, and return the design without its aliased columns."""
        exog = rows.exog
        fit = least_squares(
            exog.to_numpy(),
            rows.endog.to_numpy(),
            rows.grouping.codes,
            rows.grouping.ids,
            weights=weights,
        )
        if not fit.basis.columns.size:
            raise DataError("exog: no column is left; each is 0 in every row")
        self._fit = fit.without_rows() if weights is None else fit
        self._weights = weights
        self._design = describe_design(rows, fit.basis)
        return exog.iloc[:, fit.basis.columns] if fit.basis.aliased.size else exog

    def fit(
        self,
        *,
        cov_type: str = "CR2",
        df: str = "satterthwaite",
        rho_floor: bool = False,
        **unknown: Any,
    ) -> Any:
        """Fit, and return results with cluster-robust inference.

        Parameters
        ----------
        cov_type : {"CR2", "CR0", "CR1", "CR1p", "CR1S", "CR3"}
            The covariance type; see ``ragstats.core.adjustment``.
        df : {"satterthwaite", "IK", "K-1", "K-p", "normal"}
            How the degrees of freedom of a contrast are found.
        rho_floor : bool
            Replace a negative intra-document correlation by 0 (``df="IK"`` only).

        Returns
        -------
        OLSResults or WLSResults
            In statsmodels' wrapper.

        Raises
        ------
        ValueError
            If a name is unknown.
        TypeError
            If groups are given here: they belong to the constructor.
        """
        refuse_unknown_fit_options(unknown, ("cov_type", "df", "rho_floor"))
        refuse_without_rows(self)
        inference = self._infer(cov_type, df, rho_floor=rho_floor)
        return self._results_class.from_inference(self, inference)

    def _infer(self, cov_type: str, df: str, *, rho_floor: bool = False) -> ClusterInference:
        rows = WorkingRows(
            self._fit, self._design.grouping.codes, self._weights, None, self._working
        )
        return rows.infer(adjustment(cov_type), df_rule(df), rho_floor=rho_floor)

    def plain_model(self) -> Any:
        """Return statsmodels' own model of the same rows."""
        refuse_without_rows(self)
        endog, exog = self.data.orig_endog, self.data.orig_exog
        if self._weights is None:
            return sm.OLS(endog, exog)
        return sm.WLS(endog, exog, weights=self._weights)


def refuse_without_rows(model: Any) -> None:
    """Raise when a model has let go of its rows, or never had any."""
    if model.exog is None:
        raise ValueError(
            "fit: this model keeps one row per document and not the rows; build it again with"
            " rs.ols, rs.wls or rs.glm, or call rs.micro_mean or rs.macro_mean with cov_type="
        )


class OLS(ClusteredLinear, sm.OLS):
    """Ordinary least squares with documents as the sampling unit.

    Parameters
    ----------
    endog : array_like (N,)
        The outcome.
    exog : array_like (N, p)
        The design, with its constant.
    groups : array_like (N,)
        The document of each row.
    estimand : {"micro", "macro"}
        What is averaged: rows, or documents. "macro" returns a :class:`WLS` model with weights
        1/n(document, by).
    by : array_like (N,), optional
        Cells within which each document counts once (macro), for instance the system.
    unit : array_like (N,), optional
        The documents, where ``groups`` are coarser (macro).
    absorb : array_like (N,) or list of them, optional
        Fixed effects that are not reported (micro only). Effects nested in documents, such as
        queries, are projected out; those that cross documents stay in the hat matrix. Estimates,
        CR0, CR2 and df equal those with dummies.
    missing : {"drop", "raise"}
        What to do with incomplete rows; dropped ones are counted in the results.

    Raises
    ------
    ValueError
        If shapes, lengths or indexes do not fit.
    DataError
        If there are fewer than two documents, missing ids or infinite values.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28(2), 169-181.

    Examples
    --------
    >>> import numpy as np, ragstats as rs
    >>> y = np.array([1., 0, 1, 1, 0, 0, 1, 1])
    >>> r = rs.OLS(y, np.ones(8), groups=list("aabbbccc")).fit()
    >>> round(float(r.bse.iloc[0]), 4), round(float(r.df_inference.iloc[0]), 2)
    (0.0456, 1.92)
    """

    model_name = "OLS"
    _results_class = OLSResults
    _working = "inverse_var"
    estimand = "micro"

    def __new__(cls, *args: Any, estimand: str = "micro", **options: Any) -> Any:
        """Return a WLS model when the estimand is macro, for which documents weigh equally."""
        if check_estimand(estimand) == "macro":
            refuse_absorb(options.pop("absorb", None), "estimand='macro'")
            return WLS(*args, estimand="macro", **options)
        return super().__new__(cls)

    @needs_groups("rs.OLS(y, X, groups=documents)")
    def __init__(
        self,
        endog: Any,
        exog: Any,
        *,
        groups: Any,
        estimand: str = "micro",
        by: Any = None,
        unit: Any = None,
        absorb: Any = None,
        missing: str = "drop",
    ):
        if by is not None or unit is not None:
            raise ValueError("by= and unit= belong to estimand='macro'")
        extras = absorbed_extras(absorb)
        self._build(rows_from_arrays(endog, exog, groups=groups, extras=extras, missing=missing))

    def _build(self, rows: Rows, **options: Any) -> None:
        effects = effect_codes(rows)
        self.absorbed = tuple(effects)
        if not effects:
            sm.OLS.__init__(self, rows.endog, self._solve(rows, None), hasconst=False)
            attach_design(self, rows)
            return
        self.absorbed_rows = rows  # as given: a cross-check needs them with the effects
        absorbed = solve_absorbed(rows, effects)
        self._fit, self._weights = absorbed.fit.without_rows(), None
        self._design = replace(
            describe_design(rows, absorbed.slopes), has_constant=False, constant=None
        )
        self._design.aliased = tuple(n for n in self._design.aliased if n not in _CONSTANTS)
        sm.OLS.__init__(self, absorbed.endog, absorbed.exog, hasconst=False)
        attach_design(self, rows)
        self._outcome = rows.endog.to_numpy()
        self.df_resid, self.df_model = self.nobs - absorbed.rank, absorbed.rank - 1.0


class WLS(ClusteredLinear, sm.WLS):
    """Weighted least squares with documents as the sampling unit.

    Parameters
    ----------
    endog, exog, groups, missing
        As in :class:`OLS`.
    weights : array_like (N,)
        Positive weights, of any scale; rows of weight 0 are dropped and counted.
    working : {"identity", "inverse_var"}
        What the weights mean to CR2 and the df: sampling weights (errors of equal variance), or
        inverse variances. R's default for ``lm(weights=)`` is "identity".
    estimand, by, unit
        "macro" computes the weights 1/n(unit, by), as inverse variances; then ``weights`` is
        refused.

    Raises
    ------
    ValueError
        As in :class:`OLS`, and for negative or missing weights.

    References
    ----------
    Pustejovsky and Tipton (2018), JBES 36(4), 672-683, section 2.1.

    Examples
    --------
    >>> import numpy as np, ragstats as rs
    >>> y = np.array([1., 0, 1, 1, 0, 0, 1, 1])
    >>> model = rs.WLS(y, np.ones(8), groups=list("aabbbccc"), estimand="macro")
    >>> r = model.fit()
    >>> round(float(r.params.iloc[0]), 4), float(round(r.df_inference.iloc[0], 6))
    (0.6111, 2.0)
    """

    model_name = "WLS"
    _results_class = WLSResults

    @needs_groups("rs.WLS(y, X, groups=documents, weights=w)")
    def __init__(
        self,
        endog: Any,
        exog: Any,
        *,
        groups: Any,
        weights: Any = None,
        working: str | None = None,
        estimand: str = "micro",
        by: Any = None,
        unit: Any = None,
        missing: str = "drop",
    ):
        extras = {"weights": weights, "by": by, "unit": unit}
        rows = rows_from_arrays(endog, exog, groups=groups, extras=extras, missing=missing)
        self._build(rows, working=working, estimand=estimand)

    def _build(self, rows: Rows, **options: Any) -> None:
        self.estimand = check_estimand(options.get("estimand", "micro"))
        weights, self._working = row_weights(rows, self.estimand, options.get("working"))
        exog = self._solve(rows, weights)
        sm.WLS.__init__(self, rows.endog, exog, weights=weights, hasconst=False)
        attach_design(self, rows)


def row_weights(rows: Rows, estimand: str, working: str | None) -> tuple[np.ndarray, str]:
    """Return the weights of the rows and the working model's name.

    Raises
    ------
    ValueError
        If macro is combined with weights or a working model, or WLS has no weights.
    """
    by = [rows.extras["by"]] if "by" in rows.extras else []
    given = rows.extras.get("weights")
    if estimand == "macro":
        if given is not None:
            raise ValueError(
                "weights= with estimand='macro': the macro estimand is itself a weighting,"
                " 1/n(document, by); give one of the two"
            )
        if working == "identity":
            raise ValueError(
                "working='identity' with estimand='macro': macro weights are inverse variances"
                " here (then SE = sd(r)/√K); use rs.wls(weights=, working='identity') for the other"
            )
        unit = rows.extras.get("unit")
        if unit is None:
            unit = rows.grouping.codes
        return macro_weights(unit, by), "inverse_var"
    if by or "unit" in rows.extras:
        raise ValueError("by= and unit= belong to estimand='macro'")
    if given is None:
        raise ValueError("weights is missing: give a column or one weight per row (or use rs.ols)")
    return given, check_working(working or "identity")


#: Names of the constant, which absorbed effects replace without a word.
_CONSTANTS = ("Intercept", "const")


def absorbed_extras(absorb: Any) -> dict[str, Any]:
    """Return the effects to absorb as extras of the rows."""
    if absorb is None:
        return {}
    several = isinstance(absorb, (list, tuple)) and (
        not absorb or isinstance(absorb[0], (str, pd.Series, np.ndarray, list, tuple))
    )
    effects = list(absorb) if several else [absorb]
    if not effects:
        raise ValueError("absorb=[] names no effect; leave it out, or name columns")
    return {f"{PREFIX}{i}": effect for i, effect in enumerate(effects)}


def refuse_absorb(absorb: Any, where: str) -> None:
    """Raise when effects are to be absorbed from a weighted or generalized model."""
    if absorb is not None:
        raise ValueError(
            f"absorb= with {where} is not offered: CR2 with weights does not reduce to transformed"
            " rows; put the effects into the formula, as in '+ C(query_id)'"
        )


def attach_design(model: Any, rows: Rows) -> None:
    """Give a statsmodels model the facts that its results and tables need."""
    design: Design = model._design
    use_cluster_data(model, rows.frame)
    model.rank = len(design.names)
    # hasconst=False spares statsmodels its own search for a constant; the answer is known.
    model.k_constant = model.data.k_constant = int(design.has_constant)
    model.data.const_idx = design.constant
    model.data.xnames = list(design.names)
    model.groups = design.grouping
    if design.formula:
        model.formula = design.formula
    design.warn(CONDITION_WARNING)
