"""Quantities that a PHREEQC output prints: how they are written, and what they are printed in.

Names of elements, species, phases and gases are those of PHREEQC, case included.

====================== =========== ======================================================================
``pH``, ``pe``, ...    see below   a line of "Description of solution" or of "Gas phase" (`VALUES`)
``Ca``, ``total Ca``   mol/kgw     element in solution: "Solution composition", else the totals printed in
                                   "Distribution of species", else the sum of the valence states
``total C(4)``         mol/kgw     the same for one valence state
``m(HCO3-)``           mol/kgw     molality of an aqueous or a surface species
``m(CaX2)``            mol         moles of an exchange species (PHREEQC prints no molality for these)
``a(HCO3-)``           1           activity
``lm()``, ``la()``     log10       log molality, log activity; ``lg()`` is another name of ``la()``, and not
                                   the log gamma of PHREEQC's BASIC function LG
``SI(Calcite)``        log10       saturation index log(IAP/K), log fugacity (atm) of a gas; also ``si Calcite``
``moles(Calcite)``     mol         final moles in "Phase assemblage" or "Gas phase"; ``delta(Calcite)`` the change
``p(CO2(g))``          atm         partial pressure in "Gas phase"; ``gas(CO2(g))`` its final moles
``ss(Calcite)``        mol         component of a solid solution; ``x(Calcite)`` its mole fraction
``kin(Calcite)``       mol         total moles of a kinetic reactant; ``dk(Calcite)`` the change, and ``delta(Calcite)``
                                   too where no phase of that name is printed
``pe(O(-2)/O(0))``     1           pe of a redox couple; ``Eh(...)`` the same in V
``R(13C) HCO3-``       1           ratio in "Isotope Ratios", named as printed there
``transfer(Calcite)``  mol         of an inverse model, positive where it dissolves; ``transfer``: all phases
``fraction(1)``        1           of an inverse model: how much of solution 1; ``fraction``: all solutions
``redox(Fe(3))``       mol         of an inverse model: moles of electrons transferred as printed
====================== =========== ======================================================================

`transfer` and `fraction` come with their least and greatest value (``transfer_min``, ``transfer_max``), one row for
each model; PHREEQC cuts names of phases there at 15 characters. ``moles Calcite`` is the same as ``moles(Calcite)``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from labrig_phreeqc.output.printed_tables import VALUES

_BY_NAME = {word.casefold(): name for name, (label, _) in VALUES.items() for word in (label, name)} | {
    "mu": "ionic strength",
    "temp": "temperature",
    "tc": "temperature",
    "ec": "conductance",
    "alk": "alkalinity",
}

KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "m": ("mol/kgw", ("Distribution of species", "Surface composition", "Exchange composition")),
    "a": ("1", ("Distribution of species",)),
    "lm": ("log10(mol/kgw)", ("Distribution of species", "Surface composition")),
    "la": ("log10(activity)", ("Distribution of species",)),
    "SI": ("log10(IAP/K)", ("Saturation indices", "Phase assemblage")),
    "moles": ("mol", ("Phase assemblage", "Gas phase")),
    "delta": ("mol", ("Phase assemblage", "Gas phase")),
    "p": ("atm", ("Gas phase",)),
    "gas": ("mol", ("Gas phase",)),
    "ss": ("mol", ("Solid solutions",)),
    "x": ("1", ("Solid solutions",)),
    "kin": ("mol", ("Kinetics",)),
    "dk": ("mol", ("Kinetics",)),
    "pe": ("", ("Redox couples",)),
    "Eh": ("V", ("Redox couples",)),
    "R": ("1", ("Isotope Ratios",)),
    **{f"transfer{each}": ("mol", ("Phase mole transfers",)) for each in ("", "_min", "_max")},
    **{f"fraction{each}": ("1", ("Solution fractions",)) for each in ("", "_min", "_max")},
    "redox": ("mol", ("Redox mole transfers",)),
}
"""Its unit, and the sections that print it, by kind."""
OF_MODELS = ("transfer", "fraction", "redox")
WITH_RANGE = ("transfer", "fraction")
_OTHER_NAMES = {"lg": "la", "si": "SI"}


class Quantity(NamedTuple):
    """A quantity by kind (``value``, ``total`` or the word before the bracket) and name."""

    kind: str
    name: str

    def __str__(self) -> str:
        if self.kind == "value" or self.kind == "R":
            return self.name
        return f"total {self.name}" if self.kind == "total" else f"{self.kind}({self.name})"


def parse_quantity(text: str) -> Quantity:
    """Read a quantity in this notation; whether an output has it is not asked."""
    words = " ".join(text.split())
    if words.casefold() in _BY_NAME:
        return Quantity("value", _BY_NAME[words.casefold()])
    if words.startswith("R("):
        return Quantity("R", words)
    if match := re.fullmatch(r"([A-Za-z_]+) ?\((.+)\)|(\w+) (.+)", words):
        kind, name = match[1] or match[3], match[2] or match[4]
        kind = _OTHER_NAMES.get(kind, kind)
        if kind in KINDS:
            return Quantity(kind, name.strip())
    if words in OF_MODELS:
        return Quantity(words, "")
    return Quantity("total", words.removeprefix("total "))


def of_models(quantity: Quantity) -> bool:
    """Return whether it is of an inverse model."""
    return quantity.kind.partition("_")[0] in OF_MODELS


def unit_of(quantity: Quantity) -> str:
    """Return the unit in which it is printed."""
    if quantity.kind == "value":
        return VALUES[quantity.name][1]
    return "mol/kgw" if quantity.kind == "total" else KINDS[quantity.kind][0]
