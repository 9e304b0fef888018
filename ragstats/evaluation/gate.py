"""A gate for continuous integration: rules on interval limits, read from a TOML file.

::

    file = "scores.parquet"
    doc = "doc_id"
    score = "hit_at_1"
    system = "system"
    query = "query_id"
    estimand = "micro"

    [[rule]]
    difference = ["candidate", "production"]   # candidate minus production
    lower_limit_at_least = -0.01

    [[rule]]
    mean = "candidate"
    lower_limit_at_least = 0.5
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ragstats.core.intervals import t_interval
from ragstats.evaluation.compare import compare
from ragstats.evaluation.comparison import Comparison
from ragstats.evaluation.documents import documents
from ragstats.evaluation.means import mean_of
from ragstats.exceptions import DataError, nearest
from ragstats.models.estimand import check_estimand

#: What a rule may ask of an interval: key → which limit, and the sign of the requirement.
REQUIREMENTS = {
    "lower_limit_at_least": ("low", 1),
    "lower_limit_at_most": ("low", -1),
    "upper_limit_at_least": ("high", 1),
    "upper_limit_at_most": ("high", -1),
    "estimate_at_least": ("estimate", 1),
    "estimate_at_most": ("estimate", -1),
}

#: Exit statuses of ``ragstats gate``.
PASSED, FAILED, UNAVAILABLE = 0, 1, 3

_REQUIRED = ("doc", "score", "estimand")
_OPTIONAL = ("file", "system", "query", "unmatched", "level", "cov_type", "df", "population_size")


@dataclass(frozen=True, slots=True)
class Rule:
    """One requirement.

    Attributes
    ----------
    target : str or tuple of str
        A system (its mean; empty where there are no systems), or (system, baseline).
    requirement : str
        A key of ``REQUIREMENTS``.
    bound : float
        In units of the score.
    """

    target: str | tuple[str, str]
    requirement: str
    bound: float

    def __str__(self) -> str:
        name = self.target if isinstance(self.target, str) else " - ".join(self.target)
        return f"{self.requirement.replace('_', ' ')} {self.bound:g} for {name or 'the mean'}"


@dataclass(frozen=True, slots=True)
class GateConfig:
    """A gate, as read from its file."""

    columns: dict[str, str]
    rules: tuple[Rule, ...]
    estimand: str
    file: str = ""
    level: float = 0.95
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A rule with what the data say.

    Attributes
    ----------
    rule : Rule
    estimate, low, high : float
        The interval that was asked.
    passed : bool or None
        None when the interval is not available.
    reason : str
        Why it is not.
    """

    rule: Rule
    estimate: float
    low: float
    high: float
    passed: bool | None
    reason: str = ""


def read_gate(path: str | Path) -> GateConfig:
    """Read and check a gate's TOML file.

    Raises
    ------
    DataError
        If the file cannot be read, or a key is missing, unknown or of the wrong kind.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(f"CONFIG={str(path)!r} is not a file")
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"CONFIG={path.name!r} is not TOML: {error}") from None
    return parse_gate(given)


def parse_gate(given: dict[str, Any]) -> GateConfig:
    """Check the contents of a gate's file; see :func:`read_gate`."""
    known = (*_REQUIRED, *_OPTIONAL, "rule")
    for key in given:
        if key not in known:
            raise DataError(
                f"{key!r} is not a key of a gate{nearest(key, known)}; {', '.join(known)}"
            )
    for key in _REQUIRED:
        if key not in given:
            raise DataError(f"{key} is missing from the gate")
    level = given.get("level", 0.95)
    if not (isinstance(level, float) and 0 < level < 1):
        raise DataError(f"level={level!r}: give the confidence level, between 0 and 1")
    rules = given.get("rule", [])
    if not isinstance(rules, list) or not rules:
        raise DataError("rule is missing: a gate needs at least one [[rule]]")
    columns: dict[str, str] = {
        k: str(given[k]) for k in ("doc", "score", "system", "query") if k in given
    }
    names = {"unmatched": "unmatched", "cov_type": "cov_type", "df": "df",
             "population_size": "population"}  # fmt: skip
    options = {ours: given[theirs] for theirs, ours in names.items() if theirs in given}
    return GateConfig(
        columns,
        tuple(rule for i, entry in enumerate(rules, 1) for rule in _rules(i, entry, columns)),
        check_estimand(str(given["estimand"])),
        str(given.get("file", "")),
        level,
        options,
    )


