"""What values cover in time and along other axes, where a file states it by bounds (CF conventions, section 7.1), or
names an archive that has a convention of its own.

Both lie beside the variables and are lost when one is taken out; so what they say is noted at the axis and at them.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

COVERS = "labrig_covers"
"""Attribute of a time axis: ``before`` (the step ends at the time), ``after`` (it begins there) or ``around``."""

LAND_NAMED = "labrig_era5_land"
"""Attribute of a variable whose file names ERA5-Land, which accumulates from 00 UTC on, in its attributes."""

_LOOKED_AT = 400


def note_bounds(data: Any) -> Any:
    """Note at each axis of times of an `xarray.Dataset` what its bounds say; what agrees with none of it is left."""
    for name in list(data.dims):
        if name not in data.coords:
            continue
        axis = data[name]
        bounds = str(axis.attrs.get("bounds") or axis.encoding.get("bounds") or "")
        if bounds not in data.variables or data[bounds].ndim != 2 or data[bounds].shape[-1] != 2:
            continue
        try:
            times = np.asarray(axis.values[:_LOOKED_AT])
            low, high = np.asarray(data[bounds][:_LOOKED_AT].values).T
            if not (times.dtype.kind == "M" or times.dtype == object) or not (low < high).all():
                continue
            if (times == low).all():
                found = "after"
            elif (times == high).all():
                found = "before"
            elif ((low < times) & (times < high)).all():
                found = "around"
            else:
                continue
        except TypeError:  # bounds that were not decoded as times
            continue
        data[name].attrs[COVERS] = found
    return data


EDGE = "labrig_edge"
"""Attribute of a coordinate: ``low lat`` holds the lower edge of each cell along lat."""
_ALIKE = 1e-3
"""Of a step, by which edges that a file states may differ from the middles between centres and be taken for these."""


def note_edges(data: Any) -> Any:
    """Return an `xarray.Dataset` with the edges of cells as coordinates, for axes whose bounds are not the middles
    between their centres: Gaussian latitudes, and rows that stand for others that were left out."""
    for name in [str(each) for each in data.dims if each in data.coords]:
        axis = data[name]
        bounds = str(axis.attrs.get("bounds") or axis.encoding.get("bounds") or "")
        if (
            bounds not in data.variables
            or data[bounds].dims[:1] != (name,)
            or data[bounds].shape != (axis.size, 2)
        ):
            continue
        if axis.size < 2 or axis.dtype.kind not in "fiu" or data[bounds].dtype.kind not in "fiu":
            continue
        centres, edges = np.asarray(axis.values, "f8"), np.sort(np.asarray(data[bounds].values, "f8"), axis=1)
        if not ((edges[:, 0] <= centres) & (centres <= edges[:, 1]) & (edges[:, 0] < edges[:, 1])).all():
            continue
        order = np.argsort(centres)
        middles = (centres[order][1:] + centres[order][:-1]) / 2
        apart = np.abs(np.stack([edges[order][:-1, 1], edges[order][1:, 0]]) - middles)
        if (apart > _ALIKE * np.diff(centres[order])).any():
            for place, side in enumerate(("low", "high")):
                data = data.assign_coords(
                    {f"{name}_{side}": (name, edges[:, place], {EDGE: f"{side} {name}"})}
                )
    return data


def edges_stated(data: Any, name: str) -> Any:
    """Return the lower and the upper edge of each cell along an axis as `note_edges` has them, or None."""
    named = {str(data[each].attrs[EDGE]): data[each] for each in data.coords if EDGE in data[each].attrs}
    found = [named.get(f"{side} {name}") for side in ("low", "high")]
    if any(each is None or each.dims != (name,) for each in found):
        return None
    return tuple(np.asarray(each.values, "f8") for each in found if each is not None)


def without_edges(data: Any) -> Any:
    """Return data without the edges that `note_edges` kept, which another grid does not have."""
    return data.drop_vars([each for each in data.coords if EDGE in data[each].attrs])


def note_land(data: Any) -> Any:
    """Note at each variable of an `xarray.Dataset` whether the attributes of the file name ERA5-Land."""
    said = " ".join(str(each).lower() for each in data.attrs.values() if isinstance(each, str))
    if re.search(r"era5[\s_-]?land", said):
        for name in data.data_vars:
            data[name].attrs[LAND_NAMED] = 1
    return data
