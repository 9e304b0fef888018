"""A ledger of the numbers stored for one case: each is asserted, or excluded with a reason."""

import fnmatch
import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

HERE = Path(__file__).parent
STORED = HERE / "cases"
LIVE = HERE.parents[2] / "shared" / "oracle" / "cases"  # data of R packages, not kept here


def index():
    return json.loads((STORED / "index.json").read_text(encoding="utf-8"))["cases"]


def is_live(name):
    """Whether the data of a case belong to an R package."""
    return name.startswith("real_")


def folder(name):
    path = (LIVE if is_live(name) else STORED) / name
    if not path.exists():
        pytest.skip(f"{path} is not on this machine: the data belong to an R package")
    return path


def read_expected(name):
    return json.loads((folder(name) / "expected.json").read_text(encoding="utf-8"))


def read_data(name):
    return pd.read_csv(folder(name) / "data.csv", keep_default_na=False, na_values=[""])


def leaves(node, path=()):
    """Yield (path, value) of every scalar, vector and matrix; null is no value."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from leaves(value, (*path, key))
    elif node is not None and node != []:
        yield ".".join(path), node


def numbers(value):
    """R's numbers as an array; null (NA, R states nothing) becomes a masked entry."""
    flat = np.ravel(np.array(value, dtype=object))
    missing = np.array([entry is None for entry in flat], bool)
    return np.ma.MaskedArray(
        [np.nan if entry is None else float(entry) for entry in flat], mask=missing
    )


def difference(got, want, rtol, scale):
    """Return what differs by more than ``rtol`` times the larger of |want| and ``scale``, or None."""
    got, stored = np.ravel(np.asarray(got, float)), numbers(want)
    if got.shape != stored.shape:
        return f"{got.size} numbers instead of {stored.size}"
    want, stated = stored.data, ~stored.mask
    # A scale of NaN (an SE that does not exist) gives no room.
    room = rtol * np.fmax(np.abs(want), np.broadcast_to(np.ravel(scale), want.shape))
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):  # inf - inf
        near = np.isfinite(want) & (np.abs(got - want) <= room)
    bad = stated & ~(same | near)
    if not bad.any():
        return None
    worst = int(np.flatnonzero(bad)[0])
    return f"[{worst}] {got[worst]!r} instead of {want[worst]!r}"


@cache
def _compiled(pattern):
    return re.compile(fnmatch.translate(pattern))


def matches(patterns, name, path):
    """Return the patterns that a leaf of a case matches."""
    leaf = f"{name}:{path}"
    return [pattern for pattern in patterns if _compiled(pattern).match(leaf)]


@dataclass
class Ledger:
    """What was stored for a case, and what became of each number."""

    name: str
    expected: dict
    excluded: dict[str, str]
    asserted: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.stored = dict(leaves(self.expected))
        excluded = re.compile("|".join(map(fnmatch.translate, self.excluded)))
        self.skipped = {path for path in self.stored if excluded.match(f"{self.name}:{path}")}

    def check(self, path, got, *, rtol, scale=0.0):
        """Compare the stored numbers at a path, unless R has none there or they are excluded."""
        if path not in self.stored or path in self.skipped:
            return
        self.asserted.add(path)
        if self.expected["degenerate"]:  # standard errors are 0 to 1e-12, and R's are noise
            scale = np.maximum(scale, 1e-12 / max(rtol, 1e-12))
        problem = difference(got, self.stored[path], rtol, scale)
        if problem:
            self.problems.append(f"{path}: {problem}")

    def check_df(self, path, got, *, rtol):
        """Compare degrees of freedom, NaN where R prints a number that is not positive."""
        if path in self.stored:
            values = np.array(self.stored[path], dtype=object)
            positive = [v if v == "NaN" or float(v) > 0 else "NaN" for v in values.ravel()]
            self.stored[path] = positive
        self.check(path, got, rtol=rtol)

    def check_same(self, path, got):
        """Compare a stored label or list of labels."""
        if path not in self.stored:
            return
        self.asserted.add(path)
        if got != self.stored[path]:
            self.problems.append(f"{path}: {got!r} instead of {self.stored[path]!r}")

    def unaccounted(self):
        """Return the leaves that are neither asserted nor excluded."""
        return sorted(self.stored.keys() - self.asserted - self.skipped)
