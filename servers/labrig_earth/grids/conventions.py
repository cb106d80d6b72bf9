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
from labrig_earth.data.bounds import COVERS, LAND_NAMED
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
LAND_STEP = 0.1
"""Degrees of the grid on which ERA5-Land is published."""
ACCUMULATED = "labrig_accumulated"
"""Attribute of a variable: what its values accumulate over, one of `TOLD`, as a caller or an earlier result says."""
TOLD = ("step", "since_00")
"""What a caller may say: amounts of single steps, or of all the time since 00 UTC."""
HOW_TO_SAY = 'options={"accumulated": "since_00"} or {"accumulated": "step"} says which they are'
_SAMPLE_CELLS = 200
_DAY_H = 23.9


@dataclass(frozen=True)
class Accumulation:
    """What the values of a variable cover, and why that is thought.

    Attributes
    ----------
    stated
        Whether the file says it; else it was concluded.
    doubt
        What speaks against it in the values, and how a caller says what is right.
    """

    covers: Covers
    why: str
    stated: bool = False
    doubt: str = ""


def accumulation_of(variable: Any, time: str) -> Accumulation:
    """Return what the values of a variable cover in time.

    The caller's word decides first. What is of a moment says so, and so do means of months, whose time is the first of
    the month, 00 or 06 UTC. Else bounds of times decide, GRIB's step type and CF's cell methods, then names of ERA5.
    Accumulated values run since 00 UTC where the file names ERA5-Land or has its grid, unless they fall within a day.
    On other grids they are amounts of steps, however they rise: rain may rise all day. Without bounds and step type,
    steps of a day or more are taken to begin at their time.
    """
    told = str(variable.attrs.get(ACCUMULATED, ""))
    if told:
        covers: Covers = "since_00" if told == "since_00" else "before"
        return Accumulation(covers, "the call, or the file that a call made, says so", True)
    step_type = str(variable.attrs.get("GRIB_stepType", "")).lower()
    methods = str(variable.attrs.get("cell_methods", "")).lower()
    name = str(variable.attrs.get("GRIB_shortName") or variable.name or "").lower()
    if step_type in ("instant",) or "time: point" in methods:
        return Accumulation("instant", f"{'GRIB_stepType' if step_type else 'cell_methods'} says so", True)
    if MEAN_OF_A_MONTH.fullmatch(step_type):
        return Accumulation(
            "after", f"GRIB_stepType is {step_type}: a mean of the month that begins at its time", True
        )
    bounds = str(variable[time].attrs.get(COVERS, "")) if time and time in variable.coords else ""
    if bounds == "around":
        return Accumulation("instant", f"the bounds of {time} lie around each", True)
    if bounds:
        return Accumulation("before" if bounds == "before" else "after", f"the bounds of {time} say so", True)
    by_name = name in ACCUMULATED_NAMES
    sums = step_type == "accum" or "time: sum" in methods
    stated = sums or step_type in ("avg", "max", "min")
    if not (stated or by_name):
        return Accumulation("instant", "nothing says that values are accumulated")
    step_h = _step_h(variable, time)
    doubt = ""
    if (sums or by_name) and 0 < step_h < _DAY_H and 24 % step_h == 0:
        land, why = _is_of_land(variable)
        falls, resets = _falls(variable, time)
        if land and not falls:
            doubt = "" if resets else f"No value falls at 00 UTC, as sums since 00 UTC would: {HOW_TO_SAY}"
            return Accumulation("since_00", why, doubt=doubt)
        if land:
            doubt = f"{why}, but values fall within a day: they are taken for amounts of steps; {HOW_TO_SAY}"
        elif resets and not falls:
            doubt = (
                f"Values rise through each day and fall after 00 UTC, as sums since 00 UTC do: {HOW_TO_SAY}"
            )
    if not step_type and step_h >= _DAY_H:
        # ERA5's own convention is of its hourly fields; sums of days and months bear the time at which these begin.
        return Accumulation(
            "after", "steps of a day or more, without bounds: the step that begins at its time"
        )
    if stated:
        by = f"GRIB_stepType is {step_type}" if step_type else f"cell_methods is {methods}"
        return Accumulation("before", f"{by}: the step that ends at the valid time", True, doubt)
    said = f"{name} of ERA5 is accumulated over the step that ends at the valid time"
    return Accumulation("before", said, doubt=doubt)


