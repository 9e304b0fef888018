"""`ratio_mean`: the micro mean of a sample of documents, from one row per document."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from ragstats.checks import one_of
from ragstats.exceptions import DataError, plural, shown

from .assemble import assemble
from .columns import Bools, Floats, Ints, Labels, complete_numbers, frame_of, labels
from .estimates import SurveyEstimate
from .influence import Influence, noise_level, ratio_influence
from .plan import Plan, plan_of
from .stages import StageColumns

METHODS = ("combined", "separate")


def ratio_mean(
    documents: Any,
    *,
    n: str = "n",
    s: str = "s",
    doc: str | None = None,
    strata: str | None = None,
    population: float | Mapping[Any, float] | pd.Series | None = None,
    totals: Mapping[Any, float] | pd.Series | None = None,
    method: str = "combined",
    lonely: str = "error",
) -> SurveyEstimate:
    """Estimate the micro mean of a corpus from a sample of its documents.

    Parameters
    ----------
    documents : pandas.DataFrame or object with a ``frame``
        One row per sampled document.
    n, s : str
        Columns of the number of scored queries and of the sum of their scores. A document
        with ``n = 0`` was sampled and says nothing about the rate: it stays in the design.
    doc : str, optional
        Column of document ids; when given, no id may occur twice.
    strata : str, optional
        Column of the strata that documents were sampled in.
    population : int or mapping of stratum to int, optional
        Documents in the corpus: M, or with strata the size M_h of each. None: no finite
        population correction, and every document weighs the same.
    totals : mapping of stratum to float, optional
        For ``method="separate"``: the sum of `n` over all documents of each stratum of the
        corpus.
    method : {"combined", "separate"}
        One ratio of the estimated totals, or the ratio of each stratum weighted by `totals`.
    lonely : {"error", "adjust", "certainty", "average", "remove"}
        A stratum of one sampled document, as in `SurveyDesign`. ``"adjust"`` cannot be had with
        ``method="separate"``, where one document fits its own ratio exactly.

    Returns
    -------
    SurveyEstimate
        One parameter, in the units of the scores, with K − H degrees of freedom.

    Raises
    ------
    ValueError
        If a column is unknown, a count is negative or missing, `population` or `totals` does
        not fit the strata, or a stratum has one document and ``lonely="error"``; the message
        names the stratum.

    See Also
    --------
    SurveyDesign : Rows of queries, later stages, domains and models.

    Notes
    -----
    With K_h of M_h documents sampled in stratum h, the combined ratio and its variance are::

        R = Σ_h (M_h/K_h) s_h / N̂       N̂ = Σ_h (M_h/K_h) n_h        u_d = s_d − R n_d
        V = N̂⁻² Σ_h M_h² (1 − K_h/M_h) s²_{u,h} / K_h

    where ``s²_{u,h}`` is the variance of u_d around its mean in the stratum. The separate ratio
    is ``Σ_h (X_h/X) s_h/n_h`` with the known totals X_h, and its u_d uses the ratio of the
    stratum; with few documents in each stratum it is biased (Cochran 1977, section 6.10).
    Without strata and population the SE is the CR1 one, ``√(K/(K−1) Σ u_d²)/N``.

    CR2 with Satterthwaite degrees of freedom has no general theory under stratified sampling
    without replacement and is not offered here.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed. Wiley. Sections 2.11 (ratio), 6.10
    (separate ratio) and 6.11 (combined ratio).

    Examples
    --------
    >>> import pandas as pd
    >>> from ragstats.evaluation.survey import ratio_mean
    >>> table = pd.DataFrame({
    ...     "size": ["small", "small", "small", "large", "large"],
    ...     "n": [2, 3, 2, 20, 30], "s": [1, 3, 2, 9, 12]})
    >>> r = ratio_mean(table, strata="size", population={"small": 90, "large": 10})
    >>> round(r.estimate, 4), round(r.se, 4), r.df
    (0.6196, 0.0851, 3.0)
    """
    one_of("method", method, METHODS)
    held = (
        documents if isinstance(documents, pd.DataFrame) else getattr(documents, "frame", documents)
    )
    frame = frame_of(held, "documents")
    counts, sums = _counts_and_sums(frame, n, s)
    ids = _document_labels(frame, doc)
    groups = None if strata is None else labels(frame, "strata", strata)
    sizes = None if population is None else _population(population, groups, len(frame))
    if method == "separate":
        shares = _shares(totals, groups, lonely)
    elif totals is not None:
        raise ValueError("totals are for method='separate'; the combined ratio does not use them")
    plan = plan_of([StageColumns(ids, groups, sizes, "population")], weights=None, lonely=lonely)
    if method == "separate" and groups is not None:
        influence = _separate(f"{s}/{n}", counts, sums, groups, shares, plan)
    else:
        used = (counts > 0)[:, None]
        influence = ratio_influence(
            (f"{s}/{n}",), sums[:, None], counts[:, None], used, plan.weights
        )
    kind = f"{method} ratio {s}/{n} (micro mean)" if strata else f"ratio {s}/{n} (micro mean)"
    return assemble(kind, influence, plan, notes=_notes(counts, strata, population, method))


# --- reading ---------------------------------------------------------------------------------


def _counts_and_sums(frame: pd.DataFrame, n: str, s: str) -> tuple[Floats, Floats]:
    counts, sums = complete_numbers(frame, "n", n), complete_numbers(frame, "s", s)
    wrong = int((~np.isfinite(counts) | (counts < 0)).sum())
    if wrong:
        raise DataError(f"n={n!r} has {wrong} negative or infinite values; give counts of queries")
    if not np.isfinite(sums).all():
        raise DataError(f"s={s!r} has {plural(int((~np.isfinite(sums)).sum()), 'infinite value')}")
    orphans = int(((counts == 0) & (sums != 0)).sum())
    if orphans:
        raise DataError(f"s={s!r} is not 0 in {plural(orphans, 'document')} with n={n!r} of 0")
    if not counts.any():
        raise DataError(f"n={n!r} is 0 in every document")
    return counts, sums


def _document_labels(frame: pd.DataFrame, doc: str | None) -> Labels:
    """Number the documents; with ids, refuse a table of several rows for one document."""
    if doc is None:
        return Labels("document", np.arange(len(frame)), frame.index)
    read = labels(frame, "doc", doc)
    if len(read.values) < len(frame):
        twice = int(np.flatnonzero(np.bincount(read.codes) > 1)[0])
        row = int(np.flatnonzero(read.codes == twice)[0])
        raise DataError(f"documents has several rows of {read.at(row)}; give one row per document")
    return read


def _by_stratum(argument: str, given: object, groups: Labels) -> Floats:
    """Return one positive number for each stratum (H,), with the strata matched by label."""
    if not isinstance(given, Mapping | pd.Series):
        raise TypeError(f"{argument}={given!r}: give a mapping of stratum to number")
    table: dict[Hashable, object] = dict(given.items())
    listed = list(groups.values)
    for label in listed:
        if label not in table:
            raise DataError(f"{argument} has nothing for stratum {groups.name}={label!r}")
    extra = [key for key in table if key not in listed]
    if extra:
        raise DataError(
            f"{argument} names stratum {groups.name}={extra[0]!r}, where no document was sampled"
        )
    return np.array([_positive(f"{argument}[{label!r}]", table[label]) for label in listed])


def _positive(argument: str, value: object) -> float:
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not math.isfinite(float(value)) or not float(value) > 0:  # type: ignore[arg-type]
        raise DataError(f"{argument}={shown(value)}: give a positive number")
    return float(value)  # type: ignore[arg-type]


def _population(population: object, groups: Labels | None, size: int) -> Floats:
    """Return the population size of each document's stratum, (K,)."""
    if groups is None:
        if isinstance(population, Mapping | pd.Series):
            raise ValueError("population is a mapping, but strata= names no column")
        sizes, sampled = np.array([_positive("population", population)]), np.array([size])
        codes: Ints = np.zeros(size, np.int64)
        where = ["the corpus"]
    else:
        if not isinstance(population, Mapping | pd.Series):
            raise ValueError(
                f"population={shown(population)}: with strata give a mapping of stratum to its size"
            )
        sizes, codes = _by_stratum("population", population, groups), groups.codes
        sampled = np.bincount(codes)
        where = [f"stratum {groups.name}={label!r}" for label in groups.values]
    for h in np.flatnonzero((sizes < sampled) | (sizes != np.floor(sizes))):
        raise DataError(
            f"population gives {sizes[h]:g} documents for {where[h]}, where {sampled[h]} were "
            "sampled; give the whole number of documents of the corpus"
        )
    return sizes[codes]


