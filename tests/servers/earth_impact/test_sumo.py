"""SUMO itself: known free-flow times, closures with the right sign and size, the same bytes again, failures told."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.impact.runs import Allowed, Engines
from labrig_earth.impact.simulator import Run, Simulation
from labrig_earth.impact.traffic.sumo import simulate
from support.traffic import FORK, given, grid, needs_sumo, random_trips, steady

pytestmark = [pytest.mark.accept, pytest.mark.asyncio]

SEEDS = {"seeds": 10}
CROSSING = ["2.2-3.2", "3.2-2.2", "2.1-3.1", "3.1-2.1"]


@asynccontextmanager
async def ran(
    roads: Any,
    trips: bytes,
    disruption: Any,
    *,
    seed: int = 47,
    engines: Engines | None = None,
    wall_s: float = 60,
) -> AsyncIterator[Simulation]:
    needs_sumo()
    own = engines or Engines()
    try:
        async with simulate(given(roads, trips, disruption), Run(own, Allowed(wall_s=wall_s), seed)) as done:
            yield done
    finally:
        if engines is None:
            await own.close()


async def numbers(roads: Any, trips: bytes, disruption: Any, **how: Any) -> dict[str, Any]:
    async with ran(roads, trips, disruption, **how) as done:
        return {name: each.value for name, each in {**done.metrics, **done.derived}.items()}


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / "outputs" / name).read_text())))


async def test_a_car_alone_takes_length_over_speed() -> None:
    """3 km at 10 m/s and two crossings of 11.2 m (two lanes' width and their corners), less the 5.1 m that it starts
    from: 301.7 s, which steps of 1 s make 302."""
    async with ran(FORK, steady(5, 60), {"seeds": 2}) as done:
        mine = [float(each["duration_s"]) for each in rows(done.folder, "trips.csv")]
        metres = [float(each["route_m"]) for each in rows(done.folder, "trips.csv")]
        assert mine == [302.0] * 10
        assert np.ceil(np.array(metres) / 10 - 0.05) == pytest.approx(mine, abs=1.0)
        assert done.version == "SUMO 1.28.0"
        assert done.metrics["avg_departure_delay_s"].value == 0


async def test_a_detour_costs_its_length() -> None:
    """1250 m more at 10 m/s are 125 s; two sharp turns, taken at 6.5 and 4 m/s, cost some seconds more."""
    found = await numbers(FORK, steady(8, 60), {"closed_edges": ["bc"], "seeds": 2})
    assert found["added_travel_time_s"] == pytest.approx(127.5, abs=2.5)
    assert found["trips_cancelled"] == 0
    assert found["undisturbed_travel_time_s"] == 302


async def test_half_the_speed_takes_twice_the_time() -> None:
    slow = {each["id"]: 0.5 for each in FORK["edges"]}
    found = await numbers(FORK, steady(5, 60), {"speed_factors": slow, "seeds": 2})
    assert found["avg_travel_time_s"] == pytest.approx(2 * found["undisturbed_travel_time_s"], abs=6)


async def test_a_closed_bridge_delays_the_same_trips_over_ten_seeds() -> None:
    """NumPy adds the trips up again from the table that SUMO left; it shares nothing with the accounting."""
    roads = grid()
    trips = random_trips(roads, 250)
    async with ran(roads, trips, {"closed_edges": CROSSING, **SEEDS}) as done:
        table = rows(done.folder, "trips.csv")
        added, errors = {}, 0
        for seed in range(47, 57):
            both = [
                {
                    each["trip"]: float(each["departure_delay_s"]) + float(each["duration_s"])
                    for each in table
                    if each["roads"] == state and int(each["seed"]) == seed and each["finished"] == "1"
                }
                for state in ("undisturbed", "disturbed")
            ]
            common = both[0].keys() & both[1].keys()
            errors += len(both[1].keys() - both[0].keys())
            added[seed] = np.mean([both[1][name] - both[0][name] for name in common])
        assert not errors
        values = np.array(list(added.values()))
        assert done.metrics["added_travel_time_s"].value == pytest.approx(values.mean())
        error = values.std(ddof=1) / np.sqrt(10)
        assert done.derived["added_travel_time_standard_error_s"].value == pytest.approx(error)
        assert values.mean() > 4 * error > 0
        value = {name: each.value or 0 for name, each in done.metrics.items()}
        assert value["trips_demanded"] == 250
        assert value["trips_cancelled"] > 0
        assert value["trips_finished"] + value["trips_cancelled"] + value["trips_unfinished"] == 250
        seen = {each["edge"]: float(each["disturbed_vehicles"]) for each in rows(done.folder, "edges.csv")}
        assert all(seen[name] == 0 for name in CROSSING)
        assert len({row["avg_travel_time_s"] for row in done.units}) == 10


def content(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


async def test_the_same_run_leaves_the_same_bytes_alone_and_among_others() -> None:
    roads = grid(4)
    trips = random_trips(roads, 60)
    disruption = {"closed_edges": ["1.1-2.1"], "seeds": 2, "rerouting_share": 0.5}

    async def one(engines: Engines, seed: int) -> dict[str, str]:
        async with ran(roads, trips, disruption, engines=engines, seed=seed) as done:
            return content(done.folder)

    needs_sumo()
    engines = Engines()
    try:
        alone = await one(engines, 47)
        many = await asyncio.gather(*(one(engines, 47 + number % 2) for number in range(10)))
    finally:
        await engines.close()
    assert all(each == alone for each in many[::2])
    assert all(each["outputs/trips.csv"] != alone["outputs/trips.csv"] for each in many[1::2])


async def test_a_network_that_a_run_left_can_be_given_again() -> None:
    async with ran(FORK, steady(3), {"seeds": 1}) as done:
        network = (done.folder / "outputs" / "network.net.xml").read_bytes()
        before = done.metrics["avg_travel_time_s"].value
    assert b"<!--" not in network
    found = await numbers(network, steady(3), {"seeds": 1})
    assert found["avg_travel_time_s"] == before


async def test_a_trip_without_a_way_is_an_error_and_one_that_loses_its_way_is_cancelled() -> None:
    with pytest.raises(LabrigError) as error:
        await numbers(FORK, b"id,depart_s,from,to\n1,0,ab,cf\n2,1,cf,ab", {"seeds": 1})
    assert error.value.code == "bad_input"
    assert "no way for 1 of 2 trips, such as 2" in str(error.value)
    trips = b"id,depart_s,from,to\n1,0,ab,cf\n2,1,ab,dc\n3,2,ab,bd"
    found = await numbers(FORK, trips, {"closed_edges": ["cf"], "seeds": 1})
    assert (found["trips_cancelled"], found["trips_finished"]) == (1, 2)
    trips = b"id,depart_s,from,to\n1,0,ab,cf\n2,1,bd,cf"
    async with ran(FORK, trips, {"closed_edges": ["dc"], "seeds": 1}) as done:
        assert any("1 trips have no way past what is closed" in each for each in done.warnings)
        assert done.metrics["trips_cancelled"].value == 1


async def test_stuck_traffic_is_an_error_and_not_a_mean_of_survivors() -> None:
    trips = steady(400, 0.5)
    with pytest.raises(LabrigError) as error:
        await numbers(FORK, trips, {"seeds": 1, "end_s": 400})
    assert error.value.code == "bad_input"
    assert "are unfinished at the end" in str(error.value)
    found = await numbers(FORK, trips, {"seeds": 1, "end_s": 400, "most_stuck_share": 1})
    assert found["trips_unfinished"] > 100
    assert found["trips_unfinished"] + found["trips_finished"] == 400
    free = await numbers(FORK, trips, {"seeds": 1})
    assert free["avg_departure_delay_s"] > 60
    assert free["avg_travel_time_s"] > 302 + 60


async def test_an_engine_that_takes_too_long_is_ended_and_the_next_one_runs() -> None:
    needs_sumo()
    roads = grid(8)
    engines = Engines()
    try:
        with pytest.raises(LabrigError) as error:
            await numbers(roads, random_trips(roads, 3000, 1), {"seeds": 40}, engines=engines, wall_s=1)
        assert error.value.code == "limit"
        found = await numbers(FORK, steady(2), {"seeds": 1}, engines=engines)
    finally:
        await engines.close()
    assert found["trips_finished"] == 2
    assert json.dumps(found)
