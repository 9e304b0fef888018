"""Ctrl-C and limits on file sizes: nothing half-written, and a sentence about what failed."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

duckdb = pytest.importorskip("duckdb", reason="the extra 'duckdb' is not installed")


@pytest.fixture(scope="module")
def many_documents(tmp_path_factory):
    """Rows of so many documents that the sums do not fit into a small memory limit."""
    folder = tmp_path_factory.mktemp("many")
    duckdb.sql(
        f"""COPY (SELECT 'document number ' || (range % 300007) AS doc, random() AS x,
                  random() AS y FROM range(1500000)) TO '{folder}/many.parquet' (FORMAT parquet)"""
    )
    return folder


def fit_in_a_process(folder, temporary, before=""):
    """Start a fit with little memory, so that it spills into the given folder."""
    script = textwrap.dedent(
        f"""
        import sys, warnings
        warnings.simplefilter("error")
        from ragstats.io.files import Files
        from ragstats.models.streamed import streamed_ols
        source = Files({str(folder / "many.parquet")!r}, memory_limit="100MB", threads=2,
                       temp_directory={str(temporary)!r})
        print("ready", flush=True)
        try:
            model = streamed_ols("y ~ x", source, groups="doc")
        except ValueError as error:
            sys.exit(f"{{type(error).__name__}}: {{error}}")
        print(model.nobs)
        """
    )
    command = [sys.executable, "-c", script]
    if before:
        command = ["bash", "-c", f'{before}; exec "$0" "$@"', *command]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )


def test_ctrl_c_ends_the_query_and_leaves_nothing(many_documents, tmp_path):
    with fit_in_a_process(many_documents, tmp_path) as process:
        assert process.stdout.readline() == "ready\n"
        for _ in range(600):  # until the engine is at work in its own folder
            if any(tmp_path.iterdir()) or process.poll() is not None:
                break
            time.sleep(0.05)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    if process.returncode == 0:
        pytest.skip("the fit was done before the signal came")
    assert "KeyboardInterrupt" in errors.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_a_limit_on_file_sizes_is_named(many_documents, tmp_path):
    with fit_in_a_process(many_documents, tmp_path, "ulimit -f 1000") as process:
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 1
    last = errors.splitlines()[-1]
    assert last.startswith("DataError: data: DuckDB")
    assert "had no room for what it must keep by document" in last
    assert "File too large" in last
    assert "ulimit -f" in last
    assert list(tmp_path.iterdir()) == []


def test_with_room_to_spill_the_same_fit_succeeds(many_documents, tmp_path):
    with fit_in_a_process(many_documents, tmp_path) as process:
        output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert output.split()[-1] == "1500000.0"
    assert list(tmp_path.iterdir()) == []
