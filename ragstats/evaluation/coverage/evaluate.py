"""Every method on the same samples: closed forms at once, bootstraps a few samples at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragstats.evaluation.coverage.methods import Ask, Limits, Method
from ragstats.evaluation.coverage.resampled import blocks, draw_counts, replicate
from ragstats.evaluation.coverage.sample import Ratio, Sample


def interval_limits(
    sample: Sample,
    estimand: str,
    methods: Sequence[Method],
    ask: Ask,
    *,
    rng: np.random.Generator | None = None,
) -> tuple[Ratio, dict[str, Limits]]:
    """Return the limits of many samples by every method, the bootstraps from the same draws.

    Parameters
    ----------
    sample : Sample
        R samples of K documents.
    estimand : {"micro", "macro"}
        What is estimated.
    methods : sequence of Method
        Rows of ``METHODS`` that are defined for the design and the scores.
    ask : Ask
        The level, the truth (for "wild"), and the number of replicates.
    rng : Generator, optional
        For the bootstraps.

    Returns
    -------
    Ratio, dict of str to Limits

    Examples
    --------
    >>> import numpy as np
    >>> from ragstats.evaluation.coverage.methods import method
    >>> n, s = np.array([[1., 2, 5, 9]]), np.array([[1., 1, 2, 5]])
    >>> _, limits = interval_limits(Sample.of(n, s, s), "micro", [method("cr2")], Ask(0.05))
    >>> limits["cr2"].low.round(3), limits["cr2"].high.round(3)
    (array([0.253]), array([0.806]))
    """
    ratio = Ratio.of(sample, estimand)
    found = {m.name: m.compute(ratio, ask) for m in methods if m.needs == "closed"}
    drawn = [m for m in methods if m.needs == "replicates"]
    signed = [m for m in methods if m.needs == "signs"]
    if drawn or signed:
        if rng is None:
            raise ValueError("rng=None: the bootstraps need a numpy.random.Generator")
        draws, signs = rng.spawn(2)  # which methods are asked does not change the others
        found |= _by_blocks(ratio, drawn, ask, draws) if drawn else {}
        found |= {m.name: m.compute(ratio, ask, signs) for m in signed}
    return ratio, {m.name: found[m.name] for m in methods}


def _by_blocks(
    ratio: Ratio, methods: Sequence[Method], ask: Ask, rng: np.random.Generator
) -> dict[str, Limits]:
    """Draw replicates for a few samples at a time, and keep the limits only.

    They are drawn with replacement, so there is no finite population correction.
    """
    sample, k, parts = ratio.sample.uncorrected(), ratio.n_documents, []
    leverage = any(m.name == "bootstrap-t-cr2" for m in methods)
    for rows in blocks(len(ratio.x), ask.n_boot * k):
        part = Ratio.of(sample.take(rows), ratio.estimand)
        counts = draw_counts(rng, len(part.x), ask.n_boot, k, ratio.sample.strata)
        replicates = replicate(part, counts, leverage=leverage)
        parts.append([m.compute(part, ask, replicates) for m in methods])
    return {
        m.name: Limits(
            *(np.concatenate([getattr(p[i], f) for p in parts]) for f in Limits.__slots__)
        )
        for i, m in enumerate(methods)
    }
