"""What a design estimate answers: values, covariance, degrees of freedom, and reasons."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from ragstats.checks import one_of
from ragstats.evaluation.shown import Shown
from ragstats.exceptions import DataError, unknown_option

from .columns import Bools, Floats
from .plan import DesignFacts
from .say import warn_user
from .tables import estimate_table, plain

ALTERNATIVES = ("two-sided", "larger", "smaller")


@dataclass(frozen=True, slots=True, eq=False)
class SurveyEstimate(Shown):
    """One or more estimates under a sampling design, with their joint covariance.

    With one parameter `estimate`, `se`, `df`, `statistic` and `pvalue` are floats; with several
    they are Series labelled by `names`.

    Attributes
    ----------
    kind : str
        What was estimated.
    names : tuple
        Labels of the ``k`` parameters.
    values : (k,) array
        The estimates, in the units of the scores.
    covariance : (k, k) array
        Their linearized covariance.
    dfs : (k,) array
        Degrees of freedom of each: first-stage units minus strata, of those with a row in the
        domain (of the whole design for totals).
    known : (k,) bool array
        Whether every unit that matters was sampled, so that there is no sampling error.
    rounding : (k,) array
        A standard error at or below this is rounding noise and counts as 0.
    rows, psus : (k,) int arrays
        Rows and first-stage units in each domain.
    dropped : int
        Rows left out for a missing value.
    design : DesignFacts
        Rows, units, strata and rules of the design.
    notes : tuple of str
        Reasons for every NaN and every 0, and what else a reader must know.
    """

    kind: str
    names: tuple[Hashable, ...]
    values: Floats
    covariance: Floats
    dfs: Floats
    known: Bools
    rounding: Floats
    rows: Floats
    psus: Floats
    dropped: int
    design: DesignFacts
    notes: tuple[str, ...]

    # --- numbers ---------------------------------------------------------------------------

    @property
    def estimate(self) -> float | pd.Series:
        """The estimate: a float, or a Series of ``k``."""
        return self._labelled(self.values)

    @property
    def se(self) -> float | pd.Series:
        """Standard error, in the units of the estimate."""
        return self._labelled(self._se)

    @property
    def df(self) -> float | pd.Series:
        """Degrees of freedom: first-stage units minus strata."""
        return self._labelled(self.dfs)

    @property
    def cov(self) -> pd.DataFrame:
        """Joint covariance, (k, k)."""
        return pd.DataFrame(self.covariance, index=self._index, columns=self._index)

    @property
    def statistic(self) -> float | pd.Series:
        """The t statistic against 0; NaN where the standard error is 0."""
        return self._labelled(self._t(0.0))

    @property
    def pvalue(self) -> float | pd.Series:
        """Two-sided p-value against 0 from Student's t; see `test` for other hypotheses."""
        return self._labelled(self._p(self._t(0.0), "two-sided"))

    @property
    def n_rows(self) -> int:
        """Rows of the design."""
        return self.design.n_rows

    @property
    def n_psus(self) -> int:
        """First-stage units of the design."""
        return self.design.n_psus

    @property
    def n_strata(self) -> int:
        """First-stage strata of the design."""
        return self.design.n_strata

    @property
    def n_dropped(self) -> int:
        """Rows left out for a missing value."""
        return self.dropped

    def conf_int(self, alpha: float = 0.05, *, df: float | None = None) -> Floats | pd.DataFrame:
        """Return the interval ``estimate ± t(1 − alpha/2; df) · se``.

        Parameters
        ----------
        alpha : float
            One minus the nominal coverage, between 0 and 1.
        df : float, optional
            Degrees of freedom to use instead of `df`; ``numpy.inf`` gives the normal interval.

        Returns
        -------
        (2,) array or DataFrame
            One parameter: lower and upper. Several: columns ``lower`` and ``upper``.
            A known value has a width of 0; where no interval can be had it is NaN, with the
            reason in `notes`.

        Raises
        ------
        ValueError
            If `alpha` is not between 0 and 1.
        """
        if not 0 < alpha < 1:
            raise ValueError(f"alpha={alpha!r}: give a number between 0 and 1")
        half = _quantile(alpha / 2, self.dfs if df is None else np.full(len(self.names), df))
        half = np.where(self.known, 0.0, half * np.where(self._se > 0, self._se, np.nan))
        bounds: Floats = np.column_stack([self.values - half, self.values + half])
        if len(self.names) == 1:
            return bounds.ravel()
        return pd.DataFrame(bounds, index=self._index, columns=["lower", "upper"])

    def test(self, value: float = 0.0, alternative: str = "two-sided") -> pd.DataFrame:
        """Test each parameter against a value with Student's t.

        Parameters
        ----------
        value : float
            The parameter under the null hypothesis.
        alternative : {"two-sided", "larger", "smaller"}
            What the parameter is if not `value`.

        Returns
        -------
        DataFrame
            Rows `names`; columns ``estimate``, ``se``, ``df``, ``statistic``, ``pvalue``.

        Raises
        ------
        ValueError
            If `alternative` is unknown.
        """
        one_of("alternative", alternative, ALTERNATIVES)
        t = self._t(value)
        columns = {"estimate": self.values, "se": self._se, "df": self.dfs, "statistic": t}
        table = pd.DataFrame(columns, index=self._index)
        return table.assign(pvalue=self._p(t, alternative))

    def contrast(
        self, weights: Mapping[Hashable, float] | Sequence[float], name: str = "contrast"
    ) -> SurveyEstimate:
        """Estimate a linear combination, such as a difference of two domains.

        Parameters
        ----------
        weights : mapping of name to float, or sequence of ``k`` floats
            Coefficients; names that are left out have 0.
        name : str
            Label of the result.

        Returns
        -------
        SurveyEstimate
            One parameter, with the joint covariance taken into account. Its df is the smallest
            of the parameters that take part.

        Raises
        ------
        ValueError
            If a name is unknown, the length is wrong, or all coefficients are 0.
        """
        c = self._coefficients(weights)
        part = c != 0
        variance = c[part] @ self.covariance[np.ix_(part, part)] @ c[part]
        noise = float(np.abs(c[part]) @ self.rounding[part])
        variance = 0.0 if variance <= noise**2 else float(variance)
        known = bool(self.known[part].all())
        still = not known and variance == 0
        return replace(
            self,
            kind=f"contrast of {self.kind}",
            names=(name,),
            values=np.array([c[part] @ self.values[part]]),
            covariance=np.array([[variance]]),
            dfs=np.array([self.dfs[part].min()]),
            known=np.array([known]),
            rounding=np.array([noise]),
            rows=np.array([np.nan]),
            psus=np.array([np.nan]),
            notes=(*self.notes, *([warn_no_variation(name)] if still else [])),
        )

    # --- words -----------------------------------------------------------------------------

    def summary(self, alpha: float = 0.05) -> str:
        """Return a text table of at most 80 columns, with the design and every note."""
        bounds = np.reshape(np.asarray(self.conf_int(alpha)), (-1, 2))
        p = self._p(self._t(0.0), "two-sided")
        numbers = np.column_stack([self.values, self._se, self.dfs, self._t(0.0), p, bounds])
        return estimate_table(
            self.kind, self.names, numbers, alpha, self.design, self.dropped, self.notes
        )

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain Python values, ready for JSON; NaN becomes None."""
        bounds = np.reshape(np.asarray(self.conf_int()), (-1, 2))
        t = self._t(0.0)
        return {
            "kind": self.kind,
            "names": [str(name) for name in self.names],
            "estimate": plain(self.values),
            "se": plain(self._se),
            "df": plain(self.dfs),
            "conf_int_95": plain(bounds),
            "statistic": plain(t),
            "pvalue": plain(self._p(t, "two-sided")),
            "cov": plain(self.covariance),
            "known": [bool(k) for k in self.known],
            "rows": plain(self.rows),
            "psus": plain(self.psus),
            "dropped": self.dropped,
            "design": self.design.to_dict(),
            "notes": list(self.notes),
        }

    # --- inside ----------------------------------------------------------------------------

    @property
    def _se(self) -> Floats:
        se: Floats = np.sqrt(np.diagonal(self.covariance))
        return se

    @property
    def _index(self) -> pd.Index:
        return pd.Index(list(self.names), tupleize_cols=False)

    def _labelled(self, values: Floats) -> float | pd.Series:
        return float(values[0]) if len(self.names) == 1 else pd.Series(values, index=self._index)

    def _t(self, value: float) -> Floats:
        se = np.where(self._se > 0, self._se, np.nan)
        t: Floats = (self.values - value) / se
        return t

    def _p(self, t: Floats, alternative: str) -> Floats:
        df = np.where(self.dfs > 0, self.dfs, np.nan)
        upper = {"two-sided": np.abs(t), "larger": t, "smaller": -t}[alternative]
        sides = 2 if alternative == "two-sided" else 1
        return np.asarray(sides * stats.t.sf(upper, df), float)

    def _coefficients(self, weights: Mapping[Hashable, float] | Sequence[float]) -> Floats:
        if isinstance(weights, Mapping):
            for name in weights:
                if name not in self.names:
                    raise unknown_option("contrast name", name, map(str, self.names))
            c = np.array([float(weights.get(name, 0.0)) for name in self.names])
        else:
            c = np.asarray(weights, float).ravel()
        if c.size != len(self.names):
            raise ValueError(f"weights has {c.size} numbers; give {len(self.names)}: {self.names}")
        if not c.any() or not np.isfinite(c).all():
            raise DataError("weights of a contrast: give finite numbers that are not all 0")
        return c


def warn_no_variation(names: str) -> str:
    """Warn, and return, why a standard error is 0 although not everything was sampled."""
    reason = (
        f"{names}: the SE is 0 because the sampled units do not vary (or the rule for strata of "
        "one unit leaves no variance), not because the value is known; t, p and interval are NaN"
    )
    warn_user(reason)
    return reason


def _quantile(tail: float, df: Floats) -> Floats:
    return np.asarray(stats.t.isf(tail, np.where(df > 0, df, np.nan)), float)
