"""Micro and macro means: intercept-only regressions on one row per document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ragstats.checks import options_of, whole_at_least
from ragstats.core.adjustment import adjustment
from ragstats.core.dof import df_rule
from ragstats.core.inference import ClusterInference
from ragstats.evaluation.documents import DocumentTable, documents
from ragstats.evaluation.intervals import Interval, interval
from ragstats.evaluation.shown import Shown
from ragstats.exceptions import shown
from ragstats.io.scored_rows import check_ids
from ragstats.io.sources import is_streamed
from ragstats.models.columns import as_pandas
from ragstats.models.compressed import Cells, results_of_inference, solve_cells
from ragstats.models.estimand import check_estimand
from ragstats.models.groups import column_or_values, encode_groups
from ragstats.models.statsmodels_results import check_alpha

if TYPE_CHECKING:
    from ragstats.evaluation.bootstrap_result import BootstrapResult


@dataclass(frozen=True, repr=False)
class MeanResults(Shown):
    """A mean of scores, with its uncertainty between documents.

    Everything that an intercept-only OLS (micro) or WLS (macro) result has is here too: ``params``,
    ``bse``, ``df_inference``, ``pvalues``, ``t_test``, ``cov_params``, ``summary``, and so on.

    Attributes
    ----------
    regression : OLSResults or WLSResults
        The intercept-only fit.
    documents : DocumentTable
        The aggregates that it was computed from.
    estimand : str
        "micro" (a random chunk) or "macro" (a typical document).
    population : int or None
        M, the number of documents in the population, when it was stated.
    """

    regression: Any
    documents: DocumentTable
    estimand: str
    population: int | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "regression":
            raise AttributeError(name)
        return getattr(self.regression, name)

    def __repr__(self) -> str:
        table = self.documents
        return (
            f"<{self.estimand} mean of {table.score!r}: {self.estimate:.4g}, {table.n_documents}"
            " documents>"
        )

    @property
    def estimate(self) -> float:
        """The mean."""
        return float(np.asarray(self.regression.params)[0])

    @property
    def se(self) -> float:
        """Its standard error."""
        return float(np.asarray(self.regression.bse)[0])

    @property
    def df(self) -> float:
        """ν, the degrees of freedom of the interval (not a number of documents)."""
        return float(np.asarray(self.regression.df_inference)[0])

    @property
    def pvalue(self) -> float:
        """Two-sided p of "the mean is 0"."""
        return float(np.asarray(self.regression.pvalues)[0])

    @property
    def reason(self) -> str:
        """Why the standard error is NaN, or is 0 so that there is no p-value; empty otherwise."""
        if self.se == 0:
            return str(self.regression._inference.why_zero)
        return next(iter(self.regression.reasons.values()), "")

    def conf_int(self, alpha: float = 0.05, method: str = "t", **options: Any) -> pd.DataFrame:
        """Return an interval of the mean (1, 2), indexed as ``params``.

        Parameters
        ----------
        alpha : float
            One minus the confidence level.
        method : str
            ``"t"`` (CR2 and its df, the default), ``"korn-graubard"`` (0/1 scores), ``"logit"``,
            ``"wild"``, ``"bootstrap-t"``, ``"clip"``; and, as what not to use, ``"iid"`` and
            ``"n_eff"``.
        **options
            ``cap`` (korn-graubard: whether n_eff is at most N); ``n_boot``, ``seed``, ``n_jobs``.

        Raises
        ------
        ValueError
            If the method is unknown, or alpha is not between 0 and 1.
        DataError
            If the scores are not of the kind that the method is for.
        """
        found = self.interval(method, alpha=alpha, **options)
        return pd.DataFrame([[found.low, found.high]], index=["Intercept"])

    def interval(self, method: str = "t", *, alpha: float = 0.05, **options: Any) -> Interval:
        """Return an interval with its note, and why it is NaN where it is; see :meth:`conf_int`."""
        check_alpha(alpha)
        return interval(self, method, alpha=alpha, **options)

    def bootstrap(self, *, seed: Any, **options: Any) -> BootstrapResult:
        """Resample documents; options as :func:`ragstats.bootstrap`."""
        from ragstats.evaluation.bootstrap import bootstrap

        options_of(bootstrap, options, of="the bootstrap")
        return bootstrap(self, estimand=self.estimand, seed=seed, **options)

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate and the aggregates, so that it can be computed again."""
        low, high = np.asarray(self.conf_int())[0]
        return {
            "estimand": self.estimand,
            "estimate": self.estimate,
            "se": self.se,
            "df": self.df,
            "low": float(low),
            "high": float(high),
            "cov_type": self.regression.cov_type,
            "documents": self.documents.n_documents,
            "rows": self.documents.n_rows,
            "population": self.population,
            "aggregates": self.documents.to_dict(),
        }


