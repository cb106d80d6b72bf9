"""Roads and trips out of streets of OpenStreetMap: the input ``roads`` of ``make_input``.

The streets on which cars may drive become nodes and edges in metres, one edge for each direction, with the speeds of
`gis.routing`. Only crossings that all reach each other are kept, so that every trip has a way while nothing is closed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from labrig.answer import Quantity
from labrig.errors import LabrigError
from labrig.tables.writing import csv_text
from labrig_earth.gis.routing import read_network
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.traffic import network as roads_of
from labrig_earth.impact.traffic.demand import COLUMNS, MOST_TRIPS
from labrig_earth.results import Result
from labrig_earth.work.calls import Call
from labrig_earth.work.fields import Fields

SHOWN = 12


def make(call: Call) -> Result:
    """Write ``roads.json`` and, for ``options.trips``, ``trips.csv``.

    Arguments: ``data`` (OSM XML or PBF); ``options``: ``trips`` (how many, between random places along the roads),
    ``minutes`` (over which they depart, 60), ``seed`` (1), ``lights`` (crossings of so many roads get lights, 0: none).

    Raises
    ------
    LabrigError
        What `read_network` refuses; for streets of which no two crossings reach each other.
    """
    import networkx as nx

    options = Fields(call.argument("options", {}), "options")
    trips = options.whole("trips", 0, MOST_TRIPS, "trips", 0)
    minutes = options.number("minutes", 1, 1440, "minutes", 60)
    seed = options.whole("seed", 0, 2**31 - 1, "", 1)
    lights = options.whole("lights", 0, 8, "roads", 0)
    options.require_all_known()
    place = call.input("data")
    found = read_network(place, call.scratch)
    graph = found.graph
    kept = graph.subgraph(max(nx.strongly_connected_components(graph), key=len))
    if len(kept.edges) < 2:
        raise LabrigError(
            "No two crossings reach each other", where=place.name, expected="streets both ways, or a loop"
        )
    nodes = _nodes(kept, lights)
    edges = [_edge(*each) for each in sorted(kept.edges(keys=True, data=True), key=lambda each: each[:3])]
    said = {
        "crs": found.crs.to_string(),
        "source": place.name,
        "origin_m": _corner(kept),
        "nodes": nodes,
        "edges": edges,
    }
    content = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
    roads_of.read_network(Named("roads.json", content))  # whatever a run would refuse is refused now
    (call.scratch / "roads.json").write_bytes(content)
    files = ["roads.json"]
    if trips:
        _write_trips(call, edges, trips, minutes * 60, seed)
        files.append("trips.csv")
    left_out = len(graph.edges) - len(kept.edges)
    bridges = [{"edge": each["id"], "name": each.get("name", "")} for each in edges if each.get("bridge")]
    return Result(
        method="streets for cars as nodes and edges, one for each direction, in metres from the corner of the map",
        values=(
            Quantity("crossings", len(nodes), "1"),
            Quantity("edges", len(edges), "1"),
            Quantity("length", round(sum(each["length_m"] for each in edges) / 1000, 3), "km"),
            *((Quantity("trips", trips, "1"),) if trips else ()),
        ),
        data={"bridges": bridges[:SHOWN], "bridge_count": len(bridges)},
        assumed=(
            *(each for each in found.assumed if not each.startswith("no delay")),
            "lanes: those of the street, else one for each direction",
            *((f"lights at crossings of {lights} roads or more, times of netconvert",) if lights else ()),
            *(
                (f"{left_out} edges that not all reach, or cannot be left, are not taken",)
                if left_out
                else ()
            ),
            *(
                (
                    f"trips are made: ends at random along the roads, even over {minutes:g} minutes, seed {seed}",
                )
                if trips
                else ()
            ),
        ),
        warnings=tuple(found.warnings),
        source=place.name,
        files=tuple(files),
    )


def _corner(graph: Any) -> list[float]:
    """Return the corner of the map from which metres are counted, in its reference system."""
    return [float(min(data[axis] for _, data in graph.nodes(data=True))) for axis in ("x", "y")]


def _nodes(graph: Any, lights: int) -> list[dict[str, Any]]:
    west, south = _corner(graph)
    found = []
    for name, data in sorted(graph.nodes(data=True)):
        node = {"id": str(name), "x": round(data["x"] - west, 2), "y": round(data["y"] - south, 2)}
        if lights and graph.in_degree(name) >= lights:
            node["type"] = "traffic_light"
        found.append(node)
    return found


def _edge(start: Any, end: Any, key: int, data: dict[str, Any]) -> dict[str, Any]:
    found = {
        "id": f"{start}-{end}" + (f"-{key}" if key else ""),
        "from": str(start),
        "to": str(end),
        "speed_m_s": round(data["length"] / data["travel_time"], 2),
        "length_m": round(max(data["length"], 1.0), 2),
        "lanes": _lanes(data),
    }
    name = str(data.get("name") or "")
    if name and name != "None":
        found["name"] = name[:80]
    if _first(data.get("bridge")) not in (None, "no"):
        found["bridge"] = True
    return found


def _lanes(data: dict[str, Any]) -> int:
    """Return the lanes of one direction; OSM counts those of both."""
    try:
        both = int(str(_first(data.get("lanes"))))
    except ValueError:
        return 1
    return min(max(both if _first(data.get("oneway")) in (True, "yes") else both // 2, 1), 8)


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _write_trips(call: Call, edges: Sequence[dict[str, Any]], count: int, over_s: float, seed: int) -> None:
    """Write trips between places along the roads: a long road begins and ends more of them than a short one."""
    chosen = np.random.default_rng(seed)
    weights = np.array([each["length_m"] for each in edges])
    weights /= weights.sum()
    departs = np.sort(chosen.uniform(0, over_s, count)).round(1)
    rows = []
    for number, depart in enumerate(departs, 1):
        start, end = chosen.choice(len(edges), 2, replace=False, p=weights)
        rows.append((f"t{number}", depart, edges[start]["id"], edges[end]["id"]))
    (call.scratch / "trips.csv").write_text(csv_text(COLUMNS, rows), encoding="utf-8")
