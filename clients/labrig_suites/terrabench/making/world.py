"""A made world in memory: its arrays, its hot hours and its town."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError

Floats = NDArray[np.float64]
TOWN = ("town/town.osm", "town/buildings.gpkg")


@dataclass(frozen=True)
class World:
    """What items are made of.

    Attributes
    ----------
    label
        Which the world's files carry: that they are synthetic, and of which seed.
    hindcast, forecast, observed
        (year, month, member, row, column), (month, member, row, column) and (year, month, row, column), K.
    days
        (day, row, column), K: daily temperatures.
    hours
        (variable, hour, row, column): t2m and d2m (K), wind speed at 10 m (m/s), solar radiation (W/m2).
    town
        Files of the town by path.
    """

    label: str
    hindcast: Floats
    forecast: Floats
    observed: Floats
    days: Floats
    hours: Floats
    town: dict[str, bytes]


@lru_cache(maxsize=2)
def world(seed: int) -> World:
    """Make the small world of a seed (two seconds) and read it.

    Raises
    ------
    LabrigError
        ``unavailable`` without the libraries of the Earth server.
    """
    try:
        import xarray as xr

        from labrig_earth.world.make import DATA, make_world
    except ImportError as error:
        raise LabrigError(
            "Items are made with libraries of the Earth server",
            where=str(error.name),
            try_="pip install 'labrig[earth]'",
            code="unavailable",
        ) from error

    with tempfile.TemporaryDirectory() as folder:
        made = make_world(Path(folder) / "world", seed, "small")
        data = Path(folder) / "world" / DATA

        def read(path: str) -> xr.Dataset:
            return xr.load_dataset(data / path, engine="netcdf4")

        hindcast = read("seasonal/hindcast.nc").t2m.values.astype("f8")
        forecast = read("seasonal/forecast.nc").t2m.values.astype("f8")[0]
        observed = read("seasonal/observed.nc").t2m.values.astype("f8")
        hot = read("impacts/heat_hours.nc")
        wind = np.hypot(hot.u10.values, hot.v10.values)
        hours = np.stack([hot.t2m.values, hot.d2m.values, wind, hot.ssrd.values / 3600]).astype("f8")
        return World(
            made["label"],
            hindcast,
            forecast,
            observed.reshape(hindcast.shape[0], hindcast.shape[1], *observed.shape[1:]),
            read("climate/daily.nc").t2m.values.astype("f8"),
            hours,
            {path: (data / path).read_bytes() for path in TOWN},
        )
