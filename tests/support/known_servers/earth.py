"""What the tests know of the Earth server: files of every format that other libraries wrote, and files that do harm."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

import netCDF4
import numpy as np
import rasterio
from hypothesis import strategies as st
from rasterio.transform import from_origin

from hostile.guard import Guard
from hostile.servers import earth as attacks
from hostile.servers.case import Call
from hostile.servers.target import Target
from labrig_earth.world.cyclone import write_cyclone
from labrig_earth.world.seasons import write_seasons
from labrig_earth.world.writing import Folder
from support import earth_services, leading_files
from support.buildings import steady_epw
from support.crops import as_json, made_weather
from support.fuzzing import Vocabulary, mangled
from support.made_weather import SHAPE, analysis, write_storms
from support.onnx_networks import network
from support.recorded import Network
from support.risk import ASSETS, DEPTH, river
from support.traffic import FORK, steady

DAYS, LATITUDES, LONGITUDES = 731, np.arange(52.0, 47.5, -1.0), np.arange(6.0, 12.5, 1.0)
"""2000 and 2001; from north to south."""


def temperature() -> Any:
    """Return the daily temperatures in climate.nc, degC, over day, latitude and longitude: to 0.01."""
    day = np.arange(DAYS)[:, None, None]
    season = 10 - 12 * np.cos(2 * np.pi * day / 365.25)
    place = 0.5 * (50 - LATITUDES)[None, :, None] + 0.25 * (LONGITUDES - 9)[None, None, :]
    return np.round(season + place + 4 * np.sin(day * 1.7), 2)


def _climate(path: Path, warmer_k: float = 0.0, *, winds: bool = True) -> None:
    with netCDF4.Dataset(path, "w") as file:
        for name, values, units in (
            ("time", np.arange(DAYS), "days since 2000-01-01"),
            ("latitude", LATITUDES, "degrees_north"),
            ("longitude", LONGITUDES, "degrees_east"),
        ):
            file.createDimension(name, len(values))
            axis = file.createVariable(name, "f8", (name,))
            axis.units = units
            axis[:] = values
        dims = ("time", "latitude", "longitude")
        packed = file.createVariable("t2m", "i2", dims, fill_value=-32767, zlib=True)
        packed.scale_factor, packed.add_offset, packed.units = 0.01, 273.15, "K"
        packed.standard_name = "air_temperature"
        packed[:] = temperature() + 273.15 + warmer_k
        for name, values in (("u10", 3.0), ("v10", 4.0)) if winds else ():
            wind = file.createVariable(name, "f4", dims, zlib=True)
            wind.units = "m s-1"
            wind[:] = values


def _chances(path: Path) -> None:
    """Write probabilities of terciles and an index of confidence, all from 0 to 1."""
    east = np.linspace(0.1, 0.5, LONGITUDES.size) + np.zeros((LATITUDES.size, 1))
    with netCDF4.Dataset(path, "w") as file:
        for name, values, units in (
            ("latitude", LATITUDES, "degrees_north"),
            ("longitude", LONGITUDES, "degrees_east"),
        ):
            file.createDimension(name, len(values))
            axis = file.createVariable(name, "f8", (name,))
            axis.units = units
            axis[:] = values
        for name, values in (("p_below", east), ("p_normal", 0.6 - east), ("p_above", 0.4 + 0 * east),
                             ("confidence", 2 * east)):  # fmt: skip
            chance = file.createVariable(name, "f4", ("latitude", "longitude"))
            chance.units = "1"
            chance[:] = values


def _usual(path: Path) -> None:
    """Write one temperature for each cell, K."""
    with netCDF4.Dataset(path, "w") as file:
        for name, values, units in (
            ("latitude", LATITUDES, "degrees_north"),
            ("longitude", LONGITUDES, "degrees_east"),
        ):
            file.createDimension(name, len(values))
            axis = file.createVariable(name, "f8", (name,))
            axis.units = units
            axis[:] = values
        warm = file.createVariable("t2m", "f4", ("latitude", "longitude"))
        warm.units = "K"
        warm[:] = 290.0


def _pacific(path: Path) -> None:
    """Write two years of monthly temperatures of the tropical Pacific."""
    months, lat, lon = np.arange(24), np.arange(-12.5, 13, 5), np.arange(122.5, 300, 5)
    with netCDF4.Dataset(path, "w") as file:
        for name, values, units in (
            ("time", 30.4375 * months + 15, "days since 2000-01-01"),
            ("latitude", lat, "degrees_north"),
            ("longitude", lon, "degrees_east"),
        ):
            file.createDimension(name, len(values))
            axis = file.createVariable(name, "f8", (name,))
            axis.units = units
            axis[:] = values
        sst = file.createVariable("sst", "f4", ("time", "latitude", "longitude"), zlib=True)
        sst.units = "K"
        sst[:] = 300 + np.sin(months)[:, None, None] + np.zeros((1, lat.size, lon.size))


def _raster(path: Path, values: Any, name: str, **profile: Any) -> None:
    height, width = values.shape
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        width=width,
        height=height,
        count=1,
        dtype=values.dtype,
        crs="EPSG:32632",
        transform=from_origin(500_000, 5_550_000, 10, 10),
        **profile,
    ) as file:
        file.write(values, 1)
        file.descriptions = (name,)


def _scene(path: Path) -> None:
    """Write six bands of Sentinel-2 with SCL, of which a few cells are cloud, and a picture beside it."""
    from PIL import Image

    rows = np.arange(40)[:, None] + np.zeros((1, 50), int)
    bands = np.stack([1000 + 40 * number * rows // 7 for number in range(1, 7)] + [np.where(rows < 5, 9, 4)])
    with rasterio.open(
        path, "w", driver="GTiff", width=50, height=40, count=7, dtype="uint16", crs="EPSG:32632", nodata=0,
        transform=from_origin(500_000, 5_550_000, 10, 10),
    ) as file:  # fmt: skip
        file.write(bands.astype("uint16"))
        file.descriptions = ("blue", "green", "red", "nir", "swir1", "swir2", "scl")
        file.scales, file.offsets = (1e-4,) * 6 + (1.0,), (0.0,) * 7
        file.update_tags(TIFFTAG_DATETIME="2021:06:03 10:10:31")
    Image.fromarray(np.where(rows < 20, 200, 40).astype("uint8")).save(path.with_name("picture.png"))


def square(west: float, south: float, east: float, north: float) -> list[list[list[float]]]:
    """Return the ring of a box as GeoJSON has it."""
    return [[[west, south], [east, south], [east, north], [west, north], [west, south]]]


def _layer(*boxes: tuple[str, tuple[float, float, float, float]]) -> bytes:
    features = [
        {
            "type": "Feature",
            "properties": {"name": name},
            "geometry": {"type": "Polygon", "coordinates": square(*box)},
        }
        for name, box in boxes
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def _town() -> bytes:
    nodes = [
        f'<node id="{10 * y + x + 1}" lat="{50 + y / 1000}" lon="{9 + x / 1000}"/>'
        for y in range(3)
        for x in range(3)
    ]
    ways = []
    for number in range(3):
        for way, refs in (
            (100 + number, [10 * number + x + 1 for x in range(3)]),
            (200 + number, [10 * y + number + 1 for y in range(3)]),
        ):
            members = "".join(f'<nd ref="{ref}"/>' for ref in refs)
            ways.append(
                f'<way id="{way}">{members}<tag k="highway" v="residential"/><tag k="name" v="W{way}"/></way>'
            )
    return f'<?xml version="1.0"?><osm version="0.6">{"".join(nodes + sorted(ways))}</osm>'.encode()


def _forecast_models(folder: Path) -> None:
    """Write storms, an analysis on a coarse globe, and a network of Pangu-Weather's form on it."""
    storms = folder / "storms"
    storms.mkdir()
    write_storms(storms)
    for name in ("surface", "levels"):
        (storms / f"{name}.nc").rename(folder / f"storm_{name}.nc")
    rmtree(storms)
    low, high = analysis()
    low.to_netcdf(folder / "analysis_surface.nc")
    high.to_netcdf(folder / "analysis_levels.nc")
    (folder / "pangu_weather_6.onnx").write_bytes(network(SHAPE, offsets={"surface": 0.5}))


