"""Daily weather of any point: made up from the world's seed and a plausible climate; daylight is astronomy."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta, timezone, tzinfo
from math import erf, exp, log, sqrt
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from labrig.errors import LabrigError, unknown_name
from labrig_atlas.facts import DailyWeather
from labrig_atlas.offline.climate import Climate, climate, departure
from labrig_atlas.offline.dates import read_date
from labrig_atlas.offline.geodesy import check_point
from labrig_atlas.offline.places import nearest
from labrig_atlas.offline.sun import sun_times
from labrig_atlas.world.database import World

FIRST_DAY = date(1940, 1, 1)
"""As in Open-Meteo's archive."""
MOST_DAYS = 366
MOST_KEPT = 5_000
"""Points whose time zone and climate are kept."""
FORECAST_DAYS = 7
UNITS = {
    "temperature_2m_max": "°C",
    "temperature_2m_min": "°C",
    "temperature_2m_mean": "°C",
    "apparent_temperature_max": "°C",
    "apparent_temperature_min": "°C",
    "apparent_temperature_mean": "°C",
    "precipitation_sum": "mm",
    "rain_sum": "mm",
    "snowfall_sum": "cm",
    "precipitation_hours": "h",
    "sunrise": "iso8601",
    "sunset": "iso8601",
    "daylight_duration": "s",
    "sunshine_duration": "s",
    "weather_code": "wmo code",
    "wind_speed_10m_max": "km/h",
}
"""Variables, under the names that Open-Meteo gives them, and their units."""
CURRENT_UNITS = {
    "time": "iso8601",
    "temperature_2m": "°C",
    "relative_humidity_2m": "%",
    "weather_code": "wmo code",
}
SOURCE = "made up by Labrig from a rough climate; daylight, sunrise and sunset are computed (Meeus, 1998)"
SNOW_CM_MM = 0.7
"""Snow, cm, for each mm of water, as Open-Meteo counts it."""
Cell = float | int | str | None


def historical_weather(
    world: World,
    latitude: float,
    longitude: float,
    start: str,
    end: str | None = None,
    variables: Sequence[str] | None = None,
) -> DailyWeather:
    """Return the weather of days that are past.

    Parameters
    ----------
    latitude, longitude
        Degrees WGS 84.
    start, end
        First and last day, ``YYYY-MM-DD``, local; one day where there is no end. From 1940-01-01 to the day before the
        world's own; at most 366 days.
    variables
        Names of `UNITS`; all where none are given.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no point, no date, in the future, or too long; ``not_found`` for a variable that there
        is not.
    """
    first = read_date(start, "start_date")
    last = read_date(end, "end_date") if end is not None else first
    yesterday = world.today - timedelta(days=1)
    for day, where in ((first, "start_date"), (last, "end_date")):
        if not FIRST_DAY <= day <= yesterday:
            future = " is in the future of the world" if day > yesterday else " is before the first day"
            raise LabrigError(
                f"{day}{future}",
                where=where,
                expected=f"{FIRST_DAY} to {yesterday}",
                try_=f"the forecast, which takes no start_date and tells {world.today} to {_last_day(world)}"
                if day > yesterday
                else "",
            )
    if last < first:
        raise LabrigError(
            f"{last} is before {first}", where="end_date", expected="the first day, then the last"
        )
    if (last - first).days >= MOST_DAYS:
        raise LabrigError(
            f"{first} to {last} are {(last - first).days + 1} days",
            where="end_date",
            expected=f"at most {MOST_DAYS} days in one call",
        )
    return _weather(world, latitude, longitude, first, last, variables, forecast=False)


def forecast_weather(
    world: World, latitude: float, longitude: float, variables: Sequence[str] | None = None
) -> DailyWeather:
    """Return the weather of the seven days from the world's own day on, and that of its noon as the current one.

    Raises
    ------
    LabrigError
        As `historical_weather`.
    """
    return _weather(world, latitude, longitude, world.today, _last_day(world), variables, forecast=True)


def _last_day(world: World) -> date:
    """Return the last day of the forecast."""
    return world.today + timedelta(days=FORECAST_DAYS - 1)


def _weather(
    world: World,
    latitude: float,
    longitude: float,
    first: date,
    last: date,
    variables: Sequence[str] | None,
    *,
    forecast: bool,
) -> DailyWeather:
    names = list(dict.fromkeys(variables)) if variables is not None else list(UNITS)
    for name in names:
        if name not in UNITS:
            raise unknown_name("daily variable", name, UNITS, where="variables")
    latitude, longitude = check_point(latitude, longitude)
    zone_name, zone, usual = _usual(world, latitude, longitude)
    days = [first + timedelta(days=count) for count in range((last - first).days + 1)]
    rows = [_day(world, usual, day, zone) for day in days]
    current: dict[str, Cell] = {}
    if forecast:
        today = rows[0]
        current = {
            "time": f"{first}T12:00",
            "temperature_2m": today["temperature_2m_mean"],
            "relative_humidity_2m": _humidity(departure(world, "wet", latitude, longitude, first)),
            "weather_code": today["weather_code"],
        }
    return DailyWeather(
        latitude,
        longitude,
        zone_name,
        tuple(map(str, days)),
        {name: tuple(row[name] for row in rows) for name in names},
        {name: UNITS[name] for name in names},
        world.meta.get("source", SOURCE),
        made_up=True,
        kind="forecast" if forecast else "historical",
        current=current,
        current_units=CURRENT_UNITS if forecast else {},
        notes=(f"the day of this world is {world.today}",) if forecast else (),
    )


