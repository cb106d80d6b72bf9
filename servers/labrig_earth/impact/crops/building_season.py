"""Crop and management files out of a season's weather: the input ``season`` of ``make_input``.

Sowing is on the first day, from a day that the caller states, before which the mean temperature of so many days was
warm enough. What is warm enough, and all else of the field, the caller states; only the day is found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from labrig.answer import Quantity
from labrig.errors import LabrigError
from labrig_earth.impact.crops.weather import Weather, read_weather
from labrig_earth.impact.sampling import point_of
from labrig_earth.results import Result
from labrig_earth.work.arguments import mapping_of
from labrig_earth.work.calls import Call
from labrig_earth.work.fields import Fields

ENGINES = ("aquacrop", "dssat")


def make(call: Call) -> Result:
    """Write ``crop.json`` and ``management.json`` for AquaCrop, or ``cultivar.json`` and ``treatment.json`` for DSSAT.

    Inputs: ``data`` (one file of daily weather, CSV). Arguments: ``point``, ``options``: ``engine``, ``crop``,
    ``after`` (a day), ``from_c`` (degC), ``days`` (of the mean, 7); for DSSAT ``cultivar``, ``elevation_m``,
    ``plants_m2``, ``row_cm``, ``depth_cm``.

    Raises
    ------
    LabrigError
        ``not_found`` where no day of the weather is warm enough; for options that are missing.
    """
    places = call.inputs.get("data", ())
    if len(places) != 1:
        raise LabrigError(
            f"{len(places)} files are given", where="data", expected="one file of daily weather, CSV"
        )
    weather = read_weather(Path(places[0].path).read_bytes(), places[0].name)
    latitude, longitude = point_of(call)
    asked = Fields(mapping_of(call, "options"), "options")
    engine, crop, after = asked.choice("engine", ENGINES), asked.text("crop"), asked.day("after")
    enough, length = asked.number("from_c", -10, 40, "degC"), asked.whole("days", 1, 60, "days", 7)
    sown, mean = sowing_day(weather, after, enough, length, places[0].name)
    if engine == "aquacrop":
        files: dict[str, Mapping[str, Any]] = {
            "crop.json": {"name": crop, "planting": f"{sown:%m-%d}"},
            "management.json": _management(weather, after, latitude),
        }
    else:
        files = {
            "cultivar.json": {"crop": crop, "cultivar": asked.text("cultivar")},
            "treatment.json": _treatment(asked, after, sown, latitude, longitude),
        }
    asked.require_all_known()
    for name, content in files.items():
        (call.scratch / name).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return Result(
        method=f"sown on the first day from {after} on before which {length} days had a mean of {enough:g} degC",
        values=(Quantity(f"mean of the {length} days before sowing", round(mean, 2), "degC"),),
        data={"sown": sown.isoformat(), "files": list(files), "contents": files},
        source=places[0].name,
        files=tuple(files),
    )


def sowing_day(weather: Weather, after: date, from_c: float, length: int, where: str) -> tuple[date, float]:
    """Return the first day from `after` on before which so many days were warm enough, and their mean, degC."""
    mean = (weather.columns["tmin_c"] + weather.columns["tmax_c"]) / 2
    first = max((after - weather.start).days, length)
    if not length <= first < len(mean):
        raise LabrigError(
            f"{after} is not within the weather, which has {weather.start} to {weather.end}",
            where="options, after",
            expected="a day of the weather",
        )
    sums = np.concatenate(([0.0], np.cumsum(mean)))
    before = (sums[length:] - sums[:-length]) / length  # of the days that end before day `place + length`
    for place in range(first, len(mean)):
        if before[place - length] >= from_c:
            return weather.start + timedelta(days=place), float(before[place - length])
    raise LabrigError(
        f"No {length} days from {after} on have a mean of {from_c:g} degC: the warmest have "
        f"{before[first - length :].max():.1f}",
        where=where,
        expected="a season that is warm enough",
        code="not_found",
    )


def _management(weather: Weather, after: date, latitude: float) -> dict[str, Any]:
    made: dict[str, Any] = {"start": after.isoformat(), "end": weather.end.isoformat()}
    if "et0_mm" not in weather.columns:
        made["et0"] = {"method": "hargreaves", "latitude": latitude}
    return made


def _treatment(
    asked: Fields, after: date, sown: date, latitude: float, longitude: float
) -> Mapping[str, Any]:
    return {
        "site": {
            "latitude": latitude,
            "longitude": longitude,
            "elevation_m": asked.number("elevation_m", -400, 6000, "m"),
        },
        "start": after.isoformat(),
        "planting": {
            "date": sown.isoformat(),
            "plants_m2": asked.number("plants_m2", 0.1, 1000, "plants/m2"),
            "row_cm": asked.number("row_cm", 5, 300, "cm"),
            "depth_cm": asked.number("depth_cm", 0.5, 20, "cm"),
        },
    }
