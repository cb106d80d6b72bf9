"""Centres of cyclones at one time: lows of mean sea level pressure where the wind at 850 hPa turns cyclonically."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST_VORTICITY = 5e-5
"""s-1, at 850 hPa, of the cyclonic sense."""
MOST_PRESSURE_HPA = 1015.0
MOST_CENTRES = 200
"""At one time, the deepest."""
AROUND_KM = 300.0
"""Within which the strongest wind is taken: at the centre itself the wind is weak."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Centre:
    """The centre of a cyclone at one time.

    Attributes
    ----------
    latitude, longitude
        Degrees; longitude from -180 to below 180.
    pressure_hpa
        At mean sea level.
    vorticity
        At 850 hPa, s-1; negative south of the equator.
    wind, wind_around
        At 10 m, m s-1, at the centre and the most within `AROUND_KM`; None without winds.
    """

    latitude: float
    longitude: float
    pressure_hpa: float
    vorticity: float
    wind: float | None = None
    wind_around: float | None = None


def find_centres(
    pressure_hpa: Values,
    vorticity: Values,
    latitudes: Values,
    longitudes: Values,
    *,
    wind: Values | None = None,
    goes_round: bool = False,
) -> list[Centre]:
    """Return the centres at one time, the deepest first.

    A centre is a cell with the least pressure of its 3 x 3 neighbours (not the same everywhere) and at most
    `MOST_PRESSURE_HPA`, whose vorticity is at least `LEAST_VORTICITY` in the cyclonic sense: to the left north of the
    equator, to the right south of it. Of neighbours of one pressure the one with most vorticity counts. At the edge of
    a box there is no centre, since the low may lie outside; grids that go round the Earth have no edge east and west.

    Parameters
    ----------
    pressure_hpa, vorticity, wind
        (latitude, longitude); missing values are no centre.
    """
    from scipy.ndimage import label, maximum_filter, minimum_filter

    turning = vorticity * np.sign(latitudes)[:, None]
    padded = np.pad(pressure_hpa, ((0, 0), (1, 1)), mode="wrap" if goes_round else "edge")
    known = np.isfinite(padded)
    least = minimum_filter(np.where(known, padded, np.inf), size=3, mode="nearest")[:, 1:-1]
    most = maximum_filter(np.where(known, padded, -np.inf), size=3, mode="nearest")[:, 1:-1]
    low = (
        (pressure_hpa <= least)
        & (pressure_hpa < most)
        & (pressure_hpa <= MOST_PRESSURE_HPA)
        & (turning >= LEAST_VORTICITY)
    )
    low[[0, -1], :] = False
    if not goes_round:
        low[:, [0, -1]] = False
    groups, count = label(low, structure=np.ones((3, 3)))
    found: list[Centre] = []
    for number in range(1, count + 1):
        rows, columns = np.nonzero(groups == number)
        best = int(np.argmax(turning[rows, columns]))
        row, column = int(rows[best]), int(columns[best])
        latitude, longitude = float(latitudes[row]), float((longitudes[column] + 180.0) % 360.0 - 180.0)
        around = None
        if wind is not None:
            near = _distance_km(latitude, longitude, latitudes, longitudes) <= AROUND_KM
            speeds = wind[near]
            around = float(np.nanmax(speeds)) if np.isfinite(speeds).any() else None
        here = None if wind is None or not np.isfinite(wind[row, column]) else float(wind[row, column])
        found.append(
            Centre(
                latitude,
                longitude,
                float(pressure_hpa[row, column]),
                float(vorticity[row, column]),
                here,
                around,
            )
        )
    return sorted(found, key=lambda each: each.pressure_hpa)[:MOST_CENTRES]


def _distance_km(latitude: float, longitude: float, latitudes: Values, longitudes: Values) -> Values:
    """Return distances to all cells on the sphere, km."""
    from labrig_earth.grids.cells import EARTH_KM

    phi, here = np.deg2rad(latitudes)[:, None], np.deg2rad(latitude)
    turn = np.deg2rad(longitudes - longitude)[None, :]
    half = np.sin((phi - here) / 2) ** 2 + np.cos(here) * np.cos(phi) * np.sin(turn / 2) ** 2
    found: Values = 2 * EARTH_KM * np.arcsin(np.sqrt(np.clip(half, 0, 1)))
    return found