def _day(world: World, usual: Climate, day: date, zone: tzinfo) -> dict[str, Cell]:
    """Return every variable of a day."""
    point = usual.latitude, usual.longitude
    heat, wet, wind = (departure(world, what, *point, day) for what in ("heat", "wet", "wind"))
    share = usual.wet_share(day)
    exceeded = (1 - erf(wet / sqrt(2))) / 2  # the part of days that are wetter
    rains = exceeded < share
    water = max(round(-usual.wet_day_mm() * log(max(exceeded / share, 1e-9)), 1), 0.0) if rains else 0.0
    mean = usual.mean_c(day) + usual.spread_k() * heat
    half = usual.range_k() / 2 * (0.55 if water > 1 else 1.0) * (1 + 0.1 * max(-2.0, min(2.0, -wet)))
    cold = max(0.0, min(1.0, (2.0 - mean) / 2))
    snow_water = round(water * cold, 1)
    blown = usual.wind_km_h() * exp(0.35 * wind)
    offset = _offset(day, zone)
    sun = sun_times(day, *point, offset)
    clear = max(0.0, min(0.95, 0.62 - 0.3 * wet - (0.25 if water > 1 else 0.0)))
    high, low = mean + half, mean - half
    dampness = _humidity(wet)
    felt = [
        _apparent(degrees, humidity, blown * 0.5)
        for degrees, humidity in ((high, dampness - 20), (low, dampness + 15), (mean, dampness))
    ]
    return {
        "temperature_2m_max": 0.0 + round(high, 1),
        "temperature_2m_min": 0.0 + round(low, 1),
        "temperature_2m_mean": 0.0 + round(mean, 1),
        "apparent_temperature_max": felt[0],
        "apparent_temperature_min": felt[1],
        "apparent_temperature_mean": felt[2],
        "precipitation_sum": water,
        "rain_sum": round(water - snow_water, 1),
        "snowfall_sum": round(snow_water * SNOW_CM_MM, 2),
        "precipitation_hours": float(min(24, round(1 + 2.2 * water**0.6))) if water else 0.0,
        "sunrise": (sun.sunrise + offset).strftime("%Y-%m-%dT%H:%M") if sun.sunrise else None,
        "sunset": (sun.sunset + offset).strftime("%Y-%m-%dT%H:%M") if sun.sunset else None,
        "daylight_duration": round(sun.daylight_s, 0),
        "sunshine_duration": round(sun.daylight_s * clear, 0),
        "weather_code": _code(water, snow_water, mean, clear),
        "wind_speed_10m_max": round(blown, 1),
    }


def _humidity(wet: float) -> int:
    """Return the relative humidity of a day, %."""
    return round(max(25.0, min(97.0, 68 + 12 * wet)))


def _apparent(degrees_c: float, humidity: float, wind_km_h: float) -> float:
    """Return the apparent temperature, degrees C: Steadman (Aust. Met. Mag. 43, 1994), without radiation."""
    vapour_hpa = max(min(humidity, 100.0), 10.0) / 100 * 6.105 * exp(17.27 * degrees_c / (237.7 + degrees_c))
    return 0.0 + round(degrees_c + 0.33 * vapour_hpa - 0.70 * wind_km_h / 3.6 - 4.0, 1)


def _code(water: float, snow_water: float, mean_c: float, clear: float) -> int:
    """Return the weather of a day as WMO code 4677, in the selection of Open-Meteo."""
    if not water:
        return 0 if clear > 0.8 else 1 if clear > 0.6 else 2 if clear > 0.35 else 3
    step = 0 if water < 2.5 else 1 if water < 10 else 2
    if snow_water > water / 2:
        return (71, 73, 75)[step]
    if mean_c > 20 and water > 10:
        return 95
    return (51, 53, 55)[min(int(water * 2), 2)] if water < 1.0 else (61, 63, 65)[step]


def _usual(world: World, latitude: float, longitude: float) -> tuple[str, tzinfo, Climate]:
    """Return the time zone and the climate of a point; they are kept, since a point is asked for day after day."""
    kept: dict[tuple[float, float], tuple[str, tzinfo, Climate]] = world.kept.setdefault("usual", {})
    point = latitude, longitude
    if point not in kept:
        if len(kept) > MOST_KEPT:
            kept.clear()
        kept[point] = (*_zone(world, *point), climate(world, *point))
    return kept[point]


def _zone(world: World, latitude: float, longitude: float) -> tuple[str, tzinfo]:
    """Return the time zone of the nearest city within 300 km, else that of the longitude at sea.

    The latter is also what a machine without a database of time zones gets; the name says which it is.
    """
    found = nearest(world, latitude, longitude)
    if found is not None and found[0] <= 300e3:
        with suppress(ZoneInfoNotFoundError, ValueError):
            return found[1][9], ZoneInfo(found[1][9])
    hours = round(longitude / 15)
    name = f"Etc/GMT{-hours:+d}" if hours else "Etc/GMT"  # the sign in these names is that of the west
    return name, timezone(timedelta(hours=hours))


def _offset(day: date, zone: tzinfo) -> timedelta:
    """Return what local time is ahead of UTC at noon."""
    return datetime(day.year, day.month, day.day, 12, tzinfo=zone).utcoffset() or timedelta(0)
