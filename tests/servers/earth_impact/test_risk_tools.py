"""Hazards laid over roads and assets taken out of layers by their published names; a picture; a run over MCP."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import geopandas as gpd
import numpy as np
import pytest
from fastmcp import Client
from matplotlib.image import imread
from shapely.geometry import box

from labrig.errors import LabrigError
from labrig.plotting import style
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.data.formats import Place
from labrig_earth.impact.risk import drawing, extracting, overlaying
from labrig_earth.impact.risk.layers import take_layers
from labrig_earth.impact.risk.overlay import lay_over, speed_factor
from labrig_earth.impact.simulator import Given, Named
from labrig_earth.server import toolbox
from support.risk import ASSETS, DEPTH, needs_climada, river

DEGREE_M = 111_195.0


def layer(*features: tuple[list[list[float]], dict[str, Any]], kind: str = "Polygon") -> bytes:
    """Return GeoJSON of rings or lines with properties."""
    return json.dumps(
        {
            "type": "FeatureCollection",
            "features": [
                {
                    "type": "Feature",
                    "properties": properties,
                    "geometry": {"type": kind, "coordinates": [points] if kind == "Polygon" else points},
                }
                for points, properties in features
            ],
        }
    ).encode()


def ring(west: float, south: float, east: float, north: float) -> list[list[float]]:
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


FLOOD = layer((ring(9, 50, 9.005, 50.01), {"depth_m": 0.6}), (ring(9.005, 50, 9.01, 50.01), {"depth_m": 1.2}))
ROADS = layer(
    ([[8.995, 50.005], [9.002, 50.005]], {"edge_id": "in"}),
    ([[9.004, 50.005], [9.006, 50.005]], {"edge_id": "both"}),
    ([[9.02, 50.005], [9.03, 50.005]], {"edge_id": "dry"}),
    kind="LineString",
)
THRESHOLDS = {"disruption": 0.4, "closure": 0.9}


def laid(
    folder: Path, hazard: bytes, roads: bytes, **options: float
) -> tuple[dict[str, Any], list[dict[str, str]], Any]:
    places = {}
    for role, content in (("hazard", hazard), ("roads", roads)):
        (folder / role).write_bytes(content)
        places[role] = Place(str(folder / role), role)
    found = lay_over(places, {**THRESHOLDS, **options}, folder)
    rows = list(csv.DictReader(io.StringIO((folder / "hazard_overlay.csv").read_text())))
    return found, rows, json.loads((folder / "disruptions.json").read_text())


def test_a_flood_closes_roads_and_slows_others(tmp_path: Path) -> None:
    found, rows, said = laid(tmp_path, FLOOD, ROADS)
    assert [(row["edge_id"], float(row["hazard_intensity"]), row["status"]) for row in rows] == [
        ("in", 0.6, "open"), ("both", 1.2, "closed"), ("dry", 0.0, "open"),
    ]  # fmt: skip
    assert said == {"closed_edges": ["both"], "speed_factors": {"in": 0.7}}
    lengths = [float(row["length_in_hazard_m"]) for row in rows]
    east = DEGREE_M * np.cos(np.radians(50.005))
    assert lengths == pytest.approx([0.002 * east, 0.002 * east, 0], rel=0.005)
    assert (found["closed"], found["slow"], found["edges"]) == (1, 1, 3)
    assert found["mean_factor"] == pytest.approx((0.7 + 1) / 2)
    assert speed_factor(np.array([0.4, 0.65, 0.9]), 0.4, 0.9).tolist() == [1, 0.625, 0]


def test_roads_that_make_input_made_lie_where_they_are(tmp_path: Path) -> None:
    """The same roads in metres from a corner in UTM 32, with the names that SUMO's run knows."""
    lines = gpd.read_file(io.BytesIO(ROADS)).to_crs("EPSG:32632")
    nodes, edges = [], []
    for name, line in zip(lines.edge_id, lines.geometry, strict=True):
        for end, (x, y) in zip("ab", line.coords, strict=True):
            nodes.append({"id": f"{name}{end}", "x": x - 490_000, "y": y - 5_500_000})
        edges.append({"id": name, "from": f"{name}a", "to": f"{name}b", "speed_m_s": 10})
    streets = {"crs": "EPSG:32632", "origin_m": [490_000, 5_500_000], "nodes": nodes, "edges": edges}
    assert laid(tmp_path, FLOOD, json.dumps(streets).encode())[2]["closed_edges"] == ["both"]
    with pytest.raises(LabrigError, match="where on Earth"):
        laid(tmp_path, FLOOD, json.dumps({**streets, "origin_m": None}).encode())


