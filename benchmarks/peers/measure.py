"""Times of one peer, taken in a process of its own that is stopped at a limit."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peers.catalogue import PEERS

HERE = Path(__file__).parent
#: One thread in every library that would take more.
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON", "POLARS")
}
#: Seconds for the start of a process: imports, compilation, a small fit.
START = 300.0
#: A first fit that takes longer is not repeated.
SLOW = 5.0
POLL = 0.05


@dataclass(frozen=True, slots=True)
class Limits:
    """What one fit may take: wall time, and the resident set of its process."""

    seconds: float = 60.0
    gigabytes: float = 8.0


@dataclass(slots=True)
class Measurement:
    """What came of one peer at one size.

    ``status`` is "ok", "time" or "memory" (stopped at a limit: ``seconds`` has the time until
    then), or "absent". ``memory`` is the growth of the resident set in MB during the first fit.
    """

    status: str = "ok"
    note: str = ""
    seconds: list[float] = field(default_factory=list)
    memory: float | None = None
    traced: float | None = None
    values: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """The median of the times; a lower bound if it was stopped."""
        return statistics.median(self.seconds)


class Stopped(Exception):
    """A limit was reached; ``kind`` is "time" or "memory"."""

    def __init__(self, kind: str, seconds: float, memory: float):
        self.kind, self.seconds, self.memory = kind, seconds, memory
        super().__init__(f"{kind} limit after {seconds:.1f} s with {memory:.0f} MB")


class Worker:
    """A process that answers lines by lines of JSON, within limits."""

    def __init__(self, command: Sequence[str], limits: Limits):
        self.limits = limits
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the worker)
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            env={**os.environ, **ONE_THREAD},
        )  # fmt: skip
        self.buffer = b""

    def ask(self, command: str, seconds: float) -> dict[str, Any]:
        """Send a command ("" for none) and return the answer; raise Stopped at a limit."""
        if command:
            self.process.stdin.write(f"{command}\n".encode())
            self.process.stdin.flush()
        start, peak = time.monotonic(), 0.0
        while (line := self._line()) is None:
            peak = max(peak, resident(self.process.pid))
            elapsed = time.monotonic() - start
            over = peak > self.limits.gigabytes * 1024
            if over or elapsed > seconds:
                raise Stopped("memory" if over else "time", elapsed, peak)
        return dict(json.loads(line))

    def _line(self) -> bytes | None:
        """Return the next line of JSON that is there within a moment."""
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], POLL)[0]:
                return None
            piece = os.read(self.process.stdout.fileno(), 65536)
            if not piece:
                raise RuntimeError(f"{self.process.args} failed:\n{self.told()}")
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line if line.startswith(b"{") else self._line()

    def told(self) -> str:
        """Return the end of what it wrote as errors."""
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")[-2000:]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.errors):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def resident(pid: int) -> float:
    """Return the resident set of a process in MB (Linux; elsewhere 0)."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def command_of(key: str, folders: Sequence[Path], python: str) -> list[str] | None:
    """Return the command that starts a peer; None where there is no R."""
    arguments = [key, *map(str, folders)]
    if PEERS[key].runs == "R":
        found = shutil.which("Rscript")
        return [found, "--vanilla", str(HERE / "worker.R"), *arguments] if found else None
    interpreter = python if PEERS[key].runs == "there" else sys.executable
    return [interpreter, str(HERE / "worker.py"), *arguments]


def measure(
    keys: Iterable[str],
    folders: Sequence[Path],
    python: str,
    repeat: int,
    limits: Limits,
    slow: float = SLOW,
) -> dict[str, Measurement]:
    """Measure peers on the rows of a folder (and warm them up on those of a second one).

    Each fits once, which is measured for its memory and for whether it is slow. Those that are not
    slow then take turns, so that whatever else the machine does falls on all of them. A short fit
    is repeated within its turn.
    """
    found: dict[str, Measurement] = {}
    fast: dict[str, Worker] = {}
    with contextlib.ExitStack() as stack:
        for key in keys:
            command = command_of(key, folders, python)
            if command is None:
                found[key] = Measurement("absent", "R is not installed")
                continue
            worker = Worker(command, limits)
            closing = stack.enter_context(contextlib.ExitStack())
            closing.callback(worker.close)
            found[key] = first = _first(worker, limits)
            if first.status == "ok" and first.median < slow:
                fast[key] = worker
                first.seconds = []
            else:
                closing.close()
        for _ in range(repeat):
            for key, worker in fast.items():
                found[key].seconds += worker.ask("turn", START)["seconds"]
        for key, worker in fast.items():
            if PEERS[key].traced:
                found[key].traced = worker.ask("trace", START)["traced"]
    return found


def _first(worker: Worker, limits: Limits) -> Measurement:
    ready = worker.ask("", START)
    if "absent" in ready:
        return Measurement("absent", ready["absent"])
    start = time.monotonic()
    try:
        answer = worker.ask("fit", limits.seconds)
    except Stopped as stopped:
        return Measurement(
            stopped.kind, str(stopped), [stopped.seconds], stopped.memory,
            versions=ready["versions"],
        )  # fmt: skip
    if "no_memory" in answer:
        elapsed = time.monotonic() - start
        return Measurement("memory", answer["no_memory"], [elapsed], versions=ready["versions"])
    return Measurement(
        seconds=[answer["seconds"]],
        memory=answer["memory"],
        values=answer["values"],
        versions=ready["versions"],
    )
