"""Readers of the files that evaluators write."""

from ragstats.io.readers.formats import FORMATS
from ragstats.io.readers.read import read_scores
from ragstats.io.readers.scores import Scores

__all__ = ["FORMATS", "Scores", "read_scores"]
