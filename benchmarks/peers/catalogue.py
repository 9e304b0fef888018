"""Who is compared: one row per program and task, and how its fit is called.

A ``prepare`` gets the rows and returns what is timed; imports are inside, so that a peer that is
not installed is told by name. Peers in R are in ``worker.R`` under the same keys.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from peers.data import NAMES, Rows

Fit = Callable[[], Any]

#: Replicates of the wild bootstrap.
REPLICATES = 999
ERRORS, JOINT, WILD = (
    "standard errors",
    "joint test of three coefficients",
    f"wild bootstrap of one coefficient, {REPLICATES} replicates",
)


@dataclass(frozen=True, slots=True)
class Peer:
    """One row of the comparison.

    Attributes
    ----------
    title : str
        What the table says.
    task : str
        Peers of one task are compared; the first of a task is the base of its ratios.
    packages : tuple of str
        Whose versions are recorded.
    runs : {"here", "there", "R"}
        In this Python, in the Python that has the peers, or in R.
    equals : str
        The numbers of ragstats that it must give, a key of ``agreement.REFERENCES``.
    prepare, values : callable
        What is timed, from the rows; the numbers, from what was timed. Peers in R have none.
    traced : bool
        Whether allocations are traced too.
    """

    title: str
    task: str
    packages: tuple[str, ...]
    runs: str
    equals: str
    prepare: Callable[[Rows], Fit] | None = None
    values: Callable[[Any], dict[str, Any]] | None = None
    traced: bool = False


def _frame(data: Rows) -> Any:
    import pandas as pd

    columns = dict(zip(NAMES[1:], data.design.T[1:], strict=True))
    return pd.DataFrame({"y": data.outcome, **columns, "doc": data.groups})


FORMULA = f"y ~ {' + '.join(NAMES[1:])}"


# --- ragstats ------------------------------------------------------------------------------------


def _ragstats(data: Rows, **options: Any) -> Any:
    import ragstats as rs

    result = rs.OLS(data.outcome, data.design, groups=data.groups).fit(**options)
    return result, np.column_stack([result.bse, result.df_inference])


def ragstats_cr2(data: Rows) -> Fit:
    return lambda: _ragstats(data, cov_type="CR2", df="satterthwaite")[1]


def ragstats_ik(data: Rows) -> Fit:
    return lambda: _ragstats(data, cov_type="CR2", df="IK")[1]


def ragstats_cr3(data: Rows) -> Fit:
    return lambda: _ragstats(data, cov_type="CR3", df="satterthwaite")[1]


def ragstats_formula(data: Rows) -> Fit:
    import ragstats as rs

    frame = _frame(data)

    def fit() -> Any:
        result = rs.ols(FORMULA, frame, groups="doc").fit()
        return np.column_stack([result.bse, result.df_inference])

    return fit


def ragstats_joint(data: Rows) -> Fit:
    rows = np.eye(len(NAMES))[1:]
    return lambda: _ragstats(data)[0].wald_test(rows, test="AHT")


def ragstats_wild(data: Rows) -> Fit:
    import ragstats as rs

    row = np.eye(len(NAMES))[-1]
    return lambda: rs.wild_bootstrap(_ragstats(data)[0], row, n_boot=REPLICATES, seed=1)


def errors_and_df(table: np.ndarray) -> dict[str, Any]:
    return {"se": table[:, 0].tolist(), "df": table[:, 1].tolist()}


def joint(test: Any) -> dict[str, Any]:
    return {"F": float(test.statistic), "df": float(test.df_denom)}


# --- other packages of Python --------------------------------------------------------------------


def statsmodels_cr1(data: Rows) -> Fit:
    import statsmodels.api as sm

    def fit() -> Any:
        model = sm.OLS(data.outcome, data.design)
        return model.fit(cov_type="cluster", cov_kwds={"groups": data.groups}).bse

    return fit


def _pyfixest(kind: str) -> Callable[[Rows], Fit]:
    def prepare(data: Rows) -> Fit:
        import pyfixest

        frame = _frame(data)
        return lambda: pyfixest.feols(FORMULA, frame, vcov={kind: "doc"}).se()

    return prepare


def wildboottest_wcr(data: Rows) -> Fit:
    import statsmodels.api as sm
    from wildboottest.wildboottest import wildboottest

    def fit() -> Any:
        return wildboottest(
            sm.OLS(data.outcome, data.design), param="x3", cluster=data.groups, B=REPLICATES,
            weights_type="rademacher", bootstrap_type="11", seed=1, show=False,
        )  # fmt: skip

    return fit


def errors(values: Any) -> dict[str, Any]:
    return {"se": np.asarray(values, float).tolist()}


PEERS = {
    "ragstats": Peer("ragstats CR2 + df", ERRORS, ("ragstats", "numpy", "scipy"), "here", "CR2",
                     ragstats_cr2, errors_and_df, traced=True),
    "ragstats-formula": Peer("ragstats CR2 + df, formula and frame", ERRORS, ("ragstats",), "here",
                             "CR2", ragstats_formula, errors_and_df),
    "ragstats-ik": Peer("ragstats CR2 + IK df", ERRORS, ("ragstats",), "here", "CR2, IK",
                        ragstats_ik, errors_and_df),
    "ragstats-cr3": Peer("ragstats CR3 + df", ERRORS, ("ragstats",), "here", "CR3",
                         ragstats_cr3, errors_and_df),
    "statsmodels": Peer("statsmodels CR1", ERRORS, ("statsmodels",), "here", "CR1S",
                        statsmodels_cr1, errors, traced=True),
    "pyfixest": Peer("pyfixest CRV1", ERRORS, ("pyfixest", "numba"), "there", "CR1S",
                     _pyfixest("CRV1"), errors),
    "pyfixest-crv3": Peer("pyfixest CRV3", ERRORS, ("pyfixest", "numba"), "there", "CRV3",
                          _pyfixest("CRV3"), errors),
    "estimatr": Peer("estimatr CR2 + df (R)", ERRORS, ("estimatr",), "R", "CR2"),
    "clubsandwich": Peer("clubSandwich CR2 + df (R)", ERRORS, ("clubSandwich",), "R", "CR2"),
    "dense": Peer("dense BRL + IK df, in R", ERRORS, (), "R", "CR2, IK"),
    "ragstats-joint": Peer("ragstats AHT", JOINT, ("ragstats",), "here", "AHT",
                           ragstats_joint, joint),
    "clubsandwich-joint": Peer("clubSandwich HTZ (R)", JOINT, ("clubSandwich",), "R", "AHT"),
    "ragstats-wild": Peer("ragstats, p and interval", WILD, ("ragstats",), "here", "wild",
                          ragstats_wild, lambda test: {"p": float(test.pvalue)}),
    "wildboottest": Peer("wildboottest, p", WILD, ("wildboottest", "numba"), "there", "wild",
                         wildboottest_wcr, lambda table: {"p": float(table["p-value"].iloc[0])}),
}  # fmt: skip
