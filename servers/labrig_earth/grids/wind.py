"""Wind from its components: u towards the east, v towards the north."""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.grids.units import same_dimension, units_in


def wind_speed(u: Any, v: Any) -> Any:
    """Return the speed, m s-1, of `xarray.DataArray` components with units of speed."""
    east, north = _components(u, v)
    found = np.hypot(east, north).rename("wind_speed")
    found.attrs = {"units": "m s-1", "long_name": "wind speed", "standard_name": "wind_speed"}
    return found


def wind_direction(u: Any, v: Any) -> Any:
    """Return whence the wind blows, degree clockwise from north, 0 to below 360; missing where there is none.

    A wind from the west (u > 0, v = 0) is 270 degree (WMO-No. 8).
    """
    east, north = _components(u, v)
    found = (np.rad2deg(np.arctan2(-east, -north)) % 360.0).where((east != 0) | (north != 0))
    found = found.where(found < 360.0, 0.0).where(found.notnull()).rename("wind_from_direction")
    found.attrs = {
        "units": "degree",
        "long_name": "wind from direction",
        "standard_name": "wind_from_direction",
    }
    return found


def _components(u: Any, v: Any) -> tuple[Any, Any]:
    for each in (u, v):
        unit = str(each.attrs.get("units", ""))
        if unit and not same_dimension(unit, "m s-1"):
            raise LabrigError(
                f"{each.name} is no speed: {unit}",
                where=str(each.name),
                expected="components of the wind, m s-1",
            )
    return units_in(u, "m s-1"), units_in(v, "m s-1")
