"""The server ``almanac``: tides from a service on the network that takes a key, and pages that a caller names."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from labrig.answer import Answer, Quantity
from labrig.errors import LabrigError
from labrig.http import Client, Key, Service
from labrig.toolbox import ServeOptions, Toolbox, session

TIDES = Service(
    "tides",
    "https://tides.example.org",
    contact=True,
    key=Key("almanac", "tides_key", header="X-Api-Key", required=False),
)


@asynccontextmanager
async def opens(options: ServeOptions) -> AsyncIterator[Client]:
    """Hold the client over the server's life."""
    async with Client.configured(mode=options.http_mode, ledger=options.ledger) as client:
        yield client


toolbox = Toolbox(
    "almanac",
    "An almanac",
    "Tides of ports: high_water; pages of the web: read_page.",
    opens=opens,
    reads=(),
    services=(TIDES,),
)


def web() -> Client:
    """Return the client of the server that serves this call."""
    client = session().state
    assert isinstance(client, Client)
    return client


@toolbox.tool(title="High water", read_only=True, open_world=True)
async def high_water(port: str) -> Answer:
    """Give the height of high water at a port."""
    told = await web().ask(TIDES, "high", params={"port": port[:200]}, timeout_s=5, patience_s=0.2)
    height = told.json().get("height_m")
    if not isinstance(height, int | float):
        raise LabrigError("The almanac has no such port", where="port", code="not_found")
    return Answer(
        source=f"{TIDES.url}, {told.retrieved_at}",
        values=(Quantity("height", height, "m", "above the chart's datum"),),
        record={"sources": [told.source()]},
    )


@toolbox.tool(title="Read a page", read_only=True, open_world=True)
async def read_page(url: str) -> Answer:
    """Read the beginning of a page of the web."""
    page = await web().get(url, robots=True, max_bytes=100_000, timeout_s=2, patience_s=0.2)
    return Answer(source=page.url, text=page.text[:500], record={"sources": [page.source()]})
