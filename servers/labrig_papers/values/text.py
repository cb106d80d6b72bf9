"""Characters of one meaning folded to one, each to exactly one, so that a position in the text stays what it was."""

from __future__ import annotations

import re

_SAME = {
    "-": "−‐‑‒–—﹣－⁃",
    "~": "∼≈≃≅˜∽〜～",
    " ": "\u00a0\u2002\u2003\u2004\u2005\u2007\u2008\u200a\u3000\t",
    "\u2009": "\u202f\u2006",  # thin spaces, which may part thousands
    "·": "∙⋅•・‧",
    "×": "✕✖⨯",
    "±": "⫾∓Ϯ",  # the last two are what old fonts make of it
    "<": "＜﹤",
    ">": "＞﹥",
    "≤": "⩽≦",
    "≥": "⩾≧",
    "≲": "⪅≾",
    "≳": "⪆≿",
    "μ": "µ𝜇",
    "Ω": "Ω",
    "Å": "Å",
    "/": "∕⁄",
    "(": "（",
    ")": "）",
    "%": "％",
    "δ": "𝛿",
    "⊙": "☉⨀",
    "⊕": "♁🜨",
}
_FOLD = {ord(other): one for one, others in _SAME.items() for other in others}

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉₋₊ₓ", "0123456789-+x")

_LATEX = (
    (r"\\(?:times|cdot)\b", "×"),
    (r"\\pm\b", "±"),
    (r"\\(?:sim|simeq|approx)\b", "~"),
    (r"\\(?:lesssim)\b", "≲"),
    (r"\\(?:gtrsim)\b", "≳"),
    (r"\\(?:leq?|leqslant)\b", "≤"),
    (r"\\(?:geq?|geqslant)\b", "≥"),
    (r"\\(?:mu|upmu)\b", "μ"),
    (r"\\(?:Omega|ohm)\b", "Ω"),
    (r"\\(?:AA|angstrom)\b|\\r\{A\}", "Å"),
    (r"\\delta\b", "δ"),
    (r"\\%", "%"),
    (r"\\(?:mathrm|text|rm|mathit|textrm|mbox|mathbf|operatorname)\b", ""),
    (r"\\[,;:! ]", " "),
    (r"(?<!\\)\$", ""),
)


def fold(text: str) -> str:
    """Return the text with signs, spaces and letters of one meaning made one; its length does not change."""
    return text.translate(_FOLD)


def without_latex(text: str) -> str:
    r"""Return the text with the LaTeX that an agent may write (``\times``, ``$``, ``\mu``) as plain characters."""
    if "\\" not in text and "$" not in text:
        return text
    for pattern, plain in _LATEX:
        text = re.sub(pattern, plain, text)
    return re.sub(r"(?<![\^_])\{([^{}]*(?:\^\{[^{}]*\}[^{}]*)*)\}", r"\1", text)
