"""What can be computed and yet measures nothing: sums of temperatures and rates, values that stand for missing ones.

Nothing is changed here. A result is given as it was asked for, and what is doubtful about it stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.data.opening import DEFAULT_FILL
from labrig_earth.grids.axes import is_field
from labrig_earth.grids.reading import Field
from labrig_earth.grids.units import DIFFERENCE, same_dimension

MISSING_VALUES = (
    *(-999.0, -999.9, -9999.0, -9999.9, -99999.0, -32767.0, -32768.0, -2147483648.0, 1e20, -1e20, 1e30),
    *(DEFAULT_FILL, 3.4028234663852886e38, -3.4028234663852886e38),
)
"""Numbers that archives put where there is no value: of station files, of SRTM, of CMIP, NetCDF's default for floats,
and the ends of float32, which GDAL's drivers take. A file should state the one it uses."""

CHECKED_BYTES = 64 << 20
"""All values of a variable up to this size are looked at, else its first step, if no more is read for it."""

RATES = ("kg m-2 s-1", "m s-1", "W m-2")
OF_NO_TOTAL = (*RATES, "m", "kg m-2", "J m-2", "kg m-3", "Pa", "m-2")
"""Units of values that hold for a place or for each area: adding them cell by cell is no total of a region."""


def sum_doubt(attrs: Mapping[str, Any], over: str) -> str:
    """Say why the sum of values measures nothing; empty where it may.

    Parameters
    ----------
    attrs
        Of the variable, with its ``units``.
    over
        ``time``, or ``space``, where areas matter too.
    """
    unit = str(attrs.get("units", "")).strip()
    if not unit or DIFFERENCE in attrs:
        return ""
    if same_dimension(unit, "K"):
        return (
            f"The sum of temperatures in {unit} measures nothing, and differs between K and degC: "
            "a mean, or degree days, may be what is wanted"
        )
    if over == "time" and str(attrs.get("GRIB_stepType", "")).lower() == "avgad":
        return (
            f"Each value is what a day of its month has on average, {unit} a day (GRIB_stepType avgad): their sum "
            "is no amount; times the days of its month each of them is"
        )
    if over == "time" and any(same_dimension(unit, rate) for rate in RATES):
        return (
            f"The sum of a rate in {unit} is no amount: times the length of a step it is one, "
            'which a unit of amounts gives (unit="mm", "J m-2")'
        )
    if over == "space" and any(same_dimension(unit, each) for each in OF_NO_TOTAL):
        return f"The sum of cells in {unit} does not count their areas: the mean times the area of all is a total"
    return ""


def stands_for_missing(values: Any) -> list[float]:
    """Return which of the extremes of an array may stand for missing values.

    Parameters
    ----------
    values
        Numbers; NaN is left out.
    """
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iuf" or not numbers.size:
        return []
    valid = numbers[np.isfinite(numbers)] if numbers.dtype.kind == "f" else numbers
    if not valid.size:
        return []
    ends = dict.fromkeys((float(valid.min()), float(valid.max())))
    return [end for end in ends if any(np.isclose(end, each, rtol=1e-6, atol=0.0) for each in MISSING_VALUES)]


def undeclared_text(name: str, values: list[float]) -> str:
    """Say that values may stand for missing ones, and how a caller states it."""
    shown = " and ".join(f"{each:.7g}" for each in values)
    return (
        f"{name} has values of {shown}, which count as numbers: where they stand for a missing value that the file "
        f'does not state, options={{"missing": {values[0]:.9g}}} leaves them out'
    )


def suspected(source: Field) -> Field:
    """Return a field with a warning where values may stand for missing ones: of all, or of the first step."""
    several = hasattr(source.data, "data_vars")
    fields = [source.data[name] for name in source.data.data_vars] if several else [source.data]
    said = []
    for each in fields:
        part = each
        if each.nbytes > CHECKED_BYTES:
            others = [dim for dim in each.dims if dim not in (source.axes.y, source.axes.x)]
            part = each.isel(dict.fromkeys(others, 0))
        read = max(part.nbytes, source.pieces.get(str(each.name), 0))
        if read <= CHECKED_BYTES and (found := stands_for_missing(part.values)):
            said.append(undeclared_text(str(each.name), found))
    return source.noting(warnings=tuple(said)) if said else source


def with_missing(source: Field, missing: Any) -> Field:
    """Return a field, or a dataset of some, without the values that the caller states to be missing.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no number.
    """
    if missing is None:
        return source
    if isinstance(missing, bool) or not isinstance(missing, (int, float)) or not np.isfinite(missing):
        raise LabrigError(f"missing is no number: {missing!r:.40}", where="missing", expected="such as -9999")

    def act(field: Any) -> Any:
        attrs = field.attrs
        return field.where(np.abs(field - missing) > 1e-6 * abs(missing)).assign_attrs(attrs)

    if hasattr(source.data, "data_vars"):
        data = source.data.assign(
            {name: act(source.data[name]) for name in source.data.data_vars if is_field(source.data[name])}
        )
    else:
        data = act(source.data)
    said = f"values of {missing:g} are missing, as the caller states"
    return replace(source, data=data).noting(assumed=(said,))
