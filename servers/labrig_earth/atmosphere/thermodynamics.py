"""Dry and moist air: potential temperature and mixing ratio."""

from __future__ import annotations

from typing import Any

from labrig_earth.atmosphere.naming import named
from labrig_earth.grids.humidity import DRY_TO_WATER
from labrig_earth.grids.units import units_in

KAPPA = 2.0 / 7.0
"""Gas constant over heat capacity of dry air, as of an ideal gas of two atoms."""


def potential_temperature(temperature: Any, pressure: Any) -> Any:
    """Return the temperature that air has when it is brought to 1000 hPa without heat, K (Poisson)."""
    found = units_in(temperature, "K") * (1000.0 / units_in(pressure, "hPa")) ** KAPPA
    return named(found, "potential_temperature", "K", standard_name="air_potential_temperature")


def mixing_ratio(vapour_pressure: Any, pressure: Any) -> Any:
    """Return water vapour by mass of dry air, kg kg-1; missing where the vapour pressure reaches that of the air."""
    e, p = units_in(vapour_pressure, "hPa"), units_in(pressure, "hPa")
    found = DRY_TO_WATER * e / (p - e).where(p > e)
    return named(found, "mixing_ratio", "kg kg-1", standard_name="humidity_mixing_ratio")
