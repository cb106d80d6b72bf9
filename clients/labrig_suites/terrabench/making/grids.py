"""The fields of an item: the world's weather at another place, of another variable, with a pattern of the item's own.

So no number of one item, and no constant of the world (its planted bias), answers another item.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from labrig_suites.terrabench.making.domains import Domain
from labrig_suites.terrabench.making.world import Floats, World

MONTHS = (5, 6, 7, 8)
LENGTHS = np.array([31.0, 30.0, 31.0, 31.0])
"""Days of the months of a forecast, from May."""
FIRST_YEAR, LAST_YEAR = 1997, 2020
MEMBERS = 10
STEP, DAY_STEP = 2.0, 1.5
"""Degrees between cells of the seasonal fields, and of the daily ones."""


@dataclass(frozen=True)
class Box:
    """A named box, edges in degrees, which cells with centres on an edge belong to."""

    name: str
    south: float
    north: float
    west: float
    east: float

    @property
    def key(self) -> str:
        """The name as a part of a key."""
        return self.name.replace(" ", "_")

    @property
    def said(self) -> str:
        """The box in words."""
        return f"the {self.name} ({self.south:g} to {self.north:g} N, {self.west:g} to {self.east:g} E)"


@dataclass(frozen=True)
class Grids:
    """Fields as their files hold them (32 bits), and where.

    Attributes
    ----------
    hindcast, forecast, observed
        (year, month, member, row, column), (month, member, row, column), (year, month, row, column).
    days
        (day, row, column), from 1 May of `year`.
    lat, lon, day_lat, day_lon
        Centres of cells, degrees, north first.
    """

    hindcast: Floats
    forecast: Floats
    observed: Floats
    days: Floats
    year: int
    lat: Floats
    lon: Floats
    day_lat: Floats
    day_lon: Floats
    boxes: tuple[Box, ...]

    @property
    def scatter(self) -> float:
        """Standard deviation of what was observed, over years, months and cells."""
        return float(self.observed.std())

    def inside(self, box: Box, *, days: bool = False) -> Any:
        """Return an index of the cells in a box, for the last two axes."""
        lat, lon = (self.day_lat, self.day_lon) if days else (self.lat, self.lon)
        return np.ix_((lat >= box.south) & (lat <= box.north), (lon >= box.west) & (lon <= box.east))

    def mean_in(self, field: Floats, box: Box) -> float:
        """Return the mean over a box, each value once."""
        rows, columns = self.inside(box)
        return float(field[..., rows, columns].mean())


def make_grids(world: World, domain: Domain, rng: np.random.Generator) -> Grids:
    """Return the fields of an item of a domain."""
    lat: Floats = float(rng.integers(38, 58)) - STEP * np.arange(float(world.observed.shape[2]))
    lon: Floats = float(rng.integers(-8, 28)) + STEP * np.arange(float(world.observed.shape[3]))
    day_lat: Floats = lat[0] - DAY_STEP * np.arange(float(world.days.shape[1]))
    day_lon: Floats = lon[0] + DAY_STEP * np.arange(float(world.days.shape[2]))
    usual = world.observed.mean(axis=0, keepdims=True)
    size = float((world.observed - usual).std())
    slopes = rng.normal(0, 0.6, 3)
    months = rng.normal(0, 0.5, len(MONTHS)).cumsum()
    offset = rng.normal(0, 0.8)

    def pattern(rows: int, columns: int) -> Floats:
        north, east = np.linspace(1, -1, rows)[:, None], np.linspace(-1, 1, columns)[None, :]
        found: Floats = offset + slopes[0] * north + slopes[1] * east + slopes[2] * north * east
        return found

    place = pattern(*world.observed.shape[2:])
    observed = (world.observed - usual) / size * rng.uniform(0.6, 1.1) + place + months[:, None, None]
    fault = rng.normal(0.7, 0.5, (len(MONTHS), 1, 1)) + 0.3 * rng.normal(0, 1, place.shape)
    model = (months[:, None, None] + place + fault)[:, None]
    wide = rng.uniform(0.35, 1.2)
    residual = world.hindcast - world.hindcast.mean(axis=(0, 2), keepdims=True)
    hindcast = residual[:, :, :MEMBERS] / size * wide + model
    news = rng.normal(0.3, 0.4) + 0.25 * rng.normal(0, 1, (len(MONTHS), 1, *place.shape))
    spread = world.forecast - world.forecast.mean(axis=1, keepdims=True)
    forecast = spread[:, :MEMBERS] / size * wide + model + news

    year = int(rng.integers(2014, LAST_YEAR + 1))
    start = int(rng.integers(0, world.days.shape[0] - int(LENGTHS.sum())))
    daily = world.days[start : start + int(LENGTHS.sum())]
    daily = (daily - daily.mean()) / daily.std()
    daily = daily * rng.uniform(0.7, 1.3) + pattern(*world.days.shape[1:])

    def scaled(values: Floats) -> Floats:
        if domain.scale == "kelvin":
            found = domain.middle + domain.width * values
        else:
            found = domain.middle * np.exp(domain.width * values)
        return found.round(4).astype("f4").astype("f8")

    boxes = _boxes(domain, lat, lon, rng)
    return Grids(
        *(scaled(hindcast), scaled(forecast), scaled(observed), scaled(daily), year),
        *(lat, lon, day_lat, day_lon, boxes),
    )


def _boxes(domain: Domain, lat: Floats, lon: Floats, rng: np.random.Generator) -> tuple[Box, ...]:
    """Return three boxes of two by two cells of the seasonal fields, which differ."""
    corners = [(row, column) for row in range(len(lat) - 1) for column in range(len(lon) - 1)]
    found = []
    names = [str(each) for each in rng.choice(domain.places, 3, replace=False)]
    for name, place in zip(names, rng.choice(len(corners), 3, replace=False), strict=True):
        row, column = corners[int(place)]
        south, north = float(lat[row + 1]), float(lat[row])
        west, east = float(lon[column]), float(lon[column + 1])
        found.append(Box(name, south, north, west, east))
    return tuple(found)


def files_of(grids: Grids, domain: Domain, label: str) -> dict[str, bytes]:
    """Return the files of the fields, NetCDF 4 in the form of C3S and ERA5."""
    import xarray as xr

    about = {"units": domain.unit, "long_name": domain.long_name}
    years = np.arange(FIRST_YEAR, LAST_YEAR + 1)
    starts = np.array([f"{each}-05-01" for each in (*years, LAST_YEAR + 1)], "datetime64[ns]")
    leads = np.arange(1, len(MONTHS) + 1, dtype="i4")
    members = np.arange(MEMBERS, dtype="i4")
    dims = ("forecast_reference_time", "forecastMonth", "number", "latitude", "longitude")

    def cells(lat: Floats, lon: Floats) -> dict[str, Any]:
        return {
            "latitude": ("latitude", lat, {"units": "degrees_north", "standard_name": "latitude"}),
            "longitude": ("longitude", lon, {"units": "degrees_east", "standard_name": "longitude"}),
        }

    def forecast(values: Floats, when: Any) -> xr.Dataset:
        return xr.Dataset(
            {domain.variable: (dims, values.astype("f4"), about)},
            {
                dims[0]: (dims[0], when, {"standard_name": "forecast_reference_time"}),
                dims[1]: (dims[1], leads, {"units": "1", "long_name": "month of the forecast, 1 is May"}),
                dims[2]: (dims[2], members, {"units": "1", "standard_name": "realization"}),
                **cells(grids.lat, grids.lon),
            },
        )

    def series(values: Floats, when: Any, lat: Floats, lon: Floats) -> xr.Dataset:
        return xr.Dataset(
            {domain.variable: (("time", "latitude", "longitude"), values.astype("f4"), about)},
            {"time": ("time", when, {"standard_name": "time"}), **cells(lat, lon)},
        )

    observed = grids.observed.reshape(-1, *grids.observed.shape[2:])
    stamps = [f"{year}-{month:02d}-01" for year in years for month in MONTHS]
    days = np.datetime64(f"{grids.year}-05-01", "ns") + np.arange(len(grids.days)) * np.timedelta64(1, "D")
    made: Mapping[str, Any] = {
        "data/hindcast.nc": forecast(grids.hindcast, starts[:-1]),
        "data/forecast.nc": forecast(grids.forecast[None], starts[-1:]),
        "data/observed.nc": series(observed, np.array(stamps, "datetime64[ns]"), grids.lat, grids.lon),
        "data/days.nc": series(grids.days, days, grids.day_lat, grids.day_lon),
    }
    return {path: _netcdf(each, domain.variable, label) for path, each in made.items()}


def _netcdf(data: Any, variable: str, label: str) -> bytes:
    from labrig_earth.results import SYNTHETIC

    data.attrs = {"Conventions": "CF-1.8", SYNTHETIC: label}
    when = {"units": "days since 1900-01-01", "calendar": "standard", "dtype": "i4"}
    encoding: dict[str, dict[str, Any]] = {variable: {"zlib": True, "complevel": 4, "_FillValue": None}}
    encoding |= {each: when for each in ("time", "forecast_reference_time") if each in data.coords}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fields.nc"
        data.to_netcdf(path, engine="netcdf4", encoding=encoding)
        return path.read_bytes()
