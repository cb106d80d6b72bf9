"""Inputs of CLIMADA out of data: events out of grids or polygons, assets out of a grid; by ``make_input``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labrig.answer import Quantity
from labrig.errors import LabrigError, over_limit, unknown_name
from labrig.tables.writing import csv_text
from labrig_earth.data.formats import Place, format_of
from labrig_earth.gis.features import read_features
from labrig_earth.grids.axes import Axes, horizontal
from labrig_earth.grids.periods import over_time
from labrig_earth.grids.reading import Field, in_unit, readable, selected, variable
from labrig_earth.grids.times import iso
from labrig_earth.impact.risk.exposure import MOST_ASSETS, MOST_VALUE, read_exposure
from labrig_earth.impact.risk.hazard import MOST_CENTROIDS, MOST_FREQUENCY, Hazard, hazard_of
from labrig_earth.impact.risk.overlay import STRENGTHS
from labrig_earth.impact.sampling import fields_of, labels_of, source_of
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.tables import Floats
from labrig_earth.results import Result
from labrig_earth.work.arguments import mapping_of
from labrig_earth.work.calls import Call
from labrig_earth.work.fields import Fields

MOST_BYTES = 30 << 20
MOST_VALUES = 4_000_000
EVENTS = ("year", "steps")


def make_hazard(call: Call) -> Result:
    """Write ``hazard.json``.

    Of a grid: ``variables`` ({``intensity``: its name}, or the only one); ``options``: ``hazard_type``, ``unit`` (as
    the file has it), ``events`` (``year``: the maximum of each year; ``steps``: each step), ``frequency_per_year`` (of
    ``steps``), ``above`` (what is less is no hazard), ``start``, ``end``, ``box``. Of polygons: ``hazard_type``,
    ``unit``, ``spacing_m`` of the centroids, ``frequency_per_year`` and ``column`` where the layer has none of its own,
    and ``zones``, an area that centroids fill.
    """
    asked = Fields(mapping_of(call, "options"), "options")
    places = call.inputs.get("data", ())
    if len(places) == 1 and format_of(places[0]) in ("geojson", "gpkg", "shapefile", "osm", "pbf"):
        hazard, notes, method = _of_polygons(call, places[0], asked)
        warnings: Sequence[str] = ()
    else:
        hazard, notes, method, warnings = _of_grid(call, asked)
    content = _json(hazard, ", ".join(place.name for place in places))
    if len(content) > MOST_BYTES:
        raise LabrigError(
            f"The events would take {len(content) >> 20} MB",
            where="data",
            expected=f"at most {MOST_BYTES >> 20} MB",
            try_="a box, fewer years or above",
            code="limit",
        )
    (call.scratch / "hazard.json").write_bytes(content)
    return Result(
        method=method,
        values=(
            Quantity("events", len(hazard.events), "1"),
            Quantity("centroids", len(hazard.latitude), "1"),
            Quantity(
                "strongest intensity", round(float(hazard.intensity.data.max(initial=0)), 4), hazard.unit
            ),
            Quantity("events a year", round(float(hazard.frequency.sum()), 6), "1/year"),
        ),
        data={"hazard_type": hazard.kind, "events": list(hazard.events[:20])},
        assumed=tuple(notes),
        warnings=tuple(warnings),
        source=", ".join(place.name for place in places),
        files=("hazard.json",),
    )


def _of_grid(call: Call, asked: Fields) -> tuple[Hazard, list[str], str, Sequence[str]]:
    kind, unit = asked.text("hazard_type"), asked.text("unit", "")
    how = asked.choice("events", EVENTS, "year")
    above = asked.number("above", 0, 1e6, "units of the intensity", 0.0)
    frequency = (
        asked.number("frequency_per_year", 1e-9, MOST_FREQUENCY, "events a year") if how == "steps" else None
    )
    part = {name: asked.any(name) for name in ("start", "end", "box") if asked.has(name)}
    asked.require_all_known()
    fields = fields_of(call)
    chosen = selected(_variable(call, fields, "intensity"), part)
    chosen = readable(in_unit(chosen, unit))
    unit = str(chosen.data.attrs.get("units", ""))
    data, axes, notes = chosen.data, horizontal(chosen.data), [*chosen.assumed]
    data, dim, said = _events(data, chosen.axes.time, how)
    notes += said
    _require_few(data.sizes[dim], data.sizes[axes.y] * data.sizes[axes.x])
    values = np.asarray(data.transpose(dim, axes.y, axes.x).values, dtype=float).reshape(data.sizes[dim], -1)
    latitude, longitude = _degrees(data, axes)
    whole = ~np.isnan(values).all(axis=1)
    names = [_name(each, how) for each, kept in zip(data[dim].values, whole, strict=True) if kept]
    values = values[whole]
    known = ~np.isnan(values).all(axis=0)
    values = values[:, known]
    if np.isnan(values).any() or not values.size:
        raise LabrigError(
            "Some cells are missing in some events only",
            where="variables, intensity",
            expected="cells that have values in all events, or in none",
        )
    if not known.all():
        notes.append(f"{int((~known).sum()):,} cells without values are no centroids")
    if above:
        values = np.where(values < above, 0.0, values)
        notes.append(f"less than {above:g} {unit} is no hazard")
    each = frequency if frequency is not None else 1 / len(names)
    if frequency is None:
        notes.append(f"each of {len(names)} years has the frequency 1/{len(names)} a year")
    hazard = hazard_of(
        kind, unit, (latitude[known], longitude[known]), names, np.full(len(names), each),
        sparse.csr_matrix(values), chosen.source,
    )  # fmt: skip
    method = f"{'maximum of each year' if how == 'year' else 'each step'} in each cell; centroids are centres of cells"
    return hazard, notes, method, labels_of(fields)


def _require_few(events: int, centroids: int) -> None:
    if events * centroids > MOST_VALUES:
        raise over_limit(
            f"{events:,} events at {centroids:,} centroids are too many",
            MOST_VALUES,
            "intensities",
            where="data, options",
            try_="a box, fewer events, or wider spacing_m",
        )


def _variable(call: Call, fields: Sequence[Field], role: str) -> Field:
    """Return the variable that a call names for a role, or the only one of the first file."""
    named = mapping_of(call, "variables")
    for name in named:
        if name != role:
            raise unknown_name("column", name, (role,), where="variables")
    if not named:
        return variable(fields[0], "")
    return variable(source_of(fields, str(named[role]), role), str(named[role]))


def _events(data: Any, time: str, how: str) -> tuple[Any, str, list[str]]:
    """Return data with one dimension of events beside the grid, and its name."""
    if how == "year":
        found = over_time(data, time, "max", every="year")
        notes = [found.said, "an event is a year: cells may have their maximum on other days of it"]
        return found.data, time, [*notes, *found.warnings]
    others = [str(dim) for dim in data.dims if dim not in (horizontal(data).y, horizontal(data).x)]
    if len(others) != 1:
        raise LabrigError(
            f"The grid has {', '.join(others) or 'no axis'} beside its cells",
            where="data",
            expected="one axis of events",
        )
    return data, others[0], []


def _name(value: Any, how: str) -> str:
    """Return the name of an event: its year, its time, or its number."""
    text = iso(value) if np.issubdtype(np.asarray(value).dtype, np.datetime64) else str(value)
    return text.partition("-")[0] if how == "year" else text


def _degrees(data: Any, axes: Axes) -> tuple[Floats, Floats]:
    """Return latitude and longitude of each cell's centre, from -180 to 180 degrees east."""
    y, x = (np.asarray(data[name].values, dtype=float) for name in (axes.y, axes.x))
    north, east = (each.reshape(-1) for each in np.meshgrid(y, x, indexing="ij"))
    if not axes.geographic:
        if not axes.crs:
            raise LabrigError(
                "The grid does not say in which system its x and y are", where="data", expected="a crs"
            )
        from pyproj import Transformer

        east, north = Transformer.from_crs(axes.crs, "EPSG:4326", always_xy=True).transform(east, north)
    return np.round(north, 7), np.round((east + 180) % 360 - 180, 7)


