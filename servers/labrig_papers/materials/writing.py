"""One plain way of writing formulas: La_{2−x}, La₂₋ₓ, $La_{2-x}$ and "La 2−x" alike."""

from __future__ import annotations

import re

from labrig_papers.values.text import SUBSCRIPTS, SUPERSCRIPTS, fold, without_latex

_SUB = re.compile(r"[₀₁₂₃₄₅₆₇₈₉₋₊ₓ.]*[₀₁₂₃₄₅₆₇₈₉₋₊ₓ][₀₁₂₃₄₅₆₇₈₉₋₊ₓ.δy]*")
_RAISED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")


def plain(text: str) -> str:
    """Return a text with subscripts as plain digits, isotopes as ``<11>`` before their element, charges left out.

    Spaces stay where they are, but for those that a typesetter put into a number ("0. 5").
    """
    text = re.sub(r"\\(?:delta|d)\b", "δ", text)
    text = fold(without_latex(text))
    text = _RAISED.sub(lambda match: "^{" + match.group(0).translate(SUPERSCRIPTS) + "}", text)
    text = re.sub(r"\^\{?\s?(\d{1,3})\s?\}?\s?(?=[A-Z])", r"<\1>", text)
    text = re.sub(r"\^\{?\s?\d*[+\-]\s?\}?", "", text)
    text = _SUB.sub(lambda match: match.group(0).translate(SUBSCRIPTS), text)
    text = re.sub(r"_\{([^{}]*)\}", lambda match: match.group(1).replace(" ", ""), text)
    text = re.sub(r"_(?=[\dxyzδ])", "", text)
    text = text.replace("\u2009", " ").replace("\u00ad", "")
    text = re.sub(r"(?<=[a-z])- (?=[a-z])", "", text)  # a word divided at the end of a line
    text = re.sub(r"(?<=\d\.) (?=\d)", "", text)
    text = re.sub(r"\s*([+-])\s*(?=[xyzδ]\b)", r"\1", text)
    return text.replace("{", "").replace("}", "")
