"""Wind at 2 m and at 10 m: a column says its height, and over short grass one follows from the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig_earth.impact.weather.quantities import BARE_WIND, WINDS

Floats = NDArray[np.float64]


def to_2_m(height_m: float) -> float:
    """Return wind at 2 m as a part of that at a height (FAO-56, equation 47)."""
    return 4.87 / float(np.log(67.8 * height_m - 5.42))


def name_wind(
    columns: Mapping[str, Floats], bare_m: int, where: str
) -> tuple[dict[str, Floats], tuple[str, ...]]:
    """Return columns in which wind says its height, and what was assumed; ``bad_input`` where it is there twice."""
    given = [name for name in (*WINDS.values(), BARE_WIND) if name in columns]
    if len(given) > 1:
        raise LabrigError("Wind is there twice", where=where, expected=f"one of {', '.join(given)}")
    if given != [BARE_WIND]:
        return dict(columns), ()
    others = ", ".join(f"{name} is that at {height} m" for height, name in WINDS.items() if height != bare_m)
    named = {WINDS[bare_m] if name == BARE_WIND else name: values for name, values in columns.items()}
    return named, (f"{BARE_WIND} is taken for wind at {bare_m} m ({WINDS[bare_m]}); {others}",)


def wind_at(
    height_m: int, columns: Mapping[str, Floats], bare_m: int, where: str
) -> tuple[dict[str, Floats], tuple[str, ...]]:
    """Return columns with wind at a height alone, whatever height it had, and what was assumed and converted."""
    named, notes = name_wind(columns, bare_m, where)
    wanted = WINDS[height_m]
    for from_m, name in WINDS.items():
        if name in named and name != wanted:
            factor = to_2_m(from_m) if height_m == 2 else 1 / to_2_m(height_m)
            named[wanted] = named.pop(name) * factor
            notes = (*notes, f"{wanted}: {name} times {factor:.3f} (FAO-56, equation 47)")
    return named, notes
