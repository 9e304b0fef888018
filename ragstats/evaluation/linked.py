"""Documents that share queries, made one cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ragstats.exceptions import DataError
from ragstats.io.scored_rows import check_columns, check_ids
from ragstats.models.columns import as_pandas


def linked_documents(data: Any, *, doc: str, query: str) -> pd.Series:
    """Return a cluster for each row: documents that share queries are in one.

    Scores of a question about two documents belong to both, so the two are not independent; the
    connected components of "shares a query with" are.

    Parameters
    ----------
    data : DataFrame
        One row per query and document (and system).
    doc, query : str
        Its columns.

    Returns
    -------
    Series (N,)
        For each row, the first document (in sorted order) of its component; indexed as the data,
        to be used as ``groups`` (with ``unit`` the document, for the macro estimand).

    Raises
    ------
    ValueError
        If a column is unknown.
    DataError
        If ids are missing, or all documents end up in one cluster.

    Examples
    --------
    >>> import pandas as pd, ragstats as rs
    >>> d = pd.DataFrame({"doc": list("aabbc"), "query": [1, 2, 2, 3, 4]})
    >>> rs.linked_documents(d, doc="doc", query="query").tolist()
    ['a', 'a', 'a', 'a', 'c']
    """
    frame = as_pandas(data)
    named = {"doc": doc, "query": query}
    check_columns(frame.columns, named.items())
    for argument, column in named.items():
        check_ids(frame, column, argument)
    documents, names = pd.factorize(frame[doc], sort=True)
    queries, asked = pd.factorize(frame[query])
    size = len(names)
    graph = sparse.coo_matrix(
        (np.ones(len(frame)), (documents, size + queries)), shape=(size + len(asked),) * 2
    )
    count, component = connected_components(graph, directed=False)
    if count < 2:
        raise DataError(
            f"query={query!r}: the {size} documents are all linked by shared queries, so there is"
            " one cluster and no variation between clusters to measure"
        )
    first = np.full(count, size)
    np.minimum.at(first, component[:size], np.arange(size))
    labels = np.asarray(names)[first[component[documents]]]
    return pd.Series(labels, index=frame.index, name=f"{doc}_cluster")
