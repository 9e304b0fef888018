"""Write what the asv suite measured last as results/growth.csv, without the name of the machine.

cd benchmarks && asv machine --yes
asv run --python=same --set-commit-hash $(git rev-parse HEAD) && python growth_table.py
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
#: asv writes parameters as Python would.
QUOTES = "'\""


def rows(stored: dict[str, object]) -> pd.DataFrame:
    """Return one row per class and parameters, with the columns of what was measured."""
    columns = stored["result_columns"]
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for name, values in stored["results"].items():
        cells = dict(zip(columns, values, strict=False))
        _, group, method = name.split(".")
        kind, _, what = method.partition("_")
        for value, given in zip(
            cells["result"] or (), itertools.product(*cells["params"]), strict=True
        ):
            key = (group, what, *(p.strip(QUOTES) for p in given))
            found.setdefault(key, {})[kind] = value
    return pd.DataFrame(
        {
            "what": f"{group}.{what}",
            "parameters": ", ".join(given),
            "seconds": value.get("time"),
            "peak_mb": value["peakmem"] / 2**20 if value.get("peakmem") else None,
        }
        for (group, what, *given), value in found.items()
    )


def main() -> None:
    stored = [
        path for path in (HERE / ".asv/results").glob("*/*.json") if path.name != "machine.json"
    ]
    newest = max(stored, key=lambda path: path.stat().st_mtime)
    table = rows(json.loads(newest.read_text()))
    table.to_csv(HERE / "results/growth.csv", index=False, float_format="%.4g")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
