"""Other names of what databases define: an element or ion by its word, a mineral by the name of another database."""

from __future__ import annotations

from labrig_phreeqc.waters.constituents import find_constituent
from labrig_phreeqc.waters.survey import OF_INTEREST

ELEMENTS = {
    "hydrogen": "H",
    "carbon": "C",
    "nitrogen": "N",
    "oxygen": "O",
    "fluorine": "F",
    "sulfur": "S",
    "sulphur": "S",
    "chlorine": "Cl",
    "bromine": "Br",
    "iodine": "I",
    "titanium": "Ti",
    "tin": "Sn",
    "thorium": "Th",
    "radium": "Ra",
    "neptunium": "Np",
    "plutonium": "Pu",
    "americium": "Am",
    "technetium": "Tc",
}
"""Elements that no laboratory's table has under their own word."""


def other_names(word: str) -> list[str]:
    """Return what PHREEQC's databases may call it: ``Ca`` for calcium, ``Celestite`` for celestine."""
    wanted = word.strip().casefold()
    names = [name for group in OF_INTEREST if wanted in map(str.casefold, group) for name in group]
    found = find_constituent(word.strip())
    element = found[0].element if found else ELEMENTS.get(wanted)
    return [*(each for each in names if each.casefold() != wanted), *([element] if element else [])]
