"""What AquaCrop is asked: four files of a call, checked with their units, and made complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.impact.crops.evapotranspiration import with_et0
from labrig_earth.impact.crops.soils import MOST_LAYERS, read_layers
from labrig_earth.impact.crops.weather import MOST_FILLED_DAYS, Weather, read_weather
from labrig_earth.impact.simulator import Given, Named
from labrig_earth.work.fields import Fields, read_object

COLUMNS = ("tmin_c", "tmax_c", "precipitation_mm", "et0_mm")
MOST_MEMBERS = 60
LEAST_ET0_MM = 0.1
"""AquaCrop divides by evapotranspiration: as its own reader of weather does, days below this are given it."""


@dataclass(frozen=True)
class Case:
    """What AquaCrop is asked, complete and checked.

    Attributes
    ----------
    arguments
        For the engine, as JSON.
    inputs
        Files of weather by name.
    notes
        What was assumed or filled.
    """

    arguments: Mapping[str, Any]
    inputs: Mapping[str, bytes]
    notes: tuple[str, ...]
    start: date
    end: date


def read_case(
    weather: Named, soil: Named, crop: Named, management: Named, members: Sequence[Named] = ()
) -> Case:
    """Read and check the files of a run.

    Parameters
    ----------
    weather
        CSV, see `impact.crops.weather`.
    soil
        JSON: ``type`` (such as SandyLoam), or ``layers``.
    crop
        JSON: ``name`` (such as Wheat), ``planting`` (MM-DD), ``harvest``, ``parameters``.
    management
        JSON: ``start``, ``end``, ``initial_water``, ``irrigation``, ``field``, ``co2_ppm``, ``groundwater_m``,
        ``off_season``, ``et0``, ``fill_days``; all may be left out.
    members
        Further files of weather, of an ensemble, which are run with all else the same.

    Raises
    ------
    LabrigError
        For whatever is missing, impossible, unknown or contradictory in them.
    """
    if len(members) > MOST_MEMBERS:
        raise LabrigError(
            f"There are {len(members)} members", expected=f"at most {MOST_MEMBERS}", code="limit"
        )
    managed = read_object(management.content, management.name)
    fill_days = managed.whole("fill_days", 0, MOST_FILLED_DAYS, "days", 0)
    et0 = managed.fields("et0", {})
    notes: list[str] = []
    read = []
    for each in (weather, *members):
        found = read_weather(each.content, each.name, fill_days)
        if et0.raw():
            found = with_et0(
                found,
                et0.text("method"),
                et0.number("latitude", -90, 90, "degrees north"),
                et0.number("elevation_m", -400, 6000, "m", 0.0),
            )
        read.append(found)
        notes += [note for note in found.notes if note not in notes]
    et0.require_all_known()
    start = managed.day("start", read[0].start)
    end = managed.day("end", read[0].end)
    if end <= start:
        raise LabrigError(f"The run is from {start} to {end}", where=management.name, expected="start < end")
    planted = read_object(crop.content, crop.name)
    arguments = {
        "start": start.isoformat(),
        "end": end.isoformat(),
        "crop": _crop(planted, start, end),
        "soil": read_soil(read_object(soil.content, soil.name)),
        "initial": _initial(managed),
        "irrigation": _irrigation(managed.fields("irrigation", {}), start, end),
        "field": _field(managed.fields("field", {})),
        "co2_ppm": managed.number("co2_ppm", 150, 2000, "ppm") if managed.has("co2_ppm") else None,
        "groundwater_m": managed.number("groundwater_m", 0.1, 20, "m below the surface")
        if managed.has("groundwater_m")
        else None,
        "off_season": managed.yes("off_season"),
    }
    managed.require_all_known()
    if arguments["co2_ppm"] is None:
        notes.append("CO2 of each year from AquaCrop's table (Mauna Loa, after 2009 projections)")
    inputs = {}
    for number, (found, each) in enumerate(zip(read, (weather, *members), strict=True)):
        name = "weather.csv" if number == 0 else f"member_{number:03}.csv"
        cut = found.between(start, end)
        inputs[name] = _et0_above_least(cut, each.name, notes).csv(COLUMNS)
    return Case({**arguments, "weather": list(inputs)}, inputs, tuple(notes), start, end)


def _et0_above_least(weather: Weather, where: str, notes: list[str]) -> Weather:
    if "et0_mm" not in weather.columns:
        raise LabrigError(
            "There is no column et0_mm",
            where=where,
            expected="reference evapotranspiration, mm/day",
            try_='in the management file: "et0": {"method": "hargreaves", "latitude": 36.8}',
        )
    values = weather.columns["et0_mm"]
    low = values < LEAST_ET0_MM
    if not low.any():
        return weather
    notes.append(f"et0_mm below {LEAST_ET0_MM} mm on {int(low.sum())} days of {where}, taken as that")
    raised = np.maximum(values, LEAST_ET0_MM)
    return Weather(weather.start, {**weather.columns, "et0_mm": raised}, weather.notes)


def _crop(crop: Fields, start: date, end: date) -> dict[str, Any]:
    planting, harvest = _month_day(crop, "planting"), ""
    if crop.has("harvest"):
        harvest = _month_day(crop, "harvest")
    parameters = crop.fields("parameters", {})
    for name in parameters.raw():
        parameters.number(name, -1e7, 1e7, "as AquaCrop has it")
    made = {
        "name": crop.text("name"),
        "planting": planting,
        "harvest": harvest or None,
        "parameters": parameters.raw(),
    }
    crop.require_all_known()
    month, day = map(int, planting.split("/"))
    days = [date(year, month, day) for year in range(start.year, end.year + 1)]
    if not any(start <= each < end for each in days):
        raise LabrigError(
            f"{month:02}-{day:02} is no day between {start} and {end}",
            where=f"{crop.where}, planting",
            expected="a planting date within the weather, and after the start",
        )
    return made


def _month_day(crop: Fields, name: str) -> str:
    """Return a day of the year as AquaCrop has it, MM/DD."""
    text = crop.text(name)
    try:
        found = date.fromisoformat(
            f"2001-{text.replace('/', '-')}"
        )  # no leap year: AquaCrop plants every year
    except ValueError:
        raise LabrigError(
            f"{name} is {text!r}", where=crop.where, expected="month and day, such as 10-01"
        ) from None
    return f"{found.month:02}/{found.day:02}"


def read_soil(soil: Fields) -> dict[str, Any]:
    """Return a soil as AquaCrop is asked for it: a type, or layers."""
    if soil.has("type") == soil.has("layers"):
        read_layers(soil) if soil.has("layers") and not soil.has("type") else None
        raise LabrigError(
            "The soil has both a type and layers" if soil.has("type") else "The soil has no layers",
            where=soil.where,
            expected="type, such as SandyLoam, or layers",
        )
    layers = []
    if soil.has("layers"):
        for layer, row in read_layers(soil):
            row.require_all_known()
            layers.append(layer.to_dict())
    made = {
        "type": soil.text("type", ""),
        "layers": layers,
        "cn": soil.number("curve_number", 30, 98, "1") if layers and soil.has("curve_number") else None,
        "rew": soil.number("readily_evaporable_mm", 0, 15, "mm")
        if layers and soil.has("readily_evaporable_mm")
        else None,
    }
    soil.require_all_known()
    return made


def _initial(managed: Fields) -> dict[str, Any]:
    if not managed.has("initial_water"):
        return {"type": "Prop", "value": "FC"}
    words = {"field_capacity": "FC", "wilting_point": "WP", "saturation": "SAT"}
    if isinstance(managed.any("initial_water"), str):
        return {"type": "Prop", "value": words[managed.choice("initial_water", words)]}
    given = managed.fields("initial_water")
    if given.has("percent_of_available"):
        made: dict[str, Any] = {
            "type": "Pct",
            "value": given.number("percent_of_available", 0, 100, "% of what plants can take up"),
        }
    else:
        values = given.numbers("m3_m3", 0.001, 0.999, "m3/m3, of each layer", (1, MOST_LAYERS))
        made = {"type": "Num", "value": values}
    given.require_all_known()
    return made


def _irrigation(given: Fields, start: date, end: date) -> dict[str, Any]:
    method = given.choice("method", ("none", "thresholds", "interval", "schedule", "net"), "none")
    numbers: dict[str, Any] = {}
    events: dict[str, float] = {}
    if method == "thresholds":
        numbers["SMT"] = given.numbers(
            "percent_of_available", 0, 100, "% of what plants can take up, below which it irrigates", (4, 4)
        )
    elif method == "interval":
        numbers["IrrInterval"] = given.whole("days", 1, 365, "days")
    elif method == "net":
        numbers["NetIrrSMT"] = given.number("percent_of_available", 0, 100, "%")
    elif method == "schedule":
        for row in given.rows("events", 1000):
            day = row.day("date")
            depth = row.number("mm", 0.1, 500, "mm")
            row.require_all_known()
            if not start <= day <= end or day.isoformat() in events:
                raise LabrigError(
                    f"{day} is outside of the run, or there twice",
                    where=row.where,
                    expected=f"a day from {start} to {end}, once",
                )
            events[day.isoformat()] = depth
    if method != "none":
        for name, theirs, least, most, unit in (
            ("most_mm_day", "MaxIrr", 0.1, 500, "mm/day"),
            ("most_mm_season", "MaxIrrSeason", 0.1, 10_000, "mm"),
            ("efficiency_percent", "AppEff", 1, 100, "%"),
            ("wetted_percent", "WetSurf", 1, 100, "%"),
        ):
            if given.has(name):
                numbers[theirs] = given.number(name, least, most, unit)
        if method == "schedule" and "MaxIrr" not in numbers:
            numbers["MaxIrr"] = max((25.0, *events.values()))
    given.require_all_known()
    return {"method": method, "numbers": numbers, "events": events}


def _field(given: Fields) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if given.has("mulch_percent"):
        made |= {
            "mulches": True,
            "mulch_pct": given.number("mulch_percent", 0, 100, "%"),
            "f_mulch": given.number("mulch_factor", 0, 1, "1", 0.5),
        }
    if given.has("bund_m"):
        made |= {"bunds": True, "z_bund": given.number("bund_m", 0.01, 1, "m")}
    if given.yes("no_runoff"):
        made["sr_inhb"] = True
    given.require_all_known()
    return made


def case_of(given: Given) -> Case:
    """Read and check the files of a call."""
    return read_case(
        given.one("weather_daily_path"),
        given.one("soil_path"),
        given.one("crop_path"),
        given.one("management_path"),
        given.several("ensemble_weather_daily_paths"),
    )
