"""Grids, rasters and vectors as xarray and geopandas objects, whatever format they lie in.

The engine is always named: without it xarray tries every reader that is installed, and some of these bring a PROJ of
their own that ends the process (eccodes 2.50 before pyproj 3.7). Grids and rasters are lazy, in pieces of `CHUNK`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from labrig.errors import LabrigError, over_limit, unknown_name
from labrig.tables.codecs import unknown_codec
from labrig_earth.data.bounds import note_bounds, note_edges, note_land
from labrig_earth.data.corners import note_corners
from labrig_earth.data.elsewhere import check_file, check_store, objects
from labrig_earth.data.formats import DRIVERS, GRIDS, VECTORS, Format, Place, format_of
from labrig_earth.data.parquet import read_parquet
from labrig_earth.data.projected import in_metres, with_plane
from labrig_earth.data.stations import frame_of, places_of, with_names
from labrig_earth.data.tables import points_of, read_table

CHUNK = "32MiB"
MOST_PIECE_BYTES = 1 << 30
DEFAULT_FILL = 9.969209968386869e36
"""Of NetCDF, for floats of either size that have no other (NC_FILL_DOUBLE)."""
SCALED = "labrig_scaled"
"""Attribute of a raster: the scale and offset of its bands, which have been applied."""
OF_BANDS = "units_of_bands"
"""Attribute of a raster whose bands have different units: all of them."""
WARPED = "labrig_warped"
"""Attribute of a raster that is not stored from north to south: how it was put on such rows."""
RPC = "placed by its camera model (RPC)"
STRAIGHT_WITHIN = 1e-9
"""Part of a cell's size by which rows may lie askew, as rounding makes them."""
MOST_VECTOR_BYTES = 512 << 20
UNNAMED = ("csv", "parquet")
"""Tables, whose one layer has no name."""
_Opened = TypeVar("_Opened")


def open_dataset(given: Place | str | Path, *, group: str = "") -> Any:
    """Open NetCDF, Zarr or GeoTIFF as an `xarray.Dataset`, lazily; packed integers and times are decoded.

    Parameters
    ----------
    group
        Of a NetCDF 4 file or Zarr store.

    Returns
    -------
    xarray.Dataset
        With dask arrays. `encoding` of each variable holds how it is stored; ``encoding["source"]`` is the name. Time
        axes with a calendar of their own (noleap, 360_day) have `cftime` values. A GeoTIFF is one variable
        ``band_data`` over band, y, x, with the scale and offset of its bands applied.

    Raises
    ------
    LabrigError
        ``bad_input`` for a file that is broken or of another kind, as `formats.format_of`.
    """
    import dask
    import xarray as xr
    from dask.utils import parse_bytes

    place = Place.of(given)
    kind = format_of(place)
    if kind in DRIVERS:
        return _in_unit(open_raster(place)).to_dataset(name="band_data")
    if kind not in GRIDS:
        raise _other(place, kind, "a grid (NetCDF, Zarr, GeoTIFF, JPEG 2000)")
    times = xr.coders.CFDatetimeCoder(use_cftime=None)
    named: dict[str, Any] = {"decode_times": times, "decode_timedelta": False, "group": group or None}
    engine = "zarr" if kind == "zarr" else "netcdf4"

    _tried(lambda: check_store(place) if kind == "zarr" else check_file(place), place)
    if group and group not in (groups := _tried(lambda: _groups(place, kind), place)):
        raise unknown_name("group", group, groups, where=place.name)

    def opens(chunks: Any) -> Any:
        return xr.open_dataset(place.path, engine=engine, chunks=chunks, **named)

    def either() -> Any:
        try:
            stored = opens(None)
        except ValueError as error:
            if "time units" not in str(error):
                raise
            named["decode_times"] = False
            named["decode_times"] = _with_times(opens(None), times)
            stored = opens(None)
        with dask.config.set({"array.chunk-size": CHUNK}):
            # A part of a stored piece costs as much as all of it: large ones are not cut further.
            if max((_stored_bytes(stored[name]) for name in stored.data_vars), default=0) > parse_bytes(
                CHUNK
            ):
                return opens({})
            try:
                return opens("auto")
            except NotImplementedError:  # text has no size from which pieces could be made
                return opens({})

    found = _tried(either, place)
    for name in found.data_vars:
        size = _stored_bytes(found[name])
        if size > MOST_PIECE_BYTES:
            raise LabrigError(
                f"{name} is stored in pieces of {size / 1e9:.1f} GB, each of which must be read whole",
                where=place.name,
                expected=f"pieces of at most {MOST_PIECE_BYTES / 1e9:.1f} GB",
                try_="store it in smaller chunks",
                code="limit",
            )
    found = with_plane(_with_named_axes(found if kind == "zarr" else _without_fill(found)))
    found.encoding["source"] = place.name
    mappings = [name for name in found.data_vars if "grid_mapping_name" in found[name].attrs]
    found = note_corners(in_metres(found.set_coords(mappings)))  # as coordinates they stay with each variable
    found = with_names(note_edges(note_land(note_bounds(found))))
    if not found.data_vars and not group:
        found.encoding["groups"] = _tried(lambda: _groups(place, kind), place)
    return found


