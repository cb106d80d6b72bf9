"""The tables of a ledger, and opening one to write."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from labrig import __version__
from labrig.errors import LabrigError
from labrig.http.ledger import errors as ledger_errors
from labrig.storage.databases import holds_tables_alone

SCHEMA = 2
"""The latest that is read: 2 where some bodies are files beside the ledger, for which `data` says so."""
FIRST = 1
"""That of a ledger as it is made."""
PATIENCE_S = 30.0
"""How long one process waits for another."""

_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE blobs (  -- bodies, each once, packed with zlib
        sha256 TEXT PRIMARY KEY,
        size INTEGER NOT NULL,
        data BLOB NOT NULL)""",
    """CREATE TABLE exchanges (
        number INTEGER PRIMARY KEY AUTOINCREMENT,  -- order of recording; none is given twice
        key TEXT NOT NULL,
        ordinal INTEGER NOT NULL,
        method TEXT NOT NULL,
        host TEXT NOT NULL,
        url TEXT NOT NULL,
        headers TEXT NOT NULL,                   -- JSON
        body TEXT REFERENCES blobs (sha256),     -- NULL: none
        status INTEGER,                          -- NULL: the outcome is an error
        code TEXT NOT NULL,                      -- of the error
        media TEXT NOT NULL,                     -- content-type
        size INTEGER NOT NULL,                   -- of the response's body
        answer TEXT NOT NULL,                    -- JSON: the error, or the response without its body
        content TEXT REFERENCES blobs (sha256),  -- the response's body; NULL: the outcome is an error
        recorded_at TEXT NOT NULL,
        took_ms INTEGER NOT NULL,
        service TEXT NOT NULL,
        limit_bytes INTEGER NOT NULL,
        labrig TEXT NOT NULL,
        UNIQUE (key, ordinal))""",
    "CREATE INDEX by_url ON exchanges (host, url)",
    "CREATE INDEX by_body ON exchanges (body) WHERE body IS NOT NULL",
    "CREATE INDEX by_content ON exchanges (content) WHERE content IS NOT NULL",
)


def to_write(path: Path) -> sqlite3.Connection:
    """Open a ledger for writing; make it, and its folder, where there is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabrigError(
            f"The folder of the ledger cannot be made: {error.strerror}",
            where=str(path.parent),
            code="unavailable",
        ) from error
    db = connect(path, "mode=rwc")
    try:
        with transaction(db):  # also to see whether it can be written, before there is something to lose
            if is_empty(db):  # no other process was first
                _make(db)
        check(db, path)
        _use_wal(db)
        db.execute("PRAGMA synchronous=NORMAL")  # whole after a kill; a power cut may cost the last exchanges
        db.execute("PRAGMA foreign_keys=ON")
    except BaseException:
        db.close()
        raise
    return db


def _make(db: sqlite3.Connection) -> None:
    for statement in _TABLES:
        db.execute(statement)
    db.execute("INSERT INTO meta VALUES ('labrig.ledger', ?), ('made by', ?)", (str(FIRST), __version__))


def allow_files(db: sqlite3.Connection) -> None:
    """Say that bodies are in files from now on, in the transaction that writes the first."""
    db.execute("UPDATE meta SET value = '2' WHERE name = 'labrig.ledger' AND value = '1'")


def _use_wal(db: sqlite3.Connection) -> None:
    """Let readers and one writer work at the same time; where that fails, they wait for each other."""
    until = time.monotonic() + 5
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            # While another process is at the file SQLite refuses this at once, whatever the time-out.
            if not ledger_errors.is_busy(error) or time.monotonic() > until:
                return
            time.sleep(0.02)


def shut(db: sqlite3.Connection) -> None:
    """Close a connection that wrote, after moving all into the file itself, which can then be shipped alone."""
    with suppress(sqlite3.Error):
        db.execute("PRAGMA busy_timeout=1000")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def connect(path: Path, how: str) -> sqlite3.Connection:
    """Open a file that may be a ledger; `how` is the query of an SQLite URI."""
    if path.is_dir():
        raise LabrigError("This is a folder", where=str(path), expected="a file, such as ledger.sqlite")
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        uri=True,
        timeout=PATIENCE_S,
        isolation_level=None,
        check_same_thread=False,  # `Ledger` has one lock
    )
    db.row_factory = sqlite3.Row
    return db


@contextmanager
def transaction(
    db: sqlite3.Connection, kind: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE"
) -> Iterator[None]:
    """Write all that is done inside, or nothing; ``DEFERRED`` to read one state of things."""
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def is_empty(db: sqlite3.Connection) -> bool:
    """Tell whether there are no tables yet: a file just made, or one whose maker was killed."""
    return db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def check(db: sqlite3.Connection, path: Path) -> None:
    """Refuse what is not a ledger, or one of a later format."""
    if not holds_tables_alone(db):
        raise ledger_errors.no_ledger(path)
    named = db.execute(
        "SELECT count(*) FROM sqlite_master WHERE name IN ('meta', 'exchanges', 'blobs')"
    ).fetchone()
    try:
        row = (
            db.execute("SELECT value FROM meta WHERE name = 'labrig.ledger'").fetchone()
            if named[0] == 3
            else None
        )
        version = int(row[0]) if row else 0
    except (sqlite3.OperationalError, ValueError) as error:
        raise ledger_errors.no_ledger(path) from error
    if version < 1:
        raise ledger_errors.no_ledger(path)
    if version > SCHEMA:
        raise LabrigError(
            f"A newer Labrig wrote this ledger: its format is {version}, and Labrig {__version__} reads {SCHEMA}",
            where=str(path),
            try_="update labrig",
            code="unavailable",
        )
