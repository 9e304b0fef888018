"""Reads any file that ``presets`` describes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from ragstats.exceptions import DataError, plural
from ragstats.io.readers.cells import is_missing
from ragstats.io.readers.content import FRAME, JSON, LINES, PARQUET, TABLE, Content
from ragstats.io.readers.files import objects, parse_json
from ragstats.io.readers.ids import as_id, id_column
from ragstats.io.readers.options import Options
from ragstats.io.readers.presets import PRESETS, RAGAS_SAMPLE_FIELDS, Preset
from ragstats.io.readers.raw import OCCURRENCE, RawTable, flatten, to_frame

SYSTEM = "system of the file"


def looks_like(preset: Preset, content: Content) -> bool:
    """Say whether a file has the fields that only this evaluator writes."""
    if content.shape in (TABLE, PARQUET, FRAME):
        return bool(preset.requires) and not preset.top and _has(preset, content.data.columns)
    if content.shape == LINES:
        return bool(preset.requires) and any(_has(preset, r) for r in content.data[:1])
    if content.shape != JSON:
        return False
    if preset.top:
        return isinstance(content.data, dict) and all(k in content.data for k in preset.top)
    found = _records(preset, content.data)
    return (
        found is not None and isinstance(next(iter(found), None), dict) and _has(preset, found[0])
    )


def _has(preset: Preset, fields: Iterable[str]) -> bool:
    present = set(fields)
    return all(any(a in present for a in need.split("|")) for need in preset.requires)


def _records(preset: Preset, data: Any) -> list[Any] | None:
    """Return the list of records at the first of the preset's places that has one."""
    for place in preset.records:
        found = data
        for key in filter(None, place.split(".")):
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, list):
            return found
    return None


def load(key: str, content: Content, options: Options) -> RawTable:
    """Return a file as the raw table that its preset describes."""
    preset = PRESETS[key]
    if content.shape in (TABLE, PARQUET, FRAME):
        return from_rows(key, _unpacked_frame(preset, content), {}, content)
    data = content.data
    records = data if content.shape == LINES else _records(preset, data)
    if records is None:
        raise DataError(
            f"{content.name}: not {preset.title}: no list at {' or '.join(preset.records) or 'top'}"
        )
    where = f"{content.name}, record"
    rows = [_flat(preset, r, f"{where} {n}") for n, r in enumerate(objects(records, where), 1)]
    return from_rows(key, to_frame(rows), data if isinstance(data, dict) else {}, content)


def _flat(preset: Preset, record: dict[str, Any], where: str) -> dict[str, Any]:
    opened = {k: _unpack(v, where) if k in preset.packed else v for k, v in record.items()}
    return flatten(opened, where, take=preset.take, named_lists=preset.named_lists)


