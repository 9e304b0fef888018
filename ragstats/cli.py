"""The command line: ``ragstats demo`` and ``ragstats report``."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from rich.console import Console

import ragstats as rs
from ragstats.exceptions import DataError, nearest
from ragstats.reporting.report import Report, report

app = typer.Typer(
    help="Honest uncertainty for retrieval and RAG evaluations.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)

#: Exit status for input that cannot be analysed.
BAD_INPUT = 2

_READERS = {".csv": pd.read_csv, ".tsv": lambda path: pd.read_csv(path, sep="\t"),
            ".parquet": pd.read_parquet}  # fmt: skip


def read_table(path: Path) -> tuple[pd.DataFrame, str]:
    """Read a CSV, TSV or Parquet file, and return it with its SHA-256.

    Raises
    ------
    DataError
        If the file is not there, empty, or not of a known kind.
    """
    if not path.is_file():
        raise DataError(f"FILE={str(path)!r} is not a file")
    suffix = path.suffixes[-2] if path.suffix == ".gz" and len(path.suffixes) > 1 else path.suffix
    if suffix not in _READERS:
        known = ", ".join(_READERS)
        raise DataError(
            f"FILE={path.name!r} ends in {suffix!r}{nearest(suffix, _READERS)}; {known}"
        )
    content = path.read_bytes()
    if not content.strip():
        raise DataError(f"FILE={path.name!r} is empty")
    try:
        frame = _READERS[suffix](path)
    except (
        pd.errors.ParserError,
        pd.errors.EmptyDataError,
        UnicodeDecodeError,
        OSError,
        ValueError,
    ) as error:
        raise DataError(
            f"FILE={path.name!r} cannot be read: {str(error).splitlines()[0]}"
        ) from None
    if frame.empty:
        raise DataError(f"FILE={path.name!r} has a header and no rows")
    return frame, hashlib.sha256(content).hexdigest()


@app.command()
def demo() -> None:
    """Run the whole procedure on the shipped retrieval outcomes."""
    scores = rs.datasets.load_retrieval()
    show(
        report(
            scores,
            doc="doc_id",
            score="hit_at_1",
            system="system",
            query="query_id",
            baseline="bm25",
            population="5,588 manual pages of Debian 12, of which these are 23% (intervals here do"
            " not use that: they speak of pages like these; --population-size 5588 would)",
            design="simple random sample of 1,300 pages; every chunk of a page has one query",
            source="shipped retrieval outcomes (rs.datasets.load_retrieval)",
        )
    )


@app.command(name="report")
def report_command(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="CSV, TSV or Parquet, one row per query and system."),
    ],
    doc: Annotated[str, typer.Option(help="Column of document ids.")],
    score: Annotated[str, typer.Option(help="Column of scores.")],
    system: Annotated[str | None, typer.Option(help="Column of systems.")] = None,
    query: Annotated[str | None, typer.Option(help="Column of query ids, for pairing.")] = None,
    baseline: Annotated[str | None, typer.Option(help="System to compare the others with.")] = None,
    unmatched: Annotated[str, typer.Option(help="error, pairwise or stacked.")] = "error",
    population: Annotated[
        str, typer.Option(help="Which documents these stand for, in words.")
    ] = "",
    population_size: Annotated[
        int | None, typer.Option(help="Documents in the population.")
    ] = None,
    design: Annotated[str, typer.Option(help="How the documents were drawn, in words.")] = "",
) -> None:
    """Report the means of each system and their paired differences."""
    frame, digest = read_table(file)
    show(
        report(
            frame, doc=doc, score=score, system=system, query=query, baseline=baseline,
            unmatched=unmatched, population=population, population_size=population_size,
            design=design, source=file.name, sha256=digest,
        )
    )  # fmt: skip


def show(result: Report) -> None:
    """Print a report as wide as the terminal, up to 100 columns, and 80 in a pipe."""
    from ragstats.reporting.text import WIDTH, render

    width = min(Console().width, 100) if sys.stdout.isatty() else WIDTH
    render(result.content, Console(width=width, highlight=False))


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; input that cannot be analysed is answered by one line and status 2."""
    try:
        return app(args=arguments)
    except (ValueError, TypeError) as error:
        Console(stderr=True, soft_wrap=True, highlight=False).print(
            f"ragstats: {error}", markup=False
        )
        sys.exit(BAD_INPUT)


if __name__ == "__main__":
    main()
