"""What a run of DSSAT is given: four files become a case, complete, in the program's units, with what was assumed.

DSSAT takes 20 degC and 5 K for the mean temperature and its range over the year where a file of weather lacks them, and
says so in a line of WARNING.OUT only. They are computed from the weather here, or given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.impact.crops.soils import Layer, read_layers
from labrig_earth.impact.crops.weather import MOST_FILLED_DAYS, Weather, read_weather
from labrig_earth.impact.simulator import Named
from labrig_earth.work.fields import Fields, read_object

LEAST_DAYS = 330
"""Days of weather from which a mean and a range over the year are computed."""

MOST_EVENTS = 200
ORGANIC_MATTER: Mapping[str, str] = {"century": "P", "ceres": "G"}
"""Models of soil organic matter, by DSSAT's code MESOM: of Parton, of Godwin."""
SOIL_DEFAULTS: Mapping[str, tuple[float, float, float, str]] = {
    "albedo": (0.13, 0.05, 0.5, "1"),
    "evaporation_limit_mm": (6.0, 1.0, 16.0, "mm"),
    "drainage_rate": (0.4, 0.0, 1.0, "1/day"),
    "curve_number": (75.0, 30.0, 98.0, "1"),
    "mineralization_factor": (1.0, 0.0, 2.0, "1"),
    "fertility_factor": (1.0, 0.1, 2.0, "1"),
}