BY_EDGE = b"edge_id,intensity\nin,0.5\nelse,3\n"


@pytest.mark.parametrize(
    ("hazard", "roads", "said"),
    [
        (FLOOD.replace(b"0.6", b"-0.6"), ROADS, "depth_m is -0.6"),
        (FLOOD.replace(b"0.6", b"true").replace(b"1.2", b"true"), ROADS, "no number in each polygon"),
        (FLOOD.replace(b"depth_m", b"depth"), ROADS, "No column is named intensity"),
        (ROADS, ROADS, "no layer of polygons"),
        (FLOOD, FLOOD, "no lines"),
        (FLOOD, ROADS.replace(b'"dry"', b'"in"'), "twice"),
        (FLOOD, ROADS.replace(b"edge_id", b"way"), "No column is named edge_id"),
        (FLOOD, b"edge_id\nin\n", "no places"),
        (b"edge_id,intensity\nx,1\n", ROADS, "No edge of the hazard"),
        (b"edge_id,intensity\nin,-1\n", ROADS, "intensity is -1"),
        (b"edge_id,intensity\nin,1\nin,1\n", ROADS, "twice"),
        (b"", ROADS, "empty"),
        (FLOOD, b"\x00\x01", "binary"),
        (FLOOD, b'{"nodes": [], "crs": "EPSG:32632", "origin_m": [0, 0], "edges": []}', "0 roads"),
        (FLOOD, b'{"nodes": [], "crs": "EPSG:1", "origin_m": [0, 0], "edges": []}', "CRSError"),
        (FLOOD, b'{"nodes"', "no JSON"),
    ],
)  # fmt: skip
def test_hazards_and_roads_that_are_refused(tmp_path: Path, hazard: bytes, roads: bytes, said: str) -> None:
    with pytest.raises(LabrigError) as found:
        laid(tmp_path, hazard, roads)
    assert said in str(found.value), found.value


def test_a_hazard_by_edge_and_one_that_is_elsewhere(tmp_path: Path) -> None:
    found, _, said = laid(tmp_path, BY_EDGE, ROADS)
    assert said["speed_factors"] == {"in": 0.85}
    assert [each for each in found["warnings"] if "2 of 3 roads" in each or "else" in each] == found[
        "warnings"
    ]
    far = layer((ring(19, 50, 19.005, 50.01), {"depth_m": 0.6}))
    found, _, said = laid(tmp_path, far, ROADS)
    assert said == {"closed_edges": [], "speed_factors": {}}
    assert any("touches no road" in each for each in found["warnings"])
    with pytest.raises(LabrigError, match="Roads close at"):
        overlaying.options_of(Given({}, {"closure_threshold": 0.1}))


HOUSES = layer(
    (ring(9, 50, 9.001, 50.001), {"asset_id": "a", "use": "home", "value": 100}),
    (ring(9.01, 50, 9.011, 50.001), {"asset_id": "b", "use": "shop", "value": None}),
)


