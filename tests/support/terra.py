"""Small files of which everything is known, and calls of sub-tools of TerraAgent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from fastmcp import Client

LATITUDES = np.array([50.0, 49.0, 48.0])
LONGITUDES = np.array([10.0, 11.0, 12.0, 13.0])
YEARS = np.arange(1991, 2021)
DAYS = np.arange("2021-06-01", "2021-08-10", dtype="datetime64[D]")
WARM = slice(45, 52)
"""Days of a planted heat wave."""


def grid(values: Any, times: Any = None, *, name: str = "t2m", units: str = "K", **axes: Any) -> Any:
    """Return a dataset of one variable over (time, latitude, longitude), or the axes named."""
    import xarray as xr

    dims: dict[str, Any] = dict(axes)
    if times is not None:
        dims["time"] = np.asarray(times, "datetime64[ns]")
    dims |= {"latitude": LATITUDES, "longitude": LONGITUDES}
    data = xr.Dataset({name: (tuple(dims), np.asarray(values, "f8"), {"units": units})}, dims)
    data["latitude"].attrs = {"units": "degrees_north"}
    data["longitude"].attrs = {"units": "degrees_east"}
    return data


def members(seed: int = 5, count: int = 4) -> tuple[Any, Any]:
    """Return members (member, year, latitude, longitude) that are 2 K too warm and too close, and the truth; K."""
    random = np.random.default_rng(seed)
    signal = 283 + 2 * random.standard_normal((YEARS.size, 3, 4))
    truth = signal + random.standard_normal(signal.shape)
    return signal + 2 + 0.4 * random.standard_normal((count, *signal.shape)), truth


def make(folder: Path) -> None:
    """Write the files."""
    stamps = [f"{year}-07-01" for year in YEARS]
    forecast, truth = members()
    for number, each in enumerate(forecast):
        grid(each, stamps).to_netcdf(folder / f"m{number}.nc")
    grid(forecast[3] - 273.15, stamps, units="degC").to_netcdf(folder / "m3_celsius.nc")
    grid(truth, stamps).to_netcdf(folder / "truth.nc")
    import xarray as xr

    whole = xr.concat([grid(each, stamps) for each in forecast], dim="number").assign_coords(
        number=np.arange(4)
    )
    whole.to_netcdf(folder / "whole.nc")
    grid(truth.mean(axis=0)).to_netcdf(folder / "climo.nc")
    grid(truth.std(axis=0)).to_netcdf(folder / "climo_std.nc")
    grid(truth.std(axis=0), units="degC").to_netcdf(folder / "climo_std_celsius.nc")
    grid(np.zeros((3, 4))).to_netcdf(folder / "flat.nc")
    grid(forecast[0][:1], stamps[:1]).to_netcdf(folder / "one_year.nc")
    grid(forecast[0][3:], stamps[3:]).to_netcdf(folder / "later.nc")
    grid(np.full((30, 3, 4), np.nan), stamps).to_netcdf(folder / "nothing.nc")
    grid(forecast[0], stamps, name="tp", units="mm").to_netcdf(folder / "rain.nc")
    holes = forecast[0].copy()
    holes[:, 1, 1] = np.nan
    grid(holes, stamps).to_netcdf(folder / "holes.nc")
    usual = 290 + np.random.default_rng(2).uniform(-1, 1, (DAYS.size, 3, 4))
    usual[WARM] += 9
    grid(usual + 5, DAYS).to_netcdf(folder / "tmax.nc")
    grid(usual - 5, DAYS).to_netcdf(folder / "tmin.nc")
    grid(np.full((3, 4), 294.5)).to_netcdf(folder / "p95.nc")
    east, north = np.meshgrid(np.arange(0.0, 360, 5), np.arange(-90.0, 91, 5))
    linear = xr.Dataset(
        {"t2m": (("lat", "lon"), 280 + 0.1 * north + 0 * east, {"units": "K"})},
        {"lat": np.arange(-90.0, 91, 5), "lon": np.arange(0.0, 360, 5)},
    )
    linear["lat"].attrs, linear["lon"].attrs = {"units": "degrees_north"}, {"units": "degrees_east"}
    linear.to_netcdf(folder / "globe.nc")
    (folder / "note.txt").write_text("no data\n")


async def run(served: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a sub-tool that succeeds, and return its payload."""
    found = await served.call_tool(tool, arguments, raise_on_error=False)
    text = found.content[0].text
    assert not found.is_error, text
    made: dict[str, Any] = json.loads(text)
    return made


async def refused(served: Client[Any], tool: str, **arguments: Any) -> tuple[str, str]:
    """Call a sub-tool that refuses, and return the code and the text of its error."""
    found = await served.call_tool(tool, arguments, raise_on_error=False)
    assert found.is_error, found.content[0].text
    assert found.meta is not None
    return str(found.meta["labrig"]["error"]["code"]), str(found.content[0].text)
