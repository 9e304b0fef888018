"""Nested stages of a sample: which unit and stratum each row is in, and the share sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ragstats.exceptions import DataError

from .columns import Bools, Floats, Ints, Labels


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One stage of sampling over ``n`` rows, ``U`` units and ``H`` strata.

    A stratum of a later stage lies inside one unit of the stage above.

    Attributes
    ----------
    number : int
        1 for the first stage.
    ids : Labels
        The labels of the units, by row.
    unit : (n,) int array
        The unit of each row.
    stratum : (U,) int array
        The stratum of each unit.
    parent : (H,) int array
        The unit of the stage above that holds the stratum; 0 at the first stage.
    sampled : (H,) int array
        Units sampled in the stratum.
    fraction : (H,) array
        Sampling fraction of the stratum in [0, 1]; 0 where sampling is with replacement.
    above : (H,) array
        Product of the sampling fractions of the stages above.
    path : tuple of Labels
        The columns that name a stratum of this stage.
    first_row : (H,) int array
        One row of each stratum.
    """

    number: int
    ids: Labels
    unit: Ints
    stratum: Ints
    parent: Ints
    sampled: Ints
    fraction: Floats
    above: Floats
    path: tuple[Labels, ...]
    first_row: Ints

    @property
    def exposure(self) -> Floats:
        """Weight of the stratum's variance: fractions above times the share not sampled, (H,)."""
        share: Floats = self.above * (1.0 - self.fraction)
        return share

    @property
    def lonely(self) -> Bools:
        """Strata of one sampled unit that is not all there is, (H,)."""
        return np.asarray((self.sampled == 1) & (self.exposure > 0))

    def by_row(self, values: Floats) -> Floats:
        """Spread values of strata (H,) to rows (n,)."""
        return values[self.stratum[self.unit]]

    def stratum_name(self, h: int) -> str:
        """Name a stratum by its labels, from the top."""
        row = int(self.first_row[h])
        return ", ".join(part.at(row) for part in self.path)


@dataclass(frozen=True, slots=True)
class StageColumns:
    """What a user gave for one stage: ids, strata or None, and fpc values (n,) or None."""

    ids: Labels
    strata: Labels | None
    fpc: Floats | None
    fpc_name: str


def build_stages(given: Sequence[StageColumns]) -> tuple[tuple[Stage, ...], tuple[str, ...]]:
    """Nest the stages from the top; return them with what there is to know about them.

    Without ``fpc`` the first stage is all there is: with replacement, its units carry the whole
    variance. Stages below the last ``fpc`` are taken as fully enumerated.
    """
    depth = max(1, sum(columns.fpc is not None for columns in given))
    stages: list[Stage] = []
    notes: list[str] = []
    for columns in given[:depth]:
        above = stages[-1] if stages else None
        stages.append(_stage_below(above, columns))
        notes += _ids_in_several_strata(above, columns)
    if len(given) > depth:
        notes.append(_stages_left_out([c.ids.name for c in given[depth:]], given[0].fpc))
    return tuple(stages), tuple(notes)


def _stage_below(above: Stage | None, columns: StageColumns) -> Stage:
    top = np.zeros(columns.ids.codes.size, np.int64)
    parent_of_row = top if above is None else above.unit
    stratum_of_row = _within(parent_of_row, columns.strata)
    unit = _within(stratum_of_row, columns.ids)
    first_row = _first_rows(stratum_of_row)
    parent = parent_of_row[first_row]
    stratum = stratum_of_row[_first_rows(unit)]
    path = () if above is None else (*above.path, above.ids)
    stage = Stage(
        number=1 if above is None else above.number + 1,
        ids=columns.ids,
        unit=unit,
        stratum=stratum,
        parent=parent,
        sampled=np.bincount(stratum).astype(np.int64),
        fraction=np.zeros(first_row.size),
        above=np.ones(1) if above is None else (above.above * above.fraction)[above.stratum],
        path=path if columns.strata is None else (*path, columns.strata),
        first_row=first_row,
    )
    stage = replace(stage, above=stage.above[parent])
    if columns.fpc is None:
        return stage
    return replace(stage, fraction=_fractions(stage, columns.fpc, columns.fpc_name))


