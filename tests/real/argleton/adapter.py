"""How each task of Argleton is asked of the Earth server, through MCP with the default toolset.

Argleton (Apache-2.0, https://github.com/argleton/argleton) gives files with a planted defect and clean twins, whose
right answers are known by construction. This adapter does no arithmetic of its own: it calls tools, and takes a number,
a count or a name out of their answers. It imports neither Argleton nor the server, so that it works in whatever Python
has a client; what it returns is for `run`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Ask = Callable[..., Awaitable[dict[str, Any]]]
"""A call of a tool by its name and arguments, which gives its answer; a refusal raises `Refused`."""


class Refused(Exception):
    """What a tool refused, in its words."""


class Unsupported(Exception):
    """A tool is not in the toolsets that are served."""


@dataclass(frozen=True)
class Given:
    """A task: the folder of its files as the server sees it, and the arguments of its call."""

    folder: str
    arguments: Sequence[str]
    ask: Ask

    def file(self, place: int) -> str:
        """The file that stands at a place among the arguments."""
        return f"{self.folder}/{self.arguments[place]}"

    def named(self, name: str) -> str:
        """The argument ``name=value``."""
        return next(each.partition("=")[2] for each in self.arguments if each.startswith(f"{name}="))


Answer = tuple[Any, list[str]]
"""What is answered, and the warnings that came with it."""


def value(answer: Mapping[str, Any], name: str) -> Answer:
    """Return the value of this name, and the warnings."""
    found = next(each["value"] for each in answer["values"] if each["name"] == name)
    return found, list(answer.get("warnings", []))


def cell(answer: Mapping[str, Any], column: str) -> Answer:
    """Return a column of the only row."""
    (row,) = answer["data"]["rows"]
    return row[column], list(answer.get("warnings", []))


def handle(answer: Mapping[str, Any]) -> str:
    return str(answer["artifacts"][0]["handle"])


async def raster_mean(given: Given) -> Answer:
    return value(await given.ask("aggregate_grid", data=given.file(0), over="space"), "band_data")


async def plane_area(given: Given) -> Answer:
    return value(await given.ask("measure_features", data=given.file(0)), "area in the plane")


async def ground_area(given: Given) -> Answer:
    return value(await given.ask("measure_features", data=given.file(0)), "area")


async def points_inside(given: Given) -> Answer:
    return value(await given.ask("query_features", data=given.file(0), other=given.file(1)), "features")


async def zone_first(given: Given) -> Answer:
    return value(await given.ask("query_features", data=given.file(1), other=given.file(0)), "features")


async def count_features(given: Given) -> Answer:
    return value(
        await given.ask("measure_features", data=given.file(0), layer=given.named("layer")), "features"
    )


async def count_within(given: Given) -> Answer:
    target = given.named("target")
    found = await given.ask(
        "measure_distances",
        data=given.file(0),
        other=given.file(0),
        where={"well_id": {"!=": target}},
        other_where={"well_id": target},
        within_m=float(given.named("distance_meters")),
    )
    return value(found, "features")


async def class_area(given: Given) -> Answer:
    crs = (await given.ask("describe_data", data=given.file(0)))["data"]["crs"]
    coarser = await given.ask(
        "regrid_variable", data=given.file(0), crs=crs, resolution=float(given.named("resolution"))
    )
    areas = await given.ask(
        "aggregate_grid",
        data=handle(coarser),
        statistic="class_areas",
        options={"classes": [int(given.named("class"))]},
    )
    return value(areas, "area")


async def ndvi(given: Given) -> Answer:
    bands = {"red": int(given.named("red_band")), "nir": int(given.named("nir_band"))}
    found = await given.ask("spectral_index", index="NDVI", files=[given.file(0)], options={"bands": bands})
    return value(found, "mean of NDVI")


async def united_area(given: Given) -> Answer:
    return value(
        await given.ask("reshape_features", data=given.file(0), shape="dissolve"), "area in the plane"
    )


async def length_in_space(given: Given) -> Answer:
    return value(await given.ask("measure_features", data=given.file(0)), "length in space")


async def length_of_pipes(given: Given) -> Answer:
    found = await given.ask("measure_features", data=given.file(0), where={"asset_type": "pipe"})
    return value(found, "length in the plane")


async def district_of(given: Given) -> Answer:
    inside = await given.ask("reshape_features", data=given.file(0), shape="point")
    return cell(await given.ask("query_features", data=given.file(1), other=handle(inside)), "district")


async def latitude(given: Given) -> Answer:
    found = await given.ask(
        "query_features", data=given.file(0), where={"station_id": given.named("station")}
    )
    return cell(found, "lat")


async def only_latitude(given: Given) -> Answer:
    return cell(await given.ask("query_features", data=given.file(0)), "lat")


async def unemployment(given: Given) -> Answer:
    column = "unemployment_rate_pct"
    found = await given.ask("summarise_table", data=given.file(0), columns=[column], weight="labour_force")
    return value(found, f"{column} weighted mean")


async def joined_population(given: Given) -> Answer:
    found = await given.ask(
        "join_table", data=given.file(0), other=given.file(1), key="istat_code", sums=["population"]
    )
    return value(found, "population sum")


async def common_area(given: Given) -> Answer:
    found = await given.ask("overlay_layers", data=given.file(0), other=given.file(1), how="intersection")
    return value(found, "area in the plane")


async def area_outside(given: Given) -> Answer:
    found = await given.ask("overlay_layers", data=given.file(0), other=given.file(1), how="difference")
    return value(found, "area in the plane")


async def thiessen(given: Given) -> Answer:
    cells = await given.ask("reshape_features", data=given.file(0), other=given.file(1), shape="voronoi")
    return cell(
        await given.ask("query_features", data=handle(cells), other=given.file(1)), given.arguments[2]
    )


async def area_of_corners(given: Given) -> Answer:
    return value(await given.ask("reshape_features", data=given.file(0), shape="polygon"), "area")


async def lowest_easting(given: Given) -> Answer:
    found = await given.ask("aggregate_grid", data=given.file(0), statistic="min", over="space")
    return found["data"]["place_of_min"]["x"], list(found.get("warnings", []))


async def mean_slope(given: Given) -> Answer:
    return value(await given.ask("derive_variable", data=given.file(0), what="slope"), "slope mean")


async def raster_area(given: Given) -> Answer:
    found = await given.ask("describe_data", data=given.file(0))
    return found["data"]["extent"]["area_m2"], list(found.get("warnings", []))


TASKS: Mapping[str, Callable[[Given], Awaitable[Answer]]] = {
    "raster_mean": raster_mean,
    "planar_area_m2": plane_area,
    "ground_area_m2": ground_area,
    "points_in_polygon_count": points_inside,
    "feature_count": count_features,
    "count_within_distance": count_within,
    "class_area_m2": class_area,
    "ndvi_mean": ndvi,
    "buildable_area_m2": plane_area,
    "total_ground_area_m2": united_area,
    "pipe_length_m": length_in_space,
    "pipe_length_total_m": length_of_pipes,
    "district_of_parcel": district_of,
    "wells_in_districts": points_inside,
    "latitude_decimal": latitude,
    "wgs84_latitude": only_latitude,
    "area_unemployment_rate_pct": unemployment,
    "total_population": joined_population,
    "flooded_farmland_m2": common_area,
    "sheet_area_m2": plane_area,
    "thiessen_value_mm": thiessen,
    "parcel_area_m2": area_of_corners,
    "ships_in_zone": zone_first,
    "workable_area_m2": area_outside,
    "lowest_cell_easting": lowest_easting,
    "mean_slope_degrees": mean_slope,
    "raster_ground_area_m2": raster_area,
    "net_plot_area_m2": plane_area,
    "field_area_m2": ground_area,
}
"""By the operation of a task's ``call``; one that is not here is unsupported."""
