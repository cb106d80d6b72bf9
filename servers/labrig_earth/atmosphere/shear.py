"""Differences of the wind between two levels: the bulk shear of a layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.atmosphere.levels import at_level
from labrig_earth.atmosphere.naming import named


def vertical_shear(u: Any, v: Any, *, top: float, bottom: float) -> tuple[Any, Any, Any]:
    """Return the wind at the top of a layer less that at its bottom: to the east, to the north, and its size, m s-1.

    Parameters
    ----------
    u, v
        Over ``pressure`` (`levels.by_pressure`), m s-1.
    top, bottom
        hPa; the top is the lower pressure.

    Raises
    ------
    LabrigError
        ``bad_input`` for a top that is not above the bottom; ``not_found`` for levels that are not there.
    """
    if not top < bottom:
        raise LabrigError(
            f"The top {top:g} hPa is not above the bottom {bottom:g} hPa",
            where="top, bottom",
            expected="a top of lower pressure",
            try_=f"top={bottom:g}, bottom={top:g}" if top > bottom else "two levels",
        )
    east = at_level(u, top, where="top") - at_level(u, bottom, where="bottom")
    north = at_level(v, top, where="top") - at_level(v, bottom, where="bottom")
    east, north, size = (
        named(values, name, "m s-1", long_name=f"{name}: wind at the top less wind at the bottom")
        for name, values in (("shear_u", east), ("shear_v", north), ("shear_mag", np.hypot(east, north)))
    )
    return east, north, size
