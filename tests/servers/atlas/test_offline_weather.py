"""Weather by day: made up in a plausible way, with daylight by astronomy."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfoNotFoundError

import pytest

from labrig.errors import LabrigError
from labrig_atlas.offline import weather
from labrig_atlas.offline.sun import sun_times
from labrig_atlas.offline.weather import MOST_DAYS, UNITS, forecast_weather, historical_weather
from labrig_atlas.world.database import TODAY, World
from support.atlas_world import opened_earth


@pytest.fixture(scope="module")
def earth(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with opened_earth(tmp_path_factory) as world:
        yield world


# UTC. Greenwich as almanacs print it; Quito, Sydney and Fairbanks by the library astral 3.2.
PUBLISHED = [
    (51.4769, 0.0, date(2024, 6, 20), "03:43", "20:21"),
    (51.4769, 0.0, date(2024, 12, 21), "08:04", "15:54"),
    (-0.2186, -78.5097, date(2024, 3, 20), "11:18", "23:24"),
    (-33.8688, 151.2093, date(2024, 1, 15), "18:59", "09:09"),
    (64.8378, -147.7164, date(2024, 10, 1), "16:03", "03:16"),
]


@pytest.mark.parametrize("latitude, longitude, day, sunrise, sunset", PUBLISHED)
def test_the_sun_rises_and_sets_as_published(
    latitude: float, longitude: float, day: date, sunrise: str, sunset: str
) -> None:
    offset = timedelta(hours=round(longitude / 15))
    found = sun_times(day, latitude, longitude, offset)
    assert found.sunrise and found.sunset
    assert (found.sunrise + offset).date() == day == (found.sunset + offset).date()
    for moment, published in ((found.sunrise, sunrise), (found.sunset, sunset)):
        hour, minute = map(int, published.split(":"))
        other = datetime(2024, 1, 1, hour, minute, tzinfo=UTC)
        apart = abs((moment.hour - other.hour) * 60 + moment.minute + moment.second / 60 - other.minute)
        assert min(apart, 1440 - apart) <= 1.0, (moment, published)
    assert found.daylight_s == (found.sunset - found.sunrise).total_seconds()


def test_polar_day_and_night_have_no_sunrise() -> None:
    for latitude, day, seconds in (
        (70, date(2024, 6, 21), 86_400),
        (70, date(2024, 12, 21), 0),
        (-90, date(2024, 1, 1), 86_400),
    ):
        found = sun_times(day, latitude, 20.0)
        assert (found.sunrise, found.sunset, found.daylight_s) == (None, None, seconds)


def test_a_day_has_every_variable_and_they_agree(earth: World) -> None:
    found = historical_weather(earth, 48.4011, 9.9876, "2023-01-01", "2023-12-31")
    assert found.made_up and "made up" in found.source and found.timezone == "Europe/Berlin"
    assert len(found.days) == 365 and set(found.daily) == set(UNITS) == set(found.units)
    columns = {name: list(values) for name, values in found.daily.items()}
    for index in range(365):
        day = {name: values[index] for name, values in columns.items()}
        assert day["temperature_2m_min"] < day["temperature_2m_mean"] < day["temperature_2m_max"]
        assert day["rain_sum"] + day["snowfall_sum"] / 0.7 == pytest.approx(
            day["precipitation_sum"], abs=0.06
        )
        assert 0 <= day["sunshine_duration"] <= day["daylight_duration"] <= 86_400
        assert (day["precipitation_hours"] > 0) == (day["precipitation_sum"] > 0) == (day["weather_code"] > 3)
        rise, down = (datetime.fromisoformat(str(day[name])) for name in ("sunrise", "sunset"))
        assert str(rise.date()) == found.days[index]
        assert (down - rise).total_seconds() == pytest.approx(day["daylight_duration"], abs=61)
    assert sum(columns["snowfall_sum"][150:240]) == 0 < sum(columns["snowfall_sum"])


def test_a_day_is_the_same_alone_in_a_range_and_again(earth: World) -> None:
    whole = historical_weather(earth, 10.5, -66.9, "2020-02-25", "2020-03-05")
    assert "2020-02-29" in whole.days
    alone = historical_weather(earth, 10.5, -66.9, "2020-02-29", variables=["rain_sum", "sunrise"])
    at = whole.days.index("2020-02-29")
    assert alone.daily == {name: (whole.daily[name][at],) for name in ("rain_sum", "sunrise")}
    known = historical_weather(earth, 48.4011, 9.9876, "2024-01-15")
    assert known.daily["temperature_2m_max"] == (5.0,) and known.daily["sunrise"] == ("2024-01-15T08:06",)


def test_climates_are_those_of_their_latitude_and_height(earth: World) -> None:
    def means(latitude: float, longitude: float) -> list[float]:
        found = historical_weather(
            earth, latitude, longitude, "2022-01-01", "2022-12-31", ["temperature_2m_mean"]
        )
        return [float(each) for each in found.daily["temperature_2m_mean"] if each is not None]

    singapore, yakutsk, sydney, la_paz = (
        means(*point) for point in ((1.29, 103.85), (62.03, 129.73), (-33.87, 151.2), (-16.5, -68.15))
    )
    january, july = slice(0, 31), slice(181, 212)
    assert statistics.mean(singapore) > 24 > statistics.mean(sydney) > 10 > statistics.mean(yakutsk)
    assert statistics.mean(yakutsk[july]) - statistics.mean(yakutsk[january]) > 25
    assert statistics.mean(sydney[january]) > statistics.mean(sydney[july]) + 5, (
        "the south has its summer in January"
    )
    assert statistics.mean(la_paz) < 12, "3,600 m above the sea"


def test_weather_is_kin_to_that_of_the_day_before_and_of_nearby_points(earth: World) -> None:
    def anomalies(latitude: float) -> list[float]:
        found = historical_weather(earth, latitude, 9.99, "2021-01-01", "2021-12-31", ["temperature_2m_mean"])
        values = [float(each) for each in found.daily["temperature_2m_mean"] if each is not None]
        return [value - statistics.mean(values[max(at - 15, 0) : at + 16]) for at, value in enumerate(values)]

    here, near, far = anomalies(48.4), anomalies(48.6), anomalies(-20.0)
    assert statistics.correlation(here[1:], here[:-1]) > 0.4
    assert statistics.correlation(here, near) > 0.9 and abs(statistics.correlation(here, far)) < 0.25


def test_without_a_database_of_time_zones_the_longitude_says_the_time(
    earth: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise ZoneInfoNotFoundError(name)

    monkeypatch.setattr(weather, "ZoneInfo", missing)
    monkeypatch.setitem(earth.kept, "usual", {})
    found = historical_weather(earth, 48.4011, 9.9876, "2024-07-15")
    assert found.timezone == "Etc/GMT-1" and found.daily["sunrise"] == ("2024-07-15T04:34",)


def test_a_forecast_begins_on_the_day_of_the_world(earth: World) -> None:
    found = forecast_weather(earth, 48.4, 9.99)
    assert found.days[0] == str(TODAY) and len(found.days) == 7 and found.kind == "forecast"
    assert set(found.current) == set(found.current_units) and found.notes


@pytest.mark.parametrize(
    "start, end, names, code, where",
    [
        ("2024-13-01", None, None, "bad_input", "start_date"),
        ("15 January 2024", None, None, "bad_input", "start_date"),
        ("2023-02-29", None, None, "bad_input", "start_date"),
        ("٢٠٢٤-٠١-٠١", None, None, "bad_input", "start_date"),
        (str(TODAY), None, None, "bad_input", "start_date"),
        ("2024-01-01", "2031-01-01", None, "bad_input", "end_date"),
        ("1939-12-31", None, None, "bad_input", "start_date"),
        ("2024-01-02", "2024-01-01", None, "bad_input", "end_date"),
        ("2020-01-01", "2024-01-01", None, "bad_input", "end_date"),
        ("2024-01-01", None, ["temperature"], "not_found", "variables"),
    ],
)
def test_dates_and_variables_that_cannot_be_had_are_typed(
    earth: World, start: str, end: str | None, names: list[str] | None, code: str, where: str
) -> None:
    with pytest.raises(LabrigError) as caught:
        historical_weather(earth, 0, 0, start, end, names)
    assert (caught.value.code, caught.value.where) == (code, where)


def test_any_point_has_weather_and_no_other_has(earth: World) -> None:
    for point in ((90, 0), (-90, 180), (0, -180), (0, 180), (12.3, -179.99)):
        assert historical_weather(earth, *point, "2024-01-15").daily["temperature_2m_mean"][0] is not None
    same = [historical_weather(earth, 0, longitude, "2024-01-15").daily for longitude in (-180, 180)]
    assert same[0] == same[1]
    with pytest.raises(LabrigError):
        historical_weather(earth, 91, 0, "2024-01-15")
    assert MOST_DAYS == 366
