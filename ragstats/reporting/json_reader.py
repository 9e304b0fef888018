"""JSON → facts: every number is computed again from the aggregates, and must be the stored one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from math import isclose, nan
from pathlib import Path
from typing import Any

from ragstats.exceptions import DataError
from ragstats.reporting.aggregates import Columns
from ragstats.reporting.compute import compute
from ragstats.reporting.facts import BootstrapFacts, Facts
from ragstats.reporting.json_aggregates import aggregates_of
from ragstats.reporting.json_writer import to_dict
from ragstats.reporting.sections import write
from ragstats.reporting.stated import LEFT_OUT, Method, Stated
from ragstats.reporting.versions import SCHEMA

#: Numbers computed again on another machine may differ by rounding, and by no more.
RELATIVE = 1e-9

#: Parts whose numbers must follow from the aggregates.
_CHECKED = ("systems", "pairs", "joint")


def from_json(source: str | os.PathLike[str] | Mapping[str, Any]) -> Facts:
    """Return the facts of a stored report.

    Raises
    ------
    DataError
        If it is not a report of this layout, or its numbers do not follow from its aggregates.
    """
    stored = dict(source) if isinstance(source, Mapping) else _load(Path(source))
    if stored.get("schema") != SCHEMA:
        raise DataError(f"schema={stored.get('schema')!r}: this version reads {SCHEMA!r}")
    try:
        facts = _facts(stored)
    except KeyError as error:
        raise DataError(f"the report lacks {error.args[0]!r}, which {SCHEMA} has") from None
    except (TypeError, AttributeError, IndexError) as error:
        raise DataError(f"the report is not of the layout {SCHEMA}: {error}") from None
    again = to_dict(facts, write(facts), aggregates=False)
    for part in _CHECKED:
        check_same(stored.get(part), again[part], part)
    return facts


def _load(path: Path) -> dict[str, Any]:
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"path={str(path)!r} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DataError(f"path={str(path)!r} is not JSON: {error}") from None
    if not isinstance(loaded, dict):
        raise DataError(f"path={str(path)!r} holds a {type(loaded).__name__}, not a report")
    return loaded


def _facts(stored: dict[str, Any]) -> Facts:
    columns = Columns(**stored["columns"])
    method = stored["method"]
    return compute(
        aggregates_of(stored["aggregates"], columns, method["baseline"], stored["systems"]),
        _stated(stored),
        Method(
            method["cov_type"], method["df"], method["alpha"], method["unmatched"],
            method["paired"],
        ),
        [_bootstrap(item) for item in stored["bootstrap"]],
        stored["versions"],
    )  # fmt: skip


def _stated(stored: dict[str, Any]) -> Stated:
    study, source = stored["study"], stored["source"]
    return Stated(
        title=stored["stated_title"] or "",
        population=study["population"] or "",
        population_size=study["population_size"],
        design=study["design"] or "",
        levels=study["levels"] or "",
        fraction=None if study["fraction_used"] else study["fraction"],
        estimand=study["estimand"],
        why_estimand=study["why_estimand"] or "",
        left_out=tuple(item for item in stored["left_out"] if item not in LEFT_OUT),
        source=source["name"] or "",
        sha256=source["sha256"] or "",
    )


def _bootstrap(item: dict[str, Any]) -> BootstrapFacts:
    numbers = {
        name: nan if item[name]["value"] is None else float(item[name]["value"])
        for name in ("estimate", "low", "high", "degenerate")
    }
    return BootstrapFacts(
        name=item["name"],
        method=item["method"] or "",
        replicates=int(item["replicates"]),
        edges=tuple(item["histogram"]["edges"]),
        counts=tuple(item["histogram"]["counts"]),
        reason=item["low"]["reason"],
        **numbers,
    )


def check_same(stored: Any, again: Any, where: str) -> None:
    """Raise at the first number that is not what the aggregates give."""
    if isinstance(again, dict) and isinstance(stored, Mapping):
        for name, value in again.items():
            check_same(stored.get(name), value, f"{where}.{name}")
    elif isinstance(again, list) and isinstance(stored, list) and len(stored) == len(again):
        for i, value in enumerate(again):
            check_same(stored[i], value, f"{where}[{i}]")
    elif not _equal(stored, again):
        raise DataError(f"{where} is {stored!r}, but the aggregates give {again!r}")


def _equal(stored: Any, again: Any) -> bool:
    numbers = (int, float)
    if isinstance(stored, numbers) and isinstance(again, numbers):
        return isclose(stored, again, rel_tol=RELATIVE, abs_tol=1e-12)
    return isinstance(again, str) or bool(stored == again)
