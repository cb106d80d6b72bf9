"""EnergyPlus: a load that is known by hand, insulation with the right sign, a reference building, failures told."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from labrig.errors import LabrigError
from labrig.plotting import style
from labrig.plotting.images import Look, look
from labrig_earth.impact.buildings import drawing
from labrig_earth.impact.buildings.balance import STORED, require_closed, require_hours
from labrig_earth.impact.buildings.box import box
from labrig_earth.impact.buildings.energyplus import case_of, require_total, simulate
from labrig_earth.impact.buildings.idf import hours_of, write_idf
from labrig_earth.impact.runs import Allowed, Engines
from labrig_earth.impact.simulator import Run, Simulation
from labrig_earth.work.fields import Fields
from support.buildings import SIGMA, given, needs_energyplus, steady_epw, wheel

IDF = write_idf(box(Fields({}, "box")))
WEATHER = steady_epw()
WEEK = b"RunPeriod,Week,1,8,,1,14,,Monday,No,No,No,Yes,Yes;"


def short(idf: bytes) -> bytes:
    """Return a building whose run is of a week."""
    return re.sub(rb"RunPeriod,[^;]*;", WEEK, idf)


@pytest.mark.parametrize(
    ("idf", "code", "said"),
    [
        (b"", "bad_input", "This is no IDF"),
        (b"Version,25.2", "bad_input", "after the last ;"),
        (b"Version,9.4;Zone,x;", "bad_input", "of version 9.4"),
        (b"Zone,x;", "bad_input", "of version none"),
        (IDF + b"PythonPlugin:Instance,x,Yes,plugin,Class;", "refused", "runs Python code"),
        (IDF + b"Schedule:File,x,Any,/etc/passwd,1,0;", "refused", "reads another file"),
        (IDF + b"Table:Lookup,x,,,,,,,/etc/passwd,1,1;", "refused", "names a file"),
        (IDF + b"Table:Lookup,x,,,,,,,..\\x,1,1;", "refused", "names a file"),
        (IDF + b"ExternalInterface,PtolemyServer;", "refused", "talks to other programs"),
        (IDF + b"HVACTemplate:Thermostat,x;", "refused", "expand it first"),
        (IDF + b"\n##include /etc/passwd\n", "refused", "macros"),
        (IDF.replace(b"RunPeriod,Year,1,1", b"RunPeriod,Year,13,1"), "bad_input", "has no day"),
        (
            IDF.replace(b"RunPeriod,Year,1,1,,12,31,", b"RunPeriod,Year,5,1,2017,4,30,2017"),
            "bad_input",
            "from 2017-05-01",
        ),
        ({"length_m": True}, "bad_input", "no number"),
        ({"lenght_m": 5}, "not_found", "length_m"),
        ({"heating_setpoint_c": 25, "cooling_setpoint_c": 20}, "bad_input", "cooling_setpoint_c is 20"),
    ],
)
def test_buildings_that_are_refused(idf: Any, code: str, said: str) -> None:
    with pytest.raises(LabrigError) as found:
        case_of(given(idf, WEATHER))
    assert found.value.code == code, found.value
    assert said in str(found.value)


def test_weather_and_set_points_that_are_refused() -> None:
    for weather in (b"", WEATHER[: len(WEATHER) - 200], b"x" * 500):
        with pytest.raises(LabrigError):
            case_of(given({}, weather))
    with pytest.raises(LabrigError) as found:
        case_of(given({}, WEATHER, heating_setpoint_c=24, cooling_setpoint_c=20))
    assert "above cooling" in str(found.value)
    bare = b"\n".join(line for line in IDF.splitlines() if not line.startswith(b"ThermostatSetpoint"))
    with pytest.raises(LabrigError) as found:
        case_of(given(bare, WEATHER, heating_setpoint_c=18))
    assert "No thermostat" in str(found.value)


def test_what_a_run_is_asked_for_replaces_what_the_file_asks() -> None:
    idf = IDF.replace(b"SimulationControl,No,No,No,No,Yes", b"SimulationControl,No,No,No,Yes,No")
    case = case_of(given(idf + b"Output:Table:TimeBins,*,x,0,1,1;OutputControl:Files,Yes;", WEATHER))
    text = case.idf.decode()
    assert "SimulationControl,No,No,No,No,Yes" in text
    assert "TimeBins" not in text
    assert "OutputControl" not in text
    assert "Output:SQLite" in text
    assert case.hours == 8760
    assert any("run all the same" in note for note in case.notes)
    assert hours_of(["RunPeriod", "x", "1", "8", "", "1", "14"], "x") == 168
    assert hours_of(["RunPeriod", "x", "1", "1", "2020", "12", "31", "2020"], "x") == 8760
    assert hours_of(["RunPeriod", "x", "1", "2", "", "1", "1", ""], "x") == 8760, "over the new year"
    assert hours_of(["RunPeriod", "x", "1", "2", "2019", "1", "1", "2020"], "x") == 8760
    assert hours_of(["RunPeriod", "x", "3", "1", "2020", "3", "2", ""], "x") == 48
    assert (
        case_of(given(short(IDF) + WEEK.replace(b"Week,1,8,,1,14", b"July,7,8,,7,14"), WEATHER)).hours == 336
    )


def test_hours_and_heat_that_are_missing_are_errors() -> None:
    with pytest.raises(LabrigError) as found:
        require_hours(0, 8760)
    assert found.value.code == "engine"
    terms = {
        "surface_convection_w": np.full(10, -100.0),
        "system_air_transfer_w": np.full(10, 100.0),
        STORED: np.zeros(10),
    }
    assert require_closed(terms) == 0
    with pytest.raises(LabrigError) as found:
        require_closed({**terms, "system_air_transfer_w": np.full(10, 110.0)})
    assert "does not close: 9.52 %" in str(found.value)
    stepped = {
        **terms,
        "system_air_transfer_w": np.array([150.0, *[100.0] * 9]),
        STORED: np.array([60.0, *[0.0] * 9]),
    }
    assert require_closed(stepped) == pytest.approx(10 / 1025), "an hour misses no more than its air stores"
    with pytest.raises(LabrigError, match=r"does not close: 3\.32 %"):
        require_closed({**stepped, STORED: np.array([8.0, *[0.0] * 9])})
    with pytest.raises(LabrigError):
        require_closed({})


@asynccontextmanager
async def ran(
    building: Any, weather: bytes = WEATHER, engines: Engines | None = None, **options: Any
) -> AsyncIterator[Simulation]:
    needs_energyplus()
    own = engines or Engines()
    try:
        async with simulate(given(building, weather, **options), Run(own, Allowed(wall_s=60), 43)) as done:
            yield done
    finally:
        if engines is None:
            await own.close()


async def numbers(building: Any, weather: bytes = WEATHER, **options: Any) -> dict[str, Any]:
    async with ran(building, weather, **options) as done:
        return {name: each.value for name, each in {**done.metrics, **done.derived}.items()}


def by_hand(insulation: float, kelvin: float, air_changes: float) -> float:
    """Return the steady heat that the box of 10 x 8 x 3 m loses, W, over walls, roof and leaks.

    Through insulation and concrete, and by air along the surfaces: natural convection of a vertical wall 1.31 dT^(1/3),
    of a roof that loses heat upward 1.51 dT^(1/3) W/(m2 K) (Walton 1983), outside with radiation to a sky of the same
    temperature. What the floor, which passes none, radiates to the walls is left out: 1 to 3 %.
    """
    radiates = 4 * 0.9 * SIGMA * 274.0**3
    lost = 0.0
    for area, along in ((108, 1.31), (80, 1.51)):

        def left(heat: float, along: float = along) -> float:
            outside = brentq(lambda dt: dt * (radiates + along * dt ** (1 / 3)) - heat, 0, 60)
            return kelvin - heat * (insulation + 0.15 / 1.4) - (heat / along) ** 0.75 - outside

        lost += area * brentq(left, 0.01, 100)
    return lost + air_changes * 240 / 3600 * 101325 / (287.05 * 273.15) * 1006 * kelvin


@pytest.mark.accept
async def test_steady_loads_are_what_they_are_by_hand() -> None:
    """A year without sun at 0 degC: insulation, set point and leaks have the right sign and size."""
    bare = {"window_share": 0, "equipment_w_m2": 0}
    tight = {**bare, "air_changes_per_h": 0}
    leaky, thin, thick, cool = await asyncio.gather(
        numbers(bare),
        numbers({**tight, "insulation_r_m2k_w": 1}),
        numbers({**tight, "insulation_r_m2k_w": 5}),
        numbers({**tight, "insulation_r_m2k_w": 5}, heating_setpoint_c=18),
    )
    for found, hand in (
        (leaky, by_hand(3, 20, 0.5)),
        (thin, by_hand(1, 20, 0)),
        (thick, by_hand(5, 20, 0)),
        (cool, by_hand(5, 18, 0)),
    ):
        assert found["heating_kwh"] / 8760 * 1000 == pytest.approx(hand, rel=0.04)
        assert found["cooling_kwh"] == 0
        assert found["hours_simulated"] == 8760
    assert cool["coldest_zone_c"] == pytest.approx(18, abs=0.05)


@pytest.mark.accept
async def test_devices_warm_the_room_and_the_heat_is_added_up_again() -> None:
    """What comes in leaves again: NumPy adds heating, devices and losses up from the tables that EnergyPlus left."""
    async with ran({}, wheel("weather/*Chicago*.epw").read_bytes()) as done:
        outputs = done.folder / "outputs"
        terms = list(csv.DictReader(io.StringIO((outputs / "balance.csv").read_text())))
        sums = {name: np.sum([float(row[name]) for row in terms]) for name in terms[0]}
        stored = sums.pop(STORED)
        assert len(sums) == 6
        assert abs(sum(sums.values()) - stored) < 1e-3 * sum(map(abs, sums.values()))
        value = {name: each.value or 0 for name, each in done.metrics.items()}
        assert value["electricity_kwh"] == pytest.approx(6 * 80 * 8.76)
        assert sums["internal_convective_heat_gain_w"] == pytest.approx(0.7 * 6 * 80 * 8760)
        assert value["total_energy_kwh"] == pytest.approx(
            value["electricity_kwh"] + value["heating_kwh"] + value["cooling_kwh"], rel=0.25
        )
        assert len(done.units) == 12
        assert sum(row["heating_kwh"] for row in done.units) == pytest.approx(value["heating_kwh"])


@pytest.mark.accept
async def test_a_reference_building_that_asks_for_no_weather_is_run_all_the_same() -> None:
    """DOE's small office, a week of January in Chicago; as it ships, it simulates 0 hours and says it succeeded."""
    needs_energyplus()
    idf = short(wheel("model/RefBldgSmallOfficeNew2004_Chicago.idf").read_bytes())
    async with ran(idf, wheel("weather/*Chicago*.epw").read_bytes()) as done:
        found = {name: each.value for name, each in {**done.metrics, **done.derived}.items()}
        assert found["hours_simulated"] == 168
        assert found["floor_area_m2"] == pytest.approx(511, abs=1), "without the attic"
        assert found["heating_kwh"] > 500
        assert any("does not ask for weather" in each for each in done.warnings)
        assert done.version.startswith("EnergyPlus 25.2.0")


