"""Mean radiant temperature of a person outdoors: from radiation, or as it was measured; never that of the air.

From radiation it is thermofeel's, after Di Napoli et al. (2020, Int. J. Biometeorol. 64, 1233): half of the short- and
long-wave radiation from above and from below, and the beam on a standing person, with absorptivity 0.7, emissivity 0.97
and the projected area of VDI 3787.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError

Floats = NDArray[np.float64]
KELVIN = 273.15

LEAST_COS = 0.05
"""Below (a sun lower than 3 degrees) a beam is not divided by the cosine of its zenith angle: it counts as diffuse."""

CLOSURE_W_M2 = 1.0


@dataclass(frozen=True)
class Radiation:
    """Fluxes through the ground's plane, W/m2, each the mean over the step.

    Attributes
    ----------
    solar_down, solar_direct, solar_up
        Global, its direct part, and what is reflected.
    thermal_down, thermal_up
        Long-wave.
    """

    solar_down: Floats
    solar_direct: Floats
    solar_up: Floats
    thermal_down: Floats
    thermal_up: Floats


def mean_radiant(fluxes: Radiation, cos_zenith: Floats, where: str = "") -> Floats:
    """Return the mean radiant temperature, degC.

    Parameters
    ----------
    cos_zenith
        Mean over the sunlit part of each step, 0 at night.

    Raises
    ------
    LabrigError
        For a direct or a reflected part that is larger than the whole, and for a beam at night.
    """
    import thermofeel

    for name, part in (("solar_direct_w_m2", fluxes.solar_direct), ("solar_up_w_m2", fluxes.solar_up)):
        above = np.flatnonzero(part > fluxes.solar_down + CLOSURE_W_M2)
        if len(above):
            raise LabrigError(
                f"{name} is above solar_down_w_m2 in {len(above)} rows, first row {above[0] + 1}",
                where=where,
                expected="parts of what comes down, through the ground's plane",
            )
    night = np.flatnonzero((cos_zenith <= 0) & (fluxes.solar_direct > 20.0))
    if len(night):
        raise LabrigError(
            f"There is a beam in {len(night)} rows while the sun is below the horizon, first row {night[0] + 1}",
            where=where,
            expected="times in UTC at the end of each step, and latitude and longitude of the place",
        )
    low = cos_zenith < LEAST_COS
    direct = np.where(low, 0.0, fluxes.solar_direct)
    beam = np.divide(direct, cos_zenith, out=np.zeros_like(direct), where=~low)
    kelvin = thermofeel.calculate_mean_radiant_temperature(
        ssrd=fluxes.solar_down,
        ssr=fluxes.solar_down - fluxes.solar_up,
        dsrp=beam,
        strd=fluxes.thermal_down,
        fdir=direct,
        strr=fluxes.thermal_down - fluxes.thermal_up,
        cossza=cos_zenith,
    )
    found: Floats = np.asarray(kelvin) - KELVIN
    return found
