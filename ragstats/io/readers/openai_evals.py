"""OpenAI evals: a log of events, one JSON line each; the scores are in some of them."""

from __future__ import annotations

from typing import Any

from ragstats.exceptions import DataError
from ragstats.io.readers.content import Content
from ragstats.io.readers.options import Options
from ragstats.io.readers.raw import RawTable, to_frame

WRITER = "evals 3.0.1"
SCORED = ("match", "metrics")
# Fields of a match that are not outcomes.
NOT_SCORES = frozenset({"expected", "picked", "sampled", "prompt", "options"})


def looks_like(content: Content) -> bool:
    """Say whether the log begins with a run's description or an event."""
    first = content.data[0] if content.data else {}
    return "spec" in first or {"run_id", "event_id", "sample_id", "type"} <= set(first)


def load(content: Content, options: Options) -> RawTable:
    """Return one row per sample with the outcomes of its events; ``options`` are not needed."""
    samples: dict[str, dict[str, Any]] = {}
    failed: set[str] = set()
    spec: dict[str, Any] = {}
    for number, event in enumerate(content.data, start=1):
        if "spec" in event:
            spec = event["spec"] if isinstance(event["spec"], dict) else {}
        if "final_report" in event or "sample_id" not in event:
            continue
        sample = str(event["sample_id"])
        row = samples.setdefault(sample, {"sample_id": sample})
        if event.get("type") == "error":
            failed.add(sample)
        elif event.get("type") in SCORED:
            _add(row, event.get("data"), f"{content.name}, event {number}")
    if not samples:
        raise DataError(f"{content.name}: the log has no events of samples")
    frame = to_frame(list(samples.values()))
    scores = {f.removeprefix("="): f for f in frame.columns if f.startswith("=")}
    if not scores:
        raise DataError(f"{content.name}: no event of type {' or '.join(SCORED)}: no scores")
    functions = spec.get("completion_fns")
    system = functions[0] if isinstance(functions, list) and functions else content.stem
    marked = frame["sample_id"].isin(failed)
    return RawTable(
        frame=frame,
        name=content.name,
        format="openai_evals",
        system_name=str(system),
        query=("sample_id",),
        scores=scores,
        failed=marked if marked.any() else None,
        covariates=(),
        hint="This log names no document: pass documents= from sample_id to it.",
        notes=content.notes(),
    )


def _add(row: dict[str, Any], data: Any, where: str) -> None:
    if not isinstance(data, dict):
        raise DataError(f"{where}: its data are not an object")
    for name, value in data.items():
        if name in NOT_SCORES or not isinstance(value, bool | int | float):
            continue
        if f"={name}" in row:
            raise DataError(f"{where}: sample {row['sample_id']!r} has {name!r} twice")
        row[f"={name}"] = value
