"""``ragstats compare``: differences, leaderboard, equivalence."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ragstats.commands.options import Doc, Estimand, File, Json, Query, Score, read_table, say


def compare_command(
    file: File,
    doc: Doc,
    score: Score,
    system: Annotated[str, typer.Option(help="Column of systems.")],
    estimand: Estimand,
    query: Query = None,
    baseline: Annotated[str | None, typer.Option(help="System to compare the others with.")] = None,
    unmatched: Annotated[str, typer.Option(help="error, pairwise or stacked.")] = "error",
    covariates: Annotated[
        str | None, typer.Option(help="Terms of a formula to adjust for.")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="Test non-inferiority and equivalence within this margin.")
    ] = None,
    population_size: Annotated[
        int | None, typer.Option(help="Documents in the population.")
    ] = None,
    json: Json = None,
) -> None:
    """Compare systems on the same queries, documents being the sampling unit."""
    import ragstats as rs

    frame, digest = read_table(file, ids=(doc, system, query))
    c = rs.compare(
        frame, score=score, system=system, doc=doc, query=query, estimand=estimand,
        baseline=baseline, unmatched=unmatched, covariates=covariates, population=population_size,
    )  # fmt: skip
    joint, board = c.joint_test(), c.leaderboard()
    text = [c.summary(), "", _joint(joint), "", board.summary()]
    result: dict[str, Any] = {
        "source": {"file": file.name, "sha256": digest},
        "estimand": estimand,
        "unmatched": c.unmatched,
        "differences": c.differences,
        "joint_test": {name: getattr(joint, name) for name in joint.__slots__},
        "leaderboard": board,
        "unscored": c.scores.unscored,
    }
    if margin is not None:
        result["equivalence"] = table = c.equivalence(margin)
        text += ["", f"Margin {margin:g}:", table.to_string(float_format=lambda v: f"{v:.4f}")]
    say("\n".join(text), result, json)


def _joint(test: Any) -> str:
    if test.reason:
        return f"All systems equal: not available, {test.reason}"
    return (
        f"All systems equal: F = {test.statistic:.2f} on {test.df_num:g} and {test.df_denom:.1f}"
        f" df, p = {test.pvalue:.2g} (AHT)"
    )
