"""A run of AquaCrop, of a case that `aquacrop_inputs` read; its tables are checked and become numbers with units.

AquaCrop computes on its own that soil water, rain and evaporation agree. That is not taken on trust: `closure` adds up
each season's water from the daily table and the weather that was given, and a season that does not close is an error.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.impact.crops.aquacrop_inputs import case_of
from labrig_earth.impact.crops.setup import CROPS
from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.runs import Engine
from labrig_earth.impact.simulator import Given, Run, Simulation, Simulator
from labrig_earth.impact.tables import read_table

AQUACROP = Engine("aquacrop", "AquaCrop", "aquacrop_engine", CROPS)

CLOSES_MM = 0.1
STRESSED = 0.9
"""A day of water stress: transpiration below this part of what the canopy could lose (Tr / TrPot)."""


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
        daily = dict(_columns(folder / "outputs" / member["daily"]))
        if efficiency < 1:
            daily["irrigation_mm"] = [repr(float(each) * efficiency) for each in daily["irrigation_mm"]]
        given = _columns(folder / "inputs" / member["weather"])
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
    numbers = [
        name for name in seasons[0] if name[-1] != "d" and name != "fresh_yield_t_ha"
    ]  # which may be null
    of = {name: np.array([float(each[name]) for each in seasons]) for name in numbers}
    et = of["transpiration_mm"] + of["soil_evaporation_mm"]
    days = [_stressed_days(_columns(folder / "outputs" / member["daily"])) for member in result["members"]]
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


def _columns(path: Path) -> Mapping[str, Sequence[str]]:
    return read_table(path.read_bytes(), path.name).columns


def _stressed_days(daily: Mapping[str, Sequence[str]]) -> int:
    actual = np.array([float(each) for each in daily["transpiration_mm"]])
    potential = np.array([float(each) for each in daily["potential_transpiration_mm"]])
    return int((actual < STRESSED * potential).sum())


@asynccontextmanager
async def simulate(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Run AquaCrop on the files of a call.

    Raises
    ------
    LabrigError
        What `read_case`, the engine and `require_closed` refuse.
    """
    case = case_of(given)
    threshold = threshold_of(given)
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


def threshold_of(given: Given) -> float:
    """Return the yield below which a season counts as a failure, t/ha."""
    return given.asked().number("yield_threshold_t_ha", 0, 100, "t/ha", 2.5)


def check(given: Given) -> Sequence[str]:
    """Check the files and options, and return what would be assumed."""
    threshold_of(given)
    return case_of(given).notes


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
    check=check,
    question=question,
    names=("crops", "soils"),
)
