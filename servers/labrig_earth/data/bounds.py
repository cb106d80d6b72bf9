"""What values cover in time, where a file states it by the bounds of its times (CF conventions, section 7.1).

Bounds lie beside the variables and are lost when one is taken out; so what they say is noted at the axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np

COVERS = "labrig_covers"
"""Attribute of a time axis: ``before`` (the step ends at the time), ``after`` (it begins there) or ``around``."""

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
