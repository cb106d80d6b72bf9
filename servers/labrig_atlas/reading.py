"""Pages by address or title: of the bundled wiki, of a store in a file, of Wikipedia and the web where that is set.

Nothing is opened before the first page. An address that is no page of a wiki is asked of the network in the setting
``live`` alone; elsewhere it is refused, a private one in any case.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig_atlas.asking import check_texts
from labrig_atlas.wiki.identity import identity_of, is_wiki
from labrig_atlas.wiki.page import Page
from labrig_atlas.wiki.stores import Found, Store

if TYPE_CHECKING:
    from labrig.http import Client
    from labrig.isolation.children import Children

BUNDLED, LIVE = "bundled", "live"
EARTH = "earth"


class Pages:
    """Reads pages; for one event loop. Close it when done.

    Parameters
    ----------
    wiki
        ``bundled``, ``live``, or the path of a store.
    world
        Of the bundled wiki: ``earth`` or ``twin-SEED``.
    client
        Gives the client of the network.
    """

    def __init__(self, wiki: str, world: str, client: Callable[[], Client]) -> None:
        self._wiki, self._world, self._client = wiki, world, client
        self._store: Store | None = None
        self._readers: Children | None = None
        self._opening = asyncio.Lock()

    async def close(self) -> None:
        """Close what was opened."""
        if self._store is not None:
            await self._store.close()
        if self._readers is not None:
            await self._readers.close()

    @property
    def fictional(self) -> bool:
        """Whether its wiki is that of a fictional world."""
        return self._wiki == BUNDLED and self._world != EARTH

    async def store(self) -> Store:
        """Return the wiki, which the first call opens or makes."""
        async with self._opening:
            if self._store is None:
                self._store = await self._opened()
        return self._store

    async def page(self, address: str) -> tuple[Page, str]:
        """Return the page at an address or with a title, and the section that the address names.

        Raises
        ------
        LabrigError
            ``not_found`` with near titles; ``refused`` for what is no article, and for private addresses;
            ``unavailable`` for an address outside the wiki where the network is not asked.
        """
        check_texts(address)
        host = await self._host()
        if "://" in address and not is_wiki(address, (host,)):
            await self._require_live(address)
            from labrig_atlas.wiki.web_pages import web_page

            return await web_page(self._client(), self._children(), address), ""
        identity = identity_of(address, host=host, hosts=(host,))
        return await (await self.store()).get(identity), identity.section

    async def html(self, address: str) -> str:
        """Return a page as HTML: as it was sent where it is asked live, else written of its parts; errors as `page`."""
        if self._wiki == LIVE and "://" in address and not is_wiki(address):
            check_texts(address)
            from labrig_atlas.wiki.web_pages import web_source

            return await web_source(self._client(), self._children(), address)
        from labrig_atlas.wiki.as_html import as_html

        return as_html((await self.page(address))[0])

    async def search(self, text: str, n: int) -> tuple[list[Found], str]:
        """Return the pages of the wiki that fit a text best, and the wiki in one line."""
        check_texts(text)
        store = await self.store()
        return await store.search(text, n), store.source

    async def _host(self) -> str:
        """Return the host of the wiki's addresses; a store says its own."""
        from labrig_atlas.wiki.bundled import world_host

        store = await self.store() if self._wiki not in (BUNDLED, LIVE) else None
        own: str | None = getattr(store, "host", None)
        return own or world_host(self._world if self._wiki == BUNDLED else EARTH)

    def _children(self) -> Children:
        if self._readers is None:
            from labrig_atlas.wiki.apart import readers

            self._readers = readers()
        return self._readers

    async def _opened(self) -> Store:
        if self._wiki == BUNDLED:
            return await in_thread(_bundled, self._world)
        if self._wiki == LIVE:
            from labrig_atlas.wiki.live import LiveWiki

            return LiveWiki(self._client(), self._children())
        from labrig_atlas.wiki.sqlite_store import SqliteStore

        return await in_thread(SqliteStore, Path(self._wiki).expanduser())

    async def _require_live(self, address: str) -> None:
        """Refuse an address that is no page of the wiki, unless the network is asked, which refuses private ones."""
        if self._wiki == LIVE:
            return
        from labrig.http.guard import Guard

        await in_thread(Guard().check, address)
        raise LabrigError(
            "This server reads its own wiki alone, and this address is no page of it",
            where=address,
            try_="search_pages, or the setting wiki=live, which asks the network",
            code="unavailable",
        )


def _bundled(world: str) -> Store:
    """Return the pages of a world: our own articles, or those of a twin, which its seed makes."""
    from labrig_atlas.wiki.bundled import earth_store, world_store
    from labrig_atlas.world.twin import seed_of, twin

    seed = seed_of(world)
    return earth_store() if seed is None else world_store(world, twin(seed).articles)
