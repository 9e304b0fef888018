"""The table of formats: what a file must look like, and who reads it.

A format is recognised by its content. Plain tables and JSON lines are what is left when no
evaluator's own format fits; two that fit are an error that names both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from ragstats.exceptions import DataError
from ragstats.io.readers import engine, inspect_log, lm_eval, openai_evals, plain, printed, trec
from ragstats.io.readers.content import FRAME, JSON, LINES, PARQUET, TABLE, TEXT, ZIP, Content
from ragstats.io.readers.options import Options
from ragstats.io.readers.presets import PRESETS
from ragstats.io.readers.raw import RawTable


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its name in words, the shapes it comes in, how it is known, its loader."""

    title: str
    shapes: frozenset[str]
    fits: Callable[[Content], bool]
    load: Callable[[Content, Options], RawTable]
    writer: str = ""


TABLES = frozenset({TABLE, PARQUET, FRAME})


def _preset(key: str) -> Format:
    preset = PRESETS[key]
    shapes = frozenset({JSON, LINES}) | (frozenset() if preset.top else TABLES)
    fits = partial(engine.looks_like, preset)
    return Format(preset.title, shapes, fits, partial(engine.load, key), preset.writer)


def _always(content: Content) -> bool:
    return True


def _ir_record(content: Content) -> bool:
    return bool(content.data) and set(content.data[0]) == {"query_id", "measure", "value"}


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "inspect": Format(
            PRESETS["inspect"].title,
            frozenset({ZIP, JSON}),
            lambda c: c.shape == ZIP or engine.looks_like(PRESETS["inspect"], c),
            inspect_log.load,
            PRESETS["inspect"].writer,
        ),
        "lm_eval": Format(
            "lm-evaluation-harness samples_*.jsonl",
            frozenset({LINES}),
            lm_eval.looks_like,
            lm_eval.load,
            lm_eval.WRITER,
        ),
        "openai_evals": Format(
            "OpenAI evals log",
            frozenset({LINES}),
            openai_evals.looks_like,
            openai_evals.load,
            openai_evals.WRITER,
        ),
        "trec_run": Format(
            "TREC run (with qrels=)",
            frozenset({TEXT}),
            lambda c: trec.looks_like_run(printed.head(c)),
            trec.load_run,
            trec.WRITER,
        ),
        "run_json": Format(
            "ranking in JSON: BEIR, ranx, MTEB predictions (with qrels=)",
            frozenset({JSON}),
            trec.looks_like_json_run,
            trec.load_json_run,
            "ranx 0.3.21, mteb 2.26.24",
        ),
        "trec_eval": Format(
            "trec_eval -q output",
            frozenset({TEXT}),
            printed.looks_like_trec_eval,
            printed.load_trec_eval,
            printed.WRITER_TREC,
        ),
        "ir_measures": Format(
            "ir_measures -q output (text)",
            frozenset({TEXT}),
            printed.looks_like_ir_measures,
            printed.load_ir_measures,
            printed.WRITER_IR,
        ),
        "ir_measures_jsonl": Format(
            "ir_measures -q -o jsonl output",
            frozenset({LINES}),
            _ir_record,
            printed.load_ir_measures_jsonl,
            printed.WRITER_IR,
        ),
        **{key: _preset(key) for key in PRESETS if key != "inspect"},
        "csv": Format(
            "CSV, TSV or other delimited text with a header",
            frozenset({TABLE}),
            _always,
            partial(plain.load_table, "csv"),
        ),
        "parquet": Format(
            "Parquet table", frozenset({PARQUET}), _always, partial(plain.load_table, "parquet")
        ),
        "frame": Format(
            "pandas frame in memory",
            frozenset({FRAME}),
            _always,
            partial(plain.load_table, "frame"),
        ),
        "jsonl": Format("JSON lines", frozenset({LINES}), _always, plain.load_lines),
        "json": Format("JSON list of objects", frozenset({JSON}), _always, plain.load_json),
    }
)
PLAIN = ("csv", "parquet", "frame", "jsonl", "json")


def find_format(content: Content, options: Options) -> tuple[str, Content]:
    """Return the one format that a file has, and its content in that format's shape.

    Raises
    ------
    DataError
        If two formats fit, or the file holds means only, or judgements.
    """
    _refuse(content)
    fitting = _fitting(content)
    if not fitting and content.shape == TEXT:
        content = content.table(options)
        fitting = _fitting(content)
    if len(fitting) > 1:
        listed = " or ".join(f"{key!r} ({FORMATS[key].title})" for key in fitting)
        raise DataError(f"{content.name}: the format may be {listed}; pass format=")
    if fitting:
        return fitting[0], content
    return next(key for key in PLAIN if content.shape in FORMATS[key].shapes), content


def _fitting(content: Content) -> list[str]:
    return [
        key
        for key, entry in FORMATS.items()
        if key not in PLAIN and content.shape in entry.shapes and entry.fits(content)
    ]


def as_format(key: str, content: Content, options: Options) -> Content:
    """Return a file's content in the shape that a format needs, or say that it has another."""
    shapes = FORMATS[key].shapes
    if content.shape not in shapes and content.shape == TEXT and TABLE in shapes:
        content = content.table(options)
    if content.shape not in shapes:
        raise DataError(
            f"{content.name}: format={key!r} is {FORMATS[key].title}; the file is {content.shape}"
        )
    return content


def _refuse(content: Content) -> None:
    """Refuse files without outcomes of single queries, naming the file that has them."""
    if content.shape == TEXT and _is_qrels(content):
        raise DataError(
            f"{content.name}: relevance judgements (qrels), not results; pass the run as path and "
            "this file as qrels="
        )
    if content.shape != JSON or not isinstance(content.data, dict):
        return
    keys = set(content.data)
    means = f"{content.name}: only means over all queries, which have no documents;"
    if {"task_name", "scores"} <= keys or {"mteb_version", "scores"} <= keys:
        task = content.data.get("task_name", "<task>")
        raise DataError(
            f"{means} read {task}_predictions.json (from MTEB's prediction_folder=) with qrels="
        )
    if "results" in keys and {"configs", "versions", "n-shot"} & keys:
        raise DataError(
            f"{means} read samples_<task>_<time>.jsonl beside it (from lm_eval --log_samples)"
        )
    if {"eval", "status"} <= keys and "samples" not in keys:
        raise DataError(
            f"{means} the Inspect log has no samples; run Inspect with log_samples=True"
        )
    if keys and all(isinstance(v, int | float) for v in content.data.values()):
        raise DataError(f"{means} give a file with one row per query")


def _is_qrels(content: Content) -> bool:
    head = printed.head(content)
    # A fourth column of whole numbers after an iteration, which nearly everybody writes as 0.
    return bool(head) and all(
        len(r) == 4 and re.fullmatch(r"-?\d+", r[3]) and re.fullmatch(r"\d+|Q0", r[1]) for r in head
    )
