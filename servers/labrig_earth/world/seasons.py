"""A seasonal hindcast of 24 years and 25 members with its forecast and what was observed, whose faults are known.

It is as large as a correction of bias and terciles need, in a world of any size: a small grid, starts on 1 May, months
from May to August. The members of a hindcast are too warm by lead, too wide, and follow what was observed in part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig_earth.world.climate import FILL, Floats
from labrig_earth.world.writing import Folder

YEARS = np.arange(1997, 2021)
LEADS = np.arange(1, 5)
MEMBERS = 25
LATITUDES, LONGITUDES = np.arange(52.0, 44.0, -2.0), np.arange(8.0, 18.0, 2.0)
BIAS_K = np.array([0.6, 1.1, 1.6, 2.1])
"""By lead: members minus what was observed, in the mean of all years and cells."""
WIDTH = 1.5
"""Standard deviation of members about their signal, over that of what was observed about it."""
COMING_K = 0.9
"""By which the forecast of 2021 is above the hindcast's climate."""


def write_seasons(folder: Folder, rng: np.random.Generator) -> None:
    """Write hindcast, forecast and monthly observations of 2 m temperature."""
    cells = (LATITUDES.size, LONGITUDES.size)
    shape = (YEARS.size, LEADS.size, *cells)
    climate = 283.0 + 2.5 * LEADS[:, None, None] - 0.4 * (LATITUDES - 48)[:, None] + np.zeros(cells)
    signal = rng.standard_normal((YEARS.size, 1, *cells)) * 0.8
    observed = climate + signal + 0.6 * rng.standard_normal(shape)
    noise = 0.6 * WIDTH * rng.standard_normal((YEARS.size, LEADS.size, MEMBERS, *cells))
    hindcast = (observed.mean(axis=0) + signal - signal.mean(axis=0))[:, :, None] + noise
    hindcast += (BIAS_K - (hindcast.mean(axis=(0, 2, 3, 4)) - observed.mean(axis=(0, 2, 3))))[
        :, None, None, None
    ]
    coming = hindcast.mean(axis=(0, 2)) + COMING_K
    spread = rng.standard_normal((1, LEADS.size, MEMBERS, *cells))
    coming = coming[None, :, None] + 0.6 * WIDTH * (spread - spread.mean(axis=2, keepdims=True))
    for name, values, starts in (("hindcast", hindcast, YEARS), ("forecast", coming, [2021])):
        _write_forecast(folder, name, values, starts)
    _write_observed(folder, observed)
    folder.truth["seasonal/hindcast.nc"] = {
        "bias_K_by_lead": dict(zip(map(str, LEADS.tolist()), BIAS_K.tolist(), strict=True)),
        "bias_method": "mean over years, members and cells, minus that of seasonal/observed.nc; stored to 0.005 K",
        "width_of_members": WIDTH,
        "forecast_above_hindcast_K": COMING_K,
        "years": int(YEARS.size),
        "members": MEMBERS,
    }


def _write_forecast(folder: Folder, name: str, values: Floats, starts: Any) -> None:
    import xarray as xr

    dims = ("forecast_reference_time", "forecastMonth", "number", "latitude", "longitude")
    coords = {
        dims[0]: (dims[0], np.array([f"{year}-05-01" for year in starts], "datetime64[ns]"),
                  {"standard_name": "forecast_reference_time"}),
        dims[1]: (dims[1], LEADS.astype("i4"), {"units": "1", "long_name": "month of the forecast, 1 is May"}),
        dims[2]: (dims[2], np.arange(MEMBERS, dtype="i4"), {"standard_name": "realization", "units": "1"}),
        **_cells(),
    }  # fmt: skip
    about = {"units": "K", "standard_name": "air_temperature", "long_name": "2 metre temperature"}
    data = xr.Dataset(
        {"t2m": (dims, values.round(2).astype("f4"), about)},
        coords,
        {"title": f"Seasonal {name} in the form of C3S, monthly means", "source": "labrig_earth.world"},
    )
    when = {"units": "days since 1900-01-01", "calendar": "standard", "dtype": "i4"}
    folder.netcdf(f"seasonal/{name}.nc", data, {"t2m": _PACKED, dims[0]: when})


def _write_observed(folder: Folder, observed: Floats) -> None:
    import xarray as xr

    months = np.array([f"{year}-{4 + lead:02d}" for year in YEARS for lead in LEADS], "datetime64[ns]")
    about = {"units": "K", "standard_name": "air_temperature", "cell_methods": "time: mean"}
    data = xr.Dataset(
        {"t2m": (("time", "latitude", "longitude"), observed.reshape(-1, *observed.shape[2:]).round(2).astype("f4"),
                 about)},
        {"time": ("time", months, {"standard_name": "time", "axis": "T"}), **_cells()},
        {"title": "Monthly means from May to August", "source": "labrig_earth.world"},
    )  # fmt: skip
    when = {"units": "days since 1900-01-01", "calendar": "standard", "dtype": "i4"}
    folder.netcdf("seasonal/observed.nc", data, {"t2m": _PACKED, "time": when})


_PACKED = {
    "dtype": "i2", "scale_factor": 0.01, "add_offset": 283.0, "_FillValue": FILL, "zlib": True, "complevel": 1,
}  # fmt: skip


def _cells() -> dict[str, Any]:
    return {
        "latitude": (
            "latitude",
            LATITUDES,
            {"standard_name": "latitude", "units": "degrees_north", "axis": "Y"},
        ),
        "longitude": (
            "longitude",
            LONGITUDES,
            {"standard_name": "longitude", "units": "degrees_east", "axis": "X"},
        ),
    }
