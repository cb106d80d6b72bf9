"""One place that answers every question, by the backend that its settings name: the world's tables, or a live service.

    atlas = Atlas()
    told = await atlas.ask("geocode", "Ulm")
    told.facts.candidates, told.source, told.made_up

What is asked offline is a function of a `World` (`labrig_atlas.offline`), what is asked live one of
`labrig_atlas.services.backends`; both give the records of `labrig_atlas.facts`. Nothing is opened before the first
question: the world is made then, and the client of the network only where a service is asked.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError, unknown_name
from labrig.threads import in_thread

if TYPE_CHECKING:
    from labrig.http import Client
    from labrig_atlas.facts import Geocoding, Place
    from labrig_atlas.world.database import World

OFFLINE = "offline"
_NEARBY = re.compile(r"[a-z]+(?:-\d+)?:p:[\w:]{1,60}")
MOST_CHARS = 2_000
"""Of a text that is asked for."""
OFFLINE_ANSWERS: Mapping[str, tuple[str, str]] = {
    "geocode": ("geocoding", "geocode"),
    "reverse": ("reversing", "reverse_geocode"),
    "places": ("nearby", "search_places"),
    "details": ("nearby", "place_details"),
    "route": ("routing", "route"),
    "matrix": ("routing", "matrix"),
    "elevation": ("elevation", "elevations"),
    "weather": ("weather", "historical_weather"),
    "forecast": ("weather", "forecast_weather"),
    "stock": ("markets", "stock_day"),
    "crypto": ("markets", "crypto_day"),
    "country": ("countries", "country_facts"),
}
"""Questions that the world's tables answer: the file in `labrig_atlas.offline`, and the function there, which takes the
world first and then the arguments of the question."""

FILES: Mapping[tuple[str, str], tuple[str, str]] = {("elevation", "terrain"): ("terrain", "elevations")}
"""Questions that files of ``labrig setup`` answer, with the backend's name: file and function, as above."""


@dataclass(frozen=True)
class Told:
    """What came of one question.

    Attributes
    ----------
    facts
        A record of `labrig_atlas.facts`, or a tuple of them.
    source
        Who says so: table or service, with year and licence.
    made_up
        Whether the figures were made and not observed.
    notes
        What a reader has to know.
    record
        Where each answer of a service came from, for the log.
    """

    facts: Any
    source: str
    made_up: bool = False
    notes: tuple[str, ...] = ()
    record: tuple[Mapping[str, Any], ...] = ()

    def noting(self, *notes: str) -> Told:
        """Return the same with further notes before its own; empty ones are none."""
        return replace(self, notes=tuple(dict.fromkeys((*filter(None, notes), *self.notes))))


