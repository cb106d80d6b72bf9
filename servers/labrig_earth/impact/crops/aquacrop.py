"""A run of AquaCrop: four files are checked and become a case; its tables are checked and become numbers with units.

AquaCrop computes on its own that soil water, rain and evaporation agree. That is not taken on trust: `closure` adds up
each season's water from the daily table and the weather that was given, and a season that does not close is an error.
"""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.impact.crops.evapotranspiration import with_et0
from labrig_earth.impact.crops.reading import Fields, read_object
from labrig_earth.impact.crops.setup import CROPS
from labrig_earth.impact.crops.soils import read_layers
from labrig_earth.impact.crops.weather import MOST_FILLED_DAYS, Filling, Weather, read_weather
from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.runs import Engine
from labrig_earth.impact.simulator import Given, Named, Run, Simulation, Simulator

AQUACROP = Engine("aquacrop", "AquaCrop", "aquacrop_engine", CROPS)

COLUMNS = ("tmin_c", "tmax_c", "precipitation_mm", "et0_mm")
MOST_MEMBERS = 60
CLOSES_MM = 0.1
LEAST_ET0_MM = 0.1
"""AquaCrop divides by evapotranspiration: as its own reader of weather does, days below this are given it."""

STRESSED = 0.9
"""A day of water stress: transpiration below this part of what the canopy could lose (Tr / TrPot)."""


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
    filling = Filling(managed.whole("fill_days", 0, MOST_FILLED_DAYS, "days", 0))
    et0 = managed.fields("et0", {})
    notes: list[str] = []
    read = []
    for each in (weather, *members):
        found = read_weather(each.content, each.name, filling=filling)
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
        "soil": _soil(read_object(soil.content, soil.name)),
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


def _soil(soil: Fields) -> dict[str, Any]:
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
        values = given.any("m3_m3")
        if not isinstance(values, list) or not all(
            isinstance(each, (int, float)) and 0 < each < 1 for each in values
        ):
            raise LabrigError(
                "m3_m3 is no list of water contents", where=given.where, expected="0 to 1 m3/m3"
            )
        made = {"type": "Num", "value": values}
    given.require_all_known()
    return made


def _irrigation(given: Fields, start: date, end: date) -> dict[str, Any]:
    method = given.choice("method", ("none", "thresholds", "interval", "schedule", "net"), "none")
    numbers: dict[str, Any] = {}
    events: dict[str, float] = {}
    if method == "thresholds":
        targets = given.any("percent_of_available")
        if (
            not isinstance(targets, list)
            or len(targets) != 4
            or not all(isinstance(each, (int, float)) and 0 <= each <= 100 for each in targets)
        ):
            raise LabrigError(
                "percent_of_available is no list of four numbers",
                where=given.where,
                expected="soil water, in % of what plants can take up, below which each of four stages is irrigated",
            )
        numbers["SMT"] = targets
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


def read_table(path: Path) -> dict[str, list[str]]:
    """Return a CSV file of the engine by columns, as text."""
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def closure(daily: Mapping[str, Sequence[str]], rain: Mapping[str, float]) -> dict[int, float]:
    """Return by how much the water of each season does not close, mm: what came in less what went and what is left.

    From the end of a season's first day to its last, over the whole profile:
    rain + irrigation + capillary rise + inflow - runoff - percolation - evaporation - transpiration - change of water
    in the soil and on it.

    Parameters
    ----------
    daily
        The engine's daily table.
    rain
        Precipitation of each day (ISO), as it was given, mm.
    """
    numbers = {
        name: np.array([float(each) for each in daily[name]]) for name in daily if name.endswith("_mm")
    }
    season = np.array([int(each) for each in daily["season"]])
    grows = np.array([int(each) for each in daily["day_after_planting"]]) > 0
    fallen = np.array([rain[day] for day in daily["date"]])
    stored = numbers["soil_water_mm"] + numbers["surface_water_mm"]
    gained = fallen + numbers["irrigation_mm"] + numbers["capillary_rise_mm"]
    gained = gained + numbers["groundwater_inflow_mm"] - numbers["runoff_mm"]
    lost = numbers["deep_percolation_mm"] + numbers["soil_evaporation_mm"] + numbers["transpiration_mm"]
    found = {}
    for number in sorted(set(season[grows].tolist())):
        days = np.flatnonzero((season == number) & grows)
        rest = days[1:]
        change = stored[days[-1]] - stored[days[0]]
        found[number] = float((gained - lost)[rest].sum() - change)
    return found


