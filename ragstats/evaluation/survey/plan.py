"""The design as arrays: nested stages, a weight for each row, and the facts to print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from ragstats.exceptions import DataError, plural, shown

from .columns import Bools, Floats, complete_numbers, labels, names_of
from .linearized import lonely_note, refuse_lonely
from .stages import Stage, StageColumns, build_stages

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DesignFacts:
    """What was sampled, and how.

    Attributes
    ----------
    ids : tuple of str
        Columns of the units, from the first stage down.
    strata : tuple of (str or None)
        Columns of the strata by stage.
    fpc : tuple of str
        Columns of the finite population corrections by stage.
    weights : str
        Where the weights come from.
    lonely : str
        The rule for strata of one sampled unit.
    n_rows, n_psus, n_strata : int
        Rows, first-stage units and first-stage strata of the sample.
    census : bool
        Whether every unit of the population was sampled at every stage.
    """

    ids: tuple[str, ...]
    strata: tuple[str | None, ...]
    fpc: tuple[str, ...]
    weights: str
    lonely: str
    n_rows: int
    n_psus: int
    n_strata: int
    census: bool

    def to_dict(self) -> dict[str, object]:
        """Return the facts as plain Python values."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A design over ``n`` rows.

    Attributes
    ----------
    stages : tuple of Stage
        The stages that carry variance.
    weights : (n,) array
        Weight of each row: how many rows of the population it stands for.
    lonely : str
        A name of :data:`~ragstats.evaluation.survey.linearized.LONELY`.
    facts : DesignFacts
        For the summary.
    notes : tuple of str
        What a reader must know about the design.
    """

    stages: tuple[Stage, ...]
    weights: Floats
    lonely: str
    facts: DesignFacts
    notes: tuple[str, ...]

    @property
    def uncertain(self) -> Bools:
        """Rows whose stratum was not fully enumerated at some stage, (n,)."""
        exposed: Bools = np.any([s.by_row(s.exposure) > 0 for s in self.stages], axis=0)
        return exposed

    def count(self, used: Bools) -> tuple[int, int]:
        """Return the number of first-stage units and strata with a row in ``used`` (n,)."""
        first = self.stages[0]
        units = np.zeros(first.stratum.size, bool)
        units[first.unit[used & (self.weights > 0)]] = True
        return int(units.sum()), int(np.unique(first.stratum[units]).size)


def build_plan(
    data: pd.DataFrame,
    *,
    ids: str | Sequence[str],
    strata: str | Sequence[str | None] | None,
    fpc: str | Sequence[str] | None,
    weights: str | None,
    lonely: str,
) -> Plan:
    """Read the columns of a design into a plan, or raise an error that says what is wrong."""
    id_names = names_of("ids", ids)
    strata_names = _strata_names(strata, len(id_names))
    fpc_names = _per_stage("fpc", [] if fpc is None else names_of("fpc", fpc), len(id_names))
    given = [
        StageColumns(
            ids=labels(data, "ids", id_name),
            strata=None if stratum is None else labels(data, "strata", stratum),
            fpc=None if s >= len(fpc_names) else complete_numbers(data, "fpc", fpc_names[s]),
            fpc_name=fpc_names[s] if s < len(fpc_names) else "",
        )
        for s, (id_name, stratum) in enumerate(zip(id_names, strata_names, strict=True))
    ]
    return plan_of(given, weights=_given_weights(data, weights), lonely=lonely)


def plan_of(
    given: Sequence[StageColumns], *, weights: tuple[Floats, str] | None, lonely: str
) -> Plan:
    """Nest the stages, check the lonely strata, and weigh the rows.

    Parameters
    ----------
    given : sequence of StageColumns
        From the first stage down.
    weights : ((n,) array, str) or None
        Weights and where they come from; None: inverse sampling fractions, or 1.
    lonely : str
        The rule for strata of one sampled unit.
    """
    stages, notes = build_stages(given)
    refuse_lonely(stages, lonely)
    fpc_names = tuple(columns.fpc_name for columns in given if columns.fpc is not None)
    row_weights, source = weights or _weights_from_fractions(stages, fpc_names)
    strata = tuple(None if c.strata is None else c.strata.name for c in given)
    facts = DesignFacts(
        ids=tuple(columns.ids.name for columns in given),
        strata=strata if any(strata) else (),
        fpc=fpc_names,
        weights=source,
        lonely=lonely,
        n_rows=row_weights.size,
        n_psus=stages[0].stratum.size,
        n_strata=stages[0].sampled.size,
        census=all(not (stage.exposure > 0).any() for stage in stages),
    )
    return Plan(stages, row_weights, lonely, facts, (*notes, *lonely_note(stages, lonely)))


def _strata_names(strata: str | Sequence[str | None] | None, depth: int) -> list[str | None]:
    listed = [strata] if strata is None or isinstance(strata, str) else strata
    if not isinstance(listed, Sequence) or not all(s is None or isinstance(s, str) for s in listed):
        raise TypeError(
            f"strata={shown(strata)}: give a column name, or a list of column names or None by"
            " stage"
        )
    names = _per_stage("strata", list(listed), depth)
    return [*names, *[None] * (depth - len(names))]


def _per_stage(argument: str, names: list[T], depth: int) -> list[T]:
    if len(names) > depth:
        raise ValueError(
            f"{argument} has {plural(len(names), 'column')} and ids {depth}; give at most one for"
            " each stage"
        )
    return names


def _weights_from_fractions(
    stages: Sequence[Stage], fpc_names: tuple[str, ...]
) -> tuple[Floats, str]:
    if not fpc_names:
        return np.ones(stages[0].unit.size), "1 for every row"
    inclusion = np.prod([stage.by_row(stage.fraction) for stage in stages], axis=0)
    if not (inclusion > 0).all():
        raise DataError(f"fpc={list(fpc_names)!r} has infinite populations: give weights= as well")
    return 1.0 / inclusion, "inverse sampling fractions"


def _given_weights(data: pd.DataFrame, name: str | None) -> tuple[Floats, str] | None:
    if name is None:
        return None
    if not isinstance(name, str):
        raise TypeError(f"weights={shown(name)}: give a column name")
    values = complete_numbers(data, "weights", name)
    wrong = int((~np.isfinite(values) | (values < 0)).sum())
    if wrong:
        raise DataError(f"weights={name!r} has {wrong} negative or infinite values")
    if not values.any():
        raise DataError(f"weights={name!r} is 0 in every row")
    return values, f"column {name!r}"
