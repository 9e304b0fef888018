"""Figures by matplotlib: no pyplot, no global state, plain words and colour-blind-safe colours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ragstats.extras import need
from ragstats.reporting.blocks import Content, Picture
from ragstats.reporting.facts import Facts

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(facts: Facts, content: Content) -> dict[str, Figure]:
    """Return the figure of each picture of a report, by name.

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    """
    need("matplotlib", "a figure")
    from matplotlib import rc_context

    from ragstats.figures.style import RC

    drawers = _drawers()
    with rc_context(RC):
        return {name: drawers[name](facts) for name in pictures(content)}


def pictures(content: Content) -> dict[str, Picture]:
    """Return the pictures of a report, by name."""
    blocks = [block for section in content.sections for block in section.blocks]
    return {block.name: block for block in blocks if isinstance(block, Picture)}


def _drawers() -> dict[str, Callable[[Facts], Figure]]:
    from ragstats.reporting.figures.bootstrap import bootstrap
    from ragstats.reporting.figures.documents import rates, sizes
    from ragstats.reporting.figures.forest import differences, means
    from ragstats.reporting.figures.influence import influence

    return {
        "means": means,
        "differences": differences,
        "bootstrap": bootstrap,
        "sizes": sizes,
        "rates": rates,
        "influence": influence,
    }
