"""What the look-ups of every backend give back: small frozen records, offline and from live services alike.

Latitude and longitude stand in that order everywhere, in degrees WGS 84, north and east positive. `source` names
the table or the service with its year and licence; `made_up` is true where the world was made and not observed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Mode = Literal["driving", "walking", "bicycling", "transit"]
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True)
class Place:
    """A place that has a name and a point.

    Attributes
    ----------
    place_id
        Opaque, valid in the backend that gave it: ``earth:c:2950159``.
    kind
        ``city``, ``country``, ``mountain``, ``lake``, ``island``, ``building``, ``museum``, ..
    country
        ISO 3166-1 alpha-2, empty where there is none.
    admin1
        The first-order division (state, region), empty where unknown.
    address
        The name with division and country, as a map would print it.
    distance_m
        From the point that the question named, along the geodesic.
    rating, ratings_count
        Mean of 1 to 5, and of how many.
    """

    place_id: str
    name: str
    kind: str
    country: str
    admin1: str
    latitude: float
    longitude: float
    source: str
    made_up: bool = False
    address: str = ""
    elevation_m: float | None = None
    population: int | None = None
    timezone: str = ""
    distance_m: float | None = None
    rating: float | None = None
    ratings_count: int | None = None
    types: tuple[str, ...] = ()
    phone: str = ""
    website: str = ""
    opening_hours: tuple[str, ...] = ()
    other_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Geocoding:
    """What a name or an address may mean.

    `candidates` are in the order of `order`; where `ambiguous`, several of them answer to the text equally well, and
    the first is no better than the others but larger.
    """

    query: str
    candidates: tuple[Place, ...]
    ambiguous: bool = False
    order: str = "population, largest first"


@dataclass(frozen=True)
class Reverse:
    """What lies at a point: the nearest place, or none and a note that says why (ocean, pole, too far)."""

    latitude: float
    longitude: float
    place: Place | None
    distance_m: float | None
    country: str
    note: str
    source: str
    made_up: bool = False


@dataclass(frozen=True)
class PlaceList:
    """Places that answer to a search, nearest first where `near` is given, and how many there are beyond them."""

    query: str
    places: tuple[Place, ...]
    total: int
    near: tuple[float, float] | None
    radius_m: float | None
    order: str
    source: str
    made_up: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """A leg of a route: metres and seconds."""

    instruction: str
    distance_m: float
    duration_s: float


@dataclass(frozen=True)
class Route:
    """A way from one point to another: metres along it and seconds for it."""

    origin: str
    destination: str
    mode: Mode
    distance_m: float
    duration_s: float
    summary: str
    steps: tuple[Step, ...]
    source: str
    made_up: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MatrixCell:
    """Metres and seconds from one origin to one destination; `status` is ``ok``, ``no_route`` or ``not_found``."""

    status: Literal["ok", "no_route", "not_found"]
    distance_m: float | None = None
    duration_s: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Matrix:
    """Cells by origin (rows) and destination (columns)."""

    origins: tuple[str, ...]
    destinations: tuple[str, ...]
    mode: Mode
    rows: tuple[tuple[MatrixCell, ...], ...]
    source: str
    made_up: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Geodesic:
    """The shortest way over the ellipsoid WGS 84: metres, and bearings at both ends, degrees clockwise from north."""

    distance_m: float
    bearing_deg: float
    final_bearing_deg: float


@dataclass(frozen=True)
class Elevation:
    """Metres above sea level at a point, and how they were found.

    `nearest_known_m` is the distance to the nearest point whose elevation is known, `nearest_known` its name;
    `resolution_m` is that of the grid of a service.
    """

    latitude: float
    longitude: float
    elevation_m: float
    method: str
    source: str
    made_up: bool = False
    nearest_known: str = ""
    nearest_known_m: float | None = None
    resolution_m: float | None = None


@dataclass(frozen=True)
class DailyWeather:
    """Weather by day: a column a variable, under the names of Open-Meteo, each as long as `days`.

    `days` are ISO dates, local to `timezone`; `units` has the unit of every column; `current` and `current_units` are
    filled by a forecast where the backend has them.
    """

    latitude: float
    longitude: float
    timezone: str
    days: tuple[str, ...]
    daily: Mapping[str, tuple[float | int | str | None, ...]]
    units: Mapping[str, str]
    source: str
    made_up: bool = False
    kind: Literal["historical", "forecast"] = "historical"
    current: Mapping[str, float | int | str | None] = field(default_factory=dict)
    current_units: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CountryFacts:
    """A country: each figure with the source and year that it is from; a year of None is not stated by the source."""

    name: str
    iso2: str
    iso3: str
    capital: str
    continent: str
    currency_code: str
    currency_name: str
    population: int | None
    population_year: int | None
    population_source: str
    area_km2: float | None
    area_year: int | None
    area_source: str
    neighbours: tuple[str, ...]
    source: str
    made_up: bool = False


@dataclass(frozen=True)
class MarketDay:
    """The close and the volume of a trading day.

    `asked` is the date of the question and `date` that of the figures, the last trading day at or before it; `note`
    says why they differ. `volume` is in shares, for a coin in units of the coin.
    """

    symbol: str
    name: str
    kind: Literal["stock", "crypto"]
    asked: str
    date: str
    close: float
    volume: float
    currency: str
    exchange: str
    note: str
    source: str
    made_up: bool = False
