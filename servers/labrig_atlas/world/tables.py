"""The bundled tables as rows: cities, first-order divisions, countries, known heights, land and sea, securities.

Code that builds a world takes `Tables`; a twin gives the same rows under other names.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from labrig_atlas.world import sources


@dataclass(frozen=True)
class City:
    """A city: degrees WGS 84, inhabitants; `land` is the number of its land mass, 0 where the mask lacks it."""

    number: int
    name: str
    country: str
    admin1: str
    latitude: float
    longitude: float
    population: int
    timezone: str
    land: int
    names: tuple[str, ...]
    source: str = sources.CITIES


@dataclass(frozen=True)
class Division:
    """A state, province or region: `code` is GeoNames' within the country."""

    country: str
    code: str
    name: str


@dataclass(frozen=True)
class Country:
    """A country; `year` is that of the population, None where the source states none."""

    iso2: str
    iso3: str
    name: str
    capital: str
    continent: str
    currency: str
    currency_name: str
    population: int | None
    year: int | None
    area_km2: float | None
    neighbours: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Height:
    """A point whose elevation is known, m above sea level."""

    name: str
    latitude: float
    longitude: float
    elevation_m: float
    source: str = sources.HEIGHTS


@dataclass(frozen=True)
class Security:
    """A fictional share or coin, as its table has it: first day, price on it, growth and volatility a year, volume."""

    symbol: str
    name: str
    kind: str
    exchange: str
    currency: str
    first: str
    price: float
    growth: float
    volatility: float
    volume: float


@dataclass(frozen=True)
class Tables:
    """All of a world but its articles; `land` has a line of runs for each row of cells of 0.1 degree, from north."""

    cities: tuple[City, ...]
    divisions: tuple[Division, ...]
    countries: tuple[Country, ...]
    heights: tuple[Height, ...]
    land: tuple[str, ...]
    securities: tuple[Security, ...]


CONTINENTS = {
    "AF": "Africa",
    "AN": "Antarctica",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}


def read_tables(folder: Path = sources.DATA) -> Tables:
    """Read the bundled tables."""
    more: dict[str, list[str]] = {}
    for row in _rows(folder / "country_names.csv"):
        more.setdefault(row["iso2"], []).append(row["name"])
    return Tables(
        cities=tuple(
            City(
                int(row["geonameid"]),
                row["name"],
                row["country"],
                row["admin1"],
                float(row["latitude"]),
                float(row["longitude"]),
                int(row["population"]),
                row["timezone"],
                int(row["land"]),
                tuple(filter(None, row["names"].split("|"))),
            )
            for row in _rows(folder / "cities.csv")
        ),
        divisions=tuple(
            Division(row["country"], row["code"], row["name"]) for row in _rows(folder / "admin1.csv")
        ),
        countries=tuple(
            Country(
                row["iso2"],
                row["iso3"],
                row["name"],
                row["capital"],
                CONTINENTS[row["continent"]],
                row["currency"],
                row["currency_name"],
                int(row["population"]) if row["population"] else None,
                int(row["year"]) if row["year"] else None,
                float(row["area_km2"]) if row["area_km2"] else None,
                tuple(filter(None, row["neighbours"].split("|"))),
                tuple(more.get(row["iso2"], ())),
            )
            for row in _rows(folder / "countries.csv")
        ),
        heights=tuple(
            Height(
                f"airfield {row['icao']}",
                float(row["latitude"]),
                float(row["longitude"]),
                float(row["elevation_m"]),
            )
            for row in _rows(folder / "heights.csv")
        ),
        land=tuple((folder / "land.txt").read_text(encoding="ascii").splitlines()),
        securities=tuple(
            Security(
                row["symbol"],
                row["name"],
                row["kind"],
                row["exchange"],
                row["currency"],
                row["first"],
                float(row["price"]),
                float(row["growth"]),
                float(row["volatility"]),
                float(row["volume"]),
            )
            for row in _rows(folder / "markets.csv")
        ),
    )


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
