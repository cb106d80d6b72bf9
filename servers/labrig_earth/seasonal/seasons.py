"""Three months as one value: of a forecast by its leads, of a series by its months; only where all three are there."""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.ensembles.members import TIME
from labrig_earth.seasonal.hindcasts import LEAD, START, in_order, monthly, valid_months

STATISTICS = ("mean", "sum")
CENTRES = ("middle_month", "first_month")
_INITIALS = "JFMAMJJASONDJF"
SEASONS = {_INITIALS[first : first + 3]: first + 1 for first in range(12)}
"""The first month (1 to 12) of each season of three months, by its name: DJF begins with 12."""


def season_of(text: str) -> tuple[str, int]:
    """Return the name of a season and its first month; the text is its name, or its middle month (1 to 12)."""
    given = text.strip().upper()
    if given.isascii() and given.isdigit() and 1 <= int(given) <= 12:
        first = (int(given) - 2) % 12 + 1
        return next(name for name, month in SEASONS.items() if month == first), first
    if given not in SEASONS:
        raise unknown_name("season", text, tuple(SEASONS), where="season_def")
    return given, SEASONS[given]


def season_values(
    data: Any, first: int, *, statistic: str = "mean", centre: str = "middle_month", where: str = ""
) -> tuple[Any, int]:
    """Return one value for each year over ``time``, and how many starts or years lack a month of the season.

    Parameters
    ----------
    data
        Over (start, lead, ...), or a monthly series over (time, ...).
    first
        First month of the season, 1 to 12.
    statistic
        ``mean``: months by their days; ``sum``: of the values of the months.
    centre
        Which month's first day is the time of a season.

    Raises
    ------
    LabrigError
        ``not_found`` where no season is complete; ``bad_input`` for two starts that forecast the same season.
    """
    import xarray as xr

    if statistic not in STATISTICS:
        raise unknown_name("statistic", statistic, STATISTICS, where="agg")
    if centre not in CENTRES:
        raise unknown_name("month", centre, CENTRES, where="center_on")
    parts: list[Any] = []
    begins: list[Any] = []
    lacking = 0
    for row, months in _rows(data, where):
        seasons = [month for month in months if int(month.astype(int)) % 12 + 1 == first]
        whole = [each for each in seasons if all(each + n in months for n in range(3))]
        lacking += not whole if LEAD in data.dims else len(seasons) - len(whole)
        for begin in whole[:1] if LEAD in data.dims else whole:
            places = [int(np.flatnonzero(months == begin + n)[0]) for n in range(3)]
            days = np.array([_days(begin + n) for n in range(3)], "f8")
            weights = days / days.sum() if statistic == "mean" else np.ones(3)
            along = LEAD if LEAD in data.dims else TIME
            part = row.isel({along: places})
            part = (part * xr.DataArray(weights, dims=along)).sum(along, skipna=False)
            parts.append(part.drop_vars([along, START], errors="ignore"))
            begins.append(begin)
    if not parts:
        raise LabrigError(
            "No season has its three months in the file",
            where=where,
            expected=f"months {', '.join(str((first - 1 + n) % 12 + 1) for n in range(3))} in a row",
            try_="another season_def",
            code="not_found",
        )
    times = np.array(begins) + (1 if centre == "middle_month" else 0)
    if np.unique(times).size < times.size:
        raise LabrigError(
            "Several starts forecast the same season", where=where, expected="starts of one month of the year"
        )
    joined = xr.concat(parts, dim=TIME, coords="minimal", compat="override")
    joined = joined.assign_coords({TIME: (TIME, times.astype("datetime64[ns]"), {"standard_name": "time"})})
    joined.attrs = dict(data.attrs)
    return in_order(joined.sortby(TIME)), lacking


def _rows(data: Any, where: str) -> Any:
    """Yield each start of a forecast with the months of its leads, or a series with its months."""
    if LEAD in data.dims:
        for number, months in enumerate(valid_months(data, where)):
            yield data.isel({START: number}), months
    else:
        yield data, monthly(data, where)


def _days(month: Any) -> int:
    return int(((month + 1).astype("datetime64[D]") - month.astype("datetime64[D]")).astype(int))
