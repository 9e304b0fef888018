"""What a reader hands over: the long table, and everything that was done to get it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from ragstats.exceptions import plural


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of one or more systems, one row per system, query and repetition.

    Attributes
    ----------
    frame : pandas.DataFrame
        The long table. First ``query_id``, ``doc_id``, ``system`` (text) and ``repetition``
        (counted from 1, or as the file names it), then the score columns (float64), then the
        covariates, rows in the order of the file.
    score_columns : tuple of str
        Names of the score columns.
    document_field : str
        The field that became the document, and why.
    unscored : pandas.DataFrame
        One row per system and score: ``rows``, ``unscored`` (rows without a value in the file)
        and ``share``. Counted before the policy ``unscored=`` was applied.
    notes : tuple of str
        Everything that was dropped, converted or assumed, in words.
    sha256 : Mapping of str to str
        SHA-256 of each file that was read, by path; empty for a frame in memory.
    format : str
        The format the rows were read as.
    """

    frame: pd.DataFrame
    score_columns: tuple[str, ...]
    document_field: str
    unscored: pd.DataFrame
    notes: tuple[str, ...]
    sha256: Mapping[str, str]
    format: str

    def __str__(self) -> str:
        """Say in a few lines what was read and what was done to it."""
        frame = self.frame
        ids = {"query_id": "query", "doc_id": "document", "system": "system"}
        held = [plural(frame[column].nunique(), name) for column, name in ids.items()]
        lines = [
            f"{plural(len(frame), 'row')} ({self.format}): {', '.join(held)}; "
            f"scores: {', '.join(self.score_columns)}",
            f"document: {self.document_field}",
        ]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])
