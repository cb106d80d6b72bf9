"""A seasonal forecast as an array over starts, leads and members, and the months that it is valid for.

The month of the start is the first month of the forecast (C3S: ``leadtime_month`` and ``forecastMonth`` begin with 1);
where leads begin with 0, that is the month of the start.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.ensembles.members import MEMBER, TIME, Y, like, once, read_field
from labrig_earth.grids.reading import Field
from labrig_earth.grids.times import iso, require_times

START, LEAD = "start", "lead"
START_NAMES = (START, "forecast_reference_time", "init", "start_date", "init_time", "reftime", "s")
LEAD_NAMES = (LEAD, "forecastmonth", "forecast_month", "leadtime_month", "lead_month", "leadtime", "l")
MOST_LEADS = 24
ORDER = (START, LEAD, TIME, MEMBER)


def read_seasonal(place: Place, variable: str = "") -> Field:
    """Return a variable of a file over ``start``, ``lead``, ``time`` and ``member``, as far as it has them, and cells.

    Raises
    ------
    LabrigError
        As `read_field`; ``bad_input`` for leads that are no months.
    """
    found = read_field(place, variable)
    return replace(found, data=in_order(named(found.data, place.name)))


def named(data: Any, where: str) -> Any:
    """Return data whose axes of starts and leads are called so; a start that is a single value becomes an axis."""
    folded = {str(name).casefold(): name for name in [*data.dims, *data.coords]}
    for new, names in ((START, START_NAMES), (LEAD, LEAD_NAMES)):
        old = next((folded[name] for name in names if name in folded), "")
        if old and old != new:
            data = data.rename({old: new})
    if LEAD in data.dims and TIME in data.dims and START not in data.dims:
        data = data.rename({TIME: START})  # by start and lead, whatever the starts are called
    for name in (START, LEAD):
        if name in data.coords and name not in data.dims:
            data = data.expand_dims(name) if LEAD in data.dims or START in data.dims else data.drop_vars(name)
    if LEAD in data.dims:
        leads_of(data, where)
    return data


def in_order(data: Any) -> Any:
    """Return data with starts, leads, times and members first, in this order."""
    first = [dim for dim in ORDER if dim in data.dims]
    return data.transpose(*first, *[dim for dim in data.dims if dim not in first])


def leads_of(data: Any, where: str) -> Any:
    """Return the leads as whole months, (leads,).

    Raises
    ------
    LabrigError
        ``bad_input`` for others: hours, days, fractions.
    """
    values = data[LEAD].values if LEAD in data.coords else None
    if values is None or values.dtype.kind not in "iuf":
        shown = "no values" if values is None else f"values of {values.dtype}"
        raise LabrigError(
            f"The axis of leads has {shown}",
            where=where,
            expected="whole months, the month of the start is 1",
        )
    if (
        not np.isfinite(values).all()
        or (values != np.round(values)).any()
        or values.min() < 0
        or values.max() > MOST_LEADS
    ):
        raise LabrigError(
            f"Leads go from {values.min():g} to {values.max():g}",
            where=where,
            expected=f"whole months from 0 or 1 to at most {MOST_LEADS}",
        )
    return values.astype(int)


def valid_months(data: Any, where: str) -> Any:
    """Return the month that each start and lead is valid for, (starts, leads), ``datetime64[M]``."""
    starts = months_of(data, START, where)
    leads = leads_of(data, where)
    return starts[:, None] + (leads - (0 if leads.min() == 0 else 1))[None, :].astype("timedelta64[M]")


def months_of(data: Any, dim: str, where: str) -> Any:
    """Return the months of an axis of times, ``datetime64[M]``; of any calendar."""
    try:
        axis = require_times(data, dim if dim in data.dims else "")
    except LabrigError as error:
        error.where = where
        raise
    labels = [f"{year:04d}-{month:02d}" for year, month in zip(axis.dt.year.values, axis.dt.month.values,
                                                               strict=True)]  # fmt: skip
    return np.array(labels, "datetime64[M]")


def monthly(data: Any, where: str) -> Any:
    """Return the months of a series; LabrigError where a month stands there twice."""
    months = months_of(data, TIME, where)
    if np.unique(months).size < months.size:
        raise LabrigError(
            "A month stands there more than once",
            where=where,
            expected="monthly values",
            try_="temporal means by month first",
        )
    return months


def observed_for(hindcast: Any, observed: Any, *, where: str) -> tuple[Any, Any]:
    """Return a hindcast and what was observed in the months of it, for the starts (or times) that both have.

    Parameters
    ----------
    hindcast
        Over (start, lead, ...) or (time, ...).
    observed
        Over time: months for leads, the same times else.

    Raises
    ------
    LabrigError
        ``bad_input``: other cells, units that do not convert, no start that was observed.
    """
    if LEAD not in hindcast.dims:
        one, other = once(hindcast, "hindcast_paths"), once(observed, where)
        both = np.intersect1d(_month(hindcast, TIME), _month(observed, TIME))
        if not both.size:
            raise LabrigError(
                f"There is no common month: {iso(one[0])} to {iso(one[-1])}, and {iso(other[0])} to {iso(other[-1])}",
                where=where,
            )
        hindcast = hindcast.isel({TIME: np.isin(_month(hindcast, TIME), both)})
        observed = observed.isel({TIME: np.isin(_month(observed, TIME), both)})
        if hindcast.sizes[TIME] != observed.sizes[TIME]:
            raise LabrigError(
                "A month stands there twice", where=where, expected="a value for each season or month"
            )
        observed = observed.assign_coords({TIME: hindcast[TIME]})
        return hindcast, like(observed, hindcast, where=where)
    import xarray as xr

    months = monthly(observed, where)
    wanted = valid_months(hindcast, "hindcast_paths")
    there = np.isin(wanted, months).all(axis=1)
    if not there.any():
        raise LabrigError(
            f"No start has all its months observed: {wanted.min()} to {wanted.max()} are forecast",
            where=where,
            expected=f"within {months.min()} to {months.max()}",
        )
    hindcast, wanted = hindcast.isel({START: np.flatnonzero(there)}), wanted[there]
    order = np.argsort(months)
    places = order[np.searchsorted(months[order], wanted)]
    index = xr.DataArray(places, dims=(START, LEAD))
    found = observed.isel({TIME: index}).drop_vars(TIME, errors="ignore")
    found = found.assign_coords({START: hindcast[START], LEAD: hindcast[LEAD]})
    return hindcast, like(in_order(found), hindcast, where=where)


def _month(data: Any, dim: str) -> Any:
    return months_of(data, dim, "time")


def years_axis(data: Any, where: str) -> str:
    """Return the axis along which years follow each other: ``start``, else ``time``, with one value for each year.

    Raises
    ------
    LabrigError
        ``bad_input`` without such an axis, or where years have several values.
    """
    dim = START if START in data.dims else TIME
    if dim not in data.dims:
        raise LabrigError("There is no axis of years", where=where, expected="an axis of starts or times")
    months = months_of(data, dim, where)
    years = months.astype("datetime64[Y]")
    if np.unique(years).size < years.size:
        raise LabrigError(
            f"There are {years.size} {dim}s in {np.unique(years).size} years",
            where=where,
            expected=f"one {dim} in each year",
            try_="aggregate_to_season, or starts of one month",
        )
    return dim


def calendar_months(data: Any, dim: str, where: str) -> tuple[int, ...]:
    """Return the months of the year (1 to 12) that an axis has, each once, in order."""
    months = months_of(data, dim, where)
    return tuple(sorted({int(each) % 12 + 1 for each in months.astype(int)}))


def has_cells(data: Any) -> bool:
    """Tell whether data have an axis of latitudes."""
    return Y in data.dims
