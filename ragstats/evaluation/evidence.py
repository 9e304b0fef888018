"""What nominal 95 % intervals covered in the studies: facts that a recommendation quotes."""

from __future__ import annotations

import math

#: Method → documents of a sample → lowest and highest coverage over the four outcomes of the
#: sampling study: 2,000 samples of the shipped pages (``sampling_study.csv`` of the tests).
PAGES: dict[str, dict[int, tuple[float, float]]] = {
    "CR2 t(df)": {20: (0.9325, 0.954), 80: (0.919, 0.9535)},
    "CR1 t(K-1)": {20: (0.827, 0.89), 80: (0.8805, 0.9345)},
    "t(K-1)": {20: (0.9375, 0.9655), 80: (0.9435, 0.962)},
}

#: The share of the pages that are tied in the two outcomes that are differences.
TIES = (0.57, 0.67)
#: The coverage over these two.
TIED: dict[str, dict[int, tuple[float, float]]] = {
    "bootstraps": {20: (0.8605, 0.9115), 80: (0.92, 0.943)},
    "t": {20: (0.95, 0.9655), 80: (0.9515, 0.962)},
}

#: Method → scores → coverage for eight documents of 1 to 60 rows (4,000 samples of each).
EIGHT: dict[str, dict[str, float]] = {
    "wild": {
        "ICC 0": 0.946,
        "ICC .1": 0.96,
        "ICC .3": 0.95375,
        "exponential": 0.93675,
        "0/1, .70": 0.95,
        "0/1, .92": 0.8835,
    },
    "cr2": {"0/1, .92": 0.82625},
    "korn-graubard": {"0/1, .92": 0.98175},
}


def nearest_study(table: dict[str, dict[int, tuple[float, float]]], n_documents: int) -> int:
    """Return the sample size of a study that is nearest to K, as a ratio."""
    sizes = next(iter(table.values()))
    return min(sizes, key=lambda k: abs(math.log(k / n_documents)))


def percent(low: float, high: float) -> str:
    """Return a range of shares in whole percents: "93-95 %"."""
    ends = dict.fromkeys(f"{100 * share:.0f}" for share in (low, high))
    return f"{'-'.join(ends)} %"


def covered_by_wild() -> str:
    """Return the range of the wild bootstrap away from a bound."""
    away = [share for scores, share in EIGHT["wild"].items() if scores != "0/1, .92"]
    return percent(min(away), max(away))


def near_a_bound(method: str) -> str:
    """Return what a method covered for 0/1 scores with the mean .92."""
    share = EIGHT[method]["0/1, .92"]
    return percent(share, share)
