"""SQLite files of others: a name in them is to be a table, which ends when it has been read."""

from __future__ import annotations

import sqlite3


def holds_tables_alone(database: sqlite3.Connection) -> bool:
    """Tell whether a database is tables and indexes and nothing that is computed when it is read or written.

    A view in place of a table may have rows without end, and a trigger writes whatever its maker liked. What is left
    runs no function that only code may call (``trusted_schema``).
    """
    database.execute("PRAGMA trusted_schema=OFF")
    odd = "SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index') LIMIT 1"
    return database.execute(odd).fetchone() is None