def _of_polygons(call: Call, place: Place, asked: Fields) -> tuple[Hazard, list[str], str]:
    import geopandas as gpd

    kind, unit = asked.text("hazard_type"), asked.text("unit")
    spacing = asked.number("spacing_m", 1, 1e5, "m")
    found = read_features(place, layer=asked.text("layer", ""))
    frame = found.frame
    if not len(frame) or not frame.geom_type.isin(("Polygon", "MultiPolygon")).all():
        raise LabrigError("The hazard is no layer of polygons", where=place.name, expected="polygons")
    default = next((name for name in STRENGTHS if name in frame.columns), "")
    column = asked.text("column", default)
    if column not in frame.columns:
        raise unknown_name("column", column, [str(each) for each in frame.columns], where="options, column")
    names = [str(each) for each in frame["event_id"]] if "event_id" in frame.columns else ["1"] * len(frame)
    if "frequency_per_year" in frame.columns:
        often = _numbers(frame["frequency_per_year"], "frequency_per_year", place.name)
    else:
        often = np.full(len(frame), asked.number("frequency_per_year", 1e-9, MOST_FREQUENCY, "events a year"))
    asked.require_all_known()
    strength = _numbers(frame[column], column, place.name)
    notes = [*found.assumed, *found.warnings]
    metres = frame.estimate_utm_crs()
    shapes = frame.geometry.to_crs(metres)
    zones = call.inputs.get("zones", ())
    area = read_features(zones[0]).frame.geometry.to_crs(metres) if zones else shapes
    west, south, east, north = area.total_bounds
    x, y = (
        np.arange(low - spacing, high + 1.5 * spacing, spacing)
        for low, high in ((west, east), (south, north))
    )
    if len(x) * len(y) > MOST_CENTROIDS:
        raise over_limit(
            f"{len(x) * len(y):,} centroids are too many", MOST_CENTROIDS, where="options, spacing_m"
        )
    across, up = (each.reshape(-1) for each in np.meshgrid(x, y))
    centres = gpd.GeoSeries(gpd.points_from_xy(across, up), crs=metres)
    pairs = centres.sindex.query(shapes, predicate="intersects")
    events = list(dict.fromkeys(names))
    _require_few(len(events), len(centres))
    numbers = {name: number for number, name in enumerate(events)}
    row = np.array([numbers[name] for name in names])
    matrix = np.zeros((len(events), len(centres)))
    np.maximum.at(matrix, (row[pairs[0]], pairs[1]), strength[pairs[0]])
    frequency = np.array([often[row == number][0] for number in range(len(events))])
    if any((often[row == number] != frequency[number]).any() for number in range(len(events))):
        raise LabrigError("An event has two frequencies", where=place.name, expected="one for its polygons")
    degrees = centres.to_crs("EPSG:4326")
    notes.append(
        f"centroids every {spacing:g} m over {zones[0].name if zones else 'the polygons'}; 0 outside of them"
    )
    hazard = hazard_of(
        kind, unit, (degrees.y.to_numpy().round(7), degrees.x.to_numpy().round(7)), events, frequency,
        sparse.csr_matrix(matrix), place.name,
    )  # fmt: skip
    if hazard.intensity.nnz == 0:
        raise LabrigError(
            "No centroid lies in a polygon", where="options, spacing_m", expected="closer centroids"
        )
    return hazard, notes, f"{column} of the polygons in which a centroid lies, the largest of an event"


