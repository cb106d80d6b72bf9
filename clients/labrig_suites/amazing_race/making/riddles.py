"""Riddles: a page is described by several facts of its infobox, none of which tells it alone, and by no title.

    the mountain whose infobox gives “Elevation” between 3,000 and 4,000 m; “First ascent” in the years 1650 to 1659

A hint says a fact vaguely enough to fit other pages too: a number by a range, a day by its decade, century or month, a
name by what the page of that name says. Hints are added until one page is left: of the world, or of the pages to which
the page before links, and then some other page of the world fits as well, so that the way leads through that page.
A description is not taken if a search for its words, or for its labels, has the page as its first hit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from labrig_repository.gym.numbers import Draws
from labrig_suites.amazing_race.making.pages import Fact, Pages, RacePage
from labrig_suites.amazing_race.values import MONTHS, dates_in, day_text

FEWEST, MOST = 2, 4
"""Hints of a description."""
TRIES = 8
"""Orders of hints that are tried for a page."""
UNITS = {"": "", "m": " m", "km": " km", "km2": " km²", "kg": " kg"}
_UNSAID = re.compile("[“”;{}]")


@dataclass(frozen=True)
class Hint:
    """A fact, said vaguely, and the titles of all pages that it fits."""

    fact: Fact
    words: str
    fits: frozenset[str]


@dataclass(frozen=True)
class Riddles:
    """Descriptions of the pages of a world.

    Attributes
    ----------
    first_hit
        Gives the address that a search of the world's pages finds first; empty for none.
    """

    pages: Pages
    first_hit: Callable[[str], str] = lambda query: ""
    known: dict[str, list[Hint]] = field(default_factory=dict)
    tried: dict[str, str] = field(default_factory=dict)

    def of(
        self, draws: Draws, page: RacePage, among: Collection[str] | None = None
    ) -> tuple[str, tuple[Fact, ...]] | None:
        """Return a description of a page and the facts that it uses; None where none was found.

        Parameters
        ----------
        among
            Titles among which the page is the only one that fits; all of the world's where it is None.
        """
        hints = self.hints(page)
        for _ in range(TRIES):
            chosen = _chosen(draws.some(hints, len(hints)), page.title, among)
            if chosen is None:
                continue
            words = f"the {page.kind} whose infobox gives {'; '.join(each.words for each in chosen)}"
            labels = " ".join([page.kind, *(each.fact.label for each in chosen)])
            if not self.pages.names_one(words) and page.url not in map(self._hit, (labels, words)):
                return words, tuple(each.fact for each in chosen)
        return None

    def _hit(self, query: str) -> str:
        if query not in self.tried:
            self.tried[query] = self.first_hit(query)
        return self.tried[query]

    def hints(self, page: RacePage) -> list[Hint]:
        """Return the hints of a page that fit another page as well."""
        if page.title not in self.known:
            found = [*self._own(page.facts), *self._through(page.facts)]
            self.known[page.title] = [each for each in found if len(each.fits) > 1]
        return self.known[page.title]

    def _own(self, facts: Collection[Fact]) -> Iterator[Hint]:
        for fact in facts:
            if fact.how != "infobox" or _UNSAID.search(fact.label):
                continue
            for words, fits in _vaguely(fact):
                titles = (title for title, other in self.pages.labelled[fact.label] if fits(other))
                yield Hint(fact, f"“{fact.label}” {words}", frozenset(titles))

    def _through(self, facts: Collection[Fact]) -> Iterator[Hint]:
        """Yield what can be said of a name by the page to which it leads."""
        for fact in facts:
            if not fact.leads or fact.leads not in self.pages.by_title or _UNSAID.search(fact.label):
                continue
            for inner in self._own(self.pages.by_title[fact.leads].facts):
                titles = (t for t, other in self.pages.labelled[fact.label] if other.leads in inner.fits)
                words = f"“{fact.label}” the name of a page whose own infobox gives {inner.words}"
                yield Hint(fact, words, frozenset(titles))


def _chosen(hints: Collection[Hint], title: str, among: Collection[str] | None) -> list[Hint] | None:
    """Return the first hints that leave one page; None where they leave more, or are too few."""
    chosen: list[Hint] = []
    left: frozenset[str] | None = None
    near = None if among is None else frozenset(among)
    for hint in hints:
        if len(chosen) == MOST or any(hint.fact == each.fact for each in chosen):
            continue
        narrowed = hint.fits if left is None else left & hint.fits
        if near is not None and len(narrowed) == 1:  # another page of the world is to fit
            continue
        if left is not None and narrowed == left and len(chosen) >= FEWEST:
            continue
        chosen.append(hint)
        left = narrowed
        if len(chosen) >= FEWEST and (left if near is None else left & near) == {title}:
            return chosen if near is not None or _all_needed(chosen) else None
    return None


def _all_needed(chosen: list[Hint]) -> bool:
    """Return whether without any one of the hints more than one page is left."""
    rests = (chosen[:place] + chosen[place + 1 :] for place in range(len(chosen)))
    return all(len(frozenset.intersection(*(each.fits for each in rest))) > 1 for rest in rests)


def _vaguely(fact: Fact) -> Iterator[tuple[str, Callable[[Fact], bool]]]:
    """Yield ways to say a fact, each with whether another fact of the same label fits it."""
    if fact.kind == "number" and isinstance(fact.value, (int, float)) and fact.value >= 1:
        size = 10 ** math.floor(math.log10(fact.value))
        for step in sorted({max(1, size // 2), size}):
            least = int(fact.value // step * step)
            yield _between(fact, least, least + step)
        yield _between(fact, size, 10 * size)
        return
    year = _year(fact)
    if year is None or (fact.kind == "date" and fact.text not in map(day_text, dates_in(fact.text))):
        return
    for span in (10, 100):
        first = year // span * span
        yield f"in the years {first} to {first + span - 1}", _years(first, first + span - 1)
    for day in dates_in(fact.text) if fact.kind == "date" else ():
        yield f"in {MONTHS[day.month - 1].capitalize()}", _in_month(day.month)


def _between(fact: Fact, least: int, most: int) -> tuple[str, Callable[[Fact], bool]]:
    def fits(other: Fact) -> bool:
        same = other.kind == "number" and other.unit == fact.unit
        return same and isinstance(other.value, (int, float)) and least <= other.value <= most

    return f"between {least:,} and {most:,}{UNITS[fact.unit]}", fits


def _years(first: int, last: int) -> Callable[[Fact], bool]:
    return lambda other: first <= (_year(other) or -1) <= last


def _in_month(month: int) -> Callable[[Fact], bool]:
    return lambda other: other.kind == "date" and {each.month for each in dates_in(other.text)} == {month}


def _year(fact: Fact) -> int | None:
    if fact.kind == "year":
        return int(fact.value)
    days = dates_in(fact.text) if fact.kind == "date" else ()
    return next((each.year for each in days), None)
