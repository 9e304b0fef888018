"""The linearized variance of a total over nested stages, from influence values by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ragstats.checks import one_of
from ragstats.exceptions import DataError

from .columns import Floats, Ints
from .stages import Stage


def linearized_variance(z: Floats, stages: Sequence[Stage], lonely: str = "error") -> Floats:
    """Return the covariance of the column totals of ``z`` under the design.

    Parameters
    ----------
    z : (n, k) array
        Weighted influence values; rows outside a domain are 0.
    stages : sequence of Stage
        From :func:`~ragstats.evaluation.survey.stages.build_stages`.
    lonely : str
        A name of `LONELY`.

    Returns
    -------
    (k, k) array

    Notes
    -----
    With ``z_u`` the total of unit ``u`` and ``f`` the sampling fractions (Cochran 1977, eqs.
    2.9 and 5.7 by stratum; theorem 10.1 and section 10.8 for the later stages)::

        V = Σ_stages Σ_h  (Π f above h) (1 − f_h)  n_h/(n_h − 1)  Σ_{u in h} (z_u − z̄_h)(z_u − z̄_h)'

    Time O(n k), memory O(U k); nothing U×U is formed.
    """
    k = z.shape[1]
    return sum((_stage_variance(z, stage, lonely) for stage in stages), np.zeros((k, k)))


def sum_by(z: Floats, codes: Ints, size: int) -> Floats:
    """Add the rows of ``z`` (n, k) by code, giving (size, k)."""
    sums = [np.bincount(codes, weights=column, minlength=size) for column in z.T]
    return np.column_stack(sums) if sums else np.zeros((size, 0))


def _stage_variance(z: Floats, stage: Stage, lonely: str) -> Floats:
    scale, centring = LONELY[lonely].weigh(stage)
    totals = sum_by(z, stage.unit, stage.stratum.size)
    means = sum_by(totals, stage.stratum, stage.sampled.size) / stage.sampled[:, None]
    centred = totals - (means * centring[:, None])[stage.stratum]
    centred *= np.sqrt(scale)[stage.stratum, None]
    v: Floats = centred.T @ centred
    return v


# --- what a stratum of one sampled unit contributes ----------------------------------------


@dataclass(frozen=True, slots=True)
class LonelyRule:
    """A way to treat strata of one sampled unit.

    Attributes
    ----------
    weigh : callable
        From a stage, the scale (H,) of each stratum's sum of squares and the share (H,) of the
        stratum mean that is subtracted: 1 to centre at the mean, 0 at zero.
    meaning : str
        What the rule does, for notes and documentation.
    """

    weigh: Callable[[Stage], tuple[Floats, Floats]]
    meaning: str


def _nothing(stage: Stage) -> tuple[Floats, Floats]:
    free = np.maximum(stage.sampled - 1, 1)
    scale = np.where(stage.sampled > 1, stage.exposure * stage.sampled / free, 0.0)
    return scale, np.ones(scale.size)


def _at_zero(stage: Stage) -> tuple[Floats, Floats]:
    scale, centring = _nothing(stage)
    return np.where(stage.lonely, stage.exposure, scale), np.where(stage.lonely, 0.0, centring)


def _mean_of_others(stage: Stage) -> tuple[Floats, Floats]:
    scale, centring = _nothing(stage)
    strata, others = _strata_by_parent(stage)
    return scale * (strata / np.maximum(others, 1))[stage.parent], centring


def _strata_by_parent(stage: Stage) -> tuple[Ints, Ints]:
    """Return the number of strata, and of those not lonely, in each unit of the stage above."""
    size = int(stage.parent.max()) + 1
    strata = np.bincount(stage.parent, minlength=size)
    return strata, np.bincount(stage.parent[~stage.lonely], minlength=size)


LONELY: dict[str, LonelyRule] = {
    "error": LonelyRule(_nothing, "refused"),
    "adjust": LonelyRule(_at_zero, "centred at zero, not at their own mean"),
    "certainty": LonelyRule(_nothing, "taken as sampled with certainty: they add no variance"),
    "average": LonelyRule(_mean_of_others, "given the average variance of the other strata"),
    "remove": LonelyRule(_nothing, "left out of the variance"),
}


def refuse_lonely(stages: Sequence[Stage], lonely: str) -> None:
    """Raise where the rule cannot give a variance, naming the first stratum."""
    one_of("lonely", lonely, LONELY)
    for stage in stages:
        alone = np.flatnonzero(stage.lonely)
        if alone.size and lonely == "error":
            raise DataError(_one_unit(stage, alone))
        if alone.size and lonely == "average":
            _, others = _strata_by_parent(stage)
            bare = alone[others[stage.parent[alone]] == 0]
            if bare.size:
                raise DataError(_nothing_to_average(stage, int(bare[0])))


def lonely_note(stages: Sequence[Stage], lonely: str) -> list[str]:
    """Say how many strata have one unit and what the rule did with them."""
    counts = {stage.number: int(stage.lonely.sum()) for stage in stages}
    where = ", ".join(f"{c} at stage {number}" for number, c in counts.items() if c)
    return [f"strata of one unit ({where}): {LONELY[lonely].meaning}"] if where else []


def _one_unit(stage: Stage, alone: Ints) -> str:
    h = int(alone[0])
    name, unit = stage.stratum_name(h), stage.ids.at(int(stage.first_row[h]))
    if not name:
        return f"ids={stage.ids.name!r}: the design has 1 unit ({unit}), at least 2 are needed"
    more = f" (and {alone.size - 1} more)" if alone.size > 1 else ""
    return (
        f"stratum {name}{more} has one sampled unit at stage {stage.number} ({unit}), so no "
        "variance: merge strata, or choose lonely='adjust', 'certainty', 'average' or 'remove'"
    )


def _nothing_to_average(stage: Stage, h: int) -> str:
    name = stage.stratum_name(h) or "of the whole design"
    return (
        f"lonely='average' has no stratum to average over beside stratum {name} at stage "
        f"{stage.number}; choose lonely='adjust', 'certainty' or 'remove'"
    )
