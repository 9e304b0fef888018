"""Models without their rows, and the stored form of results.

A stored result holds the documents' moments and contributions, from which every contrast can still
be tested, the names, and the rows unless they were removed. It never holds the formula's machinery,
which can't be stored.
"""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ragstats.writing import write_whole

#: Layout of the stored results; another one is refused before anything else is read.
STORED_FORMAT = 3

_MODEL_ROWS = ("endog", "exog", "wendog", "wexog", "weights", "mu", "freq_weights", "var_weights",
               "iweights", "_offset_exposure", "offset", "exposure", "n_trials", "_tmp_like_exog",
               "pinv_wexog", "_weights", "_fit", "_frequency", "_outcome",
               "absorbed_rows")  # fmt: skip
_DATA_ROWS = ("endog", "exog", "orig_endog", "orig_exog", "frame", "weights", "offset", "exposure",
              "freq_weights", "var_weights")  # fmt: skip

#: What pickle raises for bytes that it did not write, or not to their end.
_NO_PICKLE = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError, KeyError)


def light_model(model: Any) -> Any:
    """Return a copy of a model without its rows."""
    light = copy.copy(model)
    for name in _MODEL_ROWS:
        if name in light.__dict__:
            light.__dict__[name] = None
    light.data = copy.copy(model.data)
    # Names are read from the data on demand, so they must be read before the data go.
    light.data._cache = {"ynames": model.endog_names, "xnames": list(model._design.names)}
    for name in _DATA_ROWS:
        if name in light.data.__dict__:
            light.data.__dict__[name] = None
    grouping = replace(model._design.grouping, codes=np.empty(0, np.intp))
    light._design = replace(model._design, grouping=grouping)
    return light


def stored(results: Any) -> tuple[Any, ...]:
    """Return how results are pickled: the format first, then everything else as bytes."""
    state = {name: value for name, value in results.__dict__.items() if name not in _RECOMPUTED}
    state["model"] = _without_frame(results.model)
    state["_cache"] = {k: v for k, v in results._cache.items() if k not in _RECOMPUTED}
    return restored, (STORED_FORMAT, pickle.dumps((type(results), state)))


#: What is computed again when it is asked for: statsmodels' own objects have no stable layout.
_RECOMPUTED = ("_overall", "_plain")


def restored(layout: int, content: bytes) -> Any:
    """Return the results of a stored form.

    Raises
    ------
    ValueError
        If another version's layout was stored.
    """
    if layout != STORED_FORMAT:
        raise ValueError(
            f"these results were stored in format {layout} and this version of ragstats reads"
            f" {STORED_FORMAT}; fit again, or load them with the version that stored them"
        )
    kind, state = pickle.loads(content)
    results = object.__new__(kind)
    results.__dict__.update(state)
    return results


def _without_frame(model: Any) -> Any:
    """Leave out the frame of the formula: what was fitted is stored, not the columns beside."""
    if getattr(model.data, "frame", None) is None:
        return model
    slim = copy.copy(model)
    slim.data = copy.copy(model.data)
    slim.data.frame = None
    return slim


def save(wrapper: Any, fname: Any, *, remove_data: bool) -> None:
    """Pickle results, or a copy of them without rows, into a whole file or none.

    Raises
    ------
    DataError
        If the file cannot be written.
    """
    kept = copy.copy(wrapper)
    if remove_data:
        kept.remove_data()
    content = pickle.dumps(kept)
    if hasattr(fname, "write"):
        fname.write(content)
    else:
        write_whole(Path(fname), content, "fname")


def load(fname: Any) -> Any:
    """Return results that were stored with ``save``.

    Everything but the formula comes back: tests, intervals, summaries, and predictions for rows of
    the design (``transform=False``).

    Parameters
    ----------
    fname : path or file handle
        What ``save`` wrote. Only load files that you trust: they are pickles.

    Raises
    ------
    ValueError
        If the file holds something else, or another version's layout.

    Examples
    --------
    >>> import io, ragstats as rs
    >>> d = rs.datasets.load_eight_documents()
    >>> r = rs.ols("d ~ 1", d, groups="doc").fit()
    >>> file = io.BytesIO()
    >>> r.save(file, remove_data=True)
    >>> _ = file.seek(0)
    >>> bool((rs.load(file).pvalues == r.pvalues).all())
    True
    """
    content = fname.read() if hasattr(fname, "read") else Path(fname).read_bytes()
    if not content:
        raise ValueError(f"fname={fname!r} is empty: nothing was stored in it")
    try:
        wrapper = pickle.loads(content)
    except _NO_PICKLE as error:
        raise ValueError(f"fname={fname!r} is not a file of results: {error}") from None
    results = getattr(wrapper, "_results", wrapper)
    if not hasattr(results, "_inference"):
        raise ValueError(f"fname={fname!r} holds a {type(wrapper).__name__}, not ragstats results")
    return results._wrapper(results) if results is wrapper else wrapper
