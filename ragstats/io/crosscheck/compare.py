"""R's answer beside ours, with relative differences and a verdict."""

from __future__ import annotations

import shutil
import subprocess
import textwrap
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragstats.exceptions import DataError, RagstatsWarning
from ragstats.io.crosscheck.script import ANSWER, COLUMNS, JOINT, SCRIPT, to_clubsandwich

#: Two programs that solve the same equations differ by rounding; GLM fits stop a little earlier.
TOLERANCE = 1e-7

_COMPARED = ("estimate", "se", "df", "p", "low", "high")


@dataclass(frozen=True, repr=False)
class CrossCheck:
    """Our numbers beside R's.

    Attributes
    ----------
    table : DataFrame
        One row per coefficient and quantity: ``ours``, ``R``, ``difference`` (relative).
    tolerance : float
        The largest relative difference that counts as agreement.
    notes : tuple of str
        Known differences between the programs that may show here.
    """

    table: pd.DataFrame
    tolerance: float
    notes: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether every number agrees within the tolerance (both NaN agree)."""
        return bool((self.table["difference"] <= self.tolerance).all())

    @property
    def largest(self) -> float:
        """The largest relative difference."""
        return float(self.table["difference"].max())

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<CrossCheck: {self._verdict()}>"

    def _verdict(self) -> str:
        """Say how many numbers agree, and how well."""
        verdict = "agree" if self.agrees else "DISAGREE"
        return (
            f"{len(self.table)} numbers {verdict}: largest relative difference {self.largest:.1e},"
            f" tolerance {self.tolerance:.0e}"
        )

    def summary(self) -> str:
        """Return the table and the verdict as text of at most 80 columns."""
        shown = self.table.copy()
        shown["ours"] = [f"{v:.10g}" for v in shown["ours"]]
        shown["R"] = [f"{v:.10g}" for v in shown["R"]]
        shown["difference"] = [f"{v:.1e}" for v in shown["difference"]]
        said = [self._verdict(), *(f"Note: {note}" for note in self.notes)]
        lines = [line for s in said for line in textwrap.wrap(s, 80, subsequent_indent="  ")]
        return "\n".join([shown.to_string(), *lines])


def compare_clubsandwich(
    results: Any, directory: str | Path, *, tolerance: float = TOLERANCE, run: bool = False
) -> CrossCheck:
    """Compare a fit with the answer of R clubSandwich.

    Parameters
    ----------
    results : OLSResults, WLSResults or GLMResults
        The fit that was written with ``to_clubsandwich``.
    directory : path
        Where R's ``out.csv`` is.
    tolerance : float
        The largest relative difference that counts as agreement.
    run : bool
        Write the script and run it with Rscript first.

    Returns
    -------
    CrossCheck

    Raises
    ------
    DataError
        If R's answer is not there, is of another fit, or R fails.
    """
    directory = Path(directory)
    if run:
        to_clubsandwich(results, directory)
        run_script(directory)
    answer = _read(directory / ANSWER)
    terms = pd.read_csv(directory / COLUMNS).set_index("column")["term"]
    names = list(results.model.exog_names)
    if list(terms) != names or list(answer["column"]) != list(terms.index):
        raise DataError(
            f"directory={str(directory)!r} holds another fit: its terms are {list(terms)}"
        )
    ours, theirs = _ours(results), answer.set_index("column")
    rows: dict[tuple[str, str], tuple[float, float]] = {}
    for position, name in enumerate(names):
        for quantity in _COMPARED:
            value = float(theirs[quantity].iloc[position])
            if not (quantity == "df" and np.isnan(value)):
                rows[(name, quantity)] = (float(ours[quantity].iloc[position]), value)
    rows |= _joint(results, directory)
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["ours", "R"])
    table.index = pd.MultiIndex.from_tuples(list(rows), names=["term", "quantity"])
    scale = _scales(table)
    table["difference"] = _relative(table["ours"].to_numpy(), table["R"].to_numpy(), scale)
    return CrossCheck(table, tolerance, _notes(results))


def run_script(directory: str | Path) -> str:
    """Run ``check.R`` with Rscript in its directory, and return what R printed.

    Raises
    ------
    DataError
        If Rscript is not installed, or R stops with an error.
    """
    program = shutil.which("Rscript")
    if program is None:
        raise DataError(
            "Rscript is not installed: install R with the package clubSandwich (Debian: r-base-core"
            " r-cran-clubsandwich), or run check.R where it is"
        )
    done = subprocess.run(
        [program, SCRIPT], cwd=directory, capture_output=True, text=True, check=False
    )
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.strip()]
        raise DataError(f"R stopped: {' '.join(errors[-2:]) or 'without a message'}")
    return done.stdout


def _read(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise DataError(f"directory: {path.name} is not there; run Rscript {SCRIPT} in it first")
    return pd.read_csv(path)


def _ours(results: Any) -> pd.DataFrame:
    interval = np.asarray(results.conf_int())
    return pd.DataFrame(
        {
            "estimate": np.asarray(results.params),
            "se": np.asarray(results.bse),
            "df": np.asarray(results.df_inference),
            "p": np.asarray(results.pvalues),
            "low": interval[:, 0],
            "high": interval[:, 1],
        },
        index=list(results.model.exog_names),
    )


def _joint(results: Any, directory: Path) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the joint test of all coefficients but the constant, where R has one."""
    path = directory / JOINT
    if not path.is_file():
        return {}
    theirs = pd.read_csv(path).iloc[0]
    identity = np.eye(len(results.params))
    keep = [j for j in range(len(identity)) if j != results.model.data.const_idx]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagstatsWarning)
        test = results.wald_test(identity[keep])
    if test.reason:
        return {}  # ours is NaN with a reason, which the notes repeat
    ours = {
        "statistic": test.statistic,
        "df_num": test.df_num,
        "df_denom": test.df_denom,
        "p": test.pvalue,
    }
    return {
        ("all slopes (AHT)", name): (float(np.squeeze(value)), float(theirs[name]))
        for name, value in ours.items()
        if not (np.isnan(float(np.squeeze(value))) and pd.isna(theirs[name]))
    }


