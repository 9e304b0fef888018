"""Whether the peers give the numbers of ragstats: what is timed must be the same thing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import sqrt
from typing import Any

import numpy as np

from peers.catalogue import PEERS, REPLICATES
from peers.data import NAMES, Rows
from peers.measure import Measurement

#: The largest relative difference of two correct programs here; seen are 1e-11 and less.
TOLERANCE = 1e-8
#: Two bootstraps with their own random numbers may differ by this many Monte Carlo errors.
MONTE_CARLO = 5


class References:
    """The numbers of ragstats on some rows, each computed when it is first needed."""

    def __init__(self, data: Rows):
        self.data = data
        self.of = cache(self._of)

    def _fit(self, **options: Any) -> dict[str, Any]:
        import ragstats as rs

        data = self.data
        r = rs.OLS(data.outcome, data.design, groups=data.groups).fit(**options)
        return {"se": np.asarray(r.bse), "df": np.asarray(r.df_inference), "result": r}

    def _of(self, name: str) -> dict[str, Any]:
        if name == "CR2, IK":
            return self._fit(df="IK")
        if name == "CRV3":  # pyfixest's default: CR3 with the factors that CR1S has
            (n, p), k = self.data.design.shape, self.data.groups.max() + 1
            factor = k / (k - 1) * (n - 1) / (n - p)
            return {"se": self._fit(cov_type="CR3")["se"] * sqrt(factor)}
        if name == "AHT":
            test = self._fit()["result"].wald_test(np.eye(len(NAMES))[1:], test="AHT")
            return {"F": test.statistic, "df": test.df_denom}
        if name == "wild":
            import ragstats as rs

            row = np.eye(len(NAMES))[-1]
            return {"p": rs.wild_bootstrap(self._fit()["result"], row, n_boot=9_999, seed=2).pvalue}
        return self._fit(cov_type=name)


def differences(found: Mapping[str, Measurement], references: Any) -> dict[str, dict[str, float]]:
    """Return the difference of each peer's numbers, relative to ragstats'.

    That of a p-value of the wild bootstrap is in Monte Carlo errors. Raise if one is too large.
    """
    all_of_them: dict[str, dict[str, float]] = {}
    for key, measurement in found.items():
        if measurement.status != "ok":
            continue
        ours = references.of(PEERS[key].equals)
        all_of_them[key] = {
            name: _difference(name, value, ours[name]) for name, value in measurement.values.items()
        }
    wrong = {
        f"{PEERS[key].title}, {name}": value
        for key, of_one in all_of_them.items()
        for name, value in of_one.items()
        if not value <= (MONTE_CARLO if name == "p" else TOLERANCE)
    }
    if wrong:
        raise AssertionError(f"the numbers differ from those of ragstats: {wrong}")
    return all_of_them


def _difference(name: str, theirs: Any, ours: Any) -> float:
    theirs, ours = np.asarray(theirs, float), np.asarray(ours, float)
    if theirs.shape != ours.shape:
        raise AssertionError(f"{name}: shapes {theirs.shape} and {ours.shape}")
    if name == "p":
        error = sqrt(ours * (1 - ours) / REPLICATES)
        return float(abs(theirs - ours) / max(error, 1 / REPLICATES))
    return float(np.max(np.abs(theirs / ours - 1)))
