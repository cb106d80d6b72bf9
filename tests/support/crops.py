"""Files of crops that tests share: weather of Tunis that ships with the engine, and a made year."""

from __future__ import annotations

import functools
import json
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from labrig.sideenv import status
from labrig_earth.impact.crops.setup import CROPS


@functools.cache
def installed() -> bool:
    """Tell whether the engines of crops are there."""
    return status(CROPS).state == "installed"


def needs_crops() -> None:
    """Skip a test where the engines of crops are not installed."""
    if not installed():
        pytest.skip("AquaCrop and DSSAT are not installed: labrig setup crops")


def tunis() -> bytes:
    """Return the daily weather of Tunis that AquaCrop's wheel carries, as a CSV file of ours."""
    (path,) = CROPS.path.glob("lib/python3*/site-packages/aquacrop/data/tunis_climate.txt")
    lines = ["date,tmin_c,tmax_c,precipitation_mm,et0_mm"]
    for line in path.read_text().splitlines()[1:]:
        day, month, year, low, high, rain, et0 = line.split()
        lines.append(f"{int(year)}-{int(month):02}-{int(day):02},{low},{high},{rain},{et0}")
    return "\n".join(lines).encode()


def made_weather(
    start: date = date(2001, 1, 1), days: int = 365, *, rain: float = 1.0, warmer: float = 0.0, **more: Any
) -> bytes:
    """Return a made year of a temperate place as CSV, with sunshine, dew point and wind.

    Parameters
    ----------
    rain, warmer
        Precipitation times this; temperatures plus this, K.
    more
        Columns whose values are replaced, by name: a list, or one value; None leaves the column out.
    """
    number = np.arange(days)
    turn = 2 * np.pi * (number - 200) / 365.25
    mean = 12 + 11 * np.cos(turn) + 2.5 * np.sin(number * 1.7)
    falls = (number * 7) % 11 < 3
    columns: dict[str, Any] = {
        "tmin_c": np.round(mean - 5 + warmer, 2),
        "tmax_c": np.round(mean + 6 + warmer, 2),
        "precipitation_mm": np.round(np.where(falls, 4 + 5 * np.abs(np.sin(number)), 0) * rain, 2),
        "et0_mm": np.round(2.6 + 2.2 * np.cos(turn), 2),
        "srad_mj_m2": np.round(14 + 9 * np.cos(turn), 2),
        "tdew_c": np.round(mean - 4 + warmer, 2),
        "wind_2m_m_s": np.full(days, 2.0),
    }
    for name, values in more.items():
        if values is None:
            del columns[name]
        else:
            columns[name] = values if isinstance(values, list) else [values] * days
    lines = ["date," + ",".join(columns)]
    for place in range(days):
        lines.append(
            f"{start + timedelta(days=place)}," + ",".join(str(each[place]) for each in columns.values())
        )
    return "\n".join(lines).encode()


def as_json(**fields: Any) -> bytes:
    """Return fields as a JSON file."""
    return json.dumps(fields).encode()


def _layer(
    thickness: float, low: float, high: float, full: float, dense: float, carbon: float
) -> dict[str, float]:
    return {
        "thickness_m": thickness,
        "wilting_point": low,
        "field_capacity": high,
        "saturation": full,
        "ksat_mm_day": 300,
        "bulk_density_g_cm3": dense,
        "organic_carbon_percent": carbon,
        "clay_percent": 21,
        "silt_percent": 59,
    }


SILT_LOAM: dict[str, Any] = {
    "layers": [
        _layer(0.1, 0.11, 0.25, 0.48, 1.3, 1.8),
        _layer(0.2, 0.11, 0.25, 0.48, 1.3, 1.5),
        _layer(0.3, 0.12, 0.26, 0.47, 1.35, 0.8),
        _layer(0.4, 0.12, 0.26, 0.46, 1.4, 0.4),
        _layer(0.5, 0.12, 0.26, 0.45, 1.45, 0.2),
    ]
}
"""A silt loam of 1.5 m, as DSSAT takes it."""


def treatment(**changed: Any) -> dict[str, Any]:
    """Return a treatment of maize, fertilized and once irrigated."""
    return {
        "site": {"latitude": 41.0, "longitude": -93.0, "elevation_m": 300},
        "start": "2001-04-01",
        "planting": {"date": "2001-05-01", "plants_m2": 7, "row_cm": 75, "depth_cm": 5},
        "fertilizer": [{"date": "2001-05-20", "n_kg_ha": 120}],
        "irrigation": [{"date": "2001-07-01", "mm": 40}],
        **changed,
    }
