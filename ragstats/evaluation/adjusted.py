"""System differences adjusted for covariates: the regression on system indicators and more."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ragstats.core.inference import ClusterInference
from ragstats.core.segments import Floats
from ragstats.evaluation.means import with_population
from ragstats.evaluation.pairs import ScoreMatrix
from ragstats.exceptions import DataError, RagstatsWarning, shown
from ragstats.models.columns import as_pandas
from ragstats.models.formula import ols


def adjusted_inference(
    data: Any,
    matrix: ScoreMatrix,
    covariates: str,
    *,
    score: str,
    system: str,
    doc: str,
    query: str | None,
    estimand: str,
    matched: bool,
    cov_type: str,
    df: str,
    population: int | None,
) -> tuple[ClusterInference, tuple[str, ...]]:
    """Fit scores on system indicators and covariates; the first coefficients are the systems.

    Returns
    -------
    ClusterInference
    tuple of str
        That the covariates change nothing, where they do not.

    Raises
    ------
    ValueError
        If a term cannot be evaluated.
    DataError
        If a covariate is a combination of the systems or of other covariates.
    """
    frame = as_pandas(data)
    labels = frame[system].astype(str)
    chosen = labels.isin(matrix.systems)
    if matched and query is not None:
        complete = matrix.queries[~np.isnan(matrix.values).any(axis=1)]
        chosen &= frame[query].isin(complete)
    chosen &= frame[score].notna()
    rows = frame[chosen].assign(**{SYSTEM: labels[chosen]})
    levels = repr(list(matrix.systems))
    formula = f"Q({score!r}) ~ 0 + C({SYSTEM}, levels={levels}) + {covariates}"
    by = {"by": SYSTEM} if estimand == "macro" else {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="aliased columns", category=RagstatsWarning)
        try:
            model = ols(formula, rows, groups=doc, estimand=estimand, missing="raise", **by)
        except DataError as error:
            raise DataError(
                f"covariates={covariates!r}: {str(error).removeprefix('data: ')}; a row without its"
                " covariate would leave its pair, so drop the whole query first"
            ) from None
        except ValueError as error:
            said = str(error).replace(formula, covariates).removeprefix(f"formula={covariates!r}: ")
            raise ValueError(f"covariates={covariates!r}: {said}") from None
    if model._design.aliased:
        raise DataError(
            f"covariates={covariates!r}: {', '.join(model._design.aliased[:3])} are combinations of"
            " the systems or of other covariates, so they adjust for nothing; leave them out"
        )
    inference: ClusterInference = model.fit(cov_type=cov_type, df=df)._inference
    names = list(model.exog_names)
    wanted = [f"C({SYSTEM}, levels={levels})[{name}]" for name in matrix.systems]
    order = [names.index(column) for column in wanted]
    order += [i for i in range(len(names)) if i not in order]
    inference = reordered(inference, np.array(order))
    added = np.asarray(model.exog)[:, order[len(wanted) :]]
    idle = query is not None and _same_within(added, rows[query], len(wanted))
    return (
        with_population(inference, len(matrix.documents), population),
        (UNCHANGED,) if idle else (),
    )


#: What is said of covariates that cancel in every difference.
UNCHANGED = (
    "Every query has all systems and the same covariates under each: they cancel in the"
    " differences, which are those without covariates."
)


def _same_within(added: Floats, queries: pd.Series, systems: int) -> bool:
    """Whether every query has all systems, and covariates that are the same under each."""
    codes, ids = pd.factorize(queries)
    first = np.zeros(len(ids), np.intp)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    full = bool((np.bincount(codes) == systems).all())
    return full and bool((added == added[first[codes]]).all())


def check_covariates(covariates: Any) -> None:
    """Raise unless covariates are terms of a formula, or None."""
    if covariates is not None and not (isinstance(covariates, str) and covariates.strip()):
        raise TypeError(
            f"covariates={shown(covariates)}: give terms of a formula, such as"
            " 'np.log(chunk_words) + C(section)'"
        )


#: The column that holds the system's name as text.
SYSTEM = "_ragstats_system"


def reordered(inference: ClusterInference, order: Floats) -> ClusterInference:
    """Return the inference with its coefficients in another order."""
    moments, parts = inference.moments, inference.parts
    transform = moments.transform[order]
    return replace(
        inference,
        moments=replace(moments, transform=transform, origin=moments.origin[order]),
        parts=replace(parts, transform=transform),
    )
