"""EPW files by a reader of the tests' own, against the weather that they were made of; files that are refused."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.impact.weather.epw import design_days, read_epw, write_epw
from labrig_earth.impact.weather.hours import Place, erbs, half_cosines, read_hours
from labrig_earth.impact.weather.months import days_of_months, read_months
from support.crops import made_weather
from support.health import months_csv

MUNICH = Place(48.1, 11.6, 1.0, 520.0)


def days_csv(year: int) -> bytes:
    return days_of_months(read_months(months_csv(year), "months.csv"), 0.35, 7).csv().encode()


def rows_of(text: str) -> list[list[str]]:
    """Read an EPW file as the manual describes it, without the code under test."""
    lines = list(csv.reader(text.splitlines()))
    assert lines[0][0] == "LOCATION" and lines[7][:3] == ["DATA PERIODS", "1", "1"] and len(lines) == 8768
    return lines[8:]


def hourly_csv(year: int = 2019, *, utc: bool = False, hours: int | None = None) -> bytes:
    """Return a year of hours with a temperature that tells each from the others; at night there is no sun."""
    end = 8784 if year == 2020 else 8760
    first = np.datetime64(f"{year}-01-01T01:00", "s")
    lines = ["time,tair_c,rh_pct,wind_10m_m_s,ghi_w_m2"]
    for place in range(hours or end):
        hour = place % 24
        sun = max(0.0, 400 * math.sin(math.pi * (hour + 0.5 - 8) / 8)) if 8 <= hour < 16 else 0.0
        when = first + np.timedelta64(3600 * (place - (1 if utc else 0)), "s")
        lines.append(f"{str(when)[:16]}{'Z' if utc else ''},{place / 300:.4f},60,3,{sun:.1f}")
    return ("\n".join(lines) + "\n").encode()


def test_days_as_make_weather_writes_them_become_hours() -> None:
    """Dew point and wind at 2 m: 3 m/s there are 4.011 m/s at 10 m over short grass."""
    content = made_weather(wind_2m_m_s=3.0)
    rows = rows_of(write_epw(read_hours(content, "weather.csv", MUNICH), "Munich", "DEU", "made"))
    days = list(csv.DictReader(content.decode().splitlines()))
    assert {row[21] for row in rows} == {"4.01"}
    for day in (0, 180):
        at = rows[24 * day + 14]  # the maximum
        assert float(at[7]) == pytest.approx(float(days[day]["tdew_c"]), abs=0.006)
        assert float(at[6]) == pytest.approx(float(days[day]["tmax_c"]), abs=0.006)
    for both, said in ((b"rh_pct", "Humidity is there twice"), (b"wind_10m_m_s", "Wind is there twice")):
        with pytest.raises(LabrigError, match=said):
            read_hours(content.replace(b"et0_mm", both), "weather.csv", MUNICH)


@pytest.mark.parametrize("year", [2019, 2020])
def test_a_year_of_days_read_by_another_reader(year: int) -> None:
    days = days_csv(year)
    rows = rows_of(write_epw(read_hours(days, "days.csv", MUNICH), "Munich", "DEU", "made"))
    assert len(rows) == 8760 and {len(row) for row in rows} == {35}
    stamps = [tuple(map(int, row[:4])) for row in rows]
    assert stamps[0] == (year, 1, 1, 1) and stamps[-1] == (year, 12, 31, 24)
    assert len(set(stamps)) == 8760 and (year, 2, 29, 1) not in stamps
    given = [row for row in csv.DictReader(days.decode().splitlines()) if not row["date"].endswith("02-29")]
    numbers = np.array([[float(row[place]) for place in (6, 7, 8, 13, 14, 15, 21)] for row in rows])
    by_day = numbers.reshape(365, 24, 7)
    air, dew, humidity, ghi, dni, dhi, wind = np.moveaxis(by_day, -1, 0)
    assert air[:, 14] == pytest.approx([float(row["tmax_c"]) for row in given], abs=0.006)  # hour 15
    assert air[:, 5] == pytest.approx([float(row["tmin_c"]) for row in given], abs=0.006)  # hour 6
    assert ghi.sum(axis=1) * 3600 / 1e6 == pytest.approx(
        [float(row["srad_mj_m2"]) for row in given], abs=0.005
    )
    assert wind[:, 3] == pytest.approx([float(row["wind_10m_m_s"]) for row in given], abs=0.006)
    # Dew point and humidity agree by another formula (Buck 1981), and the dew point is never above the air.
    pressure = [6.1121 * np.exp((18.678 - t / 234.5) * t / (257.14 + t)) for t in (dew, air)]
    assert np.abs(100 * pressure[0] / pressure[1] - humidity).max() < 1.0
    assert (dew <= air + 1e-9).all() and humidity.max() <= 100
    assert (dni >= 0).all() and (dhi <= ghi + 0.11).all()
    assert ghi[:, :3].max() == 0 and ghi[:, 22:].max() == 0 and ghi[:, 11].min() > 0


def test_global_radiation_is_its_parts() -> None:
    """Noon: global is diffuse and the beam by the height of the sun, whose declination is by a formula of Cooper's."""
    hours = read_hours(days_csv(2019), "days.csv", MUNICH)
    day = np.arange(365)
    declination = np.radians(23.45) * np.sin(2 * np.pi * (284 + day + 1) / 365)
    phi = np.radians(MUNICH.latitude)
    noon = np.sin(phi) * np.sin(declination) + np.cos(phi) * np.cos(declination)
    at_noon = slice(
        11, None, 24
    )  # 11 to 12 h standard time; noon at 11.6 degrees east is 12:14 less equation of time
    closed = hours.dhi[at_noon] + hours.dni[at_noon] * noon
    assert np.abs(closed - hours.ghi[at_noon]).max() < 0.06 * hours.ghi[at_noon].max()
    assert erbs(np.array([0.1, 0.9]) * 1000, np.full(2, 1000.0)) == pytest.approx([99.1, 148.5])


