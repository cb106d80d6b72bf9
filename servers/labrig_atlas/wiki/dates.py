"""Dates in words, with the precision that they have: ``30 June 1893``, ``c. 300 BC``, ``3rd century BC``, ``late
1980s``.

Of words in English; in other languages ISO dates alone are read. Years before the common era are numbered as ISO 8601
does: 1 BC is the year 0, 300 BC the year -299.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import replace

from labrig_atlas.wiki.page import Value

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_NUMBER = {name: number for number, name in enumerate(MONTHS, 1)} | {
    name[:3]: number for number, name in enumerate(MONTHS, 1)
}
_NUMBER["sept"] = 9
_MONTH = r"(?P<month>" + "|".join(sorted(_NUMBER, key=len, reverse=True)) + r")\.?"
_ERA = r"(?:\s?(?P<era>BCE|BC|CE|AD|B\.C\.E?\.?|A\.D\.))?\b"
_ABOUT = r"(?:(?P<about>c\.|ca\.|circa|around|about|approx\.|approximately|before|after|by|~|fl\.)\s*)?"
_TH = r"(?:st|nd|rd|th)"
_PATTERNS = tuple(
    re.compile(_ABOUT + pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\d-])(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})(?![\d-])",
        rf"\b(?P<day>\d{{1,2}}){_TH}?\s+{_MONTH},?\s+(?P<year>\d{{1,4}})(?!,\d|\.\d|\d){_ERA}",
        # "9 March – 12 April 2015", "9–12 March 2015": the first day has its year, and its month, from the second
        rf"\b(?P<day>\d{{1,2}}){_TH}?\s+{_MONTH}(?=\s?[–—-]\s?\d{{1,2}}{_TH}?\s+[A-Za-z]+\.?\s+(?P<year>\d{{3,4}})\b)",
        rf"\b(?P<day>\d{{1,2}}){_TH}?(?=\s?[–—-]\s?\d{{1,2}}{_TH}?\s+{_MONTH}\s+(?P<year>\d{{3,4}})\b)",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}}){_TH}?,?\s+(?P<year>\d{{3,4}})(?!,\d|\.\d|\d){_ERA}",
        rf"\b{_MONTH},?\s+(?P<year>\d{{3,4}})(?!,\d|\.\d|\d){_ERA}",
        rf"(?:(?P<part>early|mid|late)[- ])?\b(?P<century>\d{{1,2}}){_TH}[- ]century{_ERA}",
        rf"(?:(?P<part>early|mid|late)[- ])?\b(?P<decade>\d{{2,3}}0)s{_ERA}",
        r"\bAD\s?(?P<year>\d{1,4})(?![,.]?\d)",
        r"\b(?P<year>\d{1,4})\s?(?P<era>BCE|BC|CE|AD|B\.C\.E?\.?)(?!\w)",
    )
)
_YEAR = re.compile(
    _ABOUT
    + r"(?<![\w.,/:+-])(?P<year>\d{3,4})(?![\w%]|[.,:/]\d|\s?(?:km|m|ft|mi|ha|kg|t|acres|years|days)\b)"
)
_SHORT = re.compile(r"\s?(?:[–—]\s?|-(?=1[3-9]|[2-9]))(?P<year>\d{2})(?![\w%]|[.,:/–—-]\d)")
"""The end of "1948–98" behind its first year; "1948-09" may be a month."""
_AGO = re.compile(r"[;,]?\s?(?:\d+ (?:years|months|days)(?: and)?,? ?)+ago")
_TWIN = re.compile(r"\s?\(\d{4}(?:-\d{2}){0,2}\)")
_BRACKETS = re.compile(r"\s?\(([^()]{1,60})\)")
_DATED = re.compile(
    r"\b(?:date|born|died|birth|death|founded|established|opened|closed|built|completed|dissolved|formed|started|ended"
    r"|years?|since|first|last|inaugurated|incorporated|settled|independence|released?|published|discovered|ratified"
    r"|reign|term|period|created|designated|construction|constructed|aired?|ascent|consecrated|began|begun|launched"
    r"|introduced|abolished|predecessor|active|prizes?|awards?|nobel|founding|establishment|charter(?:ed)?|admitted|commissioned)\b",
    re.IGNORECASE,
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
LATEST_YEAR = 2200
"""A bare number beyond it is not read as a year."""

Found = tuple[int, int, Value]
"""Where in the text, from and to, and what."""


def find_dates(text: str, *, label: str = "", english: bool = True) -> list[Found]:
    """Return the dates of a text in order, with their places.

    Parameters
    ----------
    label
        Of the field: where it speaks of a time, a bare year is a date.
    english
        Whether words of the text are English.

    Returns
    -------
    list
        (start, end, value). What stands in brackets behind a date is its note, but for the same date once more.
    """
    patterns = [*(_PATTERNS if english else _PATTERNS[:1])]
    if english and _DATED.search(label):
        patterns.append(_YEAR)
    found: list[Found] = []
    taken: list[tuple[int, int]] = []
    for pattern in patterns:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            value = _value(match.groupdict(), match.group().strip(), bare=pattern is _YEAR)
            if value is not None:
                found.append((*match.span(), value))
                if pattern is _YEAR:
                    found += _end_of_range(text, match.end(), int(match["year"]))
            if value is not None or pattern is not _YEAR:
                taken.append(match.span())  # of a day that never was, its month is not read either
    whole: list[Found] = []
    for each in sorted(found, key=lambda found: found[:2]):
        if not whole or each[0] >= whole[-1][1]:
            whole.append(_with_note(text, each, found))
    return whole


def iso_date(text: str) -> Value | None:
    """Return the date of an ISO text as pages carry it hidden (``1893-06-30``), None where it is none."""
    for pattern in (r"(-?\d{4})-(\d{2})-(\d{2})", r"(-?\d{4})-(\d{2})", r"(-?\d{4})"):
        match = re.fullmatch(pattern, text.strip())
        if match:
            numbers = [int(each) for each in match.groups()]
            return _dated(text.strip(), *numbers) if _sound(*numbers) else None
    return None


def _end_of_range(text: str, at: int, first: int) -> list[Found]:
    """Return the year behind a first one that is printed with two digits, 98 of "1948–98"; "1999–00" ends in 2000."""
    match = _SHORT.match(text, at)
    if match is None or first < 1000:
        return []
    last = first - first % 100 + int(match["year"])
    last += 100 if (first % 100, last % 100) == (99, 0) else 0
    if last <= first:
        return []
    return [(match.start("year"), match.end(), _dated(match["year"], last))]


def _value(parts: dict[str, str | None], text: str, *, bare: bool) -> Value | None:
    before = (parts.get("era") or "").upper().startswith("B")
    about = (parts.get("about") or "").lower()
    if parts.get("century"):
        century = int(parts["century"] or 0)
        if not 1 <= century <= 40:
            return None
        year = 1 - 100 * century if before else 100 * (century - 1) + 1
        value = Value("date", text, iso=_year(year), precision="century", note=parts.get("part") or "")
    elif parts.get("decade"):
        first = int(parts["decade"] or 0)
        year = 1 - (first + 9) if before else first  # the 280s BC are 289 to 280
        value = Value("date", text, iso=_year(year), precision="decade", note=parts.get("part") or "")
    else:
        year = int(parts["year"] or 0)
        if year == 0 or (bare and not 100 <= year <= LATEST_YEAR):
            return None
        month = (
            int(parts["number"] or 0)
            if parts.get("number")
            else _NUMBER.get((parts.get("month") or "").lower())
        )
        numbers = [
            each for each in (month, int(parts["day"] or 0) if parts.get("day") else None) if each is not None
        ]
        year = 1 - year if before else year
        if not _sound(year, *numbers):
            return None
        value = _dated(text, year, *numbers)
    if about in ("before", "after", "by"):
        return replace(value, note=about, about=True)
    return replace(value, about=bool(about))


def _dated(text: str, year: int, month: int = 0, day: int = 0) -> Value:
    iso = _year(year) + (f"-{month:02d}" if month else "") + (f"-{day:02d}" if day else "")
    return Value("date", text, iso=iso, precision="day" if day else "month" if month else "year")


def _year(year: int) -> str:
    return f"{year:04d}" if year >= 0 else f"-{-year:04d}"


def _sound(year: int, month: int | None = None, day: int | None = None) -> bool:
    """Tell whether there is such a day; before 1583 a leap year is one of the Julian calendar."""
    if month is not None and not 1 <= month <= 12:
        return False
    if day is None or month is None:
        return True
    leap = year % 4 == 0 if year < 1583 else calendar.isleap(year)
    return 1 <= day <= (29 if month == 2 and leap else 28 if month == 2 else _DAYS[month - 1])


def _with_note(text: str, found: Found, others: list[Found]) -> Found:
    """Return a date with what stands behind it: "130 years ago" and the same date once more are taken up and dropped,
    other words in brackets become its note."""
    start, end, value = found
    for pattern in (_AGO, _TWIN):
        again = pattern.match(text, end)
        if again:
            end = again.end()
    brackets = _BRACKETS.match(text, end)
    if brackets and not any(brackets.start() < other < brackets.end() for other, _, _ in others):
        note = "; ".join(each for each in (value.note, brackets.group(1).strip()) if each)
        return start, brackets.end(), replace(value, note=note)
    return start, end, value
