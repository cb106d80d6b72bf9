"""What is in a file of features: layers, columns, kinds of geometry, reference system and extent; features stay unread
where the format tells all that by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig_earth.data.formats import Place, format_of
from labrig_earth.data.opening import UNNAMED, open_table, open_vector
from labrig_earth.data.tables import NO_COORDINATES
from labrig_earth.results import Result

MOST_LAYERS, MOST_COLUMNS = 20, 30
MOST_EXAMPLES = 5


def describe_layers(place: Place, *, layer: str = "") -> Result:
    """Describe the layers of a file, or one of them with its columns.

    Returns
    -------
    Result
        `data` has ``layers``, each with the number of features, kinds of geometry, ``columns`` (type, examples) and
        extent (west, south, east, north, in the reference system of the layer).

    Raises
    ------
    LabrigError
        As `opening.open_vector`.
    """
    kind = format_of(place)
    if kind in UNNAMED:
        names = [place.name]
    else:
        import pyogrio

        inside = kind == "shapefile" and not Path(place.path).is_dir()
        source = f"/vsizip/{{{place.path}}}" if inside else place.path
        try:
            names = [str(name) for name in pyogrio.list_layers(source)[:, 0]]
        except pyogrio.errors.DataSourceError:
            names = []  # opening it says what is wrong
    if layer and layer not in names:
        raise unknown_name("layer", layer, names, where=place.name)
    described: dict[str, Any] = {}
    warnings: list[str] = []
    crs = ""
    for name in [layer] if layer else names[:MOST_LAYERS] or [""]:
        frame = _opened(place, "" if kind in UNNAMED else name, warnings)
        own = kind in ("gpkg", "gpx") and name  # others call their one layer by the path, which is a child's
        shown = str(own or place.name)
        described[shown], crs = _layer(frame, shown, warnings)
    if len(names) > MOST_LAYERS and not layer:
        warnings.append(f"{len(names) - MOST_LAYERS} more layers; layer=NAME describes one")
    return Result(
        method="read from the file",
        data={"format": kind, "layers": described},
        warnings=tuple(warnings),
        crs=crs,
        source=place.name,
    )


def _opened(place: Place, layer: str, warnings: list[str]) -> Any:
    """Return a layer; of a table without coordinates its columns alone."""
    try:
        return open_vector(place, layer=layer)
    except LabrigError as error:
        if not error.what.startswith(NO_COORDINATES):
            raise
        warnings.append(
            f"{error.what}: {error.expected} would be some; join_table and summarise_table take it"
        )
        return open_table(place)


def _layer(frame: Any, name: str, warnings: list[str]) -> tuple[dict[str, Any], str]:
    """Return what is in a layer, and its reference system."""
    if not hasattr(frame, "geometry"):
        shown = {str(each): _column(frame[each]) for each in list(frame.columns)[:MOST_COLUMNS]}
        return {"rows": len(frame), "columns": shown}, ""
    authority = frame.crs.to_authority(min_confidence=70) if frame.crs is not None else None
    crs = ":".join(authority) if authority else (frame.crs.to_wkt() if frame.crs is not None else "")
    if not crs:
        warnings.append(f"{name} states no reference system")
    geometry = frame.geometry
    empty = int((geometry.isna() | geometry.is_empty).sum())
    if empty:
        warnings.append(f"{empty} features of {name} have no geometry")
    invalid = int((~geometry[~geometry.isna()].is_valid).sum())
    if invalid:
        warnings.append(f"{invalid} geometries of {name} are not valid (they cross themselves, or touch)")
    kinds = {str(kind): int(count) for kind, count in geometry.geom_type.value_counts().items()}
    columns = [each for each in frame.columns if each != geometry.name]
    fields: dict[str, Any] = {
        "features": len(frame),
        "geometries": kinds,
        "crs": crs if len(crs) < 40 else crs[:40] + "..",
        "columns": {str(each): _column(frame[each]) for each in columns[:MOST_COLUMNS]},
    }
    if len(frame) > empty:
        fields["extent"] = [round(float(each), 6) for each in frame.total_bounds]
    return fields, crs


def _column(column: Any) -> str:
    """Return the type of a column and some of its values: ``int64: 1 to 12``, ``str: Nord, Süd``."""
    known = column.dropna()
    if not len(known):
        return f"{column.dtype}: all missing"
    if isinstance(known.iloc[0], bytes):
        return f"binary: {len(known)} values"
    if column.dtype.kind in "iuf":
        return f"{column.dtype}: {known.min():.6g} to {known.max():.6g}"
    shown = ", ".join(str(each)[:24] for each in known.astype(str).unique()[:MOST_EXAMPLES])
    return f"{column.dtype}: {shown}"
