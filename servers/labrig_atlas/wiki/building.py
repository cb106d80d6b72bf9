"""A store is built from a source: page after page in a child, into a file that becomes the store when it is whole.

Killed, it goes on where it was: the file beside (``STORE.part``) keeps the pages that were done, and the next run
of the same command reads on. What is left out is counted by reason.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from labrig.canonical import content_hash
from labrig.errors import LabrigError
from labrig.isolation.children import Children
from labrig_atlas.wiki.about import About
from labrig_atlas.wiki.apart import PageReader, page_reader, readers
from labrig_atlas.wiki.article_pages import article_page
from labrig_atlas.wiki.identity import HOST, Identity
from labrig_atlas.wiki.page import SHAPE, Page
from labrig_atlas.wiki.raw import Raw, Source
from labrig_atlas.wiki.sources import source_of
from labrig_atlas.wiki.store_file import LAYOUT, StoreWriter
from labrig_atlas.wiki.zim import ZimFile

SAVED_EVERY = 200
"""Pages after which what is done is kept."""
MOST_EXAMPLES = 5
SHOWN_CHARS = 200
"""Of a title that is left out."""
Progress = Callable[[int, int, int], None]
"""Told how much is read, of how much, and how many pages there are."""


@dataclass(frozen=True)
class Built:
    """A store that was built.

    Attributes
    ----------
    left_out
        Reason -> how many.
    examples
        Titles with the reason, some of each.
    lost
        Redirects that led to no page of the store.
    """

    path: Path
    pages: int
    left_out: dict[str, int]
    examples: tuple[str, ...]
    lost: int


async def build(
    source: Path,
    store: Path,
    *,
    host: str = "",
    replace: bool = False,
    progress: Progress = lambda done, total, pages: None,
) -> Built:
    """Build a store.

    Parameters
    ----------
    source
        A folder of HTML files, a dump, a ZIM file or a folder of articles: `labrig_atlas.wiki.sources`.
    store
        The file to make.
    host
        Of the wiki, where the source does not say it; else ``en.wikipedia.org``.
    replace
        Whether a store that is there may be replaced; it stays until the new one is whole.

    Raises
    ------
    LabrigError
        ``refused`` for a store that is there, or a link in place of a file that is written; ``busy``
        while another process builds it; ``bad_input`` for a source that is none, is broken or has no page;
        ``unavailable`` for ZIM without libzim; ``limit`` for a full disk.
    """
    if store.exists() and not replace:
        raise LabrigError(
            "There is a file already", where=str(store), try_="--replace, or another name", code="refused"
        )
    given = source_of(source)
    if not store.parent.is_dir():
        raise LabrigError("There is no such folder", where=str(store.parent), code="not_found")
    part = store.with_name(f"{store.name}.part")
    with _alone(store):
        site = host or given.host or HOST
        key = content_hash([str(source.absolute()), _state(source), site, SHAPE, LAYOUT])
        _forget_another(part, key)
        try:
            with StoreWriter(part) as writer:
                writer.say("building", key)
                built = await _filled(given, site, writer, progress)
                pages = writer.count()
                if not pages:
                    raise LabrigError(
                        "The source has no page that can be read", where=str(source), expected=_told(built)
                    )
                writer.say("host", site)
                lost = writer.finish(given.line)
        except sqlite3.OperationalError as error:
            raise LabrigError(
                f"The store cannot be written: {error}", where=str(part), code="limit"
            ) from None
        part.replace(store)
    return Built(store, pages, dict(built.counts), tuple(built.examples), lost)


class _LeftOut:
    """What is left out, counted."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: list[str] = []

    def add(self, title: str, why: str) -> None:
        self.counts[why] += 1
        if self.counts[why] <= MOST_EXAMPLES:
            self.examples.append(f"{title[:SHOWN_CHARS] or '?'}: {why}")


