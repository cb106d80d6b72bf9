"""UTCI, the Universal Thermal Climate Index, where it is valid, and its categories of stress.

The polynomial of sixth degree is thermofeel's (ECMWF), after Broede et al. (2012, Int. J. Biometeorol. 56, 481). It was
fitted to air of -50 to 50 degC, 10 m wind of 0.5 to 17 m/s, a mean radiant temperature of 30 K below to 70 K above that
of the air, and vapour pressure below 50 hPa. Outside it gives numbers that mean nothing, and says nothing: here such
hours have no UTCI, and the reason is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
KELVIN = 273.15

AIR_C = (-50.0, 50.0)
WIND_M_S = (0.5, 17.0)
RADIANT_K = (-30.0, 70.0)
MOST_VAPOUR_HPA = 50.0

EDGES_C = (-40.0, -27.0, -13.0, 0.0, 9.0, 26.0, 32.0, 38.0, 46.0)
"""degC; an edge belongs to the warmer category."""

CATEGORIES = (
    "extreme_cold_stress",
    "very_strong_cold_stress",
    "strong_cold_stress",
    "moderate_cold_stress",
    "slight_cold_stress",
    "no_thermal_stress",
    "moderate_heat_stress",
    "strong_heat_stress",
    "very_strong_heat_stress",
    "extreme_heat_stress",
)
"""From cold to hot, as the assessment scale of UTCI names them (Broede et al. 2012, table 3)."""

STRONG_HEAT_C = 32.0


@dataclass(frozen=True)
class Found:
    """UTCI of some hours.

    Attributes
    ----------
    utci_c
        degC; NaN where it is not valid.
    outside
        By reason, which hours are not valid.
    """

    utci_c: Floats
    outside: Mapping[str, NDArray[np.bool_]]

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Where there is a UTCI."""
        return ~np.isnan(self.utci_c)


def utci(air_c: Floats, radiant_c: Floats, wind_10m_m_s: Floats, vapour_hpa: Floats) -> Found:
    """Return UTCI within the range that its polynomial was fitted to.

    Parameters
    ----------
    air_c
        Temperature of the air at 2 m, degC.
    radiant_c
        Mean radiant temperature, degC; never a copy of that of the air.
    wind_10m_m_s
        At 10 m, m/s.
    vapour_hpa
        Pressure of water vapour, hPa.
    """
    import thermofeel

    excess = radiant_c - air_c
    outside = {
        f"air below {AIR_C[0]:g} or above {AIR_C[1]:g} degC": (air_c < AIR_C[0]) | (air_c > AIR_C[1]),
        f"10 m wind below {WIND_M_S[0]:g} m/s": wind_10m_m_s < WIND_M_S[0],
        f"10 m wind above {WIND_M_S[1]:g} m/s": wind_10m_m_s > WIND_M_S[1],
        f"mean radiant temperature more than {-RADIANT_K[0]:g} K below the air's": excess < RADIANT_K[0],
        f"mean radiant temperature more than {RADIANT_K[1]:g} K above the air's": excess > RADIANT_K[1],
        f"vapour pressure above {MOST_VAPOUR_HPA:g} hPa": vapour_hpa > MOST_VAPOUR_HPA,
    }
    bad = np.any(list(outside.values()), axis=0)
    kelvin = thermofeel.calculate_utci(
        t2_k=air_c + KELVIN, va=wind_10m_m_s, mrt=radiant_c + KELVIN, ehPa=vapour_hpa
    )
    return Found(np.where(bad, np.nan, np.asarray(kelvin) - KELVIN), outside)


def vapour_pressure(air_c: Floats, humidity_percent: Floats) -> Floats:
    """Return the vapour pressure, hPa, of a relative humidity over water (Hardy 1998, to which UTCI is tied)."""
    import thermofeel

    saturated = thermofeel.calculate_saturation_vapour_pressure(air_c + KELVIN)
    found: Floats = np.asarray(saturated) * humidity_percent / 100
    return found


def categories(utci_c: Floats) -> NDArray[np.int64]:
    """Return the place of each value in `CATEGORIES`; -1 where it is NaN."""
    places = np.searchsorted(EDGES_C, utci_c, side="right")
    return np.where(np.isnan(utci_c), -1, places).astype(np.int64)
