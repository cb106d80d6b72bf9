"""A year of EnergyPlus through the server's rooms, beside the engine alone: the first run of a process that loaded it.

A second run in one process would be faster, since the engine has read its own schema; each run here has its process.
Overhead is what checking, the folder of the run, the fork, and the balance of heat add; at most 0.5 s are allowed.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from pathlib import Path

from benchmarks.crops import BARE, OVERHEAD_S, ROUNDS

from labrig.sideenv import status
from labrig_earth.impact.buildings.energyplus import case_of, simulate
from labrig_earth.impact.buildings.setup import ENERGYPLUS_ENV
from labrig_earth.impact.runs import Allowed, Engines
from labrig_earth.impact.simulator import Given, Named, Run

WEATHER = "lib/python3*/site-packages/pyenergyplus/data/weather/*Chicago*.epw"


def _alone(given: Given) -> float:
    import labrig.isolation.inside as inside
    import labrig_earth.impact.inside as engines

    case = case_of(given)
    folders = [str(Path(str(each.__file__)).parent) for each in (engines, inside)]
    inputs = {"building.idf": case.idf.decode(), "weather.epw": case.epw.decode()}
    done = subprocess.run(
        [str(ENERGYPLUS_ENV.path / "bin" / "python"), "-c", BARE, *folders, "energyplus_engine", "1"],
        input=json.dumps([{}, inputs]),
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(done.stderr.splitlines()[-1])[0])


async def _through(given: Given) -> float:
    engines = Engines()
    took = []
    try:
        for _ in range(ROUNDS + 1):
            started = time.perf_counter()
            async with simulate(given, Run(engines, Allowed(), 43)):
                took.append(time.perf_counter() - started)
    finally:
        await engines.close()
    return min(took[1:])


def main() -> None:
    """Print what a year of a box takes alone and through the server."""
    if status(ENERGYPLUS_ENV).state != "installed":
        print("EnergyPlus is not installed: labrig setup energyplus")
        return
    (weather,) = ENERGYPLUS_ENV.path.glob(WEATHER)
    given = Given(
        {
            "building_idf_path": [Named("box.json", b"{}")],
            "weather_epw_path": [Named("chicago.epw", weather.read_bytes())],
        }
    )
    alone, through = min(_alone(given) for _ in range(ROUNDS)), asyncio.run(_through(given))
    verdict = "within" if through - alone <= OVERHEAD_S else "MORE THAN"
    print(
        f"EnergyPlus, a year of a box: alone {alone:.2f} s, through the server {through:.2f} s, "
        f"overhead {through - alone:.2f} s ({verdict} {OVERHEAD_S} s)"
    )
