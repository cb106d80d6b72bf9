"""Part of a raster or a Zarr store on the network, as a file here: only the blocks that lie in the box are fetched.

These run in a walled child, which another one fetches for (`labrig_earth.catalogue.fetching`). GDAL reads with one
driver from one file object (`labrig.http.rasters`), Zarr through `labrig.http.zarr_store`; neither opens anything by
itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError, over_limit
from labrig.http.rasters import open_raster
from labrig.http.sync import SyncClient
from labrig.http.zarr_store import zarr_store
from labrig.tables.codecs import unknown_codec
from labrig_earth.gis.boxes import check_box
from labrig_earth.results import OFFSET_LEFT_OUT

MOST_CELLS = 50_000_000
CRS = "EPSG:4326"
BELOW, SHARE_BELOW = -0.03, 0.005
"""A reflectance that no surface has, and of how many cells it takes to say that an offset is no longer to be added."""


def fetch_raster(client: SyncClient, url: str, box: Sequence[float], to: Path) -> dict[str, Any]:
    """Write the part of a GeoTIFF on the network that a box covers, with its scale, offset, names and tags.

    Parameters
    ----------
    box
        (west, south, east, north) in degrees.
    to
        The GeoTIFF to write.

    Returns
    -------
    dict
        ``crs``, ``width``, ``height``, ``bands``.

    Raises
    ------
    LabrigError
        ``bad_input`` for a raster without a reference system and a box outside of it; ``limit`` for a part of more than
        `MOST_CELLS`; what the client says.
    """
    from rasterio.warp import transform_bounds
    from rasterio.windows import Window, from_bounds

    west, south, east, north = check_box(box)
    with open_raster(client, url) as source:
        if source.crs is None:
            raise LabrigError("The raster states no reference system", where=url)
        bounds = transform_bounds(CRS, source.crs, west, south, east, north)
        exact = from_bounds(*bounds, transform=source.transform)
        left, top = math.floor(exact.col_off), math.floor(exact.row_off)
        right, bottom = math.ceil(exact.col_off + exact.width), math.ceil(exact.row_off + exact.height)
        wanted = Window(left, top, right - left, bottom - top)
        whole = Window(0, 0, source.width, source.height)
        if not _meet(wanted, whole):
            inside = transform_bounds(source.crs, CRS, *source.bounds)
            raise LabrigError(
                "The box lies outside the raster",
                where=url,
                expected="within "
                + ", ".join(f"{value:.4f}" for value in inside)
                + " (west, south, east, north)",
            )
        window = wanted.intersection(whole)
        cells = int(window.width) * int(window.height) * source.count
        if cells > MOST_CELLS:
            raise over_limit(f"The part has {cells:,} cells", MOST_CELLS, where=url, try_="a smaller box")
        import rasterio

        with rasterio.open(
            to, "w", driver="GTiff", width=int(window.width), height=int(window.height), count=source.count,
            dtype=source.dtypes[0], crs=source.crs, transform=source.window_transform(window), nodata=source.nodata,
            compress="deflate",
        ) as part:  # fmt: skip
            part.write(source.read(window=window))
            part.descriptions, part.scales, part.offsets = source.descriptions, source.scales, source.offsets
            part.update_tags(
                **{key: value for key, value in source.tags().items() if key != "AREA_OR_POINT"}, source=url
            )
        return {
            "crs": str(source.crs),
            "width": int(window.width),
            "height": int(window.height),
            "bands": source.count,
        }


def fetch_scene(
    client: SyncClient,
    bands: Mapping[str, Mapping[str, Any]],
    box: Sequence[float],
    to: Path,
    *,
    step_m: float,
    tags: Mapping[str, str],
) -> dict[str, Any]:
    """Write the part of a scene that a box covers as one GeoTIFF, a band each by its name, with scale and offset.

    Parameters
    ----------
    bands
        ``url``, ``scale`` and ``offset`` by name; scale and offset of the file itself come first. Offsets that a
        catalogue states of numbers from which they are taken off already, as far below 0 as these would be with them,
        are left out. The first band has the grid; others are taken onto it by the nearest cell.
    step_m
        Cells that are at most half as wide are thinned, so that less is fetched.

    Returns
    -------
    dict
        ``crs``, ``width``, ``height``, ``bands``.

    Raises
    ------
    LabrigError
        As `fetch_raster`.
    """
    import numpy as np
    import rasterio
    from rasterio.warp import Resampling, reproject

    grid: tuple[Any, Any, tuple[int, ...]] | None = None
    layers: dict[str, Any] = {}
    factors: dict[str, tuple[float, float]] = {}
    kept: dict[str, str] = {}
    unstated: list[str] = []
    for name, asset in bands.items():
        url = str(asset["url"])
        with open_raster(client, url) as source:
            window, thinned = _part_of(source, url, box, step_m)
            shape = tuple(max(1, round(size / thinned)) for size in (window.height, window.width))
            values = source.read(1, window=window, out_shape=shape)
            place = source.window_transform(window)
            place *= place.scale(window.width / shape[1], window.height / shape[0])
            stated = (float(source.scales[0]), float(source.offsets[0]))
            given = (float(asset["scale"]), float(asset["offset"]))
            factors[name] = given if stated == (1.0, 0.0) else stated
            if stated == (1.0, 0.0) and given[1] < 0:
                unstated.append(name)
            kept = {**source.tags(), **kept}
            if values.dtype.kind not in "iu":
                raise LabrigError(
                    "The band holds no whole numbers", where=url, expected="a band of Sentinel-2 L2A"
                )
            if grid is None:
                grid = (source.crs, place, shape)
            assert grid is not None
            if (source.crs, place, shape) == grid:
                layers[name] = values.astype("u2")
            else:
                onto = np.zeros(grid[2], dtype="u2")
                reproject(
                    values.astype("u2"), onto, src_transform=place, src_crs=source.crs, src_nodata=0,
                    dst_transform=grid[1], dst_crs=grid[0], dst_nodata=0, resampling=Resampling.nearest,
                )  # fmt: skip
                layers[name] = onto
    assert grid is not None
    if any(_far_below_zero(layers[name], *factors[name]) for name in unstated):
        factors |= {name: (factors[name][0], 0.0) for name in unstated}
        kept[OFFSET_LEFT_OUT] = f"{', '.join(unstated)}: reflectances would be far below 0 with it"
    height, width = grid[2]
    kept.pop("AREA_OR_POINT", None)
    with rasterio.open(
        to, "w", driver="GTiff", width=width, height=height, count=len(layers), dtype="uint16", crs=grid[0],
        transform=grid[1], nodata=0, compress="deflate",
    ) as part:  # fmt: skip
        part.write(np.stack(list(layers.values())))
        part.descriptions = tuple(layers)
        part.scales = tuple(factors[name][0] for name in layers)
        part.offsets = tuple(factors[name][1] for name in layers)
        part.update_tags(**{**kept, **tags})
    return {"crs": str(grid[0]), "width": width, "height": height, "bands": list(layers)}


def _far_below_zero(stored: Any, scale: float, offset: float) -> bool:
    """Return whether reflectances (stored * scale + offset, of cells that are not 0) lie where none can."""
    import numpy as np

    valid = stored[stored > 0]
    return bool(valid.size and np.mean(valid * scale + offset < BELOW) > SHARE_BELOW)


def _part_of(source: Any, url: str, box: Sequence[float], step_m: float) -> tuple[Any, int]:
    """Return the window of a raster that a box covers with a cell around it, and by what it may be thinned."""
    from rasterio.warp import transform_bounds
    from rasterio.windows import Window, from_bounds

    if source.crs is None:
        raise LabrigError("The raster states no reference system", where=url)
    exact = from_bounds(*transform_bounds(CRS, source.crs, *check_box(box)), transform=source.transform)
    left, top = math.floor(exact.col_off) - 1, math.floor(exact.row_off) - 1
    right, bottom = math.ceil(exact.col_off + exact.width) + 1, math.ceil(exact.row_off + exact.height) + 1
    wanted, whole = Window(left, top, right - left, bottom - top), Window(0, 0, source.width, source.height)
    if not _meet(wanted, whole):
        raise LabrigError("The box lies outside the raster", where=url, code="not_found")
    window = wanted.intersection(whole)
    step = abs(source.transform.a) * (1.0 if source.crs.is_projected else 111_320.0)
    thinned = max(1, int(step_m / step))
    cells = int(window.width) * int(window.height) // thinned**2
    if cells > MOST_CELLS:
        raise over_limit(f"The part has {cells:,} cells", MOST_CELLS, where=url, try_="a smaller box")
    return window, thinned


def _meet(one: Any, other: Any) -> bool:
    return bool(
        one.col_off < other.col_off + other.width
        and other.col_off < one.col_off + one.width
        and one.row_off < other.row_off + other.height
        and other.row_off < one.row_off + one.height
    )


def fetch_zarr(
    client: SyncClient,
    url: str,
    to: Path,
    *,
    variables: Sequence[str],
    box: Sequence[float] | None = None,
    start: str = "",
    end: str = "",
    headers: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Write the part of a Zarr store on the network (with consolidated metadata) that is asked for as NetCDF.

    Parameters
    ----------
    variables
        At least one.
    box, start, end
        (west, south, east, north) in degrees, ISO times.

    Returns
    -------
    dict
        Sizes of the dimensions.

    Raises
    ------
    LabrigError
        ``not_found`` for variables that are not there; ``limit`` above `MOST_CELLS`; what the client says.
    """
    import xarray as xr

    from labrig.errors import unknown_name
    from labrig_earth.grids.axes import axes_of
    from labrig_earth.grids.selecting import select_box
    from labrig_earth.grids.times import select_range

    store = zarr_store(client, url, headers=headers or {})
    try:
        data = xr.open_dataset(store, engine="zarr", chunks={}, decode_timedelta=False)
    except LabrigError:
        raise
    except Exception as error:  # zarr and xarray have many
        if getattr(store, "denied", False) and not getattr(store, "given", True):
            raise LabrigError(
                "The service refuses every key of this store, as one that is private or not there",
                where=url,
                try_="another address; a bucket that wants an account cannot be read",
                code="refused",
            ) from None
        raise unknown_codec(error, url) or LabrigError(
            f"The store cannot be read: {type(error).__name__}: {str(error)[:200]}",
            where=url,
            expected="a Zarr group with consolidated metadata",
        ) from None
    with data:
        if not variables:
            raise LabrigError(
                "Variables are missing", where="variables", expected=", ".join(map(str, data.data_vars))
            )
        for name in variables:
            if name not in data.data_vars:
                raise unknown_name("variable", name, [str(each) for each in data.data_vars], where=url)
        part = data[list(variables)]
        axes = axes_of(part)
        if start or end:
            part = select_range(part, axes.time, start, end)
        if box is not None:
            part, _ = select_box(part, check_box(box))
        cells = sum(int(part[name].size) for name in variables)
        if cells > MOST_CELLS:
            raise over_limit(
                f"The part has {cells:,} values",
                MOST_CELLS,
                where=url,
                try_="a smaller box or a shorter time",
            )
        part = part.load().drop_encoding()
        part.attrs["source"] = url
        part.to_netcdf(to, engine="netcdf4")
        return {str(name): int(size) for name, size in part.sizes.items()}
