"""Results that statsmodels' users and tools can rely on, with the df of each contrast.

The package's name is part of the interface: tools recognise statsmodels results by it.

=============  ===================================================================================
``cluster``    the mixin: coefficient table, predictions, summaries, storing
``testing``    the mixin of tests: contrasts, joint tests, terms, pairs of levels
``linear``     results of OLS and WLS, and what labels them
``general``    results of GLM, and what labels them
``wrappers``   what the labelling wrappers share
``refused``    what a document-clustered fit does not offer, or takes from a plain fit
``storing``    models without their rows; the stored form
=============  ===================================================================================
"""

from ragstats.models.statsmodels_results.general import GLMResults, GLMResultsWrapper
from ragstats.models.statsmodels_results.linear import (
    OLSResults,
    OLSResultsWrapper,
    WLSResults,
    WLSResultsWrapper,
)
from ragstats.models.statsmodels_results.storing import light_model, load
from ragstats.models.statsmodels_results.testing import check_alpha

__all__ = [
    "GLMResults",
    "GLMResultsWrapper",
    "OLSResults",
    "OLSResultsWrapper",
    "WLSResults",
    "WLSResultsWrapper",
    "check_alpha",
    "light_model",
    "load",
]
