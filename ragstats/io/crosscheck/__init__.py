"""The cross-check against R clubSandwich: write the very fit as an R script, read R's answer."""

from ragstats.io.crosscheck.compare import CrossCheck, compare_clubsandwich
from ragstats.io.crosscheck.script import to_clubsandwich

__all__ = ["CrossCheck", "compare_clubsandwich", "to_clubsandwich"]
