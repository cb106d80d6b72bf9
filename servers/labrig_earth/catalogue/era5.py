"""What is asked of Copernicus for ERA5: data sets, names of variables, windows of time, as the store's forms have them.

Instantaneous and accumulated variables are asked for apart, since the store cannot put both into one NetCDF file and
sends an archive instead.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError, unknown_name

SINGLE, MONTHLY, LEVELS, LAND = (
    "era5_single_levels",
    "era5_single_levels_monthly",
    "era5_pressure_levels",
    "era5_land",
)
DATASETS = {
    SINGLE: "reanalysis-era5-single-levels",
    MONTHLY: "reanalysis-era5-single-levels-monthly-means",
    LEVELS: "reanalysis-era5-pressure-levels",
    LAND: "reanalysis-era5-land",
}
_OF_LAND = {
    "t2m": "2m_temperature",
    "d2m": "2m_dewpoint_temperature",
    "tp": "total_precipitation",
    "u10": "10m_u_component_of_wind",
    "v10": "10m_v_component_of_wind",
    "sp": "surface_pressure",
}
_OF_SURFACE = {
    **_OF_LAND,
    "msl": "mean_sea_level_pressure",
    "sst": "sea_surface_temperature",
    "lsm": "land_sea_mask",
    "slt": "soil_type",
    "oro": "geopotential",
    "tcc": "total_cloud_cover",
}
_OF_LEVELS = {
    "z": "geopotential",
    "t": "temperature",
    "u": "u_component_of_wind",
    "v": "v_component_of_wind",
    "q": "specific_humidity",
    "r": "relative_humidity",
    "w": "vertical_velocity",
}
VARIABLES = {SINGLE: _OF_SURFACE, MONTHLY: _OF_SURFACE, LEVELS: _OF_LEVELS, LAND: _OF_LAND}
ACCUMULATED = ("tp",)
FIRST_YEAR = {SINGLE: 1940, MONTHLY: 1940, LEVELS: 1940, LAND: 1950}
LEVELS_HPA = (
    *(
        1,
        2,
        3,
        5,
        7,
        10,
        20,
        30,
        50,
        70,
        100,
        125,
        150,
        175,
        200,
        225,
        250,
        300,
        350,
        400,
        450,
        500,
        550,
        600,
        650,
    ),
    *(700, 750, 775, 800, 825, 850, 875, 900, 925, 950, 975, 1000),
)
USUAL_HPA = (1000, 925, 850, 700, 500, 300, 250, 200)
REGIONS = {
    "global": [90.0, -180.0, -90.0, 180.0],
    "norcal": [42.5, -125.0, 36.5, -118.5],
    "europe": [72.0, -25.0, 34.0, 45.0],
}
"""north, west, south, east, as the public code names them."""

MOST_DAYS = 366
FORMS = (
    '{"start": "2023-08-01T00:00Z", "hours": 24} or "end"; {"year", "month", "day", "hours"}; {"years", "months"} of '
    'monthly means; {"static": true}'
)
_KEYS = ("start", "end", "hours", "year", "month", "day", "years", "months", "static", "timestamp")


@dataclass(frozen=True)
class Window:
    """Times of a request.

    Attributes
    ----------
    form
        As the store's form has them: ``date`` and ``time``, or ``year``, ``month``, ``day`` and ``time``.
    start, end
        ISO text of the first and the last hour, where the form covers whole days and fewer hours are wanted.
    """

    form: Mapping[str, Any]
    start: str = ""
    end: str = ""
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """Requests to the store, a file each.

    Attributes
    ----------
    requests
        Names of files, and requests.
    names
        Of all variables, as the store has them.
    """

    dataset: str
    requests: tuple[tuple[str, dict[str, Any]], ...]
    names: tuple[str, ...]
    window: Window
    assumed: tuple[str, ...] = ()


def wanted_of(
    kind: str,
    variables: Sequence[str],
    time_window: Mapping[str, Any],
    *,
    levels: Sequence[int] = (),
    extent: Mapping[str, Any],
    today: datetime.date,
) -> Wanted:
    """Return what is to be asked of the store.

    Parameters
    ----------
    kind
        One of `DATASETS`.
    variables
        Short names, of `VARIABLES`.
    extent
        ``area`` and ``grid`` of the request.
    today
        In UTC; later times are refused.

    Raises
    ------
    LabrigError
        ``not_found`` for unknown kinds, variables and levels; ``bad_input`` for invalid times or those in the future.
    """
    if kind not in DATASETS:
        raise unknown_name("kind", kind, DATASETS, where="dataset_kind")
    known = VARIABLES[kind]
    for name in variables:
        if name not in known:
            raise unknown_name("variable", name, known, where=f"variables of {kind}")
    if not variables:
        raise LabrigError("No variable is asked for", where="variables", expected=", ".join(known))
    window = _window(kind, time_window, today)
    common: dict[str, Any] = {
        **window.form,
        **extent,
        "data_format": "netcdf",
        "download_format": "unarchived",
    }
    assumed = window.assumed
    if kind == LEVELS:
        for level in levels:
            if level not in LEVELS_HPA:
                raise unknown_name(
                    "level", str(level), [str(each) for each in LEVELS_HPA], where="levels, hPa"
                )
        chosen = list(levels) or list(USUAL_HPA)
        if not levels:
            assumed = (*assumed, f"levels {', '.join(map(str, chosen))} hPa")
        common["pressure_level"] = [str(each) for each in chosen]
    elif levels:
        raise LabrigError(f"{kind} has no levels", where="levels", try_=f'dataset_kind="{LEVELS}"')
    if kind != LAND:
        common["product_type"] = ["monthly_averaged_reanalysis" if kind == MONTHLY else "reanalysis"]
    once = list(dict.fromkeys(variables))
    parts = {"": [each for each in once if each not in ACCUMULATED or kind == LEVELS]}
    parts["_accumulated"] = [each for each in once if each not in parts[""]]
    requests = tuple(
        (f"{kind}{part}", {"variable": [known[each] for each in names], **common})
        for part, names in parts.items()
        if names
    )
    return Wanted(DATASETS[kind], requests, tuple(known[each] for each in once), window, assumed)


def _window(kind: str, given: Mapping[str, Any], today: datetime.date) -> Window:
    for key in given:
        if key not in _KEYS:
            raise unknown_name("key", str(key), _KEYS, where="time_window")
    static = given.get("static", False)
    if not isinstance(static, bool):
        raise LabrigError(f"static is {static!r:.40}", where="time_window", expected="true or false")
    keys = {key for key, value in given.items() if value is not None and key != "static"}
    if static:
        _only(keys, {"timestamp"})
        moment = _moment(given.get("timestamp") or "2023-01-01T00:00", "timestamp")
        _checked(kind, moment.date(), moment.date(), today)
        form = {
            "year": [f"{moment:%Y}"],
            "month": [f"{moment:%m}"],
            "day": [f"{moment:%d}"],
            "time": [f"{moment:%H}:00"],
        }
        return Window(form, assumed=(f"a field that does not change, of {moment:%Y-%m-%d %H:00}",))
    if kind == MONTHLY:
        _only(keys, {"years", "months"})
        return _of_months(kind, given, today)
    if "start" in keys:
        return _from_start(kind, given, keys, today)
    _only(keys, {"year", "month", "day", "hours"})
    years = _numbers(given, "year", 1, 9999)
    months, days = _numbers(given, "month", 1, 12), _numbers(given, "day", 1, 31)
    hours = _numbers(given, "hours", 0, 23)
    dates = [date for year in years for month in months for day in days if (date := _date(year, month, day))]
    if not dates:
        raise LabrigError("There is no such day", where="time_window", expected=FORMS)
    if len(dates) > MOST_DAYS:
        raise _too_many(len(dates))
    _checked(kind, min(dates), max(dates), today)
    form = {
        "year": [f"{year:04d}" for year in years],
        "month": [f"{month:02d}" for month in months],
        "day": [f"{day:02d}" for day in days],
        "time": [f"{hour:02d}:00" for hour in hours],
    }
    return Window(form)


def _from_start(kind: str, given: Mapping[str, Any], keys: set[str], today: datetime.date) -> Window:
    _only(keys, {"start", "end"} if "end" in keys else {"start", "hours"})
    start = _moment(given["start"], "start")
    if "end" in keys:
        end = _moment(given["end"], "end")
        if end < start:
            raise LabrigError(
                f"The end {end:%Y-%m-%dT%H:%M} is before the start {start:%Y-%m-%dT%H:%M}",
                where="time_window",
            )
    else:
        hours = given["hours"]
        if isinstance(hours, bool) or not isinstance(hours, int) or not 1 <= hours <= MOST_DAYS * 24:
            raise LabrigError(
                f"hours is {hours!r:.40}",
                where="time_window",
                expected=f"a whole number from 1 to {MOST_DAYS * 24}",
            )
        end = _later(start, hours - 1)
    days = (end.date() - start.date()).days + 1
    if days > MOST_DAYS:
        raise _too_many(days)
    _checked(kind, start.date(), end.date(), today)
    dates = [str(start.date() + datetime.timedelta(days=day)) for day in range(days)]
    hours_of = range(start.hour, end.hour + 1) if days == 1 else range(24)
    form = {"date": dates, "time": [f"{hour:02d}:00" for hour in hours_of]}
    whole = days == 1 or (start.hour == 0 and end.hour == 23)
    return Window(form) if whole else Window(form, f"{start:%Y-%m-%dT%H:%M}", f"{end:%Y-%m-%dT%H:%M}")


def _of_months(kind: str, given: Mapping[str, Any], today: datetime.date) -> Window:
    years, months = _numbers(given, "years", 1, 9999), _numbers(given, "months", 1, 12)
    _checked(
        kind, datetime.date(min(years), min(months), 1), datetime.date(max(years), min(months), 1), today
    )
    assumed: tuple[str, ...] = ()
    if len(years) == 2 and years[1] - years[0] > 1:
        assumed = (f"the years {years[0]} and {years[1]} alone, not those between",)
    form = {
        "year": [f"{year:04d}" for year in years],
        "month": [f"{month:02d}" for month in months],
        "time": ["00:00"],
    }
    return Window(form, assumed=assumed)


def _only(keys: set[str], wanted: set[str]) -> None:
    if keys != wanted and not (wanted == {"timestamp"} and not keys):
        raise LabrigError(
            f"The window has {', '.join(sorted(keys)) or 'nothing'}, not {', '.join(sorted(wanted))}",
            where="time_window",
            expected=FORMS,
        )


def _numbers(given: Mapping[str, Any], key: str, low: int, high: int) -> list[int]:
    """Return whole numbers, of which one may stand alone, or as text; in order, each once."""
    values = given[key] if isinstance(given[key], list) else [given[key]]
    found = set()
    for value in values:
        text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
        if not (text.isascii() and text.isdigit() and len(text) <= 4 and low <= int(text) <= high):
            raise LabrigError(
                f"{key} has {value!r:.40}",
                where="time_window",
                expected=f"whole numbers from {low} to {high}",
            )
        found.add(int(text))
    if not found:
        raise LabrigError(f"{key} is empty", where="time_window", expected=FORMS)
    return sorted(found)


def _moment(value: Any, key: str) -> datetime.datetime:
    """Return a whole hour in UTC."""
    try:
        found = datetime.datetime.fromisoformat(value) if isinstance(value, str) else None
        if found is not None and found.tzinfo is not None:
            found = found.astimezone(datetime.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        found = None
    if found is None or found.minute or found.second or found.microsecond:
        raise LabrigError(
            f"{key} is {value!r:.60}", where="time_window", expected="a whole hour such as 2023-08-01T00:00Z"
        )
    return found


def _later(start: datetime.datetime, hours: int) -> datetime.datetime:
    try:
        return start + datetime.timedelta(hours=hours)
    except OverflowError:
        raise LabrigError("The window ends beyond the year 9999", where="time_window") from None


def _date(year: int, month: int, day: int) -> datetime.date | None:
    try:
        return datetime.date(year, month, day)
    except ValueError:  # the 31st of months that have none, as the store's forms allow it
        return None


def _checked(kind: str, first: datetime.date, last: datetime.date, today: datetime.date) -> None:
    if first.year < FIRST_YEAR[kind]:
        raise LabrigError(
            f"{kind} begins in {FIRST_YEAR[kind]}, and {first} is asked for",
            where="time_window",
            code="not_found",
        )
    if last > today:
        raise LabrigError(
            f"{last} is in the future: a reanalysis is of the past",
            where="time_window",
            expected=f"days up to some five before today, {today}",
            code="not_found",
        )


def _too_many(days: int) -> LabrigError:
    return LabrigError(
        f"{days:,} days are asked for", where="time_window", expected=f"at most {MOST_DAYS}", try_="several calls",
        code="limit",
    )  # fmt: skip