def taken(
    folder: Path, default: float | None = None, **files: bytes
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    places = {}
    for role, content in files.items():
        (folder / role).write_bytes(content)
        places[role] = Place(str(folder / role), role)
    found = take_layers(places, {"default_value": default}, folder)
    return found, list(csv.DictReader(io.StringIO((folder / "exposure_layers.csv").read_text())))


def test_assets_keep_their_values_and_a_default_is_told(tmp_path: Path) -> None:
    found, rows = taken(
        tmp_path,
        50.0,
        assets=HOUSES,
        satellite=b"cropland_fraction,urban_fraction,area_km2\n0.5,0.1,1\n0.1,0.3,3\n",
        population=b"district,population\nwest,120\neast,30.5\n",
    )
    assert [(row["exposure_id"], row["asset_type"], float(row["value"])) for row in rows] == [
        ("a", "home", 100), ("b", "shop", 50),
    ]  # fmt: skip
    assert (float(rows[0]["latitude"]), float(rows[0]["longitude"])) == pytest.approx((50.0005, 9.0005))
    assert found["cropland_fraction"] == pytest.approx(0.2)
    assert found["urban_fraction"] == pytest.approx(0.25)
    assert found["exposed_population"] == 150.5
    assert any("1 of 2 assets state no value: 50 USD" in each for each in found["warnings"])
    alone, _ = taken(tmp_path, 50.0, assets=HOUSES)
    assert alone["cropland_fraction"] is alone["exposed_population"] is None, "nothing is made up"


def test_buildings_of_osm_are_assets(tmp_path: Path) -> None:
    corners = ring(9, 50, 9.001, 50.001)[:4]
    nodes = "".join(f'<node id="{n}" lat="{y}" lon="{x}"/>' for n, (x, y) in enumerate(corners, 1))
    refs = "".join(f'<nd ref="{n}"/>' for n in (1, 2, 3, 4, 1))
    way = f'<way id="7">{refs}<tag k="building" v="home"/></way>'
    osm = f'<?xml version="1.0"?><osm version="0.6">{nodes}{way}</osm>'.encode()
    _, rows = taken(tmp_path, 1e5, assets=osm)
    assert [(row["exposure_id"], row["asset_type"], row["value"]) for row in rows] == [
        ("way/7", "home", "100000")
    ]


TABLE = b"asset_id,latitude,longitude,value\na,50,9,1\n"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"assets": HOUSES}, "1 of 2 assets state no value"),
        ({"assets": TABLE.replace(b",1\n", b",-1\n")}, "value is -1"),
        ({"assets": TABLE.replace(b",1\n", b",0\n")}, "nothing is exposed"),
        ({"assets": TABLE.replace(b",1\n", b",much\n")}, "value is 'much'"),
        ({"assets": TABLE.replace(b",1\n", b",nan\n")}, "value is 'nan'"),
        ({"assets": TABLE.replace(b"a,50", b"a,500")}, "latitude is 500"),
        ({"assets": TABLE + b"a,50,9,1\n"}, "twice"),
        ({"assets": layer()}, "no assets"),
        ({"assets": TABLE, "satellite": b"ndvi\n0.5\n"}, "no fractions"),
        ({"assets": TABLE, "satellite": b"crop_fraction\n50\n"}, "crop_fraction is 50"),
        ({"assets": TABLE, "population": b"density\n5\n"}, "no column of people"),
        ({"assets": TABLE, "population": b"population\n-5\n"}, "population is -5"),
    ],
)
def test_layers_that_are_refused(tmp_path: Path, files: dict[str, bytes], said: str) -> None:
    with pytest.raises(LabrigError) as found:
        taken(tmp_path, **files)
    assert said in str(found.value), found.value


def test_one_file_of_a_role_is_one() -> None:
    files = {"osm_assets_path": (Named("a", TABLE),), "population_path": (Named("b", b""), Named("c", b""))}
    with pytest.raises(LabrigError, match="2 files are given"):
        extracting.SIMULATOR.question(Given(files))  # type: ignore[misc]


