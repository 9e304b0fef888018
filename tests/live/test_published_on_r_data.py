"""Published constants on data of R packages, which are read live and never stored here."""

import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import ragstats as rs

RSCRIPT = shutil.which("Rscript")


def from_r(package, name, tmp_path):
    """Return a data set of an R package, or skip."""
    if RSCRIPT is None:
        pytest.skip("R is not installed")
    path = tmp_path / "data.csv"
    code = (
        f'if (!requireNamespace("{package}", quietly = TRUE)) quit(status = 3); '
        f'data("{name}", package = "{package}"); write.csv({name}, "{path.name}", row.names = FALSE)'
    )
    done = subprocess.run(
        [RSCRIPT, "-e", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if done.returncode == 3:
        pytest.skip(f"the R package {package} is not installed")
    assert done.returncode == 0, done.stderr
    return pd.read_csv(path)


def test_mortality_rates(tmp_path):
    rows = from_r("clubSandwich", "MortalityRates", tmp_path)
    rows = rows[(rows["cause"] == "Motor Vehicle") & (rows["year"] <= 1983)]
    rows = rows.dropna(subset=["mrate", "legal", "beertaxa"])
    fit = rs.ols("mrate ~ legal + beertaxa", rows, groups="state", absorb=["state", "year"]).fit()
    assert len(rows) == 700
    # Published with nine digits of SE and six decimals of df.
    assert fit.bse.to_numpy() == pytest.approx([2.51308217, 5.26501612], rel=5e-9)
    assert fit.df_inference.to_numpy() == pytest.approx([24.578519, 5.768415], rel=1e-7)
    joint = fit.wald_test(np.eye(2))
    assert (round(float(joint.statistic), 2), round(float(joint.df_denom), 1)) == (5.67, 11.6)


def test_petersen_by_firm(tmp_path):
    rows = from_r("sandwich", "PetersenCL", tmp_path)
    fit = rs.ols("y ~ x", rows, groups="firm").fit()
    assert (len(rows), fit.n_groups) == (5000, 500)
    assert fit.bse.to_numpy() == pytest.approx([0.0670409372, 0.0506777667], rel=5e-9)
    assert fit.df_inference.to_numpy() == pytest.approx([498.67, 308.7564], rel=2e-6)
