"""Group geo_osm over MCP: a made town from a file and from an imitated Overpass, against XML and pyproj; bad input."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import pytest_asyncio
from fastmcp import Client
from pyproj import Geod

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from support.imitation import Imitation, imitation, text
from support.terra import refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")

EARTH = Geod(ellps="WGS84")
BOX = {"bbox": [50.0, 9.0, 50.01, 9.02]}
ROADS = [{"key": "highway"}]


def square(lon: float, lat: float, size: float = 0.001) -> list[list[float]]:
    """Return the corners of a square whose south-west corner is given."""
    return [[lon, lat], [lon + size, lat], [lon + size, lat + size], [lon, lat + size], [lon, lat]]


def town() -> str:
    """Return a town: 12 houses of two kinds, 3 streets, 4 shops as nodes; one house beyond the box."""
    nodes: list[str] = []
    ways: list[str] = []

    def way(number: int, corners: list[list[float]], tags: dict[str, str]) -> None:
        first, closed = len(nodes) + 1, corners[0] == corners[-1]
        for lon, lat in corners[:-1] if closed else corners:
            nodes.append(f'<node id="{len(nodes) + 1}" lat="{lat}" lon="{lon}"/>')
        refs = [*range(first, len(nodes) + 1), *([first] if closed else [])]
        said = "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())
        ways.append(f'<way id="{number}">' + "".join(f'<nd ref="{ref}"/>' for ref in refs) + said + "</way>")

    for number in range(12):
        kind = "house" if number % 3 else "school"
        way(100 + number, square(9.001 + 0.0015 * number, 50.002), {"building": kind})
    way(112, square(9.05, 50.002), {"building": "house"})
    for number in range(3):
        name = "primary" if number == 0 else "residential"
        lat = 50.001 + 0.003 * number
        way(200 + number, [[9.0, lat], [9.01, lat], [9.02, lat]], {"highway": name})
    for number in range(4):
        nodes.append(
            f'<node id="{900 + number}" lat="50.005" lon="{9.002 + 0.004 * number}">'
            '<tag k="amenity" v="cafe"/></node>'
        )
    return f'<?xml version="1.0"?><osm version="0.6">{"".join(nodes + ways)}</osm>'


def tagged(key: str) -> Counter[str]:
    """Return how often each value of a tag is in the town, by its XML alone."""
    return Counter(
        str(tag.get("v")) for tag in ElementTree.fromstring(town()).iter("tag") if tag.get("k") == key
    )


@pytest.fixture(scope="session")
def streets(small: Path) -> str:
    (small / "osm").mkdir()
    (small / "osm/town.osm").write_text(town())
    return "osm/town.osm"


async def test_features_of_a_file(served: Client[Any], small: Path, streets: str) -> None:
    found = await run(
        served,
        "gis_feature_query",
        source=streets,
        geometry=BOX,
        filters=[{"key": "building", "values": ["house", "school"]}, {"key": "amenity"}],
    )
    summary = found["summary"]
    assert summary["tag_value_counts"] == {
        "building": {"school": 4, "house": tagged("building")["house"] - 1},  # one lies beyond
        "amenity": dict(tagged("amenity")),
    }
    assert summary["total_features"] == 16 and found["data_status"]["coverage_ok"]
    ring = [(9.0, 50.0), (9.02, 50.0), (9.02, 50.01), (9.0, 50.01)]
    area = abs(EARTH.polygon_area_perimeter(*zip(*ring, strict=True))[0]) / 1e6
    assert summary["area_sq_km"] == pytest.approx(area, rel=1e-6)
    assert summary["feature_density_per_sq_km"] == pytest.approx(16 / area, rel=1e-6)
    np.testing.assert_allclose(summary["result_bbox"], [50.002, 9.001, 50.005, 9.0185], atol=1e-9)
    kept = json.loads((small / found["features_path"]).read_text())
    assert kept["features"] == found["features"]


async def test_a_box_where_nothing_is_says_where_the_file_lies(served: Client[Any], streets: str) -> None:
    swapped = {"bbox": [9.0, 50.0, 9.02, 50.01]}
    found = await run(served, "gis_feature_query", source=streets, geometry=swapped, filters=ROADS)
    assert found["features"] == [] and found["features_path"] is None
    assert "[50.001, 9, 50.007, 9.02]" in str(found["warnings"])


async def test_kinds_and_circles(served: Client[Any], streets: str) -> None:
    points = await run(
        served,
        "gis_feature_query",
        source=streets,
        geometry={"center": {"lat": 50.005, "lon": 9.002}, "radius_km": 0.3},
        filters=[{"key": "amenity"}],
        geometry_types=["point"],
    )
    places = [9.002 + 0.004 * number for number in range(4)]
    within = [lon for lon in places if EARTH.inv(9.002, 50.005, lon, 50.005)[2] <= 300]
    assert [each["geometry"]["coordinates"][0] for each in points["features"]] == pytest.approx(within)
    assert points["summary"]["area_sq_km"] == pytest.approx(np.pi * 0.09, rel=1e-3)
    polygon = {"polygon": {"type": "Polygon", "coordinates": [square(9.0, 50.0, 0.0045)]}}
    houses = await run(
        served,
        "gis_feature_query",
        source=streets,
        geometry=polygon,
        filters=[{"key": "building"}],
        max_features=2,
    )
    assert houses["summary"]["total_features"] == 2 and not houses["data_status"]["coverage_ok"]
    assert houses["data_status"]["notes"].startswith("3 features fit")


async def test_tallies_by_group(served: Client[Any], streets: str) -> None:
    roads = await run(served, "gis_feature_query", source=streets, geometry=BOX, filters=ROADS)
    length = {lat: EARTH.line_length([9.0, 9.01, 9.02], [lat] * 3) / 1000 for lat in (50.001, 50.004, 50.007)}
    asked = {"group_by": ["tag:highway"], "metrics": ["count", "length_km"], "normalizers": {"area_km2": 2}}
    for features in (roads["features"], {"features": roads["features"]}, roads["features_path"]):
        rows = (await run(served, "gis_feature_stats", features=features, **asked))["rows"]
        by = {row["group"]["tag:highway"]: row for row in rows}
        assert by["primary"]["count"] == 1 and by["residential"]["count"] == 2
        assert by["primary"]["length_km"] == pytest.approx(length[50.001], rel=1e-6)
        assert by["residential"]["length_per_km2"] == pytest.approx(
            (length[50.004] + length[50.007]) / 2, rel=1e-6
        )
        assert by["residential"]["count_per_km2"] == 1
    ring = {"type": "Polygon", "coordinates": [square(9.0, 50.0)]}
    [row] = (await run(served, "gis_feature_stats", features=[ring, ring], metrics=["area_km2"]))["rows"]
    area, _ = EARTH.polygon_area_perimeter(*zip(*square(9.0, 50.0), strict=True))
    assert row == {"group": {"group": "all"}, "area_km2": pytest.approx(2 * abs(area) / 1e6, rel=1e-6)}


async def test_distances(served: Client[Any]) -> None:
    origins = [{"id": "a", "lat": 0, "lon": 0}, {"lat": 50, "lon": 179.9}]
    ends = [{"id": "x", "lat": 0, "lon": 1}, {"id": "y", "lat": 50, "lon": -179.9}]
    found = await run(served, "gis_distance_matrix", origins=origins, destinations=ends)
    quarter = np.pi * 6378.137 / 180  # a degree of the equator, in closed form
    assert found["matrix"][0] == {"origin_id": "a", "dest_id": "x", "distance_km": pytest.approx(quarter)}
    assert [(each["origin_id"], each["dest_id"]) for each in found["nearest"]] == [("a", "x"), (1, "y")]
    assert found["nearest"][1]["distance_km"] == pytest.approx(14.3, abs=0.1)  # across the antimeridian


async def test_targets_in_zones(served: Client[Any]) -> None:
    street = {"type": "LineString", "coordinates": [[9.0, 50.0005], [9.004, 50.0005]]}
    far = {"type": "Point", "coordinates": [12.0, 50.0]}
    zones = [
        {"type": "Polygon", "coordinates": [square(9.001, 50.0)]},
        {"type": "Polygon", "coordinates": [square(9.0015, 50.0)]},  # half of it is in the first
    ]
    found = await run(
        served, "gis_overlay", targets=[street, far], zones=zones, summary_metrics=["count", "length_km"]
    )
    stats = found["stats"]
    length = EARTH.line_length([9.001, 9.0025], [50.0005] * 2) / 1000
    assert (stats["total_targets"], stats["targets_in_zones"], stats["metrics"]["count"]) == (2, 1, 1)
    assert stats["metrics"]["length_km"] == pytest.approx(length, rel=1e-6)
    assert found["exposed_features"][0]["zone_indices"] == [0, 1]
    within = await run(served, "gis_overlay", targets=[street], zones=zones, operation="within")
    assert within["stats"]["targets_in_zones"] == 0 and within["warnings"] == ["No target lies in a zone"]


async def test_how_much_there_is(served: Client[Any], streets: str) -> None:
    found = await run(
        served,
        "gis_source_metadata",
        source=streets,
        geometry=BOX,
        feature_types=["building", "road", "amenity", "railway"],
    )
    assert found["counts"] == {"building": 12, "road": 3, "amenity": 4, "railway": 0}
    assert found["completeness"] == {
        "building": "high",
        "road": "medium",
        "amenity": "medium",
        "railway": "low",
    }


@pytest.fixture
def overpass() -> Iterator[Imitation]:
    with imitation() as made:
        made.on("/api/interpreter", method="POST").then(text(town()))
        yield made


@pytest_asyncio.fixture(loop_scope="session")
async def online(
    overpass: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Client[Any]]:
    origin = overpass.url("").rstrip("/")
    for name, value in {
        "LABRIG_HOME": str(tmp_path / "home"), "LABRIG_HTTP_PRIVATE_ORIGINS": origin,
        "LABRIG_HTTP_CONTACT": "a@example.org", "LABRIG_HTTP_URL_OVERPASS": f"{origin}/api",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    (tmp_path / "work").mkdir()
    async with Client(
        build(toolbox, ServeOptions(workspace=tmp_path / "work", toolsets=("terra-geo_osm",)))
    ) as client:
        yield client


@pytest.mark.accept
async def test_overpass_is_asked_for_the_box_the_tags_and_the_date(
    online: Client[Any], overpass: Imitation
) -> None:
    asked = {"source": "osm", "geometry": BOX, "filters": [{"key": "highway", "values": ["primary"]}]}
    found = await run(online, "gis_feature_query", **asked, as_of_date="2020-01-31")
    assert found["summary"]["tag_value_counts"] == {"highway": {"primary": 1}}
    from urllib.parse import unquote_plus

    [sent] = [unquote_plus(each.body.decode()) for each in overpass.hits]
    box = "(50.0000000,9.0000000,50.0100000,9.0200000)"
    assert f'nwr["highway"]{box}(if:t["highway"]=="primary");' in sent
    assert '[date:"2020-01-31T00:00:00Z"]' in sent
    for address in ("http://169.254.169.254/", "file:///etc/passwd", "https://overpass-api.de.example.org/"):
        code, said = await refused(online, "gis_feature_query", **asked, overpass_url=address)
        assert code == "refused" and "LABRIG_HTTP_URL_OVERPASS" in said
    for date in ("2099-01-01", "2001-01-01", "yesterday"):
        assert (await refused(online, "gis_feature_query", **asked, as_of_date=date))[0] == "bad_input"
    assert len(overpass.hits) == 1


QUERY = {"source": "osm/town.osm", "geometry": BOX, "filters": ROADS}
LINE = {"type": "LineString", "coordinates": [[9, 50], [9.1, 50]]}


@pytest.mark.parametrize(
    "tool, arguments, code, said",
    [
        ("gis_feature_query", {**QUERY, "source": "none.osm"}, "not_found", "no such file"),
        ("gis_feature_query", {**QUERY, "source": "/etc/passwd"}, "refused", ""),
        ("gis_feature_query", {**QUERY, "source": "note.txt"}, "bad_input", ""),
        ("gis_feature_query", {**QUERY, "filters": []}, "bad_input", "tags"),
        ("gis_feature_query", {**QUERY, "filters": [{"highway": "primary"}]}, "bad_input", "filters[0]"),
        ("gis_feature_query", {**QUERY, "geometry": {"bbox": [109, 50, 109.02, 50.01]}}, "bad_input", ""),
        ("gis_feature_query", {**QUERY, "geometry": {"bbox": [51, 9, 50, 10]}}, "bad_input", "South"),
        ("gis_feature_query", {**QUERY, "geometry": {"bbox": [50, 170, 51, -170]}}, "bad_input", "West"),
        ("gis_feature_query", {**QUERY, "geometry": {}}, "bad_input", "three forms"),
        ("gis_feature_query", {**QUERY, "geometry": LINE}, "bad_input", "polygon"),
        ("gis_feature_query", {**QUERY, "geometry": {"polygon": LINE}}, "bad_input", ""),
        ("gis_feature_query", {**QUERY, "geometry_types": ["blob"]}, "not_found", "polygon"),
        ("gis_feature_query", {**QUERY, "output_dir": "../x"}, "refused", ""),
        ("gis_feature_query", {**QUERY, "as_of_date": "2020-01-01"}, "bad_input", "one state"),
        ("gis_feature_stats", {"features": [{"a": 1}]}, "bad_input", "features[0]"),
        ("gis_feature_stats", {"features": [LINE], "metrics": ["mass"]}, "not_found", "area_km2"),
        ("gis_feature_stats", {"features": [LINE], "group_by": ["tag:x"]}, "not_found", "tag:x"),
        ("gis_feature_stats", {"features": [LINE], "normalizers": {"area_km2": 0}}, "bad_input", "above 0"),
        ("gis_feature_stats", {"features": "../x.geojson"}, "refused", ""),
        (
            "gis_distance_matrix",
            {"origins": [], "destinations": [{"lat": 0, "lon": 0}]},
            "bad_input",
            "point",
        ),
        (
            "gis_distance_matrix",
            {"origins": [{"lat": 100, "lon": 0}], "destinations": [{"lat": 0, "lon": 0}]},
            "bad_input",
            "latitude",
        ),
        (
            "gis_distance_matrix",
            {"origins": [{"lat": 0, "lon": 0}], "destinations": [{"lat": 0, "lon": 0}], "metric": "road"},
            "not_found",
            "geodesic_km",
        ),
        ("gis_overlay", {"targets": [LINE], "zones": []}, "bad_input", "zone"),
        ("gis_overlay", {"targets": [LINE], "zones": [LINE], "operation": "near"}, "not_found", "within"),
        (
            "gis_overlay",
            {"targets": [{"type": "Point", "coordinates": [5, 500]}], "zones": [LINE]},
            "bad_input",
            "longitude",
        ),
        (
            "gis_source_metadata",
            {"source": "osm/town.osm", "geometry": BOX, "feature_types": []},
            "bad_input",
            "",
        ),
    ],
)
async def test_what_is_refused(
    served: Client[Any], streets: str, tool: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    found = await refused(served, tool, **arguments)
    assert found[0] == code and said in found[1], found
