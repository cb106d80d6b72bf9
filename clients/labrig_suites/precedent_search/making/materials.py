"""Formulas of made materials: drawn before it is known what becomes of them, so that none tells its class.

A formula has a metal, a transition metal and an element of the right of the table, in amounts that no compound of note
has. Each material has a neighbour of the same elements in other amounts, about which papers say other things.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

METALS = ("La", "Y", "Lu", "Sc", "Ca", "Sr", "Ba", "Zr", "Hf", "Th")
TRANSITION = ("Ni", "Pd", "Pt", "Rh", "Ir", "Ru", "Os", "Co", "Mo", "Nb")
RIGHT = ("Si", "Ge", "Sn", "Sb", "As", "P", "B", "C", "Se", "Te")
FIRST, SECOND, THIRD = (2, 3, 4, 5), (3, 4, 5, 6, 7), (5, 7, 8, 9, 11, 13)


@dataclass(frozen=True)
class Material:
    """A made material: element and amount, in the order in which it is written."""

    atoms: tuple[tuple[str, int], ...]

    @property
    def formula(self) -> str:
        """As the question has it."""
        return "".join(f"{symbol}{amount}" for symbol, amount in self.atoms)

    @property
    def markup(self) -> str:
        """With marks for what is lowered."""
        return marked(self.atoms)

    def otherwise(self, draw: random.Random) -> str:
        """Return the formula in another writing: in another order, or for two formula units."""
        times = draw.choice((1, 2))
        atoms = [(symbol, amount * times) for symbol, amount in self.atoms]
        turned = (
            atoms[::-1] if times == 1 else [atoms[1], atoms[0], atoms[2]] if draw.random() < 0.5 else atoms
        )
        return marked(turned)


def marked(atoms: object) -> str:
    """Return atoms as markup: ``Sc_{3}Rh_{4}Ge_{7}``."""
    assert isinstance(atoms, list | tuple)
    return "".join(f"{symbol}_{{{amount}}}" for symbol, amount in atoms)


def draw_materials(draw: random.Random, count: int) -> list[tuple[Material, Material]]:
    """Return materials with their neighbours; no two have the same composition."""
    seen: set[tuple[tuple[str, float], ...]] = set()
    found: list[tuple[Material, Material]] = []
    while len(found) < count:
        symbols = (draw.choice(METALS), draw.choice(TRANSITION), draw.choice(RIGHT))
        pair = [_of(draw, symbols) for _ in range(2)]
        keys = {_key(each) for each in pair}
        if len(keys) == 2 and not keys & seen:
            seen |= keys
            found.append((pair[0], pair[1]))
    return found


def _of(draw: random.Random, symbols: tuple[str, str, str]) -> Material:
    amounts = (draw.choice(FIRST), draw.choice(SECOND), draw.choice(THIRD))
    return Material(tuple(zip(symbols, amounts, strict=True)))


def _key(material: Material) -> tuple[tuple[str, float], ...]:
    atoms = sum(amount for _, amount in material.atoms)
    return tuple(sorted((symbol, round(amount / atoms, 4)) for symbol, amount in material.atoms))
