"""Reference evapotranspiration where a file of weather has none: two methods of FAO-56, named in the result.

Source: Allen, Pereira, Raes, Smith (1998), Crop evapotranspiration, FAO Irrigation and Drainage Paper 56; equations are
numbered as there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, unknown_name
from labrig_earth.impact.crops.weather import Weather

Column = NDArray[np.float64]

SOLAR_CONSTANT = 0.0820  # MJ/m2/min
STEFAN_BOLTZMANN = 4.903e-9  # MJ/K4/m2/day
ALBEDO = 0.23  # of the reference grass


def with_et0(weather: Weather, method: str, latitude: float, elevation_m: float) -> Weather:
    """Return weather with reference evapotranspiration by a named method.

    Parameters
    ----------
    method
        ``hargreaves`` (needs temperatures) or ``penman_monteith`` (also ``srad_mj_m2``, ``tdew_c``, ``wind_2m_m_s``).
    latitude
        Degrees north.
    elevation_m
        Metres above the sea; Hargreaves does not use it.

    Raises
    ------
    LabrigError
        For an unknown method, an invalid latitude, columns that the method needs and the weather lacks.
    """
    methods: Mapping[str, tuple[Callable[[Weather, float, float], Column], tuple[str, ...]]] = {
        "hargreaves": (_hargreaves, ()),
        "penman_monteith": (_penman_monteith, ("srad_mj_m2", "tdew_c", "wind_2m_m_s")),
    }
    if method not in methods:
        raise unknown_name("method for et0", method, methods, where="et0.method")
    if not -66.0 <= latitude <= 66.0:
        raise LabrigError(
            f"The latitude is {latitude:g}",
            where="et0.latitude",
            expected="-66 to 66 degrees north: beyond, the sun does not set or rise on some days",
        )
    compute, needed = methods[method]
    lacking = [name for name in needed if name not in weather.columns]
    if lacking:
        raise LabrigError(
            f"{method} needs {', '.join(lacking)}", where="weather", try_="et0.method hargreaves"
        )
    if "et0_mm" in weather.columns:
        raise LabrigError(
            "The weather has et0_mm, and a method to compute it is given",
            where="et0",
            expected="one of the two",
        )
    found = np.maximum(compute(weather, latitude, elevation_m), 0.0)
    at = f"{abs(latitude):g} degrees {'north' if latitude >= 0 else 'south'}"
    return weather.with_column("et0_mm", found, f"et0_mm computed by {method} (FAO-56) for {at}")


def extraterrestrial_radiation(days: list[date], latitude: float) -> Column:
    """Return radiation above the atmosphere, MJ/m2/day, for each day (equations 21 to 25)."""
    number = np.array([day.timetuple().tm_yday for day in days], dtype=float)
    distance = 1 + 0.033 * np.cos(2 * np.pi / 365 * number)
    declination = 0.409 * np.sin(2 * np.pi / 365 * number - 1.39)
    phi = np.radians(latitude)
    sunset = np.arccos(np.clip(-np.tan(phi) * np.tan(declination), -1, 1))
    return np.asarray(
        24 * 60 / np.pi * SOLAR_CONSTANT * distance
        * (sunset * np.sin(phi) * np.sin(declination) + np.cos(phi) * np.cos(declination) * np.sin(sunset))
    )  # fmt: skip


def saturation_pressure(celsius: Column) -> Column:
    """Return saturation vapour pressure, kPa (equation 11)."""
    return np.asarray(0.6108 * np.exp(17.27 * celsius / (celsius + 237.3)))


def _hargreaves(weather: Weather, latitude: float, elevation_m: float) -> Column:
    """Return equation 52, mm/day."""
    low, high = weather.columns["tmin_c"], weather.columns["tmax_c"]
    radiation = 0.408 * extraterrestrial_radiation(weather.dates(), latitude)
    return np.asarray(0.0023 * ((low + high) / 2 + 17.8) * np.sqrt(high - low) * radiation)


def _penman_monteith(weather: Weather, latitude: float, elevation_m: float) -> Column:
    """Return equation 6, mm/day, with the vapour pressure of the dew point and no heat flux into the soil."""
    columns = weather.columns
    low, high, dew = columns["tmin_c"], columns["tmax_c"], columns["tdew_c"]
    mean, wind = (low + high) / 2, columns["wind_2m_m_s"]
    saturated = (saturation_pressure(low) + saturation_pressure(high)) / 2
    actual = saturation_pressure(dew)
    slope = 4098 * saturation_pressure(mean) / (mean + 237.3) ** 2
    pressure = 101.3 * ((293 - 0.0065 * elevation_m) / 293) ** 5.26
    psychrometric = 0.665e-3 * pressure
    above = extraterrestrial_radiation(weather.dates(), latitude)
    clear = (0.75 + 2e-5 * elevation_m) * above
    fourth = ((low + 273.16) ** 4 + (high + 273.16) ** 4) / 2
    cloud = 1.35 * np.clip(columns["srad_mj_m2"] / clear, 0.3, 1.0) - 0.35
    net = (1 - ALBEDO) * columns["srad_mj_m2"] - STEFAN_BOLTZMANN * fourth * (
        0.34 - 0.14 * np.sqrt(actual)
    ) * cloud
    radiative = 0.408 * slope * net
    aerodynamic = psychrometric * 900 / (mean + 273) * wind * (saturated - actual)
    return np.asarray((radiative + aerodynamic) / (slope + psychrometric * (1 + 0.34 * wind)))
