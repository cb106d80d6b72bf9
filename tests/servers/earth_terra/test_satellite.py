"""Group satellite over MCP: composites of made scenes against NumPy, pictures by their pixels, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import xarray as xr
from fastmcp import Client
from PIL import Image
from pyproj import Geod

from support import made_scenes
from support.made_scenes import BOX, Expected, expected
from support.terra import refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")

WHEN = {"bbox": BOX, "start_date": "2021-06-01", "end_date": "2021-07-01", "max_cloud": 100}


@pytest.fixture(scope="session")
def three(small: Path) -> list[list[str]]:
    """The files of three scenes."""
    folder = small / "scenes"
    folder.mkdir()
    return [[f"scenes/{name}" for name in each] for each in made_scenes.write(folder, made_scenes.scenes())]


def by_hand(found: dict[str, Any]) -> Expected:
    return expected(made_scenes.scenes(), found["grid"]["width"], found["grid"]["height"])


async def test_indices_are_those_of_the_median_of_clear_scenes(
    served: Client[Any], small: Path, three: list[list[str]]
) -> None:
    found = await run(
        served, "gee_fetch_sentinel2_indices", **WHEN, scenes=three, include_geotiff=True, dimensions=300
    )
    wanted = by_hand(found)
    assert found["collection_size"] == 3 and 0 < found["clear_fraction"] < 1
    north, west, south, east = BOX
    area = abs(
        Geod(ellps="WGS84").polygon_area_perimeter([west, east, east, west], [south, south, north, north])[0]
    )
    assert found["aoi_area_sq_km"] == pytest.approx(area / 1e6, rel=1e-6)
    assert found["clear_fraction"] == pytest.approx(
        (wanted.areas * (wanted.clear > 0)).sum() / area, rel=1e-6
    )
    pairs = {
        "NDVI": ("nir", "red"),
        "NBR": ("nir", "swir2"),
        "NDBI": ("swir1", "nir"),
        "NDWI": ("green", "nir"),
    }
    with rasterio.open(small / found["geotiff"]["tif_path"]) as file:
        layers = dict(zip(file.descriptions, file.read(), strict=True))
        assert np.allclose(file.bounds, [west, south, east, north], atol=1e-9)
    for name, band in wanted.bands.items():
        np.testing.assert_allclose(layers[name], band, atol=1e-6)
    for name, pair in pairs.items():
        values = wanted.difference(*pair)
        np.testing.assert_allclose(layers[name], values, atol=1e-5)
        said = found["indices"][name]
        assert said[f"{name}_mean"] == pytest.approx(wanted.mean(values), rel=1e-7)
        spread = wanted.mean((values - wanted.mean(values)) ** 2) ** 0.5
        assert said[f"{name}_stdDev"] == pytest.approx(spread, rel=1e-7)
        assert (said[f"{name}_min"], said[f"{name}_max"]) == pytest.approx(
            (np.nanmin(values), np.nanmax(values))
        )
    assert found["thumbnails"].keys() == pairs.keys()
    with Image.open(small / found["thumbnails"]["NDVI"]) as shown:
        pixels = np.asarray(shown)
    assert max(pixels.shape[:2]) == 300
    height, width = wanted.clear.shape
    row, column = (
        np.arange(size) * part // size for part, size in zip((height, width), pixels.shape[:2], strict=True)
    )
    assert (
        (pixels[..., 3] > 0) == (wanted.clear > 0)[row][:, column]
    ).mean() > 0.97  # up to half a pixel at edges
    green = (wanted.difference("nir", "red") > 0.6)[row][:, column]
    assert (
        pixels[green][:, 2].mean() > pixels[green][:, 0].mean() + 60
    )  # above 0.25 the colours are blue and green


async def test_areas_are_of_cells_on_the_ellipsoid(served: Client[Any], three: list[list[str]]) -> None:
    classes = {"leafy": {"index": "ndvi", "min": 0.1, "max": 0.5}, "bare": {"index": "NDVI", "max": -5}}
    found = await run(served, "gee_index_area_stats", **WHEN, scenes=three, scale=30)
    wanted = by_hand(found)
    for name, pair, holds in (
        ("vegetation", ("nir", "red"), lambda each: each >= 0.25),
        ("water", ("green", "nir"), lambda each: each >= 0.1),
        ("built_up", ("swir1", "nir"), lambda each: each >= 0),
        ("burn_scars", ("nir", "swir2"), lambda each: each <= 0.1),
    ):
        with np.errstate(invalid="ignore"):
            area = wanted.areas[holds(wanted.difference(*pair))].sum()
        said = found["class_areas"][name]
        assert said["area_sq_km"] == pytest.approx(area / 1e6, rel=1e-6)
        assert said["fraction_of_aoi"] == pytest.approx(area / wanted.areas.sum(), rel=1e-6)
        assert said["fraction_of_clear"] == pytest.approx(
            area / wanted.areas[wanted.clear > 0].sum(), rel=1e-6
        )
    own = await run(served, "gee_index_area_stats", **WHEN, scenes=three, scale=30, class_thresholds=classes)
    ndvi = wanted.difference("nir", "red")
    with np.errstate(invalid="ignore"):
        area = wanted.areas[(ndvi >= 0.1) & (ndvi <= 0.5)].sum()
    assert own["class_areas"]["leafy"]["area_sq_km"] == pytest.approx(area / 1e6, rel=1e-6)
    assert own["class_areas"]["bare"]["area_sq_km"] == 0 and "it runs from" in str(own["warnings"])


@pytest.mark.accept
async def test_days_and_clouds_choose_the_scenes(served: Client[Any], three: list[list[str]]) -> None:
    part = {**WHEN, "end_date": "2021-06-23", "scenes": three}
    found = await run(served, "gee_index_area_stats", **part)
    assert [each["date"] for each in found["scenes"]] == [
        "2021-06-03",
        "2021-06-13",
    ]  # the last day is not included
    assert "2021-06-23.tif is of 2021-06-23" in str(found["warnings"])
    shares = {each["date"]: each["cloud_percent_of_box"] for each in found["scenes"]}
    least = min(shares, key=lambda day: shares[day])
    few = await run(served, "gee_index_area_stats", **{**part, "max_cloud": shares[least] + 0.01})
    assert [each["date"] for each in few["scenes"]] == [least]
    code, said = await refused(served, "gee_index_area_stats", **{**part, "max_cloud": 0})
    assert code == "not_found" and "% of cloud" in said
    code, said = await refused(
        served, "gee_index_area_stats", **{**part, "start_date": "2031-01-01", "end_date": "2031-02-01"}
    )
    assert code == "not_found" and "is of 2021-06-03" in said


async def test_true_colours_and_shapes(served: Client[Any], small: Path, three: list[list[str]]) -> None:
    north, west, south, east = BOX
    plain = {**WHEN, "scenes": three, "dimensions": 400, "draw_aoi_outline": False, "output_dir": "data/rgb"}
    found = await run(served, "gee_fetch_truecolor_thumbnail", **plain, include_geotiff=True)
    wanted = expected(made_scenes.scenes(), found["grid"]["width"], found["grid"]["height"])
    with rasterio.open(small / found["geotiff"]["tif_path"]) as file:
        assert file.descriptions == ("red", "green", "blue") and found["geotiff"]["tif_path"].startswith(
            "data/rgb/"
        )
        np.testing.assert_allclose(file.read(1), wanted.bands["red"], atol=1e-6)
    with rasterio.open(small / found["truecolor_thumbnail_geotiff"]) as file:
        assert np.allclose(file.bounds, [west, south, east, north]) and file.count == 4
        shown = file.read()
    middle = (shown.shape[1] // 3, shown.shape[2] // 3)
    place = tuple(
        int((each + 0.5) * size / full)
        for each, size, full in zip(middle, wanted.clear.shape, shown.shape[1:], strict=True)
    )
    red = min(wanted.bands["red"][place] / 0.3, 1) * 255
    assert shown[0][middle] == pytest.approx(red, abs=0.6) and shown[3][middle] == 255
    inner = [north - 0.001, west + 0.002, south + 0.001, east - 0.002]
    drawn = await run(
        served, "gee_fetch_truecolor_thumbnail", **{**plain, "draw_aoi_outline": True},
        overlay_geometries=[inner, [0, 0, -1, 1]],
        overlay_color="#f0f", overlay_opacity=1, overlay_width=3,
    )  # fmt: skip
    assert (drawn["overlay_geometries_count"], drawn["overlay_geometries_drawn"]) == (2, 1)
    assert "1 of 2 shapes lie outside" in str(drawn["warnings"])
    with Image.open(small / drawn["truecolor_png"]) as image:
        pixels = np.asarray(image)
    height, width = pixels.shape[:2]
    purple = (pixels == (255, 0, 255, 255)).all(axis=-1)
    edge = round(0.002 / (east - west) * width)
    assert (
        purple[height // 2, edge - 1 : edge + 2].any()
        and not purple[height // 2, edge + 10 : -edge - 10].any()
    )
    assert purple[0].all() and purple[:, 0].all() and purple[-1].all()  # the outline of the box


async def test_shapes_on_a_picture(served: Client[Any], small: Path) -> None:
    Image.new("RGB", (200, 100), "white").save(small / "white.png")
    box = [50.0, 8.0, 49.0, 10.0]  # 100 pixels a degree
    ring = [[8.2, 49.2], [9.0, 49.2], [9.0, 49.8], [8.2, 49.8], [8.2, 49.2]]
    hole = [[8.4, 49.4], [8.8, 49.4], [8.8, 49.6], [8.4, 49.6], [8.4, 49.4]]
    shapes = [
        {"type": "Polygon", "coordinates": [ring, hole]},
        [49.1, 9.2, 49.9, 9.6],
        {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [9.8, 49.5]}},
        {"south": 10, "west": 0, "north": 11, "east": 1},
    ]
    look = {"stroke_color": "#ff0000", "stroke_width_px": 1, "fill_color": "#0000ff", "fill_opacity": 1}
    found = await run(
        served,
        "draw_geometries_on_image",
        image_path="white.png",
        image_bbox=box,
        geometries=shapes,
        point_radius_px=6,
        **look,
    )
    assert found["output_image"] == "white_overlay.png"
    assert (found["geometries_drawn"], found["geometries_outside"]) == (3, 1)
    with Image.open(small / "white_overlay.png") as shown:
        pixels = np.asarray(shown.convert("RGB"))
    blue, white, red = (0, 0, 255), (255, 255, 255), (255, 0, 0)

    def at(lon: float, lat: float) -> tuple[int, ...]:
        return tuple(map(int, pixels[int((50 - lat) * 100), int((lon - 8) * 100)]))

    assert at(8.3, 49.5) == blue and at(8.6, 49.5) == white  # the hole is open
    assert at(9.4, 49.5) == blue and at(9.1, 49.5) == white and at(9.8, 49.505) == blue
    columns = np.flatnonzero((pixels[50] == red).all(axis=-1))
    assert {19, 20, 39, 79, 99, 119, 159} & set(columns.tolist()) >= {79, 99}
    assert (
        np.abs(columns[:, None] - (np.array([8.2, 8.4, 8.8, 9.0, 9.2, 9.6, 9.74, 9.86]) - 8) * 100)
        .min(axis=1)
        .max()
        <= 1.5
    )
    other = {"image_path": "white.png", "image_bbox": box, "geometries": [[49.1, 9.2, 49.9, 9.6]]}
    found = await run(served, "draw_geometries_on_image", **other, output_path="plots/x.png")
    assert found["output_image"] == "plots/x.png" and (small / "plots/x.png").exists()


@pytest.mark.accept
async def test_a_field_over_a_picture_has_the_cells_below_its_pixels(
    served: Client[Any], small: Path, three: list[list[str]]
) -> None:
    lat, lon = np.arange(48.25, 48.32, 0.001), np.arange(12.70, 12.74, 0.0015)
    values = np.sin(np.arange(lat.size))[:, None] + 0.1 * np.arange(lon.size)[None, :] - 1
    data = xr.Dataset(
        {"heat": (("latitude", "longitude"), values, {"units": "K"})},
        {
            "latitude": ("latitude", lat, {"units": "degrees_north"}),
            "longitude": ("longitude", lon, {"units": "degrees_east"}),
        },
    )
    data.to_netcdf(small / "heat.nc")
    (-data).assign(heat=-data.heat.assign_attrs(units="K")).to_netcdf(small / "cold.nc")
    picture = await run(
        served, "gee_fetch_truecolor_thumbnail", **WHEN, scenes=three, include_geotiff=True, geotiff_scale=20
    )
    north, west, south, east = BOX
    with rasterio.open(small / picture["geotiff"]["tif_path"]) as file:
        height, width = file.shape
    x = west + (np.arange(width) + 0.5) * (east - west) / width
    y = north - (np.arange(height) + 0.5) * (north - south) / height
    near = values[np.abs(lat[:, None] - y).argmin(axis=0)][:, np.abs(lon[:, None] - x).argmin(axis=0)]
    for image in (picture, picture["geotiff"]["tif_path"]):
        found = await run(
            served, "composite_satellite_environmental_image", satellite_image=image, anomaly_path="heat.nc"
        )
        assert found["output_path"] == "plots/composite.png" and found["field"]["covered"] == 1
        for name, value in (("min", near.min()), ("max", near.max()), ("mean", near.mean())):
            assert found["field"][name] == pytest.approx(value, abs=1e-6)
        assert (
            found["field"]["vmax"] == pytest.approx(np.abs(near).max(), abs=1e-6) == -found["field"]["vmin"]
        )
    both = await run(
        served, "composite_satellite_environmental_image", satellite_image="scenes/2021-06-03.tif",
        anomaly_path="heat.nc", mode="triptych", right_field_path="cold.nc", output_path="plots/three",
        overlay_vmin=-2, overlay_vmax=2,
    )  # fmt: skip
    assert both["output_path"] == "plots/three.png" and both["field"]["vmax"] == 2
    assert both["right_field"]["mean"] == pytest.approx(-both["field"]["mean"])
    with Image.open(small / "plots/three.png") as shown:
        assert shown.width == 1280
        pixels = np.asarray(shown.convert("RGB")).astype(int)
    coloured = (np.ptp(pixels, axis=-1) > 60).any(axis=0)
    assert coloured[450:800].mean() > 0.5 and coloured[880:1230].mean() > 0.5


@pytest.mark.accept
async def test_what_composites_refuse(served: Client[Any], small: Path, three: list[list[str]]) -> None:
    good: dict[str, Any] = {**WHEN, "scenes": three}
    with rasterio.open(small / "scenes/2021-06-03.tif") as file:
        profile, red = file.profile, file.read(3)
    with rasterio.open(small / "one_band.tif", "w", **{**profile, "count": 1}) as file:
        file.write(red, 1)
    for change, code, said in (
        (
            {"bbox": [BOX[2], BOX[1], BOX[0], BOX[3]]},
            "bad_input",
            f"[{BOX[0]}, {BOX[1]}, {BOX[2]}, {BOX[3]}]",
        ),
        ({"bbox": [BOX[1], BOX[2], BOX[3], BOX[0]]}, "bad_input", "[north, west, south, east]"),
        ({"bbox": [48.288, 12.72, 48.283, 12.71]}, "bad_input", "West"),
        ({"bbox": [48.288, 12.71]}, "bad_input", "2 numbers"),
        ({"bbox": [48.288, 12.71, 48.288, 12.72]}, "bad_input", "no extent"),
        ({"bbox": [True, 12.71, 48.288, 12.72]}, "bad_input", "no numbers"),
        ({"bbox": [1.0, 10.0, 0.0, 11.0]}, "limit", "cells of"),
        ({"bbox": [10.001, 10.0, 10.0, 10.001]}, "not_found", "clear"),
        ({"start_date": "2021-6-1"}, "bad_input", "YYYY-MM-DD"),
        ({"end_date": "2021-06-01"}, "bad_input", "not after"),
        ({"max_cloud": 101}, "bad_input", "max_cloud"),
        ({"max_cloud": True}, "bad_input", "no numbers"),
        ({"scale": 0}, "bad_input", "scale"),
        ({"scenes": []}, "", ""),
        ({"scenes": [[]]}, "bad_input", "one at least"),
        ({"scenes": [["scenes/2021-06-03.tif"] * 20] * 2}, "limit", "40 files"),
        ({"scenes": ["../x.tif"]}, "refused", ""),
        ({"scenes": ["/etc/passwd"]}, "refused", ""),
        ({"scenes": ["none.tif"]}, "not_found", "no such file"),
        ({"scenes": ["m0.nc"]}, "bad_input", "netcdf"),
        ({"scenes": ["note.txt"]}, "bad_input", ""),
        ({"scenes": ["one_band.tif"]}, "bad_input", "no band"),
        ({"project_id": "mine"}, "unavailable", "earthengine-api"),
    ):
        if not code:
            continue
        found, text = await refused(served, "gee_index_area_stats", **{**good, **change})
        assert found == code and said in text, (change, found, text)
    for change, code, said in (
        ({"indices": ["EVI", "none"]}, "not_found", "none"),
        ({"dimensions": 10_000}, "bad_input", "dimensions"),
        ({"output_dir": "../x"}, "refused", "workspace"),
        ({"output_dir": "/tmp/x"}, "refused", "workspace"),
        ({"geotiff_scale": -1}, "bad_input", "geotiff_scale"),
    ):
        found, text = await refused(served, "gee_fetch_sentinel2_indices", **{**good, **change})
        assert found == code and said in text, (change, found, text)
    for spec, code, said in (
        ({"index": "NDVI"}, "bad_input", "no threshold"),
        ({"index": "x", "min": 0}, "not_found", "x"),
        ({"min": 0}, "bad_input", "no index"),
        ({"index": "NDVI", "min": 1, "max": 0}, "bad_input", "above max"),
        ({"index": "NDVI", "min": True}, "bad_input", "True"),
        ({"index": "NDVI", "least": 1}, "not_found", "least"),
        (3, "bad_input", "no index"),
    ):
        found, text = await refused(served, "gee_index_area_stats", **good, class_thresholds={"a": spec})
        assert found == code and said in text, (spec, found, text)
    evi = await run(
        served, "gee_fetch_sentinel2_indices", **good, indices=["evi", "NDVI"], include_truecolor=False
    )
    assert evi["indices"].keys() == {"EVI", "NDVI"} and "truecolor_png" not in evi


@pytest.mark.accept
async def test_what_pictures_refuse(served: Client[Any], small: Path, three: list[list[str]]) -> None:
    Image.new("RGB", (200, 100), "white").save(small / "w.png")
    (small / "cut.png").write_bytes((small / "w.png").read_bytes()[:60])
    (small / "empty.png").write_bytes(b"")
    Image.new("L", (9000, 1)).save(small / "long.png")
    good: dict[str, Any] = {
        "image_path": "w.png",
        "image_bbox": [50, 8, 49, 10],
        "geometries": [[49.1, 9.2, 49.9, 9.6]],
    }
    for change, code, said in (
        ({"image_path": "none.png"}, "not_found", "no such file"),
        ({"image_path": "note.txt"}, "bad_input", "no picture"),
        ({"image_path": "cut.png"}, "bad_input", "no picture"),
        ({"image_path": "empty.png"}, "bad_input", "no picture"),
        ({"image_path": "long.png"}, "limit", "9,000"),
        ({"image_path": "../w.png"}, "refused", ""),
        ({"image_bbox": [49, 8, 50, 10]}, "bad_input", "[50.0, 8.0, 49.0, 10.0]"),
        ({"image_bbox": [8, 49, 10, 50]}, "bad_input", "if these are"),
        ({"geometries": []}, "bad_input", "nothing to draw"),
        ({"geometries": [[1, 2, 3]]}, "bad_input", "[south, west, north, east]"),
        ({"geometries": [[49.9, 9.2, 49.1, 9.6]]}, "bad_input", "South is"),
        ({"geometries": [{"type": "Circle", "coordinates": [1, 2]}]}, "bad_input", "geometries[0]"),
        (
            {"geometries": [{"type": "Point", "coordinates": [9.8, 149.5]}]},
            "bad_input",
            "longitude, latitude",
        ),
        ({"geometries": [{"type": "Point", "coordinates": [float("1e308"), 49.5]}]}, "bad_input", ""),
        ({"stroke_color": "reddish"}, "bad_input", "no colour"),
        ({"stroke_width_px": 0}, "bad_input", "stroke_width_px"),
        ({"fill_opacity": 2}, "bad_input", "fill_opacity"),
        ({"output_path": "../x.png"}, "refused", "workspace"),
    ):
        found, text = await refused(served, "draw_geometries_on_image", **{**good, **change})
        assert found == code and said in text, (change, found, text)
    field: dict[str, Any] = {"satellite_image": "scenes/2021-06-03.tif", "anomaly_path": "globe.nc"}
    for change, code, said in (
        ({"satellite_image": {}}, "bad_input", "include_geotiff"),
        ({"satellite_image": "globe.nc"}, "bad_input", "no GeoTIFF"),
        ({"anomaly_path": "note.txt"}, "bad_input", ""),
        ({"anomaly_path": "holes.nc", "anomaly_variable": "x"}, "not_found", "x"),
        ({"anomaly_path": "nothing.nc"}, "bad_input", "missing"),
        ({"anomaly_path": "truth.nc", "satellite_image": "far.tif"}, "bad_input", "where the picture lies"),
        ({"mode": "side"}, "not_found", "overlay"),
        ({"overlay_cmap": "x"}, "not_found", "x"),
        ({"overlay_vmin": 3, "overlay_vmax": 1}, "bad_input", "Limits"),
        ({"overlay_alpha": 1.5}, "bad_input", "overlay_alpha"),
        ({"anomaly_time_index": 7}, "bad_input", "time"),
        ({"output_path": "/x.png"}, "refused", "workspace"),
    ):
        with rasterio.open(small / "scenes/2021-06-03.tif") as file:
            profile, values = file.profile, file.read()
        profile["transform"] = profile["transform"] @ profile["transform"].translation(500_000, 0)
        with rasterio.open(small / "far.tif", "w", **profile) as file:
            file.write(values)
        found, text = await refused(served, "composite_satellite_environmental_image", **{**field, **change})
        assert found == code and said in text, (change, found, text)


async def test_the_list_is_short(served: Client[Any]) -> None:
    from labrig.serving.builder import build
    from labrig.toolbox import ServeOptions
    from labrig_earth.server import toolbox

    async with Client(build(toolbox, ServeOptions(toolsets=("terra-satellite",)))) as client:
        tools = [each.model_dump(mode="json", exclude_none=True) for each in await client.list_tools()]
    assert len(json.dumps(tools, separators=(",", ":")).encode()) <= 12_000
    assert len(tools) == 7
