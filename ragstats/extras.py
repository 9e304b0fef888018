"""Optional libraries: one sentence says which extra has them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


class MissingExtraError(ImportError):
    """A library that this output needs is not installed."""


def need(module: str, purpose: str, *, extra: str = "report") -> ModuleType:
    """Import a library of an extra.

    Raises
    ------
    MissingExtraError
        If it is not installed, with the command that installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise MissingExtraError(
            f"{purpose} needs {module.split('.')[0]}, which is not installed:"
            f' pip install "ragstats[{extra}]"'
        ) from None
