"""A warmer world in plain arrays: what follows for moisture, radiation and evapotranspiration.

Moisture is Magnus' formula of `weather.moisture` in every input, so that days, hours and EPW files of one place stay of
one air. The sky's radiation follows the clear sky of Clark and Allen (1978, Proc. 2nd National Passive Solar Conference
2, 676), which EnergyPlus uses for a file without it; what clouds add to it stays the same part.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labrig_earth.impact.crops.evapotranspiration import extraterrestrial_radiation, with_et0
from labrig_earth.impact.crops.weather import Weather
from labrig_earth.impact.scenario.perturbation import RELATIVE_HUMIDITY
from labrig_earth.impact.weather.moisture import dew_point, saturated

Floats = NDArray[np.float64]
KELVIN = 273.15
SIGMA = 5.670374e-8
LEAST_VAPOUR_HPA = 0.001
LEAST_ET0_MM = 0.1
"""Below, a ratio of two evapotranspirations says nothing, and their difference is taken."""

WIND_2M_M_S, RADIATION_FACTOR = 2.0, 0.16
"""What FAO-56 takes where wind and radiation are not measured (inland)."""


def warmed_vapour(vapour_hpa: Floats, air_c: Floats, warmer_k: float, rule: str) -> Floats:
    """Return the vapour pressure of the warmer air, hPa, never above that of saturation.

    Parameters
    ----------
    rule
        ``constant_relative_humidity`` or ``constant_vapour_pressure``.
    """
    before, after = saturated(air_c), saturated(air_c + warmer_k)
    held = vapour_hpa * after / before if rule == RELATIVE_HUMIDITY else vapour_hpa
    found: Floats = np.maximum(np.minimum(held, after), LEAST_VAPOUR_HPA)
    return found


def warmed_dew(dew_c: Floats, air_c: Floats, warmer_k: float, rule: str) -> Floats:
    """Return the dew point of the warmer air, degC, never above its temperature."""
    found: Floats = np.minimum(
        dew_point(warmed_vapour(saturated(dew_c), air_c, warmer_k, rule)), air_c + warmer_k
    )
    return found


def warmed_humidity(humidity_pct: Floats, air_c: Floats, warmer_k: float, rule: str) -> Floats:
    """Return the relative humidity of the warmer air, %, at most 100 (or what it was, where a file has more)."""
    if rule == RELATIVE_HUMIDITY:
        return humidity_pct
    found: Floats = humidity_pct * saturated(air_c) / saturated(air_c + warmer_k)
    return np.minimum(found, np.maximum(humidity_pct, 100.0))


def clear_sky(air_c: Floats, dew_c: Floats) -> Floats:
    """Return the thermal radiation of a cloudless sky, W/m2 (Clark and Allen 1978)."""
    emissivity = 0.787 + 0.764 * np.log((dew_c + KELVIN) / 273.0)
    found: Floats = emissivity * SIGMA * (air_c + KELVIN) ** 4
    return found


def warmed_sky(
    sky_w_m2: Floats, air_c: Floats, dew_c: Floats, warmer_k: float, warmed_dew_c: Floats
) -> Floats:
    """Return the thermal radiation of the sky over the warmer air, W/m2."""
    found: Floats = sky_w_m2 * clear_sky(air_c + warmer_k, warmed_dew_c) / clear_sky(air_c, dew_c)
    return found


def warmed_ground(up_w_m2: Floats, warmer_k: float) -> Floats:
    """Return the thermal radiation of ground that is warmer by so much, W/m2, as a black body."""
    found: Floats = SIGMA * ((up_w_m2 / SIGMA) ** 0.25 + warmer_k) ** 4
    return found


def warmed_radiant(radiant_c: Floats, air_c: Floats, warmer_k: float) -> Floats:
    """Return the mean radiant temperature, degC, where surroundings warm as the air does and the sun's part stays."""
    more = (air_c + warmer_k + KELVIN) ** 4 - (air_c + KELVIN) ** 4
    found: Floats = ((radiant_c + KELVIN) ** 4 + more) ** 0.25 - KELVIN
    return found


def penman_monteith(days: Weather, latitude: float, elevation_m: float) -> tuple[Weather, list[str]]:
    """Return days with ``et0_mm`` by FAO-56 Penman-Monteith, and what stood in for columns that they lack.

    Substitutes are those of FAO-56, chapter 3: the minimum temperature for the dew point, 2 m/s, and radiation by the
    range of temperature (equation 50, inland).
    """
    columns = {name: values for name, values in days.columns.items() if name != "et0_mm"}
    notes = []
    if "tdew_c" not in columns:
        columns["tdew_c"] = columns["tmin_c"]
        notes.append("the dew point is the minimum temperature")
    if "wind_2m_m_s" not in columns:
        columns["wind_2m_m_s"] = np.full(days.days, WIND_2M_M_S)
        notes.append(f"wind is {WIND_2M_M_S:g} m/s")
    if "srad_mj_m2" not in columns:
        above = extraterrestrial_radiation(days.dates(), latitude)
        columns["srad_mj_m2"] = RADIATION_FACTOR * np.sqrt(columns["tmax_c"] - columns["tmin_c"]) * above
        notes.append("radiation by the range of temperature")
    found = with_et0(replace(days, columns=columns), "penman_monteith", latitude, elevation_m)
    return found, notes


def warmed_et0(
    et0_mm: Floats, days: Weather, latitude: float, elevation_m: float, warmer_k: float, rule: str
) -> tuple[Floats, list[str]]:
    """Return evapotranspiration of the warmer days, mm/day, and what was assumed for it.

    That of the file is kept, whatever its method, and multiplied by what Penman-Monteith says of the same days warmer
    to what it says of them as they are.
    """
    now, notes = penman_monteith(days, latitude, elevation_m)
    columns = dict(now.columns)
    mean = (columns["tmin_c"] + columns["tmax_c"]) / 2
    columns["tdew_c"] = warmed_dew(columns["tdew_c"], mean, warmer_k, rule)
    for name in ("tmin_c", "tmax_c"):
        columns[name] = columns[name] + warmer_k
    del columns["et0_mm"]
    then, _ = penman_monteith(replace(days, columns=columns), latitude, elevation_m)
    before, after = now.columns["et0_mm"], then.columns["et0_mm"]
    ratio = np.divide(after, before, out=np.ones_like(before), where=before >= LEAST_ET0_MM)
    found: Floats = np.where(before >= LEAST_ET0_MM, et0_mm * ratio, np.maximum(et0_mm + after - before, 0.0))
    return found, notes
