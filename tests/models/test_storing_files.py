"""Stored results stand in a whole file or in none, and a file of something else is said to be one."""

import subprocess
import sys
from pathlib import Path

import pytest

import ragstats as rs


def fitted():
    frame = rs.datasets.load_eight_documents()
    return rs.ols("d ~ 1", frame, groups="doc").fit()


def test_a_file_that_cannot_be_written_whole_keeps_what_it_held(tmp_path):
    path = tmp_path / "stored.pickle"
    path.write_bytes(b"old")
    code = f"""
import resource, signal
import ragstats as rs
frame = rs.datasets.load_eight_documents()
fit = rs.ols("d ~ 1", frame, groups="doc").fit()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    fit.save({str(path)!r})
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == f"DataError fname={str(path)!r} cannot be written: File too large\n"
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["stored.pickle"]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    place = tmp_path / "nowhere" / "stored.pickle"
    with pytest.raises(ValueError, match=f"fname='{place}' cannot be written: No such file"):
        fitted().save(place)


@pytest.mark.parametrize("content", [b"", b"hello", b"a\n", b"\x80\x04", b"0", b"coops\nname\n."])
def test_a_file_of_something_else_is_one_line(tmp_path, content):
    path = Path(tmp_path / "stored.pickle")
    path.write_bytes(content)
    said = "is empty: nothing" if not content else "is not a file of results"
    with pytest.raises(ValueError, match=said) as caught:
        rs.load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_half_a_file_is_refused(tmp_path):
    path = tmp_path / "stored.pickle"
    fitted().save(path)
    assert rs.load(path).nobs == fitted().nobs
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match="is not a file of results"):
        rs.load(path)
