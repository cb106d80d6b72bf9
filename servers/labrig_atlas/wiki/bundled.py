"""The wiki of a world of ours: made of its articles at the first use, and again when they change."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterable

from labrig.canonical import content_hash, sha256
from labrig.config import home
from labrig.errors import LabrigError
from labrig_atlas.articles import BUNDLED, Article, digest, read_articles
from labrig_atlas.wiki.article_pages import article_page
from labrig_atlas.wiki.identity import HOST, Identity
from labrig_atlas.wiki.page import SHAPE
from labrig_atlas.wiki.sqlite_store import SqliteStore
from labrig_atlas.wiki.store_file import LAYOUT, StoreWriter

EARTH = "earth"
MADE = 2
"""Of the way in which articles become pages; a new number makes stores anew."""


def earth_store() -> SqliteStore:
    """Return the store of the bundled world, made of its TOML files if they or this code have changed.

    Raises
    ------
    LabrigError
        ``not_found`` where there are no articles; ``bad_input`` for an invalid article.
    """
    files = [[path.name, sha256(path.read_bytes())] for path in sorted(BUNDLED.glob("*.toml"))]
    source = "Labrig's own short articles on the real world"
    return _made(EARTH, content_hash(files), HOST, source, read_articles, made_up=False)


def world_store(world: str, articles: Iterable[Article]) -> SqliteStore:
    """Return the store of a fictional world, ``twin-7``, made of its articles if they have changed.

    Its pages stand at ``https://wiki.WORLD.invalid/wiki/``.
    """
    whole = tuple(articles)
    source = f"Labrig's own articles on the fictional world {world}"
    return _made(world, digest(whole), world_host(world), source, lambda: whole, made_up=True)


def world_host(world: str) -> str:
    """Return the host at which the pages of a world stand."""
    return HOST if world == EARTH else f"wiki.{world}.invalid"


def _made(
    world: str,
    content: str,
    host: str,
    source: str,
    articles: Callable[[], Iterable[Article]],
    *,
    made_up: bool,
) -> SqliteStore:
    """Return the store of articles with this hash, made if it is not there or damaged.

    Processes that come at once make it once. It is written beside its place and renamed when it is whole, so one
    that is killed leaves no half of a store.
    """
    folder = home() / "atlas" / "wiki"
    key = content_hash([content, host, source, SHAPE, LAYOUT, MADE])[:16]
    path = folder / f"{world}-{key}.sqlite"
    with contextlib.suppress(LabrigError):
        return SqliteStore(path)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{world}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with contextlib.suppress(LabrigError):
            return SqliteStore(path)
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        try:
            with StoreWriter(part) as writer:
                for article in articles():
                    identity = Identity(host, "").titled(article.title)
                    page = article_page(article, identity, made_up=made_up)
                    if not writer.add(identity, page, article.aliases):
                        raise LabrigError(f"Two articles are named {article.title!r}", where=world)
                writer.say("host", host)
                writer.finish(source)
            part.replace(path)
            for old in folder.glob(f"{world}-{'[0-9a-f]' * 16}.sqlite"):
                if old != path:  # of articles that have changed since; whoever has it open keeps it
                    old.unlink(missing_ok=True)
        finally:
            part.unlink(missing_ok=True)
    return SqliteStore(path)
