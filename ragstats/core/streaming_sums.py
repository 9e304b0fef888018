"""Sums of products by document and cell, and the design in terms of what was summed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragstats.core.segments import Codes, Floats


@dataclass(frozen=True, slots=True)
class CellSums:
    """Sums of products by document and cell, the rows of one cell next to each other.

    The d = M + 2 quantities are 1, the M numeric columns and the outcome, each with its shift
    taken off and divided by its scale.

    Attributes
    ----------
    ids : ndarray (K,)
        The documents.
    codes : ndarray of int (L,)
        The document of each row of sums.
    cells : ndarray of int (L,)
        The cell of each row of sums, ascending; documents ascend within cells.
    products : ndarray (L, d(d+1)/2)
        Upper triangle of the sums of products, row by row; the first is the number of rows.
    shift, scale : ndarray (d,)
        Of the quantities; 0 and 1 for the constant.
    """

    ids: np.ndarray
    codes: Codes
    cells: Codes
    products: Floats
    shift: Floats
    scale: Floats

    @property
    def n_quantities(self) -> int:
        """The number of quantities, d."""
        return len(self.shift)

    def slices(self) -> list[tuple[int, slice]]:
        """Return the rows of each cell."""
        ends = np.flatnonzero(np.diff(self.cells, append=self.cells[-1:] + 1)) + 1
        starts = np.concatenate([[0], ends[:-1]])
        return [(int(self.cells[a]), slice(a, b)) for a, b in zip(starts, ends, strict=True)]


@dataclass(frozen=True, slots=True)
class CellDesign:
    """A design whose columns are a code of the cell times one numeric column.

    Attributes
    ----------
    names : tuple of str (p,)
        The columns.
    codes : ndarray (cells, p)
        The number of each cell in each column.
    numeric : ndarray of int (p,)
        The numeric column by which it is multiplied: 0 for none, else 1 … M.
    """

    names: tuple[str, ...]
    codes: Floats
    numeric: Codes


def upper_pairs(d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the upper triangle, row by row."""
    return np.triu_indices(d)
