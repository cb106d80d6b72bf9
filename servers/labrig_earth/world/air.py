"""Hourly air quality on a fine grid around the town, with days of smog in the half of it that lies to the east."""

from __future__ import annotations

import numpy as np

from labrig_earth.world.climate import axis_of
from labrig_earth.world.sizes import ORIGIN, UTM, Size
from labrig_earth.world.writing import Folder

LIMIT = 15.0
"""ug m-3: the 24-hour guideline for PM2.5 (WHO, global air quality guidelines, 2021)."""


def write_air(folder: Folder, size: Size, rng: np.random.Generator) -> None:
    """Write PM2.5, O3 and NO2 as a Zarr store, in ug m-3, hours in UTC.

    A smog day has a daily mean above `LIMIT` in every cell of the smoggy half, and no other day and cell has.
    """
    import xarray as xr
    from pyproj import Transformer

    corner = Transformer.from_crs(UTM, "EPSG:4326", always_xy=True)
    middle = corner.transform(ORIGIN[0] + size.side_m / 2, ORIGIN[1] + size.side_m / 2)
    # About 400 m on the ground, so that cells divide the town.
    step_x, step_y = size.side_m / size.air_side / 74_000, size.side_m / size.air_side / 111_000
    places = np.arange(size.air_side) - (size.air_side - 1) / 2
    lon = round(middle[0], 6) + round(1.15 * step_x, 6) * places
    lat = round(middle[1], 6) + round(1.15 * step_y, 6) * places
    hours = np.datetime64("2020-01-01T00") + np.arange(24 * size.air_days)
    shape = (len(hours), len(lat), len(lon))
    hour = np.arange(len(hours)) % 24
    rush = (np.exp(-(((hour - 8) / 2.5) ** 2)) + np.exp(-(((hour - 18) / 3) ** 2)))[:, None, None]
    sun = np.maximum(np.sin(np.pi * (hour - 6) / 14), 0)[:, None, None]

    smog_days = np.sort(rng.choice(size.air_days, size.air_days // 10, replace=False))
    smoggy = np.isin(np.arange(size.air_days), smog_days).repeat(24)[:, None, None]
    east = (lon > middle[0])[None, None, :]
    noise = rng.random(shape)
    # Daily means: from 6 to 6 + 2 + 3 * 0.42 < 11 without smog, above 6 + 20 with it.
    pm25 = 6 + 2 * noise + 3 * rush + np.where(smoggy & east, 20 + 10 * rng.random(shape), 0)
    no2 = 10 + 25 * rush + 5 * rng.random(shape)
    o3 = 30 + 60 * sun + 10 * rng.random(shape)
    data = xr.Dataset(
        {
            name: (
                ("time", "latitude", "longitude"),
                values.round(2).astype("f4"),
                {
                    "units": "ug m-3",
                    "long_name": long,
                    "standard_name": standard,
                    "cell_methods": "time: mean",
                },
            )
            for name, values, long, standard in (
                ("pm2p5", pm25, "PM2.5", "mass_concentration_of_pm2p5_ambient_aerosol_particles_in_air"),
                ("o3", o3, "Ozone", "mass_concentration_of_ozone_in_air"),
                ("no2", no2, "Nitrogen dioxide", "mass_concentration_of_nitrogen_dioxide_in_air"),
            )
        },
        {
            "time": ("time", hours.astype("datetime64[ns]"), {"standard_name": "time", "axis": "T"}),
            "latitude": ("latitude", lat, axis_of("latitude")),
            "longitude": ("longitude", lon, axis_of("longitude")),
        },
        {"title": "Hourly air quality, hours in UTC", "source": "labrig_earth.world"},
    )
    pieces = {"chunks": (24 * min(31, size.air_days), len(lat), len(lon))}
    when = {"units": "hours since 2020-01-01", "calendar": "standard", "dtype": "i4"}
    folder.zarr("air/hourly.zarr", data, dict.fromkeys(("pm2p5", "o3", "no2"), pieces) | {"time": when})
    folder.truth["air/hourly.zarr"] = {
        "days_above_15_ug_m3_of_pm2p5": {"east of the middle": len(smog_days), "west of it": 0},
        "days_method": "daily means of UTC days, by cell",
        "smog_days": [str(np.datetime64("2020-01-01") + int(each)) for each in smog_days],
        "middle_longitude": float(middle[0]),
        "cells_above_on_a_smog_day": int((lon > middle[0]).sum() * len(lat)),
    }
