"""Terms must be functions of single rows where rows come in batches.

``x - x.mean()`` of one batch is another number than of all rows. A factor is therefore evaluated
once more on some rows of its batch in reversed order, and on these behind rows of the first batch:
where a value changes with the rows beside it, the factor is refused by name.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

#: Rows of each batch that are evaluated once more.
ROWS = 1000
#: Differences up to this share of the largest value are rounding.
ROUNDING = 1e-9


class RowsAlone:
    """A check that every factor of some designs is a function of single rows.

    Parameters
    ----------
    designs : sequence of patsy.DesignInfo
        Whose stateful transforms know all rows.
    """

    def __init__(self, designs: Sequence[Any]):
        infos = [info for design in designs for info in design.factor_infos.values()]
        self._factors = {info.factor.name(): info for info in infos}
        self._first: pd.DataFrame | None = None
        self._batch = 0

    def check(self, batch: pd.DataFrame) -> None:
        """Check some batches: the first, the second, the fourth and so on.

        Raises
        ------
        ValueError
            For a factor whose values depend on other rows.
        """
        self._batch += 1
        if self._batch & (self._batch - 1):
            return
        for name, info in self._factors.items():
            whole = _values(info, batch)
            if whole is None:
                continue  # patsy will say why
            for rows, place in self._parts(batch):
                if not _same(_values(info, rows), whole, place):
                    raise depends_on_other_rows(name)
        if self._first is None:
            self._first = batch.iloc[:ROWS]

    def _parts(self, batch: pd.DataFrame) -> Iterator[tuple[pd.DataFrame, np.ndarray]]:
        """Iterate over rows to evaluate, and the row of the batch at each of them (-1: of none)."""
        place = np.arange(len(batch))[: -ROWS - 1 : -1]
        reversed_rows = batch.iloc[place].reset_index(drop=True)
        if len(batch) > 1:
            half = (len(place) + 1) // 2
            yield reversed_rows.iloc[:half], place[:half]
        if self._first is not None and _alike(self._first, reversed_rows):
            joined = pd.concat([self._first, reversed_rows], ignore_index=True)
            yield joined, np.concatenate([np.full(len(self._first), -1), place])


def depends_on_other_rows(code: str) -> ValueError:
    """Return the error for a factor that is no function of single rows."""
    return ValueError(
        f"formula: {code} depends on other rows than its own, and this source is read in batches;"
        " compute it as a column first, or use patsy's center(), standardize() or bs(), which see"
        " all rows"
    )


def _alike(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Whether columns keep their types when the rows stand in one frame."""
    return list(first.dtypes) == list(second.dtypes)


def _values(info: Any, rows: pd.DataFrame) -> np.ndarray | None:
    """Return a factor's values (rows, …); None where they cannot be had."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = info.factor.eval(info.state, rows)
    except Exception:
        return None
    # patsy's C() returns its argument in a box
    boxed = type(found).__name__ == "_CategoricalBox"
    return np.asarray(found.data if boxed else found)


def _same(values: np.ndarray | None, whole: np.ndarray, place: np.ndarray) -> bool:
    """Whether rows that were evaluated among others have the values that they had before."""
    if values is None:
        return False
    if values.ndim and whole.ndim and len(values) == len(place):
        values, whole = values[place >= 0], whole[place[place >= 0]]
    if values.shape != whole.shape:
        return False
    if values.dtype.kind in "fiub" and whole.dtype.kind in "fiub":
        got, expected = values.astype(float), whole.astype(float)
        size = float(np.max(np.abs(expected[np.isfinite(expected)]), initial=0.0))
        atol = ROUNDING * size
        return bool(np.allclose(got, expected, rtol=ROUNDING, atol=atol, equal_nan=True))
    missing = pd.isna(values) & pd.isna(whole)
    return bool(np.all(missing | (values == whole)))
