"""lm-evaluation-harness: ``samples_<task>_<time>.jsonl``, one line per item and filter.

Its ``doc_id`` numbers the items of a task. It is the query here, never the document, which
stands somewhere in ``doc``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ragstats.exceptions import DataError
from ragstats.io.readers.cells import LIST, OBJECT, notation
from ragstats.io.readers.content import Content
from ragstats.io.readers.options import Options
from ragstats.io.readers.raw import RawTable, flatten, to_frame

WRITER = "lm_eval 0.4.13"
FILE = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl(\.gz)?")
LOGGED = frozenset(
    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
    | {"doc_hash", "prompt_hash", "target_hash"}
)
MAX_RESULTS_BYTES = 64 * 2**20


def looks_like(content: Content) -> bool:
    """Say whether the first line is an item of the harness."""
    first = content.data[0] if content.data else {}
    return {"doc_id", "doc", "target"} <= set(first) and bool({"filter", "resps"} & set(first))


def load(content: Content, options: Options) -> RawTable:
    """Return one row per item, one score per metric and filter; ``options`` are not needed."""
    records: list[dict[str, Any]] = content.data
    match = FILE.fullmatch(content.name)
    task = {"task": match["task"]} if match else {}
    filters = {str(r.get("filter", "none")) for r in records}
    items: dict[Any, dict[str, Any]] = {}
    corpus_level: set[str] = set()
    for number, record in enumerate(records, start=1):
        where = f"{content.name}, item {number}"
        key = _item(record, where)
        if key not in items:
            items[key] = {**task, "doc_id": key, **flatten(record, where, take=("doc",))}
        item = items[key]
        for metric, value in _metrics(record).items():
            if notation(value) in (LIST, OBJECT):
                corpus_level.add(metric)
                continue
            _set(item, _score_name(metric, record, filters), value, where)
    frame = to_frame(list(items.values()))
    scores = {f.removeprefix("="): f for f in frame.columns if f.startswith("=")}
    if not scores:
        raise DataError(f"{content.name}: no metric has one number per item")
    model, model_note = _model(content, match)
    return RawTable(
        frame=frame,
        name=content.name,
        format="lm_eval",
        system_name=model or content.stem,
        query=("task", "doc_id") if match else ("doc_id",),
        scores=scores,
        covariates=tuple(f for f in frame.columns if f.startswith("doc.")),
        hint="In this format doc_id numbers the items; the document is a field inside doc.",
        notes=(*content.notes(), *_notes(content.name, filters, corpus_level), *model_note),
    )


def _item(record: dict[str, Any], where: str) -> Any:
    if "doc_id" not in record or isinstance(record["doc_id"], dict | list):
        raise DataError(f"{where}: no doc_id, which numbers the items")
    return record["doc_id"]


def _metrics(record: dict[str, Any]) -> dict[str, Any]:
    named = record.get("metrics")
    names = named if isinstance(named, list) else [k for k in record if k not in LOGGED]
    return {str(name): record.get(str(name)) for name in names}


def _score_name(metric: str, record: dict[str, Any], filters: set[str]) -> str:
    # The harness itself writes "exact_match,strict-match"; with one filter the metric will do.
    return f"={metric}" if len(filters) == 1 else f"={metric},{record.get('filter', 'none')}"


def _set(item: dict[str, Any], field: str, value: Any, where: str) -> None:
    if field in item:
        raise DataError(
            f"{where}: {field.removeprefix('=')!r} of doc_id {item['doc_id']!r} is there twice; "
            "two runs in one file?"
        )
    item[field] = value


def _notes(name: str, filters: set[str], corpus_level: set[str]) -> list[str]:
    notes = [f"{name}: doc_id is the item number: it became the query, not the document"]
    if len(filters) > 1:
        notes.append(f"{name}: one score per metric and filter ({', '.join(sorted(filters))})")
    if corpus_level:
        notes.append(
            f"{name}: left out, as they are no mean over items but computed from all of them: "
            f"{', '.join(sorted(corpus_level))}"
        )
    return notes


def _model(content: Content, match: re.Match[str] | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the model's name from the results file of the same run beside the samples."""
    if match is None or content.path is None:
        return None, ()
    beside = Path(content.path).with_name(f"results_{match['time']}.json")
    if not beside.is_file() or beside.stat().st_size > MAX_RESULTS_BYTES:
        return None, ()
    try:
        found = json.loads(beside.read_bytes())
    except ValueError:  # a name is not worth refusing the scores for; the file's own will do
        return None, ()
    name = found.get("model_name") if isinstance(found, dict) else None
    if not isinstance(name, str) or not name.strip():
        return None, ()
    return name.strip(), (f"{content.name}: the system's name is model_name of {beside.name}",)
