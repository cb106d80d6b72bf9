"""What is usual at a time of the year, and how far values are from it.

A climatology of days takes for each day of the year the mean of the base period over a window of days around it (five
by default, as the indices of WMO's ETCCDI). Days are counted on a calendar with 29 February where the data have one:
1 March is day 61 in every year, so the same dates are compared; on noleap and 360_day calendars by the days that these
have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.grids.times import iso, require_times, select_range, time_axis
from labrig_earth.grids.units import DIFFERENCE

EVERY = ("day", "month", "season")
LEAST_YEARS = 10
"""Fewer years of a base period are warned of; WMO's normals have 30."""

_BEFORE = np.array([0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335])
SEASON_NUMBERS = {1: 1, 2: 1, 3: 2, 4: 2, 5: 2, 6: 3, 7: 3, 8: 3, 9: 4, 10: 4, 11: 4, 12: 1}
"""DJF is 1, MAM 2, JJA 3, SON 4."""


@dataclass(frozen=True)
class Climatology:
    """Usual values.

    Attributes
    ----------
    data
        Over ``dayofyear`` (1 to 366, 365 or 360), ``month`` (1 to 12) or ``season`` (1 to 4, DJF first), not time.
    first, last, years
        Of the base period that was used.
    """

    data: Any
    every: str
    first: str
    last: str
    years: int
    said: str
    warnings: tuple[str, ...] = ()


def climatology(
    variable: Any,
    time: str,
    *,
    every: str = "day",
    start: str = "",
    end: str = "",
    window: int = 5,
    percentile: float | None = None,
) -> Climatology:
    """Return the mean, or a percentile, of each day, month or season of the year.

    Parameters
    ----------
    variable
        `xarray.DataArray` over time and anything else; daily or finer for days.
    start, end
        The base period as ISO text, both ends included; by default all the data.
    window
        Days around each day that count with it, odd; of ``day`` alone. It goes round the end of the year.
    percentile
        0 to 100, in place of the mean.

    Raises
    ------
    LabrigError
        ``bad_input`` for another `every`, an even window or no percentile; ``not_found`` for a base period that the
        data do not have.
    """
    if every not in EVERY:
        raise LabrigError(
            f"There is no climatology of each {every!r}", where="every", expected=", ".join(EVERY)
        )
    if window < 1 or window % 2 == 0 or window > 61:
        raise LabrigError(
            f"A window of {window} days has no middle",
            where="window",
            expected="an odd number of days, 1 to 61",
        )
    if percentile is not None and not 0 <= percentile <= 100:
        raise LabrigError(f"There is no percentile {percentile:g}", where="percentile", expected="0 to 100")
    base = select_range(variable, time, start, end)
    axis = require_times(base, time)
    years = np.unique(axis.dt.year.values)
    warnings: tuple[str, ...] = ()
    about = time_axis(base, time)
    if every == "day" and about.step_hours is not None and about.step_hours < 24:
        warnings = (
            "Values of all hours of a day are taken together: aggregate to days first for a daily mean",
        )
    if len(years) < LEAST_YEARS:
        warnings = (
            *warnings,
            f"The base period has {len(years)} years: a climatology of so few is uncertain (WMO's normals take 30)",
        )
    numbers, name, most = _places(axis, every)
    spread = window // 2 if every == "day" else 0
    if percentile is None:
        data = _means(base, time, numbers, name, most, spread)
    else:
        data = _percentiles(base, time, numbers, name, most, spread, percentile / 100.0)
    data.attrs = {**variable.attrs}
    first, last = iso(axis.values.min()), iso(axis.values.max())
    how = "mean" if percentile is None else f"{percentile:g}th percentile"
    said = f"{how} of each {every} of the year, {first} to {last} ({len(years)} years)"
    if every == "day":
        said += f", {window} days around each" if window > 1 else ""
    return Climatology(data.rename(variable.name), every, first, last, len(years), said, warnings)


