"""Points written as text: decimal degrees, degrees with minutes and seconds, hemispheres by letter."""

from __future__ import annotations

import re

from labrig_atlas.offline.geodesy import check_point

_DECIMAL = re.compile(
    r"^\(?\s*([-+−]?\d{1,3}(?:\.\d+)?)\s*°?\s*[,;/ ]\s*([-+−]?\d{1,3}(?:\.\d+)?)\s*°?\s*\)?$"
)
_ANGLE = (
    r"(\d{1,3}(?:\.\d+)?)\s*[°d]?\s*(?:(\d{1,2}(?:\.\d+)?)\s*[′'’m])?\s*(?:(\d{1,2}(?:\.\d+)?)\s*[″\"”s])?\s*"
)
_LETTERED = re.compile(_ANGLE + r"([NS])\b[\s,;/]*" + _ANGLE + r"([EW])\b")


def read_point(text: str) -> tuple[float, float] | None:
    """Return latitude and longitude (degrees) of a text that is a point; None for any other text.

    Where a text gives a point in several forms, as an encyclopedia does, the first one with letters counts.

    Raises
    ------
    LabrigError
        ``bad_input`` for a latitude beyond 90 degrees.

    Examples
    --------
    ``"48.40, 9.99"``, ``"39°05′37″N 94°35′13″W"``, ``"33.5 S, 70.6 W"``
    """
    plain = " ".join(text.replace("\ufeff", " ").split())
    if found := _DECIMAL.match(plain):
        first, second = (float(part.replace("−", "-")) for part in found.groups())
        return check_point(first, second, where="address")
    if found := _LETTERED.match(plain):
        parts = found.groups()
        latitude, longitude = (_degrees(parts[at : at + 3]) for at in (0, 4))
        return check_point(
            -latitude if parts[3] == "S" else latitude,
            -longitude if parts[7] == "W" else longitude,
            where="address",
        )
    return None


def _degrees(parts: tuple[str | None, ...]) -> float:
    whole, minutes, seconds = (float(part or 0) for part in parts)
    return whole + minutes / 60 + seconds / 3600
