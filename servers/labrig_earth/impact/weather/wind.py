"""Wind at 2 m and at 10 m: a column says its height, and over short grass one follows from the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig_earth.impact.weather.series import Column

Floats = NDArray[np.float64]

NAMES: Mapping[int, str] = {2: "wind_2m_m_s", 10: "wind_10m_m_s"}
BARE = "wind_m_s"
"""Says no height: it is taken for that of the tool that reads it, and the answer says so."""


def to_2_m(height_m: float) -> float:
    """Return wind at 2 m as a part of that at a height (FAO-56, equation 47)."""
    return 4.87 / float(np.log(67.8 * height_m - 5.42))


def wind_columns(most: float, of: str = "") -> dict[str, Column]:
    """Return the columns that a file may have, up to so many m/s."""
    heights = {**{name: f" at {height} m" for height, name in NAMES.items()}, BARE: ""}
    return {name: Column(0, most, f"m/s{height}{of}") for name, height in heights.items()}


def name_wind(
    columns: Mapping[str, Floats], bare_m: int, where: str
) -> tuple[dict[str, Floats], tuple[str, ...]]:
    """Return columns in which wind says its height, and what was assumed; ``bad_input`` where it is there twice."""
    given = [name for name in (*NAMES.values(), BARE) if name in columns]
    if len(given) > 1:
        raise LabrigError("Wind is there twice", where=where, expected=f"one of {', '.join(given)}")
    if given != [BARE]:
        return dict(columns), ()
    others = ", ".join(f"{name} is that at {height} m" for height, name in NAMES.items() if height != bare_m)
    named = {NAMES[bare_m] if name == BARE else name: values for name, values in columns.items()}
    return named, (f"{BARE} is taken for wind at {bare_m} m ({NAMES[bare_m]}); {others}",)


def wind_at(
    height_m: int, columns: Mapping[str, Floats], bare_m: int, where: str
) -> tuple[dict[str, Floats], tuple[str, ...]]:
    """Return columns with wind at a height alone, whatever height it had, and what was assumed and converted."""
    named, notes = name_wind(columns, bare_m, where)
    wanted = NAMES[height_m]
    for from_m, name in NAMES.items():
        if name in named and name != wanted:
            factor = to_2_m(from_m) if height_m == 2 else 1 / to_2_m(height_m)
            named[wanted] = named.pop(name) * factor
            notes = (*notes, f"{wanted}: {name} times {factor:.3f} (FAO-56, equation 47)")
    return named, notes
