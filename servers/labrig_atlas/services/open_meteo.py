"""Open-Meteo: the weather of days since 1940, the forecast, and elevations. https://open-meteo.com/en/docs

Free for non-commercial use: 600 requests a minute, 5,000 an hour, 10,000 a day (https://open-meteo.com/en/terms). The
data are CC BY 4.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig.http import declared
from labrig_atlas.facts import DailyWeather, Elevation
from labrig_atlas.offline.geodesy import check_point
from labrig_atlas.services.checks import checked_points, checked_span
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client

CREDIT = "weather data by Open-Meteo.com, CC BY 4.0, free for non-commercial use"
ARCHIVE = Provider(
    declared.open_meteo("open_meteo_archive", "archive-api"),
    title="Open-Meteo archive (reanalyses, mostly ERA5 and ERA5-Land)",
    credit=CREDIT,
    homepage="https://open-meteo.com/en/docs/historical-weather-api",
    questions=("weather",),
    at_most="stated: 600 requests/min, 10,000 a day; 3,660 days a question",
)
FORECAST = Provider(
    declared.open_meteo("open_meteo", "api"),
    title="Open-Meteo forecast (best model for the place)",
    credit=CREDIT,
    homepage="https://open-meteo.com/en/docs",
    questions=("forecast",),
    at_most="stated: 600 requests/min, 10,000 a day; 100 points a request",
)
HEIGHTS = Provider(
    FORECAST.service,
    title="Open-Meteo elevation",
    credit="Copernicus DEM GLO-90, © DLR e.V. 2010-2014 and © Airbus Defence and Space GmbH 2014-2018, provided under "
    "COPERNICUS by the European Union and ESA; CC BY 4.0 by Open-Meteo.com",
    homepage="https://open-meteo.com/en/docs/elevation-api",
    questions=("elevation",),
    at_most=FORECAST.at_most,
)
HISTORICAL_DAILY = (
    "temperature_2m_max",
    "temperature_2m_min",
    "temperature_2m_mean",
    "apparent_temperature_mean",
    "apparent_temperature_min",
    "apparent_temperature_max",
    "rain_sum",
    "precipitation_sum",
    "snowfall_sum",
    "precipitation_hours",
    "sunrise",
    "sunset",
    "daylight_duration",
    "sunshine_duration",
)
FORECAST_DAILY = (
    "temperature_2m_max",
    "temperature_2m_min",
    "rain_sum",
    "precipitation_sum",
    "sunrise",
    "sunset",
    "weather_code",
)
FORECAST_CURRENT = ("temperature_2m", "relative_humidity_2m", "weather_code")
MOST_DAYS = 3_660
MOST_HEIGHTS = 100
PATIENCE_S = 20.0
"""For its turn, behind others whose ten years take seconds each, and for asking again after a fault."""
NO_SUN = (
    "On a day on which the sun does not rise or not set, Open-Meteo gives midnight for both: the same one in a polar "
    "night, the next for the sunset of a polar day."
)
GRID_NOTE = (
    "Open-Meteo answers for the cell of its grid at {}, {} (latitude, longitude), at {} m above sea level."
)


async def _answer(inquiry: Inquiry, provider: Provider, path: str, params: Mapping[str, object]) -> Value:
    """Return an answer that is no error.

    Raises
    ------
    LabrigError
        ``bad_input`` with the reason of an answer ``{"error": true, "reason": ...}``, ``rate_limited`` with the length
        of the window whose limit is used up.
    """
    try:
        answer = await inquiry.json(provider, path, params=params, accept={400}, patience_s=PATIENCE_S)
    except LabrigError as error:
        if error.code == "rate_limited" and "limit exceeded" in error.what:
            raise declared.open_meteo_refusal(error.what, error.where) from error
        raise
    if "error" in answer:
        raise declared.open_meteo_refusal(answer["reason"].text(""), answer.where)
    return answer


def _scalar(value: Value) -> float | int | str | None:
    if not value.given or isinstance(value.raw, str):
        return value.raw if isinstance(value.raw, str) else None
    number = value.number()
    return value.raw if isinstance(value.raw, int) else number


def read_daily(answer: Value, wanted: Sequence[str], provider: Provider, *, forecast: bool) -> DailyWeather:
    """Return the daily columns of an answer, each with the unit that the answer states.

    Raises
    ------
    LabrigError
        ``unreachable`` where a variable is missing, or a column is not as long as the days.
    """
    days = answer["daily"]["time"].texts()
    daily: dict[str, tuple[float | int | str | None, ...]] = {}
    units: dict[str, str] = {}
    for name in wanted:
        column = answer["daily"][name]
        if column.count != len(days):
            raise column.odd(f"{len(days)} values, one for each day")
        daily[name] = tuple(_scalar(each) for each in column)
        units[name] = answer["daily_units"][name].text()
    if not days:
        raise answer["daily"]["time"].odd("at least one day")
    current = {name: _scalar(answer["current"][name]) for name in FORECAST_CURRENT} if forecast else {}
    return DailyWeather(
        latitude=answer["latitude"].latitude(),
        longitude=answer["longitude"].longitude(),
        timezone=answer["timezone"].text(),
        days=days,
        daily=daily,
        units=units,
        source=provider.source,
        kind="forecast" if forecast else "historical",
        current=current,
        current_units={name: answer["current_units"][name].text() for name in current},
    )


def _missing(daily: DailyWeather) -> list[str]:
    gaps = [name for name, column in daily.daily.items() if any(each is None for each in column)]
    return [f"No value for some days: {', '.join(gaps)}; the archive lags some days behind."] if gaps else []


async def weather(
    client: Client, latitude: float, longitude: float, start: str, end: str
) -> Reply[DailyWeather]:
    """Return the weather of up to 3,660 days at a point (latitude, longitude in degrees); first and last as ISO dates.

    Days are local to the place. The values are those of a reanalysis: a model run that took in observations.

    Raises
    ------
    LabrigError
        ``bad_input`` for days before 1940 or in the future, with Open-Meteo's reason.
    """
    point = check_point(latitude, longitude)
    first, last = checked_span(start, end, MOST_DAYS)
    inquiry = Inquiry(client)
    answer = await _answer(
        inquiry,
        ARCHIVE,
        "archive",
        {
            "latitude": point[0],
            "longitude": point[1],
            "start_date": first.isoformat(),
            "end_date": last.isoformat(),
            "daily": ",".join(HISTORICAL_DAILY),
            "timezone": "auto",
        },
    )
    found = read_daily(answer, HISTORICAL_DAILY, ARCHIVE, forecast=False)
    inquiry.notes += [_grid(answer), *_missing(found), *_no_sun(found)]
    return inquiry.reply(found)


def _no_sun(daily: DailyWeather) -> list[str]:
    """Return a note where a day's sunrise or sunset is midnight."""
    clocks = [str(each) for name in ("sunrise", "sunset") for each in daily.daily[name]]
    return [NO_SUN] if any(each.endswith("T00:00") for each in clocks) else []


