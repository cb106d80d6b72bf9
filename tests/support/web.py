"""Clients for tests of the HTTP layer: their state below one folder, an imitation the only origin they may reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labrig.http import Client
from labrig.http.hosts import Limit
from support.imitation import Imitation

FAST = Limit(per_second=2000, concurrent=16)


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
