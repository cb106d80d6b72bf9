"""The one database of a world, made of tables and articles: what the look-ups ask.

Tables: `place` and `name` (the gazetteer, with `words` for texts and `trigrams` for near names), `country` and
`country_name`, `height`, `road`, `land`, `security`, `meta`.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from math import atan2, cos, degrees, hypot, radians, sin

from labrig_atlas.articles import Article
from labrig_atlas.world import sources
from labrig_atlas.world.cells import cell, ranges, roughly_m
from labrig_atlas.world.landmarks import Landmark, landmarks
from labrig_atlas.world.landmask import LandMask
from labrig_atlas.world.names import fold
from labrig_atlas.world.roads import roads
from labrig_atlas.world.tables import City, Country, Height, Tables

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE place (
    id INTEGER PRIMARY KEY, place_id TEXT UNIQUE, name TEXT, kind TEXT, country TEXT, admin1 TEXT, latitude REAL,
    longitude REAL, elevation REAL, population INTEGER, timezone TEXT, land INTEGER, number INTEGER, on_road INTEGER,
    source TEXT, other_names TEXT, cell INTEGER);
CREATE TABLE name (fold TEXT, place INTEGER, main INTEGER, PRIMARY KEY (fold, place)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(name, place UNINDEXED, tokenize='unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE trigrams USING fts5(fold, tokenize='trigram', detail='none');
CREATE TABLE country (
    iso2 TEXT PRIMARY KEY, iso3 TEXT, name TEXT, capital TEXT, continent TEXT, currency TEXT, currency_name TEXT,
    population INTEGER, year INTEGER, area REAL, neighbours TEXT) WITHOUT ROWID;
CREATE TABLE country_name (fold TEXT, iso2 TEXT, PRIMARY KEY (fold, iso2)) WITHOUT ROWID;
CREATE TABLE height (
    id INTEGER PRIMARY KEY, latitude REAL, longitude REAL, elevation REAL, name TEXT, source TEXT, around INTEGER,
    cell INTEGER);
CREATE TABLE road (one INTEGER, other INTEGER, metres INTEGER, class TEXT);
CREATE TABLE security (
    symbol TEXT PRIMARY KEY, name TEXT, kind TEXT, exchange TEXT, currency TEXT, first TEXT, price REAL, growth REAL,
    volatility REAL, volume REAL) WITHOUT ROWID;
CREATE TABLE land (row INTEGER PRIMARY KEY, runs TEXT);
"""
INDEXES = """
CREATE INDEX place_cell ON place (cell);
CREATE INDEX height_cell ON height (cell);
"""
SAME_CITY_M = 30_000.0
"""An article on a settlement is about the city of its name within this distance."""
ALONE = frozenset(("mountain", "peak", "volcano", "range", "pass"))
"""Kinds whose elevation says nothing of the land around."""
TOWNS = frozenset(("settlement", "city", "town", "village"))
"""Kinds of articles that are about cities of the table."""


@dataclass
class _Entry:
    """A place on its way into the table."""

    place_id: str
    name: str
    kind: str
    country: str
    admin1: str
    latitude: float
    longitude: float
    elevation_m: float | None
    population: int | None
    timezone: str
    land: int
    number: int | None
    source: str
    names: list[str]


def build(
    connection: sqlite3.Connection,
    world: str,
    tables: Tables,
    articles: Iterable[Article],
    *,
    seed: int = 0,
    gazetteer: Iterable[City] = (),
    source: str = "",
    more: Mapping[str, str] | None = None,
) -> None:
    """Write a whole world into an empty database.

    Parameters
    ----------
    world
        Its name, which place ids begin with.
    seed
        What its made-up parts are made from.
    gazetteer
        Further cities, which are on no road; those that are in the tables are passed over.
    source
        What every row is from, where that is one thing: of a twin, its seed.
    more
        Further lines of `meta`.
    """
    connection.executescript(SCHEMA)
    articles = tuple(articles)
    iso2 = _country_names(tables.countries)
    marks = landmarks(articles, iso2)
    entries = _cities(world, tables, gazetteer)
    _merge(world, entries, marks, tables)
    centres = _centres(world, tables, marks)
    if source:
        for entry in (*centres, *entries):
            entry.source = source
    _write_places(connection, [*centres, *entries], {city.number for city in tables.cities})
    _write_countries(connection, tables.countries, articles, iso2)
    _write_heights(connection, tables.heights, marks, source)
    connection.executemany(
        "INSERT INTO road VALUES (?,?,?,?)",
        [
            (road.one, road.other, road.metres, road.road_class)
            for road in roads(tables.cities, LandMask(tables.land), seed)
        ],
    )
    connection.executemany(
        "INSERT INTO security VALUES (?,?,?,?,?,?,?,?,?,?)", [astuple(each) for each in tables.securities]
    )
    connection.executemany("INSERT INTO land VALUES (?,?)", enumerate(tables.land))
    connection.executescript(INDEXES)
    meta = {"world": world, "seed": str(seed), **({"source": source} if source else {}), **(more or {})}
    connection.executemany("INSERT INTO meta VALUES (?,?)", sorted(meta.items()))
    connection.execute("INSERT INTO meta VALUES ('complete', 'yes')")  # last: without it the file is damaged
    connection.commit()


