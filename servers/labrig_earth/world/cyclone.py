"""A cyclone over a warm sea in the form of ERA5: levels of pressure and the surface, with a known track.

It is as small in a world of any size: two days of six-hourly fields on a grid of one degree. The vortex is
V(r) = V_m r/R exp((1 - r2/R2) / 2) around a centre that moves evenly; around it blows a wind that changes with height
alone, and the humidity is a straight line in pressure, so that columns of it have a closed form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig_earth.world.climate import FILL, Floats
from labrig_earth.world.writing import Folder

TIMES = np.arange("2017-09-05T00", "2017-09-07T06", 6, dtype="datetime64[h]")
LATITUDES, LONGITUDES = np.arange(28.0, 5.0, -1.0), np.arange(-76.0, -45.0, 1.0)
LEVELS_HPA = np.array([1000.0, 850.0, 700.0, 500.0, 200.0])
WIND_EAST = np.array([-5.0, -6.0, -5.0, -3.0, 8.0])
WIND_NORTH = np.array([1.0, 1.0, 1.5, 2.0, -3.0])
"""Of the environment by level, m s-1."""
STRENGTH = np.array([0.9, 1.0, 0.9, 0.7, 0.2])
"""Of the vortex by level."""
HUMIDITY = 1e-5 + 2e-5 * (LEVELS_HPA - 200.0)
"""kg kg-1, everywhere."""
HEIGHT_M2_S2 = np.array([1000.0, 14700.0, 30900.0, 57500.0, 121800.0])

FASTEST_M_S, RADIUS_M = 40.0, 250_000.0
DEEP_PA, AROUND_PA, DEEP_M2_S2 = 5500.0, 101_200.0, 4500.0
STEP_NORTH, STEP_EAST = 0.6, -1.0
"""Degrees that the centre moves in six hours."""
DEGREE_M = 111_195.0


def write_cyclone(folder: Folder, rng: np.random.Generator) -> None:
    """Write winds, geopotential, temperature and humidity on levels of pressure, and fields of the surface."""
    steps = np.arange(TIMES.size)
    north = 12.0 + 0.25 * rng.integers(0, 9) + STEP_NORTH * steps
    east = -57.0 + 0.25 * rng.integers(0, 9) + STEP_EAST * steps
    y = (LATITUDES[None, :, None] - north[:, None, None]) * DEGREE_M
    x = (
        (LONGITUDES[None, None, :] - east[:, None, None])
        * DEGREE_M
        * np.cos(np.radians(north))[:, None, None]
    )
    far = np.hypot(x, y) / RADIUS_M
    turning = FASTEST_M_S / RADIUS_M * np.exp((1 - far**2) / 2)
    hollow = np.exp(-(far**2) / 2)

    def by_level(values: Any) -> Floats:
        return np.asarray(values, "f8")[None, :, None, None]

    still = np.zeros((TIMES.size, 1, LATITUDES.size, LONGITUDES.size))
    u = by_level(WIND_EAST) - by_level(STRENGTH) * (turning * y)[:, None]
    v = by_level(WIND_NORTH) + by_level(STRENGTH) * (turning * x)[:, None]
    z = by_level(HEIGHT_M2_S2) - DEEP_M2_S2 * by_level(STRENGTH) * hollow[:, None]
    t = by_level(260.0 + 0.05 * (LEVELS_HPA - 200.0)) + 4.0 * by_level(STRENGTH) * hollow[:, None]
    _write(
        folder,
        "reanalysis/levels.nc",
        {
            "u": (u, "m s**-1", "eastward_wind", 0.002),
            "v": (v, "m s**-1", "northward_wind", 0.002),
            "z": (z, "m**2 s**-2", "geopotential", 4.0),
            "t": (t, "K", "air_temperature", 0.01),
            "q": (by_level(HUMIDITY) + still, "kg kg**-1", "specific_humidity", 1e-6),
        },
        levels=True,
    )
    msl = AROUND_PA - DEEP_PA * hollow
    warm = 301.0 - 0.1 * (LATITUDES - 17.0)[None, :, None] + 0.0 * msl
    _write(
        folder,
        "reanalysis/surface.nc",
        {
            "msl": (msl, "Pa", "air_pressure_at_mean_sea_level", 0.5),
            "sp": (msl, "Pa", "surface_air_pressure", 0.5),
            "u10": (0.8 * u[:, 0], "m s**-1", "eastward_wind", 0.002),
            "v10": (0.8 * v[:, 0], "m s**-1", "northward_wind", 0.002),
            "t2m": (warm, "K", "air_temperature", 0.01),
            "d2m": (warm - 3.0, "K", "dew_point_temperature", 0.01),
        },
        levels=False,
    )
    folder.truth["reanalysis/surface.nc"] = {
        "track_of_lowest_msl": [
            {"time": str(time), "latitude": float(lat), "longitude": float(lon)}
            for time, lat, lon in zip(TIMES, north, east, strict=True)
        ],
        "lowest_msl_Pa": AROUND_PA - DEEP_PA,
    }
    pressures = LEVELS_HPA * 100.0
    middle = (HUMIDITY[0] + HUMIDITY[-1]) / 2 * (pressures[0] - pressures[-1])
    folder.truth["reanalysis/levels.nc"] = {
        "water_vapour_kg_m2": float(middle / 9.80665),
        "water_vapour_method": "integral of q over 1000 to 200 hPa, over g; q is a straight line in pressure",
        "shear_200_less_850_hPa_m_s": [
            float(WIND_EAST[4] - WIND_EAST[1]),
            float(WIND_NORTH[4] - WIND_NORTH[1]),
        ],
        "shear_method": "of the environment: 1,000 km and more from the centre",
        "vorticity_of_the_centre_at_850_hPa_s": float(2 * FASTEST_M_S / RADIUS_M * np.exp(0.5)),
        "vorticity_method": "of the formula, on a plane; differences over two cells of one degree are smaller",
    }


def _write(
    folder: Folder, name: str, fields: dict[str, tuple[Any, str, str, float]], *, levels: bool
) -> None:
    import xarray as xr

    dims = ("valid_time", *(("pressure_level",) if levels else ()), "latitude", "longitude")
    coords: dict[str, Any] = {
        "valid_time": ("valid_time", TIMES.astype("datetime64[ns]"), {"standard_name": "time"}),
        "latitude": ("latitude", LATITUDES, {"standard_name": "latitude", "units": "degrees_north"}),
        "longitude": ("longitude", LONGITUDES, {"standard_name": "longitude", "units": "degrees_east"}),
    }
    if levels:
        about = {"units": "hPa", "positive": "down", "standard_name": "air_pressure"}
        coords["pressure_level"] = ("pressure_level", LEVELS_HPA, about)
    made, packing = {}, {}
    for variable, (values, unit, standard, scale) in fields.items():
        middle = float(np.round((values.max() + values.min()) / 2 / scale) * scale)
        packed = np.round((values - middle) / scale)
        made[variable] = (dims, packed * scale + middle, {"units": unit, "standard_name": standard})
        packing[variable] = {
            "dtype": "i2", "scale_factor": scale, "add_offset": middle, "_FillValue": FILL,
            "zlib": True, "complevel": 1,
        }  # fmt: skip
    data = xr.Dataset(
        made, coords, {"title": f"A cyclone in the form of ERA5: {name}", "source": "labrig_earth.world"}
    )
    when = {"units": "hours since 1900-01-01", "calendar": "standard", "dtype": "i4"}
    folder.netcdf(name, data, {**packing, "valid_time": when})
