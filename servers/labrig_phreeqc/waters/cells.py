"""The cells of a laboratory's table: numbers, limits of detection, and the many ways to say that there is no value."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from labrig_phreeqc.waters.units import plain

Mark = Literal[".", ","]
BelowLimit = Literal["half", "zero", "limit"]

SHARES: dict[BelowLimit, float] = {"half": 0.5, "zero": 0.0, "limit": 1.0}
"""What stands for a value below a limit, as a share of the limit."""

_MISSING = """|-|--|---|—|――|―|na|n/a|n.a.|n.a|nan|null|none|nm|n.m.|ns|not measured|not analysed|not analyzed
|missing|?|.|#n/a|not determined|not sampled|no data"""
_NOT_DETECTED = """nd|n.d.|n.d|bdl|b.d.l.|bd|b.d.|<dl|<lod|<mdl|<loq|<ld|<rl|udl|not detected|non detect|non-detect
|nondetect|tr|tr.|trace|traces|<|below detection|below detection limit
|u|n.n.|n.n|nn|nicht nachweisbar|u.d.n.
|u.d.n|udn|u.n.g.|<bg|<ng|<ldm|<lq|<ldd|<pql|u.d.b.|non détecté|no detectado"""
_MISSING_WORDS, _NOT_DETECTED_WORDS = (
    frozenset(each.strip() for each in words.split("|")) for words in (_MISSING, _NOT_DETECTED)
)
_CODES = frozenset((-9.0, -99.0, -999.0, -9999.0, -99999.0, -999.9, -99.9, -999.99, -999.25))
_POINT = re.compile(r"[+-]?\d*\.\d+")
_COMMA = re.compile(r"[+-]?\d*,\d+")
_GROUPS = {mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+") for mark in (".", ",")}
_BOTH = {
    ".": re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+\.\d+(?:[eE][+-]?\d{1,3})?"),
    ",": re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+,\d+(?:[eE][+-]?\d{1,3})?"),
}
"""Numbers with both marks, by the decimal one, which is the last: ``1,234.5`` and ``1.234,5``."""
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_SPACED = re.compile(r"[+-]?\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?", re.ASCII)
_LIMIT = re.compile(r"(?:n\.?d\.?|bdl)?[ (]*(?:<=?|≤)[ =]*(.+?)\)?", re.IGNORECASE)
_ND_AT = re.compile(r"(?:n\.?d\.?|bdl|n\.n\.|u\.d\.n\.)[ (@]+([\d.,]+)\)?", re.IGNORECASE)
_QUALIFIED = re.compile(r"([<≤= ]*[\d.,]+(?:[eE][+-]?\d+)?)(?: ?(U|UJ|J[+-]?|JB|BJ|B)| E)")
"""Qualifiers of EPA laboratories: U is less than the number; J (with + or -), E and B are estimated."""


@dataclass(frozen=True)
class Cell:
    """What a cell says.

    Attributes
    ----------
    value
        The number, or the limit below which the value is; None where there is neither.
    below
        The value is below a limit (`value`, where it is stated).
    why
        Why the cell cannot be read, or empty.
    estimated
        The laboratory marks it so.
    """

    value: float | None = None
    below: bool = False
    why: str = ""
    estimated: bool = False

    @property
    def empty(self) -> bool:
        """Nothing was measured."""
        return self.value is None and not self.below and not self.why


@dataclass(frozen=True)
class Decimal:
    """The decimal mark of a column or table.

    Attributes
    ----------
    sure
        Some cell can be meant with no other.
    grouped
        Some cell has thousands as well (``1.234,5``), so that ``1.234`` has them too.
    """

    mark: Mark
    sure: bool
    grouped: bool = False


def decimal_mark(cells: Iterable[str], otherwise: Decimal) -> Decimal:
    """Find the decimal mark: the one that more cells can only be meant with, or `otherwise`.

    ``7,42`` can only be a decimal comma and ``7.42`` a decimal point; ``1,234`` may be either.
    """
    points = commas = 0
    grouped = {".": False, ",": False}
    for text in cells:
        text = plain(text)
        text = (qualified[1] if (qualified := _QUALIFIED.fullmatch(text)) else text).lstrip("<≤= ")
        if "," in text and "." in text:
            comma, point = (_BOTH[mark].fullmatch(text) is not None for mark in (",", "."))
            grouped = {".": grouped["."] or point, ",": grouped[","] or comma}
            commas, points = commas + comma, points + point
        else:
            points += bool(_POINT.fullmatch(text)) and not _GROUPS["."].fullmatch(text)
            commas += bool(_COMMA.fullmatch(text)) and not _GROUPS[","].fullmatch(text)
    if not points and not commas:
        return otherwise
    if points == commas:  # as the table has it
        mark = otherwise.mark if otherwise.sure else "."
    else:
        mark = "." if points > commas else ","
    return Decimal(mark, True, grouped[mark] or (otherwise.grouped and otherwise.mark == mark))


def read_cell(text: str, decimal: Decimal) -> Cell:
    """Read a cell. Where it is not sure what the decimal mark is, ``1,234`` is not read."""
    text = plain(text)
    folded = text.casefold()
    if folded in _MISSING_WORDS or folded.replace(" ", "") in _MISSING_WORDS:
        return Cell()
    if folded in _NOT_DETECTED_WORDS or folded.replace(" ", "") in _NOT_DETECTED_WORDS:
        return Cell(below=True)
    below = estimated = False
    if qualified := _QUALIFIED.fullmatch(text):
        below = (qualified[2] or "").startswith("U")
        estimated = not below
        text = qualified[1].strip()
    match = _LIMIT.fullmatch(text) or _ND_AT.fullmatch(text)
    number, why = _number(match[1] if match else text, decimal)
    if number is None:
        return Cell(why=why)
    if match and number < 0:
        return Cell(why=f"{_short(text)} is below a negative limit")
    below = below or match is not None
    return Cell(number, below=below, estimated=estimated and not below)


def _number(text: str, decimal: Decimal) -> tuple[float | None, str]:
    shown = _short(text)
    mark, other = decimal.mark, "," if decimal.mark == "." else "."
    if text.startswith((">", "≥")) or text.endswith(("<", ">")):
        return None, f"{shown} is a bound and not a value"
    if _SPACED.fullmatch(text):
        text = re.sub(r"[ '’]", "", text)
    for last, pattern in _BOTH.items():  # beyond doubt, whatever the column has
        if pattern.fullmatch(text):
            mark, other = (".", ",") if last == "." else (",", ".")
    if _GROUPS[other].fullmatch(text):
        if not decimal.sure or (mark == "," and text.count(".") == 1 and not decimal.grouped):
            return None, f"{shown} may be a decimal number or thousands"
        text = text.replace(other, "")
    elif mark in text and other in text:
        whole, _, decimals = text.rpartition(mark)
        if _GROUPS[other].fullmatch(whole):
            text = whole.replace(other, "") + mark + decimals
    elif other in text:
        return (
            None,
            f"{shown} is not a number with the decimal {'point' if mark == '.' else 'comma'} of its column",
        )
    text = text.replace(",", ".") if mark == "," else text
    if not _NUMBER.fullmatch(text):
        return None, f"{shown} is not a number"
    number = float(text)
    return (number, "") if math.isfinite(number) else (None, f"{shown} is too large")


def missing_code(number: float) -> bool:
    """Tell whether a negative number is one that tables use for a missing value."""
    return number in _CODES


def _short(text: str) -> str:
    return repr(text if len(text) <= 24 else text[:21] + "...")
