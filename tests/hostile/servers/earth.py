"""Attacks on the Earth server alone: addresses of Overpass that lead inside, words of a query that end it, paths out.

`hostile.servers.case` says what the fields mean; `hostile.servers.general` has the attacks on any server.
"""

from __future__ import annotations

from typing import Any

from hostile.servers.case import REFUSED, Call, Case

AREAS = "Areas of OpenStreetMap"
ENGINES = "Languages of engines"
PICTURES = "Satellite pictures"
AGENTS = "Agents and pages"
PARTS = "Parts of stores and files"
REANALYSIS = "Fields of ERA5"
AUGUST = {"start": "2020-08-01T00:00Z", "hours": 1}
BOX = {"bbox": [49.99, 8.99, 50.01, 9.01]}
ROADS = [{"key": "highway"}]
INSIDE = (
    "http://127.0.0.1/api/interpreter",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "file:///etc/passwd",
    "https://overpass-api.de@127.0.0.1/api/interpreter",
    "https://overpass-api.de.example.org/api/interpreter",
)


ROADS_OF = {
    "network_path": "@earth/roads.json",
    "routes_path": "@earth/cars.rou.xml",
    "disruptions_path": "@earth/open.json",
}


def _traffic(**more: str) -> Call:
    """Return a check of the files, which needs no engine; a run reads them by the same code."""
    return Call("check_inputs", {"tool": "impact_sumo_run", "arguments": {**ROADS_OF, **more}})


def _scenario(**more: Any) -> Call:
    warm = {"warmer_k": 2, "humidity": "constant_relative_humidity"}
    given = {"name": "warm", "perturbation": warm, "inputs": {"weather_daily_path": "@earth/maize.csv"}}
    return Call("compile_scenario", {**given, **more})


FLOOD, TOWN = "@earth/flood.geojson", "@earth/town.osm"
RISK_OF = {
    "hazard_event_set_path": "@earth/river.json",
    "exposure_path": "@earth/assets.csv",
    "impact_functions_path": "@earth/damage.json",
}


_ASSETS = "exposure_id,latitude,longitude,value\n"


def _risk(**more: str) -> Call:
    """Return a check of the files of CLIMADA, which needs no engine."""
    return Call("check_inputs", {"tool": "impact_climada_run", "arguments": {**RISK_OF, **more}})


def _query(**more: Any) -> Call:
    given = {"source": "osm", "geometry": BOX, "filters": ROADS}
    return Call("gis_feature_query", {**given, **more})


def _fetched(**more: str) -> Call:
    given = {"dataset_kind": "era5_single_levels", "variables": ["t2m"], "time_window": AUGUST}
    return Call("fetch_era5", {**given, **more})


def _composed(**more: Any) -> Call:
    given = {
        "bbox": [50.1022, 9.0007, 50.0992, 9.0062],
        "start_date": "2021-06-01",
        "end_date": "2021-07-01",
        "scenes": ["@earth/s2.tif"],
    }
    return Call("gee_fetch_truecolor_thumbnail", {**given, **more})


def _drawn(**more: Any) -> Call:
    given = {
        "image_path": "@earth/picture.png",
        "image_bbox": [51, 7, 49, 11],
        "geometries": [[49.5, 8, 50.5, 9]],
    }
    return Call("draw_geometries_on_image", {**given, **more})