def _unpack(value: Any, where: str) -> Any:
    """Return the object that a cell holds as JSON text, or the cell as it is."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return parse_json(value, where)
    return value


def _unpacked_frame(preset: Preset, content: Content) -> pd.DataFrame:
    frame: pd.DataFrame = content.data
    packed = [c for c in preset.packed if c in frame.columns]
    if not packed:
        return frame
    rows = [
        flatten(
            {str(c): _unpack(v, content.name) for c, v in row.items()}, f"{content.name}, row {n}"
        )
        for n, row in enumerate(frame[packed].to_dict("records"), start=1)
    ]
    return pd.concat([frame.drop(columns=packed), to_frame(rows)], axis=1)


def from_rows(key: str, frame: pd.DataFrame, top: Mapping[str, Any], content: Content) -> RawTable:
    """Return flat rows as a raw table, with the parts and failures of a preset."""
    preset = PRESETS[key]
    if frame.empty:
        raise DataError(f"{content.name}: no records")
    _check_fields(preset, frame, content.name)
    frame, notes = _only(preset, frame, content.name)
    scores = _score_fields(preset, frame, content.name)
    frame, failed, failures = _failed(preset, frame, scores)
    lower = _lower_is_better(preset, frame, scores)
    frame, system = _system(preset, frame)
    frame = _variants(preset, frame, content.name)
    maybe = tuple(c for c in frame.columns if c not in RAGAS_SAMPLE_FIELDS)
    query = tuple(f for part in preset.query if (f := _present(part, frame.columns)) is not None)
    name = as_id(_top(preset.system, top))
    return RawTable(
        frame=frame,
        name=content.name,
        format=key,
        system_name=name or content.stem,
        query=query,
        system=system,
        repetition=preset.repetition,
        metric=preset.metric,
        value=preset.value,
        scores=scores or None,
        maybe_scores=maybe if preset.other_columns else (),
        open_roles=preset.other_columns,
        failed=failed,
        covariates=_matching(preset.covariates, frame.columns),
        hint=preset.hint,
        notes=(
            *content.notes(),
            *notes,
            *(f"{content.name}: {note}" for note in (*failures, *lower)),
        ),
    )


def _check_fields(preset: Preset, frame: pd.DataFrame, name: str) -> None:
    for needed in (*preset.query, preset.repetition, preset.metric, preset.value):
        if needed in (None, OCCURRENCE) or _present(str(needed), frame.columns) is not None:
            continue
        raise DataError(f"{name}: not {preset.title}: no field {str(needed).replace('|', ' or ')}")


def _present(alternatives: str, columns: Iterable[str]) -> str | None:
    present = set(columns)
    return next((a for a in alternatives.split("|") if a in present), None)


def _matching(patterns: Iterable[str], columns: Iterable[str]) -> tuple[str, ...]:
    compiled = [re.compile(pattern) for pattern in patterns]
    return tuple(c for c in columns if any(p.fullmatch(c) for p in compiled))


def _top(parts: tuple[str, ...], top: Mapping[str, Any]) -> Any:
    for part in parts:
        if part.startswith("^"):
            found: Any = top
            for key in part[1:].split("."):
                found = found.get(key) if isinstance(found, dict) else None
            return found
    return None


def _only(preset: Preset, frame: pd.DataFrame, name: str) -> tuple[pd.DataFrame, list[str]]:
    notes = []
    for alternatives, allowed in preset.only.items():
        field = _present(alternatives, frame.columns)
        if field is None:
            continue
        keep = frame[field].map(lambda cell, allowed=allowed: str(cell) in allowed).to_numpy(bool)
        if not keep.all():
            others = ", ".join(sorted({str(v) for v in frame[field][~keep]}))
            notes.append(
                f"{name}: {plural(int((~keep).sum()), 'row')} with {field} {others} dropped"
            )
            frame = frame.loc[keep].reset_index(drop=True)
    if frame.empty:
        raise DataError(f"{name}: no row has a numeric score")
    return frame, notes


def _score_fields(preset: Preset, frame: pd.DataFrame, name: str) -> dict[str, str]:
    """Return score names and their fields, in the order of the file."""
    found: dict[str, str] = {}
    for field in frame.columns:
        score = _named(preset.scores, field)
        if score is None:
            continue
        if score in found:
            raise DataError(f"{name}: {found[score]!r} and {field!r} are both called {score!r}")
        found[score] = field
    # A scorer that gives several values has none of its own; what stands there is a failure.
    parents = {f for f in found.values() if any(g.startswith(f"{f}.") for g in found.values())}
    return {
        s: f
        for s, f in found.items()
        if not (f in parents and all(is_missing(c) or c == {} for c in frame[f].to_list()))
    }


def _named(patterns: Iterable[str], field: str) -> str | None:
    for pattern in patterns:
        match = re.fullmatch(pattern, field)
        if match:
            return "_".join(part for part in match.groups() if part)
    return None


def _failed(
    preset: Preset, frame: pd.DataFrame, scores: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.Series[bool] | None, list[str]]:
    """Return the frame without the scores that failed one by one, and the rows that failed."""
    rows = pd.Series(False, index=frame.index)
    notes = []
    for failure in preset.failed:
        for field in _matching((failure.field,), frame.columns):
            here = frame[field].map(partial(_is_failure, equals=failure.equals)).astype(bool)
            name = _named((failure.field,), field)
            if not name:
                rows |= here
            elif name in scores and here.any():
                score = scores[name]
                frame = frame.assign(**{score: frame[score].astype(object).mask(here, None)})
                notes.append(f"score {name!r}: {int(here.sum())} ended in an error: missing, not 0")
    return frame, rows if rows.any() else None, notes


def _is_failure(cell: Any, equals: tuple[str, ...]) -> bool:
    if is_missing(cell) or cell == {}:
        return False
    return not equals or as_id(cell) in equals


def _lower_is_better(preset: Preset, frame: pd.DataFrame, scores: Mapping[str, str]) -> list[str]:
    """Name the scores that pass below their threshold: a higher mean is not a better one."""
    notes = []
    for name, field in scores.items() if preset.passes else ():
        beside = [f"{field.rpartition('.')[0]}.{part}" for part in preset.passes or ()]
        if not all(b in frame.columns for b in beside):
            continue
        rows = frame[[field, *beside]].to_numpy()
        if any(_passes_below(*row) for row in rows):
            notes.append(f"score {name!r}: passes below its threshold, so lower is better")
    return notes


def _passes_below(score: Any, threshold: Any, success: Any) -> bool:
    numbers = all(isinstance(v, int | float) and not is_missing(v) for v in (score, threshold))
    if not numbers or not isinstance(success, bool) or score == threshold:
        return False
    return bool((score > threshold) != success)


def _system(preset: Preset, frame: pd.DataFrame) -> tuple[pd.DataFrame, str | None]:
    parts = [_present(p, frame.columns) for p in preset.system if not p.startswith("^")]
    fields = [p for p in parts if p is not None]
    if not fields or frame[fields[0]].map(is_missing).all():
        return frame, None
    used = [fields[0], *(f for f in fields[1:] if frame[f].map(as_id).nunique() > 1)]
    if len(used) == 1:
        return frame, used[0]
    joined = [" / ".join(str(as_id(c)) for c in row) for row in frame[used].to_numpy()]
    return frame.assign(**{SYSTEM: joined}), SYSTEM


def _variants(preset: Preset, frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Tell apart scores of one name that come from several sources."""
    if preset.variant is None or preset.metric is None or preset.variant not in frame.columns:
        return frame
    pairs = pd.DataFrame(
        {
            "score": id_column(frame[preset.metric], f"{name}: {preset.metric!r}"),
            "source": id_column(frame[preset.variant], f"{name}: {preset.variant!r}").fillna("?"),
        }
    )
    several = pairs.groupby("score", dropna=False)["source"].transform("nunique") > 1
    with_source = [f"{score}_{source}" for score, source in pairs.to_numpy()]
    return frame.assign(**{preset.metric: pairs["score"].mask(several, with_source)})
