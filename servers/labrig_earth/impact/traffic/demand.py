"""The trips of a run: a table (CSV: id, depart_s, from, to), or routes of SUMO with trips, vehicles and their types."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from labrig.errors import LabrigError, unknown_name
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.tables import read_table
from labrig_earth.impact.traffic.markup import read_xml, written
from labrig_earth.impact.traffic.network import IDENTIFIER, Network

MOST_TRIPS = 20_000
MOST_DEPART_S = 7 * 86_400.0
COLUMNS = ("id", "depart_s", "from", "to")
TYPE: Mapping[str, tuple[float, float]] = {
    "accel": (0.1, 20),
    "decel": (0.1, 20),
    "emergencyDecel": (0.1, 30),
    "sigma": (0, 1),
    "tau": (0.1, 10),
    "length": (0.5, 60),
    "minGap": (0, 50),
    "maxSpeed": (0.5, 100),
    "speedFactor": (0.1, 3),
    "speedDev": (0, 1),
}
"""Numbers of a type of vehicle, with their ranges."""

CLASSES = (
    "passenger",
    "taxi",
    "bus",
    "coach",
    "delivery",
    "truck",
    "trailer",
    "motorcycle",
    "moped",
    "bicycle",
)
WORDS: Mapping[str, tuple[str, ...]] = {
    "departSpeed": ("max", "desired", "speedLimit", "last", "avg"),
    "departLane": ("best", "first", "free", "allowed"),
    "departPos": ("base", "free", "last"),
}
"""What may stand in place of a number."""

DEPART = ("departSpeed", "departLane", "departPos")


@dataclass(frozen=True)
class Trip:
    """A vehicle that is to go.

    Attributes
    ----------
    route
        Its edges where they are given; else it takes the quickest way of the free roads.
    more
        Further attributes that are known: how it departs.
    """

    name: str
    depart_s: float
    start: str
    end: str
    kind: str = ""
    route: tuple[str, ...] = ()
    more: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Demand:
    """All trips in the order of their departure, and the types of vehicles as SUMO has them."""

    trips: Sequence[Trip]
    types: Sequence[str] = ()

    def xml(self, trips: Sequence[Trip], rerouted: frozenset[str] = frozenset()) -> bytes:
        """Return trips for SUMO; those `rerouted` lose the route that was given."""
        lines = list(self.types)
        for each in trips:
            fields: dict[str, object] = {"id": each.name, "depart": f"{each.depart_s:.2f}", **dict(each.more)}
            if each.kind:
                fields["type"] = each.kind
            if each.route and each.name not in rerouted:
                lines.append(written("vehicle", fields, written("route", {"edges": " ".join(each.route)})))
            else:
                lines.append(written("trip", {**fields, "from": each.start, "to": each.end}))
        return written("routes", {}, "\n".join(lines) or " ").encode()


def read_demand(named: Named, network: Network) -> Demand:
    """Read the trips of a run.

    Raises
    ------
    LabrigError
        For what is neither form, no trips, edges that the network does not have, times and numbers out of range.
    """
    if named.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        trips, types = _of_xml(named)
    else:
        trips, types = _of_table(named), []
    if not 1 <= len(trips) <= MOST_TRIPS:
        raise LabrigError(
            f"{len(trips):,} trips are given",
            where=named.name,
            expected=f"1 to {MOST_TRIPS:,} trips or vehicles",
        )
    seen: set[str] = set()
    for each in trips:
        where = f"{named.name}, trip {each.name}"
        if not IDENTIFIER.fullmatch(each.name) or each.name in seen:
            raise LabrigError(
                f"The trip {each.name[:80]!r} is there twice, or that is no name",
                where=named.name,
                expected="unique ids",
            )
        seen.add(each.name)
        for edge in each.route or (each.start, each.end):
            network.require(edge, where)
    return Demand(sorted(trips, key=lambda each: (each.depart_s, each.name)), types)


def _of_table(named: Named) -> list[Trip]:
    table = read_table(named.content, named.name, MOST_TRIPS)
    table.require_known(COLUMNS)
    departs = table.numbers("depart_s", 0, MOST_DEPART_S, "s")
    names, starts, ends = (table.texts(name) for name in ("id", "from", "to"))
    return [Trip(*each) for each in zip(names, departs.tolist(), starts, ends, strict=True)]


def _of_xml(named: Named) -> tuple[list[Trip], list[str]]:
    root = read_xml(named.content, "routes", named.name)
    routes = {
        each.get("id", ""): tuple(each.get("edges", "").split()) for each in root if each.tag == "route"
    }
    trips, types, kinds = [], [], {""}
    for each in root:
        where = f"{named.name}, <{each.tag} id={each.get('id', '')[:80]!r}>"
        if each.tag == "vType":
            types.append(_type(each, where))
            kinds.add(each.get("id", ""))
        elif each.tag in ("trip", "vehicle"):
            trips.append(_trip(each, routes, where))
        elif each.tag == "flow":
            raise LabrigError(
                "A flow stands for trips that are not counted one by one",
                where=where,
                expected="trips or vehicles, each with an id and a departure",
                try_="duarouter or a few lines of code write a flow out as trips",
                code="refused",
            )
        elif each.tag != "route":
            raise unknown_name(
                "element", str(each.tag)[:80], ("vType", "route", "trip", "vehicle"), where=named.name
            )
    for trip in trips:
        if trip.kind not in kinds:
            raise unknown_name(
                "type of vehicle", trip.kind[:80], kinds - {""}, where=f"{named.name}, {trip.name}"
            )
    return trips, types


def _trip(each: Element, routes: Mapping[str, tuple[str, ...]], where: str) -> Trip:
    own = {"id", "depart", "type", *DEPART, *(("from", "to") if each.tag == "trip" else ("route",))}
    for name in each.attrib:
        if name not in own and not name.startswith("{") and name != "color":
            raise unknown_name("attribute", name[:80], own, where=where)
    inner = [child for child in each if child.tag != "param"]
    route: tuple[str, ...] = ()
    if each.tag == "vehicle":
        if len(inner) == 1 and inner[0].tag == "route" and "route" not in each.attrib:
            route = tuple(inner[0].get("edges", "").split())
        elif not inner:
            route = routes.get(each.get("route", ""), ())
        if not route or len(route) > 10_000:
            raise LabrigError("A vehicle has no route", where=where, expected="<route edges=...>, or a trip")
    elif inner:
        raise unknown_name("element", str(inner[0].tag)[:80], ("none below a trip",), where=where)
    more = tuple((name, _departing(name, each.attrib[name], where)) for name in DEPART if name in each.attrib)
    return Trip(
        each.get("id", ""),
        _depart(each.get("depart", ""), where),
        route[0] if route else each.get("from", ""),
        route[-1] if route else each.get("to", ""),
        each.get("type", ""),
        route,
        more,
    )


def _departing(name: str, value: str, where: str) -> str:
    if value in WORDS[name]:
        return value
    return f"{_number(value, name, 0, 10_000, where):g}"


def _type(each: Element, where: str) -> str:
    if not IDENTIFIER.fullmatch(each.get("id", "")):
        raise LabrigError("A type of vehicle has no name", where=where)
    fields: dict[str, object] = {"id": each.get("id", "")}
    for name, value in each.attrib.items():
        if name in TYPE:
            fields[name] = f"{_number(value, name, *TYPE[name], where):g}"
        elif name == "vClass":
            if value not in CLASSES:
                raise unknown_name("class of vehicles", value[:80], CLASSES, where=where)
            fields[name] = value
        elif name not in ("id", "color") and not name.startswith("{"):
            raise unknown_name("attribute", name[:80], ("id", "vClass", *TYPE), where=where)
    return written("vType", fields)


def _depart(text: str, where: str) -> float:
    return _number(text, "departure", 0, MOST_DEPART_S, where, "s")


def _number(text: str, what: str, least: float, most: float, where: str, unit: str = "") -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise LabrigError(
            f"The {what} is {text[:40]!r}", where=where, expected=f"{least:g} to {most:g} {unit}".strip()
        )
    return value
