"""Values of stops as numbers and texts, as the published generator has them: ``int(float(value))``."""

from __future__ import annotations

import math
import re
from datetime import date
from typing import Any

_NUMBER = re.compile(r"-?(?:(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(MONTHS)}),? (\d{{3,4}})\b")
_MONTH_FIRST = re.compile(rf"\b({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{3,4}})\b")
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")


def number(value: Any) -> float | None:
    """Return a value as a finite number; None where it is none.

    >>> number("1,234"), number(" 12.5 "), number("1896 AD"), number(True), number("nan")
    (1234.0, 12.5, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value.replace(",", "").strip() if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def whole(value: Any) -> int | None:
    """Return a value as the published generator reduces it: a number without its fraction (towards zero)."""
    found = number(value)
    return None if found is None else int(found)


def numbers_in(text: str) -> list[float]:
    """Return the numbers that a text or a program holds, in order, each once.

    >>> numbers_in("58.1,11.9 and 1,234.5 or -7e2"), numbers_in("58.1,119")
    ([58.1, 11.9, 1234.5, -700.0], [58.1, 119.0])
    """
    found = (number(each) for each in _NUMBER.findall(text))
    return list(dict.fromkeys(each for each in found if each is not None))


def dates_in(text: str) -> set[date]:
    """Return the days that a text names: 2007-10-26, 26 October 2007, October 26, 2007."""
    low = text.casefold()
    found = [(int(y), int(m), int(d)) for y, m, d in _ISO.findall(low)]
    found += [(int(y), MONTHS.index(m) + 1, int(d)) for d, m, y in _DAY_FIRST.findall(low)]
    found += [(int(y), MONTHS.index(m) + 1, int(d)) for m, d, y in _MONTH_FIRST.findall(low)]
    days = set()
    for year, month, day in found:
        try:
            days.add(date(year, month, day))
        except ValueError:
            continue
    return days


def day_text(day: date) -> str:
    """Return a day as an encyclopedia prints it: 26 October 2007."""
    return f"{day.day} {MONTHS[day.month - 1].capitalize()} {day.year}"


QUANTITY = re.compile(
    r"([-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?)\s*(km2|km²|km|m|kg)?(?![\w%°'′/])"
)
"""A number and its unit, as an infobox begins with them."""
YEAR = re.compile(r"(?<![\d.,-])(1\d{3}|20[0-2]\d)(?![\d,.]\d|\d|-\d)")
"""A year from 1000 to 2029 that stands alone."""


def quantity(text: str) -> tuple[float, str] | None:
    """Return the number that a text begins with, and its unit (``m``, ``km``, ``km2``, ``kg`` or empty).

    >>> quantity("1,234.5 km² (477 sq mi)"), quantity("12th"), quantity("about 3 m")
    ((1234.5, 'km2'), None, None)
    """
    found = QUANTITY.match(text)
    value = number(found[1].replace("−", "-")) if found else None
    return None if found is None or value is None else (value, (found[2] or "").replace("²", "2"))


def folded(text: str) -> str:
    """Return a text in lower case with single spaces."""
    return " ".join(text.casefold().split())
