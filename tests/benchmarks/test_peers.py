"""The comparison with peers: limits stop a fit, numbers that differ stop the run, bounds are bounds."""

import importlib
import os
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module", autouse=True)
def on_path():
    sys.path.insert(0, str(BENCHMARKS))
    yield
    sys.path.remove(str(BENCHMARKS))


def load(name):
    return importlib.import_module(name)


@pytest.fixture
def case():
    return load("peers.data").Case(400, 20)


@pytest.fixture
def folders(tmp_path, case):
    data = load("peers.data")
    return [data.write(data.rows(case), tmp_path / "rows")] * 2


def python(code):
    return [sys.executable, "-c", code]


def test_rows_come_back_from_the_files_as_they_were(folders, case):
    data = load("peers.data")
    made, read = data.rows(case), data.read(folders[0])
    for name in ("outcome", "design", "groups"):
        np.testing.assert_array_equal(getattr(made, name), getattr(read, name))
    assert read.design.flags.c_contiguous


def test_equal_documents_have_equal_sizes():
    data = load("peers.data")
    assert set(np.bincount(data.rows(data.Case(600, 20, equal=True)).groups)) == {30}


def test_ragstats_and_statsmodels_are_measured_and_agree(folders, case):
    data, measure = load("peers.data"), load("peers.measure")
    keys = ["ragstats", "ragstats-joint", "statsmodels"]
    found = measure.measure(keys, folders, sys.executable, 2, measure.Limits())
    references = load("peers.agreement").References(data.rows(case))
    differences = load("peers.agreement").differences(found, references)
    assert {k: m.status for k, m in found.items()} == dict.fromkeys(keys, "ok")
    assert all(2 <= len(m.seconds) <= 20 for m in found.values())  # two turns
    assert found["statsmodels"].traced > 0
    assert set(differences["ragstats-joint"]) == {"F", "df"}
    table = load("peers.table").table(case, 99, found, differences).set_index("peer")
    assert table.loc["ragstats AHT", "ratio"] == 1  # the first of its task
    assert "statsmodels CR1" in load("peers.table").text(table.reset_index())


def test_numbers_that_differ_stop_the_run(case):
    agreement, rows = load("peers.agreement"), load("peers.data").rows(case)
    references = agreement.References(rows)
    errors = references.of("CR1S")["se"]
    found = {"statsmodels": load("peers.measure").Measurement(values={"se": errors * (1 + 1e-7)})}
    with pytest.raises(AssertionError, match="statsmodels CR1, se"):
        agreement.differences(found, references)
    found["statsmodels"].values["se"] = errors * (1 + 1e-10)
    assert agreement.differences(found, references)["statsmodels"]["se"] < 1e-9
    found["statsmodels"].values["se"] = errors * np.nan
    with pytest.raises(AssertionError):
        agreement.differences(found, references)


def test_a_fit_is_stopped_at_the_time_limit():
    measure = load("peers.measure")
    worker = measure.Worker(python("import time; time.sleep(60)"), measure.Limits())
    with pytest.raises(measure.Stopped) as stopped:
        worker.ask("", 0.3)
    worker.close()
    assert stopped.value.kind == "time"
    assert 0.3 < stopped.value.seconds < 30
    assert worker.process.poll() is not None


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_a_fit_is_stopped_at_the_memory_limit():
    measure = load("peers.measure")
    code = "import time; held = b'1' * 400_000_000; time.sleep(60)"
    worker = measure.Worker(python(code), measure.Limits(gigabytes=0.2))
    with pytest.raises(measure.Stopped) as stopped:
        worker.ask("", 60)
    worker.close()
    assert stopped.value.kind == "memory"


def test_a_worker_that_fails_says_why():
    measure = load("peers.measure")
    worker = measure.Worker(python("raise SystemExit('no such peer')"), measure.Limits())
    with pytest.raises(RuntimeError, match="no such peer"):
        worker.ask("", 30)
    worker.close()


def test_times_of_what_was_stopped_are_lower_bounds_and_missing_peers_are_named(case):
    found = {
        "ragstats": load("peers.measure").Measurement(seconds=[0.1, 0.3, 0.2], memory=5.0),
        "clubsandwich": load("peers.measure").Measurement("time", "", [60.2]),
        "estimatr": load("peers.measure").Measurement("absent", "estimatr is not installed"),
    }
    table = load("peers.table").table(case, 99, found, {"ragstats": {"se": 0.0}})
    assert list(table["stopped"]) == ["", "time", "absent"]
    np.testing.assert_allclose(table["ratio"], [1, 301, np.nan])
    assert list(table["fastest"][:2]) == [0.1, 60.2]
    lines = load("peers.table").text(table).splitlines()
    assert ">301.00" in lines[4]
    assert "stopped: time" in lines[4]
    assert "not installed" in lines[5]


def test_goals_that_were_missed_are_named(case):
    peers = load("compare_peers")
    times = {"ragstats": 0.1, "statsmodels": 0.08, "estimatr": 1.0, "clubsandwich": 9.0}
    found = {k: load("peers.measure").Measurement(seconds=[s]) for k, s in times.items()}
    equal = load("peers.data").Case(400, 20, equal=True)
    said = peers.missed(load("peers.table").table(equal, 20, found, {key: {} for key in found}))
    assert len(said) == 2
    assert "1.25 times as long as statsmodels" in said[0]
    assert "estimatr CR2 + df (R) takes only 10 times" in said[1]


def test_what_asv_stored_becomes_a_table():
    stored = {
        "result_columns": ["result", "params"],
        "results": {
            "fits.OfTypes.time_fit": [[0.5, 0.25], [["'CR0'", "'CR2'"]]],
            "fits.OfTypes.peakmem_fit": [[2**20, None], [["'CR0'", "'CR2'"]]],
        },
    }
    table = load("growth_table").rows(stored)
    assert list(table["what"]) == ["OfTypes.fit"] * 2
    assert list(table["parameters"]) == ["CR0", "CR2"]
    assert list(table["seconds"]) == [0.5, 0.25]
    assert table["peak_mb"].iloc[0] == 1
