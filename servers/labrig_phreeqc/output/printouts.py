"""What a PHREEQC output prints for one calculation: its tables, read when a quantity is asked for.

Source: the print functions of PHREEQC 3 (print.cpp), of which the formats are the inverse.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from labrig_phreeqc.output.outline import State
from labrig_phreeqc.output.printed_tables import READERS, VALUES, Tables, Value
from labrig_phreeqc.output.quantities import KINDS, Quantity
from labrig_phreeqc.output.toc import heading

_GAS_VALUES = ("gas pressure", "gas volume")


class Found(NamedTuple):
    """What a row has for a quantity. A name that is listed is known, though it may have no number."""

    value: Value
    unit: str = ""
    known: bool = False
    remark: str = ""


@dataclass
class Printout:
    """The tables printed for one calculation: line ranges by section (0-based, end excluded), read on demand."""

    lines: Sequence[str]
    state: State
    label: str
    spans: dict[str, tuple[int, int]]
    read_: dict[str, Tables] = field(default_factory=dict)

    def read(self, section: str) -> Tables | None:
        """Return the tables of a section by kind; None if it is not printed."""
        if section not in self.spans:
            return None
        if section not in self.read_:
            first, last = self.spans[section]
            self.read_[section] = READERS[section](
                [line.removesuffix("\r") for line in self.lines[first:last]]
            )
        return self.read_[section]

    @property
    def is_model(self) -> bool:
        """Whether it is an inverse model."""
        return self.state.stage.startswith("inverse")

    def names(self) -> Iterator[tuple[str, str]]:
        for section in self.spans:
            for kind, table in (self.read(section) or {}).items():
                yield from ((kind, name) for name in table)

    def find(self, quantity: Quantity) -> Found:
        kind, name = quantity
        if kind == "total":
            return self._total(name)
        if kind == "value":
            return self._value(name)
        unit, sections = KINDS[kind]
        for section in sections:
            if (tables := self.read(section)) and name in tables.get(kind, ()):
                in_moles = kind == "m" and section == "Exchange composition"
                return Found(tables[kind][name], "mol" if in_moles else unit, True)
        if kind == "delta" and (change := self.find(Quantity("dk", name))).known:
            return change
        return Found(self._missing(sections))

    def _missing(self, sections: Sequence[str]) -> str:
        if any(section in self.spans for section in sections):
            return "not listed in this state"
        if "Gas phase" in sections:
            first, last = self.state.first - 1, self.state.last
            if any(_DISSOLVED.fullmatch(line.rstrip()) for line in self.lines[first:last]):
                return "the gas phase dissolved completely"
        return f"{' or '.join(sections)} not printed in this state"

    def _value(self, name: str) -> Found:
        section = "Gas phase" if name in _GAS_VALUES else "Description of solution"
        tables = self.read(section)
        if tables and name in tables["value"]:
            return Found(tables["value"][name], VALUES[name][1], True)
        if (
            name == "alkalinity"
            and (given := self.read("Solution composition"))
            and "Alkalinity" in given["total"]
        ):
            return Found(given["total"]["Alkalinity"], VALUES[name][1], True)
        if name == "pressure" and tables:
            return Found("not printed; PHREEQC prints the pressure only if it is not 1 atm")
        return Found(self._missing((section,)))

    def _total(self, name: str) -> Found:
        both = ("Solution composition", "Distribution of species")
        printed = [tables["total"] for section in both if (tables := self.read(section))]
        unit = "eq/kgw" if name == "Alkalinity" else "mol/kgw"
        for table in printed:
            if name in table:
                return Found(table[name], unit, True)
        if "(" not in name and name not in ("H", "O"):  # of these, most is in water and in no table
            for table in reversed(printed):  # the species list all valence states
                parts = {part: value for part, value in table.items() if part.startswith(name + "(")}
                numbers = [value for value in parts.values() if isinstance(value, float)]
                if parts and len(numbers) == len(parts):
                    remark = "sum of the valence states printed: " + " + ".join(parts)
                    return Found(math.fsum(numbers), unit, True, remark)
        return Found(self._missing(both))


_DISSOLVED = re.compile(r"-{3,}Fixed-pressure gas phase -?\d+ dissolved completely-{3,}")
_KINETICS = re.compile(r"Kinetics (?:-?\d+)?\.(?:\s.*)?")
_UNHEADED = {"initial exchange": "Exchange composition", "initial surface": "Surface composition"}


def printouts(lines: Sequence[str], state: State) -> list[Printout]:
    """Return the rows of a state: usually one, none without tables, several if nothing was printed between."""
    spans: list[dict[str, tuple[int, int]]] = [{}]
    head = state.sections[0].first - 1 if state.sections else state.last
    for number in range(state.first - 1, min(head, len(lines))):
        if lines[number].startswith("Kinetics") and _KINETICS.fullmatch(lines[number].rstrip("\r")):
            spans[0]["Kinetics"] = (number + 1, head)
            break
    for stage, name in _UNHEADED.items():
        if state.stage.startswith(stage) and not state.sections:
            spans[0][name] = (state.first - 1, state.last)
    for section in state.sections:
        if section.name not in READERS:
            continue
        starts = [section.first - 1]
        if section.count > 1:
            starts = [n for n in range(section.first - 1, section.last) if heading(lines[n]) == section.name]
        for start, end in zip(starts, [*starts[1:], section.last], strict=True):
            if section.name in spans[-1]:
                spans.append({})
            spans[-1][section.name] = (start, end)
    if len(spans) == 1:
        return [Printout(lines, state, state.label, spans[0])] if spans[0] else []
    return [Printout(lines, state, f"{state.label} #{n}", each) for n, each in enumerate(spans, 1)]


def names_of(rows: Iterable[Printout]) -> dict[str, list[str]]:
    """Return the names of the quantities that calculations print, by kind."""
    names: dict[str, dict[str, None]] = {}
    for row in rows:
        for kind, name in row.names():
            names.setdefault(kind, {})[name] = None
    return {kind: list(found) for kind, found in names.items()}
