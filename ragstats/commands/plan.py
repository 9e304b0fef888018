"""``ragstats plan``: how many documents?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragstats.commands.options import Estimand, Json, note_pooled, read_table, say


def plan_command(
    estimand: Estimand,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The pilot: CSV, TSV or Parquet.")
    ] = None,
    doc: Annotated[str | None, typer.Option(help="Column of document ids.")] = None,
    score: Annotated[str | None, typer.Option(help="Column of scores.")] = None,
    query: Annotated[str | None, typer.Option(help="Column of query ids.")] = None,
    repetition: Annotated[str | None, typer.Option(help="Column of repeated judgements.")] = None,
    system: Annotated[str | None, typer.Option(help="Column of systems.")] = None,
    name: Annotated[str | None, typer.Option(help="The system to plan for.")] = None,
    baseline: Annotated[
        str | None, typer.Option(help="Plan a comparison with this system.")
    ] = None,
    unmatched: Annotated[
        str | None, typer.Option(help="Queries of one system only: error or pairwise.")
    ] = None,
    strata: Annotated[str | None, typer.Option(help="Column of strata, to allocate to.")] = None,
    halfwidth: Annotated[float | None, typer.Option(help="Half-width wanted.")] = None,
    documents: Annotated[int | None, typer.Option(help="Documents that can be had.")] = None,
    power: Annotated[float | None, typer.Option(help="Power wanted, for instance 0.8.")] = None,
    difference: Annotated[float | None, typer.Option(help="Difference to detect.")] = None,
    sd: Annotated[
        float | None, typer.Option(help="Standard deviation between documents, without a pilot.")
    ] = None,
    population: Annotated[
        str | None, typer.Option(help="Documents: 1300, or large=130,small=1170 by stratum.")
    ] = None,
    allocation: Annotated[
        str | None, typer.Option(help="neyman, proportional, equal, or large=10,small=10.")
    ] = None,
    certainty: Annotated[str | None, typer.Option(help="Strata to take whole, by comma.")] = None,
    budget: Annotated[float | None, typer.Option(help="Money to split.")] = None,
    cost_document: Annotated[float | None, typer.Option(help="Price of a document.")] = None,
    cost_query: Annotated[float | None, typer.Option(help="Price of a query.")] = None,
    cost_repetition: Annotated[float | None, typer.Option(help="Price of a judgement.")] = None,
    max_queries: Annotated[int | None, typer.Option(help="Queries per document, at most.")] = None,
    max_repetitions: Annotated[int | None, typer.Option(help="Judgements, at most.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Intervals have level 1 - alpha.")] = None,
    alternative: Annotated[str | None, typer.Option(help="two-sided, larger or smaller.")] = None,
    json: Json = None,
) -> None:
    """Answer how many documents a half-width or a power needs, from a pilot or an SD."""
    given = {key: value for key, value in locals().items() if key not in ("file", "json")}
    from ragstats.evaluation.planning import plan_from_options

    options = {key: value for key, value in given.items() if value is not None}
    frame = None if file is None else read_table(file, ids=(doc, system, query))[0]
    if frame is not None:
        note_pooled(frame, system)
    plan = plan_from_options(frame, **options)
    say(plan.summary(), plan.to_dict(), json)
