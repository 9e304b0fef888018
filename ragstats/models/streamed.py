"""Fits whose rows stay where they are: sums by document travel, and the results have no rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import patsy
import statsmodels.api as sm

from ragstats.core.adjustment import adjustment
from ragstats.core.dof import df_rule
from ragstats.core.inference import ClusterInference
from ragstats.core.orthonormal import CONDITION_WARNING
from ragstats.core.streaming import StreamedMoments, moments_of_cells
from ragstats.core.streaming_weights import StreamedFit
from ragstats.core.working import constant_within
from ragstats.exceptions import DataError, unknown_column
from ragstats.io.cells import Problem, Roles, problem
from ragstats.io.engines import key
from ragstats.io.expressions import Scope
from ragstats.io.gather import ComputedBy, Gathered, gather
from ragstats.io.key_types import check_key, refuse_merged
from ragstats.io.levels import declared_levels
from ragstats.io.sources import Source, is_streamed, open_source
from ragstats.io.streams_patsy import PatsyBatches
from ragstats.io.terms import Terms, read_terms
from ragstats.io.translated import key_column
from ragstats.models.arguments import refuse_unknown_fit_options
from ragstats.models.design import Design, term_codings
from ragstats.models.estimand import check_estimand
from ragstats.models.formula_names import named_in_formula
from ragstats.models.linear import OLS, WLS
from ragstats.models.rows import check_missing
from ragstats.models.statsmodels_results import light_model


class StreamedLinear:
    """What the models without rows share: inference from the documents' moments."""

    _fit: Any  # a StreamedFit, where models with rows have a LeastSquares
    _results_class: Any
    computed_by: ComputedBy

    def fit(
        self,
        *,
        cov_type: str = "CR2",
        df: str = "satterthwaite",
        rho_floor: bool = False,
        **unknown: Any,
    ) -> Any:
        """Return results with cluster-robust inference; see :meth:`ragstats.OLS.fit`."""
        refuse_unknown_fit_options(unknown, ("cov_type", "df", "rho_floor"))
        inference = self._infer(cov_type, df, rho_floor=rho_floor)
        results = self._results_class.from_inference(self, inference)
        results._results.computed_by = self.computed_by
        return results

    def _infer(self, cov_type: str, df: str, *, rho_floor: bool = False) -> ClusterInference:
        fit: StreamedFit = self._fit
        return fit.infer(adjustment(cov_type), df_rule(df), rho_floor=rho_floor)


class StreamedOLS(StreamedLinear, OLS):
    """OLS from sums by document."""


class StreamedWLS(StreamedLinear, WLS):
    """The macro estimand from sums by document: weights 1/n(document, by)."""


