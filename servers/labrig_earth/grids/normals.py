"""What is normal in each month of the year over a range of years: mean and standard deviation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.grids.periods import over_time
from labrig_earth.grids.times import moment_before, require_times, time_axis
from labrig_earth.grids.units import DIFFERENCE

OF = ("steps", "months")
LEAST_YEARS = 10
"""Fewer are warned of; WMO's normals have 30."""


@dataclass(frozen=True)
class Normals:
    """Normal values over ``month`` (1 to 12, those that there are).

    Attributes
    ----------
    deviation
        Population standard deviation (divided by the number of values), a difference.
    years
        That have values.
    """

    mean: Any
    deviation: Any
    years: tuple[int, ...]
    said: str
    warnings: tuple[str, ...] = ()


def monthly_normals(variable: Any, time: str, *, of: str = "steps", ends: bool = False) -> Normals:
    """Return the mean and the standard deviation of each month of the year.

    Parameters
    ----------
    of
        ``steps``: of all values of a month; of hours or days the deviation holds that from day to day. ``months``: of
        the means of whole months, one for each year.
    ends
        Values belong to the step that ends at their time.

    Raises
    ------
    LabrigError
        ``bad_input`` for less than two years, and for another `of`.
    """
    if of not in OF:
        raise unknown_name("value", of, OF, where="std_of")
    step = time_axis(variable, time).step
    warnings: tuple[str, ...] = ()
    if of == "months":
        found = over_time(variable, time, "mean", every="month", ends=ends)
        variable, warnings, ends = found.data, found.warnings, False
    elif "month" not in step and "year" not in step:
        warnings = (f"The deviation is that of all steps of {step}; std_of=months is that from year to year",)
    axis = require_times(variable, time)
    moments = axis.copy(data=moment_before(axis.values)) if ends else axis
    years = tuple(sorted(set(moments.dt.year.values.tolist())))
    if len(years) < 2:
        raise LabrigError(
            f"There is one year, {years[0]}",
            where="start_year, end_year",
            expected="two or more, to have a deviation",
        )
    if len(years) < LEAST_YEARS:
        warnings = (*warnings, f"{len(years)} years are few for a climate: WMO's normals take 30")
    grouped = variable.assign_coords(month=(time, moments.dt.month.values)).groupby("month")
    mean, deviation = grouped.mean(time), grouped.std(time, ddof=0)
    attrs = {"units": str(variable.attrs.get("units", ""))}
    said = f"of all {step} steps" if of == "steps" else "of the means of whole months"
    return Normals(
        mean.assign_attrs(attrs).transpose("month", ...),
        deviation.where(np.isfinite(mean)).assign_attrs({**attrs, DIFFERENCE: 1}).transpose("month", ...),
        years,
        f"mean and population standard deviation by month of the year, {said}, {years[0]} to {years[-1]}",
        warnings,
    )
