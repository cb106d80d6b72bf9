"""Layers made of others, tables beside them, coordinates however they are written: against closed forms."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from shapely.geometry import LineString, MultiPolygon, Point, Polygon, box

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.data.opening import open_table, open_vector
from labrig_earth.gis.features import Features, checked, read_features, table_of, write_features
from labrig_earth.gis.joining import join, summarise
from labrig_earth.gis.measuring import measure, nearest
from labrig_earth.gis.overlaying import expose, overlay
from labrig_earth.gis.querying import query
from labrig_earth.gis.shaping import shape


def layer(*shapes: Any, crs: str = "EPSG:32633", **columns: Any) -> Features:
    return checked(gpd.GeoDataFrame(columns, geometry=list(shapes), crs=crs), "layer")


def values(result: Any) -> dict[str, Any]:
    return {each.name: each.value for each in result.values}


def square(west: float, south: float, side: float) -> Polygon:
    return box(5e5 + west, 4.6e6 + south, 5e5 + west + side, 4.6e6 + south + side)


def test_common_ground_counts_once_beside_what_is_added_up() -> None:
    two = layer(square(0, 0, 100), square(50, 0, 100), name=["a", "b"])
    found = measure(two)
    assert (
        values(found)["area in the plane"] == 20_000 and values(found)["area covered in the plane"] == 15_000
    )
    assert any("overlap" in each for each in found.warnings)
    united, frame = shape(two, "dissolve")
    assert len(frame) == 1 and values(united)["area in the plane"] == 15_000
    apart = layer(square(0, 0, 100), square(100, 0, 100), square(300, 0, 100), name=["a", "a", "b"])
    assert "area covered" not in values(measure(apart))
    assert sorted(shape(apart, "dissolve", by="name")[1].geometry.area) == [10_000, 20_000]


def test_what_is_left_of_a_layer_is_measured_in_the_plane_and_nothing_is_0() -> None:
    ground, reserve = layer(square(0, 0, 100)), layer(square(20, 20, 50))
    left, _ = overlay(ground, reserve, "difference")
    assert values(left)["area in the plane"] == 7500 and left.method.startswith("layer without layer")
    nothing, frame = overlay(reserve, ground, "difference")
    assert values(nothing) == {"features": 0, "area": 0.0, "area in the plane": 0.0} and not len(frame)
    assert "the other order is another question" in nothing.warnings[-1]


def test_a_ring_in_a_ring_that_is_wound_like_it_is_a_hole_and_both_readings_are_named() -> None:
    outer, inner = square(0, 0, 100), square(30, 30, 10)
    found = layer(MultiPolygon([outer, inner]))
    assert found.frame.geometry.area[0] == 9900
    assert "leaves 9,900" in found.warnings[0] and "filled it would be 10,000" in found.warnings[0]
    island = layer(MultiPolygon([outer, inner, square(32, 32, 2)]))  # land in the hole
    assert island.frame.geometry.area[0] == 9904
    crossing = layer(MultiPolygon([outer, square(50, 0, 100)]))
    assert crossing.frame.geometry.area[0] == 15_000


def test_points_of_features_and_hulls() -> None:
    ell = Polygon([(0, 0), (100, 0), (100, 10), (10, 10), (10, 100), (0, 100)])
    bent = layer(gpd.GeoSeries([ell]).translate(5e5, 4.6e6)[0], name=["l"])
    result, inside = shape(bent, "point")
    assert bent.frame.geometry[0].contains(inside.geometry[0]) and not result.warnings
    result, middle = shape(bent, "centroid")
    assert not bent.frame.geometry[0].contains(middle.geometry[0])
    assert "lie outside of their features" in result.warnings[0]
    assert shape(bent, "hull")[1].geometry.area[0] == 100 * 100 - 90 * 90 / 2
    corners = layer(*(Point(5e5 + x, 4.6e6 + y) for x, y in ((0, 0), (10, 0), (0, 10), (2, 2))))
    assert shape(corners, "hull")[1].geometry.area.tolist() == [50]
    assert middle.name.tolist() == ["l"]


def test_each_voronoi_cell_has_the_attributes_of_its_own_point() -> None:
    rng = np.random.default_rng(3)
    places = rng.uniform(0, 1000, (30, 2)) + np.array([5e5, 4.6e6])
    gauges = layer(*map(Point, places), rain=np.arange(30))
    region = layer(square(0, 0, 1000))
    _, cells = shape(gauges, "voronoi", area=region)
    assert cells.geometry.area.sum() == pytest.approx(1e6)
    for site in rng.uniform(0, 1000, (50, 2)) + np.array([5e5, 4.6e6]):
        nearest = int(np.hypot(*(places - site).T).argmin())
        assert cells.rain[cells.geometry.covers(Point(site))].tolist() == [nearest]
    far = layer(Point(7e5, 4.6e6))
    reached, cells = shape(gauges, "voronoi", area=far)
    assert (
        cells.geometry.covers(far.frame.geometry[0]).sum() == 1 and "nothing cuts them" in reached.warnings[0]
    )
    with pytest.raises(LabrigError, match="two points"):
        shape(layer(Point(5e5, 4.6e6)), "voronoi")


def test_what_lies_on_an_edge_is_told_apart_from_what_lies_inside() -> None:
    west, east = square(0, 0, 100), square(100, 0, 100)
    districts = layer(west, east, name=["a", "b"])
    parcel = layer(square(50, 0, 50))
    found, which = query(districts, touching=parcel)
    assert which.name.tolist() == ["a", "b"] and found.warnings[0].startswith(
        "1 of them touch layer at an edge"
    )
    hit, touched = expose(districts, parcel)
    assert (
        touched.inside_part.round(6).tolist() == [0.25, 0] and "1 of these features touch" in hit.warnings[0]
    )
    assert values(hit)["area inside in the plane"] == 2500 < values(hit)["area inside"]
    wells = layer(Point(500050, 4600050), Point(500100, 4600050))
    joined, rows = overlay(wells, districts, "intersection")
    assert len(rows) == 3 and "3 rows of 2 points" in joined.warnings[0]


def test_a_feature_is_no_neighbour_of_itself() -> None:
    wells = layer(*(Point(5e5 + x, 4.6e6) for x in (0, 30, 100)), name=["a", "b", "c"])
    _, found = nearest(wells, wells)
    assert found.sort_values("name").nearest_name.tolist() == ["b", "a", "b"]
    _, copies = nearest(wells, replace(wells, name="others"))
    assert copies.nearest_name.tolist() == ["a", "b", "c"]


def test_corners_become_polygons_and_lines() -> None:
    corners = [(12.0, 48.0), (12.1, 48.0), (12.1, 48.1), (12.0, 48.1)] * 2
    points = layer(
        *map(Point, corners), crs="EPSG:4326", field=["a"] * 4 + ["b"] * 4, place=[0, 1, 2, 3, 0, 2, 1, 3]
    )
    _, found = shape(points, "polygon", by="field", order="place")
    assert found.field.tolist() == ["a", "b"]
    assert found.geometry[0].equals(box(12, 48, 12.1, 48.1))
    _, line = shape(layer(Point(5e5, 4.6e6), Point(5e5, 4600100)), "line")
    assert line.geometry[0].equals(LineString([(5e5, 4.6e6), (5e5, 4600100)]))
    with pytest.raises(LabrigError, match="3 places"):
        shape(layer(Point(5e5, 4.6e6), Point(5e5, 4600100)), "polygon")


@pytest.mark.parametrize(
    ("text", "degrees"),
    [
        ("41°53'24\"N", 41.89),
        ("41 53 24 N", 41.89),
        ("41:53:24", 41.89),
        ("S 41° 53.4'", -41.89),
        ("-41 53 24", -41.89),
        ("41° S", -41.0),
        ("0°30'00\"S", -0.5),
        ("41.89", 41.89),
    ],
)
def test_degrees_minutes_and_seconds_in_one_column(tmp_path: Path, text: str, degrees: float) -> None:
    table = pd.DataFrame({"id": [1, 2], "lat": [text, "1°0'0\"N"], "lon": ["12 30 00 W", "7°E"]})
    table.to_csv(tmp_path / "s.csv", index=False)
    found = read_features(Place.of(tmp_path / "s.csv"))
    assert found.frame.geometry[0].y == pytest.approx(degrees) and found.frame.geometry[0].x == -12.5
    assert found.assumed == ["coordinates in degrees, minutes and seconds"]


def test_degrees_minutes_and_seconds_in_columns_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(
        "id,lat_deg,lat_min,lat_sec,lat_hem,lon_deg,lon_min,lon_sec,lon_hem\n1,0,53,24,S,12,29,32,E\n"
    )
    point = open_vector(tmp_path / "s.csv").geometry[0]
    assert (point.y, point.x) == pytest.approx((-0.89, 12 + 29 / 60 + 32 / 3600))
    for text, message in (("41 75 00", "minutes reach 75"), ("north", "is no coordinate")):
        (tmp_path / "bad.csv").write_text(f"lat,lon\n{text},1\n")
        with pytest.raises(LabrigError, match=message):
            open_vector(tmp_path / "bad.csv")


def test_codes_stay_text_and_join_as_text(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("code;people;rate\n001;10;1,5\n010;20;2,5\n100;30;3,5\n")
    table = open_table(tmp_path / "people.csv")
    assert table["code"].tolist() == ["001", "010", "100"] and table["rate"].tolist() == [1.5, 2.5, 3.5]
    towns = layer(*(square(200 * place, 0, 100) for place in range(3)), code=["001", "010", "100"])
    result, frame = join(towns, table, "people.csv", "code", sums=["people"])
    assert (
        values(result)["people sum"] == 60 and frame.people.tolist() == [10, 20, 30] and not result.warnings
    )
    lost = table.assign(code=[1, 10, 100])
    result, _ = join(towns, lost, "people.csv", "code", sums=["people"])
    assert values(result)["people sum"] == 30
    assert any("lost its leading zeros" in each for each in result.warnings)


def test_a_key_that_repeats_is_said_and_nothing_counts_twice() -> None:
    plots = layer(square(0, 0, 100), square(200, 0, 100), code=["a", "b"], size=[5.0, 7.0])
    owners = pd.DataFrame({"key": ["a", "a", "c"], "owner": ["x", "y", "z"], "size": [1, 2, 4]})
    result, frame = join(plots, owners, "owners.csv", "code", "key", sums=["size", "size_2"])
    assert values(result)["size sum"] == 5 and values(result)["size_2 sum"] == 3
    assert values(result)["area in the plane"] == 20_000
    assert frame.owner.fillna("").tolist() == ["x", "y", ""]
    assert any("1 keys repeat in owners.csv (a)" in each for each in result.warnings)
    assert any("1 features meet no row" in each and "1 rows" in each for each in result.warnings)
    with pytest.raises(LabrigError, match="sums"):
        join(plots, owners, "owners.csv", "code", "key", sums=["people"])


def test_means_of_rates_are_weighted_or_doubted() -> None:
    table = pd.DataFrame({"town": ["a", "b"], "rate": [20.0, 1.0], "people": [1000, 49_000]})
    plain = summarise(table, "t", ["rate"])
    assert values(plain)["rate mean"] == 10.5 and "weight=COLUMN" in plain.warnings[0]
    weighted = summarise(table, "t", ["rate"], weight="people")
    assert values(weighted)["rate weighted mean"] == pytest.approx(1.38) and not weighted.warnings
    by_town = summarise(table, "t", ["people"], by="town")
    assert json.loads(json.dumps(by_town.data["rows"]))[1]["sum"] == 49_000
    with pytest.raises(LabrigError, match="is no number"):
        summarise(table, "t", ["town"])


def test_points_that_are_nowhere_are_left_out_and_measures_along_lines_are_not_written(
    tmp_path: Path,
) -> None:
    shapes = shapely.from_wkt(["POINT M (1 2 3)", "POINT ZM (1 2 3 4)", "POINT (5 6)"])
    nowhere = shapely.points(np.nan, np.nan)
    found = checked(gpd.GeoDataFrame({"n": range(4)}, geometry=[*shapes, nowhere], crs=4326), "points")
    assert found.warnings == ["1 of 4 features of points have no geometry and were left out"]
    write_features(found.frame, tmp_path, "p.gpkg")
    assert gpd.read_file(tmp_path / "p.gpkg").geometry.to_wkt().tolist() == [
        "POINT (1 2)",
        "POINT Z (1 2 3)",
        "POINT (5 6)",
    ]
    empty = gpd.GeoDataFrame({"n": [1]}, geometry=[shapely.Point()], crs=4326)
    assert table_of(empty) == [{"n": 1, "geometry": "empty"}]
