"""How the precision of a mean depends on the number of documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from ragstats.checks import one_of
from ragstats.core.segments import Floats

from .pilot import Pilot
from .search import smallest
from .sizes import foreseen_df

DfOf = Callable[[Floats], Floats]


def _one_less(k: Floats) -> Floats:
    return np.asarray(k, float) - 1


def _infinite(k: Floats) -> Floats:
    return np.full(np.shape(k), np.inf)


def _satterthwaite(pilot: Pilot, estimand: str) -> DfOf:
    if estimand == "macro":
        return _one_less
    if pilot.sizes is None:
        raise ValueError(
            "df='satterthwaite' needs a pilot table: ν of the micro mean depends on the sizes of"
            " the documents, which sd= does not tell; use df='K-1'"
        )
    return foreseen_df(pilot.sizes) if len(pilot.sizes) > 1 else _one_less


#: Rule of the degrees of freedom → how they depend on K.
DF_RULES: dict[str, Callable[[Pilot, str], DfOf]] = {
    "K-1": lambda pilot, estimand: _one_less,
    "satterthwaite": _satterthwaite,
    "normal": lambda pilot, estimand: _infinite,
}


def df_of(rule: str, pilot: Pilot, estimand: str) -> DfOf:
    """Return ν as a function of K, or raise the error that lists the rules."""
    one_of("df", rule, DF_RULES)
    return DF_RULES[rule](pilot, estimand)


@dataclass(frozen=True, slots=True)
class Precision:
    """Standard error and half-width of a mean, by the number of documents K.

    ``h(K) = t(1 - alpha/2; ν(K)) · S/√K · √(1 - K/M)``, which falls as K grows: its three factors
    do. K may be a number or an array, of at least 2 (``se``: of at least 1).

    Attributes
    ----------
    sd : float
        S, in the units of the score.
    df : callable
        ν(K).
    alpha : float
        One minus the confidence level.
    population : int or None
        M; None is a population without end.
    """

    sd: float
    df: DfOf
    alpha: float = 0.05
    population: int | None = None

    def se(self, k: Any) -> Floats:
        """Return the standard error with K documents."""
        k = np.asarray(k, float)
        left = 1.0 if self.population is None else 1 - k / self.population
        return np.asarray(self.sd / np.sqrt(k) * np.sqrt(left))

    def halfwidth(self, k: Any) -> Floats:
        """Return the half-width of the interval with K documents."""
        quantile = stats.t.isf(self.alpha / 2, self.df(np.asarray(k, float)))
        return np.asarray(quantile * self.se(k))

    def documents(self, halfwidth: float) -> int | None:
        """Return the smallest K whose half-width is at most this; None if no K below 2**53 is."""
        return smallest(lambda k: bool(self.halfwidth(k) <= halfwidth), 2, self.population)
