"""A store in a SQLite file, read only: pages by identity or by other names, and full-text search."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError, nearest
from labrig.storage.databases import holds_tables_alone, inflate
from labrig_atlas.wiki.folding import folded, words_of
from labrig_atlas.wiki.identity import HOST, Identity
from labrig_atlas.wiki.page import SHAPE, Page
from labrig_atlas.wiki.store_file import APPLICATION, LAYOUT
from labrig_atlas.wiki.stores import Found

MOST_FOUND = 50
MOST_WORDS = 32
"""Of a question; the ones behind are not looked for."""
MOST_PAGE_BYTES = 32 << 20
"""Of one page as it is kept: of at most 16 MiB that are read, with its links and headings."""
MOST_RECENT = 16
"""Pages that are kept in memory: an agent asks for the outline, then for sections of the same page."""
_WEIGHTS = "10.0, 8.0, 3.0, 1.0"
"""Of a word in title, other names, lead and text: bm25 of FTS5."""


class SqliteStore:
    """Pages of a file that `labrig_atlas.wiki.store_file` wrote. Several threads may ask it.

    Parameters
    ----------
    again
        What to do where the file is damaged, for the error.

    Raises
    ------
    LabrigError
        ``not_found`` for no file; ``unavailable`` for one that is damaged, unfinished, of another layout or no store.
    """

    def __init__(self, path: Path, *, again: str = "python -m labrig_atlas.wiki build SOURCE STORE") -> None:
        self._path, self._again = path, again
        self._lock = threading.Lock()
        self._recent: dict[int | None, Page] = {}
        if not path.is_file():
            raise LabrigError("There is no store of pages", where=str(path), try_=again, code="not_found")
        self._database = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        try:
            self._check()
        except BaseException:
            self._database.close()
            raise

    @property
    def source(self) -> str:
        """What the store is, in one line."""
        return self._source

    @property
    def host(self) -> str:
        """The host of its pages' addresses."""
        return self._host

    @property
    def pages(self) -> int:
        """How many pages it holds."""
        return int(self._rows("SELECT count(*) FROM pages")[0][0])

    async def get(self, identity: Identity) -> Page:
        """Return a page; a redirect is followed, and so is a title in another writing where one page alone fits."""
        return self.page(identity)

    def page(self, identity: Identity) -> Page:
        """Return a page, as `get` does, at once."""
        key = (identity.host, identity.title)
        rows = self._rows("SELECT page, target FROM names WHERE host=? AND name=?", key)
        if not rows:
            rows = self._rows(
                "SELECT DISTINCT page, target FROM names WHERE host=? AND folded=?",
                (identity.host, folded(identity.title)),
            )
            places = {page if page is not None else target for page, target in rows}
            if len(places) > 1:
                titles = [
                    str(row[0])
                    for row in self._rows(
                        "SELECT name FROM names WHERE host=? AND folded=?",
                        (identity.host, folded(identity.title)),
                    )
                ]
                raise self._missing(identity, titles)
        if not rows:
            raise self._missing(identity, self._near(identity))
        page, target = rows[0]
        if page is None:
            rows = self._rows("SELECT page FROM names WHERE host=? AND name=?", (identity.host, target))
            page = rows[0][0] if rows else None
        found = self._numbered(page)
        return replace(found, redirected_from=identity.title) if found.title != identity.title else found

    def every(self) -> Iterator[Page]:
        """Yield all pages, in the order of their titles."""
        for (number,) in self._rows("SELECT id FROM pages ORDER BY title"):
            yield self._numbered(number)

    async def search(self, text: str, n: int = 5) -> list[Found]:
        """Return the pages that fit a text best: its very title first, then by bm25 with a title's words counting most.

        All words must stand in a page; where fewer than `n` pages have them all, pages with some follow. The last
        word may be the beginning of one. Operators and quotes are no operators here. At most `MOST_FOUND`.
        """
        words = words_of(text)[:MOST_WORDS]
        n = max(0, min(n, MOST_FOUND))
        if not words or not n:
            return []
        exact = self._rows(
            "SELECT coalesce(names.page, other.page) FROM names LEFT JOIN names AS other ON other.host=names.host AND"
            " other.name=names.target WHERE names.folded=? LIMIT ?",
            (folded(text), n),
        )
        numbers = [row[0] for row in exact if row[0] is not None]
        whole = [f'"{word}"' for word in words]
        begun = [*whole[:-1], f"{whole[-1]}*"]
        for question in (" AND ".join(whole), " AND ".join(begun), " OR ".join(begun)):
            if len(set(numbers)) < n:
                rows = self._rows(
                    f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, {_WEIGHTS}), rowid LIMIT ?",
                    (question, n),
                )
                numbers += [row[0] for row in rows]
        found = []
        for number in list(dict.fromkeys(numbers))[:n]:
            page = self._numbered(number)
            found.append(Found(page.title, page.address, excerpt(page, words)))
        return found

    async def titles(self, beginning: str = "", n: int = 20) -> list[str]:
        """Return titles that begin so, in the order of their folded form; redirects are not among them."""
        start = folded(beginning)
        rows = self._rows(
            "SELECT name FROM names WHERE page IS NOT NULL AND folded >= ? AND folded < ?"
            " ORDER BY folded, name LIMIT ?",
            (start, start + "\U0010ffff", max(0, n)),
        )
        return [str(row[0]) for row in rows]

    async def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _check(self) -> None:
        try:
            tables_alone = holds_tables_alone(self._database)
        except sqlite3.DatabaseError as error:
            raise self._damaged(str(error)) from None
        if not tables_alone:
            raise self._damaged("it is no store of pages")
        kind = self._rows("PRAGMA application_id")[0][0]
        if kind != APPLICATION:
            raise self._damaged("it is no store of pages")
        about = dict(self._rows("SELECT key, value FROM about"))
        if self._rows("PRAGMA user_version")[0][0] != LAYOUT or about.get("shape") != str(SHAPE):
            raise self._damaged("it was built by another version of Labrig")
        if about.get("complete") != "yes":
            raise self._damaged("its building was not finished")
        self._source = str(about.get("source", ""))
        self._host = str(about.get("host", HOST))

    def _numbered(self, number: int | None) -> Page:
        """Return a page by its number; the last ones that were asked are kept."""
        with self._lock:
            kept = self._recent.pop(number, None)
            if kept is not None:
                self._recent[number] = kept
        if kept is not None:
            return kept
        rows = self._rows("SELECT body FROM pages WHERE id=?", (number,))
        if not rows:
            raise self._damaged("a name leads to no page")
        found = self._page(rows[0][0])
        with self._lock:
            self._recent[number] = found
            while len(self._recent) > MOST_RECENT:
                del self._recent[next(iter(self._recent))]
        return found

    def _page(self, body: bytes) -> Page:
        try:
            return Page.from_dict(json.loads(inflate(body, MOST_PAGE_BYTES)))
        except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
            raise self._damaged(f"a page in it cannot be read ({type(error).__name__})") from None

    def _rows(self, question: str, given: Sequence[Any] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._database.execute(question, tuple(given)).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise self._damaged(str(error)) from None

    def _near(self, identity: Identity) -> list[str]:
        """Return titles that resemble one that is not there: those with its words, then those with its beginning."""
        words = words_of(folded(identity.title))[:MOST_WORDS]
        names: list[str] = []
        if words:
            rows = self._rows(
                "SELECT pages.title FROM words JOIN pages ON pages.id=words.rowid WHERE words MATCH ?"
                f" ORDER BY bm25(words, {_WEIGHTS}) LIMIT 20",
                ("{title names} : (" + " OR ".join(f'"{word}"*' for word in words) + ")",),
            )
            names = [str(row[0]) for row in rows]
        start = folded(identity.title)[:3]
        rows = self._rows(
            "SELECT name FROM names WHERE folded >= ? AND folded < ? LIMIT 500", (start, start + "\U0010ffff")
        )
        return list(dict.fromkeys([*nearest(identity.title, [str(row[0]) for row in rows]), *names]))[:5]

    def _missing(self, identity: Identity, near: list[str]) -> LabrigError:
        other = f": this store has pages of {self._host}" if identity.host != self._host else ""
        return LabrigError(
            f"There is no page {identity.title!r} of {identity.host} here{other}",
            where=identity.address,
            try_=f"one of these titles: {'; '.join(near)}" if near else "a search for some of its words",
            code="not_found",
        )

    def _damaged(self, why: str) -> LabrigError:
        return LabrigError(
            f"The store of pages cannot be used: {why}",
            where=str(self._path),
            try_=self._again,
            code="unavailable",
        )


def excerpt(page: Page, words: Sequence[str], *, most: int = 300) -> str:
    """Return words of a page around the first of those looked for, of its lead where that has one of them."""
    wanted = [folded(word) for word in words]
    texts = [page.lead, *(section.text for section in page.sections[1:])]
    texts += [f"{field.label}: {field.text}" for field in page.infobox]
    for text in texts:
        line = " ".join(text.split())
        if any(word in folded(line) for word in wanted):
            break
    else:
        line = " ".join(page.lead.split())
    places = [place for word in words if (place := line.casefold().find(word.casefold())) >= 0]
    start = max(0, min(places, default=0) - most // 3) if len(line) > most else 0
    shown = line[start : start + most]
    if start:
        shown = "…" + shown.partition(" ")[2]
    return (shown.rpartition(" ")[0] or shown) + "…" if start + most < len(line) else shown
