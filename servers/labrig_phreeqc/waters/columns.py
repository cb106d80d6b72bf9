"""What a column of a laboratory's table holds: constituent, unit, the formula a mass is of, or something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.waters.constituents import EQUIVALENTS, Known, millimoles
from labrig_phreeqc.waters.units import Unit

Check = Literal["conductivity", "TDS", "hardness"]
"""What the sum of the constituents is compared with."""
Numeric = Literal["concentration", "error", "pH", "temperature", "pe", "Eh", "density", Check]
Role = Literal[Numeric, "sample", "group", "text", "left out"]
"""``error`` is a standard deviation of a concentration; ``left out`` means something, and cannot be used."""
CHECKS: tuple[Role, ...] = get_args(Check)
NUMERIC: tuple[Role, ...] = get_args(Numeric)


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes
    ----------
    index
        Its place, from 0.
    header
        As the table has it.
    role
        What it holds.
    known, unit, formula
        Of a concentration (and of its error): the constituent, the unit, and of what a mass is a mass; empty for
        other units than of mass.
    factor
        What a value is multiplied with: to mmol (meq of alkalinity) per `unit.basis`, V, kg/L, uS/cm, mg/L.
    offset
        What is added after that, for temperatures.
    place
        ``field``, ``lab`` or empty.
    fraction
        ``dissolved`` (filtered), ``total`` or empty.
    element
        As the database calls it.
    why
        Why it is left out.
    unknown
        It has a unit of concentration and its name is not understood; `known` is then only a guess.
    assumed
        Of a temperature: its unit is not said, and is taken for degC where its values can be that.
    """

    index: int
    header: str
    role: Role = "text"
    known: Known | None = None
    unit: Unit | None = None
    formula: str = ""
    factor: float = 1.0
    offset: float = 0.0
    place: str = ""
    fraction: str = ""
    element: str = ""
    why: str = ""
    unknown: bool = False
    assumed: bool = False

    def left_out(self, why: str, known: Known | None = None, *, unknown: bool = False) -> Column:
        """Return it as one that cannot be used."""
        return replace(self, role="left out", why=why, known=known or self.known, unknown=unknown)

    @property
    def said(self) -> str:
        """The unit with its formula: ``mg/L as HCO3``."""
        if self.unit is None:
            return ""
        return f"{self.unit.text} as {self.formula}" if self.formula else self.unit.text


@dataclass(frozen=True)
class Stated:
    """What the caller says about columns that do not say it themselves.

    Attributes
    ----------
    unit
        Unit of concentrations whose heading has none: ``mg/L``.
    alkalinity_as
        Formula of an alkalinity in mass units whose heading has none: ``CaCO3``.
    units
        The same for single columns, by heading: ``{"Temp": "degC", "Alk": "mg/L as CaCO3"}``.
    """

    unit: str = ""
    alkalinity_as: str = ""
    units: Mapping[str, str] | None = None


def conversion(column: Column, unit: Unit, formula: str, catalogue: Catalogue) -> float | None:
    """Return mmol (meq of alkalinity) in one unit of a column's constituent, taken as a mass of `formula`."""
    known = column.known
    if known is None:
        return None
    match unit.kind:
        case "mass":
            weights = {each.name: each.atomic_weight for each in catalogue.elements if each.atomic_weight}
            per_mg = millimoles(known, formula, weights)
            return None if per_mg is None else unit.scale * per_mg
        case "charge":
            if known.element == "Alkalinity":
                return unit.scale
            return unit.scale / abs(known.ionic) if known.ionic else None
        case "amount":
            if known.element != "Alkalinity":
                return unit.scale
            return unit.scale * EQUIVALENTS.get(formula or known.formula or "HCO3", 1)
