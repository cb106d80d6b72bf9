"""Dates as people write them: which of two numbers is the day is settled by the whole column, or said to be open.

``03/04/2023`` is March in the United States and April elsewhere; one ``28/04/2023`` in the column settles it. Points
mean day.month.year wherever they are used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime

_ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_CLOCK = (
    r"(?:[ T,]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?"
    r"(?: ?(?P<half>[AaPp])[Mm])?)?"
)
_YEAR_FIRST = re.compile(
    r"(?P<year>[0-9]{4})(?P<mark>[./])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})" + _CLOCK
)
_YEAR_LAST = re.compile(
    r"(?P<one>[0-9]{1,2})(?P<mark>[./-])(?P<two>[0-9]{1,2})(?P=mark)(?P<year>[0-9]{4}|(?<=/)[0-9]{2})"
    + _CLOCK
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED = re.compile(
    r"(?:(?P<day>[0-9]{1,2})[ -](?P<month>[A-Za-z]{3,9})|(?P<month2>[A-Za-z]{3,9}) (?P<day2>[0-9]{1,2}),?)"
    r"[ -](?P<year>[0-9]{4})" + _CLOCK
)

DAY, MONTH = "day", "month"
"""What comes first."""


def iso_date(text: str) -> bool:
    """Tell whether a text is a date as ISO 8601 writes it."""
    if not _ISO.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def written_dates(text: str) -> dict[str, datetime]:
    """Return what a text is as a date by what comes first; under no name where that is not in question.

    Years of two digits are read after a slash alone, as POSIX does: 69 to 99 are of the twentieth century.
    """
    if len(text) > 40 or not any(map(str.isdigit, text)):
        return {}
    if found := _YEAR_FIRST.fullmatch(text):
        return _dated({"": (found["year"], found["month"], found["day"])}, found)
    if found := _NAMED.fullmatch(text):
        month = (found["month"] or found["month2"]).lower()[:3]
        number = _MONTHS.index(month) + 1 if month in _MONTHS else 0
        return _dated({"": (found["year"], str(number), found["day"] or found["day2"])}, found)
    if found := _YEAR_LAST.fullmatch(text):
        year = found["year"]
        if len(year) == 2:
            year = ("19" if year >= "69" else "20") + year
        orders = {DAY: (year, found["two"], found["one"])}
        if found["mark"] != ".":
            orders[MONTH] = (year, found["one"], found["two"])
        return _dated(orders, found)
    return {}


def _dated(orders: dict[str, tuple[str, str, str]], found: re.Match[str]) -> dict[str, datetime]:
    hour = int(found["hour"] or 0)
    if found["half"]:
        hour = hour % 12 + 12 * (found["half"] in "Pp") if 1 <= hour <= 12 else 24  # 24: no hour
    dates = {}
    for order, (year, month, day) in orders.items():
        try:
            dates[order] = datetime(
                int(year), int(month), int(day), hour, int(found["minute"] or 0), int(found["second"] or 0)
            )
        except ValueError:
            continue
    return dates


@dataclass
class Dates:
    """The dates of a column that are not written as ISO 8601 writes them.

    Attributes
    ----------
    counts
        How many can be read with the day first, with the month first, and in both ways alike (under no name).
    ranges
        First and last by what comes first.
    """

    cells: int = 0
    timed: bool = False
    mark: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    ranges: dict[str, tuple[datetime, datetime]] = field(default_factory=dict)

    def add(self, text: str, found: dict[str, datetime], times: int) -> None:
        """Count a text with its `written_dates`."""
        self.cells += times
        self.timed = self.timed or ":" in text
        self.mark = self.mark or next((each for each in text if each in "./-"), "")
        for order, date in found.items():
            self.counts[order] = self.counts.get(order, 0) + times
            first, last = self.ranges.get(order, (date, date))
            self.ranges[order] = min(first, date), max(last, date)

    def orders(self) -> list[str]:
        """Return in which orders all of them can be read."""
        return [order for order, count in self.counts.items() if count == self.cells]

    def written_as(self) -> str:
        """Return the order in words, as ``day.month.year``; nothing where it is open or nothing else is possible."""
        orders = [order for order in self.orders() if order]
        if len(orders) != 1:
            return ""
        parts = ("day", "month") if orders == [DAY] else ("month", "day")
        return self.mark.join((*parts, "year"))

    def bounds(self, order: str) -> tuple[str, str]:
        """Return the first and the last as ISO 8601 writes them."""
        first, last = self.ranges[order]
        if self.timed:
            return first.isoformat(sep=" "), last.isoformat(sep=" ")
        return first.date().isoformat(), last.date().isoformat()
