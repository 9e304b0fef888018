"""Warnings that point at the line of the user, whatever lies between."""

from __future__ import annotations

import sys
import warnings

from ragstats.exceptions import RagstatsWarning


def warn(message: str) -> None:
    """Warn with the first line outside of the package as the place."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and _inside(str(frame.f_globals.get("__name__", ""))):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, RagstatsWarning, stacklevel=level)


def _inside(module: str) -> bool:
    return module == "ragstats" or module.startswith("ragstats.")
