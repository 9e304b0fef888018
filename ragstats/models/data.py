"""The data of a fit, as statsmodels' tools look at it."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import pandas as pd
from statsmodels.base.data import PandasData

from ragstats.models.columns import name_index


class ClusterData(PandasData):
    """statsmodels' data of a fit whose rows are not independent.

    Tools find the frame of the formula here. What they don't find is the formula's machinery, with
    which ``anova_lm`` would test sums of squares of independent rows.
    """

    def attach_columns(self, result: Any) -> Any:
        """Label what there is one of for each coefficient, all with the same index."""
        index = name_index(*self.param_names)
        if len(result) != len(index):
            return result
        return (pd.Series if result.ndim == 1 else pd.DataFrame)(result, index=index)

    def attach_cov(self, result: Any) -> Any:
        """Label the covariance of the coefficients; that of contrasts has no names."""
        return (
            super().attach_cov(result) if np.shape(result) == (len(self.cov_names),) * 2 else result
        )

    @property
    def model_spec(self) -> NoReturn:
        """Refused, in one line, to whoever looks for it."""
        raise AttributeError(
            "model_spec: anova_lm compares sums of squares of independent rows, which documents are"
            " not; use wald_test_terms() for a test of each term"
        )


def use_cluster_data(model: Any, frame: Any = None) -> None:
    """Make the data of a model ours, with the frame of the formula where there is one."""
    model.data.__class__ = ClusterData
    if frame is not None:
        model.data.frame = frame
