"""Water vapour of a column of air, and how much of it is carried: integrals over pressure, divided by gravity.

    IWV = 1/g  integral of q dp,   IVT = 1/g  integral of q (u, v) dp   (Rutz et al. 2014, Mon. Weather Rev. 142, 905)

from the highest level to the lowest, whichever way a file orders them: between levels the integrand is a straight line
(the trapezoidal rule).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.atmosphere.levels import PRESSURE
from labrig_earth.atmosphere.naming import named

GRAVITY = 9.80665
"""Standard acceleration of gravity, m s-2 (CGPM 1901)."""


def column(integrand: Any, surface: Any = None) -> Any:
    """Return the integral over pressure divided by gravity; missing where a level that counts has no value.

    Parameters
    ----------
    integrand
        `xarray.DataArray` over ``pressure`` (Pa, rising) and anything else.
    surface
        Pressure at the ground, Pa: what lies below it does not count. Without it all levels do.

    Raises
    ------
    LabrigError
        ``bad_input`` for less than two levels.
    """
    if integrand.sizes[PRESSURE] < 2:
        raise LabrigError(
            f"There is {integrand.sizes[PRESSURE]} level",
            where="levels",
            expected="two or more, to integrate over",
        )
    pressure = integrand[PRESSURE].values
    total: Any = 0.0
    for place, (low, high) in enumerate(pairwise(pressure)):
        upper = integrand.isel({PRESSURE: place}, drop=True)
        lower = integrand.isel({PRESSURE: place + 1}, drop=True)
        if surface is None:
            total = total + (upper + lower) / 2 * (high - low)
            continue
        end = surface.clip(low, high)
        at_end = upper + (lower - upper) * (end - low) / (high - low)
        part = (upper + at_end) / 2 * (end - low)
        total = total + part.where((end > low) | surface.isnull(), 0.0)
    return total / GRAVITY


def water_vapour(q: Any, surface: Any = None) -> Any:
    """Return the water vapour of the column, kg m-2, from specific humidity (kg kg-1)."""
    return named(column(q, surface), "IWV", "kg m-2", long_name="integrated water vapour")


def vapour_transport(q: Any, u: Any, v: Any, surface: Any = None) -> tuple[Any, Any, Any]:
    """Return the transport of water vapour to the east, to the north and its size, kg m-1 s-1."""
    east, north = column(q * u, surface), column(q * v, surface)
    return (
        named(east, "IVT_u", "kg m-1 s-1", long_name="eastward transport of water vapour"),
        named(north, "IVT_v", "kg m-1 s-1", long_name="northward transport of water vapour"),
        named(np.hypot(east, north), "IVT", "kg m-1 s-1", long_name="transport of water vapour"),
    )
