"""Levels of pressure: what pressure each has, from low to high, and one of them by its pressure.

Archives call the axis ``level``, ``pressure_level``, ``isobaricInhPa`` or ``plev``, order it either way, and state hPa,
millibars, Pa or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.grids.axes import axes_of
from labrig_earth.grids.units import convert, same_dimension

PRESSURE = "pressure"
"""The axis of data whose levels are in order, Pa."""

MOST_HPA = 2000.0
"""An axis without a unit is taken for hPa up to here, for Pa above."""
WITHIN_HPA = 0.01
USUAL = "level"


def level_axis(data: Any, name: str = "") -> str:
    """Return the axis of levels.

    Parameters
    ----------
    name
        As a call names it; ``level`` and nothing stand for whichever axis of levels there is.

    Raises
    ------
    LabrigError
        ``not_found`` where the data have no such axis.
    """
    if name and name in data.dims:
        return name
    found = axes_of(data).level
    if name in ("", USUAL) and found in data.dims:
        return found
    shown = ", ".join(map(str, data.dims)) or "none"
    raise LabrigError(
        f"{data.name} has no axis {name or 'of levels'}",
        where="level_dim",
        expected=f"one of its axes: {shown}",
        try_=f'level_dim="{found}"' if found in data.dims else "a file on levels of pressure",
        code="not_found",
    )


def pressures_of(axis: Any) -> tuple[Any, str]:
    """Return the pressures of levels, Pa, and what was assumed of their unit.

    Raises
    ------
    LabrigError
        ``bad_input`` for levels that are no pressures, or two of one pressure.
    """
    if axis.dtype.kind not in "fiu":
        raise LabrigError(f"The levels are no numbers but {axis.dtype}", where=str(axis.name))
    values = np.asarray(axis.values, "f8")
    unit, assumed = str(axis.attrs.get("units", "")).strip(), ""
    if not unit:
        unit = "hPa" if np.nanmax(values, initial=0.0) <= MOST_HPA else "Pa"
        assumed = f"levels of {axis.name} are in {unit}: they state no unit"
    if not same_dimension(unit, "Pa"):
        raise LabrigError(
            f"The levels are in {unit}", where=str(axis.name), expected="levels of pressure, hPa or Pa"
        )
    values = np.asarray(convert(values, unit, "Pa")[0], "f8")
    if not np.isfinite(values).all() or (values <= 0).any():
        raise LabrigError("A level has no pressure above 0", where=str(axis.name))
    if np.unique(values).size < values.size:
        raise LabrigError("Two levels have one pressure", where=str(axis.name))
    return values, assumed


def by_pressure(data: Any, name: str = "") -> tuple[Any, tuple[str, ...]]:
    """Return data over ``pressure`` (Pa, rising) in place of their axis of levels, and what was assumed."""
    axis = level_axis(data, name)
    values, assumed = pressures_of(data[axis])
    others = [each for each in data.coords if each != axis and axis in data[each].dims]
    data = data.drop_vars(others).rename({axis: PRESSURE})
    data = data.assign_coords(
        {PRESSURE: (PRESSURE, values, {"units": "Pa", "standard_name": "air_pressure"})}
    )
    return data.isel({PRESSURE: np.argsort(values)}), (assumed,) if assumed else ()


def at_level(data: Any, hpa: float, *, where: str) -> Any:
    """Return data over ``pressure`` at one level.

    Raises
    ------
    LabrigError
        ``not_found`` for a level that is not there: none is taken for another one.
    """
    return at_levels(data, [hpa], where=where).isel({PRESSURE: 0}, drop=True)


def at_levels(data: Any, hpa: Sequence[float], *, where: str) -> Any:
    """Return data over ``pressure`` at several levels, in order of pressure; errors as `at_level`."""
    there = data[PRESSURE].values / 100.0
    places = set()
    for each in hpa:
        place = int(np.abs(there - each).argmin())
        if abs(there[place] - each) > WITHIN_HPA:
            shown = ", ".join(f"{one:g}" for one in there[:40])
            raise LabrigError(
                f"There is no level {each:g} hPa",
                where=where,
                expected=f"one of {shown} hPa",
                code="not_found",
            )
        places.add(place)
    return data.isel({PRESSURE: sorted(places)})