def require_closed(folder: Path, result: Mapping[str, Any], arguments: Mapping[str, Any]) -> float:
    """Return the largest error of the water balance, mm; ``engine`` where it is above `CLOSES_MM`.

    Irrigation counts as far as it reaches the soil, by the efficiency that was given.
    """
    worst = 0.0
    efficiency = float(arguments["irrigation"]["numbers"].get("AppEff", 100.0)) / 100
    for member in result["members"]:
        daily: dict[str, Sequence[str]] = dict(read_table(folder / "outputs" / member["daily"]))
        if efficiency < 1:
            daily["irrigation_mm"] = [repr(float(each) * efficiency) for each in daily["irrigation_mm"]]
        given = read_table(folder / "inputs" / member["weather"])
        rain = dict(zip(given["date"], map(float, given["precipitation_mm"]), strict=True))
        for season, error in closure(daily, rain).items():
            worst = max(worst, abs(error))
            if abs(error) > CLOSES_MM:
                raise LabrigError(
                    f"The water of season {season} does not close: {error:.2f} mm are not accounted for",
                    where=member["daily"],
                    expected=f"at most {CLOSES_MM} mm",
                    code="engine",
                )
    return worst


@dataclass(frozen=True)
class Summary:
    """Numbers of a run: means over its seasons (of all members), and what follows from them."""

    metrics: Mapping[str, Metric]
    derived: Mapping[str, Metric]
    text: str


def summary(
    result: Mapping[str, Any], folder: Path, yield_threshold_t_ha: float, balance_mm: float
) -> Summary:
    """Return the numbers that the paper's Table 8 names, and those that follow from them.

    Parameters
    ----------
    yield_threshold_t_ha
        A season below it counts as a failure, t/ha.
    balance_mm
        The largest error of the water balance.
    """
    seasons = [season for member in result["members"] for season in member["seasons"]]
    tables = {
        member["daily"]: read_table(folder / "outputs" / member["daily"]) for member in result["members"]
    }
    of = {name: np.array([float(each[name]) for each in seasons]) for name in seasons[0] if name[-1] != "d"}
    et = of["transpiration_mm"] + of["soil_evaporation_mm"]
    days = [_stressed_days(table) for table in tables.values()]
    potential = of["potential_transpiration_mm"].sum()
    stress = 1 - of["transpiration_mm"].sum() / potential if potential > 0 else None
    yields = of["yield_t_ha"]
    metrics = {
        "yield_t_ha": Metric(float(yields.mean()), "t/ha"),
        "biomass_t_ha": Metric(float(of["biomass_t_ha"].mean()), "t/ha"),
        "seasonal_et_mm": Metric(float(et.mean()), "mm"),
        "transpiration_mm": Metric(float(of["transpiration_mm"].mean()), "mm"),
        "soil_evaporation_mm": Metric(float(of["soil_evaporation_mm"].mean()), "mm"),
        "irrigation_mm": Metric(float(of["irrigation_mm"].mean()), "mm"),
        "precipitation_mm": Metric(float(of["precipitation_mm"].mean()), "mm"),
        "water_stress_index": Metric(None if stress is None else float(stress), "1"),
        "water_stress_days": Metric(float(sum(days)) / len(seasons), "days"),
        "seasons": Metric(len(seasons), "1"),
    }
    derived = {
        "yield_below_threshold_fraction": Metric(float((yields < yield_threshold_t_ha).mean()), "1"),
        "yield_threshold_t_ha": Metric(yield_threshold_t_ha, "t/ha"),
        "yield_min_t_ha": Metric(float(yields.min()), "t/ha"),
        "yield_median_t_ha": Metric(float(np.median(yields)), "t/ha"),
        "yield_max_t_ha": Metric(float(yields.max()), "t/ha"),
        "yield_standard_deviation_t_ha": Metric(
            float(yields.std(ddof=1)) if len(yields) > 1 else None, "t/ha"
        ),
        "water_productivity_kg_m3": Metric(float(yields.sum() * 1000 / (et.sum() * 10)), "kg/m3"),
        "water_balance_error_mm": Metric(balance_mm, "mm"),
    }
    first, last = seasons[0], seasons[-1]
    text = (
        f"{len(seasons)} {'season' if len(seasons) == 1 else 'seasons'}, {first['planted']} to {last['harvested']}: "
        f"dry yield {yields.mean():.3f} t/ha, "
        f"evapotranspiration {et.mean():.0f} mm, irrigation {of['irrigation_mm'].mean():.0f} mm a season"
    )
    return Summary(metrics, derived, text)


