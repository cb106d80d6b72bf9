"""Two fields on one grid: sums, differences, products and ratios, with their units; nothing is regridded silently."""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.grids.axes import axes_of
from labrig_earth.grids.times import numbers_of_periods
from labrig_earth.grids.units import DIFFERENCE, convert, registry, same_dimension, unit_of

ACTS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
SAME_WITHIN = 1e-4
"""Of a step: coordinates that differ by less are the same, as those of float32 and float64 files."""


def aligned(one: Any, other: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """Return two fields on the same coordinates, and what was done for it.

    Axes may have other names and latitudes run the other way; times are cut to those that both have.

    Raises
    ------
    LabrigError
        ``bad_input`` for other grids, with both, and for fields without a common time.
    """
    first, second = axes_of(one), axes_of(other)
    said: list[str] = []
    for role in ("y", "x"):
        name, its = getattr(first, role), getattr(second, role)
        if not name or name not in one.dims:
            continue
        if not its or its not in other.dims:
            if its and its in other.coords:
                continue
            raise LabrigError(
                "The second field has no such axis", where=name, expected="fields on the same grid"
            )
        if its != name:
            other = other.rename({its: name})
        given, wanted = np.asarray(other[name].values, "f8"), np.asarray(one[name].values, "f8")
        if (
            given.size == wanted.size
            and given.size > 1
            and np.sign(given[1] - given[0]) != np.sign(wanted[1] - wanted[0])
        ):
            other = other.isel({name: slice(None, None, -1)})
            given = given[::-1]
            said.append(f"{name} of the second field was turned round")
        step = abs(wanted[1] - wanted[0]) if wanted.size > 1 else 1.0
        if given.size != wanted.size or np.abs(given - wanted).max() > SAME_WITHIN * step:
            raise LabrigError(
                "The fields are on different grids",
                where=f"{name}: {_shown(wanted)} and {_shown(given)}",
                expected="the same coordinates",
                try_="regrid_variable one of them to the other (like=...), or extract the same box",
            )
        other = other.assign_coords({name: one[name]})
    return *_same_times(one, other, first.time, second.time, said), tuple(said)


def _same_times(one: Any, other: Any, time: str, its: str, said: list[str]) -> tuple[Any, Any]:
    if not (time and its and time in one.dims and its in other.dims):
        return one, other
    if its != time:
        other = other.rename({its: time})
    if one.sizes[time] == other.sizes[time] and bool((one[time].values == other[time].values).all()):
        return one, other
    calendars = [str(each[time].dt.calendar) for each in (one, other)]
    (kind, mine), (of_other, its) = (numbers_of_periods(each[time]) for each in (one, other))
    if not kind or kind != of_other:
        kind, mine, its = "time", one[time].values, other[time].values
        if calendars[0] != calendars[1]:
            raise LabrigError(
                f"The calendars differ: {calendars[0]} and {calendars[1]}",
                where=time,
                try_="aggregate both to months or years, which all calendars have",
            )
    common, first, second = np.intersect1d(mine, its, return_indices=True)
    if not common.size:
        raise LabrigError("The fields have no time in common", where=time)
    said.append(f"{common.size} {kind}s that both have, of {one.sizes[time]} and {other.sizes[time]}")
    one, other = one.isel({time: first}), other.isel({time: second})
    return one, other.assign_coords({time: one[time]})


def _shown(values: Any) -> str:
    step = f", step {(values[-1] - values[0]) / (values.size - 1):.6g}" if values.size > 1 else ""
    return f"{values.size} from {values[0]:.6g} to {values[-1]:.6g}{step}"


def combined(one: Any, other: Any, act: str) -> tuple[Any, tuple[str, ...]]:
    """Return ``add``, ``subtract``, ``multiply`` or ``divide`` of two fields, and what was done.

    Sums and differences are in the unit of the first, into which the second is converted. A ratio of zero is missing.

    Raises
    ------
    LabrigError
        ``bad_input`` for another act, other grids, units that cannot be added, and fields without a unit.
    """
    if act not in ACTS:
        raise LabrigError(f"There is no {act!r}", where="act", expected=", ".join(ACTS))
    one, other, said = aligned(one, other)
    names = (str(one.name), str(other.name))
    units = [str(each.attrs.get("units", "")).strip() for each in (one, other)]
    for name, unit in zip(names, units, strict=True):
        if not unit:
            raise LabrigError(
                f"{name} has no unit", where=name, try_='units={"' + name + '": "UNIT"} states it'
            )
    attrs: dict[str, str] = {"long_name": f"{names[0]} {ACTS[act]} {names[1]}"}
    if act in ("add", "subtract"):
        if not same_dimension(*units):
            raise LabrigError(
                f"{units[0]} and {units[1]} cannot be {'added' if act == 'add' else 'subtracted'}",
                where=f"{names[0]}, {names[1]}",
            )
        if units[0] != units[1]:
            other, how = convert(other, units[1], units[0])
            said = (*said, how)
        result = one + other if act == "add" else one - other
        attrs["units"] = units[0]
        if act == "subtract" or all(DIFFERENCE in each.attrs for each in (one, other)):
            attrs[DIFFERENCE] = "1"
        return result.rename(names[0]).assign_attrs(attrs), said
    for name, unit in zip(names, units, strict=True):
        if unit_of(unit) in (registry().degC, registry().degF):
            raise LabrigError(
                f"{name} is in {unit}, whose zero is arbitrary: products and ratios have no meaning",
                where=name,
                try_="convert it to K",
            )
    a, b = unit_of(units[0]), unit_of(units[1])
    if act == "multiply":
        result, unit = one * other, a * b
    else:
        result, unit = one / other.where(other != 0), a / b
    factor = 1.0
    if unit.dimensionless:
        factor = float(registry().Quantity(1.0, unit).to("dimensionless").magnitude)
    attrs["units"] = "1" if unit.dimensionless else f"{unit:cf}"
    result = result * factor if factor != 1.0 else result
    return result.rename(names[0]).assign_attrs(attrs), said
