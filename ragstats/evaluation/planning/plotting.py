"""Figures of plans: matplotlib objects without pyplot, colours that everyone can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ragstats.core.segments import Floats
from ragstats.extras import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .allocation_plan import AllocationPlan
    from .budget_plan import BudgetPlan
    from .components_result import VarianceComponents
    from .plan import DocumentPlan

#: Okabe and Ito.
BLUE, ORANGE, GREEN, INK, MUTED = "#0072b2", "#d55e00", "#009e73", "#22282e", "#5f6b76"
#: Points of a curve.
POINTS = 160


def plan_figure(plan: DocumentPlan) -> Figure:
    """Draw what the plan asks about by the number of documents, with and without correction."""
    names = {"halfwidth": "half-width", "power": "power", "difference": "detectable difference"}
    figure, ax = _axes("documents K", f"{names[plan.question.curve]} ({plan.estimand} mean)")
    if plan.pilot.reason:
        return _only_words(figure, ax, plan.pilot.reason)
    k = _documents(plan)
    ax.plot(k, _curve(plan, k, corrected=False), color=ORANGE, ls="--", label="without correction")
    if plan.population is not None:
        inside = k[k <= plan.population]
        label = f"with 1 - K/M, M = {plan.population:,}"
        ax.plot(inside, _curve(plan, inside, corrected=True), color=BLUE, label=label)
    _mark_answers(ax, plan)
    target = plan.question.given.get(plan.question.curve)
    if target is not None:
        ax.axhline(target, color=MUTED, lw=0.8, ls=":")
        ax.annotate(
            f"target {target:g}", (1, target), xycoords=("axes fraction", "data"),
            xytext=(0, 3), textcoords="offset points", ha="right", color=MUTED, fontsize=8,
        )  # fmt: skip
    if plan.question.curve == "power":
        ax.set_ylim(0, 1.02)
    else:
        _room_above(ax, plan, k)
    ax.legend(frameon=False)
    return figure


def allocation_figure(plan: AllocationPlan) -> Figure:
    """Draw the expected half-width by K for a simple random sample and two allocations."""
    from .stratified import Design

    kind = f"expected half-width ({plan.estimand} mean)"
    figure, ax = _axes("documents K in all", kind)
    design = Design(plan.strata, plan.estimand, "neyman", plan.certain, plan.alpha)
    total = int(plan.strata.population.sum())
    if np.isnan(design.expect(plan.strata.population, plan.estimand).se):
        return _only_words(figure, ax, plan.reason or "the pilot does not tell the variation")
    top = min(total, max(4 * (plan.documents or design.fewest), design.fewest + 40))
    k = np.unique(np.linspace(design.fewest, top, 80).round().astype(int))
    styles = {"neyman": (BLUE, "-"), "proportional": (GREEN, "-.")}
    srs: list[float] = []
    for rule, (color, style) in styles.items():
        design = Design(plan.strata, plan.estimand, rule, plan.certain, plan.alpha)
        expected = [design.expect(design.counts(int(j)), plan.estimand) for j in k]
        srs = [e.srs_halfwidth for e in expected]
        ax.plot(k, [e.halfwidth for e in expected], color=color, ls=style, label=rule)
    ax.plot(k, srs, color=ORANGE, ls="--", label="simple random sample")
    if plan.documents is not None and plan.halfwidth is not None:
        _mark(ax, plan.documents, plan.halfwidth, INK, f"{plan.documents:,}")
    shown = plan.halfwidth or srs[len(srs) // 2]
    ax.set_ylim(0, min(6 * shown, 1.05 * max(srs)))
    ax.legend(frameon=False)
    return figure


def budget_figure(plan: BudgetPlan) -> Figure:
    """Draw the standard error by queries per document, for some numbers of judgements."""
    from .splitting import designs

    figure, ax = _axes("queries of each document m", f"expected SE ({plan.estimand} mean)")
    if plan.queries is None or plan.repetitions is None or plan.se is None:
        return _only_words(figure, ax, plan.reason)
    every = designs(
        plan.variances, plan.costs, plan.budget,
        max_queries=min(plan.max_queries, max(6 * plan.queries, 10)),
        max_repetitions=plan.max_repetitions,
    )  # fmt: skip
    shown = sorted({1, plan.repetitions, 2, 5} & set(every["repetitions"]))
    for r, color, style in zip(shown, (BLUE, ORANGE, GREEN, MUTED), ("-", "--", "-.", ":"),
                               strict=False):  # fmt: skip
        some = every[every["repetitions"] == r]
        label = f"{r} judgement{'' if r == 1 else 's'} of each query"
        ax.plot(some["queries"], some["se"], color=color, ls=style, label=label)
    words = f"this plan: {plan.documents:,} documents, {plan.queries:,} queries each"
    _mark(ax, plan.queries, plan.se, INK, words, below=True)
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    return figure


def components_figure(components: VarianceComponents) -> Figure:
    """Draw the components as bars, those below 0 too."""
    figure, ax = _axes("variance component (squared units of the score)", "")
    known = {n: v for n, v in components.estimates.items() if not np.isnan(v)}
    if not known:
        return _only_words(figure, ax, "no component can be told from these data")
    names = list(known)[::-1]
    ax.barh(names, [known[n] for n in names], color=BLUE, height=0.55)
    for place, name in enumerate(names):
        share = components.shares[name]
        words = f" {known[name]:.3g}" + ("" if np.isnan(share) else f" ({share:.0%})")
        ax.annotate(words, (max(known[name], 0.0), place), va="center", color=INK)
    ax.axvline(0, color=MUTED, lw=0.8)
    ax.margins(x=0.25)
    ax.set_xlim(left=min(0.0, *known.values()))
    return figure


def _axes(x: str, y: str) -> tuple[Figure, Axes]:
    """Return a figure with one pair of axes.

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    """
    need("matplotlib", "a figure")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 3.8), layout="constrained")
    ax = figure.subplots()
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    return figure, ax


def _only_words(figure: Figure, ax: Axes, words: str) -> Figure:
    """Say why there is nothing to draw."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, words, ha="center", va="center", wrap=True, color=INK)
    return figure


