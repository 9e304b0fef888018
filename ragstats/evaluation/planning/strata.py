"""What a pilot says about strata of documents: sizes, means and variation in each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragstats.checks import named, whole
from ragstats.core.segments import Floats
from ragstats.evaluation.diagnostics import SKEWED, describe
from ragstats.evaluation.documents import DocumentTable
from ragstats.exceptions import DataError, plural, shown, unknown_column
from ragstats.models.estimand import ESTIMANDS

from .allocation import Counts
from .pilot import SMALL_PILOT, linearized


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """Strata of a population of documents, as a pilot shows them.

    Attributes
    ----------
    name : str
        The column.
    labels : tuple (H,)
        The strata, sorted.
    population : ndarray of int (H,)
        M_h, documents of each in the population.
    pilot : ndarray of int (H,)
        k_h, documents of each in the pilot.
    sd : dict of str to ndarray (H,)
        By estimand: S_h, the standard deviation of the linearized values around their mean in the
        stratum; NaN where the pilot has one document of several.
    mean : dict of str to ndarray (H,)
        By estimand: mean of the linearized values in the stratum.
    skewness : dict of str to ndarray (H,)
        By estimand: their skewness in the stratum.
    """

    name: str
    labels: tuple[Hashable, ...]
    population: Counts
    pilot: Counts
    sd: dict[str, Floats]
    mean: dict[str, Floats]
    skewness: dict[str, Floats]

    @property
    def weights(self) -> Floats:
        """``W_h = M_h/M`` (H,)."""
        return np.asarray(self.population / self.population.sum())

    def se(self, counts: Counts, estimand: str) -> float:
        """Return the standard error with these documents (H,) of each stratum.

        ``√ Σ W_h² (1 - K_h/M_h) S_h²/K_h``; a stratum taken whole adds nothing.
        """
        left = 1 - counts / self.population
        sd = np.where(left > 0, self.sd[estimand], 0.0)
        return float(np.sqrt((self.weights**2 * left * sd**2 / counts).sum()))

    def overall_sd(self, estimand: str) -> float:
        """Return S of the whole population, for comparison with a simple random sample.

        Variation inside and between the strata; the variation between that the pilot shows by
        chance is taken off (Cochran 1977, section 5A.11).
        """
        size, sd, mean = self.population, self.sd[estimand], self.mean[estimand]
        weights, total = self.weights, self.population.sum()
        chance = (1 - self.pilot / size) * sd**2 / self.pilot
        apparent = (weights * (mean - weights @ mean) ** 2).sum()
        between = max(apparent - (weights * (1 - weights) * chance).sum(), 0.0)
        return float(np.sqrt((((size - 1) * sd**2).sum() + total * between) / (total - 1)))

    def warnings(self, estimand: str) -> list[str]:
        """Return plain sentences about what weakens a plan that rests on this pilot."""
        said = []
        few = (self.pilot < SMALL_PILOT) & (self.pilot < self.population)
        if few.any():
            listed = ", ".join(
                f"{self.labels[h]!r} ({self.pilot[h]})" for h in np.flatnonzero(few)[:6]
            )
            said.append(f"the pilot has few documents of {listed}: S is hardly known there")
        skewed = np.abs(self.skewness[estimand]) > SKEWED
        if skewed.any():
            listed = ", ".join(
                f"{self.labels[h]!r} ({self.skewness[estimand][h]:+.1f})"
                for h in np.flatnonzero(skewed)[:6]
            )
            said.append(
                f"values are strongly skewed in {listed}: t intervals cover less than they say"
            )
        return said


def strata_of(table: DocumentTable, name: str, population: Any) -> Strata:
    """Describe the strata of a pilot.

    Parameters
    ----------
    table : DocumentTable
        One system, with the column of strata kept.
    name : str
        That column.
    population : mapping of stratum to int
        M_h.

    Raises
    ------
    TypeError
        If ``population`` is no mapping.
    ValueError
        If the column or a stratum is unknown, or M_h is below the pilot's documents.
    DataError
        If strata are missing, or a stratum of the population has no document in the pilot.
    """
    if not isinstance(name, str) or name not in table.frame.columns:
        kept = [c for c in table.frame.columns if c in table.kept]
        if not kept:
            raise DataError(
                f"strata={name!r}: no column was kept; rs.documents(…, keep=[{name!r}])"
            )
        raise unknown_column("strata", name, kept)
    column = table.frame[name]
    if column.isna().any():
        raise DataError(
            f"strata={name!r}:"
            f" {plural(int(column.isna().sum()), 'document has', 'documents have')} no stratum"
        )
    codes, labels = pd.factorize(column.astype(object), sort=True)
    sizes = _population(population, list(labels), np.bincount(codes), name)
    pilot = np.bincount(codes)
    values = {e: linearized(table, e, (sizes / pilot)[codes]) for e in ESTIMANDS}
    groups = [codes == h for h in range(len(labels))]

    def each(what: Callable[[Floats, float, int], float]) -> dict[str, Floats]:
        """Return a number for each estimand and stratum."""
        return {
            e: np.array([what(z[g], noise, m) for g, m in zip(groups, sizes.tolist(), strict=True)])
            for e, (z, noise) in values.items()
        }

    return Strata(
        name=name,
        labels=tuple(labels),
        population=sizes,
        pilot=pilot.astype(np.int64),
        sd=each(_sd),
        mean=each(lambda z, noise, size: float(z.mean())),
        skewness=each(lambda z, noise, size: describe(z)["skewness"]),
    )


def _sd(values: Floats, noise: float, size: int) -> float:
    """Return S_h: 0 for equal values, NaN for one of several documents."""
    if len(values) == 1:
        return 0.0 if size == 1 else np.nan
    spread = float(values.std(ddof=1))
    return spread if spread > noise else 0.0


def _population(population: Any, labels: list[Any], pilot: NDArray[Any], name: str) -> Counts:
    """Return M_h (H,), in the order of the labels."""
    if not isinstance(population, Mapping | pd.Series):
        raise TypeError(
            f"population={shown(population)}: give a mapping of each stratum of {name!r} to its"
            " number of documents"
        )
    given = dict(population.items())
    missing = [label for label in labels if label not in given]
    if missing:
        raise DataError(f"population has nothing for stratum {name}={missing[0]!r}")
    absent = [label for label in given if label not in labels]
    if absent:
        raise DataError(
            f"population names stratum {name}={absent[0]!r}, of which the pilot has no document;"
            " take some there first, or merge it with a like one"
        )
    sizes = [whole(f"population[{label!r}]", given[label]) for label in labels]
    for label, size, have in zip(labels, sizes, pilot, strict=True):
        if size < have:
            raise ValueError(
                f"population[{label!r}]={size}: the pilot alone has {plural(have, 'document')}"
                " there"
            )
    return np.array(sizes, np.int64)


def chosen_strata(argument: str, names: Any, labels: tuple[Hashable, ...]) -> NDArray[np.bool_]:
    """Return which strata (H,) are named.

    Raises
    ------
    ValueError
        If a name is not one of the strata.
    """
    asked = [names] if isinstance(names, str) or not hasattr(names, "__iter__") else list(names)
    for one in asked:
        named(argument, one, labels)
    return np.array([label in asked for label in labels])
