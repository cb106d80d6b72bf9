"""A run of CLIMADA through the server's rooms, beside the engine alone in a process that has it loaded.

Overhead is what reading and checking, the folder of the run, the fork, and the computation by NumPy add; CLIMADA stays
loaded between runs, so at most 0.2 s are allowed.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from benchmarks.crops import ROUNDS

from labrig.sideenv import status
from labrig_earth.impact.risk.climada import asked_of, case_of, simulate
from labrig_earth.impact.risk.setup import CLIMADA_ENV
from labrig_earth.impact.runs import Allowed, Engines
from labrig_earth.impact.simulator import Given, Named, Run

EVENTS, SIDE, ASSETS = 200, 30, 2_000
WARM_OVERHEAD_S = 0.2

BARE = """
import json, sys, tempfile, time, types
from pathlib import Path
sys.path.insert(0, sys.argv[1])
for name, folder in {"labrig": "", "labrig.isolation": "", "labrig.isolation.inside": sys.argv[2]}.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [folder] if folder else []
import climada_engine
arguments, took = json.loads(sys.stdin.read()), []
for _ in range(int(sys.argv[4])):
    with tempfile.TemporaryDirectory() as top:
        started = time.perf_counter()
        climada_engine.run(arguments, Path(sys.argv[3]), Path(top))
        took.append(time.perf_counter() - started)
print(json.dumps(took), file=sys.stderr)
"""


def _given() -> Given:
    """Return a made set of floods on a grid of places, and houses among them."""
    chosen = np.random.default_rng(1)
    north, east = (
        each.reshape(-1).round(5)
        for each in np.meshgrid(np.linspace(48, 49, SIDE), np.linspace(9, 10, SIDE), indexing="ij")
    )
    events = [
        {
            "event_id": str(number),
            "frequency_per_year": 0.005,
            "intensity": np.maximum(chosen.normal(0, 1, SIDE * SIDE), 0).round(3).tolist(),
        }
        for number in range(EVENTS)
    ]
    hazard = {
        "hazard_type": "FL",
        "intensity_unit": "m",
        "latitude": north.tolist(),
        "longitude": east.tolist(),
        "events": events,
    }
    rows = ["exposure_id,latitude,longitude,value"]
    for number in range(ASSETS):
        rows.append(
            f"{number},{48 + chosen.random():.6f},{9 + chosen.random():.6f},{chosen.lognormal(12, 1):.2f}"
        )
    functions = {
        "hazard_type": "FL",
        "intensity_unit": "m",
        "functions": {"house": {"intensity": [0, 0.5, 2, 6], "mdd": [0, 0.1, 0.5, 1]}},
    }
    return Given(
        {
            "hazard_event_set_path": [Named("floods.json", json.dumps(hazard).encode())],
            "exposure_path": [Named("houses.csv", "\n".join(rows).encode())],
            "impact_functions_path": [Named("functions.json", json.dumps(functions).encode())],
        }
    )


def _alone(given: Given) -> float:
    import labrig.isolation.inside as inside
    import labrig_earth.impact.inside as engines

    arguments, inputs = asked_of(case_of(given))
    folders = [str(Path(str(each.__file__)).parent) for each in (engines, inside)]
    with tempfile.TemporaryDirectory() as top:
        for name, content in inputs.items():
            (Path(top) / name).write_bytes(content)
        done = subprocess.run(
            [str(CLIMADA_ENV.path / "bin" / "python"), "-c", BARE, *folders, top, str(ROUNDS + 1)],
            input=json.dumps(arguments),
            capture_output=True,
            text=True,
            check=True,
            env={"HOME": top, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
    return float(min(json.loads(done.stderr.splitlines()[-1])[1:]))


async def _through(given: Given) -> tuple[float, float]:
    """Return how long the first run takes, which loads the engine, and a later one."""
    engines = Engines()
    took = []
    try:
        for _ in range(ROUNDS + 1):
            started = time.perf_counter()
            async with simulate(given, Run(engines, Allowed(), 31)):
                took.append(time.perf_counter() - started)
    finally:
        await engines.close()
    return took[0], min(took[1:])


def main() -> None:
    """Print what an impact takes alone and through the server."""
    if status(CLIMADA_ENV).state != "installed":
        print("CLIMADA is not installed: labrig setup climada")
        return
    given = _given()
    alone, (first, through) = _alone(given), asyncio.run(_through(given))
    verdict = "within" if through - alone <= WARM_OVERHEAD_S else "MORE THAN"
    print(
        f"CLIMADA, {EVENTS} events at {SIDE * SIDE} places on {ASSETS:,} assets: alone {alone:.2f} s, through the "
        f"server {through:.2f} s (the first, which loads it, {first:.1f} s), "
        f"overhead {through - alone:.2f} s ({verdict} {WARM_OVERHEAD_S} s)"
    )
