"""From a plan and influence values to an estimate: covariance, df, and the reasons."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from .columns import Bools, Floats
from .estimates import SurveyEstimate, warn_no_variation
from .influence import Influence
from .linearized import linearized_variance
from .plan import Plan


def assemble(
    kind: str,
    influence: Influence,
    plan: Plan,
    *,
    dropped: int = 0,
    notes: Sequence[str] = (),
    blocked: Bools | None = None,
    df_lost: int = 0,
) -> SurveyEstimate:
    """Return the estimate with its linearized covariance and the reason of every NaN and 0.

    Parameters
    ----------
    kind : str
        What was estimated.
    influence : Influence
        Values and influence of ``k`` parameters over the rows of the plan.
    plan : Plan
        The design.
    dropped : int
        Rows left out for a missing value.
    notes : sequence of str
        What the caller has to say.
    blocked : (k,) bool array, optional
        Parameters that rest on single first-stage units: no variance.
    df_lost : int
        Degrees of freedom used by other parameters.
    """
    used = influence.used & (plan.weights > 0)[:, None]
    psus, dfs = _counts(influence, plan, used)
    dfs = dfs - df_lost
    undefined = np.isnan(influence.values)
    alone = _one_unit(influence, plan, used, psus) if blocked is None else blocked
    alone = alone & ~undefined
    known = ~undefined & ~(used & plan.uncertain[:, None]).any(axis=0)
    v = linearized_variance(np.nan_to_num(influence.z), plan.stages, plan.lonely)
    still = np.sqrt(np.diagonal(v)) <= influence.rounding
    v = _fill(_fill(v, still | known, 0.0), alone | undefined, np.nan)
    varies = ~(known | alone | undefined)
    reasons = [
        *_reasons(influence.names, undefined, "its denominator is 0 or no row has a weight"),
        *_reasons(influence.names, alone, _alone(plan, blocked is None)),
        *_reasons(influence.names, varies & (dfs <= 0), _no_df(plan)),
        *_known_reasons(influence.names, known, plan),
        *_still_reasons(influence.names, varies & still),
    ]
    return SurveyEstimate(
        kind=kind,
        names=influence.names,
        values=influence.values,
        covariance=v,
        dfs=np.where(alone | undefined, np.nan, dfs),
        known=known,
        rounding=influence.rounding,
        rows=used.sum(axis=0).astype(float),
        psus=psus,
        dropped=dropped,
        design=plan.facts,
        notes=(*_dropped_note(dropped, plan), *notes, *reasons, *plan.notes),
    )


def _counts(influence: Influence, plan: Plan, used: Bools) -> tuple[Floats, Floats]:
    """Return first-stage units with a row in each domain, and the df: units minus strata, (k,)."""
    counts = np.array([plan.count(rows) for rows in used.T], float)
    psus, strata = counts[:, 0], counts[:, 1]
    if influence.centred:
        return psus, psus - strata
    units, all_strata = plan.count(np.ones(used.shape[0], bool))
    return psus, np.full(psus.size, float(units - all_strata))


def _one_unit(influence: Influence, plan: Plan, used: Bools, psus: Floats) -> Bools:
    """Return which domains rest on one first-stage unit of a stratum that was sampled, (k,)."""
    first = plan.stages[0]
    sampled_rows = first.by_row(first.exposure) > 0
    in_sampled = (used & sampled_rows[:, None]).any(axis=0)
    return np.asarray(in_sampled & (psus == 1) & influence.centred)


def _fill(v: Floats, which: Bools, value: float) -> Floats:
    filled = v.copy()
    filled[which, :] = value
    filled[:, which] = value
    return filled


def _unit(plan: Plan) -> str:
    return repr(plan.facts.ids[0])


def _chosen(names: Sequence[Hashable], which: Bools) -> str:
    return ", ".join(str(name) for name, chosen in zip(names, which, strict=True) if chosen)


def _reasons(names: Sequence[Hashable], which: Bools, reason: str) -> list[str]:
    return [f"{_chosen(names, which)}: NaN, because {reason}"] if which.any() else []


def _alone(plan: Plan, by_rows: bool) -> str:
    rows = "all its rows are in one unit" if by_rows else "it rests on single units"
    return f"{rows} of {_unit(plan)}: no variance can be estimated"


def _no_df(plan: Plan) -> str:
    return f"no degrees of freedom are left by the units of {_unit(plan)}: no interval and no p"


def _known_reasons(names: Sequence[Hashable], known: Bools, plan: Plan) -> list[str]:
    if not known.any():
        return []
    if plan.facts.census:
        return ["census: every unit was sampled, so the value is known and its SE is 0"]
    listed = _chosen(names, known)
    return [f"{listed}: every unit of its strata was sampled, so it is known and its SE is 0"]


def _still_reasons(names: Sequence[Hashable], still: Bools) -> list[str]:
    if not still.any():
        return []
    return [warn_no_variation(_chosen(names, still))]


def _dropped_note(dropped: int, plan: Plan) -> list[str]:
    if not dropped:
        return []
    return [
        f"{dropped} of {plan.facts.n_rows} rows have missing values and are outside the domain; "
        f"their units of {_unit(plan)} stay in the design"
    ]
