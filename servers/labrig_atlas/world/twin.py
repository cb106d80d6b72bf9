"""A fictional twin of the world, made from a seed: the same facts hang together in the same way, under other names.

Land, sea, places and their distances are those of the Earth, turned about its axis by some degrees of longitude; names,
years, elevations, areas and populations are others (`renaming`, `shifting`). What an article says in its infobox, its
text, and what the tables say, stay in agreement, since one rule moves them all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal
from functools import lru_cache
from itertools import count

from labrig.errors import LabrigError
from labrig_atlas.articles import Article, ArticleSection, read_articles, shown
from labrig_atlas.world.landmask import CELLS, edges_of
from labrig_atlas.world.names import fold
from labrig_atlas.world.noise import whole
from labrig_atlas.world.renaming import GENERIC, KEPT, Renaming, words_of
from labrig_atlas.world.shifting import Shift
from labrig_atlas.world.syllables import Words
from labrig_atlas.world.tables import City, Country, Division, Tables, read_tables

NAME = re.compile(r"twin-(0|[1-9]\d{0,8})", re.ASCII)
"""What a twin is called: the number is its seed."""
NAMED = frozenset(("person", "settlement", "country"))
"""Kinds of articles each word of whose title is a name, generic words left out."""
PLACES = frozenset(("mountain", "island", "lake", "river", "range"))
"""The same, with all ordinary words left out that are kept everywhere."""
WHOLE = frozenset(("mountain", "island", "lake", "river", "range", "building", "work", "settlement", "ship"))
"""Kinds of articles whose title is renamed whole where it is of ordinary words alone: Table Mountain, K2."""
NAMES = frozenset(("nobel",))
"""Further words that are names whenever they have a capital."""


@dataclass(frozen=True)
class Twin:
    """A fictional world: its tables and its articles."""

    seed: int
    tables: Tables
    articles: tuple[Article, ...]

    @property
    def source(self) -> str:
        """Where everything in it comes from, in the words that results show."""
        return f"made up by Labrig from the seed {self.seed}: a fictional world"


def seed_of(name: str) -> int | None:
    """Return the seed of the name of a twin, ``twin-7``; None for another name."""
    found = NAME.fullmatch(name)
    return int(found[1]) if found else None


@lru_cache(maxsize=2)
def twin(seed: int) -> Twin:
    """Return the twin of a seed; the same on every machine.

    Raises
    ------
    LabrigError
        ``bad_input`` for a seed that is not 0 to 999,999,999.
    """
    if not 0 <= seed <= 999_999_999:
        raise LabrigError(f"{seed} is no seed of a twin", where="atlas.world", expected="0 to 999999999")
    articles, tables = read_articles(), read_tables()
    shift = Shift.of(seed)
    renaming = _renaming(seed, articles, tables)
    made = _articles(articles, renaming, shift, seed)
    source = f"made up by Labrig from the seed {seed}: a fictional world"
    return Twin(seed, _tables(tables, renaming, shift, seed, source), made)


def _renaming(seed: int, articles: Sequence[Article], tables: Tables) -> Renaming:
    texts = [text for article in articles for text in (article.title, *article.aliases, *article.texts())]
    texts += [section.title for article in articles for section in article.sections]
    small, capital = words_of(map(shown, texts))
    places = [city.name for city in tables.cities] + [division.name for division in tables.divisions]
    places += [country.name for country in tables.countries]
    others = [name for city in tables.cities for name in city.names]
    others += [name for country in tables.countries for name in country.names]
    real = {fold(word) for word in (*small, *capital)}
    real |= {part for name in (*places, *others) for part in fold(name).split()}
    words = Words(seed, real)
    phrases: dict[str, str] = {}
    for country in sorted(tables.countries, key=lambda each: each.iso2):
        made = words.word(country.name, "country")
        for name in (country.name, country.name.removeprefix("The "), *country.names):
            phrases.setdefault(name, made)
    for continent in sorted({country.continent for country in tables.countries}):
        phrases[continent] = words.word(continent, "country")
    phrases.setdefault("Latin America", words.word("Latin America", "country"))
    metals = {
        article.title: words.word(article.title, "metal")
        for article in sorted(articles, key=lambda each: each.title)
        if article.kind == "element" and article.title.endswith("ium")
    }
    forced = {
        part
        for article in articles
        if article.kind in NAMED
        for name in (article.title, *article.aliases)
        for part in fold(name.partition("(")[0]).split()
        if part not in GENERIC and len(part) > 1
    } | NAMES
    forced |= {
        part
        for article in articles
        if article.kind in PLACES
        for name in (article.title, *article.aliases)
        for part in fold(name.partition("(")[0].replace("'", " ")).split()
        if part not in KEPT and len(part) > 1 and not part.isdecimal()
    }
    for word in sorted(
        {fold(word) for word in capital} | {part for name in places for part in fold(name).split()}
    ):
        if len(word) > 1 and word not in GENERIC:
            words.word(word.capitalize())  # in a fixed order, whatever asks first
    renaming = Renaming(words, small, forced, phrases, metals)
    for article in sorted(articles, key=lambda each: each.title):
        for name in (article.title, *article.aliases):
            plain = name.partition(" (")[0]
            if article.kind in WHOLE and plain not in phrases and renaming.text(plain) == plain:
                phrases[plain] = renaming.place(plain)
    for name in sorted({city.name for city in tables.cities}):
        if " " in name and name not in phrases and renaming.text(name) == name:
            phrases[name] = renaming.place(name)  # Salt Lake City
    return Renaming(words, small, forced, phrases, metals)


def _articles(
    articles: Sequence[Article], renaming: Renaming, shift: Shift, seed: int
) -> tuple[Article, ...]:
    titles: dict[str, str] = {}
    taken: set[str] = set()
    fresh = []
    for article in articles:
        title = renaming.text(shift.text(article.title))
        if title in taken:
            title = next(each for number in count(2) if (each := f"{title} ({number})") not in taken)
        taken.add(title)
        fresh.append(title)
        for name in (article.title, *article.aliases):
            titles[name[:1].upper() + name[1:]] = title
    made = []
    for article, title in zip(articles, fresh, strict=True):
        aliases = []
        for alias in map(renaming.text, map(shift.text, article.aliases)):
            if alias not in taken:
                taken.add(alias)
                aliases.append(alias)
        infobox = {
            label: renaming.linked(text, titles, shift.population if label == "Population" else shift.text)
            for label, text in article.infobox.items()
        }
        if "Calling code" in infobox:
            infobox["Calling code"] = f"+{100 + whole('calling', seed, article.title) % 900}"
        if "Formula" in infobox:
            infobox["Formula"] = article.infobox["Formula"]
        if "Symbol" in infobox:
            infobox["Symbol"] = article.infobox["Symbol"] if title == article.title else title[:2]
        made.append(
            replace(
                article,
                title=title,
                aliases=tuple(aliases),
                lead=renaming.linked(article.lead, titles, shift.text),
                sources=(f"made up from the seed {seed}",),
                infobox={renaming.heading(shift.text(label)): text for label, text in infobox.items()},
                sections=tuple(
                    ArticleSection(
                        renaming.heading(shift.text(each.title)),
                        renaming.linked(each.text, titles, shift.text),
                    )
                    for each in article.sections
                ),
                coordinates=(article.coordinates[0], shift.moved(article.coordinates[1]))
                if article.coordinates
                else None,
            )
        )
    return tuple(made)


def _tables(tables: Tables, renaming: Renaming, shift: Shift, seed: int, source: str) -> Tables:
    codes = _codes(seed, "iso2", [country.iso2 for country in tables.countries], 2)
    long_codes = _codes(seed, "iso3", [country.iso3 for country in tables.countries], 3)
    money = _codes(seed, "currency", sorted({country.currency for country in tables.countries} - {""}), 3)
    divisions = {
        (each.country, each.code): f"{number:04d}"
        for number, each in enumerate(
            sorted(tables.divisions, key=lambda each: whole("division", seed, each.country, each.code)), 1
        )
    }
    shuffled = sorted(tables.cities, key=lambda each: whole("city", seed, each.number))
    numbers = {city.number: number for number, city in enumerate(shuffled, 1)}
    return Tables(
        tuple(
            City(
                numbers[city.number],
                renaming.place(city.name),
                codes[city.country],
                divisions.get((city.country, city.admin1), ""),
                city.latitude,
                shift.moved(city.longitude),
                _times(city.population, shift.people),
                _zone(shift.moved(city.longitude)),
                city.land,
                (),
                source,
            )
            for city in shuffled
        ),
        tuple(
            Division(codes[each.country], divisions[each.country, each.code], renaming.place(each.name))
            for each in tables.divisions
        ),
        tuple(
            Country(
                codes[country.iso2],
                long_codes[country.iso3],
                renaming.place(country.name),
                renaming.place(_capital(country, tables)),
                renaming.place(country.continent),
                money.get(country.currency, ""),
                renaming.place(country.currency_name),
                _times(country.population, shift.people) if country.population is not None else None,
                shift.year(country.year) if country.year is not None else None,
                float((Decimal(str(country.area_km2)) * shift.areas).quantize(Decimal("0.01")))
                if country.area_km2 is not None
                else None,
                tuple(codes[code] for code in country.neighbours if code in codes),
                (),
            )
            for country in tables.countries
        ),
        tuple(
            replace(
                height,
                name=f"airfield {number}",
                longitude=shift.moved(height.longitude),
                elevation_m=float(_times(round(height.elevation_m), shift.metres)),
                source=source,
            )
            for number, height in enumerate(tables.heights, 1)
        ),
        tuple(_turned(line, int(shift.longitude * CELLS)) for line in tables.land),
        tables.securities,
    )


def _times(number: int, factor: Decimal) -> int:
    return int((number * factor).quantize(Decimal(1), ROUND_HALF_EVEN))


def _capital(country: Country, tables: Tables) -> str:
    """Return the capital under the name that its city has in the table."""
    wanted = fold(country.capital)
    for city in tables.cities:
        if city.country == country.iso2 and wanted in {fold(city.name), *map(fold, city.names)}:
            return city.name
    return country.capital


def _codes(seed: int, what: str, real: Sequence[str], letters: int) -> dict[str, str]:
    """Return a code of capitals for each real one, none of them a real one."""
    taken = set(real)
    made = {}
    for code in real:
        for attempt in count():
            bits = whole("code", seed, what, code, attempt)
            fresh = ""
            for _ in range(letters):
                bits, at = divmod(bits, 26)
                fresh += chr(ord("A") + at)
            if fresh not in taken:
                break
        taken.add(fresh)
        made[code] = fresh
    return made


def _zone(longitude: float) -> str:
    hours = round(longitude / 15)
    return f"Etc/GMT{-hours:+d}" if hours else "Etc/GMT"


def _turned(line: str, cells: int) -> str:
    """Return a row of land and sea turned eastward by a number of cells."""
    width = 360 * CELLS
    edges = edges_of(line)
    row = bytearray(width)
    for begin, end in zip(edges[::2], [*edges[1::2], width], strict=False):
        row[begin:end] = b"\1" * (end - begin)
    cells %= width
    row = row[width - cells :] + row[: width - cells]
    runs, value, length = [], 0, 0
    for cell in row:
        if cell != value:
            runs.append(length)
            value, length = cell, 0
        length += 1
    return " ".join(base36(run) for run in (*runs, length))


def base36(number: int) -> str:
    """Return a whole number in base 36."""
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
        if not number:
            return digits
