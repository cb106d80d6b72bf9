"""Clients for tests of the HTTP layer: their state below one folder, an imitation the only origin they may reach."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labrig.http import Client
from labrig.http.hosts import Clock, Limit
from labrig.http.services import Service
from support.imitation import Imitation

FAST = Limit(per_second=2000, concurrent=16)


class Standing(Clock):
    """A clock that goes on where somebody waits, and then by so much: nothing is late, however busy the machine is."""

    def __init__(self) -> None:
        self._now = 1_700_000_000.0

    def time(self) -> float:
        return self._now

    monotonic = time

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self._now += seconds


@contextmanager
def asked_at_once(services: Iterable[Service]) -> Iterator[None]:
    """Ask services, which are imitated, as often as a test does, without the pauses that the real ones want."""
    limits = [(service, service.limit) for service in services]
    try:
        for service, _ in limits:
            object.__setattr__(service, "limit", FAST)
        yield
    finally:
        for service, limit in limits:
            object.__setattr__(service, "limit", limit)


def client(folder: Path, *sites: Imitation, mode: str = "live", **more: Any) -> Client:
    """Return a client with its ledger, cache and turns in `folder`."""
    given: dict[str, Any] = {
        "mode": mode,
        "ledger": folder / "ledger.sqlite" if mode != "live" else None,
        "private_origins": [site.url("").rstrip("/") for site in sites],
        "cache": folder / "cache",
        "state": folder / "hosts",
        "limit": FAST,
        "contact": "tests@example.org",
    }
    return Client(**given | more)


def files_with(folder: Path, *needles: bytes) -> list[str]:
    """Return the files below a folder that hold one of the texts."""
    return [
        f"{path.relative_to(folder)}: {needle[:20]!r}"
        for path in folder.rglob("*")
        if path.is_file()
        for needle in needles
        if needle in path.read_bytes()
    ]
