"""Honest uncertainty for retrieval and RAG evaluations: the document is the sampling unit."""

from ragstats import datasets
from ragstats._version import __version__
from ragstats.exceptions import DataError, RagstatsWarning
from ragstats.models.formula import ols, wls
from ragstats.models.linear import OLS, WLS
from ragstats.models.statsmodels_results import load

__all__ = [
    "OLS",
    "WLS",
    "DataError",
    "RagstatsWarning",
    "__version__",
    "datasets",
    "load",
    "ols",
    "wls",
]
