"""Many files as one: the years of a model run, the days of an archive, scenes with a date in their name; lazily."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.data.dates import named_time
from labrig_earth.data.formats import DRIVERS, Place, format_of
from labrig_earth.data.opening import open_dataset


def open_data(places: Sequence[Place], *, group: str = "") -> Any:
    """Open one file, or several as one `xarray.Dataset`: side by side along time, and variables of their own together.

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
    try:
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
