"""``ragstats crosscheck``: the same fit in R clubSandwich, side by side."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from ragstats.commands.options import Doc, File, Json, read_table, say

#: Rows of a document from which R's n³ work takes long.
SLOW_IN_R = 700
#: Exit status when the numbers differ.
DISAGREES = 1


def crosscheck_command(
    file: File,
    doc: Doc,
    formula: Annotated[str, typer.Option(help="For instance 'hit ~ C(system)'.")],
    estimand: Annotated[str, typer.Option(help="micro or macro.")] = "micro",
    by: Annotated[str | None, typer.Option(help="Macro: column of systems.")] = None,
    cov_type: Annotated[str, typer.Option(help="Covariance type.")] = "CR2",
    df: Annotated[str, typer.Option(help="satterthwaite, K-1, K-p or normal.")] = "satterthwaite",
    keep: Annotated[Path | None, typer.Option(help="Keep data, script and answer here.")] = None,
    json: Json = None,
) -> None:
    """Fit, write the R script, run it with Rscript, and compare; status 1 when they disagree."""
    import ragstats as rs

    frame, _ = read_table(file, ids=(doc,))
    results = rs.ols(formula, frame, groups=doc, estimand=estimand, by=by).fit(
        cov_type=cov_type, df=df
    )
    largest = int(frame[doc].value_counts().iloc[0])
    if largest > SLOW_IN_R:
        typer.echo(
            f"clubSandwich decomposes {largest}×{largest} matrices for the largest document:"
            " this takes minutes",
            err=True,
        )
    with tempfile.TemporaryDirectory() as scratch:
        check = rs.compare_clubsandwich(results, keep or scratch, run=True)
    verdict = {
        "agrees": check.agrees,
        "largest_relative_difference": check.largest,
        "tolerance": check.tolerance,
        "table": check.table,
        "notes": list(check.notes),
    }
    say(check.summary(), verdict, json)
    if not check.agrees:
        raise typer.Exit(DISAGREES)
