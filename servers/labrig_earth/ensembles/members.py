"""Files of forecasts as arrays that can be set against each other: same axes, same cells, same times, one unit.

Whatever does not pair is refused. Nothing is interpolated, no time is taken for another one, and no variable for that
which was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.data.formats import Place
from labrig_earth.grids.axes import variable_of
from labrig_earth.grids.reading import Field, opened, readable
from labrig_earth.grids.times import iso
from labrig_earth.grids.units import DIFFERENCE, convert

TIME, Y, X, MEMBER = "time", "latitude", "longitude", "member"
WITHIN_DEGREE = 1e-4
"""Coordinates this close are the same: latitudes of float32 differ by 1e-5."""

SAME_NAMES: tuple[frozenset[str], ...] = (
    frozenset({"t2m", "2t", "tas", "temperature_2m"}),
    frozenset({"u10", "10u"}),
    frozenset({"v10", "10v"}),
    frozenset({"msl", "mslp", "mean_sea_level_pressure"}),
    frozenset({"tp", "total_precipitation", "precip", "prcp"}),
)
"""Names that archives give to one variable."""
COERCED = ("index", "lead_hours")


@dataclass(frozen=True)
class Members:
    """An ensemble.

    Attributes
    ----------
    data
        `xarray.DataArray` with the dimension ``member`` first.
    names
        Of the members.
    """

    data: Any
    names: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


def read_field(place: Place, variable: str = "", *, where: str = "variable") -> Field:
    """Return a variable of a file in memory, its axes named ``time``, ``latitude``, ``longitude`` and ``member``.

    Parameters
    ----------
    variable
        Its name, or another of `SAME_NAMES`; empty for the only one.

    Raises
    ------
    LabrigError
        ``not_found`` for another name; ``bad_input`` for several variables where none is named, and for values that
        are all missing.
    """
    source = opened(place)
    name = variable
    if variable and variable not in source.data.data_vars:
        known = next((each for each in SAME_NAMES if variable.lower() in each), frozenset[str]())
        others = [str(each) for each in source.data.data_vars if str(each).lower() in known]
        name = others[0] if len(others) == 1 else variable
    try:
        found = source.with_data(variable_of(source.data, name))
    except LabrigError as error:
        error.where = f"{where} of {place.name}"
        raise
    if found.data.dtype.kind not in "fiub":
        raise LabrigError(
            f"{found.data.name} holds no numbers but {found.data.dtype}", where=f"{where} of {place.name}"
        )
    found = readable(found)
    axes = found.axes
    data = found.data.load().astype("f8")
    data.attrs = dict(found.data.attrs)
    new = {axes.time: TIME, axes.member: MEMBER}
    if axes.geographic and not axes.curvilinear:
        new |= {axes.y: Y, axes.x: X}
    data = data.rename({old: name for old, name in new.items() if old and old != name and old in data.coords})
    extra = [each for each in data.coords if each not in data.dims and data[each].ndim > 0]
    data = data.drop_vars(extra)
    if not bool(data.notnull().any()):
        raise LabrigError("Every value is missing", where=f"{data.name} of {place.name}")
    return replace(found, data=data)


def stem_of(name: str) -> str:
    """Return the name of a file without folders and ending."""
    return PurePosixPath(name).stem or name


def read_members(
    places: Sequence[Place], variable: str, *, variable_map: Mapping[str, str] | None = None, time: str = ""
) -> Members:
    """Return an ensemble: each file is a member, and one with an axis of members holds all of them.

    Parameters
    ----------
    variable_map
        The variable of a file, by its name with or without the ending.
    time
        Empty: members have the same times. ``index``: they are paired by their places on the axis; ``lead_hours``: by
        the hours since the first.

    Raises
    ------
    LabrigError
        ``bad_input`` for no files, and members of different grids, times or units that do not convert.
    """
    if not places:
        raise LabrigError("No member is given", where="member_paths", expected="paths or handles")
    if time and time not in COERCED:
        raise unknown_name("value", time, COERCED, where="coerce_time")
    chosen = dict(variable_map or {})
    unknown = set(chosen) - {key for place in places for key in (place.name, stem_of(place.name))}
    if unknown:
        raise unknown_name(
            "file", sorted(unknown)[0], [stem_of(place.name) for place in places], where="variable_map"
        )
    parts: list[Any] = []
    names: list[str] = []
    warnings: list[str] = []
    assumed: list[str] = []
    for place in places:
        wanted = chosen.get(place.name) or chosen.get(stem_of(place.name)) or variable
        field = read_field(place, wanted)
        warnings += field.warnings
        assumed += field.assumed
        data = _coerced(field.data, time)
        own = (
            [data.isel({MEMBER: n}, drop=True) for n in range(data.sizes[MEMBER])]
            if MEMBER in data.dims
            else [data]
        )
        for number, each in enumerate(own):
            names.append(stem_of(place.name) + (f"#{number}" if len(own) > 1 else ""))
            if parts:
                if set(each.dims) != set(parts[0].dims):
                    raise LabrigError(
                        f"Its axes are {', '.join(map(str, each.dims))}",
                        where=f"member {names[-1]}",
                        expected=f"{', '.join(map(str, parts[0].dims))}, as {names[0]} has them",
                    )
                each = like(each, parts[0], where=f"member {names[-1]}")
            parts.append(each.drop_vars(MEMBER, errors="ignore"))
    import xarray as xr

    stacked = xr.concat(parts, dim=MEMBER, join="exact", coords="minimal", compat="override")
    stacked.attrs = dict(parts[0].attrs)
    return Members(stacked, tuple(names), tuple(dict.fromkeys(warnings)), tuple(dict.fromkeys(assumed)))


def _coerced(data: Any, time: str) -> Any:
    if not time:
        return data
    if TIME not in data.dims:
        raise LabrigError("There is no time axis to coerce", where="coerce_time")
    values = data[TIME].values
    if time == "index":
        return data.assign_coords({TIME: np.arange(values.size, dtype="f8")})
    hours = (values - values[0]) / np.timedelta64(1, "h")
    return data.assign_coords({TIME: np.asarray(hours, "f8")})


def like(data: Any, other: Any, *, where: str, units: bool = True) -> Any:
    """Return data on the coordinates and in the unit of another array, which may have further dimensions.

    Parameters
    ----------
    units
        Whether data are of the kind of the other, and take its unit.

    Raises
    ------
    LabrigError
        ``bad_input``: a dimension that the other lacks, other cells or times, units that do not convert.
    """
    lacking = [str(dim) for dim in data.dims if dim not in other.dims]
    if lacking:
        raise LabrigError(
            f"It has an axis {', '.join(lacking)} that the other field lacks",
            where=where,
            expected=f"axes of {', '.join(map(str, other.dims))}",
        )
    for dim in data.dims:
        data = _along(data, other, str(dim), where)
    return in_unit_of(data, other, where=where) if units else data


def _along(data: Any, other: Any, dim: str, where: str) -> Any:
    """Return data with its coordinate along a dimension in the order of the other's, if both have the same."""
    if dim not in data.coords or dim not in other.coords:
        if data.sizes[dim] == other.sizes[dim]:
            return data
        raise _differs(data, other, dim, where)
    mine, its = data[dim].values, other[dim].values
    if mine.size != its.size:
        raise _differs(data, other, dim, where)
    if _same(mine, its):
        return data.assign_coords({dim: other[dim]})
    order, wanted = np.argsort(mine), np.argsort(its)
    if not _same(mine[order], its[wanted]):
        raise _differs(data, other, dim, where)
    places = np.empty(order.size, int)
    places[wanted] = order
    return data.isel({dim: places}).assign_coords({dim: other[dim]})