class Drawn:
    """The tables of a run as a picture gets them."""

    def __init__(self, name: str, unit: str = "EUR", factor: float = 1.0) -> None:
        self.name = name
        metrics = {"worst_event_impact": SimpleNamespace(unit=unit)}
        self.record = SimpleNamespace(scenario=name, version="CLIMADA 6.1.0", metrics=metrics)
        self.factor = factor

    def bytes_of(self, path: str) -> bytes:
        if path == drawing.CURVE:
            points = "".join(f"{years},{self.factor * years**0.5}\n" for years in (2, 5, 20, 100))
            return f"return_period_years,impact\n{points}".encode()
        assert path == drawing.ASSETS
        rows = "".join(f"house {n},{self.factor * n}\n" for n in range(14))
        return f"exposure_id,expected_annual_impact\n{rows}".encode()


def test_the_curve_of_exceedance_is_drawn() -> None:
    runs = (Drawn("as it is"), Drawn("with a dike", factor=0.4))
    page, notes = drawing.figure(runs, {})  # type: ignore[arg-type]
    picture = imread(io.BytesIO(style.png(page)))
    assert picture.shape[1] > 500
    assert any("10 assets that lose most" in each for each in notes)
    read = drawing.read(runs[0].bytes_of(drawing.CURVE), runs[0].bytes_of(drawing.ASSETS), "x")
    assert read.names[0] == "house 13"
    assert read.period.tolist() == [2, 5, 20, 100]
    with pytest.raises(LabrigError, match="EUR and USD"):
        drawing.figure((Drawn("a"), Drawn("b", "USD")), {})  # type: ignore[arg-type]
    for damaged, said in (
        (b"", "no rows"),
        (b"x\n1\n", "no column return_period_years"),
        (b"return_period_years,impact\nnan,1\n", "return_period_years is nan"),
        (b"return_period_years,impact\n0,1\n", "return_period_years is 0"),
    ):
        with pytest.raises(LabrigError, match=f"{said}.*x, {drawing.CURVE}"):
            drawing.read(damaged, runs[0].bytes_of(drawing.ASSETS), "x")


@asynccontextmanager
async def served(work: Path) -> AsyncIterator[Client[Any]]:
    async with Client(
        build(toolbox, ServeOptions(workspace=work, toolsets=("simulators", "impact")))
    ) as opened:
        yield opened


