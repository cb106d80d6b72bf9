"""Tools that ask the network, in toolset ``online``: STAC services, and parts of what lies elsewhere as files here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.errors import LabrigError, unknown_name
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig_earth.catalogue.archives import require_connected
from labrig_earth.catalogue.overpass import fetch_osm
from labrig_earth.catalogue.stac_service import EARTH_SEARCH, search_items
from labrig_earth.server.arguments import Where, read_conditions, word_of
from labrig_earth.server.base import state, toolbox
from labrig_earth.server.operations import fetch_and_decode

SOURCES = ("earth_search",)
KINDS = ("raster", "zarr", "osm")
MOST_BYTES = 6000
"""Of the items in an answer."""


@toolbox.tool(
    title="Find data online",
    read_only=True,
    open_world=True,
    toolsets=("online",),
    words="search satellite scenes, images, Sentinel-2, Landsat, Sentinel-1, cloud cover, STAC catalogue, "
    "Copernicus DEM, elevation, land cover, population or global products that are free, without paying, over a "
    "place and dates",
)
async def find_online(
    collections: Annotated[
        list[str], Field(max_length=10, description="Such as sentinel-2-l2a, landsat-c2-l2, cop-dem-glo-30.")
    ],
    bbox: Annotated[list[float] | None, Field(description="[west, south, east, north].")] = None,
    start: Annotated[str, Field(description="ISO date, month or year.")] = "",
    end: Annotated[str, Field(description="Included.")] = "",
    most_cloud: Annotated[float | None, Field(ge=0, le=100, description="Per cent.")] = None,
    most: Annotated[int, Field(ge=1, le=50, description="Items shown.")] = 10,
    source: Annotated[str, Field(description="A STAC service: earth_search.")] = "earth_search",
) -> Answer:
    """Search a STAC service for scenes and rasters; each has the addresses of its bands, which fetch_part cuts.

    Which scenes (Sentinel-2, Landsat) with less cloud cover exist over a place, and which global products (Copernicus
    DEM) can be had without paying.

    Example: {"collections": ["sentinel-2-l2a"], "bbox": [12.6, 48.2, 12.8, 48.3], "start": "2022-06", "most_cloud": 10}
    """
    require_connected(source, SOURCES)
    found = await search_items(
        state().client,
        EARTH_SEARCH,
        collections=collections,
        box=bbox,
        start=start,
        end=end,
        most_cloud=most_cloud,
        most=most,
    )
    rows: list[dict[str, Any]] = [
        {"name": entry.name, "start": entry.start, "box": entry.box, "bands": _bands(entry)}
        for entry in found
    ]
    while rows and len(json.dumps(rows)) > MOST_BYTES:
        rows = rows[: len(rows) // 2] if len(rows) > 1 else []
    return Answer(
        source=f"{EARTH_SEARCH.name} ({EARTH_SEARCH.at()})",
        values=(Quantity("items found", len(found), "1", f"{len(rows)} shown"),),
        data={"found": rows},
        next='fetch_part(kind="raster", url=..., bbox=...) cuts a band' if rows else "",
        warnings=() if found else ("nothing fits; a wider box, a longer time, other collections?",),
    )


def _bands(entry: Any) -> dict[str, str]:
    """Return at most eight addresses of an item by the names of its assets."""
    first = entry.variables[0].name if entry.variables else "data"
    return dict(list({first: entry.where, **entry.more}.items())[:8])


@toolbox.tool(
    title="Fetch a part",
    read_only=False,
    open_world=True,
    toolsets=("online",),
    words="download a region, box or tiles of a cloud-optimized GeoTIFF, COG, DEM, Copernicus, a public zarr on "
    "Google cloud, AWS or Azure, CMIP6, ERA5, OpenStreetMap streets, street network, buildings, Overpass, cut, "
    "subset, without the whole file",
)
async def fetch_part(
    kind: Annotated[str, word_of(KINDS, "raster: GeoTIFF; osm: by Overpass, without url, where names tags.")],
    url: Annotated[str, Field(max_length=2000, description="Of a GeoTIFF or a Zarr store.")] = "",
    bbox: Annotated[list[float] | None, Field(description="[west, south, east, north].")] = None,
    variables: Annotated[list[str], Field(max_length=20, description="Of a Zarr store.")] = [],  # noqa: B006
    start: Annotated[str, Field(description="Of a Zarr store, ISO.")] = "",
    end: Annotated[str, Field(description="Included.")] = "",
    where: Where = {},  # noqa: B006
) -> Answer:
    """Fetch the part of a raster, a Zarr store or OpenStreetMap in a box; only its blocks are asked for.

    Download tiles of the Copernicus 30 m DEM, cut a region out of a public zarr on a cloud (CMIP6), or get the street
    network of a town from OpenStreetMap.

    Example: {"kind": "osm", "bbox": [12.7, 48.28, 12.73, 48.29], "where": [{"column": "highway"}]}
    """
    if kind not in KINDS:
        raise unknown_name("kind", kind, KINDS, where="kind")
    if kind != "zarr" and bbox is None:
        raise LabrigError("A box is missing", where="bbox", expected="[west, south, east, north]")
    if kind == "osm":
        return await _osm(bbox or [], read_conditions(where))
    if not url.startswith(("http://", "https://")):
        raise LabrigError("An address is missing", where="url", expected="https://...")
    arguments = {"bbox": bbox, "variables": variables, "start": start, "end": end}
    return await _part(kind, url, arguments)


async def _osm(bbox: list[float], where: dict[str, Any]) -> Answer:
    here = session()
    content = await fetch_osm(state().client, bbox, where)
    made_by = {"server": "earth", "tool": "fetch_part", "kind": "osm", "bbox": bbox, "where": where}
    put = here.artifacts.put
    kept = await in_thread(lambda: put("part.osm", content, media_type="application/xml", made_by=made_by))
    return Answer(
        source="OpenStreetMap contributors (ODbL), by Overpass",
        values=(Quantity("size", len(content), "B"),),
        artifacts=(kept.to_dict(),),
        next="query_features and route_on_streets take the handle as data",
    )


async def _part(kind: str, url: str, arguments: dict[str, Any]) -> Answer:
    """Have a part fetched, and keep its file."""
    here = session()
    made_by = {"server": "earth", "tool": "fetch_part", "kind": kind, "url": url, **arguments}
    below = [url.rstrip("/") + "/"] if kind == "zarr" else []
    asked = {"url": url, **arguments}
    async with fetch_and_decode(f"fetch_{kind}", asked, here, exact=[url], below=below) as (folder, found):
        place = Path(f"/proc/self/fd/{folder.descriptor}")
        place = (place if place.exists() else here.workspace.folder) / found.files[0]
        put_path = here.artifacts.put_path
        kept = await in_thread(lambda: put_path(place, made_by=made_by))
    return Answer(
        source=url[:500],
        data={"part": dict(found.data)},
        artifacts=(kept.to_dict(),),
        next="the handle stands for the file in every tool",
    )
