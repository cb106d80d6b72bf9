"""Text as quotes are compared: without white space, marks and print forms, each character with its place.

Two readers copy one sentence differently: with or without spaces round scripts, with another minus, with an accent as
a character of its own, in LaTeX. What the folding drops says nothing of the value; digits, letters, signs and points
stay.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_SAME = {
    **dict.fromkeys("−–—‐‑‒", "-"),
    **dict.fromkeys("∼˜≃≈≅", "~"),
    **dict.fromkeys("∆△", "Δ"),
    **dict.fromkeys("∥‖", "|"),
    **dict.fromkeys("’‘′`", "'"),
    **dict.fromkeys("“”″", '"'),
    **dict.fromkeys("·⋅∙•", "."),
    **dict.fromkeys("×✕", "x"),
    "±": "+/-",
    "∗": "*",
    "µ": "μ",
}
_DROPPED = frozenset("^_{}$\\´¨¯˚°ˆ")
_LATEX = {
    "times": "×", "pm": "±", "sim": "∼", "approx": "≈", "mu": "μ", "Omega": "Ω", "AA": "Å", "Delta": "Δ", "delta": "δ",
    "gamma": "γ", "rho": "ρ", "xi": "ξ", "lambda": "λ", "kappa": "κ", "Theta": "Θ", "theta": "θ", "beta": "β",
    "alpha": "α", "chi": "χ", "parallel": "∥", "cdot": "·", "circ": "°", "leq": "≤", "geq": "≥", "le": "≤", "ge": "≥",
    "infty": "∞", "propto": "∝", "sigma": "σ", "tau": "τ", "epsilon": "ε", "phi": "φ", "Phi": "Φ", "omega": "ω",
}  # fmt: skip
_COMMAND = re.compile(r"\\([A-Za-z]+)\s?|\\[,;!:> ]")


@dataclass(frozen=True)
class Folded:
    """Folded text, and for each of its characters the place in the text that it comes from."""

    text: str
    places: Sequence[int]


@lru_cache(maxsize=2048)
def _folded(char: str) -> str:
    """Return what one character becomes."""
    parts = (_SAME.get(each, each) for each in unicodedata.normalize("NFKD", _SAME.get(char, char)))
    return "".join(
        each for each in parts if not (each.isspace() or unicodedata.combining(each) or each in _DROPPED)
    )


@lru_cache(maxsize=400)
def fold(text: str) -> Folded:
    """Return text as quotes are compared; of the pages that are searched often it is kept.

    >>> fold("1.2 × 10^{−6} A/cm^{2}").text
    '1.2x10-6A/cm2'
    """
    return _of(text, map(_folded, text))


@lru_cache(maxsize=400)
def fold_caseless(text: str) -> Folded:
    """Return text as `fold` does, in small letters."""
    return _of(text, (_folded(char).lower() for char in text))


@lru_cache(maxsize=400)
def fold_without_hyphens(text: str) -> Folded:
    """Return text as `fold` does, without hyphens, which lines that are broken put in or take away."""
    return _of(text, (_folded(char).replace("-", "") for char in text))


_STACKED = re.compile(r"(\^(?:\{[^{}]*\}|\w))(_(?:\{[^{}]*\}|\w))")


@lru_cache(maxsize=400)
def fold_stacked(text: str) -> Folded:
    """Return text as `fold` does, of scripts over one another the lower one first: ``T^{zero}_{c}`` as ``T_c^{zero}``.

    Within such a pair a character's place is that of another one of the pair.
    """
    return fold(_STACKED.sub(r"\2\1", text))


def _of(text: str, parts: Iterable[str]) -> Folded:
    chars: list[str] = []
    places = array("I")
    for place, part in enumerate(parts):
        if part:
            chars.append(part)
            places.append(place)
            if len(part) > 1:
                places.extend([place] * (len(part) - 1))
    return Folded("".join(chars), places)


def without_commands(quote: str) -> str:
    r"""Return a quote in which LaTeX commands are the characters they print: ``\times`` is ×, ``\mathrm`` nothing."""
    return _COMMAND.sub(lambda found: _LATEX.get(found[1] or "", ""), quote) if "\\" in quote else quote