class Atlas:
    """Answers questions; for one event loop, and any number of callers. Close it when done.

    Parameters
    ----------
    world
        ``earth``, or ``twin-SEED``.
    backends
        Of single questions, by their names in `labrig_atlas.services.backends`; the others are asked offline.
    mode, ledger
        How the network is asked: see `labrig.http.client.Client.configured`.
    alone
        Whether one caller asks, who waits for each answer: then no question is handed to a thread.
    """

    def __init__(
        self,
        *,
        world: str = "earth",
        backends: Mapping[str, str] | None = None,
        mode: str = "",
        ledger: Path | None = None,
        alone: bool = False,
    ) -> None:
        self._name, self._alone = world, alone
        self._backends = dict(backends or {})
        self._http: dict[str, Any] = {"mode": mode, "ledger": ledger}
        self._world: World | None = None
        self._client: Client | None = None
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Atlas:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what was opened."""
        if self._client is not None:
            await self._client.aclose()
        if self._world is not None:
            self._world.close()

    def backend(self, question: str) -> str:
        """Return who answers a question: ``offline``, or a backend of `labrig_atlas.services.backends`."""
        return self._backends.get(question) or OFFLINE

    async def world(self) -> World:
        """Return the world, which the first call opens or makes."""
        async with self._opening:
            if self._world is None:
                from labrig_atlas.world.database import open_world

                self._world = await in_thread(open_world, self._name)
        return self._world

    def client(self) -> Client:
        """Return the client of the network."""
        if self._client is None:
            from labrig.http import Client

            self._client = Client.configured(**self._http)
        return self._client

    async def ask(self, question: str, *arguments: Any, **more: Any) -> Told:
        """Ask a question of `labrig_atlas.services.backends`, with its arguments there, the client left out.

        Raises
        ------
        LabrigError
            What the look-up or the service raises; ``not_found`` for a backend that does not answer this question.
        """
        check_texts(arguments)
        name = self.backend(question)
        if name == OFFLINE:
            return await self.ask_tables(question, *arguments, **more)
        if own := FILES.get((question, name)):
            return await self.ask_world(_function(*own), *arguments, **more)
        from labrig_atlas.services.backends import backend

        reply = await backend(question, name)(self.client(), *arguments, **more)
        return Told(reply.facts, reply.source, _made_up(reply.facts), reply.notes, reply.sources)

    async def ask_tables(self, question: str, *arguments: Any, **more: Any) -> Told:
        """Ask the world's tables, whatever the backend of the question is."""
        if question not in OFFLINE_ANSWERS:
            raise unknown_name("table for", question, OFFLINE_ANSWERS)
        return await self.ask_world(_function(*OFFLINE_ANSWERS[question]), *arguments, **more)

    async def ask_world(self, look_up: Callable[..., Any], *arguments: Any, **more: Any) -> Told:
        """Return what a function of the world tells."""
        check_texts(arguments)
        facts = await self.looked_up(look_up, *arguments, **more)
        return Told(facts, _source(facts), _made_up(facts), getattr(facts, "notes", ()))

    async def place(self, text: str, where: str) -> tuple[Place, str]:
        """Return the one place that a text means, and a note where others of its name were passed over.

        Raises
        ------
        LabrigError
            What geocoding raises, naming the argument; ``bad_input`` for a name of several places, with these.
        """
        check_texts(text)
        try:
            text = await self.located(text)
            if self.backend("geocode") == OFFLINE:
                from labrig_atlas.offline.geocoding import one_place

                found: tuple[Place, str] = await self.looked_up(one_place, text)
                return found
            told = await self.ask("geocode", text)
        except LabrigError as error:
            error.where = where
            raise
        geocoding: Geocoding = told.facts
        if geocoding.ambiguous:
            raise LabrigError(
                f"{geocoding.query!r} is a name of several places",
                where=where,
                expected="one of "
                + "; ".join(each.address or each.name for each in geocoding.candidates[:8]),
                try_="the name with its division and country, or a point as 'latitude, longitude'",
            )
        return geocoding.candidates[0], ""

    async def located(self, text: str) -> str:
        """Return a text; the place_id of a place that a search found, which no gazetteer has, as the point there.

        Raises
        ------
        LabrigError
            ``not_found`` for an id that this world did not give.
        """
        if self.backend("details") != OFFLINE or not _NEARBY.fullmatch(text.strip()):
            return text
        place: Place = (await self.ask("details", text.strip())).facts
        return f"{place.latitude}, {place.longitude}"

    async def looked_up(self, look_up: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        """Return what a function of the world gives; it runs in a thread, for callers who are not alone."""
        world = await self.world()
        if self._alone:
            return look_up(world, *arguments, **more)
        return await in_thread(look_up, world, *arguments, **more)


def check_texts(given: Any) -> None:
    """Refuse a text that is too long, or holds half a surrogate pair, which no table and no service can be asked for.

    Raises
    ------
    LabrigError
        ``bad_input``.
    """
    if isinstance(given, list | tuple):
        for each in given:
            check_texts(each)
    if isinstance(given, str):
        if len(given) > MOST_CHARS:
            raise LabrigError(f"A text has {len(given):,} characters", expected=f"at most {MOST_CHARS:,}")
        try:
            given.encode()
        except UnicodeEncodeError:
            raise LabrigError(
                "A text holds half a character", where=given[:60], expected="whole characters"
            ) from None


def _function(file: str, name: str) -> Callable[..., Any]:
    """Return a function of `labrig_atlas.offline`; its file is loaded at its first use."""
    function: Callable[..., Any] = getattr(importlib.import_module(f"labrig_atlas.offline.{file}"), name)
    return function


def _each(facts: Any) -> list[Any]:
    """Return the records that stand in an answer: those of a tuple, candidates, or itself."""
    if isinstance(facts, tuple):
        return list(facts)
    candidates = getattr(facts, "candidates", None)
    return list(candidates) if candidates is not None else [facts]


def _source(facts: Any) -> str:
    """Return the sources of an answer, each once."""
    return "; ".join(dict.fromkeys(each.source for each in _each(facts) if each.source))


def _made_up(facts: Any) -> bool:
    return any(getattr(each, "made_up", False) for each in _each(facts))
