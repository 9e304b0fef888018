"""A SQL query as a source of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ragstats.extras import need


@dataclass(frozen=True)
class Query:
    """A SQL query as a source of rows.

    A string alone would be taken for a path, so a query says what it is.

    Parameters
    ----------
    sql : str
        One SELECT statement.
    connection : optional
        A DuckDB connection or an Ibis backend (PostgreSQL, …); by default DuckDB's own default
        connection, which reads files.

    Examples
    --------
    >>> from ragstats.io.query import Query
    >>> Query("SELECT * FROM 'scores.parquet' WHERE system = 'bm25'").sql[:8]
    'SELECT *'
    """

    sql: str
    connection: Any = None

    def frame(self) -> Any:
        """Return the relation of DuckDB, or the table of Ibis.

        Raises
        ------
        MissingExtraError
            Without a connection and without DuckDB.
        """
        if self.connection is None:
            duckdb = need("duckdb", "rs.Query without connection=", extra="duckdb")
            return duckdb.sql(self.sql)
        return self.connection.sql(self.sql)
