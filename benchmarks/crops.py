"""A run of an engine of crops through the server's rooms, beside the engine alone in a process that has it loaded.

Overhead is what checking, the folder of the run, the fork, and reading the tables back add; at most 0.5 s are allowed.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from labrig.sideenv import status
from labrig_earth.impact.crops import aquacrop, aquacrop_inputs, dssat
from labrig_earth.impact.crops.setup import CROPS
from labrig_earth.impact.runs import Allowed, Engines
from labrig_earth.impact.simulator import Given, Named, Run, Simulator

ROUNDS = 5
OVERHEAD_S = 0.5

BARE = """
import json, os, sys, tempfile, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import types
names = {"labrig": "", "labrig.isolation": "", "labrig.isolation.inside": sys.argv[2]}
for name, folder in names.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [folder] if folder else []
import importlib
engine = importlib.import_module(sys.argv[3])
arguments, inputs = json.loads(sys.stdin.read())
took = []
for _ in range(int(sys.argv[4])):
    with tempfile.TemporaryDirectory(prefix="lr-") as top:
        os.environ["TMPDIR"] = top + "/t"
        for name in ("i", "o", "t"):
            (Path(top) / name).mkdir()
        for name, text in inputs.items():
            (Path(top) / "i" / name).write_text(text)
        os.chdir(top)
        started = time.perf_counter()
        engine.run(arguments, Path(top) / "i", Path(top) / "o")
        took.append(time.perf_counter() - started)
        os.chdir("/")
print(json.dumps(took), file=sys.stderr)
"""


def _weather(columns: str) -> bytes:
    """Return a made year: a warm season with showers every fourth day."""
    import math
    from datetime import date, timedelta

    lines = [f"date,tmin_c,tmax_c,precipitation_mm,{columns}"]
    for number in range(365):
        wave = math.cos(2 * math.pi * (number - 200) / 365.25)
        mean, rain = 12 + 11 * wave, 8.0 if number % 4 == 0 else 0.0
        last = 2.6 + 2.2 * wave if columns == "et0_mm" else 14 + 9 * wave
        day = date(2001, 1, 1) + timedelta(days=number)
        lines.append(f"{day},{mean - 5:.2f},{mean + 6:.2f},{rain},{last:.2f}")
    return "\n".join(lines).encode()


def _json(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def _aquacrop() -> tuple[Given, dict[str, object], dict[str, bytes]]:
    given = Given(
        {
            "weather_daily_path": [Named("w.csv", _weather("et0_mm"))],
            "soil_path": [Named("soil.json", _json(type="SandyLoam"))],
            "crop_path": [Named("crop.json", _json(name="Maize", planting="04-20"))],
            "management_path": [Named("management.json", _json())],
        }
    )
    case = aquacrop_inputs.case_of(given)
    return given, dict(case.arguments), dict(case.inputs)


def _dssat() -> tuple[Given, dict[str, object], dict[str, bytes]]:
    layer = {
        "wilting_point": 0.11,
        "field_capacity": 0.25,
        "saturation": 0.48,
        "ksat_mm_day": 300,
        "bulk_density_g_cm3": 1.3,
        "organic_carbon_percent": 1.2,
        "clay_percent": 20,
        "silt_percent": 60,
    }
    treatment = _json(
        site={"latitude": 41, "longitude": -93, "elevation_m": 300},
        start="2001-04-01",
        planting={"date": "2001-05-01", "plants_m2": 7, "row_cm": 75, "depth_cm": 5},
        fertilizer=[{"date": "2001-05-20", "n_kg_ha": 120}],
    )
    given = Given(
        {
            "weather_daily_path": [Named("w.csv", _weather("srad_mj_m2"))],
            "soil_profile_path": [
                Named("soil.json", _json(layers=[{"thickness_m": each, **layer} for each in (0.2, 0.4, 0.8)]))
            ],
            "cultivar_path": [Named("cultivar.json", _json(crop="Maize", cultivar="IB0012"))],
            "treatment_path": [Named("treatment.json", treatment)],
        }
    )
    case = dssat.case_of(given)
    return given, {**case.arguments, "seed": 29}, {"weather.csv": case.weather.csv(case.columns)}


def _alone(module: str, arguments: dict[str, object], inputs: dict[str, bytes]) -> float:
    import labrig.isolation.inside as inside
    import labrig_earth.impact.inside as engines

    folders = [str(Path(str(each.__file__)).parent) for each in (engines, inside)]
    command = [str(CROPS.path / "bin" / "python"), "-I", "-c", BARE, *folders, module, str(ROUNDS)]
    question = json.dumps([arguments, {name: content.decode() for name, content in inputs.items()}])
    done = subprocess.run(command, input=question, capture_output=True, text=True, check=True)
    return float(sorted(json.loads(done.stderr.strip().splitlines()[-1]))[ROUNDS // 2])


async def _through(simulator: Simulator, given: Given) -> tuple[float, float]:
    """Return the seconds of the first run, with loading, and the median of those after it."""
    engines = Engines()

    async def once() -> float:
        started = time.perf_counter()
        async with simulator.run(given, Run(engines, Allowed(), 23)):
            return time.perf_counter() - started

    try:
        first = await once()
        return first, sorted([await once() for _ in range(ROUNDS)])[ROUNDS // 2]
    finally:
        await engines.close()


def main() -> None:
    """Print the overhead of a run of each engine, if they are installed."""
    if status(CROPS).state != "installed":
        print("the engines of crops are not installed: labrig setup crops")
        return
    cases: list[tuple[Simulator, Callable[[], tuple[Given, dict[str, object], dict[str, bytes]]]]] = [
        (aquacrop.SIMULATOR, _aquacrop),
        (dssat.SIMULATOR, _dssat),
    ]
    for simulator, case in cases:
        given, arguments, inputs = case()
        bare = _alone(simulator.engine.module, arguments, inputs)
        first, through = asyncio.run(_through(simulator, given))
        print(
            f"{simulator.engine.title}: {bare:.2f} s alone, {through:.2f} s through the server's rooms, "
            f"{through - bare:.2f} s more (at most {OVERHEAD_S}); the first run, which loads it, {first:.2f} s"
        )
