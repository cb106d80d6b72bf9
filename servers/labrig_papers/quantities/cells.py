"""A cell of a table, whose unit may stand in the head of its column: ``T_{c} (K)``, ``J_{c} (10^{6} A/cm^{2})``."""

from __future__ import annotations

import math
import re

from labrig.errors import LabrigError
from labrig_papers.values.numbers import read_number
from labrig_papers.values.reading import Value, has_unit, read_value
from labrig_papers.values.units import BARE, read_unit

_EMPTY = re.compile(r"^\s*(?:|[-–—−]{1,3}|…|\.{2,3}|n/?a|none)\s*$", re.IGNORECASE)


def unit_of_head(head: str) -> tuple[str, float]:
    """Return the unit that the head of a column names and the factor before it (10^{6}), ``("", 1)`` if none.

    The unit stands in the last brackets or behind the last comma or slash.
    """
    for text in (
        *reversed(re.findall(r"[(\[]([^()\[\]]*(?:\([^()]*\)[^()\[\]]*)?)[)\]]", head)),
        head.rpartition(",")[2],
    ):
        text = text.strip()
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


def read_cell(cell: str, head: str = "") -> Value | None:
    """Return the value of a cell with its own unit or that of the head; None if it is empty, a dash or a word."""
    if _EMPTY.match(cell) or not re.search(r"\d", cell):
        return None
    try:
        value = read_value(cell)
    except LabrigError:
        return None
    unit, factor = unit_of_head(head)
    if has_unit(value) or not unit:
        return value
    text = cell.strip() if factor == 1.0 else f"{cell.strip()} × 10^{{{round(math.log10(factor))}}}"
    try:
        return read_value(f"{text} {unit}")
    except LabrigError:
        return None
