"""The regression of scores on system indicators, from one row per document and system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragstats.core.adjustment import adjustment
from ragstats.core.dof import df_rule
from ragstats.core.inference import ClusterInference
from ragstats.evaluation.documents import DocumentTable
from ragstats.evaluation.means import cells_of, with_population
from ragstats.io.scored_rows import COUNT, SQUARES, TOTAL
from ragstats.models.compressed import solve_cells


def stacked_inference(
    tables: Sequence[DocumentTable],
    names: Sequence[str],
    estimand: str,
    *,
    n_documents: int,
    cov_type: str,
    df: str,
    population: int | None,
) -> ClusterInference | None:
    """Fit scores on system indicators, without a constant: one coefficient is one system's mean.

    Parameters
    ----------
    tables : sequence of DocumentTable
        One per system.
    names : sequence of str
        The systems.
    estimand : {"micro", "macro"}
        Of every mean.
    n_documents : int
        K, for the finite population correction.
    cov_type, df, population
        As in :func:`ragstats.compare`.

    Returns
    -------
    ClusterInference or None
        None when all rows are of one document.
    """
    doc, score = tables[0].doc, tables[0].score
    columns = [doc, COUNT, TOTAL, SQUARES]
    frame = pd.concat([t.frame[columns] for t in tables], ignore_index=True)
    if frame[doc].nunique() < 2:
        return None
    indicator = np.repeat(np.arange(len(tables)), [len(t.frame) for t in tables])
    design = pd.DataFrame(np.eye(len(tables))[indicator], columns=list(names))
    rows = solve_cells(cells_of(DocumentTable(frame, doc, score), design), estimand)
    inference = rows.infer(adjustment(cov_type), df_rule(df))
    return with_population(inference, n_documents, population)