def _grid(answer: Value) -> str:
    height = answer["elevation"].number_or_none()
    shown = "an unknown number of" if height is None else f"{height:g}"
    return GRID_NOTE.format(answer["latitude"].number(), answer["longitude"].number(), shown)


async def forecast(client: Client, latitude: float, longitude: float) -> Reply[DailyWeather]:
    """Return the weather now and of the next seven days at a point (latitude, longitude in degrees)."""
    point = check_point(latitude, longitude)
    inquiry = Inquiry(client)
    answer = await _answer(
        inquiry,
        FORECAST,
        "forecast",
        {
            "latitude": point[0],
            "longitude": point[1],
            "daily": ",".join(FORECAST_DAILY),
            "current": ",".join(FORECAST_CURRENT),
            "timezone": "auto",
        },
    )
    found = read_daily(answer, FORECAST_DAILY, FORECAST, forecast=True)
    inquiry.notes += [
        _grid(answer),
        "weather_code is the WMO code table 4677, as Open-Meteo reduces it.",
        *_no_sun(found),
    ]
    return inquiry.reply(found)


async def elevation(client: Client, points: Sequence[tuple[float, float]]) -> Reply[tuple[Elevation, ...]]:
    """Return the elevation of up to 100 points (latitude, longitude in degrees), in metres, from a grid of 90 m."""
    asked = checked_points(points, MOST_HEIGHTS, "Open-Meteo")
    inquiry = Inquiry(client)
    answer = await _answer(
        inquiry,
        HEIGHTS,
        "elevation",
        {
            "latitude": ",".join(str(latitude) for latitude, _ in asked),
            "longitude": ",".join(str(longitude) for _, longitude in asked),
        },
    )
    heights = list(answer["elevation"])
    if len(heights) != len(asked):
        raise answer["elevation"].odd(f"{len(asked)} numbers")
    return inquiry.reply(
        tuple(
            Elevation(
                *point,
                elevation_m=height.number(),
                method="Copernicus DEM GLO-90, the nearest cell",
                source=HEIGHTS.source,
                resolution_m=90.0,
            )
            for point, height in zip(asked, heights, strict=True)
        )
    )