@cache
def contents() -> dict[str, bytes]:
    """Return the files of the folder by their names."""
    files: dict[str, bytes] = {}
    with TemporaryDirectory() as folder:
        top = Path(folder)
        _climate(top / "climate.nc")
        _climate(top / "warmer.nc", 1.0)
        _usual(top / "usual.nc")
        _climate(top / "tmax.nc", 5.0, winds=False)
        _climate(top / "tmin.nc", -5.0, winds=False)
        _chances(top / "chances.nc")
        write_seasons(Folder(top, 7), np.random.default_rng(7))
        _pacific(top / "sst.nc")
        for name in ("hindcast", "forecast", "observed"):
            (top / f"seasonal/{name}.nc").rename(top / f"{name}.nc")
        (top / "seasonal").rmdir()
        write_cyclone(Folder(top, 7), np.random.default_rng(7))
        for name in ("levels", "surface"):
            (top / f"reanalysis/{name}.nc").rename(top / f"{name}.nc")
        (top / "reanalysis").rmdir()
        rows = np.arange(40)[:, None] + np.zeros((1, 50), int)
        _raster(top / "dem.tif", (rows * 5).astype("uint16"), "elevation", nodata=65535)
        _raster(top / "B04.tif", np.full((40, 50), 1000, "uint16"), "B04")
        _raster(top / "B08.tif", (1000 + 100 * rows).astype("uint16"), "B08")
        _raster(top / "SCL.tif", np.where(rows < 5, 9, 4).astype("uint8"), "SCL")
        _scene(top / "s2.tif")
        _forecast_models(top)
        files |= {path.name: path.read_bytes() for path in top.iterdir()}
    files["regions.geojson"] = _layer(("west", (6.5, 48.5, 8.5, 50.5)), ("east", (9.5, 48.5, 11.5, 51.5)))
    files["swapped.geojson"] = _layer(("west", (48.5, 6.5, 50.5, 8.5)))
    files["far.geojson"] = _layer(("far", (100, 0, 101, 1)))
    files["bow.geojson"] = _layer(("bow", (7, 49, 8, 50))).replace(b"[8, 49], [8, 50]", b"[8, 50], [8, 49]")
    files["town.osm"] = _town()
    files["stations.csv"] = b"name,lat,lon,p\nA,50,9,1\nB,51,10,2\n"
    files["cut.nc"] = files["climate.nc"][: len(files["climate.nc"]) // 3]
    files["cut.tif"] = files["dem.tif"][:100]
    files["empty.nc"] = b""
    files["text.txt"] = b"no data\n"
    files["leads_out.tif"] = (
        b'<VRTDataset rasterXSize="1" rasterYSize="1"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>'
        b"<SourceFilename>/etc/passwd</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"
    )
    bomb = b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 9))
    files["bomb.gml"] = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">' + bomb + b"]><x>&a8;</x>"
    files["maize.csv"] = made_weather(rain=0.5)
    files["soil.json"], files["field.json"] = as_json(type="Loam"), as_json()
    files["maize.json"] = as_json(name="Maize", planting="04-20")
    files |= {"roads.json": as_json(**FORK), "cars.rou.xml": steady(4), "open.json": as_json(seeds=2)}
    files["entity.net.xml"] = b'<!DOCTYPE net [<!ENTITY x SYSTEM "/etc/passwd">]><net>&x;</net>'
    files["include.rou.xml"] = b'<routes><include href="/etc/passwd"/></routes>'
    files["device.rou.xml"] = (
        b'<routes><vType id="c"><param key="device.fcd.output" value="/tmp/x"/></vType>'
        b'<vType id="d" emissionClass="/etc/passwd"/><trip id="1" type="d" depart="0" from="ab" to="cf"/></routes>'
    )
    files |= {"house.json": as_json(window_share=0), "steady.epw": steady_epw()}
    files["plugin.idf"] = b"Version,25.2;PythonPlugin:Instance,x,Yes,evil,Evil;"
    files["schedule.idf"] = b"Version,25.2;Schedule:File,x,Any,/etc/passwd,1,0;"
    files["table.idf"] = b"Version,25.2;Table:Lookup,x,,,,,,,../../secret.csv,1,1;"
    files["macro.idf"] = b"Version,25.2;\n##include /etc/passwd\n"
    files |= {
        "river.json": as_json(**river()),
        "assets.csv": ASSETS.encode(),
        "damage.json": as_json(**DEPTH),
    }
    files["flood.geojson"] = _layer(("flood", (8.9995, 49.9995, 9.0005, 50.0005))).replace(
        b'"name": "flood"', b'"depth_m": 1.5'
    )
    files["files.json"] = as_json(additional_files=["/etc/passwd"], output_prefix="/tmp/")
    return files


