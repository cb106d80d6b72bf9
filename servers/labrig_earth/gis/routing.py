"""Routes on the streets of an OSM extract: quickest or shortest, round closures, and what can be reached in a time.

osmnx makes the network. Lengths are computed anew on the ellipsoid (osmnx takes a sphere, up to 0.5 % off), and every
class of street has a speed: osmnx would give those without one the mean of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from labrig.answer import Quantity
from labrig.errors import LabrigError, over_limit, unknown_name
from labrig_earth.data.formats import Place, format_of
from labrig_earth.gis.features import WGS84, Features
from labrig_earth.gis.measuring import check_point, ellipsoid, length_m, measured
from labrig_earth.gis.osm import generator, write_streets
from labrig_earth.results import Result

Mode = Literal["drive", "walk"]
SPEEDS_KM_H: Mapping[str, float] = {
    **{
        "motorway": 110,
        "motorway_link": 60,
        "trunk": 90,
        "trunk_link": 50,
        "primary": 60,
        "primary_link": 40,
    },
    **{"secondary": 50, "secondary_link": 40, "tertiary": 40, "tertiary_link": 35, "unclassified": 40},
    **{"residential": 30, "living_street": 10, "road": 30},
}
"""Where neither the street (``maxspeed``) nor the caller says: plain assumptions, stated in each result."""
FALLBACK_KM_H = 30.0
WALK_KM_H = 4.8
MOST_STREETS = 300_000


class Network:
    """The streets of a file.

    Attributes
    ----------
    graph
        `networkx.MultiDiGraph` of osmnx in a UTM system; edges have ``length`` (m), ``travel_time`` (s),
        ``geometry``, and ``degrees``, the geometry in WGS 84.
    name, mode, assumed, warnings
        For results.
    """

    def __init__(
        self, graph: Any, name: str, mode: Mode, assumed: tuple[str, ...], warnings: tuple[str, ...] = ()
    ) -> None:
        self.graph, self.name, self.mode, self.assumed, self.warnings = graph, name, mode, assumed, warnings

    @property
    def crs(self) -> Any:
        """The projected system."""
        from pyproj import CRS

        return CRS.from_user_input(self.graph.graph["crs"])


def read_network(
    place: Place, scratch: Path, *, mode: str = "drive", speeds: Mapping[str, float] | None = None
) -> Network:
    """Return the network of an OSM XML or PBF file.

    Parameters
    ----------
    scratch
        A folder for a file in between.
    mode
        ``drive`` or ``walk`` (both directions of every street).
    speeds
        km/h by class of street; then ``maxspeed`` of streets is not used. Without them it is, and elsewhere
        `SPEEDS_KM_H`.

    Raises
    ------
    LabrigError
        ``bad_input`` for another format or speed; ``not_found`` for a file without such streets; ``limit``.
    """
    import osmnx as ox

    if format_of(place) not in ("osm", "pbf"):
        raise LabrigError(
            f"Streets are read from OSM data; {place.name} is {format_of(place)}",
            where=place.name,
            expected="OSM XML or PBF",
        )
    if mode not in ("drive", "walk"):
        raise unknown_name("mode", mode, ("drive", "walk"), where="mode")
    for kind, value in (speeds or {}).items():
        if not 0 < value <= 200:
            raise LabrigError(
                f"{value:g} km/h for {kind}", where="speeds", expected="km/h, above 0 and up to 200"
            )
    path = scratch / ".streets.osm"
    try:
        count, cut = write_streets(place, str(path), mode)
        if not count:
            raise LabrigError(
                f"{place.name} has no street for {mode}",
                where=place.name,
                expected="ways with highway=..., and their nodes",
                code="not_found",
            )
        if count > MOST_STREETS:
            raise over_limit(
                f"{place.name} has {count:,} streets",
                MOST_STREETS,
                where=place.name,
                try_="cut the extract, for instance with osmium extract",
            )
        graph = ox.graph_from_xml(path, bidirectional=mode == "walk", simplify=False, retain_all=True)
    finally:
        path.unlink(missing_ok=True)
    if not len(graph.edges):
        raise LabrigError(f"{place.name} has no two streets that meet", where=place.name, code="not_found")
    assumed = _take_times(graph, mode, speeds)
    # Times are sums over pieces: an edge that is made of several may have several classes, in no fixed order.
    graph = ox.simplification.simplify_graph(
        graph, edge_attr_aggs={"length": sum, "travel_time": sum, "name": _joined, "highway": _joined}
    )
    for key, shape in ox.convert.graph_to_gdfs(graph, nodes=False).geometry.items():
        edge = graph.edges[key]
        edge["geometry"] = edge["degrees"] = shape
    graph = ox.projection.project_graph(graph)
    made_by = generator(place)
    warnings = [f"These data are {made_by}"] if made_by.startswith("synthetic") else []
    if cut:
        warnings.append(
            f"Streets that were cut or left out, because some of their nodes are not in {place.name}: {cut}"
        )
    return Network(graph, place.name, "drive" if mode == "drive" else "walk", assumed, tuple(warnings))


def _take_times(graph: Any, mode: str, speeds: Mapping[str, float] | None) -> tuple[str, ...]:
    """Give each piece of street its length on the ellipsoid and its travel time, and return what was assumed."""
    import osmnx as ox

    ground = ellipsoid()
    used = {**SPEEDS_KM_H, **(speeds or {})}
    for start, end, edge in graph.edges(data=True):
        first, second = graph.nodes[start], graph.nodes[end]
        edge["length"] = float(ground.inv(first["x"], first["y"], second["x"], second["y"])[2])
    if mode == "drive":
        if speeds is None:
            timed = ox.routing.add_edge_speeds(graph, hwy_speeds=dict(used), fallback=FALLBACK_KM_H)
            for start, end, key, speed in timed.edges(keys=True, data="speed_kph"):
                graph.edges[start, end, key]["speed_kph"] = speed
            source = "speeds: maxspeed of the street, else by class"
        else:
            for _, _, edge in graph.edges(data=True):
                edge["speed_kph"] = float(used.get(str(edge.get("highway")), FALLBACK_KM_H))
            source = "speeds: those given by class, whatever maxspeed says"
        classes = sorted({str(kind) for _, _, kind in graph.edges(data="highway")})
        listed = ", ".join(f"{kind} {used.get(kind, FALLBACK_KM_H):g}" for kind in classes[:12])
        assumed: tuple[str, ...] = (
            f"{source} ({listed} km/h)",
            "no delay at crossings, no turn restrictions",
        )
    else:
        for _, _, edge in graph.edges(data=True):
            edge["speed_kph"] = WALK_KM_H
        assumed = (f"{WALK_KM_H:g} km/h on foot, both directions of every street",)
    for _, _, edge in graph.edges(data=True):
        edge["travel_time"] = edge["length"] / (edge["speed_kph"] / 3.6)
    return assumed


def _joined(values: Sequence[Any]) -> str:
    """Return the different texts of pieces that become one, in their order."""
    return " / ".join(dict.fromkeys(str(value) for value in values if value is not None))


def route(
    network: Network,
    start: Sequence[float],
    end: Sequence[float],
    *,
    by: str = "time",
    closed: Features | None = None,
    snap_m: float = 500.0,
) -> tuple[Result, Any]:
    """Return the quickest or shortest route; with closures also what it was without them.

    Parameters
    ----------
    start, end
        (lon, lat) in degrees; the nearest crossing is taken, at most `snap_m` metres away.
    by
        ``time`` or ``length``.
    closed
        Polygons (a flood) in which no street can be used, or lines and points that close the streets they touch.

    Returns
    -------
    Result, geopandas.GeoDataFrame
        The route as one line in EPSG:4326, ``kind`` route; with closures the one without them as well, ``kind`` open.

    Raises
    ------
    LabrigError
        ``not_found`` if no street leads from one to the other (with closures: ``data.route`` says so instead, so that
        what was cut off can be reported); ``bad_input`` for points far from any street.
    """
    import geopandas as gpd

    if by not in ("time", "length"):
        raise unknown_name("weight", by, ("time", "length"), where="by")
    weight = "travel_time" if by == "time" else "length"
    first, first_m = _crossing(network, start, "start", snap_m)
    last, last_m = _crossing(network, end, "end", snap_m)
    direct = _shortest(network.graph, first, last, weight)
    if direct is None:
        raise LabrigError(
            "No street leads from start to end",
            where=network.name,
            expected="points that streets connect",
            try_="other points; one-way streets count in their direction",
            code="not_found",
        )
    warnings = list(network.warnings)
    rows, shapes = [], []
    values: list[Quantity] = []
    data: dict[str, Any] = {"start_snapped_m": round(first_m, 1), "end_snapped_m": round(last_m, 1)}
    taken: dict[str, Any] | None = direct
    if closed is not None:
        touched = _touched(network, closed)
        open_graph = network.graph.edge_subgraph([key for key in network.graph.edges if key not in touched])
        detour = _shortest(open_graph, first, last, weight)
        taken = detour
        warnings += closed.warnings
        values += [
            Quantity("time without closures", round(direct["time_s"], 1), "s"),
            Quantity("length without closures", round(direct["length_m"], 1), "m"),
            Quantity(
                "street pieces closed", len({frozenset(key[:2]) for key in touched}), "1", "between crossings"
            ),
        ]
        rows.append({"kind": "open", "time_s": direct["time_s"], "length_m": direct["length_m"]})
        shapes.append(direct["shape"])
        if detour is None:
            data["route"] = "none: the closures cut off the end from the start"
            warnings.append("with the closures no street leads from start to end")
        else:
            data["extra_time_s"] = round(detour["time_s"] - direct["time_s"], 1)
            data["extra_length_m"] = round(detour["length_m"] - direct["length_m"], 1)
    if taken is not None:
        values = [
            Quantity("time", round(taken["time_s"], 1), "s"),
            Quantity("length", round(taken["length_m"], 1), "m"),
            *values,
        ]
        data["streets"] = taken["streets"]
        rows.append({"kind": "route", "time_s": taken["time_s"], "length_m": taken["length_m"]})
        shapes.append(taken["shape"])
    frame = gpd.GeoDataFrame(rows, geometry=shapes, crs=WGS84)
    word = "quickest" if by == "time" else "shortest"
    result = Result(
        method=f"{word} way by Dijkstra's algorithm between the nearest crossings; lengths on the ellipsoid"
        + ("; a piece between two crossings is closed if any of it is" if closed is not None else ""),
        values=tuple(values),
        data=data,
        assumed=(*network.assumed, "points are (lon, lat)"),
        warnings=tuple(warnings),
        crs=WGS84,
        source=network.name,
    )
    return result, frame


def reach(
    network: Network, start: Sequence[float], minutes: float, *, closed: Features | None = None
) -> tuple[Result, Any]:
    """Return the crossings and streets that can be reached within a time (an isochrone).

    Parameters
    ----------
    start
        (lon, lat) in degrees.
    minutes
        Above 0, up to 240.

    Returns
    -------
    Result, geopandas.GeoDataFrame
        One polygon in EPSG:4326: the streets between crossings that are reached, widened by 50 m.
    """
    import geopandas as gpd
    import networkx as nx

    if not 0 < minutes <= 240:
        raise LabrigError(f"{minutes:g} minutes", where="minutes", expected="above 0, up to 240")
    node, metres = _crossing(network, start, "start", 500.0)
    graph = network.graph
    if closed is not None:
        touched = _touched(network, closed)
        graph = graph.edge_subgraph([key for key in graph.edges if key not in touched])
    times = (
        nx.single_source_dijkstra_path_length(graph, node, cutoff=60 * minutes, weight="travel_time")
        if node in graph
        else {}
    )
    reached = graph.subgraph(times)
    edges = {frozenset((a, b)): edge for a, b, edge in reached.edges(data=True)}
    lines = gpd.GeoSeries([edge["geometry"] for edge in edges.values()], crs=network.crs)
    area = lines.buffer(50).union_all() if len(lines) else None
    frame = gpd.GeoDataFrame({"minutes": [minutes]}, geometry=[area], crs=network.crs).to_crs(WGS84)
    streets = sum(length_m(edge["degrees"]) for edge in edges.values())
    result = Result(
        method="crossings within the time by Dijkstra's algorithm; area: streets between them, widened by 50 m",
        values=(
            Quantity("crossings reached", len(times), "1"),
            Quantity("streets reached", round(streets, 1), "m"),
            *(measured(frame) if area is not None else ()),
        ),
        data={"start_snapped_m": round(metres, 1)},
        assumed=network.assumed,
        warnings=(*network.warnings, *(closed.warnings if closed is not None else ())),
        crs=WGS84,
        source=network.name,
    )
    return result, frame if area is not None else frame.iloc[:0]


def _crossing(network: Network, point: Sequence[float], where: str, most_m: float) -> tuple[int, float]:
    """Return the crossing that is nearest to a point, and how far away it is."""
    import osmnx as ox
    from pyproj import Transformer

    lon, lat = check_point(point, where)
    x, y = Transformer.from_crs(WGS84, network.crs, always_xy=True).transform(lon, lat)
    node, metres = ox.distance.nearest_nodes(network.graph, x, y, return_dist=True)
    if metres > most_m:
        raise LabrigError(
            f"The nearest crossing is {metres:,.0f} m away",
            where=where,
            expected=f"a point within {most_m:g} m of a street of {network.name}",
            try_="(lon, lat), in this order",
        )
    return int(node), float(metres)


def _touched(network: Network, closed: Features) -> set[tuple[int, int, int]]:
    """Return the edges that closures touch."""
    from shapely import prepare

    area = closed.to(network.crs).geometry.union_all()
    prepare(area)
    return {
        (start, end, key)
        for start, end, key, shape in network.graph.edges(keys=True, data="geometry")
        if area.intersects(shape)
    }


def _shortest(graph: Any, start: int, end: int, weight: str) -> dict[str, Any] | None:
    """Return time, length, shape and streets of the best way, or None."""
    import networkx as nx
    from shapely import LineString, Point, line_merge
    from shapely.geometry import MultiLineString

    if start not in graph or end not in graph:
        return None
    try:
        nodes = nx.dijkstra_path(graph, start, end, weight=weight)
    except nx.NetworkXNoPath:
        return None
    edges = [
        min(graph[first][second].values(), key=lambda edge: edge[weight]) for first, second in pairwise(nodes)
    ]
    streets: list[str] = []
    for edge in edges:
        text = str(edge.get("name", ""))
        if text and (not streets or streets[-1] != text):
            streets.append(text)
    lines = [edge["degrees"] for edge in edges]
    shape: Any = Point(0, 0)
    if lines:
        shape = line_merge(MultiLineString(lines)) if len(lines) > 1 else LineString(lines[0])
    else:
        node = graph.nodes[start]
        shape = Point(node["lon"], node["lat"])
    return {
        "time_s": sum(edge["travel_time"] for edge in edges),
        "length_m": sum(edge["length"] for edge in edges),
        "shape": shape,
        "streets": streets[:40],
    }
