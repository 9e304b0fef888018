"""Predicted means: each row is a contrast, with its own degrees of freedom."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ragstats.core.inference import ClusterInference
from ragstats.core.segments import Floats
from ragstats.exceptions import plural


class ClusterPrediction:
    """Predicted means with document-clustered standard errors.

    Attributes
    ----------
    predicted_mean : ndarray (m,)
        On the scale of the outcome (or of the linear predictor, ``which="linear"``).
    se_mean : ndarray (m,)
        By the delta method where the mean is not linear in the coefficients.
    df : ndarray (m,)
        Of each row's contrast.
    reasons : tuple of str
        Why a row is NaN.
    row_labels : Index or None
    """

    def __init__(
        self,
        predicted_mean: Floats,
        se_mean: Floats,
        df: Floats,
        reasons: tuple[str, ...] = (),
        row_labels: Any = None,
    ):
        self.predicted_mean = self.predicted = predicted_mean
        self.se_mean = self.se = se_mean
        self.df = df
        self.reasons = reasons
        self.row_labels = row_labels

    @property
    def var_pred_mean(self) -> Floats:
        """Variance of the predicted means (m,)."""
        return np.asarray(self.se_mean**2)

    @property
    def tvalues(self) -> Floats:
        """Predicted means over their standard errors; NaN where the standard error is 0."""
        usable = self.se_mean > 0
        return np.where(usable, self.predicted_mean / np.where(usable, self.se_mean, 1), np.nan)

    @property
    def pvalues(self) -> Floats:
        """Two-sided p-values of "the mean is 0"."""
        return np.asarray(2 * stats.t.sf(np.abs(self.tvalues), self.df))

    def conf_int(self, obs: bool = False, alpha: float = 0.05) -> Floats:
        """Return the interval of the mean (m, 2).

        Raises
        ------
        NotImplementedError
            For ``obs=True``: an interval for a new row needs the distribution of rows within and
            between documents, which a robust covariance does not model.
        """
        if obs:
            raise NotImplementedError(
                "obs=True: a cluster-robust fit has no model of single rows, so no interval for a"
                " new observation; conf_int() gives the interval of the mean"
            )
        half = stats.t.isf(alpha / 2, self.df) * self.se_mean
        return np.column_stack([self.predicted_mean - half, self.predicted_mean + half])

    def summary_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return mean, standard error, df and interval of each row."""
        interval = self.conf_int(alpha=alpha)
        return pd.DataFrame(
            {
                "mean": self.predicted_mean,
                "mean_se": self.se_mean,
                "df": self.df,
                "mean_ci_lower": interval[:, 0],
                "mean_ci_upper": interval[:, 1],
            },
            index=self.row_labels,
        )


def one_per_row(argument: str, given: Any, n_rows: int) -> Floats:
    """Return one number per row, or one number for all of them.

    Raises
    ------
    ValueError
        If there are more or fewer.
    """
    values = np.asarray(given, float)
    if values.shape not in ((), (n_rows,)):
        raise ValueError(f"{argument} has shape {values.shape} for {plural(n_rows, 'row')}")
    return values


def checked_labels(labels: Any, n_rows: int) -> Any:
    """Return the labels of the rows, if there is one for each."""
    if len(labels) != n_rows:
        raise ValueError(
            f"row_labels has {plural(len(labels), 'label')} for {plural(n_rows, 'row')}"
        )
    return labels


def predict_rows(
    inference: ClusterInference, coefficients: Floats, rows: Floats
) -> tuple[Floats, Floats, Floats, tuple[str, ...]]:
    """Return effect, SE, df and reasons of each row, repeated rows computed once."""
    complete = ~np.isnan(rows).any(axis=1)
    distinct, inverse = np.unique(rows[complete], axis=0, return_inverse=True)
    estimate = inference.contrasts(distinct, coefficients)
    inverse = inverse.ravel()
    effect, se, df = (np.full(len(rows), np.nan) for _ in range(3))
    reasons = np.full(len(rows), "a covariate is missing", dtype=object)
    effect[complete] = estimate.effect[inverse]
    se[complete] = estimate.se[inverse]
    df[complete] = estimate.df[inverse]
    reasons[complete] = np.array(estimate.reasons, dtype=object)[inverse]
    return effect, se, df, tuple(reasons)
