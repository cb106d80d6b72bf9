"""Trends: the median of all slopes with a rank test, or a straight line, always with an interval and what it assumes.

Theil-Sen's slope with the interval of Sen (1968), and Mann-Kendall's test with the correction for ties (Kendall 1975).

"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.grids.times import hours_of, require_times

METHODS = ("theil_sen", "ols")
LEAST_VALUES = 8
HOURS_OF_A_DECADE = 24 * 365.2425 * 10


@dataclass(frozen=True)
class Trend:
    """A trend of one series.

    Attributes
    ----------
    slope, low, high
        Per decade, in the unit of the values; the interval is that of 95 %.
    p
        Of no trend, two-sided: Mann-Kendall, or t of the regression.
    lag1
        Autocorrelation of the residuals at lag 1; above 0.2 the p of independent values is too small.
    """

    slope: float
    low: float
    high: float
    p: float
    n: int
    lag1: float
    method: str
    warnings: tuple[str, ...] = ()


def trend(series: Any, time: str, *, method: str = "theil_sen") -> Trend:
    """Return the trend of a series of one dimension; missing values are left out.

    Parameters
    ----------
    series
        `xarray.DataArray` over time alone. Values of a season or a year, or anomalies: a cycle of the year is no trend.

    Raises
    ------
    LabrigError
        ``bad_input`` for another method, fewer than 8 values, or more axes than time.
    """
    from scipy import stats

    if method not in METHODS:
        raise LabrigError(f"There is no method {method!r}", where="method", expected=" or ".join(METHODS))
    axis = require_times(series, time)
    if series.dims != (time,):
        raise LabrigError(
            "A trend is that of a series over time alone",
            where=", ".join(map(str, series.dims)),
            try_="aggregate over space first",
        )
    values = np.asarray(series.values, "f8")
    decades = hours_of(axis) / HOURS_OF_A_DECADE
    valid = np.isfinite(values)
    values, decades = values[valid], decades[valid]
    if values.size < LEAST_VALUES:
        raise LabrigError(
            f"A trend of {values.size} values says nothing",
            where=time,
            expected=f"at least {LEAST_VALUES} values",
        )
    if method == "ols":
        found = stats.linregress(decades, values)
        half = float(stats.t.ppf(0.975, values.size - 2)) * float(found.stderr)
        slope, low, high, p = (
            float(found.slope),
            float(found.slope) - half,
            float(found.slope) + half,
            float(found.pvalue),
        )
        said = "ordinary least squares; interval and p by Student's t of independent residuals"
    else:
        slope, _, low, high = (float(each) for each in stats.theilslopes(values, decades, alpha=0.95))
        p = mann_kendall(values)[1]
        said = "Theil-Sen slope with Sen's interval; p of Mann-Kendall with the correction for ties"
    residuals = values - slope * decades
    lag1 = _lag1(residuals)
    warnings: tuple[str, ...] = ()
    if lag1 > 0.2:
        warnings = (
            f"Residuals are autocorrelated ({lag1:.2f} at lag 1): the interval is too narrow and p too small",
        )
    return Trend(slope, low, high, p, int(values.size), lag1, said, warnings)


def mann_kendall(values: Any) -> tuple[float, float]:
    """Return Kendall's S and its two-sided p by the normal approximation with continuity correction and ties.

    Source: Mann (1945), Kendall (1975), as in Gilbert, Statistical Methods for Environmental Pollution Monitoring
    (1987), equations 16.2 to 16.6.
    """
    from scipy import stats

    numbers = np.asarray(values, "f8")
    n = numbers.size
    s = float(sum(np.sign(numbers[place + 1 :] - numbers[place]).sum() for place in range(n - 1)))
    _, ties = np.unique(numbers, return_counts=True)
    variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18.0
    if variance <= 0:
        return s, 1.0
    z = (s - np.sign(s)) / np.sqrt(variance)
    return s, float(2 * stats.norm.sf(abs(z)))


def _lag1(residuals: Any) -> float:
    centred = residuals - residuals.mean()
    total = float((centred**2).sum())
    return float((centred[1:] * centred[:-1]).sum() / total) if total > 0 else 0.0


def slopes(variable: Any, time: str) -> Any:
    """Return the slope of a straight line through each cell (least squares), per decade; missing values are left out.

    A cell with fewer than `LEAST_VALUES` values is missing.
    """
    require_times(variable, time)
    decades = variable[time].copy(data=hours_of(variable[time]) / HOURS_OF_A_DECADE)
    known = variable.notnull()
    x = decades.where(known)
    centred_x, centred_y = x - x.mean(time), variable - variable.mean(time)
    found = (centred_x * centred_y).sum(time) / (centred_x**2).sum(time)
    unit = f"{variable.attrs.get('units', '1')} (10 yr)-1"
    return found.where(known.sum(time) >= LEAST_VALUES).rename(variable.name).assign_attrs({"units": unit})