def lay_out(folder: Path) -> tuple[Path, ...]:
    """Write the folder ``earth``, with a Zarr store that claims half a terabyte."""
    top = folder / "earth"
    store = top / "huge.zarr"
    store.mkdir(parents=True, exist_ok=True)
    for name, content in contents().items():
        (top / name).write_bytes(content)
    metadata: dict[str, Any] = {".zgroup": {"zarr_format": 2}, ".zattrs": {}}
    for name, shape, values in (
        ("time", [60_000], np.arange(60_000.0)),
        ("latitude", [721], np.linspace(90, -90, 721)),
        ("longitude", [1440], np.arange(0, 360, 0.25)),
        ("t", [60_000, 721, 1440], None),
    ):
        dims = [name] if values is not None else ["time", "latitude", "longitude"]
        chunks = shape if values is not None else [100, 721, 1440]
        metadata[f"{name}/.zarray"] = {
            "zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": "<f8", "compressor": None,
            "fill_value": 0.0 if values is None else None,
            "order": "C", "filters": None,
        }  # fmt: skip
        units = {
            "time": "days since 1850-01-01",
            "latitude": "degrees_north",
            "longitude": "degrees_east",
            "t": "K",
        }
        metadata[f"{name}/.zattrs"] = {"_ARRAY_DIMENSIONS": dims, "units": units[name]}
        (store / name).mkdir(exist_ok=True)
        if values is not None:
            (store / name / "0").write_bytes(values.astype("<f8").tobytes())
    for name, content in metadata.items():
        (store / name).write_text(json.dumps(content))
    (store / ".zmetadata").write_text(json.dumps({"zarr_consolidated_format": 1, "metadata": metadata}))
    return (top,)


