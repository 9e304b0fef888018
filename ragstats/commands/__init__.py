"""The commands beside ``report`` and ``demo``, one module each."""

import typer

from ragstats.commands import compare, convert, coverage, crosscheck, gate, plan


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command(name="compare")(compare.compare_command)
    app.command(name="plan")(plan.plan_command)
    app.command(name="coverage")(coverage.coverage_command)
    app.command(name="convert")(convert.convert_command)
    app.command(name="crosscheck")(crosscheck.crosscheck_command)
    app.command(name="gate")(gate.gate_command)
