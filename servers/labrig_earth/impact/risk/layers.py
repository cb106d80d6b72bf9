"""Assets out of a layer or OSM data, each with a value; beside them people, and shares of crops and town."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig.tables.writing import csv_text
from labrig_earth.data.formats import Place, format_of
from labrig_earth.impact.risk.degrees import require_degrees
from labrig_earth.impact.tables import Floats, Table, read_table, within

MOST_ASSETS = 200_000
MOST_VALUE, MOST_PEOPLE = 1e15, 2e10
VALUES = ("value", "asset_value_usd", "replacement_cost_usd")
NAMES = ("asset_id", "exposure_id", "id", "osm_id", "number")
TYPES = ("asset_type", "type", "building", "use")
CROPS, TOWN = ("cropland_fraction", "crop_fraction"), ("urban_fraction",)
PEOPLE = ("population", "persons", "people", "count", "value")


@dataclass(frozen=True)
class Assets:
    """Assets: names, types, places in degrees, values (USD; no number where none is stated), notes."""

    names: list[str]
    types: list[str]
    latitude: Floats
    longitude: Floats
    value: Floats
    notes: tuple[str, ...]


def take_layers(
    places: Mapping[str, Place], options: Mapping[str, float | None], outputs: Path
) -> dict[str, Any]:
    """Write ``exposure_layers.csv`` and ``exposure_summary.json``.

    Parameters
    ----------
    places
        ``assets``; as it is given ``satellite`` (a table of fractions) and ``population`` (a table or a grid).
    options
        ``default_value``: USD of an asset that states none, or None.

    Raises
    ------
    LabrigError
        For an asset without a value where no default is given, negative values, fractions out of 0 to 1.
    """
    assets = _assets(places["assets"])
    value, default, notes = assets.value.copy(), options["default_value"], list(assets.notes)
    absent = np.isnan(value)
    if absent.any():
        if default is None:
            raise LabrigError(
                f"{int(absent.sum()):,} of {len(value):,} assets state no value",
                where=places["assets"].name,
                expected=f"a column of {', '.join(VALUES)}",
                try_="default_asset_value_usd, where one value for all of them is meant",
            )
        value[absent] = default
        notes.append(f"{int(absent.sum()):,} of {len(value):,} assets state no value: {default:g} USD each")
    if not value.any():
        raise LabrigError("All values are 0: nothing is exposed", where=places["assets"].name)
    crops = town = people = None
    if "satellite" in places:
        crops, town = _fractions(places["satellite"])
    if "population" in places:
        people, said = _people(places["population"])
        notes += said
    named = zip(assets.names, assets.types, assets.latitude, assets.longitude, value, strict=True)
    table = csv_text(
        ("exposure_id", "asset_type", "latitude", "longitude", "value", "value_unit", "source"),
        (
            (name, kind, f"{north:.7f}", f"{east:.7f}", f"{worth:.12g}", "USD", places["assets"].name)
            for name, kind, north, east, worth in named
        ),
    )
    (outputs / "exposure_layers.csv").write_text(table, encoding="utf-8")
    summary = {
        "total_asset_value_usd": float(value.sum()),
        "asset_count": len(value),
        "cropland_fraction": crops,
        "urban_fraction": town,
        "exposed_population": people,
    }
    (outputs / "exposure_summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return {"warnings": notes, **summary}


def _assets(place: Place) -> Assets:
    found = _of_table(place) if format_of(place) == "csv" else _of_layer(place)
    count = len(found.names)
    if not 1 <= count <= MOST_ASSETS or len(set(found.names)) != count:
        raise LabrigError(
            f"There are {count:,} assets, or a name is there twice",
            where=place.name,
            expected=f"1 to {MOST_ASSETS:,}, each name once",
        )
    known = ~np.isnan(found.value)
    within(found.value[known], "value", 0, MOST_VALUE, "USD, at least 0", place.name)
    return found


def _of_table(place: Place) -> Assets:
    table = read_table(Path(place.path).read_bytes(), place.name, MOST_ASSETS)
    require_degrees(table.one("crs", "EPSG:4326"), place.name)
    columns = {role: _first(table.columns, known) for role, known in _ROLES.items()}
    names, notes = _named(table.columns.get(columns["name"], ()), len(table))
    return Assets(
        names,
        list(table.columns.get(columns["type"], ["generic"] * len(table))),
        table.numbers("latitude", -90, 90, "degrees north"),
        table.numbers("longitude", -180, 180, "degrees east"),
        _values(table.columns.get(columns["value"], [""] * len(table)), place.name),
        notes,
    )


def _of_layer(place: Place) -> Assets:
    from labrig_earth.gis.features import read_features

    osm = format_of(place) in ("osm", "pbf")
    found = read_features(place, keys=("building",)) if osm else read_features(place)
    frame = found.frame
    if not len(frame):
        raise LabrigError("There are no assets", where=place.name, expected="buildings, points or areas")
    points = frame.geometry.representative_point().to_crs("EPSG:4326")
    columns = {role: _first(frame.columns, known) for role, known in _ROLES.items()}
    if osm:
        names = [f"{kind}/{number}" for kind, number in zip(frame.osm_type, frame.osm_id, strict=True)]
        notes: tuple[str, ...] = ("assets are the buildings",)
    else:
        names, notes = _named(list(frame[columns["name"]]) if columns["name"] else (), len(frame))
    return Assets(
        names,
        [str(each) for each in frame[columns["type"]]] if columns["type"] else ["generic"] * len(frame),
        points.y.to_numpy(dtype=float),
        points.x.to_numpy(dtype=float),
        _values(list(frame[columns["value"]]) if columns["value"] else [""] * len(frame), place.name),
        (*notes, "an area stands at a point inside of it", *found.assumed, *found.warnings),
    )


_ROLES = {"name": NAMES, "type": TYPES, "value": VALUES}


def _first(columns: Any, known: tuple[str, ...]) -> str:
    return next((name for name in known if name in columns), "")


def _named(given: Any, count: int) -> tuple[list[str], tuple[str, ...]]:
    if len(given) and all(str(each).strip() for each in given):
        return [str(each) for each in given], ()
    return [f"asset_{number}" for number in range(1, count + 1)], ("assets are numbered in their order",)


def _values(cells: Any, where: str) -> Floats:
    """Return values, and no number for an empty cell; `LabrigError` for text."""
    found = []
    for number, cell in enumerate(cells, 1):
        empty = cell is None or cell == "" or (isinstance(cell, float) and cell != cell)
        try:
            if isinstance(cell, bool):
                raise ValueError
            value = float("nan") if empty else float(cell)
            if not empty and value != value:
                raise ValueError
        except (TypeError, ValueError):
            raise LabrigError(
                f"value is {str(cell)[:40]!r}", where=f"{where}, row {number}", expected="a number, USD"
            ) from None
        found.append(value)
    return np.array(found)


def _fractions(place: Place) -> tuple[float | None, float | None]:
    """Return the shares of crops and of town, means by ``area_km2`` where the table has it."""
    table = read_table(Path(place.path).read_bytes(), place.name, MOST_ASSETS)
    weight = table.numbers("area_km2", 1e-9, 1e9, "km2") if "area_km2" in table.columns else None
    found = []
    for known in (CROPS, TOWN):
        name = _first(table.columns, known)
        values = table.numbers(name, 0, 1, "share of the area, 0 to 1") if name else None
        found.append(None if values is None else float(np.average(values, weights=weight)))
    if found == [None, None]:
        raise LabrigError(
            "There are no fractions",
            where=place.name,
            expected=f"a column of {', '.join((*CROPS, *TOWN))}; an index such as NDVI is no fraction",
        )
    return found[0], found[1]


def _people(place: Place) -> tuple[float, list[str]]:
    """Return how many people a table or a grid counts."""
    if format_of(place) == "csv":
        table: Table = read_table(Path(place.path).read_bytes(), place.name, MOST_ASSETS)
        name = _first(table.columns, PEOPLE)
        if not name:
            raise LabrigError(
                "There is no column of people", where=place.name, expected=f"one of {', '.join(PEOPLE)}"
            )
        return float(table.numbers(name, 0, MOST_PEOPLE, "people").sum()), []
    from labrig_earth.grids.reading import opened, readable, variable

    source = readable(variable(opened(place), ""))
    unit = str(source.data.attrs.get("units", ""))
    if unit not in ("", "1", "people", "persons", "person", "inhabitants", "count"):
        raise LabrigError(f"The grid is in {unit!r}", where=place.name, expected="people in each cell")
    values = source.data.values.astype(float)
    within(values[~np.isnan(values)], "people", 0, MOST_PEOPLE, "in each cell", place.name)
    return float(np.nansum(values)), ["people: the sum of all cells of the grid, also beyond the assets"]
