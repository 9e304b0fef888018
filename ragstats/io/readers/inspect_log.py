"""Inspect logs: a zip archive of one JSON file per sample, or one JSON file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ragstats.exceptions import DataError
from ragstats.io.readers.archive import Archive
from ragstats.io.readers.content import ZIP, Content
from ragstats.io.readers.engine import from_rows
from ragstats.io.readers.files import decode, objects, parse_json
from ragstats.io.readers.options import Options
from ragstats.io.readers.presets import PRESETS
from ragstats.io.readers.raw import RawTable, flatten, to_frame

HEADERS = ("header.json", "_journal/start.json")  # the second is all that a broken run leaves
# A sample is one member, or a small member and its parts (samples with very long transcripts).
SAMPLE = re.compile(r"samples/.+_epoch_\d+(?:/sample)?\.json")


def load(content: Content, options: Options) -> RawTable:
    """Return the samples of an Inspect log; ``options`` are not needed."""
    if content.shape == ZIP:
        header, samples, notes = _from_archive(content)
    else:
        header = content.data if isinstance(content.data, dict) else {}
        samples = objects(header.get("samples"), f"{content.name}, samples")
        notes = []
    take = PRESETS["inspect"].take
    rows = [flatten(s, f"{content.name}, sample {s.get('id')!r}", take=take) for s in samples]
    if not rows:
        raise DataError(
            f"{content.name}: the log has no samples; run Inspect with log_samples=True"
        )
    raw = from_rows("inspect", to_frame(rows), header, content)
    return raw.with_notes(*notes, *_completeness(header, len(rows), content.name))


def _from_archive(content: Content) -> tuple[dict[str, Any], list[dict[str, Any]], list[str]]:
    assert content.path is not None  # an archive is always a file
    with Archive(content.path) as archive:
        header_name = next((name for name in HEADERS if name in archive.members), None)
        if header_name is None:
            listed = ", ".join(list(archive.members)[:4])
            raise DataError(
                f"{content.name}: a zip archive, but no Inspect log: no header.json among {listed}"
            )
        header = _object(archive, header_name)
        samples = list(_samples(archive))
        notes = []
        if archive.superseded:
            notes.append(
                f"{content.name}: {archive.superseded} members were written again later; the last "
                "of each name was read"
            )
        return header, samples, notes


def _samples(archive: Archive) -> Iterator[dict[str, Any]]:
    take = PRESETS["inspect"].take
    for name in archive.members:
        if not SAMPLE.fullmatch(name):
            continue
        sample = _object(archive, name)
        beside = name.removesuffix("sample.json") + "metadata.json"
        if name.endswith("/sample.json") and beside in archive.members:
            sample["metadata"] = _object(archive, beside)
        # Transcripts are long: only what is needed stays in memory.
        yield {key: sample[key] for key in take if key in sample}


def _object(archive: Archive, name: str) -> dict[str, Any]:
    where = f"{archive.name}, member {name!r}"
    found = parse_json(decode(archive.read(name), where), where)
    if not isinstance(found, dict):
        raise DataError(f"{where}: an object is needed")
    return found


def _completeness(header: Mapping[str, Any], rows: int, name: str) -> list[str]:
    notes = []
    status = header.get("status", "started")
    if status != "success":
        notes.append(f"{name}: the run did not end well (status {status!r})")
    evaluation = header.get("eval", {})
    ids = _inside(evaluation, "dataset", "sample_ids")
    epochs = _inside(evaluation, "config", "epochs") or 1
    if isinstance(ids, list) and isinstance(epochs, int) and rows < len(ids) * epochs:
        notes.append(
            f"{name}: {rows} of {len(ids) * epochs} samples are in the log; the others never ended"
        )
    return notes


def _inside(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
