"""A depot of an item: its building and a year of weather as files, and what EnergyPlus says without a server."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from labrig_suites.terrabench.making.building_engine import CASES
from labrig_suites.terrabench.making.engines import answered
from labrig_suites.terrabench.making.hours import saturation_hpa
from labrig_suites.terrabench.making.world import Floats, World

NEEDS = "energyplus"
SOLAR_W_M2 = 1367.0
YEAR = 2017
"""A year without 29 February."""


@dataclass(frozen=True)
class Weather:
    """A year by the hour: degC, % over water, m/s, W/m2 of direct normal and diffuse radiation, tenths of cloud."""

    latitude: float
    air: Floats
    humidity: Floats
    wind: Floats
    direct: Floats
    diffuse: Floats
    cloud: Floats

    def epw(self) -> str:
        """Return the file; what is not known has the format's codes for missing."""
        head = (
            f"LOCATION,Depot,-,-,made,999999,{self.latitude:.2f},0.0,0.0,100.0\nDESIGN CONDITIONS,0\n"
            "TYPICAL/EXTREME PERIODS,0\nGROUND TEMPERATURES,0\nHOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0\n"
            "COMMENTS 1,synthetic\nCOMMENTS 2,\nDATA PERIODS,1,1,Data,Sunday,1/1,12/31\n"
        )
        dew = dew_point(self.air, self.humidity)
        when = np.datetime64(f"{YEAR}-01-01") + np.arange(365)
        lines = []
        for place, air in enumerate(self.air):
            month, day = str(when[place // 24])[5:].split("-")
            lines.append(
                f"{YEAR},{int(month)},{int(day)},{place % 24 + 1},60,?,{air:.2f},{dew[place]:.2f},"
                f"{self.humidity[place]:.1f},100000,9999,9999,9999,9999,{self.direct[place]:.1f},"
                f"{self.diffuse[place]:.1f},999999,999999,999999,9999,180,{self.wind[place]:.2f},"
                f"{self.cloud[place]:.0f},{self.cloud[place]:.0f},9999,99999,9,999999999,999,.999,0,99,999,0,0\n"
            )
        return head + "".join(lines)

    def warmer(self, kelvin: float) -> Weather:
        """Return the year with warmer air of the same relative humidity."""
        return replace(self, air=(self.air + kelvin).round(2))


@dataclass(frozen=True)
class Depot:
    """A hall with ideal loads.

    Attributes
    ----------
    size
        Length, width, height, m.
    glazed
        Part of the south wall that is window.
    leaks
        Air changes, 1/h.
    devices
        W/m2, from seven to six; a fifth of it at night.
    heating_c
        Set point of heating, day and night: steps of it would leave heat of the air unaccounted for (above 1 %).
    first, last
        Month and day.
    """

    size: tuple[float, float, float]
    glazed: float
    leaks: float
    devices: float
    heating_c: float
    first: tuple[int, int]
    last: tuple[int, int]

    def idf(self, insulation_m: float) -> str:
        """Return the building's file, with so much insulation in walls and roof."""
        a, b, h = self.size
        low, high = (1 - self.glazed) / 2, (1 + self.glazed) / 2
        south = ((0, 0), (a, 0))
        walls = {
            "South": south,
            "East": ((a, 0), (a, b)),
            "North": ((a, b), (0, b)),
            "West": ((0, b), (0, 0)),
        }
        surfaces = "".join(
            _surface(name, "Wall", "Outdoors", [(*one, h), (*one, 0), (*two, 0), (*two, h)])
            for name, (one, two) in walls.items()
        )
        surfaces += _surface("Roof", "Roof", "Outdoors", [(0, b, h), (0, 0, h), (a, 0, h), (a, b, h)])
        surfaces += _surface("Floor", "Floor", "Adiabatic", [(0, 0, 0), (0, b, 0), (a, b, 0), (a, 0, 0)])
        pane = [
            (0.05 * a, 0, high * h),
            (0.05 * a, 0, low * h),
            (0.95 * a, 0, low * h),
            (0.95 * a, 0, high * h),
        ]
        return f"""\
Version,25.2;
Timestep,4;
Building,Depot,0,City,0.04,0.4,FullExterior,25,6;
SimulationControl,No,No,No,No,Yes,No,1;
RunPeriod,Weeks,{self.first[0]},{self.first[1]},,{self.last[0]},{self.last[1]},,Monday,No,No,No,Yes,Yes;
GlobalGeometryRules,UpperLeftCorner,Counterclockwise,World;
ScheduleTypeLimits,Any;
Schedule:Compact,Work,Any,Through: 12/31,For: AllDays,Until: 07:00,0.2,Until: 18:00,1,Until: 24:00,0.2;
Schedule:Constant,Always,Any,1;
Schedule:Constant,Heating,Any,{self.heating_c:g};
Schedule:Constant,Cooling,Any,27;
Schedule:Constant,Control,Any,4;
Material,Brick,Rough,0.24,0.8,1800,900;
Material,Wool,Rough,{insulation_m:g},0.04,60,1000;
Construction,Shell,Wool,Brick;
WindowMaterial:SimpleGlazingSystem,Glazing,1.6,0.55;
Construction,Window,Glazing;
Zone,Hall,0,0,0,0,1,1,autocalculate,autocalculate;
{surfaces}FenestrationSurface:Detailed,Pane,Window,Window,South,,autocalculate,,1,4,{_corners(pane)};
ZoneInfiltration:DesignFlowRate,Leaks,Hall,Always,AirChanges/Hour,,,,{self.leaks:g},1,0,0,0;
ElectricEquipment,Devices,Hall,Work,Watts/Area,,{self.devices:g},,0,0.3,0,Devices;
ZoneControl:Thermostat,Thermostat,Hall,Control,ThermostatSetpoint:DualSetpoint,Set points;
ThermostatSetpoint:DualSetpoint,Set points,Heating,Cooling;
ZoneHVAC:EquipmentConnections,Hall,Equipment,Inlet,,Air,Outlet;
ZoneHVAC:EquipmentList,Equipment,SequentialLoad,ZoneHVAC:IdealLoadsAirSystem,Ideal,1,1;
ZoneHVAC:IdealLoadsAirSystem,Ideal,,Inlet,,,50,13,0.0156,0.0077,NoLimit,,,NoLimit,,,,,ConstantSensibleHeatRatio,0.7,None;
"""


@dataclass(frozen=True)
class Use:
    """A run: centimetres of insulation, a constant heating set point (none: the building's), the kind of year."""

    insulation_cm: int
    heating_c: float | None = None
    year: str = "now"


def make_depot(rng: np.random.Generator) -> Depot:
    """Return a depot and the winter weeks that are looked at."""
    size = tuple(round(float(each), 1) for each in rng.uniform([12, 8, 3.2], [36, 20, 6.5]))
    month = int(rng.choice([1, 2, 12]))
    first = int(rng.integers(1, 9))
    return Depot(
        size,  # type: ignore[arg-type]
        round(float(rng.uniform(0.1, 0.5)), 2),
        round(float(rng.uniform(0.3, 0.9)), 2),
        round(float(rng.uniform(2, 8)), 1),
        round(float(rng.uniform(17, 21)), 1),
        (month, first),
        (month, first + int(rng.integers(13, 19))),
    )


def make_weather(world: World, rng: np.random.Generator) -> Weather:
    """Return a year: days of the world with a daily course, and a sun behind clouds that change by the day."""
    rows, columns = world.days.shape[1:]
    start = int(rng.integers(0, world.days.shape[0] - 365) // 365 * 365)
    days: Floats = world.days[start : start + 365, rng.integers(rows), rng.integers(columns)] - 273.15
    latitude = round(float(rng.uniform(42, 54)), 2)
    hour = np.tile(np.arange(24) + 0.5, 365)
    day = np.repeat(np.arange(365), 24)
    cloud = rng.integers(0, 11, 365).astype("f8")[day]
    swing = np.repeat(rng.uniform(2, 5, 365), 24) * (1.3 - 0.06 * cloud)
    air = days[day] + rng.uniform(-3, 2) - swing * np.cos(2 * np.pi * (hour - 3) / 24)
    declination = np.radians(23.45 * np.sin(2 * np.pi * (284 + day + 1) / 365))
    height = np.sin(np.radians(latitude)) * np.sin(declination) + np.cos(np.radians(latitude)) * np.cos(
        declination
    ) * np.cos(np.pi * (hour - 12) / 12)
    up = height.clip(0)
    clear = SOLAR_W_M2 * 0.7 ** (1 / up.clip(0.05)) * (up > 0)
    humidity = np.repeat(rng.uniform(60, 95, 365), 24) - 6 * (swing / 4)
    return Weather(
        latitude,
        air.round(2),
        humidity.round(1),
        np.repeat(rng.gamma(4, 1.0, 365), 24).clip(0.3, 15).round(2),
        (clear * (1 - 0.09 * cloud)).round(1),
        (SOLAR_W_M2 * up * (0.1 + 0.015 * cloud)).round(1),
        cloud,
    )


def dew_point(air_c: Floats, humidity: Floats) -> Floats:
    """Return the dew point, degC: Magnus' formula turned round."""
    gamma = np.log(humidity / 100 * saturation_hpa(air_c) / 6.112)
    found: Floats = 243.12 * gamma / (17.62 - gamma)
    return found


def runs(depot: Depot, years: Mapping[str, Weather], asked: Sequence[Use]) -> list[dict[str, float]]:
    """Return what EnergyPlus says of a depot in years, given by name; raises as `loads`."""
    epws = {name: year.epw() for name, year in years.items()}
    return loads(epws, [(depot.idf(each.insulation_cm / 100), each.year, each.heating_c) for each in asked])


def loads(epws: Mapping[str, str], cases: Sequence[tuple[str, str, float | None]]) -> list[dict[str, float]]:
    """Return what EnergyPlus says in the Python of ``labrig setup energyplus``.

    Parameters
    ----------
    epws
        Texts of the files of weather, by name.
    cases
        Text of a building's file, name of the weather, and a constant heating set point or None.

    Raises what `labrig_suites.terrabench.making.engines.answered` raises.
    """
    from labrig_earth.impact.buildings.setup import ENERGYPLUS_ENV

    script = Path(__file__).with_name("building_engine.py")
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.epw" for name in epws}
        for name, path in paths.items():
            path.write_text(epws[name], encoding="utf-8")
        rows = [
            {"building": building, "weather": str(paths[year]), "heating_c": heating}
            for building, year, heating in cases
        ]
        found: list[dict[str, float]] = answered(ENERGYPLUS_ENV, NEEDS, script, "EnergyPlus", {CASES: rows})
    return found


def _surface(name: str, kind: str, outside: str, corners: Sequence[tuple[float, ...]]) -> str:
    exposed = "SunExposed,WindExposed" if outside == "Outdoors" else "NoSun,NoWind"
    return (
        f"BuildingSurface:Detailed,{name},{kind},Shell,Hall,,{outside},,{exposed},autocalculate,{len(corners)},"
        f"{_corners(corners)};\n"
    )


def _corners(points: Sequence[tuple[float, ...]]) -> str:
    return ",".join(f"{value:.4g}" for point in points for value in point)
