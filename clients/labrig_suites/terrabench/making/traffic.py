"""Streets on two banks, joined by bridges: network and trips as files, and what SUMO says of them without a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from labrig_suites.terrabench.making.engines import answered
from labrig_suites.terrabench.making.traffic_engine import CASES, NETWORKS
from labrig_suites.terrabench.making.world import Floats

NEEDS = "sumo"
ROWS, COLUMNS = 6, 3
"""Streets from south to north, and of each bank from west to east."""

BRIDGES = {"south": 0, "middle": 2, "north": 5}
PONTOON, PONTOON_ROW = "pontoon", 3


@dataclass(frozen=True)
class Quarter:
    """Streets and trips.

    Attributes
    ----------
    nodes, edges
        As the file of the network holds them.
    trips
        Id, departure (s), first and last edge.
    """

    nodes: tuple[dict[str, Any], ...]
    edges: tuple[dict[str, Any], ...]
    trips: tuple[tuple[str, int, str, str], ...]

    def network(self) -> str:
        """Return the file of the network."""
        return json.dumps({"nodes": self.nodes, "edges": self.edges}) + "\n"

    def routes(self) -> str:
        """Return the file of the trips: cars that are all alike, and drivers who never dawdle."""
        rows = "".join(
            f'  <trip id="{name}" type="car" depart="{depart}" from="{start}" to="{end}"/>\n'
            for name, depart, start, end in self.trips
        )
        return f'<routes>\n  <vType id="car" sigma="0" speedDev="0"/>\n{rows}</routes>\n'

    def with_pontoon(self) -> Quarter:
        """Return the same with one bridge more."""
        west, east = f"w{COLUMNS - 1}.{PONTOON_ROW}", f"e0.{PONTOON_ROW}"
        return replace(self, edges=(*self.edges, *_both(PONTOON, west, east, 8.3)))


@dataclass(frozen=True)
class Took:
    """What trips took: seconds of waiting to depart, of driving, and lost against a free road; rows are trips."""

    seconds: Floats
    stuck: int

    @property
    def travelled(self) -> Floats:
        """From the planned departure to the arrival, s."""
        found: Floats = self.seconds[:, 0] + self.seconds[:, 1]
        return found

    @property
    def mean_s(self) -> float:
        """Mean travel time, s."""
        return float(self.travelled.mean())

    @property
    def lost_h(self) -> float:
        """Hours of waiting and of loss on the way, all trips together."""
        return float((self.seconds[:, 0] + self.seconds[:, 2]).sum()) / 3600


def both_ways(bridge: str) -> list[str]:
    """Return the edges of a bridge, both ways."""
    return [f"{bridge}-{way}" for way in ("east", "west")]


def make_quarter(rng: np.random.Generator) -> Quarter:
    """Return streets with three bridges, of which two heads have lights, and the trips of a rush."""
    scale = rng.uniform(0.8, 1.6)
    across = (scale * rng.uniform(120, 210, COLUMNS * 2 - 1)).round(1)
    across[COLUMNS - 1] = round(float(scale * rng.uniform(160, 320)), 1)  # the river
    along = (scale * rng.uniform(120, 230, ROWS - 1)).round(1)
    x = np.concatenate([[0.0], across.cumsum()]).round(1)
    y = np.concatenate([[0.0], along.cumsum()]).round(1)
    banks = [f"w{place}" for place in range(COLUMNS)] + [f"e{place}" for place in range(COLUMNS)]
    lit = {f"{side}.{BRIDGES[name]}" for name in rng.permutation(list(BRIDGES))[:2] for side in ("w2", "e0")}
    nodes = tuple(
        {
            "id": (name := f"{bank}.{row}"),
            "x": float(x[place]),
            "y": float(y[row]),
            "type": "traffic_light" if name in lit else "priority",
        }
        for place, bank in enumerate(banks)
        for row in range(ROWS)
    )
    edges: list[dict[str, Any]] = []
    for side in "we":
        for place in range(COLUMNS):
            for row in range(ROWS):
                here = f"{side}{place}.{row}"
                speed = round(float(rng.uniform(8.5, 14)), 1)
                if place + 1 < COLUMNS:
                    edges += _both("", here, f"{side}{place + 1}.{row}", speed)
                if row + 1 < ROWS:
                    edges += _both("", here, f"{side}{place}.{row + 1}", speed)
    streets = [each["id"] for each in edges]
    for name, row in BRIDGES.items():
        edges += _both(name, f"w{COLUMNS - 1}.{row}", f"e0.{row}", round(float(rng.uniform(8, 14)), 1))
    count = int(rng.integers(140, 240))
    departs = np.sort(rng.choice(int(rng.integers(700, 1100)), count, replace=False))
    return Quarter(nodes, tuple(edges), tuple(_trips(rng, streets, departs)))


def _both(name: str, west: str, east: str, speed: float) -> list[dict[str, Any]]:
    """Return the edges of a street, one for each direction."""
    ids = both_ways(name) if name else [f"{west}-{east}", f"{east}-{west}"]
    return [
        {"id": id, "from": start, "to": end, "speed_m_s": speed, "lanes": 1}
        for id, (start, end) in zip(ids, ((west, east), (east, west)), strict=True)
    ]


def _trips(
    rng: np.random.Generator, streets: Sequence[str], departs: np.ndarray[Any, np.dtype[Any]]
) -> list[tuple[str, int, str, str]]:
    """Draw trips, most of which cross the river."""
    sides = {side: [each for each in streets if each[0] == side] for side in "we"}
    share = rng.uniform(0.6, 0.9)
    found = []
    for number, depart in enumerate(departs, 1):
        side = "we"[int(rng.integers(2))]
        other = side if rng.uniform() > share else "ew"["we".index(side)]
        start, end = rng.choice(sides[side]), rng.choice(sides[other])
        while end == start:
            end = rng.choice(sides[other])
        found.append((f"t{number}", int(depart), str(start), str(end)))
    return found


@dataclass(frozen=True)
class Roads:
    """A state of the roads: a network by name, the bridge that is closed, and one that is slow with its factor."""

    network: str
    shut: str = ""
    slow: str = ""
    factor: float = 1.0

    @property
    def closed(self) -> list[str]:
        """Edges on which nobody may drive."""
        return both_ways(self.shut) if self.shut else []

    @property
    def factors(self) -> dict[str, float]:
        """Speed limits times these, by edge."""
        return dict.fromkeys(both_ways(self.slow), self.factor) if self.slow else {}

    def file(self) -> str:
        """Return the file of the disruption; drivers are alike, so one seed says it all."""
        return json.dumps({"closed_edges": self.closed, "speed_factors": self.factors, "seeds": 1}) + "\n"


def runs(networks: dict[str, Quarter], asked: Sequence[Roads]) -> list[Took]:
    """Return what SUMO says of roads on networks, which are given by name, in the Python of ``labrig setup sumo``.

    Raises what `labrig_suites.terrabench.making.engines.answered` raises.
    """
    from labrig_earth.impact.traffic.setup import SUMO_ENV

    given = {
        NETWORKS: {name: {"nodes": each.nodes, "edges": each.edges} for name, each in networks.items()},
        CASES: [
            {
                "network": each.network,
                "closed": each.closed,
                "factors": each.factors,
                "trips": networks[each.network].trips,
            }
            for each in asked
        ],
    }
    done = answered(SUMO_ENV, NEEDS, Path(__file__).with_name("traffic_engine.py"), "SUMO", given)
    return [
        Took(np.array([each["took"][name] for name in sorted(each["took"])]), each["stuck"]) for each in done
    ]
