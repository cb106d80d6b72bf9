"""The objects of an IDF: read, looked through for what may not be, and given what a run asks for.

EnergyPlus runs behind walls that let it read and write nothing but its folder. Objects that name other files or run
code are refused all the same, with the reason, since they would fail there in a way that nobody understands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from labrig.errors import LabrigError, over_limit

MOST_BYTES = 16 << 20
MOST_OBJECTS = 100_000
VERSION = "25.2"

REFUSED: Mapping[str, str] = {
    "pythonplugin:": "runs Python code",
    "externalinterface": "talks to other programs",
    "schedule:file": "reads another file",
    "construction:windowdatafile": "reads another file",
    "hvactemplate:": "needs ExpandObjects, another program: expand it first",
    "groundheattransfer:": "needs ExpandObjects, another program: expand it first",
    "parametric:": "needs another program",
}
"""Beginnings of classes that are not taken, and why."""

DROPPED = ("output:", "outputcontrol:")
"""Beginnings of classes in whose place the run asks for its own."""

PATH = re.compile(
    r"(?:^|[/\\])\.\.(?:[/\\]|$)|^[/\\~]|^[A-Za-z]:[/\\]|\.(?:csv|epw|idf|txt|dat|py|so|fmu)$", re.I
)
SETPOINTS: Mapping[str, tuple[int | None, int | None]] = {
    "thermostatsetpoint:dualsetpoint": (2, 3),
    "thermostatsetpoint:singleheating": (2, None),
    "thermostatsetpoint:singlecooling": (None, 2),
}
"""Where the schedules of heating and of cooling stand."""

KEPT = ("outputcontrol:reportingtolerances",)
"""Of these, what changes numbers: from how many degrees on a set point counts as not met."""

CARRIERS = (
    *("Electricity", "NaturalGas", "Gasoline", "Diesel", "Coal", "FuelOilNo1", "FuelOilNo2", "Propane"),
    *("OtherFuel1", "OtherFuel2", "DistrictCooling", "DistrictHeatingWater", "DistrictHeatingSteam"),
)
"""What a building uses energy as: EnergyPlus's resource types that its site energy counts."""

METERS = (
    *(f"{carrier}:Facility" for carrier in CARRIERS),
    *("ElectricityProduced:Facility", "ElectricityNet:Facility"),
    *("Heating:EnergyTransfer", "Cooling:EnergyTransfer"),
)
BALANCE = (
    *(
        "Internal Convective Heat Gain",
        "Surface Convection",
        "Interzone Air Transfer",
        "Outdoor Air Transfer",
    ),
    *("System Air Transfer", "System Convective Heat Gain", "Air Energy Storage"),
)
"""Terms of the heat balance of a zone's air; all gain but the last, which is what they come to."""

VARIABLES = (
    "Site Outdoor Air Drybulb Temperature",
    "Zone Mean Air Temperature",
    "Facility Heating Setpoint Not Met Time",
    "Facility Cooling Setpoint Not Met Time",
    "Facility Heating Setpoint Not Met While Occupied Time",
    "Facility Cooling Setpoint Not Met While Occupied Time",
    *(f"Zone Air Heat Balance {term} Rate" for term in BALANCE),
)

Idf = Sequence[Sequence[str]]


def read_idf(content: bytes, where: str) -> list[list[str]]:
    """Return the objects of an IDF as lists: the class, and its fields.

    Raises
    ------
    LabrigError
        ``refused`` for objects that name other files or run code; ``bad_input`` for another version or what is no IDF.
    """
    if len(content) > MOST_BYTES:
        raise over_limit(f"The file has {len(content):,} bytes", MOST_BYTES, where=where)
    text = "\n".join(line.split("!", 1)[0] for line in content.decode("utf-8", "replace").splitlines())
    if re.search(r"^\s*##", text, re.MULTILINE):
        raise LabrigError(
            "The file has macros (##...)", where=where, expected="an IDF without macros", code="refused"
        )
    *whole, rest = text.split(";")
    objects = [[field.strip() for field in each.split(",")] for each in whole]
    if rest.strip() or not objects or len(objects) > MOST_OBJECTS:
        raise LabrigError(
            f"This is no IDF: {len(objects)} objects"
            + (f", and {rest.strip()[:60]!r} after the last ;" if rest.strip() else ""),
            where=where,
            expected=f"objects such as Version,{VERSION};",
        )
    for each in objects:
        kind = each[0].lower()
        if not re.fullmatch(r"[a-z][a-z0-9:\- ]{1,98}", kind):
            raise LabrigError(
                f"There is no class {each[0][:80]!r}", where=where, expected="a class of EnergyPlus"
            )
        for start, why in REFUSED.items():
            if kind.startswith(start):
                raise LabrigError(f"{each[0]} is not taken: it {why}", where=where, code="refused")
        for field in each[1:]:
            if PATH.search(field):
                raise LabrigError(
                    f"A field of {each[0]} names a file: {field[:80]!r}",
                    where=where,
                    expected="an IDF that needs no other file",
                    code="refused",
                )
    versions = [each[1] if len(each) > 1 else "" for each in objects if each[0].lower() == "version"]
    if len(versions) != 1 or not (versions[0] == VERSION or versions[0].startswith(f"{VERSION}.")):
        raise LabrigError(
            f"The file is of version {', '.join(versions)[:40] or 'none'}",
            where=where,
            expected=f"Version,{VERSION};",
            try_="update the file with EnergyPlus's own IDFVersionUpdater",
        )
    return objects


