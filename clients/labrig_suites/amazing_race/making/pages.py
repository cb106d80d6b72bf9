"""What the pages of a world tell that can be asked for: facts of infoboxes, of sections and of tables; links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from labrig.canonical import content_hash
from labrig_atlas.articles import Article, links_of, shown
from labrig_suites.amazing_race.values import QUANTITY, YEAR, dates_in, folded, quantity

How = Literal["infobox", "prose", "cross_section"]
Kind = Literal["number", "year", "date", "text"]
PLACES = frozenset(
    (
        *(
            "settlement",
            "city",
            "town",
            "capital",
            "village",
            "mountain",
            "lake",
            "island",
            "building",
            "volcano",
        ),
        *("university", "observatory", "bridge", "place"),
    )
)
"""Kinds of pages whose subject has a point on a map."""
WORD = re.compile(r"\w+")
_DISAMBIGUATION = "disambiguation"


@dataclass(frozen=True)
class Fact:
    """Something that a page says.

    Attributes
    ----------
    value
        A number, a year, or a text; a day as it is printed.
    where
        Words that say where it stands, without the value: ``its infobox gives as “Elevation”``.
    leads
        The title that a text of an infobox links to; empty for none.
    """

    kind: Kind
    value: float | int | str
    where: str
    how: How
    unit: str = ""
    section: str = ""
    leads: str = ""
    label: str = ""
    text: str = ""
    column: str = ""
    row: int = 0

    @property
    def target(self) -> str:
        """Where the value stands, as a leg keeps it: what a reference solution reads."""
        if self.how == "prose":
            return "first year (prose)"
        if self.how == "cross_section":
            return (
                f"row {self.row}, column {self.column} (cross_section)"
                if self.row
                else "rows (cross_section)"
            )
        return f"{self.label} (infobox)"


@dataclass(frozen=True)
class RacePage:
    """A page, as a race uses it.

    Attributes
    ----------
    links
        Titles that it links to, in order.
    point
        Latitude and longitude in degrees; None for what has no place.
    """

    title: str
    url: str
    kind: str
    facts: tuple[Fact, ...]
    links: tuple[str, ...]
    point: tuple[float, float] | None = None

    @property
    def name(self) -> str:
        """The title without what tells it from others in brackets."""
        return self.title.partition(" (")[0]

    @property
    def place(self) -> bool:
        """Whether its subject is a place with a point."""
        return self.kind in PLACES and self.point is not None


@dataclass(frozen=True)
class Pages:
    """The pages of a world that a race may use, by title."""

    by_title: Mapping[str, RacePage] = field(default_factory=dict)
    described: dict[str, list[tuple[str, Fact]]] = field(default_factory=dict)

    @cached_property
    def titles(self) -> frozenset[tuple[str, ...]]:
        """The words of all titles and names: what no clue may say."""
        found = {worded(name) for page in self.by_title.values() for name in (page.title, page.name)}
        return frozenset(tuple(each.split()) for each in found if len(each) > 4)

    @cached_property
    def digest(self) -> str:
        """A hash of the pages and what they tell."""
        return content_hash([repr(each) for _, each in sorted(self.by_title.items())])

    @cached_property
    def longest(self) -> int:
        """Words of the longest title."""
        return max(map(len, self.titles), default=0)

    @cached_property
    def labelled(self) -> dict[str, list[tuple[str, Fact]]]:
        """The facts of infoboxes by label, each with the title of its page."""
        found: dict[str, list[tuple[str, Fact]]] = {}
        for page in self.by_title.values():
            for fact in page.facts:
                if fact.how == "infobox":
                    found.setdefault(fact.label, []).append((page.title, fact))
        return found

    @cached_property
    def told(self) -> Counter[tuple[str, str, str]]:
        """How many pages of a kind have a fact of this label and text: a description must fit one page alone."""
        return Counter(
            (page.kind, fact.label, fact.text)
            for page in self.by_title.values()
            for fact in page.facts
            if fact.label
        )

    def descriptions(self, page: RacePage) -> list[tuple[str, Fact]]:
        """Return descriptions that fit a page alone and name no title: its kind, and a number or day of its infobox."""
        if page.title not in self.described:
            self.described[page.title] = [
                (f"the {page.kind} whose infobox gives {fact.text} as “{fact.label}”", fact)
                for fact in page.facts
                if fact.how == "infobox"
                and fact.kind != "text"
                and self.told[page.kind, fact.label, fact.text] == 1
                and not self.names_one(fact.text)
            ]
        return self.described[page.title]

    def names_one(self, text: str) -> bool:
        """Return whether a text says a title of the world."""
        words = worded(text).split()
        return any(
            tuple(words[start : start + count]) in self.titles
            for start in range(len(words))
            for count in range(1, self.longest + 1)
        )


def worded(text: str) -> str:
    """Return the words of a text, with a space around each."""
    return f" {' '.join(re.findall(WORD, folded(text)))} "


def pages_of(articles: Iterable[Article], address: str) -> Pages:
    """Return the pages of articles.

    Parameters
    ----------
    address
        What stands before a title: ``https://en.wikipedia.org/wiki/``.
    """
    listed = [each for each in articles if each.kind != _DISAMBIGUATION]
    titles = {name: each.title for each in listed for name in (*each.aliases, each.title)}
    pages = {each.title: _page(each, address, titles) for each in listed}
    whole = Pages(pages)
    return Pages({title: _sayable(_linked(page, pages), whole) for title, page in pages.items()})


def _page(article: Article, address: str, titles: Mapping[str, str]) -> RacePage:
    from urllib.parse import quote

    links = [titles.get(title) for text in article.texts() for title, _ in links_of(text)]
    return RacePage(
        article.title,
        address + quote(article.title.replace(" ", "_"), safe="/:,'()!*~-._"),
        article.kind,
        tuple(_facts(article, titles)),
        tuple(dict.fromkeys(each for each in links if each is not None and each != article.title)),
        article.coordinates,
    )


def _linked(page: RacePage, pages: Mapping[str, RacePage]) -> RacePage:
    return replace(page, links=tuple(each for each in page.links if each in pages))


def _sayable(page: RacePage, pages: Pages) -> RacePage:
    """Leave out facts of which no question can be asked without a title: a height above “Oslo”."""
    able = (each for each in page.facts if not pages.names_one(f"{each.label} {each.section} {each.column}"))
    return replace(page, facts=tuple(able))


def _facts(article: Article, titles: Mapping[str, str]) -> Iterator[Fact]:
    for label, text in article.infobox.items():
        yield from _field(label, text, titles)
    for section in article.sections:
        lines = shown(section.text).splitlines()  # links first: they may hold the mark between cells
        table = [line.strip().strip("|").split("|") for line in lines if line.startswith("|")]
        years = YEAR.findall("\n".join(line for line in lines if not line.startswith("|")))
        if years:
            where = f"is the first year that its section “{section.title}” names"
            yield Fact("year", int(years[0]), where, "prose", section=section.title)
        yield from _cells(section.title, [[cell.strip() for cell in row] for row in table])


def _field(label: str, text: str, titles: Mapping[str, str]) -> Iterator[Fact]:
    said = shown(text)
    links = [titles[title] for title, _ in links_of(text) if title in titles]
    where = f"does its infobox give as “{label}”"
    if len(links) == 1:
        yield Fact("text", said, where, "infobox", leads=links[0], label=label, text=said)
        return
    if links:
        return
    days = dates_in(said)
    if len(days) == 1 and not re.search(r"[;–]| to ", said):
        yield Fact("date", said, where, "infobox", label=label, text=said)
        return
    found, match = quantity(said), QUANTITY.match(said)
    if found is None or match is None:
        return
    rest = said[match.end() :].strip()
    if rest and not rest.startswith("("):
        return
    value, unit = found
    if not unit and not rest and YEAR.fullmatch(said):
        yield Fact("year", int(value), where, "infobox", label=label, text=said)
    else:
        yield Fact("number", value, where, "infobox", unit, label=label, text=said)


def _cells(section: str, table: list[list[str]]) -> Iterator[Fact]:
    if len(table) < 3:
        return
    head, *rows = table
    if any(len(row) != len(head) for row in rows):
        return
    yield Fact(
        "number", len(rows), f"rows, without its head, has the table in its section “{section}”", "cross_section",
        section=section,
    )  # fmt: skip
    for place, row in enumerate(rows[:6], 1):
        for name, cell in zip(head[1:], row[1:], strict=True):
            found = quantity(cell) if QUANTITY.fullmatch(cell) else None
            if found is not None:
                where = (
                    f"stands in row {place} of the table in its section “{section}”, in the column “{name}”"
                )
                yield Fact(
                    "number", found[0], where, "cross_section", found[1], section, column=name, row=place
                )
