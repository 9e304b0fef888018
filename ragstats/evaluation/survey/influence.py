"""Point estimates and the influence of each row on them (Taylor linearization)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from .columns import Bools, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """Estimates of ``k`` parameters with what each of ``n`` rows contributes.

    Attributes
    ----------
    names : tuple
        Labels of the parameters.
    values : (k,) array
        The estimates; NaN where undefined.
    z : (n, k) array
        Weighted influence values: the linearized variance is that of their total.
    used : (n, k) bool array
        Rows in the domain of each estimate.
    rounding : (k,) array
        A standard error at or below this is rounding noise.
    centred : bool
        Whether the influence values of a domain add to 0 (means, ratios, regressions), so that
        one first-stage unit alone shows no variation.
    """

    names: tuple[Hashable, ...]
    values: Floats
    z: Floats
    used: Bools
    rounding: Floats
    centred: bool


def total_influence(names: tuple[Hashable, ...], y: Floats, used: Bools, w: Floats) -> Influence:
    """Return estimated population totals of ``y`` (n, k) over the rows in ``used`` (n,)."""
    z = np.where(used[:, None], y, 0.0) * w[:, None]
    mask = np.broadcast_to(used[:, None], z.shape)
    return Influence(names, z.sum(axis=0), z, mask, noise_level(np.abs(z)), centred=False)


def ratio_influence(
    names: tuple[Hashable, ...], y: Floats, x: Floats, used: Bools, w: Floats
) -> Influence:
    """Return ratios of the totals of ``y`` and ``x`` (n, k) over the rows in ``used`` (n, k).

    The influence of row i on R = Ŷ/X̂ is w_i (y_i − R x_i)/X̂ (Cochran 1977, section 2.11).
    A mean is the ratio with x = 1.
    """
    y, x = np.where(used, y, 0.0), np.where(used, x, 0.0)
    top, bottom = w @ y, w @ x
    defined = np.abs(bottom) > noise_level(np.abs(w[:, None] * x))
    bottom = np.where(defined, bottom, np.nan)
    ratio = top / bottom
    z = w[:, None] * (y - x * ratio) / bottom
    size = w[:, None] * (np.abs(y) + np.abs(x * ratio)) / np.abs(bottom)
    return Influence(names, ratio, z, used, noise_level(size), centred=True)


def noise_level(size: Floats) -> Floats:
    """Return what rounding leaves in column totals of terms of this size: (n, k) to (k,)."""
    n = size.shape[0]
    level: Floats = 8 * np.finfo(float).eps * np.sqrt(n) * size.sum(axis=0)
    return level
