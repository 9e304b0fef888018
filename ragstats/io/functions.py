"""The functions of formulas that every engine computes, by what their name stands for.

Engines differ on the logarithm of 0, of negative numbers, and on exponentials that overflow: some
raise. Each function is therefore asked for inside its domain only, and says where it is outside.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ragstats.io.translated import NUMBER, Translated, derived

#: exp of more than this is infinite in double precision.
LARGEST_EXPONENT = float(np.log(np.finfo(float).max))


def _log(x: Translated) -> Translated:
    return derived(
        x, nw.when(x.value > 0).then(x.value).log(), undefined=x.value < 0, infinite=x.value == 0
    )


def _log_of_base(base: float) -> Callable[[Translated], Translated]:
    def function(x: Translated) -> Translated:
        natural = _log(x)
        return Translated(
            natural.value / log(base), NUMBER, x.columns, natural.undefined, natural.infinite
        )

    return function


def _log1p(x: Translated) -> Translated:
    """Return log(1 + x) with all its digits for small x (Kahan's quotient)."""
    inside = nw.when(x.value > -1).then(x.value)
    rounded = inside + 1.0
    quotient = inside * rounded.log() / nw.when(rounded != 1.0).then(rounded - 1.0).otherwise(1.0)
    value = nw.when(rounded != 1.0).then(quotient).otherwise(inside)
    return derived(x, value, undefined=x.value < -1, infinite=x.value == -1)


def _sqrt(x: Translated) -> Translated:
    return derived(x, nw.when(x.value >= 0).then(x.value).sqrt(), undefined=x.value < 0)


def _exp(x: Translated) -> Translated:
    low_enough = x.value <= LARGEST_EXPONENT
    return derived(x, nw.when(low_enough).then(x.value).exp(), infinite=x.value > LARGEST_EXPONENT)


#: The functions that every engine computes, by what the name in the formula stands for.
FUNCTIONS: dict[Any, Callable[[Translated], Translated]] = {
    np.log: _log,
    np.log2: _log_of_base(2),
    np.log10: _log_of_base(10),
    np.log1p: _log1p,
    np.sqrt: _sqrt,
    np.exp: _exp,
    np.square: lambda x: derived(x, x.value * x.value),
    np.absolute: lambda x: derived(x, x.value.abs()),
    abs: lambda x: derived(x, x.value.abs()),
}