def test_half_cosines_meet_their_ends() -> None:
    low, high = np.array([5.0, 7.0, 6.0]), np.array([15.0, 18.0, 14.0])
    found = half_cosines(low, high)
    assert found[5::24] == pytest.approx(low) and found[14::24] == pytest.approx(high)
    assert found[9] == pytest.approx(5 + 10 * (1 - math.cos(math.pi * 4 / 9)) / 2)  # 10 h, 4 of 9 hours on


def test_hours_keep_their_place_and_utc_is_moved() -> None:
    local = read_hours(hourly_csv(), "hours.csv", MUNICH)
    assert local.air_c == pytest.approx(np.round(np.arange(8760) / 300, 4))
    # The row of 00:00Z is 01:00 in Munich: the first hour of the year that ends there.
    utc = read_hours(hourly_csv(utc=True), "hours.csv", MUNICH)
    assert utc.air_c == pytest.approx(local.air_c) and "UTC moved by +1 h" in utc.notes[0]


def test_a_leap_year_of_hours_loses_its_day_and_says_so() -> None:
    hours = read_hours(hourly_csv(2020), "hours.csv", MUNICH)
    place = (31 + 28) * 24
    assert hours.air_c[place - 1] == pytest.approx(round((place - 1) / 300, 4))
    assert hours.air_c[place] == pytest.approx(round((place + 24) / 300, 4))
    assert any("2020 is a leap year: 29 February is left out" in note for note in hours.notes)


@pytest.mark.parametrize(
    "content, place, said",
    [
        (hourly_csv(hours=8759), MUNICH, "8,759 hours, and 2019 has 8,760"),
        (hourly_csv(2020, hours=8760), MUNICH, "8,760 hours, and 2020 has 8,784"),
        (hourly_csv().replace(b"2019-03-05T07:00", b"2019-03-05T07:30"), MUNICH, "comes after|missing"),
        (hourly_csv().replace(b",ghi_w_m2", b",wind_dir_deg"), MUNICH, "impossible|no column ghi_w_m2"),
        (hourly_csv(), Place(48.1, 11.6, 13.0, 520.0), "time zone is"),
        (hourly_csv(), Place(48.1, 201.6, 1.0, 520.0), "longitude is 201.6"),
        (hourly_csv(), Place(48.1, 45.0, 1.0, 0.0), "radiation in"),
        (days_csv(2019).replace(b"rh_pct", b"dew_point_c"), MUNICH, "impossible|no column rh_pct"),
        (days_csv(2019), Place(80.0, 15.0, 1.0, 0.0), "more than arrives outside the atmosphere"),
        (b"\n".join(days_csv(2019).splitlines()[:300]), MUNICH, "299 days"),
    ],
)
def test_weather_that_is_refused(content: bytes, place: Place, said: str) -> None:
    with pytest.raises(LabrigError, match=said) as refused:
        read_hours(content, "weather.csv", place)
    assert refused.value.code == "bad_input"


def test_epw_files_that_are_refused() -> None:
    text = write_epw(read_hours(days_csv(2019), "days.csv", MUNICH), "Munich", "DEU", "made")
    back = read_epw(text.encode(), "munich.epw")
    assert (back.latitude, back.timezone_h, back.elevation_m) == (48.1, 1.0, 520.0)
    lines = text.splitlines()
    leap = [*lines[:1424], *[row.replace(",2,28,", ",2,29,", 1) for row in lines[1400:1424]], *lines[1424:]]
    cells = lines[100].split(",")
    for changed, said in (
        (lines[:-1], "8,759 hours"),
        (leap, "8,784 hours .a leap year."),
        (lines[1:], "is no LOCATION"),
        ([*lines[:50], lines[51], lines[50], *lines[52:]], "every hour in order|The row is of"),
        ([*lines[:100], ",".join([*cells[:6], "451", *cells[7:]]), *lines[101:]], "dry bulb"),
        ([*lines[:100], ",".join([*cells[:6], "99.9", *cells[7:]]), *lines[101:]], "missing in 1 hours"),
        ([*lines[:100], ",".join(cells[:20]), *lines[101:]], "20 fields"),
        ([*lines[:100], ",".join([*cells[:6], "warm", *cells[7:]]), *lines[101:]], "no number"),
    ):
        with pytest.raises(LabrigError, match=said):
            read_epw("\n".join(changed).encode(), "munich.epw")


def test_design_days_are_the_ends_of_the_year() -> None:
    hours = read_hours(days_csv(2019), "days.csv", MUNICH)
    objects = [
        [cell.strip() for cell in each.split(",")]
        for each in design_days(hours, "Munich").split("\n\n", 1)[1].split(";")
        if "SizingPeriod" in each
    ]
    assert [len(each) for each in objects] == [27, 27]  # the object's name, and its 26 fields
    cold, warm = float(objects[0][5]), float(objects[1][5])
    ordered = np.sort(hours.air_c)
    assert cold == pytest.approx(ordered[35], abs=0.3) and warm == pytest.approx(ordered[-36], abs=0.3)
    assert float(objects[1][10]) < warm
