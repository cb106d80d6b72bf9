"""Statistics over time: of all of it, or of days, months, seasons and years, with a rule for those that are not whole.

A period has a value where enough of its steps do. How many it should have follows from the step of the data and the
calendar; so a month of which the data hold a week is missing, and said to be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.data.bounds import COVERS
from labrig_earth.grids.times import STEP, TimeAxis, hours_of, iso, moment_before, require_times, time_axis

STATISTICS = ("mean", "sum", "min", "max", "median", "std", "count", "percentile")
EVERY = ("", "day", "month", "season", "year")
LEAST_PART = 0.8
"""Of the steps of a period that must have values, unless the caller says otherwise; of a sum all must."""


@dataclass(frozen=True)
class Periods:
    """Values of periods.

    Attributes
    ----------
    data
        Over the time axis, whose times are the first of each period, or without it for all of the time.
    said
        What was done, in words.
    incomplete
        Periods that have too few steps and no value.
    """

    data: Any
    said: str
    incomplete: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def check_statistic(statistic: str, percentile: float | None) -> None:
    """Refuse an unknown statistic, and a percentile without its number; LabrigError ``bad_input``."""
    if statistic not in STATISTICS:
        raise LabrigError(
            f"There is no statistic {statistic!r}", where="statistic", expected=", ".join(STATISTICS)
        )
    if statistic == "percentile" and (percentile is None or not 0 <= percentile <= 100):
        raise LabrigError("Which percentile?", where="percentile", expected="a number from 0 to 100")


def over_time(
    variable: Any,
    time: str,
    statistic: str,
    *,
    every: str = "",
    percentile: float | None = None,
    least_part: float | None = None,
    ends: bool = False,
) -> Periods:
    """Return a statistic over time.

    Parameters
    ----------
    variable
        `xarray.DataArray` over time and anything else.
    every
        One of `EVERY`; empty for one value of all the time. Seasons are DJF (named by the year of its January), MAM,
        JJA and SON.
    percentile
        Of the statistic ``percentile``: 0 to 100, linear between values (NumPy's default, Hyndman and Fan's type 7).
    least_part
        Part of the steps of a period that must have values; by default 0.8, and 1 for sums.
    ends
        Values belong to the step that ends at their time: the one at 00:00 to the day before.

    Raises
    ------
    LabrigError
        ``bad_input`` for an unknown statistic or period, or data without times.
    """
    check_statistic(statistic, percentile)
    if every not in EVERY:
        raise LabrigError(
            f"There is no period {every!r}", where="every", expected="day, month, season or year, or nothing"
        )
    axis = require_times(variable, time)
    least = (1.0 if statistic == "sum" else LEAST_PART) if least_part is None else least_part
    if not 0 <= least <= 1:
        raise LabrigError(f"A part cannot be {least:g}", where="least_part", expected="0 to 1")
    if not every:
        return _of_all(variable, time, statistic, percentile, least)
    about = time_axis(variable, time)
    moments = _moments(axis, ends)
    starts = [_start(each, every) for each in moments]
    unique = sorted(set(starts))
    place = {start: number for number, start in enumerate(unique)}
    numbers = np.array([place[start] for start in starts])
    expected = np.array([_expected(start, every, about) for start in unique], dtype="f8")
    grouped = variable.assign_coords(period=(time, numbers)).groupby("period")
    counts = grouped.count(time)
    values = _statistic(grouped, variable, numbers, time, statistic, percentile)
    if statistic != "count":
        needed = _along(counts, np.ceil(least * np.maximum(expected, 1.0) - 1e-9))
        values = values.where((counts >= needed) & (counts > 0))
    labels = _labels(unique, axis)
    values = (
        values.rename(period=time).assign_coords({time: (time, labels, _begins(axis))}).transpose(time, ...)
    )
    present = np.bincount(numbers, minlength=len(unique))
    short = [
        iso(label)
        for label, count, wanted in zip(labels, present, expected, strict=True)
        if count < np.ceil(least * max(wanted, 1.0) - 1e-9)
    ]
    how = f"{percentile:g}th percentile" if statistic == "percentile" else statistic
    said = f"{how} of each {every}, where at least {least:.0%} of its steps have values"
    if ends:
        said += "; a value belongs to the step that ends at its time"
    warnings: tuple[str, ...] = ()
    if short and statistic != "count":
        shown = ", ".join(short[:6]) + (", .." if len(short) > 6 else "")
        warnings = (f"{len(short)} of {len(unique)} periods have too few steps and no value: {shown}",)
    return Periods(_named(values, variable, time, statistic, percentile), said, tuple(short), warnings)


def of_windows(
    variable: Any,
    time: str,
    statistic: str,
    *,
    hours: float,
    offset_h: float = 0.0,
    least_part: float | None = None,
    ends: bool = False,
) -> Periods:
    """Return a statistic of windows of one length, of which one begins at midnight of the first day plus an offset.

    Parameters
    ----------
    hours
        Of each window: 6, 24, 120.
    offset_h
        Hours after midnight, 0 to below `hours`.
    least_part, ends
        As for `over_time`. A window that no step lies in is left out.

    Raises
    ------
    LabrigError
        ``bad_input`` for an unknown statistic, an offset as long as a window, windows shorter than the step.
    """
    check_statistic(statistic, None)
    axis = require_times(variable, time)
    if not 0 <= offset_h < hours:
        raise LabrigError(
            f"An offset of {offset_h:g} h does not lie within windows of {hours:g} h", where="offset"
        )
    about = time_axis(variable, time)
    if about.step and (about.step_hours is None or about.step_hours > hours):
        raise LabrigError(
            f"The step of {about.step} is longer than windows of {hours:g} h",
            where=time,
            expected="finer data",
        )
    least = (1.0 if statistic == "sum" else LEAST_PART) if least_part is None else least_part
    first = axis.isel({time: 0})
    clock = float(first.dt.hour) + float(first.dt.minute) / 60 + float(first.dt.second) / 3600
    moments = hours_of(axis) + clock - (1 / 3600 if ends else 0.0)
    numbers = np.floor((moments - offset_h) / hours + 1e-9).astype(int)
    unique, counted = np.unique(numbers, return_counts=True)
    expected = max(1.0, hours / about.step_hours) if about.step_hours else 1.0
    needed = np.ceil(least * expected - 1e-9)
    grouped = variable.assign_coords(period=(time, numbers)).groupby("period")
    values = _statistic(grouped, variable, numbers, time, statistic, None)
    counts = grouped.count(time)
    if statistic != "count":
        values = values.where((counts >= needed) & (counts > 0))
    begin = unique * hours + offset_h - clock
    labels = _moved(axis.values[0], begin)
    values = (
        values.rename(period=time).assign_coords({time: (time, labels, _begins(axis))}).transpose(time, ...)
    )
    short = [iso(label) for label, count in zip(labels, counted, strict=True) if count < needed]
    said = f"{statistic} of each {hours:g} h, where at least {least:.0%} of the steps have values"
    if ends:
        said += "; a value belongs to the step that ends at its time"
    warnings: tuple[str, ...] = ()
    if short and statistic != "count":
        shown = ", ".join(short[:6]) + (", .." if len(short) > 6 else "")
        warnings = (f"{len(short)} of {unique.size} windows have too few steps and no value: {shown}",)
    return Periods(_named(values, variable, time, statistic, None), said, tuple(short), warnings)


def _begins(axis: Any) -> dict[str, Any]:
    """Return the attributes of times at which periods begin, whatever the times of their steps were."""
    return {key: value for key, value in axis.attrs.items() if key not in ("bounds", STEP)} | {
        COVERS: "after"
    }


def _moved(first: Any, hours: Any) -> Any:
    """Return times so many hours after a first one, of its kind."""
    import datetime

    seconds = [round(each * 3600) for each in hours.tolist()]
    if isinstance(first, np.datetime64):
        return first + np.array(seconds, "timedelta64[s]").astype("timedelta64[ns]")
    return np.array([first + datetime.timedelta(seconds=each) for each in seconds], dtype=object)


def _of_all(variable: Any, time: str, statistic: str, percentile: float | None, least: float) -> Periods:
    about = time_axis(variable, time)
    steps = about.count + about.missing
    counts = variable.count(time)
    if statistic == "percentile":
        whole = variable.chunk({time: -1}) if variable.chunks is not None else variable
        values = whole.quantile((percentile or 0.0) / 100.0, dim=time, keep_attrs=True).drop_vars("quantile")
    elif statistic == "median":
        whole = variable.chunk({time: -1}) if variable.chunks is not None else variable
        values = whole.median(time, keep_attrs=True)
    elif statistic == "count":
        values = counts
    else:
        values = getattr(variable, statistic)(time, keep_attrs=True)
    if statistic != "count":
        values = values.where((counts >= np.ceil(least * steps - 1e-9)) & (counts > 0))
    how = f"{percentile:g}th percentile" if statistic == "percentile" else statistic
    said = f"{how} of {about.count} steps from {about.first} to {about.last}, where at least {least:.0%} have values"
    warnings = (f"{about.missing} steps are missing in the time axis",) if about.missing else ()
    return Periods(_named(values, variable, time, statistic, percentile), said, (), warnings)


def _statistic(
    grouped: Any, variable: Any, numbers: Any, time: str, statistic: str, percentile: float | None
) -> Any:
    if statistic == "percentile":
        return _quantile(variable, numbers, time, (percentile or 0.0) / 100.0)
    if statistic == "median":
        return _quantile(variable, numbers, time, 0.5)
    if statistic == "count":
        return grouped.count(time)
    return getattr(grouped, statistic)(time, keep_attrs=True)


def _quantile(variable: Any, numbers: Any, time: str, part: float) -> Any:
    """Return the quantile of each period: each cell with all its times, block by block."""
    import xarray as xr

    periods = np.unique(numbers)
    places = [np.flatnonzero(numbers == each) for each in periods]

    def act(values: Any) -> Any:
        first = np.moveaxis(values, -1, 0)
        quantile = np.nanquantile if np.isnan(values).any() else np.quantile
        with catch_warnings():
            simplefilter("ignore", RuntimeWarning)  # a cell without any value has none
            return np.stack([quantile(first[chosen], part, axis=0) for chosen in places], axis=-1)

    whole = variable
    if variable.chunks:
        whole = variable.chunk({dim: -1 if dim == time else "auto" for dim in variable.dims})
    found = xr.apply_ufunc(
        act,
        whole,
        input_core_dims=[[time]],
        output_core_dims=[["period"]],
        dask="parallelized",
        output_dtypes=["f8"],
        dask_gufunc_kwargs={"output_sizes": {"period": len(places)}},
    )
    return found.assign_coords(period=periods).assign_attrs(variable.attrs)


def _moments(axis: Any, ends: bool) -> list[tuple[int, int, int]]:
    """Return times as they are to be grouped: where a step ends at its time, a moment earlier."""
    values = axis.values
    if not ends:
        return _parts(axis)
    return _parts(axis.copy(data=moment_before(values)))


def _parts(axis: Any) -> list[tuple[int, int, int]]:
    return list(
        zip(
            axis.dt.year.values.tolist(),
            axis.dt.month.values.tolist(),
            axis.dt.day.values.tolist(),
            strict=True,
        )
    )


def _start(moment: tuple[int, int, int], every: str) -> tuple[int, int, int]:
    """Return year, month and day on which the period of a moment begins."""
    year, month, day = moment
    if every == "day":
        return year, month, day
    if every == "month":
        return year, month, 1
    if every == "year":
        return year, 1, 1
    first = {12: 12, 1: 12, 2: 12}.get(month, (month // 3) * 3)
    return (year - 1 if month in (1, 2) else year), first, 1


def _expected(start: tuple[int, int, int], every: str, about: TimeAxis) -> float:
    """Return how many steps a period has on the calendar of the data."""
    import cftime

    months = {"month": 1, "season": 3, "year": 12}.get(every, 0)
    if about.step_hours is None:  # monthly or yearly data
        if not about.step:
            return 1.0
        count, unit = about.step.split()
        step_months = int(count) * (12 if unit.startswith("year") else 1)
        return max(1.0, months / step_months)
    if every == "day":
        return float(max(1.0, 24.0 / about.step_hours))
    year, month, day = start
    calendar = about.calendar
    first = cftime.datetime(year, month, day, calendar=calendar)
    total = month - 1 + months
    last = cftime.datetime(year + total // 12, total % 12 + 1, 1, calendar=calendar)
    return float(max(1.0, (last - first).total_seconds() / 3600 / about.step_hours))


def _labels(starts: list[tuple[int, int, int]], axis: Any) -> Any:
    """Return the first moments of periods as times of the data's kind."""
    import cftime

    if np.issubdtype(axis.dtype, np.datetime64):
        return np.array(
            [f"{year:04d}-{month:02d}-{day:02d}" for year, month, day in starts], "datetime64[ns]"
        )
    calendar = str(axis.dt.calendar)
    return np.array([cftime.datetime(*start, calendar=calendar) for start in starts], dtype=object)


