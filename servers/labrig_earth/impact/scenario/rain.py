"""Precipitation of a drier or a wetter world: by one factor, or by fewer wet days; the same in each year."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labrig_earth.impact.scenario.perturbation import INTENSITY

Floats = NDArray[np.float64]


def changed_rain(rain_mm: Floats, years: NDArray[np.int64], percent: float, way: str, seed: int) -> Floats:
    """Return precipitation whose sum over each year is changed by so many percent.

    Parameters
    ----------
    rain_mm
        Of each step.
    years
        The year of each step.
    way
        ``intensity``; or ``wet_days``: wet days, drawn at random, become dry, and one of them keeps what is left over.
    """
    if way == INTENSITY:
        return rain_mm * (1 + percent / 100)
    found = rain_mm.copy()
    chosen = np.random.default_rng(seed)
    for year in np.unique(years):
        wet = np.flatnonzero((years == year) & (rain_mm > 0))
        wet = wet[chosen.permutation(len(wet))]
        taken = np.cumsum(rain_mm[wet])
        to_take = -percent / 100 * taken[-1] if len(wet) else 0.0
        found[wet[taken <= to_take]] = 0.0
        last = int((taken <= to_take).sum())
        if last < len(wet):
            found[wet[last]] = taken[last] - to_take
    return found
