"""The table of sums → documents, cells and sums as the core wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ragstats.core.segments import Codes, Floats
from ragstats.core.streaming_sums import CellDesign, CellSums
from ragstats.exceptions import DataError, plural
from ragstats.io.engines import KEPT, key
from ragstats.io.gather import Coded, Gathered, encode, products_of
from ragstats.io.streams_patsy import unseen_level
from ragstats.io.terms import Terms, cell_design, design_info
from ragstats.models.groups import Grouping, encode_groups


@dataclass(frozen=True)
class Roles:
    """The columns beside the formula's: keys of every sum, in this order.

    Attributes
    ----------
    groups : str
    by : tuple of str
        Cells within which a document counts once (macro).
    unit : str or None
        The documents, where groups are coarser (macro).
    """

    groups: str
    by: tuple[str, ...] = ()
    unit: str | None = None

    @property
    def arguments(self) -> dict[str, str]:
        """Return argument → column, for errors and for the order of the keys."""
        named = {"groups": self.groups}
        if self.unit is not None:
            named["unit"] = self.unit
        return named | {f"by{i or ''}": column for i, column in enumerate(self.by)}


@dataclass(frozen=True)
class Problem:
    """A regression on sums: everything that the core needs.

    Attributes
    ----------
    sums : CellSums
    design : CellDesign
    info : patsy.DesignInfo
    grouping : Grouping
        Without the codes of rows.
    weights : ndarray (L,) or None
        1/n(unit, by) for macro.
    """

    sums: CellSums
    design: CellDesign
    info: Any
    grouping: Grouping
    weights: Floats | None = field(default=None)


def problem(
    gathered: Gathered,
    roles: Roles,
    n_values: int,
    *,
    macro: bool,
    terms: Terms | None,
    design: CellDesign | None,
    info: Any,
    env: Any,
    declared: Mapping[str, Sequence[Any]],
    schema: Mapping[str, Any],
) -> Problem:
    """Turn a table of sums into a regression.

    Parameters
    ----------
    gathered : Gathered
    roles : Roles
        What the first keys are; those after them are the terms' levels.
    n_values : int
        The number of values that were summed, the outcome among them.
    macro : bool
        Whether documents count once.
    terms : Terms or None
        The terms of the formula, or None with the ``design`` and its ``info`` from patsy.
    env, declared, schema
        The caller's names, declared levels by column, and the columns' dtypes.

    Raises
    ------
    DataError
        For missing ids, fewer than two documents, no complete row, or undeclared levels.
    """
    n_rows, table = gathered.n_given, gathered.release()
    if pc.min(table[KEPT]).as_py() == 0:
        table = table.filter(pc.greater(table[KEPT], 0))
    if not table.num_rows:
        reasons = ", ".join(f"{plural(n, 'row')} with {why}" for why, n in gathered.dropped.items())
        raise DataError(f"data: none of the {plural(n_rows, 'row')} is complete ({reasons})")
    coded = [
        encode(table[key(i)], _missing(argument, table))
        for i, argument in enumerate(roles.arguments)
    ]
    grouping = encode_groups(pd.Series(coded[0].values, name=roles.groups))
    codes = grouping.codes[coded[0].codes]
    weights = _macro_weights(table, codes, coded[1:], roles) if macro else None
    if terms is None:
        assert design is not None
        cells = np.zeros(len(codes), np.intp)
    else:
        factors = {
            code: encode(table[key(len(coded) + i)], _missing(code, table))
            for i, code in enumerate(terms.keys)
        }
        info, levels = _levels(terms, factors, env, declared, schema)
        cells, at = _cells(levels, len(codes))
        design = cell_design(terms, info, {code: values[at] for code, values in levels.items()})
    order = np.lexsort((codes, cells))
    columns = {name: table[name] for name in table.column_names}
    del table
    sums = CellSums(
        ids=grouping.ids,
        codes=codes[order],
        cells=cells[order],
        products=products_of(columns, n_values, order),
        shift=np.concatenate([[0.0], gathered.units.shift]),
        scale=np.concatenate([[1.0], gathered.units.scale]),
    )
    grouping = Grouping(np.empty(0, np.intp), grouping.ids, roles.groups)
    return Problem(sums, design, info, grouping, None if weights is None else weights[order])


def _missing(argument: str, table: pa.Table) -> Any:
    """Return what makes the error for missing keys."""

    def error(absent: np.ndarray) -> DataError:
        rows = table[KEPT].to_numpy()
        count, total = int(rows[absent].sum()), int(rows.sum())
        if argument == "groups":
            return DataError(
                f"groups: {count} missing document ids in {plural(total, 'row')}; drop those rows"
                " or give them their document (a missing id is not a document of its own)"
            )
        return DataError(f"{argument}: {count} missing values in {plural(total, 'row')}")

    return error


def _macro_weights(table: pa.Table, groups: Codes, keys: Sequence[Coded], roles: Roles) -> Floats:
    """Return 1/n(unit, by) for each row of sums."""
    keys = list(keys)
    unit = keys.pop(0).codes if roles.unit is not None else groups
    combined = unit.astype(np.int64)
    for other in keys:
        combined = combined * len(other.values) + other.codes
        combined = np.unique(combined, return_inverse=True)[1]
    index = np.unique(combined, return_inverse=True)[1]
    counts = np.bincount(index, weights=table[KEPT].to_numpy())
    return np.asarray(1.0 / counts[index])


def _levels(
    terms: Terms,
    factors: Mapping[str, Coded],
    env: Any,
    declared: Mapping[str, Sequence[Any]],
    schema: Mapping[str, Any],
) -> tuple[Any, dict[str, Codes]]:
    """Return patsy's design, and the level of each factor in each row of sums."""
    levels: dict[str, list[Any]] = {}
    ordered: dict[str, bool] = {}
    for code, expression in terms.keys.items():
        found = [_python(v) for v in factors[code].values]
        (name,) = expression.columns if len(expression.columns) == 1 else (code,)
        if name in declared:
            levels[code] = list(declared[name])
            unknown = next((v for v in found if v not in levels[code]), None)
            if unknown is not None:
                raise unseen_level(name, unknown, levels[code])
        else:
            levels[code] = _in_order(schema.get(name), found)
        ordered[code] = name in declared or isinstance(schema.get(name), nw.Enum)
    info = design_info(terms, levels, ordered, env)
    index = {}
    for factor, (code, _) in terms.categorical.items():
        categories = [_python(c) for c in info.factor_infos[factor].categories]
        place = {value: i for i, value in enumerate(categories)}
        for value in map(_python, factors[code].values):
            if value not in place:
                raise unseen_level(code, value, categories)
        index[code] = np.array([place[_python(v)] for v in factors[code].values], np.intp)
    return info, {code: index[code][factors[code].codes] for code in index}


def _in_order(dtype: Any, found: Sequence[Any]) -> list[Any]:
    """Return the levels that occur, in the order that a column's type gives where it gives one."""
    if not isinstance(dtype, nw.Enum):
        return list(found)
    known = [level for level in dtype.categories if level in found]
    return known + sorted(level for level in found if level not in known)


def _python(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _cells(levels: Mapping[str, Codes], n_rows: int) -> tuple[Codes, Codes]:
    """Return the cell of each row of sums, and a row of each cell."""
    combined, at = np.zeros(n_rows, np.intp), np.zeros(1, np.intp)
    for codes in levels.values():
        pairs = combined * (int(codes.max()) + 1) + codes
        _, at, combined = np.unique(pairs, return_index=True, return_inverse=True)
    return combined.astype(np.intp), at
