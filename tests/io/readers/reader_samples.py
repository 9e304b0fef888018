"""Where the samples are, what each needs to be read, and an Inspect archive made of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import zip_writer

SAMPLES = Path(__file__).with_name("samples")
LM_EVAL = "samples_toyqa_2026-01-05T10-00-00.000001.jsonl"
DEEPEVAL = "test_run_20260105_100000.json"
MAP = {"q1": "manual", "q2": "faq", "q3": "manual", "q4": "policy"}
TRACES = {"t1": "manual", "t2": "faq", "t3": "faq"}
RANKED: dict[str, Any] = {"qrels": SAMPLES / "qrels.trec", "doc_separator": "#"}

# file → format, and what its reader needs beside the path
READABLE: dict[str, tuple[str, dict[str, Any]]] = {
    "plain.csv": ("csv", {}),
    "semicolon.csv": ("csv", {"doc": "Quelle", "query": "Frage", "score": ["Treffer", "Anteil"]}),
    "long.csv": ("csv", {}),
    "plain.jsonl": ("jsonl", {}),
    "ragas.csv": ("ragas", {}),
    "inspect.json": ("inspect", {}),
    LM_EVAL: ("lm_eval", {}),
    "run.trec": ("trec_run", RANKED),
    "ranx_run.json": ("run_json", RANKED),
    "Toy_predictions.json": ("run_json", RANKED),
    "trec_eval_q.txt": ("trec_eval", {"documents": MAP}),
    "ir_measures_q.txt": ("ir_measures", {"documents": MAP}),
    "ir_measures_q.jsonl": ("ir_measures_jsonl", {"documents": MAP}),
    "promptfoo.json": ("promptfoo", {}),
    DEEPEVAL: ("deepeval", {}),
    "phoenix.csv": ("phoenix", {}),
    "phoenix.json": ("phoenix", {}),
    "langsmith.csv": ("langsmith", {}),
    "langfuse.csv": ("langfuse", {"documents": TRACES}),
    "langfuse.jsonl": ("langfuse", {"documents": TRACES}),
    "openai_evals.jsonl": (
        "openai_evals",
        {"documents": {f"toy.dev.{i}": "manual" for i in range(3)}},
    ),
}


def inspect_members(method: int = zip_writer.ZSTANDARD) -> list[zip_writer.Member]:
    """Return the members of an Inspect log with the samples of ``inspect.json``."""
    log = json.loads((SAMPLES / "inspect.json").read_text())
    samples = log.pop("samples")
    log.pop("reductions")
    parts = {"_journal/start.json": {"version": 2, "eval": log["eval"]}}
    for sample in samples:
        parts[f"samples/{sample['id']}_epoch_{sample['epoch']}.json"] = sample
    parts |= {"summaries.json": [], "header.json": log}
    return [zip_writer.Member(k, json.dumps(v).encode(), method) for k, v in parts.items()]
