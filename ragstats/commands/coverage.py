"""``ragstats coverage``: do the intervals cover, on data like yours?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ragstats.commands.options import (
    Doc,
    Estimand,
    File,
    Json,
    Query,
    Score,
    System,
    note_pooled,
    read_table,
    say,
)


def coverage_command(
    file: File,
    doc: Doc,
    score: Score,
    estimand: Estimand,
    documents: Annotated[int, typer.Option(help="Documents of each sample.")],
    replications: Annotated[int, typer.Option(help="Samples to draw.")] = 2000,
    methods: Annotated[
        str, typer.Option(help="all, closed-form, or names by comma.")
    ] = "closed-form",
    design: Annotated[str, typer.Option(help="srs, stratified or two-stage.")] = "srs",
    strata: Annotated[str | None, typer.Option(help="Column of strata.")] = None,
    queries_per_document: Annotated[int | None, typer.Option(help="For two-stage.")] = None,
    system: System = None,
    name: Annotated[str | None, typer.Option(help="The system to try.")] = None,
    baseline: Annotated[
        str | None, typer.Option(help="Try the difference from this system.")
    ] = None,
    query: Query = None,
    unmatched: Annotated[
        str, typer.Option(help="Queries of one system only: error or pairwise.")
    ] = "error",
    fpc: Annotated[bool, typer.Option(help="Apply the finite population correction.")] = False,
    alpha: Annotated[float, typer.Option(help="Intervals have level 1 - alpha.")] = 0.05,
    n_boot: Annotated[int, typer.Option(help="Resamples of the bootstraps.")] = 999,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 1,
    jobs: Annotated[int, typer.Option(help="Processes; the numbers do not depend on it.")] = 1,
    json: Json = None,
) -> None:
    """Draw many samples of your documents, and count how often each interval holds the truth."""
    import ragstats as rs

    frame, digest = read_table(file, ids=(doc, system, query))
    note_pooled(frame, system)
    wanted: Any = methods if methods in ("all", "closed-form") else methods.split(",")
    result = rs.simulate_coverage(
        frame, score=score, doc=doc, documents=documents, estimand=estimand,
        replications=replications, methods=wanted, design=design, strata=strata,
        queries_per_document=queries_per_document, system=system, systems=name, baseline=baseline,
        query=query, unmatched=unmatched, fpc=fpc, alpha=alpha, n_boot=n_boot, seed=seed,
        n_jobs=jobs,
    )  # fmt: skip
    say(
        result.summary(),
        {"source": {"file": file.name, "sha256": digest}, **result.to_dict()},
        json,
    )
