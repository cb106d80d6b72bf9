"""Slope and aspect of a terrain model, by Horn's weights of the eight neighbours.

Horn (1981), Hill shading and the reflectance map, Proceedings of the IEEE 69, 14-47, doi:10.1109/PROC.1981.11918; as
gdaldem has them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.grids.axes import horizontal, metres_of, step_of
from labrig_earth.grids.cells import EARTH_KM
from labrig_earth.grids.sizes import MOST_MADE_BYTES, require_readable
from labrig_earth.grids.units import units_in

ACTS = {
    "slope": "steepest descent from the horizontal, by Horn's weights of eight neighbours",
    "aspect": "whither the ground falls, clockwise from north, by Horn's weights; missing where it is flat",
}


def derive_terrain(heights: Any, what: str) -> Any:
    """Return slope or aspect in degrees, over the axes of the heights; cells of the edge have none.

    Parameters
    ----------
    heights
        `xarray.DataArray` over y and x, and others, in a unit of length; without one, in metres. Rows may run either
        way.
    what
        One of `ACTS`.
    """
    require_readable(heights, what=f"The {what}", most=MOST_MADE_BYTES)
    axes = horizontal(heights)
    if heights.attrs.get("units"):
        heights = units_in(heights, "m")
    y, x = np.asarray(heights[axes.y].values, "f8"), np.asarray(heights[axes.x].values, "f8")
    step_y, step_x = step_of(y), step_of(x)
    if step_y is None or step_x is None or min(y.size, x.size) < 3:
        raise LabrigError(
            f"A {what} needs a regular grid of three rows and columns or more",
            try_="regrid_or_reproject makes one",
        )
    if axes.geographic:
        east = np.deg2rad(step_x) * EARTH_KM * 1000 * np.cos(np.deg2rad(y))[1:-1, None]
        north = np.deg2rad(step_y) * EARTH_KM * 1000
    else:
        east, north = (step * metres_of(axes.crs) for step in (step_x, step_y))
    ordered = heights.transpose(..., axes.y, axes.x)
    z = np.asarray(ordered.values, "f8")
    rise_east = _across(z) / (8 * east)
    rise_north = np.swapaxes(_across(np.swapaxes(z, -1, -2)), -1, -2) / (8 * north)
    if what == "slope":
        inner = np.degrees(np.arctan(np.hypot(rise_east, rise_north)))
    else:
        inner = np.degrees(np.arctan2(-rise_east, -rise_north)) % 360
        inner = np.where((rise_east == 0) & (rise_north == 0), np.nan, inner)
    edged = np.full(z.shape, np.nan)
    edged[..., 1:-1, 1:-1] = inner
    return ordered.copy(data=edged).assign_attrs(units="degree", long_name=what).rename(what)


def _across(z: Any) -> Any:
    """Return the sum of what is east less what is west of each inner cell, the rows beside it counting 1, 2, 1."""
    across = z[..., 2:] - z[..., :-2]
    return across[..., :-2, :] + 2 * across[..., 1:-1, :] + across[..., 2:, :]
