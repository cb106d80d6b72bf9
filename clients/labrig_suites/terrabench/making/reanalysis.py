"""The reanalysis of an item: hours over a country, the days of a network of stations, and the days of four summers.

Hours are those of the world's hot spell on finer cells, with a pattern and a wind of the item's own.
"""

from __future__ import annotations

import gzip
import json
import tempfile
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from labrig_suites.terrabench.making.world import Floats, World

FOLDER = "reanalysis"
HOURS, NETWORK, SUMMERS = f"{FOLDER}/hours.nc", f"{FOLDER}/network.nc", f"{FOLDER}/summers.nc"
PICTURE = "satellite/picture.tif"
ROWS, COLUMNS = 8, 10
BEGIN = 6
"""Hour (UTC) at which a day of the stage begins; the hours begin then."""
FIRST_SUMMER, JUNE, SUMMER_DAYS = 2017, 151, 92
"""The first of the summers; their first day in the year, from 0, and how many they have."""
PIXELS, PIXEL_DEGREES = 60, 0.05
NUMBERS = {"t2m": ("K", "2 metre temperature"), "wind_speed": ("m s-1", "10 metre wind speed")}
COUNTRIES = ("labrig_earth.natural_earth", "natural_earth_50m.geojson.gz")
"""Outlines of Natural Earth, 1:50 million, as they lie there."""


@dataclass(frozen=True)
class Spell:
    """What is asked of the hours of a domain; the head of ``spells.toml`` explains each."""

    field: str
    daily: str
    beyond: str
    events: str
    added: float
    changed: str
    had: str
    strength: float
    countries: tuple[str, ...]

    @property
    def key(self) -> str:
        """The events as a part of a key."""
        return self.events.replace(" ", "_")


@lru_cache(maxsize=1)
def spells() -> dict[str, Spell]:
    """Return what is asked, by domain; other domains have nothing."""
    tables: dict[str, dict[str, Any]] = tomllib.loads(
        files(__package__).joinpath("spells.toml").read_text("utf-8")
    )
    return {
        name: Spell(**(fields | {"countries": tuple(fields["countries"])})) for name, fields in tables.items()
    }


@lru_cache(maxsize=1)
def _countries() -> dict[str, Any]:
    """Return geometries of GeoJSON by the names of countries."""
    package, name = COUNTRIES
    with gzip.open(files(package).joinpath(name).open("rb"), "rt", encoding="utf-8") as file:
        features = json.load(file)["features"]
    named = {each["properties"].get("name"): each["geometry"] for each in features}
    return {name: named[name] for spell in spells().values() for name in spell.countries}


@lru_cache(maxsize=32)
def outline(country: str) -> Any:
    """Return the outline of a country, degrees (longitude, latitude)."""
    from shapely import make_valid
    from shapely.geometry import shape

    return make_valid(shape(_countries()[country]))


@dataclass(frozen=True)
class Analysis:
    """Fields as their files hold them (32 bits).

    Attributes
    ----------
    start
        The first hour, ``YYYY-MM-DDTHH``.
    t2m, d2m, u10, v10
        (hour, row, column): K, K, m/s, m/s.
    network, summers
        (day, row, column) and (year, day, row, column): the field of the spell by the day.
    lat, lon
        Centres of cells, degrees, north first.
    picture
        West and north of a picture, degrees.
    """

    country: str
    start: str
    t2m: Floats
    d2m: Floats
    u10: Floats
    v10: Floats
    network: Floats
    summers: Floats
    lat: Floats
    lon: Floats
    picture: tuple[float, float]

    def field(self, spell: Spell) -> Floats:
        """Return the field of a spell by the hour."""
        return _field(self.t2m, self.u10, self.v10, spell)

    def daily(self, spell: Spell) -> Floats:
        """Return the field of a spell by the day, (day, row, column)."""
        return _daily(self.field(spell), spell)

    def parts(self) -> Floats:
        """Return the area of each cell that lies in the country, over an arbitrary one, (row, column)."""
        from shapely import box

        shape = outline(self.country)
        found = np.zeros((ROWS, COLUMNS))
        for row, lat in enumerate(self.lat):
            for column, lon in enumerate(self.lon):
                cell = box(lon - 0.5, lat - 0.5, lon + 0.5, lat + 0.5)
                found[row, column] = shape.intersection(cell).area * np.cos(np.radians(lat))
        return found

    def pixels(self) -> tuple[Floats, Floats]:
        """Return the rows and columns of the cells in which the middles of the picture's pixels lie."""
        west, north = self.picture
        steps = PIXEL_DEGREES * (np.arange(PIXELS) + 0.5)
        rows = np.floor(self.lat[0] + 0.5 - (north - steps))
        columns = np.floor(west + steps - (self.lon[0] - 0.5))
        return rows, columns


