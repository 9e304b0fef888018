"""`plan_documents`: how many documents, or what a number of documents buys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from ragstats.checks import fraction, one_of, whole
from ragstats.evaluation.diagnostics import FEW_DF
from ragstats.evaluation.documents import DocumentTable
from ragstats.exceptions import plural, shown
from ragstats.models.estimand import check_estimand

from .answers import Answer, Task, question_of
from .halfwidth import Precision, df_of
from .pilot import Pilot, cochran_minimum, given_sd, pilot_of
from .plan import DocumentPlan
from .power import POWERS

if TYPE_CHECKING:
    from ragstats.evaluation.comparison import Comparison

#: A plan says so when the df that CR2 will have widen the interval by more than this.
WIDER = 1.02


def plan_documents(
    pilot: DocumentTable | None = None,
    *,
    estimand: str,
    halfwidth: float | None = None,
    documents: int | None = None,
    power: float | None = None,
    difference: float | None = None,
    population: int | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    df: str = "K-1",
    sd: float | None = None,
    system: str | None = None,
) -> DocumentPlan:
    """Plan the number of documents of a simple random sample.

    Give one of these, and get the rest:

    ======================  ============================================
    given                   answered
    ======================  ============================================
    halfwidth               the documents that it takes
    documents               the half-width that they buy
    difference, power       the documents that find the difference
    difference, documents   the power
    power, documents        the smallest difference that can be detected
    ======================  ============================================

    Parameters
    ----------
    pilot : DocumentTable, optional
        One row per document of a pilot; for a comparison, the paired differences by document
        (:func:`plan_comparison` takes them from a comparison).
    estimand : {"micro", "macro"}
        The mean that is planned; there is no default.
    halfwidth : float
        Half the width of the interval, in the units of the score.
    documents : int
        K.
    power : float
        Probability of finding the difference.
    difference : float
        The true difference from 0, in the units of the score; a two-sided test ignores its sign.
    population : int, optional
        M, the documents of the population that K are drawn from without replacement.
    alpha : float
        One minus the confidence level, and the level of the test.
    alternative : {"two-sided", "larger", "smaller"}
        Of the test.
    df : {"K-1", "satterthwaite", "normal"}
        Degrees of freedom with K documents. "satterthwaite" foresees, from the sizes of the
        pilot's documents, those of the package's default interval: fewer than K - 1 for the micro
        mean of unequal documents, and the same for the macro mean.
    sd : float, optional
        S, instead of a pilot.
    system : str, optional
        Which system's documents, when the pilot has several.

    Returns
    -------
    DocumentPlan
        ``documents``, ``halfwidth``, ``se``, ``power``, ``difference``, with and without finite
        correction; ``summary()``, ``to_dict()``, ``plot()``. What cannot be reached is None with
        a ``reason``.

    Raises
    ------
    TypeError
        If a value is not a number, or the pilot is not a DocumentTable.
    ValueError
        If the question is none of the five, a value is out of range, both or neither of the pilot
        and ``sd`` are given, or the population is smaller than K or the pilot.

    Notes
    -----
    S is the standard deviation between documents: ``sd(r)`` for the macro mean, ``√K·se(CR1)`` for
    the micro mean. With K of M documents the standard error is ``S/√K·√(1 - K/M)`` and the
    half-width ``t(1 - alpha/2; ν)`` times that; K is found by search, because t depends on it. The
    power is that of the noncentral t with ν degrees of freedom (the normal with ``df="normal"``).

    Miller's (2024) ``n = (z_{α/2} + z_β)²·(ω² + σ_A²/K_A + σ_B²/K_B)/δ²`` is
    ``df="normal"`` with ``sd`` the root of the bracket and one question as one document: here the
    documents are the sampling unit, and S holds whatever varies inside them.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed. Wiley. Sections 2.15, 4.4-4.7, 6.3.
    Miller, E. (2024). Adding Error Bars to Evals. arXiv:2411.00640, section 5.

    Examples
    --------
    >>> plan = plan_documents(sd=0.2243, estimand="macro", halfwidth=0.05, population=1300)
    >>> plan.documents, plan.uncorrected.documents
    (76, 80)
    >>> round(plan_documents(sd=0.4122, estimand="micro", documents=220).halfwidth, 4)
    0.0548
    >>> plan_documents(
    ...     sd=1 / 3, estimand="macro", difference=0.03, power=0.8, df="normal"
    ... ).documents
    969
    """
    check_estimand(estimand)
    level = fraction("alpha", alpha)
    one_of("alternative", alternative, POWERS)
    question = question_of(
        halfwidth=halfwidth, documents=documents, power=power, difference=difference
    )
    known = _pilot(pilot, sd, estimand, system)
    size = _population(population, known, question.given.get("documents"))
    rule = df_of(df, known, estimand)

    def answer_in(m: int | None) -> Answer:
        if known.reason:
            return Answer(documents=question.given.get("documents"), reason=known.reason)
        return Task(Precision(known.sd, rule, level, m), alternative).solve(question)

    uncorrected = answer_in(None)
    corrected = None if size is None else answer_in(size)
    answer = corrected or uncorrected
    said = _warnings(known, estimand, answer, df, level)
    return DocumentPlan(
        question, estimand, known, df, alternative, level, size, corrected, uncorrected, said
    )


def plan_comparison(
    comparison: Comparison,
    *,
    pair: tuple[str, str] | None = None,
    halfwidth: float | None = None,
    documents: int | None = None,
    power: float | None = None,
    difference: float | None = None,
    population: int | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    df: str = "K-1",
) -> DocumentPlan:
    """Plan the documents of a paired comparison, with a comparison as the pilot.

    Parameters
    ----------
    comparison : Comparison
        From :func:`ragstats.compare`. It declared the estimand, and its paired differences by
        document are the pilot.
    pair : (str, str), optional
        System and baseline; needed when the comparison has several pairs.
    halfwidth, documents, power, difference, alpha, alternative, df
        As in :func:`plan_documents`. ``difference`` is the one worth finding: the difference that
        the pilot happened to show is no plan.
    population : int, optional
        M; by default the population of the comparison.

    Returns
    -------
    DocumentPlan

    Raises
    ------
    ValueError
        As :func:`plan_documents`; also if the pair is unknown or several could be meant, or the
        comparison has no paired differences (``unmatched="stacked"``, covariates).

    References
    ----------
    Miller, E. (2024). Adding Error Bars to Evals. arXiv:2411.00640, sections 4 and 5.

    Examples
    --------
    >>> import ragstats as rs
    >>> scores = rs.datasets.load_retrieval(systems=["bm25", "hybrid"])
    >>> c = rs.compare(scores, score="hit_at_1", system="system", doc="doc_id",
    ...                query="query_id", baseline="bm25", estimand="macro")
    >>> plan = plan_comparison(c, difference=0.02, power=0.8)
    >>> plan.documents, round(plan.pilot.sd, 4)
    (627, 0.1784)
    """
    chosen = _pair(comparison, pair)
    return plan_documents(
        comparison.scores.differences(*chosen),
        estimand=comparison.estimand,
        halfwidth=halfwidth,
        documents=documents,
        power=power,
        difference=difference,
        population=comparison.population if population is None else population,
        alpha=alpha,
        alternative=alternative,
        df=df,
    )


def _pair(comparison: Comparison, pair: tuple[str, str] | None) -> tuple[str, str]:
    """Return the pair to plan for."""
    from ragstats.evaluation.comparison import Comparison

    if not isinstance(comparison, Comparison):
        raise TypeError(f"comparison is a {type(comparison).__name__}; give rs.compare(…)")
    if comparison.unmatched == "stacked" or comparison.covariates:
        why = "covariates" if comparison.covariates else "unmatched='stacked'"
        raise ValueError(
            f"comparison has {why}, so it has no paired difference of each document; compare the"
            " pilot's systems on the queries that both have"
        )
    pairs = list(comparison.pairs)
    there = ", ".join(repr(p) for p in pairs[:6]) + (", …" if len(pairs) > 6 else "")
    if pair is None and len(pairs) > 1:
        raise ValueError(f"pair is missing: the comparison has {len(pairs)}; give one of {there}")
    system, baseline = _two_names(pairs[0] if pair is None else pair)
    if (system, baseline) not in pairs and (baseline, system) not in pairs:
        raise ValueError(f"pair={shown(pair)} is not in the comparison; give one of {there}")
    return system, baseline


def _two_names(pair: Any) -> tuple[str, str]:
    """Return a pair of names, or raise."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ValueError(f"pair={shown(pair)}: give two names, (system, baseline)")
    return str(pair[0]), str(pair[1])


