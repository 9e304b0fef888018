"""Micro or macro: how many times each row counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragstats.checks import one_of
from ragstats.core.segments import Floats
from ragstats.exceptions import DataError, plural

#: What each mean is the mean of.
MEANING = {"micro": "a random chunk", "macro": "a typical document"}

ESTIMANDS = {
    "micro": f"{MEANING['micro']}: every row counts once",
    "macro": f"{MEANING['macro']}: every document counts once",
}


def check_estimand(estimand: str) -> str:
    """Return the estimand's name, or raise the error that lists the names."""
    return one_of("estimand", estimand, ESTIMANDS)


def macro_weights(unit: np.ndarray, by: Sequence[np.ndarray] = ()) -> Floats:
    """Return ``1 / n(unit, by)`` for each row, so that every document counts once in each cell.

    Parameters
    ----------
    unit : ndarray (N,)
        The document of each row.
    by : sequence of ndarray (N,)
        Cells within which a document counts once, for instance the system.

    Raises
    ------
    DataError
        If a unit or a cell is missing.
    """
    key = np.zeros(len(unit), np.int64)
    for name, labels in [("unit", unit), *(("by", b) for b in by)]:
        codes, levels = pd.factorize(pd.Series(labels))
        if (codes < 0).any():
            raise DataError(
                f"{name}: {int((codes < 0).sum())} missing values in {plural(len(codes), 'row')}"
            )
        key = key * len(levels) + codes
        key = pd.factorize(key)[0].astype(np.int64)
    return np.asarray(1.0 / np.bincount(key)[key])