def make_analysis(world: World, spell: Spell, year: int, rng: np.random.Generator) -> Analysis:
    """Return the reanalysis of an item."""
    from scipy.ndimage import zoom

    country = str(rng.choice(spell.countries))
    west, south, east, north = outline(country).bounds
    lat: Floats = round((south + north) / 2) + ROWS / 2 - 0.5 - np.arange(float(ROWS))
    lon: Floats = round((west + east) / 2) - COLUMNS / 2 + 0.5 + np.arange(float(COLUMNS))
    count = 24 * int(rng.integers(10, 15))

    def finer(values: Floats) -> Floats:
        found: Floats = zoom(values, (1, ROWS / values.shape[1], COLUMNS / values.shape[2]), order=1)
        return found

    def pattern(size: float) -> Floats:
        down, along = np.linspace(1, -1, ROWS)[:, None], np.linspace(-1, 1, COLUMNS)[None, :]
        a, b, c = rng.normal(0, size, 3)
        found: Floats = a * down + b * along + c * down * along
        return found

    air, dew, speed, _ = (finer(each) for each in world.hours[:, :count])
    t2m = air + rng.uniform(-8, 3) + pattern(1.2)
    d2m = np.minimum(dew + rng.uniform(-6, 1) + pattern(0.8), t2m - 0.2)
    speed = speed * np.exp(pattern(0.2)) * rng.uniform(1.2, 2.4) + rng.gamma(2, 0.3, speed.shape)
    speed = spell.strength * speed.clip(0.2)
    turn = np.cumsum(rng.normal(0, 0.12, count))[:, None, None] + pattern(0.3) + rng.uniform(0, 2 * np.pi)

    def stored(values: Floats) -> Floats:
        return values.round(3).astype("f4").astype("f8")

    t2m, d2m = stored(t2m), stored(d2m)
    u10, v10 = stored(speed * np.cos(turn)), stored(speed * np.sin(turn))
    month, day = int(rng.integers(6, 9)), int(rng.integers(2, 14))
    picture = (
        round(float(lon[0] - 0.5 + rng.integers(1, COLUMNS - 4) + rng.uniform(0.1, 0.9)), 2),
        round(float(lat[0] + 0.5 - rng.integers(1, ROWS - 4) - rng.uniform(0.1, 0.9)), 2),
    )
    daily = _daily(_field(t2m, u10, v10, spell), spell)
    spread = float(daily.std())
    apart = rng.normal(0.2, 0.3) + rng.uniform(0.3, 0.8) * rng.normal(0, 1, daily.shape)
    past = world.days[: 4 * 365].reshape(4, 365, *world.days.shape[1:])[:, JUNE : JUNE + SUMMER_DAYS]
    past = np.stack([finer(each) for each in (past - past.mean()) / past.std()])
    past = past + rng.normal(0, 0.35, (4, 1, 1, 1)) + pattern(0.4) + 0.3 * rng.normal(0, 1, past.shape)
    return Analysis(
        country=country,
        start=f"{year}-{month:02d}-{day:02d}T{BEGIN:02d}",
        t2m=t2m,
        d2m=d2m,
        u10=u10,
        v10=v10,
        network=stored((daily + spread * apart).clip(0.05)),
        summers=stored((daily.mean() + spread * past).clip(0.05)),
        lat=lat,
        lon=lon,
        picture=picture,
    )