CASES = (
    Case(
        AREAS,
        "other services",
        "addresses of Overpass inside the network, of files, of another host",
        (
            *(_query(overpass_url=each) for each in INSIDE),
            *(
                Call(
                    "gis_source_metadata",
                    {"source": "osm", "geometry": BOX, "feature_types": ["road"], "overpass_url": each},
                )
                for each in INSIDE
            ),
        ),
        ("refused",),
    ),
    Case(
        AREAS,
        "ends of a query",
        "keys and dates that end the query and begin another",
        (
            _query(filters=[{"key": 'x"];out;nwr["y'}]),
            _query(filters=[{"key": "x\n];"}]),
            _query(as_of_date='2020-01-01"];out;['),
        ),
        ("bad_input",),
    ),
    Case(
        AREAS,
        "paths out",
        "features, maps and results beyond the workspace",
        (
            _query(source="{outside}/secret.osm"),
            _query(source="@earth/town.osm", output_dir="{outside}"),
            _query(source="@earth/town.osm", output_dir="../x"),
            Call("gis_feature_stats", {"features": "{outside}/secret.geojson"}),
            Call("gis_overlay", {"targets": "/etc/passwd", "zones": "../x"}),
            Call("plot_region_map", {"netcdf_path": "@earth/climate.nc", "filename": "../../x.png"}),
            Call("plot_anomaly_map", {"anomaly_path": "@earth/climate.nc", "output_path": "{outside}/x.png"}),
            Call("plot_spaghetti_map", {"member_paths": ["{outside}/secret.nc"], "variable": "t2m"}),
            Call(
                "aggregate_to_season",
                {"path": "@earth/forecast.nc", "season_def": "JJA", "output_path": "../x.nc"},
            ),
            Call("standardize_seasonal_files", {"paths": ["@earth/forecast.nc"], "output_dir": "{outside}"}),
            Call("region_mask", {"grid_path": "/etc/passwd", "region": [51, 7, 49, 11]}),
            Call(
                "seasonal_region_table",
                {"prob_path": "@earth/chances.nc", "mask_paths": ["{outside}/secret.nc"]},
            ),
            Call(
                "MeteoAQ",
                {
                    "lat": 50,
                    "lon": 9,
                    "start_date": "2020-01-01",
                    "end_date": "2020-01-02",
                    "save_path": "{outside}/x.csv",
                },
            ),
        ),
        REFUSED,
    ),
    Case(
        PICTURES,
        "paths out of pictures",
        "scenes, pictures, fields and results beyond the workspace, and files that lead to others",
        (
            _composed(scenes=["{outside}/secret.tif"]),
            _composed(scenes=["/etc/passwd"]),
            _composed(scenes=["@earth/leads_out.tif"]),
            _composed(output_dir="{outside}"),
            _composed(output_dir="../x"),
            _drawn(image_path="{outside}/secret.png"),
            _drawn(image_path="@earth/leads_out.tif"),
            _drawn(output_path="../x.png"),
            Call(
                "composite_satellite_environmental_image",
                {"satellite_image": "/etc/passwd", "anomaly_path": "@earth/climate.nc"},
            ),
            Call(
                "composite_satellite_environmental_image",
                {"satellite_image": {"geotiff": {"tif_path": "{outside}/x.tif"}}, "anomaly_path": "../x.nc"},
            ),
            Call(
                "composite_satellite_environmental_image",
                {
                    "satellite_image": "@earth/s2.tif",
                    "anomaly_path": "@earth/climate.nc",
                    "anomaly_variable": "t2m",
                    "output_path": "{outside}/x.png",
                },
            ),
        ),
        ("refused, bad_input",),
    ),
    Case(
        REANALYSIS,
        "paths out of ERA5",
        "fields, masks and results beyond the workspace, files that lead to others, another store",
        (
            _fetched(persist_dir="../x"),
            _fetched(persist_dir="{outside}"),
            _fetched(backend="http://169.254.169.254/"),
            Call("winds_basic", {"netcdf_path": "{outside}/secret.nc"}),
            Call("winds_basic", {"netcdf_path": "@earth/climate.nc", "output_path": "{outside}/x.nc"}),
            Call("humidity_basic", {"netcdf_path": "/etc/passwd"}),
            Call("moisture_integrals", {"netcdf_path": "@earth/leads_out.tif"}),
            Call("kinematics", {"netcdf_path": "@earth/levels.nc", "level": 850, "output_path": "../x.nc"}),
            Call("vertical_shear", {"netcdf_path": "../x"}),
            Call("temporal_aggregate", {"netcdf_path": "{outside}/secret.nc", "spec": {"t2m": "1D:max"}}),
            Call(
                "build_era5_climatology",
                {
                    "data_path": "@earth/climate.nc",
                    "variable": "t2m",
                    "start_year": 2000,
                    "end_year": 2001,
                    "output_dir": "{outside}",
                },
            ),
            Call(
                "count_era5_events",
                {
                    "data_path": "@earth/climate.nc",
                    "variable": "../t2m",
                    "start_year": 2000,
                    "end_year": 2001,
                    "threshold": 280,
                },
            ),
            Call(
                "region_reduce",
                {"netcdf_path": "@earth/climate.nc", "variable": "t2m", "mask_path": "{outside}/secret.nc"},
            ),
        ),
        ("refused, not_found",),
    ),
    Case(
        PARTS,
        "programs in a store",
        "a Zarr store on the network whose chunks are programs of the codec pickle, behind another one",
        (Call("fetch_part", {"kind": "zarr", "url": "{site}/programs", "variables": ["t2m"]}),),
        ("refused",),
    ),
    Case(
        PARTS,
        "files that name others",
        "virtual and external datasets, external links, a chunk that is a link, pipelines of GDAL",
        (
            *(
                Call("aggregate_grid", {"data": f"@earth/leading/{name}", "variable": "t2m", "over": "space"})
                for name in ("virtual.nc", "external.nc", "linked.nc", "linked.zarr")
            ),
            *(
                Call(tool, {"data": f"@earth/leading/{name}", **more})
                for name in ("pipeline.json", "pipeline.geojson")
                for tool, more in (("describe_data", {}), ("measure_features", {}))
            ),
        ),
        ("refused",),
    ),
    Case(
        AGENTS,
        "services of a call",
        "addresses of Nominatim, of uploads and of agents inside the network and on other hosts",
        (
            *(Call("gis_resolve_region", {"place_query": "Graz", "nominatim_url": each}) for each in INSIDE),
            Call("stream_data_to_math_agent", {"file_path": "@earth/text.txt", "upload_url": INSIDE[1]}),
            Call("run_math_agent", {"query": "print(1)", "base_url": INSIDE[1]}),
            Call("run_math_agent", {"query": "print(1)", "headers": {"Authorization": "x"}}),
        ),
        ("refused",),
    ),
    Case(
        AGENTS,
        "files of the math agent",
        "files of the machine streamed, results beyond the workspace",
        (
            Call("stream_data_to_math_agent", {"file_path": "{outside}/secret.csv"}),
            Call("stream_data_to_math_agent", {"file_path": "../x.csv"}),
            Call("run_math_agent", {"query": "print(1)", "artifact_dir": "{outside}"}),
            Call("web_search_serper", {"query": "x", "artifact_root": "../x"}),
            Call("summarize_web_page", {"page_text": "x", "artifact_root": "{outside}"}),
        ),
        ("refused",),
    ),
    Case(
        ENGINES,
        "files named by files of SUMO",
        "entities, includes, devices that write, additional files and prefixes of outputs",
        (
            _traffic(network_path="@earth/entity.net.xml"),
            _traffic(routes_path="@earth/include.rou.xml"),
            _traffic(routes_path="@earth/device.rou.xml"),
            _traffic(disruptions_path="@earth/files.json"),
        ),
        ("refused, not_found",),
    ),
    Case(
        ENGINES,
        "files and code named by an IDF",
        "Python plugins, schedules and tables in other files, macros",
        tuple(
            Call(
                "check_inputs",
                {
                    "tool": "impact_energyplus_run",
                    "arguments": {
                        "building_idf_path": f"@earth/{name}.idf",
                        "weather_epw_path": "@earth/steady.epw",
                    },
                },
            )
            for name in ("plugin", "schedule", "table", "macro")
        ),
        ("refused",),
    ),
    Case(
        ENGINES,
        "paths out of risk",
        "events, assets, functions, hazards, roads, people and outputs beyond the workspace",
        (
            _risk(hazard_event_set_path="{outside}/secret.json"),
            _risk(exposure_path="/etc/passwd"),
            _risk(impact_functions_path="../x"),
            Call("hazard_overlay_osm", {"hazard_path": "{outside}/secret.geojson", "osm_edges_path": TOWN}),
            Call("hazard_overlay_osm", {"hazard_path": FLOOD, "osm_edges_path": "/etc/passwd"}),
            *(
                Call("hazard_overlay_osm", {"hazard_path": FLOOD, "osm_edges_path": TOWN, where: path})
                for where, path in (
                    ("output_overlay_path", "{outside}/x.csv"),
                    ("output_disruptions_path", "../x.json"),
                )
            ),
            Call("extract_exposure_layers", {"osm_assets_path": "../x"}),
            *(
                Call("extract_exposure_layers", {"osm_assets_path": "@earth/regions.geojson", **more})
                for more in (
                    {"sentinel_stats_path": "/etc/passwd"},
                    {"population_path": "{outside}/secret.tif"},
                    {"default_asset_value_usd": 1, "output_path": "{outside}/x.csv"},
                )
            ),
        ),
        REFUSED,
    ),
    Case(
        ENGINES,
        "risk without bounds",
        "a million empty lists for events, a name of 130,000 characters among 20,000 assets, 40,000 columns",
        (
            _risk(hazard_event_set_path="lists.json"),
            _risk(exposure_path="names.csv"),
            _risk(exposure_path="columns.csv"),
        ),
        ("bad_input",),
        plant=(
            ("file", "lists.json", '{"latitude": [' + "[]," * 1_100_000 + "[]]}"),
            ("file", "names.csv", _ASSETS + "x" * 130_000 + ",50,9,1\n" + "y,50,9,1\n" * 20_000),
            ("file", "columns.csv", ",".join(map(str, range(40_000))) + ",39999\n" + "," * 40_000 + "x\n"),
        ),
    ),
    Case(
        ENGINES,
        "paths out of SUMO",
        "inputs beyond the workspace",
        (
            _traffic(network_path="{outside}/secret.net.xml"),
            _traffic(routes_path="/etc/passwd"),
            _traffic(disruptions_path="../x"),
        ),
        REFUSED,
    ),
    Case(
        ENGINES,
        "paths out of a scenario",
        "folders and inputs beyond the workspace, networks with entities",
        (
            _scenario(name="../../x"),
            _scenario(name="x/../../y"),
            _scenario(inputs={"weather_daily_path": "/etc/passwd"}),
            _scenario(inputs={"weather_daily_path": ["@earth/maize.csv", "../x"]}),
            _scenario(
                perturbation={"closed_edges": ["bc"]},
                inputs={"network_path": "@earth/entity.net.xml", "routes_path": "@earth/cars.rou.xml"},
            ),
            _scenario(
                inputs={"weather_epw_path": "@earth/steady.epw", "building_idf_path": "@earth/schedule.idf"}
            ),
        ),
        ("bad_input, refused",),
    ),
)
