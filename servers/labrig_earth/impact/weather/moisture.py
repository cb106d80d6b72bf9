"""Humidity of plain arrays: Magnus' formula over water with WMO's coefficients, as `grids.humidity` has it.

e = 6.112 hPa exp(17.62 T / (243.12 + T)), T in degC (WMO-No. 8, 2018, annex 4.B); dew point and relative humidity that
stand beside each other are of the same vapour pressure, so they agree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
A, B, AT_ZERO = 17.62, 243.12, 6.112


def saturated(air_c: Floats) -> Floats:
    """Return the saturation vapour pressure over water, hPa."""
    found: Floats = AT_ZERO * np.exp(A * air_c / (B + air_c))
    return found


def dew_point(vapour_hpa: Floats) -> Floats:
    """Return the dew point, degC, of a vapour pressure above 0."""
    logarithm = np.log(vapour_hpa / AT_ZERO)
    found: Floats = B * logarithm / (A - logarithm)
    return found


def pressure_at(elevation_m: float) -> float:
    """Return the pressure of the standard atmosphere (ISO 2533), Pa."""
    return float(101_325.0 * (1 - 2.25577e-5 * elevation_m) ** 5.25588)
