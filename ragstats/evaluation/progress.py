"""A progress bar for long work, on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import Progress

from ragstats.core.resampling_batches import Report

#: Replicates × documents from which work is long: about 2 seconds.
LONG_WORK = 2e8


@contextmanager
def reporting(progress: Any, cells: float, label: str = "bootstrap") -> Iterator[Report | None]:
    """Give the report of progress: the caller's, a bar on a terminal, or none."""
    if callable(progress):
        yield progress
        return
    console = Console(stderr=True)
    if progress is False or (progress is None and not (console.is_terminal and cells > LONG_WORK)):
        yield None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
