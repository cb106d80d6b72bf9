"""The file of a corpus: one SQLite database of documents, their pages, the formulas on them, and a full-text index.

A document is one transaction: what is killed half-way leaves whole documents, and two that add at once wait for each
other. The index (FTS5) has a row for each document and no text of its own; excerpts come from the pages.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from labrig.config import home
from labrig.errors import LabrigError, over_limit
from labrig.storage.databases import holds_tables_alone, inflate
from labrig_papers.corpus.mentions import mentions

APPLICATION = 0x4C507031
"""In the head of the file (``LPp1``): what it is."""
LAYOUT = 1
WAIT_S = 60.0
"""For another process that writes."""
MOST_TEXT_BYTES = 32 << 20
"""Of the pages of one document."""
_TABLES = """
CREATE TABLE documents (id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, path TEXT NOT NULL, title TEXT NOT NULL,
    doi TEXT NOT NULL, year INTEGER, added REAL NOT NULL);
CREATE TABLE pages (document INTEGER NOT NULL, number INTEGER NOT NULL, text BLOB NOT NULL,
    PRIMARY KEY (document, number)) WITHOUT ROWID;
CREATE TABLE mentions (key TEXT NOT NULL, document INTEGER NOT NULL, page INTEGER NOT NULL, printed TEXT NOT NULL,
    elements TEXT NOT NULL, PRIMARY KEY (key, document, page, printed)) WITHOUT ROWID;
CREATE INDEX by_elements ON mentions (elements);
CREATE VIRTUAL TABLE words USING fts5(title, text, content='', tokenize='unicode61 remove_diacritics 2');
"""


@dataclass(frozen=True)
class Document:
    """A paper of a corpus.

    Attributes
    ----------
    sha256
        Of its file.
    path
        Where the file was when it was added.
    title, doi, year
        As its first page says; empty or None where that says nothing.
    pages
        Text of each page from the first, without markup of scripts.
    """

    sha256: str
    path: str
    title: str
    doi: str
    year: int | None
    pages: Sequence[str]


def default_path() -> Path:
    """Return where the corpus of this user is."""
    return home() / "papers" / "corpus.sqlite"


@contextmanager
def opened(path: Path, *, make: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a corpus.

    Raises
    ------
    LabrigError
        ``not_found`` where there is none, ``bad_input`` for another kind of file, ``busy`` where another process
        writes for longer than `WAIT_S`.
    """
    if not make and not path.is_file():
        raise LabrigError(
            "There is no corpus of papers",
            where=str(path),
            try_="python -m labrig_papers.corpus add FOLDER",
            code="not_found",
        )
    if make:
        path.parent.mkdir(parents=True, exist_ok=True)
    # Not read-only: the first to open what a killed process left has to take its last transaction back.
    address = path.absolute().as_uri() + ("?mode=rwc" if make else "?mode=rw")
    try:
        database = sqlite3.connect(address, uri=True, timeout=WAIT_S, isolation_level=None)
    except sqlite3.Error as error:
        raise LabrigError(f"The corpus cannot be opened: {error}", where=str(path)) from None
    try:
        if not holds_tables_alone(database):
            raise LabrigError("This file is no corpus of papers", where=str(path))
        _check(database, path, make)
        yield database
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise LabrigError(
                "Another process writes into this corpus", where=str(path), try_="again later", code="busy"
            ) from None
        raise LabrigError(f"The corpus cannot be used: {error}", where=str(path)) from None
    except sqlite3.DatabaseError as error:
        raise LabrigError(f"This is no corpus, or a damaged one: {error}", where=str(path)) from None
    finally:
        database.close()


def _check(database: sqlite3.Connection, path: Path, make: bool) -> None:
    """Make the tables of a new file; refuse a file that is something else, or of another layout."""
    if make:
        database.execute("BEGIN IMMEDIATE")
        if not database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            for statement in _TABLES.split(";\n"):
                database.execute(statement)
            database.execute(f"PRAGMA application_id={APPLICATION}")
            database.execute(f"PRAGMA user_version={LAYOUT}")
        database.execute("COMMIT")
    else:
        database.execute("PRAGMA query_only=ON")
    (kind,), (layout,) = (
        database.execute(f"PRAGMA {each}").fetchone() for each in ("application_id", "user_version")
    )
    if kind != APPLICATION:
        raise LabrigError("This file is no corpus of papers", where=str(path))
    if layout != LAYOUT:
        raise LabrigError(
            f"This corpus has layout {layout}",
            where=str(path),
            expected=f"layout {LAYOUT}",
            try_="the release that made it, or a new file",
        )


def has(database: sqlite3.Connection, sha256: str) -> bool:
    """Tell whether a file is in the corpus."""
    return database.execute("SELECT 1 FROM documents WHERE sha256=?", (sha256,)).fetchone() is not None


def add(database: sqlite3.Connection, document: Document, added_at: float | None = None) -> bool:
    """Add a document; False where its file is there already. It is added now, unless a time is given.

    Raises
    ------
    LabrigError
        ``limit`` for more text than `pages_of` reads.
    """
    texts = [text.encode() for text in document.pages]
    if (size := sum(map(len, texts))) > MOST_TEXT_BYTES:
        raise over_limit(f"The file has {size:,} bytes of text", MOST_TEXT_BYTES)
    found = {
        (each.key, number, each.printed[:120]): each.elements
        for number, text in enumerate(document.pages, 1)
        for each in mentions(text)
    }
    database.execute("BEGIN IMMEDIATE")
    try:
        added = database.execute(
            "INSERT OR IGNORE INTO documents (sha256, path, title, doi, year, added) VALUES (?, ?, ?, ?, ?, ?)",
            (
                document.sha256,
                document.path,
                document.title,
                document.doi,
                document.year,
                time.time() if added_at is None else added_at,
            ),
        )
        if not added.rowcount:
            database.execute("ROLLBACK")
            return False
        number = added.lastrowid
        database.executemany(
            "INSERT INTO pages VALUES (?, ?, ?)",
            [(number, page, zlib.compress(text)) for page, text in enumerate(texts, 1)],
        )
        database.executemany(
            "INSERT OR IGNORE INTO mentions VALUES (?, ?, ?, ?, ?)",
            [(key, number, page, printed, elements) for (key, page, printed), elements in found.items()],
        )
        database.execute(
            "INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)",
            (number, document.title, "\n".join(document.pages)),
        )
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:  # a full disk ends it by itself
            database.execute("ROLLBACK")
        raise
    return True


def count(database: sqlite3.Connection) -> int:
    """Return how many documents there are."""
    return int(database.execute("SELECT count(*) FROM documents").fetchone()[0])


def pages_of(database: sqlite3.Connection, document: int) -> Iterator[tuple[int, str]]:
    """Yield number and text of each page of a document.

    Raises
    ------
    sqlite3.DatabaseError
        For a page that cannot be read, or too much text: a corpus may come from elsewhere.
    """
    left = MOST_TEXT_BYTES
    for number, packed in database.execute(
        "SELECT number, text FROM pages WHERE document=? ORDER BY number", (document,)
    ):
        try:
            content = inflate(packed, left)
            yield int(number), content.decode()
        except (ValueError, TypeError) as error:
            raise sqlite3.DatabaseError(f"a page of document {document} cannot be read: {error}") from None
        left -= len(content)
