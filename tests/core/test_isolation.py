"""The numerical core needs NumPy and SciPy only, and imports point one way."""

import ast
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import ragstats.core

PACKAGE = Path(ragstats.__file__).parent

#: Which parts of the package each part may import. "io" and "datasets" give rows to whoever asks.
ALLOWED = {
    "core": {"checks", "core", "exceptions"},
    # One storey: models are fitted to what io reads, and io reads rows as models want them.
    "models": {"checks", "core", "exceptions", "io", "models", "writing"},
    "io": {"checks", "core", "exceptions", "extras", "io", "models"},
    "datasets": {"datasets", "exceptions"},
    "evaluation": {
        *("checks", "core", "datasets", "evaluation", "exceptions", "extras", "figures", "io"),
        "models",
    },
    "reporting": {
        *("checks", "core", "datasets", "evaluation", "exceptions", "extras", "figures", "io"),
        *("models", "reporting", "writing", "_version"),
    },
    "figures": {"figures"},
    "checks": {"exceptions"},
    "writing": {"exceptions"},
    "extras": set(),
    "exceptions": set(),
    "_version": set(),
}

#: What the core may import from elsewhere, apart from the standard library.
CORE_LIBRARIES = {"numpy", "scipy"}
#: Imported inside a function, for who asks for several processes.
OPTIONAL_LIBRARIES = {"joblib"}


def modules(part):
    """The source files of a part of the package."""
    single = PACKAGE / f"{part}.py"
    return [single] if single.exists() else sorted((PACKAGE / part).rglob("*.py"))


def dotted(path):
    """The module's name and the package that its relative imports start from."""
    parts = ("ragstats", *path.relative_to(PACKAGE).with_suffix("").parts)
    return parts[:-1]


def under_type_checking(tree):
    """The nodes that are imported for annotations only."""
    return {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }


def imported(path):
    """Every module that a file imports when it runs, as absolute dotted names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = under_type_checking(tree)
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = dotted(path)[: len(dotted(path)) - node.level + 1] if node.level else ()
            name = ".".join([*base, *([node.module] if node.module else [])])
            if name == "ragstats":
                yield from (f"ragstats.{alias.name}" for alias in node.names)
            else:
                yield name


@pytest.mark.parametrize("part", ALLOWED)
def test_imports_point_one_way(part):
    wrong = {
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in modules(part)
        for name in imported(path)
        if name.split(".")[0] == "ragstats" and name.split(".")[1] not in ALLOWED[part]
    }
    assert not wrong


def test_every_part_has_its_rule():
    parts = {
        path.stem
        for path in PACKAGE.iterdir()
        if path.suffix == ".py" or (path.is_dir() and (path / "__init__.py").exists())
    }
    assert parts - {"__init__", "__main__", "cli", "commands"} <= set(ALLOWED)


def test_the_core_uses_numpy_and_scipy_only():
    outside = {
        f"{path.name} imports {name}"
        for path in modules("core")
        for name in imported(path)
        if (top := name.split(".")[0])
        not in CORE_LIBRARIES | OPTIONAL_LIBRARIES | sys.stdlib_module_names
        and top != "ragstats"
    }
    assert not outside


def in_a_fresh_process(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )


def test_importing_the_core_brings_neither_pandas_nor_statsmodels():
    names = [module.name for module in pkgutil.iter_modules(ragstats.core.__path__)]
    code = (
        "import sys\n"
        + "".join(f"import ragstats.core.{name}\n" for name in names)
        + "print(*sorted({'pandas', 'statsmodels', 'patsy', 'pyarrow', 'joblib'} & set(sys.modules)))"
    )
    done = in_a_fresh_process(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_every_public_name_is_there():
    assert all(hasattr(ragstats, name) for name in ragstats.__all__)
    assert set(ragstats.__all__) <= set(dir(ragstats))
    with pytest.raises(AttributeError, match="'wsl'"):
        _ = ragstats.wsl
