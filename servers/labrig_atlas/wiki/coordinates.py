"""Coordinates in the forms in which pages write them, as degrees WGS 84, latitude first."""

from __future__ import annotations

import re

from labrig_atlas.wiki.page import Value

_DEGREES = (
    r"(\d{{1,3}}(?:\.\d+)?)\s?°\s?"
    r"(?:(\d{{1,2}}(?:\.\d+)?)\s?[′'’]\s?(?:(\d{{1,2}}(?:\.\d+)?)\s?[″\"”]\s?)?)?([{0}])"
)
_SEXAGESIMAL = re.compile(_DEGREES.format("NS") + r"[\s,;/\ufeff]*" + _DEGREES.format("EWO"))
_PAIR = re.compile(
    r"(?<![\d.])([-+\u2212]?\d{1,2}(?:\.\d+)?)\s?[;,/ ]\s?([-+\u2212]?\d{1,3}(?:\.\d+)?)(?![\d.])"
)

Found = tuple[int, int, Value]


def find_coordinates(text: str, *, pairs: bool = False) -> list[Found]:
    """Return the coordinates of a text with their places; of equal ones the first alone.

    Parameters
    ----------
    pairs
        Whether two bare numbers, ``45.8326; 6.8652``, are coordinates: in a field that is named so.
    """
    found: list[Found] = []
    for match in _SEXAGESIMAL.finditer(text):
        first, second = match.groups()[:4], match.groups()[4:]
        value = coordinates(_degrees(*first), _degrees(*second), match.group())
        if value is not None:
            found.append((match.start(), match.end(), value))
    if pairs and not found:
        for match in _PAIR.finditer(text):
            latitude, longitude = (float(each.replace("\u2212", "-")) for each in match.groups())
            value = coordinates(latitude, longitude, match.group())
            if value is not None:
                found.append((match.start(), match.end(), value))
    return found


def coordinates(latitude: float, longitude: float, text: str) -> Value | None:
    """Return a place as a value; None where there is no such place on the Earth."""
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 360):
        return None
    turned = longitude - 360 if longitude > 180 else longitude
    return Value("coordinates", text.strip(), latitude=round(latitude, 7), longitude=round(turned, 7))


def _degrees(degrees: str, minutes: str | None, seconds: str | None, side: str) -> float:
    """Return degrees with their sign; minutes or seconds of 60 and more give what is no place."""
    small, smaller = float(minutes or 0), float(seconds or 0)
    if small >= 60 or smaller >= 60:
        return float("inf")
    value = float(degrees) + small / 60 + smaller / 3600
    return -value if side in "SWO" and side != "O" else value
