"""Coverage of the interval methods, simulated on the user's own corpus."""

from ragstats.evaluation.coverage.methods import METHODS
from ragstats.evaluation.coverage.result import CoverageResult
from ragstats.evaluation.coverage.simulate import simulate_coverage

__all__ = ["METHODS", "CoverageResult", "simulate_coverage"]
