"""How warm moist air feels: heat index and wet-bulb temperature, each within the range that it was fitted for."""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig_earth.grids.units import units_in


def heat_index(temperature: Any, humidity: Any) -> Any:
    """Return the heat index, degC, as the US National Weather Service computes it.

    Rothfusz's regression (1990, NWS Technical Attachment SR 90-23) where the simple formula of Steadman, averaged with
    the temperature, gives 80 degF or more, with its adjustments for dry and very moist air; else that simple formula.
    It was fitted to 80 to 110 degF and 40 to 100 %; below 40 degF it is the temperature itself.

    Parameters
    ----------
    temperature, humidity
        `xarray.DataArray` with units of temperature and of a ratio.
    """
    t = units_in(temperature, "degF")
    rh = units_in(humidity, "%")
    simple = 0.5 * (t + 61.0 + (t - 68.0) * 1.2 + rh * 0.094)
    averaged = (simple + t) / 2.0
    full = (
        -42.379
        + 2.04901523 * t
        + 10.14333127 * rh
        - 0.22475541 * t * rh
        - 6.83783e-3 * t**2
        - 5.481717e-2 * rh**2
        + 1.22874e-3 * t**2 * rh
        + 8.5282e-4 * t * rh**2
        - 1.99e-6 * t**2 * rh**2
    )
    dry = ((13.0 - rh) / 4.0) * np.sqrt(((17.0 - abs(t - 95.0)) / 17.0).clip(min=0.0))
    full = full - dry.where((rh < 13) & (t >= 80) & (t <= 112), 0.0)
    moist = ((rh - 85.0) / 10.0) * ((87.0 - t) / 5.0)
    full = full + moist.where((rh > 85) & (t >= 80) & (t <= 87), 0.0)
    found = averaged.where(averaged < 80.0, full)
    found = found.where(t > 40.0, t).where(t.notnull() & rh.notnull())
    result = ((found - 32.0) / 1.8).rename("heat_index")
    result.attrs = {"units": "degC", "long_name": "heat index (Rothfusz)"}
    return result


HEAT_INDEX_RANGE = "Rothfusz's regression was fitted to 27 to 43 degC and 40 to 100 % relative humidity"


def outside_heat_index(temperature: Any) -> str:
    """Say how many temperatures the regression was not fitted for; an empty text for none."""
    t = units_in(temperature, "degC")
    count = int(((t < 26.67) | (t > 43.34)).sum())
    return f"{count} of {t.size} temperatures are outside: {HEAT_INDEX_RANGE}" if count else ""


def wet_bulb(temperature: Any, humidity: Any) -> Any:
    """Return the wet-bulb temperature, degC, at about 1013 hPa by Stull's fit.

    Source: Stull (2011), J. Appl. Meteorol. Climatol. 50, 2267, eq. 1: 5 to 99 % and -20 to 50 degC, errors -1.0 to
    0.65 degC. Outside these ranges it is missing.

    Parameters
    ----------
    temperature, humidity
        `xarray.DataArray` with units of temperature and of a ratio.
    """
    t = units_in(temperature, "degC")
    rh = units_in(humidity, "%")
    found = (
        t * np.arctan(0.151977 * (rh + 8.313659) ** 0.5)
        + np.arctan(t + rh)
        - np.arctan(rh - 1.676331)
        + 0.00391838 * rh**1.5 * np.arctan(0.023101 * rh)
        - 4.686035
    )
    inside = (rh >= 5) & (rh <= 99) & (t >= -20) & (t <= 50)
    result = found.where(inside).rename("wet_bulb_temperature")
    result.attrs = {
        "units": "degC",
        "long_name": "wet-bulb temperature (Stull)",
        "standard_name": "wet_bulb_temperature",
    }
    return result
