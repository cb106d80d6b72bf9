"""SQLite files of others: a name in them is to be a table, which ends when it has been read, and so does each value."""

from __future__ import annotations

import sqlite3
import zlib

MOST_VALUE_BYTES = 128 << 20
"""Of one value: a packed body of a ledger may have so much; pages of papers and of a wiki have far less."""

_ODD = """
SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index')
UNION ALL
SELECT 1 FROM sqlite_master AS named, pragma_table_xinfo(named.name) AS field
WHERE named.type = 'table' AND named.rootpage <> 0 AND field.hidden IN (2, 3)
LIMIT 1
"""
"""Views and triggers; columns that are computed."""


def holds_tables_alone(database: sqlite3.Connection) -> bool:
    """Tell whether a database is tables and indexes and nothing that is computed when it is read or written.

    A view in place of a table may have rows without end, a computed column a gigabyte in each row, and a trigger writes
    whatever its maker liked. What is left runs no function that only code may call (``trusted_schema``).
    """
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES)
    database.execute("PRAGMA trusted_schema=OFF")
    return database.execute(_ODD).fetchone() is None


def inflate(packed: object, most: int) -> bytes:
    """Return what was packed with zlib, which may be a thousand times as long.

    Raises
    ------
    ValueError
        For what was not, or is longer than `most` bytes.
    """
    try:
        reader = zlib.decompressobj()
        found = reader.decompress(packed, most + 1)  # type: ignore[arg-type]
    except (zlib.error, TypeError) as error:
        raise ValueError(f"it is not packed: {error}") from None
    if len(found) > most or not reader.eof:
        raise ValueError(f"it is cut, or has more than {most:,} bytes")
    return found