CLIMATE, REGIONS = "@earth/climate.nc", "@earth/regions.geojson"
MEMBERS = [CLIMATE, "@earth/warmer.nc"]
SCENE = ["@earth/B04.tif", "@earth/B08.tif", "@earth/SCL.tif"]
FILE = st.sampled_from([CLIMATE, CLIMATE, "@earth/dem.tif", REGIONS, "@earth/huge.zarr", "@earth/town.osm"])
HARMFUL = st.sampled_from(
    [
        f"@earth/{name}"
        for name in (
            "cut.nc",
            "cut.tif",
            "empty.nc",
            "text.txt",
            "leads_out.tif",
            "bomb.gml",
            "swapped.geojson",
        )
    ]
)
PATH = st.one_of(
    FILE, FILE, HARMFUL, mangled(FILE), st.sampled_from(["", "..", "/etc/passwd", "@earth", "@other/x", "x"])
)
WORDS = st.sampled_from(
    ["", "t2m", "u10", "mean", "x" * 3000, "\x00", "\ud800", "EPSG:32632", "degC", "bananas"]
)
SELECT: Callable[[], Any] = lambda: st.sampled_from(  # noqa: E731
    [
        {},
        {"start": "2000-06", "end": "2000-08"},
        {"box": [6, 48, 9, 50]},
        {"box": [48, 6, 50, 9]},
        {"box": [170, -10, -170, 10]},
        {"box": "everything"},
        {"months": [6, 7, 8]},
        {"months": ["June"]},
        {"start": "x" * 2000},
        {"level": 1e400},
        {"boxes": 1},
    ]
)
OPTIONS = st.sampled_from(
    [
        {},
        {"percentile": 90},
        {"threshold": 20, "unit": "degC", "least_steps": 2},
        {"threshold": None},
        {"threshold": [1]},
        {"base": ["2000", "2001"], "by": "month"},
        {"base": 1},
        {"window": "five"},
        {"utc_offset_h": 1e9},
        {"format": "grib"},
        {"where": {"name": "west"}},
        {"start": [9, 50], "end": [9.002, 50.002]},
        {"size": 1e12, "unit": "m"},
        {"bands": {"red": 99}},
    ]
)

COMPOSED = {
    "bbox": [50.1022, 9.0007, 50.0992, 9.0062],
    "start_date": "2021-06-01",
    "end_date": "2021-07-01",
    "scenes": ["@earth/s2.tif"],
}
FIELD = {
    "weather_daily_path": "@earth/maize.csv",
    "soil_path": "@earth/soil.json",
    "crop_path": "@earth/maize.json",
    "management_path": "@earth/field.json",
}
TRAFFIC = {
    "network_path": "@earth/roads.json",
    "routes_path": "@earth/cars.rou.xml",
    "disruptions_path": "@earth/open.json",
}
RISK = {
    "hazard_event_set_path": "@earth/river.json",
    "exposure_path": "@earth/assets.csv",
    "impact_functions_path": "@earth/damage.json",
}
OVERLAY = {"hazard_path": "@earth/flood.geojson", "osm_edges_path": "@earth/town.osm"}
HOUSE = {"building_idf_path": "@earth/house.json", "weather_epw_path": "@earth/steady.epw"}
CASE = st.sampled_from(
    [
        FIELD,
        {**HOUSE, "heating_setpoint_c": 1e400},
        TRAFFIC,
        {**TRAFFIC, "routes_path": "@earth/include.rou.xml"},
        RISK,
        {**RISK, "exposure_path": "@earth/stations.csv"},
        OVERLAY,
        {**OVERLAY, "closure_threshold": -1},
        {"osm_assets_path": "@earth/bow.geojson", "default_asset_value_usd": 1e400},
        {**FIELD, "backend": "proxy"},
        {**FIELD, "timeout_seconds": 1e400},
        {**FIELD, "soil_path": "@earth/maize.json"},
        {},
    ]
)

