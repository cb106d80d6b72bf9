"""Papers fetched through `labrig.http`, each once for each caller, and kept in a folder that goes with the server.

Nothing is fetched but what a caller names: addresses in a PDF are never followed. What one caller fetched is not there
for another, and gives way to papers of his own alone.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from labrig.errors import LabrigError
from labrig_papers.fetching.addresses import ARXIV, LONGEST, arxiv_number, is_address

if TYPE_CHECKING:
    from labrig.http import Client

MOST_BYTES = 200 << 20
"""Of one paper."""
MOST_KEPT, MOST_KEPT_BYTES = 30, 1 << 30
"""Papers and bytes of one caller on the disk; those that were used longest ago go first."""
MOST_CALLERS = 16
"""Callers whose papers are kept; all of one go who fetched nothing for the longest time."""
TOTAL_S, PATIENCE_S = 45.0, 20.0
"""A client waits 60 s for an answer."""


@dataclass(frozen=True)
class Fetched:
    """A paper on the disk."""

    path: Path
    sha256: str
    size: int


class Downloads:
    """What was fetched. For one event loop; close it when done.

    Parameters
    ----------
    mode, ledger
        How the network is asked: see `labrig.http.client.Client`.
    """

    def __init__(self, mode: str = "", ledger: Path | None = None) -> None:
        self._mode, self._ledger = mode, ledger
        self._client: Client | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._kept: OrderedDict[str, OrderedDict[str, Fetched]] = OrderedDict()  # by caller, by address
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._count = 0

    def opened(self, owner: str, named: str) -> tuple[int, str]:
        """Return a descriptor of a paper that a caller fetched before, and its SHA-256.

        Raises
        ------
        LabrigError
            ``not_found`` if it was not, or is no longer kept.
        """
        kept = self._kept.get(owner, OrderedDict())
        fetched = kept.get(named)
        if fetched is None:
            raise LabrigError(
                "This address was not fetched, or is no longer kept",
                where=named[:200],
                try_="open_paper with it",
                code="not_found",
            )
        kept.move_to_end(named)
        return os.open(fetched.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW), fetched.sha256

    def client(self) -> Client:
        """Return the client that asks the network; it is closed with the downloads."""
        return self._asked()

    def drop(self, owner: str, named: str) -> None:
        """Forget what a caller fetched under an address."""
        if (fetched := self._kept.get(owner, OrderedDict()).pop(named, None)) is not None:
            fetched.path.unlink(missing_ok=True)

    async def fetch(self, owner: str, named: str, most_bytes: int = MOST_BYTES) -> None:
        """Fetch a paper by its address for a caller, if it is not there.

        A larger one than `most_bytes` is refused as soon as the service states its size.

        Raises
        ------
        LabrigError
            ``bad_input`` for what is no address; what `labrig.http.client.Client.download` raises.
        """
        if not is_address(named) or len(named) > LONGEST:
            raise LabrigError(
                "This is no address", where=named[:200], expected="https://... or arXiv:2101.00001"
            )
        lock = self._locks.setdefault((owner, named), asyncio.Lock())
        async with lock:
            if named not in self._kept.get(owner, ()):
                fetched = await self._fetched(named, min(most_bytes, MOST_BYTES))
                self._kept.setdefault(owner, OrderedDict())[named] = fetched
                self._kept.move_to_end(owner)
        self._forget(owner)

    async def _fetched(self, named: str, most_bytes: int) -> Fetched:
        client = self._asked()
        self._count += 1
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="labrig-papers-")
        to = Path(self._folder.name) / f"{self._count}.pdf"
        number = arxiv_number(named)
        if number:
            told = await client.ask(
                ARXIV, f"pdf/{number}", to=to, max_bytes=most_bytes, total_s=TOTAL_S, patience_s=PATIENCE_S
            )
        elif named[:6].lower() == "arxiv:":
            raise LabrigError(
                "This is no arXiv number",
                where=named[:200],
                expected="arXiv:2101.00001 or arXiv:cond-mat/0101001",
            )
        else:
            told = await client.download(
                named, to, robots=True, max_bytes=most_bytes, total_s=TOTAL_S, patience_s=PATIENCE_S
            )
        assert told.stored is not None
        return Fetched(told.stored.path, told.stored.sha256, told.stored.size)

    def _asked(self) -> Client:
        from labrig.http import Client

        if self._client is None:
            self._client = Client.configured(mode=self._mode, ledger=self._ledger)
        return self._client

    def _forget(self, owner: str) -> None:
        kept = self._kept.get(owner, OrderedDict())
        gone = []
        while len(kept) > MOST_KEPT or (
            len(kept) > 1 and sum(each.size for each in kept.values()) > MOST_KEPT_BYTES
        ):
            gone.append(kept.popitem(last=False)[1])
        while len(self._kept) > MOST_CALLERS:
            gone += self._kept.popitem(last=False)[1].values()
        for fetched in gone:
            fetched.path.unlink(missing_ok=True)

    async def close(self) -> None:
        """Close the client, and remove what was fetched."""
        if self._client is not None:
            await self._client.aclose()
        if self._folder is not None:
            self._folder.cleanup()
