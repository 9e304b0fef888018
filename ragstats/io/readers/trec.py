"""Rankings with judgements (TREC, BEIR, MTEB, ranx), and per-query measures as printed.

Measures are computed by ir_measures, which calls trec_eval's own code: documents are ordered
by score, ties by document id, and the rank column is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ragstats.exceptions import DataError, noun, plural
from ragstats.io.readers.content import Content
from ragstats.io.readers.files import parse_json, text_lines
from ragstats.io.readers.ids import shown
from ragstats.io.readers.judgements import as_number, nested_pairs
from ragstats.io.readers.options import Options
from ragstats.io.readers.raw import RawTable

WRITER = "ir_measures 0.4.3"
HIT = re.compile(r"hits?@(\d+)", re.IGNORECASE)
# Names in lower case for those ir_measures spells in capitals.
SPELLING = {"rr": "RR", "mrr": "RR", "ndcg": "nDCG", "ap": "AP", "map": "AP", "p": "P"}
SPELLING |= {"r": "R", "recall": "R", "precision": "P", "success": "Success"}


def looks_like_run(lines: Sequence[Sequence[str]]) -> bool:
    """Say whether lines have a ranking's six columns: rank and score are numbers."""
    return bool(lines) and all(
        len(line) == 6 and line[3].isdigit() and _is_number(line[4]) for line in lines
    )


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", cell) is not None


def looks_like_json_run(content: Content) -> bool:
    """Say whether JSON is {query: {document: number}}, or MTEB's predictions."""
    data = content.data
    if not isinstance(data, dict) or not data:
        return False
    if "mteb_model_meta" in data:
        return True
    return all(
        isinstance(ranked, dict) and all(type(v) in (int, float) for v in ranked.values())
        for ranked in data.values()
    )


def load_run(content: Content, options: Options) -> RawTable:
    """Return measures per query of a TREC run (six columns)."""
    rows = list(_run_rows(content))
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "system"])
    return _measured(content, run, "trec_run", options)


def load_json_run(content: Content, options: Options) -> RawTable:
    """Return measures per query of a ranking in JSON, MTEB's predictions included."""
    data = parse_json(content.text, content.name, unique_keys=True)
    data, system = _innermost(data, content)
    run = pd.DataFrame(nested_pairs(data, content.name), columns=["query_id", "doc_id", "score"])
    return _measured(content, run.assign(system=system), "run_json", options)


