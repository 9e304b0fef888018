"""Generalized linear models under a sampling design (Binder 1983)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import patsy
from statsmodels.genmod.families import Binomial, Family, Gaussian

from ragstats.evaluation.shown import Shown
from ragstats.exceptions import DataError, plural

from .assemble import assemble
from .columns import Bools, Floats, refuse_missing
from .estimates import SurveyEstimate
from .influence import Influence, noise_level
from .irls import Fit, fit_irls
from .plan import DesignFacts, Plan
from .say import warn_user

RESTS = 1e-10  # a leverage, or a share of a coefficient, this close to 1 is 1


@dataclass(frozen=True, slots=True, eq=False)
class SurveyGLMResults(Shown):
    """A generalized linear model fitted to a survey sample.

    Attributes
    ----------
    coefficients : SurveyEstimate
        The coefficients as a joint estimate: `contrast`, `test`, notes and design facts.
    formula : str
        The formula as given.
    family, link : str
        Names of the family and of the link.
    iterations : int
        Steps of Fisher scoring.
    df_design : int
        First-stage units minus strata, of those with a row in the fit.
    """

    coefficients: SurveyEstimate
    formula: str
    family: str
    link: str
    iterations: int
    df_design: int

    @property
    def params(self) -> pd.Series:
        """Coefficients, (p,)."""
        return self._series("estimate")

    @property
    def bse(self) -> pd.Series:
        """Linearized standard errors, (p,)."""
        return self._series("se")

    @property
    def df_inference(self) -> pd.Series:
        """Degrees of freedom: `df_design` + 1 − p, (p,)."""
        return self._series("df")

    @property
    def tvalues(self) -> pd.Series:
        """The t statistics against 0, (p,)."""
        return self._series("statistic")

    @property
    def pvalues(self) -> pd.Series:
        """Two-sided p-values against 0, (p,)."""
        return self._series("pvalue")

    @property
    def design(self) -> DesignFacts:
        """Rows, units, strata and rules of the design."""
        return self.coefficients.design

    @property
    def nobs(self) -> int:
        """Rows of the fit."""
        return int(self.coefficients.rows[0])

    @property
    def n_dropped(self) -> int:
        """Rows left out for a missing value."""
        return self.coefficients.dropped

    @property
    def notes(self) -> tuple[str, ...]:
        """Reasons for every NaN and every 0."""
        return self.coefficients.notes

    def cov_params(self) -> pd.DataFrame:
        """Return the linearized covariance of the coefficients, (p, p)."""
        return self.coefficients.cov

    def conf_int(self, alpha: float = 0.05, *, df: float | None = None) -> pd.DataFrame:
        """Return Student's t intervals, one row for each coefficient.

        Parameters
        ----------
        alpha : float
            One minus the nominal coverage.
        df : float, optional
            Degrees of freedom to use instead of `df_inference`.
        """
        bounds = np.reshape(np.asarray(self.coefficients.conf_int(alpha, df=df)), (-1, 2))
        return pd.DataFrame(bounds, index=self.params.index, columns=["lower", "upper"])

    def contrast(
        self, weights: Mapping[Hashable, float] | Sequence[float], name: str = "contrast"
    ) -> SurveyEstimate:
        """Estimate a linear combination of the coefficients; see `SurveyEstimate.contrast`."""
        return self.coefficients.contrast(weights, name)

    def summary(self, alpha: float = 0.05) -> str:
        """Return a text table of at most 80 columns, with the design and every note."""
        return self.coefficients.summary(alpha)

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain Python values, ready for JSON; NaN becomes None."""
        return {
            **self.coefficients.to_dict(),
            "formula": self.formula,
            "family": self.family,
            "link": self.link,
            "iterations": self.iterations,
            "df_design": self.df_design,
        }

    def _series(self, attribute: str) -> pd.Series:
        names = pd.Index(list(self.coefficients.names), tupleize_cols=False)
        return pd.Series(np.atleast_1d(getattr(self.coefficients, attribute)), index=names)


def fit_glm(
    data: pd.DataFrame,
    plan: Plan,
    formula: str,
    family: Any | None,
    missing: str,
    caller: patsy.EvalEnvironment,
) -> SurveyGLMResults:
    """Read the formula, fit over the complete rows and linearize under the plan."""
    family = _checked_family(family)
    outcome, x, complete = _model_rows(data, formula, caller, missing)
    inside = plan.weights[complete] > 0
    _refuse_outcome(outcome, x, family)
    names = [str(c) for c in x.columns]
    fit = fit_irls(
        outcome[inside], x.to_numpy(float)[inside], plan.weights[complete][inside], family, names
    )
    used = complete.copy()
    used[complete] = inside
    blocked, resting = _resting(fit, plan, used, names)
    units, strata = plan.count(used)
    names_of_family = type(family).__name__, type(family.link).__name__
    coefficients = assemble(
        f"coefficients of {formula} ({' with link '.join(names_of_family)})",
        _influence(fit, used, names),
        plan,
        dropped=int((~complete).sum()),
        notes=resting,
        blocked=blocked,
        df_lost=len(names) - 1,
    )
    return SurveyGLMResults(coefficients, formula, *names_of_family, fit.iterations, units - strata)