def _shares(totals: object, groups: Labels | None, lonely: str) -> Floats:
    """Return the known share of each stratum in the total of n, (H,)."""
    if groups is None:
        raise ValueError("method='separate' needs strata=; without strata there is one ratio")
    if totals is None:
        raise ValueError(
            "method='separate' needs totals=, the sum of n over the corpus in each stratum; "
            "with estimated totals it would be the combined ratio"
        )
    if lonely == "adjust":
        raise ValueError(
            "lonely='adjust' has no effect with method='separate': one document fits the ratio "
            "of its stratum exactly; choose 'average', 'certainty' or 'remove'"
        )
    x = _by_stratum("totals", totals, groups)
    shares: Floats = x / x.sum()
    return shares


# --- estimating ------------------------------------------------------------------------------


def _separate(
    name: str, counts: Floats, sums: Floats, groups: Labels, shares: Floats, plan: Plan
) -> Influence:
    """Return ``Σ_h share_h s_h/n_h`` with each document's residual from its stratum's ratio."""
    h = groups.codes
    n_h, s_h = np.bincount(h, weights=counts), np.bincount(h, weights=sums)
    used = counts > 0
    _refuse_single_ratio(used, groups, plan)
    ratio = s_h / n_h
    scale = (shares / n_h)[h]
    z = scale * (sums - ratio[h] * counts)
    size = scale * (np.abs(sums) + np.abs(ratio[h]) * counts)
    return Influence(
        names=(name,),
        values=np.array([shares @ ratio]),
        z=z[:, None],
        used=used[:, None],
        rounding=noise_level(size[:, None]),
        centred=True,
    )


def _refuse_single_ratio(used: Bools, groups: Labels, plan: Plan) -> None:
    """Refuse strata whose ratio rests on fewer documents than were sampled there allow."""
    with_rows = np.bincount(groups.codes, weights=used)
    for h, label in enumerate(groups.values):
        several = plan.stages[0].sampled[h] > 1 and plan.stages[0].exposure[h] > 0
        if with_rows[h] == 0 or (with_rows[h] == 1 and several):
            raise DataError(
                f"stratum {groups.name}={label!r} has {plural(int(with_rows[h]), 'document')} with"
                " n > 0: no separate ratio with a variance; use method='combined' or merge strata"
            )


def _notes(counts: Floats, strata: str | None, population: object, method: str) -> list[str]:
    notes = []
    empty = int((counts == 0).sum())
    if empty:
        notes.append(f"{empty} sampled documents have n = 0: they stay in the design")
    if strata is not None and population is None and method == "combined":
        notes.append(
            "no population=: every document weighs the same, as if each stratum had been sampled "
            "at the same rate, and there is no finite population correction"
        )
    return notes
