"""The way through the pages: which page follows which, and how its clue leads to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from labrig_repository.gym.numbers import Draws
from labrig_suites.amazing_race.making.pages import Fact, Pages, RacePage, worded
from labrig_suites.amazing_race.making.riddles import Riddles

Via = Literal["seed", "value", "link", "search"]


@dataclass(frozen=True)
class Visit:
    """A page on the way.

    Attributes
    ----------
    via
        How one comes to it: it is the first; an earlier value names it; a link leads to it; it is searched for.
    description
        What tells it from other pages, without its title; empty where nothing is needed.
    describing
        The facts that the description uses, which no clue may ask for.
    leads
        The fact of the page before whose value names this one, for the way ``value``.
    """

    page: RacePage
    via: Via
    description: str = ""
    describing: tuple[Fact, ...] = ()
    leads: Fact | None = None


def walk(
    draws: Draws, pages: Pages, seed: RacePage, count: int, depth: int, riddles: Riddles | None = None
) -> list[Visit] | None:
    """Return a way of `count` different pages, or None where none was found.

    Parameters
    ----------
    depth
        Links from the seed within which pages are searched for (the paper's crawl depth).
    riddles
        Describe every page to which no value leads, the first one too; None for descriptions by one fact.
    """
    first = _described(draws, pages, [seed], "seed", riddles) if riddles else Visit(seed, "seed")
    if first is None:
        return None
    way = [first]
    near = crawl(pages, seed, depth)
    while len(way) < count:
        here, been = way[-1].page, {each.page.title for each in way}
        step = _named(draws, pages, here, been, 9 if riddles else 7) or _linked(
            draws, pages, here, been, riddles
        )
        if step is None:
            step = _found(draws, pages, [pages.by_title[each] for each in near], been, riddles)
        if step is None:
            return None
        way.append(step)
    return way


def crawl(pages: Pages, seed: RacePage, depth: int) -> list[str]:
    """Return the titles within `depth` links of a page, the nearest first, itself left out."""
    found, edge = {seed.title: None}, [seed.title]
    for _ in range(depth):
        edge = [
            title
            for each in edge
            for title in pages.by_title[each].links
            if found.setdefault(title, None) is None
        ]
        edge = list(dict.fromkeys(edge))
    return [title for title in found if title != seed.title]


def _named(draws: Draws, pages: Pages, here: RacePage, been: set[str], of_ten: int) -> Visit | None:
    able = [
        fact for fact in here.facts if fact.leads and fact.leads not in been and fact.leads in pages.by_title
    ]
    able = [fact for fact in able if _names(fact, pages.by_title[fact.leads])]
    if not able or not draws.chance(of_ten, 10):
        return None
    fact = draws.one(able)
    return Visit(pages.by_title[fact.leads], "value", leads=fact)


def _names(fact: Fact, page: RacePage) -> bool:
    """Whether the text says the title, so that a reader of it knows the page."""
    return worded(page.title.partition(" (")[0]) in worded(str(fact.value))


def _linked(
    draws: Draws, pages: Pages, here: RacePage, been: set[str], riddles: Riddles | None
) -> Visit | None:
    able = [pages.by_title[title] for title in here.links if title not in been]
    return _described(draws, pages, able, "link", riddles, here.links)


def _found(
    draws: Draws, pages: Pages, near: Sequence[RacePage], been: set[str], riddles: Riddles | None
) -> Visit | None:
    return _described(draws, pages, [each for each in near if each.title not in been], "search", riddles)


def _described(
    draws: Draws,
    pages: Pages,
    able: Sequence[RacePage],
    via: Via,
    riddles: Riddles | None,
    among: Sequence[str] | None = None,
) -> Visit | None:
    drawn = draws.some(able, len(able))
    if riddles is not None and draws.chance(5, 6):
        drawn.sort(key=lambda page: not page.place)  # which roadblocks and diamonds begin with
    for page in drawn:
        if riddles is not None:
            if (said := riddles.of(draws, page, among)) is not None:
                return Visit(page, via, *said)
        elif descriptions := pages.descriptions(page):
            words, fact = draws.one(descriptions)
            return Visit(page, via, words, (fact,))
    return None
