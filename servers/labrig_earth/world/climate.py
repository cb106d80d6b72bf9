"""Gridded fields: daily weather with a trend and a hot spell, months of the globe with an ENSO signal, NDVI after rain.

What is planted is exact, not only expected: what else varies is made orthogonal to it, so that ordinary least squares
finds the planted number to the rounding of the stored values (0.01 K, 0.01 mm, 0.01 m/s).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig_earth.world.sizes import Size
from labrig_earth.world.writing import Folder

Floats = NDArray[np.float64]
DAYS_PER_DECADE = 3652.5
FILL = -32767


def write_climate(folder: Folder, size: Size, rng: np.random.Generator) -> Floats:
    """Write daily fields, their packed variant, global months, the ENSO index, and monthly NDVI.

    Returns
    -------
    array (day, latitude, longitude)
        2 m temperature in K, for the ensemble.
    """
    t2m = _daily(folder, size, rng)
    _globe(folder, size, rng)
    return t2m


def days_of(size: Size) -> NDArray[np.datetime64]:
    """Return the days of the daily fields."""
    return np.arange(f"{2021 - size.years}-01-01", "2021-01-01", dtype="datetime64[D]")


def grid_of(size: Size) -> tuple[Floats, Floats]:
    """Return latitudes from north to south, as ERA5 has them, and longitudes."""
    lat = np.arange(size.north, size.south - size.step / 2, -size.step, dtype=float)
    return lat, np.arange(size.west, size.east + size.step / 2, size.step, dtype=float)


def _daily(folder: Folder, size: Size, rng: np.random.Generator) -> Floats:
    """Draw the weather, write it as it is and packed, and say what is planted in it."""
    days, (lat, lon) = days_of(size), grid_of(size)
    shape = (len(days), len(lat), len(lon))
    day = np.arange(len(days), dtype=float)
    of_year = (days - days.astype("datetime64[Y]").astype("datetime64[D]")).astype(float)
    season = np.cos(2 * np.pi * (of_year - 200) / 365.25)[:, None, None]
    north, east = lat[None, :, None], lon[None, None, :]

    trend = round(float(rng.uniform(0.2, 0.5)), 2)  # K per decade
    weather = _weather(rng, shape, memory=0.75)
    varying = (8 + 0.2 * east) * season + (3 - 1.2 * season) * weather
    hot, box = _hot_spell(days, lat, lon, size)
    varying += hot
    base = 273.15 + 10 - 0.65 * (north - 48) + 0.05 * (east - 10)
    t2m = (base + _without(varying, day) + trend * (day - day.mean())[:, None, None] / DAYS_PER_DECADE).round(
        2
    )

    rain = _weather(rng, shape, memory=0.4)
    tp = (np.maximum(rain - 0.6, 0) ** 1.5 * (6 + 2 * season)).round(2) / 1000  # m
    u10 = (2.5 + 3 * _weather(rng, shape, memory=0.6)).round(2)
    v10 = (0.5 + 3 * _weather(rng, shape, memory=0.6)).round(2)
    d2m = (t2m - 2.5 - 2 * np.abs(_weather(rng, shape, memory=0.6)) - (1.5 + 1.5 * season)).round(2)

    data = _write_daily(folder, days, (lat, lon), {"t2m": t2m, "d2m": d2m, "tp": tp, "u10": u10, "v10": v10})
    stored: Floats = t2m.astype("f4").astype(float)
    west, south, east_, north_ = box
    inside = np.ix_(np.arange(len(days)), (lat >= south) & (lat <= north_), (lon >= west) & (lon <= east_))
    weights = np.cos(np.radians(lat))[:, None] * np.ones(len(lon))
    folder.truth["climate/daily.nc"] = {
        "trend_K_per_decade": trend,
        "trend_method": "ordinary least squares of daily t2m on time, each cell; a decade is 3652.5 days",
        "mean_t2m_K": float((stored.mean(axis=0) * weights).sum() / weights.sum()),
        "mean_t2m_method": "mean over time, then weights of the cosine of latitude",
        "hot_spell": {
            "box_west_south_east_north": list(box),
            "first_day": str(days[hot.any(axis=(1, 2))].min()),
            "last_day": str(days[hot.any(axis=(1, 2))].max()),
            "most_added_K": float(hot.max()),
            "cell_days_above_300_K": int((stored[inside] > 300).sum()),
        },
        "rain_days_above_1_mm_per_cell_and_year": float((tp > 0.001).mean() * 365.25),
    }
    folder.truth["climate/t2m_packed.nc"] = {
        "same_as": "t2m of climate/daily.nc to 0.005 K",
        "scale_factor": 0.01,
    }
    _vegetation(folder, data, days, rng)
    return stored


def _write_daily(folder: Folder, days: Any, grid: tuple[Floats, Floats], drawn: dict[str, Floats]) -> Any:
    """Write the daily fields, and their temperature packed into 16 bits; return the dataset."""
    import xarray as xr

    dims = ("time", "latitude", "longitude")
    fields = {
        "t2m": ("K", "2 metre temperature", "air_temperature", "time: mean"),
        "d2m": ("K", "2 metre dewpoint temperature", "dew_point_temperature", "time: mean"),
        "tp": ("m", "Total precipitation", "lwe_thickness_of_precipitation_amount", "time: sum"),
        "u10": ("m s-1", "10 metre U wind component", "eastward_wind", "time: mean"),
        "v10": ("m s-1", "10 metre V wind component", "northward_wind", "time: mean"),
    }
    stamps = days.astype("datetime64[ns]")
    bounds = np.stack([stamps, stamps + np.timedelta64(1, "D")], axis=1)
    coordinates = {
        "time": ("time", stamps, {"standard_name": "time", "axis": "T", "bounds": "time_bnds"}),
        "latitude": ("latitude", grid[0], axis_of("latitude")),
        "longitude": ("longitude", grid[1], axis_of("longitude")),
    }
    data = xr.Dataset(
        {
            name: (
                dims,
                drawn[name].astype("f4"),
                {"units": unit, "long_name": long, "standard_name": standard, "cell_methods": cells},
            )
            for name, (unit, long, standard, cells) in fields.items()
        }
        | {"time_bnds": (("time", "bnds"), bounds)},
        coordinates,
        {"title": "Daily fields in the manner of ERA5, days in UTC", "source": "labrig_earth.world"},
    )
    pieces = (min(366, len(days)), len(grid[0]), len(grid[1]))
    when = {"units": "days since 1900-01-01", "calendar": "standard", "dtype": "i4"}
    packing = {"zlib": True, "complevel": 1, "shuffle": True, "chunksizes": pieces}
    both = {"time": when, "time_bnds": when}
    folder.netcdf("climate/daily.nc", data, {**dict.fromkeys(fields, packing), **both})
    packed = {**packing, "dtype": "i2", "scale_factor": 0.01, "add_offset": 273.15, "_FillValue": FILL}
    folder.netcdf("climate/t2m_packed.nc", data[["t2m", "time_bnds"]], {"t2m": packed, **both})
    return data


def _hot_spell(
    days: Any, lat: Floats, lon: Floats, size: Size
) -> tuple[Floats, tuple[float, float, float, float]]:
    """Return what a hot spell adds (day, latitude, longitude), and its box."""
    middle_x = size.west + round((size.east - size.west) * 0.4)
    middle_y = size.south + round((size.north - size.south) * 0.4)
    box = (middle_x - size.step, middle_y - size.step, middle_x + 2 * size.step, middle_y + size.step)
    when = (days >= np.datetime64("2018-07-21")) & (days <= np.datetime64("2018-08-01"))
    reach = 2 * size.step
    away = ((lat - middle_y) / reach)[:, None] ** 2 + ((lon - middle_x - size.step / 2) / (1.3 * reach))[
        None, :
    ] ** 2
    return 9.0 * when[:, None, None] * np.exp(-away)[None], (
        float(box[0]),
        float(box[1]),
        float(box[2]),
        float(box[3]),
    )


def _vegetation(folder: Folder, daily: Any, days: Any, rng: np.random.Generator) -> None:
    """Write monthly NDVI that rises with the rain of the month before, by a slope that is known exactly."""
    import xarray as xr

    months = days.astype("datetime64[M]")
    each = np.unique(months)
    first = np.searchsorted(months, each)
    rain_mm = np.add.reduceat(daily["tp"].values.astype(float), first, axis=0) * 1000
    before = rain_mm[:-1]
    slope = 0.0015  # per mm
    noise = 0.03 * rng.standard_normal(before.shape)
    centred = before - before.mean(axis=0)
    noise -= noise.mean(axis=0)
    noise -= centred * (noise * centred).sum(axis=0) / np.maximum((centred**2).sum(axis=0), 1e-12)
    ndvi = 0.45 + slope * centred + noise
    data = xr.Dataset(
        {
            "ndvi": (
                ("time", "lat", "lon"),
                ndvi.round(6).astype("f4"),
                {
                    "units": "1",
                    "long_name": "NDVI, monthly mean",
                    "standard_name": "normalized_difference_vegetation_index",
                },
            )
        },
        {
            "time": ("time", each[1:].astype("datetime64[ns]"), {"standard_name": "time", "axis": "T"}),
            "lat": ("lat", daily.latitude.values, axis_of("latitude")),
            "lon": ("lon", daily.longitude.values, axis_of("longitude")),
        },
        {"title": "Monthly NDVI on the grid of the daily fields", "source": "labrig_earth.world"},
    )
    when = {"units": "days since 1970-01-01", "calendar": "standard", "dtype": "i4"}
    folder.netcdf("climate/ndvi_monthly.nc", data, {"ndvi": {"zlib": True, "complevel": 1}, "time": when})
    folder.truth["climate/ndvi_monthly.nc"] = {
        "slope_per_mm": slope,
        "slope_method": "ordinary least squares of NDVI on the sum of tp of climate/daily.nc in the month before (mm), "
        "each cell",
    }


def _globe(folder: Folder, size: Size, rng: np.random.Generator) -> None:
    """Write global monthly temperature on longitudes from 0 to 360 that answers to an index, and the index."""
    import xarray as xr

    months = np.arange(f"{2021 - size.years}-01", "2021-01", dtype="datetime64[M]")
    index = _memory(rng.standard_normal(len(months)), 0.9)
    index = (index - index.mean()) / index.std()
    index = (index * 1000).round() / 1000
    lat = np.arange(-90 + size.globe_step / 2, 90, size.globe_step)
    lon = np.arange(0, 360, size.globe_step)
    north, east = lat[:, None], lon[None, :]
    signal = 1.2 * np.exp(-((north / 10) ** 2) - ((east - 235) / 45) ** 2) - 0.4 * np.exp(
        -(((north + 5) / 15) ** 2) - ((east - 120) / 30) ** 2
    )
    noise = rng.standard_normal((len(months), len(lat), len(lon))) * 0.5
    month = (months - months.astype("datetime64[Y]").astype("datetime64[M]")).astype(float)
    season = np.cos(2 * np.pi * (month[:, None, None] - 6.5) / 12) * 12 * np.sin(np.radians(north))[None]
    centred = index - index.mean()
    varying = season + noise
    varying -= varying.mean(axis=0)
    varying -= centred[:, None, None] * np.tensordot(centred, varying, (0, 0)) / (centred**2).sum()
    mean = 273.15 + 27 - 45 * np.sin(np.radians(north)) ** 2 + 0 * east
    t2m = mean + varying + signal * centred[:, None, None]
    data = xr.Dataset(
        {
            "t2m": (
                ("valid_time", "lat", "lon"),
                t2m.round(4).astype("f4"),
                {
                    "units": "K",
                    "long_name": "2 metre temperature",
                    "standard_name": "air_temperature",
                    "cell_methods": "time: mean",
                },
            )
        },
        {
            "valid_time": (
                "valid_time",
                months.astype("datetime64[ns]"),
                {"standard_name": "time", "axis": "T"},
            ),
            "lat": ("lat", lat, axis_of("latitude")),
            "lon": ("lon", lon, axis_of("longitude")),
        },
        {"title": "Global monthly temperature, longitudes from 0 to 360", "source": "labrig_earth.world"},
    )
    when = {"units": "days since 1900-01-01", "calendar": "standard", "dtype": "i4"}
    folder.netcdf(
        "climate/monthly_global.nc", data, {"t2m": {"zlib": True, "complevel": 1}, "valid_time": when}
    )
    rows = "".join(
        f"{month},{value:.3f},{folder.label.replace(',', ';')}\n"
        for month, value in zip(months, index, strict=True)
    )
    folder.text("climate/enso_index.csv", "month,index,origin\n" + rows)
    strongest = np.unravel_index(np.abs(signal).argmax(), signal.shape)
    folder.truth["climate/monthly_global.nc"] = {
        "largest_response_K_per_index": float(signal[strongest]),
        "largest_response_at_lat_lon": [float(lat[strongest[0]]), float(lon[strongest[1]])],
        "response_method": "ordinary least squares of t2m on the index of climate/enso_index.csv, each cell",
    }


def axis_of(name: str) -> dict[str, str]:
    """Return the attributes of ``latitude`` or ``longitude``."""
    north = name == "latitude"
    unit = "degrees_north" if north else "degrees_east"
    return {"standard_name": name, "units": unit, "axis": "Y" if north else "X"}


def _weather(rng: np.random.Generator, shape: tuple[int, ...], memory: float) -> Floats:
    """Return noise of variance about 1 that is smooth in space and remembers the day before."""
    from scipy.ndimage import gaussian_filter

    sigma = (0.0, *(min(1.5, side / 6) for side in shape[1:]))
    smooth = gaussian_filter(rng.standard_normal(shape), sigma, mode="nearest")
    found: Floats = _memory(smooth / smooth.std(), memory)
    return found


def _memory(noise: Floats, memory: float) -> Floats:
    """Return an autoregressive process of first order along the first axis."""
    from scipy.signal import lfilter

    found: Floats = lfilter([(1 - memory**2) ** 0.5], [1.0, -memory], noise, axis=0)
    return found


def _without(values: Floats, time: Floats) -> Floats:
    """Return values without their mean and their linear trend along the first axis."""
    centred = time - time.mean()
    values = values - values.mean(axis=0)
    slope = np.tensordot(centred, values, (0, 0)) / (centred**2).sum()
    found: Floats = values - centred[:, None, None] * slope
    return found