def for_a_run(
    objects: Idf, where: str, *, heating_c: float | None = None, cooling_c: float | None = None
) -> tuple[list[list[str]], int, list[str]]:
    """Return the objects of a run, how many hours it is to simulate, and what was changed.

    Parameters
    ----------
    heating_c, cooling_c
        Constant set points in place of the schedules of all thermostats, degC; None leaves these.

    Raises
    ------
    LabrigError
        For set points without a thermostat that has them.
    """
    notes: list[str] = []
    kept = [
        list(each) for each in objects if each[0].lower() in KEPT or not each[0].lower().startswith(DROPPED)
    ]
    if tolerances := next((each[1:3] for each in kept if each[0].lower() in KEPT), None):
        notes.append(
            f"hours not met count from {' and '.join(each or '0.2' for each in tolerances)} K on (heating, cooling), "
            "as the file says"
        )
    kept = [each for each in kept if each[0].lower() != "simulationcontrol"]
    control = next(
        (each for each in objects if each[0].lower() == "simulationcontrol"), ["", "No", "No", "No"]
    )
    sizing = [(control[place] if place < len(control) else "") or "No" for place in (1, 2, 3)]
    kept.append(["SimulationControl", *sizing, "No", "Yes", "No", "1"])
    if len(control) < 6 or control[5].lower() != "yes":
        notes.append(
            "the file does not ask for weather to be run (SimulationControl); it is run all the same"
        )
    periods = [each for each in kept if each[0].lower() == "runperiod"]
    if not periods:
        periods = [
            ["RunPeriod", "Year", "1", "1", "", "12", "31", "", "Monday", "No", "No", "No", "Yes", "Yes"]
        ]
        kept += periods
        notes.append("the file has no RunPeriod: the whole year is run")
    if len(periods) > 1:
        notes.append(f"the file has {len(periods)} run periods: numbers are of all together")
    for wanted, name, side in ((heating_c, "heating", 0), (cooling_c, "cooling", 1)):
        if wanted is not None:
            _set(kept, name, side, wanted, where)
            notes.append(
                f"the set point of {name} is {wanted:g} degC at all times, in place of the file's schedules"
            )
    kept.append(["Output:SQLite", "SimpleAndTabular"])
    kept.append(["Output:Table:SummaryReports", "AnnualBuildingUtilityPerformanceSummary"])
    kept += [["Output:Meter", each, "Hourly"] for each in METERS]
    kept += [["Output:Variable", "*", each, "Hourly"] for each in VARIABLES]
    return kept, sum(hours_of(each, where) for each in periods), notes


def _set(objects: list[list[str]], name: str, side: int, wanted: float, where: str) -> None:
    schedule = f"Labrig {name} set point"
    found = False
    for each in objects:
        place = SETPOINTS.get(each[0].lower(), (None, None))[side]
        if place is not None and place < len(each):
            each[place] = schedule
            found = True
    if not found:
        raise LabrigError(
            f"No thermostat of the building has a set point of {name}",
            where=where,
            expected="ThermostatSetpoint:DualSetpoint, SingleHeating or SingleCooling",
        )
    objects.append(["ScheduleTypeLimits", f"{schedule} limits"])
    objects.append(["Schedule:Constant", schedule, f"{schedule} limits", f"{wanted:g}"])


def hours_of(period: Sequence[str], where: str) -> int:
    """Return the hours from the first to the last day of a RunPeriod, which without years may pass the new year."""

    def day(month: int, at: int, year: int, otherwise: int) -> date:
        said = [period[place].strip() if place < len(period) else "" for place in (month, at, year)]
        try:
            return date(int(said[2] or otherwise), int(said[0]), int(said[1]))
        except ValueError:
            raise LabrigError(
                f"The RunPeriod has no day {'/'.join(said)}", where=where, expected="month, day and year"
            ) from None

    first = day(2, 3, 4, 2001)
    last = day(5, 6, 7, first.year)
    has_years = any(place < len(period) and period[place].strip() for place in (4, 7))
    if last < first and not has_years:
        last = last.replace(year=first.year + 1)
    if not 0 <= (last - first).days < 366:
        raise LabrigError(
            f"The RunPeriod is from {first} to {last}",
            where=where,
            expected="at most a year, the last day not before the first where they have years",
        )
    span = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return 24 * sum((each.month, each.day) != (2, 29) for each in span)  # the weather has 8,760 hours


def write_idf(objects: Idf) -> bytes:
    """Return objects as a file."""
    return ("\n".join(",".join(each) + ";" for each in objects) + "\n").encode()
