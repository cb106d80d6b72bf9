"""What values cover in time, where a file states it by the bounds of its times (CF conventions, section 7.1), or names
an archive that has a convention of its own.

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


def note_land(data: Any) -> Any:
    """Note at each variable of an `xarray.Dataset` whether the attributes of the file name ERA5-Land."""
    said = " ".join(str(each).lower() for each in data.attrs.values() if isinstance(each, str))
    if re.search(r"era5[\s_-]?land", said):
        for name in data.data_vars:
            data[name].attrs[LAND_NAMED] = 1
    return data
