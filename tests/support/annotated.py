"""Quantities that people marked up in papers (TEI, as GROBID's annotators write it), and whether the reader finds them.

An annotation has no page: a number counts as found where the reader has it anywhere in the paper, as a value or an
uncertainty, with that unit. Units are compared as letters and powers, whatever the slashes and dots between them.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from support.grading import found_in

QUANTITIES = ("value", "interval", "range", "list")
SAME = {
    "°": "deg", "degree": "deg", "degrees": "deg", "℃": "°c", "year": "yr", "years": "yr", "months": "month",
    "days": "day", "weeks": "week", "hours": "h", "hour": "h", "minutes": "min", "seconds": "s", "as": "arcsec",
    "am": "arcmin", "knots": "knot", "tonnes": "tonne", "kilometre": "km", "w/w%": "%", "mmhg": "torr", "r☉": "r⊙",
    "ly": "lightyears", "kd": "kda",
}  # fmt: skip
"""What annotators write, as the reader does."""


@dataclass
class Agreement:
    """How many annotated numbers the reader has with their unit; `said` has a line for each of the others."""

    annotated: int = 0
    found: int = 0
    said: list[str] = field(default_factory=list)


def agree(paper: Path, annotation: Path, into: Agreement) -> None:
    """Hold what the reader finds in a paper against its annotation."""
    units: dict[float, set[str]] = {}
    for each in (candidate for page in found_in(paper).values() for candidate, _ in page):
        for number in each.value.numbers if each.value is not None else ():
            for printed in (number.value, number.uncertainty):
                if printed is not None and each.value is not None:
                    units.setdefault(abs(printed), set()).add(_folded(each.value.unit.canonical))
    for number, unit in annotated_in(annotation):
        into.annotated += 1
        if _folded(unit) in units.get(number, set()):
            into.found += 1
        else:
            into.said.append(f"{paper.name}: {number:g} {unit}: {sorted(units.get(number, set()))}")


def annotated_in(annotation: Path) -> Iterator[tuple[float, str]]:
    """Yield the numbers, without sign, and their units, of the quantities that have both."""
    for quantity in _quantities(ET.parse(annotation).getroot()):
        inner = [each for each in quantity.iter() if each is not quantity and isinstance(each.tag, str)]
        units = [unit for each in inner if _is(each, "measure") and (unit := each.get("unit", "").strip())]
        numbers = [_number("".join(each.itertext())) for each in inner if _is(each, "num")]
        yield from ((number, units[0]) for number in numbers if number is not None and units)


def _quantities(parent: ET.Element) -> Iterator[ET.Element]:
    for each in parent:
        if _is(each, "measure") and each.get("type") in QUANTITIES:
            yield each
        else:
            yield from _quantities(each)


def _is(element: ET.Element, name: str) -> bool:
    return isinstance(element.tag, str) and element.tag.rpartition("}")[2] == name


def _number(text: str) -> float | None:
    found = re.fullmatch(r"[~≈<>±]?[-−–]?(\d[\d,]*\.?\d*|\.\d+)(?:\(\d+\))?", text.replace(" ", "").strip())
    return float(found[1].replace(",", "")) if found else None


def _folded(unit: str) -> str:
    unit = re.sub(r"(?<!\w)u(?=[a-z])", "μ", unit.replace("−", "-").replace("µ", "μ").replace("º", "°"))
    if unit in SAME:
        return SAME[unit]
    unit = re.sub(r"[\s{}_·⋅*()/]|\.(?=[A-Za-zμ])", "", unit)
    unit = re.sub(r"\^?[-⁻]([2-9²³])", r"\1", re.sub(r"\^?[-⁻][1¹]", "", unit)).replace("^", "").casefold()
    return SAME.get(unit, unit)
