"""What the wrappers, which label the results, share: saving, loading and copying."""

from __future__ import annotations

import copy
from typing import Any

from ragstats.models.statsmodels_results.storing import load, save


class ClusterWrapper:
    """Saving, loading and copying; mixed into statsmodels' wrappers.

    statsmodels' own wrappers are bound to statsmodels' own methods when they are populated, so each
    of ours is populated with our results class.
    """

    _results: Any

    def save(self, fname: Any, remove_data: bool = False) -> None:
        """Store the results; the formula is not stored, the rows are unless removed.

        Parameters
        ----------
        fname : path or file handle
            Where to.
        remove_data : bool
            Store without the rows; the results in memory keep theirs.
        """
        save(self, fname, remove_data=remove_data)

    @classmethod
    def load(cls, fname: Any) -> Any:
        """Return stored results; see :func:`ragstats.load`."""
        return load(fname)

    def __copy__(self) -> Any:
        twin: Any = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, _results=copy.copy(self._results))
        return twin


#: What our results have beyond statsmodels', and how it is labelled.
LABELS = {"df_inference": "columns"}
