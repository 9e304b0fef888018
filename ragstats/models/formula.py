"""``rs.ols``, ``rs.wls``, ``rs.glm``: models from a formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import patsy

from ragstats.io.sources import is_streamed
from ragstats.models.arguments import needs_groups
from ragstats.models.estimand import check_estimand
from ragstats.models.glm import GLM
from ragstats.models.linear import OLS, WLS, absorbed_extras, refuse_absorb
from ragstats.models.rows_of_formula import rows_from_formula
from ragstats.models.streamed import refuse_streamed, streamed_ols


def _environment(depth: int) -> patsy.EvalEnvironment:
    """Return the caller's names, with ``np`` for callers that have no frame of their own."""
    env = patsy.EvalEnvironment.capture(depth)
    return env if "np" in env.namespace else env.with_outer_namespace({"np": np})


@needs_groups("rs.ols(formula, data, groups='doc_id')")
def ols(
    formula: str,
    data: Any,
    *,
    groups: Any,
    estimand: str = "micro",
    by: Any = None,
    unit: Any = None,
    absorb: Any = None,
    subset: Any = None,
    missing: str = "drop",
    levels: Any = None,
) -> Any:
    """Ordinary least squares from a formula, with documents as the sampling unit.

    Parameters
    ----------
    formula : str
        A patsy formula.
    data : DataFrame or a source
        pandas, polars or pyarrow, one row per scored query; or a source that outgrows memory: a
        path or glob (Parquet, CSV, JSON lines), a DuckDB relation, a Polars lazy frame, a PySpark
        or Ibis table, an iterator of frames. Of a source only sums by document are kept, so the
        results have everything but residuals and fitted values.
    groups : str, Series or array_like (N,)
        The document of each row: a column's name, a Series (aligned by index) or an array with one
        value per row of ``data``. Rows that the formula drops are dropped here too.
    estimand : {"micro", "macro"}
        What is averaged: rows (a random chunk) or documents (a typical document).
    by, unit : str or array_like, optional
        For macro, whose weights are 1/n(unit, by): the cells within which each document counts once
        (the system), and the documents where ``groups`` are coarser.
    absorb : str or list of str, optional
        Fixed effects that are not reported, for instance ``["query_id"]``; see :class:`OLS`.
    subset : array_like, optional
        Rows of ``data`` to use, as in ``data.loc[subset]``.
    missing : {"drop", "raise"}
        What to do with incomplete rows; dropped ones are counted in the results.
    levels : dict of str to list, optional
        For a source: the levels of categorical columns; another level is then an error.

    Returns
    -------
    OLS, or WLS for the macro estimand

    Raises
    ------
    ValueError
        If the formula, a column or a length is wrong.
    DataError
        If there are fewer than two documents, missing ids or infinite values.

    Notes
    -----
    An outcome of true and false is 1 and 0. Numbers are numbers in any dtype: nullable,
    Arrow-backed, decimal, or stored as objects. Levels of a factor that no complete row has get no
    column; when incomplete rows took them away, a warning names them. Of collinear columns the
    later ones are dropped with a warning, as in R, and what then has no unique estimate (a
    prediction, a difference between levels) is NaN.

    A coefficient that rests on one document has no standard error: SE, df, p and interval are NaN,
    and ``reasons`` says why. Scores that do not vary have SE 0, and p is NaN.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28(2), 169-181.

    Examples
    --------
    >>> import ragstats as rs
    >>> scores = rs.datasets.load_retrieval()
    >>> r = rs.ols("hit_at_1 ~ C(system)", scores, groups="doc_id").fit()
    >>> r.params.round(5).iloc[-1].item(), r.bse.round(5).iloc[-1].item()
    (-0.01553, 0.00193)
    """
    if is_streamed(data):
        return streamed_ols(
            formula, data, groups=groups, estimand=estimand, by=by, unit=unit, absorb=absorb,
            subset=subset, missing=missing, levels=levels, env=_environment(3),
        )  # fmt: skip
    if check_estimand(estimand) == "macro":
        refuse_absorb(absorb, "estimand='macro'")
    extras = {"by": by, "unit": unit, **absorbed_extras(absorb)}
    rows = rows_from_formula(
        formula, data, groups=groups, extras=extras, missing=missing, subset=subset,
        env=_environment(3),
    )  # fmt: skip
    if estimand == "macro":
        return WLS.from_rows(rows, estimand="macro")
    if by is not None or unit is not None:
        raise ValueError("by= and unit= belong to estimand='macro'")
    return OLS.from_rows(rows)


