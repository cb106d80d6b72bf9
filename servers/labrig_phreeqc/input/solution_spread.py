"""Rows of SOLUTION_SPREAD: options are defaults for the rows after them, cells are separated by tabs.

Sources: Parkhurst and Appelo (2013), USGS TM 6-A43, SOLUTION_SPREAD; ``read_solution_spread`` of release 3.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from labrig_phreeqc.input.solution import Solution
from labrig_phreeqc.input.solution_lines import (
    BLANKS,
    FULL_NAMES,
    OPTIONS,
    Draft,
    as_statement,
    numbers_and_description,
    read_number,
    starts_number,
)
from labrig_phreeqc.input.statements import Statement, option


class Spread:
    """A SOLUTION_SPREAD block: options are defaults for the rows after them, cells are separated by tabs."""

    def __init__(self, text: str, simulation: int) -> None:
        self.text, self.simulation = text, simulation
        self.defaults = Draft()
        self.heading: list[str] | None = None
        self.units: list[str] | None = None
        self.rows = 0

    def take(self, statement: Statement) -> Solution | None:
        """Take an option, the heading, the row of units, or a row of numbers, which is a solution.

        One that says no number of its own has a negative one.
        """
        name = option(statement, OPTIONS["SOLUTION_SPREAD"])
        hyphen = bool(re.match(r"-[A-Za-z]", statement.first, re.ASCII))
        cells = _cells(self.raw(statement))
        if name and not hyphen and self.heading is None and not _is_option(name, statement, cells):
            name = ""  # the heading, if its first column is called pH or temp
        if name or hyphen:
            self.option(name, statement)
        elif self.heading is None:
            self.heading = [cell.replace(" ", "").replace(",", "_") for cell in cells]
        elif self.rows == 0 and self.units is None and not any(starts_number(cell) for cell in cells):
            self.units = cells
        else:
            self.rows += 1
            return self.row(statement, self.heading, cells)
        return None

    def raw(self, statement: Statement) -> str:
        """Return the statement with its tabs."""
        line = self.text[statement.start : statement.end]
        return re.sub(r"\\[ \t\v\f\r]*\n", "", line).partition("#")[0].rstrip("\r\n;")

    def option(self, name: str, statement: Statement) -> None:
        if not name or name == "isotope" or "uncertaint" in name:
            return
        rest = statement.rest
        if name in ("ph", "pe"):  # a default has no constraint; PHREEQC warns
            rest = BLANKS.split(rest)[0]
        self.defaults.set(name, rest, statement.line)
        self.defaults.lines.append((statement.line, f"-{name} {rest}"))

    def row(self, statement: Statement, heading: Sequence[str], cells: Sequence[str]) -> Solution | None:
        draft = self.defaults.copy()
        first = last = -1
        columns = [name.lower() for name in heading]
        if "number" in columns and columns.index("number") < len(cells):
            number = cells[columns.index("number")]
            if number and not starts_number(number):
                return None  # an error of PHREEQC's
            if number:
                first, last, draft.stated["description"] = numbers_and_description(number)
        for text in _row_lines(heading, cells, self.units or ()):
            draft.lines.append((statement.line, text))
            cell = as_statement(statement.line, text)
            name, word = option(cell, OPTIONS["row"]), cell.first
            if name:
                draft.set(name, cell.rest, statement.line)
                if FULL_NAMES.get(name, name) == "description":
                    draft.lines.pop()
            elif starts_number(word):
                continue
            elif word[:1].isascii() and word[:1].islower():
                draft.unread.append(word)
                draft.lines.pop()
            else:
                draft.add(text, statement.line)
        span = (statement.start, statement.end)
        return draft.solution(first, last, statement.line, self.simulation, span, spread=True)


def _row_lines(heading: Sequence[str], cells: Sequence[str], units: Sequence[str]) -> Iterable[str]:
    """Return what PHREEQC makes of a row: a line for each cell, with its heading and its unit."""
    for number, name in enumerate(heading):
        if not name or number >= len(cells) or not cells[number]:
            continue
        if name.lower() in ("number", "uncertainty", "uncertainties", "isotope_uncertainty"):
            continue
        unit = units[number] if number < len(units) else ""
        yield f"{name} {cells[number]} {unit}".strip()


def _cells(row: str) -> list[str]:
    """Split a row at its tabs."""
    cells = [cell.lstrip(" ") for cell in row.split("\t")]
    return cells if cells[-1] else cells[:-1]


def _is_option(name: str, statement: Statement, cells: Sequence[str]) -> bool:
    """Return whether a first line that starts with the name of an option, without hyphen, sets a default.

    PHREEQC decides by how many words follow and whether the second is a number, since it may be the heading.
    """
    words = [word for word in BLANKS.split(statement.text) if word]
    number = read_number(words[1], 0) if len(words) > 1 and starts_number(words[1]) else None
    numeric = number is not None and not number.unread
    match FULL_NAMES.get(name, name):
        case "temperature" | "water":
            return len(words) in (2, 3) and numeric
        case "density":
            return len(words) == 2 or (len(words) == 3 and (numeric or words[1][:1].lower() == "c"))
        case "ph" | "pe":
            return len(words) in (2, 3, 4) and numeric
        case "redox" | "units":
            return len(words) == 2
        case "isotope":
            return len(cells) <= 4
        case "isotope_uncertainty" | "uncertainty" | "uncertainties":
            return len(cells) <= 3
    return True
