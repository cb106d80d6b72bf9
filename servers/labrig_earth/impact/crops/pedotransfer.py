"""Water that a soil holds and conducts, from its texture and organic matter: Saxton and Rawls (2006).

Soil Sci. Soc. Am. J. 70, 1569, equations 1 to 5, 16 and 18, without corrections for density, gravel and salt. Made from
soils with at most 8 % of organic matter and 60 % of clay: others are refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labrig.errors import LabrigError

MATTER_PER_CARBON = 1.724
MOST_MATTER, MOST_CLAY = 8.0, 60.0
MM_DAY_PER_MM_H = 24.0


@dataclass(frozen=True)
class Held:
    """Water contents, m3/m3, at 1,500 kPa, 33 kPa and saturation, and conductivity at saturation, mm/day."""

    wilting_point: float
    field_capacity: float
    saturation: float
    ksat_mm_day: float


def held(sand: float, clay: float, organic_matter: float, where: str = "") -> Held:
    """Return what a soil holds and conducts.

    Parameters
    ----------
    sand, clay
        % of the mass of the fine earth.
    organic_matter
        % of mass; `MATTER_PER_CARBON` times organic carbon.

    Raises
    ------
    LabrigError
        For a soil outside of those from which the equations were made.
    """
    if not (0 <= sand <= 100 and 0 <= clay <= MOST_CLAY and sand + clay <= 100.001):
        raise LabrigError(
            f"The soil has {sand:g} % sand and {clay:g} % clay",
            where=where,
            expected=f"at most {MOST_CLAY:g} % clay, and at most 100 % in all",
        )
    if not 0 <= organic_matter <= MOST_MATTER:
        raise LabrigError(
            f"The soil has {organic_matter:g} % organic matter",
            where=where,
            expected=f"0 to {MOST_MATTER:g} %: the equations know no peat",
        )
    s, c, om = sand / 100, clay / 100, organic_matter
    first = -0.024 * s + 0.487 * c + 0.006 * om + 0.005 * s * om - 0.013 * c * om + 0.068 * s * c + 0.031
    wilting = first + 0.14 * first - 0.02
    first = -0.251 * s + 0.195 * c + 0.011 * om + 0.006 * s * om - 0.027 * c * om + 0.452 * s * c + 0.299
    capacity = first + 1.283 * first**2 - 0.374 * first - 0.015
    first = 0.278 * s + 0.034 * c + 0.022 * om - 0.018 * s * om - 0.027 * c * om - 0.584 * s * c + 0.078
    drained = first + 0.636 * first - 0.107
    saturation = capacity + drained - 0.097 * s + 0.043
    if not 0 < wilting < capacity < saturation:
        raise LabrigError(
            f"The equations give water contents of {wilting:.3f}, {capacity:.3f} and {saturation:.3f} m3/m3",
            where=where,
            expected="a soil that holds water: more clay, or water contents that were measured",
        )
    slope = (np.log(1500) - np.log(33)) / (np.log(capacity) - np.log(wilting))
    conductivity = 1930 * (saturation - capacity) ** (3 - 1 / slope)
    return Held(wilting, capacity, saturation, float(conductivity) * MM_DAY_PER_MM_H)
