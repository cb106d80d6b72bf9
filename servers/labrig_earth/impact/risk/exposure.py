"""What can be lost: assets at places, each with a value and the impact function that it follows; CSV."""

from __future__ import annotations

from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig_earth.impact.risk.degrees import require_degrees
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.tables import Floats, find_repeated, read_table

MOST_ASSETS = 200_000
MOST_VALUE = 1e15
NO_UNIT = "units of the exposure"
TAKEN = (
    *("exposure_id", "latitude", "longitude", "value", "impact_function_id", "asset_type", "value_unit"),
    *("crs", "source"),
)
INSURED = ("deductible", "cover")


@dataclass(frozen=True)
class Exposure:
    """Assets, checked.

    Attributes
    ----------
    names, latitude, longitude, value
        Of each asset; at least one value is above 0.
    unit
        Of the values.
    functions
        Names of impact functions, or None where the file names none.
    types
        Types of assets, or None.
    """

    names: tuple[str, ...]
    latitude: Floats
    longitude: Floats
    value: Floats
    unit: str
    functions: tuple[str, ...] | None
    types: tuple[str, ...] | None
    notes: tuple[str, ...]


def read_exposure(named: Named) -> Exposure:
    """Read assets: ``exposure_id``, ``latitude``, ``longitude``, ``value``.

    As it has them also ``value_unit`` (one for all), ``impact_function_id``, ``asset_type``, ``crs``.

    Raises
    ------
    LabrigError
        For another reference system, a negative or missing value, no value at all, an asset that is there twice.
    """
    where = named.name
    table = read_table(named.content, where, MOST_ASSETS)
    for name in INSURED:
        if name in table.columns:
            raise LabrigError(
                f"The column {name!r} would have no effect",
                where=where,
                expected="losses before insurance",
                try_=f"leave {name} out",
                code="refused",
            )
    require_degrees(table.one("crs", "EPSG:4326"), where)
    names = tuple(table.names("exposure_id"))
    if (twice := find_repeated(names)) is not None:
        raise LabrigError(f"The asset {twice[:60]!r} is there twice", where=where)
    value = table.numbers("value", 0, MOST_VALUE, "at least 0")
    if not value.any():
        raise LabrigError(
            "All values are 0: nothing is exposed", where=where, expected="an asset with a value"
        )
    notes = []
    empty = int((value == 0).sum())
    if empty:
        notes.append(f"{empty:,} of {len(value):,} assets have the value 0")
    unused = sorted(set(table.columns) - set(TAKEN))
    if unused:
        notes.append(f"columns that are not used: {', '.join(unused)}"[:200])
    return Exposure(
        names,
        table.numbers("latitude", -90, 90, "degrees north"),
        table.numbers("longitude", -180, 180, "degrees east"),
        value,
        table.one("value_unit", NO_UNIT),
        tuple(table.texts("impact_function_id")) if "impact_function_id" in table.columns else None,
        tuple(table.texts("asset_type")) if "asset_type" in table.columns else None,
        tuple(notes),
    )