def _field(t2m: Floats, u10: Floats, v10: Floats, spell: Spell) -> Floats:
    speed: Floats = np.hypot(u10, v10)
    return t2m if spell.field == "t2m" else speed


def _daily(hours: Floats, spell: Spell) -> Floats:
    days = hours.reshape(-1, 24, ROWS, COLUMNS)
    found: Floats = days.max(axis=1) if spell.daily == "max" else days.mean(axis=1)
    return found


def files_of(made: Analysis, spell: Spell, label: str) -> dict[str, bytes]:
    """Return the files: NetCDF of the hours and days, a picture as GeoTIFF."""
    import xarray as xr

    from labrig_earth.results import SYNTHETIC

    start = np.datetime64(made.start, "ns")
    when = start + np.arange(len(made.t2m)) * np.timedelta64(1, "h")
    days = start + np.arange(len(made.network)) * np.timedelta64(1, "D")
    years = FIRST_SUMMER + np.arange(len(made.summers))
    past = np.concatenate(
        [
            np.datetime64(f"{year}-06-01", "ns") + np.arange(SUMMER_DAYS) * np.timedelta64(1, "D")
            for year in years
        ]
    )

    def netcdf(fields: dict[str, tuple[Floats, str, str]], times: Any) -> bytes:
        data = xr.Dataset(
            {
                name: (
                    ("time", "latitude", "longitude"),
                    values.astype("f4"),
                    {"units": unit, "long_name": said},
                )
                for name, (values, unit, said) in fields.items()
            },
            {
                "time": ("time", times, {"standard_name": "time"}),
                "latitude": ("latitude", made.lat, {"units": "degrees_north", "standard_name": "latitude"}),
                "longitude": ("longitude", made.lon, {"units": "degrees_east", "standard_name": "longitude"}),
            },
            {"Conventions": "CF-1.8", SYNTHETIC: label},
        )
        encoding: dict[str, dict[str, Any]] = {
            name: {"zlib": True, "complevel": 4, "_FillValue": None} for name in fields
        }
        encoding["time"] = {"units": "hours since 1900-01-01", "calendar": "standard", "dtype": "i4"}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "fields.nc"
            data.to_netcdf(path, engine="netcdf4", encoding=encoding)
            return path.read_bytes()

    unit, said = NUMBERS[spell.field]
    name = f"{spell.field}_{spell.daily}"
    hours = {
        "t2m": (made.t2m, "K", "2 metre temperature"),
        "d2m": (made.d2m, "K", "2 metre dewpoint temperature"),
        "u10": (made.u10, "m s-1", "10 metre U wind component"),
        "v10": (made.v10, "m s-1", "10 metre V wind component"),
    }
    return {
        HOURS: netcdf(hours, when),
        NETWORK: netcdf({name: (made.network, unit, f"{said} of a day, stations")}, days),
        SUMMERS: netcdf({name: (made.summers.reshape(-1, ROWS, COLUMNS), unit, f"{said} of a day")}, past),
        PICTURE: _picture(made, label),
    }


def _picture(made: Analysis, label: str) -> bytes:
    """Return a picture in true colours of waves of green; only where it lies matters."""
    import rasterio
    from rasterio.io import MemoryFile
    from rasterio.transform import from_origin

    from labrig_earth.results import SYNTHETIC

    down, along = np.mgrid[:PIXELS, :PIXELS]
    green = 110 + 40 * np.sin(down / 7) * np.cos(along / 9)
    layers = np.stack([0.8 * green, green, 0.6 * green]).round().astype("u1")
    with MemoryFile() as memory:
        with memory.open(
            driver="GTiff", width=PIXELS, height=PIXELS, count=3, dtype="uint8", compress="deflate",
            crs=rasterio.crs.CRS.from_epsg(4326), photometric="RGB",
            transform=from_origin(*made.picture, PIXEL_DEGREES, PIXEL_DEGREES),
        ) as file:  # fmt: skip
            file.write(layers)
            file.descriptions = ("red", "green", "blue")
            file.update_tags(**{SYNTHETIC: label})
        return bytes(memory.read())
