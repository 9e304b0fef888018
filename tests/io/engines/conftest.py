"""A real PostgreSQL server and a real local Spark, started for the tests that need them."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import warnings
from pathlib import Path

import pytest
from engine_data import scored_rows


@pytest.fixture(scope="session")
def rows():
    return scored_rows()


@pytest.fixture(scope="session")
def parquet(rows, tmp_path_factory):
    """Three Parquet files that cut documents, one of them without rows."""
    folder = tmp_path_factory.mktemp("parquet")
    for i, part in enumerate((rows[:700], rows[700:700], rows[700:])):
        part.to_parquet(folder / f"part{i}.parquet", index=False)
    return folder


def _binaries() -> str | None:
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_ctl"))
    return os.path.dirname(found[-1]) if found else None


def _as_server_user(command: list[str]) -> None:
    """Run a command of the server as the user that may run it: never root."""
    user = []
    if os.geteuid() == 0:
        user = ["runuser", "-u", "postgres", "--"]
    subprocess.run([*user, *command], check=True, capture_output=True, timeout=120)


@pytest.fixture(scope="session")
def postgres():
    """The port of a PostgreSQL server on loopback, in a folder that goes with it."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tempfile.mkdtemp(prefix="ragstats-postgres-")
    if os.geteuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
    data = Path(folder, "data")
    control = [f"{binaries}/pg_ctl", "-D", str(data), "-w"]
    try:
        _as_server_user(
            [f"{binaries}/initdb", "-D", str(data), "-U", "tester", "-A", "trust", "--no-sync"]
        )
        options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder}"
        _as_server_user([*control, "-l", f"{folder}/log", "-o", options, "start"])
        try:
            yield port
        finally:
            _as_server_user([*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def backend(postgres, rows):
    """An Ibis connection with the rows in a table."""
    ibis = pytest.importorskip("ibis", reason="ibis-framework[postgres] is not installed")
    pytest.importorskip("psycopg", reason="ibis-framework[postgres] is not installed")
    connection = ibis.postgres.connect(
        host="127.0.0.1", port=postgres, user="tester", database="postgres"
    )
    columns = (
        "doc text, system text, x double precision, z double precision, flag boolean,"
        " level integer, y double precision, hit integer"
    )
    with connection.con.cursor() as cursor:
        cursor.execute(f"CREATE TABLE scores ({columns})")
        plain = rows.astype(object).where(rows.notna(), None)
        marks = ", ".join(["%s"] * len(plain.columns))
        cursor.executemany(
            f"INSERT INTO scores VALUES ({marks})",
            [tuple(r) for r in plain.itertuples(index=False, name=None)],
        )
    connection.con.commit()
    yield connection
    connection.disconnect()


@pytest.fixture(scope="session")
def spark():
    """A local Spark session of two threads."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed; its own CI step")
    if shutil.which("java") is None:
        pytest.skip("java is not installed; Spark needs it")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)
        session = (
            sql.SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "4")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .getOrCreate()
        )
        yield session
        session.stop()