def _rules(number: int, entry: Any, columns: dict[str, str]) -> list[Rule]:
    """Read one [[rule]]: a target and one or more requirements."""
    where = f"rule {number}"
    if not isinstance(entry, dict):
        raise DataError(f"{where} is not a table; write [[rule]]")
    target: str | tuple[str, str] = ""
    if "difference" in entry:
        pair = entry["difference"]
        if not (
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(s, str) for s in pair)
        ):
            raise DataError(f"{where}: difference={pair!r}; give [system, baseline]")
        target = (pair[0], pair[1])
    elif "mean" in entry:
        target = str(entry["mean"])
    elif "system" in columns:
        raise DataError(
            f'{where} names neither mean = "system" nor difference = [system, baseline]'
        )
    if target and "system" not in columns:
        raise DataError(f"{where} names a system, and the gate has no system column")
    found = []
    for key, bound in entry.items():
        if key in ("difference", "mean"):
            continue
        if key not in REQUIREMENTS:
            raise DataError(
                f"{where}: {key!r} is unknown{nearest(key, REQUIREMENTS)};"
                f" {', '.join(REQUIREMENTS)}"
            )
        if isinstance(bound, bool) or not isinstance(bound, (int, float)):
            raise DataError(f"{where}: {key}={bound!r} is not a number")
        found.append(Rule(target, key, float(bound)))
    if not found:
        raise DataError(f"{where} requires nothing; one of {', '.join(REQUIREMENTS)}")
    return found


def check_gate(config: GateConfig, data: Any) -> list[Verdict]:
    """Answer every rule from the data.

    Raises
    ------
    ValueError, DataError
        As :func:`ragstats.documents` and :func:`ragstats.compare`.
    """
    intervals: dict[str | tuple[str, str], tuple[float, float, float, str]] = {}
    for rule in config.rules:
        if rule.target not in intervals:
            intervals[rule.target] = _interval(config, data, rule.target)
    return [_verdict(rule, *intervals[rule.target]) for rule in config.rules]


def exit_status(verdicts: list[Verdict]) -> int:
    """Return 0 when every rule passed, 1 when one failed, 3 when one could not be answered."""
    if any(v.passed is False for v in verdicts):
        return FAILED
    return UNAVAILABLE if any(v.passed is None for v in verdicts) else PASSED


def _verdict(rule: Rule, estimate: float, low: float, high: float, reason: str) -> Verdict:
    which, sign = REQUIREMENTS[rule.requirement]
    value = {"estimate": estimate, "low": low, "high": high}[which]
    passed = None if np.isnan(value) else bool(sign * (value - rule.bound) >= 0)
    return Verdict(rule, estimate, low, high, passed, reason)


def _interval(
    config: GateConfig, data: Any, target: str | tuple[str, str]
) -> tuple[float, float, float, str]:
    alpha = 1 - config.level
    if isinstance(target, tuple):
        columns: dict[str, Any] = {**config.columns, **config.options}
        c: Comparison = compare(
            data, estimand=config.estimand, systems=list(target), baseline=target[1],
            **columns,
        )  # fmt: skip
        found = c.estimates[target]
        low, high = t_interval(
            np.array(found.estimate), np.array(found.se), np.array(found.df), alpha
        )
        return found.estimate, float(low), float(high), found.reason
    table = documents(
        data,
        doc=config.columns["doc"],
        score=config.columns["score"],
        by=config.columns.get("system"),
    )
    options = {k: v for k, v in config.options.items() if k != "unmatched"}
    mean = mean_of(table.system(target or None), config.estimand, **options)
    interval = mean.interval("t", alpha=alpha)
    return mean.estimate, interval.low, interval.high, interval.reason
