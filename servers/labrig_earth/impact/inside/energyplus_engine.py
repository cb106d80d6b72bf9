"""EnergyPlus in its own Python: one run of an IDF and an EPW, its hours read out of the SQLite file that it leaves.

What is known to go wrong in silence is closed here or told: the console is switched off, the version is what the engine
says of itself, and a run of no hours, which EnergyPlus calls successful, is counted by the server.
"""

from __future__ import annotations

import csv
import os
import re
import sqlite3
from pathlib import Path
from typing import Any

from pyenergyplus.api import EnergyPlusAPI  # type: ignore[import-not-found]

from labrig.isolation.inside.answering import Refused

SHOWN = 700
MOST_WARNINGS = 12
J_PER_KWH = 3.6e6
GJ_KWH = 1e9 / J_PER_KWH
VERSION = re.compile(r"EnergyPlus, Version ([\d.]+-\w+)")
TIME = re.compile(r"(?:, ?)?YMD=[\d.]+ [\d:]+|Elapsed Time=\d+hr \d+min +[\d.]+sec")
KNOWN = re.compile(r"Output:(?:Meter|Variable):? .*(?:invalid Key|not found|invalid)", re.I)


def run(arguments: dict[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Run a building; ``hourly.csv`` (loads, temperatures), ``balance.csv`` and ``eplusout.err`` are left."""
    del arguments
    folder = Path(os.environ["TMPDIR"]) / "run"
    folder.mkdir()
    api = EnergyPlusAPI()
    state = api.state_manager.new_state()
    api.runtime.set_console_output_status(state, False)
    code = api.runtime.run_energyplus(
        state, ["-w", str(inputs / "weather.epw"), "-d", str(folder), str(inputs / "building.idf")]
    )
    said = _text(folder / "eplusout.err")
    (outputs / "eplusout.err").write_text(TIME.sub("", said).replace(str(folder), "RUN"), encoding="utf-8")
    severe = _messages(said, ("Severe", "Fatal"))
    if code != 0 or not (folder / "eplusout.sql").exists():
        why = "; ".join(severe) or said[-SHOWN:]
        raise Refused(f"EnergyPlus stopped ({code}): {why}"[:SHOWN], code="engine", where="building_idf_path")
    found = VERSION.search(said)
    if found is None:
        raise Refused("EnergyPlus does not say its version", code="engine", where="eplusout.err")
    with sqlite3.connect(f"file:{folder / 'eplusout.sql'}?mode=ro&immutable=1", uri=True) as base:
        base.execute("PRAGMA temp_store = MEMORY")  # the walls let SQLite find no folder for what it sorts
        hours = _write(base, outputs)
        area = base.execute(
            "SELECT SUM(FloorArea * Multiplier * ListMultiplier) FROM Zones WHERE IsPartOfTotalArea"
        ).fetchone()[0]
        energy = base.execute(
            "SELECT Value, Units FROM TabularDataWithStrings WHERE TableName = 'Site and Source Energy' "
            "AND RowName = 'Net Site Energy' AND ColumnName = 'Total Energy'"
        ).fetchone()
    return {
        "version": f"EnergyPlus {found[1]}",
        "warnings": [
            f"EnergyPlus: {each}"[:250]
            for each in _messages(said, ("Warning", "Severe"))
            if not KNOWN.search(each)
        ],
        "hours": hours,
        "floor_area_m2": float(area or 0.0),
        "net_site_energy_kwh": float(energy[0]) * GJ_KWH if energy and energy[1] == "GJ" else None,
    }


def _write(base: sqlite3.Connection, outputs: Path) -> int:
    """Write the hours of the weather as tables, and return how many there are."""
    series: dict[str, dict[int, float]] = {}
    zones: dict[str, dict[int, list[float]]] = {}
    rows = base.execute(
        "SELECT d.Name, r.TimeIndex, r.Value FROM ReportData r "
        "JOIN ReportDataDictionary d USING (ReportDataDictionaryIndex) "
        "JOIN Time t USING (TimeIndex) WHERE COALESCE(t.WarmupFlag, 0) = 0 ORDER BY r.TimeIndex"
    )
    for name, at, value in rows:
        if name.startswith("Zone "):
            zones.setdefault(name, {}).setdefault(at, []).append(value)
        else:
            series.setdefault(name, {})[at] = value
    times = base.execute(
        "SELECT TimeIndex, Month, Day, Hour FROM Time WHERE COALESCE(WarmupFlag, 0) = 0"
    ).fetchall()
    outdoor = series.get("Site Outdoor Air Drybulb Temperature", {})
    ordered = sorted((each for each in times if each[0] in outdoor), key=lambda each: each[0])
    meters = [name for name in sorted(series) if ":" in name]
    with (outputs / "hourly.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        shown = [name.replace(":", "_").lower() + "_kwh" for name in meters]
        table.writerow(
            [
                *("month", "day", "hour", "outdoor_c", "coldest_zone_c", "warmest_zone_c"),
                *("unmet_h", "unmet_occupied_h", *shown),
            ]
        )
        inside = zones.get("Zone Mean Air Temperature", {})
        unmet, occupied = (
            [
                series.get(f"Facility {kind} Setpoint Not Met {when}Time", {})
                for kind in ("Heating", "Cooling")
            ]
            for when in ("", "While Occupied ")
        )
        for at, month, day, hour in ordered:
            rooms = inside.get(at, [])
            cells = [
                outdoor[at],
                min(rooms, default=None),
                max(rooms, default=None),
                sum(each.get(at, 0) for each in unmet),
                sum(each.get(at, 0) for each in occupied),
            ]
            loads = [series[name].get(at, 0.0) / J_PER_KWH for name in meters]
            table.writerow(
                [month, day, hour, *(f"{each:.6g}" if each is not None else "" for each in (*cells, *loads))]
            )
    terms = sorted(name for name in zones if name.startswith("Zone Air Heat Balance"))
    with (outputs / "balance.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(
            [
                name.removeprefix("Zone Air Heat Balance ").removesuffix(" Rate").lower().replace(" ", "_")
                + "_w"
                for name in terms
            ]
        )
        for at, *_ in ordered:
            table.writerow([f"{sum(zones[name].get(at, [0.0])):.6g}" for name in terms])
    return len(ordered)


def _messages(said: str, kinds: tuple[str, ...]) -> list[str]:
    """Return messages of some kinds, each once, without the lines that go on."""
    found: dict[str, None] = {}
    for line in said.splitlines():
        match = re.match(r"\s*\*+ *(\w+) *\*+ (.+)", line)
        if match and match[1] in kinds:
            found.setdefault(match[2].strip())
    return list(found)[:MOST_WARNINGS]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
