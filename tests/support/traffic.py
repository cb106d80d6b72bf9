"""Roads and trips that tests share: a fork whose times are known, and a grid of streets with lights."""

from __future__ import annotations

import functools
import json
import random
from typing import Any

import pytest

from labrig.sideenv import status
from labrig_earth.impact.simulator import Given, Named
from labrig_earth.impact.traffic.setup import SUMO_ENV


@functools.cache
def installed() -> bool:
    """Tell whether SUMO is there."""
    return status(SUMO_ENV).state == "installed"


def needs_sumo() -> None:
    """Skip a test where SUMO is not installed."""
    if not installed():
        pytest.skip("SUMO is not installed: labrig setup sumo")


def as_json(**fields: Any) -> bytes:
    """Return fields as a JSON file."""
    return json.dumps(fields).encode()


def edge(name: str, start: str, end: str, **more: Any) -> dict[str, Any]:
    """Return an edge of 10 m/s."""
    return {"id": name, "from": start, "to": end, "speed_m_s": 10, **more}


FORK: dict[str, Any] = {
    "nodes": [
        {"id": name, "x": x, "y": y}
        for name, x, y in (("a", 0, 0), ("b", 1000, 0), ("c", 2000, 0), ("d", 1000, 900), ("f", 3000, 0))
    ],
    "edges": [
        edge("ab", "a", "b", length_m=1000),
        edge("bc", "b", "c", length_m=1000),
        edge("bd", "b", "d", length_m=900),
        edge("dc", "d", "c", length_m=1350),
        edge("cf", "c", "f", length_m=1000),
    ],
}
"""Straight on, 3 km from a to f; or round by d, 1.25 km more."""


def steady(count: int, every_s: float = 10.0, end: str = "cf") -> bytes:
    """Return trips of cars that all drive alike, at the speed limit from the start."""
    cars = [
        f'<trip id="t{number}" type="c" depart="{number * every_s:g}" from="ab" to="{end}" departSpeed="max"/>'
        for number in range(count)
    ]
    return ("<routes><vType id='c' sigma='0' speedDev='0'/>" + "".join(cars) + "</routes>").encode()


def grid(size: int = 5, block_m: float = 150.0) -> dict[str, Any]:
    """Return a grid of streets in both directions, with lights at a third of the inner crossings."""
    lights = {(i, j) for i in range(1, size - 1) for j in range(1, size - 1) if (i + j) % 3 == 0}
    nodes = [
        {
            "id": f"{i}.{j}",
            "x": i * block_m,
            "y": j * block_m,
            "type": "traffic_light" if (i, j) in lights else "priority",
        }
        for i in range(size)
        for j in range(size)
    ]
    edges = []
    for i in range(size):
        for j in range(size):
            for k, m in ((i + 1, j), (i, j + 1)):
                if k < size and m < size:
                    first, second = f"{i}.{j}", f"{k}.{m}"
                    edges.append(edge(f"{first}-{second}", first, second, speed_m_s=13.9))
                    edges.append(edge(f"{second}-{first}", second, first, speed_m_s=13.9))
    return {"nodes": nodes, "edges": edges}


def random_trips(roads: dict[str, Any], count: int, every_s: float = 2.0, seed: int = 1) -> bytes:
    """Return trips between random edges as CSV."""
    chosen = random.Random(seed)
    names = [each["id"] for each in roads["edges"]]
    rows = ["id,depart_s,from,to"]
    for number in range(count):
        start, end = chosen.sample(names, 2)
        rows.append(f"t{number},{number * every_s:g},{start},{end}")
    return "\n".join(rows).encode()


def given(roads: Any, trips: bytes, disruption: Any) -> Given:
    """Return the files of a call; what is no bytes is written as JSON."""

    def named(name: str, content: Any) -> tuple[Named]:
        return (Named(name, content if isinstance(content, bytes) else json.dumps(content).encode()),)

    return Given(
        {
            "network_path": named("roads", roads),
            "routes_path": named("trips", trips),
            "disruptions_path": named("disruption.json", disruption),
        }
    )
