"""The hash of what a SQLite database says: its file's bytes differ with the version of the library that wrote it."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from pathlib import Path


def rows_sha256(path: Path) -> str:
    """Return the SHA-256 of the definitions and rows of a SQLite database, as 64 hex digits.

    Definitions are those of its tables, indexes, views and triggers by name. Of each table the rows follow, sorted by
    their bytes, since their order in the file means nothing; a value is written with its type, a real number with all
    its digits. What a virtual table keeps for itself (FTS5's index) is left out, and what it gives back is not.

    Raises
    ------
    sqlite3.DatabaseError
        For what is no database, or a damaged one.
    """
    digest = hashlib.sha256()
    with contextlib.closing(
        sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    ) as database:
        database.text_factory = lambda text: text.decode("utf-8", "surrogateescape")  # a text is no blob
        made = database.execute("SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
        virtual = [name for name, _, sql in made if sql.lstrip().upper().startswith("CREATE VIRTUAL")]
        for name, kind, sql in sorted(made):
            if any(name.startswith(f"{each}_") for each in virtual):
                continue
            digest.update(_written((name, kind, sql)) + b"\n")
            if kind == "table":
                quoted = name.replace('"', '""')
                rows = (_written(row) for row in database.execute(f'SELECT * FROM "{quoted}"'))
                for row in sorted(rows):
                    digest.update(row + b"\n")
    return digest.hexdigest()


def _written(row: tuple[object, ...]) -> bytes:
    return repr(row).encode("utf-8", "surrogateescape")
