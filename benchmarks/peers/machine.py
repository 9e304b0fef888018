"""Where it ran, in words that name no one: processor, memory, system, versions."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any


def describe() -> dict[str, Any]:
    """Return the machine, its system and the numerical libraries."""
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "processor": _field("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": os.cpu_count(),
        "memory in GB": round(_kilobytes(_field("/proc/meminfo", "MemTotal")) / 1024**2, 1),
        "system": _field("/etc/os-release", "PRETTY_NAME", "=").strip('"') or platform.platform(),
        "kernel": platform.release().split("-")[0],
        "Python": platform.python_version(),
        "BLAS of NumPy": f"{blas['name']} {blas['version']}",
    }


def _field(path: str, name: str, separator: str = ":") -> str:
    """Return a value of a file of names and values, or ""."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return ""
    pairs = (line.partition(separator) for line in lines)
    return next((value.strip() for key, _, value in pairs if key.strip() == name), "")


def _kilobytes(text: str) -> float:
    return float(text.split()[0]) if text else float("nan")
