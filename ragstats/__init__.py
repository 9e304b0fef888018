"""Honest uncertainty for retrieval and RAG evaluations: the document is the sampling unit."""

from ragstats import datasets
from ragstats._version import __version__
from ragstats.evaluation.compare import Comparison, compare
from ragstats.evaluation.documents import DocumentTable, documents
from ragstats.evaluation.means import MeanResults, macro_mean, micro_mean
from ragstats.exceptions import DataError, RagstatsWarning
from ragstats.models.formula import glm, ols, wls
from ragstats.models.glm import GLM
from ragstats.models.linear import OLS, WLS
from ragstats.models.robust import cluster_robust
from ragstats.models.statsmodels_results import load
from ragstats.reporting.report import Report, report

__all__ = [
    "GLM",
    "OLS",
    "WLS",
    "Comparison",
    "DataError",
    "DocumentTable",
    "MeanResults",
    "Report",
    "RagstatsWarning",
    "__version__",
    "cluster_robust",
    "compare",
    "datasets",
    "documents",
    "glm",
    "load",
    "macro_mean",
    "micro_mean",
    "ols",
    "report",
    "wls",
]
