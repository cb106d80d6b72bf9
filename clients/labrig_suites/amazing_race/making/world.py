"""A world to race in: its pages, its tools and what is traded in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_harness.asking import AskText, asking
from labrig_suites.amazing_race.legs import Leg
from labrig_suites.amazing_race.making.pages import Pages, pages_of
from labrig_suites.amazing_race.making.planning import FIRST_DAY, Market
from labrig_suites.amazing_race.making.riddles import Riddles
from labrig_suites.amazing_race.making.roadblocks import Ask
from labrig_suites.amazing_race.making.store_pages import store_pages
from labrig_suites.amazing_race.page_text import PageText, read_markdown
from labrig_suites.amazing_race.pages import page_of

EARTH = "earth"
BUNDLED = "bundled"
NEAR = 0.5
"""Degrees between the point of a page and that of its name on the maps."""


@dataclass(frozen=True)
class RaceWorld:
    """A world that is open.

    Attributes
    ----------
    ask_text
        Asks a tool of the atlas server's toolset ``paper``, in this process; gives the text of its result.
    look_up
        Gives the JSON of that text from the functions behind the tools, without MCP: plans ask hundreds of times, and
        what comes of them is asked once more by `ask_text`.
    aliases
        Other titles that lead to a page, by its title.
    known
        Answers that were had already.
    """

    name: str
    pages: Pages
    markets: tuple[Market, ...]
    ask_text: AskText
    look_up: Ask
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known: dict[str, Mapping[str, Any] | LabrigError] = field(default_factory=dict)

    @cached_property
    def riddles(self) -> Riddles:
        """Descriptions of its pages."""
        return Riddles(self.pages, self._first_hit)

    def _first_hit(self, query: str) -> str:
        found = self.ask("web_search", {"query": query, "num_results": 1})["organic"]
        return str(found[0]["link"]) if found else ""

    @cached_property
    def texts(self) -> Mapping[str, PageText]:
        """All pages as agents see them, by address."""
        addresses = [page.url for page in self.pages.by_title.values()]
        return {url: read_markdown(self.ask_text("fetch_webpage", {"url": url})) for url in addresses}

    def has_page(self, url: str) -> bool:
        """Return whether an address leads to a page."""
        try:
            self.ask_text("fetch_webpage", {"url": url})
        except LabrigError:
            return False
        return True

    def redirects(self, leg: Leg) -> dict[str, str]:
        """Return the other names of a leg's pages, as `labrig_suites.amazing_race.pages.page_of` gives them."""
        found: dict[str, str] = {}
        for stop in leg.of_type("page"):
            page = page_of(stop.page_url or "")
            host, _, title = page.partition("/")
            found |= {f"{host}/{other}": page for other in self.aliases.get(title, ())}
        return found

    def ask(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Ask a tool whose result is JSON; the same question once alone, since plans that fail ask it again."""
        question = json.dumps([tool, arguments], sort_keys=True)
        if question not in self.known:
            try:
                self.known[question] = self.look_up(tool, arguments)
            except LabrigError as error:
                self.known[question] = error
        found = self.known[question]
        if isinstance(found, LabrigError):
            raise found
        return found


@contextmanager
def race_world(name: str, wiki: str = "") -> Iterator[RaceWorld]:
    """Open a world: ``earth``, or ``twin-SEED``, which is made from its seed.

    Parameters
    ----------
    wiki
        The path of a store, whose pages stand in place of those of the world.
    """
    from labrig_atlas.articles import read_articles
    from labrig_atlas.offline.markets import securities
    from labrig_atlas.wiki.bundled import world_host
    from labrig_atlas.world.database import open_world
    from labrig_atlas.world.twin import seed_of, twin

    seed = seed_of(name)
    articles = read_articles() if seed is None else twin(seed).articles
    with open_world(name) as world:
        traded = tuple(
            Market(each.symbol, each.kind, max(each.first, FIRST_DAY), date(2023, 12, 31))
            for each in securities(world).values()
            if each.first < date(2023, 1, 1)
        )
    aliases = {each.title: each.aliases for each in articles}
    settings = {"world": name} | ({"wiki": wiki} if wiki else {})
    with (
        asking("atlas", ServeOptions(toolsets=("paper",), settings=settings)) as ask_text,
        looking_up(name, wiki or BUNDLED) as look_up,
    ):
        if wiki:
            pages, aliases = store_pages(Path(wiki), partial(_kind, look_up)), {}
        else:
            pages = pages_of(articles, f"https://{world_host(name)}/wiki/")
        yield RaceWorld(name, pages, traded, ask_text, look_up, aliases)


def _kind(look_up: Ask, title: str, point: tuple[float, float] | None) -> str:
    """Return what the tools can be asked of the subject of a page: maps know a place of its name near its point."""
    name = title.partition(" (")[0]
    try:
        if name == title and look_up("countries_area", {"country": title}):
            return "country"
    except LabrigError:
        pass
    try:
        found = look_up("maps_geocode", {"address": name})["location"] if point else None
    except LabrigError:
        return "subject"
    near = found and point and max(abs(found["lat"] - point[0]), abs(found["lng"] - point[1])) < NEAR
    return "place" if near else "subject"


@contextmanager
def looking_up(name: str, wiki: str) -> Iterator[Ask]:
    """Yield a function that gives what tools of the toolset ``paper`` give, from the functions behind them."""
    import asyncio

    from labrig_atlas.asking import Atlas
    from labrig_atlas.published import figures, maps, texts, weather
    from labrig_atlas.reading import Pages as WikiPages

    atlas = Atlas(world=name, alone=True)
    pages = WikiPages(wiki, name, atlas.client)
    rooms: dict[str, Any] = {"maps": maps, "weather": weather}

    async def call(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        if tool == "web_search":
            return (await texts.web_search(atlas, pages, **arguments))[0]
        function = getattr(rooms.get(tool.partition("_")[0], figures), tool)
        found: Mapping[str, Any] = (await function(atlas, **arguments))[0]
        return found

    with asyncio.Runner() as runner:
        # A loop's own way: that of the runner also sets handlers of signals, at each of some 10,000 questions.
        run = runner.get_loop().run_until_complete
        try:
            yield lambda tool, arguments: run(call(tool, arguments))
        finally:
            runner.run(pages.close())
            runner.run(atlas.close())