def streamed_ols(
    formula: str,
    source: Any,
    *,
    groups: str,
    estimand: str = "micro",
    by: str | Sequence[str] | None = None,
    unit: str | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    missing: str = "drop",
    absorb: Any = None,
    subset: Any = None,
    env: Any = None,
) -> Any:
    """Ordinary least squares of rows that are read once, wherever they are.

    Parameters
    ----------
    formula : str
        A patsy formula. Numeric columns, common functions of them, categorical factors and their
        products become sums inside the engine; anything else is evaluated by patsy on batches.
    source
        What :func:`ragstats.io.sources.open_source` opens.
    groups : str
        The column of documents.
    estimand, by, unit, missing
        As in :func:`ragstats.ols`; ``by`` and ``unit`` are columns.
    levels : dict of str to sequence, optional
        The levels of categorical columns, in their order; another level is then an error. Without
        it they are those that occur.
    absorb, subset
        Refused by name: they need the rows.
    env : patsy.EvalEnvironment, optional
        Names that the formula uses beside the columns; ``np`` by default.

    Returns
    -------
    StreamedOLS, or StreamedWLS for the macro estimand
        Models whose results have everything but residuals and fitted values; ``computed_by`` says
        which way they were computed.

    Raises
    ------
    ValueError
        If the formula, an option or a column is wrong.
    DataError
        If the data cannot be read, or columns are collinear.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28(2), 169-181.

    Examples
    --------
    >>> import ragstats as rs
    >>> from ragstats.models.streamed import streamed_ols
    >>> scores = rs.datasets.load_retrieval()
    >>> parts = [scores[:5000], scores[5000:]]
    >>> r = streamed_ols("hit_at_1 ~ C(system)", parts, groups="doc_id").fit()
    >>> r.params.round(5).iloc[-1].item(), r.bse.round(5).iloc[-1].item()
    (-0.01553, 0.00193)
    >>> print(r.computed_by)
    record batches, sums of record batches, 1 pass
    """
    if not isinstance(formula, str):
        raise TypeError(
            f"formula is a {type(formula).__name__}; give a string such as 'score ~ C(system)', and"
            " the data after it"
        )
    check_missing(missing)
    for argument, value in (("absorb", absorb), ("subset", subset)):
        if value is not None:
            raise ValueError(f"{argument}= needs the rows in memory; {_INSTEAD[argument]}")
    macro = check_estimand(estimand) == "macro"
    if not macro and (by is not None or unit is not None):
        raise ValueError("by= and unit= belong to estimand='macro'")
    roles = _roles(groups, by, unit)
    env = patsy.EvalEnvironment([{"np": np}]) if env is None else env
    declared = declared_levels(levels)
    with open_source(source) as opened:
        schema = opened.schema()
        opened.check([*roles.arguments.values(), *named_in_formula(formula, schema)])
        for argument, column in (*roles.arguments.items(), *(("levels", c) for c in declared)):
            if column not in schema:
                raise unknown_column(argument.rstrip("0123456789"), column, schema)
        for argument, column in roles.arguments.items():
            check_key(argument.rstrip("0123456789"), column, schema[column])
        gathered = _gathered(formula, opened, roles, schema, declared, env)
    # The engine is closed by now, and what it held is free.
    for i, (argument, column) in enumerate(roles.arguments.items()):
        refuse_merged(argument.rstrip("0123456789"), column, gathered.sums.table[key(i)])
    _refuse_dropped(gathered.sums.dropped, missing)
    found = gathered.problem(roles, macro=macro, env=env, declared=declared, schema=schema)
    weights = found.weights
    varying = weights is not None and not constant_within(
        weights, found.sums.codes, len(found.sums.ids)
    )
    solved = moments_of_cells(found.sums, found.design, weights=weights, keep_rows=varying)
    fit = StreamedFit(solved, found.sums.codes, weights)
    return _model(fit, found, gathered, formula)


#: What to do instead of an option that needs the rows.
_INSTEAD = {
    "absorb": "put the effects into the formula, or give a frame",
    "subset": "filter the source before it is given",
}


def refuse_streamed(function: str, data: Any) -> None:
    """Raise when a model that needs its rows is given a source whose rows are elsewhere.

    Raises
    ------
    ValueError
        With what can be done.
    """
    if is_streamed(data):
        raise ValueError(
            f"{function} needs its rows in memory, and data is a {type(data).__name__}: give a"
            " pandas, polars or pyarrow table (rs.ols and rs.documents take every source)"
        )


def _roles(groups: Any, by: Any, unit: Any) -> Roles:
    """Check that documents and cells are named by columns."""
    cells = () if by is None else (by,) if isinstance(by, str) else by
    given = {"groups": groups, "unit": unit, **({"by": cells} if by is not None else {})}
    for argument, value in given.items():
        names = value if argument == "by" and isinstance(value, (list, tuple)) else (value,)
        if value is not None and not all(isinstance(name, str) for name in names):
            raise ValueError(
                f"{argument} is a {type(value).__name__}: name a column, because the rows of this"
                " source are not in memory"
            )
    return Roles(groups, tuple(cells), unit)


@dataclass
class _Sums:
    """The sums of a formula, with how they make its design."""

    sums: Gathered
    n_values: int
    outcome: str
    computed_by: ComputedBy
    terms: Terms | None = None
    batches: PatsyBatches | None = None

    def problem(self, roles: Roles, **options: Any) -> Problem:
        design = None if self.batches is None else self.batches.design()
        info = None if self.batches is None else self.batches.info
        return problem(
            self.sums, roles, self.n_values, terms=self.terms, design=design, info=info, **options
        )


