"""Per-query measures as ``trec_eval -q`` and ``ir_measures -q`` print them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pandas as pd

from ragstats.exceptions import DataError
from ragstats.io.readers.content import Content
from ragstats.io.readers.files import text_lines
from ragstats.io.readers.judgements import as_number
from ragstats.io.readers.options import Options
from ragstats.io.readers.raw import RawTable

WRITER_TREC = "trec_eval 9.0"
WRITER_IR = "ir_measures 0.4.3"
ALL = "all"
TREC_MEASURE = re.compile(
    r"runid|num_\w+|map(_cut_\d+|_avgjg)?|gm_(map|bpref)|R[Pp]rec\w*|bpref|recip_rank|infAP|P_\d+"
    r"|P_avgjg_\d+|iprec_at_recall_[\d.]+|recall_\d+|relative_P_\d+|utility|11pt_avg|ndcg(_rel|_cut_\d+)?"
    r"|Rndcg|binG|G|success_\d+|set_\w+|yaap|relstring(_\d+)?"
)
IR_MEASURE = re.compile(
    r"(M?AP|M?RR|nDCG|NDCG|P|Precision|R|Recall|Success|Accuracy|Judged|[BR]-?[Pp]re[cf]|infAP|ERR"
    r"|Compat|IN(SQ|ST)|IPrec|Num(Q|Rel|Ret|RelRet)|RBP|BPM|SDCG|NERR\d+|n?NRBP|Set(F|P|R|AP|RelP)"
    r"|StRecall|(M?AP|P|n?ERR)_IA|(alpha|α)_n?DCG)(\([^()]*\))?(@\d+)?"
)
TEXT_MEASURE = re.compile(r"runid|relstring(_\d+)?")
# Sizes of a query's answer and pictures of it, not outcomes.
COUNTS = re.compile(r"relstring(_\d+)?|num_\w+|Num(Q|Rel|Ret|RelRet)(\([^()]*\))?")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan")
HINT = "This output names no document: pass documents= (query to document) or qrels=."


def head(content: Content) -> list[list[str]]:
    """Return the cells of the first lines that have any, divided at white space."""
    found: list[list[str]] = []
    # Enough for twenty lines of any of these formats, and no walk through a long table.
    for line in content.text[:20_000].split("\n")[:-1] or [content.text]:
        cells = line.split()
        if cells:
            found.append(cells)
        if len(found) == 20:
            break
    return found


def looks_like_trec_eval(content: Content) -> bool:
    """Say whether the first column names measures of trec_eval."""
    lines = head(content)
    return bool(lines) and all(len(r) >= 3 and TREC_MEASURE.fullmatch(r[0]) for r in lines)


def looks_like_ir_measures(content: Content) -> bool:
    """Say whether the second column names measures as ir_measures writes them."""
    lines = head(content)
    return bool(lines) and all(
        len(r) == 3 and IR_MEASURE.fullmatch(r[1]) and NUMBER.fullmatch(r[2]) for r in lines
    )


def load_trec_eval(content: Content, options: Options) -> RawTable:
    """Return one row per query; the run's name is the system; ``options`` are not needed."""
    table = pd.DataFrame(_lines(content, ("measure", "query_id")), columns=_COLUMNS)
    runs = table.loc[table["measure"] == "runid", "value"].to_list()
    printed = table.loc[(table["measure"] == "num_q") & (table["query_id"] == ALL), "value"]
    table = table[~table["measure"].isin(["runid", "num_q"])]
    raw = _long(content, table, "trec_eval", str(runs[0]) if runs else content.stem)
    _check_count(raw, printed, content.name)
    return raw


def load_ir_measures(content: Content, options: Options) -> RawTable:
    """Return one row per query of tab-separated output; ``options`` are not needed."""
    table = pd.DataFrame(_lines(content, ("query_id", "measure")), columns=_COLUMNS)
    return _with_zeros_noted(_long(content, table, "ir_measures", content.stem))


def load_ir_measures_jsonl(content: Content, options: Options) -> RawTable:
    """Return one row per query of ``-o jsonl`` output; ``options`` are not needed."""
    found = []
    for number, record in enumerate(content.data, start=1):
        if not {"query_id", "measure", "value"} <= set(record):
            raise DataError(f"{content.name}, line {number}: no query_id, measure and value")
        found.append((record["measure"], record["query_id"], record["value"]))
    table = pd.DataFrame(found, columns=_COLUMNS)
    return _with_zeros_noted(_long(content, table, "ir_measures", content.stem))


def _with_zeros_noted(raw: RawTable) -> RawTable:
    zeros = int(sum(value == 0 for value in raw.frame["value"].to_list()))
    if not zeros:
        return raw
    return raw.with_notes(
        f"{raw.name}: {zeros} zeros: ir_measures also prints 0 for a query the run does not answer"
    )


_COLUMNS = ["measure", "query_id", "value"]


def _lines(content: Content, order: tuple[str, str]) -> Iterator[tuple[str, str, object]]:
    swap = order[0] != "measure"
    for number, line in enumerate(text_lines(content.text, content.name), start=1):
        cells = line.split(None, 2)
        if not cells:
            continue
        if len(cells) != 3:
            raise DataError(
                f"{content.name}, line {number}: {len(cells)} columns, where 3 are needed "
                f"({order[0]}, {order[1]}, value); cut short?"
            )
        measure, query = (cells[1], cells[0]) if swap else (cells[0], cells[1])
        text = cells[2].strip()
        is_text = TEXT_MEASURE.fullmatch(measure) is not None
        yield measure, query, text if is_text else as_value(text, content.name, number)


def as_value(text: str, name: str, line: int) -> float | None:
    """Return a printed value; ``nan`` is a measure that could not be computed."""
    return None if text.lower() == "nan" else as_number(text, name, line)


def _long(content: Content, table: pd.DataFrame, key: str, system: str) -> RawTable:
    is_all = (table["query_id"] == ALL).to_numpy(dtype=bool)
    single = table.loc[~is_all].reset_index(drop=True)
    if single.empty:
        raise DataError(
            f"{content.name}: only means over all queries; print each query with the option -q"
        )
    counts = single["measure"].map(lambda m: COUNTS.fullmatch(str(m)) is not None).to_numpy(bool)
    notes = list(content.notes())
    if is_all.any():
        notes.append(
            f"{content.name}: {int(is_all.sum())} rows of query 'all' dropped: they hold means"
        )
    if counts.any():
        notes.append(f"{content.name}: rows of counts (num_*) left out: they are no outcomes")
    return RawTable(
        frame=single.loc[~counts].reset_index(drop=True).astype({"value": object}),
        name=content.name,
        format=key,
        system_name=system,
        query=("query_id",),
        metric="measure",
        value="value",
        covariates=(),
        hint=HINT,
        notes=tuple(notes),
    )


def _check_count(raw: RawTable, printed: pd.Series, name: str) -> None:
    found = raw.frame["query_id"].nunique()
    for count in printed:
        if count != found:
            raise DataError(f"{name}: {found} queries, but num_q says {count}; lines are missing")
