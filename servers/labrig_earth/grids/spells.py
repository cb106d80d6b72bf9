"""Days beyond a threshold: how many, how long in a row, and degree days.

Each function counts along time, step by step; with daily data a step is a day. Where a value is missing nothing is
known: it ends a spell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.grids.times import require_times, time_axis

COMPARED = {"above": ">", "at_least": ">=", "below": "<", "at_most": "<="}


def beyond(variable: Any, threshold: Any, compare: str = "above") -> Any:
    """Return where values are beyond a threshold: 1, 0, or missing where the value or the threshold is.

    Parameters
    ----------
    threshold
        A number in the unit of the variable, or an `xarray.DataArray` that fits it, such as a percentile of each cell.
    compare
        ``above`` (>), ``at_least`` (>=), ``below`` (<) or ``at_most`` (<=).

    Raises
    ------
    LabrigError
        ``bad_input`` for another comparison.
    """
    if compare not in COMPARED:
        raise LabrigError(
            f"There is no comparison {compare!r}", where="compare", expected=", ".join(COMPARED)
        )
    act = {"above": np.greater, "at_least": np.greater_equal, "below": np.less, "at_most": np.less_equal}[
        compare
    ]
    known = variable.notnull()
    if hasattr(threshold, "notnull"):
        known = known & threshold.notnull()
    found = act(variable, threshold).where(known)
    return (
        found.astype("f8")
        .rename(variable.name)
        .assign_attrs({"units": "1", "long_name": f"{compare} threshold"})
    )


def longest_spell(hits: Any, time: str) -> Any:
    """Return the length of the longest run of hits along time, in steps; 0 for none."""
    return _along_time(hits, time, lambda runs: runs.max(axis=-1, initial=0))


def spells(hits: Any, time: str, least: int) -> tuple[Any, Any]:
    """Return how many runs have at least so many steps, and how many steps lie in them.

    Parameters
    ----------
    hits
        1, 0 or missing (`beyond`) over time and anything else.
    least
        Steps in a row that make a spell, 1 or more; such as 6 for ETCCDI's warm spells, 3 for many heat waves.

    Raises
    ------
    LabrigError
        ``bad_input`` for less than one step, and where steps are missing in the time axis.
    """
    if least < 1:
        raise LabrigError(f"A spell cannot have {least} steps", where="least_steps", expected="1 or more")
    count = _along_time(hits, time, lambda runs: (runs >= least).sum(axis=-1))
    steps = _along_time(hits, time, lambda runs: np.where(runs >= least, runs, 0).sum(axis=-1))
    return count, steps


def _along_time(hits: Any, time: str, reduce: Any) -> Any:
    """Apply a reduction to the lengths of runs, of which each stands at its last step."""
    import xarray as xr

    require_times(hits, time)
    whole = hits.chunk({time: -1}) if hits.chunks is not None else hits
    breaks = _breaks(hits, time)

    def act(values: Any) -> Any:
        return reduce(runs(values, breaks)).astype("f8")

    found = xr.apply_ufunc(
        act, whole, input_core_dims=[[time]], dask="parallelized", output_dtypes=["f8"], keep_attrs=False
    )
    return found.where(hits.notnull().any(time)).assign_attrs({"units": "1"})


def _breaks(hits: Any, time: str) -> Any:
    """Return where a run cannot go on from the step before, since steps between are missing."""
    from labrig_earth.grids.times import hours_of

    axis = hits[time]
    about = time_axis(hits, time)
    if not about.missing or about.step_hours is None:
        return np.zeros(axis.size, bool)
    steps = np.diff(hours_of(axis))
    return np.concatenate([[False], steps > 1.5 * about.step_hours])


def runs(hits: Any, breaks: Any | None = None) -> Any:
    """Return the length of each run of hits along the last axis, at the step at which it ends, else 0.

    Parameters
    ----------
    hits
        1 for a hit; 0 and NaN end a run.
    breaks
        Over the last axis: True where a run cannot go on from the step before.
    """
    hit = hits == 1
    length = np.zeros(hit.shape, dtype=np.int64)
    running = np.zeros(hit.shape[:-1], dtype=np.int64)
    for step in range(hit.shape[-1]):
        if breaks is not None and breaks[step]:
            running = np.zeros_like(running)
        running = np.where(hit[..., step], running + 1, 0)
        length[..., step] = running
    ends = np.ones(hit.shape, bool)
    ends[..., :-1] = ~hit[..., 1:]
    if breaks is not None:
        ends[..., :-1] |= breaks[1:]
    return np.where(hit & ends, length, 0)


def degree_days(
    variable: Any, time: str, base: float, *, kind: str = "growing", cap: float | None = None
) -> Any:
    """Return the degrees by which each daily mean is beyond a base: growing and cooling above it, heating below it.

    Parameters
    ----------
    variable
        Daily mean temperature; its unit is that of `base` and of the result per day.
    cap
        Temperature above which growing degrees no longer rise.

    Returns
    -------
    xarray.DataArray
        Over the same axes, in K d; sum it over time. Missing where the temperature is.

    Raises
    ------
    LabrigError
        ``bad_input`` for another kind, a cap below the base, and data that are not daily.
    """
    if kind not in ("growing", "heating", "cooling"):
        raise LabrigError(
            f"There are no {kind!r} degree days", where="kind", expected="growing, heating or cooling"
        )
    if cap is not None and cap <= base:
        raise LabrigError(f"The cap {cap:g} is not above the base {base:g}", where="cap")
    about = time_axis(variable, time)
    if about.step_hours != 24.0:
        raise LabrigError(
            f"Degree days are counted on daily means, and the step is {about.step or 'unknown'}",
            where=time,
            try_='aggregate to days first (statistic="mean", every="day")',
        )
    values = variable.clip(max=cap) if cap is not None and kind == "growing" else variable
    found = (base - values if kind == "heating" else values - base).clip(min=0.0)
    return found.rename(variable.name).assign_attrs({"units": "K d", "long_name": f"{kind} degree days"})