def _means(base: Any, time: str, numbers: Any, name: str, most: int, spread: int) -> Any:
    """Return means of places of the year, from the sums and counts of each: the data are read once."""
    grouped = base.assign_coords({name: (time, numbers)}).groupby(name)
    every_place = {name: np.arange(1, most + 1)}
    sums = grouped.sum(time).reindex(every_place, fill_value=0.0)
    counts = grouped.count(time).reindex(every_place, fill_value=0)
    total, number = sums, counts
    for days in range(1, spread + 1):
        for way in (-days, days):
            total = total + sums.roll({name: way})
            number = number + counts.roll({name: way})
    return (total / number.where(number > 0)).transpose(name, ...)


def _percentiles(base: Any, time: str, numbers: Any, name: str, most: int, spread: int, part: float) -> Any:
    """Return a quantile for each place of the year; cells are taken block by block, each with all its times."""
    import xarray as xr

    places = []
    for number in range(1, most + 1):
        apart = np.abs((numbers - number + most // 2) % most - most // 2)
        places.append(np.flatnonzero(apart <= spread))

    def act(values: Any) -> Any:
        first = np.moveaxis(values, -1, 0)
        quantile = np.nanquantile if np.isnan(values).any() else np.quantile
        found = np.full((*values.shape[:-1], most), np.nan)
        with catch_warnings():
            simplefilter("ignore", RuntimeWarning)  # a cell without any value has none
            for number, chosen in enumerate(places):
                if chosen.size:
                    found[..., number] = quantile(first[chosen], part, axis=0)
        return found

    whole = base.chunk({dim: -1 if dim == time else "auto" for dim in base.dims}) if base.chunks else base
    found = xr.apply_ufunc(
        act,
        whole,
        input_core_dims=[[time]],
        output_core_dims=[[name]],
        dask="parallelized",
        output_dtypes=["f8"],
        dask_gufunc_kwargs={"output_sizes": {name: most}},
    )
    known = [number for number, chosen in enumerate(places) if chosen.size]
    return found.assign_coords({name: np.arange(1, most + 1)}).isel({name: known}).transpose(name, ...)


def anomaly(variable: Any, time: str, usual: Climatology) -> Any:
    """Return how far values are from what is usual at their time of the year, in the unit of the values.

    Raises
    ------
    LabrigError
        ``bad_input`` where the base period has no value for a day or month that the data have.
    """
    axis = require_times(variable, time)
    numbers, name, _ = _places(axis, usual.every)
    known = usual.data[name].values
    usual_is_known = set(known.tolist())
    absent = sorted(set(numbers.tolist()) - usual_is_known)
    if absent:
        raise LabrigError(
            f"The base period has no {usual.every} {absent[0]} of the year",
            where="base period",
            try_="a base period of whole years",
        )
    places = np.searchsorted(known, numbers)
    normal = usual.data.isel({name: places}).rename({name: time}).assign_coords({time: variable[time]})
    if usual.data.chunks is None and variable.chunks is not None:
        normal = normal.chunk({time: variable.chunksizes[time]})
    difference = variable - normal
    attrs = {
        key: value for key, value in variable.attrs.items() if key not in ("standard_name", "valid_range")
    }
    attrs |= {"long_name": f"anomaly of {variable.attrs.get('long_name', variable.name)}", DIFFERENCE: "1"}
    return difference.transpose(*variable.dims).assign_attrs(attrs).rename(variable.name)


def _places(axis: Any, every: str) -> tuple[Any, str, int]:
    """Return where in the year each time lies, the name of that axis, and how many places a year has."""
    months = axis.dt.month.values
    if every == "month":
        return months, "month", 12
    if every == "season":
        return np.array([SEASON_NUMBERS[int(month)] for month in months]), "season", 4
    calendar = str(axis.dt.calendar)
    if calendar in ("noleap", "365_day"):
        return axis.dt.dayofyear.values, "dayofyear", 365
    if calendar == "360_day":
        return axis.dt.dayofyear.values, "dayofyear", 360
    return _BEFORE[months - 1] + axis.dt.day.values, "dayofyear", 366