def _groups(place: Place, kind: str) -> list[str]:
    """Return the paths of the groups below the top of a NetCDF 4 file or Zarr store that hold variables."""
    if kind == "zarr":
        import zarr

        top = zarr.open_group(place.path, mode="r")
        members = top.members(max_depth=None)
        paths = {name.rpartition("/")[0] for name, each in members if isinstance(each, zarr.Array)}
        return sorted(paths - {""})
    import h5py

    if not h5py.is_hdf5(place.path):
        return []
    with h5py.File(place.path, "r") as file:
        paths = {each.parent.name.strip("/") for _, each in objects(file) if isinstance(each, h5py.Dataset)}
    return sorted(paths - {""})


def _with_times(stored: Any, times: Any) -> dict[str, Any]:
    """Return how the times of each variable are decoded: what no calendar has, and its bounds, stays numbers."""
    import xarray as xr

    left_out = set()
    for name, each in stored.variables.items():
        try:
            xr.conventions.decode_cf_variable(name, each, decode_times=times, decode_timedelta=False)
        except ValueError:
            left_out |= {str(name), str(each.attrs.get("bounds", ""))}
    return {str(name): False if str(name) in left_out else times for name in stored.variables}


AXES = ("time", "projection_x_coordinate", "projection_y_coordinate")


def _with_named_axes(data: Any) -> Any:
    """Return a dataset with times and coordinates of a projection as axes where their dimension has another name and
    no coordinate of its own; times of places, or of rows of a swath, are none."""
    for name in list(data.variables):
        axis = data[name]
        kind = axis.attrs.get("standard_name")
        if axis.ndim != 1 or name in data.dims or kind not in AXES or axis.dims[0] in data.variables:
            continue
        along = [each for each in data.variables if axis.dims[0] in data[each].dims and each != name]
        if not {data[each].attrs.get("standard_name") for each in along} & {"latitude", "longitude", kind}:
            data = data.set_coords(name).swap_dims({axis.dims[0]: name})
    return data


def _without_fill(data: Any) -> Any:
    """Return a NetCDF dataset without what its library puts where nobody wrote, of variables that state no fill."""
    for name in data.data_vars:
        each = data[name]
        stated = {"_FillValue", "missing_value"} & each.encoding.keys()
        if each.dtype.kind == "f" and each.ndim and not stated:
            data[name] = each.where(each != DEFAULT_FILL)
            data[name].encoding = each.encoding
    return data


def _stored_bytes(variable: Any) -> int:
    """Return the size of a decoded piece of a variable, as the file is divided; 0 for one that is not divided."""
    sizes = variable.encoding.get("preferred_chunks") or {}
    return int(prod(sizes.values()) * variable.dtype.itemsize) if sizes else 0


