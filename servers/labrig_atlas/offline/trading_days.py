"""The days on which the made-up exchanges trade: not at weekends, nor on holidays by fixed rules."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache

MONDAY, THURSDAY, SATURDAY, SUNDAY = 0, 3, 5, 6


def easter(year: int) -> date:
    """Return Easter Sunday of a year: the Gregorian rule of Butcher, in Meeus, Astronomical Algorithms, chapter 8."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    f = (b + 8) // 25
    g = (b - f + 1) // 3
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    j = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * j) // 451
    month, day = divmod(h + j - 7 * m + 114, 31)
    return date(year, month, day + 1)


@lru_cache(maxsize=256)
def atlantic(year: int) -> dict[date, str]:
    """Return the holidays of the exchange LXA, by the rules that exchanges in the United States have today."""
    return {
        _observed(date(year, 1, 1)): "New Year's Day",
        _weekday(year, 1, MONDAY, 3): "the third Monday in January",
        _weekday(year, 2, MONDAY, 3): "the third Monday in February",
        easter(year) - timedelta(days=2): "Good Friday",
        _last_monday(year, 5): "the last Monday in May",
        _observed(date(year, 7, 4)): "4 July",
        _weekday(year, 9, MONDAY, 1): "the first Monday in September",
        _weekday(year, 11, THURSDAY, 4): "the fourth Thursday in November",
        _observed(date(year, 12, 25)): "Christmas Day",
    }


@lru_cache(maxsize=256)
def european(year: int) -> dict[date, str]:
    """Return the holidays of the exchange LXE, by the rules that most exchanges of the euro have today."""
    sunday = easter(year)
    return {
        date(year, 1, 1): "New Year's Day",
        sunday - timedelta(days=2): "Good Friday",
        sunday + timedelta(days=1): "Easter Monday",
        date(year, 5, 1): "1 May",
        date(year, 12, 25): "Christmas Day",
        date(year, 12, 26): "26 December",
    }


HOLIDAYS: dict[str, Callable[[int], dict[date, str]]] = {"LXA": atlantic, "LXE": european}
"""Holidays of a year by exchange; an exchange that is not here trades around the clock."""


def why_closed(exchange: str, day: date) -> str:
    """Return why an exchange does not trade on a day; empty if it does."""
    if exchange not in HOLIDAYS:
        return ""
    if day.weekday() in (SATURDAY, SUNDAY):
        return "a Saturday" if day.weekday() == SATURDAY else "a Sunday"
    return HOLIDAYS[exchange](day.year).get(day, "")


def last_trading_day(exchange: str, day: date) -> date:
    """Return the last day up to a day on which an exchange trades."""
    while why_closed(exchange, day):
        day -= timedelta(days=1)
    return day


def _observed(day: date) -> date:
    """Return the day on which a holiday keeps an exchange closed: of a Sunday the Monday, of a Saturday the Friday.

    New Year's Day on a Saturday closes no Friday, since that would be in the year before; the Saturday is closed
    anyway.
    """
    if day.weekday() == SUNDAY:
        return day + timedelta(days=1)
    if day.weekday() == SATURDAY and (day.month, day.day) != (1, 1):
        return day - timedelta(days=1)
    return day


def _weekday(year: int, month: int, weekday: int, count: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (count - 1))


def _last_monday(year: int, month: int) -> date:
    last = date(year, month + 1, 1) - timedelta(days=1)
    return last - timedelta(days=last.weekday())