def _same(one: Any, other: Any) -> bool:
    if one.dtype.kind in "fiu" and other.dtype.kind in "fiu":
        return bool(np.allclose(one, other, rtol=0, atol=WITHIN_DEGREE))
    if (one.dtype.kind == "M") != (other.dtype.kind == "M"):
        return False
    return bool((one == other).all())


def _differs(data: Any, other: Any, dim: str, where: str) -> LabrigError:
    try_ = {
        TIME: "a selection of the same times first; coerce_time, where the tool has it, to pair by order or lead",
        MEMBER: "files with the same members",
    }.get(dim, "harmonize_grid first")
    return LabrigError(
        f"The fields do not pair along {dim}: {_shown(data, dim)} here, {_shown(other, dim)} there",
        where=where,
        try_=try_,
    )


def _shown(data: Any, dim: str) -> str:
    size = data.sizes[dim]
    if dim not in data.coords or not size:
        return f"{size} steps"
    first, last = data[dim].values[0], data[dim].values[-1]
    if data[dim].dtype.kind in "fiu":
        return f"{size} from {first:g} to {last:g}"
    return f"{size} from {iso(first)} to {iso(last)}" if data[dim].dtype.kind in "MO" else f"{size} steps"


def as_deviation(data: Any) -> Any:
    """Return a standard deviation marked as a difference: between units it has a factor, and no offset."""
    return data.assign_attrs({DIFFERENCE: 1})


