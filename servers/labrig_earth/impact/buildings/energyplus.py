"""A run of EnergyPlus: files are read, the hours and the heat of the run are accounted for, and become numbers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig_earth.impact.buildings.balance import Floats, read_columns, require_closed, require_hours
from labrig_earth.impact.buildings.box import box
from labrig_earth.impact.buildings.idf import CARRIERS, for_a_run, read_idf, write_idf
from labrig_earth.impact.buildings.setup import ENERGYPLUS_ENV
from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.runs import Engine
from labrig_earth.impact.simulator import Given, Run, Simulation, Simulator
from labrig_earth.impact.weather.epw import read_epw
from labrig_earth.work.fields import read_object

ENERGYPLUS = Engine("energyplus", "EnergyPlus", "energyplus_engine", ENERGYPLUS_ENV)

SAME_ENERGY = 1e-3
"""Relative difference of the sum of the meters and of EnergyPlus's own site energy from which they are not the same."""
ROUNDED_KWH = 1.4
"""What its report, in GJ with two digits, leaves unsaid."""


@dataclass(frozen=True)
class Case:
    """The files of a run, read and checked.

    Attributes
    ----------
    idf
        As EnergyPlus is given it.
    hours
        Of the run period.
    mean_outdoor_c
        Of the whole year of weather.
    """

    idf: bytes
    epw: bytes
    hours: int
    mean_outdoor_c: float
    notes: tuple[str, ...]


def case_of(given: Given) -> Case:
    """Read and check the files of a call."""
    building, weather = given.one("building_idf_path"), given.one("weather_epw_path")
    options = given.asked()
    heating = (
        options.number("heating_setpoint_c", 5, 35, "degC") if options.has("heating_setpoint_c") else None
    )
    cooling = (
        options.number("cooling_setpoint_c", 10, 45, "degC") if options.has("cooling_setpoint_c") else None
    )
    if heating is not None and cooling is not None and heating > cooling:
        raise LabrigError(
            f"Heating to {heating:g} degC is above cooling to {cooling:g}",
            where="set points",
            expected="heating at most cooling",
        )
    made = building.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
    objects = (
        box(read_object(building.content, building.name))
        if made
        else read_idf(building.content, building.name)
    )
    kept, hours, notes = for_a_run(objects, building.name, heating_c=heating, cooling_c=cooling)
    read = read_epw(weather.content, weather.name)
    if b"," not in weather.content[:200]:
        raise LabrigError("This is no EPW file", where=weather.name)
    if made:
        notes.append(
            "the building is a box of one room with ideal loads: what the room needs, before any plant"
        )
    return Case(write_idf(kept), weather.content, hours, float(np.nanmean(read.numbers[:, 6])), tuple(notes))


def summary(
    hourly: Mapping[str, Floats], area_m2: float, part: float
) -> tuple[dict[str, Metric], dict[str, Metric]]:
    """Return the numbers that the paper's Table 8 names, and those that follow from them."""

    def load(name: str) -> Floats:
        return hourly.get(name, np.zeros(len(hourly["outdoor_c"])))

    used = load("electricity_facility_kwh")
    produced = load("electricityproduced_facility_kwh")
    net = hourly.get("electricitynet_facility_kwh", used - produced)
    others = [load(f"{carrier.lower()}_facility_kwh") for carrier in CARRIERS if carrier != "Electricity"]
    total = net + np.sum(others, axis=0)
    heating, cooling = load("heating_energytransfer_kwh"), load("cooling_energytransfer_kwh")
    metrics = {
        "total_energy_kwh": Metric(float(total.sum()), "kWh"),
        "peak_demand_kw": Metric(float(total.max()), "kW"),
        "discomfort_hours": Metric(float(hourly["unmet_h"].sum()), "h"),
        "electricity_kwh": Metric(float(used.sum()), "kWh"),
        "natural_gas_kwh": Metric(float(load("naturalgas_facility_kwh").sum()), "kWh"),
        "heating_kwh": Metric(float(heating.sum()), "kWh"),
        "cooling_kwh": Metric(float(cooling.sum()), "kWh"),
        "peak_heating_kw": Metric(float(heating.max()), "kW"),
        "peak_cooling_kw": Metric(float(cooling.max()), "kW"),
    }
    derived = {
        "hours_simulated": Metric(len(total), "h"),
        "floor_area_m2": Metric(area_m2, "m2"),
        "net_electricity_kwh": Metric(float(net.sum()), "kWh"),
        "electricity_produced_kwh": Metric(float(produced.sum()), "kWh"),
        "other_carriers_kwh": Metric(
            float(np.sum(others)) - float(load("naturalgas_facility_kwh").sum()), "kWh"
        ),
        "discomfort_hours_occupied": Metric(float(hourly["unmet_occupied_h"].sum()), "h"),
        "total_energy_kwh_m2": Metric(float(total.sum()) / area_m2 if area_m2 else None, "kWh/m2"),
        "mean_outdoor_c": Metric(float(hourly["outdoor_c"].mean()), "degC"),
        "coldest_zone_c": Metric(float(np.nanmin(hourly["coldest_zone_c"])), "degC"),
        "warmest_zone_c": Metric(float(np.nanmax(hourly["warmest_zone_c"])), "degC"),
        "heat_balance_error": Metric(part, "1"),
    }
    return metrics, derived