def _mark(
    ax: Axes, x: float, y: float, color: str, words: str, *, left: bool = False, below: bool = False
) -> None:
    """Mark a plan on its curve, with words beside it."""
    ax.plot([x], [y], "o", color=color, ms=5, zorder=3)
    ax.annotate(
        words, (x, y), xytext=(-5 if left else 5, -5 if below else 5), textcoords="offset points",
        ha="right" if left else "left", va="top" if below else "bottom", color=color,
    )  # fmt: skip


def _mark_answers(ax: Axes, plan: DocumentPlan) -> None:
    """Mark both answers, each on the side of its curve where the other is not."""
    for answer, color in ((plan.uncorrected, ORANGE), (plan.corrected, BLUE)):
        value = None if answer is None else getattr(answer, plan.question.curve)
        if answer is None or answer.documents is None or value is None:
            continue
        asked = "documents" in plan.question.given
        words = f"{value:.3g}" if asked else f"{answer.documents:,}"
        falls = plan.question.curve == "halfwidth" or (plan.question.curve == "difference" and
                                                       value > 0)  # fmt: skip
        first = answer is plan.corrected
        _mark(ax, answer.documents, value, color, words, left=first, below=first == falls)


def _documents(plan: DocumentPlan) -> Floats:
    """Return the numbers of documents to draw, around those of the plan and within M."""
    answers = [a.documents for a in plan.answers if a.documents is not None]
    top = max([2.2 * k for k in answers], default=200.0)
    if plan.population is not None and top > 0.7 * plan.population:
        top = max(float(plan.population), *[1.1 * k for k in answers], 3.0)
    return np.unique(np.geomspace(2, max(top, 10.0), POINTS).round())


def _curve(plan: DocumentPlan, k: Floats, *, corrected: bool) -> Floats:
    """Return half-width, power or detectable difference for numbers of documents."""
    task, given = plan.task(corrected=corrected), plan.question.given
    if plan.question.curve == "halfwidth":
        return task.precision.halfwidth(k)
    if plan.question.curve == "power":
        return task.power(k, given["difference"])
    if given["power"] <= plan.alpha:
        return np.full(len(k), np.nan)
    return np.array([task.detectable(int(j), given["power"]) for j in k])


def _room_above(ax: Axes, plan: DocumentPlan, k: Floats) -> None:
    """Cut the steep start of the curve, so that the part that is planned with can be read."""
    curve = plan.question.curve
    found = [plan.question.given.get(curve), *(getattr(a, curve) for a in plan.answers)]
    values = [value for value in found if value]
    if values:
        top = 4 * max(values, key=abs)
        ax.set_ylim(min(top, 0.0), max(top, 0.0))
    ax.set_xlim(0, float(k[-1]))
