"""A cell of a table, whose unit may stand in the head of its column: ``T_{c} (K)``, ``J_{c} (10^{6} A/cm^{2})``."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from labrig.errors import LabrigError
from labrig_papers.materials.elements import SYMBOLS
from labrig_papers.values.numbers import read_number
from labrig_papers.values.reading import Value, has_unit, read_value
from labrig_papers.values.units import BARE, read_unit

_EMPTY = re.compile(r"^\s*(?:|[-–—−]{1,3}|…|\.{2,3}|n/?a|none)\s*$", re.IGNORECASE)


_MARKS = re.compile(
    r"\s*(?:\^\{\s?[a-z*†‡§#](?:\s?,\s?[a-z*†‡§#])*\s?\}|[*†‡§#]+|\[\s?\d+(?:\s?[,–-]\s?\d+)*\s?\])$"
)
_INNER_MARK = re.compile(r"(?<=[\d)])\^\{\s?[a-z*†‡§#](?:\s?,\s?[a-z*†‡§#])*\s?\}(?=\s\S|%)")
"""The mark of a footnote between a number and its unit."""
_CITED = re.compile(r"(?<!10)\s*\^\{\d+(?:\s?[,–-]\s?\d+)*\}$")
"""A raised number behind a cell is a reference, but for the exponent of a power of ten or of a unit."""
_POWER_OUTSIDE = re.compile(r"10\s?\^\s?\{?\s?[+−–-]?\d+\s?\}?(?![^(\[]*[)\]])")


def power_outside(head: str) -> bool:
    """Tell whether a head has a power of ten outside of its brackets: ``ρ × 10^{6} (Ω cm)``.

    Some print values that are to be multiplied by it, others values that were.
    """
    return _POWER_OUTSIDE.search(head) is not None


def without_marks(cell: str) -> str:
    """Return a cell without marks of footnotes and references behind its number, or between that and its unit."""
    cell = _INNER_MARK.sub("", cell)
    before = ""
    while before != cell:
        before, cell = cell, _MARKS.sub("", cell)
        raised = _CITED.search(cell)
        if raised and not _is_exponent(cell, raised.start()):
            cell = cell[: raised.start()]
    return cell


def _is_exponent(cell: str, place: int) -> bool:
    """Tell whether a raised number at the end of a cell makes a unit of a known dimension: ``7.33 g/cm^{3}``."""
    if not cell[:place].rstrip()[-1:].isalpha():
        return False
    try:
        return read_value(cell).unit.dimension != "other"
    except LabrigError:
        return False


@lru_cache(maxsize=1024)
def unit_of_head(head: str) -> tuple[str, float]:
    """Return the unit that the head of a column names and the factor before it (10^{6}), ``("", 1)`` if none.

    The unit stands in the last brackets or behind the last comma, or behind a slash in a head that has neither.
    """
    slash = re.fullmatch(r"[^/()\[\]]*[^/()\[\]\s]\s*/\s*([^/()\[\],]+)", head.strip())
    for text in (
        *reversed(re.findall(r"[(\[]([^()\[\]]*(?:\([^()]*\)[^()\[\]]*)?)[)\]]", head)),
        head.rpartition(",")[2] if "," in head else "",  # a head that is T alone is no tesla
        slash[1] if slash else "",
    ):
        text = re.sub(r"^±\s?[\d.]+\s?", "", text.strip())
        factor = 1.0
        if match := re.match(r"(?:[×x]\s?)?(10\s?\^\s?\{?\s?[+-−]?\d+\s?\}?)\s*", text):
            factor = read_number(match[1]).value
            text = text[match.end() :]
        try:
            unit = read_unit(text)
        except LabrigError:
            continue
        if unit is not BARE:
            return text, factor
    return "", 1.0


def without_brackets(text: str) -> str:
    """Return the text within brackets that hold all of it: ``K`` of ``[K]``; ``W/(m K)`` stays."""
    text = text.strip()
    inner = re.fullmatch(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)|\[([^\[\]]*)\]", text)
    return (inner[1] or inner[2] or "").strip() if inner else text


_LIKE_A_UNIT = re.compile(r"[A-Za-zμΩÅ%°‰][\w./·^{}\-−() μΩÅ%°]{1,15}")
_NO_UNITS = frozenset(
    re.findall(
        r"\w+",
        "ab abs all avg bulk calc data dia eff est exp expt film fit fwhm high in is low max mean mid min nom "
        "norm obs of onset out poly ref rel rms sd se std sum sym theo this tot var work year zero",
    )
)


def unknown_unit(head: str) -> str:
    """Return what stands in the last brackets of a head and looks like a unit that is not known, else empty.

    A word of more than four letters looks like none, and neither does a formula or a condition.
    """
    found = re.findall(r"[(\[]([^()\[\]]*(?:\([^()]*\)[^()\[\]]*)?)[)\]]\s*$", head)
    text = found[-1].strip() if found else ""
    if unit_of_head(head)[0] or not _LIKE_A_UNIT.fullmatch(text) or text.casefold() in _NO_UNITS:
        return ""
    written_out = re.search(r"[/^·%‰]", text) is not None
    word = text.isalpha() and (len(text) > 4 or text in SYMBOLS)
    several = " " in text and not written_out
    return "" if word or several or re.search(r"\d{2}|[A-Z][a-z]?\d", text) else text


def read_cell(cell: str, head: str = "") -> Value | None:
    """Return the value of a cell with its own unit or that of the head; None if it is empty, a dash or a word.

    None also where the head has a power of ten outside of its brackets, which can be meant in two ways.
    """
    cell = without_marks(cell.strip())
    if _EMPTY.match(cell) or not re.search(r"\d", cell):
        return None
    try:
        value = read_value(cell)
    except LabrigError:
        return None
    unit, factor = unit_of_head(head)
    if has_unit(value):
        return value
    if power_outside(head):
        return None
    if not unit:
        return value
    text = cell.strip() if factor == 1.0 else f"{cell.strip()} × 10^{{{round(math.log10(factor))}}}"
    try:
        return read_value(f"{text} {unit}")
    except LabrigError:
        return None
