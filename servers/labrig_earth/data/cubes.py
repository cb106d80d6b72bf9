"""Many files as one: the years of a model run, the days of an archive, scenes with a date in their name, the members of
an ensemble; lazily."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.data.dates import named_time
from labrig_earth.data.formats import DRIVERS, Place, format_of
from labrig_earth.data.opening import open_dataset
from labrig_earth.grids.axes import axes_of
from labrig_earth.grids.times import numbers_of_periods

OF_FILES = "number of the file: "
"""Begins the name of an axis of members that files are, with their names."""


def open_data(places: Sequence[Place], *, group: str = "") -> Any:
    """Open one file, or several as one `xarray.Dataset`: side by side along time, and variables of their own together.
    Files of one variable at the same times are members of an ensemble.

    Values are read when they are needed, file by file. Rasters without times have those of the dates in their names.

    Raises
    ------
    LabrigError
        As `opening.open_dataset`; ``bad_input`` for files that are no parts of one: other grids, times that both have.
    """
    import xarray as xr

    if len(places) == 1:
        return open_dataset(places[0], group=group)
    parts = [_dated(open_dataset(place, group=group), place) for place in places]
    time = shared_times(parts)
    try:
        if time:
            return as_members(parts, time, [place.name for place in places])
        found = xr.combine_by_coords(
            parts,
            data_vars="minimal",
            coords="minimal",
            compat="override",
            join="exact",
            combine_attrs="override",
        )
    except (ValueError, KeyError, TypeError) as error:
        said = " ".join(str(error).split())[:200]
        raise LabrigError(
            f"The {len(places)} files are no parts of one: {said}",
            where=f"{places[0].name} to {places[-1].name}",
            expected="the same grid, and times that go on from file to file",
            try_="a pattern that fewer files fit, or one file in a call",
        ) from None
    found.encoding["source"] = f"{places[0].name} and {len(places) - 1} more"
    return found


def shared_times(parts: Sequence[Any]) -> str:
    """Return the axis of time of datasets with the same variables at the same times; empty for other datasets."""
    time = axes_of(parts[0]).time
    if not time or any(
        time not in each.dims or each.data_vars.keys() != parts[0].data_vars.keys() for each in parts
    ):
        return ""
    spans = sorted(
        tuple(f"{each[time].dt.strftime('%Y-%m-%dT%H').values[place]}" for place in (0, -1)) for each in parts
    )
    meets = all(first[0] <= following[0] < first[1] for first, following in pairwise(spans))
    return time if meets else ""


def as_members(parts: Sequence[Any], time: str, names: Sequence[str]) -> Any:
    """Return datasets as members from 1 on, at the times that all have; months and years are those of any calendar.

    Raises
    ------
    LabrigError
        ``bad_input`` for steps of less than a month on different calendars.
    """
    import numpy as np
    import xarray as xr

    numbered = [numbers_of_periods(each[time]) for each in parts]
    kinds = {kind for kind, _ in numbered}
    if kinds & {""} or len(kinds) > 1:
        numbered = [("time", each[time].values) for each in parts]
        calendars = sorted({str(each[time].dt.calendar) for each in parts})
        if len(calendars) > 1:
            raise LabrigError(
                f"The calendars of the files differ: {', '.join(calendars)}",
                where=time,
                expected="the same calendar, or steps of months or years, which are paired",
                try_="aggregate_grid of each to months or years first",
            )
    common = numbered[0][1]
    for _, numbers in numbered[1:]:
        common = np.intersect1d(common, numbers)
    if 2 * common.size < min(each.sizes[time] for each in parts):
        raise LabrigError(
            f"Of their times the files share {common.size}: they are neither parts of one series nor members",
            where=f"{names[0]} to {names[-1]}",
            expected="times that go on from file to file, or the same times in all",
        )
    chosen = [
        each.isel({time: np.flatnonzero(np.isin(numbers, common))})
        for each, (_, numbers) in zip(parts, numbered, strict=True)
    ]
    first = next((each for each in chosen if each[time].dtype.kind == "M"), chosen[0])
    chosen = [each.assign_coords({time: first[time]}) for each in chosen]
    with_time = [name for name in first.data_vars if time in first[name].dims]
    found = xr.concat(
        chosen,
        "member",
        data_vars=with_time,
        coords="minimal",
        compat="override",
        join="exact",
        combine_attrs="override",
    )
    about = {"long_name": f"{OF_FILES}{', '.join(names)}", "standard_name": "realization"}
    found = found.assign_coords(member=("member", np.arange(1, len(parts) + 1), about))
    found.encoding["source"] = f"{names[0]} and {len(names) - 1} more as members"
    return found


def _dated(data: Any, place: Place) -> Any:
    """Return a raster with the date of its name as its time; other data as they are."""
    if format_of(place) not in DRIVERS or "time" in data.coords:
        return data
    if not (when := named_time(place.name)):
        raise LabrigError(
            "A raster among several has no time, and no date in its name",
            where=place.name,
            expected="a name with a date, such as ndvi_2022-06-18.tif",
        )
    import numpy as np

    return data.expand_dims(time=[np.datetime64(when, "ns")])
