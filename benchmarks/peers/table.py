"""The comparison as rows: one per size and peer, with ratios and lower bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from peers.catalogue import PEERS
from peers.data import Case
from peers.measure import Measurement


def table(
    case: Case,
    largest: int,
    found: Mapping[str, Measurement],
    differences: Mapping[str, Mapping[str, float]],
) -> pd.DataFrame:
    """Return a row per peer.

    ``ratio`` is its time divided by that of the first peer of its task; where ``stopped`` names a
    limit, ``seconds`` and ``ratio`` are lower bounds.
    """
    base: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    for key, measured in found.items():
        peer = PEERS[key]
        absent = measured.status == "absent"
        seconds = None if absent else measured.median
        if peer.task not in base and measured.status == "ok":
            base[peer.task] = measured.median
        first = base.get(peer.task)
        rows.append({
            "n_rows": case.n_rows, "n_groups": case.n_groups,
            "sizes": "equal" if case.equal else "unequal", "largest": largest,
            "task": peer.task, "peer": peer.title,
            "seconds": seconds,
            "fastest": None if absent else min(measured.seconds),
            "times": len(measured.seconds),
            "stopped": "" if measured.status == "ok" else measured.status,
            "ratio": seconds / first if first and not absent else None,
            "memory_mb": measured.memory,
            "traced_mb": measured.traced,
            "difference": max(differences.get(key, {}).values(), default=None),
        })  # fmt: skip
    return pd.DataFrame(rows)


def text(rows: pd.DataFrame) -> str:
    """Return the rows of one size for a terminal."""
    first = rows.iloc[0]
    lines = [
        f"\nN = {first['n_rows']:,}, K = {first['n_groups']:,} ({first['sizes']} sizes, the largest"
        f" document has {first['largest']:,} rows)"
    ]
    for task, part in rows.groupby("task", sort=False):
        heads = f"{'seconds':>10} {'ratio':>9} {'RSS, MB':>8} {'alloc':>6}  diff."
        lines.append(f"  {task:<44} {heads}")
        lines += [f"    {row['peer']:<42} {_numbers(row)}" for _, row in part.iterrows()]
    return "\n".join(lines)


def _numbers(row: pd.Series) -> str:
    if row["stopped"] == "absent":
        return f"{'not installed':>10}"
    sign = {"": "", "time": ">", "memory": ">"}[row["stopped"]]
    ratio = "" if pd.isna(row["ratio"]) else f"{sign}{row['ratio']:,.2f}"
    memory = "" if pd.isna(row["memory_mb"]) else f"{row['memory_mb']:,.0f}"
    traced = "" if pd.isna(row["traced_mb"]) else f"{row['traced_mb']:.1f}"
    last = f"stopped: {row['stopped']}" if row["stopped"] else f"{row['difference']:.0e}"
    return f"{sign + format(row['seconds'], '.3f'):>10} {ratio:>9} {memory:>8} {traced:>6}  {last}"