def _in_unit(raster: Any) -> Any:
    """Return a raster with the scale and offset of each band applied, as GDAL defines them; `attrs` say so."""
    if isinstance(units := raster.attrs.get("units"), tuple):  # since they differ
        raster.attrs = {key: value for key, value in raster.attrs.items() if key != "units"}
        raster.attrs[OF_BANDS] = ", ".join(units)
    stated = raster.attrs | raster.encoding
    scales, offsets = (  # rioxarray has one name where all bands have the same, and another where they differ
        np.broadcast_to(np.asarray(stated.get(one, stated.get(each, usual)), "f8"), raster.sizes["band"])
        for one, each, usual in (("scale_factor", "scales", 1.0), ("add_offset", "offsets", 0.0))
    )
    if (scales == 1).all() and (offsets == 0).all():
        return raster
    factor, shift = (raster["band"].copy(data=values) for values in (scales, offsets))
    left_out = ("scale_factor", "add_offset", "scales", "offsets")
    attrs = {key: value for key, value in raster.attrs.items() if key not in left_out}
    said = ", ".join(
        f"{scale:g} x stored + {offset:g}"
        for scale, offset in dict.fromkeys(zip(scales, offsets, strict=True))
    )
    attrs[SCALED] = said
    scaled = raster.astype("f8") * factor + shift
    scaled.attrs = attrs
    scaled.encoding = {
        key: value for key, value in raster.encoding.items() if key in ("source", "preferred_chunks")
    }
    return scaled


def open_raster(given: Place | str | Path) -> Any:
    """Open a GeoTIFF (also cloud-optimized) or JPEG 2000 as an `xarray.DataArray` over band, y, x; lazily.

    Missing cells are NaN. Scale and offset that the file states are not applied: they are in ``attrs``
    (``scale_factor``, ``add_offset``), and `rio` has CRS and transform. Rows that lie askew, and those of a file with
    control points or a camera's model instead of a grid, are warped to a grid by nearest neighbour (`WARPED`).

    Raises
    ------
    LabrigError
        As `open_dataset`.
    """
    import dask
    import rasterio
    import rioxarray
    from rasterio.vrt import WarpedVRT

    place = Place.of(given)
    kind = format_of(place)
    if kind not in DRIVERS:
        raise _other(place, kind, "a raster (GeoTIFF, JPEG 2000)")

    def opens() -> Any:
        # The driver is named, so that no other of GDAL's looks at the file; the name has no ending in a child.
        driver = DRIVERS[kind]
        how: dict[str, Any] = {"chunks": "auto", "masked": True, "mask_and_scale": False, "lock": False}
        with dask.config.set({"array.chunk-size": CHUNK}), rasterio.open(place.path, driver=driver) as file:
            said, systems = _askew(file)
            if not said:
                return rioxarray.open_rasterio(place.path, driver=driver, **how)
            with WarpedVRT(file, nodata=np.nan, dtype="float64", **systems) as warped:
                found = rioxarray.open_rasterio(warped, driver=driver, **how)
            found.attrs = file.tags() | found.attrs | {WARPED: said}
            return found

    found = _tried(opens, place)
    found.encoding["source"] = place.name
    return found


def _askew(file: Any) -> tuple[str, dict[str, Any]]:
    """Return how a raster whose rows are not those of a grid is put on one, and between which systems; or nothing."""
    from affine import identity

    turned, straight = (
        abs(file.transform.b) + abs(file.transform.d),
        abs(file.transform.a) + abs(file.transform.e),
    )
    points, system = file.gcps
    if turned > STRAIGHT_WITHIN * straight:
        if not file.crs:
            raise LabrigError(
                "The rows of the raster lie askew, and it states no CRS",
                try_="regrid_variable of a file that states one",
            )
        return "rows that lie askew put on rows from north to south by nearest neighbour", {"crs": file.crs}
    if file.transform == identity and points and system:
        said = f"placed by its {len(points)} control points, by nearest neighbour"
        return said, {"crs": system, "src_crs": system}
    if file.transform == identity and file.rpcs:
        said = f"{RPC} at height 0, by nearest neighbour: high ground lies elsewhere"
        return said, {"crs": "EPSG:4326", "src_crs": "EPSG:4326"}
    return "", {}


