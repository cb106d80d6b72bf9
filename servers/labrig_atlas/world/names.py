"""Names as they are compared: without case, accents, punctuation, and letters that only some alphabets have."""

from __future__ import annotations

import unicodedata

_LETTERS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ə": "a",
        "ħ": "h",
        "ŧ": "t",
    }
)

_DROPPED = frozenset("'’ʻʼ`.")
_ASCII = {code: None if chr(code) in _DROPPED else " " for code in range(128) if not chr(code).isalnum()}


def fold(text: str) -> str:
    """Return a name in the form in which names are compared.

    Examples
    --------
    ``"São Paulo"`` is ``"sao paulo"``, ``"Saint-Étienne"`` is ``"saint etienne"``, ``"Łódź"`` is ``"lodz"``.
    """
    if text.isascii():  # most names are, and a gazetteer has 700,000
        return " ".join(text.lower().translate(_ASCII).split())
    flat = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    kept = (each if each.isalnum() else "" if _drops(each) else " " for each in flat)
    return " ".join("".join(kept).split())


def _drops(character: str) -> bool:
    """Whether a character goes without leaving a gap: marks over letters, apostrophes, full stops."""
    return bool(unicodedata.combining(character)) or character in _DROPPED
