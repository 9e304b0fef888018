"""Samples of documents with strata, finite populations and several stages."""

from .design import SurveyDesign
from .estimates import SurveyEstimate
from .glm import SurveyGLMResults
from .ratio import ratio_mean

__all__ = ["SurveyDesign", "SurveyEstimate", "SurveyGLMResults", "ratio_mean"]
