"""The roads of a run: a network of SUMO (``.net.xml``), or nodes and edges as JSON that netconvert makes one of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.traffic.markup import MOST_BYTES, kept, read_xml, written
from labrig_earth.work.fields import Fields, read_object

MOST_EDGES = 50_000
IDENTIFIER = re.compile(r"[\w.#+\-]{1,80}")
"""Of a node, an edge or a trip; SUMO separates lists by blanks, and names of its own begin with a colon."""

_SHAPED = (
    "id",
    "shape",
    "width",
    "allow",
    "disallow",
    "speed",
    "length",
    "index",
    "changeLeft",
    "changeRight",
)
NETWORK: Mapping[str, tuple[str, ...]] = {
    "net": ("version", "junctionCornerDetail", "limitTurnSpeed", "lefthand"),
    "location": ("netOffset", "convBoundary", "origBoundary", "projParameter"),
    "type": ("id", "priority", "numLanes", "speed", "allow", "disallow", "oneway", "width"),
    "edge": (
        *(
            "id",
            "from",
            "to",
            "priority",
            "type",
            "name",
            "function",
            "length",
            "shape",
            "spreadType",
            "bidi",
        ),
        *("distance", "crossingEdges"),
    ),
    "lane": (*_SHAPED, "type", "acceleration", "endOffset", "customShape"),
    "neigh": ("lane",),
    "stopOffset": ("value", "vClasses"),
    "junction": (
        *("id", "type", "x", "y", "z", "incLanes", "intLanes", "shape", "customShape", "radius"),
        *("rightOfWay", "fringe", "keepClear"),
    ),
    "request": ("index", "response", "foes", "cont"),
    "connection": (
        *("from", "to", "fromLane", "toLane", "via", "tl", "linkIndex", "linkIndex2", "dir", "state", "pass"),
        *(
            "keepClear",
            "contPos",
            "visibility",
            "uncontrolled",
            "allow",
            "disallow",
            "shape",
            "length",
            "speed",
        ),
        *("changeLeft", "changeRight", "indirect"),
    ),
    "tlLogic": ("id", "type", "programID", "offset"),
    "phase": ("duration", "state", "minDur", "maxDur", "name", "next"),
    "roundabout": ("nodes", "edges"),
}
"""Elements and attributes that go on; ``param``, which may name files, does not."""


@dataclass(frozen=True)
class Edge:
    """A road in one direction: its nodes, m/s, lanes."""

    start: str
    end: str
    speed_m_s: float
    lanes: int


@dataclass(frozen=True)
class Network:
    """The roads of a run.

    Attributes
    ----------
    edges
        By id; without those inside of junctions.
    files
        What SUMO is given: ``network.net.xml``, or ``roads.nod.xml`` and ``roads.edg.xml``.
    notes
        What was left out or assumed.
    """

    edges: Mapping[str, Edge]
    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()

    def require(self, edge: str, where: str) -> None:
        """Raise LabrigError, ``not_found``, for an edge that is not there, with the nearest names."""
        if edge not in self.edges:
            raise unknown_name("edge", edge[:80], self.edges, where=where)


def read_network(named: Named) -> Network:
    """Read a network: XML of SUMO, or JSON with ``nodes`` and ``edges``.

    Raises
    ------
    LabrigError
        For what is neither, has no roads, or roads that do not join.
    """
    if named.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        return _of_xml(named)
    return _of_json(named)


def _of_xml(named: Named) -> Network:
    where = named.name
    root = read_xml(named.content, "net", where)
    edges: dict[str, Edge] = {}
    for each in root.iter("tlLogic"):
        if each.get("type", "static") != "static":
            raise LabrigError(
                f"The traffic light {each.get('id', '')[:80]!r} is {each.get('type', '')[:40]!r}",
                where=where,
                expected="lights of fixed times (type static)",
                try_="netconvert --tls.default-type static",
                code="refused",
            )
    for each in root.iter("edge"):
        name = each.get("id", "")
        if name.startswith(":") or each.get("function", "normal") not in ("normal", "connector"):
            continue
        lanes = each.findall("lane")
        if not IDENTIFIER.fullmatch(name) or not lanes or name in edges:
            raise LabrigError(
                f"The edge {name[:80]!r} is there twice, has no lane, or has no name that can be listed",
                where=where,
            )
        speed = _number(lanes[0].get("speed", ""), f"speed of {name}", where)
        edges[name] = Edge(each.get("from", ""), each.get("to", ""), speed, len(lanes))
    _require_some(edges, where)
    dropped: set[str] = set()
    for each in root.iter("location"):
        each.set("projParameter", "!")  # none: coordinates are metres, and a projection may name files
    text = kept(root, NETWORK, where, dropped)
    notes = (
        (f"attributes of the network that are left out: {', '.join(sorted(dropped))}"[:300],)
        if dropped
        else ()
    )
    return Network(edges, {"network.net.xml": text.encode()}, notes)


def _of_json(named: Named) -> Network:
    roads = read_object(named.content, named.name, MOST_BYTES)
    nodes: dict[str, dict[str, Any]] = {}
    for each in roads.rows("nodes", MOST_EDGES):
        name = _named(each, nodes)
        nodes[name] = {
            "id": name,
            "x": each.number("x", -1e7, 1e7, "m"),
            "y": each.number("y", -1e7, 1e7, "m"),
            "type": each.choice(
                "type", ("priority", "traffic_light", "right_before_left", "allway_stop"), "priority"
            ),
        }
        each.require_all_known()
    edges: dict[str, Edge] = {}
    lines = []
    for each in roads.rows("edges", MOST_EDGES):
        name = _named(each, edges)
        start, end = (each.text(field) for field in ("from", "to"))
        for node in (start, end):
            if node not in nodes:
                raise unknown_name("node", node, nodes, where=each.where)
        if start == end:
            raise LabrigError("An edge begins and ends at one node", where=each.where)
        edge = Edge(
            start, end, each.number("speed_m_s", 0.5, 70, "m/s"), each.whole("lanes", 1, 8, "lanes", 1)
        )
        fields: dict[str, Any] = {
            "id": name,
            "from": start,
            "to": end,
            "numLanes": edge.lanes,
            "speed": edge.speed_m_s,
            "priority": each.whole("priority", -1, 20, "", -1),
        }
        if each.has("length_m"):
            fields["length"] = each.number("length_m", 1, 1e6, "m")
        each.text("name", "")  # for a reader
        each.yes("bridge")
        each.require_all_known()
        edges[name] = edge
        lines.append(written("edge", fields))
    roads.text("crs", "")
    roads.text("source", "", most=300)
    roads.any("origin_m", None)  # where on Earth they lie: for hazards that are laid over them
    roads.require_all_known()
    _require_some(edges, named.name)
    return Network(
        edges,
        {
            "roads.nod.xml": written(
                "nodes", {}, "".join(written("node", each) for each in nodes.values())
            ).encode(),
            "roads.edg.xml": written("edges", {}, "".join(lines)).encode(),
        },
    )


def _named(fields: Fields, known: Mapping[str, object]) -> str:
    name = fields.text("id")
    if not IDENTIFIER.fullmatch(name) or name in known:
        raise LabrigError(
            f"{name!r} is there twice, or no name",
            where=fields.where,
            expected="letters, digits, - _ . #, unique",
        )
    return name


def _require_some(edges: Mapping[str, Edge], where: str) -> None:
    if not 1 <= len(edges) <= MOST_EDGES:
        raise LabrigError(
            f"The network has {len(edges):,} edges", where=where, expected=f"1 to {MOST_EDGES:,}"
        )


def _number(text: str, what: str, where: str) -> float:
    try:
        value = float(text)
        if 0 < value <= 200:
            return value
    except ValueError:
        pass
    raise LabrigError(f"The {what} is {text[:40]!r}", where=where, expected="m/s, above 0, at most 200")
