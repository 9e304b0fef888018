"""Warnings that point at the line of the user."""

from __future__ import annotations

import sys
import warnings

from ragstats.exceptions import RagstatsWarning


def warn_user(message: str) -> None:
    """Warn at the first caller outside this package folder."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RagstatsWarning, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module == __package__ or module.startswith(f"{__package__}.")
