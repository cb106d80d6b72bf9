"""A scripted agent that finds the field that was cleared, by composites of Sentinel-2 and statistics of zones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import xarray as xr
from pyproj import Transformer
from shapely.geometry import box

from labrig_earth.world.scenes import NDVI, write_scenes
from labrig_earth.world.sizes import size_of
from labrig_earth.world.town import write_town
from labrig_earth.world.writing import Folder
from support.scripted import Steps, told

pytestmark = [pytest.mark.accept, pytest.mark.asyncio]

BOX = [48.2880, 12.7100, 48.2820, 12.7195]
"""[north, west, south, east], within the scenes."""
BOXES = {
    "cleared field": (12.7155, 48.2860, 12.7178, 48.2876),
    "west": (12.7102, 48.2830, 12.7118, 48.2875),
    "south": (12.7130, 48.2822, 12.7190, 48.2840),
}
"""Zones (west, south, east, north)."""


def zones() -> dict[str, Any]:
    """Return the zones as GeoJSON."""
    return {
        "type": "FeatureCollection",
        "features": [
            {"type": "Feature", "properties": {"name": name}, "geometry": box(*each).__geo_interface__}
            for name, each in BOXES.items()
        ],
    }


def grid(values: Any, lat: Any, lon: Any) -> Any:
    """Return a field of temperatures as a dataset."""
    axes = {
        "latitude": ("latitude", lat, {"units": "degrees_north"}),
        "longitude": ("longitude", lon, {"units": "degrees_east"}),
    }
    return xr.Dataset({"heat": (("latitude", "longitude"), values, {"units": "K"})}, axes)


def means(answer: dict[str, Any]) -> dict[str, float]:
    """Return the mean of each zone in an answer of zonal_statistics."""
    return {each["note"]: each["value"] for each in answer["values"] if each["name"] == "mean"}


async def cleared(step: Steps) -> tuple[str, dict[str, float]]:
    """In which zone has vegetation fallen most between two years, by how much, and over which area?"""
    await step(
        "reset_equipped_tools", satellite=True, basic=True, geo_osm=True, core=True, visualization=True
    )
    town = {"source": "town/town.osm", "geometry": {"bbox": [BOX[2], BOX[1], BOX[0], BOX[3]]}}
    await step("gis_source_metadata", **town, feature_types=["road", "building"])
    roads = await step("gis_feature_query", **town, filters=[{"key": "highway"}])
    tallied = await step(
        "gis_feature_stats", features="zones.geojson", group_by=["name"], metrics=["area_km2"]
    )
    years: dict[str, dict[str, Any]] = {}
    for year, day in (("2020", "2020-06-13"), ("2022", "2022-06-18")):
        when = {
            "bbox": BOX, "start_date": f"{year}-06-01", "end_date": f"{year}-07-01", "max_cloud": 60,
            "scenes": [[f"scenes/{day}.tif", f"scenes/{day}_SCL.tif"]],
        }  # fmt: skip
        indices = await step(
            "gee_fetch_sentinel2_indices", **when, scale=10, indices=["NDVI", "NDBI"], include_geotiff=True,
            output_dir=f"data/{year}",
        )  # fmt: skip
        picture = await step(
            "gee_fetch_truecolor_thumbnail", **when, include_geotiff=True, output_dir=f"data/{year}"
        )
        areas = await step("gee_index_area_stats", **when, scale=10)
        composite = indices["geotiff"]
        found = await step(
            "zonal_statistics", data=composite["tif_path"], polygons="zones.geojson", statistics=["mean", "count"],
            select={"band": composite["bands"].index("NDVI") + 1}, options={"names": "name"},
        )  # fmt: skip
        drawn = await step(
            "draw_geometries_on_image", image_path=picture["truecolor_png"], image_bbox=BOX,
            geometries=zones()["features"],
        )  # fmt: skip
        assert drawn["geometries_drawn"] == len(BOXES)
        await step("stream_data_to_math_agent", file_path=composite["tif_path"])
        years[year] = {"composite": composite, "areas": areas, "means": means(found), "picture": picture}
    before, after = years["2020"]["means"], years["2022"]["means"]
    falls = {name: before[name] - after[name] for name in BOXES}
    zone = max(falls, key=lambda name: falls[name])
    inside = await step(
        "gis_overlay", targets=roads["features_path"], zones=zones()["features"], summary_metrics=["count"]
    )
    of_zone = [each for each in inside["exposed_features"] if list(BOXES).index(zone) in each["zone_indices"]]
    await step("inspect_netcdf", netcdf_path="heat.nc")
    await step(
        "composite_satellite_environmental_image", satellite_image=years["2022"]["picture"],
        anomaly_path="heat.nc", output_path="plots/heat.png",
    )  # fmt: skip
    code = (
        "import rasterio, numpy as np\n"
        "layers = []\n"
        "for name in names:\n"
        "    with rasterio.open(f'inputs/{name}') as file:\n"
        "        layers.append(file.read(file.descriptions.index('NDVI') + 1).astype(float))\n"
        "        transform, shape = file.transform, file.shape\n"
        "lat = transform.f + (np.arange(shape[0]) + .5) * transform.e\n"
        "cell = 111320 * np.cos(np.radians(lat)) * transform.a * 111195 * -transform.e\n"
        "fell = layers[0] - layers[1] > 0.2\n"
        "print((fell.sum(axis=1) * cell).sum())"
    )
    names = [Path(years[year]["composite"]["tif_path"]).name for year in ("2020", "2022")]
    fallen = await step("run_math_agent", query=code, variables={"names": names})
    areas = {row["group"]["name"]: row["area_km2"] for row in tallied["rows"]}
    green = [years[year]["areas"]["class_areas"]["vegetation"]["area_sq_km"] for year in ("2020", "2022")]
    return zone, {
        "fall": round(falls[zone], 6),
        "fallen_ha": round(float(fallen["result"]) / 1e4, 3),
        "zone_ha": round(100 * areas[zone], 3),
        "green_before_km2": green[0],
        "green_after_km2": green[1],
        "roads_in_zone": len(of_zone),
    }


async def test_the_field_that_was_cleared_is_found(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    made, size = Folder(work, 7), size_of("small")
    streets = write_town(made, size, np.random.default_rng([7, 3]))
    write_scenes(made, size, np.random.default_rng([7, 4]), streets)
    (work / "zones.geojson").write_text(json.dumps(zones()))
    lat, lon = np.arange(48.27, 48.3, 0.002), np.arange(12.70, 12.73, 0.002)
    grid(np.sin(np.arange(lat.size))[:, None] + 0 * lon, lat, lon).to_netcdf(work / "heat.nc")

    def swap(answer: dict[str, Any]) -> None:
        """Say of the field what is said of the west, and the other way round."""
        names = {"cleared field": "west", "west": "cleared field"}
        for each in answer["values"]:
            each["note"] = names.get(each["note"], each["note"])

    toolsets = "default,terra-core,terra-basic,terra-geo_osm,terra-satellite,terra-visualization"
    (zone, numbers), (other, _) = await told(tmp_path, cleared, toolsets, {"zonal_statistics": swap})
    assert (zone, other) == ("cleared field", "west")
    assert numbers["fall"] == pytest.approx(NDVI["crop"] - NDVI["cleared"], abs=1e-5)
    assert numbers["fallen_ha"] == pytest.approx(fallen_ha(work / "scenes"), rel=0.02)
    assert numbers["zone_ha"] == pytest.approx(3.03, abs=0.02) and numbers["green_before_km2"] > 0
    for name in ("heat.png", "TRUECOLOR_20220601_20220701_overlay.png"):
        assert list(work.rglob(name)), name


def fallen_ha(folder: Path) -> float:
    """Return where NDVI fell by more than 0.2 in cells that are clear in both scenes and lie in the box, hectares."""
    layers, clear = [], []
    for day in ("2020-06-13", "2022-06-18"):
        with rasterio.open(folder / f"{day}.tif") as file:
            red, nir = (file.read(number) * file.scales[0] + file.offsets[0] for number in (3, 4))
            rows, columns = np.mgrid[: file.height, : file.width]
            x, y = file.transform @ (columns + 0.5, rows + 0.5)
            lon, lat = Transformer.from_crs(file.crs, 4326, always_xy=True).transform(x, y)
        with rasterio.open(folder / f"{day}_SCL.tif") as file:
            clear.append(np.isin(np.kron(file.read(1), np.ones((2, 2), int)), (4, 5, 6, 7, 11)))
        with np.errstate(all="ignore"):
            layers.append((nir - red) / (nir + red))
    north, west, south, east = BOX
    inside = (lat < north) & (lat > south) & (lon > west) & (lon < east)
    return float(((layers[0] - layers[1] > 0.2) & clear[0] & clear[1] & inside).sum()) / 100
