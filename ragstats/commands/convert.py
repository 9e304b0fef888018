"""``ragstats convert``: other programs' files → one row per query and system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ragstats.commands.options import Json, say
from ragstats.exceptions import DataError, nearest, plural

_WRITERS = (".csv", ".parquet")


def convert_command(
    file: Annotated[list[Path], typer.Argument(metavar="FILE…", help="What to read.")],
    to: Annotated[Path, typer.Option(help="Where to write: .csv or .parquet.")],
    format: Annotated[
        str | None, typer.Option(help="Format; recognised from the content if not given.")
    ] = None,
    doc: Annotated[str | None, typer.Option(help="Field of documents.")] = None,
    score: Annotated[list[str] | None, typer.Option(help="Fields of scores.")] = None,
    query: Annotated[str | None, typer.Option(help="Field of queries.")] = None,
    system: Annotated[str | None, typer.Option(help="Field of systems.")] = None,
    repetition: Annotated[str | None, typer.Option(help="Field of repetitions, or #.")] = None,
    documents: Annotated[
        Path | None, typer.Option(help="Table of query and document, where FILE names none.")
    ] = None,
    qrels: Annotated[Path | None, typer.Option(help="Relevance judgements of a TREC run.")] = None,
    unscored: Annotated[str, typer.Option(help="keep, drop, zero, one or raise.")] = "keep",
    json: Json = None,
) -> None:
    """Read evaluators' files (Ragas, Inspect, lm-eval, TREC, …) and write a plain table."""
    import ragstats as rs
    from ragstats.reporting.files import check_place
    from ragstats.writing import naming

    if to.suffix not in _WRITERS:
        raise DataError(f"--to={to.name!r} ends in {to.suffix!r}{nearest(to.suffix, _WRITERS)};"
                        f" {' or '.join(_WRITERS)}")  # fmt: skip
    check_place(to, "--to")
    source: Any = file[0] if len(file) == 1 else file
    scores = rs.read_scores(
        source, format=format, doc=doc, score=score, query=query, system=system,
        repetition=repetition, documents=documents, qrels=qrels, unscored=unscored,
    )  # fmt: skip
    beside = to.with_name(f".{to.name}.part")
    with naming("--to", to):
        try:
            if to.suffix == ".csv":
                scores.frame.to_csv(beside, index=False)
            else:
                scores.frame.to_parquet(beside, index=False)
            beside.replace(to)
        finally:
            beside.unlink(missing_ok=True)
    facts = {
        "format": scores.format,
        "document_field": scores.document_field,
        "rows": len(scores.frame),
        "unscored": scores.unscored,
        "notes": list(scores.notes),
        "sha256": scores.sha256,
    }
    say(f"{scores}\nwrote {to}: {plural(len(scores.frame), 'row')}", facts, json)
