"""Layers and routes against closed forms, brute force, the raw XML, and what the made town is known to hold."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod
from shapely import LineString, Point, Polygon, box, get_coordinates
from shapely.affinity import translate

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.gis.boxes import box_shape, check_box, cut_at_antimeridian
from labrig_earth.gis.features import Features, checked, read_features, write_features
from labrig_earth.gis.measuring import area_m2, buffer, distance, length_m, measure, nearest
from labrig_earth.gis.operations import OPERATIONS
from labrig_earth.gis.overlaying import expose, overlay
from labrig_earth.gis.querying import query
from labrig_earth.grids.operations import OPERATIONS as GRID_OPERATIONS
from labrig_earth.results import Result
from labrig_earth.work.calls import Call

WGS84 = Geod(ellps="WGS84")


def _layer(*shapes: Any, crs: str | None = "EPSG:4326", **columns: Any) -> Features:
    return checked(gpd.GeoDataFrame(columns, geometry=list(shapes), crs=crs), "layer")


def _value(result: Result, name: str) -> float:
    return next(float(each.value) for each in result.values if each.name == name)


def _run(operation: str, world: Path, scratch: Path, inputs: dict[str, str], **arguments: Any) -> Result:
    places = {role: (Place.of(world / name),) for role, name in inputs.items()}
    return OPERATIONS[operation](Call(places, arguments, scratch))


def _between_parallels(west: float, south: float, east: float, north: float) -> float:
    """Area of a box in m2 on the ellipsoid: Snyder, Map Projections (1987), eq. 3-12."""
    a, e2 = WGS84.a, WGS84.es
    e = math.sqrt(e2)

    def q(lat: float) -> float:
        s = math.sin(math.radians(lat))
        return (1 - e2) * (s / (1 - e2 * s * s) - math.log((1 - e * s) / (1 + e * s)) / (2 * e))

    return a * a / 2 * math.radians(east - west) * (q(north) - q(south))


# --- measuring


def test_areas_are_those_between_parallels_and_holes_are_taken_off() -> None:
    square = box(0, 40, 10, 50)
    assert area_m2(square) == pytest.approx(_between_parallels(0, 40, 10, 50), rel=1e-6)
    holed = Polygon(square.exterior.coords, [box(2, 42, 3, 43).exterior.coords])
    taken = _between_parallels(0, 40, 10, 50) - _between_parallels(2, 42, 3, 43)
    assert area_m2(holed) == pytest.approx(taken, rel=1e-6)
    assert area_m2(Polygon(list(holed.exterior.coords)[::-1], holed.interiors)) == pytest.approx(
        taken, rel=1e-6
    )
    assert area_m2(box_shape([170, -10, -170, 10])) == pytest.approx(
        _between_parallels(0, -10, 20, 10), rel=1e-6
    )
    # along the 60th parallel, which no geodesic follows
    parallel = (
        math.pi
        * WGS84.a
        * math.cos(math.radians(60))
        / math.sqrt(1 - WGS84.es * math.sin(math.radians(60)) ** 2)
        / 2
    )
    assert length_m(LineString([(0, 60), (90, 60)])) == pytest.approx(parallel, rel=1e-5)


def test_distance_is_a_geodesic_and_swapped_points_are_refused() -> None:
    found = distance((13.4050, 52.5200), (2.3522, 48.8566))
    assert _value(found, "distance") == pytest.approx(879_699, abs=200)  # 877,465 on a sphere
    assert _value(distance((179.9, 0), (-179.9, 0)), "distance") == pytest.approx(
        0.2 * math.pi * WGS84.a / 180, abs=0.001
    )
    with pytest.raises(LabrigError, match=r"\[93, 2\.35\]") as refused:
        distance((93, 2.35), (2.35, 93))
    assert refused.value.where == "end"


@pytest.mark.parametrize(
    ("lon", "lat"),
    [(12.7, 48.3), (179.9999, -17.0), pytest.param(-60.0, 83.0, marks=pytest.mark.accept), (5.0, -88.0)],
)
def test_a_buffer_of_a_point_has_its_radius_everywhere(lon: float, lat: float) -> None:
    result, frame = buffer(_layer(Point(lon, lat)), 2, "km")
    corners = 128 / 2 * 2000**2 * math.sin(2 * math.pi / 128)
    assert _value(result, "area") == pytest.approx(corners, rel=2e-4)
    inside = get_coordinates(frame.geometry.iloc[0])
    assert np.abs(inside[:, 0]).max() <= 180
    metres = WGS84.inv(np.full(len(inside), lon), np.full(len(inside), lat), inside[:, 0], inside[:, 1])[2]
    assert metres.max() == pytest.approx(2000, rel=2e-4)


def test_a_buffer_in_degrees_is_refused_and_too_narrow_ones_vanish() -> None:
    layer = _layer(box(12, 48, 12.001, 48.001), box(12.1, 48, 12.2, 48.1))
    for unit in ("degrees", "deg", "°"):
        with pytest.raises(LabrigError, match="no distance"):
            buffer(layer, 0.1, unit)
    result, frame = buffer(layer, -100, "m")
    assert len(frame) == 1 and "too narrow" in result.warnings[0]
    whole, _ = buffer(_layer(Point(12, 48), Point(12.001, 48)), 100, "m", dissolve=True)
    assert _value(whole, "features") == 1


def test_the_nearest_is_found_as_by_trying_all() -> None:
    rng = np.random.default_rng(1)
    here, there = rng.uniform([12, 48], [12.3, 48.2], (30, 2)), rng.uniform([12, 48], [12.3, 48.2], (20, 2))
    result, frame = nearest(
        _layer(*map(Point, here), name=range(30)), _layer(*map(Point, there), name=range(20)), within_m=4000
    )
    tried = np.array([WGS84.inv(*np.broadcast_to(point, there.shape).T, *there.T)[2] for point in here])
    near = tried.min(axis=1) <= 4000
    found = frame.sort_values("name")
    assert found.name.tolist() == np.flatnonzero(near).tolist()
    assert found.nearest_name.tolist() == tried.argmin(axis=1)[near].tolist()
    assert found.distance_m.to_numpy() == pytest.approx(tried.min(axis=1)[near])
    assert _value(result, "greatest distance") == pytest.approx(tried.min(axis=1)[near].max(), abs=0.001)


# --- what comes in


def test_a_polygon_that_crosses_itself_is_mended_and_this_is_said() -> None:
    layer = _layer(Polygon([(0, 0), (2, 2), (2, 0), (0, 2)]), Polygon())
    assert layer.frame.geometry.iloc[0].area == pytest.approx(2)
    said = " ".join(layer.warnings)
    assert "cross themselves" in said and "1 of 2 features" in said


def test_a_reference_system_must_be_there_and_be_true(tmp_path: Path) -> None:
    with pytest.raises(LabrigError, match="no reference system"):
        _layer(Point(1, 2), crs=None)
    with pytest.raises(LabrigError, match="swap"):
        _layer(Point(48, 120), Point(48, -20))
    with pytest.raises(LabrigError, match="in degrees, and the coordinates run to"):
        _layer(Point(330_000, 5_350_000))
    assert "look like degrees" in _layer(Point(12, 48), Point(13, 48), crs="EPSG:32633").warnings[0]
    path = tmp_path / "lying.gpkg"
    gpd.GeoDataFrame(geometry=[box(12, 48, 13, 49)], crs="EPSG:32633").to_file(path, driver="GPKG")
    mended = read_features(Place.of(path), crs="EPSG:4326")
    assert mended.crs_text == "EPSG:4326" and "states EPSG:32633" in mended.warnings[0]
    with pytest.raises(LabrigError, match="no reference system"):
        read_features(Place.of(path), crs="EPSG:99999")


def test_boxes_that_cannot_be_are_refused_with_what_may_be_meant() -> None:
    with pytest.raises(LabrigError, match=r"\[-100, 11, -99, 12\]"):
        check_box([11, -100, 12, -99])
    with pytest.raises(LabrigError, match="above north"):
        check_box([0, 10, 5, 5])
    for wrong in ([1, 2, 3], "abcd", [0, 0, 0, 5], [1e9, 0, 2, 3]):
        with pytest.raises(LabrigError):
            check_box(wrong)  # type: ignore[arg-type]
    assert box_shape([350, -5, 359, 5]).bounds == (-10, -5, -1, 5)


@given(
    west=st.floats(150, 179.9), width=st.floats(0.2, 60), south=st.floats(-80, 70), height=st.floats(0.1, 10)
)
@settings(max_examples=40, deadline=None)
def test_shapes_across_the_antimeridian_keep_their_area(
    west: float, width: float, south: float, height: float
) -> None:
    shape = box(west, south, west + width, south + height)
    wrapped = Polygon([((x + 180) % 360 - 180, y) for x, y in shape.exterior.coords])
    for given_shape in (shape, translate(shape, -360), wrapped):
        cut, _ = cut_at_antimeridian(given_shape)
        assert cut.area == pytest.approx(shape.area, rel=1e-6, abs=1e-6)
        assert cut.bounds[0] >= -180 and cut.bounds[2] <= 180
    whole = box(-180, -90, 180, 90)
    assert cut_at_antimeridian(whole) == (whole, False)
    antarctica = Polygon(
        [(-180, -90), (179.99999999999994, -90), (179.99999999999994, -84), (0, -70), (-180, -84)]
    )
    cut, _ = cut_at_antimeridian(antarctica)
    assert cut.area == pytest.approx(antarctica.area)


# --- overlays and queries


def test_overlays_share_out_the_area() -> None:
    left = Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (2, 1), (2, 2), (1, 2)]])
    first, second = _layer(left, a=["left"]), _layer(box(2, 2, 6, 6), box(10, 10, 11, 11), b=["x", "y"])
    both, frame = overlay(first, second, "intersection")
    rest, _ = overlay(first, second, "difference")
    union, _ = overlay(first, second, "union")
    assert _value(both, "area") + _value(rest, "area") == pytest.approx(area_m2(left), rel=1e-6)
    assert frame.geometry.iloc[0].equals(box(2, 2, 4, 4)) and frame.iloc[0][["a", "b"]].tolist() == [
        "left",
        "x",
    ]
    outside = area_m2(box(2, 2, 6, 6).difference(left)) + area_m2(box(10, 10, 11, 11))
    assert _value(union, "area") == pytest.approx(area_m2(left) + outside, rel=1e-6)
    apart, _ = overlay(first, _layer(box(50, 50, 51, 51)), "intersection")
    assert _value(apart, "features") == 0 and "nothing in common" in apart.warnings[-1]
    with pytest.raises(LabrigError, match="intersection"):
        overlay(first, second, "intersect")


def test_what_a_hazard_touches_is_counted_and_measured() -> None:
    lines = _layer(LineString([(0, 0), (0, 2)]), LineString([(5, 0), (5, 1)]), people=[10, 5])
    result, frame = expose(lines, _layer(box(-1, 1, 1, 3)), sums=("people",))
    assert _value(result, "features touched") == 1 and _value(result, "people of features touched") == 10
    assert _value(result, "length inside") == pytest.approx(WGS84.inv(0, 1, 0, 2)[2], abs=0.01)
    assert frame.inside_part.iloc[0] == pytest.approx(0.5, abs=0.005)


def test_features_are_chosen_by_what_they_are() -> None:
    layer = _layer(
        Point(0, 0), Point(1, 0), Point(2, 60), n=[1, 2, 3], kind=["a", "b", None], text=["1", "20", "3"]
    )
    for where, wanted in (
        ({"kind": "a"}, [1]), ({"kind": ["a", "b"], "n": {">=": 2}}, [2]), ({"kind": True}, [1, 2]),
        ({"n": 3}, [3]), ({"text": {">": 2}}, [2, 3]), ({"kind": {"!=": "a"}}, [2]),
    ):  # fmt: skip
        assert query(layer, where=where)[1].n.tolist() == wanted, where
    assert query(layer, region="Norway")[1].n.tolist() == []
    assert query(layer, box=[0.5, -1, 3, 61])[1].n.tolist() == [2, 3]
    with pytest.raises(LabrigError, match="did you mean kind"):
        query(layer, where={"kin": "a"})
    with pytest.raises(LabrigError, match="comparison"):
        query(layer, where={"n": {"=>": 2}})


# --- the town


@pytest.mark.parametrize(
    "file", [pytest.param("town/town.osm", marks=pytest.mark.accept), "town/town.osm.pbf"]
)
def test_osm_features_are_those_of_the_raw_xml_each_once(world: Path, tmp_path: Path, file: str) -> None:
    ways = ET.parse(world / "town/town.osm").getroot().findall("way")
    buildings = sum(any(tag.get("k") == "building" for tag in way.findall("tag")) for way in ways)
    found = _run("gis_query", world, tmp_path, {"data": file}, where={"building": True})
    assert _value(found, "features") == buildings
    assert any("synthetic" in warning for warning in found.warnings)
    wood = _run("gis_query", world, tmp_path, {"data": file}, where={"landuse": "forest"})
    assert _value(wood, "features") == 1
    assert _value(wood, "area") == pytest.approx(120 * 90 - 40 * 30, rel=1e-3)  # a hole
    streets = _run("gis_query", world, tmp_path, {"data": file}, where={"highway": "secondary"})
    assert "length" in [each.name for each in streets.values]
    kept = gpd.read_file(tmp_path / "features.gpkg")
    assert len(kept) == _value(streets, "features") and kept.crs.to_epsg() == 4326


def test_osm_data_are_described_by_their_tags(world: Path, tmp_path: Path) -> None:
    root = ET.parse(world / "town/town.osm").getroot()
    tagged = {f"{kind}s": [each for each in root.findall(kind) if each.find("tag") is not None] for kind in
              ("node", "way", "relation")}  # fmt: skip
    keys = Counter(tag.get("k") for some in tagged.values() for each in some for tag in each.findall("tag"))
    call = Call({"data": (Place.of(world / "town/town.osm.pbf"),)}, {}, tmp_path)
    found = GRID_OPERATIONS["describe_data"](call)
    assert found.data["with_tags"] == {kind: len(each) for kind, each in tagged.items() if each}
    assert found.data["tags"] == dict(keys.most_common(40)) and found.crs == "EPSG:4326"


def test_osm_data_are_asked_for_by_a_tag(world: Path, tmp_path: Path) -> None:
    with pytest.raises(LabrigError, match="by their tags"):
        _run("gis_query", world, tmp_path, {"data": "town/town.osm"})
    broken = tmp_path / "broken.osm"
    broken.write_text((world / "town/town.osm").read_text()[:2000])
    with pytest.raises(LabrigError, match=r"broken\.osm"):
        _run("gis_query", tmp_path, tmp_path, {"data": "broken.osm"}, where={"building": True})


def test_the_flood_meets_the_buildings_that_it_should(
    world: Path, truth: dict[str, Any], tmp_path: Path
) -> None:
    town, inputs = truth["town"], {"data": "town/buildings.gpkg", "other": "town/flood.gpkg"}
    found = _run("gis_expose", world, tmp_path, inputs, sums=["residents"])
    assert _value(found, "features touched") == town["buildings_touched_by_flood"]
    assert _value(found, "residents of features touched") == town["residents_of_buildings_touched_by_flood"]
    flood = measure(read_features(Place.of(world / "town/flood.gpkg")))
    assert _value(flood, "area") == pytest.approx(town["flood_area_m2_in_utm"], rel=1e-3)


@pytest.mark.parametrize(
    "file", [pytest.param("town/town.osm", marks=pytest.mark.accept), "town/town.osm.pbf"]
)
def test_the_route_and_its_detour_are_those_of_another_algorithm(
    world: Path, truth: dict[str, Any], tmp_path: Path, file: str
) -> None:
    town, way = truth["town"], truth["town"]["route"]
    ends = {"start": way["from_lon_lat"], "end": way["to_lon_lat"], "speeds": town["speeds_km_h"]}
    found = _run("gis_route", world, tmp_path, {"data": file, "other": "town/flood.gpkg"}, **ends)
    assert _value(found, "time without closures") == pytest.approx(way["time_s"], abs=0.05)
    assert _value(found, "length without closures") == pytest.approx(way["length_m"], abs=0.05)
    assert _value(found, "time") == pytest.approx(way["time_s_with_flood"], abs=0.05)
    assert _value(found, "length") == pytest.approx(way["length_m_with_flood"], abs=0.05)
    assert _value(found, "street pieces closed") == town["street_pieces_touched_by_flood"]
    kept = gpd.read_file(tmp_path / "features.gpkg").set_index("kind").geometry
    flood = gpd.read_file(world / "town/flood.gpkg").to_crs(4326).geometry.iloc[0]
    assert kept["open"].intersects(flood) and not kept["route"].intersects(flood)
    assert length_m(kept["route"]) == pytest.approx(way["length_m_with_flood"], rel=1e-6)


def test_what_is_cut_off_or_far_away_or_one_way_is_said(
    world: Path, truth: dict[str, Any], tmp_path: Path
) -> None:
    way, streets = truth["town"]["route"], {"data": "town/town.osm"}
    ends = {"start": way["from_lon_lat"], "end": way["to_lon_lat"]}
    lon, lat = way["to_lon_lat"]
    wall = gpd.GeoDataFrame(geometry=[LineString([(lon - 0.002, lat - 1), (lon - 0.002, lat + 1)])], crs=4326)
    write_features(wall, tmp_path, "wall.gpkg")
    both = {"data": (Place.of(world / "town/town.osm"),), "other": (Place.of(tmp_path / "wall.gpkg"),)}
    cut = OPERATIONS["gis_route"](Call(both, ends, tmp_path))
    assert "none" in cut.data["route"] and _value(cut, "time without closures") > 0
    assert "time" not in [each.name for each in cut.values]
    with pytest.raises(LabrigError, match="nearest crossing"):
        _run("gis_route", world, tmp_path, streets, start=ends["start"], end=[lat, lon])
    with pytest.raises(LabrigError, match="km/h"):
        _run("gis_route", world, tmp_path, streets, **ends, speeds={"primary": 0})
    stated = _run("gis_route", world, tmp_path, streets, **ends)
    assert _value(stated, "time") == pytest.approx(way["length_m"] / (50 / 3.6), abs=0.1)  # its maxspeed
    assert "residential 30" in stated.assumed[0]  # and no street took that maxspeed for its own
    on_foot = _run("gis_route", world, tmp_path, streets, **ends, mode="walk")
    assert _value(on_foot, "time") == pytest.approx(way["length_m"] / (4.8 / 3.6), abs=1)


@pytest.mark.accept
def test_what_is_reached_in_a_minute_is_what_routes_say(
    world: Path, truth: dict[str, Any], tmp_path: Path
) -> None:
    from labrig_earth.world.sizes import size_of
    from labrig_earth.world.streets import make_streets, quickest

    streets = make_streets(size_of("small"), np.random.default_rng([7, 3]))
    start = streets.at[0, 4]
    assert list(streets.degrees[start]) == truth["town"]["route"]["from_lon_lat"]
    corners = {streets.at[each] for each in ((0, 0), (0, 8), (8, 0), (8, 8))}  # no crossings for osmnx
    times = [
        way.time_s
        for node in streets.at.values()
        if node not in corners and (way := quickest(streets, start, node, set()))
    ]
    speeds = truth["town"]["speeds_km_h"]
    found = _run(
        "gis_reach",
        world,
        tmp_path,
        {"data": "town/town.osm"},
        start=list(streets.degrees[start]),
        minutes=0.75,
        speeds=speeds,
    )
    assert _value(found, "crossings reached") == sum(time <= 45 for time in times)
    with pytest.raises(LabrigError, match="minutes"):
        _run("gis_reach", world, tmp_path, {"data": "town/town.osm"}, start=[12.7, 48.3], minutes=0)


def test_a_route_by_stated_and_assumed_speeds_is_the_quickest(
    world: Path, truth: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Corners join streets of two classes to one edge; each piece keeps its own speed."""
    from labrig_earth.world import streets as made
    from labrig_earth.world.sizes import size_of
    from labrig_earth.world.town import flood_of

    monkeypatch.setattr(
        made, "SPEEDS", {"primary": 50.0, "secondary": 50.0, "residential": 30.0}
    )  # primary: maxspeed
    size = size_of("small")
    streets = made.make_streets(size, np.random.default_rng([7, 3]))
    closed = made.closed_pairs(streets, flood_of(size, streets))
    best = made.quickest(streets, streets.at[0, 4], streets.at[8, 4], closed)
    assert best is not None
    way = truth["town"]["route"]
    inputs = {"data": "town/town.osm", "other": "town/flood.gpkg"}
    found = _run("gis_route", world, tmp_path, inputs, start=way["from_lon_lat"], end=way["to_lon_lat"])
    assert _value(found, "time") == pytest.approx(best.time_s, abs=0.05)
    assert _value(found, "length") == pytest.approx(best.length_m, abs=0.05)
