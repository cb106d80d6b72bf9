"""An index of a prepared file by xclim: its variables are in the units and steps that xclim takes.

Loaded by the Python of the side environment ``climate``.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import xclim
import xclim.core.missing as missing
from xclim import indices
from xclim.core.units import convert_units_to

warnings.simplefilter(
    "ignore"
)  # of fits without values; what matters is said by `labrig_earth.indices.preparing`

CODES = ("DC", "DMC", "FFMC", "ISI", "BUI", "FWI")
FITS: dict[str, dict[str, Any]] = {
    "spi": {"dist": "gamma", "method": "APP", "fitkwargs": {"floc": 0}},
    "spei": {"dist": "fisk", "method": "ML"},
}


def run(arguments: dict[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Write ``index.nc``; ``files`` of the arguments has the path of ``prepared``, ``index`` which one it is."""
    source = xr.open_dataset(arguments["files"]["prepared"], decode_coords="all").load()
    made, method = ACTS[arguments["index"]](source, arguments)
    made.to_netcdf(outputs / "index.nc", engine="netcdf4")
    return {"version": f"xclim {xclim.__version__}", "method": f"{method}, by xclim {xclim.__version__}"}


def standardize(source: xr.Dataset, arguments: dict[str, Any]) -> tuple[xr.Dataset, str]:
    """Return the SPI of rain, or the SPEI of a balance of water: of months, each against the same of other years."""
    name, window = arguments["index"], arguments["window"]
    first, last = arguments["base"]
    given = source["pr" if name == "spi" else "wb"]
    act = getattr(
        indices,
        "standardized_precipitation_index"
        if name == "spi"
        else "standardized_precipitation_evapotranspiration_index",
    )
    found = act(given, freq=None, window=window, cal_start=first, cal_end=last, **FITS[name])
    fit = (
        "gamma distribution, zeros apart, Thom's estimate"
        if name == "spi"
        else "log-logistic distribution of three parameters, maximum likelihood"
    )
    said = f"{name.upper()} of {window} month{'s' if window > 1 else ''}: {fit}, fitted to {first[:4]} to {last[:4]}"
    return named(found, name, "1", name.upper()).to_dataset(), said


def measure_season(source: xr.Dataset, arguments: dict[str, Any]) -> tuple[xr.Dataset, str]:
    """Return the days of each year's growing season (ETCCDI); years of which days are missing have none."""
    south, days = arguments["south"], arguments["days"]
    freq, middle = ("YS-JUL", "01-01") if south else ("YS", "07-01")
    limit = f"{arguments['threshold']} degC"
    warm = source["tas"]
    found = indices.growing_season_length(warm, thresh=limit, window=days, mid_date=middle, freq=freq)
    found = found.where(~missing.missing_any(warm, freq=freq, src_timestep="D"))
    said = (
        f"growing season: from the first {days} days of at least {limit} to the first {days} below it after "
        f"{'1 January, in years from July' if south else '1 July'}"
    )
    return named(found, "growing_season", "d", "length of the growing season").to_dataset(), said


def rate_fire_weather(source: xr.Dataset, arguments: dict[str, Any]) -> tuple[xr.Dataset, str]:
    """Return the six codes of the Canadian Fire Weather Index."""
    found = indices.cffwis_indices(
        **{name: source[name] for name in ("tas", "pr", "sfcWind", "hurs")}, lat=source["lat_of_cell"]
    )
    made = {code: named(each, code, "1", code) for code, each in zip(CODES, found, strict=True)}
    said = "Canadian Fire Weather Index from usual spring values on the first day, all the year, without overwintering"
    return xr.Dataset({name: made[name] for name in reversed(CODES)}), said


def balance_water(source: xr.Dataset, arguments: dict[str, Any]) -> tuple[xr.Dataset, str]:
    """Return rain less potential evapotranspiration, from the temperatures that there are."""
    method = "HG85" if "tasmin" in source else "TW48"
    given = {name: source[name] for name in ("tas", "tasmin", "tasmax") if name in source}
    lost = indices.converters.potential_evapotranspiration(**given, lat=source["lat_of_cell"], method=method)
    lost = convert_units_to(lost, "mm/day", context="hydro")
    found = source["pr"] - lost.transpose(*source["pr"].dims)
    by = "Hargreaves and Samani (1985)" if method == "HG85" else "Thornthwaite (1948)"
    return named(
        found, "water_balance", "mm d-1", "precipitation less potential evapotranspiration"
    ).to_dataset(), f"precipitation less potential evapotranspiration after {by}"


def named(found: xr.DataArray, name: str, units: str, long_name: str) -> xr.DataArray:
    """Return an index with what describes it alone."""
    left = [
        each
        for each in found.coords
        if each not in found.dims and found[each].dims and each in ("month", "dparams")
    ]
    made = found.drop_vars(left).rename(name).astype(np.float64)
    made.attrs = {"units": units, "long_name": long_name}
    return made


ACTS = {
    "spi": standardize,
    "spei": standardize,
    "growing_season": measure_season,
    "fwi": rate_fire_weather,
    "water_balance": balance_water,
}
