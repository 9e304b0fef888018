"""Sessions that continuous integration runs, each in an environment of its own.

``nox -l`` lists them, ``nox -s tests docs`` runs some, and arguments after ``--`` go to the tool.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import nox

ROOT = Path(__file__).parent
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")["project"]

nox.options.sessions = ["tests", "docs", "wheel"]
nox.options.reuse_existing_virtualenvs = True

#: Extras of the package itself; those for tests and documents are always the newest.
EXTRAS = ("report", "parallel", "readers", "duckdb")


def lowest() -> list[str]:
    """Return the dependencies, with those of the extras, at their lower bounds."""
    wanted = list(PROJECT["dependencies"])
    for extra in EXTRAS:
        wanted += PROJECT["optional-dependencies"][extra]
    return [re.sub(r">=\s*", "==", name) for name in wanted if ">=" in name]


@nox.session
def tests(session: nox.Session) -> None:
    """Run the test suite and the doctests with the newest dependencies."""
    session.install("-e", ".[test]")
    session.run("pytest", "-q", "-n", "auto", *session.posargs)
    session.run("pytest", "-q", "--doctest-modules", "ragstats")


@nox.session
def minimum(session: nox.Session) -> None:
    """Run the test suite with the lowest supported version of each dependency."""
    session.install("-e", ".[test]", *lowest())
    session.run("python", "-m", "pip", "list", "--format=freeze")
    session.run("pytest", "-q", "-n", "auto", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site from nothing: every page executed, every warning an error."""
    session.install("-e", ".[docs]")
    for stale in ("docs/_build", "docs/api/generated"):
        shutil.rmtree(ROOT / stale, ignore_errors=True)
    options = session.posargs or ["-j", "2"]
    session.run("sphinx-build", "-W", "--keep-going", *options, "docs", "docs/_build/html")


@nox.session
def oracles(session: nox.Session) -> None:
    """Compare fits with R clubSandwich, live. Needs Rscript and the R package."""
    if shutil.which("Rscript") is None:
        session.error("Rscript is not installed (Debian: r-base-core r-cran-clubsandwich)")
    session.install("-e", ".[test]")
    session.run("pytest", "-q", "-rs", "tests/live", *session.posargs)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Run the benchmark scripts at small sizes; they fail when their numbers do not agree."""
    session.install("-e", ".[report,parallel]")
    for script, options in {
        "compare_peers.py": ["--quick", "--repeat", "3"],
        "bootstrap.py": ["--replicates", "999", "--naive", "10", "--repeat", "1"],
        "coverage_table.py": ["--replications", "500", "--n-boot", "199"],
        "stratify_by_size.py": ["--replications", "500"],
    }.items():
        session.run("python", f"benchmarks/{script}", *options)


@nox.session
@nox.parametrize("versions", ["newest", "lowest"])
def wheel(session: nox.Session, versions: str) -> None:
    """Build the wheel, and test it where there is no source tree."""
    work = Path(session.create_tmp()).resolve()
    for stale in work.iterdir():
        shutil.rmtree(stale) if stale.is_dir() else stale.unlink()
    shutil.rmtree(ROOT / "build", ignore_errors=True)  # modules that were deleted since
    session.install("build")
    session.run("python", "-m", "build", "-q", "--wheel", "--outdir", str(work / "dist"), str(ROOT))
    (built,) = (work / "dist").glob("*.whl")
    pinned = lowest() if versions == "lowest" else []
    session.install(f"{built}[test]", *pinned)
    # pip keeps an installed wheel of the same version, in an environment that is used again
    session.install("--force-reinstall", "--no-deps", str(built))
    for part in ("tests", "benchmarks"):  # some tests run the benchmark scripts
        shutil.copytree(ROOT / part, work / part)
    shutil.copy(ROOT / "pyproject.toml", work)
    session.chdir(work)
    where = session.run("python", "-c", "import ragstats; print(ragstats.__file__)", silent=True)
    if "site-packages" not in str(where):
        session.error(f"the tests would not use the wheel: {where}")
    session.run("pytest", "-q", "-n", "auto", *session.posargs, env={"PYTHONPATH": os.devnull})
    session.run("ragstats", "demo", silent=True)
