"""A small server whose tools ask the network in every way: GET, POST, pages, a keyed service, a job that is polled."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from labrig.answer import Answer
from labrig.http import Client, Key, Response, Service
from labrig.toolbox import ServeOptions, Toolbox, session

CATALOGUE = Service(
    "catalogue",
    "https://catalogue.example.org/api",
    contact=True,
    key=Key("tests", "catalogue_key", header="X-Api-Key", get_it="https://catalogue.example.org/keys"),
)


@asynccontextmanager
async def opens(options: ServeOptions) -> AsyncIterator[Client]:
    async with Client.configured(mode=options.http_mode, ledger=options.ledger) as client:
        yield client


toolbox = Toolbox("web", "Tools that ask the network", "For tests.", opens=opens)


def told(response: Response) -> Answer:
    return Answer(
        source=f"{response.url}, {response.retrieved_at}",
        text=response.text,
        data={
            "status": response.status,
            "type": response.media_type,
            "via": [hop.url for hop in response.redirects],
        },
        record={"sources": [response.source()]},
    )


def web() -> Client:
    client: Client = session().state
    return client


@toolbox.tool(title="Look up", read_only=True, open_world=True)
async def look_up(term: str) -> Answer:
    """Look a term up in the catalogue."""
    return told(await web().ask(CATALOGUE, "terms", params={"q": term}, timeout_s=5, patience_s=0.2))


@toolbox.tool(title="Search", read_only=True, open_world=True)
async def search(text: str, limit: int = 10) -> Answer:
    """Search the catalogue."""
    body = {"text": text, "limit": limit}
    return told(await web().ask(CATALOGUE, "search", method="POST", data=body, timeout_s=5, patience_s=0.2))


@toolbox.tool(title="Read a page", read_only=True, open_world=True)
async def read_page(url: str) -> Answer:
    """Read a page of the web."""
    return told(await web().get(url, robots=True, max_bytes=100_000, timeout_s=1, patience_s=0.2))


@toolbox.tool(title="Ask for a job", read_only=True, open_world=True)
async def job(number: int) -> Answer:
    """Say how far a job is."""
    return told(await web().ask(CATALOGUE, f"jobs/{number}", poll=True))


def options(folder: Path, mode: str, **more: object) -> ServeOptions:
    return ServeOptions(
        workspace=folder / "workspace", http_mode=mode, ledger=folder / "ledger.sqlite", **more
    )  # type: ignore[arg-type]
