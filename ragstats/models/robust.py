"""``rs.cluster_robust``: inference by documents for a statsmodels result that already exists."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import patsy
import statsmodels.api as sm

from ragstats.core.adjustment import adjustment
from ragstats.core.dof import df_rule
from ragstats.models.arguments import needs_groups
from ragstats.models.columns import float_column
from ragstats.models.glm import GLM
from ragstats.models.groups import column_or_values, encode_groups
from ragstats.models.linear import OLS, WLS
from ragstats.models.rows import Rows

#: Refitted coefficients may differ from the given ones by this, relative to their SE scale.
SAME_FIT = 1e-5


@needs_groups("rs.cluster_robust(result, groups=documents)")
def cluster_robust(
    result: Any,
    *,
    groups: Any,
    cov_type: str = "CR2",
    df: str = "satterthwaite",
    working: str | None = None,
) -> Any:
    """Return results with inference by documents for a fitted OLS, WLS or GLM of statsmodels.

    Parameters
    ----------
    result : statsmodels results
        Of ``OLS``, ``WLS`` or ``GLM``; it stays as it is.
    groups : str, Series or array_like
        The document of each row: a column of the formula's data, a Series (aligned by index), or
        an array for the rows of the data or for the rows that were fitted.
    cov_type, df
        As in :meth:`ragstats.OLS.fit`.
    working : {"identity", "inverse_var"}, optional
        What the weights of a WLS result mean; "identity" by default, as in R.

    Returns
    -------
    OLSResults, WLSResults or GLMResults

    Raises
    ------
    TypeError
        If the result is of another model.
    ValueError
        If groups do not fit the rows, or the result is not the maximum of its own model (a
        regularized or constrained fit, or one that has not converged).

    Examples
    --------
    >>> import ragstats as rs, statsmodels.formula.api as smf
    >>> scores = rs.datasets.load_retrieval()
    >>> fitted = smf.ols("rr ~ C(system)", scores).fit()
    >>> r = rs.cluster_robust(fitted, groups=scores["doc_id"])
    >>> round(float(r.bse["Intercept"]), 5)
    0.00483
    """
    adjustment(cov_type), df_rule(df)
    model = getattr(result, "model", None)
    kind = next((k for k in _REBUILD if type(model) is k), None)
    if kind is None:
        raise TypeError(
            f"result is a {type(result).__name__} of {type(model).__name__}; cluster_robust takes"
            " results of statsmodels' OLS, WLS and GLM"
        )
    if working is not None and kind is not sm.WLS:
        raise ValueError(
            f"working={working!r} is about the weights of WLS, and this is {kind.__name__}"
        )
    ours = _REBUILD[kind](_rows(result, groups), model, working)
    refitted = ours.fit(cov_type=cov_type, df=df)
    _check_same(result, refitted)
    return refitted


def _ols(rows: Rows, model: Any, working: str | None) -> Any:
    return OLS.from_rows(rows)


def _wls(rows: Rows, model: Any, working: str | None) -> Any:
    weights = np.broadcast_to(np.asarray(model.weights, float), len(rows.exog)).copy()
    return WLS.from_rows(_with(rows, weights=weights), working=working)


def _glm(rows: Rows, model: Any, working: str | None) -> Any:
    extras: dict[str, np.ndarray] = {}
    if model._has_freq_weights:
        extras["freq_weights"] = np.asarray(model.freq_weights, float)
    if model._has_var_weights:
        extras["var_weights"] = np.asarray(model.var_weights, float)
    trials = np.asarray(getattr(model, "n_trials", 1), float)
    if trials.ndim and (trials != 1).any():
        rows = replace(rows, endog=_counts(rows.endog, trials, model.endog_names))
    if np.size(model._offset_exposure) > 1:
        extras["offset"] = np.asarray(model._offset_exposure, float)
    return GLM.from_rows(_with(rows, **extras), family=model.family)


def _counts(proportion: Any, trials: np.ndarray, names: Any) -> pd.DataFrame:
    """Return successes and failures, as they were given to a binomial model."""
    successes = proportion.to_numpy() * trials
    labels = [str(n) for n in names] if isinstance(names, list) else ["successes", "failures"]
    counts = np.column_stack([successes, trials - successes])
    return pd.DataFrame(counts, index=proportion.index, columns=labels)


_REBUILD = {sm.OLS: _ols, sm.WLS: _wls, sm.GLM: _glm}


def _with(rows: Rows, **extras: np.ndarray) -> Rows:
    """Add extras, and drop rows of weight 0 with their documents' rows."""
    positive = np.ones(len(rows.exog), bool)
    for name, values in extras.items():
        if name.endswith("weights"):
            positive &= values > 0
    if positive.all():
        return replace(rows, extras=extras)
    kept = pd.Series(rows.grouping.ids[rows.grouping.codes])[positive]
    return replace(
        rows,
        endog=rows.endog[positive],
        exog=rows.exog[positive],
        grouping=encode_groups(kept.rename(rows.grouping.name)),
        extras={name: values[positive] for name, values in extras.items()},
        dropped={**rows.dropped, "zero weight": int((~positive).sum())},
    )


