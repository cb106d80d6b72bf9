"""What a field of an infobox says is read as a number with its unit, a date with its precision, or a place."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig_atlas.wiki.dates import MONTHS
from labrig_atlas.wiki.values import values_of


def brief(label: str, text: str, language: str = "en") -> list[tuple[object, ...]]:
    """Return values as (number, unit, others ..) or (iso, precision) or (latitude, longitude)."""
    found: list[tuple[object, ...]] = []
    for value in values_of(text, label=label, language=language):
        if value.kind == "number":
            also = tuple(part for pair in value.also for part in pair)
            found.append((value.number, value.unit, *also, *([value.note] if value.note else [])))
        elif value.kind == "date":
            found.append((value.iso, value.precision, *([value.note] if value.note else [])))
        else:
            found.append((value.latitude, value.longitude))
    return found


@pytest.mark.parametrize(
    ("label", "text", "values"),
    [
        ("Elevation", "4,806 m (15,767 ft)", [(4806, "m", 15767, "ft")]),
        ("Elevation", "15,767\u00a0ft (4,806\u00a0m) ↓ by a lake", [(15767, "ft", 4806, "m")]),
        ("Height", "6 ft 1 in (1.85 m)", [(pytest.approx(6.0833333), "ft", 1.85, "m")]),
        ("Depth", "100–200 m (330–660 ft)", [(100, "m")]),
        ("Temperature", "−12.3 °C (9.9 °F)", [(-12.3, "degC", 9.9, "degF")]),
        ("Population", "2,102,650", [(2102650, "")]),
        ("Population", "137 (2021 census)", [(137, "", "2021 census")]),
        ("Density", "1,234/km2 (3,200/sq mi)", [(1234, "/km2", 3200, "/sq mi")]),
        ("Revenue", "US$1.2 billion (2020)", [(1.2e9, "USD", "2020")]),
        ("Mass", "5.972×10^24 kg", [(5.972e24, "kg")]),
        ("Land", "10^6 m2", [(1e6, "m2")]),
        ("Höhe", "4.810,5 m", [(4810.5, "m")]),
        ("Phone code", "+33 450", []),
        ("Time zone", "UTC+01:00", []),
        ("Born", "30 June 1893 (1893-06-30) (age 39)\nParis", [("1893-06-30", "day", "age 39")]),
        ("Died", "15 March 44 BC (aged 55)\nRome", [("-0043-03-15", "day", "aged 55")]),
        ("Established", "1896; 130 years ago (1896)", [("1896", "year")]),
        ("Established", "c. 300 BC", [("-0299", "year")]),
        ("Seats", "1896", [(1896, "")]),
        ("Originated", "3rd century BCE", [("-0299", "century")]),
        ("Concept", "late 1980s", [("1980", "decade", "late")]),
        ("Released", "October 1976 (1976-10)", [("1976-10", "month")]),
        ("Date", "9 March – 12 April 2015", [("2015-03-09", "day"), ("2015-04-12", "day")]),
        ("Years active", "1997–present", [("1997", "year")]),
        ("Years active", "1948–98", [("1948", "year"), ("1998", "year")]),
        ("Years active", "1948-98, 2001 – 03", [(each, "year") for each in ("1948", "1998", "2001", "2003")]),
        ("First season", "1999–00", [("1999", "year"), ("2000", "year")]),
        ("Active", "1948–12, 1948-09", [("1948", "year")] * 2),  # 12 is not later, and 1948-09 may be a month
        ("Born", "29 February 1900", [(29, ""), (1900, "")]),  # there was no such day
        ("Coordinates", "45°49′57″N 6°51′52″E", [(pytest.approx(45.8325), pytest.approx(6.8644444))]),
        ("Location", "40.7128°N 74.006°W", [(40.7128, -74.006)]),
        ("Coordinates", "−33.9; 18.4", [(-33.9, 18.4)]),
        ("Coordinates", "45°77′00″N 6°51′52″E", []),
    ],
)
def test_fields_as_they_are_written(label: str, text: str, values: list[tuple[object, ...]]) -> None:
    found = brief(label, text, "de" if label == "Höhe" else "en")
    assert found == [tuple(each) for each in values]


def test_a_decimal_mark_that_is_not_known_is_not_guessed() -> None:
    assert brief("Height", "4.810 m", "xx") == []
    assert brief("Height", "4810 m", "xx") == [(4810, "m")]


@given(st.dates(datetime.date(1583, 1, 1), datetime.date(2199, 12, 31)), st.integers(0, 2))
def test_days_in_every_manner(day: datetime.date, manner: int) -> None:
    month = MONTHS[day.month - 1].capitalize()
    text = [f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", day.isoformat()][manner]
    assert brief("Born", text) == [(day.isoformat(), "day")]


@given(st.integers(0, 10**9), st.integers(0, 99), st.sampled_from(["m", "km2", "kg", "%", "/km2"]))
def test_a_number_is_read_as_it_was_written(whole: int, part: int, unit: str) -> None:
    number = float(f"{whole}.{part:02d}")
    assert brief("Size", f"{number:,.2f} {unit}") == [(number, unit)]


@given(
    st.text(alphabet="0123456789 .,-–()°′″NSEWkmftBCdJune$×10^²/:", max_size=80),
    st.sampled_from(["", "Born", "Coordinates"]),
)
def test_any_text_is_read_without_harm(text: str, label: str) -> None:
    for value in values_of(text, label=label):
        assert value.to_dict()["kind"] == value.kind
        if value.kind == "coordinates":
            assert value.latitude is not None and -90 <= value.latitude <= 90
