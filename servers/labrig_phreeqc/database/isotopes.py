"""Isotopes that are entered as ratios: the unit of each and the element whose total it is a part of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from labrig_phreeqc.input.statements import statements

DATABASE = "iso.dat"
"""The official database with a block ISOTOPES."""

PERMIL = "permil"

NO_NEUTRONS = -1000.0
"""permil. A delta value of -1000 means that the isotope is absent; PHREEQC counts it only above."""

_OF_WATER = ("H", "O")


@dataclass(frozen=True)
class Isotope:
    """A line of ISOTOPES (TM 6-A43): ``-isotope [13C] permil 0.0111802`` under ``C``.

    Attributes
    ----------
    name
        As in a solution: ``[13C]``, ``[13C](4)``, ``D``.
    unit
        ``permil``, ``pmc``, ``TU`` ... A number in permil is the difference from the standard,
        (R/R_standard - 1) 1000, and is as often negative as not; in any other unit it is a ratio.
    element
        Such as ``C``.
    """

    name: str
    unit: str
    element: str

    @property
    def total(self) -> str:
        """The total that a solution must state beside it: ``C`` for ``[13C]``, ``C(4)`` for ``[13C](4)``.

        Without exactly this total PHREEQC drops the isotope in silence (tried with phreeqcrm 0.0.20). Empty for the
        isotopes of water, whose H and O are always there.
        """
        valence = self.name[self.name.index("(") :] if "(" in self.name else ""
        return "" if self.element in _OF_WATER and not valence else f"{self.element}{valence}"


def isotopes(database: Path, text: str = "") -> Mapping[str, Isotope]:
    """Return the isotopes that a database and an input define in blocks ISOTOPES, by name."""
    found = _of_file(database, database.stat().st_mtime_ns)
    return found | _of_text(text) if "isotopes" in text.lower() else found


@lru_cache(maxsize=32)
def _of_file(database: Path, _mtime_ns: int) -> dict[str, Isotope]:
    return _of_text(database.read_text(encoding="utf-8", errors="replace"))


def _of_text(text: str) -> dict[str, Isotope]:
    found: dict[str, Isotope] = {}
    element = ""
    for statement in statements(text):
        if statement.block != "ISOTOPES" or statement.is_keyword:
            continue
        words = statement.rest.split()
        if not statement.first.startswith("-"):
            element = statement.first.partition("(")[0]
        elif statement.first.startswith("-i") and len(words) > 1:
            found[words[0]] = Isotope(words[0], words[1].lower(), element)
    return found
