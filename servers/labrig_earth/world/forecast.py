"""A seasonal ensemble with its hindcast: three or more months from 1 May, whose bias is known exactly."""

from __future__ import annotations

import numpy as np

from labrig_earth.world.climate import FILL, Floats, days_of, grid_of
from labrig_earth.world.sizes import Size
from labrig_earth.world.writing import Folder


def write_forecast(folder: Folder, size: Size, rng: np.random.Generator, t2m: Floats) -> None:
    """Write hindcast and forecast, monthly means of 2 m temperature by year of start, lead and member.

    Parameters
    ----------
    t2m
        (day, latitude, longitude), K: what the hindcast is held against.
    """
    import xarray as xr

    months = days_of(size).astype("datetime64[M]")
    years = np.arange(2021 - size.hindcast_years, 2021)
    leads = np.arange(1, size.leads + 1)
    observed = np.stack(
        [
            [t2m[months == np.datetime64(f"{year}-{4 + lead:02d}")].mean(axis=0) for lead in leads]
            for year in years
        ]
    )  # year, lead, latitude, longitude
    climate = observed.mean(axis=0)
    anomaly = observed - climate
    skill = np.maximum(0.8 - 0.1 * leads, 0.1)[None, :, None, None]
    bias = np.round(0.5 + 0.4 * leads, 2)  # K
    spread = rng.standard_normal((len(years), len(leads), size.members, *t2m.shape[1:]))
    spread -= spread.mean(axis=(0, 2), keepdims=True)
    offset = (climate + bias[:, None, None])[None, :, None]
    hindcast = offset + (skill * anomaly)[:, :, None] + spread

    coming = rng.standard_normal((1, len(leads), 2 * size.members, *t2m.shape[1:]))
    forecast = offset + 0.6 + coming
    lat, lon = grid_of(size)
    for name, values, starts in (("hindcast", hindcast, years), ("forecast", forecast, np.array([2021]))):
        data = xr.Dataset(
            {
                "t2m": (
                    ("start", "lead", "number", "latitude", "longitude"),
                    values.round(3).astype("f4"),
                    {"units": "K", "long_name": "2 metre temperature", "standard_name": "air_temperature"},
                )
            },
            {
                "start": ("start", np.array([f"{year}-05-01" for year in starts], "datetime64[ns]"),
                          {"standard_name": "forecast_reference_time", "long_name": "start of the forecast"}),
                "lead": ("lead", leads.astype("i4"), {"units": "1", "long_name": "month of the forecast, 1 is May"}),
                "number": ("number", np.arange(values.shape[2], dtype="i4"),
                           {"standard_name": "realization", "units": "1"}),
                "latitude": ("latitude", lat, {"standard_name": "latitude", "units": "degrees_north", "axis": "Y"}),
                "longitude": ("longitude", lon, {"standard_name": "longitude", "units": "degrees_east", "axis": "X"}),
            },
            {"title": f"Seasonal {name}, monthly means from 1 May", "source": "labrig_earth.world"},
        )  # fmt: skip
        packed = {
            "dtype": "i2", "scale_factor": 0.005, "add_offset": 283.0, "_FillValue": FILL, "zlib": True, "complevel": 1,
        }  # fmt: skip
        when = {"units": "days since 1900-01-01", "calendar": "standard", "dtype": "i4"}
        folder.netcdf(f"forecast/{name}.nc", data, {"t2m": packed, "start": when})
    folder.truth["forecast/hindcast.nc"] = {
        "bias_K_by_lead": {str(lead): float(each) for lead, each in zip(leads, bias, strict=True)},
        "bias_method": "mean over years and members, minus the mean of monthly means of t2m of climate/daily.nc, "
        "each cell; stored to 0.0025 K",
        "years": size.hindcast_years,
    }
