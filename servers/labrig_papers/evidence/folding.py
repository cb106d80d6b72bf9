"""Text as quotes are compared: without white space, marks and print forms, each character with its place.

Two readers copy one sentence differently: with or without spaces round scripts, with another minus, with an accent as
a character of its own, in LaTeX. What the folding drops says nothing of the value; digits, letters, signs and points
stay.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_SAME = {
    **dict.fromkeys("−–—‐‑‒", "-"),
    **dict.fromkeys("∼˜≃≈≅", "~"),
    **dict.fromkeys("∆△", "Δ"),
    **dict.fromkeys("∥‖", "|"),
    **dict.fromkeys("’‘′`", "'"),
    **dict.fromkeys("“”″", '"'),
    **dict.fromkeys("·⋅∙•", "."),
    **dict.fromkeys("×✕", "x"),
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
    places: tuple[int, ...]

    def without_hyphens(self) -> Folded:
        """Return the same without hyphens, which lines that are broken put in or take away."""
        kept = [index for index, char in enumerate(self.text) if char != "-"]
        return Folded("".join(self.text[each] for each in kept), tuple(self.places[each] for each in kept))


def fold(text: str) -> Folded:
    """Return text as quotes are compared.

    >>> fold("1.2 × 10^{−6} A/cm^{2}").text
    '1.2x10-6A/cm2'
    """
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for each in unicodedata.normalize("NFKD", _SAME.get(char, char)):
            each = _SAME.get(each, each)
            if each.isspace() or unicodedata.combining(each) or each in _DROPPED:
                continue
            chars.append(each)
            places.append(place)
    return Folded("".join(chars), tuple(places))


def without_commands(quote: str) -> str:
    r"""Return a quote in which LaTeX commands are the characters they print: ``\times`` is ×, ``\mathrm`` nothing."""
    return _COMMAND.sub(lambda found: _LATEX.get(found[1] or "", ""), quote) if "\\" in quote else quote
