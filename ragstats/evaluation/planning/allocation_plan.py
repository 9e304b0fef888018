"""The result of `allocate_documents`: how many of each stratum, and what that is worth."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragstats.evaluation.shown import Shown
from ragstats.models.estimand import ESTIMANDS

from .allocation import Counts
from .strata import Strata
from .text import Block, cell, count, page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: How the words of a plan call each rule.
RULE_WORDS = {
    "neyman": "Neyman: K_h in proportion to M_h·S_h",
    "proportional": "proportional: K_h in proportion to M_h",
    "equal": "equal: the same K_h everywhere",
    "given": "as given",
}


@dataclass(frozen=True, slots=True)
class Expected:
    """What an allocation is expected to give for one estimand.

    Attributes
    ----------
    se, halfwidth : float
        Of the stratified estimate: the combined ratio (micro) or the stratified mean (macro).
    srs_se, srs_halfwidth : float
        Of a simple random sample of the same number of documents; NaN where the pilot cannot say.
    """

    se: float
    halfwidth: float
    srs_se: float
    srs_halfwidth: float

    @property
    def gain(self) -> float:
        """Variance of the simple random sample over that of the stratified one."""
        return (self.srs_se / self.se) ** 2 if self.se > 0 else np.nan


@dataclass(frozen=True, slots=True, eq=False)
class AllocationPlan(Shown):
    """Documents to draw from each stratum.

    Attributes
    ----------
    strata : Strata
        The strata: sizes, and variation in the pilot.
    estimand : str
        The mean whose standard error was minimised: "micro" (combined ratio) or "macro".
    rule : str
        "neyman", "proportional", "equal" or "given".
    alpha : float
        One minus the confidence level.
    counts : ndarray of int (H,) or None
        K_h; None, with a ``reason``, where there is no allocation.
    certain : ndarray of bool (H,)
        Strata that were to be taken whole.
    expected : dict of str to Expected
        By estimand; empty without an allocation.
    reason : str
        Why there is no allocation, or what is special about it; empty otherwise.
    warnings : tuple of str
        What weakens the plan.
    """

    strata: Strata
    estimand: str
    rule: str
    alpha: float
    counts: Counts | None
    certain: NDArray[np.bool_]
    expected: dict[str, Expected]
    reason: str
    warnings: tuple[str, ...]

    @property
    def allocation(self) -> dict[Hashable, int] | None:
        """K_h by stratum, in the order of the strata."""
        if self.counts is None:
            return None
        return dict(zip(self.strata.labels, self.counts.tolist(), strict=True))

    @property
    def documents(self) -> int | None:
        """K, documents in all."""
        return None if self.counts is None else int(self.counts.sum())

    @property
    def degrees_of_freedom(self) -> int | None:
        """``K - H``."""
        return None if self.counts is None else int(self.counts.sum()) - len(self.counts)

    @property
    def se(self) -> float | None:
        """Expected standard error of the estimand's mean, in the units of the score."""
        return self.expected[self.estimand].se if self.expected else None

    @property
    def halfwidth(self) -> float | None:
        """Expected half-width of its interval, with ``K - H`` degrees of freedom."""
        return self.expected[self.estimand].halfwidth if self.expected else None

    @property
    def gain(self) -> float | None:
        """Variance of a simple random sample of K documents over that of this one."""
        return self.expected[self.estimand].gain if self.expected else None

    def table(self) -> pd.DataFrame:
        """Return one row per stratum: ``population``, ``pilot``, ``sd``, ``documents``, ``share``.

        ``sd`` is S_h of the estimand, ``share`` is ``K_h/M_h``.
        """
        frame = pd.DataFrame(
            {
                "population": self.strata.population,
                "pilot": self.strata.pilot,
                "sd": self.strata.sd[self.estimand],
            },
            index=pd.Index(list(self.strata.labels), name=self.strata.name, tupleize_cols=False),
        )
        if self.counts is None:
            return frame
        return frame.assign(documents=self.counts, share=self.counts / self.strata.population)

    def summary(self) -> str:
        """Return the plan as text of at most 80 columns."""
        kind = "combined ratio" if self.estimand == "micro" else "stratified mean"
        head = [
            f"Plan: {count(self.documents)} of {self.strata.population.sum():,} documents in"
            f" {len(self.strata.labels)} strata of {self.strata.name!r}",
            f"{self.estimand} mean ({kind}): {ESTIMANDS[self.estimand]}",
            f"Allocation {RULE_WORDS[self.rule]}; alpha = {self.alpha:g}; df: K - H ="
            f" {count(self.degrees_of_freedom)}",
        ]
        titles = ["M_h", "pilot", "S_h", "K_h", "K_h/M_h"]
        rows = [
            (str(label), [count(m), count(k), cell(sd), *self._drawn(h)])
            for h, (label, m, k, sd) in enumerate(
                zip(
                    self.strata.labels, self.strata.population, self.strata.pilot,
                    self.strata.sd[self.estimand], strict=True,
                )
            )
        ]  # fmt: skip
        blocks = [Block(titles, rows, 28, 10)]
        if self.expected:
            blocks.append(self._comparison())
        return page(head, blocks, [*([self.reason] if self.reason else []), *self.warnings])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON; NaN becomes None."""
        frame = self.table().reset_index()
        return {
            "estimand": self.estimand,
            "rule": self.rule,
            "alpha": self.alpha,
            "documents": self.documents,
            "df": self.degrees_of_freedom,
            "strata": {name: _plain(frame[name].tolist()) for name in frame.columns},
            "certainty": [
                label for label, c in zip(self.strata.labels, self.certain, strict=True) if c
            ],
            "expected": {
                e: dict(zip(asdict(x), _plain([*asdict(x).values()]), strict=True))
                for e, x in self.expected.items()
            },
            "reason": self.reason,
            "warnings": list(self.warnings),
        }

    def plot(self) -> Figure:
        """Draw the expected half-width by K: simple random, proportional and Neyman.

        Returns
        -------
        matplotlib.figure.Figure
            With the plan marked; not attached to pyplot.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        from .plotting import allocation_figure

        return allocation_figure(self)

    def _drawn(self, h: int) -> list[str]:
        if self.counts is None:
            return ["-", "-"]
        share = self.counts[h] / self.strata.population[h]
        return [count(self.counts[h]), "all" if share == 1 else f"{share:.1%}"]

    def _comparison(self) -> Block:
        titles = ["SE", "half-width", "SRS SE", "half-width", "gain"]
        rows = [
            (
                f"expected, {e} mean",
                [cell(v) for v in (x.se, x.halfwidth, x.srs_se, x.srs_halfwidth, x.gain)],
            )
            for e, x in self.expected.items()
        ]
        return Block(titles, rows, 22, 11)


def _plain(values: list[Any]) -> list[Any]:
    return [None if isinstance(v, float) and np.isnan(v) else v for v in values]
