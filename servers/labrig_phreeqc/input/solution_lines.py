"""The lines of a solution, read as PHREEQC reads them: numbers, units, constraints, options.

Sources: Parkhurst and Appelo (2013), USGS TM 6-A43, SOLUTION; the readers of release 3.8 (``read_solution``,
``cxxISolutionComp::read``, ``check_units``); and trials with the engine where the two differ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from labrig_phreeqc.input.solution import Constraint, Number, Solution, Total
from labrig_phreeqc.input.statements import Statement

BLANKS = re.compile(r"[ \t\n\v\f\r]+")
_SCANNED = re.compile(
    r"[+-]?(?:0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?|inf(?:inity)?|nan(?:\([a-z0-9_]*\))?"
    r"|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)",
    re.IGNORECASE | re.ASCII,
)


def read_number(word: str, line: int) -> Number | None:
    """Return what C's ``sscanf("%lf")`` reads from the start of a word, or None."""
    match = _SCANNED.match(word)
    if match is None:
        return None
    try:
        value = float.fromhex(match[0]) if "x" in match[0].lower() else float(match[0].partition("(")[0])
    except OverflowError:
        value = float("-inf" if match[0].startswith("-") else "inf")
    return Number(value, word, word[match.end() :], line)


_SPELLINGS = """milli m|micro u|grams g|gram g|moles Mol|mole Mol|mol Mol|liter l|kgh kgw|ppt g/kgs|ppm mg/kgs
ppb ug/kgs|equivalents eq|equivalent eq|equiv eq"""
_UNIT_SPELLINGS = [each.split() for each in re.split(r"[|\n]", _SPELLINGS)]
_UNIT = re.compile(r"[mu]?(?:Mol|eq)/(?:l|kgs|kgw)|[mu]?g/(?:l|kgs|kgw)")


def standard_unit(word: str) -> str | None:
    """Return a unit as PHREEQC understands it (``mmol/kgw``, ``mg/L``, ``mg/kgs`` for ppm), or None."""
    unit = BLANKS.sub("", word).lower()
    for spelling, short in _UNIT_SPELLINGS:
        unit = unit.replace(spelling, short, 1)
    for per in ("/l", "/kgs", "/kgw"):
        if per in unit:
            unit = unit[: unit.index(per) + len(per)]
            break
    if _UNIT.fullmatch(unit) is None:
        return None
    return unit.replace("Mol", "mol").replace("/l", "/L")


def _couple(word: str) -> str:
    """Return a redox couple in PHREEQC's form: ``O(0)/O(-2)`` and ``O(-2)/O(+0)`` are both ``O(-2)/O(0)``."""
    if word.lower() == "pe":
        return "pe"
    halves = word.replace("(+", "(").split("/")
    return "/".join(sorted(halves, key=lambda half: half.partition("(")[2]))


def _read_line(text: str, line: int) -> Total | None:
    """Read ``name ... value [unit] [as formula | gfw number] [couple | pe] [phase [si] | charge]``."""
    text = text.replace("Kg", "kg", 1).replace("KG", "kg", 1)
    while "kg " in text:
        text = text.replace("kg ", "kg")
    words = [word for word in BLANKS.split(text) if word]
    names: list[str] = []
    while words and (_is_upper(words[0]) or words[0][0] == "[" or words[0].lower() in ("ph", "pe")):
        names.append(words.pop(0).replace("(+", "(", 1))
    number = read_number(words.pop(0), line) if names and words else None
    if number is None:
        return None
    unit = standard_unit(words[0]) if words else None
    if unit is not None:
        words.pop(0)
    as_, gfw, redox = "", None, ""
    if words and words[0].lower() == "as":
        as_, words = " ".join(words[1:2]), words[2:]
    elif words and words[0].lower() in ("gfw", "gfm"):
        weight = read_number(words[1], line) if len(words) > 1 else None
        gfw, words = weight.value if weight is not None else None, words[2:]
    if words and (words[0].lower() == "pe" or "/" in words[0]):
        redox = _couple(words.pop(0))
    constraint = None
    if words:
        si = read_number(words[1], line) if len(words) > 1 else None
        constraint = Constraint(words[0], si.value if si is not None else None)
        if "charge" in words[0].lower():
            constraint = Constraint("")
    return Total(" ".join(names), number, unit, as_, gfw, redox, constraint)


def _is_upper(word: str) -> bool:
    return word[:1].isascii() and word[:1].isupper()


def starts_number(word: str) -> bool:
    """Tell whether PHREEQC takes a word for a number."""
    return word[:1].isascii() and (word[:1].isdigit() or word[:1] in (".", "-"))