def in_unit_of(data: Any, other: Any, *, where: str) -> Any:
    """Return data in the unit of another array; as they are where one of the two states none."""
    mine, its = (str(each.attrs.get("units", "")).strip() for each in (data, other))
    if not mine or not its or mine == its:
        return data
    try:
        return convert(data, mine, its)[0]
    except LabrigError as error:
        error.where = where
        raise


def on_common_times(one: Any, other: Any, *, where: str) -> tuple[Any, Any, tuple[str, ...]]:
    """Return two fields at the times that both have, and a note where these are not all.

    Raises
    ------
    LabrigError
        ``bad_input`` for fields of different cells, and without a common time.
    """
    notes: tuple[str, ...] = ()
    if TIME in one.dims and TIME in other.dims:
        kinds = {each[TIME].dtype.kind for each in (one, other)}
        if len(kinds) > 1:
            raise LabrigError(
                "The times are of different kinds or calendars", where=where, expected="the same calendar"
            )
        mine, its = once(one, where), once(other, where)
        both = common_of(mine, its, where)
        if not both.size:
            raise LabrigError(
                f"There is no common time: {_shown(one, TIME)}, and {_shown(other, TIME)}", where=where
            )
        if both.size < max(mine.size, its.size):
            notes = (f"{both.size} times are common to both, of {mine.size} and {its.size}",)
        one, other = one.sel({TIME: both}), other.sel({TIME: both})
    return one, like(other, one, where=where), notes


def once(data: Any, where: str) -> Any:
    """Return the times of a field; LabrigError where one stands twice."""
    values = data[TIME].values
    if np.unique(values).size < values.size:
        raise LabrigError("A time stands there twice", where=where, expected="each time once")
    return values


def common_of(one: Any, other: Any, where: str) -> Any:
    """Return the times that both have, in order; LabrigError for times of two calendars."""
    try:
        return np.intersect1d(one, other)
    except TypeError:
        raise LabrigError(
            "The times are of two calendars", where=where, expected="the same calendar"
        ) from None


def at_times_of(climate: Any, field: Any, *, where: str) -> Any:
    """Return a climate for each time of a field: by its ``month`` or ``dayofyear`` axis, its times, or one for all.

    Raises
    ------
    LabrigError
        ``not_found`` for months or days that the climate lacks; ``bad_input`` for other cells or units.
    """
    for axis in ("month", "dayofyear"):
        if axis in climate.dims:
            if TIME not in field.dims:
                raise LabrigError(f"A climate by {axis} needs a field with times", where=where)
            wanted = getattr(field[TIME].dt, axis)
            lacking = sorted(set(wanted.values.tolist()) - set(climate[axis].values.tolist()))
            if lacking:
                raise LabrigError(f"The climate has no {axis} {lacking[0]}", where=where, code="not_found")
            climate = climate.sel({axis: wanted}).drop_vars(axis)
    if TIME in climate.dims and climate.sizes[TIME] == 1:
        climate = climate.isel({TIME: 0}, drop=True)
    return like(climate, field, where=where)