RECIPES: dict[str, list[dict[str, Any]]] = {
    "describe_data": [{"data": CLIMATE}, {"data": REGIONS}],
    "sample_grid": [
        {"data": CLIMATE, "variables": ["t2m"], "point": [50.2, 9.1], "select": {"end": "2000-01-05"}}
    ],
    "aggregate_grid": [
        {"data": CLIMATE, "variable": "t2m", "over": "both", "every": "year"},
        {
            "data": CLIMATE,
            "variable": "t2m",
            "polygons": REGIONS,
            "statistic": "exceedance",
            "options": {"threshold": 290},
        },
    ],
    "derive_variable": [{"data": CLIMATE, "what": "wind_speed"}],
    "regrid_variable": [
        {"data": CLIMATE, "variable": "t2m", "resolution": 2.0, "select": {"end": "2000-01-02"}}
    ],
    "zonal_statistics": [
        {"data": CLIMATE, "variable": "u10", "polygons": REGIONS, "select": {"end": "2000-01-02"}}
    ],
    "measure_features": [{"data": REGIONS}],
    "query_features": [{"data": REGIONS, "where": {"name": True}}],
    "measure_distances": [{"start": [9.0, 50.0], "end": [9.1, 50.2]}],
    "reshape_features": [{"data": REGIONS, "shape": "buffer", "size_m": 50}],
    "overlay_layers": [{"data": REGIONS, "other": REGIONS}],
    "find_exposed_features": [{"data": REGIONS, "other": REGIONS}],
    "find_data": [{"variable": "temperature", "folder": "@earth"}],
    "check_inputs": [
        {"tool": "impact_aquacrop_run", "arguments": FIELD},
        {"tool": "impact_sumo_run", "arguments": TRAFFIC},
        {"tool": "impact_energyplus_run", "arguments": HOUSE},
        {"tool": "impact_climada_run", "arguments": RISK},
    ],
    "make_weather": [
        {
            "data": [CLIMATE],
            "point": [50.2, 9.1],
            "variables": {"mean_c": "t2m", "precipitation_mm": "t2m"},
            "options": {"diurnal_range_k": 8},
        }
    ],
    "make_input": [
        {
            "kind": "exposure",
            "data": [CLIMATE],
            "point": [50.2, 9.1],
            "variables": {"heat": "t2m"},
            "options": {"end": "2000-01-31"},
        }
    ],
    "compile_scenario": [
        {
            "name": "warm",
            "perturbation": {"warmer_k": 2, "humidity": "constant_relative_humidity"},
            "inputs": FIELD,
            "options": {"latitude": 41, "elevation_m": 300},
        }
    ],
    "hazard_overlay_osm": [OVERLAY],
    "extract_exposure_layers": [{"osm_assets_path": REGIONS, "default_asset_value_usd": 1000}],
    "plot": [{"kind": "map", "files": ["@earth/dem.tif"], "layers": [REGIONS]}],
    "spectral_index": [{"index": "NDVI", "files": SCENE}],
    "read_file": [{"path": "@earth/stations.csv"}],
    "list_files": [{}],
    "list_inputs": [{"tool": "impact_aquacrop_run"}],
    "describe_netcdf_variables": [{"netcdf_path": CLIMATE}],
    "inspect_netcdf": [{"netcdf_path": CLIMATE}],
    "read_netcdf_data": [
        {"netcdf_path": CLIMATE, "variable": "t2m", "start_time": "2000-01-01", "end_time": "2000-01-05"}
    ],
    "anomaly_and_climo": [{"field_path": CLIMATE, "climo_mean_path": MEMBERS[1], "variable": "t2m"}],
    "normalized_spread": [
        {
            "spread_path": CLIMATE,
            "sigma_ref_path": CLIMATE,
            "spread_variable": "u10",
            "sigma_variable": "v10",
        }
    ],
    "confidence_index": [
        {
            "member_paths": MEMBERS,
            "variable": "t2m",
            "normalized_spread_path": CLIMATE,
            "normalized_variable": "u10",
        }
    ],
    "emos_calibration": [
        {
            "member_paths": MEMBERS,
            "variable": "t2m",
            "mode": "apply",
            "coeffs": {"a": 0.1, "b1": 0.5, "b2": 0.5, "c": 1, "d": 1},
        }
    ],
    "ehf_heatwave": [
        {
            "tmax_path": "@earth/tmax.nc",
            "tmin_path": "@earth/tmin.nc",
            "baseline_paths": {"tmean95": "@earth/usual.nc"},
        }
    ],
    "apply_bias_correction": [
        {
            "forecast_paths": ["@earth/forecast.nc"],
            "bias_map_path": "data/seasonal/bias_map.nc",
            "variable": "t2m",
        }
    ],
    **{tool: [arguments] for tool, arguments in earth_services.CALLS},
    "regrid_to_target_grid": [
        {
            "data": CLIMATE,
            "variables": ["u10"],
            "target_grid": {"latitudes": [48.5, 49.5], "longitudes": [7.5, 8.5]},
        }
    ],
    "run_tc_tracks_from_era5": [
        {"surface_path": "@earth/storm_surface.nc", "pressure_path": "@earth/storm_levels.nc"}
    ],
    "run_pangu_forecast": [
        {
            "surface_path": "@earth/analysis_surface.nc",
            "pressure_path": "@earth/analysis_levels.nc",
            "valid_time": "2023-01-01T06:00",
            "model_path": "@earth/pangu_weather_6.onnx",
            "lead_hours": [6],
        }
    ],
    "smooth_gaussian_field": [{"field_path": CLIMATE, "variable": "t2m"}],
    "aggregate_ensemble": [{"member_paths": MEMBERS, "variable": "t2m"}],
    "ensemble_spread": [{"member_paths": MEMBERS, "variable": "t2m"}],
    "event_probability": [{"member_paths": MEMBERS, "variable": "t2m", "threshold": 283}],
    "harmonize_grid": [{"model_files": MEMBERS, "variable": "t2m"}],
    "lagged_ic_ensemble": [{"member_files": MEMBERS[:1], "lagged_files": MEMBERS[1:], "variable": "t2m"}],
    "gis_feature_query": [
        {
            "source": "@earth/town.osm",
            "geometry": {"bbox": [49.99, 8.99, 50.01, 9.01]},
            "filters": [{"key": "highway"}],
        }
    ],
    "gis_feature_stats": [{"features": REGIONS, "metrics": ["count", "area_km2"]}],
    "gis_distance_matrix": [
        {"origins": [{"lat": 50, "lon": 9}], "destinations": [{"id": "b", "lat": 51, "lon": 10}]}
    ],
    "gis_overlay": [{"targets": REGIONS, "zones": REGIONS, "summary_metrics": ["area_km2"]}],
    "gis_source_metadata": [
        {
            "source": "@earth/town.osm",
            "geometry": {"bbox": [49.99, 8.99, 50.01, 9.01]},
            "feature_types": ["road"],
        }
    ],
    "plot_region_map": [{"netcdf_path": CLIMATE, "variable": "t2m", "region": [51, 7, 49, 11]}],
    "plot_ensemble_mean_map": [{"netcdf_path": CLIMATE, "variable": "t2m"}],
    "plot_spread_map": [{"netcdf_path": CLIMATE, "variable": "u10", "time_index": 0}],
    "plot_confidence_map": [{"netcdf_path": "@earth/chances.nc"}],
    "plot_tercile_map": [{"prob_path": "@earth/chances.nc", "category": "above"}],
    "plot_spaghetti_map": [{"member_paths": MEMBERS, "variable": "t2m", "time_index": 0}],
    "plot_anomaly_map": [{"anomaly_path": CLIMATE, "variable": "t2m"}],
    "plot_skill_map": [{"skill_nc_path": CLIMATE, "metric": "t2m"}],
    "standardize_seasonal_files": [{"paths": ["@earth/forecast.nc"], "unit_map": {"t2m": "degC"}}],
    "aggregate_to_season": [{"path": "@earth/forecast.nc", "season_def": "JJA"}],
    "fit_bias_correction": [
        {"hindcast_paths": ["@earth/hindcast.nc"], "obs_paths": ["@earth/observed.nc"], "variable": "t2m"}
    ],
    "category_probabilities": [
        {"member_paths": ["@earth/forecast.nc"], "variable": "t2m", "terciles_path": "@earth/hindcast.nc"}
    ],
    "blend_multi_model": [{"prob_paths": ["@earth/chances.nc", "@earth/chances.nc"], "weights": [2, 1]}],
    "forecast_anomaly_from_model_climo": [
        {
            "forecast_path": "@earth/forecast.nc",
            "model_climo_mean_path": "@earth/hindcast.nc",
            "variable": "t2m",
        }
    ],
    "compute_enso_indices": [{"sst_path": "@earth/sst.nc", "baseline_years": [2000, 2001]}],
    "region_mask": [{"grid_path": "@earth/chances.nc", "region": [51, 7, 49, 11]}],
    "gis_resolve_region": [
        {"place_query": "Kenya", "source": "natural_earth", "return_geometry_type": "all"},
    ],
    "stream_data_to_math_agent": [{"file_path": "@earth/stations.csv"}],
    "run_math_agent": [{"query": "print(6 * x)", "variables": {"x": 7}}],
    "gee_fetch_sentinel2_indices": [{**COMPOSED, "include_geotiff": True, "dimensions": 64}],
    "gee_index_area_stats": [COMPOSED],
    "gee_fetch_truecolor_thumbnail": [{**COMPOSED, "overlay_geometries": [[50.101, 9.002, 50.1, 9.004]]}],
    "draw_geometries_on_image": [
        {
            "image_path": "@earth/picture.png",
            "image_bbox": [51, 7, 49, 11],
            "geometries": [[49.5, 8, 50.5, 9]],
        }
    ],
    "composite_satellite_environmental_image": [
        {"satellite_image": "@earth/s2.tif", "anomaly_path": CLIMATE, "anomaly_variable": "t2m"}
    ],
    "seasonal_region_table": [{"prob_path": "@earth/chances.nc", "regions": ["Germany"]}],
    "fetch_era5": [
        {
            "dataset_kind": "era5_single_levels",
            "variables": ["t2m", "tp"],
            "time_window": {"start": "2020-01-01T00:00Z", "hours": 6},
            "region": [51, 7, 49, 11],
            "dry_run": True,
        }
    ],
    "build_era5_climatology": [
        {"data_path": CLIMATE, "variable": "t2m", "start_year": 2000, "end_year": 2001}
    ],
    "count_era5_events": [
        {"data_path": CLIMATE, "variable": "t2m", "start_year": 2000, "end_year": 2001, "threshold": 290}
    ],
    "temporal_aggregate": [{"netcdf_path": CLIMATE, "spec": {"t2m": "MS:mean"}}],
    "winds_basic": [{"netcdf_path": CLIMATE}],
    "humidity_basic": [{"netcdf_path": "@earth/surface.nc", "q": None, "d2m": "d2m"}],
    "moisture_integrals": [{"netcdf_path": "@earth/levels.nc"}],
    "kinematics": [{"netcdf_path": "@earth/levels.nc", "level": 850}],
    "vertical_shear": [{"netcdf_path": "@earth/levels.nc", "top": 200}],
    "region_reduce": [{"netcdf_path": CLIMATE, "variable": "t2m", "stats": ["mean", "p90"]}],
    "verify": [{"forecast_path": MEMBERS[1], "truth_path": CLIMATE, "variable": "t2m"}],
}


