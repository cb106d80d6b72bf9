"""The eight domains: the variable of their fields, and the words of their questions."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Domain:
    """A domain; the head of ``domains.toml`` explains the fields."""

    name: str
    variable: str
    long_name: str
    unit: str
    scale: str
    middle: float
    width: float
    places: tuple[str, ...]
    context: str
    people: str


@lru_cache(maxsize=1)
def domains() -> tuple[Domain, ...]:
    """Return the domains in the order of the paper."""
    text = files(__package__).joinpath("domains.toml").read_text("utf-8")
    tables: dict[str, dict[str, Any]] = tomllib.loads(text)
    return tuple(
        Domain(name=name, **(fields | {"places": tuple(fields["places"])})) for name, fields in tables.items()
    )
