"""The arguments of ``read_scores``, checked once and passed on together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from ragstats.exceptions import DataError, unknown_option

# What a cell without a score becomes; None leaves NaN. "drop" then removes the rows in which
# no score at all is left, and "raise" refuses the file.
UNSCORED: Mapping[str, float | None] = {
    "keep": None,
    "drop": None,
    "zero": 0.0,
    "one": 1.0,
    "raise": None,
}
SEVERAL = ("error", "first")
DEFAULT_MEASURES = ("hit@1", "hit@5", "hit@10", "RR", "nDCG@10")


@dataclass(frozen=True, slots=True)
class DocumentMap:
    """Which document, or documents, each query belongs to, and where that was said."""

    documents: Mapping[str, Sequence[str]]
    source: str


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for; ``None`` and empty tuples mean: recognise it.

    ``judgements`` has one row per judged pair: ``query_id``, ``doc_id``, ``grade``.
    """

    doc: str | None = None
    score: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    system: str | None = None
    system_name: str | None = None
    repetition: str | None = None
    metric: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    documents: DocumentMap | None = None
    judgements: pd.DataFrame | None = None
    measures: tuple[str, ...] = DEFAULT_MEASURES
    several: str = "error"
    doc_separator: str | None = None
    unscored: str = "keep"
    encoding: str | None = None
    delimiter: str | None = None

    def __post_init__(self) -> None:
        """Refuse values outside the tables of each choice."""
        if self.unscored not in UNSCORED:
            raise unknown_option("unscored", self.unscored, UNSCORED)
        if self.several not in SEVERAL:
            raise unknown_option("several", self.several, SEVERAL)
        if self.doc_separator == "":
            raise DataError("doc_separator='' cuts nothing; pass the text before the chunk number")
        if not isinstance(self.columns, Mapping):
            raise DataError(
                f"columns={self.columns!r} is not a mapping {{'name in the file': 'new name'}}"
            )


def names(argument: str, value: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return one name, several names or nothing as a tuple of names."""
    if value is None:
        return ()
    listed = [value] if isinstance(value, str) else list(value)
    wrong = [name for name in listed if not isinstance(name, str)]
    if wrong or not listed:
        raise DataError(f"{argument}={value!r} is not a name or a list of names")
    repeated = {name for name in listed if listed.count(name) > 1}
    if repeated:
        raise DataError(f"{argument}={value!r} names {sorted(repeated)[0]!r} twice")
    return tuple(listed)
