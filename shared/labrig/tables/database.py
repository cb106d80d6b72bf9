"""The tables of an SQLite file, by the library of Python."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import islice
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig.tables.columns import Column, short
from labrig.tables.description import Description
from labrig.tools.reading import Files

MARK = b"SQLite format 3\0"
MOST_BYTES = 64 << 20
MOST_ROWS = 100_000
"""Rows of a table whose values are looked at; all are counted."""
MOST_TABLES = 200
MOST_STEPS = 200_000_000
"""Instructions of SQLite's machine for one description: some seconds. A damaged index can make a query endless."""
_STEPS_AT_ONCE = 1_000_000


def describe(files: Files, path: str, *, table: str = "") -> Description:
    """Describe one table of a database, by default the first; views and virtual tables are named, and not read.

    Raises
    ------
    LabrigError
        ``bad_input`` for a file that is damaged or empty, ``limit`` for a large one, ``not_found`` for a table that it
        has not.
    """
    size = files.size(path)
    if size > MOST_BYTES:
        raise LabrigError(
            f"The database has {size:,} bytes", where=path, expected=f"at most {MOST_BYTES:,}",
            try_="sqlite3.connect('file:NAME?mode=ro', uri=True) in run_python_code", code="limit",
        )  # fmt: skip
    content = bytearray(files.read(path, 0, MOST_BYTES))
    content[18:20] = (
        b"\1\1"  # a write-ahead log is another file, which is not here (SQLite, "Database File Format")
    )
    page = int.from_bytes(content[16:18], "big")
    pages = int.from_bytes(content[28:32], "big") if content[24:28] == content[92:96] else 0
    if (whole := pages * (65_536 if page == 1 else page)) > size:
        raise LabrigError(
            f"The database was cut off: it has {size:,} bytes, and by its header {whole:,}", where=path
        )
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.deserialize(bytes(content))
            return _described(database, path, table)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise LabrigError(f"The database cannot be read: {error}", where=path) from error


def _described(database: sqlite3.Connection, path: str, table: str) -> Description:
    steps = iter(range(MOST_STEPS // _STEPS_AT_ONCE))
    database.set_progress_handler(lambda: next(steps, None) is None, _STEPS_AT_ONCE)
    database.execute("PRAGMA trusted_schema=OFF")
    listed = database.execute(
        "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    ).fetchmany(MOST_TABLES)
    read = [
        name
        for name, kind, sql in listed
        if kind == "table" and not str(sql).upper().startswith("CREATE VIRTUAL")
    ]
    if not read:
        raise LabrigError("The database has no table", where=path)
    if table and table not in read:
        raise unknown_name("table", table, read, where="sheet")
    chosen = table or read[0]
    about: dict[str, Any] = {"table": chosen}
    if len(read) > 1:
        about["tables"] = {short(name): _count(database, name) for name in read}
    if others := [short(name) for name, _, _ in listed if name not in read]:
        about["not_read"] = others
    rows = database.execute(f"SELECT * FROM {_quoted(chosen)}")
    columns = [Column(str(each[0])) for each in rows.description]
    looked = 0
    while pending := list(islice(rows, min(5_000, MOST_ROWS - looked))):
        looked += len(pending)
        for column, cells in zip(columns, zip(*pending, strict=True), strict=True):
            column.add(cells)
    count = _count(database, chosen)
    notes = [] if looked == count else [f"ranges are those of the first {looked:,} rows"]
    return Description(
        "SQLite", count, [each.to_dict() for each in columns], notes, complete=looked == count, about=about
    )


def _count(database: sqlite3.Connection, table: str) -> int:
    return int(database.execute(f"SELECT count(*) FROM {_quoted(table)}").fetchone()[0])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
