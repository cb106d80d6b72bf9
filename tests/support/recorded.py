"""What the services of a server said once, in a ledger of its own: whoever calls that server at random calls a replay.

A server that declares services (``Toolbox(services=...)``) is never started by the fuzz or the attacks with a way to
the network. What it may be told stands in tests/support/known_servers/NAME.py as `NETWORK`: an imitation is furnished,
the calls are made once while they are recorded, and the imitation is gone. Without it the ledger is empty.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.http.client import ANY
from labrig.http.client import Client as HttpClient
from labrig.http.ledger.ledger import Ledger
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_harness.registry.servers import toolbox
from support.imitation import Imitation, imitation
from support.web import asked_at_once

CONTACT = "tests@example.org"


@dataclass(frozen=True)
class Network:
    """What a server's services say, and the calls that ask them.

    Attributes
    ----------
    furnish
        Gives an imitation its answers; the service NAME is at ``/NAME`` of it.
    calls
        From the imitation: calls of the server's tools, each of which is recorded with whatever comes of it.
    settings
        Of the server, with which it asks its services.
    variables
        Of the environment, while it is recorded and replayed: keys, which are no settings.
    addresses
        From the imitation: what is recorded beside the calls, because a call reads it in pieces.
    """

    furnish: Callable[[Imitation], None]
    calls: Callable[[Imitation], list[tuple[str, dict[str, Any]]]]
    settings: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    addresses: Callable[[Imitation], list[str]] = lambda site: []


@dataclass(frozen=True)
class Recorded:
    """A ledger, the variables of the environment under which it answers, and where the imitation was."""

    ledger: Path
    variables: Mapping[str, str]
    site: str = ""

    @property
    def flags(self) -> list[str]:
        """The flags of a server that replays it."""
        return ["--http-mode", "replay", "--ledger", str(self.ledger)]

    @contextmanager
    def replayed(self) -> Iterator[dict[str, Any]]:
        """Set the variables in this process, and give the fields of `ServeOptions`."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (self.variables | {"LABRIG_HTTP_MODE": "replay"}).items():
                patch.setenv(name, value)
            yield {"http_mode": "replay", "ledger": self.ledger}


def recorded(server: str, network: Network | None, folder: Path) -> Recorded | None:
    """Record what a server asks into a ledger in `folder`; None for a server that declares no service."""
    box = toolbox(server)
    if not box.services:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    ledger = folder / "ledger.sqlite"
    if network is None:
        Ledger(ledger, write=True).close()
        return Recorded(ledger, {})
    with imitation() as site, pytest.MonkeyPatch.context() as patch, asked_at_once(box.services):
        network.furnish(site)
        variables = {each.moved_by: site.url(f"/{each.name}") for each in box.services}
        variables |= {"LABRIG_HTTP_CONTACT": CONTACT, **network.variables}
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.setattr("labrig.http.retrying.FIRST_WAIT_S", 0.0)
        patch.setenv("LABRIG_HTTP_PRIVATE_ORIGINS", site.url("").rstrip("/"))
        patch.setenv("LABRIG_HOME", str(folder / "home"))
        options = ServeOptions(
            toolsets=tuple(box.toolsets),
            workspace=folder / "workspace",
            settings=network.settings,
            http_mode="record",
            ledger=ledger,
        )
        asyncio.run(_call(server, options, network.calls(site)))
        asyncio.run(_fetch(ledger, network.addresses(site)))
    return Recorded(ledger, variables, site.url("").rstrip("/"))


async def _fetch(ledger: Path, addresses: list[str]) -> None:
    async with HttpClient.configured(mode="record", ledger=ledger) as client:
        for address in addresses:
            await client.get(address, accept=ANY)


async def _call(server: str, options: ServeOptions, calls: list[tuple[str, dict[str, Any]]]) -> None:
    async with Client(build(toolbox(server), options)) as client:
        for tool, arguments in calls:
            await client.call_tool_mcp(tool, arguments)
