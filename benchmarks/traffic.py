"""A run of SUMO through the server's rooms, beside its programs alone, in a process that has nothing else to load.

Overhead is what reading and checking, the folder of the run, the fork, and adding the trips up add; at most 0.5 s.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import time
from pathlib import Path

from benchmarks.crops import BARE, OVERHEAD_S, ROUNDS

from labrig.sideenv import status
from labrig_earth.impact.runs import Allowed, Engines
from labrig_earth.impact.simulator import Given, Named, Run
from labrig_earth.impact.traffic import sumo
from labrig_earth.impact.traffic.setup import SUMO_ENV

SIZE, TRIPS, SEEDS = 6, 300, 5


def _given() -> Given:
    """Return a grid of streets, random trips, and a closed crossing of it."""
    names = [(i, j) for i in range(SIZE) for j in range(SIZE)]
    nodes = [{"id": f"{i}.{j}", "x": 150 * i, "y": 150 * j} for i, j in names]
    edges = [
        {"id": f"{i}.{j}-{k}.{m}", "from": f"{i}.{j}", "to": f"{k}.{m}", "speed_m_s": 13.9}
        for i, j in names
        for k, m in names
        if abs(i - k) + abs(j - m) == 1
    ]
    chosen = random.Random(1)
    rows = ["id,depart_s,from,to"]
    for number in range(TRIPS):
        start, end = chosen.sample(edges, 2)
        rows.append(f"t{number},{2 * number},{start['id']},{end['id']}")
    roads = json.dumps({"nodes": nodes, "edges": edges}).encode()
    disruption = json.dumps({"closed_edges": ["2.2-3.2", "3.2-2.2"], "seeds": SEEDS}).encode()
    return Given(
        {
            "network_path": [Named("roads.json", roads)],
            "routes_path": [Named("trips.csv", "\n".join(rows).encode())],
            "disruptions_path": [Named("disruption.json", disruption)],
        }
    )


def _alone(given: Given) -> float:
    import labrig.isolation.inside as inside
    import labrig_earth.impact.inside as engines

    arguments, inputs = sumo.asked_of(sumo.case_of(given), 47)
    folders = [str(Path(str(each.__file__)).parent) for each in (engines, inside)]
    asked = json.dumps([arguments, {name: content.decode() for name, content in inputs.items()}])
    python = SUMO_ENV.path / "bin" / "python"
    done = subprocess.run(
        [str(python), "-c", BARE, *folders, "sumo_engine", str(ROUNDS)],
        input=asked,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(min(json.loads(done.stderr.splitlines()[-1])))


async def _through(given: Given) -> float:
    engines = Engines()
    took = []
    try:
        for _ in range(ROUNDS + 1):
            started = time.perf_counter()
            async with sumo.simulate(given, Run(engines, Allowed(), 47)):
                took.append(time.perf_counter() - started)
    finally:
        await engines.close()
    return min(took[1:])


def main() -> None:
    """Print what a run takes alone and through the server."""
    if status(SUMO_ENV).state != "installed":
        print("SUMO is not installed: labrig setup sumo")
        return
    given = _given()
    alone, through = _alone(given), asyncio.run(_through(given))
    verdict = "within" if through - alone <= OVERHEAD_S else "MORE THAN"
    print(
        f"SUMO, {TRIPS} trips, {SEEDS} seeds, both states of the roads: alone {alone:.2f} s, "
        f"through the server {through:.2f} s, "
        f"overhead {through - alone:.2f} s ({verdict} {OVERHEAD_S} s)"
    )
