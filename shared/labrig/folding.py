"""Text without accents, for names that people write in several ways."""

from __future__ import annotations

import unicodedata
from typing import Literal


def without_accents(text: str, form: Literal["NFD", "NFKD"] = "NFKD") -> str:
    """Return a text without the marks over and under its letters.

    Parameters
    ----------
    form
        ``NFKD`` also writes ligatures, raised digits and wide letters as plain ones; ``NFD`` leaves them.

    >>> without_accents("Łódź, São Paulo, m²")
    'Łodz, Sao Paulo, m2'
    """
    return "".join(each for each in unicodedata.normalize(form, text) if not unicodedata.combining(each))