def _stressed_days(daily: Mapping[str, Sequence[str]]) -> int:
    actual = np.array([float(each) for each in daily["transpiration_mm"]])
    potential = np.array([float(each) for each in daily["potential_transpiration_mm"]])
    return int((actual < STRESSED * potential).sum())


def case_of(given: Given) -> Case:
    """Read and check the files of a call."""
    return read_case(
        given.one("weather_daily_path"),
        given.one("soil_path"),
        given.one("crop_path"),
        given.one("management_path"),
        given.several("ensemble_weather_daily_paths"),
    )


@asynccontextmanager
async def simulate(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Run AquaCrop on the files of a call.

    Raises
    ------
    LabrigError
        What `read_case`, the engine and `require_closed` refuse.
    """
    case = case_of(given)
    threshold = float(given.options.get("yield_threshold_t_ha", 2.5))
    if not 0 <= threshold <= 100:
        raise LabrigError(
            f"yield_threshold_t_ha is {threshold:g}", where="yield_threshold_t_ha", expected="0 to 100 t/ha"
        )
    async with how.engines.run(
        AQUACROP, case.arguments, case.inputs, allowed=how.allowed, seed=how.seed
    ) as run:
        balance = require_closed(run.folder, run.result, case.arguments)
        found = summary(run.result, run.folder, threshold, balance)
        units = [
            {"unit": f"{member['weather']}, season {season['season']}", **season}
            for member in run.result["members"]
            for season in member["seasons"]
        ]
        yield Simulation(
            version=run.version,
            metrics=found.metrics,
            derived=found.derived,
            units=units,
            time=(case.start.isoformat(), case.end.isoformat(), "P1D"),
            warnings=(*case.notes, *run.warnings),
            text=found.text,
            folder=run.folder,
            wall_s=run.wall_s,
        )


def question(given: Given) -> tuple[Mapping[str, Any], Mapping[str, bytes]]:
    """Return what the engine is asked for a call."""
    case = case_of(given)
    return case.arguments, case.inputs


SIMULATOR = Simulator(
    tool="impact_aquacrop_run",
    engine=AQUACROP,
    backends=("ospy",),
    files={
        "weather_daily_path": "CSV: date, tmin_c, tmax_c (degC), precipitation_mm, et0_mm (mm/day; or management.et0)",
        "soil_path": "JSON: type (such as SandyLoam), or layers [{thickness_m, wilting_point, field_capacity, "
        "saturation (m3/m3), ksat_mm_day, penetrability_percent}], curve_number, readily_evaporable_mm",
        "crop_path": "JSON: name (such as Wheat), planting (MM-DD), harvest (MM-DD), parameters {AquaCrop's names}",
        "management_path": "JSON: start, end (dates); initial_water (field_capacity, wilting_point, saturation, "
        "{percent_of_available} or {m3_m3: [..]}); irrigation {method: none, thresholds (percent_of_available of four "
        "stages), interval (days), schedule (events [{date, mm}]), net (percent_of_available); most_mm_day, "
        "most_mm_season, efficiency_percent, wetted_percent}; field {mulch_percent, mulch_factor, bund_m, no_runoff}; "
        "co2_ppm; groundwater_m; off_season; et0 {method: hargreaves or penman_monteith, latitude, elevation_m}; "
        "fill_days",
        "ensemble_weather_daily_paths": "further files of weather, each run with all else the same",
    },
    lists=("ensemble_weather_daily_paths",),
    options={"yield_threshold_t_ha": "a season below it counts as a failure, t/ha; 2.5"},
    run=simulate,
    check=lambda given: case_of(given).notes,
    question=question,
    names=("crops", "soils"),
)