@needs_groups("rs.wls(formula, data, groups='doc_id', weights='w')")
def wls(
    formula: str,
    data: Any,
    *,
    groups: Any,
    weights: Any,
    working: str = "identity",
    absorb: Any = None,
    subset: Any = None,
    missing: str = "drop",
) -> Any:
    """Weighted least squares from a formula, with documents as the sampling unit.

    Parameters
    ----------
    formula, data, groups, subset, missing
        As in :func:`ols`.
    weights : str, Series or array_like (N,)
        Weights of any scale; rows of weight 0 are dropped and counted.
    working : {"identity", "inverse_var"}
        What the weights mean to CR2 and its df: sampling weights with errors of equal variance
        (R's default), or inverse variances.

    absorb
        Refused by name: see :func:`ols`.

    Returns
    -------
    WLS

    Raises
    ------
    ValueError
        As in :func:`ols`, and for negative or missing weights.

    References
    ----------
    Pustejovsky and Tipton (2018), JBES 36(4), 672-683, section 2.1.

    Examples
    --------
    >>> import ragstats as rs
    >>> d = rs.datasets.load_eight_documents().assign(w=lambda t: 1.0 + t.index % 3)
    >>> r = rs.wls("d ~ 1", d, groups="doc", weights="w").fit()
    >>> round(float(r.params["Intercept"]), 4)
    0.1156
    """
    refuse_streamed("rs.wls", data)
    refuse_absorb(absorb, "weights")
    rows = rows_from_formula(
        formula, data, groups=groups, extras={"weights": weights}, missing=missing, subset=subset,
        env=_environment(3),
    )  # fmt: skip
    return WLS.from_rows(rows, working=working)


@needs_groups("rs.glm(formula, data, groups='doc_id', family=family)")
def glm(
    formula: str,
    data: Any,
    *,
    groups: Any,
    family: Any = None,
    var_weights: Any = None,
    freq_weights: Any = None,
    offset: Any = None,
    exposure: Any = None,
    absorb: Any = None,
    subset: Any = None,
    missing: str = "drop",
) -> Any:
    """Generalized linear model from a formula, with documents as the sampling unit.

    Parameters
    ----------
    formula, data, groups, subset, missing
        As in :func:`ols`; ``"hits + misses ~ x"`` for the binomial family.
    family : statsmodels family, optional
        Gaussian by default.
    var_weights, freq_weights, offset, exposure : str, Series or array_like (N,), optional
        As in :class:`ragstats.GLM`.

    absorb
        Refused by name: see :func:`ols`.

    Returns
    -------
    GLM

    Raises
    ------
    ValueError, DataError
        As in :class:`ragstats.GLM`.

    References
    ----------
    McCaffrey and Bell (2006), Statistics in Medicine 25(23), 4081-4098.

    Examples
    --------
    >>> import ragstats as rs, statsmodels.api as sm
    >>> d = rs.datasets.load_eight_documents()
    >>> r = rs.glm("a01 ~ 1", d, groups="doc", family=sm.families.Binomial()).fit()
    >>> round(float(r.params["Intercept"]), 4)
    0.3709
    """
    refuse_streamed("rs.glm", data)
    refuse_absorb(absorb, "GLM")
    extras = {
        "var_weights": var_weights,
        "freq_weights": freq_weights,
        "offset": offset,
        "exposure": exposure,
    }
    rows = rows_from_formula(
        formula, data, groups=groups, extras=extras, missing=missing, subset=subset,
        env=_environment(3), outcome_columns=2,
    )  # fmt: skip
    return GLM.from_rows(rows, family=family)
