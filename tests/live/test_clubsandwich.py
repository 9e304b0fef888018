"""Live round trip with R: fit, write the script, run it, compare."""

import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import ragstats as rs
from ragstats.io.crosscheck import compare_clubsandwich, to_clubsandwich

RSCRIPT = shutil.which("Rscript")


def has_clubsandwich():
    if RSCRIPT is None:
        return False
    probe = [RSCRIPT, "-e", 'quit(status = !requireNamespace("clubSandwich", quietly = TRUE))']
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


needs_r = pytest.mark.skipif(not has_clubsandwich(), reason="R with clubSandwich is not installed")


def rows(seed=4):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 14, 12)
    doc = np.repeat([f"d{i}" for i in range(12)], sizes)
    query = np.arange(len(doc))
    table = pd.concat(
        pd.DataFrame({"doc": doc, "query": query, "system": s}) for s in ("base", "B 2", 'odd"name')
    ).reset_index(drop=True)
    effects = dict(zip(np.unique(doc), rng.normal(size=12), strict=True))
    table["length of text"] = rng.gamma(3.0, 2.0, len(table))
    table["length"] = table["length of text"]
    table["w"] = rng.uniform(0.5, 3.0, len(table))
    eta = table["doc"].map(effects) + 0.3 * (table["system"] != "base")
    table["rr"] = eta + rng.normal(size=len(table))
    table["hit"] = (rng.random(len(table)) < 1 / (1 + np.exp(-eta))).astype(float)
    table["count"] = rng.poisson(np.exp(0.3 * eta))
    table["trials"] = rng.integers(2, 9, len(table))
    table["share"] = rng.binomial(table["trials"], 1 / (1 + np.exp(-eta))) / table["trials"]
    table["latency"] = np.exp(eta * 0.2) * rng.gamma(4.0, 0.25, len(table))
    return table


BINOMIAL, POISSON = sm.families.Binomial(), sm.families.Poisson()
GAMMA = sm.families.Gamma(link=sm.families.links.Log())
BY_DOC = {"groups": "doc"}

MODELS = {
    "mean": lambda d: rs.ols("rr ~ 1", d, **BY_DOC),
    "three systems": lambda d: rs.ols("rr ~ system", d, **BY_DOC),
    "no constant, awkward names": lambda d: rs.ols(
        'rr ~ 0 + system + Q("length of text")', d, **BY_DOC
    ),
    "covariates and an interaction": lambda d: rs.ols("rr ~ system * np.log(length)", d, **BY_DOC),
    "document dummies": lambda d: rs.ols("rr ~ system + length + doc", d, **BY_DOC),
    "macro": lambda d: rs.ols("hit ~ system", d, estimand="macro", by="system", **BY_DOC),
    "sampling weights": lambda d: rs.wls("rr ~ system + length", d, weights="w", **BY_DOC),
    "inverse-variance weights": lambda d: rs.wls(
        "rr ~ system + length", d, weights="w", working="inverse_var", **BY_DOC
    ),
    "logit": lambda d: rs.glm("hit ~ system + length", d, family=BINOMIAL, **BY_DOC),
    "proportions with trials": lambda d: rs.glm(
        "share ~ system", d, family=BINOMIAL, var_weights="trials", **BY_DOC
    ),
    "Poisson with offset": lambda d: rs.glm(
        "count ~ system", d, family=POISSON, offset=np.log(d["length"]), **BY_DOC
    ),
    "Gamma with log link": lambda d: rs.glm("latency ~ system", d, family=GAMMA, **BY_DOC),
    "absorbed queries": lambda d: rs.ols("rr ~ system + length", d, absorb=["query"], **BY_DOC),
    "absorbed effects that cross documents": lambda d: rs.ols(
        "rr ~ length", d, absorb=["system", "query"], **BY_DOC
    ),
}


def fitted(name, **options):
    import warnings

    with warnings.catch_warnings():
        # Document dummies rest on their documents: that is what this model is about.
        warnings.filterwarnings("ignore", message="cannot be estimated without one document")
        return MODELS[name](rows()).fit(**options)


@needs_r
@pytest.mark.parametrize("name", MODELS)
def test_round_trip(name, tmp_path):
    check = compare_clubsandwich(fitted(name), tmp_path, run=True)
    # The tolerance is the product's own, 1e-7; what is seen is near 1e-11.
    assert check.agrees, check.summary()
    assert len(check.table) >= 6


@needs_r
@pytest.mark.parametrize("cov_type", ["CR0", "CR1", "CR1p", "CR1S", "CR3"])
def test_every_covariance_type(cov_type, tmp_path):
    check = compare_clubsandwich(
        fitted("covariates and an interaction", cov_type=cov_type), tmp_path, run=True
    )
    assert check.agrees, check.summary()


@needs_r
@pytest.mark.parametrize("df", ["K-1", "K-p", "normal"])
def test_every_df_rule(df, tmp_path):
    check = compare_clubsandwich(fitted("three systems", df=df), tmp_path, run=True)
    assert check.agrees, check.summary()


@needs_r
def test_another_fit_is_told_from_this_one(tmp_path):
    compare_clubsandwich(fitted("three systems"), tmp_path, run=True)
    with pytest.raises(rs.DataError, match="holds another fit"):
        compare_clubsandwich(fitted("mean"), tmp_path)
    changed = MODELS["three systems"](rows(seed=5)).fit()
    assert not compare_clubsandwich(changed, tmp_path).agrees


def test_what_clubsandwich_does_not_have(tmp_path):
    with pytest.raises(rs.DataError, match="df='IK' is not offered by clubSandwich"):
        to_clubsandwich(fitted("mean", df="IK"), tmp_path)
    with pytest.raises(rs.DataError, match="the rows, which were not kept"):
        to_clubsandwich(rs.micro_mean("rr", rows(), groups="doc").regression, tmp_path)
    assert fitted("mean").to_clubsandwich(tmp_path / "mean").read_text().startswith("# Cross-check")
    with pytest.raises(rs.DataError, match=r"out.csv is not there; run Rscript check.R"):
        compare_clubsandwich(fitted("mean"), tmp_path)
