"""Units of grids: UDUNITS and CF spellings read by pint, conversions with their dimensions checked.

Depths of water (m, mm) and masses on an area (kg m-2) are two names of one thing only with a density of water; that
conversion is made on request, with 1000 kg m-3, and said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from labrig.errors import LabrigError

WATER_KG_M3 = 1000.0
DIFFERENCE = "labrig_difference"
"""Attribute of a field that is a difference, such as an anomaly: 1 K of it is 1 degC."""

_OTHER_SPELLINGS = {
    "degree_c": "degC", "degrees_c": "degC", "deg c": "degC", "°c": "degC", "c": "degC", "kelvin": "K",
    "(0 - 1)": "1", "(0-1)": "1", "0-1": "1", "fraction": "1", "~": "1", "-": "1", "none": "1", "unitless": "1",
    "proportion": "1", "code table": "1", "numeric": "1", "index": "1",
    "ppbv": "ppb", "ppmv": "ppm", "mm/month": "mm month-1",
    "mm w.e.": "kg m-2", "m of water equivalent": "m", "m of water": "m",
}  # fmt: skip


@lru_cache(maxsize=1)
def registry() -> Any:
    """Return the registry of units that cf_xarray makes, with parts per billion beside its parts per million."""
    from cf_xarray.units import units

    if "ppb" not in units:
        units.define("ppb = 1e-9 = ppb")
    return units


@lru_cache(maxsize=512)
def unit_of(text: str) -> Any:
    """Return a unit of the registry.

    Raises
    ------
    LabrigError
        ``bad_input`` for text that is no unit: empty, a reference time, or unknown.
    """
    cleaned = str(text).strip()
    cleaned = _OTHER_SPELLINGS.get(cleaned.casefold(), cleaned)
    if not cleaned:
        raise LabrigError("No unit is stated", where="unit", try_='its unit as an argument, such as "K"')
    if len(cleaned) > 80 or " since " in cleaned:
        raise LabrigError(f"This is no unit: {cleaned[:60]!r}", where="unit")
    try:
        return registry().parse_units(cleaned)
    except Exception:  # pint raises what its parser met: TypeError, AssertionError, tokens, its own
        raise LabrigError(
            f"The unit {cleaned!r} is not known",
            where="unit",
            expected="such as K, degC, m s-1, kg m-2 s-1, hPa",
        ) from None


def convert(values: Any, source: str, target: str, *, water: bool = False) -> tuple[Any, str]:
    """Return numbers (or an `xarray.DataArray`) in another unit, and the conversion in words.

    Parameters
    ----------
    water
        Let a depth of water become a mass on an area, and the reverse, with 1000 kg m-3.

    Raises
    ------
    LabrigError
        ``bad_input`` for units of different dimensions, and for text that is no unit.
    """
    one, other = unit_of(source), unit_of(target)
    factor, offset = _linear(one, other, source, target, water)
    if DIFFERENCE in getattr(values, "attrs", {}):
        offset = 0.0
    converted = values * factor + offset if offset else values * factor
    if hasattr(converted, "attrs"):
        converted = converted.assign_attrs({**values.attrs, "units": target})
        for name in ("valid_min", "valid_max", "valid_range", "actual_range"):  # in the former unit
            converted.attrs.pop(name, None)
    said = f"{source} to {target}: times {factor:.9g}" + (f", plus {offset:.9g}" if offset else "")
    if water and not one.is_compatible_with(other):
        said += f" (water of {WATER_KG_M3:g} kg m-3)"
    return converted, said


def _linear(one: Any, other: Any, source: str, target: str, water: bool) -> tuple[float, float]:
    """Return factor and offset of a conversion."""
    units = registry()
    density = units.Quantity(WATER_KG_M3, "kg m-3")
    if one.is_compatible_with(other):
        zero = float(units.Quantity(0.0, one).to(other).magnitude)
        hundred = float(units.Quantity(100.0, one).to(other).magnitude)
        factor = (hundred - zero) / 100.0
        return factor, (0.0 if abs(zero) < 1e-12 * max(1.0, abs(factor)) else zero)
    for way in (1, -1):
        quantity = units.Quantity(1.0, one) * density**way
        if quantity.is_compatible_with(other):
            if water:
                return float(quantity.to(other).magnitude), 0.0
            raise LabrigError(
                f"{source} is a depth and {target} a mass on an area, or the reverse",
                where="unit",
                expected="units of the same dimension",
                try_="water=true, if it is water: with 1000 kg m-3",
            )
    raise LabrigError(
        f"{source} cannot become {target}: {one.dimensionality} is not {other.dimensionality}",
        where="unit",
        expected=f"a unit of {one.dimensionality}",
    )


def same_dimension(one: str, other: str) -> bool:
    """Tell whether two units measure the same kind of thing; False where either is no unit."""
    try:
        return bool(unit_of(one).is_compatible_with(unit_of(other)))
    except LabrigError:
        return False


_OF_WATER = re.compile(r"precipitation|rainfall|snowfall|evapo|runoff|water_flux|^lwe_")


def is_of_water(attrs: Mapping[str, Any]) -> bool:
    """Tell whether a variable is an amount of water by its standard name (CF): then 1 kg m-2 is 1 mm."""
    return bool(_OF_WATER.search(str(attrs.get("standard_name", ""))))


def is_rate_of(own: str, unit: str) -> bool:
    """Tell whether a unit is the rate of another: kg m-2 s-1 of kg m-2 and of mm, W m-2 of J m-2."""
    try:
        amount = unit_of(own) * registry().Unit("s")
        other = unit_of(unit)
    except LabrigError:
        return False
    density = registry().Unit("kg m-3")
    return any(amount.is_compatible_with(each) for each in (other, other * density, other / density))


def units_in(variable: Any, target: str, stated: str = "") -> Any:
    """Return a variable in a unit, from its own or the one that the caller states.

    Raises
    ------
    LabrigError
        ``bad_input`` where neither the data nor the caller state a unit, and for another dimension.
    """
    own = str(variable.attrs.get("units", "")).strip() or stated
    if not own:
        raise LabrigError(
            f"{variable.name or 'The variable'} has no unit",
            where=str(variable.name or "units"),
            expected=f"a unit that can become {target}",
            try_='units={"NAME": "UNIT"} states it',
        )
    if own == target:
        return variable
    return convert(variable, own, target)[0]


def shown(text: Any) -> str:
    """Return a unit as results have it: ``1`` for a dimensionless one, empty for none."""
    unit = str(text or "").strip()
    return "1" if unit.casefold() in ("dimensionless", "(0 - 1)", "fraction", "~") else unit