# --- reading ---------------------------------------------------------------------------------


def _checked_family(family: Any | None) -> Any:
    if family is None:
        return Gaussian()
    if not isinstance(family, Family):
        raise TypeError(
            f"family={family!r}: give a statsmodels family such as sm.families.Binomial()"
        )
    return family


def _model_rows(
    data: pd.DataFrame, formula: str, caller: patsy.EvalEnvironment, missing: str
) -> tuple[Floats, pd.DataFrame, Bools]:
    """Return outcome (m,), design (m, p) and which of the n rows are complete."""
    try:
        y, x = patsy.dmatrices(
            formula,
            _plain(data, formula),
            caller.with_outer_namespace({"np": np}),
            NA_action=patsy.NAAction(on_NA="drop"),
            return_type="dataframe",
        )
    except patsy.PatsyError as error:
        raise DataError(f"formula={formula!r}: {str(error).splitlines()[0]}") from error
    if y.shape[1] != 1:
        raise DataError(
            f"formula={formula!r}: the outcome has {plural(y.shape[1], 'column')}; give numbers"
        )
    complete = np.zeros(len(data), bool)
    complete[x.index] = True
    refuse_missing(complete, f"the columns of {formula!r}", missing)
    return y.to_numpy(float)[:, 0], x, complete


def _plain(data: pd.DataFrame, formula: str) -> pd.DataFrame:
    """Return the columns that the formula mentions with types that patsy reads right."""
    mentioned = data.loc[:, [str(c) in formula for c in data.columns]]
    plain = {str(c): _plain_column(mentioned[c]) for c in mentioned.columns}
    return pd.DataFrame(plain, index=pd.RangeIndex(len(data)))


def _plain_column(series: pd.Series) -> Any:
    if isinstance(series.dtype, np.dtype | pd.CategoricalDtype):
        return series.array
    if pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        return series.to_numpy(dtype=float, na_value=np.nan)
    if pd.api.types.is_bool_dtype(series.dtype) and not series.isna().any():
        return series.to_numpy(dtype=bool)
    plain = series.astype(object).where(series.notna(), None)
    return plain.to_numpy() if pd.api.types.is_bool_dtype(series.dtype) else pd.Categorical(plain)


def _refuse_outcome(y: Floats, x: pd.DataFrame, family: Any) -> None:
    infinite = [str(c) for c in x.columns if not np.isfinite(x[c]).all()]
    if infinite or not np.isfinite(y).all():
        raise DataError(f"formula: infinite values in {', '.join(infinite) or 'the outcome'}")
    outside = int(((y < 0) | (y > 1)).sum())
    if isinstance(family, Binomial) and outside:
        raise DataError(f"family Binomial: {outside} outcomes are outside [0, 1]")


# --- linearizing -----------------------------------------------------------------------------


def _influence(fit: Fit, used: Bools, names: list[str]) -> Influence:
    z = np.zeros((used.size, len(names)))
    z[used] = (fit.residual[:, None] * fit.root) @ fit.back.T
    size = (fit.size[:, None] * np.abs(fit.root)) @ np.abs(fit.back.T)
    mask = np.broadcast_to(used[:, None], z.shape)
    return Influence(tuple(names), fit.beta, z, mask, noise_level(size), centred=True)


def _resting(fit: Fit, plan: Plan, used: Bools, names: list[str]) -> tuple[Bools, list[str]]:
    """Find coefficients that cannot be estimated without one first-stage unit.

    Such a unit has an eigenvalue 1 in its leverage, and its residuals add to 0 in that
    direction. A coefficient that lies wholly in such directions has no variance to see (blocked,
    (p,)); one that lies partly in them gets its SE with a note.
    """
    first = plan.stages[0]
    unit = first.unit[used]
    leverage = np.bincount(unit, weights=(fit.root**2).sum(axis=1), minlength=first.stratum.size)
    sampled = first.exposure[first.stratum] > 0
    shares = np.zeros(len(names))
    notes = []
    for u in np.flatnonzero((leverage > 1 - RESTS) & sampled):  # at most p of them
        rows = fit.root[unit == u]
        values, vectors = np.linalg.eigh(rows.T @ rows)
        alone = fit.back @ vectors[:, values > 1 - RESTS]
        share = (alone**2).sum(axis=1) / (fit.back**2).sum(axis=1)
        shares += share
        touched = ", ".join(n for n, s in zip(names, share, strict=True) if s > RESTS)
        if touched:
            label = first.ids.at(int(np.flatnonzero(used)[unit == u][0]))
            notes.append(f"{touched}: cannot be estimated without {label}")
    blocked = shares > 1 - RESTS
    partly = (shares > RESTS) & ~blocked
    if partly.any():
        warn_user("; ".join(notes))
    return blocked, notes
