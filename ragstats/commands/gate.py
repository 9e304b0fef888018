"""``ragstats gate``: rules on interval limits, for continuous integration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragstats.commands.options import Json, read_table, say
from ragstats.exceptions import DataError


def gate_command(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The TOML file with the rules.")],
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The scores; else 'file' of CONFIG.")
    ] = None,
    json: Json = None,
) -> None:
    """Check rules such as "the lower limit of B - A is at least -0.01".

    Exit status: 0 every rule holds; 1 a rule fails; 2 the input cannot be analysed; 3 no rule fails
    and one has no interval.
    """
    from ragstats.evaluation.gate import check_gate, exit_status, read_gate

    gate = read_gate(config)
    if file is None and not gate.file:
        raise DataError(
            "FILE is missing: name the scores on the command line, or as file = in CONFIG"
        )
    source = file or config.parent / gate.file
    ids = [gate.columns.get(name) for name in ("doc", "system", "query")]
    frame, digest = read_table(source, ids=ids)
    verdicts = check_gate(gate, frame)
    words = {True: "pass", False: "FAIL", None: "n/a "}
    lines = [
        f"{words[v.passed]}  {v.rule}: estimate {v.estimate:.4f}, {gate.level:.0%} interval"
        f" [{v.low:.4f}, {v.high:.4f}]" + (f" ({v.reason})" if v.reason else "")
        for v in verdicts
    ]
    status = exit_status(verdicts)
    result = {
        "status": status,
        "estimand": gate.estimand,
        "source": {"file": source.name, "sha256": digest},
        "rules": [
            {"rule": str(v.rule), "passed": v.passed, "estimate": v.estimate, "low": v.low,
             "high": v.high, "reason": v.reason}
            for v in verdicts
        ],
    }  # fmt: skip
    say("\n".join(lines), result, json)
    raise typer.Exit(status)