async def envelope(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    found: dict[str, Any] = json.loads(result.content[0].text)
    assert found["status"] == "success"
    return found


def _number(found: dict[str, Any], name: str) -> float:
    return float({**found["metrics"], **found["derived_metrics"]}[name]["value"])


@pytest.mark.accept
async def test_from_a_layer_to_a_dike_over_mcp(tmp_path: Path) -> None:
    """Assets out of a layer, floods on them, a dike; compared, drawn; roads under the same flood."""
    needs_climada()
    frame = gpd.GeoDataFrame(
        {"number": [1, 2], "use": ["mill", "barn"], "value": [1000.0, 400.0]},
        geometry=[box(9.0, 50.0, 9.002, 50.002), box(9.0, 50.01, 9.002, 50.012)],
        crs="EPSG:4326",
    )
    frame.to_crs("EPSG:32632").to_file(tmp_path / "houses.gpkg", driver="GPKG")
    (tmp_path / "river.json").write_text(json.dumps(river()))
    dike = {"intensity": [0, 1, 1, 2, 6], "mdd": [0, 0, 0.2, 0.6, 1], "paa": [0.5, 1, 1, 1, 1]}
    for name, function in (("open", DEPTH["functions"]["wall"]), ("dike", dike)):
        said = {**DEPTH, "functions": {"wall": function}, "asset_types": {"mill": "wall", "barn": "wall"}}
        (tmp_path / f"{name}.json").write_text(json.dumps(said))
    (tmp_path / "flood.geojson").write_bytes(FLOOD)
    (tmp_path / "roads.geojson").write_bytes(ROADS)
    async with served(tmp_path) as client:
        made = await envelope(
            client, "extract_exposure_layers", osm_assets_path="houses.gpkg", output_path="assets.csv"
        )
        assert _number(made, "total_asset_value_usd") == 1400
        runs = []
        for name in ("open", "dike"):
            files = {
                "hazard_event_set_path": "river.json",
                "exposure_path": "assets.csv",
                "impact_functions_path": f"{name}.json",
            }
            found = await envelope(client, "impact_climada_run", **files, scenario_name=name)
            assert found["run_context"]["determinism"] == {
                "seed": 31, "model_version": "CLIMADA 6.1.0", "container_image": None, "threads": 1,
            }  # fmt: skip
            runs.append((found["outputs_artifacts"][0]["path"], _number(found, "expected_annual_impact")))
        assert runs[0][1] == pytest.approx(0.1 * 75 + 0.01 * 680)
        assert runs[1][1] == pytest.approx(0.01 * 680)
        handles = [handle for handle, _ in runs]
        compared = (
            await client.call_tool("compare_runs", {"baseline": handles[0], "intervention": handles[1]})
        ).structured_content
        assert compared is not None
        paired = {each["name"]: each for each in compared["data"]["paired"]}
        assert paired["expected_event_impact"]["pairs"] == 3
        assert paired["expected_event_impact"]["mean_difference"] == pytest.approx(-25)
        drawn = await client.call_tool("plot_run", {"runs": handles})
        assert any(each.type == "image" for each in drawn.content)
        overlay = await envelope(
            client, "hazard_overlay_osm", hazard_path="flood.geojson", osm_edges_path="roads.geojson",
            output_disruptions_path="roads/closed.json",
        )  # fmt: skip
        assert _number(overlay, "closed_edges_count") == 1
        assert json.loads((tmp_path / "roads/closed.json").read_text())["closed_edges"] == ["both"]
        for tool, more in (
            ("hazard_overlay_osm", {"hazard_path": "flood.geojson", "osm_edges_path": "roads.geojson"}),
            ("extract_exposure_layers", {"osm_assets_path": "houses.gpkg"}),
            ("impact_climada_run", files),
        ):
            checked = await client.call_tool("check_inputs", {"tool": tool, "arguments": more})
            assert checked.structured_content is not None
            assert checked.structured_content["status"] == "ok"
            out = await client.call_tool(tool, {**more, "output_dir": "../x"}, raise_on_error=False)
            assert out.is_error
        bad = {
            "tool": "hazard_overlay_osm",
            "arguments": {"hazard_path": "roads.geojson", "osm_edges_path": "roads.geojson"},
        }
        refused = await client.call_tool("check_inputs", bad, raise_on_error=False)
        assert refused.is_error
        assert "no layer of polygons" in refused.content[0].text
        out = await client.call_tool(
            "hazard_overlay_osm",
            {
                "hazard_path": "flood.geojson",
                "osm_edges_path": "roads.geojson",
                "output_overlay_path": "/tmp/x.csv",
            },
            raise_on_error=False,
        )
        assert out.meta["labrig"]["error"]["code"] == "refused"


async def test_without_climada_the_line_that_brings_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "none"))
    for name, text in (("h.json", json.dumps(river())), ("a.csv", ASSETS), ("f.json", json.dumps(DEPTH))):
        (tmp_path / name).write_text(text)
    files = {"hazard_event_set_path": "h.json", "exposure_path": "a.csv", "impact_functions_path": "f.json"}
    async with served(tmp_path) as client:
        result = await client.call_tool("impact_climada_run", files, raise_on_error=False)
        assert result.meta["labrig"]["error"]["code"] == "unavailable"
        assert "labrig setup climada" in result.content[0].text
        checked = await client.call_tool("check_inputs", {"tool": "impact_climada_run", "arguments": files})
        assert checked.structured_content is not None
        assert checked.structured_content["status"] == "ok"
