"""The excess heat factor, and spells of days on which it is above zero.

Source: Nairn and Fawcett (2015), Int. J. Environ. Res. Public Health 12, 227-253: EHI_sig is the mean of the daily mean
temperature over three days minus its 95th percentile, EHI_accl the same mean minus that of the 30 days before, and
EHF = EHI_sig * max(1, EHI_accl), in K2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError

DAYS, BEFORE = 3, 30


def require_days(times: Any) -> None:
    """Raise for times that do not follow each other by a day: a gap would join days that are not neighbours."""
    steps = np.diff(np.asarray(times).astype("datetime64[s]")).astype("timedelta64[s]").astype(int)
    if steps.size and not (steps == 86400).all():
        raise LabrigError(
            "Daily values are needed, one for each day",
            where=f"steps from {steps.min() / 3600:g} to {steps.max() / 3600:g} h",
            expected="a day between times, without a gap",
        )


def excess_heat(daily_mean: Any, time: str, p95: Any, climate: Any = None) -> Any:
    """Return the excess heat factor of each day, K2; the first days, which have too few before them, are missing.

    Parameters
    ----------
    daily_mean
        `xarray.DataArray` of (minimum + maximum) / 2, K or degC, day by day.
    p95
        Its 95th percentile in a base period, on the same cells, for all days or for each.
    climate
        Mean of what people are used to; None for the mean of the 30 days before the three.

    Raises
    ------
    LabrigError
        ``bad_input`` for fewer days than one value needs.
    """
    needed = DAYS + (BEFORE if climate is None else 0)
    if daily_mean.sizes[time] < needed:
        raise LabrigError(
            f"{daily_mean.sizes[time]} days are given", where=time, expected=f"at least {needed} days"
        )
    three = daily_mean.rolling({time: DAYS}, min_periods=DAYS).mean()
    usual = climate
    if climate is None:
        usual = daily_mean.rolling({time: BEFORE}, min_periods=BEFORE).mean().shift({time: DAYS})
    used_to = three - usual
    return (three - p95) * used_to.clip(min=1.0)


def in_spells(event: Any, time: str, least: int) -> Any:
    """Return which days of true lie in a row of at least `least`, all of them: also those that begin it."""
    import xarray as xr

    def rows(values: Any) -> Any:
        length = np.zeros(values.shape, int)
        run = np.zeros(values.shape[:-1], int)
        for day in range(values.shape[-1]):
            run = np.where(values[..., day], run + 1, 0)
            length[..., day] = run
        for day in range(values.shape[-1] - 2, -1, -1):
            goes_on = values[..., day] & values[..., day + 1]
            length[..., day] = np.where(goes_on, length[..., day + 1], length[..., day])
        return values & (length >= least)

    found = xr.apply_ufunc(rows, event, input_core_dims=[[time]], output_core_dims=[[time]])
    return found.transpose(*event.dims)