def _run_rows(content: Content) -> Iterator[tuple[str, str, float, str]]:
    for number, line in enumerate(text_lines(content.text, content.name), start=1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != 6:
            raise DataError(
                f"{content.name}, line {number}: {plural(len(cells), 'column')}, where a TREC run"
                " has 6 (query, Q0, document, rank, score, tag); cut short?"
            )
        yield cells[0], cells[2], as_number(cells[4], content.name, number), cells[5]


def _innermost(data: Any, content: Content) -> tuple[Any, str]:
    """Return {query: {document: score}} and the system, out of MTEB's subset and split."""
    if not isinstance(data, dict) or "mteb_model_meta" not in data:
        return data, content.stem
    meta = data["mteb_model_meta"]
    named = (meta.get("model_name") or meta.get("name")) if isinstance(meta, dict) else None
    inner = {k: v for k, v in data.items() if k != "mteb_model_meta"}
    for level in ("subset", "split"):
        if len(inner) != 1:
            raise DataError(
                f"{content.name}: {len(inner)} {level}s ({shown(list(inner))}); one at a time can "
                "be read with its qrels: keep one in the file"
            )
        inner = next(iter(inner.values()))
        if not isinstance(inner, dict):
            raise DataError(f"{content.name}: no object {{query: {{document: score}}}} inside")
    return inner, str(named or content.stem)


def _measured(content: Content, run: pd.DataFrame, key: str, options: Options) -> RawTable:
    judgements = options.judgements
    if judgements is None:
        raise DataError(
            f"{content.name}: a ranking has no scores without judgements; pass their file as qrels="
        )
    _check_run(run, content.name)
    # The tag may differ from the system's name, but within a file it tells systems apart.
    tables = [
        _one_system(rows, str(s), judgements, options)
        for s, rows in run.groupby("system", sort=False)
    ]
    frame = pd.concat(tables, ignore_index=True)
    columns = [c for c in frame.columns if c not in ("query_id", "system")]
    return RawTable(
        frame=frame,
        name=content.name,
        format=key,
        system_name=content.stem,
        query=("query_id",),
        system="system",
        scores={c: c for c in columns},
        covariates=(),
        notes=(*content.notes(), *_coverage(run, judgements, frame, columns, content.name)),
    )


def _check_run(run: pd.DataFrame, name: str) -> None:
    if run.empty:
        raise DataError(f"{name}: the ranking is empty")
    twice = run.duplicated(["system", "query_id", "doc_id"])
    if twice.any():
        first = run[twice].iloc[0]
        raise DataError(
            f"{name}: {plural(int(twice.sum()), 'document is', 'documents are')} ranked twice for"
            f" one query (first: query {first['query_id']!r}, document {first['doc_id']!r})"
        )


def _one_system(
    run: pd.DataFrame, system: str, judgements: pd.DataFrame, options: Options
) -> pd.DataFrame:
    """Return one row per judged query: measures, or nothing where the run has no answer."""
    ir_measures = _ir_measures()
    wanted = {_column(text): _measure(ir_measures, text) for text in options.measures}
    qrels = judgements[["query_id", "doc_id"]].assign(relevance=judgements["grade"].astype(int))
    ranking = run[["query_id", "doc_id", "score"]]
    try:
        values = list(ir_measures.iter_calc(list(wanted.values()), qrels, ranking))
    except ValueError as error:
        raise DataError(f"measures: ir_measures cannot compute them here: {error}") from None
    found = {(m.query_id, m.measure): float(m.value) for m in values}
    queries = list(dict.fromkeys(judgements["query_id"]))
    answered = set(run["query_id"])
    columns = {
        name: [found.get((q, measure), np.nan) if q in answered else np.nan for q in queries]
        for name, measure in wanted.items()
    }
    return pd.DataFrame({"query_id": queries, "system": system, **columns})


def _ir_measures() -> Any:
    try:
        import ir_measures
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "measures of a ranking are computed by ir_measures: pip install 'ragstats[readers]'"
        ) from None
    return ir_measures


def _measure(ir_measures: Any, text: str) -> Any:
    hit = HIT.fullmatch(text)
    spelled = f"Success@{hit[1]}" if hit else re.sub(r"^[A-Za-z]+", _spelled, text)
    try:
        return ir_measures.parse_measure(spelled)
    except (NameError, ValueError, SyntaxError, AssertionError):
        raise DataError(
            f"measures: {text!r} is not a measure; use e.g. 'hit@5', 'RR', 'nDCG@10', 'R@100'"
        ) from None


def _spelled(match: re.Match[str]) -> str:
    return SPELLING.get(match[0].lower(), match[0])


def _column(text: str) -> str:
    return re.sub(r"\W+", "_", text.replace("@", "_at_")).strip("_").lower()


def _coverage(
    run: pd.DataFrame,
    judgements: pd.DataFrame,
    frame: pd.DataFrame,
    columns: Sequence[str],
    name: str,
) -> list[str]:
    notes = [f"{name}: {', '.join(columns)} computed with ir_measures; ties by document id"]
    unjudged = set(run["query_id"]) - set(judgements["query_id"])
    if unjudged:
        notes.append(
            f"{name}: {plural(len(unjudged), 'query of the run has', 'queries of the run have')}"
            f" no judgements and {noun(len(unjudged), 'was', 'were')} dropped"
        )
    silent = int(frame[columns[0]].isna().sum())
    if silent:
        notes.append(
            f"{name}: {silent} judged queries are not in the run: no score, which unscored='zero' "
            "counts as a miss"
        )
    return notes
