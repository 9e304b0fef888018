"""The benchmark that shows what stratifying by size is worth, at a small number of replications."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "stratify_by_size.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("stratify_by_size", BENCHMARK)
    module = importlib.util.module_from_spec(spec)
    sys.modules["stratify_by_size"] = module
    spec.loader.exec_module(module)
    return module


def test_ten_and_ten_beat_twenty_at_random(benchmark):
    """It stops by itself unless its formulas agree with micro_mean and ratio_mean."""
    table = benchmark.study("doc_hit_at_1", 400, seed=2)
    srs, ten, proportional = (table.iloc[i] for i in range(3))
    assert ten["RMSE"] < 0.8 * srs["RMSE"]
    assert ten["mean width"] < 0.7 * srs["mean width"]
    assert ten["SD"] == pytest.approx(ten["expected"], rel=0.15)  # 400 replications: SE 3.5%
    assert srs["coverage"] > 0.88
    assert proportional["RMSE"] > 0.85 * srs["RMSE"]
    again = benchmark.study("doc_hit_at_1", 400, seed=2)
    assert again.equals(table)
