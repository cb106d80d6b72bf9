"""The subjects of hard repositories: what a campaign measures, at what kind of place, under which factors.

`worlds.toml` holds one table a subject, with the sources of units and ranges at its head:

- ``quantities``: ``column | name | unit | low | high | decimals``, values as a field's textbook has them
- ``ways``: pairs of ways to measure or fractions, ``suffix | words ; suffix | words``; each names a quantity anew
- ``factor``, ``block``: attributes of a place; ``category``: of a row; each ``column | words | level | level ..``
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: a value in it times `factor` plus `zero` is the value in the base unit of its family."""

    name: str
    factor: Fraction
    zero: Fraction


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that is measured, its usual range in its base unit, and how many decimals it is written with."""

    column: str
    name: str
    unit: str
    low: Fraction
    high: Fraction
    decimals: int


@dataclass(frozen=True, slots=True)
class Category:
    """A column of words."""

    column: str
    about: str
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class World:
    """A subject."""

    field: str
    subdomain: str
    title: str
    place: str
    places: str
    factor: Category
    block: Category
    category: Category
    quantities: tuple[Quantity, ...]
    ways: tuple[tuple[tuple[str, str], tuple[str, str]], ...]


@functools.cache
def worlds() -> tuple[World, ...]:
    """Return every subject."""
    return tuple(_world(each) for each in _data()["world"])


@functools.cache
def units(base: str) -> tuple[Unit, ...]:
    """Return the units in which a quantity of a base unit may be written, that one first."""
    found = [Unit(base, Fraction(1), Fraction(0))]
    for each in _data()["units"].get(base, ()):
        name, factor, zero = (part.strip() for part in each.split("|"))
        found.append(Unit(name, Fraction(factor), Fraction(zero)))
    return tuple(found)


@functools.cache
def _data() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "worlds.toml").read_text("utf-8"))


def _world(table: dict[str, Any]) -> World:
    return World(
        field=table["field"],
        subdomain=table["subdomain"],
        title=table["title"],
        place=table["place"],
        places=table["places"],
        factor=_category(table["factor"]),
        block=_category(table["block"]),
        category=_category(table["category"]),
        quantities=tuple(map(_quantity, table["quantities"].strip().splitlines())),
        ways=tuple(_way(each) for each in table["ways"].strip().splitlines()),
    )


def _quantity(line: str) -> Quantity:
    column, name, unit, low, high, decimals = _split(line)
    return Quantity(column, name, unit, Fraction(low), Fraction(high), int(decimals))


def _way(line: str) -> tuple[tuple[str, str], tuple[str, str]]:
    one, other = (_split(each) for each in line.split(";"))
    return (one[0], one[1]), (other[0], other[1])


def _category(line: str) -> Category:
    column, about, *levels = _split(line)
    return Category(column, about, tuple(levels))


def _split(line: str) -> list[str]:
    return [part.strip() for part in line.split("|")]