@dataclass(frozen=True)
class Case:
    """What DSSAT is asked, complete and checked.

    Attributes
    ----------
    arguments
        For the engine, as JSON.
    weather
        The days that it sees, rounded as its file has them (0.1).
    notes
        What was assumed, computed or filled.
    """

    arguments: Mapping[str, Any]
    weather: Weather
    notes: tuple[str, ...]
    start: date

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the weather that the engine is given."""
        used = ("tmin_c", "tmax_c", "precipitation_mm", "srad_mj_m2", "tdew_c", "wind_2m_m_s")
        return tuple(name for name in used if name in self.weather.columns)


def read_case(weather: Named, soil: Named, cultivar: Named, treatment: Named) -> Case:
    """Read and check the files of a run.

    Parameters
    ----------
    weather
        CSV with ``srad_mj_m2``; see `impact.crops.weather`.
    soil
        JSON: ``layers``, each also with ``bulk_density_g_cm3``, ``organic_carbon_percent``, ``clay_percent``,
        ``silt_percent``; ``ph``, ``root_factor``; for the profile `SOIL_DEFAULTS`.
    cultivar
        JSON: ``crop`` (such as Maize), ``cultivar`` (a code or a name of DSSAT's file).
    treatment
        JSON: ``site`` {latitude, longitude, elevation_m}, ``start``, ``planting`` {date, plants_m2, row_cm, depth_cm},
        ``irrigation`` [{date, mm}], ``fertilizer`` [{date, n_kg_ha, depth_cm}], ``initial`` {water, nitrate_ppm,
        ammonium_ppm}, ``nitrogen``, ``organic_matter`` (of `ORGANIC_MATTER`), ``co2_ppm``, ``tav_c``, ``amp_k``,
        ``fill_days``.

    Raises
    ------
    LabrigError
        For whatever is missing, impossible, unknown or contradictory in them.
    """
    treated = read_object(treatment.content, treatment.name)
    fill_days = treated.whole("fill_days", 0, MOST_FILLED_DAYS, "days", 0)
    days = read_weather(weather.content, weather.name, fill_days)
    if "srad_mj_m2" not in days.columns:
        raise LabrigError(
            "There is no column srad_mj_m2", where=weather.name, expected="solar radiation of each day, MJ/m2"
        )
    notes = list(days.notes)
    profile, layers = read_soil(read_object(soil.content, soil.name), notes)
    planted = read_object(cultivar.content, cultivar.name)
    site = treated.fields("site")
    planting = treated.fields("planting")
    sown = planting.day("date")
    start = treated.day("start", sown)
    if not days.start <= start <= sown < days.end:
        raise LabrigError(
            f"The run starts on {start}, planting is on {sown}, and the weather has {days.start} to {days.end}",
            where=treatment.name,
            expected="weather from the start to the harvest, and a start before planting",
        )
    arguments: dict[str, Any] = {
        "crop": planted.text("crop"),
        "cultivar": planted.text("cultivar"),
        "site": {
            "latitude": site.number("latitude", -66, 66, "degrees north"),
            "longitude": site.number("longitude", -180, 180, "degrees east"),
            "elevation_m": site.number("elevation_m", -400, 6000, "m"),
        },
        "start": start.isoformat(),
        "planting": {
            "date": sown.isoformat(),
            "plants_m2": planting.number("plants_m2", 0.1, 1000, "plants/m2"),
            "row_cm": planting.number("row_cm", 5, 300, "cm"),
            "depth_cm": planting.number("depth_cm", 0.5, 20, "cm"),
        },
        "soil": profile,
        "irrigation": _irrigation(treated, start, days.end),
        "fertilizer": _fertilizer(treated, start, days.end),
        "nitrogen": treated.yes("nitrogen", True),
        "organic_matter": _organic_matter(treated, notes),
    }
    arguments["initial"] = _initial(treated.fields("initial", {}), layers, notes)
    arguments["weather"] = _climate(treated, days, notes)
    if arguments["fertilizer"] and not arguments["nitrogen"]:
        raise LabrigError(
            "Nitrogen is not simulated, and fertilizer is given",
            where=treatment.name,
            expected="one of the two",
        )
    for fields in (site, planting, planted, treated):
        fields.require_all_known()
    cut = days.between(start, days.end) if days.start < start else days
    return Case(arguments, _rounded(cut), tuple(notes), start)


def _rounded(weather: Weather) -> Weather:
    """Return the weather as DSSAT's file has it: to 0.1 of each unit."""
    columns = {
        name: np.round(values, 1) + 0.0 for name, values in weather.columns.items() if name != "wind_2m_m_s"
    }
    if "wind_2m_m_s" in weather.columns:
        columns["wind_2m_m_s"] = weather.columns["wind_2m_m_s"]
    return Weather(weather.start, columns, weather.notes)


def _climate(treated: Fields, days: Weather, notes: list[str]) -> dict[str, Any]:
    """Return mean temperature and its range over the year: given, or from the means of months."""
    given = treated.has("tav_c"), treated.has("amp_k")
    co2 = treated.number("co2_ppm", 150, 2000, "ppm") if treated.has("co2_ppm") else None
    if all(given):
        tav = treated.number("tav_c", -40, 45, "degC")
        return {"tav_c": tav, "amp_k": treated.number("amp_k", 0, 80, "K"), "co2_ppm": co2}
    if any(given):
        raise LabrigError("One of tav_c and amp_k is given", where=treated.where, expected="both, or neither")
    if days.days < LEAST_DAYS:
        raise LabrigError(
            f"The weather has {days.days} days, from which no mean of the year can be computed",
            where="weather",
            expected=f"at least {LEAST_DAYS} days, or tav_c (degC) and amp_k (K) in the treatment",
        )
    months = np.array([day.month for day in days.dates()])
    mean = (days.columns["tmin_c"] + days.columns["tmax_c"]) / 2
    monthly = np.array([mean[months == month].mean() for month in range(1, 13) if (months == month).any()])
    tav, amp = float(np.round(monthly.mean(), 1)), float(np.round(monthly.max() - monthly.min(), 1))
    notes.append(f"tav {tav:g} degC and amp {amp:g} K computed from the months of the weather")
    return {"tav_c": tav, "amp_k": amp, "co2_ppm": co2}


def read_soil(soil: Fields, notes: list[str]) -> tuple[dict[str, Any], list[Layer]]:
    """Return a soil as DSSAT is asked for it, and its layers; defaults go into the notes."""
    made: dict[str, Any] = {}
    defaults = []
    for name, (default, least, most, unit) in SOIL_DEFAULTS.items():
        made[name] = soil.number(name, least, most, unit, default)
        if not soil.has(name):
            defaults.append(f"{name} {default:g}")
    rows, layers, bottom = [], [], 0.0
    assumed_ph: list[str] = []
    assumed_roots: list[str] = []
    for layer, row in read_layers(soil):
        top, bottom = bottom, bottom + layer.thickness_m * 100
        middle = (top + bottom) / 2
        rows.append(
            {
                "bottom_cm": round(bottom, 1),
                "wilting_point": layer.wilting_point,
                "field_capacity": layer.field_capacity,
                "saturation": layer.saturation,
                "ksat_cm_h": layer.ksat_mm_day / 240,
                "bulk_density": row.number("bulk_density_g_cm3", 0.2, 2.2, "g/cm3"),
                "organic_carbon": row.number("organic_carbon_percent", 0, 30, "%"),
                "clay": row.number("clay_percent", 0, 100, "%"),
                "silt": row.number("silt_percent", 0, 100, "%"),
                "ph": row.number("ph", 3, 11, "1", 6.5),
                "root_factor": row.number(
                    "root_factor", 0, 1, "1", 1.0 if bottom <= 20 else float(np.exp(-0.02 * middle))
                ),
            }
        )
        if rows[-1]["clay"] + rows[-1]["silt"] > 100:
            raise LabrigError("Clay and silt are more than 100 %", where=row.where)
        assumed_ph += [] if row.has("ph") else [str(len(rows))]
        assumed_roots += [] if row.has("root_factor") else [f"{rows[-1]['root_factor']:.2f}"]
        row.require_all_known()
        layers.append(layer)
    soil.require_all_known()
    defaults += [f"pH 6.5 of layers {', '.join(assumed_ph)}"] if assumed_ph else []
    if assumed_roots:
        defaults.append(
            f"root_factor {', '.join(assumed_roots)} (1 down to 20 cm, then exp(-0.02 depth in cm))"
        )
    if defaults:
        notes.append("soil, by default: " + ", ".join(defaults))
    return {**made, "layers": rows}, layers


def _initial(given: Fields, layers: list[Layer], notes: list[str]) -> list[dict[str, Any]]:
    percent = given.number("percent_of_available", 0, 100, "% of what plants can take up", 100.0)
    nitrate = given.number("nitrate_ppm", 0, 200, "mg N/kg", 2.0)
    ammonium = given.number("ammonium_ppm", 0, 200, "mg N/kg", 0.5)
    if not given.raw():
        notes.append(
            "initial soil, by default: at field capacity, 2 mg/kg nitrate N and 0.5 mg/kg ammonium N"
        )
    for name in given.raw():
        if name not in ("percent_of_available", "nitrate_ppm", "ammonium_ppm"):
            raise LabrigError(
                f"There is no field {name!r}"[:200],
                where=given.where,
                expected="percent_of_available, nitrate_ppm, ammonium_ppm",
            )
    bottom, made = 0.0, []
    for layer in layers:
        bottom += layer.thickness_m * 100
        water = layer.wilting_point + percent / 100 * (layer.field_capacity - layer.wilting_point)
        made.append(
            {
                "bottom_cm": round(bottom, 1),
                "water": round(water, 3),
                "nitrate": nitrate,
                "ammonium": ammonium,
            }
        )
    return made


def _organic_matter(treated: Fields, notes: list[str]) -> str:
    """Return the code of the model of soil organic matter."""
    if treated.has("organic_matter"):
        return ORGANIC_MATTER[treated.choice("organic_matter", ORGANIC_MATTER)]
    if treated.yes("nitrogen", True):
        notes.append(
            "organic_matter is not given: century (MESOM P) is taken; most experiments have ceres (G)"
        )
    return ORGANIC_MATTER["century"]


def _irrigation(treated: Fields, start: date, end: date) -> dict[str, float]:
    found: dict[str, float] = {}
    for row in treated.rows("irrigation", MOST_EVENTS, []):
        day = _event_day(row, start, end)
        if day in found:
            raise LabrigError(f"{day} is there twice", where=row.where)
        found[day] = round(row.number("mm", 0.1, 500, "mm"), 1)
        row.require_all_known()
    return found


def _fertilizer(treated: Fields, start: date, end: date) -> list[dict[str, Any]]:
    found = []
    for row in treated.rows("fertilizer", MOST_EVENTS, []):
        found.append(
            {
                "date": _event_day(row, start, end),
                "n_kg_ha": round(row.number("n_kg_ha", 0.1, 500, "kg/ha"), 1),
                "depth_cm": row.number("depth_cm", 0, 50, "cm", 5.0),
            }
        )
        row.require_all_known()
    return found


def _event_day(row: Fields, start: date, end: date) -> str:
    day = row.day("date")
    if not start <= day <= end:
        raise LabrigError(f"{day} is outside of the run", where=row.where, expected=f"{start} to {end}")
    return day.isoformat()
