"""Made weather for the tests of forecast models: storms whose tracks are known, and an analysis on a coarse globe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from labrig_earth.forecasting import pangu

LATITUDES, LONGITUDES = np.arange(40.0, -40.5, -1), np.arange(0.0, 360, 1)
TIMES = np.arange("2020-08-01T00", "2020-08-03T00", 6, dtype="datetime64[h]").astype("datetime64[ns]")
NORTH = [(15 + 0.5 * step, (176 + 1.5 * step) % 360) for step in range(TIMES.size)]
"""A storm that crosses the antimeridian."""
SOUTH = [(-12 - 0.5 * step, 60 - 1.0 * step) for step in range(TIMES.size)]


def vortex(places: list[tuple[float, float]], depth: float, turn: float) -> tuple[Any, Any, Any]:
    """Return pressure (Pa) and wind of a vortex that follows places, over (time, latitude, longitude)."""
    y, x = np.meshgrid(LATITUDES, LONGITUDES, indexing="ij")
    fields = []
    for latitude, longitude in places:
        north = y - latitude
        east = ((x - longitude + 180) % 360 - 180) * np.cos(np.deg2rad(latitude))
        shape = np.exp(-(north**2 + east**2) / 8)
        speed = 12 * turn * shape
        fields.append((-depth * shape, -speed * north, speed * east))
    return tuple(np.stack(each) for each in zip(*fields, strict=True))  # type: ignore[return-value]


def write_storms(folder: Path) -> None:
    one, other = vortex(NORTH, 4000, 1), vortex(SOUTH, 3000, -1)
    high = vortex([(-30, 250)] * TIMES.size, 3000, 1)  # a low that turns the wrong way for its hemisphere
    pressure = 101_000 + one[0] + other[0] + high[0]
    u, v = (one[place] + other[place] + high[place] for place in (1, 2))
    dims = ("time", "latitude", "longitude")
    coords = {
        "time": TIMES,
        "latitude": ("latitude", LATITUDES, {"units": "degrees_north"}),
        "longitude": ("longitude", LONGITUDES, {"units": "degrees_east"}),
    }
    surface = xr.Dataset(
        {
            name: (dims, field, {"units": unit})
            for name, field, unit in (
                ("msl", pressure, "Pa"),
                ("u10", 0.8 * u, "m s-1"),
                ("v10", 0.8 * v, "m s-1"),
            )
        },
        coords,
    )
    surface.to_netcdf(folder / "surface.nc")
    levels = xr.Dataset(
        {
            name: (("time", "level", *dims[1:]), np.stack([field, 0.5 * field], 1), {"units": "m s-1"})
            for name, field in (("u", u), ("v", v))
        },
        {**coords, "level": ("level", [850.0, 500.0], {"units": "hPa"})},
    )
    levels.to_netcdf(folder / "levels.nc")
    levels.sel(level=[500.0]).to_netcdf(folder / "only_500.nc")
    levels.isel(time=slice(2, None)).to_netcdf(folder / "later.nc")
    surface[["msl"]].to_netcdf(folder / "only_msl.nc")
    surface.drop_vars("msl").to_netcdf(folder / "no_msl.nc")
    flat = surface.copy(deep=True)
    flat["msl"][:] = 101_000.0
    flat.to_netcdf(folder / "flat.nc")


SHAPE = (9, 16)
ANALYSES = np.array(["2023-01-01T00", "2023-01-01T06"], "datetime64[ns]")
USUAL = {"z": 50_000, "q": 0.004, "t": 260, "u": 5, "v": -3, "msl": 101_000, "u10": 4, "v10": 1, "t2m": 285}


def analysis(seed: int = 1) -> tuple[Any, Any]:
    """Return an analysis as files have it: latitudes from the south, longitudes from -180, levels from above."""
    random = np.random.default_rng(seed)
    y, x = np.linspace(-90, 90, SHAPE[0]), np.arange(SHAPE[1]) * (360 / SHAPE[1]) - 180
    plane = {
        "latitude": ("latitude", y, {"units": "degrees_north"}),
        "longitude": ("longitude", x, {"units": "degrees_east"}),
    }

    def values(name: str, *shape: int) -> Any:
        return USUAL[name] * (1 + 0.01 * random.standard_normal((ANALYSES.size, *shape, *SHAPE)))

    low = xr.Dataset(
        {
            name: (("time", "latitude", "longitude"), values(name), {"units": unit})
            for name, unit in pangu.SURFACE.items()
        },
        {"time": ANALYSES, **plane},
    )
    levels = ("pressure_level", np.array(sorted((*pangu.LEVELS, 775)), "f8"), {"units": "hPa"})
    dims = ("time", "pressure_level", "latitude", "longitude")
    high = xr.Dataset(
        {name: (dims, values(name, 14), {"units": unit}) for name, unit in pangu.UPPER.items()},
        {"time": ANALYSES, "pressure_level": levels, **plane},
    )
    return low, high
