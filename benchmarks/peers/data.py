"""Rows in documents, and the files through which every peer reads the same ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

#: Columns of the design: a constant, an indicator, two covariates.
NAMES = ("const", "x1", "x2", "x3")


@dataclass(frozen=True, slots=True)
class Case:
    """A size: N rows in K documents, of equal sizes or of sizes with a long tail."""

    n_rows: int
    n_groups: int
    equal: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """Outcome (N,), design (N, p) and document (N,) of each row."""

    outcome: np.ndarray
    design: np.ndarray
    groups: np.ndarray

    @property
    def largest(self) -> int:
        """The size of the largest document."""
        return int(np.bincount(self.groups).max())


def rows(case: Case) -> Rows:
    """Return rows whose errors are correlated within documents; each case has its own seed."""
    n_rows, n_groups = case.n_rows, case.n_groups
    rng = np.random.default_rng(n_rows + n_groups)
    if case.equal:
        groups = np.arange(n_rows) * n_groups // n_rows
    else:
        weights = rng.pareto(1.5, n_groups) + 0.2
        groups = rng.choice(n_groups, n_rows, p=weights / weights.sum())
        groups[:n_groups] = np.arange(n_groups)
        groups.sort()
    design = np.column_stack(
        [np.ones(n_rows), rng.integers(0, 2, n_rows), rng.normal(size=(n_rows, 2))]
    )
    effects = rng.normal(size=n_groups)
    outcome = design @ [0.3, 0.1, 0.2, 0.0] + effects[groups] + rng.normal(size=n_rows)
    return Rows(outcome, design, groups)


def write(data: Rows, folder: Path) -> Path:
    """Write rows as plain binary columns, which NumPy and R read without parsing."""
    folder.mkdir(parents=True, exist_ok=True)
    data.outcome.tofile(folder / "outcome.bin")
    np.asfortranarray(data.design).T.tofile(folder / "design.bin")
    data.groups.astype(np.int32).tofile(folder / "groups.bin")
    size = {"rows": len(data.outcome), "columns": data.design.shape[1]}
    (folder / "size.json").write_text(json.dumps(size))
    return folder


def read(folder: Path) -> Rows:
    """Read what :func:`write` wrote; the design by rows, as it usually comes."""
    size = json.loads((folder / "size.json").read_text())
    columns = np.fromfile(folder / "design.bin").reshape(size["columns"], size["rows"])
    groups = np.fromfile(folder / "groups.bin", np.int32).astype(np.int64)
    return Rows(np.fromfile(folder / "outcome.bin"), np.ascontiguousarray(columns.T), groups)