def micro_mean(
    score: str,
    data: Any,
    *,
    groups: Any,
    cov_type: str = "CR2",
    df: str = "satterthwaite",
    population: int | None = None,
    missing: str = "drop",
) -> MeanResults:
    """Estimate the mean score of a random chunk: ``Σs / Σn``.

    Parameters
    ----------
    score : str
        The column of scores.
    data : DataFrame
        pandas, polars or pyarrow; one row per scored query.
    groups : str or array_like (N,)
        The document of each row.
    cov_type, df
        As in :meth:`ragstats.OLS.fit`.
    population : int, optional
        M, the number of documents from which these were drawn by simple random sampling without
        replacement; the variance is then multiplied by ``1 - K/M``.
    missing : {"drop", "raise"}
        Rows without a score are counted, or refused.

    Returns
    -------
    MeanResults

    Raises
    ------
    ValueError, DataError
        As :func:`ragstats.documents`; also for a population smaller than the sample.

    References
    ----------
    Cochran (1977), Sampling Techniques, section 6.3 (the ratio estimator); Bell and McCaffrey
    (2002), Survey Methodology 28(2), 169-181 (CR2).

    Examples
    --------
    >>> import ragstats as rs
    >>> scores = rs.datasets.load_retrieval(systems="bm25")
    >>> r = rs.micro_mean("hit_at_1", scores, groups="doc_id")
    >>> round(r.estimate, 4), round(r.se, 4), round(r.df, 1)
    (0.1613, 0.0041, 202.5)
    """
    table = _table(score, data, groups, missing)
    return mean_of(table, "micro", cov_type=cov_type, df=df, population=population)


def macro_mean(
    score: str,
    data: Any,
    *,
    groups: Any,
    cov_type: str = "CR2",
    df: str = "satterthwaite",
    population: int | None = None,
    missing: str = "drop",
) -> MeanResults:
    """Estimate the mean score of a typical document: the mean of ``s_d / n_d``.

    Parameters
    ----------
    score, data, groups, cov_type, df, population, missing
        As in :func:`micro_mean`.

    Returns
    -------
    MeanResults
        Under CR2 its SE is ``sd(r)/√K`` and its df are K-1.

    Raises
    ------
    ValueError, DataError
        As in :func:`micro_mean`.

    References
    ----------
    Cochran (1977), Sampling Techniques, section 2.4.

    Examples
    --------
    >>> import ragstats as rs
    >>> scores = rs.datasets.load_retrieval(systems="bm25")
    >>> r = rs.macro_mean("hit_at_1", scores, groups="doc_id")
    >>> round(r.estimate, 4), round(r.se, 4), round(r.df)
    (0.195, 0.006, 1299)
    """
    table = _table(score, data, groups, missing)
    return mean_of(table, "macro", cov_type=cov_type, df=df, population=population)


def mean_of(
    table: DocumentTable,
    estimand: str,
    *,
    cov_type: str = "CR2",
    df: str = "satterthwaite",
    population: int | None = None,
) -> MeanResults:
    """Estimate a mean from one row per document."""
    cells = cells_of(table, pd.DataFrame({"Intercept": np.ones(len(table.frame))}))
    check_estimand(estimand)
    rows = solve_cells(cells, estimand)
    inference = rows.infer(adjustment(cov_type), df_rule(df))
    inference = with_population(inference, table.n_documents, population)
    regression = results_of_inference(rows.fit, inference, cells, estimand)
    if table.computed_by is not None:
        regression._results.computed_by = table.computed_by
    return MeanResults(regression, table, estimand, population)


def with_population(
    inference: ClusterInference, n_documents: int, population: int | None
) -> ClusterInference:
    """Return the inference with the variance times ``1 - K/M`` (Cochran, 1977, section 2.6)."""
    remaining = finite_factor(n_documents, population)
    if remaining == 1:
        return inference
    parts = replace(inference.parts, factor=inference.parts.factor * remaining)
    return replace(inference, parts=parts)


def finite_factor(n_documents: int, population: int | None) -> float:
    """Return ``1 - K/M``, 1 without a population.

    Raises
    ------
    ValueError
        If the population is not a whole number of at least K documents.
    """
    if population is None:
        return 1.0
    if not whole_at_least(population, n_documents):
        raise ValueError(
            f"population={shown(population)}: give the number of documents in the population, at"
            f" least the {n_documents} that are here"
        )
    return 1.0 - n_documents / population


def cells_of(table: DocumentTable, design: pd.DataFrame) -> Cells:
    """Return the rows of a table as cells with the given design."""
    lost = sum(table.unscored.values())
    return Cells(
        design=design,
        count=table.counts,
        total=table.totals,
        squares=table.squares,
        grouping=encode_groups(table.frame[table.doc], argument="doc"),
        outcome=table.score,
        dropped={f"missing {table.score}": lost} if lost else {},
    )


def _table(score: str, data: Any, groups: Any, missing: str) -> DocumentTable:
    """Aggregate the rows; groups may be a column or one value per row."""
    if is_streamed(data):
        return documents(data, doc=groups, score=score, missing=missing)
    frame = as_pandas(data)
    column = column_or_values("groups", groups, frame)
    name = groups if isinstance(groups, str) else str(column.name or "groups")
    if not isinstance(groups, str):
        frame = frame.assign(**{name: column})
    check_ids(frame, name, "groups")
    return documents(frame, doc=name, score=score, missing=missing)
