"""One size grows at a time, from N = 200,000 rows in K = 10,000 documents with p = 4 columns.

A fit is CR2 with Satterthwaite df unless a class says otherwise. Peak memory is that of the
process: Python with its imports, the data, and the fit. The rows are made by another process.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from peers.data import Case, Rows, read, rows, write

import ragstats as rs

N, K, P = 200_000, 10_000, 4
BATCH = 50_000
#: Seconds for one class on a busy machine.
TIMEOUT = 600
NAMES = [f"x{j}" for j in range(1, P)]


def store(n_rows: int = N, n_groups: int = K, n_columns: int = P) -> Path:
    """Write rows to a folder of the current one, and return it."""
    data = rows(Case(n_rows, n_groups))
    more = np.random.default_rng(n_columns).normal(size=(n_rows, max(n_columns - P, 0)))
    design = np.column_stack([data.design, more])[:, :n_columns]
    folder = Path.cwd() / f"{n_rows}-{n_groups}-{n_columns}"
    return write(Rows(data.outcome, design, data.groups), folder)


def warm() -> None:
    """Fit a few rows, so that imports are not timed."""
    fit(rows(Case(1_000, 50)))


def fit(data: Rows, cov_type: str = "CR2") -> Any:
    result = rs.OLS(data.outcome, data.design, groups=data.groups).fit(cov_type=cov_type)
    return result, result.bse, result.df_inference


class _Grows:
    """One size grows; asv takes the names of what it measures from the methods."""

    timeout = TIMEOUT

    def setup(self, folders: dict[int, Path], size: int) -> None:
        warm()
        self.data = read(folders[size])

    def time_fit(self, folders: dict[int, Path], size: int) -> None:
        fit(self.data)

    peakmem_fit = time_fit


class WithRows(_Grows):
    """N grows."""

    params = (100_000, 200_000, 400_000, 800_000)
    param_names = ("N",)

    def setup_cache(self) -> dict[int, Path]:
        return {n: store(n_rows=n) for n in self.params}


class WithDocuments(_Grows):
    """K grows; the joint test is of the three slopes."""

    params = (1_000, 10_000, 50_000, 100_000)
    param_names = ("K",)

    def setup_cache(self) -> dict[int, Path]:
        return {k: store(n_groups=k) for k in self.params}

    def setup(self, folders: dict[int, Path], k: int) -> None:
        self.data = read(folders[k])
        self.result = fit(self.data)[0]
        self.slopes = np.eye(P)[1:]

    def time_joint_test(self, folders: dict[int, Path], k: int) -> None:
        self.result.wald_test(self.slopes, test="AHT")

    peakmem_joint_test = time_joint_test


class WithColumns(_Grows):
    """p grows."""

    params = (1, 2, 4, 8, 16)
    param_names = ("p",)

    def setup_cache(self) -> dict[int, Path]:
        return {p: store(n_columns=p) for p in self.params}


class OfTypes:
    """The covariance types."""

    timeout = TIMEOUT
    params = ("CR0", "CR1", "CR2", "CR3")
    param_names = ("covariance",)

    def setup_cache(self) -> Path:
        return store()

    def setup(self, folder: Path, cov_type: str) -> None:
        warm()
        self.data = read(folder)

    def time_fit(self, folder: Path, cov_type: str) -> None:
        fit(self.data, cov_type)

    peakmem_fit = time_fit


class FromSources:
    """Arrays, and a formula on a frame, on batches of 50,000 rows, on a Parquet file (DuckDB)."""

    timeout = TIMEOUT
    params = (("arrays", "frame", "batches", "parquet"), (100_000, 400_000))
    param_names = ("source", "N")

    def setup_cache(self) -> dict[int, Path]:
        folders = {n: store(n_rows=n) for n in self.params[1]}
        folders[0] = store(n_rows=1_000, n_groups=50)
        for folder in folders.values():
            _frame(read(folder)).to_parquet(folder / "rows.parquet")
        return folders

    def setup(self, folders: dict[int, Path], source: str, n: int) -> None:
        self.load(folders[0], source)
        self.time_fit(folders, source, n)
        self.load(folders[n], source)

    def load(self, folder: Path, source: str) -> None:
        if source == "parquet":
            self.data: Any = str(folder / "rows.parquet")
        else:
            data = read(folder)
            self.data = data if source == "arrays" else _frame(data)

    def time_fit(self, folders: dict[int, Path], source: str, n: int) -> None:
        data = self.data
        if source == "arrays":
            fit(data)
            return
        if source == "batches":
            data = (self.data[i : i + BATCH] for i in range(0, len(self.data), BATCH))
        result = rs.ols(f"y ~ {' + '.join(NAMES)}", data, groups="doc").fit()
        _ = result.bse, result.df_inference

    peakmem_fit = time_fit


def _frame(data: Rows) -> pd.DataFrame:
    columns = dict(zip(NAMES, data.design.T[1:], strict=True))
    return pd.DataFrame({"y": data.outcome, **columns, "doc": data.groups})
