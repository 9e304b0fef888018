"""Drawing samples batch by batch, on one core or several, with the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ragstats.core.segments import Floats
from ragstats.evaluation.coverage.choose import Chosen
from ragstats.evaluation.coverage.designs import Plan, draw
from ragstats.evaluation.coverage.evaluate import interval_limits
from ragstats.evaluation.coverage.methods import Ask, Limits
from ragstats.evaluation.coverage.population import Population
from ragstats.evaluation.coverage.sample import Bools
from ragstats.evaluation.coverage.variances import spread_of_design

#: Samples that are drawn and worked on together, from one stream of random numbers.
BATCH = 200

Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker needs: population, design, methods, level, truths."""

    population: Population
    plan: Plan
    chosen: Chosen
    asks: dict[str, Ask]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of some samples, for one estimand.

    Attributes
    ----------
    estimate, df : ndarray (R,)
        The estimates, and ν.
    flat : ndarray of bool (R,)
        Whether the documents share one rate.
    limits : dict of str to Limits
        By method.
    """

    estimate: Floats
    df: Floats
    flat: Bools
    limits: dict[str, Limits]


def run(
    task: Task, replications: int, entropy: Any, mapper: Callable[..., Any], report: Report | None
) -> dict[str, Outcome]:
    """Work batch by batch, each with its own stream, and put the outcomes together."""
    sizes = [min(BATCH, replications - start) for start in range(0, replications, BATCH)]
    batches = list(zip(np.random.SeedSequence(entropy).spawn(len(sizes)), sizes, strict=True))
    parts, done = [], 0
    for part, size in zip(mapper(partial(run_batch, task), batches), sizes, strict=True):
        parts.append(part)
        done += size
        if report is not None:
            report(done, replications)
    return {estimand: _joined([part[estimand] for part in parts]) for estimand in task.chosen}


def run_batch(task: Task, batch: tuple[np.random.SeedSequence, int]) -> dict[str, Outcome]:
    """Draw some samples, and ask every method.

    Samples, and the bootstraps of each estimand, have streams of their own: which methods are asked
    does not change the samples.
    """
    sequence, size = batch
    streams = [np.random.default_rng(child) for child in sequence.spawn(3)]
    sample = draw(task.plan, task.population, streams[0], size)
    of_estimand = {"micro": streams[1], "macro": streams[2]}
    outcomes = {}
    for estimand, methods in task.chosen.items():
        ratio, limits = interval_limits(
            sample, estimand, methods, task.asks[estimand], rng=of_estimand[estimand]
        )
        df = spread_of_design(ratio).df
        outcomes[estimand] = Outcome(ratio.estimate, df, ratio.flat, limits)
    return outcomes


def _joined(parts: Sequence[Outcome]) -> Outcome:
    def joined(items: Sequence[Any], name: str) -> Any:
        return np.concatenate([getattr(item, name) for item in items])

    limits = {
        method: Limits(
            *(joined([p.limits[method] for p in parts], f) for f in ("low", "high", "available"))
        )
        for method in parts[0].limits
    }
    estimate, df, flat = (joined(parts, f) for f in ("estimate", "df", "flat"))
    return Outcome(estimate, df, flat, limits)
