"""A variable of gridded files at a place, in the unit of a column: what builders of inputs are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, unknown_name
from labrig_earth.grids.axes import is_field
from labrig_earth.grids.reading import Field, opened, readable, selected, variable
from labrig_earth.grids.selecting import select_point
from labrig_earth.grids.units import convert
from labrig_earth.results import SYNTHETIC, said_of
from labrig_earth.work.arguments import list_of
from labrig_earth.work.calls import Call


@dataclass(frozen=True)
class Sample:
    """A variable at a place.

    Attributes
    ----------
    values
        Along `axis`, in `unit`.
    axis, coordinate
        Name and values of the one dimension that is left; ``datetime64[s]`` for time.
    data
        The `xarray.DataArray` that they are from.
    note
        Cell and conversion in words.
    """

    values: NDArray[np.float64]
    unit: str
    axis: str
    coordinate: Any
    data: Any
    latitude: float
    longitude: float
    note: str


def fields_of(call: Call) -> list[Field]:
    """Return the gridded files of a call."""
    places = call.inputs.get("data", ())
    if not places:
        raise LabrigError("No file is given", where="data", expected="gridded files")
    return [opened(place) for place in places]


def point_of(call: Call) -> tuple[float, float]:
    """Return the place of a call: latitude and longitude, degrees."""
    point = list_of(call, "point", (int, float), "latitude and longitude, degrees")
    if len(point) != 2:
        raise LabrigError("point is no place", where="point", expected="[latitude, longitude], degrees")
    return float(point[0]), float(point[1])


def source_of(fields: Sequence[Field], name: str, role: str) -> Field:
    """Return the file that has a variable; ``not_found`` with the nearest names."""
    source = next((each for each in fields if name in each.data.data_vars), None)
    if source is None:
        known = [str(each) for field in fields for each in field.data.data_vars if is_field(field.data[each])]
        raise unknown_name("variable", name, known, where=f"variables, {role}")
    return source


def sampled(
    fields: Sequence[Field],
    name: str,
    role: str,
    point: tuple[float, float],
    units: Sequence[str],
    *,
    part: Mapping[str, Any] | None = None,
    water: bool = False,
) -> Sample:
    """Return a variable in the cell nearest to a place, in the first of some units that it can have.

    Parameters
    ----------
    role
        The column that it is for, in errors and notes.
    part
        ``start`` and ``end``.
    water
        Let a depth of water become a mass on an area.

    Raises
    ------
    LabrigError
        For a variable that is nowhere, has two dimensions beside the place, or is in a unit of another kind.
    """
    source = source_of(fields, name, role)
    chosen = readable(selected(variable(source, name), part or {}))
    found = select_point(chosen.data, *point)
    data = found.data
    data = data[name] if hasattr(data, "data_vars") else data
    if len(data.dims) != 1:
        raise LabrigError(
            f"{name} has {', '.join(map(str, data.dims)) or 'no axis'}",
            where=name,
            expected="one further axis",
        )
    (axis,) = map(str, data.dims)
    coordinate = data[axis].values
    if np.issubdtype(coordinate.dtype, np.datetime64):
        coordinate = coordinate.astype("datetime64[s]")
    values, unit, said = in_unit(
        data.values.astype(float), str(data.attrs.get("units", "")), units, name, water
    )
    missing = int(np.isnan(values).sum())
    if missing:
        raise LabrigError(
            f"{name} is missing in {missing} of {len(values)} values of the cell",
            where=name,
            expected="a cell with values",
        )
    note = f"{role}: {name}, cell {found.latitude:g}, {found.longitude:g}" + (f", {said}" if said else "")
    return Sample(values, unit, axis, coordinate, data, found.latitude, found.longitude, note)


def in_unit(
    values: NDArray[np.float64], unit: str, targets: Sequence[str], where: str, water: bool = False
) -> tuple[NDArray[np.float64], str, str]:
    """Return values in the first unit that they can have, that unit, and the conversion in words."""
    refusal: LabrigError | None = None
    for target in targets:
        try:
            converted, said = convert(values, unit, target, water=water)
            return np.asarray(converted, dtype=float), target, said
        except LabrigError as error:
            refusal = error
    assert refusal is not None
    refusal.where = where
    raise refusal


def labels_of(fields: Sequence[Field]) -> tuple[str, ...]:
    """Return what files say of being synthetic, and what their readers warn of, once each."""
    said = [said_of(str(field.data.attrs[SYNTHETIC])) for field in fields if SYNTHETIC in field.data.attrs]
    return tuple(dict.fromkeys([*said, *(text for field in fields for text in field.warnings)]))