async def _filled(source: Source | ZimFile, host: str, writer: StoreWriter, progress: Progress) -> _LeftOut:
    """Write all pages of a source that are not written yet."""
    left_out = _LeftOut()
    since = 0
    async with readers() as by:
        parser = _Parser(by)
        try:
            async for raw in _pages(source, by):
                since += await _taken(raw, source, host, writer, parser, left_out)
                if since >= SAVED_EVERY:
                    writer.save()
                    since = 0
                progress(raw.done, source.total, writer.written)
        finally:
            await parser.close()
            writer.save()
    return left_out


async def _pages(source: Source | ZimFile, by: Children) -> AsyncIterator[Raw]:
    if isinstance(source, ZimFile):
        async for raw in source.pages(by):
            yield raw
    else:
        for raw in source.pages():
            yield raw


async def _taken(
    raw: Raw, source: Source | ZimFile, host: str, writer: StoreWriter, parser: _Parser, left_out: _LeftOut
) -> int:
    """Take one piece of a source; return how many pages were written."""
    if raw.kind == "left_out":
        left_out.add(raw.title, raw.text)
        return 0
    try:
        identity = Identity(host, "").titled(raw.title)
        if raw.kind == "redirect":
            writer.add_redirect(identity, identity.titled(raw.text))
            return 0
        if writer.has_page(identity):
            return 0
        page = await parser.page(raw, identity, source.line)
    except LabrigError as error:
        known = {"refused": "of another namespace", "too_large": "too large"}
        left_out.add(raw.title, known.get(error.code, error.what))
        return 0
    writer.add(identity, page, raw.article.aliases if raw.article else ())
    return 1


class _Parser:
    """A child that reads page after page; another takes its place where a page took it down."""

    def __init__(self, by: Children) -> None:
        self._by = by
        self._stack = AsyncExitStack()
        self._reader: PageReader | None = None

    async def page(self, raw: Raw, identity: Identity, line: str) -> Page:
        if raw.article is not None:
            return article_page(raw.article, identity)
        if self._reader is None:
            self._reader = await self._stack.enter_async_context(page_reader(self._by))
        source = f"{line}, {raw.title!r}" + (f", revision {raw.revision}" if raw.revision else "")
        about = About(identity.address, identity.title, language=identity.language, source=source)
        try:
            return await self._reader.page(raw.text, about, raw.kind)
        except LabrigError as error:
            if error.code not in ("bad_input", "too_large"):
                await self.close()
            raise

    async def close(self) -> None:
        self._reader = None
        await self._stack.aclose()
        self._stack = AsyncExitStack()


def _state(source: Path) -> list[object]:
    """Return what tells whether a source is still the same."""
    if source.is_dir():
        files = sorted(path for path in source.rglob("*") if path.is_file())
        return [
            [str(path.relative_to(source)), path.stat().st_size, path.stat().st_mtime_ns] for path in files
        ]
    found = source.stat()
    return [found.st_size, found.st_mtime_ns]


def _forget_another(part: Path, key: str) -> None:
    """Remove what was begun of another source, or is damaged."""
    if part.is_symlink():
        raise _is_link(part)
    if not part.exists():
        return
    try:
        with StoreWriter(part) as writer:
            same = writer.said("building") == key and not writer.said("complete")
    except sqlite3.DatabaseError:
        same = False
    if not same:
        part.unlink()
        part.with_name(f"{part.name}-journal").unlink(missing_ok=True)


@contextlib.contextmanager
def _alone(store: Path) -> Iterator[None]:
    """Keep other processes from building the same store."""
    path = store.with_name(f"{store.name}.lock")
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _is_link(path) from None
        raise
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    except BlockingIOError:
        raise LabrigError("Another process builds this store", where=str(store), code="busy") from None
    finally:
        os.close(lock)


def _is_link(path: Path) -> LabrigError:
    return LabrigError(
        "There is a link where a file of the store is written",
        where=str(path),
        try_="remove it, or build the store in a folder of your own",
        code="refused",
    )


def _told(left_out: _LeftOut) -> str:
    return "; ".join(f"{count:,} {why}" for why, count in left_out.counts.most_common(5)) or "articles"
