"""The versions that a report names."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from ragstats._version import __version__

#: The name and version of the JSON layout.
SCHEMA = "ragstats-report/1"

_NAMED = ("numpy", "scipy", "pandas", "statsmodels")


def versions() -> dict[str, str]:
    """Return the versions of ragstats, of Python, and of what computes the numbers."""
    found = {"ragstats": __version__, "python": platform.python_version()}
    for name in _NAMED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # pragma: no cover - they are required
            continue
    return found