def _along(counts: Any, numbers: Any) -> Any:
    import xarray as xr

    return xr.DataArray(numbers, dims="period", coords={"period": counts["period"]})


def _named(values: Any, variable: Any, time: str, statistic: str, percentile: float | None) -> Any:
    """Give a result its name, unit and cell methods."""
    attrs = {key: value for key, value in variable.attrs.items() if key not in _OF_VALUES}
    if statistic == "count":
        attrs |= {"units": "1", "long_name": f"steps with values of {variable.name}"}
        attrs.pop("standard_name", None)
    before = str(variable.attrs.get("cell_methods", "")).strip()
    method = {"min": "minimum", "max": "maximum", "std": "standard_deviation", "count": "sum"}.get(
        statistic, statistic
    )
    if statistic == "percentile":
        attrs["long_name"] = (
            f"{percentile:g}th percentile of {variable.attrs.get('long_name', variable.name)}"
        )
    else:
        attrs["cell_methods"] = f"{before} {time}: {method}".strip()
    return values.rename(variable.name).assign_attrs(attrs)


_OF_VALUES = (
    "valid_min",
    "valid_max",
    "valid_range",
    "actual_range",
    "scale_factor",
    "add_offset",
    "_FillValue",
)


def parts_of(variable: Any, time: str, every: str) -> list[tuple[Any, Any]]:
    """Return the first moment and the data of each period that the data reach, in order.

    Raises
    ------
    LabrigError
        ``bad_input`` for an unknown period.
    """
    if every not in EVERY[1:]:
        raise LabrigError(f"There is no period {every!r}", where="every", expected=", ".join(EVERY[1:]))
    axis = require_times(variable, time)
    starts = [_start(each, every) for each in _moments(axis, False)]
    unique = sorted(set(starts))
    labels = _labels(unique, axis)
    places: dict[tuple[int, int, int], list[int]] = {start: [] for start in unique}
    for place, start in enumerate(starts):
        places[start].append(place)
    return [
        (label, variable.isel({time: places[start]})) for label, start in zip(labels, unique, strict=True)
    ]