def _gathered(
    formula: str,
    source: Source,
    roles: Roles,
    schema: Mapping[str, Any],
    declared: Mapping[str, Sequence[Any]],
    env: Any,
) -> _Sums:
    """Sum the rows the fast way where an engine can compute the terms, else batch by batch."""
    terms = read_terms(formula, Scope(schema, env.namespace), source.text_in)
    keys = tuple(roles.arguments.values())
    names = tuple(f"{a}={c!r}" for a, c in roles.arguments.items())
    if not isinstance(terms, str):
        plan = terms.plan([key_column(k) for k in keys], schema)
        columns = list(dict.fromkeys([*plan.needed, *keys]))
        sums = gather(
            source, plan, labels=terms.labels(), names=(*names, *terms.keys), columns=columns
        )
        way = ComputedBy(source.name, source.lazy is not None, sums.passes)
        return _Sums(sums, len(plan.values), terms.outcome_name, way, terms=terms)
    batches = PatsyBatches(formula, source, keys, declared, env)
    sums = gather(batches.source(), batches.plan(), labels=batches.labels, names=names)
    sums.dropped.update(batches.dropped)
    way = ComputedBy(source.name, False, source.passes, reason=f"patsy evaluates {terms}")
    return _Sums(sums, len(batches.labels), batches.outcome_name, way, batches=batches)


def _refuse_dropped(dropped: Mapping[str, int], missing: str) -> None:
    if dropped and missing == "raise":
        listed = ", ".join(f"{count} rows with {reason}" for reason, count in dropped.items())
        raise DataError(f"data: {listed} under missing='raise'")


def _model(
    fit: StreamedFit,
    found: Problem,
    gathered: _Sums,
    formula: str,
) -> Any:
    """Return a model with the right names and counts, and no rows."""
    solved, names = fit.solved, list(found.design.names)
    p, n_rows = len(names), solved.moments.n_rows
    macro = fit.weights is not None
    endog = pd.Series(np.zeros(p + 1), name=gathered.outcome)
    exog = pd.DataFrame(np.eye(p + 1, p), columns=names)
    kind, parent = (StreamedWLS, sm.WLS) if macro else (StreamedOLS, sm.OLS)
    model: Any = object.__new__(kind)
    parent.__init__(model, endog, exog, hasconst=False)
    model._fit, model._weights = fit, np.empty(0) if macro else None
    model._working, model.estimand = "inverse_var", "macro" if macro else "micro"
    model.absorbed = ()
    model._design = _design(solved, found, gathered.sums.dropped, formula)
    model.nobs, model.rank, model.df_resid = n_rows, p, n_rows - p
    model.df_model = float(p - int(solved.has_constant))
    model.k_constant = model.data.k_constant = int(solved.has_constant)
    model.data.const_idx = solved.constant
    model.groups, model.formula = found.grouping, formula
    model._design.warn(CONDITION_WARNING)
    light = light_model(model)
    light._fit, light._weights = fit, model._weights  # K rows: what results need of the fit
    light._sums = _sums_of_squares(fit, found)
    light.computed_by = gathered.computed_by
    return light


def _design(
    solved: StreamedMoments, found: Problem, dropped: dict[str, int], formula: str
) -> Design:
    slices = found.info.term_name_slices
    return Design(
        names=found.design.names,
        aliased=(),
        columns=np.arange(len(found.design.names)),
        condition=solved.condition,
        has_constant=solved.has_constant,
        constant=solved.constant,
        grouping=found.grouping,
        n_given=int(solved.moments.n_rows) + sum(dropped.values()),
        dropped=dropped,
        terms={name: list(range(s.start, s.stop)) for name, s in slices.items()},
        formula=formula,
        design_info=found.info,
        codings=term_codings(found.info),
    )


def _sums_of_squares(fit: StreamedFit, found: Problem) -> dict[str, float]:
    """Return what the statistics of the rows need of them."""
    logs = 0.0
    if fit.weights is not None:
        logs = float(found.sums.products[:, 0] @ np.log(fit.weights))
    return {
        "centered_tss": fit.solved.centred,
        "uncentered_tss": fit.solved.uncentred,
        "log_weights": logs,
    }
