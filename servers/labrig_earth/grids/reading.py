"""A variable of a file as operations take it: opened, runs spliced, cut to what is selected, in the unit asked for.

What a call selects is one mapping, the same for all operations: ``start``, ``end`` (ISO text), ``months``, ``hours``,
``box`` (west, south, east, north), ``level``, ``member``, ``band``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.data.bounds import LAND_NAMED
from labrig_earth.data.cubes import OF_FILES, open_data
from labrig_earth.data.formats import Place
from labrig_earth.data.opening import RPC, SCALED, WARPED
from labrig_earth.grids.axes import Axes, axes_of, grid_text, is_field, no_field, variable_of
from labrig_earth.grids.conventions import (
    ACCUMULATED,
    TOLD,
    Accumulation,
    accumulation_of,
    deaccumulated,
    spliced,
)
from labrig_earth.grids.selecting import select_box, select_level
from labrig_earth.grids.sizes import piece_bytes, require_readable
from labrig_earth.grids.times import (
    is_cftime,
    note_step,
    require_times,
    seconds_of_steps,
    select_hours,
    select_months,
    select_range,
    shifted,
)
from labrig_earth.grids.units import convert, is_of_water, is_rate_of
from labrig_earth.results import SYNTHETIC, said_of
from labrig_earth.work.fields import Fields

SELECTED = ("start", "end", "months", "hours", "box", "level", "member", "band")


@dataclass(frozen=True)
class Field:
    """A variable, or a dataset of some, and what is known and was assumed of it.

    Attributes
    ----------
    grid
        In words, as it was before points or means were taken of it.
    pieces
        Sizes of what is read at a time, by variable.
    cells, valid_cells
        Of the grid, at the first step, before points or means were taken of it; None where they were not counted.
    """

    data: Any
    axes: Axes
    source: str
    grid: str = ""
    pieces: Mapping[str, int] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    done: tuple[str, ...] = field(default_factory=tuple)
    cells: int | None = None
    valid_cells: int | None = None

    def noting(self, *, assumed: tuple[str, ...] = (), warnings: tuple[str, ...] = ()) -> Field:
        """Return the field with further notes."""
        return replace(self, assumed=(*self.assumed, *assumed), warnings=(*self.warnings, *warnings))

    def with_data(self, data: Any, *done: str) -> Field:
        """Return the field with other data, whose axes are looked at anew."""
        return replace(
            self, data=data, axes=replace(axes_of(data), assumed=()), done=(*self.done, *filter(None, done))
        )


def opened(*places: Place, group: str = "") -> Field:
    """Open a file, or several as one; of ERA5 the final run is spliced with the preliminary one."""
    data = open_data(places, group=group)
    axes = axes_of(data)
    warnings: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    if SYNTHETIC in data.attrs:
        warnings = (said_of(str(data.attrs[SYNTHETIC])),)
    if "expver" in data.dims or "expver" in data.coords:
        found = spliced(data, axes.time)
        data, done = found.data, (found.said,)
        if found.preliminary:
            warnings = (*warnings, f"{found.preliminary} steps are preliminary (ERA5T) and may change")
    if axes.time in data.coords and (data[axes.time].dtype.kind == "M" or is_cftime(data[axes.time])):
        data = note_step(data, axes.time)
    members = str(data[axes.member].attrs.get("long_name", "")) if axes.member in data.coords else ""
    if members.startswith(OF_FILES):
        done = (*done, f"{data.sizes[axes.member]} files at the same times are members, in their order")
    pieces = piece_bytes(data)
    scaled = [data[name].attrs.pop(SCALED) for name in data.data_vars if SCALED in data[name].attrs]
    done = (*done, *(f"scale and offset of the file applied ({said})" for said in scaled))
    warped = [data[name].attrs.pop(WARPED) for name in data.data_vars if WARPED in data[name].attrs]
    done = (*done, *warped)
    warnings = (*warnings, *(said for said in warped if said.startswith(RPC)))
    return Field(
        data,
        axes,
        str(data.encoding.get("source", "")),
        grid_text(data, axes),
        pieces,
        axes.assumed,
        warnings,
        done,
    )


def variables(source: Field, names: list[str]) -> Field:
    """Return the variables of these names, or all that are fields.

    Raises
    ------
    LabrigError
        ``not_found`` for an unknown name; ``bad_input`` for a file without fields.
    """
    if names:
        chosen = [str(variable_of(source.data, name).name) for name in names]
    else:
        chosen = [str(name) for name in source.data.data_vars if is_field(source.data[name])]
    if not chosen:
        raise no_field(source.data, source.source)
    return source.with_data(source.data[list(dict.fromkeys(chosen))])


def variable(source: Field, name: str) -> Field:
    """Return one variable: the named one, or the only one."""
    return source.with_data(variable_of(source.data, name))


def selected(source: Field, part: Mapping[str, Any], *, ends: bool = False) -> Field:
    """Return the part of a field that a mapping names, checked key by key.

    Parameters
    ----------
    ends
        Days and months are those in which steps that end at their time lie: for statistics of accumulated values.

    Raises
    ------
    LabrigError
        ``not_found`` for an unknown key; ``bad_input`` for a wrong value; what the rooms raise for what is not there.
    """
    for key in part:
        if key not in SELECTED:
            raise unknown_name("key", str(key), SELECTED, where="select")
    data, axes, done = source.data, source.axes, []
    asked = Fields(part, "select")
    start, end = _text(part, "start"), _text(part, "end")
    if start or end:
        data = select_range(data, axes.time, start, end, ends=ends)
    if part.get("months") is not None:
        data = select_months(data, axes.time, _whole(part, "months"), ends=ends)
    if part.get("hours") is not None:
        data = select_hours(data, axes.time, _whole(part, "hours"))
    if part.get("level") is not None:
        data = select_level(data, axes, asked.number("level"))
        done.append(f"level {part['level']:g}")
    if part.get("member") is not None:
        data = _at(data, axes.member, asked.number("member"), "member")
    if part.get("band") is not None:
        data = _at(data, "band" if "band" in data.dims else "", asked.number("band"), "band")
    if part.get("box") is not None:
        data, said = select_box(data, part["box"])
        done += [f"box {tuple(part['box'])}: cells whose centres lie in it", *said]
    found = source.with_data(data, *done)
    return replace(found, grid=grid_text(data, found.axes))


def _text(part: Mapping[str, Any], key: str) -> str:
    value = part.get(key)
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # a year
    if not isinstance(value, str):
        raise LabrigError(f"{key} is no text", where=f"select.{key}", expected="2020, 2020-06 or 2020-06-01")
    return value


def _whole(part: Mapping[str, Any], key: str) -> tuple[int, ...]:
    value = part[key]
    values = value if isinstance(value, list) else [value]
    if not values or any(isinstance(each, bool) or not isinstance(each, int) for each in values):
        raise LabrigError(f"{key} are no whole numbers", where=f"select.{key}", expected="such as [6, 7, 8]")
    return tuple(values)


def _at(data: Any, name: str, value: float, what: str) -> Any:
    if not name or name not in data.dims:
        raise LabrigError(f"The data have no axis of {what}s", where=f"select.{what}")
    labels = data[name].values.tolist() if name in data.coords else list(range(1, data.sizes[name] + 1))
    if value not in labels:
        raise LabrigError(
            f"There is no {what} {value:g}",
            where=f"select.{what}",
            expected=f"one of {', '.join(map(str, labels[:30]))}",
            code="not_found",
        )
    return data.isel({name: labels.index(value)})


def told_accumulated(source: Field, told: str) -> Field:
    """Return a variable with what the caller says its values accumulate over: one of `conventions.TOLD`, or nothing.

    Raises
    ------
    LabrigError
        ``not_found`` for another word.
    """
    if not told:
        return source
    if told not in TOLD:
        raise unknown_name("word", told, TOLD, where="accumulated")
    return source.with_data(source.data.assign_attrs({ACCUMULATED: told}))


def in_time(source: Field, *, utc_offset_h: float = 0.0) -> tuple[Field, Accumulation]:
    """Return a variable ready for statistics over time, and what its values cover.

    What ERA5-Land accumulates since 00 UTC becomes amounts of steps; times are moved where days are to be local ones.
    """
    if not source.axes.time or source.axes.time not in source.data.dims:
        raise LabrigError(
            "The data have no time axis",
            where=source.source,
            expected="a variable over time",
            try_='over="space" for the mean of its cells',
        )
    source = _in_order(source)
    covers = accumulation_of(source.data, source.axes.time)
    if covers.doubt:
        source = source.noting(warnings=(covers.doubt,))
    left_out = (ACCUMULATED, LAND_NAMED)  # what is made of it has other steps
    source.data.attrs = {key: value for key, value in source.data.attrs.items() if key not in left_out}
    if covers.covers == "since_00":
        source = source.with_data(deaccumulated(source.data, source.axes.time))
        source = source.noting(assumed=(f"accumulated since 00 UTC, made amounts of steps: {covers.why}",))
        covers = Accumulation("before", covers.why)
    elif covers.covers == "before":
        source = source.noting(assumed=(f"a value covers the step that ends at its time: {covers.why}",))
    elif covers.covers == "after" and not covers.stated:
        source = source.noting(assumed=(covers.why,))
    if utc_offset_h:
        source = source.with_data(
            shifted(source.data, source.axes.time, utc_offset_h),
            f"days begin at 00 h of UTC{utc_offset_h:+g} h",
        )
    return source, covers


def _in_order(source: Field) -> Field:
    """Return a variable whose times rise; of those that stand twice the first is kept."""
    name = source.axes.time
    times = require_times(source.data, name).values
    if (times[1:] > times[:-1]).all():
        return source
    _, first = np.unique(times, return_index=True)
    doubled = times.size - first.size
    said = "Times were put in order"
    if doubled:
        said += f", and of {doubled} that stand twice the first was kept"
    return source.with_data(source.data.isel({name: first})).noting(warnings=(said,))


def in_unit(source: Field, unit: str, *, stated: str = "", water: bool = False) -> Field:
    """Return a variable in another unit; `stated` is that of one that has none."""
    own = str(source.data.attrs.get("units", "")).strip()
    if stated and not own:
        source = source.with_data(source.data.assign_attrs(units=stated))
        source = source.noting(assumed=(f"unit {stated}, as the caller states it",))
        own = stated
    if not unit or unit == own:
        return source
    if not own:
        raise LabrigError(
            f"{source.data.name} has no unit", where=str(source.data.name), try_='stated_unit="K" states it'
        )
    water = water or is_of_water(source.data.attrs)
    if is_rate_of(own, unit):
        source, own = _amounts(source, own), f"{own} s"
    data, said = convert(source.data, own, unit, water=water)
    return source.with_data(data, said)


def _amounts(source: Field, rate: str) -> Field:
    """Return a rate as the amount of each of its steps: times the seconds of the step."""
    time = source.axes.time
    if time not in source.data.coords:
        raise LabrigError(
            f"{source.data.name} is a rate in {rate}, and an amount needs a time",
            where=str(source.data.name),
            expected="data with an axis of times",
        )
    ends = accumulation_of(source.data, time).covers == "before"
    seconds = seconds_of_steps(source.data[time], ends=ends)
    attrs = dict(source.data.attrs)
    if "standard_name" in attrs:
        attrs["standard_name"] = str(attrs["standard_name"]).replace("_flux", "_amount")
    amounts = (source.data * seconds).transpose(*source.data.dims).assign_attrs(attrs)
    said = f"the rate of each step times its {float(seconds.min()):g}"
    if float(seconds.max()) > float(seconds.min()):
        said += f" to {float(seconds.max()):g}"
    return source.with_data(amounts.rename(source.data.name), f"{said} s")


def readable(source: Field, what: str = "The request") -> Field:
    """Return a field if it is not too large to be read."""
    require_readable(source.data, source.pieces, what=what)
    return source


def counted(source: Field) -> Field:
    """Return a variable with the number of its cells, and of those that have values at the first step."""
    axes = source.axes
    first = source.data.isel({dim: 0 for dim in source.data.dims if dim not in (axes.y, axes.x)})
    return replace(source, cells=int(first.size), valid_cells=int(first.notnull().sum()))
