"""Quantities that many stems ask for: a total, the molality of a species, a saturation index, pH, alkalinity.

What a stem asks for beside these is a `Quantity` where the stem stands.
"""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.scenario import Printed, Quantity

FACTORS = {"mol": "", "mmol": "1e3", "meq": "1e3", "µmol": "1e6", "nmol": "1e9"}
"""From PHREEQC's mol."""
COMPOSITION, DISTRIBUTION = "Solution composition", "Distribution of species"


def per_water(
    name: str,
    ask: str,
    basic: str,
    section: str,
    row: str,
    group: str = "",
    *,
    unit: str = "mmol",
    column: int = 0,
) -> Quantity:
    """Return an amount per kg of water, whose unit says the factor."""
    factor = FACTORS[unit]
    punch = f"{basic}*{factor}" if factor else basic
    return Quantity(
        name,
        ask,
        f"{unit}/kg water",
        "value",
        punch,
        Printed(section, row, column, float(factor or 1)),
        group,
    )


def total(
    noun: str,
    element: str,
    group: str = "",
    *,
    name: str = "",
    ask: str = "",
    unit: str = "mmol",
    row: str = "",
) -> Quantity:
    """Return the total concentration of an element, or of one valence of it: the main output prints these elsewhere.

    `row` is what the composition prints where there is but one valence: S for S(6).
    """
    return per_water(
        name or noun.replace(" ", "-"),
        ask or f"What is the total concentration of dissolved {noun}?",
        f'TOT("{element}")',
        DISTRIBUTION if "(" in element and not row else COMPOSITION,
        row or element,
        group,
        unit=unit,
    )


def molality(
    name: str, species: str, group: str = "", *, noun: str = "the free ion", ask: str = "", unit: str = "mmol"
) -> Quantity:
    """Return the molality of a species: `noun` says what it is."""
    asked = ask or f"What is the molality of {noun} {species}?"
    return per_water(name, asked, f'MOL("{species}")', DISTRIBUTION, species, group, unit=unit)


def adsorbed(name: str, noun: str, species: str, group: str = "", *, unit: str) -> Quantity:
    """Return the amount of a species on a surface."""
    return per_water(
        name,
        f"What is the amount of {noun}?",
        f'MOL("{species}")',
        "Surface composition",
        species,
        group,
        unit=unit,
        column=2,
    )


def alkalinity(group: str = "", *, unit: str = "meq", said: str = "") -> Quantity:
    """Return the alkalinity."""
    return Quantity(
        "alkalinity",
        f"What is the alkalinity of the water{said}?",
        f"{unit}/kg water",
        "value",
        "ALK*1e3",
        Printed("Description of solution", "Total alkalinity (eq/kg) =", scale=1e3),
        group,
    )


def index(
    phase: str, group: str = "", *, noun: str = "", of: str = "water", name: str = "", ask: str = ""
) -> Quantity:
    """Return the saturation index of a phase in a liquid."""
    asked = ask or f"What is the saturation index of {noun or phase.lower()}{of and f' in the {of}'}?"
    return Quantity(
        name or f"si-{phase.lower()}",
        asked,
        "",
        "si",
        f'SI("{phase}")',
        Printed("Saturation indices", phase),
        group,
    )


def solid(phase: str, where: str, *, unit: str = "mmol") -> Quantity:
    """Return the amount of a mineral that is in equilibrium with the water."""
    factor, name = FACTORS[unit], phase.lower()
    punch = f'EQUI("{phase}")*{factor}' if factor else f'EQUI("{phase}")'
    printed = Printed("Phase assemblage", phase, 4, float(factor or 1))
    return Quantity(name, f"What is the amount of {name} {where}?", unit, "value", punch, printed)


def acidity(proton: str = "H+") -> Quantity:
    """Return the pH, with the name that a database gives the proton."""
    printed = Printed("Description of solution", "pH")
    return Quantity("ph", "What is the pH of the water?", "", "ph", f'-LA("{proton}")', printed)


PH = acidity()
CALCIUM = total("calcium", "Ca", "calcium")
FREE_CALCIUM = molality("free-calcium", "Ca+2", "calcium")