def open_vector(given: Place | str | Path, *, layer: str = "", crs: str = "") -> Any:
    """Open points, lines or polygons as a `geopandas.GeoDataFrame`.

    Parameters
    ----------
    layer
        Of a GeoPackage; by default its only one with geometries.
    crs
        Of a CSV table (default EPSG:4326); see `tables.points_of`.

    Raises
    ------
    LabrigError
        As `open_dataset`, and ``bad_input`` where a file has several layers and none is named; ``limit`` above
        `MOST_VECTOR_BYTES`; ``not_found`` for an unknown layer. OSM files are refused here: `labrig_earth.gis` reads
        them.
    """
    import geopandas as gpd
    import pyogrio

    place = Place.of(given)
    kind = format_of(place)
    if kind in GRIDS:
        data = open_dataset(place, group=layer)
        if (places := places_of(data)) is not None:
            return _tried(lambda: frame_of(data, places), place)
    if kind not in VECTORS:
        raise _other(
            place, kind, "vectors (GeoPackage, GeoJSON, Shapefile, GPX, CSV with coordinates, stations)"
        )
    size = Path(place.path).stat().st_size
    if size > MOST_VECTOR_BYTES:
        raise over_limit(
            f"The file has {size:,} bytes",
            MOST_VECTOR_BYTES,
            where=place.name,
            try_="cut it to the region that matters",
        )
    if kind in UNNAMED:
        frame = open_table(place)
        has_shapes = isinstance(frame, gpd.GeoDataFrame)
        return frame if has_shapes else _tried(lambda: points_of(frame, place, crs or "EPSG:4326"), place)
    source = _source(place, kind)
    layers = _tried(lambda: pyogrio.list_layers(source), place)
    names = [str(name) for name in layers[:, 0]]
    if layer and layer not in names:
        from labrig.errors import unknown_name

        raise unknown_name("layer", layer, names, where=place.name)
    if kind == "gpx" and not layer:  # waypoints come first and may be none
        layer = next((name for name in ("tracks", "routes", "waypoints") if _rows(source, name)), names[0])
    if not layer:
        drawn = [str(name) for name, shapes in layers if shapes] or names
        if len(drawn) > 1:
            raise LabrigError(
                f"The file has {len(drawn)} layers",
                where=place.name,
                expected=f"one of {', '.join(drawn[:20])}" + (", .." if len(drawn) > 20 else ""),
                try_=f'layer="{drawn[0]}" (other_layer for a second file; among the options where a tool has them)',
            )
        layer = drawn[0]
    found = _tried(lambda: gpd.read_file(source, layer=layer, engine="pyogrio"), place)
    if not isinstance(found, gpd.GeoDataFrame):
        raise LabrigError("The layer has no geometry", where=f"{place.name}, {layer}")
    return found


def open_table(given: Place | str | Path, *, layer: str = "") -> Any:
    """Open a table as a `pandas.DataFrame`: CSV or Parquet, with or without shapes, or the attributes of a layer.

    Raises
    ------
    LabrigError
        As `open_vector`.
    """
    place = Place.of(given)
    if (kind := format_of(place)) in UNNAMED:
        return _tried(lambda: read_table(place) if kind == "csv" else read_parquet(place), place)
    frame = open_vector(place, layer=layer)
    return frame.drop(columns=frame.geometry.name)


def layer_names(given: Place | str | Path) -> list[str]:
    """Return the layers of a file that have geometries; of CSV and Parquet, which have no names, an empty one.

    Raises
    ------
    LabrigError
        ``bad_input`` for a file that cannot be read.
    """
    import pyogrio

    place = Place.of(given)
    kind = format_of(place)
    if kind in UNNAMED:
        return [""]
    return [
        str(name)
        for name, shapes in _tried(lambda: pyogrio.list_layers(_source(place, kind)), place)
        if shapes
    ]


def _source(place: Place, kind: str) -> str:
    """Return the path of layers for GDAL; in braces it takes it for that of an archive, whatever its ending is."""
    archive = kind == "shapefile" and not Path(place.path).is_dir()
    return f"/vsizip/{{{place.path}}}" if archive else str(place.path)


def _rows(source: str, layer: str) -> int:
    import pyogrio

    try:
        return int(pyogrio.read_info(source, layer=layer, force_feature_count=True)["features"])
    except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError):
        return 0


def _other(place: Place, kind: Format, wanted: str) -> LabrigError:
    instead = "query_features and measure_features read it" if kind in ("osm", "pbf", *VECTORS) else ""
    return LabrigError(f"This is {kind}", where=place.name, expected=wanted, try_=instead)


def _tried(act: Callable[[], _Opened], place: Place) -> _Opened:
    """Return what a library opens; whatever it raises says that the file is broken."""
    try:
        return act()
    except (LabrigError, MemoryError):
        raise
    except Exception as error:  # each library has its own, and a broken file finds others
        said = " ".join(str(error).replace(place.path, place.name).split())[:300]
        raise unknown_codec(error, place.name) or LabrigError(
            f"The file cannot be read: {type(error).__name__}: {said}", where=place.name
        ) from None
