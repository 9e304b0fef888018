"""Honest uncertainty for retrieval and RAG evaluations: the document is the sampling unit.

The public names are loaded when they are first used, so that the numerical core can be imported
without pandas and statsmodels, and the command line starts fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ragstats._version import __version__
from ragstats.exceptions import DataError, RagstatsWarning

if TYPE_CHECKING:
    from ragstats import datasets as datasets
    from ragstats.evaluation.bootstrap import bootstrap as bootstrap
    from ragstats.evaluation.bootstrap_result import BootstrapResult as BootstrapResult
    from ragstats.evaluation.compare import compare as compare
    from ragstats.evaluation.comparison import Comparison as Comparison
    from ragstats.evaluation.coverage import CoverageResult as CoverageResult
    from ragstats.evaluation.coverage import simulate_coverage as simulate_coverage
    from ragstats.evaluation.documents import DocumentTable as DocumentTable
    from ragstats.evaluation.documents import documents as documents
    from ragstats.evaluation.linked import linked_documents as linked_documents
    from ragstats.evaluation.means import MeanResults as MeanResults
    from ragstats.evaluation.means import macro_mean as macro_mean
    from ragstats.evaluation.means import micro_mean as micro_mean
    from ragstats.evaluation.planning import allocate_documents as allocate_documents
    from ragstats.evaluation.planning import plan_comparison as plan_comparison
    from ragstats.evaluation.planning import plan_documents as plan_documents
    from ragstats.evaluation.planning import split_budget as split_budget
    from ragstats.evaluation.planning import variance_components as variance_components
    from ragstats.evaluation.recommend import recommend as recommend
    from ragstats.evaluation.several import compare_scores as compare_scores
    from ragstats.evaluation.survey import SurveyDesign as SurveyDesign
    from ragstats.evaluation.survey import ratio_mean as ratio_mean
    from ragstats.evaluation.wild_bootstrap import wild_bootstrap as wild_bootstrap
    from ragstats.io.crosscheck import compare_clubsandwich as compare_clubsandwich
    from ragstats.io.crosscheck import to_clubsandwich as to_clubsandwich
    from ragstats.io.files import Files as Files
    from ragstats.io.query import Query as Query
    from ragstats.io.readers import read_scores as read_scores
    from ragstats.models.formula import glm as glm
    from ragstats.models.formula import ols as ols
    from ragstats.models.formula import wls as wls
    from ragstats.models.glm import GLM as GLM
    from ragstats.models.linear import OLS as OLS
    from ragstats.models.linear import WLS as WLS
    from ragstats.models.robust import cluster_robust as cluster_robust
    from ragstats.models.statsmodels_results import load as load
    from ragstats.reporting.report import Report as Report
    from ragstats.reporting.report import report as report

#: Public name → the module that defines it.
_PUBLIC = {
    "BootstrapResult": "ragstats.evaluation.bootstrap_result",
    "Comparison": "ragstats.evaluation.comparison",
    "CoverageResult": "ragstats.evaluation.coverage",
    "DocumentTable": "ragstats.evaluation.documents",
    "Files": "ragstats.io.files",
    "GLM": "ragstats.models.glm",
    "MeanResults": "ragstats.evaluation.means",
    "OLS": "ragstats.models.linear",
    "Query": "ragstats.io.query",
    "Report": "ragstats.reporting.report",
    "SurveyDesign": "ragstats.evaluation.survey",
    "WLS": "ragstats.models.linear",
    "allocate_documents": "ragstats.evaluation.planning",
    "bootstrap": "ragstats.evaluation.bootstrap",
    "cluster_robust": "ragstats.models.robust",
    "compare": "ragstats.evaluation.compare",
    "compare_clubsandwich": "ragstats.io.crosscheck",
    "compare_scores": "ragstats.evaluation.several",
    "documents": "ragstats.evaluation.documents",
    "glm": "ragstats.models.formula",
    "linked_documents": "ragstats.evaluation.linked",
    "load": "ragstats.models.statsmodels_results",
    "macro_mean": "ragstats.evaluation.means",
    "micro_mean": "ragstats.evaluation.means",
    "ols": "ragstats.models.formula",
    "plan_comparison": "ragstats.evaluation.planning",
    "plan_documents": "ragstats.evaluation.planning",
    "ratio_mean": "ragstats.evaluation.survey",
    "read_scores": "ragstats.io.readers",
    "recommend": "ragstats.evaluation.recommend",
    "report": "ragstats.reporting.report",
    "simulate_coverage": "ragstats.evaluation.coverage",
    "split_budget": "ragstats.evaluation.planning",
    "to_clubsandwich": "ragstats.io.crosscheck",
    "variance_components": "ragstats.evaluation.planning",
    "wild_bootstrap": "ragstats.evaluation.wild_bootstrap",
    "wls": "ragstats.models.formula",
}

#: Packages that are loaded as attributes too.
_PACKAGES = ("core", "datasets", "evaluation", "io", "models", "reporting")

__all__ = ["DataError", "RagstatsWarning", "__version__", "datasets", *sorted(_PUBLIC)]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"ragstats.{name}")
    if name in _PUBLIC:
        value = getattr(importlib.import_module(_PUBLIC[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'ragstats' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
