"""What simulators of impacts are fed: a soil by depth, and hours of the hot spell with radiation.

Soil has the depths, variables and units of SoilGrids; hours have the names and units of ERA5, whose fluxes are J m-2
over the hour that ends.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labrig_earth.impact.weather.sun import extraterrestrial, sunlit
from labrig_earth.world.climate import days_of, grid_of
from labrig_earth.world.sizes import Size
from labrig_earth.world.writing import Folder

Floats = NDArray[np.float64]

DEPTHS_M = (0.0, 0.05, 0.15, 0.3, 0.6, 1.0, 2.0)
FIRST, LAST = "2018-07-19", "2018-08-04"
DIURNAL_K = 6.0
"""Half of the range of a day; the hottest hour is 15 h by the sun."""

STEFAN_BOLTZMANN = 5.670374e-8
ALBEDO = 0.2


def write_impacts(folder: Folder, size: Size, rng: np.random.Generator, t2m: Floats) -> None:
    """Write the soil and the hours.

    Parameters
    ----------
    t2m
        Daily 2 m temperature of `climate`, K, of which the hours are.
    """
    _soil(folder, size, rng)
    _hours(folder, size, rng, t2m)


def _soil(folder: Folder, size: Size, rng: np.random.Generator) -> None:
    import xarray as xr

    lat, lon = grid_of(size)
    bounds = np.array([DEPTHS_M[:-1], DEPTHS_M[1:]]).T
    middle = bounds.mean(axis=1)[:, None, None]
    east = (np.linspace(0, 1, len(lon)) + np.zeros((len(lat), 1)))[None]
    shape = (1, len(lat), len(lon))
    clay = (120 + 180 * east + 25 * np.minimum(middle, 1) + 10 * rng.random(shape)).round()
    sand = (620 - 420 * east - 30 * np.minimum(middle, 1) + 10 * rng.random(shape)).round()
    carbon = ((120 + 60 * rng.random(shape)) * np.exp(-2 * middle)).round()
    density = (128 + 20 * np.minimum(middle, 1) + 4 * rng.random(shape)).round()
    fields = {
        "clay": (clay, "g kg-1", "Clay in the fine earth"),
        "sand": (sand, "g kg-1", "Sand in the fine earth"),
        "soc": (carbon, "dg kg-1", "Organic carbon in the fine earth"),
        "bdod": (density, "cg cm-3", "Bulk density of the fine earth"),
    }
    dims = ("depth", "latitude", "longitude")
    data = xr.Dataset(
        {
            name: (dims, values.astype("f4"), {"units": unit, "long_name": said})
            for name, (values, unit, said) in fields.items()
        }
        | {"depth_bnds": (("depth", "bnds"), bounds)},
        {
            "depth": ("depth", bounds.mean(axis=1), {"units": "m", "positive": "down", "bounds": "depth_bnds",
                                                     "standard_name": "depth", "axis": "Z"}),
            "latitude": ("latitude", lat, {"units": "degrees_north", "standard_name": "latitude", "axis": "Y"}),
            "longitude": ("longitude", lon, {"units": "degrees_east", "standard_name": "longitude", "axis": "X"}),
        },
        {"title": "Soil by depth in the manner of SoilGrids", "source": "labrig_earth.world"},
    )  # fmt: skip
    folder.netcdf(
        "impacts/soil.nc", data, {name: {"zlib": True, "complevel": 1, "_FillValue": None} for name in fields}
    )
    folder.truth["impacts/soil.nc"] = {
        "bottoms_of_layers_m": list(DEPTHS_M[1:]),
        "clay_percent_of_the_top_at_north_west": float(clay[0, 0, 0] / 10),
        "sand_percent_of_the_top_at_north_west": float(sand[0, 0, 0] / 10),
    }


def _hours(folder: Folder, size: Size, rng: np.random.Generator, t2m: Floats) -> None:
    """Write hours whose mean of each day is the daily temperature, under a sun that stands where it stood."""
    import xarray as xr

    days, (lat, lon) = days_of(size), grid_of(size)
    when = (days >= np.datetime64(FIRST)) & (days < np.datetime64(LAST))
    rows = np.flatnonzero((lat >= 46) & (lat <= 50))
    columns = np.flatnonzero((lon >= 8) & (lon <= 15))
    lat, lon = lat[rows], lon[columns]
    daily = np.round(t2m[when][:, rows][:, :, columns], 2).repeat(24, axis=0)
    stamps = np.datetime64(f"{FIRST}T00") + np.arange(len(daily))
    ends = stamps.astype("datetime64[s]")
    clock = (stamps - stamps.astype("datetime64[D]")).astype(float)[:, None, None] + lon[None, None, :] / 15
    air = daily + DIURNAL_K * np.cos(2 * np.pi * (clock - 15) / 24)
    dew = daily - 8 - rng.random((len(ends), 1, 1))
    speed, turn = 1.5 + 3 * rng.random((2, *daily.shape))
    u10, v10 = speed * np.cos(turn), speed * np.sin(turn)
    height = np.empty_like(air)
    lit = np.empty_like(air)
    for row, north in enumerate(lat):
        for column, east in enumerate(lon):
            height[:, row, column], lit[:, row, column] = sunlit(ends, 3600, float(north), float(east))
    outside = extraterrestrial(ends)[:, None, None] * height * lit
    clear = (0.6 + 0.15 * rng.random((len(ends) // 24, 1, 1))).repeat(24, axis=0)
    down = clear * outside
    direct = np.where(height >= 0.1, 0.7 * down, 0.0)
    thermal_down = 0.82 * STEFAN_BOLTZMANN * air**4
    thermal_up = STEFAN_BOLTZMANN * (air + 0.012 * down) ** 4
    joules = 3600.0
    fields = {
        "t2m": (air, "K", "2 metre temperature"),
        "d2m": (dew, "K", "2 metre dewpoint temperature"),
        "u10": (u10, "m s-1", "10 metre U wind component"),
        "v10": (v10, "m s-1", "10 metre V wind component"),
        "ssrd": (down * joules, "J m-2", "Surface solar radiation downwards"),
        "fdir": (direct * joules, "J m-2", "Total sky direct solar radiation at surface"),
        "ssr": ((1 - ALBEDO) * down * joules, "J m-2", "Surface net solar radiation"),
        "strd": (thermal_down * joules, "J m-2", "Surface thermal radiation downwards"),
        "str": ((thermal_down - thermal_up) * joules, "J m-2", "Surface net thermal radiation"),
    }
    digits = {"K": 2, "m s-1": 2, "J m-2": -1}
    stored = {name: values.round(digits[unit]).astype("f4") for name, (values, unit, _) in fields.items()}
    dims = ("time", "latitude", "longitude")
    data = xr.Dataset(
        {name: (dims, stored[name], {"units": unit, "long_name": said}) for name, (_, unit, said) in fields.items()},
        {
            "time": ("time", stamps.astype("datetime64[ns]"), {"standard_name": "time", "axis": "T"}),
            "latitude": ("latitude", lat, {"units": "degrees_north", "standard_name": "latitude", "axis": "Y"}),
            "longitude": ("longitude", lon, {"units": "degrees_east", "standard_name": "longitude", "axis": "X"}),
        },
        {"title": "Hours of a hot spell in the manner of ERA5, UTC; fluxes over the hour that ends",
         "source": "labrig_earth.world"},
    )  # fmt: skip
    encoding: dict[str, dict[str, object]] = {
        name: {"zlib": True, "complevel": 1, "_FillValue": None} for name in fields
    }
    encoding["time"] = {"units": "hours since 1900-01-01", "calendar": "standard", "dtype": "i4"}
    folder.netcdf("impacts/heat_hours.nc", data, encoding)
    folder.truth["impacts/heat_hours.nc"] = {
        "same_as": "the mean of t2m over each day is that of climate/daily.nc to 0.005 K",
        "hours": len(stamps),
        "hours_from_32_C_at_48_N_13_E": int(
            (stored["t2m"][:, list(lat).index(48), list(lon).index(13)] >= 305.15).sum()
        ),
        "hottest_K": float(stored["t2m"].max()),
    }
