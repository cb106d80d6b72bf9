"""Numbers as people write them in a table: which mark is the decimal one, which separates thousands, what is a code.

``1,234`` can be read in two ways. So each reading is kept apart until the whole column has been seen, and its file: one
``3,5`` settles the decimal comma, one ``1,234,567`` or ``1,234.5`` the comma of thousands.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

SENTINELS = (-9999.0, -999.0, -99999.0, -999.9, -999.99, 9.969209968386869e36, 1e20, 999.9, 9999.0, 99999.0)
"""Numbers that often stand for no value. 9.97e36 and 1e20 are NetCDF's habits."""

POINT, COMMA = ".", ","
"""The two decimal marks; the other one of the two separates thousands."""

_SENTINELS = frozenset(SENTINELS)
_INTEGER = re.compile(r"[+-]?[0-9]{1,300}")
_PADDED = re.compile(r"[+-]?0[0-9]+")
_NUMBER = re.compile(  # each digit can be matched in one way only, else digits before a letter take for ever
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?|[+-]?inf(?:inity)?", re.IGNORECASE
)
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]{1,4})?")
_THOUSANDS = {
    POINT: re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?"),
    COMMA: re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]*)?"),
}
_SPACED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[ '\u2019\u00a0\u2009\u202f][0-9]{3})+(?:[.,][0-9]+)?")
_SPACES = str.maketrans("", "", " '\u2019\u00a0\u2009\u202f")


def is_number(text: str) -> bool:
    """Tell whether a text is a number with a decimal point or none."""
    return bool(_NUMBER.fullmatch(text.strip()))


def is_padded(text: str) -> bool:
    """Tell whether a text is an integer with zeros before it, as codes have them."""
    return bool(_PADDED.fullmatch(text))


def readings(text: str) -> dict[str, int | float]:
    """Return what a text is as a number by each decimal mark; nothing where it is none, one value where they agree."""
    if _SPACED.fullmatch(text):
        text = text.translate(_SPACES)
    if _INTEGER.fullmatch(text):
        return {"": int(text)}
    found: dict[str, int | float] = {}
    if _NUMBER.fullmatch(text):
        found[POINT] = float(text)
    elif _THOUSANDS[POINT].fullmatch(text):
        found[POINT] = _ungrouped(text.replace(",", ""))
    if _DECIMAL_COMMA.fullmatch(text):
        found[COMMA] = float(text.replace(",", "."))
    elif _THOUSANDS[COMMA].fullmatch(text):
        found[COMMA] = _ungrouped(text.replace(".", "").replace(",", "."))
    return found


def _ungrouped(text: str) -> int | float:
    return int(text) if _INTEGER.fullmatch(text) else float(text)


@dataclass
class Tally:
    """The numbers of one way of writing: how many of each kind, their range, and the codes among them.

    Attributes
    ----------
    codes
        Values of `SENTINELS` with their counts; they are not in the range.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    low: float | int | None = None
    high: float | int | None = None
    codes: Counter[float] = field(default_factory=Counter)

    def add(self, value: float | int, times: int) -> None:
        """Count a value so many times."""
        if value in _SENTINELS:
            self.codes[float(value)] += times
            self.kinds["integer" if isinstance(value, int) else "number"] += times
            return
        self.kinds["integer" if isinstance(value, int) else "number"] += times
        self.stretch(value)

    def stretch(self, value: float | int) -> None:
        """Take a value into the range."""
        self.low = value if self.low is None or value < self.low else self.low
        self.high = value if self.high is None or value > self.high else self.high

    def plus(self, other: Tally) -> Tally:
        """Return both together."""
        both = Tally(self.kinds + other.kinds, self.low, self.high, self.codes + other.codes)
        for value in (other.low, other.high):
            if value is not None:
                both.stretch(value)
        return both

    def is_far(self, code: float) -> bool:
        """Tell whether a code lies so far from all other values that it stands for none.

        Farther than their range is wide, and than half of itself: 999.9 hPa among 950 to 1,010 is a pressure.
        """
        if self.low is None or self.high is None:
            return False
        away = max(self.low - code, code - self.high)
        return away > self.high - self.low and away > abs(code) / 2


@dataclass
class Numbers:
    """The numbers of a column, by the ways in which they can be read.

    Attributes
    ----------
    sure
        Written so that no mark is in question.
    only
        By decimal mark: those that can be read with it alone.
    either
        By the mark that they hold, comma or point, and then by the decimal mark by which they are read.
    """

    sure: Tally = field(default_factory=Tally)
    only: dict[str, Tally] = field(default_factory=lambda: {POINT: Tally(), COMMA: Tally()})
    either: dict[str, dict[str, Tally]] = field(
        default_factory=lambda: {mark: {POINT: Tally(), COMMA: Tally()} for mark in (POINT, COMMA)}
    )

    def add(self, text: str, found: dict[str, int | float], times: int) -> None:
        """Count a text with its `readings`."""
        if len(found) == 2:
            for decimal, value in found.items():
                self.either[COMMA if "," in text else POINT][decimal].add(value, times)
            return
        for decimal, value in found.items():
            (self.only[decimal] if decimal else self.sure).add(value, times)

    def proven(self) -> str:
        """Return the decimal mark that one number at least needs and none contradicts, or nothing."""
        needed = [mark for mark in (POINT, COMMA) if self.only[mark].kinds]
        return needed[0] if len(needed) == 1 else ""

    def settled(self, separator: str, elsewhere: str) -> tuple[Tally, list[str]]:
        """Return all numbers in the likeliest reading, and what is to be said of it.

        Parameters
        ----------
        separator
            What cuts the file into cells: with commas, a number that holds one was put in quotes for it, which is done
            for thousands; with semicolons the comma is the decimal mark that they were chosen for.
        elsewhere
            The decimal mark that other columns of the file prove, or nothing.
        """
        doubtful = sum(self.either[COMMA][POINT].kinds.values())
        proven = self.proven()
        decimal = proven or elsewhere or self._guessed(separator)
        whole = self.sure.plus(self.only[POINT]).plus(self.only[COMMA])
        for tallies in self.either.values():
            whole = whole.plus(tallies[decimal])
        return whole, self._remarks(decimal, proven or elsewhere, doubtful)

    def _guessed(self, separator: str) -> str:
        if not self.either[COMMA][POINT].kinds:
            return POINT
        if separator in (",", ";"):
            return POINT if separator == "," else COMMA
        return POINT if self.sure.kinds else COMMA  # with 3 decimals, 987 would be 987,000

    def _remarks(self, decimal: str, settled: str, doubtful: int) -> list[str]:
        if not (self.only[COMMA].kinds or doubtful or self.either[POINT][COMMA].kinds):
            return []
        if self.only[POINT].kinds and self.only[COMMA].kinds:
            return ["some numbers have a decimal point and some a decimal comma: each is read by its own"]
        if decimal == COMMA:
            if self.only[COMMA].kinds or settled:
                grouped = sum(self.either[POINT][COMMA].kinds.values())
                return ["decimal commas" + ("; points separate thousands" if grouped else "")]
            if doubtful:
                return ["commas taken for decimal ones, though all could separate thousands"]
        elif doubtful and not settled:
            return ["commas taken for separators of thousands, though all could be decimal ones"]
        elif doubtful:
            return ["commas separate thousands"]
        return []