def _rows(result: Any, groups: Any) -> Rows:
    """Take outcome, design and documents from the rows that were fitted."""
    model = result.model
    frame, kept, labelled = _original_rows(model)
    column = column_or_values("groups", groups, frame, kept_rows=kept, labelled=labelled)
    labels = frame.index[kept]
    spec = getattr(model.data, "model_spec", None)
    n_given = len(frame)
    endog = float_column("endog", pd.Series(np.asarray(model.endog)))
    return Rows(
        endog=pd.Series(endog, index=labels, name=str(model.endog_names)),
        exog=pd.DataFrame(
            np.asarray(model.exog, float), index=labels, columns=[str(n) for n in model.exog_names]
        ),
        grouping=encode_groups(column[kept]),
        extras={},
        n_given=n_given,
        dropped={"missing values": n_given - int(kept.sum())} if not kept.all() else {},
        formula=str(getattr(model, "formula", "") or "")
        if isinstance(spec, patsy.DesignInfo)
        else "",
        design_info=spec if isinstance(spec, patsy.DesignInfo) else None,
    )


def _original_rows(model: Any) -> tuple[pd.DataFrame, np.ndarray, bool]:
    """Return the data before rows were dropped, which rows were kept, and if they had labels."""
    if model.endog is None:
        raise ValueError("result: its rows were removed (remove_data), and the sandwich needs them")
    n_fitted = len(model.endog)
    frame = getattr(model.data, "frame", None)
    missing = getattr(model.data, "missing_row_idx", None)
    if frame is None:
        labels = getattr(model.data, "row_labels", None)
        index = pd.RangeIndex(n_fitted) if labels is None else pd.Index(labels)
        if missing is None or not len(missing):
            return pd.DataFrame(index=index), np.ones(n_fitted, bool), labels is not None
        kept = np.ones(n_fitted + len(missing), bool)
        kept[np.asarray(missing)] = False
        full = pd.Index(np.arange(len(kept))) if labels is None else _spread_labels(index, kept)
        return pd.DataFrame(index=full), kept, labels is not None
    labelled = isinstance(frame, (pd.DataFrame, dict))
    frame = frame if isinstance(frame, pd.DataFrame) else pd.DataFrame(frame)
    kept = np.ones(len(frame), bool)
    if missing is not None and len(missing):
        kept[np.asarray(missing)] = False
    if int(kept.sum()) != n_fitted:
        raise ValueError(
            f"result: its data have {int(kept.sum())} complete rows and {n_fitted} were fitted;"
            " fit on the rows that you want, then call cluster_robust"
        )
    return frame, kept, labelled


def _spread_labels(index: pd.Index, kept: np.ndarray) -> pd.Index:
    labels = [f"dropped row {i}" for i in range(len(kept))]
    for position, label in zip(np.flatnonzero(kept), index, strict=True):
        labels[position] = label
    return pd.Index(labels, dtype=object)


def _check_same(result: Any, refitted: Any) -> None:
    """Raise unless the refit has the coefficients of the given result."""
    given, ours = np.asarray(result.params, float), np.asarray(refitted.params)
    if given.shape != ours.shape:
        return  # aliased columns, of which the refit has warned
    distance = np.abs(given - ours)
    size = np.abs(ours) + np.sqrt(np.abs(np.diag(np.asarray(refitted.normalized_cov_params))))
    if not (distance <= SAME_FIT * size * max(1.0, float(np.sqrt(refitted.scale)))).all():
        worst = int(np.argmax(distance / size))
        raise ValueError(
            f"result: its coefficient of {refitted.model.exog_names[worst]!r} is"
            f" {given[worst]:.6g} and the unrestricted, converged fit has {ours[worst]:.6g};"
            " regularized, constrained or unconverged fits have no sandwich of this form"
        )
