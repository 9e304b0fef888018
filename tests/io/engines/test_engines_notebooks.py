"""Files read in a notebook, as DuckDB tells one: IPython's kernel, and no script."""

import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("duckdb", reason="the extra 'duckdb' is not installed")

NOTEBOOK = textwrap.dedent(
    """
    import sys, types

    class Kernel:
        config = {"IPKernelApp": {}}

    sys.modules["IPython"] = types.ModuleType("IPython")
    sys.modules["IPython"].get_ipython = Kernel
    sys.modules["ipywidgets"] = None  # not installed
    """
)


def in_a_notebook(code):
    return subprocess.run(
        [sys.executable, "-c", NOTEBOOK + code], capture_output=True, text=True, check=False
    )


def test_duckdb_refuses_to_hide_a_bar_that_it_does_not_have():
    # what makes the next test a test: the stub is a notebook to DuckDB
    done = in_a_notebook(
        "import duckdb; duckdb.connect().execute('SET enable_progress_bar = false')"
    )
    assert "Could not change the progress bar setting" in done.stderr


def test_files_are_read_without_ipywidgets(rows, tmp_path):
    rows.to_parquet(tmp_path / "rows.parquet", index=False)
    scored = rows.dropna(subset="y")
    code = textwrap.dedent(
        f"""
        import ragstats as rs
        t = rs.documents({str(tmp_path / "rows.parquet")!r}, doc="doc", score="y")
        print(t.n_documents, t.n_rows)
        """
    )
    done = in_a_notebook(code)
    assert done.stdout.split() == [str(scored["doc"].nunique()), str(len(scored))], done.stderr
