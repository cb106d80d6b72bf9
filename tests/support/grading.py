"""What the reader says of real papers, held against values that were read by eye; units are converted here."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from labrig_papers.pdf.opening import opened
from labrig_papers.pdf.page import Box
from labrig_papers.pdf.pages import read_pages
from labrig_papers.pdf.structure import title_of
from labrig_papers.quantities.candidates import Candidate
from labrig_papers.quantities.finding import find_quantities
from labrig_papers.quantities.placing import areas_of_all

READ_BY_EYE = Path(__file__).parents[1] / "real" / "papers_by_eye.csv"
HELD_BACK = READ_BY_EYE.with_name("papers_held_back.csv")
HELD_BACK_MORE = READ_BY_EYE.with_name("papers_held_back_more.csv")
FACTORS = {
    "K": 1.0, "mK": 1e-3, "GPa": 1e9, "MPa": 1e6, "T": 1.0, "mT": 1e-3, "%": 0.01, "Å": 1e-10, "nm": 1e-9, "MHz": 1e6,
    "eV": 1.602176634e-19, "meV": 1.602176634e-22, "μs^-1": 1e6, "m^-3": 1.0, "s^-1 K^-1": 1.0, "mm/h": 1e-3 / 3600,
    "day": 86400.0, "year": 31557600.0, "km/s": 1e3, "m/s": 1.0, "AU": 149597870700.0, "day^-1": 1 / 86400.0,
    "deg": 0.017453292519943295, "MJup": 1.8981245973360505e27, "μB/U": 9.2740100657e-24, "kOe": 0.1,
    "kOe/μB": 1e6 / (4 * 3.141592653589793) / 9.2740100657e-24, "mJ/mol K^4": 1e-3, "mJ/mol K^2": 1e-3,
    "mJ/(mol K^2)": 1e-3, "mm": 1e-3, "V": 1.0, "mV": 1e-3, "μV": 1e-6, "pA": 1e-12, "Hz": 1.0, "MHz/T": 1e6,
    "μeV": 1.602176634e-25, "kbar": 1e8, "K/kbar": 1e-8, "%/kbar": 1e-10, "μm": 1e-6,
    "Ω": 1.0, "μΩ cm": 1e-8, "mΩ cm": 1e-5, "mK/min": 1e-3 / 60, "Oe": 1e-4, "mOe": 1e-7,
    "mOe/min": 1 / (4 * 3.141592653589793) / 60, "nm3": 1e-27,
    "erg/cm3K2": 0.1, "nm^-1": 1e9, "μA": 1e-6, "cm": 1e-2, "J/mol K": 1.0, "K/GPa": 1e-9, "min": 60.0, "h": 3600.0,
    "K/T": 1.0, "T/K": 1.0, "at.%": 0.01, "torr": 101325 / 760, "atm": 101325.0, "kA/m^2": 1e3,
}  # fmt: skip
"""What one of each unit is in SI; °C is a shift. A year has 365.25 days; 1 Oe is 1e-4 T alone (B = μ0 H),
and 1000/(4 π) A/m in a unit with others."""


@dataclass(frozen=True)
class Read:
    """A value of a page, as a person read it."""

    paper: str
    page: int
    where: str
    printed: str
    value: float
    unit: str
    standing: str
    material: str
    box: Box

    @property
    def si(self) -> float:
        """The value in SI."""
        return self.value + 273.15 if self.unit == "°C" else self.value * FACTORS[self.unit]


@dataclass
class Marks:
    """How many values were found, and what was wrong with those; `said` has a line for each that is not right."""

    read: int = 0
    found: int = 0
    problems: int = 0
    wrong_value: int = 0
    wrong_unit: int = 0
    wrong_standing: int = 0
    with_material: int = 0
    wrong_material: int = 0
    said: list[str] = field(default_factory=list)


def read_by_eye(annotation: Path = READ_BY_EYE) -> list[Read]:
    """Return the values of an annotation."""
    with annotation.open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [
        Read(
            row["paper"], int(row["page"]), row["where"], row["printed"], float(row["value"]), row["unit"],
            row["standing"], row["material"],
            (float(row["left"]), float(row["bottom"]), float(row["right"]), float(row["top"])),
        )
        for row in csv.DictReader(lines)
    ]  # fmt: skip


def found_in(path: Path) -> dict[int, list[tuple[Candidate, list[Box]]]]:
    """Return what the reader finds on each page of a paper, with its boxes."""
    with opened(str(path), path.name) as document:
        pages = list(read_pages(document, range(1, len(document) + 1)))
    found: dict[int, list[tuple[Candidate, list[Box]]]] = {}
    title = title_of(pages[:1])
    for each in find_quantities([page.text for page in pages], areas=areas_of_all(pages), title=title):
        found.setdefault(each.page, []).append((each, pages[each.page - 1].boxes_of(each.start, each.end)))
    return found


def grade(papers: Path, annotation: Path = READ_BY_EYE) -> Marks:
    """Hold what the reader finds in papers of a folder, or below it, against the values that were read by eye."""
    marks, known, taken = Marks(), {}, Counter[tuple[str, int, int]]()
    for read in read_by_eye(annotation):
        marks.read += 1
        if read.paper not in known:
            known[read.paper] = found_in(next(papers.rglob(f"{read.paper}*.pdf")))
        over = [
            (share, each)
            for each, boxes in known[read.paper].get(read.page, ())
            if (share := max((_shared(read.box, box) for box in boxes), default=0.0)) > 0.25
        ]
        if not over:
            marks.said.append(f"not found: {_named(read)}")
            continue
        share = max(share for share, _ in over)
        best = [each for one, each in over if one > share - 0.05]
        each = next((each for each in best if _has(each, read)), best[0])
        taken[(read.paper, read.page, each.start)] += 1
        if each.value is None:
            marks.problems += 1
            marks.said.append(f"a problem: {_named(read)}: {each.problem}")
            continue
        marks.found += 1
        _mark(marks, read, each)
    return marks


def _mark(marks: Marks, read: Read, each: Candidate) -> None:
    assert each.value is not None
    if not _has(each, read):
        of_number = any(abs(one.value) == abs(read.value) for one in each.value.numbers)
        marks.wrong_unit += of_number
        marks.wrong_value += not of_number
        marks.said.append(
            f"wrong {'unit' if of_number else 'value'}: {_named(read)}: {each.text} {each.value.si()}"
        )
    if each.standing != read.standing:
        marks.wrong_standing += 1
        marks.said.append(f"wrong standing: {_named(read)}: {each.standing} | {each.quote[:160]!r}")
    if read.material:
        marks.with_material += 1
        if not each.formulas or _plain(each.formulas[0]) != _plain(read.material):
            marks.wrong_material += 1
            marks.said.append(f"wrong material: {_named(read)}: {each.formulas[:2]} | {each.quote[:160]!r}")


def _has(each: Candidate, read: Read) -> bool:
    si = each.value.si() if each.value is not None else ()
    return any(abs(one - read.si) <= 1e-6 * max(abs(one), abs(read.si)) for one in si)


def _plain(formula: str) -> str:
    return re.sub(r"[_{}\s]", "", formula).replace("−", "-")


def _named(read: Read) -> str:
    return f"{read.paper} p. {read.page} {read.printed} ({read.material or 'no material'}, {read.standing})"


def _shared(one: Box, other: Box) -> float:
    """Return the share of a box that another one covers."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    area = (one[2] - one[0]) * (one[3] - one[1])
    return width * height / area if width > 0 and height > 0 and area > 0 else 0.0
