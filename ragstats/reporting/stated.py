"""What a user says of a study, and how the numbers are to be computed: nothing here is data."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

from ragstats.core.adjustment import adjustment
from ragstats.core.dof import df_rule
from ragstats.evaluation.pairs import check_unmatched
from ragstats.exceptions import shown
from ragstats.models.estimand import check_estimand
from ragstats.models.statsmodels_results import check_alpha

#: What a report asks for when it is not stated: the argument's name, and the question.
ASKED = {
    "population": "which documents do these stand for?",
    "design": "how were the documents drawn?",
    "levels": "what was drawn at each level (documents, chunks, questions)?",
    "fraction": "how many documents are there in all? their number also corrects the variances",
    "estimand": "micro or macro: which of the two means answers the question?",
    "why_estimand": "why does that mean answer the question?",
}

#: What no interval here covers, said in every report.
LEFT_OUT = (
    "the index is fixed: other documents in it would change the ranks",
    "the systems are fixed as configured: no tuning, versions or seeds vary",
    "the questions are those of the data: other questions about the same documents may score"
    " differently",
    "the scores are taken as true: errors of judges or labels are not in the intervals",
)


@dataclass(frozen=True, slots=True)
class Stated:
    """What the user says of the study, which no data can tell.

    Attributes
    ----------
    title : str
        The report's title; empty for one made from the data.
    population : str
        Which documents these stand for, in words; empty when not stated.
    population_size : int or None
        M, documents in the population, for the finite population correction.
    design : str
        How the documents were drawn; empty when not stated.
    levels : str
        What was drawn at each level; empty when not stated.
    fraction : float or None
        The share of the population's documents that is here, when M is not given; said, not used.
    estimand : str or None
        "micro" or "macro", the mean that answers the question; None when not stated.
    why_estimand : str
        Why it does; empty when not stated.
    left_out : tuple of str
        What else the intervals do not cover.
    source : str
        Where the data came from, for instance the file's name.
    sha256 : str
        Of the input file; empty for a frame.
    """

    title: str = ""
    population: str = ""
    population_size: int | None = None
    design: str = ""
    levels: str = ""
    fraction: float | None = None
    estimand: str | None = None
    why_estimand: str = ""
    left_out: tuple[str, ...] = ()
    source: str = ""
    sha256: str = ""

    def __post_init__(self) -> None:
        if self.estimand is not None:
            check_estimand(self.estimand)
        if self.fraction is not None:
            check_fraction(self.fraction, self.population_size)

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of what is not stated, in the order of ``ASKED``."""
        stated = {name: bool(getattr(self, name)) for name in ASKED if name != "fraction"}
        stated["fraction"] = self.fraction is not None or self.population_size is not None
        return tuple(name for name in ASKED if not stated[name])

    @property
    def everything_left_out(self) -> tuple[str, ...]:
        """What no interval here covers, and what the user adds to that."""
        return LEFT_OUT + self.left_out

    @property
    def estimands(self) -> tuple[str, str]:
        """Both estimands, the declared one first."""
        return ("macro", "micro") if self.estimand == "macro" else ("micro", "macro")


def check_fraction(fraction: float, population_size: int | None) -> None:
    """Raise for a fraction that is none, or that the population's size already gives."""
    if isinstance(fraction, bool) or not isinstance(fraction, Real) or not 0 < fraction <= 1:
        raise ValueError(
            f"fraction={shown(fraction)}: give the share of the population's documents that is"
            " here, above 0 and at most 1"
        )
    if population_size is not None:
        raise ValueError(
            f"fraction={fraction!r} and population_size={population_size!r} are both given; the"
            " size gives the fraction, so leave fraction= out"
        )


@dataclass(frozen=True, slots=True)
class Method:
    """How the intervals are computed.

    Attributes
    ----------
    cov_type, df : str
        The covariance type and the df rule, as in :meth:`ragstats.OLS.fit`.
    alpha : float
        Intervals have level ``1 - alpha``.
    unmatched : str
        The rule for queries that not both systems of a pair have.
    paired : bool
        Whether the systems are compared query by query.
    """

    cov_type: str = "CR2"
    df: str = "satterthwaite"
    alpha: float = 0.05
    unmatched: str = "error"
    paired: bool = True

    def __post_init__(self) -> None:
        adjustment(self.cov_type), df_rule(self.df)
        check_unmatched(self.unmatched)
        check_alpha(self.alpha)

    @property
    def level(self) -> str:
        """The level in words, for instance "95%"."""
        return f"{100 * (1 - self.alpha):.6g}%"
