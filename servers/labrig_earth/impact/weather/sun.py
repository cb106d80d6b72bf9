"""Where the sun stands, and how much of its radiation arrives outside the atmosphere and in a clear sky.

Declination, equation of time and distance of the sun are Spencer's series (1971, Search 2, 172): the elevation is right
to about 0.1 degrees. Angles are in degrees, latitude positive towards the north, longitude towards the east, times in
UTC.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SOLAR_CONSTANT = 1361.0
"""W/m2 at one astronomical unit (Kopp and Lean 2011, Geophys. Res. Lett. 38, L01706)."""

SUBSTEPS = 12
"""Moments within a step over which the sun is averaged."""


def _angle(times: NDArray[np.datetime64]) -> Floats:
    """Return the angle of the year, radians, 0 at the beginning of 1 January."""
    year = times.astype("datetime64[Y]")
    start = year.astype("datetime64[s]")
    length = ((year + 1).astype("datetime64[s]") - start).astype(float)
    found: Floats = 2 * np.pi * (times - start).astype("timedelta64[s]").astype(float) / length
    return found


def cos_zenith(times: NDArray[np.datetime64], latitude: Any, longitude: Any) -> Floats:
    """Return the cosine of the zenith angle of the sun, negative below the horizon.

    Parameters
    ----------
    times
        ``datetime64[s]``, UTC.
    latitude, longitude
        Degrees, numbers or arrays as long.
    """
    g = _angle(times)
    declination = (
        0.006918
        - 0.399912 * np.cos(g)
        + 0.070257 * np.sin(g)
        - 0.006758 * np.cos(2 * g)
        + 0.000907 * np.sin(2 * g)
        - 0.002697 * np.cos(3 * g)
        + 0.00148 * np.sin(3 * g)
    )
    equation_h = (
        12
        / np.pi
        * (
            0.000075
            + 0.001868 * np.cos(g)
            - 0.032077 * np.sin(g)
            - 0.014615 * np.cos(2 * g)
            - 0.040849 * np.sin(2 * g)
        )
    )
    of_day = (times - times.astype("datetime64[D]")).astype("timedelta64[s]").astype(float) / 3600
    hour_angle = np.deg2rad(15 * (of_day + equation_h - 12) + longitude)
    phi = np.deg2rad(latitude)
    found: Floats = np.sin(phi) * np.sin(declination) + np.cos(phi) * np.cos(declination) * np.cos(hour_angle)
    return found


def sunlit(
    ends: NDArray[np.datetime64], step_s: int, latitude: float, longitude: float
) -> tuple[Floats, Floats]:
    """Return the mean cosine of the zenith angle over the sunlit part of each step, and how large that part is.

    Where the sun is below the horizon all through the step both are 0.

    Parameters
    ----------
    ends
        Ends of the steps, UTC.
    """
    total, lit = np.zeros(len(ends)), np.zeros(len(ends))
    for place in range(SUBSTEPS):
        back = round(step_s * (place + 0.5) / SUBSTEPS)
        height = cos_zenith(ends - np.timedelta64(back, "s"), latitude, longitude)
        total += np.maximum(height, 0)
        lit += height > 0
    return np.divide(total, lit, out=np.zeros_like(total), where=lit > 0), lit / SUBSTEPS


def extraterrestrial(ends: NDArray[np.datetime64]) -> Floats:
    """Return the radiation of the sun outside the atmosphere on a plane that faces it, W/m2."""
    g = _angle(ends)
    distance = (
        1.00011
        + 0.034221 * np.cos(g)
        + 0.00128 * np.sin(g)
        + 0.000719 * np.cos(2 * g)
        + 0.000077 * np.sin(2 * g)
    )
    found: Floats = SOLAR_CONSTANT * distance
    return found