def _pilot(table: DocumentTable | None, sd: float | None, estimand: str, system: Any) -> Pilot:
    """Return S from the one place that was given."""
    if (table is None) == (sd is None):
        got = "neither" if sd is None else "both"
        raise ValueError(
            f"pilot and sd: {got} given; give a pilot's DocumentTable (rs.documents), or sd=, the"
            " standard deviation between documents"
        )
    if table is None:
        if system is not None:
            raise ValueError(f"system={system!r}: sd= knows no systems; give a pilot table")
        return given_sd(sd)
    return pilot_of(one_system(table, system), estimand)


def one_system(table: Any, system: str | None) -> DocumentTable:
    """Return the documents of one system of a table.

    Raises
    ------
    TypeError
        If it is not a DocumentTable.
    ValueError
        If the system is unknown, or not named where there are several.
    """
    if not isinstance(table, DocumentTable):
        raise TypeError(
            f"pilot is a {type(table).__name__}; give the DocumentTable of rs.documents(…), or sd="
        )
    return table.system(system)


def _population(population: Any, pilot: Pilot, documents: int | None) -> int | None:
    """Return M, at least the documents asked about and those of the pilot."""
    if population is None:
        return None
    size = whole("population", population)
    if pilot.documents is not None and size < pilot.documents:
        raise ValueError(
            f"population={size}: the pilot alone has {plural(pilot.documents, 'document')}; to"
            " plan for another corpus, give the pilot's S by sd="
        )
    if documents is not None and documents > size:
        raise ValueError(
            f"documents={documents} is more than population={size}; give at most {size}"
        )
    return size