def _within(outer: Ints, inner: Labels | None) -> Ints:
    """Number the distinct pairs (outer, label) in order of appearance."""
    if inner is None:
        return np.asarray(pd.factorize(outer)[0], np.int64)
    pairs = outer * len(inner.values) + inner.codes
    return np.asarray(pd.factorize(pairs)[0], np.int64)


def _first_rows(codes: Ints) -> Ints:
    """Return the first row of each code, for codes numbered from 0 without gaps."""
    rows = np.empty(int(codes.max()) + 1, np.int64)
    rows[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
    return rows


def _fractions(stage: Stage, values: Floats, name: str) -> Floats:
    """Read fpc values (n,) as sampling fractions or as population sizes of the strata, (H,)."""
    per_stratum = values[stage.first_row]
    _refuse_bad_fpc(stage, values, per_stratum, name)
    if (per_stratum <= 1).all():
        return per_stratum
    small = np.flatnonzero(per_stratum < stage.sampled)
    if small.size == 0:
        return stage.sampled / per_stratum
    h = int(small[0])
    if (per_stratum < 1).any():
        raise DataError(
            f"fpc={name!r} mixes sampling fractions ({per_stratum[per_stratum < 1][0]:g}) and "
            f"population sizes ({per_stratum.max():g}); give one or the other"
        )
    raise DataError(
        f"fpc={name!r} gives population {per_stratum[h]:g} {_in_stratum(stage, h)}, "
        f"but {stage.sampled[h]} units of {stage.ids.name!r} were sampled there"
    )


def _refuse_bad_fpc(stage: Stage, values: Floats, per_stratum: Floats, name: str) -> None:
    if not (values > 0).all():
        raise DataError(
            f"fpc={name!r} has the value {values[~(values > 0)][0]:g}; give sampling fractions "
            "in (0, 1] or population sizes of at least the number sampled"
        )
    varies = values != stage.by_row(per_stratum)
    if varies.any():
        row = int(np.flatnonzero(varies)[0])
        h = int(stage.stratum[stage.unit[row]])
        raise DataError(
            f"fpc={name!r} varies within a stratum: {per_stratum[h]:g} and {values[row]:g} "
            f"{_in_stratum(stage, h)}"
        )


def _in_stratum(stage: Stage, h: int) -> str:
    name = stage.stratum_name(h)
    return f"in stratum {name}" if name else "in the design (no strata)"


def _ids_in_several_strata(above: Stage | None, columns: StageColumns) -> list[str]:
    """Say which labels occur in more than one stratum: they count once in each."""
    if columns.strata is None:
        return []
    parent = np.zeros_like(columns.ids.codes) if above is None else above.unit
    in_parent = _within(parent, columns.ids)
    in_stratum = _within(in_parent, columns.strata)
    times = np.bincount(in_parent[_first_rows(in_stratum)])
    several = np.flatnonzero(times > 1)
    if several.size == 0:
        return []
    example = columns.ids.at(int(_first_rows(in_parent)[several[0]]))
    return [
        f"{several.size} labels of {columns.ids.name!r} (such as {example}) occur in more than one "
        f"stratum of {columns.strata.name!r}: each pair of stratum and label is a unit of its own"
    ]


def _stages_left_out(names: list[str], fpc: Floats | None) -> str:
    left = ", ".join(map(repr, names))
    if fpc is None:
        return (
            f"no fpc: the first stage counts as drawn with replacement, so its units carry the "
            f"whole variance and the ids {left} add nothing"
        )
    return f"no fpc for the stages {left}: they count as fully enumerated and add no variance"
