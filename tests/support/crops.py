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
        "wind_m_s": np.full(days, 2.0),
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
