"""One peer in a process of its own: ``worker.py KEY FOLDER WARM_FOLDER``.

It reads the rows, fits small ones to load and compile everything, says ``ready``, and then answers
each line of its input by one line of JSON: ``fit`` is one fit with its time, memory and numbers,
``turn`` are the times of a few, ``trace`` traces the allocations.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import json
import sys
import time
import tracemalloc
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from peers.catalogue import PEERS
from peers.data import read


def say(**answer: Any) -> None:
    print(json.dumps(answer), flush=True)


def memory(field: str) -> float:
    """Return a line of /proc/self/status in MB (Linux; elsewhere NaN)."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(field)) / 1024
    except OSError:
        return float("nan")


def forget_peak() -> None:
    try:
        with open("/proc/self/clear_refs", "w") as reset:
            reset.write("5")
    except OSError:
        pass


def version(name: str) -> str:
    """Return that of the installed package, or of the module, which may be a source tree."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return str(importlib.import_module(name).__version__)


def turn(fit: Any) -> list[float]:
    """Return the times of up to ten fits in about a quarter of a second, at least of one."""
    taken: list[float] = []
    while len(taken) < 10 and sum(taken) < 0.25:
        gc.collect()
        start = time.perf_counter()
        fit()
        taken.append(time.perf_counter() - start)
    return taken


def traced(fit: Any) -> float:
    """Return the peak of what a fit allocates, in MB."""
    gc.collect()
    tracemalloc.start()
    fit()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def main() -> None:
    key, folder, warm = sys.argv[1:]
    peer = PEERS[key]
    warnings.simplefilter("ignore")
    try:
        peer.prepare(read(Path(warm)))()
    except ImportError as error:
        say(absent=f"{error.name} is not installed")
        return
    fit = peer.prepare(read(Path(folder)))
    say(ready=True, versions={name: version(name) for name in peer.packages})
    for command in sys.stdin:
        if command.strip() == "trace":
            say(traced=traced(fit))
            continue
        if command.strip() == "turn":
            say(seconds=turn(fit))
            continue
        gc.collect()
        forget_peak()
        before = memory("VmRSS")
        start = time.perf_counter()
        try:
            result = fit()
        except MemoryError as error:
            say(no_memory=str(error))
            return
        seconds = time.perf_counter() - start
        say(seconds=seconds, memory=memory("VmHWM") - before, values=peer.values(result))
        del result


if __name__ == "__main__":
    main()
