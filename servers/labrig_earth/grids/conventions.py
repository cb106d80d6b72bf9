"""Conventions that archives have and files seldom say: what an accumulated value covers, and which run it is from.

Sources: ECMWF, "ERA5: data documentation" (accumulations end at the valid time; expver 1 is final, 5 is preliminary)
and "ERA5-Land: data documentation" (accumulated from 00 UTC to the hour; 00 UTC holds the day before).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.data.bounds import COVERS
from labrig_earth.grids.axes import axes_of
from labrig_earth.grids.times import hours_of, require_times

Covers = Literal["instant", "before", "after", "since_00"]
"""What a value stands for: its moment, the step that ends or begins at its time, or all since 00 UTC."""

ACCUMULATED_NAMES = {
    *("tp", "cp", "lsp", "sf", "csf", "lsf", "smlt", "e", "pev", "ro", "sro", "ssro", "es", "evabs"),
    *(
        "ssrd",
        "strd",
        "ssr",
        "str",
        "tsr",
        "ttr",
        "sshf",
        "slhf",
        "ssrdc",
        "strdc",
        "fdir",
        "cdir",
        "ewss",
        "nsss",
    ),
    *("total_precipitation", "snowfall", "evaporation", "runoff", "surface_solar_radiation_downwards"),
}
"""Names of ERA5 for what its forecasts accumulate."""

MEAN_OF_A_MONTH = re.compile(r"avg[a-z]{2}")
"""GRIB's step types of ERA5's monthly means: avgua of analyses, avgad of daily accumulations, avgid of forecasts."""
LEAST_HOURS, LEAST_RISES = 20, 6
LAND_STEP, ERA5_STEP = 0.1, 0.25
"""Degrees of the grids on which ERA5-Land and ERA5 are published."""
DAY_AND_NEXT = 25
"""Hours of one day with the 00 UTC of the next: too few to tell hourly amounts from what rises since 00 UTC."""
_SAMPLE_CELLS = 200
_DAY_H = 23.9


@dataclass(frozen=True)
class Accumulation:
    """What the values of a variable cover, and why that is thought.

    Attributes
    ----------
    stated
        Whether the file says it; else it was concluded.
    """

    covers: Covers
    why: str
    stated: bool = False


def accumulation_of(variable: Any, time: str) -> Accumulation:
    """Return what the values of a variable cover in time.

    What is of a moment says so, and so do means of months, whose time is the first of the month, 00 or 06 UTC. Else
    bounds of the times decide, GRIB's step type and CF's cell methods, then names of ERA5. Hourly accumulated values
    run since 00 UTC, as those of ERA5-Land do, where they rise through the day and fall at 01 UTC: on its grid, and on
    others but ERA5's where more than one day shows it. On ERA5's grid rain may rise all day. Without bounds and step
    type, steps of a day or more are taken to begin at their time.
    """
    step_type = str(variable.attrs.get("GRIB_stepType", "")).lower()
    methods = str(variable.attrs.get("cell_methods", "")).lower()
    name = str(variable.attrs.get("GRIB_shortName") or variable.name or "").lower()
    if step_type in ("instant",) or "time: point" in methods:
        return Accumulation("instant", f"{'GRIB_stepType' if step_type else 'cell_methods'} says so", True)
    if MEAN_OF_A_MONTH.fullmatch(step_type):
        return Accumulation(
            "after", f"GRIB_stepType is {step_type}: a mean of the month that begins at its time", True
        )
    by_name = name in ACCUMULATED_NAMES
    stated = step_type in ("accum", "avg", "max", "min") or "time: sum" in methods
    if (stated or by_name) and time and time in variable.dims and _is_since_00(variable, time):
        return Accumulation(
            "since_00",
            "values rise from 01 UTC to 00 UTC of the next day, and fall at 01 UTC, as in ERA5-Land",
        )
    bounds = str(variable[time].attrs.get(COVERS, "")) if time and time in variable.coords else ""
    if bounds == "around":
        return Accumulation("instant", f"the bounds of {time} lie around each", True)
    if bounds:
        return Accumulation("before" if bounds == "before" else "after", f"the bounds of {time} say so", True)
    if not (stated or by_name):
        return Accumulation("instant", "nothing says that values are accumulated")
    if not step_type and _step_h(variable, time) >= _DAY_H:
        # ERA5's own convention is of its hourly fields; sums of days and months bear the time at which these begin.
        return Accumulation(
            "after", "steps of a day or more, without bounds: the step that begins at its time"
        )
    if stated:
        by = f"GRIB_stepType is {step_type}" if step_type else f"cell_methods is {methods}"
        return Accumulation("before", f"{by}: the step that ends at the valid time", True)
    return Accumulation("before", f"{name} of ERA5 is accumulated over the step that ends at the valid time")


def _step_h(variable: Any, time: str) -> float:
    """Return the usual step of a variable's times in hours; 0 where it has fewer than two."""
    if not time or time not in variable.dims or variable.sizes[time] < 2:
        return 0.0
    return float(np.median(np.diff(hours_of(require_times(variable, time)))))


def _is_since_00(variable: Any, time: str) -> bool:
    step = _grid_step(variable)
    if abs(step - ERA5_STEP) < 0.01:
        return False
    if abs(step - LAND_STEP) > 0.01 and variable.sizes[time] <= DAY_AND_NEXT:
        return False
    return _rises_through_the_day(variable, time)


