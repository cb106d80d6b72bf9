"""Tables of Parquet, with the geometries that GeoParquet (1.0 and 1.1, WKB or native) or their own types say they hold.

pyarrow is imported by the child that needs it, before it closes itself in (`work.inside`): its threads would not
survive a fork. Its values are taken as Python's, since pandas was imported without it.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place

BEGINS = b"PAR1"


def load_pyarrow() -> None:
    """Import pyarrow, which is kept out of what children are forked from; where it is not installed, nothing."""
    if "pyarrow" in sys.modules and sys.modules["pyarrow"] is None:
        del sys.modules["pyarrow"]
    with suppress(ImportError):
        importlib.import_module("pyarrow.parquet")


def read_parquet(place: Place) -> Any:
    """Return a Parquet file as a `geopandas.GeoDataFrame` where it is GeoParquet, else as a `pandas.DataFrame`.

    Raises
    ------
    LabrigError
        ``unavailable`` without pyarrow.
    """
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise LabrigError(
            "Parquet is read by pyarrow, which is not installed",
            where=place.name,
            try_="pip install pyarrow, into the environment of Labrig",
            code="unavailable",
        ) from None
    import geopandas as gpd
    import pandas as pd

    with Path(place.path).open("rb") as file:
        opened = pq.ParquetFile(file)
        table = opened.read(use_threads=False)
    about = json.loads((table.schema.metadata or {}).get(b"geo", b"{}")) or _typed(opened)
    shapes = {name: each for name, each in about.get("columns", {}).items() if name in table.column_names}
    frame = pd.DataFrame(
        {name: _values(table.column(name)) for name in table.column_names if name not in shapes}
    )
    main = about.get("primary_column")
    if main not in shapes:
        return frame
    geometry = _geometry(table.column(main), shapes[main])
    crs = shapes[main].get("crs", "OGC:CRS84")  # GeoParquet: absent is CRS84, null is unknown
    return gpd.GeoDataFrame(
        frame, geometry=gpd.GeoSeries(geometry, crs=json.dumps(crs) if isinstance(crs, dict) else crs)
    )


def _typed(opened: Any) -> dict[str, Any]:
    """Return what GeoParquet would say of columns whose own type is GEOMETRY or GEOGRAPHY (Parquet 2.11); else nothing.

    Their CRS is in PROJJSON, as ``srid:5070``, or named as ``projjson:KEY`` of the file; without one it is CRS84.
    """
    columns: dict[str, Any] = {}
    for place in range(len(opened.schema)):
        column = opened.schema.column(place)
        kind = json.loads(column.logical_type.to_json())
        if kind["Type"] not in ("Geometry", "Geography"):
            continue
        columns[column.path] = {}
        way, _, rest = str(kind.get("crs", "")).partition(":")
        if way == "srid":
            columns[column.path]["crs"] = f"EPSG:{rest}"
        elif way == "projjson":
            columns[column.path]["crs"] = json.loads((opened.metadata.metadata or {})[rest.encode()])
        elif way:
            columns[column.path]["crs"] = kind["crs"]
    return {"columns": columns, "primary_column": next(iter(columns))} if columns else {}


def _values(column: Any) -> list[Any]:
    """Return values as Python's; bytes that are text in all rows, as older writers leave it, become text."""
    values: list[Any] = column.to_pylist()
    if not any(isinstance(each, bytes) for each in values):
        return values
    try:
        return [each.decode() if isinstance(each, bytes) else each for each in values]
    except UnicodeDecodeError:
        return values


def _geometry(column: Any, about: dict[str, Any]) -> Any:
    """Return the shapes of a column: of WKB, or of coordinates as Arrow nests them (GeoArrow)."""
    import shapely

    if about.get("encoding", "WKB") == "WKB":
        return shapely.from_wkb(column.to_pylist())
    kinds: dict[str, Callable[[Any], Any]] = {
        "point": lambda each: shapely.Point(_place(each)),
        "linestring": lambda each: shapely.LineString(_places(each)),
        "polygon": _polygon,
        "multipoint": lambda each: shapely.MultiPoint(_places(each)),
        "multilinestring": lambda each: shapely.MultiLineString([_places(line) for line in each]),
        "multipolygon": lambda each: shapely.MultiPolygon([_polygon(part) for part in each]),
    }
    kind = kinds[about["encoding"]]
    return [None if each is None else kind(each) for each in column.to_pylist()]


def _place(each: dict[str, float]) -> tuple[float, ...]:
    return tuple(each[axis] for axis in ("x", "y", "z") if axis in each)


def _places(line: list[dict[str, float]]) -> list[tuple[float, ...]]:
    return [_place(each) for each in line]


def _polygon(rings: list[Any]) -> Any:
    import shapely

    return (
        shapely.Polygon(_places(rings[0]), [_places(ring) for ring in rings[1:]])
        if rings
        else shapely.Polygon()
    )
