"""The docs name every public name, their pictures match the code, and their tables are the stored ones."""

import ast
import re
from pathlib import Path

import pytest

import ragstats as rs

ROOT = Path(__file__).parents[2]
DOCS, PACKAGE = ROOT / "docs", ROOT / "ragstats"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the docs are not in the wheel")

#: Who may be imported by all, and is not in the picture.
COMMON = {
    "exceptions",
    "writing",
    "figures",
    "extras",
    "checks",
    "_version",
    "datasets",
    "ragstats",
}


def test_api_names_every_public_name():
    listed = set((DOCS / "api" / "index.rst").read_text(encoding="utf-8").split())
    skipped = {"__version__", "datasets"}
    assert set(rs.__all__) - skipped - listed == set()


def test_every_function_of_datasets_is_in_the_api():
    text = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    assert all(f"datasets.{name}" in text for name in rs.datasets.__all__)


def part(path):
    """The folder, or module, of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports():
    """Who imports whom, by folder."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        here = part(path)
        if here in ("__init__", "__main__"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [node.module]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                package, _, rest = name.partition(".")
                there = rest.partition(".")[0] or "ragstats"
                if package == "ragstats" and there not in {here, *COMMON}:
                    found.add((here, there))
    return found


def test_the_architecture_picture_shows_the_imports():
    picture = (DOCS / "contributing" / "architecture.svg").read_text(encoding="utf-8")
    drawn = set(re.findall(r'data-from="(\w+)" data-to="(\w+)"', picture))
    assert drawn == imports() - {("cli", "commands")}


def test_the_coverage_study_in_the_docs_is_the_stored_one():
    stored = ROOT / "tests" / "oracles" / "retrieval" / "sampling_study.csv"
    assert (DOCS / "_data" / "sampling_study.csv").read_bytes() == stored.read_bytes()


def test_pages_do_not_name_a_page_that_is_not_there():
    missing = []
    for page in DOCS.rglob("*.md"):
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        targets = re.findall(r"\]\(([^)\s#:]+\.md)(?:#[^)]*)?\)", text)
        missing += [(page.name, t) for t in targets if not (page.parent / t).exists()]
    assert not missing