def _grid_step(variable: Any) -> float:
    """Return the step of latitudes in degrees; 0 where there are none, or one alone."""
    axes = axes_of(variable)
    if not axes.geographic or axes.y not in variable.coords or variable[axes.y].size < 2:
        return 0.0
    return abs(float(np.median(np.diff(np.asarray(variable[axes.y].values, "f8")))))


def _rises_through_the_day(variable: Any, time: str) -> bool:
    """Look at the first three days of up to 200 cells of hourly values; of a single day, whether they rise alone.

    A day of ERA5-Land, 00 to 23 UTC, falls at 01 UTC only where it rained the day before. Amounts of single hours that
    rise `LEAST_RISES` times somewhere and fall nowhere, through most of a day, are not known of any place.
    """
    axis = require_times(variable, time)
    if axis.size < LEAST_HOURS:
        return False
    hours = hours_of(axis.isel({time: slice(0, 26)}))
    if not np.allclose(np.diff(hours), 1.0, atol=1e-6):
        return False
    steps = variable.isel({time: slice(0, 75)})
    for dim in steps.dims:
        if dim != time and steps.sizes[dim] > 14:
            steps = steps.isel({dim: slice(None, None, -(-steps.sizes[dim] // 14))})
        elif dim != time and steps.sizes[dim] > 1 and steps.size > 75 * _SAMPLE_CELLS:
            steps = steps.isel({dim: slice(0, 1)})
    values = np.asarray(steps.transpose(time, ...).values, dtype="f8").reshape(steps.sizes[time], -1)
    change = np.diff(values, axis=0)
    resets = axis.isel({time: slice(1, steps.sizes[time])}).dt.hour.values == 1
    scale = np.nanmax(np.abs(values)) if np.isfinite(values).any() else 0.0
    if not scale or not (resets.any() or axis.size < 26) or resets.all():
        return False
    # Packing leaves falls of one part in 65,000; evaporation and losses of heat accumulate downwards.
    rising = change if np.nanmean(values) >= 0 else -change
    falls = rising < -1e-4 * scale
    if axis.size < 26 and (rising[~resets] > 1e-4 * scale).sum(axis=0).max() < LEAST_RISES:
        return False
    return bool((falls[resets].any() or axis.size < 26) and not falls[~resets].any())


def deaccumulated(variable: Any, time: str) -> Any:
    """Return hourly amounts of what is accumulated since 00 UTC; each belongs to the hour that ends at its time.

    The amount at 01 UTC is the value there, that at any other hour the value less that of an hour before. Where that
    hour is not there (at the start, after a gap), the amount is missing.

    Raises
    ------
    LabrigError
        ``bad_input`` for steps that are no single hours.
    """
    axis = require_times(variable, time)
    hours = hours_of(axis)
    steps = np.diff(hours)
    if not steps.size or np.median(steps) != 1.0 or (steps <= 0).any():
        raise LabrigError(
            "Only hourly values in order can be told apart from what is accumulated since 00 UTC",
            where=time,
            expected="steps of 1 h",
        )
    before = variable.shift({time: 1})
    first_hour = axis.dt.hour == 1
    follows = np.concatenate([[False], np.abs(steps - 1.0) < 1e-6])
    known = variable[time].copy(data=follows)
    amounts = variable.where(first_hour, (variable - before).where(known))
    return amounts.assign_attrs(variable.attrs)


@dataclass(frozen=True)
class Spliced:
    """Data of ERA5 made from its final and its preliminary run.

    Attributes
    ----------
    preliminary
        Steps that are of the preliminary run (ERA5T, expver 5).
    """

    data: Any
    preliminary: int
    said: str


def spliced(data: Any, time: str) -> Spliced:
    """Return data with the axis ``expver`` gone: final values (1) where they are, preliminary (5) elsewhere.

    Newer files have expver as a coordinate along time; these are as they should be, and only counted.
    """
    if "expver" in data.dims:
        numbers = [_number(each) for each in data["expver"].values]
        unknown = sorted(set(numbers) - {1, 5})
        if unknown:
            raise LabrigError(
                f"The data have expver {unknown[0]}", where="expver", expected="1 (final) and 5 (preliminary)"
            )
        steps = int(data.sizes.get(time, 1))
        if len(numbers) == 1:
            only = data.isel(expver=0).drop_vars("expver")
            return Spliced(only, steps if numbers[0] == 5 else 0, f"expver {numbers[0]} alone")
        final = data.isel(expver=numbers.index(1)).drop_vars("expver")
        preliminary = data.isel(expver=numbers.index(5)).drop_vars("expver")
        count = _steps_of(final, time)
        said = f"expver 1 where it has values, else 5 (preliminary): {count} of {steps} steps"
        return Spliced(final.combine_first(preliminary), count, said)
    if "expver" in data.coords and data["expver"].dims == (time,):
        count = sum(_number(each) == 5 for each in data["expver"].values)
        said = f"{count} of {data.sizes[time]} steps are preliminary (expver 5)"
        return Spliced(data.drop_vars("expver"), count, said)
    return Spliced(data, 0, "")


def _number(value: Any) -> int:
    try:
        return int(value.decode() if isinstance(value, bytes) else value)
    except (ValueError, TypeError):
        return -1


def _steps_of(final: Any, time: str) -> int:
    """Return at how many steps the final run has nothing."""
    fields = final.data_vars.values() if hasattr(final, "data_vars") else [final]
    for field in fields:
        if time in field.dims:
            others = [dim for dim in field.dims if dim != time]
            return int(field.isnull().all(others).sum())
    return 0
