"""Isotopes that are entered in delta notation: what a block ISOTOPES gives in permil may be negative."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from labrig_phreeqc.input.statements import statements


def in_permil(database: Path, text: str = "") -> frozenset[str]:
    """Return the names of isotopes whose unit is permil, in a database and in an input.

    Notes
    -----
    ``-isotope [13C] permil 0.0111802``: name, unit, and the ratio of the standard (TM 6-A43, ISOTOPES). A value is then
    the difference from the standard, (R/R_standard - 1) 1000, and is as often negative as not.
    """
    return _of_file(database, database.stat().st_mtime_ns) | (
        _of_text(text) if "permil" in text else frozenset()
    )


@lru_cache(maxsize=32)
def _of_file(database: Path, _mtime_ns: int) -> frozenset[str]:
    return _of_text(database.read_text(encoding="utf-8", errors="replace"))


def _of_text(text: str) -> frozenset[str]:
    found = set()
    for statement in statements(text):
        words = statement.rest.split()
        if statement.block == "ISOTOPES" and statement.first.startswith("-i") and words[1:2] == ["permil"]:
            found.add(words[0])
    return frozenset(found)
