"""Sunrise, sunset and the length of the day, by astronomy: Meeus, Astronomical Algorithms (1998), 22, 25 and 28."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import acos, asin, cos, degrees, radians, sin, tan

HORIZON_DEG = -0.833
"""The centre of the sun at sunrise: 34 arc minutes of refraction and 16 of radius below the horizon."""


@dataclass(frozen=True)
class SunTimes:
    """The sun's day at a point: times in UTC, None where the sun does not rise or does not set; seconds of daylight."""

    sunrise: datetime | None
    sunset: datetime | None
    daylight_s: float


def sun_times(day: date, latitude: float, longitude: float, offset: timedelta = timedelta(0)) -> SunTimes:
    """Return sunrise and sunset around the noon of a day, at sea level.

    Parameters
    ----------
    day
        The local date.
    latitude, longitude
        Degrees WGS 84, north and east positive.
    offset
        Of local time from UTC: says which noon is that of the day.

    Returns
    -------
    SunTimes
        Right to a minute between the polar circles in 1940 to 2100; there, and where the sun grazes the horizon, to a
        few.
    """
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    noon = _noon(midnight, longitude)
    local = noon + offset
    if local.date() != day:
        midnight += timedelta(days=(day - local.date()).days)
        noon = _noon(midnight, longitude)
    events = []
    for sign in (-1, 1):
        moment = noon
        for _ in range(3):  # the sun moves on until it rises
            angle = _hour_angle(moment, latitude)
            if angle is None:
                break
            equation, _ = _equation_of_time_and_declination(moment)
            moment = midnight + timedelta(minutes=720 - 4 * longitude - equation + sign * 4 * angle)
        else:
            events.append(moment)
    if len(events) == 2:
        return SunTimes(events[0], events[1], (events[1] - events[0]).total_seconds())
    _, declination = _equation_of_time_and_declination(noon)
    up = sin(radians(latitude)) * sin(declination) + cos(radians(latitude)) * cos(declination)
    return SunTimes(None, None, 86_400.0 if degrees(asin(max(-1.0, min(1.0, up)))) > HORIZON_DEG else 0.0)


def _noon(midnight: datetime, longitude: float) -> datetime:
    """Return when the sun is highest, UTC."""
    guess = midnight + timedelta(minutes=720 - 4 * longitude)
    equation, _ = _equation_of_time_and_declination(guess)
    return guess - timedelta(minutes=equation)


def _hour_angle(moment: datetime, latitude: float) -> float | None:
    """Return how many degrees the sun turns between its rise and noon; None where it does not rise or not set."""
    _, declination = _equation_of_time_and_declination(moment)
    flat = radians(max(min(latitude, 89.999), -89.999))
    cosine = sin(radians(HORIZON_DEG)) / (cos(flat) * cos(declination)) - tan(flat) * tan(declination)
    return None if abs(cosine) > 1 else degrees(acos(cosine))


def _equation_of_time_and_declination(moment: datetime) -> tuple[float, float]:
    """Return the equation of time (minutes) and the declination of the sun (radians)."""
    century = ((moment - datetime(2000, 1, 1, 12, tzinfo=UTC)).total_seconds() / 86_400) / 36_525
    mean_longitude = radians((280.46646 + century * (36_000.76983 + century * 0.0003032)) % 360)
    anomaly = radians(357.52911 + century * (35_999.05029 - 0.0001537 * century))
    eccentricity = 0.016708634 - century * (0.000042037 + 0.0000001267 * century)
    centre = (
        sin(anomaly) * (1.914602 - century * (0.004817 + 0.000014 * century))
        + sin(2 * anomaly) * (0.019993 - 0.000101 * century)
        + sin(3 * anomaly) * 0.000289
    )
    node = radians(125.04 - 1934.136 * century)
    apparent = mean_longitude + radians(centre - 0.00569 - 0.00478 * sin(node))
    obliquity = radians(
        23
        + (26 + (21.448 - century * (46.815 + century * (0.00059 - century * 0.001813))) / 60) / 60
        + 0.00256 * cos(node)
    )
    declination = asin(sin(obliquity) * sin(apparent))
    y = tan(obliquity / 2) ** 2
    equation = 4 * degrees(
        y * sin(2 * mean_longitude)
        - 2 * eccentricity * sin(anomaly)
        + 4 * eccentricity * y * sin(anomaly) * cos(2 * mean_longitude)
        - 0.5 * y * y * sin(4 * mean_longitude)
        - 1.25 * eccentricity**2 * sin(2 * anomaly)
    )
    return equation, declination
