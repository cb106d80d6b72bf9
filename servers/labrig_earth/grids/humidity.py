"""Moisture of air from what is measured, by formulas that are named.

Saturation vapour pressure over water (over ice below 0 degC only on request), T in degC, hPa:

- ``magnus``: 6.112 exp(17.62 T / (243.12 + T)), -45 to 60 degC (WMO-No. 8, Guide to Instruments and Methods of
  Observation, 2018, annex 4.B; over ice 6.112 exp(22.46 T / (272.62 + T)))
- ``bolton``: 6.112 exp(17.67 T / (T + 243.5)), -35 to 35 degC (Bolton 1980, Mon. Weather Rev. 108, eq. 10)
- ``buck``: 6.1121 exp((18.678 - T / 234.5) T / (257.14 + T)), -80 to 50 degC (Buck 1996, after Buck 1981, J. Appl.
  Meteorol. 20)

Temperatures are `xarray.DataArray` with units or in degC; results carry their units.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.grids.units import units_in

FORMULAS: dict[str, tuple[float, float]] = {
    "magnus": (-45.0, 60.0),
    "bolton": (-35.0, 35.0),
    "buck": (-80.0, 50.0),
}
"""Ranges of validity, degC."""

DRY_TO_WATER = 0.62198
"""Ratio of the gas constants of dry air and water vapour (WMO-No. 8)."""


def saturation_vapour_pressure(temperature: Any, *, formula: str = "magnus", ice: bool = False) -> Any:
    """Return the saturation vapour pressure, hPa.

    Parameters
    ----------
    temperature
        `xarray.DataArray`, in any unit of temperature.
    ice
        Over ice; of ``magnus`` alone.

    Raises
    ------
    LabrigError
        ``bad_input`` for another formula, or ice with one that has none.
    """
    if formula not in FORMULAS:
        raise LabrigError(f"There is no formula {formula!r}", where="formula", expected=", ".join(FORMULAS))
    if ice and formula != "magnus":
        raise LabrigError(f"{formula} has no form over ice here", where="formula", expected="magnus")
    t = units_in(temperature, "degC")
    if formula == "magnus":
        a, b = (22.46, 272.62) if ice else (17.62, 243.12)
        pressure = 6.112 * np.exp(a * t / (b + t))
    elif formula == "bolton":
        pressure = 6.112 * np.exp(17.67 * t / (t + 243.5))
    else:
        pressure = 6.1121 * np.exp((18.678 - t / 234.5) * t / (257.14 + t))
    return _named(pressure, "saturation_vapour_pressure", "hPa", "saturation vapour pressure over water")


def vapour_pressure(dew_point: Any, *, formula: str = "magnus") -> Any:
    """Return the vapour pressure from the dew point, hPa."""
    pressure = saturation_vapour_pressure(dew_point, formula=formula)
    return _named(
        pressure, "vapour_pressure", "hPa", "vapour pressure", "water_vapor_partial_pressure_in_air"
    )


def relative_humidity(temperature: Any, dew_point: Any, *, formula: str = "magnus") -> Any:
    """Return the relative humidity over water, %; above 100 where the dew point is above the temperature."""
    of_air = saturation_vapour_pressure(temperature, formula=formula)
    humidity = 100.0 * vapour_pressure(dew_point, formula=formula) / of_air
    return _named(humidity, "relative_humidity", "%", "relative humidity over water", "relative_humidity")


def dew_point(temperature: Any, humidity: Any, *, formula: str = "magnus") -> Any:
    """Return the dew point, degC, from temperature and relative humidity; missing where that is 0.

    The inverse of the formula: in closed form for magnus and bolton, by Newton's method for buck.
    """
    part = units_in(humidity, "%") / 100.0
    pressure = part.where(part > 0) * saturation_vapour_pressure(temperature, formula=formula)
    return dew_point_of_pressure(pressure, formula=formula)


def dew_point_of_pressure(pressure: Any, *, formula: str = "magnus") -> Any:
    """Return the dew point, degC, from a vapour pressure in hPa; missing where that is 0."""
    pressure = pressure.where(pressure > 0)
    if formula == "buck":
        found = _inverse_of_buck(pressure)
    else:
        a, b = (17.62, 243.12) if formula == "magnus" else (17.67, 243.5)
        logarithm = np.log(pressure / 6.112)
        found = b * logarithm / (a - logarithm)
    return _named(found, "dew_point", "degC", "dew point over water", "dew_point_temperature")


def _inverse_of_buck(pressure: Any) -> Any:
    logarithm = np.log(pressure / 6.1121)
    t = 257.14 * logarithm / (18.678 - logarithm)
    for _ in range(6):
        exponent = (18.678 - t / 234.5) * t / (257.14 + t)
        slope = ((18.678 - 2 * t / 234.5) * (257.14 + t) - (18.678 - t / 234.5) * t) / (257.14 + t) ** 2
        t = t - (exponent - logarithm) / slope
    return t


def specific_humidity(dew_point: Any, pressure: Any, *, formula: str = "magnus") -> Any:
    """Return the specific humidity, kg kg-1, from dew point and pressure."""
    e = vapour_pressure(dew_point, formula=formula)
    p = units_in(pressure, "hPa")
    found = DRY_TO_WATER * e / (p - (1.0 - DRY_TO_WATER) * e)
    return _named(found, "specific_humidity", "kg kg-1", "specific humidity", "specific_humidity")


def vapour_pressure_of_specific(specific: Any, pressure: Any) -> Any:
    """Return the vapour pressure, hPa, from specific humidity and pressure."""
    q, p = units_in(specific, "kg kg-1"), units_in(pressure, "hPa")
    e = q * p / (DRY_TO_WATER + (1.0 - DRY_TO_WATER) * q)
    return _named(e, "vapour_pressure", "hPa", "vapour pressure", "water_vapor_partial_pressure_in_air")


def humidity_of_specific(temperature: Any, specific: Any, pressure: Any, *, formula: str = "magnus") -> Any:
    """Return the relative humidity, %, from specific humidity and pressure."""
    e = vapour_pressure_of_specific(specific, pressure)
    humidity = 100.0 * e / saturation_vapour_pressure(temperature, formula=formula)
    return _named(humidity, "relative_humidity", "%", "relative humidity over water", "relative_humidity")


def vapour_pressure_deficit(temperature: Any, dew_point: Any, *, formula: str = "magnus") -> Any:
    """Return the vapour pressure deficit, hPa."""
    deficit = saturation_vapour_pressure(temperature, formula=formula) - vapour_pressure(
        dew_point, formula=formula
    )
    return _named(deficit, "vapour_pressure_deficit", "hPa", "vapour pressure deficit")


def beyond_range(temperature: Any, formula: str) -> str:
    """Say how many temperatures are outside the range of a formula; an empty text for none."""
    t = units_in(temperature, "degC")
    low, high = FORMULAS[formula]
    count = int(((t < low) | (t > high)).sum())
    if not count:
        return ""
    return f"{count} of {t.size} temperatures are outside the range of {formula}, {low:g} to {high:g} degC"


def _named(values: Any, name: str, unit: str, long_name: str, standard_name: str = "") -> Any:
    attrs = {"units": unit, "long_name": long_name}
    if standard_name:
        attrs["standard_name"] = standard_name
    values = values.rename(name)
    values.attrs = attrs
    return values
