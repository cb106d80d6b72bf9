"""Figures of a fictional world: every year, elevation, area and population of a text is moved by the same rule.

Years move by whole centuries, so that decades, centuries and leap years move with them; heights, depths and other
metres are multiplied by one factor, areas and volumes by another, people by a third. Order and ratios stay as they
are: the highest peak is the highest one still. Kilometres stay, since distances between places do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from labrig_atlas.world.noise import whole
from labrig_atlas.world.syllables import WORDS

_NUMBER = r"(?<![\d.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_MORE = r"(?=(?:\s*(?:to|by|–|-|×)\s*[\d,.]+)*\s*"
_METRES = re.compile(_NUMBER + _MORE + r"(?:m|metres|ft|feet)\b(?![²³/]))")
_BETWEEN = re.compile(rf"(?<=between ){_NUMBER}(?= and [\d,.]+ (?:m|metres|ft|feet)\b(?![²³/]))")
_AREAS = re.compile(_NUMBER + _MORE + r"(?:million )?(?:km²|km³|square kilometres|cubic kilometres))")
_PEOPLE = re.compile(_NUMBER + _MORE + r"(?:million |thousand )?(?:inhabitants|people|residents)\b)")
_FIRST = re.compile(_NUMBER)
_SPAN = re.compile(r"\b(1\d|20)(\d\d)[–-](\d\d)\b(?![\d,.–-])")
_YEAR = re.compile(
    r"(?<![\d.,−])\b(1\d{3}|20[0-2]\d)(s?)\b(?!,\d|\.\d|\s*(?:BC|m|km|ft|°|%|tonnes|t|kg|people|inhabitants)\b)(?!\s*[°%])"
)
_MERIDIAN = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d{1,9})?)° ([EW])\b")
_CENTURIES = WORDS["centuries"]
_CENTURY = re.compile(
    rf"\b({'|'.join(sorted(_CENTURIES, key=len, reverse=True))})(?=[- ]centur(?:y|ies)\b(?! BC))"
)


@dataclass(frozen=True)
class Shift:
    """How the figures of a world are moved: centuries back, factors, and degrees of longitude."""

    centuries: int
    metres: Decimal
    areas: Decimal
    people: Decimal
    longitude: Decimal

    @classmethod
    def of(cls, seed: int) -> Shift:
        """Return the shift of a seed: factors between 0.80 and 1.25, none within 4 % of 1; longitudes in tenths."""

        def factor(what: str) -> Decimal:
            step = whole("shift", seed, what) % 360  # 0.800 to 0.959, then 1.041 to 1.240
            return Decimal(800 + step if step < 160 else 1041 + step - 160) / 1000

        return cls(
            1 + whole("shift", seed, "centuries") % 3,
            factor("metres"),
            factor("areas"),
            factor("people"),
            Decimal(300 + whole("shift", seed, "longitude") % 3000) / 10,
        )

    def text(self, text: str) -> str:
        """Return a text with its figures moved."""
        text = _METRES.sub(lambda found: times(found[1], self.metres), text)
        text = _BETWEEN.sub(lambda found: times(found[1], self.metres), text)
        text = _AREAS.sub(lambda found: times(found[1], self.areas), text)
        text = _PEOPLE.sub(lambda found: times(found[1], self.people), text)
        text = _MERIDIAN.sub(self._meridian, text)
        text = _SPAN.sub(lambda found: f"{found[1]}{found[2]}–{found[1]}{found[3]}", text)
        text = _YEAR.sub(lambda found: f"{self.year(int(found[1]))}{found[2]}", text)
        text = re.sub(
            r"\b29 February (\d{3,4})\b",
            lambda found: f"{29 if _leap(int(found[1])) else 28} February {found[1]}",
            text,
        )
        return _CENTURY.sub(
            lambda found: _CENTURIES[max(_CENTURIES.index(found[1]) - self.centuries, 0)], text
        )

    def _meridian(self, found: re.Match[str]) -> str:
        moved = Decimal(str(self.moved(float(found[1]) * (-1 if found[2] == "W" else 1))))
        digits = Decimal(found[1]).as_tuple().exponent
        return f"{abs(moved).quantize(Decimal(1).scaleb(digits))}° {'W' if moved < 0 else 'E'}"  # type: ignore[arg-type]

    def population(self, text: str) -> str:
        """Return the text of an infobox on inhabitants with its first figure and its years moved."""
        parts = _FIRST.split(text, maxsplit=1)
        if len(parts) < 3:
            return self.text(text)
        return self.text(parts[0]) + times(parts[1], self.people) + self.text(parts[2])

    def year(self, year: int) -> int:
        """Return the year that a year is moved to."""
        return year - 100 * self.centuries

    def moved(self, longitude: float) -> float:
        """Return the longitude that a longitude (degrees) is moved to, in (-180, 180]."""
        turned = (Decimal(str(longitude)) + self.longitude + 180) % 360
        return float(turned - 180 if turned else Decimal(180))


def times(number: str, factor: Decimal) -> str:
    """Return a number multiplied, with as many decimals as it has, and commas where it has them or needs them.

    Examples
    --------
    ``times("4,805.6", Decimal("0.9"))`` is ``"4,325.0"``.
    """
    if len(number) > 20:
        return number  # no figure of anything
    plain = Decimal(number.replace(",", ""))
    made = (plain * factor).quantize(Decimal(1).scaleb(plain.as_tuple().exponent), ROUND_HALF_EVEN)  # type: ignore[arg-type]
    return f"{made:,}" if "," in number or made >= 10_000 else f"{made}"


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