@pytest.mark.accept
@pytest.mark.parametrize("steps", [b"4", b"6"])
async def test_a_building_that_is_heated_less_at_night_closes_too(steps: bytes) -> None:
    """Where a set point steps, the engine's heat of the air is off in that hour, and in no other."""
    needs_energyplus()
    night = (
        b"Schedule:Compact,Heating set point,Any,Through: 12/31,For: AllDays,Until: 06:00,10,Until: 20:00,22,"
    )
    idf = IDF.replace(b"Schedule:Constant,Heating set point,Any,20;", night + b"Until: 24:00,10;")
    async with ran(short(idf.replace(b"Timestep,4;", b"Timestep,%s;" % steps))) as done:
        assert done.metrics["heating_kwh"].value > 100
        assert 1e-4 < {**done.metrics, **done.derived}["heat_balance_error"].value < 0.05


@pytest.mark.accept
async def test_the_same_run_leaves_the_same_bytes_alone_and_among_others() -> None:
    needs_energyplus()
    engines = Engines()

    async def one() -> dict[str, str]:
        async with ran(short(IDF), engines=engines) as done:
            return {
                path.relative_to(done.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in sorted(done.folder.rglob("*"))
                if path.is_file()
            }

    try:
        alone = await one()
        assert all(each == alone for each in await asyncio.gather(*(one() for _ in range(10))))
        with pytest.raises(LabrigError) as error:
            await numbers(
                IDF.replace(b"GlobalGeometryRules,UpperLeftCorner", b"GlobalGeometryRules,Nowhere"),
                engines=engines,
            )
        assert error.value.code == "engine"
        assert "EnergyPlus stopped" in str(error.value)
        assert await one() == alone
    finally:
        await engines.close()


PROPANE = b"Exterior:FuelEquipment,Heater,Propane,On,1000,Outside;"
PV = (
    b"Generator:PVWatts,PV,,5000,Standard,FixedOpenRack,0.14,TiltAzimuth,20,180;"
    b"ElectricLoadCenter:Inverter:PVWatts,INV,1.1,0.96;"
    b"ElectricLoadCenter:Generators,G,PV,Generator:PVWatts,5000,,;"
    b"ElectricLoadCenter:Distribution,D,G,Baseload,,,,DirectCurrentWithInverter,INV;"
)


@pytest.mark.accept
async def test_all_that_comes_into_a_building_is_counted_and_what_it_makes_is_taken_off() -> None:
    needs_energyplus()
    weather, idf = wheel("weather/*Chicago*.epw").read_bytes(), short(IDF)
    plain, gas, sun = await asyncio.gather(*(numbers(idf + more, weather) for more in (b"", PROPANE, PV)))
    assert gas["total_energy_kwh"] == pytest.approx(plain["total_energy_kwh"] + 168, abs=0.01)
    assert gas["other_carriers_kwh"] == pytest.approx(plain["other_carriers_kwh"] + 168, abs=0.01)
    assert sun["electricity_produced_kwh"] > 20 and plain["electricity_produced_kwh"] == 0
    assert sun["electricity_kwh"] == pytest.approx(plain["electricity_kwh"], abs=0.01)
    came = plain["total_energy_kwh"] - sun["electricity_produced_kwh"]
    assert sun["total_energy_kwh"] == pytest.approx(came, abs=0.05)


def test_a_total_that_is_not_the_engines_own_is_refused() -> None:
    require_total(456.93, 455.56)  # two digits of GJ
    require_total(100.0, None)
    with pytest.raises(LabrigError, match=r"288\.9 kWh, and EnergyPlus's own report to 455\.6"):
        require_total(288.93, 455.56)


@pytest.mark.accept
async def test_all_run_periods_of_a_file_count() -> None:
    twice = await numbers(short(IDF) + WEEK.replace(b"Week,1,8,,1,14", b"July,7,8,,7,14"))
    once = await numbers(short(IDF))
    assert twice["hours_simulated"] == 336
    assert twice["electricity_kwh"] == pytest.approx(2 * once["electricity_kwh"], rel=1e-3)


def test_from_how_many_degrees_on_a_set_point_is_not_met_is_the_files_own() -> None:
    case = case_of(given(IDF + b"OutputControl:ReportingTolerances,2.0;OutputControl:Files,Yes;", WEATHER))
    assert b"OutputControl:ReportingTolerances,2.0;" in case.idf and b"OutputControl:Files" not in case.idf
    assert any("from 2.0 K on" in each for each in case.notes)


class Drawn:
    """The table of a run as a picture gets it."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self.record = SimpleNamespace(scenario=name, version="EnergyPlus 25.2.0")
        self._content = content

    def bytes_of(self, path: str) -> bytes:
        assert path == drawing.HOURLY
        return self._content


def test_the_load_of_days_is_drawn() -> None:
    rows = [f"1,{1 + hour // 24},{hour % 24 + 1},0,{1 + hour % 3},0.5" for hour in range(72)]
    head = "month,day,hour,outdoor_c,heating_energytransfer_kwh,electricity_facility_kwh"
    content = "\n".join([head, *rows]).encode()
    assert drawing.read(content, "x")[drawing.HEATING].sum(axis=1).tolist() == [48, 48, 48]
    page, _ = drawing.figure((Drawn("a", content), Drawn("b", content)), {})  # type: ignore[arg-type]
    assert isinstance(look(style.png(page)), Look)
    for damaged in (b"", b"x\n1\n", head.encode()):
        with pytest.raises(LabrigError):
            drawing.figure((Drawn("a", damaged),), {})  # type: ignore[arg-type]
