"""Areas of classes (land cover, soils) on a raster, without polygons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.grids.axes import horizontal, metres_of
from labrig_earth.grids.cells import cell_areas
from labrig_earth.grids.sizes import MOST_MADE_BYTES, require_readable

MOST_CLASSES = 256


def class_areas(variable: Any, wanted: Sequence[float] = ()) -> Any:
    """Return the area of the cells of each class in m2, over ``class``; missing cells are of none.

    Parameters
    ----------
    variable
        `xarray.DataArray` over y and x, of class numbers.
    wanted
        Classes to tell; one that no cell has is 0. By default those that cells have.

    Raises
    ------
    LabrigError
        ``bad_input`` for more axes, for values that are no whole numbers (unless `wanted` tells the classes), and for
        more than `MOST_CLASSES` different values.
    """
    import xarray as xr

    variable = variable.squeeze(drop=True)
    axes = horizontal(variable)
    if set(variable.dims) != {axes.y, axes.x}:
        raise LabrigError(
            "Classes are counted in one layer", try_='select {"band": 1} or {"start": ...} takes one'
        )
    require_readable(variable, what="Counting classes", most=MOST_MADE_BYTES)
    values = np.asarray(variable.transpose(axes.y, axes.x).values, "f8")
    areas = cell_areas(variable, axes).values * 1e6
    if not axes.in_degrees:
        areas = areas * metres_of(axes.crs) ** 2
    known = np.isfinite(values)
    classes, number = np.unique(values[known], return_inverse=True)
    if classes.size > MOST_CLASSES:
        raise LabrigError(
            f"{variable.name} has {classes.size:,} different values",
            expected=f"at most {MOST_CLASSES} classes",
            try_="mean or percentile for measured values",
        )
    if not np.all(classes == np.round(classes)) and not wanted:
        raise LabrigError(
            f"{variable.name} has values between whole numbers, which are no classes: {classes[classes % 1 != 0][0]:g}",
            try_="a grid whose classes were regridded by nearest or mode, or mean for measured values",
        )
    found = dict(zip(classes.tolist(), np.bincount(number, areas[known], classes.size).tolist(), strict=True))
    told = [float(each) for each in wanted] or sorted(found)
    return xr.DataArray(
        [found.get(each, 0.0) for each in told],
        {"class": told},
        dims=("class",),
        name="area",
        attrs={"units": "m2", "long_name": f"area of the cells of each class of {variable.name}"},
    )
