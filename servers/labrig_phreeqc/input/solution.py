"""What an input states of a solution; None and empty is what it does not state.

Which default then counts is the business of `labrig_phreeqc.checks.input_notices`. Numbers keep the text they were
read from, since PHREEQC takes what it can from a word and drops the rest: ``1,5`` is 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """A number as PHREEQC reads it.

    Attributes
    ----------
    value
        What ``sscanf`` makes of the text; may be nan or infinite.
    text
        The word in the input.
    unread
        The end of the word, which PHREEQC drops without a sign.
    line
        Line of the input, from 1.
    """

    value: float
    text: str
    unread: str
    line: int


@dataclass(frozen=True)
class Constraint:
    """What sets a value that the line only estimates.

    Attributes
    ----------
    phase
        Name of a phase to be in equilibrium with; empty for charge balance.
    si
        Its saturation index, or log partial pressure in atm; None where the line states none (PHREEQC: 0).
    """

    phase: str
    si: float | None = None

    @property
    def is_charge(self) -> bool:
        """Whether the value is adjusted until the solution is neutral."""
        return not self.phase


@dataclass(frozen=True)
class Total:
    """A concentration: an element, one of its valence states, several of them, or Alkalinity.

    Attributes
    ----------
    name
        As PHREEQC writes it: ``Ca``, ``Fe(2)`` (``Fe(+2)`` in the input), ``N(5) N(3)``, ``Alkalinity``.
    number
        The concentration in `unit`.
    unit
        Its own unit in `solution_lines.standard_unit`'s form, None where the solution's counts.
    as_, gfw
        What a mass is counted as: the formula after ``as``, or the g/mol after ``gfw``.
    redox
        The couple that distributes it over its valence states, ``pe``, or empty where the solution's counts.
    constraint
        What adjusts the concentration, or None.
    """

    name: str
    number: Number
    unit: str | None = None
    as_: str = ""
    gfw: float | None = None
    redox: str = ""
    constraint: Constraint | None = None

    @property
    def line(self) -> int:
        """Line of the input, from 1."""
        return self.number.line

    @property
    def element(self) -> str:
        """The element without its valence."""
        return self.name.partition("(")[0]


@dataclass(frozen=True)
class Solution:
    """An aqueous solution as the input states it.

    Attributes
    ----------
    first, last
        The numbers it is defined for. A row of SOLUTION_SPREAD without a number gets the one that PHREEQC gives it as
        far as SOLUTION and SAVE tell (COPY and TRANSPORT also take numbers).
    description, line
        Words after the number; line of the keyword or the row.
    simulation
        In which it is computed, from 1.
    start, end
        Place of the block or row in the text, as a slice.
    temperature, pressure, density, water
        degC, atm, kg/L, kg.
    pH, pe
        Dimensionless; the estimate where a constraint sets it.
    pH_constraint, pe_constraint
        What sets pH or pe.
    calculate_density
        Whether PHREEQC iterates the density.
    units
        Unit of concentrations without their own, in `solution_lines.standard_unit`'s form.
    unknown_units
        What stands after ``units`` and is none of PHREEQC's, so that the line has no effect.
    after_units
        What stands after a unit and is dropped, such as ``as CaCO3``, with its line.
    redox
        The couple for elements without their own, or ``pe``.
    totals
        The concentrations that count, in the order of the input.
    replaced
        Concentrations that a later line with the same name replaces.
    repeated
        The same for temperature, pressure, density, water, pH and pe: name and the number that does not count.
    unread
        Columns of a SOLUTION_SPREAD that PHREEQC passes over since they start with a small letter.
    isotopes
        Isotopes of inverse models (``-isotope 13C -12``), not in a row of SOLUTION_SPREAD, each with its line.
    lines
        The same as lines of a SOLUTION block, each with its line in the input; the keyword is left out.
    spread
        Whether it is a row of SOLUTION_SPREAD.
    """

    first: int
    last: int
    description: str
    line: int
    simulation: int
    start: int
    end: int
    temperature: Number | None = None
    pressure: Number | None = None
    density: Number | None = None
    water: Number | None = None
    pH: Number | None = None
    pe: Number | None = None
    pH_constraint: Constraint | None = None
    pe_constraint: Constraint | None = None
    calculate_density: bool = False
    units: str | None = None
    unknown_units: tuple[tuple[str, int], ...] = ()
    after_units: tuple[tuple[str, int], ...] = ()
    redox: str = ""
    totals: tuple[Total, ...] = ()
    replaced: tuple[Total, ...] = ()
    repeated: tuple[tuple[str, Number], ...] = ()
    unread: tuple[str, ...] = ()
    isotopes: tuple[tuple[str, int], ...] = ()
    lines: tuple[tuple[int, str], ...] = ()
    spread: bool = False

    @property
    def name(self) -> str:
        """``SOLUTION 3``, or ``SOLUTION 3-5``."""
        return f"SOLUTION {self.first}" + (f"-{self.last}" if self.last > self.first else "")

    @property
    def numbers(self) -> Iterator[Number]:
        """Every number it states."""
        for number in (self.temperature, self.pressure, self.density, self.water, self.pH, self.pe):
            if number is not None:
                yield number
        for total in self.totals:
            yield total.number