def _step_h(variable: Any, time: str) -> float:
    """Return the usual step of a variable's times in hours; 0 where it has fewer than two."""
    if not time or time not in variable.dims or variable.sizes[time] < 2:
        return 0.0
    return float(np.median(np.diff(hours_of(require_times(variable, time)))))


def _is_of_land(variable: Any) -> tuple[bool, str]:
    """Tell whether a variable is of ERA5-Land, which accumulates from 00 UTC, and by what that is known."""
    if variable.attrs.get(LAND_NAMED):
        return True, "the file names ERA5-Land"
    axes = axes_of(variable)
    if not axes.geographic or axes.y not in variable.coords or variable[axes.y].size < 2:
        return False, ""
    step = abs(float(np.median(np.diff(np.asarray(variable[axes.y].values, "f8")))))
    return abs(step - LAND_STEP) < 0.005, f"the grid of {LAND_STEP:g} degree is that of ERA5-Land"


def _falls(variable: Any, time: str) -> tuple[bool, bool]:
    """Tell whether values fall within a day (UTC), and whether they fall from one day to the next: of three days of up
    to 200 cells. Evaporation and losses of heat accumulate downwards."""
    axis = require_times(variable, time)
    count = int(72 / _step_h(variable, time)) + 2
    steps = variable.isel({time: slice(0, count)})
    for dim in steps.dims:
        if dim != time and steps.sizes[dim] > 14:
            steps = steps.isel({dim: slice(None, None, -(-steps.sizes[dim] // 14))})
        elif dim != time and steps.sizes[dim] > 1 and steps.size > count * _SAMPLE_CELLS:
            steps = steps.isel({dim: slice(0, 1)})
    values = np.asarray(steps.transpose(time, ...).values, dtype="f8").reshape(steps.sizes[time], -1)
    if not np.isfinite(values).any():
        return False, False
    change = np.diff(values if np.nanmean(values) >= 0 else -values, axis=0)
    # Packing leaves falls of one part in 65,000.
    falls = (change < -1e-4 * np.nanmax(np.abs(values))).any(axis=1)
    new = np.diff(_days_of(_clock_of(axis)[: steps.sizes[time]])) > 0
    return bool(falls[~new].any()), bool(falls[new].any())


def _clock_of(axis: Any) -> Any:
    """Return hours since 00 UTC of the first day."""
    first = axis[0].dt
    return hours_of(axis) + float(first.hour) + float(first.minute) / 60 + float(first.second) / 3600


def _days_of(clock: Any) -> Any:
    """Return the number of the day in which each step ends; 00 UTC ends the day before."""
    return np.floor((clock - 1e-3) / 24)


def deaccumulated(variable: Any, time: str) -> Any:
    """Return amounts of steps of what is accumulated since 00 UTC; each belongs to the step that ends at its time.

    The amount of the first step of a day is the value there, that of any other the value less the one before. Where
    that step is not there (at the start, after a gap), the amount is missing.

    Raises
    ------
    LabrigError
        ``bad_input`` for steps that do not divide a day from 00 UTC on.
    """
    axis = require_times(variable, time)
    clock = _clock_of(axis)
    steps, days = np.diff(clock), _days_of(clock)
    step = float(np.median(steps)) if steps.size else 0.0
    since = clock - days * 24
    if not step or 24 % step or (steps <= 0).any() or not np.allclose(since % step, 0, atol=1e-6):
        raise LabrigError(
            "What is accumulated since 00 UTC can be told apart by steps that divide a day alone",
            where=time,
            expected="steps of 1, 2, 3, 4, 6, 8 or 12 h from 00 UTC on",
        )
    first = variable[time].copy(data=np.abs(since - step) < 1e-6)
    follows = np.concatenate([[False], (np.abs(steps - step) < 1e-6) & (np.diff(days) == 0)])
    before = variable.shift({time: 1})
    amounts = variable.where(first, (variable - before).where(variable[time].copy(data=follows)))
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
