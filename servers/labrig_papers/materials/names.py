"""Names that stand for a formula, from ``names.toml``."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from labrig_papers.materials.elements import NAMES


@dataclass(frozen=True)
class Named:
    """What a name stands for: a formula (with variables), or several compounds."""

    name: str
    formula: str = ""
    oxygen: tuple[float, float] | None = None
    ambiguous: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def names() -> dict[str, Named]:
    """Return what each name stands for, by its key."""
    found: dict[str, Named] = {}
    for entry in _table()["name"]:
        oxygen = tuple(entry["oxygen"]) if "oxygen" in entry else None
        for written in entry["names"]:
            for symbol in entry.get("A", [""]):
                name = written.replace("{A}", symbol)
                formula = entry.get("formula", "").replace("{A}", symbol)
                found[key(name)] = Named(name, formula, oxygen, tuple(entry.get("ambiguous", ())))
    for word, symbol in NAMES.items():
        found[key(word)] = found[word.capitalize()] = Named(word, symbol)
    return found


@lru_cache(maxsize=1)
def molecules() -> dict[str, str]:
    """Return the formulas of molecules that stand in formulas by name, longest name first."""
    table: dict[str, str] = _table()["molecules"]
    return {name: table[name] for name in sorted(table, key=len, reverse=True)}


def key(name: str) -> str:
    """Return a name without what differs from paper to paper: spaces, hyphens, brackets; words lose their case."""
    plain = re.sub(r"[\s\-()_{}\[\],]", "", name)
    return plain.casefold() if name.islower() or len(plain) > 12 else plain


def _table() -> dict[str, Any]:
    text = files("labrig_papers.materials").joinpath("names.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