def _write_countries(
    connection: sqlite3.Connection,
    countries: Sequence[Country],
    articles: Iterable[Article],
    iso2: Mapping[str, str],
) -> None:
    """Write countries, and the names that tables and articles have for them."""
    connection.executemany(
        "INSERT INTO country VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        [(*astuple(country)[:-2], "|".join(country.neighbours)) for country in countries],
    )
    names = [
        (fold(name), country.iso2)
        for country in countries
        for name in (country.name, country.iso2, country.iso3, *country.names)
    ]
    names += [
        (fold(name), iso2[fold(article.title.partition(" (")[0])])
        for article in articles
        if article.kind == "country" and fold(article.title.partition(" (")[0]) in iso2
        for name in article.aliases
    ]
    connection.executemany("INSERT OR IGNORE INTO country_name VALUES (?,?)", names)


def _write_heights(
    connection: sqlite3.Connection, heights: Iterable[Height], marks: Iterable[Landmark], source: str
) -> None:
    """Write the heights of the table and those that articles tell."""
    rows = [(each.latitude, each.longitude, each.elevation_m, each.name, each.source, 1) for each in heights]
    rows += [
        (
            each.latitude,
            each.longitude,
            each.elevation_m,
            each.title,
            source or _told(each),
            int(each.kind not in ALONE),
        )
        for each in marks
        if each.elevation_m is not None
    ]
    connection.executemany(
        "INSERT INTO height (latitude, longitude, elevation, name, source, around, cell) VALUES (?,?,?,?,?,?,?)",
        [(*row, cell(row[0], row[1])) for row in rows],
    )


def _country_names(countries: Sequence[Country]) -> dict[str, str]:
    """Return codes by folded name; a name of several countries is left out."""
    found: dict[str, set[str]] = defaultdict(set)
    for country in countries:
        for name in (country.name, country.iso3, *country.names):
            found[fold(name)].add(country.iso2)
    return {name: next(iter(codes)) for name, codes in found.items() if len(codes) == 1}


def _cities(world: str, tables: Tables, gazetteer: Iterable[City]) -> list[_Entry]:
    divisions = {(each.country, each.code): each.name for each in tables.divisions}
    bundled = {city.number for city in tables.cities}
    further = (city for city in gazetteer if city.number not in bundled)
    return [
        _Entry(
            f"{world}:c:{city.number}",
            city.name,
            "city",
            city.country,
            divisions.get((city.country, city.admin1), ""),
            city.latitude,
            city.longitude,
            None,
            city.population,
            city.timezone,
            city.land,
            city.number,
            city.source,
            list(city.names),
        )
        for cities in (tables.cities, further)
        for city in cities
    ]


def _merge(world: str, entries: list[_Entry], marks: Sequence[Landmark], tables: Tables) -> None:
    """Bring in what articles say: a city of the table gets point and elevation of its article, others are added."""
    close_by = {
        number
        for mark in marks
        for first, last in ranges(mark.latitude, mark.longitude, SAME_CITY_M)
        for number in range(first, last + 1)
    }
    by_name: dict[str, list[_Entry]] = defaultdict(list)
    for entry in entries:
        if cell(entry.latitude, entry.longitude) in close_by:
            for name in {fold(entry.name), *map(fold, entry.names)}:
                by_name[name].append(entry)
    for mark in marks:
        told = _told(mark)
        if mark.kind in TOWNS:
            near = [
                (
                    roughly_m(mark.latitude, mark.longitude, entry.latitude, entry.longitude),
                    -(entry.population or 0),
                    entry,
                )
                for name in {fold(mark.title.partition(",")[0]), *map(fold, mark.names)}
                for entry in by_name.get(name, ())
            ]
            close = [each for each in near if each[0] <= SAME_CITY_M]
            if close:
                entry = min(close, key=lambda each: (each[1], each[0]))[2]
                entry.latitude, entry.longitude = mark.latitude, mark.longitude
                entry.elevation_m = mark.elevation_m
                entry.source = f"{entry.source}; point and elevation: {told}"
                entry.names = [name for name in (mark.title, *mark.names, *entry.names) if name != entry.name]
                continue
        if mark.kind == "country":
            continue
        entries.append(
            _Entry(
                f"{world}:a:{mark.title.replace(' ', '_')}",
                mark.title,
                "city" if mark.kind in TOWNS else mark.kind,
                mark.country,
                "",
                mark.latitude,
                mark.longitude,
                mark.elevation_m,
                mark.population,
                "",
                0,
                None,
                told,
                list(mark.names),
            )
        )


