"""Arguments that every adapter looks at before it asks anybody: points, dates, radii, modes, sizes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date

from labrig.errors import LabrigError, unknown_name
from labrig_atlas.facts import MODES, Geocoding, Mode, Place
from labrig_atlas.offline.geodesy import check_point
from labrig_atlas.offline.points import read_point

AS_GIVEN = "the point as it was given; nobody was asked"
MOST_TEXT = 500
"""Characters of a name, an address or a query."""


def checked_points(points: Sequence[tuple[float, float]], most: int, who: str) -> list[tuple[float, float]]:
    """Return points (latitude, longitude in degrees), at least one and at most `most`."""
    if not 1 <= len(points) <= most:
        raise LabrigError(
            f"{len(points):,} points are too {'many' if points else 'few'} for one question to {who}",
            where="locations",
            expected=f"1 to {most:,} points",
        )
    return [check_point(*point, where=f"locations[{number}]") for number, point in enumerate(points)]


def given_point(text: str) -> Geocoding | None:
    """Return what a text means that is a point already, as nobody need be asked; None for any other."""
    if (point := read_point(text)) is None:
        return None
    latitude, longitude = point
    name = f"{latitude:.6f}".rstrip("0").rstrip(".") + ", " + f"{longitude:.6f}".rstrip("0").rstrip(".")
    place = Place("", name, "point", "", "", latitude, longitude, AS_GIVEN, address=name, types=("point",))
    return Geocoding(text, (place,))


def checked_text(text: str, where: str) -> str:
    """Return a text that can be asked for: not empty, of at most `MOST_TEXT` characters, none of them a control."""
    cleaned = " ".join(text.split())
    if not cleaned or len(cleaned) > MOST_TEXT or any(ord(each) < 32 or ord(each) == 127 for each in cleaned):
        raise LabrigError(
            "This cannot be looked up" if cleaned else "There is nothing to look up",
            where=where,
            expected=f"a text of 1 to {MOST_TEXT} printable characters",
        )
    return cleaned


def checked_radius(radius_m: float, most: float, who: str) -> float:
    """Return a radius in metres, above 0 and at most `most`."""
    if isinstance(radius_m, bool) or not math.isfinite(radius_m) or not 0 < radius_m <= most:
        raise LabrigError(
            f"{who} does not search within {radius_m!r} m",
            where="radius",
            expected=f"metres from 1 to {most:,.0f}",
        )
    return float(radius_m)


def checked_mode(mode: str) -> Mode:
    """Return a mode of travel."""
    for known in MODES:
        if mode == known:
            return known
    raise unknown_name("mode of travel", mode, MODES, where="mode")


def checked_day(text: str, where: str = "date") -> date:
    """Return the day that an ISO date names."""
    try:
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            raise ValueError
        return date.fromisoformat(text)
    except (ValueError, TypeError):
        raise LabrigError(f"This is not a date: {text!r:.60}", where=where, expected="YYYY-MM-DD") from None


def checked_span(start: str, end: str, most_days: int) -> tuple[date, date]:
    """Return first and last day of a span of at most `most_days` days."""
    first, last = checked_day(start, "start_date"), checked_day(end, "end_date")
    days = (last - first).days + 1
    if not 1 <= days <= most_days:
        raise LabrigError(
            "The last day is before the first"
            if days < 1
            else f"{days:,} days are too many for one question",
            where=f"start_date={start}, end_date={end}",
            expected=f"1 to {most_days:,} days",
        )
    return first, last


def checked_counts(origins: Sequence[str], destinations: Sequence[str], most: int) -> None:
    """Refuse a matrix with no, or more than `most`, origins or destinations."""
    for name, texts in (("origins", origins), ("destinations", destinations)):
        if not 1 <= len(texts) <= most:
            raise LabrigError(
                f"{len(texts):,} {name} are too {'many' if texts else 'few'} for one question",
                where=name,
                expected=f"1 to {most} origins and 1 to {most} destinations",
            )
        for number, text in enumerate(texts):
            checked_text(text, f"{name}[{number}]")
