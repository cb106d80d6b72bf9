"""Printed forms brought to one: dashes, times signs, LaTeX, raised and lowered digits."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SIGNS = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "µ": "μ", "Ω": "Ω", "Å": "Å", "∼": "~", "≃": "~", "≈": "~",
     "⋅": "·", "∙": "·", "’": "'", "∥": "//", "‖": "//", "∆": "Δ"}
)  # fmt: skip
_LATEX = {
    r"\mu": "μ", r"\Omega": "Ω", r"\AA": "Å", r"\times": "×", r"\cdot": "·", r"\pm": "±", r"\sim": "~", r"\approx": "~",
    r"\Delta": "Δ", r"\delta": "δ", r"\gamma": "γ", r"\lambda": "λ", r"\xi": "ξ", r"\rho": "ρ", r"\Theta": "Θ",
    r"\theta": "θ", r"\kappa": "κ", r"\sigma": "σ", r"\parallel": "//", r"\perp": "⊥", r"\circ": "°", r"\%": "%",
}  # fmt: skip


@lru_cache(maxsize=8192)
def signs(text: str) -> str:
    """Return a text with one sign of each kind, and raised digits behind a caret."""
    if "\\" in text:
        text = re.sub(r"\\(?:mathrm|text|rm|mathbf)\b\s*", "", text)
    for name, sign in _LATEX.items() if "\\" in text else ():
        text = re.sub(re.escape(name) + (r"(?![A-Za-z])" if name[-1].isalpha() else ""), sign, text)
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+", lambda found: "^" + found[0].translate(_RAISED), text)
    text = text.replace("A\u030a", "Å").replace("\u00a0", " ").replace("\u2009", " ").replace("\u202f", " ")
    return text.translate(_SIGNS).translate(_LOWERED).replace("$", "")


@lru_cache(maxsize=8192)
def bare(text: str) -> str:
    """Return a text without case, marks of scripts and accents, all kinds of white space one space.

    >>> bare("T_{c}  (mid-point)")
    'tc (mid-point)'
    """
    plain = re.sub(r"[_^{}]", "", signs(text))
    plain = unicodedata.normalize("NFKD", plain).casefold()
    return " ".join("".join(each for each in plain if not unicodedata.combining(each)).split())