def _scales(table: pd.DataFrame) -> np.ndarray:
    """Return what a difference is relative to: the number, and for limits the interval's width.

    A limit, or an estimate, near 0 has no digits of its own to agree in.
    """
    scale = table["R"].abs().to_numpy().copy()
    for i, (term, quantity) in enumerate(table.index):
        if quantity in ("low", "high", "estimate"):
            scale[i] = max(scale[i], abs(table.loc[(term, "se"), "R"]))
        if quantity == "p":
            scale[i] = max(scale[i], 1e-12)
    return scale


def _relative(ours: np.ndarray, theirs: np.ndarray, scale: np.ndarray) -> np.ndarray:
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):  # infinite df on both sides are the same
        difference = np.abs(ours - theirs) / np.where(scale > 0, scale, 1.0)
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, difference))


def _notes(results: Any) -> tuple[str, ...]:
    """Return the known differences between the programs that may arise for this fit."""
    notes = []
    inference = results._inference
    name = inference.adjustment.name
    if name in ("CR1", "CR1S"):
        notes.append(
            "CR1 is K/(K-1) in both; Stata and statsmodels' cov_type='cluster' are CR1S, which also"
            " has (N-1)/(N-p)"
        )
    if name == "CR3" and inference.parts.singular:
        notes.append(
            "CR3 with a document of leverage 1: clubSandwich stops or returns rounding noise;"
            " ragstats takes the pseudo-inverse, the jackknife of what stays estimable"
        )
    if name in ("CR1p", "CR1S") and results.absorbed:
        notes.append(
            "CR1p and CR1S count parameters, and R's fit has the absorbed effects as columns"
        )
    if results.model._design.condition > 1e5:
        notes.append(
            "the columns differ much in scale: clubSandwich inverts X'X with an absolute tolerance"
            " of 1e-12 and may lose digits that ragstats keeps"
        )
    return tuple(notes)
