"""Which field is the query, the system, the repetition and the score, by what the user says,
what the format says, or what the field is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ragstats.exceptions import DataError
from ragstats.io.readers.cells import NUMBER, is_missing, notation
from ragstats.io.readers.ids import shown
from ragstats.io.readers.options import Options
from ragstats.io.readers.raw import OCCURRENCE, RawTable, resolve

# In order of preference; compared in lower case with "_" for blanks and hyphens.
QUERY_NAMES = ("query_id", "qid", "queryid", "question_id", "example_id", "sample_id", "item_id",
               "query")  # fmt: skip
SYSTEM_NAMES = ("system", "system_id", "model", "retriever", "pipeline", "run")
REPETITION_NAMES = ("repetition", "repetition_number", "replicate", "epoch", "trial")
METRIC_NAMES = ("metric", "measure")
VALUE_NAMES = ("score", "value")

# Per-query measures under the names evaluators give them; anything else must be asked for.
MEASURE = re.compile(
    r"(p|r)(_at)?_?\d+|(score|hits?|hit_rate|success|recall|precision|f1|ndcg|ndcg_cut|map|map_cut|ap|mrr|rr"
    r"|recip_rank|accuracy|acc|acc_norm|em|exact_match|correct|faithfulness"
    r"|answer_(relevancy|correctness|similarity|accuracy)|response_relevancy"
    r"|context_(precision|recall|relevance|entity_recall|utilization)"
    r"|(llm|non_llm|id_based)_context_(precision|recall).*|nv_.*|semantic_similarity"
    r"|factual_correctness.*|noise_sensitivity.*|response_groundedness)"
    r"(_?(at|cut)?_?\d+)?"
)


def normal(name: str) -> str:
    """Return a field name as it is compared."""
    return re.sub(r"[\s@-]+", "_", name.strip().replace("@", "_at_")).lower().replace("__", "_")


def with_roles(raw: RawTable, options: Options) -> RawTable:
    """Return the table with its roles filled in: the user's word first, then the format's."""
    fields = list(raw.frame.columns)
    by_name = raw.query is None or raw.open_roles
    named = tuple(_called(fields, QUERY_NAMES)) if by_name else ()
    query = named or raw.query or ()
    if options.query:
        query = tuple(resolve("query", name, fields) for name in options.query)
    # Counting occurrences is the format's way of reading its own ids, not anybody else's.
    repetition = raw.repetition if query == raw.query or raw.repetition != OCCURRENCE else None
    raw = replace(
        raw,
        query=query,
        system=_role("system", options.system, raw.system, fields, SYSTEM_NAMES, by_name),
        repetition=_role(
            "repetition", options.repetition, repetition, fields, REPETITION_NAMES, by_name
        ),
    )
    if options.system_name is not None:
        raw = replace(raw, system=None, system_name=options.system_name)
    return _long_form(raw, options, fields)


def _role(
    argument: str,
    asked: str | None,
    said: str | None,
    fields: list[str],
    usual: Sequence[str],
    by_name: bool,
) -> str | None:
    if asked is not None:
        return asked if asked == OCCURRENCE else resolve(argument, asked, fields)
    named = _called(fields, usual) if by_name else []
    return named[0] if named else said


def _called(fields: Sequence[str], names: Sequence[str]) -> list[str]:
    by_name = {normal(field): field for field in reversed(list(fields))}
    return [by_name[name] for name in names if name in by_name][:1]


def _long_form(raw: RawTable, options: Options, fields: list[str]) -> RawTable:
    """Find the columns of a table with one row per measure, where it is one."""
    if raw.metric is not None:
        return raw
    if options.metric is None and (options.score or raw.scores is not None or raw.maybe_scores):
        return raw
    metric = next(iter(_called(fields, METRIC_NAMES)), None)
    if options.metric is not None:
        metric = resolve("metric", options.metric, fields)
    value = next(iter(_called(fields, VALUE_NAMES)), None)
    if metric is None or value is None:
        if options.metric is None:
            return raw
        raise DataError(
            f"{raw.name}: metric={metric!r} needs a column 'score' or 'value' with the values; "
            f"name it with columns={{'its name': 'score'}}"
        )
    note = f"{raw.name}: one row per measure: {metric!r} names it, {value!r} holds it"
    return replace(raw, metric=metric, value=value, notes=(*raw.notes, note))


def score_fields(raw: RawTable, options: Options, taken: set[str]) -> dict[str, str]:
    """Return the fields that are scores, by the names they will have.

    Raises
    ------
    DataError
        If none is named and none is recognised: the candidates are listed.
    """
    known = dict(raw.scores or {})
    if options.score:
        fields = list(raw.frame.columns)
        return {s: known[s] if s in known else resolve("score", s, fields) for s in options.score}
    if known:
        return known
    open_fields = raw.maybe_scores or tuple(raw.frame.columns)
    named = [f for f in open_fields if f not in taken and MEASURE.fullmatch(normal(f))]
    unit = [f for f in raw.maybe_scores if f not in taken and f not in named and _unit(raw, f)]
    if named or unit:
        return {f: f for f in open_fields if f in {*named, *unit}}
    numeric = [f for f in raw.frame.columns if f not in taken and _numeric(raw, f)]
    found = f"candidates: {shown(numeric)}" if numeric else "no field holds numbers"
    raise DataError(
        f"{raw.name}: no field is named like a score; pass score= with its name; {found}"
    )


def _unit(raw: RawTable, field: str) -> bool:
    cells = [c for c in raw.frame[field].to_list() if not is_missing(c)]
    plain = bool(cells) and all(notation(cell) == NUMBER for cell in cells)
    return plain and all(0.0 <= float(cell) <= 1.0 for cell in cells)


def _numeric(raw: RawTable, field: str) -> bool:
    cells = [c for c in raw.frame[field].to_list() if not is_missing(c)]
    return bool(cells) and all(notation(cell) not in ("list", "object", "text") for cell in cells)