def _begin(bench: Any, workspace: Path) -> None:
    """Make the file of a correction, which its application takes."""
    if "fit_bias_correction" in bench.inputs:
        bench.call("fit_bias_correction", **RECIPES["fit_bias_correction"][0])


def _load(bench: Any) -> None:
    """Start the processes that stay loaded: workers, engines, the sandbox."""
    first = {**RECIPES, "impact_aquacrop_run": [FIELD], "run_python_code": [{"code": "print(1)"}]}
    for tool, calls in first.items():
        for arguments in calls:
            if tool in bench.inputs:
                bench.ask(bench.client.call_tool_mcp, tool, arguments)


VOCABULARY = Vocabulary(
    lambda handles: {
        "tool": st.sampled_from(
            [
                "impact_aquacrop_run",
                "impact_dssat_run",
                "impact_health_utci",
                "impact_energyplus_run",
                "impact_sumo_run",
                "impact_climada_run",
                "hazard_overlay_osm",
                "extract_exposure_layers",
                "x",
            ]
        ),
        "arguments": CASE,
        "perturbation": st.sampled_from(
            [
                {},
                {"warmer_k": 2, "humidity": "constant_vapour_pressure"},
                {"warmer_k": 1e400, "humidity": "x"},
                {"precipitation_percent": -30, "precipitation_as": "wet_days"},
                {"closed_edges": ["bc"]},
                {"closed_edges": [1]},
                {"warmer_k": [2]},
            ]
        ),
        "inputs": st.sampled_from(
            [FIELD, TRAFFIC, {**FIELD, **TRAFFIC}, {"weather_daily_path": ["..", ""]}, {"x": "y"}]
        ),
        "run": st.one_of(PATH, st.sampled_from([*handles, "sha256:0000000000000000"])),
        "runs": st.lists(st.one_of(PATH, st.sampled_from([*handles, "x"])), max_size=2),
        "data": st.one_of(PATH, PATH, st.sampled_from([*handles, "sha256:0000000000000000"])),
        "polygons": st.one_of(st.just(REGIONS), PATH),
        "other": PATH,
        "like": PATH,
        "files": st.one_of(st.just(SCENE), st.lists(PATH, max_size=3)),
        "layers": st.lists(PATH, max_size=2),
        "kind": st.sampled_from(["map", "series", "pie"]),
        "bbox": st.sampled_from([None, [6, 48, 9, 50], [48, 6, 50, 9], [1], [1e400, 0, 0, 0]]),
        "folder": st.sampled_from(["", "@earth", "..", "/", "@other"]),
        "before": st.one_of(st.just([]), st.just(SCENE)),
        "select": SELECT(),
        "options": OPTIONS,
        "variable": WORDS,
        "variables": st.sampled_from([[], ["t2m"], ["x"], {"u": "u10", "v": "v10"}, {"u": "t2m"}, {}]),
        "statistic": st.sampled_from(["mean", "spells", "trend", "anomaly", "exceedance", "percentile", "x"]),
        "statistics": st.sampled_from([["mean"], ["fractions"], ["percentile"], [], ["x"]]),
        "over": st.sampled_from(["", "time", "space", "both", "x"]),
        "every": st.sampled_from(["", "month", "year", "week"]),
        "daily": st.sampled_from(["", "max", "x"]),
        "unit": WORDS,
        "what": st.sampled_from(["wind_speed", "convert", "subtract", "heat_index", "x"]),
        "point": st.sampled_from([None, [50.2, 9.1], [9.1, 150.2], [1], [1e400, 0]]),
        "resolution": st.sampled_from([None, 2.0, 1e-9, 0, -1, 1e400]),
        "crs": st.sampled_from(["", "EPSG:32632", "EPSG:1", "x"]),
        "method": st.sampled_from(["", "linear", "bilinear", "x"]),
        "start": st.sampled_from([None, [9.001, 50.0], [50, 9], [1], [1e400, 0], "2000-01-01", ""]),
        "end": st.sampled_from([None, [9.002, 50.001], [0, 0], [], [1e400, 0], "2000-01-05", ""]),
        "where": st.sampled_from([{}, {"building": True}, {"x": {">=": 1}}, {"x": []}]),
        "shape": st.sampled_from(["buffer", "hull", "voronoi", "dissolve", "x"]),
        "size_m": st.sampled_from([None, 50, -1e9, 1e400]),
        "how": st.sampled_from(["union", "difference", "x"]),
        "index": st.sampled_from(["NDVI", "ndwi", "x", ""]),
        "job": st.just(False),
    },
    RECIPES,
    weight=lambda tool: 4 if tool in RECIPES else 1,
    begin=_begin,
    load=_load,
    lay_out=lay_out,
)


def _attacked_folder(guard: Guard) -> list[str]:
    """Serve a folder of files in the watched tree."""
    (root,) = lay_out(guard.home)
    (root / "leading").mkdir()
    leading_files.lay_out(root / "leading")
    return ["--root", str(root)]


NETWORK = Network(
    lambda site: earth_services.furnish(site, contents()["forecast.nc"]),
    lambda site: earth_services.CALLS,
    variables=earth_services.VARIABLES,
    addresses=earth_services.programs,
)

TARGET = Target(
    canary=Call("aggregate_grid", {"data": CLIMATE, "variable": "u10", "over": "both"}),
    right=lambda result: "'value': 3.0" in str(result.get("structuredContent")),
    arguments={
        "describe_data": [{"data": CLIMATE}],
        "MSWEP": [{"save_path": "rain", "years": ["2015"], "months": ["01"], "days": ["01"]}],
    },
    lay_out=_attacked_folder,
    cases=lambda: attacks.CASES,
)
