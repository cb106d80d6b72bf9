"""The 97 properties that are asked of every published paper, and the number codes that some of them have."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from labrig_suites.supercon_extraction.grading.names import key
from labrig_suites.supercon_extraction.rows import Rule

SYMMETRIES = ("cubic", "tetragonal", "orthorhombic", "monoclinic", "triclinic", "trigonal", "hexagonal")
SHAPES = ("single phase (bulk)", "multi phase (bulk)", "single crystal (bulk)", "film", "film (single)")
CODES: Mapping[str, tuple[str, ...]] = {"shape": SHAPES, "crystal structure, symmetry": SYMMETRIES}
"""What SuperCon's codes 1, 2, .. of a property stand for."""


@dataclass(frozen=True)
class Property:
    """A property of appendix F.

    Attributes
    ----------
    also
        Its spelling in the columns or the prompt, where that differs.
    si
        The unit that its values are compared in; empty where it has none.
    """

    category: str
    name: str
    also: str
    rule: Rule
    si: str


@cache
def properties() -> tuple[Property, ...]:
    """Return all 97, by category, the commonest of each first."""
    table = files(__package__).joinpath("properties.csv").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Property, ...]).validate_python(list(csv.DictReader(table.splitlines())))


@cache
def _by_key() -> Mapping[str, Property]:
    return {key(name): each for each in properties() for name in (each.name, each.also) if name}


def find(name: str) -> Property | None:
    """Return the property of a name in any of its spellings."""
    return _by_key().get(key(name))


def decoded(name: str, value: str) -> str:
    """Return the words of a value that is a number code of its property; any other value as it is."""
    found = find(name)
    words = CODES.get(found.name, ()) if found is not None else ()
    code = value.removesuffix(".0")
    return words[int(code) - 1] if code.isdecimal() and 1 <= int(code) <= len(words) else value
