"""The command line: ``ragstats demo``, ``ragstats report``, and the commands of ``commands``."""

from __future__ import annotations

import sys
import warnings
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

import ragstats as rs
from ragstats.commands import register
from ragstats.commands.flags import as_flags
from ragstats.commands.options import File, note_pooled, read_foreign, read_table
from ragstats.extras import MissingExtraError
from ragstats.reporting.outputs import Outputs
from ragstats.reporting.report import Report, report

app = typer.Typer(
    help="Honest uncertainty for retrieval and RAG evaluations.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)

#: Exit status for input that cannot be analysed.
BAD_INPUT = 2

Html = Annotated[Path | None, typer.Option(help="Write the report as one HTML page.")]
Json = Annotated[Path | None, typer.Option(help="Write it as JSON, with the aggregates.")]
Markdown = Annotated[Path | None, typer.Option(help="Write it as Markdown.")]
Figures = Annotated[
    Path | None, typer.Option(help="Write its figures to this folder, as SVG and PNG.")
]


@app.command()
def demo(
    html: Html = None, json: Json = None, markdown: Markdown = None, figures: Figures = None
) -> None:
    """Run the whole procedure on the shipped retrieval outcomes."""
    outputs = Outputs(html, json, markdown, figures)
    outputs.check()
    scores = rs.datasets.load_retrieval()
    found = report(
        scores,
        doc="doc_id",
        score="hit_at_1",
        system="system",
        query="query_id",
        baseline="bm25",
        title="Four retrievers on Debian manual pages: hit at rank 1",
        estimand="micro",
        why_estimand="the question is which share of all chunks a system ranks first",
        population="5,588 English manual pages of 109 Debian 12 packages",
        design="simple random sample of 1,300 pages without replacement",
        levels="pages were drawn; every chunk of a drawn page has one query",
        fraction=1300 / 5588,
        left_out="pages that were not drawn are not in the index, so the task is easier than with"
        " all of them",
        source="shipped retrieval outcomes (rs.datasets.load_retrieval)",
    )
    deliver(found, outputs)


@app.command(name="report")
def report_command(
    file: File,
    doc: Annotated[str, typer.Option(help="Column of document ids.")],
    score: Annotated[str, typer.Option(help="Column of scores.")],
    system: Annotated[str | None, typer.Option(help="Column of systems.")] = None,
    query: Annotated[str | None, typer.Option(help="Column of query ids, for pairing.")] = None,
    baseline: Annotated[str | None, typer.Option(help="System to compare the others with.")] = None,
    unmatched: Annotated[str, typer.Option(help="error, pairwise or stacked.")] = "error",
    estimand: Annotated[
        str | None, typer.Option(help="micro or macro: the mean that answers the question.")
    ] = None,
    why_estimand: Annotated[str, typer.Option(help="Why it answers the question.")] = "",
    population: Annotated[
        str, typer.Option(help="Which documents these stand for, in words.")
    ] = "",
    population_size: Annotated[
        int | None, typer.Option(help="Documents in the population; corrects the variances.")
    ] = None,
    design: Annotated[str, typer.Option(help="How the documents were drawn, in words.")] = "",
    levels: Annotated[str, typer.Option(help="What was drawn at each level, in words.")] = "",
    fraction: Annotated[
        float | None, typer.Option(help="Share of the population that is here, without its size.")
    ] = None,
    left_out: Annotated[
        list[str] | None, typer.Option(help="What else is not covered (may be repeated).")
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the report.")] = "",
    format: Annotated[
        str | None,
        typer.Option(help="FILE is of an evaluation program: auto, ragas, inspect, lm_eval, …"),
    ] = None,
    cov_type: Annotated[str, typer.Option(help="Covariance type, for instance CR2.")] = "CR2",
    df: Annotated[str, typer.Option(help="satterthwaite, K-1, K-p or normal.")] = "satterthwaite",
    alpha: Annotated[float, typer.Option(help="Intervals have level 1 - alpha.")] = 0.05,
    html: Html = None,
    json: Json = None,
    markdown: Markdown = None,
    figures: Figures = None,
) -> None:
    """Report the means of each system and their paired differences."""
    outputs = Outputs(html, json, markdown, figures)
    outputs.check(file)
    if format is None:
        frame, digest = read_table(file, ids=(doc, system, query))
    else:
        read = read_foreign(file, format, doc=doc, score=score, system=system, query=query)
        frame, digest, doc, system, query = read
    note_pooled(frame, system)
    found = report(
        frame, doc=doc, score=score, system=system, query=query, baseline=baseline,
        unmatched=unmatched, estimand=estimand, why_estimand=why_estimand, population=population,
        population_size=population_size, design=design, levels=levels, fraction=fraction,
        left_out=left_out or (), title=title, source=file.name, sha256=digest, cov_type=cov_type,
        df=df, alpha=alpha,
    )  # fmt: skip
    deliver(found, outputs)


register(app)


def deliver(result: Report, outputs: Outputs) -> None:
    """Write the files that were asked for, print the report, and say what was written."""
    written = outputs.write(result)
    show(result)
    for path in written:
        typer.echo(f"wrote {path} ({path.stat().st_size / 1000:,.0f} kB)", err=True)


def show(result: Report) -> None:
    """Print a report as wide as the terminal, up to 100 columns, and 80 in a pipe."""
    if not sys.stdout.isatty():
        sys.stdout.write(result.to_text())
        return
    from ragstats.reporting.text import render

    render(result.content, Console(width=min(Console().width, 100), highlight=False))


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; input that cannot be analysed is answered by one line and status 2."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without ν still gets its report
    with warnings.catch_warnings():
        warnings.showwarning = _one_line
        try:
            return app(args=arguments)
        except (ValueError, TypeError, MissingExtraError) as error:
            _say(as_flags(str(error), _options(sys.argv[1:] if arguments is None else arguments)))
            sys.exit(BAD_INPUT)


def _options(arguments: list[str]) -> list[str]:
    """Return the options of the command that was called, without dashes."""
    commands: Any = typer.main.get_command(app)
    called = commands.commands.get(next(iter(arguments), ""))
    options = [name for p in (called.params if called else ()) for name in p.opts]
    return [name.removeprefix("--") for name in options if name.startswith("--")]


def _one_line(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning as one line."""
    _say(f"warning: {message}")


def _say(text: str) -> None:
    Console(stderr=True, soft_wrap=True, highlight=False).print(f"ragstats: {text}", markup=False)


if __name__ == "__main__":
    main()