def _warnings(
    pilot: Pilot, estimand: str, answer: Answer, rule: str, alpha: float
) -> tuple[str, ...]:
    """Say what weakens the plan, once there is one."""
    said = pilot.warnings()
    k = answer.documents
    if pilot.reason or k is None or k < 2 or not answer.se or not answer.halfwidth:
        return tuple(said)
    wanted = cochran_minimum(pilot.skewness)
    if k < wanted:
        said.append(
            f"Cochran's rule asks for 25·skewness² = {np.ceil(wanted):,.0f} documents before an"
            f" interval of nominal 95% misses at most about 6%; here K = {k:,}"
        )
    if answer.df is not None and answer.df < FEW_DF:
        said.append(f"{answer.df:.3g} degrees of freedom: the t quantile is large and S is a guess")
    if rule != "satterthwaite" and estimand == "micro" and pilot.sizes is not None:
        said += _fewer_df(pilot, k, answer.se, answer.halfwidth, alpha)
    return tuple(said)


def _fewer_df(pilot: Pilot, k: int, se: float, halfwidth: float, alpha: float) -> list[str]:
    """Say how much wider the CR2 interval will be, whose df know the sizes of the documents."""
    nu = float(df_of("satterthwaite", pilot, "micro")(np.asarray(float(k))))
    wider = float(stats.t.isf(alpha / 2, nu)) * se
    if wider <= WIDER * halfwidth:
        return []
    return [
        f"with sizes as in the pilot the CR2 interval will have ν of about {nu:.3g}, and so a"
        f" half-width of {wider:.4g}; df='satterthwaite' plans for that"
    ]
