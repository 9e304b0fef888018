"""What a report takes from a bootstrap that the user ran."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any

import numpy as np

from ragstats.reporting.facts import BootstrapFacts

#: Bars of the histogram.
BINS = 60

_NEEDED = ("replicates", "estimate", "low", "high")


def bootstraps(given: Any) -> list[BootstrapFacts]:
    """Return what a report needs of one bootstrap result, or of several by name.

    Parameters
    ----------
    given : object, dict of str to object, or None
        Anything with ``replicates``, ``estimate``, ``low`` and ``high``.

    Raises
    ------
    TypeError
        If a result lacks one of them.
    """
    if given is None:
        return []
    named = given if isinstance(given, Mapping) else {_name(given): given}
    return [_facts(str(name), result) for name, result in named.items()]


def _name(result: Any) -> str:
    """Return what was estimated, as far as the result says."""
    label, estimand = (str(getattr(result, name, "") or "") for name in ("label", "estimand"))
    return f"{label} ({estimand})" if label and estimand else label or estimand


def _facts(name: str, result: Any) -> BootstrapFacts:
    for attribute in _NEEDED:
        if not hasattr(result, attribute):
            raise TypeError(
                f"bootstrap={type(result).__name__} has no {attribute!r}; give a result with"
                f" {', '.join(_NEEDED)}"
            )
    replicates = np.asarray([] if result.replicates is None else result.replicates, float).ravel()
    finite = replicates[np.isfinite(replicates)]
    counts, edges = np.histogram(finite, bins=BINS) if finite.size else (np.empty(0), np.empty(0))
    return BootstrapFacts(
        name=name,
        method=str(getattr(result, "method", "") or ""),
        estimate=float(result.estimate),
        low=float(result.low),
        high=float(result.high),
        replicates=int(finite.size),
        degenerate=float(getattr(result, "degenerate_fraction", nan)),
        edges=tuple(edges.tolist()),
        counts=tuple(int(c) for c in counts),
        reason=str(getattr(result, "reason", "") or ""),
    )