def _numbers(values: Any, name: str, where: str) -> Floats:
    try:
        if any(isinstance(each, bool | np.bool_) for each in values):
            raise ValueError
        return np.array([float(each) for each in values])
    except (TypeError, ValueError):
        raise LabrigError(f"{name} is no number in each polygon", where=where) from None


def _json(hazard: Hazard, source: str) -> bytes:
    events = []
    for number, name in enumerate(hazard.events):
        row = hazard.intensity[number]
        strength = [float(f"{each:.7g}") for each in row.data.tolist()]
        events.append(
            {
                "event_id": name,
                "frequency_per_year": float(hazard.frequency[number]),
                "centroids": row.indices.tolist(),
                "intensity": strength,
            }
        )
    said = {
        "hazard_type": hazard.kind,
        "intensity_unit": hazard.unit,
        "source": source[:300],
        "latitude": hazard.latitude.tolist(),
        "longitude": hazard.longitude.tolist(),
        "events": events,
    }
    return (json.dumps(said, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def make_assets(call: Call) -> Result:
    """Write ``assets.csv``: an asset for each cell of a grid that holds something.

    Arguments: ``variables`` ({``value``: its name}); ``options``: ``value_unit`` (as the file has it), ``per_unit``
    (what a value is multiplied by, 1), ``asset_type``, ``box``.
    """
    asked = Fields(mapping_of(call, "options"), "options")
    factor = asked.number("per_unit", 1e-9, 1e12, "", 1.0)
    unit, kind = asked.text("value_unit", ""), asked.text("asset_type", "")
    part = {"box": asked.any("box")} if asked.has("box") else {}
    asked.require_all_known()
    fields = fields_of(call)
    chosen = readable(selected(_variable(call, fields, "value"), part))
    data = chosen.data.squeeze(drop=True)
    axes = horizontal(data)
    if set(map(str, data.dims)) != {axes.y, axes.x}:
        raise LabrigError("The grid has a further axis", where="data", expected="one value in each cell")
    unit = unit or str(data.attrs.get("units", ""))
    if unit in ("", "1"):
        raise LabrigError(
            "The grid does not say what its values are", where="data", try_="value_unit, such as people"
        )
    values = np.asarray(data.transpose(axes.y, axes.x).values, dtype=float) * factor
    latitude, longitude = _degrees(data, axes)
    flat = values.reshape(-1)
    if (flat < 0).any() or (flat > MOST_VALUE).any():
        raise LabrigError(
            f"Values are {np.nanmin(flat):g} to {np.nanmax(flat):g}",
            where="data",
            expected=f"0 to {MOST_VALUE:g}",
        )
    held = np.flatnonzero(flat > 0)
    if not 1 <= len(held) <= MOST_ASSETS:
        raise LabrigError(
            f"{len(held):,} cells hold something", where="data", expected=f"1 to {MOST_ASSETS:,} cells"
        )
    rows = []
    for cell in held:
        row, column = divmod(int(cell), values.shape[1])
        place = (f"r{row}c{column}", latitude[cell], longitude[cell], f"{flat[cell]:.9g}", unit)
        rows.append((*place, kind) if kind else place)
    head = ("exposure_id", "latitude", "longitude", "value", "value_unit", "asset_type")
    content = csv_text(head if kind else head[:-1], rows).encode()
    read_exposure(Named("assets.csv", content))  # whatever a run would refuse is refused now
    (call.scratch / "assets.csv").write_bytes(content)
    return Result(
        method="each cell above 0 is an asset at its centre",
        values=(
            Quantity("assets", len(held), "1"),
            Quantity("value", round(float(flat[held].sum()), 6), unit),
        ),
        data={"left_out": int(np.isnan(flat).sum() + (flat == 0).sum())},
        assumed=(*chosen.assumed, *((f"values are multiplied by {factor:g}",) if factor != 1 else ())),
        warnings=labels_of(fields),
        source=chosen.source,
        files=("assets.csv",),
    )
