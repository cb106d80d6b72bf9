"""The state of ENSO: sea surface temperature in its boxes as anomalies from the months of a base period.

Boxes: Trenberth (1997), BAMS 78, 2771-2777, for Nino 3.4 and 3; NOAA's Climate Prediction Center for 1+2 and 4. A
running mean of three months of Nino 3.4 is the Oceanic Nino Index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.ensembles.members import TIME, X, Y
from labrig_earth.grids.axes import edges_of

BOXES = {
    "nino34": (-170.0, -5.0, -120.0, 5.0),
    "nino12": (-90.0, -10.0, -80.0, 0.0),
    "nino3": (-150.0, -5.0, -90.0, 5.0),
    "nino4": (160.0, -5.0, -150.0, 5.0),
}
"""west, south, east, north in degrees."""

LEAST_SHARE = 0.5
"""Of a box's area that must have values."""


def box_weights(data: Any, box: tuple[float, float, float, float]) -> Any:
    """Return the area of each cell's part in a box, relative, (latitude, longitude); longitudes of any convention.

    Raises
    ------
    LabrigError
        ``not_found`` where the grid does not cover half of the box.
    """
    import xarray as xr

    west, south, east, north = box
    span = (east - west) % 360 or 360.0
    lat = np.sort(edges_of(data[Y].values, within=(-90, 90)))
    order = np.argsort(data[Y].values)
    low, high = np.maximum(lat[:-1], south), np.minimum(lat[1:], north)
    rows = np.empty(order.size)
    rows[order] = np.maximum(np.sin(np.radians(high)) - np.sin(np.radians(low)), 0) * (high > low)
    edges = edges_of(data[X].values)
    begin, end = np.minimum(edges[:-1], edges[1:]), np.maximum(edges[:-1], edges[1:])
    columns = np.zeros(begin.size)
    for turn in (-720, -360, 0, 360, 720):
        columns += np.maximum(np.minimum(end + turn, west + span) - np.maximum(begin + turn, west), 0)
    whole = span * (np.sin(np.radians(north)) - np.sin(np.radians(south)))
    weights = np.outer(rows, columns)
    if weights.sum() < LEAST_SHARE * whole:
        raise LabrigError(
            f"The grid covers {weights.sum() / whole:.0%} of the box {south:g} to {north:g} N, {west:g} to {east:g} E",
            where="sst_path",
            expected="a grid of the tropical Pacific",
            code="not_found",
        )
    return xr.DataArray(weights, dims=(Y, X), coords={Y: data[Y], X: data[X]})


def box_mean(data: Any, box: tuple[float, float, float, float]) -> Any:
    """Return the mean over a box by area, of the cells that have values; missing where these are less than half."""
    weights = box_weights(data, box)
    there = data.notnull()
    area = (there * weights).sum([Y, X])
    mean = (data.fillna(0) * weights).sum([Y, X]) / area
    return mean.where(area >= LEAST_SHARE * weights.sum())


def monthly_anomaly(series: Any, first_year: int, last_year: int) -> Any:
    """Return a monthly series without the mean of its month of the year in a base period, both years included.

    Raises
    ------
    LabrigError
        ``not_found`` where the base period lacks a month that the series has.
    """
    years, months = series[TIME].dt.year.values, series[TIME].dt.month.values
    base = (years >= first_year) & (years <= last_year)
    lacking = sorted(set(months.tolist()) - set(months[base].tolist()))
    if lacking:
        raise LabrigError(
            f"The base period {first_year} to {last_year} has no month {lacking[0]}",
            where="baseline_years",
            expected=f"years within {years.min()} to {years.max()}",
            code="not_found",
        )
    values = series.values.astype("f8")
    usual = {month: np.nanmean(values[base & (months == month)]) for month in set(months.tolist())}
    return series.copy(data=values - np.array([usual[month] for month in months.tolist()]))


def running_mean(series: Any, months: int) -> Any:
    """Return the centred running mean over months; the ends, where the window is not full, are missing."""
    return series if months == 1 else series.rolling({TIME: months}, center=True, min_periods=months).mean()