@asynccontextmanager
async def simulate(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Run EnergyPlus on the files of a call.

    Raises
    ------
    LabrigError
        What `case_of`, the engine, `require_hours` and `require_closed` refuse.
    """
    case = await in_thread(case_of, given)
    inputs = {"building.idf": case.idf, "weather.epw": case.epw}
    async with how.engines.run(ENERGYPLUS, {}, inputs, allowed=how.allowed, seed=how.seed) as run:
        hourly, part = await in_thread(
            _accounted, run.folder / "outputs", int(run.result["hours"]), case.hours
        )
        metrics, derived = summary(hourly, float(run.result["floor_area_m2"]), part)
        require_total(metrics["total_energy_kwh"].value or 0.0, run.result["net_site_energy_kwh"])
        value = {name: each.value or 0.0 for name, each in metrics.items()}
        months = range(1, 13)
        yield Simulation(
            version=run.version,
            metrics=metrics,
            derived=derived,
            units=[row for month in months if (row := _month(hourly, month))],
            time=_span(hourly),
            warnings=(*case.notes, *run.warnings),
            text=(
                f"{len(hourly['outdoor_c']):,} hours: {value['total_energy_kwh']:.0f} kWh in all, peak "
                f"{value['peak_demand_kw']:.1f} kW; heating {value['heating_kwh']:.0f} kWh, cooling "
                f"{value['cooling_kwh']:.0f} kWh; set points are not met in {value['discomfort_hours']:.0f} hours"
            ),
            folder=run.folder,
            wall_s=run.wall_s,
        )


def require_total(total_kwh: float, engine_kwh: float | None) -> None:
    """Refuse a result in which the meters do not come to the net site energy of EnergyPlus's own report.

    Raises
    ------
    LabrigError
        ``engine``: something that the building uses is not among the carriers that are counted.
    """
    if engine_kwh is not None and abs(total_kwh - engine_kwh) > max(
        ROUNDED_KWH, SAME_ENERGY * abs(engine_kwh)
    ):
        raise LabrigError(
            f"The meters come to {total_kwh:.1f} kWh, and EnergyPlus's own report to {engine_kwh:.1f} kWh",
            where="net site energy",
            expected="the same",
            code="engine",
        )


def _accounted(outputs: Path, counted: int, asked: int) -> tuple[dict[str, Floats], float]:
    require_hours(counted, asked)
    balance, hourly = ((outputs / name).read_bytes() for name in ("balance.csv", "hourly.csv"))
    part = require_closed(read_columns(balance, "balance.csv") if balance.strip() else {})
    return read_columns(hourly, "hourly.csv"), part


def _month(hourly: Mapping[str, Floats], month: int) -> dict[str, object]:
    """Return the numbers of a month, by which two runs pair."""
    mine = hourly["month"] == month
    if not mine.any():
        return {}
    part = {name: values[mine] for name, values in hourly.items()}
    metrics, _ = summary(part, 0.0, 0.0)
    return {"unit": f"month {month}", **{name: each.value for name, each in metrics.items()}}


def _span(hourly: Mapping[str, Floats]) -> tuple[str, str, str]:
    first, last = (f"--{int(hourly['month'][at]):02}-{int(hourly['day'][at]):02}" for at in (0, -1))
    return first, last, "PT1H"


FILES: Mapping[str, str] = {
    "building_idf_path": "IDF of version 25.2 that needs no other file, or JSON, a box of one room: length_m, width_m, "
    "height_m, insulation_r_m2k_w, window_share, window_u_w_m2k, window_shgc, air_changes_per_h, equipment_w_m2, "
    "heating_setpoint_c, cooling_setpoint_c",
    "weather_epw_path": "EPW of 8,760 hours, such as weather_to_epw writes",
}

SIMULATOR = Simulator(
    tool="impact_energyplus_run",
    engine=ENERGYPLUS,
    backends=("energyplus",),
    files=FILES,
    options={
        "heating_setpoint_c": "constant, degC, in place of the building's; none leaves these",
        "cooling_setpoint_c": "constant, degC, in place of the building's; none leaves these",
    },
    run=simulate,
    check=lambda given: case_of(given).notes,
    proxies={
        "default_floor_area_m2": "the floor is that of the building's file (floor_area_m2 of the result)",
        "base_load_w_m2": "loads are those of the building's file (equipment_w_m2 of a box)",
        "cooling_sensitivity_w_m2_per_c": "how much cooling a degree takes is what EnergyPlus computes",
        "heating_sensitivity_w_m2_per_c": "how much heating a degree takes is what EnergyPlus computes",
    },
)
