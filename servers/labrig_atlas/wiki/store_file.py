"""The file of a store: one SQLite database of pages, names and a full-text index (FTS5). How it is written.

`names` holds titles and redirects alike. The index is without content: excerpts come from the pages.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from types import TracebackType

from labrig.storage.databases import holds_tables_alone
from labrig_atlas.wiki.folding import folded
from labrig_atlas.wiki.identity import Identity
from labrig_atlas.wiki.page import SHAPE, Page

APPLICATION = 0x4C577031
"""In the head of the file (``LWp1``): what it is."""
LAYOUT = 1
"""Of the tables below."""
MOST_HOPS = 5
"""Of a redirect that leads to a redirect."""
_TABLES = """
CREATE TABLE pages (id INTEGER PRIMARY KEY, host TEXT NOT NULL, title TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE names (host TEXT NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL, page INTEGER, target TEXT,
    section TEXT NOT NULL DEFAULT '', PRIMARY KEY (host, name)) WITHOUT ROWID;
CREATE INDEX names_folded ON names (folded);
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(
    title, names, lead, text, content='', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
"""


class StoreWriter:
    """Writes a store into a new file; it becomes one with `finish`.

    Parameters
    ----------
    path
        Of a file that is not there, or one that another writer of the same source left unfinished.

    Raises
    ------
    sqlite3.DatabaseError
        For a file that is no database, or has views and triggers.
    """

    def __init__(self, path: Path) -> None:
        self.written = 0
        self._database = sqlite3.connect(path)
        self._database.execute("PRAGMA journal_mode=DELETE")
        self._database.execute(
            "PRAGMA synchronous=OFF"
        )  # `finish` brings it to the disk, and renaming makes it a store
        if not holds_tables_alone(self._database):
            self._database.close()
            raise sqlite3.DatabaseError("what was begun here is no store")
        if not self._database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            self._database.executescript(
                f"PRAGMA application_id={APPLICATION}; PRAGMA user_version={LAYOUT};{_TABLES}"
            )

    def __enter__(self) -> StoreWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def has_page(self, identity: Identity) -> bool:
        """Tell whether there is a page of this title."""
        row = self._database.execute(
            "SELECT page FROM names WHERE host=? AND name=?", (identity.host, identity.title)
        ).fetchone()
        return row is not None and row[0] is not None

    def add(self, identity: Identity, page: Page, names: Iterable[str] = ()) -> bool:
        """Add a page with other names that lead to it; False where its title is taken by a page."""
        with closing(self._database.cursor()) as cursor:
            key = (identity.host, identity.title)
            taken = cursor.execute("SELECT page FROM names WHERE host=? AND name=?", key).fetchone()
            if taken is not None and taken[0] is not None:
                return False
            body = zlib.compress(
                json.dumps(page.to_dict(), ensure_ascii=False, separators=(",", ":")).encode(), 6
            )
            cursor.execute("INSERT INTO pages (host, title, body) VALUES (?, ?, ?)", (*key, body))
            number = cursor.lastrowid
            row = (*key, folded(identity.title), number)
            cursor.execute("INSERT OR REPLACE INTO names (host, name, folded, page) VALUES (?, ?, ?, ?)", row)
            others = [identity.titled(name).title for name in names]
            for other in others:
                cursor.execute(
                    "INSERT OR IGNORE INTO names (host, name, folded, target) VALUES (?, ?, ?, ?)",
                    (identity.host, other, folded(other), identity.title),
                )
            cursor.execute(
                "INSERT INTO words (rowid, title, names, lead, text) VALUES (?, ?, ?, ?, ?)",
                (number, identity.title, " ".join(others), page.lead, _text(page)),
            )
        self.written += 1
        return True

    def add_redirect(self, identity: Identity, target: Identity) -> None:
        """Add a title that leads to another one of the same wiki, and maybe to a section of it."""
        self._database.execute(
            "INSERT OR IGNORE INTO names (host, name, folded, target, section) VALUES (?, ?, ?, ?, ?)",
            (identity.host, identity.title, folded(identity.title), target.title, target.section),
        )

    def say(self, key: str, value: str) -> None:
        """Keep a word on the store itself."""
        self._database.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, value))

    def said(self, key: str) -> str:
        """Return what `say` kept, or an empty text."""
        row = self._database.execute("SELECT value FROM about WHERE key=?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def save(self) -> None:
        """Keep what was added so far, should the process end."""
        self._database.commit()

    def count(self) -> int:
        """Return how many pages there are."""
        return int(self._database.execute("SELECT count(*) FROM pages").fetchone()[0])

    def finish(self, source: str) -> int:
        """Resolve redirects, and make the file a store that is whole; return how many redirects led nowhere.

        Parameters
        ----------
        source
            What the store is, in one line.
        """
        database = self._database
        following = (
            "SELECT {} FROM names AS next WHERE next.host=names.host AND next.name=names.target AND next.{}"
        )
        onward = following.format("next.target", "target IS NOT NULL")
        for _ in range(MOST_HOPS):
            database.execute(
                f"UPDATE names SET target=({onward}) WHERE target IS NOT NULL AND EXISTS ({onward})"
            )
        arrived = following.format("1", "page IS NOT NULL")
        lost = database.execute(
            f"DELETE FROM names WHERE target IS NOT NULL AND NOT EXISTS ({arrived})"
        ).rowcount
        self.say("shape", str(SHAPE))
        self.say("source", source)
        database.commit()
        database.execute("INSERT INTO words (words) VALUES ('optimize')")
        self.say("complete", "yes")
        database.commit()
        database.execute("PRAGMA synchronous=FULL")
        database.execute("VACUUM")
        return int(lost)


def _text(page: Page) -> str:
    """Return all words of a page for the index."""
    parts = [f"{field.label} {field.text}" for field in page.infobox]
    parts += [f"{section.title} {section.text}" for section in page.sections]
    parts += [
        f"{table.caption} " + " ".join(cell.text for row in table.rows for cell in row)
        for table in page.tables
    ]
    return "\n".join(parts)