def _centres(world: str, tables: Tables, marks: Sequence[Landmark]) -> list[_Entry]:
    """Return countries and divisions as places; each is where its people are."""
    of_country: dict[str, list[City]] = defaultdict(list)
    of_division: dict[tuple[str, str], list[City]] = defaultdict(list)
    for city in tables.cities:
        of_country[city.country].append(city)
        of_division[city.country, city.admin1].append(city)
    told = {
        fold(name): mark for mark in marks if mark.kind == "country" for name in (mark.title, *mark.names)
    }
    entries = []
    for country in tables.countries:
        mark = told.get(fold(country.name))
        if mark is not None:
            point, source = (mark.latitude, mark.longitude), f"{sources.COUNTRIES}; point: {_told(mark)}"
        elif of_country[country.iso2]:
            point = _centre(of_country[country.iso2])
            source = f"{sources.COUNTRIES}; {sources.CENTRE}"
        else:
            continue  # uninhabited
        entries.append(
            _Entry(
                f"{world}:n:{country.iso2}",
                country.name,
                "country",
                country.iso2,
                "",
                *point,
                None,
                country.population,
                "",
                0,
                None,
                source,
                [country.iso3, *country.names, *(mark.names if mark else ())],
            )
        )
    for division in tables.divisions:
        cities = of_division[division.country, division.code]
        if cities:
            entries.append(
                _Entry(
                    f"{world}:d:{division.country}.{division.code}",
                    division.name,
                    "division",
                    division.country,
                    "",
                    *_centre(cities),
                    None,
                    None,
                    "",
                    0,
                    None,
                    f"{sources.CITIES}; {sources.CENTRE.replace('country', 'division')}",
                    [],
                )
            )
    return entries


def _centre(cities: Sequence[City]) -> tuple[float, float]:
    """Return the mean of cities on the sphere, weighted by population: latitude, longitude."""
    x = y = z = 0.0
    for city in cities:
        weight = city.population + 1
        flat = cos(radians(city.latitude)) * weight
        x += flat * cos(radians(city.longitude))
        y += flat * sin(radians(city.longitude))
        z += sin(radians(city.latitude)) * weight
    return round(degrees(atan2(z, hypot(x, y))), 4), round(degrees(atan2(y, x)), 4)


def _told(mark: Landmark) -> str:
    return f"{sources.ARTICLES}, {mark.title} ({', '.join(mark.sources)})"


def _write_places(
    connection: sqlite3.Connection, entries: Sequence[_Entry], on_road: Collection[int | None]
) -> None:
    places, names, words = [], [], []
    single = {entry.place_id: entry for entry in entries}.values()
    for number, entry in enumerate(single, 1):
        places.append(
            (
                number,
                entry.place_id,
                entry.name,
                entry.kind,
                entry.country,
                entry.admin1,
                entry.latitude,
                entry.longitude,
                entry.elevation_m,
                entry.population,
                entry.timezone,
                entry.land,
                entry.number,
                int(entry.number in on_road),
                entry.source,
                "|".join(dict.fromkeys(entry.names)),
                cell(entry.latitude, entry.longitude),
            )
        )
        main = fold(entry.name)
        folds = {main, *map(fold, entry.names)} - {""}
        names += [(folded, number, int(folded == main)) for folded in sorted(folds)]
        words.append((entry.name, number))
    connection.executemany("INSERT INTO place VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", places)
    connection.executemany("INSERT INTO name VALUES (?,?,?)", names)
    connection.executemany("INSERT INTO words (name, place) VALUES (?,?)", words)
    connection.execute("INSERT INTO trigrams (fold) SELECT DISTINCT fold FROM name WHERE main ORDER BY fold")