def numbers_and_description(rest: str) -> tuple[int, int, str]:
    """Read ``3-5 name`` as PHREEQC does after a keyword; without a number it is 1."""
    word, description = (*BLANKS.split(rest, maxsplit=1), "")[:2]
    if not starts_number(word):
        return 1, 1, rest
    match = re.match(r"(-?\d{1,18})(?:-(\d{1,18}))?", word, re.ASCII)
    if match is None:
        return 1, 1, description
    first = int(match[1])
    return first, max(first, int(match[2] or first)), description


# Option names in PHREEQC's order, which decides what an abbreviation means.
_OPTION_NAMES = {
    "SOLUTION": "temp temperature dens density units redox ph pe unit isotope water press pressure potential",
    "SOLUTION_SPREAD": "temp temperature dens density units redox ph pe unit isotope water "
    "isotope_uncertainty uncertainty uncertainties pressure press",
    "row": "temp temperature dens density units redox ph pe unit isotope water description desc descriptor "
    "pressure press potential",
}
OPTIONS = {block: names.split() for block, names in _OPTION_NAMES.items()}
FULL_NAMES = {"temp": "temperature", "dens": "density", "unit": "units", "press": "pressure"}
FULL_NAMES |= {"desc": "description", "descriptor": "description"}
_SEVERAL = ("unknown_units", "after_units", "replaced", "repeated", "unread", "isotopes", "lines")
"""Fields of `Solution` that are lists while its lines are read."""


def as_statement(line: int, text: str) -> Statement:
    """Return a line of a SOLUTION block as a statement."""
    word, rest = (*BLANKS.split(text, maxsplit=1), "")[:2]
    return Statement(line, word, rest.strip(), "SOLUTION", is_keyword=False, start=0, end=0)


@dataclass
class Draft:
    """A solution while its lines are read."""

    stated: dict[str, Any] = field(
        default_factory=lambda: {"description": ""}
    )  # fields of `Solution` with one value
    own: set[str] = field(default_factory=set)  # those of options that it states itself
    totals: dict[str, Total] = field(default_factory=dict)
    unknown_units: list[tuple[str, int]] = field(default_factory=list)
    after_units: list[tuple[str, int]] = field(default_factory=list)
    replaced: list[Total] = field(default_factory=list)
    repeated: list[tuple[str, Number]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    isotopes: list[tuple[str, int]] = field(default_factory=list)
    lines: list[tuple[int, str]] = field(default_factory=list)

    def copy(self) -> Draft:
        """Return a draft that starts from the same defaults."""
        return Draft(
            dict(self.stated),
            unknown_units=list(self.unknown_units),
            after_units=list(self.after_units),
            lines=list(self.lines),
        )

    def set(self, name: str, rest: str, line: int) -> None:
        """Take an option."""
        name = FULL_NAMES.get(name, name)
        word = next(iter(BLANKS.split(rest)), "")
        match name:
            case "temperature" | "water" | "pressure" | "density":
                number = read_number(word, line)
                if number is not None:
                    self.take(name, number)
                if name == "density" and rest[len(word) :].strip()[:1].lower() == "c":
                    self.stated["calculate_density"] = True
            case "units" if word:
                unit = standard_unit(word)
                if unit is None:
                    self.unknown_units.append((rest, line))
                    return
                self.stated["units"] = unit
                if after := rest[len(word) :].strip():
                    self.after_units.append((after, line))
            case "redox" if word:
                self.stated["redox"] = _couple(word)
            case "ph" | "pe":
                read = _read_line(f"{name} {rest}", line)
                if read is not None:
                    key = "pH" if name == "ph" else name
                    self.take(key, read.number)
                    if read.constraint is not None:
                        self.stated[f"{key}_constraint"] = read.constraint
            case "description":
                self.stated["description"] = rest

    def take(self, name: str, number: Number) -> None:
        """Take the number of an option; the later of two counts."""
        if name in self.own:
            self.repeated.append((name, self.stated[name]))
        self.own.add(name)
        self.stated[name] = number

    def add(self, text: str, line: int) -> None:
        """Take a line of concentration."""
        read = _read_line(text, line)
        if read is None:
            return
        if (earlier := self.totals.pop(read.name, None)) is not None:
            self.replaced.append(earlier)
        self.totals[read.name] = read

    def solution(
        self, first: int, last: int, line: int, simulation: int, span: tuple[int, int], spread: bool
    ) -> Solution:
        """Return what was read."""
        several: dict[str, Any] = {name: tuple(getattr(self, name)) for name in _SEVERAL}
        return Solution(
            first=first,
            last=last,
            line=line,
            simulation=simulation,
            start=span[0],
            end=span[1],
            totals=tuple(self.totals.values()),
            spread=spread,
            **self.stated,
            **several,
        )
