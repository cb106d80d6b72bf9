"""What the text of an infobox field says, as values: places, then dates, then numbers, each word once."""

from __future__ import annotations

import re

from labrig_atlas.wiki.coordinates import find_coordinates
from labrig_atlas.wiki.dates import find_dates
from labrig_atlas.wiki.numbers import find_numbers
from labrig_atlas.wiki.page import Value

MOST_CHARS = 2_000
"""Of a field that are looked through: what is longer is prose."""
MOST_VALUES = 40


def values_of(text: str, *, label: str = "", language: str = "en") -> tuple[Value, ...]:
    """Return what a field says.

    Parameters
    ----------
    label
        Of the field and its group: whether a bare year is a date, and whether digits are a code.
    language
        Of the page, for the decimal mark and the names of months.

    Returns
    -------
    tuple
        In the order of the text; empty where nothing is a number, a date or a place.
    """
    text = text[:MOST_CHARS]
    if not re.search(r"\d", text):
        return ()
    places = find_coordinates(text, pairs=bool(re.search(r"coord", label, re.IGNORECASE)))
    dates = [
        found
        for found in find_dates(text, label=label, english=language in ("en", "simple"))
        if not _covered(found, [each[:2] for each in places])
    ]
    taken = [each[:2] for each in (*places, *dates)]
    numbers = find_numbers(text, label=label, language=language, taken=taken)
    whole = sorted([*places, *dates, *numbers], key=lambda found: found[:2])
    return tuple(value for _, _, value in whole[:MOST_VALUES])


def _covered(found: tuple[int, int, Value], taken: list[tuple[int, int]]) -> bool:
    return any(found[0] < end and start < found[1] for start, end in taken)
