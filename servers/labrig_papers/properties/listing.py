"""The closed list of property names, and the names of quantities, from ``properties.toml``."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from labrig_papers.values.text import fold, without_latex

Rule = Literal["numeric", "categorical", "formula", "space_group"]


@dataclass(frozen=True)
class Property:
    """A name of the closed list.

    Attributes
    ----------
    name, category
        As the paper prints them.
    quantity
        What it is of: ``upper_critical_field``.
    dimension
        Named dimension of `values.units`; ``"1"`` for a bare number, empty where the value is no number.
    rule
        How two values are compared.
    facets
        Conditions that the name fixes, as in `facets.facets_of`.
    """

    name: str
    category: str
    quantity: str
    dimension: str
    rule: Rule
    facets: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    text = files("labrig_papers.properties").joinpath("properties.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@lru_cache(maxsize=1)
def properties() -> tuple[Property, ...]:
    """Return the 97 names in the order of the paper."""
    return tuple(
        Property(
            entry["name"],
            entry["category"],
            entry["quantity"],
            entry["dimension"],
            entry["rule"],
            entry.get("facets", {}),
            tuple(entry.get("also", ())),
        )
        for entry in _table()["property"]
    )


@lru_cache(maxsize=1)
def aliases() -> dict[str, str]:
    """Return the quantity of each name by its key; of others than the list too, which begin with ``!``."""
    found: dict[str, str] = {}
    for quantity, names in _table()["quantities"].items():
        for name in names:
            found[key(name)] = quantity
    for quantity, names in _table()["others"].items():
        for name in names:
            found.setdefault(key(name), "!" + quantity)
    return found


@lru_cache(maxsize=4096)
def key(name: str) -> str:
    """Return a name without case, accents and script marks, its words parted by one space."""
    text = fold(
        without_latex(re.sub(r"\\(Delta|xi|lambda|gamma|rho|theta|Theta|chi|kappa|alpha)\b", _greek, name))
    )
    text = re.sub(r"\\[a-zA-Z]+", " ", text)
    text = re.sub(r"[_^{}$*]", "", text)
    text = (
        text.replace("₀", "0")
        .replace("₁", "1")
        .replace("₂", "2")
        .replace("μ0", "")
        .replace("∆", "Δ")
        .replace("ϑ", "θ")
    )
    text = "".join(
        each for each in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(each)
    )
    text = re.sub(r"\bk b\b|kb(?=t)", "k", text)
    text = re.sub(r"\btemp\b\.?", "temperature", re.sub(r"\bcoeff\b\.?", "coefficient", text))
    return re.sub(r"[\s\-]+", " ", re.sub(r"\bt c\b", "tc", text)).strip()


def _greek(match: re.Match[str]) -> str:
    letters = {
        "Delta": "Δ",
        "xi": "ξ",
        "lambda": "λ",
        "gamma": "γ",
        "rho": "ρ",
        "theta": "θ",
        "Theta": "Θ",
        "chi": "χ",
    }
    return {**letters, "kappa": "κ", "alpha": "α"}[match[1]]
