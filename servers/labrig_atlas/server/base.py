"""What the rooms of the MCP face share: the toolbox, its settings, who answers which question, the sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from labrig.sandbox import Sandbox
from labrig.sandbox.environment import summary
from labrig.server_settings import ServerSetting
from labrig.toolbox import ServeOptions, Toolbox, session
from labrig.tools import files
from labrig_atlas.asking import FILES, OFFLINE, Atlas
from labrig_atlas.published.writing import CODE_MODEL
from labrig_atlas.reading import BUNDLED, Pages
from labrig_atlas.services.backends import BACKENDS, SERVICES
from labrig_atlas.wiki.live import WIKIPEDIA

BACKEND = ServerSetting(
    "backend",
    OFFLINE,
    "who answers what has no setting of its own: the world's tables, keyless services, or Google where it can",
    choices=(OFFLINE, "open", "google"),
)
WORLD = ServerSetting("world", "earth", "the world of the tables and the bundled pages: earth, or twin-SEED")
WIKI = ServerSetting(
    "wiki", BUNDLED, "where pages come from: bundled, live (Wikipedia and the web), or the path of a store"
)
PYTHON = ServerSetting("python", "science", "the Python of the sandbox that code gets: science or earth")
MODEL = ServerSetting("model", "", "the model that python_generate_code of the toolset paper asks")


def _files(question: str) -> list[str]:
    return [name for asked, name in FILES if asked == question]


CHOSEN = tuple(
    ServerSetting(question, "", f"who answers {question}", choices=("", OFFLINE, *by, *_files(question)))
    for question, by in BACKENDS.items()
)


@dataclass
class State:
    """What all callers of one server share."""

    atlas: Atlas
    pages: Pages
    sandbox: Sandbox


def backends_of(options: ServeOptions) -> Mapping[str, str]:
    """Return who answers each question under these options.

    Of the backend google, questions that Google does not answer go to open: weather, countries and markets.
    """
    usual = str(toolbox.setting(options, BACKEND.name))
    chosen = {each.name: str(toolbox.setting(options, each.name)) for each in CHOSEN}
    return {
        question: chosen[question] or (usual if usual in (OFFLINE, *by) else "open")
        for question, by in BACKENDS.items()
    }


@asynccontextmanager
async def opens(options: ServeOptions) -> AsyncIterator[State]:
    """Hold world, client and sandbox over the server's life; each is opened by what first needs it."""
    sandbox = Sandbox.configured(
        profile=str(toolbox.setting(options, PYTHON.name)), unsafe_local=options.unsafe_local
    )
    world = str(toolbox.setting(options, WORLD.name))
    if world != WORLD.default:
        from labrig_atlas.world.database import check_name

        check_name(world)
    atlas = Atlas(
        world=world,
        backends=backends_of(options),
        mode=options.http_mode,
        ledger=options.ledger,
    )
    pages = Pages(str(toolbox.setting(options, WIKI.name)), world, atlas.client)
    try:
        yield State(atlas, pages, sandbox)
    finally:
        await sandbox.close()
        await pages.close()
        await atlas.close()


def state() -> State:
    """Return the state of the server that serves this call."""
    found = session().state
    assert isinstance(found, State)
    return found


def atlas() -> Atlas:
    """Return what answers the questions of this call."""
    return state().atlas


def pages() -> Pages:
    """Return what reads the pages of this call."""
    return state().pages


def doctor() -> list[str]:
    """Say which world and wiki answer, who answers in place of the tables, and which Python code would run in."""
    options = ServeOptions()
    asked = [f"{question} of {who}" for question, who in backends_of(options).items() if who != OFFLINE]
    return [
        f"world {toolbox.setting(options, WORLD.name)}, wiki {toolbox.setting(options, WIKI.name)}",
        f"asked of services: {', '.join(asked)}"
        if asked
        else "everything is answered from the world's tables",
        summary(str(toolbox.setting(options, PYTHON.name))),
    ]


toolbox = Toolbox(
    "atlas",
    "Wikipedia, maps, weather, countries and markets",
    "Pages that can be walked (fetch_webpage: outline, lead, infobox; then section=, links=, table=), places, routes, "
    "elevation, weather, countries, markets, and Python. Works with no key and no network: its own short articles and "
    "tables, each result with its source; what is made up (weather, roads, markets) says so. An ambiguous name gives "
    "candidates: ask again with the country. Compute with run_python_code, not in the head. "
    "Latitude comes before longitude.",
    opens=opens,
    doctor=doctor,
    toolsets={
        "default": "pages, places, routes, elevation, weather, countries, markets, Python: small answers with sources",
        "paper": "the 19 tools of The Amazing Agent Race, by their published names and arguments",
        "aliases": "names under which that paper's code has its search, and weather by one date",
        "files": "write, read and list files of the workspace: how an answer is committed to a file",
    },
    settings=(BACKEND, *CHOSEN, WORLD, WIKI, PYTHON, MODEL),
    reads=(),
    services=(*SERVICES, WIKIPEDIA, CODE_MODEL),
)
files.offer(toolbox, such_as="an answer", toolsets=("files",))

PlaceArgument = Annotated[
    str,
    Field(
        description="A name ('Ulm, Germany'), a point ('48.40, 9.99': latitude, longitude in degrees), or a place_id."
    ),
]
LatitudeArgument = Annotated[float, Field(description="Degrees, north positive.")]
LongitudeArgument = Annotated[float, Field(description="Degrees, east positive.")]
ModeArgument = Annotated[str, Field(description="driving, walking, bicycling or transit.")]
